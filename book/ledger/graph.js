/** In the drawing of what rests on what: a statement that is pointed at lights up with all below it and above it. */
addEventListener("DOMContentLoaded", () => {
  const said = document.querySelector(".graph-said");
  if (!said) return;
  for (const svg of document.querySelectorAll(".statement-graph svg")) {
    const edges = [...svg.querySelectorAll("path")];
    const boxes = new Map([...svg.querySelectorAll("a")].map((box) => [box.dataset.id, box]));
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
    const show = (id) => {
      const [below, above] = [reached(id, "to", "from"), reached(id, "from", "to")];
      const lit = new Set([id, ...below, ...above]);
      svg.classList.add("lit");
      for (const [other, box] of boxes) box.classList.toggle("on", lit.has(other));
      for (const edge of edges) edge.classList.toggle("on", lit.has(edge.dataset.from) && lit.has(edge.dataset.to));
      said.textContent = `${boxes.get(id).getAttribute("aria-label")}. It rests on ${below.size}, and ${above.size} rest on it.`;
    };
    const clear = () => svg.classList.remove("lit");
    for (const [id, box] of boxes) {
      for (const event of ["pointerenter", "focus"]) box.addEventListener(event, () => show(id));
      for (const event of ["pointerleave", "blur"]) box.addEventListener(event, clear);
    }
  }
  if (matchMedia("(max-width: 40rem)").matches) {
    for (const list of document.querySelectorAll(".statement-graph details")) list.open = true;
  }
});
