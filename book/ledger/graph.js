/**
 * In the drawing of what rests on what: a statement that is pointed at lights up with all below it and above it. An
 * address such as `graph.html#recall.lemma-6` leads to a statement.
 */
addEventListener("DOMContentLoaded", () => {
  const said = document.querySelector(".graph-said");
  if (!said) return;
  const svgs = [...document.querySelectorAll(".statement-graph svg")];
  const edges = svgs.flatMap((svg) => [...svg.querySelectorAll("path")]);
  const boxes = svgs.flatMap((svg) => [...svg.querySelectorAll("a")]); // one that other papers use stands there, too
  /** All that can be reached from a statement along the edges, one way or the other. */
  const reached = (id, from, to) => {
    const found = new Set();
    const queue = [id];
    while (queue.length) {
      const here = queue.pop();
      for (const { dataset } of edges) {
        if (dataset[from] === here && !found.has(dataset[to])) {
          found.add(dataset[to]);
          queue.push(dataset[to]);
        }
      }
    }
    return found;
  };
  const show = (box) => {
    const { id } = box.dataset;
    const [below, above] = [reached(id, "to", "from"), reached(id, "from", "to")];
    const lit = new Set([id, ...below, ...above]);
    for (const svg of svgs) svg.classList.add("lit");
    for (const other of boxes) other.classList.toggle("on", lit.has(other.dataset.id));
    for (const edge of edges) edge.classList.toggle("on", lit.has(edge.dataset.from) && lit.has(edge.dataset.to));
    said.textContent = `${box.getAttribute("aria-label")}. It rests on ${below.size}, and ${above.size} rest on it.`;
  };
  const clear = () => svgs.forEach((svg) => svg.classList.remove("lit"));
  const byTouch = matchMedia("(hover: none)");
  let tapped = null; // by a finger: the first tap lights it up, the second opens its page
  for (const box of boxes) {
    for (const event of ["pointerenter", "focus"]) box.addEventListener(event, () => show(box));
    for (const event of ["pointerleave", "blur"]) box.addEventListener(event, clear);
    box.addEventListener("blur", () => (tapped = null));
    box.addEventListener("click", (event) => {
      if (!byTouch.matches || tapped === box) return;
      event.preventDefault();
      tapped = box;
      box.focus();
      show(box);
    });
  }
  /** Go to the statement that the address names; one that has gone is said. */
  const follow = () => {
    const id = location.hash.slice(1);
    const inList = document.getElementById(id)?.closest(".graph-list li");
    if (inList) {
      for (let fold = inList.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
      inList.scrollIntoView({ block: "center" });
    }
    const box = boxes.find((box) => box.dataset.id === id);
    if (box) {
      box.scrollIntoView({ block: "center" });
      box.focus({ preventScroll: true });
    } else if (id.includes(".")) said.textContent = `The address asks for the statement ${id}, which is not here.`;
  };
  addEventListener("hashchange", follow);
  follow();
  if (matchMedia("(max-width: 40rem)").matches) {
    for (const list of document.querySelectorAll(".graph-list")) list.open = true;
  }
});
