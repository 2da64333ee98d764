"""Fine-tuning at other sizes and in variants, and what the statements measured on it say."""

from types import SimpleNamespace
from typing import Any

import pytest
import torch

from book.acquire import fine_tuning as harness
from book.acquire.conditions import FILTERED
from book.acquire.fine_tuning import (
    best_accuracy,
    context_attention,
    cross_fitted_accuracy,
    curves,
    trained,
    tuned,
)
from lib.acquire.extraction import answer_kinds
from lib.acquire.tokens import extract

SMALL: dict[str, Any] = {"subjects": 24, "phrases": 4, "multiplicity": 2, "seed": 1}


def filtered(runs):
    """Whether the hypothesis that all statements on fine-tuning share holds of these runs."""
    _, holds = FILTERED
    return holds(SimpleNamespace(context_attention=context_attention(runs)), None)


def test_pre_training_ends_near_the_entropy_with_o_filtered_out():
    curve = tuned(**SMALL, steps=1)
    end = curve.model.moments[-1]
    assert filtered([curve])
    assert 0 < end.excess < 0.1
    assert end.excess < 0.05 * curve.model.moments[0].excess
    assert end.on_context < 1e-3


def test_whether_o_is_filtered_out_is_asked_of_every_seed_and_none_is_dropped(monkeypatch):
    curve = tuned(**SMALL, steps=1)
    model = curve.model
    leaky = model._replace(moments=(model.moments[-1]._replace(on_context=0.1),))
    monkeypatch.setattr(
        harness, "tuned", lambda seed, **_: curve._replace(model=leaky if seed == 1 else model)
    )
    runs = curves(3)
    assert len(runs) == 3
    assert not filtered([runs[1]])
    assert not filtered(runs)
    assert filtered([runs[0], runs[2]])


def test_a_run_is_computed_once_however_it_is_asked_for():
    assert trained(24, 4, 2, 1) is trained(**SMALL, neurons=6)


def test_a_curve_counts_what_the_model_says():
    c = tuned(**SMALL, steps=6)
    now = extract(c.state, c.chosen, c.model.sizes)
    kinds = answer_kinds(now.logits, c.model.known, c.chosen, c.model.sizes.answers)
    unseen = c.chosen == 0
    assert torch.allclose(c.accuracy[-1, 0], kinds[unseen, -1].mean())
    assert torch.allclose(c.accuracy[-1, 3], kinds[~unseen, -1].mean())
    assert torch.allclose(c.kinds[-1], kinds[unseen].mean(0))
    assert torch.allclose(c.kinds[:, -1], c.accuracy[:, 0])
    assert cross_fitted_accuracy([c]) == c.cross_fitted[0] <= best_accuracy([c]) == c.accuracy[:, 0].max()


@pytest.mark.parametrize("variant", harness.VARIANTS)
def test_a_variant_moves_what_its_name_says(variant):
    c = tuned(**SMALL, steps=2, variant=variant)
    model = c.model
    sizes, p = model.sizes, model.sizes.format
    change = c.state.features - model.state.features
    answer = slice(sizes.answers, sizes.answers + sizes.subjects)
    phrase = slice(1 + sizes.subjects, 1 + sizes.subjects + sizes.phrases)
    attention = c.state.scores.subject_format - model.state.scores.subject_format
    assert (change[p, answer].abs().max() == 0) == (variant in ("answers kept", "only subjects"))
    assert (change[p, phrase].abs().max() == 0) == (variant in ("phrases kept", "only subjects"))
    assert (change[:p].abs().max() == 0) == (variant == "only p")
    assert (attention.abs().max() == 0) == (variant == "attention frozen")


def test_rank_1_is_a_step_of_rank_1():
    c = tuned(**SMALL, steps=1, variant="rank 1")
    change = c.state.features - c.model.state.features
    values = torch.linalg.svdvals(change.reshape(len(change), -1))
    assert values[0] > 0.1
    assert values[1] < 1e-9 * values[0]


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="variant = 'half'"):
        tuned(**SMALL, variant="half")
    with pytest.raises(ValueError, match=r"share = 0\.0"):
        tuned(**SMALL, share=0.0)
