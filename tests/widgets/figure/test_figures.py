"""Every figure of the book, in Node against torch: at its start, its cards, each slider's ends, and by chance.

A step that is wrong shows in the first steps, so every stage takes a few from each of these settings; only where a
figure starts it runs to its end. What the page says after whole runs is for ``tests/book/test_agreement.py``.
"""

from __future__ import annotations

import random

import pytest
import torch

from tests.figures import bounds, cards, defaults, drawn, ends, figure_named, key, makers, shortened
from tests.widgets.program import in_the_page
from widgets import Live
from widgets.figure.agreement import CLOSE, distance
from widgets.figure.compiled import flatten

FEW = 8
"""Steps of each stage: enough for whatever a step carries over to come round more than once."""
RANDOM = 4
"""Positions at which each control stands somewhere."""


def positions(demo: Live) -> list[dict[str, float]]:
    """The settings to compare, each once."""
    chance = random.Random(repr(key(demo)))
    places = (defaults(demo), *cards(demo), *ends(demo), *(drawn(demo, chance) for _ in range(RANDOM)))
    configurations = [defaults(demo), *(shortened(demo, place, FEW) for place in places)]
    return [one for i, one in enumerate(configurations) if one not in configurations[:i]]


compared: set[int] = set()


def new(demo: Live, values: dict[str, float]) -> bool:
    """Whether these kernels are compared at these settings for the first time: some figures share a program."""
    sources = [kernel["source"] for kernel in demo.figure.kernels]
    sign = hash(repr((sources, demo.figure.constants, list(values.values()))))
    known = sign in compared
    compared.add(sign)
    return not known


def is_chaotic(demo: Live, values: dict[str, float], mine: torch.Tensor) -> bool:
    """Whether torch itself is torn apart by a change in the parameters' last digits: a run along a separatrix."""
    whole = {p["name"] for p in demo.figure.spec["parameters"] if p["integer"] or "choices" in p}
    nearby = {name: value if name in whole else value * (1 + 1e-14) for name, value in values.items()}
    try:
        theirs = flatten(demo.figure.check(list(nearby.values())))
    except ValueError:  # the slider's end is that of the domain
        nearby = {name: value if name in whole else value * (1 - 1e-14) for name, value in values.items()}
        theirs = flatten(demo.figure.check(list(nearby.values())))
    return len(theirs) != len(mine) or distance(theirs, mine) > CLOSE / 10


@pytest.mark.parametrize("name", makers())
def test_the_page_computes_what_torch_computes(name):
    demo = figure_named(name)
    places = [place for place in positions(demo) if new(demo, place)]
    for values, (steps, numbers) in zip(places, in_the_page(demo.figure, places), strict=True):
        outcome = demo.figure.check(list(values.values()))
        mine = flatten(outcome)
        alike = steps == [history.steps for history in outcome.histories] and distance(numbers, mine) < CLOSE
        assert alike or is_chaotic(demo, values, mine), values


@pytest.mark.parametrize("name", makers())
def test_every_card_names_what_a_control_offers(name):
    demo = figure_named(name)
    entries = {p["name"]: p for p in demo.figure.spec["parameters"]}
    for card in demo.figure.spec["story"]:
        for parameter, value in card["values"].items():
            low, high = bounds(demo.controls[parameter])
            assert low <= value <= high, card["title"]
            assert value in entries[parameter].get("choices", [value]), card["title"]
