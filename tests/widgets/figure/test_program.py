"""The page's loop and kernels in Node against torch, over the sliders' ranges."""

from __future__ import annotations

import random
from typing import Any, NamedTuple

import pytest
import torch
from torch import Tensor

from lib.domain import Domain
from lib.program import Program, Stage, record
from tests.widgets.program import in_the_page, stages_kept
from widgets import live
from widgets.figure.agreement import CLOSE, distance
from widgets.figure.compiled import flatten
from widgets.figure.live import Figure

RATE = Domain("rate_1", 0, 1, default=0.3, scale="log", track=(1e-4, 0.9))
DOMAINS = (
    Domain("start", -1, 1, default=0.1, track=(-1, 1)),
    RATE,
    RATE._replace(name="rate_2"),
    Domain("steps", 0, 2000, integer=True, default=90, scale="whole", track=(0, 1000)),
)
START = {domain.name: float(domain.default or 0) for domain in DOMAINS}


class Place(NamedTuple):
    """Where two points stand, and where they began."""

    x: Tensor
    begun: Tensor


def double_well() -> Program:
    """x ← x − η(x³ − x) at two points, at one rate and then at another, until both are at a minimum."""

    def step(rate: str) -> Any:
        def descend(s: Place, p: Any) -> tuple[Place, Tensor]:
            slope = s.x**3 - s.x
            return s._replace(x=s.x - getattr(p, rate) * slope), (slope.abs() < 1e-12).all()

        return descend

    def start(p: Any) -> Place:
        begun = torch.stack([p.start, 2 * p.start - 1])
        return Place(begun, begun)

    stages = tuple(
        Stage(name, lambda s, p: Place(s.x / 2, s.x), step(rate), "steps")
        for name, rate in (("first", "rate_1"), ("second", "rate_2"))
    )
    parameters = record("Parameters", START)

    def report(ends: tuple[Place, ...], p: Any) -> Place:
        return Place(ends[0].x + ends[1].x, ends[0].begun + ends[1].begun)

    return Program(parameters, DOMAINS, start, stages, lambda s, p: s, report)


@pytest.fixture(scope="module")
def figure() -> Figure:
    return live(double_well(), panels=()).figure


def check(figure: Figure, settings: list[dict[str, float]]) -> None:
    """Compare page and torch at every setting."""
    for values, (steps, numbers) in zip(settings, in_the_page(figure, settings), strict=True):
        outcome = figure.check(list(values.values()))
        assert steps == [history.steps for history in outcome.histories], values
        assert distance(numbers, flatten(outcome)) < CLOSE, values


def test_the_default_run_is_torchs(figure):
    check(figure, [START])


def test_a_grid_of_slider_positions_is_torchs(figure):
    check(
        figure,
        [
            {**START, "start": x, "rate_1": c, "rate_2": d, "steps": 40}
            for x in (-1.0, 0.0, 1e-9, 1.0)
            for c in (0.0, 1e-4, 0.9)
            for d in (0.1, 1.0)
        ],
    )


def test_random_slider_positions_are_torchs(figure):
    chance = random.Random(20)
    check(
        figure,
        [
            {
                "start": chance.uniform(-1, 1),
                "rate_1": 10 ** chance.uniform(-4, 0),
                "rate_2": 10 ** chance.uniform(-4, 0),
                "steps": chance.randrange(90),
            }
            for _ in range(30)
        ],
    )


def test_a_long_run_is_thinned_like_torchs(figure):
    check(figure, [{**START, "rate_2": 1e-3, "steps": 700}])


def test_a_run_takes_over_the_stages_that_nothing_has_changed_for(figure):
    """The first stage depends on where it starts and on its own rate, not on the rate of the second."""
    short = {**START, "steps": 20}
    later = {**short, "rate_2": 0.7}
    settings = [short, later, {**later, "rate_1": 0.9}, short, short]
    assert stages_kept(figure, settings) == [0, 1, 0, 0, 2]
    check(figure, settings[:3])
