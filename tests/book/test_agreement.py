"""Every figure: its chips, lights, table, sentence and caption say the same thing, and so does the command line.

Each is looked at where it starts, at every control's ends, where every sentence to try leads, and at random. Numbers
and words are the page's own, from its JavaScript.
"""

from __future__ import annotations

import functools
import math
import random
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
import torch
from torch.utils._pytree import tree_map

from book.statements import Found, Statement, ledger
from lib.solve import defaults as program_defaults
from lib.solve import run_many
from tests.figures import FEW, defaults, drawn, ends, limits_of, made, makers, tries
from tests.widgets.program import CLOSE, called, in_the_page
from tests.widgets.test_figures import torn
from widgets import Live
from widgets.judged import names

RANDOM = 20
HEAVY, FEWER = 100_000, 6
"""Of a figure whose state has that many numbers only so many random settings: each takes about a second."""
ASKED = 6
"""Of the random settings with few steps, so many are put to the command line as well."""
UNTRAINED = re.compile(r"\b(no|not|nothing|never|without|before|0|untrained)\b", re.IGNORECASE)
"""What a caption says of a run in which nothing was done yet."""


class Claimed(NamedTuple):
    """What the page says of a statement."""

    sheet: dict[str, Any]
    numbers: dict[str, list[float]]
    """By the keys of ``Judge.judge``."""
    key: str
    chips: dict[str, dict[str, str]]
    sentence: str


class Place(NamedTuple):
    """What the page says at some settings."""

    values: dict[str, float]
    report: dict[str, list[float]]
    claims: list[Claimed]
    said: int
    """Which of the caption's texts."""
    text: str
    defects: list[str]


def places(name: str) -> Iterator[dict[str, float]]:
    """The settings to look at; those at random, and the other controls' at an end, take no more steps than at first."""
    demo, chance = made(name), random.Random(name)
    start = defaults(demo)
    most = {limit: min(start[limit], FEW) for limit in limits_of(demo)}
    heavy = sum(leaf.numel() for leaf in _state(demo)) > HEAVY
    yield start
    yield from tries(demo)
    yield from ends(demo)
    for _ in range(FEWER if heavy else RANDOM):
        one = drawn(demo, chance)
        yield {**one, **{limit: min(one[limit], value) for limit, value in most.items()}}


def _state(demo: Live) -> list[torch.Tensor]:
    program = demo.figure.program
    chosen = program.parameters(*(torch.tensor(v, dtype=torch.float64) for v in defaults(demo).values()))
    leaves: list[torch.Tensor] = torch.utils._pytree.tree_leaves(program.start(chosen))
    return leaves


@functools.cache
def seen(name: str) -> list[Place]:
    """What the page says at each of the settings."""
    demo = made(name)
    found = list(places(name))
    settings = [one for i, one in enumerate(found) if one not in found[:i]]
    reports = [report_of(demo, numbers) for _, numbers in in_the_page(demo.figure, settings)]
    caption = demo.figure.spec["caption"]
    spoken = called("captions", "spoken", *((caption, report) for report in reports))
    applies = called("captions", "applies", *((s["when"], report) for report in reports for s in caption))
    return [
        Place(
            values,
            report,
            claims,
            applies[i * len(caption) : (i + 1) * len(caption)].index(True),
            spoken[i]["text"],
            spoken[i]["defects"],
        )
        for i, (values, report, claims) in enumerate(
            zip(settings, reports, _claimed(demo, reports), strict=True)
        )
    ]


def report_of(demo: Live, numbers: torch.Tensor) -> dict[str, list[float]]:
    """The fields of the report, which are the last of a run's numbers."""
    (kernel,) = (kernel for kernel in demo.figure.kernels if kernel["name"] == "report")
    sizes = [math.prod(shape) for shape in kernel["outputs"]]
    pieces = numbers[len(numbers) - sum(sizes) :].split(sizes)
    return {field: piece.tolist() for field, piece in zip(demo.figure.spec["report"], pieces, strict=True)}


def _claimed(demo: Live, reports: list[dict[str, list[float]]]) -> list[list[Claimed]]:
    """What the page says of each statement, run by run: the numbers go through its own functions."""
    sheets = demo.figure.spec["statements"]
    verdicts = [
        (sheet, {key: report[field] for key, field in names(place).items()})
        for report in reports
        for place, sheet in enumerate(sheets)
    ]
    keys = called("judged", "outcome", *((numbers,) for _, numbers in verdicts))
    chips = called("judged", "chips", *((numbers, sheet["exists"]) for sheet, numbers in verdicts))
    deciders = called("judged", "deciders", *((numbers,) for _, numbers in verdicts))
    sentences = called(
        "judged",
        "worded",
        *(
            (sheet["sentences"][key], words_of(sheet, decided))
            for (sheet, _), key, decided in zip(verdicts, keys, deciders, strict=True)
        ),
    )
    claims = [
        Claimed(*verdict, key, chip, sentence)
        for verdict, key, chip, sentence in zip(verdicts, keys, chips, sentences, strict=True)
    ]
    return [claims[i * len(sheets) : (i + 1) * len(sheets)] for i in range(len(reports))]


def words_of(sheet: dict[str, Any], decided: dict[str, int]) -> dict[str, str]:
    """The words of what decided, as widgets/src/claim.js puts them into the sentence."""
    items = {
        "hypothesis": sheet["assumes"],
        "bound": [b["name"] for b in sheet["bounds"]],
        "condition": sheet["settled"],
    }
    return {item: words[decided[item]] for item, words in items.items() if decided[item] >= 0}
