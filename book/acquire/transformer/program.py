"""GPT-2's stored accuracy beside that of the one-layer model on the same facts, at any K, R and n_ft of the grid."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import torch
from torch import Tensor

from book.acquire.transformer import tables
from book.acquire.transformer.tables import CELL, MOMENTS
from lib.domain import Domain
from lib.program import Program

MULTIPLICITIES, UNIVERSES, COUNTS = (1.0, 2.0, 4.0, 8.0), (8.0, 16.0, 32.0), (3.0, 6.0, 12.0, 24.0, 40.0)
COUNT = Domain("count", low=1, integer=True, scale="choice")
MENU = Domain("menu", low=0, integer=True, default=0, scale="menu")
DOMAINS = (
    COUNT._replace(
        name="multiplicity", high=8, default=4, words="multiplicity", symbol="K", track=MULTIPLICITIES
    ),
    COUNT._replace(name="phrases", high=32, default=8, words="phrases", symbol="R", track=UNIVERSES),
    COUNT._replace(name="tuned", high=40, default=24, words="fine-tuned facts", symbol="n_ft", track=COUNTS),
    MENU._replace(name="positions", high=1, words="GPT-2", track=("without positions", "with positions")),
    MENU._replace(
        name="moment",
        high=2,
        words="step",
        track=("chosen by other facts", "the last", "the best, in hindsight"),
    ),
    MENU._replace(name="grid", high=1, words="ranks over", track=("every R", "this R alone")),
)
"""Numbers between those of the grid are brought to the nearest."""
NEAR = 0.1
"""Accuracies that differ by less are called alike."""


class Beside(NamedTuple):
    """Accuracies on unseen facts, means over five seeds; a spread is a standard deviation to either side."""

    counts: Tensor  # (5,) n_ft
    gpt: Tensor  # (5,) GPT-2's, along n_ft
    gpt_low: Tensor
    gpt_high: Tensor
    one: Tensor  # (5,) the one-layer model's
    one_low: Tensor
    one_high: Tensor
    once: Tensor  # (5,) the share of unseen facts with a covered phrase
    all_one: Tensor  # (60,) every cell's, the one-layer model's; with this R alone the others' are the chosen cell's
    all_gpt: Tensor  # and GPT-2's
    here_tuned: Tensor  # 0-d, n_ft
    here_one: Tensor  # 0-d, at the chosen cell
    here_gpt: Tensor
    here_spread: Tensor
    here_once: Tensor
    mark_one: Tensor  # (1,) the same two again, as a mark
    mark_gpt: Tensor
    diagonal: Tensor  # (2,) 0 and 1
    whole: Tensor  # 0-d, ranks are over every R, R = 4 too
    ceiling: Tensor  # rank correlation of two groups of seeds
    rank_one: Tensor  # of GPT-2 and the one-layer model
    rank_once: Tensor  # of GPT-2 and the count
    along_tuned: Tensor  # of GPT-2 and the one-layer model, where only n_ft moves
    along_multiplicity: Tensor
    along_phrases: Tensor
    fair: Tensor  # for a statement: the step is not chosen on the facts that are counted
    alike: Tensor  # for captions: the two accuracies differ by less than NEAR
    above: Tensor  # GPT-2's is higher


def beside() -> Program:
    """The stored numbers at one setting."""
    grid, ranks = _tables()

    def report(_ends: Any, p: Any) -> Beside:
        k, r, n = (
            _nearest(v, of)
            for v, of in ((p.multiplicity, MULTIPLICITIES), (p.phrases, UNIVERSES), (p.tuned, COUNTS))
        )
        which = (p.positions * len(MOMENTS) + p.moment == torch.arange(len(ranks))).to(torch.float64)
        every = torch.einsum("w,wfkrn->fkrn", which, grid)
        line = torch.einsum("fkrn,k,r->fn", every, k, r)
        gpt, gpt_sd, one, one_sd, once = (line[place] for place in range(5))
        here = line @ n
        among = torch.cat([1 - p.grid[None], p.grid * r])
        ceiling, rank_one, rank_once, tuned, multiplicity, phrases = torch.einsum(
            "w,g,wgf->f", which, among, ranks
        )
        shown = torch.maximum(1 - p.grid, r)[:, None] > 0
        all_gpt, all_one = (torch.where(shown, every[place], here[place]).reshape(-1) for place in (0, 2))
        counts = torch.tensor(COUNTS, dtype=torch.float64)
        alike = (torch.abs(here[0] - here[2]) < NEAR).to(torch.float64)
        return Beside(
            counts,
            gpt,
            torch.clamp(gpt - gpt_sd, min=0),
            torch.clamp(gpt + gpt_sd, max=1),
            one,
            torch.clamp(one - one_sd, min=0),
            torch.clamp(one + one_sd, max=1),
            once,
            all_one,
            all_gpt,
            counts @ n,
            here[2],
            here[0],
            here[1],
            here[4],
            here[2:3],
            here[0:1],
            torch.tensor([0.0, 1.0], dtype=torch.float64),
            1 - p.grid,
            ceiling,
            rank_one,
            rank_once,
            tuned,
            multiplicity,
            phrases,
            (p.moment < MOMENTS.index("best")).to(torch.float64),
            alike,
            (here[0] > here[2]).to(torch.float64),
        )

    return Program(
        parameters=_Parameters,
        domains=DOMAINS,
        start=lambda p: (),
        stages=(),
        watch=lambda s, p: None,
        report=report,
    )


class _Parameters(NamedTuple):
    multiplicity: Any
    phrases: Any
    tuned: Any
    positions: Any
    moment: Any
    grid: Any


@cache
def _tables() -> tuple[Tensor, Tensor]:
    """For both kinds of GPT-2, at each moment: (6, 5, K, R, n_ft), :func:`_grid`; (6, 1 + R, 6), rank correlations over
    every R and at each."""
    ways = [(positions, when) for positions in (False, True) for when in MOMENTS]
    along = [
        [tables.along(*way, axis)["one"] for axis in ("tuned", "multiplicity", "phrases")] for way in ways
    ]
    ranks = [
        [[*tables.ranks(*way, int(r)).values(), *more] for r in (0, *UNIVERSES)]
        for way, more in zip(ways, along, strict=True)
    ]
    return torch.stack([_grid(*way) for way in ways]), torch.tensor(ranks, dtype=torch.float64)


def _grid(positions: bool, when: str) -> Tensor:
    """(5, K, R, n_ft): means and standard deviations of GPT-2 and of one layer, and the mean count."""
    by_cell = tables.both(positions, when).groupby(CELL)
    mean, spread = by_cell[["gpt", "one", "once"]].mean(), by_cell[["gpt", "one"]].std()
    columns = (mean.gpt, spread.gpt, mean.one, spread.one, mean.once)
    cells = [(k, r, n) for k in MULTIPLICITIES for r in UNIVERSES for n in COUNTS]
    shape = (len(columns), len(MULTIPLICITIES), len(UNIVERSES), len(COUNTS))
    return torch.tensor([column.loc[cells].tolist() for column in columns], dtype=torch.float64).reshape(
        shape
    )


def _nearest(value: Tensor, of: tuple[float, ...]) -> Tensor:
    """One-hot, where the nearest of the numbers stands; of two the smaller."""
    apart = torch.abs(torch.log(torch.tensor(of, dtype=torch.float64)) - torch.log(value))
    return (torch.arange(len(of)) == apart.argmin()).to(torch.float64)
