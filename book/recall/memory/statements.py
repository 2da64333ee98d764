"""What the MLP knows: Lemma 1 (Lemma 3 of Appendix A), every score of its proof, and the sizes of Figure 1."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from book.ledger import Bounds, Ground, above, at_least, near, recorded, statement
from book.ledger.rates import grows_at_most_as
from book.recall.compact_memory import DIMENSIONS, FEWEST, Compact, compact_memory
from book.recall.memory.full_model import Leads, three_subjects_four_answers
from book.recall.memory.program import Recollection, memory
from lib.recall.memory import ANSWER, RELATION, SUBJECT


def is_stored(r: Recollection, p: Any) -> Tensor:
    """Whether some fact joins the two tokens."""
    return r.completing > 0


@statement(
    "recall.lemma-1",
    runs=memory,
    assumes={
        "bijections": ("every relation is a bijection", lambda r, p: r.most_sharing < 1.5),
        "orthonormal": ("embeddings are orthonormal", lambda r, p: p.overlap == 0),
        "stored": ("some fact joins the two tokens", is_stored),
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
    measures=three_subjects_four_answers,
    assumes={"own": ("every subject has an answer of its own", lambda r, p: p.sharing == 1)},
    holds_at={"sharing": 1},
    fails_at={"sharing": 2},
    ranges={"sharing": [1, 1, 2, 3], "seed": (0, 9999)},
    algebra=True,
    ground=Ground.OURS,
)
def figure_1(r: Leads) -> Bounds:
    """Each subject's answer, and each answer's subject, is found, by a lead of 2."""
    return Bounds(
        near(2.0, r.lead, "least lead of the missing element", absolute=1e-9),
        near(1.0, r.several, "elements that complete a question, at most"),
    )


@statement(
    "recall.remark-lemma-1",
    measures=compact_memory,
    assumes={
        "enough": ("16 parameters of the MLP for each fact (ours)", lambda r, p: p.per_fact >= 16),
        "many": (
            f"at least {FEWEST} facts, as in the stored table (ours)",
            lambda r, p: p.subjects * p.relations >= FEWEST,
        ),
    },
    holds_at={"subjects": 12, "relations": 12, "per_fact": 16.0},
    fails_at={"subjects": 8, "relations": 4, "per_fact": 2.0},
    ranges={
        "subjects": (5, 14),
        "relations": (4, 14),
        "per_fact": [(16.0, 32.0)] * 3 + [(2.0, 16.0)],
        "activation": list(DIMENSIONS),
        "seed": (0, 999),
    },
)
def remark_lemma_1(r: Compact) -> Bounds:
    """Random embeddings that overlap store all facts, with a number of parameters that is linear in |S||R|."""
    return Bounds(
        near(1.0, r.answered, "questions that the memory answers", absolute=1e-9),
        above(0.0, r.cosine, "largest cosine of two embeddings"),
        grows_at_most_as(1.0, r.growth, "exponent of |S||R|"),
        grows_at_most_as(1.0, r.fewer, "exponent of |S||R|, fewer dimensions than subjects"),
        recorded(r.per_fact, "parameters of the MLP for each fact, at most"),
        recorded(r.saved, "parameters of Lemma 1 over these, largest size"),
    )
