/**
 * Pictures of pages for where their addresses are shared: the title, the scene or else the first plot, and the caption.
 * In: pages as built, the figures' style sheet, fonts. Out: a PNG of each page in its place, and what it shows in
 * words; SVG where the place ends in .svg. A page that says its settings is a figure alone, drawn as large as it is.
 */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";

import { parseHTML } from "linkedom";

/** @import { ResvgRenderOptions } from "@resvg/resvg-wasm" */

const [WIDTH, HEIGHT, MARGIN, GAP] = [1200, 630, 48, 24];
const LETTER = 0.56; // of a text's size: the average width of a letter of DejaVu Sans
const BOLD_LETTER = 0.64;
const LINE = 1.3; // of a text's size
const TITLE_SIZE = 42;
const CAPTION_SIZE = 23;
const HEADING_SIZE = 14;
const LEGEND_SIZE = 12;
const NOTE_SIZE = 13; // of what stands below a figure alone
const INSET = 12; // around it
const ZOOM = 2; // pixels of its picture for each of a page's

/**
 * The style sheet, the paths of fonts, and for each page its HTML and the place of its picture.
 * @typedef {{ text: string, place: string, settings?: string }} Page
 * @typedef {{ pages: Page[], style: string, fonts: string[] }} Job
 */

/**
 * A piece of a picture: its size, and SVG.
 * @typedef {{ width: number, height: number, markup: string }} Piece
 */

/** @type {Job} */
const { pages, style, fonts } = JSON.parse(readFileSync(0, "utf8"));

/** What writes SVG as PNG, if a page wants that. */
async function loadRasteriser() {
  const { initWasm, Resvg } = await import("@resvg/resvg-wasm");
  await initWasm(readFileSync(createRequire(import.meta.url).resolve("@resvg/resvg-wasm/index_bg.wasm")));
  const font = { fontBuffers: fonts.map((path) => readFileSync(path)), defaultFontFamily: "DejaVu Sans" };
  return (/** @type {string} */ svg, /** @type {ResvgRenderOptions["fitTo"]} */ fitTo) =>
    new Resvg(svg, { font, fitTo }).render().asPng();
}
const rasterise = pages.some(({ place }) => place.endsWith(".png")) ? await loadRasteriser() : undefined;

/** @type {Record<string, string>} */
const colours = { "fim-paper": "#fff" };
// the light theme comes first
for (const [, name, value] of style.matchAll(/--(fim-[\w-]+): ([^;]+);/g)) colours[name] ??= value;
const rules = style
  .split("\n")
  .filter((line) => /^\.fim-.*\}/.test(line))
  .join("\n");

/**
 * A style or a drawing with its variables replaced: resvg knows none. linkedom writes the names of elements in lower
 * case.
 * @param {string} text
 * @returns {string}
 */
function withoutVariables(text) {
  const replaced = text.replace(/var\(--(fim-[\w-]+)(?:, #\w+)?\)/g, (_, name) => colours[name]);
  if (replaced !== text) return withoutVariables(replaced); // a colour may stand for another
  return text
    .replaceAll("--colour:", "color:")
    .replaceAll("var(--colour)", "currentColor")
    .replaceAll("clippath", "clipPath");
}

/** @param {string} text */
const escapeMarkup = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;");

/**
 * A text in lines, at most so many.
 * @param {string} text
 * @param {number} size
 * @param {number} width
 */
function inLines(text, size, width, most = Infinity, letter = LETTER) {
  const room = Math.max(8, Math.floor(width / (letter * size)));
  /** @type {string[]} */
  const lines = [];
  for (const word of text.trim().split(/\s+/)) {
    const last = lines[lines.length - 1];
    if (last !== undefined && last.length + word.length < room) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  if (lines.length > most) lines[most - 1] = `${lines[most - 1].slice(0, room - 1)}…`;
  return lines.slice(0, most);
}

/**
 * As many whole sentences of a text as fit into so many lines, but at least the first.
 * @param {string} text
 * @param {number} size
 * @param {number} width
 * @param {number} most
 */
function wholeSentences(text, size, width, most) {
  const sentences = text.split(/(?<=[.?!]) /);
  /** @param {number} count */
  const fits = (count) => inLines(sentences.slice(0, count).join(" "), size, width).length <= most;
  while (sentences.length > 1 && !fits(sentences.length)) sentences.pop();
  return sentences.join(" ");
}

/**
 * Lines of text as SVG.
 * @param {string[]} lines
 * @param {number} size
 * @param {number} x
 * @param {number} y
 */
const textMarkup = (lines, size, x, y, look = "") =>
  lines
    .map(
      (line, i) =>
        `<text x="${x}" y="${y + (i * LINE + 1) * size}" font-size="${size}" ${look}>${escapeMarkup(line)}</text>`,
    )
    .join("");

/**
 * A panel of a scene: its title, its legend and its drawing.
 * @param {Element} box
 * @param {number} x
 * @param {number} y
 * @returns {Piece}
 */
function panelPiece(box, x, y) {
  const svg = /** @type {SVGSVGElement} */ (box.querySelector("svg"));
  const [width, height] = ["width", "height"].map((name) => parseFloat(svg.getAttribute(name) ?? "0"));
  const title = inLines(box.querySelector(".fim-title")?.textContent ?? "", HEADING_SIZE, width, 3, BOLD_LETTER);
  let top = y + title.length * LINE * HEADING_SIZE + 4;
  let markup = textMarkup(title, HEADING_SIZE, x, y, 'font-weight="bold"');
  for (const item of box.querySelectorAll(".fim-legend li")) {
    const colour = item.querySelector("span")?.getAttribute("style")?.replace("color", "fill");
    markup += `<rect x="${x}" y="${top + 4}" width="14" height="5" style="${colour}"/>`;
    const lines = inLines((item.textContent ?? "").replace(/^\S+/, ""), LEGEND_SIZE, width - 20);
    markup += textMarkup(lines, LEGEND_SIZE, x + 20, top);
    top += lines.length * LINE * LEGEND_SIZE;
  }
  setAll(svg, { x, y: top + 6, "font-size": 13, overflow: "visible" });
  return { width, height: top + 6 + height - y, markup: markup + svg.outerHTML };
}

/** @param {Element} element @param {Record<string, string | number>} attributes */
function setAll(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
}

/**
 * A column of a scene: its panels below each other, without those that wait to be looked at.
 * @param {Element} column
 * @param {number} x
 * @returns {Piece}
 */
function columnPiece(column, x) {
  const piece = { width: 0, height: 0, markup: "" };
  for (const box of column.querySelectorAll(".fim-panel:not(.fim-far)")) {
    if (!box.querySelector("svg")) continue;
    const panel = panelPiece(box, x, piece.height && piece.height + GAP);
    piece.markup += panel.markup;
    piece.width = Math.max(piece.width, panel.width);
    piece.height += panel.height + (piece.height && GAP);
  }
  return piece;
}

/**
 * The columns of a page's scene side by side, or its first plot.
 * @param {Document} document
 * @returns {Piece}
 */
function pagePiece(document) {
  const scene = document.querySelector(".fim-scene");
  return scene ? scenePiece(scene) : plotPiece(document.querySelector("article .cell_output svg"));
}

/** @param {Element} scene @returns {Piece} */
function scenePiece(scene) {
  const piece = { width: 0, height: 0, markup: "" };
  for (const column of scene.querySelectorAll(".fim-column")) {
    const { width, height, markup } = columnPiece(column, piece.width);
    piece.markup += `<g class="fim-panel">${markup}</g>`;
    piece.width += width + GAP;
    piece.height = Math.max(piece.height, height);
  }
  return piece;
}

/** @param {Element | null} plot @returns {Piece} */
function plotPiece(plot) {
  const [, , width, height] = plot?.getAttribute("viewBox")?.split(" ").map(Number) ?? [];
  if (!plot || !width) return { width: 0, height: 0, markup: "" };
  setAll(plot, { width, height, overflow: "visible", color: colours["fim-ink"] });
  return { width: width + GAP, height, markup: plot.outerHTML };
}

/** The picture of a page, and what it shows in words. @param {string} text */
function pictureOf(text) {
  const { document } = parseHTML(text);
  /** @param {string} selector @returns {string[]} */
  const textsOf = (selector) =>
    [...document.querySelectorAll(selector)].map((element) => (element.textContent ?? "").trim());
  const width = WIDTH - 2 * MARGIN;
  const [name, book] = String(document.title).split(" — ");
  const title = inLines(name, TITLE_SIZE, width, 2, BOLD_LETTER);
  const sentence = [...textsOf(".fim-caption .fim-said"), ...textsOf("article section > p")][0] ?? "";
  const caption = inLines(wholeSentences(sentence, CAPTION_SIZE, width, 2), CAPTION_SIZE, width, 2);
  const heading = [book, ...new Set(textsOf(".fim-claim-name > :first-child"))].filter(Boolean).join(" · ");
  const panels = textsOf(".fim-scene .fim-title").join("; ");
  const alt = [title.join(" "), panels && `Drawn: ${panels}.`, caption.join(" ")].filter(Boolean).join(" ");
  return { alt, svg: withoutVariables(layOut(heading, title, caption, pagePiece(document))) };
}

/**
 * The picture of a figure alone, with its caption, its numbers and its settings below it, and what it shows in words.
 * @param {string} text
 * @param {string} settings
 */
function figureOf(text, settings) {
  const { document } = parseHTML(`<html><body>${text}</body></html>`);
  /** @param {ParentNode} parent @param {string} selector @returns {string[]} */
  const textsOf = (parent, selector) =>
    [...parent.querySelectorAll(selector)].map((element) => (element.textContent ?? "").trim()).filter(Boolean);
  const scene = document.querySelector(".fim-scene");
  const piece = scene?.querySelector("svg") ? scenePiece(scene) : { width: 400, height: 0, markup: "" };
  const width = piece.width - GAP;
  const numbers = [...document.querySelectorAll(".fim-table tr")].flatMap((row) => {
    const measured = textsOf(row, "output").pop();
    return measured ? [`${textsOf(row, "th")[0]}: ${measured}`] : [];
  });
  const notes = [...textsOf(document, ".fim-caption .fim-said"), numbers.join(" · "), settings].filter(Boolean);
  const lines = notes.flatMap((note) => inLines(note, NOTE_SIZE, width));
  const height = piece.height + GAP + lines.length * LINE * NOTE_SIZE;
  const drawn = [...document.querySelectorAll("svg[aria-label]")].map((svg) => svg.getAttribute("aria-label"));
  const markup = `<g transform="translate(${INSET} ${INSET})">${piece.markup}
    ${textMarkup(lines, NOTE_SIZE, 0, piece.height + GAP / 2, 'fill="var(--fim-faint)"')}</g>`;
  return {
    alt: [...drawn, ...notes].join(" ").replace(/(^|\s)\. /g, "$1"), // a chart without a title
    svg: withoutVariables(pictureMarkup(width + 2 * INSET, height + 2 * INSET, markup)),
  };
}

/**
 * The SVG of a picture.
 * @param {string} heading
 * @param {string[]} title
 * @param {string[]} caption
 * @param {Piece} piece
 */
function layOut(heading, title, caption, piece) {
  const top = MARGIN + 20 + title.length * LINE * TITLE_SIZE;
  const bottom = HEIGHT - MARGIN - caption.length * LINE * CAPTION_SIZE;
  const scale = Math.min((WIDTH - 2 * MARGIN) / (piece.width - GAP), (bottom - top - 2 * GAP) / piece.height);
  const place = `translate(${(WIDTH - scale * (piece.width - GAP)) / 2} ${top + GAP}) scale(${scale})`;
  const markup = `<rect width="100%" height="10" fill="var(--fim-accent)"/>
    ${textMarkup([heading], 22, MARGIN, MARGIN - 16, 'fill="var(--fim-faint)"')}
    ${textMarkup(title, TITLE_SIZE, MARGIN, MARGIN + 12, 'font-weight="bold"')}
    ${piece.markup && `<g transform="${place}">${piece.markup}</g>`}
    ${textMarkup(caption, CAPTION_SIZE, MARGIN, bottom)}`;
  return pictureMarkup(WIDTH, HEIGHT, markup);
}

/**
 * @param {number} width
 * @param {number} height
 * @param {string} markup
 */
function pictureMarkup(width, height, markup) {
  return `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="${width}" height="${height}" font-family="DejaVu Sans">
    <style>${rules}</style><rect width="100%" height="100%" fill="#fff"/><g fill="var(--fim-ink)">${markup}</g></svg>`;
}

const descriptions = pages.map(({ text, place, settings }) => {
  const alone = settings !== undefined;
  const { alt, svg } = alone ? figureOf(text, settings) : pictureOf(text);
  mkdirSync(dirname(place), { recursive: true });
  const fitTo = { mode: /** @type {const} */ ("zoom"), value: alone ? ZOOM : 1 };
  writeFileSync(place, rasterise && place.endsWith(".png") ? rasterise(svg, fitTo) : svg);
  return alt;
});
process.stdout.write(JSON.stringify(descriptions));
