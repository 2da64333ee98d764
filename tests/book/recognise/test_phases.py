"""Theorems 3.1 and 3.2 on one run: what a choice of C shows, and what it cannot."""

from __future__ import annotations

import math

import pytest
import torch

from book.recognise.phases import proofs
from book.recognise.phases.statements import theorem_3_1, theorem_3_2, two_ends
from book.recognise.scene import with_scene
from book.recognise.two_phases import (
    alignment,
    all_hold,
    correctness,
    directions,
    levels,
    phase_1,
    phase_2,
    remaining_loss,
    stillness,
    two_phases,
)
from lib.program import run


def failing(result):
    return [bound.name for bound in result.bounds if not bool(bound.holds)]


def test_the_moments_of_phase_1_without_end():
    report = run(two_phases(), width=1e30, random=0, samples=6e6, end=2.0).report
    assert float(report.half) == pytest.approx(3.59, abs=0.01)
    assert float(report.correct) == pytest.approx(13.0, abs=0.02)


def test_both_theorems_hold_where_the_figure_starts():
    assert theorem_3_1().key == "holds"
    assert theorem_3_2(constant=30.0).key == "holds"


@pytest.mark.parametrize("constant", [200.0, 1000.0])
def test_a_late_t_1_is_not_the_one_that_theorem_3_1_promises(constant):
    result = theorem_3_1(constant=constant)
    assert float(result.report.margin) > 0  # all samples are right
    assert "item 4, loss at T₁" in failing(result)
    assert "item 3, ‖W_Vμ‖² until T₁, relative change" in failing(result)
    assert "not with this choice: " in result.sentence
    assert theorem_3_2(constant=constant).key == "holds"


def test_an_early_t_1_leaves_samples_wrong():
    result = theorem_3_1(constant=10.0)
    assert failing(result) == ["item 2, least margin y F at T₁"]
    assert "not with this choice: " in result.sentence


def test_frozen_attention_is_outside_theorem_3_2():
    result = theorem_3_2(learned=0)
    assert result.key == "outside"
    assert result.lights["W_K and W_Q are trained, too"] == 0
    assert failing(result) == ["item 1, scores move as stated from τ"]


def test_another_output_layer_is_not_the_papers_model():
    result = theorem_3_1(layer=0.06)
    assert result.key == "outside"
    assert [words for words, value in result.lights.items() if not value] == ["the output layer is a = ±1"]


@pytest.mark.parametrize(
    "changes", [{}, {"constant": 200.0}, {"samples": 30, "length": 10}, {"sigma_1": 10.0}]
)
def test_what_captions_ask_for_is_what_the_bounds_say(changes):
    outcome = run(two_phases(), **changes)
    r, p = outcome.report, outcome.parameters
    first, second = ([bool(bound.holds) for bound in bounds] for bounds in (phase_1(r), phase_2(r, p)))
    parts = (alignment(r), correctness(r), stillness(r), remaining_loss(r), directions(r, p), levels(r, p))
    assert [bool(all_hold(part)) for part in parts] == [
        first[0],
        first[1],
        all(first[2:6]),
        first[6],
        all(second[:2]),
        all(second[2:]),
    ]


def test_the_least_of_phase_2_is_no_more_than_at_its_ends():
    r = run(two_phases(), samples=30, length=10).report
    g = r.signals
    assert float(r.least_output) <= float(min(g[0], g[1], -g[2]))
    assert float(r.least_sum) <= float(min(g.sum(), -g[0] - g[2], -g[1] - g[2]))
    assert math.isnan(float(r.signs))


def test_the_two_ends_differ():
    assert two_ends().key == "holds"
    assert two_ends(constant=10.0).key == "outside"


def test_the_erratum_of_theorem_3_2():
    assert proofs.sign_by_sympy()
    numbers = proofs.sign_in_numbers()
    assert numbers["measured: −G(μ₃) at T₁"] > 1


def test_on_the_way_either_word_alone_gets_a_yes():
    rows = run(with_scene(two_phases())).histories[0].rows
    both, bob, banana, _ = rows.margins[rows.one_is_enough.flatten() > 0][0].tolist()
    assert both > 0
    assert max(bob, banana) < 0
    assert min(rows.margins[-1].tolist()) > 0


def test_where_bob_looks_stands_still_in_phase_1_and_turns_one_way_in_phase_2():
    first, second = (history.rows.turned for history in run(with_scene(two_phases())).histories)
    assert first[0].tolist() == [0, 0]
    assert float(first.abs().max()) < float(second.abs().max()) / 10
    assert bool((second.diff(dim=0) * torch.tensor([1.0, -1.0]) > -1e-12).all())
    frozen = run(with_scene(two_phases()), learned=0).histories[1].rows.turned
    assert float(frozen.abs().max()) == 0


def test_tracks_are_hollow_where_the_cards_say_so():
    short = run(with_scene(two_phases()), constant=10.0).histories[0].rows
    assert (short.margins[-1] > 0).tolist() == [True, False, True, True]
    early = run(with_scene(two_phases()), width=1e30, random=0, constant=12.0).histories[0].rows
    assert min(early.margins[-1].tolist()) > 0
    assert float(early.output[-1, :3:2].sum()) > 0, "the is still weaker than Bob"
    few = run(with_scene(two_phases()), samples=30, length=10, width=512).histories[1].rows
    assert float(few.output[-1, 1:3].sum()) > 0, "the is weaker than banana"
    assert min(few.margins[-1].tolist()) > 0, "and other words do its work"
