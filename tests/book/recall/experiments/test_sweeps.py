"""The experiments of section 5 in miniature: what a row says, and that every configuration can be run."""

import inspect
from typing import Any

import pytest

from book.recall.experiments import pretraining
from book.recall.experiments import sweeps as experiments

SMALL: dict[str, Any] = {"subjects": 5, "relations": 12, "examples": 2, "temperature": 0.1, "seeds": 2}
WAYS: list[dict[str, Any]] = [
    dict(zip(("trained", "embedding", "optimizer"), way, strict=True)) for way in experiments.WAYS
]


@pytest.fixture(autouse=True)
def few_prompts(monkeypatch):
    monkeypatch.setattr(experiments, "TESTED", 60)
    monkeypatch.setattr(experiments, "DRAWN", 40)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: "-".join(way.values()))
def test_there_is_a_row_for_each_seed_size_and_look(way):
    rows = experiments.fine_tuned(**SMALL, **way, samples=(2, 40), steps=(0, 5))
    labels = [(row["seed"], row["samples"], row["steps"]) for row in rows]
    assert labels == [(seed, size, steps) for seed in (0, 1) for size in (2, 40) for steps in (0, 5)]
    assert len({tuple(row) for row in rows}) == 1
    for row in rows:
        assert sum(row[f"v{i}"] for i in range(1, 7)) == pytest.approx(1)
        assert sum(row[f"q{i}"] for i in range(1, 8)) == pytest.approx(1)
        assert 0 <= row["confusing"] <= 1


def test_no_accuracy_is_above_the_ceiling_and_training_reaches_it():
    way = WAYS[0]
    rows = experiments.fine_tuned(**SMALL, **way, samples=(40,), steps=(0, 20, 2000))
    for row in rows:
        assert row["untrained"] <= row["saddle"] <= row["ceiling"]
        assert row["accuracy"] <= row["ceiling"] + 1e-12
    assert [row["accuracy"] for row in rows if row["steps"] == 2000] == pytest.approx(
        [row["ceiling"] for row in rows if row["steps"] == 2000]
    )


def test_from_zero_and_without_steps_the_outcome_is_the_untrained_one():
    for way in WAYS:
        for row in experiments.fine_tuned(**SMALL, **way, samples=(3,), noise=0.0, steps=(0,)):
            assert row["accuracy"] == pytest.approx(row["untrained"])
            assert row["probability"] == pytest.approx(row["untrained_p"])
            assert row["v1"] == pytest.approx(1 / 6)


def test_larger_data_sets_contain_the_smaller_ones():
    known = experiments.trial(5, 12, 2, seed=3)
    small, large = experiments.first(known, 4), experiments.first(known, 9)
    assert large.subjects[:4].equal(small.subjects)
    assert large.relation[:4].equal(small.relation)


def test_an_unknown_optimizer_is_named():
    with pytest.raises(ValueError, match="optimizer = 'adamw': must be one of adam, descent"):
        experiments.rule_of("adamw", 0.1)


@pytest.mark.parametrize("grid", [experiments.figure_2, experiments.figure_3])
@pytest.mark.parametrize("size", [{"quick": True, "large": False}, {"quick": False, "large": True}])
def test_every_configuration_can_be_asked(grid, size):
    cells = grid(**size)
    for cell in cells:
        inspect.signature(experiments.fine_tuned).bind(**cell)
    assert len({str(cell) for cell in cells}) == len(cells)


def test_every_configuration_of_figure_4_can_be_asked():
    for quick, large in ((True, False), (False, False), (False, True)):
        cells = pretraining.figure_4(quick, large)
        for cell in cells:
            inspect.signature(pretraining.pretrained).bind(**cell)
        assert len({str(cell) for cell in cells}) == len(cells)
