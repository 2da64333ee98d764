/**
 * Which statement uses which. One stands between the cards of what it uses and of what uses it; a card that
 * is pressed takes its place, and its own card opens its page. In the drawings a statement that is pointed at lights
 * up with all below it and above it. An address such as `graph.html#recall.lemma-6` chooses a statement.
 */
addEventListener("DOMContentLoaded", () => {
  const place = document.querySelector(".graph-chosen");
  if (!place) return;
  const said = place.querySelector(".graph-said");
  const store = document.querySelector(".graph-cards");
  const cards = new Map([...store.children].map((card) => [card.dataset.id, card])); // each stands in one place only
  const uses = (id) => cards.get(id).dataset.uses.split(" ").filter(Boolean);
  const users = (id) => [...cards.keys()].filter((other) => uses(other).includes(id));
  const paper = (id) => id.split(".")[0];
  const add = (parent, tag, properties) => parent.appendChild(Object.assign(document.createElement(tag), properties));
  /** All that a statement leads to in the end. */
  const all = (id, next) => {
    const found = new Set(next(id));
    for (const here of found) for (const other of next(here)) found.add(other);
    return found;
  };
  const label = add(place, "label", { textContent: "Statement " });
  const choice = add(label, "select");
  const groups = {};
  for (const [id, card] of cards) {
    const chapter = card.querySelector("small").textContent;
    groups[chapter] ??= add(choice, "optgroup", { label: chapter });
    const [name, title] = ["b", "b + span"].map((part) => card.querySelector(part).textContent);
    add(groups[chapter], "option", { value: id, textContent: `${name}: ${title}` });
  }
  const bands = ["below", "chosen", "above"].map((className) => add(place, "div", { className }));
  /** Cards by paper, below a heading, with the number of those farther away. */
  const fill = (band, ids, heading, farther) => {
    for (const card of [...band.querySelectorAll("a")]) store.append(card);
    band.replaceChildren();
    add(band, "p", { textContent: heading });
    const row = add(band, "div");
    for (const id of ids) row.append(cards.get(id));
    if (farther) add(band, "p", { textContent: farther });
  };
  const count = (number, one, many) => `${number} ${number === 1 ? one : many}`;
  const choose = (id) => {
    const [below, above] = [uses(id), users(id)];
    const [lower, upper] = [all(id, uses).size - below.length, all(id, users).size - above.length];
    for (const band of bands) fill(band, [], "");
    fill(
      bands[0],
      below,
      below.length ? `It uses ${count(below.length, "statement", "statements")}` : "It uses no other statement",
      lower ? `These use ${lower} more.` : "",
    );
    bands[1].replaceChildren(cards.get(id));
    fill(
      bands[2],
      above,
      above.length ? `${count(above.length, "statement uses", "statements use")} it` : "No statement uses it",
      upper ? `These are used by ${upper} more.` : "",
    );
    for (const [other, card] of cards) card.classList.toggle("elsewhere", paper(other) !== paper(id));
    choice.value = id;
    said.textContent = "";
  };
  const go = (id) => {
    history.replaceState(null, "", `#${id}`);
    choose(id);
  };
  choice.addEventListener("change", () => go(choice.value));
  place.addEventListener("click", (event) => {
    const card = event.target.closest("a[data-id]");
    if (!card || card.parentElement === bands[1] || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    go(card.dataset.id);
    card.focus();
  });
  document.querySelector(".fim-examine")?.addEventListener("change", ({ target }) => {
    if (cards.has(target.value)) go(target.value);
  });

  const svgs = [...document.querySelectorAll(".statement-graph svg")];
  const edges = svgs.flatMap((svg) => [...svg.querySelectorAll("path")]);
  const boxes = svgs.flatMap((svg) => [...svg.querySelectorAll("a")]); // one that other papers use stands there, too
  const show = (box) => {
    const { id } = box.dataset;
    const highlighted = new Set([id, ...all(id, uses), ...all(id, users)]);
    for (const svg of svgs) svg.classList.add("highlighted");
    for (const other of boxes) other.classList.toggle("on", highlighted.has(other.dataset.id));
    for (const edge of edges) edge.classList.toggle("on", highlighted.has(edge.dataset.from) && highlighted.has(edge.dataset.to));
  };
  const clear = () => svgs.forEach((svg) => svg.classList.remove("highlighted"));
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
    if (cards.has(id)) choose(id);
    else if (id.includes(".")) said.textContent = `The address asks for the statement ${id}, which is not here.`;
  };
  addEventListener("hashchange", follow);
  choose(place.dataset.first);
  follow();
  if (matchMedia("(min-width: 60rem)").matches) {
    document.querySelector(`.graph-whole:has([data-id="${place.dataset.first}"])`).open = true;
  }
});
