"""The page's loop and kernels in Node against torch, over the sliders' ranges."""

from __future__ import annotations

import random

import pytest

from book.recall.demos import saddle
from lib.recall.claims import DEFAULTS
from lib.recall.dynamics import warm_up
from lib.solve import Run, run
from tests.widgets.program import CLOSE, distance, in_the_page, stages_kept
from widgets.live import Figure, flatten


@pytest.fixture(scope="module")
def figure() -> Figure:
    return saddle.demo().figure


def on_a_separatrix(values: dict[str, float], outcome: Run) -> bool:
    """Whether torch itself is torn apart by a change in the temperature's last digits, as too large steps can be."""
    nearby = flatten(run(warm_up(), **{**values, "temperature": values["temperature"] * (1 + 1e-14)}))
    mine = flatten(outcome)
    return len(nearby) != len(mine) or distance(nearby, mine) > CLOSE / 10


def check(figure: Figure, settings: list[dict[str, float]]) -> int:
    """Compare page and torch at every setting away from separatrices; returns how many those were."""
    compared = 0
    for values, (steps, numbers) in zip(settings, in_the_page(figure, settings), strict=True):
        outcome = run(warm_up(), **values)
        if not on_a_separatrix(values, outcome):
            assert steps == [history.steps for history in outcome.histories], values
            assert distance(numbers, flatten(outcome)) < CLOSE, values
            compared += 1
    return compared


def test_the_default_run_is_torchs(figure):
    assert check(figure, [dict(DEFAULTS)]) == 1


def test_a_grid_of_slider_positions_is_torchs(figure):
    compared = check(
        figure,
        [
            {**DEFAULTS, "temperature": t, "perturbation_radius": r, "rate_1": c, "rate_2": c, "steps": 40}
            for t in (1e-4, 0.01, 0.09, 1.0, 10.0)
            for r in (0.0, 1e-6, 1.0)
            for c in (1.0, 100.0)
        ],
    )
    assert compared >= 20


def test_random_slider_positions_are_torchs(figure):
    chance = random.Random(20)
    compared = check(
        figure,
        [
            {
                "temperature": 10 ** chance.uniform(-4, 1),
                "perturbation_radius": 10 ** chance.uniform(-10, 0),
                "seed": chance.randrange(1000),
                "rate_1": 10 ** chance.uniform(0, 2),
                "rate_2": 10 ** chance.uniform(0, 2),
                "steps": chance.randrange(90),
                "to_limit": chance.randrange(2),
            }
            for _ in range(30)
        ],
    )
    assert compared >= 20


def test_a_long_run_is_thinned_like_torchs(figure):
    assert check(figure, [{**DEFAULTS, "rate_2": 1.0, "steps": 700}]) == 1


def test_a_run_takes_over_the_stages_that_nothing_has_changed_for(figure):
    """Stage 1 depends on the temperature and on its own rate, not on the rate of stage 2."""
    short = {**DEFAULTS, "steps": 20}
    later = {**short, "rate_2": 7.0}
    settings = [short, later, {**later, "rate_1": 9.0}, short, short]
    assert stages_kept(figure, settings) == [0, 1, 0, 0, 2]
    assert check(figure, settings[:3]) == 3
