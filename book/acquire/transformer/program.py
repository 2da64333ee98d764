"""GPT-2's stored accuracy beside that of the one-layer model on the same facts, at any K, R and n_ft of the grid."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import torch
from torch import Tensor

from book.acquire.transformer import tables
from book.acquire.transformer.tables import CELL, MOMENTS
from lib.domain import Domain
from lib.program import Program, record

MULTIPLICITIES, UNIVERSES, COUNTS = (1.0, 2.0, 4.0, 8.0), (8.0, 16.0, 32.0), (3.0, 6.0, 12.0, 24.0, 40.0)
COUNT = Domain("count", low=1, integer=True, scale="choice")
MENU = Domain("menu", low=0, integer=True, default=0, scale="menu")
DOMAINS = (
    COUNT._replace(
        name="multiplicity", high=8, default=4, words="phrases per fact (K)", track=MULTIPLICITIES
    ),
    COUNT._replace(name="phrases", high=32, default=8, words="phrases in all (R)", track=UNIVERSES),
    COUNT._replace(name="tuned", high=40, default=24, words="fine-tuned facts", track=COUNTS),
    MENU._replace(
        name="positions",
        high=1,
        words="word order in GPT-2",
        track=("unknown (no positions)", "known (positions)"),
    ),
    MENU._replace(
        name="moment",
        high=2,
        words="answers counted at",
        track=("early stopping", "the last step", "the best step"),
    ),
    MENU._replace(
        name="grid", high=1, words="order compared over", track=("all choices", "this language (R) alone")
    ),
)
"""Numbers between those of the grid are brought to the nearest."""
NEAR = 0.1
"""Accuracies that differ by less are called alike."""


class Comparison(NamedTuple):
    """Accuracies on unseen facts, means over five seeds; a spread is a standard deviation to either side."""

    gpt: Tensor  # (5,) GPT-2's, along n_ft
    gpt_low: Tensor
    gpt_high: Tensor
    one: Tensor  # (5,) the one-layer model's
    one_low: Tensor
    one_high: Tensor
    once: Tensor  # (5,) the share of unseen facts with a covered phrase
    all_one: Tensor  # (60,) every cell's, the one-layer model's; with this R alone the others' are the chosen cell's
    all_gpt: Tensor  # (60,) and GPT-2's
    here_tuned: Tensor  # 0-d, n_ft
    here_one: Tensor  # 0-d, at the chosen cell
    here_gpt: Tensor
    here_spread: Tensor
    here_once: Tensor
    ceiling: Tensor  # 0-d, rank correlation of two groups of seeds
    rank_one: Tensor  # 0-d, of GPT-2 and the one-layer model
    rank_once: Tensor  # 0-d, of GPT-2 and the count
    along_tuned: Tensor  # 0-d, of GPT-2 and the one-layer model, where only n_ft moves
    along_multiplicity: Tensor
    along_phrases: Tensor


Choice = record("Choice", (domain.name for domain in DOMAINS))


def gpt2_comparison() -> Program:
    """The stored numbers at one setting."""
    grid, ranks = _tables()
    return Program(
        parameters=Choice,
        domains=DOMAINS,
        start=lambda p: (),
        stages=(),
        watch=lambda s, p: None,
        report=lambda ends, p: _report(grid, ranks, p),
    )


def _report(grid: Tensor, ranks: Tensor, p: Any) -> Comparison:
    """Pick the chosen cell, and what lies along n_ft, by one-hot vectors; arguments from :func:`_tables`."""
    k, r, n = (
        _nearest(p.multiplicity, MULTIPLICITIES),
        _nearest(p.phrases, UNIVERSES),
        _nearest(p.tuned, COUNTS),
    )
    which = (p.positions * len(MOMENTS) + p.moment == torch.arange(len(ranks))).to(torch.float64)
    every = torch.einsum("w,wfkrn->fkrn", which, grid)
    line = torch.einsum("fkrn,k,r->fn", every, k, r)
    gpt, gpt_spread, one, one_spread, once = (line[place] for place in range(5))
    here = line @ n
    among = torch.cat([1 - p.grid[None], p.grid * r])
    ceiling, rank_one, rank_once, tuned, multiplicity, phrases = torch.einsum(
        "w,g,wgf->f", which, among, ranks
    )
    shown = torch.maximum(1 - p.grid, r)[:, None] > 0
    all_gpt, all_one = (torch.where(shown, every[place], here[place]).reshape(-1) for place in (0, 2))
    return Comparison(
        gpt=gpt,
        gpt_low=torch.clamp(gpt - gpt_spread, min=0),
        gpt_high=torch.clamp(gpt + gpt_spread, max=1),
        one=one,
        one_low=torch.clamp(one - one_spread, min=0),
        one_high=torch.clamp(one + one_spread, max=1),
        once=once,
        all_one=all_one,
        all_gpt=all_gpt,
        here_tuned=torch.tensor(COUNTS, dtype=torch.float64) @ n,
        here_one=here[2],
        here_gpt=here[0],
        here_spread=here[1],
        here_once=here[4],
        ceiling=ceiling,
        rank_one=rank_one,
        rank_once=rank_once,
        along_tuned=tuned,
        along_multiplicity=multiplicity,
        along_phrases=phrases,
    )


def counts(_r: Any, _p: Any) -> Tensor:
    """(5,) the numbers of fine-tuned facts."""
    return torch.tensor(COUNTS, dtype=torch.float64)


def alike(r: Comparison, _p: Any) -> Tensor:
    """The two models' accuracies at the chosen cell differ by less than NEAR."""
    return torch.abs(r.here_gpt - r.here_one) < NEAR


@cache
def _tables() -> tuple[Tensor, Tensor]:
    """For both kinds of GPT-2, at each moment: (6, 5, K, R, n_ft), :func:`_grid`; (6, 1 + R, 6), rank correlations over
    every R and at each."""
    ways = [(positions, when) for positions in (False, True) for when in MOMENTS]
    along = [
        [tables.along(*way, axis)["one"] for axis in ("tuned", "multiplicity", "phrases")] for way in ways
    ]
    ranks = [
        [[*at.values(), *more] for at in tables.ranks_at(*way, 0, *map(int, UNIVERSES))]
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


def _nearest(value: Tensor, numbers: tuple[float, ...]) -> Tensor:
    """One-hot, where the nearest of the numbers stands; of two the smaller."""
    apart = torch.abs(torch.log(torch.tensor(numbers, dtype=torch.float64)) - torch.log(value))
    return (torch.arange(len(numbers)) == apart.argmin()).to(torch.float64)
