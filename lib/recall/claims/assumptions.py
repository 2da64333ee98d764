"""Assumptions 1 and 2: which facts allow the task to be solved, and how many of them there can be."""

from __future__ import annotations

import torch
from torch import Tensor

from lib.claims import Check, Claim, Erratum, Evidence, Verdict, register
from lib.recall.claims.common import PAPER
from lib.recall.claims.task import PAGE, seeded
from lib.recall.dynamics.ceiling import (
    exact_ceiling,
    exact_shares,
    exact_violations,
    mismatched_bound,
    occupied_share,
)
from lib.recall.model import build, logits, position_block, sequence
from lib.recall.task import (
    Knowledge,
    affine_family,
    affine_subset,
    all_prompts,
    assumption_1,
    assumption_2,
    matches,
    random_bijections,
)

ZETA = 0.4
"""The constant that Assumption 2 is asked for."""


def assumption_one(subjects: int, relations: int, random: int, seeds: int) -> Evidence:
    """Quadruples shared by several relations, and the Bayes ceiling, over random sets of relations."""
    families = [
        random_bijections(subjects, relations, seeded(seed))
        if random
        else affine_subset(subjects, relations, seeded(seed))
        for seed in range(seeds)
    ]
    found = [assumption_1(known) for known in families]
    violations = sum(item.violations for item in found) / seeds
    ceiling = sum(occupied_share(known) for known in families) / seeds
    drawn = [random_bijections(subjects, relations, seeded(seed)) for seed in range(seeds)]
    alike = sum(occupied_share(known) for known in drawn) / seeds
    most = subjects * (subjects - 1)
    return Evidence(
        hypotheses={
            "at most n(n − 1) relations": relations <= most,
            "relations from a sharply 2-transitive family": not random,
        },
        predicted={
            "shared quadruples": exact_violations(subjects, relations, not random),
            "ceiling": exact_ceiling(subjects, relations, not random),
            "ceiling of as many random bijections": exact_ceiling(subjects, relations, False),
            "relations, at most": float(most),
        },
        measured={
            "shared quadruples": violations,
            "ceiling": ceiling,
            "ceiling of as many random bijections": alike,
            "relations": float(relations),
        },
        conclusion=violations == 0 and ceiling == 1,
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


def _same_subject_twice() -> dict[str, float]:
    answers = affine_family(7).answers
    same = max(int((answers[:, 0] == a).sum()) for a in range(7))
    apart = assumption_1(Knowledge(answers)).multiplicity
    return {"subjects": 7, "paper": 1, "right": 6, "measured": same, "measured, distinct subjects": apart}


register(
    Claim(
        id="recall.assumption-1",
        paper=PAPER,
        kind="assumption",
        number="1",
        title="Two examples belong to at most one relation",
        page=PAGE,
        statement=(
            "For any two distinct subjects and any two answers, at most one relation gives these answers to these "
            "subjects. So two examples identify $r^*$."
        ),
        examine=assumption_one,
        holds_at={"subjects": 7, "relations": 42, "random": 0, "seeds": 10},
        fails_at={"subjects": 8, "relations": 64, "random": 1, "seeds": 10},
        recorded=Verdict.CORRECTED,
        finding=(
            "It allows at most n(n − 1) relations, so it cannot hold in the paper's experiments, where n = 8 and "
            "|R| = 64 > 56. A dozen random bijections break it at any n; where |R| is small beside n², few prompts "
            "notice."
        ),
        errata=(
            Erratum(
                where="Assumption 1: which subjects it speaks of",
                paper=(
                    r"\text{for any }s_1,s_2\in\mathcal S,\ a_1,a_2\in\mathcal A:\quad"
                    r"\bigl|\{r\in\mathcal R\mid r(s_1)=a_1,\,r(s_2)=a_2\}\bigr|\le1"
                ),
                right=(
                    r"\text{for any }s_1\ne s_2:\quad"
                    r"\bigl|\{r\in\mathcal R\mid r(s_1)=a_1,\,r(s_2)=a_2\}\bigr|\le1"
                ),
                survives=(
                    "Everything does: the sentence before it speaks of two pairs. Taken at its letter, with $s_1=s_2$ "
                    "and $a_1=a_2$, it would allow at most $n$ relations, and exclude the warm-up's six on three "
                    "subjects."
                ),
                symbolic=subjects_must_be_distinct,
                numeric=_same_subject_twice,
            ),
        ),
    )
)


def assumption_two(subjects: int, relations: int, seeds: int) -> Evidence:
    """The shares of confusing and of mismatched prompts in random sets of affine maps, counted over all prompts."""
    found = []
    for seed in range(seeds):
        known = affine_subset(subjects, relations, seeded(seed))
        found.append(assumption_2(known, all_prompts(known)))
    confusing = sum(item.confusing_fraction for item in found) / seeds
    mismatched = sum(item.mismatched_fraction for item in found) / seeds
    zeta = min(item.zeta for item in found)
    _, by_law, also = exact_shares(subjects, relations, True)
    bound = mismatched_bound(subjects, relations)
    return Evidence(
        hypotheses={
            "|R| at least 1 + ζ n(n − 2)/4": relations >= 1 + ZETA * subjects * (subjects - 2) / 4,
            "a share ζ or more of the affine maps": relations >= 1 + ZETA * (subjects * (subjects - 1) - 1),
        },
        predicted={"confusing": by_law, "mismatched": also, "mismatched, at most": min(1.0, bound)},
        measured={"confusing": confusing, "mismatched": mismatched, "least ζ": zeta},
        conclusion=zeta >= ZETA and mismatched <= bound,
    )


def _verdict_of_attention(v: Tensor, sets: list[Knowledge]) -> Tensor:
    """For every prompt of every set: [r* leads alone, r* ties, confusing, mismatched], (B, 4) bool; full model."""
    rows = []
    for known in sets:
        every = all_prompts(known)
        n = known.subjects
        theta = torch.log(v)
        model = build(known)
        model = model._replace(
            W_KQ=position_block(theta, torch.zeros(7, dtype=torch.float64), model.embedding.shape[1])
        )
        scores = logits(model, sequence(known, every))[:, 2 * n : -1]
        own = scores.gather(1, every.relation[:, None])
        rivals = (scores > own - 1e-9).sum(1)
        hit = torch.cat(list(matches(known, every)))
        confusing = (hit[:, :, 0, 1] & hit[:, :, 1, 0]).any(1)
        mismatched = (hit[:, :, 2].any(2) & hit[:, :, :2].any(3).any(2)).any(1)
        leads = (rivals == 1) & (scores <= own + 1e-9).all(1)
        rows.append(torch.stack([leads, (rivals > 1), confusing, mismatched], 1))
    return torch.cat(rows)


def _thin_sets() -> list[Knowledge]:
    return [affine_subset(7, size, seeded(size)) for size in (2, 5, 9)]


def start_suffices_without_both() -> bool:
    """Even attention names r* in each prompt with no confusing and no mismatched relation, and in no other."""
    leads, _, confusing, mismatched = _verdict_of_attention(
        torch.full((6,), 1 / 6, dtype=torch.float64), _thin_sets()
    ).unbind(1)
    plain = ~confusing & ~mismatched
    return bool(plain.any()) and torch.equal(leads, plain)


def saddle_suffices_without_confusing() -> bool:
    """Attention (¼, ¼, ¼, ¼, 0, 0) names r* in each prompt with no confusing relation, and in no other."""
    v = torch.tensor([0.25, 0.25, 0.25, 0.25, 1e-300, 1e-300], dtype=torch.float64)
    leads, tied, confusing, _ = _verdict_of_attention(v, _thin_sets()).unbind(1)
    return torch.equal(leads, ~confusing) and torch.equal(tied, confusing)


register(
    Claim(
        id="recall.assumption-2",
        paper=PAPER,
        kind="assumption",
        number="2",
        title="A constant share of the prompts is confusing, and of the prompts mismatched",
        page=PAGE,
        statement=(
            "At least a constant share $\\zeta$ of prompts has a relation that swaps the two answers, and at "
            "least a share $\\zeta$ has one that gives the query one shown answer, and $s_1$ or $s_2$ the other."
        ),
        examine=assumption_two,
        holds_at={"subjects": 11, "relations": 55, "seeds": 4},
        fails_at={"subjects": 11, "relations": 6, "seeds": 4},
        recorded=Verdict.CONFIRMED,
        finding=(
            "Affine maps have ζ = 1, a random half of them about ½. With Assumption 1 it forces "
            "1 + ζn(n − 2)/4 ≤ |R| ≤ n(n − 1): of order n² relations, neither fewer nor more."
        ),
        checked=(
            Check(
                "Section 4.2, after Assumption 2: no confusing prompt",
                "the attention of the saddle names $r^*$ every time",
                "full model",
                saddle_suffices_without_confusing,
            ),
            Check(
                "Section 4.2, after Assumption 2: neither kind",
                "even attention names $r^*$ every time",
                "full model",
                start_suffices_without_both,
            ),
        ),
    )
)
