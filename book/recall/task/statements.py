"""The task of section 2: Definition 1, Table 1, the losses (eqs 1–3), Lemma 4, and Assumptions 1 and 2."""

from __future__ import annotations

import math
from typing import Any

from torch import Tensor

from book.ledger import Bounds, at_least, at_most, between, near, recorded, statement
from book.recall.task import copying, full_model, prompts
from book.recall.task.copying import ToCopy
from book.recall.task.full_model import AtOnce, LossGradients
from book.recall.task.program import ZETA, Giveaway, giveaway
from book.recall.task.prompts import Kinds, Sampled


def fixes_by_two_points(r: Giveaway, p: Any) -> Tensor:
    """Whether two points fix a relation: the six bijections of three subjects are affine maps, too."""
    return (p.family < 0.5) | (r.subjects < 3.5)


@statement(
    "recall.definition-1",
    measures=prompts.definition_1,
    assumes={"distinct": ("subjects are drawn without replacement", lambda r, p: p.replacement == 0)},
    holds_at={"subjects": 5, "draws": 120_000, "replacement": 0},
    fails_at={"subjects": 5, "draws": 120_000, "replacement": 1},
    ranges={
        "subjects": [3, 5, 7],
        "draws": (40_000, 120_000),
        "replacement": [0, 0, 0, 1],
        "seed": (0, 9999),
    },
)
def definition_1(r: Sampled) -> Bounds:
    """Every draw is a prompt, and a χ² of all of them lies where chance leaves it but once in 500 000 times."""
    return Bounds(
        near(1.0, r.inside, "prompts with three distinct subjects"),
        between(r.low, r.chi, r.high, "χ² per degree of freedom"),
    )


@statement(
    "recall.table-1",
    measures=prompts.table_1,
    assumes={"three": ("three subjects", lambda r, p: p.subjects == 3)},
    holds_at={"subjects": 3},
    fails_at={"subjects": 4},
    ranges={"subjects": [3, 3, 4, 5]},
    algebra=True,
)
def table_1(r: Kinds) -> Bounds:
    """Every prompt has one correct, one confusing and four mismatched relations, the table's rows."""
    return Bounds(
        near(1.0, r.correct, "correct relations"),
        near(1.0, r.confusing, "confusing relations"),
        near(4.0, r.mismatched, "mismatched relations"),
        near(0.0, r.strangers, "relations that are no row of the table"),
        near(0.0, r.mistyped, "relations of another kind than their row says"),
        near(0.0, r.missing, "rows that no relation, or more than one, is"),
    )


@statement(
    "recall.equations-1-3",
    measures=full_model.equations_1_3,
    assumes={
        "positions_only": ("only the positions' block of W^KQ is trained", lambda r, p: p.everything == 0)
    },
    holds_at={"everything": 0, "temperature": 0.2},
    fails_at={"everything": 1, "temperature": 0.2},
    ranges={
        "temperature": (0.02, 5.0),
        "everything": [0, 0, 1],
        "subjects": (4, 6),
        "relations": (2, 20),
        "seed": (0, 9999),
    },
    algebra=True,
)
def equations_1_3(r: LossGradients, p: Any) -> Bounds:
    """L₁ depends on θ alone and L₂ on ω alone; each is over tokens of its kind, relations and answers."""
    return Bounds(
        near(0.0, r.stray_1, "gradient of L₁ outside θ, largest"),
        near(0.0, r.stray_2, "gradient of L₂ outside ω, largest"),
        near(math.log(p.relations), r.hot_1, "L₁ when hot", absolute=1e-9),
        near(math.log(p.subjects), r.hot_2, "L₂ when hot", absolute=1e-9),
        near(math.log(p.relations * p.subjects), r.hot, "L when hot", absolute=1e-9),
        at_least(1 - 1e-12, r.least_ratio, "the answer's probability over e^−ℓ, least"),
    )


@statement(
    "recall.not-induction",
    measures=copying.to_copy,
    assumes={"new": ("the query is a new subject", lambda r, p: p.repeated == 0)},
    holds_at={},
    fails_at={"repeated": 1},
    ranges={"subjects": [3, 5, 7], "repeated": [0, 0, 1]},
)
def not_induction(r: ToCopy) -> Bounds:
    """An induction head finds nothing to copy."""
    return Bounds(
        near(0.0, r.repeated, "share of prompts with the query among the examples' subjects"),
        near(0.0, r.answered, "share of prompts that show the answer"),
    )


@statement(
    "recall.lemma-4",
    measures=full_model.at_once,
    assumes={"at_once": ("the relation is not decoded first", lambda r, p: p.decoded == 0)},
    holds_at={"decoded": 0, "seeds": 4},
    fails_at={"decoded": 1, "seeds": 4},
    ranges={"decoded": [0, 0, 1], "seeds": (1, 6), "seed": (0, 9999)},
    algebra=True,
)
def lemma_4(r: AtOnce) -> Bounds:
    """All answers have one logit; a tie of m is right once in m times."""
    return Bounds(
        at_most(1e-9, r.spread, "spread of the answers' logits, largest"),
        at_most(1 / 3 + 1e-9, r.right_3, "best accuracy, 3 subjects"),
        recorded(r.right_5, "best accuracy, 5 subjects"),
        recorded(r.right_8, "best accuracy, 8 subjects"),
    )


EXISTS = {
    "family_exists": (
        "there are such relations: affine maps need n to be a power of a prime",
        lambda r, p: r.family_exists,
    )
}
NONE = "Nothing to test: no field has so many elements, so there are no affine maps."
FIELDS = [3, 4, 5, 7, 8, 9, 11, 13, 16, 101, 1024, 999_983]


@statement(
    "recall.assumption-1",
    runs=giveaway,
    assumes={
        "two_points": (
            "relations from a family in which two points fix one, such as affine maps",
            fixes_by_two_points,
        ),
        "few": ("at most n(n − 1) relations", lambda r, p: r.relations <= r.most),
    },
    settled=EXISTS,
    good=lambda r: at_least(0.99, r.best, "best accuracy of naming r*"),
    holds_at={"family": 0, "load": 1.0},
    fails_at={},
    seeds=10,
    ranges={
        "family": [0, 0, 1],
        "subjects": FIELDS,
        "load": (0.01, 3.0),
        "examples": [2, 3, 4],
        "seed": (0, 999),
    },
    sentences={"undecided": NONE},
)
def assumption_1(r: Giveaway) -> Bounds:
    """No two examples fit two relations, so that the best rule names r* every time."""
    return Bounds(
        near(0.0, r.shared, "pairs of examples that several relations share"),
        near(1.0, r.best, "best accuracy of naming r*", absolute=1e-9),
    )


@statement(
    "recall.assumption-2",
    runs=giveaway,
    assumes={
        "two_points": (
            "relations from a family in which two points fix one (Assumption 1)",
            fixes_by_two_points,
        ),
        "enough": (
            f"at least 1 + ζ(n(n − 1) − 1) relations, with ζ = {ZETA:g} (the count and this ζ are ours)",
            lambda r, p: r.relations - 1 >= ZETA * (r.most - 1),
        ),
    },
    settled=EXISTS,
    good=lambda r: at_least(0.99, r.best, "best accuracy of naming r*"),
    holds_at={"family": 0, "load": 0.5},
    fails_at={"family": 0, "load": 0.05},
    seeds=10,
    ranges={"family": [0, 0, 1], "subjects": FIELDS, "load": (0.01, 3.0), "seed": (0, 999)},
    sentences={"undecided": NONE},
)
def assumption_2(r: Giveaway) -> Bounds:
    """At least a share ζ of prompts is confusing, and mismatched; under Assumption 1 not too many can be."""
    return Bounds(
        at_least(ZETA, r.confusing, "confusing prompts, share in the mean"),
        at_least(ZETA, r.mismatched, "mismatched prompts, share in the mean"),
        at_most(r.mismatched_most + 1e-9, r.mismatched_here, "mismatched prompts, counted where that can be"),
    )
