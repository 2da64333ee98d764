"""``python -m book guides``: a guide on paper for each lesson of *In class*.

It has the lesson's aims and minutes, the lecturer's notes of its page, three questions with drawn answers, of which one
is the run that the page makes while the guide is printed, what students think who draw the others, and the answers to
the challenges.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from book.publish.browser import folder, opened_book, wanted_pages

LESSONS = Path(__file__).with_name("lessons.toml")
LETTERS = "ABC"
VIEWPORT = {"width": 1280, "height": 900}
MARGIN = dict.fromkeys(("top", "bottom", "left", "right"), "18mm")
BOX = (240, 150)
"""Units of a drawing, which is 8 cm wide: three to a millimetre."""
MINUTES = """(heading) => {
  const title = [...document.querySelectorAll('h3')].find((h3) => h3.textContent.startsWith(heading));
  const lesson = title.parentElement.cloneNode(true);
  for (const extra of lesson.querySelectorAll('h3, .headerlink')) extra.remove();
  return lesson.innerHTML;
}"""
NOTES = "() => [...document.querySelectorAll('.admonition.lecturer li')].map((note) => note.innerHTML)"
QUESTION = """async (card) => {
  const root = document.querySelector('.fim');
  const done = new Promise((resolve) => root.addEventListener('fim:done', resolve, { once: true }));
  if (card) root.live.story.goTo(card - 1); else root.live.set(root.live.defaults());
  await done;
  await factsRuntime.loadClassroom();
  const story = root.live.spec.story[card - 1];
  const ran = card ? root.live.story.shown.children[1].textContent
    : root.live.readout.caption.lastChild.textContent;
  return { ...(await factsClassroom.drawnAnswers(card)), ran, at: story?.title ?? '' };
}"""
STYLE = """
  :is(.bd-header, .bd-sidebar-primary, .bd-sidebar-secondary, .prev-next-footer, footer, #jb-print-docs-body)
    { display: none !important; }
  :is(.bd-article-container, .bd-content, .bd-main, article)
    { max-width: none !important; margin: 0 !important; padding: 0 !important; }
  .guide .title { font-size: 20pt; font-weight: 600; margin: 0; }
  .guide h2 { font-size: 13pt; margin: 5mm 0 2mm; break-after: avoid; }
  .guide { font-size: 10.5pt; line-height: 1.35; } .guide li { margin-bottom: 1mm; }
  .options { display: flex; flex-wrap: wrap; gap: 3mm 4mm; break-inside: avoid; }
  .options figure { margin: 0; width: 80mm; } .options svg { width: 80mm; border: 1px solid var(--pst-color-border); }
  .question { break-inside: avoid; } .says { color: var(--pst-color-text-muted); }
"""


class Lesson(NamedTuple):
    """A lesson, as ``lessons.toml`` has it."""

    name: str
    heading: str
    page: str
    cards: list[int]
    """Cards of the page, whose settings the three questions have; 0 for the page as it opens."""
    aims: list[str]
    answers: list[dict[str, str]]
    """To the challenges: what to say, and the address at which the goal is met."""


def lessons() -> list[Lesson]:
    """All lessons, in the order of *In class*."""
    return [Lesson(**lesson) for lesson in tomllib.loads(LESSONS.read_text("utf-8"))["lessons"]]


def main(names: list[str]) -> int:
    """Write the guides of these lessons to ``_build/guides``, of all if none is named.

    Raises:
        BadInput: the book is not built, or a name is no lesson's.
    """
    known = {lesson.name: lesson for lesson in lessons()}
    wanted = wanted_pages(names, list(known))
    with opened_book("a guide", viewport=VIEWPORT, reduced_motion="reduce") as (page, home):
        for lesson in (known[name] for name in wanted):
            path = folder("guides") / f"{lesson.name}.pdf"
            write(page, home, lesson, path)
            print(path, flush=True)
    return 0


def write(page: Any, home: str, lesson: Lesson, path: Path) -> None:
    """Print a lesson's guide."""
    page.goto(f"{home}/book/{lesson.page}.html")
    page.locator(".fim[data-state=done]").first.wait_for()
    notes = page.evaluate(NOTES)
    questions = [page.evaluate(QUESTION, card) for card in lesson.cards]
    page.goto(f"{home}/book/teaching.html")
    text = guide(lesson, page.evaluate(MINUTES, lesson.heading), notes, questions)
    page.add_style_tag(content=STYLE)
    page.evaluate("(text) => { document.querySelector('article').innerHTML = text; }", text)
    page.pdf(path=str(path), format="A4", margin=MARGIN, print_background=True)


def guide(lesson: Lesson, minutes: str, notes: Sequence[str], questions: Sequence[dict[str, Any]]) -> str:
    """A guide as HTML.

    Args:
        minutes: the lesson's part of *In class*, as HTML.
        notes: the lecturer's on its page, as HTML.
        questions: what the page asks, with three ``curves``, what it ``says`` of who draws the wrong ones, which of
            them is ``right``, their ``domain``, and how the page tells what the run ``ran`` into.
    """
    answers = "".join(
        f"<li>{escape(answer['says'])}<br><small>{escape(answer['address'])}</small></li>"
        for answer in lesson.answers
    )
    return (
        f'<div class="guide"><p class="title">{escape(lesson.heading)}</p><p>A guide for the lecturer.</p>'
        f"<h2>Afterwards, students can</h2><ul>{''.join(f'<li>{escape(aim)}</li>' for aim in lesson.aims)}</ul>"
        f"<h2>Fifty minutes</h2>{minutes}"
        "<h2>What to say, slide by slide, and what students think</h2>"
        f"<ul>{''.join(f'<li>{note}</li>' for note in notes)}</ul>"
        f"<h2>Three questions with drawn answers</h2>{''.join(map(_question, range(1, 1 + len(questions)), questions))}"
        f"<h2>Answers to the challenges</h2><ul>{answers}</ul></div>"
    )


def _question(place: int, question: dict[str, Any]) -> str:
    options = "".join(
        f"<figure>{drawing(curve, question['domain'])}<figcaption>{letter}</figcaption></figure>"
        for letter, curve in zip(LETTERS, question["curves"], strict=True)
    )
    right = LETTERS[question["right"]]
    wrong = "".join(
        f"<br><b>{letter}.</b> {escape(says)}"
        for letter, says in zip(LETTERS, question["says"], strict=True)
        if says
    )
    return (
        f'<div class="question"><p><b>{place}.</b> {escape(question["at"])} {escape(capitalised(question["asks"]))}</p>'
        f'<div class="options">{options}</div>'
        f'<p class="says"><b>{right} is the run.</b> {escape(question["ran"])}{wrong}</p></div>'
    )


def capitalised(text: str) -> str:
    """The text as a sentence begins."""
    return text[0].upper() + text[1:]


def drawing(curve: Sequence[float], domain: Sequence[float]) -> str:
    """A curve from the run's start to its end, as SVG, with the ends of its axis."""
    (low, high), (width, height) = domain, BOX
    points = " ".join(
        f"{20 + (width - 24) * i / (len(curve) - 1):.1f},{height - 4 - (height - 8) * (y - low) / (high - low):.1f}"
        for i, y in enumerate(curve)
    )
    return (
        f'<svg viewBox="0 0 {width} {height}">'
        f'<polyline points="{points}" fill="none" stroke="currentColor" stroke-width="2"/>'
        f'<text x="2" y="12" font-size="10">{high:g}</text>'
        f'<text x="2" y="{height - 3}" font-size="10">{low:g}</text></svg>'
    )
