"""What training on n samples is worth on new sentences: rates in the flow, and errors of the separator at its end."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch
from torch import Tensor

from book.recognise.common import separator_by_sympy
from book.recognise.experiments import figure_1 as experiments
from lib.program import run
from lib.recognise import fresh, orbit, whole
from lib.recognise.limit import max_margin
from lib.recognise.setting import counts, scaled, setting
from lib.recognise.task import SIGNS

SETS = 10
"""Training sets whose separators are asked."""
FROM = 5.0
"""Rates are taken from this log₁₀ τ to the end of the run."""


class Worth(NamedTuple):
    """A state of the flow: τ, the least margins, and the mean losses; each 0-d."""

    time: Tensor
    trained: Tensor  # least margin of the training set
    recombined: Tensor  # of sentences that recombine its words
    loss: Tensor
    unseen_loss: Tensor  # on sentences of unseen words


def worth(state: whole.State, p: whole.Parameters) -> Worth:
    """See :class:`Worth`."""
    sizes, _ = scaled(whole.settings(p), p.learned)
    here = orbit.unpack(state.going.state)
    forgetful = fresh.forget(here)
    trained, unseen = (SIGNS * orbit.outputs(each, sizes) for each in (here, forgetful))
    own = orbit.word_outputs(here, sizes)[:, 3]  # g of an irrelevant word by type
    recombined = unseen - orbit.irrelevant(sizes) * torch.where(SIGNS > 0, -own.amin(), own.amax())
    losses = orbit.loss(here, sizes), orbit.loss(forgetful, sizes)
    return Worth(state.going.time, trained.amin(), recombined.amin(), *losses)


def growth(samples: float, length: float) -> dict[str, Any]:
    """Powers of τ with which the losses fall from τ = 10⁵ to 10⁹, mean start, m = ∞; and the separator's margins.

    ``recombined``: how fast the worst margin of sentences of training words grows, over the training margin's.
    """
    program = whole.program(worth, worth)
    rows = run(program, samples=samples, length=length, width=1e30, random=0, end=9.0).histories[0].rows
    first = int((rows.time < 10**FROM).to(torch.int64).sum())
    clock = math.log(float(rows.time[-1] / rows.time[first]))
    chosen = setting(samples=samples, length=length)
    new = fresh.margins(max_margin(counts(chosen), chosen.length), chosen.length)
    for_unseen, for_all = fresh.enough(length)
    return {
        "more_than_enough": samples > for_unseen,
        "for_all": samples > for_all,
        "power": float(torch.log(rows.loss[-1] / rows.loss[first])) / clock,
        "unseen_power": float(torch.log(rows.unseen_loss[-1] / rows.unseen_loss[first])) / clock,
        "recombined": float(
            (rows.recombined[-1] - rows.recombined[first]) / (rows.trained[-1] - rows.trained[first])
        ),
        "least_unseen": float(new.unseen.amin()),
        "least_recombined": float(new.recombined.amin()),
        "enough_for_all": for_all,
    }


def wrong(words: str) -> dict[str, float]:
    """The shares of 3000 new sentences that the separators of ten training sets of the paper get wrong.

    Args:
        words: "drawn", where all of d = 64 are in use; "distinct", where new sentences have unseen words.
    """
    trials = [experiments.trial(experiments.DEFAULT, seed, words) for seed in range(SETS)]
    found = fresh.separators([known.data for known in trials])
    tests = [known.test if known.unseen is None else known.unseen for known in trials]
    margins = [test.labels * (fresh.word_counts(test) @ g) for test, g in zip(tests, found, strict=True)]
    shares = torch.stack([(margin <= 0).to(torch.float64).mean() for margin in margins])
    return {
        "recur": float(words == "drawn"),
        "least": float(shares.min()),
        "mean": float(shares.mean()),
        "most": float(shares.max()),
    }


def enough(length: int) -> dict[str, float]:
    """How many samples are enough: for sentences of unseen words, for all of training words; and L²."""
    unseen, recombined = fresh.enough(length)
    return {"unseen": unseen, "recombined": recombined, "condition_1": length**2}


def enough_by_sympy() -> bool:
    """Type 2's worst margin with types 1 to 3 active, over the determinant: 3p² − (10L − 17)p − (L − 2)²."""
    import sympy as sp

    p, length, (both, single, _), determinant = separator_by_sympy(2)
    worst = 1 - (length - 2) * (both + single)
    wanted = (3 * p**2 - (10 * length - 17) * p - (length - 2) ** 2) / determinant
    return bool(sp.simplify(worst - wanted) == 0)
