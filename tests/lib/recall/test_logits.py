"""Six relations under any attention: Table 2, its gradients, who wins, the page's report."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from lib import claims
from lib.recall.claims import logits as logit_claims
from lib.recall.dynamics import affine_reduced, relation_logits, relation_loss
from lib.recall.dynamics.logits import DEFAULTS, Attention, conditions, free_relation_loss, squares, stand

CORNERS = torch.eye(3, dtype=torch.float64)
MATCHES = affine_reduced(3).matches[:6]


def number(value: float) -> Tensor:
    return torch.tensor(value, dtype=torch.float64)


def at(**changed: float) -> Attention:
    return Attention(**{name: number(value) for name, value in {**DEFAULTS, **changed}.items()})


def test_the_squares_are_the_reductions_logits_up_to_a_constant():
    for v in logit_claims.some_attention(20):
        mine, theirs = squares(v).sum(-1), relation_logits(v, MATCHES)
        torch.testing.assert_close(mine - mine[0], theirs - theirs[0], rtol=0, atol=1e-15)


def test_the_loss_is_the_reductions():
    for v in logit_claims.some_attention(20):
        for t in (0.02, 0.1, 1.0):
            mine = free_relation_loss(v, number(t))
            torch.testing.assert_close(
                mine, relation_loss(v.log(), affine_reduced(3), t), rtol=1e-12, atol=1e-12
            )


def test_the_conditions_decide_who_wins():
    v = logit_claims.some_attention(5000, seed=1)
    logits = squares(v).sum(-1)
    alone = logits[:, 0] > logits[:, 1:].amax(1) + 1e-12
    assert torch.equal(torch.stack(conditions(v)).all(0), alone)
    assert 0 < int(alone.sum()) < 5000


def test_attention_is_split_as_the_sliders_say():
    v = at(total=0.8, share=0.75, lean_1=0.5, lean_2=0.25, query_share=0.1).split()
    torch.testing.assert_close(v, torch.tensor([0.3, 0.3, 0.05, 0.15, 0.02, 0.18], dtype=torch.float64))
    corners = at().split(CORNERS)
    torch.testing.assert_close(corners.sum(1), torch.ones(3, dtype=torch.float64))
    assert corners[0, 2:].abs().max() == 0


@pytest.mark.parametrize(
    ("changed", "winner"),
    [
        ({}, 0),
        ({"share": 0.5}, 1),
        ({"lean_1": 0.7, "lean_2": 0.2}, 2),
        ({"share": 1.0}, 1),
        ({"total": 0.5, "query_share": 1.0}, 3),
        ({"total": 0.0}, 1),
    ],
)
def test_the_story_is_what_the_logits_say(changed, winner):
    report = stand(at(**changed), CORNERS)
    assert int(report.winner) == winner
    assert int(report.verdict) == (0 if winner == 0 else 2)


def test_the_report_is_finite_and_the_verdict_never_contradicts():
    for changed in (
        {name: end} for name in DEFAULTS for end in ((1e-3, 10.0) if name == "temperature" else (0.0, 1.0))
    ):
        report = stand(at(**changed), CORNERS)
        assert int(report.verdict) != 1
        finite = report._replace(optimum=number(0), mirrored=number(0))  # NaN where no optimum lies inside
        assert all(bool(value.isfinite().all()) for value in finite), changed
        torch.testing.assert_close(report.pushes, report.pushes_measured, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", ["table-2", "equations-4-10", "equation-18", "who-wins"])
def test_every_formula_listed_as_right_passes(name):
    claim = claims.registry()[f"recall.{name}"]
    assert claim.checked
    assert all(item.passes() for item in claim.checked)


def test_a_wrong_formula_would_be_seen(monkeypatch):
    printed = logit_claims.printed_gradient
    monkeypatch.setattr(logit_claims, "printed_gradient", lambda v, p: [2 * g for g in printed(v, p)])
    assert not logit_claims.by_sympy(0)()
