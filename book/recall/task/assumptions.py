"""Assumptions 1 and 2: what they say at their letter, how often sets keep them, and what suffices without them."""

from __future__ import annotations

import torch
from torch import Tensor

from book.recall.common import seeded
from book.recall.task.program import ZETA, giveaway
from book.recall.task.prompts import kinds
from lib.program import run, run_many
from lib.recall.ceiling import agreeing_pairs, occupied_share
from lib.recall.model import build, logits, sequence, with_scores
from lib.recall.task import (
    Knowledge,
    affine_family,
    affine_subset,
    all_prompts,
    assumption_1,
    random_bijections,
)


def subjects_must_be_distinct() -> bool:
    """By sympy: two distinct subjects fix an affine map; one subject, twice, leaves a family of n − 1 of them."""
    import sympy as sp

    a, b, s1, s2, y1, y2 = sp.symbols("a b s1 s2 y1 y2")
    n = sp.Symbol("n", integer=True, positive=True)
    twice = sp.linsolve([a * s1 + b - y1, a * s1 + b - y1], [a, b])
    apart = sp.linsolve([a * s1 + b - y1, a * s2 + b - y2], [a, b])
    slopes = sp.Sum(1, (a, 1, n - 1)).doit()
    left = next(iter(twice)).free_symbols & {a, b}
    return bool(left) and not next(iter(apart)).free_symbols & {a, b} and sp.simplify(slopes - (n - 1)) == 0


def same_subject_twice() -> dict[str, float]:
    answers = affine_family(7).answers
    same = max(int((answers[:, 0] == a).sum()) for a in range(7))
    apart = assumption_1(Knowledge(answers)).multiplicity
    return {"subjects": 7, "paper": 1, "right": 6, "measured": same, "measured, distinct subjects": apart}


def _verdict_of_attention(v: list[float]) -> Tensor:
    """For every prompt of thin sets: [r* leads alone, r* ties, confusing, mismatched], (B, 4) bool; full model."""
    theta, rows = torch.log(torch.tensor(v, dtype=torch.float64)), []
    for size in (2, 5, 9):
        known = affine_subset(7, size, seeded(size))
        every = all_prompts(known)
        model = with_scores(build(known), theta)
        scores = logits(model, sequence(known, every))[:, 2 * known.subjects : -1]
        own = scores.gather(1, every.relation[:, None])
        rivals = (scores > own - 1e-9).sum(1)
        kind = kinds(known, every)
        confusing, mismatched = (kind == 1).any(1), (kind == 2).any(1)
        rows.append(torch.stack([rivals == 1, rivals > 1, confusing, mismatched], 1))
    return torch.cat(rows)


def start_suffices_without_both() -> bool:
    """Even attention names r* in each prompt with no confusing and no mismatched relation, and in no other."""
    leads, _, confusing, mismatched = _verdict_of_attention([1 / 6] * 6).unbind(1)
    plain = ~confusing & ~mismatched
    return bool(plain.any()) and torch.equal(leads, plain)


def saddle_suffices_without_confusing() -> bool:
    """Attention (¼, ¼, ¼, ¼, 0, 0) names r* in each prompt with no confusing relation, and in no other."""
    leads, tied, confusing, _ = _verdict_of_attention([0.25] * 4 + [1e-300] * 2).unbind(1)
    return torch.equal(leads, ~confusing) and torch.equal(tied, confusing)


def counted_sets_have_it() -> bool:
    """Half of the affine maps over eight elements: each of ten sets has its share ζ of both kinds, prompt by prompt."""
    sets = run_many(giveaway(), [{"family": 0, "load": 0.5, "seed": seed} for seed in range(10)])
    return bool((torch.minimum(sets.measured_confusing, sets.measured_mismatched) >= ZETA).all())


def ceiling_of(subjects: int, relations: int, examples: int, sets: int = 10) -> dict[str, float]:
    """The best accuracy of naming r* among random bijections: at most, by the law, and counted for some sets."""
    n, places = subjects, subjects * (subjects - 1) * (subjects - 2 if examples == 3 else 1)
    found = torch.tensor(
        [occupied_share(random_bijections(n, relations, seeded(seed)), examples) for seed in range(sets)]
    )
    law = run(giveaway(), subjects=n, load=relations / (n * (n - 1)), examples=examples).report
    return {
        "limit": places,
        "most": min(1, places / relations),
        "law": float(law.ceiling),
        "counted": float(found.mean()),
        "spread": float(found.std()),
    }


def breaches(subjects: int, relations: int = 12, sets: int = 20) -> dict[str, float]:
    """How often random bijections break Assumption 1 somewhere, and how often a prompt meets it.

    Returns:
        The chance that two of them agree on two subjects, how many sets keep the assumption, and the share of prompts
        whose examples fit another relation.
    """
    kept = [assumption_1(random_bijections(subjects, relations, seeded(seed))).holds for seed in range(sets)]
    law = run(giveaway(), subjects=subjects, load=relations / (subjects * (subjects - 1))).report
    return {"agree": agreeing_pairs(subjects), "kept": sum(kept), "met": float(law.met)}
