"""What the MLP knows: Lemma 1 (Lemma 3 of Appendix A), every score of its proof, and the sizes of Figure 1."""

from __future__ import annotations

from functools import partial
from typing import Any

from book.ledger import Bounds, Check, Erratum, Ground, at_least, near, recorded, statement
from book.recall.memory import algebra, faithful
from book.recall.memory.faithful import all_are
from book.recall.memory.program import Recollection, memory
from lib.recall.memory import ANSWER, RELATION, SUBJECT

OTHERS = "The lemma stands: the missing element scores 4, so it leads by 2 rather than 3."


@statement(
    "recall.lemma-1",
    runs=memory,
    assumes={
        "bijections": ("every relation is a bijection", lambda r, p: r.bijections),
        "orthonormal": ("embeddings are orthonormal", lambda r, p: r.orthonormal),
        "stored": ("some fact joins the two tokens", lambda r, p: r.stored),
    },
    good=lambda r: at_least(0.9, r.chance, "chance to name the one that was meant"),
    holds_at={"subjects": 8, "relations": 64, "family": 1},
    fails_at={"sharing": 4, "first": 5},
    seeds=10,
    ranges={
        "ask": [ANSWER, RELATION, SUBJECT],
        "first": (1, 8),
        "second": (1, 64),
        "subjects": [3, 4, 5, 7, 8],
        "relations": (1, 64),
        "family": [0, 1],
        "sharing": [1, 1, 1, 2, 4],
        "overlap": [0.0, 0.0, 0.0, 0.1, 0.4],
        "seed": (0, 999),
    },
    listed_errata=(
        Erratum(
            where="Appendix A, proof of Lemma 3: the other answers, given s and r",
            printed=r"\phi(a')^\top f_{\mathrm{MLP}}(\phi(s)+\phi(r))=1\quad(a'\neq a)",
            right=r"\phi(a')^\top f_{\mathrm{MLP}}(\phi(s)+\phi(r))=1+\mathbf 1[a'\in r(\mathcal S)]=2",
            survives=OTHERS,
            symbolic=algebra.others_score_two,
            numeric=partial(faithful.others, ANSWER),
        ),
        Erratum(
            where="Appendix A, proof of Lemma 3: the other subjects, given a and r",
            printed=r"\phi(s')^\top f_{\mathrm{MLP}}(\phi(a)+\phi(r))=1\quad(s'\neq s)",
            right=r"\phi(s')^\top f_{\mathrm{MLP}}(\phi(a)+\phi(r))=2",
            survives=OTHERS,
            symbolic=algebra.others_score_two,
            numeric=partial(faithful.others, SUBJECT),
        ),
        Erratum(
            where="Lemma 1 and Lemma 3: the relation as the one token with the highest score",
            printed=r"r=\arg\max_{u}\phi(u)^\top f_{\mathrm{MLP}}(\phi(a)+\phi(s))",
            right=r"\mathcal R(s,a)=\arg\max_{u}\phi(u)^\top f_{\mathrm{MLP}}(\phi(a)+\phi(s))",
            survives=(
                'Read as "r is one of those with the highest score" it is right, and that is what the proof '
                "shows; nothing later needs more. No memory can do better: the input is the same for all of "
                "$\\mathcal R(s,a)$, on average $|\\mathcal R|/n$ relations."
            ),
            symbolic=algebra.relations_tie,
            numeric=faithful.tied,
        ),
    ),
    listed_checks=(
        Check(
            "Lemma 1, every two tokens of every fact of seven sets",
            r"\text{the argmax, and the scores }4,2,1,0",
            "full model",
            faithful.every_fact_is_recalled,
        ),
        Check(
            "Proof of Lemma 3, the missing element",
            r"4",
            "full model, more answers than subjects",
            faithful.injections_score_four,
        ),
        Check(
            "Proof of Lemma 3, given $s$ and $r$",
            r"\phi(s')^\top f=1,\quad\phi(r')^\top f=1",
            "full model",
            lambda: all_are(ANSWER, SUBJECT, 1.0) and all_are(ANSWER, RELATION, 1.0),
        ),
        Check(
            "Proof of Lemma 3, given $a$ and $r$",
            r"\phi(a')^\top f,\ \phi(r')^\top f=1\text{ or }0\text{, without a preimage}",
            "full model",
            lambda: all_are(SUBJECT, ANSWER, 1.0, 0.0) and all_are(SUBJECT, RELATION, 1.0, 0.0),
        ),
        Check(
            "Proof of Lemma 3, given $s$ and $a$",
            r"\phi(a')^\top f=1,\quad\phi(s')^\top f=1,\quad\phi(r')^\top f\le2",
            "full model",
            lambda: (
                all_are(RELATION, ANSWER, 1.0)
                and all_are(RELATION, SUBJECT, 1.0)
                and faithful.other_relations_at_most_two()
            ),
        ),
        Check(
            "Section 3, the width",
            r"d_{\mathrm{MLP}}=3|\mathcal S|\cdot|\mathcal A|",
            "count",
            faithful.width_is_three_squares,
        ),
    ),
)
def lemma_1(r: Recollection) -> Bounds:
    """What completes a fact has the highest score, and no other token has it."""
    return Bounds(
        near(r.completing, r.maximisers, "tokens with the highest score"),
        near(0.0, r.wrong, "of them, tokens that complete no fact"),
        recorded(r.margin, "lead"),
    )


@statement(
    "recall.figure-1",
    measures=faithful.figure_1,
    assumes={"own": ("every subject has an answer of its own", lambda r, p: r.own)},
    holds_at={"sharing": 1},
    fails_at={"sharing": 2},
    ranges={"sharing": [1, 1, 2, 3], "seed": (0, 9999)},
    algebra=True,
    ground=Ground.OURS,
)
def figure_1(r: Any) -> Bounds:
    """Each subject's answer, and each answer's subject, is found, by a lead of 2."""
    return Bounds(
        near(2.0, r.lead, "least lead of the missing element", absolute=1e-9),
        near(1.0, r.several, "elements that complete a question, at most"),
    )


@statement(
    "recall.remark-lemma-1",
    untested=(
        "A result of another paper (Nichani et al. 2025), for embeddings that are not orthogonal. All training here, "
        "as in the paper, is on orthonormal ones."
    ),
)
def remark_lemma_1(r: Any) -> Bounds:
    """About |S||R| parameters suffice if embeddings need not be orthogonal."""
    return Bounds()
