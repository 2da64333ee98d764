"""The losses of new sentences: with which powers of time they fall, and what the separator at the end gets wrong."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch
from torch import Tensor

from book.recognise.experiments.paper_model import DEFAULT, trial
from lib.program import run
from lib.recognise import gradient_flow, new_sentences, orbit
from lib.recognise.separator import max_margin
from lib.recognise.setting import counts, scaled, setting
from lib.recognise.task import SIGNS

SETS = 10
"""Training sets whose separators are tried."""
FIRST = 5.0
"""Powers are taken from this log₁₀ τ to the end of the run."""


class Losses(NamedTuple):
    """What is read off a state of the flow; each 0-d."""

    time: Tensor  # τ
    trained: Tensor  # least margin of the training set
    recombined: Tensor  # least margin of sentences that recombine its words
    loss: Tensor  # mean, on the training set
    unseen_loss: Tensor  # mean, on sentences of unseen words


def losses(state: gradient_flow.State, p: Any) -> Losses:
    """Margins and mean losses of training samples and of new sentences."""
    sizes, _ = scaled(p, p.learned)
    here = state.orbit
    unseen = new_sentences.forget_irrelevant(here)
    margins, unseen_margins = (SIGNS * orbit.outputs(each, sizes) for each in (here, unseen))
    irrelevant = orbit.word_outputs(here, sizes)[:, 3]  # g of an irrelevant word by type
    against = torch.where(SIGNS > 0, -irrelevant.amin(), irrelevant.amax())
    return Losses(
        time=state.time,
        trained=margins.amin(),
        recombined=(unseen_margins - orbit.irrelevant(sizes) * against).amin(),
        loss=orbit.loss(here, sizes),
        unseen_loss=orbit.loss(unseen, sizes),
    )


class LossPowers(NamedTuple):
    """How losses fall late in training, and what the separator says of it."""

    power: float  # of τ in the training loss
    unseen_power: float  # of τ in the loss on sentences of unseen words
    recombined: float  # growth of the worst margin of sentences of training words, over the training margin's
    least_unseen: float  # the separator's least margin on sentences of unseen words
    least_recombined: float  # and on those of training words
    enough_for_all: float  # the n above which all sentences of training words come right


def loss_powers(samples: float, length: float) -> LossPowers:
    """The powers of τ with which the losses fall from τ = 10⁵ to 10⁹, from the mean start at m = ∞."""
    program = gradient_flow.program(losses, losses)
    rows = run(program, samples=samples, length=length, width=1e30, random=0, end=9.0).histories[0].rows
    first = int((rows.time < 10**FIRST).to(torch.int64).sum())
    decades = math.log(float(rows.time[-1] / rows.time[first]))
    chosen = setting(samples=samples, length=length)
    margins = new_sentences.margins(max_margin(counts(chosen), chosen.length), chosen.length)
    _, enough_for_all = new_sentences.samples_needed(length)
    growth = (rows.recombined[-1] - rows.recombined[first]) / (rows.trained[-1] - rows.trained[first])
    return LossPowers(
        power=float(torch.log(rows.loss[-1] / rows.loss[first])) / decades,
        unseen_power=float(torch.log(rows.unseen_loss[-1] / rows.unseen_loss[first])) / decades,
        recombined=float(growth),
        least_unseen=float(margins.unseen.amin()),
        least_recombined=float(margins.recombined.amin()),
        enough_for_all=enough_for_all,
    )


class WrongShares(NamedTuple):
    """Shares of new sentences that separators get wrong, over training sets."""

    least: float
    mean: float
    most: float


def wrong_shares(words: str) -> WrongShares:
    """The shares of 3000 new sentences that the separators of ten training sets of the paper get wrong.

    Args:
        words: "drawn", where all of d = 64 are in use; "distinct", where new sentences have unseen words.
    """
    trials = [trial(DEFAULT, seed, words) for seed in range(SETS)]
    separators = new_sentences.separators([drawn.data for drawn in trials])
    tests = [drawn.test if drawn.unseen is None else drawn.unseen for drawn in trials]
    margins = [
        test.labels * (new_sentences.word_counts(test) @ g) for test, g in zip(tests, separators, strict=True)
    ]
    shares = torch.stack([(margin <= 0).to(torch.float64).mean() for margin in margins])
    return WrongShares(least=float(shares.min()), mean=float(shares.mean()), most=float(shares.max()))


def samples_needed(length: int) -> dict[str, float]:
    """The n above which all sentences of unseen words come right, and all of training words; beside them L²."""
    unseen, recombined = new_sentences.samples_needed(length)
    return {"unseen": unseen, "recombined": recombined, "condition_1": length**2}
