"""Proofs of Lemma 1: three slips in what other elements score and how many tie, and every score of its proof."""

from __future__ import annotations

from typing import Any

import torch

from book.ledger.proofs import Rank, Survival, checked, erratum, misprint
from book.recall.common import random_embedding
from book.recall.memory.full_model import (
    FACTS,
    as_maps,
    every_score,
    highest,
    injections,
    others_of_its_kind,
    recalled,
    spans,
    winners_are_right,
)
from lib.recall.memory import ANSWER, RELATION, SUBJECT
from lib.recall.model import memory_layers
from lib.recall.task import affine_family


def score_by_sympy() -> Any:
    """Return Σᵢ (δ(i, s) + δ(i, t))² over i = 1 … n, by sympy, and its symbols n, s, t.

    It is the score of an answer a′ given s and r, with t = r⁻¹(a′); of a relation r′ given s and a, with t = r′⁻¹(a);
    of a subject given a and r, with answers for subjects. Beyond n there is no such t.
    """
    import sympy as sp

    n, i, s, t = sp.symbols("n i s t", integer=True, positive=True)
    squared = sp.expand((sp.KroneckerDelta(i, s) + sp.KroneckerDelta(i, t)) ** 2)
    return sp.Sum(squared, (i, 1, n)).doit(), n, s, t


def all_are(ask: int, kind: int, wanted: float, missing: float | None = None) -> bool:
    """Whether all tokens of a ``kind`` that complete nothing score ``wanted``, or ``missing`` without a preimage.

    For answers and relations a preimage is that of the answer, of the answer given. Injections of three subjects
    into five answers lack some.
    """
    maps = injections(3, 5, 6)
    scores, completing = recalled(maps, ask)
    block = spans(maps)[kind]
    measured = scores[:, block]
    if kind == ask:
        measured = torch.where(completing[:, block], wanted, measured)
    expected = torch.full_like(measured, wanted)
    if missing is not None:
        r, _, a = maps.nonzero().unbind(1)
        pairs = torch.stack([a, r], 1).unique(dim=0)
        reached = maps.sum(1) > 0  # (|R|, |A|)
        there = reached[pairs[:, 1]] if kind == ANSWER else reached[:, pairs[:, 0]].T
        expected = torch.where(there, wanted, missing).to(torch.float64)
    return bool((measured - expected).abs().max() < 1e-9)


def other_scores(ask: int) -> dict[str, float]:
    """What other answers, or subjects, score, beside the printed 1."""
    rest = others_of_its_kind(as_maps(affine_family(5).answers), ask)
    return {"subjects": 5, "paper": 1, "right": 2, "measured": round(float(rest.mean()), 9)}


def other_relations_at_most_two() -> bool:
    """Given s and a, a relation that does not join them scores 2, or 1 if a has no preimage."""
    rest = others_of_its_kind(injections(3, 5, 6), RELATION)
    return bool(rest.max() < 2 + 1e-9) and set(rest.round(decimals=6).tolist()) == {1.0, 2.0}


def other_answers() -> dict[str, float]:
    """The score of other answers, given s and r."""
    return other_scores(ANSWER)


@erratum(
    "recall.lemma-1",
    rank=Rank.PROOF,
    where="Appendix A, proof of Lemma 3: the other answers, given s and r",
    printed=r"\phi(a')^\top f_{\mathrm{MLP}}(\phi(s)+\phi(r))=1\quad(a'\neq a)",
    right=r"\phi(a')^\top f_{\mathrm{MLP}}(\phi(s)+\phi(r))=1+\mathbf 1[a'\in r(\mathcal S)]=2",
    survival=Survival.AS_PRINTED,
    survives="The lemma stands: the missing element scores 4, so it leads by 2 rather than 3.",
    numbers=other_answers,
)
def others_score_two() -> bool:
    """Proves that the score is 4 if t = s, 2 if t is another, and 1, as printed, only if there is no t."""
    score, n, s, t = score_by_sympy()
    scores = [score.subs({s: 1, t: other, n: 3}) for other in (1, 2, 7)]
    general = score.args[0][0]  # where both are at most n
    return scores == [4, 2, 1] and general.subs(t, s) == 4 and general.subs({s: 1, t: 2}) == 2


def other_subjects() -> dict[str, float]:
    """The score of other subjects, given a and r."""
    return other_scores(SUBJECT)


erratum(
    "recall.lemma-1",
    rank=Rank.PROOF,
    where="Appendix A, proof of Lemma 3: the other subjects, given a and r",
    printed=r"\phi(s')^\top f_{\mathrm{MLP}}(\phi(a)+\phi(r))=1\quad(s'\neq s)",
    right=r"\phi(s')^\top f_{\mathrm{MLP}}(\phi(a)+\phi(r))=2",
    survival=Survival.AS_PRINTED,
    survives="The lemma stands: the missing element scores 4, so it leads by 2 rather than 3.",
    numbers=other_subjects,
)(others_score_two)


def tied_relations() -> dict[str, float]:
    """How many relations have the highest score, beside the printed one."""
    scores, _ = recalled(as_maps(affine_family(5).answers), RELATION)
    number = float(highest(scores).sum(1).double().mean())
    return {"subjects": 5, "relations": 20, "paper": 1, "right": 4, "measured": number}


@erratum(
    "recall.lemma-1",
    rank=Rank.MISPRINT,
    where="Lemma 1 and Lemma 3: the relation as the one token with the highest score",
    printed=r"r=\arg\max_{u}\phi(u)^\top f_{\mathrm{MLP}}(\phi(a)+\phi(s))",
    right=r"\mathcal R(s,a)=\arg\max_{u}\phi(u)^\top f_{\mathrm{MLP}}(\phi(a)+\phi(s))",
    survival=Survival.ONCE_CORRECTED,
    survives='Read as "r is one of those with the highest score" it is right, and that is what the proof '
    "shows; nothing later needs more. No memory can do better: the input is the same for all of "
    "$\\mathcal R(s,a)$, on average $|\\mathcal R|/n$ relations.",
    numbers=tied_relations,
)
def relations_tie() -> bool:
    """Proves that the score of a relation depends on t alone, so all with r(s) = a tie; and they average |R|/n."""
    import sympy as sp

    score, _, s, t = score_by_sympy()
    n, slope = sp.symbols("n a", integer=True, positive=True)
    through = sp.Sum(1, (slope, 1, n - 1)).doit()  # affine maps with a s + b = y: one b for each a ≠ 0
    tied = score.free_symbols - {s, t} == {sp.Symbol("n", integer=True, positive=True)}
    return tied and sp.simplify(through - n * (n - 1) / n) == 0 and sp.simplify(through - 1) != 0


@checked(
    "recall.lemma-1",
    "Lemma 1, every two tokens of every fact of seven sets",
    r"\text{the argmax, and the scores }4,2,1,0",
    "full model",
)
def every_fact_is_recalled() -> bool:
    """Proves the lemma's argmax and the scores 4, 2, 1 and 0 for every two tokens of every fact of ``FACTS``."""
    return all(winners_are_right(as_maps(table)) for table in FACTS.values()) and all(
        every_score(name).off < 1e-9 for name in FACTS
    )


@checked(
    "recall.lemma-1", "Proof of Lemma 3, the missing element", r"4", "full model, more answers than subjects"
)
def injections_score_four() -> bool:
    """Proves that the missing element scores 4 where there are more answers than subjects, too, whatever is asked."""
    every = (recalled(injections(3, 5, 6), ask) for ask in (ANSWER, RELATION, SUBJECT))
    return all(bool((scores[completing] - 4).abs().max() < 1e-9) for scores, completing in every)


@checked(
    "recall.lemma-1",
    "Proof of Lemma 3, given $s$ and $r$",
    r"\phi(s')^\top f=1,\quad\phi(r')^\top f=1",
    "full model",
)
def others_score_one_given_subject_and_relation() -> bool:
    """Proves that given s and r other subjects and other relations score 1."""
    return all_are(ANSWER, SUBJECT, 1.0) and all_are(ANSWER, RELATION, 1.0)


@checked(
    "recall.lemma-1",
    "Proof of Lemma 3, given $a$ and $r$",
    r"\phi(a')^\top f,\ \phi(r')^\top f=1\text{ or }0\text{, without a preimage}",
    "full model",
)
def others_score_one_given_answer_and_relation() -> bool:
    """Proves that given a and r other answers and other relations score 1, or 0 without a preimage."""
    return all_are(SUBJECT, ANSWER, 1.0, 0.0) and all_are(SUBJECT, RELATION, 1.0, 0.0)


@checked(
    "recall.lemma-1",
    "Proof of Lemma 3, given $s$ and $a$",
    r"\phi(a')^\top f=1,\quad\phi(s')^\top f=1,\quad\phi(r')^\top f\le2",
    "full model",
)
def others_score_given_subject_and_answer() -> bool:
    """Proves that given s and a other answers and subjects score 1, and other relations 2 at most."""
    others_score_one = all_are(RELATION, ANSWER, 1.0) and all_are(RELATION, SUBJECT, 1.0)
    return others_score_one and other_relations_at_most_two()


@checked(
    "recall.lemma-1", "Section 3, the width", r"d_{\mathrm{MLP}}=3|\mathcal S|\cdot|\mathcal A|", "count"
)
def width_is_three_squares() -> bool:
    """Proves that the memory has three neurons for each pair of a subject and an answer."""
    for table in FACTS.values():
        relations, n = table.shape
        W, _ = memory_layers(as_maps(table), random_embedding(2 * n + relations + 1))
        if len(W) != 3 * n**2:
            return False
    return True


misprint(
    "recall.lemma-1",
    where="Appendix A, proof of Lemma 3: why the other subjects score less, given a and r",
    printed=r"s'\ne s:\ a'\text{ can only be mapped from }s\text{ through relations that are not }r",
    right=r"s'\ne s:\ a\text{ can only be mapped from }s'\text{ through relations that are not }r",
    survival=Survival.AS_PRINTED,
    survives="The lemma stands: the sentence was carried over from the case before, where an answer is asked for.",
)
