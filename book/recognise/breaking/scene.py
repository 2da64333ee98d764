"""The scene of broken hypotheses: what two theorems claim, and how far each claim is from failing as the run goes."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from book.recognise.common import ASSUMED
from book.recognise.two_phases import CLOSE, LEAST, STILL, TwoPhases
from lib.program import Program, with_outputs
from widgets.figure.scenes import Claims, Ground, Scene, Stop

EARLY = (
    "Bob and banana say yes, “the” no",
    "every sentence is right",
    "values, neurons hardly moved",
    "attention has hardly moved",
    "some loss is left for Phase 2",
)
"""Theorem 3.1, of the end of Phase 1: items 1 and 2, both halves of 3, and 4."""
LATE = (
    "… look at each other",
    "… get similar value vectors",
    "… still say yes, “the” no",
    "… these three words decide",
)
"""Theorem 3.2, of Phase 2: its four items, said of Bob and banana."""
GROUNDS = {
    "many": Ground("{sizes[0]:n} sentences: enough", "{sizes[0]:n} sentences: too few"),
    "shares": Ground("half of them hold both words", "other shares than the paper’s"),
    "long": Ground(
        "wide enough for sentences of {sizes[1]:n} words", "{sizes[1]:n} words need a width of {sizes[4]:n}"
    ),
    "wide": Ground(
        "wide enough for an MLP of {sizes[2]:n} neurons", "{sizes[2]:n} neurons need a width of {sizes[3]:n}"
    ),
    "fit_0": Ground("all weights start small", "weights start too large"),
    "fit_1": Ground("the MLP starts small", "the MLP starts too large"),
    "unit_layer": Ground("the output layer is ±1", "the output layer is not ±1"),
    "trained": Ground("attention is trained", "attention is frozen"),
}
"""The hypotheses of :data:`book.recognise.common.ASSUMED`; a smaller start needs a wider network."""
CLAIMS = Claims(
    "Which claims hold?",
    (
        ("Theorem 3.1: as Phase 1 ends,", EARLY),
        ("Theorem 3.2: then both words …", LATE),
    ),
    "claims",
    "claims_at_end",
    grounds=tuple(GROUNDS.values()),
    kept="kept",
)
SCENE = Scene(
    CLAIMS,
    stops=(
        Stop(
            "Phase 1 ends",
            0,
            says=f"Phase 1 ends: {{holding:n}} of {len(EARLY)} claims of Theorem 3.1 hold.",
        ),
        Stop("end", 1, says=f"The end: {{holding:n}} of {len(LATE)} claims of Theorem 3.2 hold."),
    ),
)


def claims(r: TwoPhases, p: Any) -> Tensor:
    """How far each claim is from failing, (9,) from −1 to 1 and above 0 where it holds, EARLY first.

    A number that is to be x at least or at most stands at the logarithm to base 10 of how many times it is better than
    x, and a moment that is to come by T₁ at that of T₁ over it: a factor of ten or more is 1.
    """
    aligned = torch.stack([r.signals[0], r.signals[1], -r.signals[2]]).amin()
    moved = torch.maximum(r.moved_v, r.moved_n)
    stirred = torch.maximum(r.moved_k, 10 * r.moved_s)
    sums = torch.minimum(_least(r.least_sum, LEAST), _most(r.signs, p.constant))
    sides = (
        _least(aligned, LEAST),
        r.margin,
        _most(moved, CLOSE),
        _most(stirred, STILL),
        _least(r.loss_1, LEAST),
        _most(r.scores, p.constant),
        _most(r.products, p.constant),
        _least(r.least_output, LEAST),
        sums,
    )
    return torch.clamp(torch.stack(sides), -1, 1)


def kept(p: Any) -> Tensor:
    """1 for each of :data:`GROUNDS` that is kept, else 0; (8,)."""
    return torch.stack([torch.as_tensor(ASSUMED[name][1](None, p)).to(torch.float64) for name in GROUNDS])


def needed(p: Any) -> Tensor:
    """The least widths with which ``wide`` and ``long`` are kept; (2,)."""
    start = (p.sigma_0 * p.sigma_1) ** 2
    wide = torch.maximum(p.neurons, 16 * torch.sqrt(p.neurons) / p.sigma_1**2)
    return torch.stack([wide, torch.maximum(p.length**2, 32 * p.length / start)])


def _least(number: Tensor, bound: float) -> Tensor:
    """How far a number is above the ``bound`` that it must reach; one of 0 or below fails by far."""
    return torch.where(number > 0, torch.log10(torch.clamp(number, min=1e-9) / bound) + TINY, -1.0)


def _most(number: Tensor, bound: Tensor | float) -> Tensor:
    """How far a number from 0 on is below the ``bound`` that it must keep; NaN and infinity fail by far."""
    there = torch.where(torch.isnan(number), torch.inf, number)
    return -torch.log10(torch.clamp(there, min=1e-9, max=1e9) / bound) + TINY


TINY = 1e-12
"""A small number above 0, so that what is just at its bound counts as holding."""


def with_claims(program: Program) -> Program:
    """``program``, that of :func:`book.recognise.two_phases.two_phases`, with what the scene shows."""

    def now(seen: Any, state: Any, p: Any) -> dict[str, Tensor]:
        early = state.until <= p.constant
        both = claims(program.report((state, state), p), p)
        first, later = both[: len(EARLY)], both[len(EARLY) :]
        to_come = early & (seen.time <= 0)
        now_first = torch.where(to_come, torch.inf, torch.where(early, first, torch.nan))
        shown = torch.cat([now_first, torch.where(early, torch.inf, later)])
        holding = torch.stack([(part > 0).to(torch.float64).sum() for part in (first, later)])
        return {
            "claims": shown,
            "holding": torch.where(early, holding[0], holding[1]).reshape(1),
            "kept": kept(p),
            "sizes": torch.cat([torch.stack([p.samples, p.length, p.neurons]), needed(p)]),
        }

    return with_outputs(program, now, lambda reported, ends, p: {"claims_at_end": claims(reported, p)})
