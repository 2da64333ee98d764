"""The data of the task: Definition 1's sampler, and the kinds of relation in Table 1."""

from __future__ import annotations

from itertools import permutations
from typing import NamedTuple

import torch
from scipy.stats import chi2
from torch import Tensor

from book.recall.common import seeded, table_rows
from lib.recall.task import (
    Knowledge,
    Prompts,
    affine_family,
    all_prompts,
    knowledge,
    matches,
    sample_prompts,
)

KINDS = ("correct", "confusing", "mismatched", "none of them")


class Sampled(NamedTuple):
    """How evenly the sampler covers all prompts."""

    inside: float  # share of draws that are prompts with three distinct subjects
    chi: float  # χ² per degree of freedom
    low: float  # where chance leaves it but once in a million times: from
    high: float  # to


class Kinds(NamedTuple):
    """The kinds of all bijections, means over all prompts, beside Table 1."""

    correct: float
    confusing: float
    mismatched: float
    strangers: int  # relations that are no row of the table
    mistyped: int  # relations of another kind than their row says
    missing: int  # rows that no relation, or more than one, is


def definition_1(subjects: int, draws: int, replacement: int, seed: int = 0) -> Sampled:
    """How evenly the sampler covers r* and ordered triples of subjects, by a χ² of all cells, and 10⁻⁶ quantiles."""
    known = affine_family(subjects)
    if replacement:
        rows = torch.randint(subjects, (draws, 3), generator=seeded(2 * seed))
        relation = torch.randint(known.relations, (draws,), generator=seeded(2 * seed + 1))
    else:
        drawn = sample_prompts(known, draws, seeded(seed))
        rows, relation = drawn.subjects, drawn.relation
    every = all_prompts(known)
    powers = subjects ** torch.tensor([3, 2, 1, 0])
    code, cells = (
        torch.cat([r[:, None], s], 1) @ powers
        for r, s in ((relation, rows), (every.relation, every.subjects))
    )
    counts = torch.bincount(code, minlength=known.relations * subjects**3)[cells]
    mean = draws / every.size
    chi = float(((counts - mean) ** 2).sum()) / mean / (every.size - 1)
    inside = float(counts.sum()) / draws
    freedom = every.size - 1
    low, high = (float(x) / freedom for x in chi2.ppf([1e-6, 1 - 1e-6], freedom))
    return Sampled(inside, chi, low, high)


def kinds(known: Knowledge, every: Prompts) -> Tensor:
    """Return each relation's kind in each prompt: 0 correct, 1 confusing, 2 mismatched, 3 none of them; (B, |R|)."""
    hit = torch.cat(list(matches(known, every)))  # (B, |R|, 3, 2): r(sᵢ) = aⱼ
    two = hit.any(3).sum(2) == 2
    kind = torch.full(two.shape, 3)
    kind[two & hit[:, :, 2].any(2)] = 2
    kind[hit[:, :, 0, 1] & hit[:, :, 1, 0]] = 1
    kind[hit[:, :, 0, 0] & hit[:, :, 1, 1]] = 0
    return kind


def table_1(subjects: int) -> Kinds:
    """The kinds of all bijections in all prompts, and how many differ from the table's six rows."""
    known = knowledge([list(row) for row in permutations(range(subjects))])
    every = all_prompts(known)
    kind = kinds(known, every)
    is_row = table_rows(known, every)
    by_table = (is_row * torch.tensor([0, 1, 2, 2, 2, 2])).sum(2)
    correct, confusing, mismatched = (float((kind == number).sum(1).double().mean()) for number in range(3))
    return Kinds(
        correct=correct,
        confusing=confusing,
        mismatched=mismatched,
        strangers=int((~is_row.any(2)).sum()),
        mistyped=int((by_table != kind).sum()),
        missing=int((is_row.sum(1) != 1).sum()),
    )
