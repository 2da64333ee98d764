"""What the statements on Table 3 and Figures 2, 5 and 6 are measured on: the stored tables, and a small run of each."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd
import torch

from book.acquire import table_3 as stored
from book.acquire.experiments import sweeps
from book.acquire.experiments.sweeps import Way
from book.acquire.experiments.weights import linear_floor, paper_floor
from book.acquire.fine_tuning import cross_fitted_accuracy, tune
from book.acquire.pretraining import Run
from book.sweep import read
from lib.acquire import architectures

Numbers = dict[str, Any]


def table(name: str) -> pd.DataFrame:
    """A stored table; ``over`` is the loss less the entropy, infinite where training diverged."""
    rows = read(f"acquire-{name}").rows
    return rows.assign(over=(rows.loss - rows.entropy).fillna(math.inf)) if "entropy" in rows else rows


def simplified(subjects: int, printed: bool) -> Numbers:
    """The stored runs of the simplified model at one size, the worst of the seeds; and at the size of a quarter."""
    runs = {n: stored.of("simplified").query("subjects == @n") for n in (subjects, 250)}
    here, small = runs.values()
    return {
        "printed": float(printed),
        "over": here.over.max(),
        "answered": (here.tuples_last if printed else here.facts_last).min(),
        "best": (here.tuples_best if printed else here.facts_best).min(),
        "steps": here.steps.min(),
        "small_over": small.over.max(),
        "small_steps": small.steps.min(),
    }


def small_loss(kind: str, known: architectures.Task, way: Way, **size: int) -> float:
    """The loss of a model of Table 3 after pre-training here."""
    return float(sweeps.learned(architectures.model(kind, known, **size), known, way).mean())


def constant(biases: int) -> Numbers:
    """Attention without MLP: the stored run at N = 1000 and a small one, each beside its own bound."""
    kind = "attention, biases" if biases else "attention"
    known = architectures.task(80, 5, 5, 8, seed=0, dtype=torch.float64)
    return {
        "none": float(not biases),
        "loss": stored.of(kind).query("subjects == @stored.LARGE").loss.iloc[0],
        "bound": paper_floor(),
        "small": small_loss(kind, known, Way("adamw", 0.05, 120, 0, 0)),
        "small_bound": linear_floor(known.embeddings[:80], len(known.embeddings), 5) / 2,
        "entropy": known.entropy,
    }


def leak(split: str) -> Numbers:
    """How many test prompts are fine-tuning prompts, by count over seeds; accuracies at the last step, both splits."""
    counted = [architectures.task(stored.LARGE, 5, 5, 2, split=split, seed=seed).leaked for seed in range(20)]
    standard = stored.of("standard").query("subjects == @stored.LARGE")
    return {
        "tuples": float(split == "tuples"),
        "expected": architectures.leaked_share(stored.LARGE, 5),
        "leaked": sum(counted) / len(counted),
        "printed": standard.tuples_last.mean(),
        "fresh": standard.facts_last.mean(),
        "best": standard.facts_best.mean(),
    }


def noise(optimizer: str) -> Numbers:
    """Five tokens, uniform attention: how far from the entropy, and whether new facts are answered."""
    rows, slow = table("five-tokens"), table("descent")
    runs = rows[rows.way.str.startswith("uniform, ") & rows.way.str.contains(optimizer)]
    last = slow[(slow.step == slow.step.max()) & (slow.attention == "uniform")]
    known = architectures.task(16, 4, 4, 39, embedding="orthogonal", context=True, dtype=torch.float64)
    way = Way(optimizer, 1e-2 if optimizer == "adamw" else 0.1, 150, 1e-3, 20)
    return {
        "descent": float(optimizer == "gd"),
        "least": runs.over.min(),
        "most": runs.over.max(),
        "small": small_loss("uniform", known, way, width=100) - known.entropy,
        "answered": runs["last"].mean(),
        "uniform": last.groupby("rate").excess.mean().min(),
        "learned": slow.query("attention == 'learned' and step == 100").excess.mean(),
    }


def small(phrases: int, multiplicity: int, kappa: float = sweeps.KAPPA) -> Run:
    """Pre-training of 32 facts, 60 steps after stage I."""
    return sweeps.pretrained(32, phrases, multiplicity, 0, steps=60, kappa=kappa)


def live(phrases: int, multiplicity: int, share: float) -> float:
    """Accuracy of that run on unseen facts at those of 40 steps that others choose."""
    return cross_fitted_accuracy([tune(small(phrases, multiplicity), share, 40)])


def medians(panel: str, column: str, value: str = "fair") -> pd.DataFrame:
    """The median over seeds of ``value``: a row for each value of ``column``, a column for each share."""
    rows = table("figure-2")
    return rows[rows.panel == panel].pivot_table(value, column, "share", aggfunc="median")


def figure_2_a(share: float) -> Numbers:
    """At one share: accuracy against multiplicity; for all multiplicities: accuracy against the share."""
    panel = "multiplicity"
    accuracy, hindsight = (medians(panel, panel, value) for value in ("fair", "unseen"))
    here, few, many = accuracy[share], live(8, 1, share), live(8, 4, share)
    unseen = sweeps.SUBJECTS - medians(panel, panel, "chosen")[share].max()
    return {
        "covered": float(medians(panel, panel, "covered")[share].min() >= 0.9 * sweeps.PHRASES),
        "change": here.diff().min() * unseen,
        "gain": here[8] - here[1],
        "by_share": accuracy.diff(axis=1).min().min(),
        "small_gain": many - few,
        "accuracy": here.to_dict(),
        "hindsight": hindsight[share].to_dict(),
    }


def figure_2_b(least: int) -> Numbers:
    """From R = ``least`` on: does accuracy fall from one R to the next, at every share?"""
    panel = "universe", "phrases"
    accuracy, hindsight, excess = (
        medians(*panel, value).loc[least:] for value in ("fair", "unseen", "excess")
    )
    return {
        "stored": float(excess.max().max() < 0.05),
        "change": accuracy.diff().max().max(),
        "first": accuracy[0.6].iloc[0],
        "last": accuracy[0.6].iloc[-1],
        "hindsight": hindsight.diff().max().max(),
        "small_fall": live(8, 4, 0.6) - live(20, 4, 0.6),
        "excess": excess.max().max(),
    }


def figure_5(kappa: float) -> Numbers:
    """Attention at the end of pre-training, K = 4, over all sentences and seeds; and of a small run."""
    end = table("figure-5").query("multiplicity == @sweeps.MULTIPLICITY and time == 'end'")
    here, whole = end[end.kappa == kappa], end[end.prompt == "o s r"].groupby("kappa")
    live = small(8, 4, kappa).last.attention_phrase
    return {
        "slow": float(kappa * sweeps.SUBJECTS / sweeps.PHRASES <= 0.02),
        "on_context": here.most_on_o.max(),
        "least": whole.least_ratio.min()[kappa],
        "most": whole.greatest_ratio.max()[kappa],
        "fastest": whole.least_ratio.min().iloc[-1],
        "small_on_context": float(live[:, 0].max()),
        "small_most": float((live[:, 1] / live[:, 2]).max()),
    }


def figure_6(share: float) -> Numbers:
    """Median accuracy of K = 4 at its best step and at the last; and of a small run."""
    rows = table("figure-6").query("multiplicity == 4 and share == @share")
    curve = rows.groupby("step").unseen.median()
    live = [row["unseen"] for row in sweeps.extracted(tune(small(8, 4), max(share, 0.25), 60))]
    return {
        "few": float(share <= 0.2),
        "fall": curve.max() - curve.iloc[-1],
        "best": curve.max(),
        "best_step": curve.idxmax(),
        "last": curve.iloc[-1],
        "small_fall": max(live) - live[-1],
    }
