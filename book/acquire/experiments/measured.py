"""What the statements on Table 3 and Figures 2, 5 and 6 are measured on: the stored tables, and a small run of each."""

from __future__ import annotations

import math
from typing import NamedTuple

import pandas as pd
import torch

from book.acquire import table_3 as stored
from book.acquire.experiments import sweeps, table_3_models
from book.acquire.experiments.linear_floor import linear_floor, paper_floor
from book.acquire.experiments.table_3_models import Training
from book.acquire.fine_tuning import cross_fitted_accuracy, tune
from book.acquire.pretraining import Run
from book.sweep import read
from lib.acquire import architectures


def table(name: str) -> pd.DataFrame:
    """A stored table; ``over`` is the loss less the entropy, infinite where training diverged."""
    rows = read(name).rows
    return rows.assign(over=(rows.loss - rows.entropy).fillna(math.inf)) if "entropy" in rows else rows


class SimplifiedRuns(NamedTuple):
    """The stored runs of the simplified model, the worst of the seeds."""

    over: float  # loss less the entropy
    answered: float  # test accuracy at the last step
    best: float  # test accuracy at the best step
    steps: int
    small_over: float  # loss less the entropy at N = 250
    small_steps: int


def simplified(subjects: int, printed: bool) -> SimplifiedRuns:
    """The stored runs of the simplified model at one size, the worst of the seeds; and at the size of a quarter.

    Args:
        printed: whether the test is that of the printed split, or of new facts.
    """
    here, small = (stored.of("simplified").query("subjects == @n") for n in (subjects, 250))
    return SimplifiedRuns(
        over=here.over.max(),
        answered=(here.tuples_last if printed else here.facts_last).min(),
        best=(here.tuples_best if printed else here.facts_best).min(),
        steps=here.steps.min(),
        small_over=small.over.max(),
        small_steps=small.steps.min(),
    )


def small_loss(kind: str, known: architectures.Task, training: Training, **size: int) -> float:
    """The loss of a model of Table 3 after pre-training here."""
    network = architectures.model(kind, known, **size)
    return float(table_3_models.pretrain(network, known, training).mean())


class ConstantRuns(NamedTuple):
    """Attention without MLP, each run beside its own bound."""

    loss: float  # of the stored run at N = 1000
    bound: float
    small: float  # loss of a small run
    small_bound: float
    entropy: float


def constant(biases: int) -> ConstantRuns:
    """Attention without MLP: the stored run at N = 1000 and a small one, each beside its own bound."""
    kind = "attention, biases" if biases else "attention"
    known = architectures.task(80, 5, 5, 8, seed=0, dtype=torch.float64)
    training = Training(optimizer="adamw", rate=0.05, steps=120, tuned_rate=0, tuned_steps=0)
    return ConstantRuns(
        loss=stored.of(kind).query("subjects == @stored.LARGE").loss.iloc[0],
        bound=paper_floor(),
        small=small_loss(kind, known, training),
        small_bound=linear_floor(known.embeddings[:80], len(known.embeddings), 5) / 2,
        entropy=known.entropy,
    )


class Leak(NamedTuple):
    """Test prompts that are fine-tuning prompts too, and accuracies of the standard model at N = 1000."""

    expected: float  # share, in closed form
    leaked: float  # share, by count
    printed: float  # accuracy on the printed split at the last step
    fresh: float  # on new facts at the last step
    best: float  # on new facts at the best step


def leak(split: str) -> Leak:
    """How many test prompts are fine-tuning prompts, by count over seeds; accuracies at the last step, both splits."""
    counted = [architectures.task(stored.LARGE, 5, 5, 2, split=split, seed=seed).leaked for seed in range(20)]
    standard = stored.of("standard").query("subjects == @stored.LARGE")
    return Leak(
        expected=architectures.leaked_share(stored.LARGE, 5),
        leaked=sum(counted) / len(counted),
        printed=standard.tuples_last.mean(),
        fresh=standard.facts_last.mean(),
        best=standard.facts_best.mean(),
    )


class FiveTokenRuns(NamedTuple):
    """Five tokens, uniform attention: losses less the entropy, and accuracies."""

    least: float  # of the stored runs
    most: float
    small: float  # of a small run
    answered: float  # new facts at the last step, mean of the stored runs
    uniform: float  # the paper's MLP after the longest descent
    learned: float  # the same with attention learned, after 100 steps


def noise(optimizer: str) -> FiveTokenRuns:
    """Five tokens, uniform attention: how far from the entropy, and whether new facts are answered."""
    rows, slow = table("acquire-five-tokens"), table("acquire-descent")
    runs = rows[rows.way.str.startswith("uniform, ") & rows.way.str.contains(optimizer)]
    last = slow[(slow.step == slow.step.max()) & (slow.attention == "uniform")]
    known = architectures.task(16, 4, 4, 39, embedding="orthogonal", context=True, dtype=torch.float64)
    rate = 1e-2 if optimizer == "adamw" else 0.1
    training = Training(optimizer=optimizer, rate=rate, steps=150, tuned_rate=1e-3, tuned_steps=20)
    return FiveTokenRuns(
        least=runs.over.min(),
        most=runs.over.max(),
        small=small_loss("uniform", known, training, width=100) - known.entropy,
        answered=runs["last"].mean(),
        uniform=last.groupby("rate").excess.mean().min(),
        learned=slow.query("attention == 'learned' and step == 100").excess.mean(),
    )


SMALL_SUBJECTS = 32
"""Facts of the small runs, which are made anew."""


def small(phrases: int, multiplicity: int, kappa: float = sweeps.KAPPA) -> Run:
    """Pre-training of few facts, 60 steps after stage I."""
    return sweeps.pretrained(SMALL_SUBJECTS, phrases, multiplicity, 0, steps=60, kappa=kappa)


def small_accuracy(phrases: int, multiplicity: int, share: float) -> float:
    """Accuracy of that run on unseen facts at 40 steps, with early stopping."""
    return cross_fitted_accuracy([tune(small(phrases, multiplicity), share, 40)])


def medians(panel: str, column: str, value: str = "fair") -> pd.DataFrame:
    """The median over seeds of ``value``: a row for each value of ``column``, a column for each share.

    The stored column ``fair`` is the accuracy under cross-fitted early stopping, ``unseen`` that at the best step in
    hindsight.
    """
    rows = table("acquire-figure-2")
    return rows[rows.panel == panel].pivot_table(value, column, "share", aggfunc="median")


class Figure2A(NamedTuple):
    """Median accuracy on unseen facts against the multiplicity, at one share."""

    covered: float  # phrases that fine-tuning covers, the least of all K
    change: float  # from one K to the next, least, in facts
    gain: float  # from K = 1 to K = 8
    by_share: float  # from one share to the next, least, all K
    small_gain: float  # of a small run from K = 1 to K = 4
    accuracy: dict[int, float]  # by K
    hindsight: dict[int, float]  # by K, at the best step


def figure_2_a(share: float) -> Figure2A:
    """At one share: accuracy against multiplicity; for all multiplicities: accuracy against the share."""
    panel = "multiplicity"
    accuracy, hindsight = (medians(panel, panel, value) for value in ("fair", "unseen"))
    here, few, many = accuracy[share], small_accuracy(8, 1, share), small_accuracy(8, 4, share)
    unseen = sweeps.SUBJECTS - medians(panel, panel, "chosen")[share].max()
    return Figure2A(
        covered=float(medians(panel, panel, "covered")[share].min()),
        change=here.diff().min() * unseen,
        gain=here[8] - here[1],
        by_share=accuracy.diff(axis=1).min().min(),
        small_gain=many - few,
        accuracy=here.to_dict(),
        hindsight=hindsight[share].to_dict(),
    )


class Figure2B(NamedTuple):
    """Median accuracy on unseen facts against the number of phrases, at every share."""

    change: float  # from one R to the next, greatest
    first: float  # at the least R, share 0.6
    last: float  # at the greatest R, share 0.6
    hindsight: float  # greatest change at the best step
    small_fall: float  # of a small run from R = 8 to R = 20
    excess: float  # loss of pre-training less the entropy, greatest


def figure_2_b(least: int) -> Figure2B:
    """From R = ``least`` on: does accuracy fall from one R to the next, at every share?"""
    panel = "universe", "phrases"
    accuracy, hindsight, excess = (
        medians(*panel, value).loc[least:] for value in ("fair", "unseen", "excess")
    )
    return Figure2B(
        change=accuracy.diff().max().max(),
        first=accuracy[0.6].iloc[0],
        last=accuracy[0.6].iloc[-1],
        hindsight=hindsight.diff().max().max(),
        small_fall=small_accuracy(8, 4, 0.6) - small_accuracy(20, 4, 0.6),
        excess=excess.max().max(),
    )


class Figure5(NamedTuple):
    """Attention at the end of pre-training, K = 4, over all sentences and seeds."""

    on_context: float  # greatest
    least: float  # ratio of s to r
    most: float
    fastest: float  # least ratio at the greatest κ
    small_on_context: float  # the same of a small run
    small_most: float


def figure_5(kappa: float) -> Figure5:
    """Attention at the end of pre-training, K = 4, over all sentences and seeds; and of a small run."""
    end = table("acquire-figure-5").query("multiplicity == @sweeps.MULTIPLICITY and time == 'end'")
    here, by_kappa = end[end.kappa == kappa], end[end.prompt == "o s r"].groupby("kappa")
    attention = small(8, 4, kappa).last.attention_phrase
    return Figure5(
        on_context=here.most_on_o.max(),
        least=by_kappa.least_ratio.min()[kappa],
        most=by_kappa.greatest_ratio.max()[kappa],
        fastest=by_kappa.least_ratio.min().iloc[-1],
        small_on_context=float(attention[:, 0].max()),
        small_most=float((attention[:, 1] / attention[:, 2]).max()),
    )


class Figure6(NamedTuple):
    """Median accuracy on unseen facts in a long fine-tuning, K = 4."""

    fall: float  # from the best step to the last, in facts
    best: float
    best_step: int
    last: float
    small_fall: float  # of a small run, in facts


def figure_6(share: float) -> Figure6:
    """Median accuracy of K = 4 at its best step and at the last; and of a small run."""
    rows = table("acquire-figure-6").query("multiplicity == 4 and share == @share")
    curve = rows.groupby("step").unseen.median()
    asked = sweeps.SUBJECTS - rows.chosen.max()
    run = tune(small(8, 4), max(share, 0.25), 60)
    unseen = [row["unseen"] for row in sweeps.extracted(run)]
    return Figure6(
        fall=(curve.max() - curve.iloc[-1]) * asked,
        best=curve.max(),
        best_step=curve.idxmax(),
        last=curve.iloc[-1],
        small_fall=(max(unseen) - unseen[-1]) * (SMALL_SUBJECTS - float(run.chosen.sum())),
    )
