"""Six relations under any attention: squares and conditions against the reduction, the figure's numbers and chips."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from book.recall.common import some_attention
from book.recall.logits import proofs, statements
from book.recall.logits.disagreements import disagreements
from book.recall.logits.figure import is_confused, is_tied
from book.recall.logits.program import DOMAINS, competition, split, weights
from book.recall.logits.statements import who_wins
from lib.program import run
from lib.recall.logits import conditions, free_relation_loss, squares
from lib.recall.reduction import affine_reduced, relation_logits, relation_loss
from widgets.figure.panels import simplex_grid

MATCHES = affine_reduced(3).matches[:6]
ENDS = [{domain.name: end} for domain in DOMAINS for end in domain.track[:2]]


def number(value: float) -> Tensor:
    return torch.tensor(value, dtype=torch.float64)


def test_the_squares_are_the_reductions_logits_up_to_a_constant():
    for v in some_attention(20):
        mine, theirs = squares(v).sum(-1), relation_logits(v, MATCHES)
        torch.testing.assert_close(mine - mine[0], theirs - theirs[0], rtol=0, atol=1e-15)


def test_the_loss_is_the_reductions():
    for v in some_attention(20):
        for t in (0.02, 0.1, 1.0):
            mine = free_relation_loss(v, number(t))
            torch.testing.assert_close(
                mine, relation_loss(v.log(), affine_reduced(3), t), rtol=1e-12, atol=1e-12
            )


def test_the_conditions_decide_who_wins():
    v = some_attention(5000, seed=1)
    logits = squares(v).sum(-1)
    alone = logits[:, 0] > logits[:, 1:].amax(1) + 1e-12
    assert torch.equal(torch.stack(conditions(v)).all(0), alone)
    assert 0 < int(alone.sum()) < 5000


@pytest.mark.parametrize("name", ["table_2", "equations_4_10", "equation_18", "who_wins"])
def test_every_formula_listed_as_right_passes(name):
    statement = getattr(statements, name)
    assert statement.checked
    assert all(item.passes() for item in statement.checked)


def test_a_wrong_formula_would_be_seen(monkeypatch):
    printed = proofs.printed_gradient
    monkeypatch.setattr(proofs, "printed_gradient", lambda v, p: [2 * g for g in printed(v, p)])
    assert not proofs.derivative_by_sympy(0)()


def test_where_rivals_are_missing_the_conditions_suffice_but_are_not_needed():
    full, thin = disagreements(7, 42), disagreements(7, 12)
    assert full.all_rivals
    assert full.leads_beyond == full.fails == thin.fails == 0
    assert not thin.all_rivals
    assert thin.leads_beyond > 0


def test_attention_is_split_as_the_sliders_say():
    parts = number(0.5), number(0.25), number(0.1)
    v = weights(split(number(0.8), number(0.75)), *parts)
    torch.testing.assert_close(v, torch.tensor([0.3, 0.3, 0.05, 0.15, 0.02, 0.18], dtype=torch.float64))
    corners = weights(torch.eye(3, dtype=torch.float64), *parts)
    torch.testing.assert_close(corners.sum(1), torch.ones(3, dtype=torch.float64))
    assert corners[0, 2:].abs().max() == 0


def test_the_loss_is_shaded_over_the_triangle_that_the_page_draws():
    report = run(competition()).report
    parts = number(0.5), number(0.5), number(0.5)
    wanted = free_relation_loss(weights(simplex_grid(24), *parts), number(0.05))
    torch.testing.assert_close(report.grid_loss, wanted)


@pytest.mark.parametrize(
    ("changed", "story"),
    [
        ({}, "alone"),
        ({"share": 0.5}, "tied"),
        ({"lean_1": 0.7, "lean_2": 0.2}, "confused"),
        ({"share": 1.0}, "tied"),
        ({"total": 0.5, "query_share": 1.0}, "mismatched"),
        ({"total": 0.0}, "tied"),
    ],
)
def test_the_story_is_what_the_logits_say(changed, story):
    result = who_wins.at(changed)
    report, p = result.report, result.parameters
    beaten_by = "tied" if is_tied(report, p) else "confused" if is_confused(report, p) else "mismatched"
    assert ("alone" if result.concluded else beaten_by) == story
    assert result.key == ("holds" if story == "alone" else "outside")


def test_the_report_is_finite_and_the_conditions_are_never_contradicted():
    for changed in ENDS:
        result = who_wins.at(changed)
        report = result.report
        assert result.key in ("holds", "outside"), changed
        finite = report._replace(optimum=number(0), mirrored=number(0))  # NaN where no optimum lies inside
        assert all(bool(value.isfinite().all()) for value in finite), changed
        torch.testing.assert_close(report.pushes, report.pushes_measured, rtol=0, atol=1e-12)
