/**
 * Pictures of pages for where their addresses are shared: the title, the scene or else the first plot, and what is found.
 * In: pages as built, the figures' style sheet, fonts. Out: PNGs where each is to lie, and what they show in words.
 */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";

import { initWasm, Resvg } from "@resvg/resvg-wasm";
import { parseHTML } from "linkedom";

const [WIDE, HIGH, MARGIN, GAP] = [1200, 630, 48, 24];
const LETTER = 0.56; // of a text's size: what one takes on average in DejaVu Sans
const BOLD = 0.64;
const LINE = 1.3; // of a text's size
const TITLE = 42;
const FOUND = 23;
const HEAD = 14;
const WORDS = 12;

const { pages, style, fonts } = JSON.parse(readFileSync(0, "utf8"));
await initWasm(readFileSync(createRequire(import.meta.url).resolve("@resvg/resvg-wasm/index_bg.wasm")));
const font = { fontBuffers: fonts.map((path) => readFileSync(path)), defaultFontFamily: "DejaVu Sans" };

const colours = { "fim-paper": "#fff" };
for (const [, name, value] of style.matchAll(/--(fim-[\w-]+): ([^;]+);/g)) colours[name] ??= value; // the light ones come first
const rules = style.split("\n").filter((line) => /^\.fim-.*\}/.test(line)).join("\n");

/** A style or a drawing without variables, of which resvg knows none. */
function plain(text) {
  const known = text.replace(/var\(--(fim-[\w-]+)(?:, #\w+)?\)/g, (_, name) => colours[name]);
  if (known !== text) return plain(known); // a colour may stand for another
  return text.replaceAll("--colour:", "color:").replaceAll("var(--colour)", "currentColor").replaceAll("clippath", "clipPath"); // as linkedom has it
}

const escaped = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;");

/** A text in lines, at most so many. */
function lines(text, size, width, most = Infinity, letter = LETTER) {
  const room = Math.max(8, Math.floor(width / (letter * size)));
  const found = [];
  for (const word of text.trim().split(/\s+/)) {
    const last = found.at(-1);
    if (last !== undefined && last.length + word.length < room) found[found.length - 1] = `${last} ${word}`;
    else found.push(word);
  }
  if (found.length > most) found[most - 1] = `${found[most - 1].slice(0, room - 1)}…`;
  return found.slice(0, most);
}

/** As many whole sentences of a text as there is room for, or its beginning. */
function whole(text, size, width, most) {
  const sentences = text.split(/(?<=[.?!]) /);
  const fits = (count) => lines(sentences.slice(0, count).join(" "), size, width).length <= most;
  while (sentences.length > 1 && !fits(sentences.length)) sentences.pop();
  return sentences.join(" ");
}

const written = (texts, size, x, y, look = "") => texts
  .map((text, i) => `<text x="${x}" y="${y + (i * LINE + 1) * size}" font-size="${size}" ${look}>${escaped(text)}</text>`).join("");

/** A panel of a scene: its title, names of colours, its drawing. */
function panelOf(box, x, y) {
  const svg = box.querySelector("svg");
  const [width, height] = ["width", "height"].map((name) => parseFloat(svg.getAttribute(name)));
  const title = lines(box.querySelector(".fim-title")?.textContent ?? "", HEAD, width, 3, BOLD);
  let top = y + title.length * LINE * HEAD + 4;
  let markup = written(title, HEAD, x, y, 'font-weight="bold"');
  for (const item of box.querySelectorAll(".fim-legend li")) {
    const colour = item.querySelector("span").getAttribute("style").replace("color", "fill");
    markup += `<rect x="${x}" y="${top + 4}" width="14" height="5" style="${colour}"/>`;
    const names = lines(item.textContent.replace(/^\S+/, ""), WORDS, width - 20);
    markup += written(names, WORDS, x + 20, top);
    top += names.length * LINE * WORDS;
  }
  for (const [name, value] of Object.entries({ x, y: top + 6, "font-size": 13, overflow: "visible" })) svg.setAttribute(name, value);
  return { width, height: top + 6 + height - y, markup: markup + svg.outerHTML };
}

/** A column of a scene: its first panel above the others. */
function columnOf(column, x) {
  const [first, ...others] = [...column.querySelectorAll(".fim-panel")].filter((box) => box.querySelector("svg"));
  const top = panelOf(first, x, 0);
  const row = { width: 0, height: 0, markup: "" };
  for (const box of others) {
    const one = panelOf(box, x + row.width, top.height + GAP);
    row.markup += one.markup;
    row.width += one.width + GAP;
    row.height = Math.max(row.height, GAP + one.height);
  }
  return { width: Math.max(top.width, row.width - GAP), height: top.height + row.height, markup: top.markup + row.markup };
}

/** What a page shows: its scene's columns side by side, or a plot. */
function drawingOf(document) {
  const drawn = { width: 0, height: 0, markup: "" };
  const scene = document.querySelector(".fim-scene");
  for (const column of scene?.querySelectorAll(".fim-column") ?? []) {
    const one = columnOf(column, drawn.width);
    drawn.markup += `<g class="fim-panel">${one.markup}</g>`;
    drawn.width += one.width + GAP;
    drawn.height = Math.max(drawn.height, one.height);
  }
  const plot = scene ? null : document.querySelector("article .cell_output svg");
  const [, , width, height] = plot?.getAttribute("viewBox")?.split(" ").map(Number) ?? [];
  if (!width) return drawn;
  for (const [name, value] of Object.entries({ width, height, overflow: "visible", color: colours["fim-ink"] })) plot.setAttribute(name, value);
  return { width: width + GAP, height, markup: plot.outerHTML };
}

function pictureOf(text) {
  const { document } = parseHTML(text);
  const words = (selector) => [...document.querySelectorAll(selector)].map((node) => node.textContent.trim());
  const [name, book] = document.title.split(" — ");
  const title = lines(name, TITLE, WIDE - 2 * MARGIN, 2, BOLD);
  const said = words(".fim-caption .fim-said").concat(words("article section > p"))[0] ?? "";
  const found = lines(whole(said, FOUND, WIDE - 2 * MARGIN, 2), FOUND, WIDE - 2 * MARGIN, 2);
  const above = [book, ...new Set(words(".fim-claim-name > :first-child"))].filter(Boolean).join(" · ");
  const top = MARGIN + 20 + title.length * LINE * TITLE;
  const bottom = HIGH - MARGIN - found.length * LINE * FOUND;
  const drawn = drawingOf(document);
  const scale = Math.min((WIDE - 2 * MARGIN) / (drawn.width - GAP), (bottom - top - 2 * GAP) / drawn.height);
  const place = `translate(${(WIDE - scale * (drawn.width - GAP)) / 2} ${top + GAP}) scale(${scale})`;
  const shown = words(".fim-scene .fim-title").join("; ");
  const alt = [title.join(" "), shown && `Drawn: ${shown}.`, found.join(" ")].filter(Boolean).join(" ");
  return { alt, svg: plain(`<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="${WIDE}" height="${HIGH}" font-family="DejaVu Sans">
    <style>${rules}</style><rect width="100%" height="100%" fill="#fff"/><rect width="100%" height="10" fill="var(--fim-accent)"/>
    <g fill="var(--fim-ink)">${written([above], 22, MARGIN, MARGIN - 16, 'fill="var(--fim-faint)"')}
    ${written(title, TITLE, MARGIN, MARGIN + 12, 'font-weight="bold"')}
    ${drawn.markup && `<g transform="${place}">${drawn.markup}</g>`}
    ${written(found, FOUND, MARGIN, bottom)}</g></svg>`) };
}

const said = pages.map(({ text, place }) => {
  const { alt, svg } = pictureOf(text);
  mkdirSync(dirname(place), { recursive: true });
  writeFileSync(place, new Resvg(svg, { font }).render().asPng());
  return alt;
});
process.stdout.write(JSON.stringify(said));
