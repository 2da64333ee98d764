/**
 * The index of all statements: search, filters and order, kept in the address as `#?paper=recall&words=saddle`. Without
 * this script the tables stand as they are.
 */
addEventListener("DOMContentLoaded", () => {
  const tables = [...document.querySelectorAll("table.ledger-index")];
  const rows = tables.flatMap((table) => [...table.tBodies[0].rows]);
  if (!rows.length) return;
  const FILTERS = { paper: "chapter", kind: "kind", verdict: "verdict", ground: "source" };
  const form = document.createElement("form");
  form.className = "ledger-filters";
  form.setAttribute("role", "search");

  /** A labelled field in the form. */
  const field = (tag, name, words, properties = {}) => {
    const label = form.appendChild(document.createElement("label"));
    label.append(`${words} `);
    return label.appendChild(Object.assign(document.createElement(tag), { name, ...properties }));
  };
  field("input", "words", "words", { type: "search" });
  for (const [name, words] of Object.entries(FILTERS)) {
    const select = field("select", name, words);
    select.add(new Option("all", ""));
    for (const value of new Set(rows.map((row) => row.dataset[name]))) select.add(new Option(value, value));
  }
  const fails = field("input", "fails", "fails somewhere", { type: "checkbox", value: "yes" });
  fails.after(" (our search found settings at which its hypotheses hold and its conclusion fails)");
  const status = form.appendChild(document.createElement("output"));
  tables[0].closest("div").previousElementSibling.before(form);

  /** Show the rows that the form asks for. */
  const filter = () => {
    const query = Object.fromEntries(new FormData(form));
    const words = query.words.toLowerCase().split(/\s+/);
    let shown = 0;
    for (const row of rows) {
      const fits = [...Object.keys(FILTERS), "fails"].every((name) => !query[name] || row.dataset[name] === query[name]);
      const text = row.textContent.toLowerCase();
      row.hidden = !fits || !words.every((word) => text.includes(word));
      shown += Number(!row.hidden);
    }
    for (const table of tables) {
      const empty = [...table.tBodies[0].rows].every((row) => row.hidden);
      for (const node of [table.closest("div"), table.closest("div").previousElementSibling]) node.hidden = empty;
    }
    status.textContent = `${shown} of ${rows.length}`;
    return query;
  };
  const write = (query) => {
    const kept = new URLSearchParams(Object.entries(query).filter(([, value]) => value));
    history.replaceState(history.state, "", String(kept) ? `#?${kept}` : location.href.split("#")[0]);
  };
  form.addEventListener("input", () => write(filter()));
  form.addEventListener("submit", (event) => event.preventDefault());

  /** Follow the address; what it names that is not there is said, and left out. */
  const read = () => {
    if (!location.hash.startsWith("#?")) return filter();
    const unknown = [];
    form.reset();
    for (const [name, value] of new URLSearchParams(location.hash.slice(2))) {
      const input = form.elements.namedItem(name);
      if (!input) unknown.push(name);
      else if (input.type === "checkbox") input.checked = value === "yes";
      else if (input.tagName === "SELECT" && ![...input.options].some((option) => option.value === value)) {
        unknown.push(`${name} = ${value}`);
      } else input.value = value;
    }
    filter();
    if (unknown.length) status.textContent += `. The address asks for ${unknown.join(", ")}, which is not here.`;
  };
  addEventListener("hashchange", () => {
    read();
    if (location.hash.startsWith("#?")) form.scrollIntoView();
  });
  read();

  for (const table of tables) {
    [...table.tHead.rows[0].cells].forEach((cell, place) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = cell.textContent;
      cell.replaceChildren(button);
      button.addEventListener("click", () => {
        const falls = cell.getAttribute("aria-sort") === "ascending";
        for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
        cell.setAttribute("aria-sort", falls ? "descending" : "ascending");
        const text = (row) => row.cells[place].textContent;
        const order = new Intl.Collator("en", { numeric: true });
        const sorted = [...table.tBodies[0].rows].sort((a, b) => order.compare(text(a), text(b)) * (falls ? -1 : 1));
        table.tBodies[0].append(...sorted);
      });
    });
  }
});
