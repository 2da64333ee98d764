"""The temperature demo's page code in Node against torch, over the sliders' ranges."""

from __future__ import annotations

import random

import pytest

from book.recall.demos import temperature as demo
from lib.recall.dynamics.temperature import COLDEST, DEFAULTS, HOTTEST, cooling
from lib.solve import run
from tests.widgets.test_program import CLOSE, distance, in_the_page
from widgets.live import Figure, flatten


@pytest.fixture(scope="module")
def figure() -> Figure:
    return demo.demo().figure


def check(figure: Figure, settings: list[dict[str, float]]) -> int:
    """Compare page and torch wherever torch itself does not depend on the last digits; returns how often."""
    compared = 0
    for values, (steps, numbers) in zip(settings, in_the_page(figure, settings), strict=True):
        outcome = run(cooling(), **values)
        mine = flatten(outcome)
        nearby = {**values, "temperature": min(values["temperature"] * (1 + 1e-14), HOTTEST)}
        other = flatten(run(cooling(), **nearby))
        if len(other) == len(mine) and distance(other, mine) < CLOSE / 10:
            assert steps == [history.steps for history in outcome.histories], values
            assert distance(numbers, mine) < CLOSE, values
            compared += 1
    return compared


def test_the_default_run_and_every_try_are_torchs(figure):
    settings = [dict(DEFAULTS)] + [{**DEFAULTS, **item.values, "steps": 200} for item in demo.TRIES]
    assert check(figure, settings) >= 5


def test_random_slider_positions_are_torchs(figure):
    chance = random.Random(5)
    settings = [
        {
            "temperature": chance.uniform(COLDEST, HOTTEST),
            "perturbation_radius": chance.choice([0.0, 1e-10, 1e-6, 1e-3, 0.1, 1.0]),
            "seed": chance.randrange(100),
            "rate_2": 10 ** chance.uniform(0, 2.3),
            "steps": chance.randrange(80),
        }
        for _ in range(16)
    ]
    assert check(figure, settings) >= 10
