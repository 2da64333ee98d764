"""Lemma 8 measured: whether the two tokens of a pair come to have equal attention."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch

from lib.recall.logits import squares


class Balance(NamedTuple):
    """How ψ, the largest ratio of attention within a pair, changes along the gradient flow."""

    share: float  # of draws where ψ falls
    pace: float  # largest rate of log ψ
    draws: float  # number of draws


def evening_out(
    query: float, certain: int, temperature: float, draws: int = 20_000, seed: int = 0
) -> Balance:
    """How often ψ falls along the gradient flow at random attention that meets the hypotheses, or not.

    ψ is the largest of v₁/v₂, v₂/v₁, v₃/v₄, v₄/v₃, and d log(v₁/v₂)/dt = ∂L₁/∂θ₂ − ∂L₁/∂θ₁, by the errata's
    formula, twice what is printed: no large terms cancel in it.

    Args:
        query: v₅ as a share of attention.
        certain: 1 to keep draws with l(r₁) > Σ p₁(r)l(r), 0 to keep the others.
        temperature: T.
    """
    scores = torch.randn(draws, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))
    v = torch.nn.functional.pad((1 - query) * torch.softmax(0.7 * scores, 1), (0, 2))
    v[:, 4] = query
    logits = squares(v).sum(-1)
    p = torch.softmax(logits / temperature, 1)
    sure_by = (p * (logits[:, :1] - logits)).sum(1)  # l(r₁) less the mean
    chosen = (sure_by > 0) == bool(certain)
    v, p, sure_by = v[chosen], p[chosen], sure_by[chosen]
    rates = -2 / temperature * torch.stack(printed_differences(v.unbind(1), p.unbind(1), sure_by), 1)
    logs = torch.stack([(v[:, 0] / v[:, 1]).log(), (v[:, 2] / v[:, 3]).log()], 1)
    rates, logs = torch.cat([rates, -rates], 1), torch.cat([logs, -logs], 1)
    pace = rates.gather(1, logs.argmax(1, keepdim=True))[:, 0]
    return Balance(
        share=float((pace < 0).to(torch.float64).mean()),
        pace=float(pace.max()),
        draws=float(len(v)),
    )


def printed_differences(v: Any, p: Any, gap: Any) -> tuple[Any, Any]:
    """The two brackets in the proof of Lemma 8; ``gap`` is l(r₁) − Σ p₁(r)l(r)."""
    v1, v2, v3, v4, v5, _ = v
    _, p2, p3, p4, p5, p6 = p
    crossed = (p2 + p4) * v1 * v4 - (p2 + p5) * v2 * v3
    return (
        crossed - (p4 + p6) * v2 * v5 + (v1 - v2) * gap,
        -crossed - (p3 + p5) * v4 * v5 + (v3 - v4) * gap,
    )


class EvenedPairs(NamedTuple):
    """How the lead of r* over the confusing relation changes where both pairs are evened out."""

    least: float  # least gain, of random attention
    error: float  # largest difference of the gain from ½((v₁ − v₃) − (v₂ − v₄))²


def evened_pairs(across: int = 0, draws: int = 20_000, seed: int = 0) -> EvenedPairs:
    """The gain in l(r₁) − l(r₂) where each token of a pair gets the pair's mean, at random attention.

    Args:
        across: 1 to even out a subject with the other example's answer instead.
    """
    scores = torch.randn(draws, 6, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))
    v = torch.softmax(2 * scores, 1)
    even = v.clone()
    for pair in ([0, 3], [2, 1]) if across else ([0, 1], [2, 3]):
        even[:, pair] = v[:, pair].mean(1, keepdim=True)
    before, after = (squares(w)[:, 0].sum(-1) - squares(w)[:, 1].sum(-1) for w in (v, even))
    expected = ((v[:, 0] - v[:, 2]) - (v[:, 1] - v[:, 3])).square() / 2
    gain = after - before
    return EvenedPairs(float(gain.min()), float((gain - expected).abs().max()))
