"""The boxes in which pages state the statements: directives of sphinx-proof, with options of our own.

::

    ```{prf:lemma} Lemma 6: after the perturbation the loss falls below log 2
    ---
    label: recall.lemma-6
    nonumber:
    uses: recall.algorithm-1, recall.lemma-5
    numbers: Lemma 6, Equation 11
    finding: >-
      The loss ends at {loss L₁ at the end:.3f}, below log 2.
    ---
    Take three subjects …
    ```
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from docutils.parsers.rst import Directive, directives
from markdown_it import MarkdownIt
from myst_parser.parsers.directives import parse_directive_text

ROOT = Path(__file__).parents[2]


class Box(NamedTuple):
    """A statement's box on its page."""

    name: str
    """"Lemma 6"."""
    title: str
    text: str
    """MyST."""
    finding: str = ""
    """What was found, in a sentence; it quotes numbers as :mod:`book.ledger.template` says."""
    uses: tuple[str, ...] = ()
    """The ids of the statements that its proof rests on, as the paper has it."""
    numbers: tuple[str, ...] = ()
    """The paper's numbers that it covers, if they are more than its name."""


def listed(text: str | None) -> tuple[str, ...]:
    """The parts of a list with commas."""
    return tuple(part.strip() for part in (text or "").split(",") if part.strip())


OPTIONS = {"finding": directives.unchanged_required, "uses": listed, "numbers": listed}
"""The options of a box beyond those of sphinx-proof, which a page does not print, and how each is read."""


class BoxDirective(Directive):
    """A box as far as its head and options go: sphinx-proof's own directive needs a build of the book."""

    has_content = True
    optional_arguments = 1
    final_argument_whitespace = True
    option_spec = {  # noqa: RUF012 - docutils' own way
        "label": directives.unchanged_required,
        "class": directives.class_option,
        "nonumber": directives.flag,
        **OPTIONS,
    }


@cache
def boxes_of(page: str) -> dict[str, Box]:
    """The boxes of a page by their labels.

    Raises:
        ValueError: the options of a box cannot be read.
    """
    cells = json.loads((ROOT / f"{page}.ipynb").read_text())["cells"]
    texts = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]
    return dict(box for text in texts if "{prf:" in text for box in _labelled_boxes(text, page))


def _labelled_boxes(text: str, page: str) -> Iterator[tuple[str, Box]]:
    """Label and box of each labelled directive of sphinx-proof in a cell; the head of a box is "name: title"."""
    for token in MarkdownIt("commonmark").parse(text):
        if token.type != "fence" or not token.info.startswith("{prf:"):
            continue
        _, _, head = token.info.partition("}")
        parsed = parse_directive_text(BoxDirective, head.strip(), token.content)
        if parsed.warnings:
            raise ValueError(f"{page}.ipynb, box {head.strip()!r}: {parsed.warnings[0].msg}")
        options: dict[str, Any] = parsed.options
        name, _, title = head.strip().partition(": ")
        ours = {option: options[option] for option in OPTIONS if option in options}
        if "label" in options:
            yield options["label"], Box(name, title, "\n".join(parsed.body).strip(), **ours)
