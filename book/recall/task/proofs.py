"""Proofs of the page: sequences and losses as defined, Lemma 4's logit, and the two assumptions at their letter."""

from __future__ import annotations

import torch
from torch import Tensor

from book.ledger.proofs import Rank, Survival, checked, erratum
from book.recall.common import seeded
from book.recall.task.full_model import random_weights
from book.recall.task.program import ZETA, giveaway
from book.recall.task.prompts import kinds
from lib.program import run_many
from lib.recall.model import (
    answer_loss_full,
    attention,
    build,
    cot_loss,
    logits,
    relation_loss_full,
    sequence,
    with_scores,
)
from lib.recall.task import (
    Knowledge,
    Prompts,
    affine_family,
    affine_subset,
    all_prompts,
    assumption_1,
    assumption_2,
    random_bijections,
    sample_prompts,
)


def _verdict_of_attention(v: list[float]) -> Tensor:
    """For every prompt of thin sets: [r* leads alone, r* ties, confusing, mismatched], (B, 4) bool; full model."""
    theta, rows = torch.log(torch.tensor(v, dtype=torch.float64)), []
    for size in (2, 5, 9):
        known = affine_subset(7, size, seeded(size))
        every = all_prompts(known)
        model = with_scores(build(known), theta)
        scores = logits(model, sequence(known, every))[:, 2 * known.subjects : -1]
        true_score = scores.gather(1, every.relation[:, None])
        rivals = (scores > true_score - 1e-9).sum(1)
        kind = kinds(known, every)
        confusing, mismatched = (kind == 1).any(1), (kind == 2).any(1)
        rows.append(torch.stack([rivals == 1, rivals > 1, confusing, mismatched], 1))
    return torch.cat(rows)


@checked(
    "recall.definition-1",
    "Definition 1, the sequence",
    r"\widetilde Z=(s_1,a_1,s_2,a_2,s_3,u_{\mathrm{EoS}})",
    "count",
)
def tokens_follow_the_definition() -> bool:
    """Proves that every sequence is s₁, r*(s₁), s₂, r*(s₂), s₃, EoS, and r*(s₃) is not among the answers shown."""
    known = random_bijections(5, 9, seeded(2))
    drawn = sample_prompts(known, 500, seeded(3))
    for tokens, s, r in zip(
        sequence(known, drawn).tolist(), drawn.subjects.tolist(), drawn.relation, strict=True
    ):
        a = [5 + int(known.answers[r, x]) for x in s]
        if tokens != [s[0], a[0], s[1], a[1], s[2], 2 * 5 + 9] or a[2] in a[:2]:
            return False
    return True


@checked(
    "recall.equations-1-3",
    "Equations 1, 2 and 3",
    r"L_1,\ L_2,\ L=L_1+L_2",
    "full model, written out prompt by prompt",
)
def losses_are_cross_entropies() -> bool:
    """Proves L₁ and L₂ as means of −log of the masked softmax, written out token by token; L is their sum."""
    known = random_bijections(4, 7, seeded(5))
    data = sample_prompts(known, 30, seeded(6))
    model = build(known, generator=seeded(7))
    model = model._replace(W_KQ=torch.randn(model.W_KQ.shape, dtype=torch.float64, generator=seeded(8)) / 3)
    sums = [0.0, 0.0]
    for i in range(data.size):
        single = Prompts(data.subjects[i : i + 1], data.relation[i : i + 1])
        r = int(single.relation)
        a = int(known.answers[r, single.subjects[0, 2]])
        first = logits(model, sequence(known, single))[0, 8:15] / 0.3
        second = logits(model, sequence(known, single, decoded=True))[0, 4:8] / 0.3
        sums[0] -= float(first[r] - torch.log(torch.exp(first).sum())) / data.size
        sums[1] -= float(second[a] - torch.log(torch.exp(second).sum())) / data.size
    losses = [
        float(loss(model, known, data, 0.3)) for loss in (relation_loss_full, answer_loss_full, cot_loss)
    ]
    return all(abs(x - y) < 1e-9 for x, y in zip(losses, (*sums, sum(sums)), strict=True))


@checked(
    "recall.equations-1-3",
    "Section 2.3, partial fine-tuning",
    r"\mathrm{softmax}(\theta),\ \mathrm{softmax}(\omega)\text{ are the attention}",
    "full model",
)
def attention_is_softmax_of_scores() -> bool:
    """Proves that softmax(θ) and softmax(ω) are the attention from EoS and from the decoded relation."""
    known = affine_family(5)
    data = sample_prompts(known, 20, seeded(9))
    model = build(known, generator=seeded(10))
    theta = torch.randn(6, dtype=torch.float64, generator=seeded(11))
    omega = torch.randn(7, dtype=torch.float64, generator=seeded(12))
    model = with_scores(model, theta, omega)
    pairs = (
        (attention(model, sequence(known, data)), torch.softmax(theta, 0)),
        (attention(model, sequence(known, data, decoded=True)), torch.softmax(omega, 0)),
    )
    return all(float((seen - wanted).abs().max()) < 1e-12 for seen, wanted in pairs)


@checked("recall.lemma-4", "Proof of Lemma 4", r"l(a_1)=l(a_2)=l(a_3)=v_1^2+v_3^2+v_5^2", "full model")
def answers_logit_is_right() -> bool:
    """Proves l(a) = v₁² + v₃² + v₅² for every answer a, in the full model with a random W^KQ, n = 3 and 5."""
    for q in (3, 5):
        known = affine_family(q)
        every = all_prompts(known)
        model = random_weights(build(known, generator=seeded(2)), 3, 1.0)
        tokens = sequence(known, every)
        v = attention(model, tokens)
        printed = v[:, 0] ** 2 + v[:, 2] ** 2 + v[:, 4] ** 2
        if float((logits(model, tokens)[:, q : 2 * q] - printed[:, None]).abs().max()) > 1e-9:
            return False
    return True


def same_subject_twice() -> dict[str, float]:
    """How many of the 42 affine maps of seven elements send one subject, named twice, to one answer."""
    answers = affine_family(7).answers
    same = max(int((answers[:, 0] == a).sum()) for a in range(7))
    apart = assumption_1(Knowledge(answers)).multiplicity
    return {"subjects": 7, "paper": 1, "right": 6, "measured": same, "measured, distinct subjects": apart}


@erratum(
    "recall.assumption-1",
    rank=Rank.MISPRINT,
    where="Assumption 1: which subjects it speaks of",
    printed=r"\text{for any }s_1,s_2\in\mathcal S,\ a_1,a_2\in\mathcal A:\quad"
    r"\bigl|\{r\in\mathcal R\mid r(s_1)=a_1,\,r(s_2)=a_2\}\bigr|\le1",
    right=r"\text{for any }s_1\ne s_2:\quad"
    r"\bigl|\{r\in\mathcal R\mid r(s_1)=a_1,\,r(s_2)=a_2\}\bigr|\le1",
    survival=Survival.ONCE_CORRECTED,
    survives="Everything does: the sentence before it speaks of two pairs. Taken at its letter, with $s_1=s_2$ "
    "and $a_1=a_2$, it would allow at most $n$ relations, and exclude the warm-up's six on three "
    "subjects.",
    numbers=same_subject_twice,
)
def subjects_must_be_distinct() -> bool:
    """Proves by sympy that two distinct subjects fix an affine map, and one subject, twice, leaves n − 1 of them."""
    import sympy as sp

    a, b, s1, s2, y1, y2 = sp.symbols("a b s1 s2 y1 y2")
    n = sp.Symbol("n", integer=True, positive=True)
    twice = sp.linsolve([a * s1 + b - y1, a * s1 + b - y1], [a, b])
    apart = sp.linsolve([a * s1 + b - y1, a * s2 + b - y2], [a, b])
    slopes = sp.Sum(1, (a, 1, n - 1)).doit()
    left = next(iter(twice)).free_symbols & {a, b}
    return bool(left) and not next(iter(apart)).free_symbols & {a, b} and sp.simplify(slopes - (n - 1)) == 0


@checked(
    "recall.assumption-2",
    "Assumption 2, ten sets of half of the affine maps, n = 8",
    "each has its share of both kinds",
    "count",
)
def counted_sets_have_it() -> bool:
    """Proves by counting that ten halves of the affine maps over eight elements have the share ζ of both kinds each."""
    sets = run_many(giveaway(), [{"family": 0, "load": 0.5, "seed": seed} for seed in range(10)])
    return bool((torch.minimum(sets.measured_confusing, sets.measured_mismatched) >= ZETA).all())


@checked("recall.assumption-2", "Assumption 2, all affine maps, n = 3, 5, 7", r"\zeta=1", "count")
def whole_family_has_both_kinds_everywhere() -> bool:
    """Proves by counting that every prompt of the whole affine family is both confusing and mismatched."""
    families = map(affine_family, (3, 5, 7))
    return all(assumption_2(known, all_prompts(known)).zeta == 1 for known in families)


@checked(
    "recall.assumption-2",
    "Section 4.2, after Assumption 2: no confusing prompt",
    "the attention of the saddle names $r^*$ every time",
    "full model",
)
def saddle_suffices_without_confusing() -> bool:
    """Proves that attention (¼, ¼, ¼, ¼, 0, 0) names r* in each prompt with no confusing relation, and in no other."""
    leads, tied, confusing, _ = _verdict_of_attention([0.25] * 4 + [1e-300] * 2).unbind(1)
    return torch.equal(leads, ~confusing) and torch.equal(tied, confusing)


@checked(
    "recall.assumption-2",
    "Section 4.2, after Assumption 2: neither kind",
    "even attention names $r^*$ every time",
    "full model",
)
def start_suffices_without_both() -> bool:
    """Proves that even attention names r* just in the prompts without confusing and mismatched relations."""
    leads, _, confusing, mismatched = _verdict_of_attention([1 / 6] * 6).unbind(1)
    plain = ~confusing & ~mismatched
    return bool(plain.any()) and torch.equal(leads, plain)
