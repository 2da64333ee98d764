"""The data of the task: Definition 1's sampler, and the kinds of relation in Table 1."""

from __future__ import annotations

from itertools import permutations

import torch
from scipy.stats import chi2
from torch import Tensor

from book.recall.common import seeded, table_rows
from lib.recall.model import sequence
from lib.recall.task import (
    Knowledge,
    Prompts,
    affine_family,
    all_prompts,
    knowledge,
    matches,
    random_bijections,
    sample_prompts,
)

KINDS = ("correct", "confusing", "mismatched", "none of them")


def definition_1(subjects: int, draws: int, replacement: int, seed: int = 0) -> dict[str, float]:
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
    return {"distinct": not replacement, "inside": inside, "chi": chi, "low": low, "high": high}


def tokens_follow_the_definition() -> bool:
    """Every sequence is s₁, r*(s₁), s₂, r*(s₂), s₃, EoS, and r*(s₃) is not among the answers shown."""
    known = random_bijections(5, 9, seeded(2))
    drawn = sample_prompts(known, 500, seeded(3))
    for tokens, s, r in zip(
        sequence(known, drawn).tolist(), drawn.subjects.tolist(), drawn.relation, strict=True
    ):
        a = [5 + int(known.answers[r, x]) for x in s]
        if tokens != [s[0], a[0], s[1], a[1], s[2], 2 * 5 + 9] or a[2] in a[:2]:
            return False
    return True


def kinds(known: Knowledge, every: Prompts) -> Tensor:
    """The kind of each relation in each prompt: 0 correct, 1 confusing, 2 mismatched, 3 none of them; (B, |R|)."""
    hit = torch.cat(list(matches(known, every)))  # (B, |R|, 3, 2): r(sᵢ) = aⱼ
    two = hit.any(3).sum(2) == 2
    kind = torch.full(two.shape, 3)
    kind[two & hit[:, :, 2].any(2)] = 2
    kind[hit[:, :, 0, 1] & hit[:, :, 1, 0]] = 1
    kind[hit[:, :, 0, 0] & hit[:, :, 1, 1]] = 0
    return kind


def table_1(subjects: int) -> dict[str, float]:
    """The kinds of all bijections in all prompts, and how many differ from the table's six rows."""
    known = knowledge([list(row) for row in permutations(range(subjects))])
    every = all_prompts(known)
    found = kinds(known, every)
    is_row = table_rows(known, every)
    typed = (is_row * torch.tensor([0, 1, 2, 2, 2, 2])).sum(2)
    counts = {name: float((found == kind).sum(1).double().mean()) for kind, name in enumerate(KINDS[:3])}
    return {
        "three": subjects == 3,
        **counts,
        "strangers": int((~is_row.any(2)).sum()),
        "mistyped": int((typed != found).sum()),
        "missing": int((is_row.sum(1) != 1).sum()),
    }
