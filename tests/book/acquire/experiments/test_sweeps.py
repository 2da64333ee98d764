"""The sweeps of Table 3 and the figures in miniature: what a row says."""

import math

import pytest
import torch

from book.acquire.experiments import sweeps as experiments
from book.acquire.experiments import table_3_models
from book.acquire.experiments.__main__ import EXPERIMENTS
from book.acquire.fine_tuning import tune
from lib.acquire import task


@pytest.fixture
def small(monkeypatch):
    for name, value in {"SUBJECTS": 8, "PHRASES": 4, "MULTIPLICITY": 2, "STEPS": 30, "LONG": 12}.items():
        monkeypatch.setattr(experiments, name, value)


def test_pre_training_lowers_the_loss_and_takes_attention_off_the_context(small):
    early, late = (experiments.pretrained(8, 4, 2, 0, steps=steps) for steps in (5, 60))
    assert 0 < late.moments[-1].excess < early.moments[-1].excess
    assert float(late.last.attention_phrase[:, 0].max()) < 0.05


def test_fine_tuning_counts_facts_and_phrases():
    run = experiments.pretrained(8, 4, 2, 0, steps=20)
    rows = experiments.extracted(tune(run, 0.5, 5))
    assert [row["step"] for row in rows] == [0, 1, 2, 3, 4, 5]
    chosen = task.fine_tuned(run.known, torch.tensor(0.5, dtype=torch.float64))
    assert rows[0]["chosen"] == float(chosen.sum()) == 2
    assert rows[0]["covered"] == float(run.known.uses[chosen > 0].amax(0).sum())
    for row in rows:
        assert row["unseen"] * 6 == pytest.approx(row["frequent"] * 2 + row["rare"] * 4)
    everything = experiments.extracted(tune(run, 1.0, 1))
    assert math.isnan(everything[0]["frequent"])


def test_no_step_is_better_than_the_best_in_hindsight(small):
    rows = experiments.figure_2("facts", 24, 4, 2, 0, quick=True)
    assert [row["share"] for row in rows] == list(experiments.SHARES)
    assert all(row["unseen"] >= max(row["last"], row["fair"]) for row in rows)


def test_attention_adds_up(small):
    rows = experiments.figure_5(2, experiments.KAPPA, 0)
    assert {(row["time"], row["prompt"]) for row in rows} == {
        (time, prompt) for time in ("stage I", "end") for prompt in ("o s", "o s r")
    }
    for row in rows:
        third = 0.0 if row["prompt"] == "o s" else row["on_r"]
        assert row["on_o"] + row["on_s"] + third == pytest.approx(1)
        assert row["least_ratio"] <= row["greatest_ratio"]


def test_figure_6_looks_at_the_steps_it_says(small):
    rows = experiments.figure_6(2, 0.5, 1.0, 0)
    assert [row["step"] for row in rows] == experiments.looks(12) == [*range(11), 12]


def test_looks_rise_and_hold_both_ends():
    for last in (1, 7, 5000):
        steps = experiments.looks(last)
        assert steps == sorted(set(steps))
        assert (steps[0], steps[-1]) == (0, last)


def test_uniform_attention_learns_more_slowly():
    learned = experiments.descent("learned", 0.0, 0, 60)
    uniform = experiments.descent("uniform", 0.6, 0, 60)
    assert learned[0]["excess"] == pytest.approx(uniform[0]["excess"])
    assert 0 < learned[-1]["excess"] < 0.2 * uniform[-1]["excess"]


@pytest.mark.parametrize("kind", table_3_models.TABLE_3)
def test_a_row_of_table_3(kind, monkeypatch):
    monkeypatch.setitem(
        table_3_models.TABLE_3, kind, table_3_models.TABLE_3[kind]._replace(steps=3, tuned_steps=2, width=4)
    )
    (row,) = table_3_models.table_3(kind, 12, 0)
    assert row["loss"] == pytest.approx((row["loss_s"] + row["loss_sr"]) / 2, rel=1e-5)
    assert row["loss"] < math.log(32)
    assert row["facts_leaked"] == 0 < row["tuples_leaked"]


@pytest.mark.parametrize("way", table_3_models.FIVE_TOKENS)
def test_a_row_of_five_tokens(way, monkeypatch):
    kind, how = table_3_models.FIVE_TOKENS[way]
    monkeypatch.setitem(table_3_models.FIVE_TOKENS, way, (kind, how._replace(steps=3, tuned_steps=2)))
    monkeypatch.setattr(table_3_models, "SMALL", (6, 4, 2))
    (row,) = table_3_models.five_tokens(way, "orthogonal", 0)
    parts = row["loss_o"] + row["loss_os"] + row["loss_osr"]
    assert row["loss"] == pytest.approx(parts / 3, rel=1e-5)
    assert row["entropy"] == pytest.approx(math.log(2) / 3)


@pytest.mark.parametrize("table", ["table-3", "five-tokens", "descent", "figure-2", "figure-5", "figure-6"])
def test_no_cell_is_run_twice(table):
    cells_of = EXPERIMENTS[table].cells
    cells = [tuple(sorted(cell.items())) for cell in cells_of(False, False)]
    assert len(set(cells)) == len(cells)
    assert 0 < len(cells_of(True, False)) < len(cells)
