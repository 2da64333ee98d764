"""The stored runs of the paper's experiment, ``book/data/recognise-figure-1``, seed by seed.

They are of real training sets and weights, 30 000 epochs each, by descent at the paper's rate and by the flow.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from book.recognise.experiments.figure_1 import trained
from book.recognise.experiments.paper_model import DEFAULT, READINGS
from book.sweep import read

FOUR = {"s12": 1, "s21": 1, "s31": -1, "s32": -1}
"""Scores by key and query, and the side on which each ends."""


def runs(
    reading: str = DEFAULT, method: str = "flow", words: str = "drawn", learned: int = 1
) -> pd.DataFrame:
    """The rows of one kind of training, all seeds; columns as in :func:`book.recognise.experiments.figure_1.trained`.

    The loss of samples with one target is ``single``; scores are less their start.
    """
    rows = _stored(reading=reading, method=method, words=words, learned=learned)
    rows["single"] = (rows.loss_2 + rows.loss_3) / 2
    for name in FOUR:
        rows[name] -= rows.groupby("seed")[name].transform("first")
    return rows


def _stored(**wanted: Any) -> pd.DataFrame:
    """The rows of the table with these entries."""
    rows = read("recognise-figure-1").rows
    return rows[(rows[list(wanted)] == pd.Series(wanted)).all(axis=1)].copy()


def summary(rows: pd.DataFrame) -> pd.DataFrame:
    """One row for each seed: what its training shows.

    ``rise``: of the loss of samples with one target. ``right``: the first look from which on all samples are right,
    NaN if there is none. From that look on: ``gain``, the least that one of the four scores grows on its side, and
    ``climb``, the largest change of a type's loss between looks; and up to it ``fall``, that of samples with both
    targets. ``early``: the part of the scores' change before.
    ``growth``: the least of the four in all. The rest: at the end, or as in the table.
    """
    seeds = []
    for _, part in rows.sort_values("epoch").groupby("seed"):
        wrong = part.margin <= 0
        after = part[~wrong[::-1].cummax()[::-1]]
        start, end = part.iloc[0], part.iloc[-1]
        border = after.iloc[0] if len(after) else start * math.nan
        first, second = (
            [sign * (b[name] - a[name]) for name, sign in FOUR.items()]
            for a, b in ((start, border), (border, end))
        )
        early, late = (sum(map(abs, change)) for change in (first, second))
        types = [f"loss_{kind}" for kind in range(1, 5)]
        seeds.append(
            {
                "rise": part.single.max() - start.single,
                "right": border.epoch,
                "gain": min(second),
                "early": early / max(early + late, 1e-300),
                "climb": after[types].diff().max().max(),
                "fall": part[part.epoch <= border.epoch].loss_1.diff().max(),
                "growth": min(sign * end[name] for name, sign in FOUR.items()),
                **{name: end[name] for name in ("loss", "test_loss", "test_error", "stiffness", "pace")},
            }
        )
    return pd.DataFrame(seeds)


def every_reading(method: str = "flow") -> pd.DataFrame:
    """:func:`summary` in each reading of the start."""
    return pd.concat([summary(runs(name, method)).assign(reading=name) for name in READINGS])


def apart(reading: str) -> dict[str, float]:
    """How far G on the three signals is apart in descent and flow, over the largest: on the way, and at the end."""
    both = runs(reading, "descent").merge(runs(reading), on=["seed", "epoch"], suffixes=("", "_flow"))
    both = both[both.epoch > 0]
    gaps = pd.DataFrame({f"g{k}": (both[f"g{k}"] - both[f"g{k}_flow"]).abs() for k in (1, 2, 3)}).max(axis=1)
    largest = both.groupby("seed").g3_flow.transform(lambda g: g.abs().max())
    last = both.epoch == both.epoch.max()
    return {
        "on_the_way": float((gaps / largest).max()),
        "at_the_end": float((gaps[last] / both.g3_flow[last].abs()).max()),
    }


def frozen() -> dict[str, float]:
    """How much training attention changes at the worst seed: the last loss, and the epoch from which all are right."""
    learned, still = summary(runs()), summary(runs(learned=0))
    return {
        "loss": float((still.loss / learned.loss - 1).abs().max()),
        "epochs": float((still.right - learned.right).abs().max()),
    }


def _both() -> list[pd.DataFrame]:
    """:func:`summary` by descent and by the flow, in the reading ``DEFAULT``."""
    return [summary(runs(method=method)) for method in ("descent", "flow")]


def parts_late(most_early: float) -> bool:
    """Whether Figure 1 (a) is there at every seed, by descent and by the flow; its signs in every reading of the start;
    and scores move early at some seed with normal weights and a = ±1."""
    here = all((seeds.gain > 0).all() and (seeds.early <= most_early).all() for seeds in _both())
    others = every_reading()
    moved = others[others.reading == "normal, a = ±1"].early.max() > most_early
    return bool(here and moved and (others.growth > 0).all())


def rises_first(least: float) -> bool:
    """Whether Figure 1 (b) is there at every seed, in descent and in the flow."""
    return all(
        (seeds.rise >= least).all() and (seeds.climb < 0).all() and (seeds.fall < 0).all()
        for seeds in _both()
    )


@cache
def are_found_again(epochs: int = 100) -> bool:
    """Whether training again gives the stored rows of seed 0 up to this epoch, to the digits that are stored."""
    for method in ("descent", "flow"):
        again = pd.DataFrame(
            trained(reading=DEFAULT, method=method, words="drawn", learned=1, seed=0, epochs=epochs)
        )
        rows = _stored(reading=DEFAULT, method=method, words="drawn", learned=1, seed=0)
        rows = rows[rows.epoch <= epochs].reset_index(drop=True)
        if len(rows) != len(again) or not np.allclose(rows[again.columns], again, rtol=1e-5, atol=1e-8):
            return False
    return True
