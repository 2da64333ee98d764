"""What attention does to relations: Table 2, eqs 4–10, eq. 18 and the gradients of Appendix C; who wins."""

from __future__ import annotations

from typing import Any

from book.ledger import Bounds, Check, Ground, above, at_least, at_most, statement
from book.recall.common import chain_rule_by_sympy
from book.recall.logits import algebra, faithful
from book.recall.logits.program import Standing, competition
from lib.recall.logits import TIE

EQUATIONS = (
    r"\partial L_1/\partial v_1 = \tfrac2T((p_1+p_3)v_2 + (p_2+p_4)v_4 - v_2)",
    r"\partial L_1/\partial v_2 = \tfrac2T((p_1+p_3)v_1 + (p_2+p_5)v_3 + (p_4+p_6)v_5 - v_1)",
    r"\partial L_1/\partial v_3 = \tfrac2T((p_1+p_6)v_4 + (p_2+p_5)v_2 - v_4)",
    r"\partial L_1/\partial v_4 = \tfrac2T((p_1+p_6)v_3 + (p_2+p_4)v_1 + (p_3+p_5)v_5 - v_3)",
    r"\partial L_1/\partial v_5 = \tfrac2T((p_3+p_5)v_4 + (p_4+p_6)v_2)",
    r"\partial L_1/\partial v_6 = 0",
)
"""Eqs 4–9, with p_j short for p₁(r_j)."""


def exact(found: dict[str, float], tolerance: float) -> bool:
    """Whether no difference exceeds rounding; the first entry of ``found`` is a hypothesis."""
    _, *differences = found.values()
    return max(differences) <= tolerance


@statement(
    "recall.table-2",
    measures=faithful.table_2,
    assumes={"orthonormal": ("embeddings are orthonormal", lambda r, p: r.orthonormal)},
    holds_at={"overlap": 0.0},
    fails_at={"overlap": 0.1},
    ranges={"overlap": [0.0, 0.0, 0.0, 0.001, 0.3], "seed": (0, 9999)},
    algebra=True,
    listed_checks=(
        Check(
            "Table 2",
            "the rows of subjects, answers and relations",
            "full model",
            lambda: exact(faithful.table_2(overlap=0.0), 1e-12),
        ),
        Check(
            "Table 2",
            "the squares that the page lights up, and its loss",
            "autograd",
            faithful.tiles_by_autograd,
        ),
    ),
)
def table_2(r: Any) -> Bounds:
    """Every row is the faithful model's."""
    return Bounds(
        at_most(1e-12, r.subjects, "largest difference, subjects"),
        at_most(1e-12, r.answers, "largest difference, answers"),
        at_most(1e-12, r.relations, "largest difference, relations"),
    )


@statement(
    "recall.equations-4-10",
    measures=faithful.equations_4_10,
    assumes={"three": ("three subjects and all six relations", lambda r, p: r.three)},
    holds_at={"subjects": 3, "temperature": 0.1},
    fails_at={"subjects": 5, "temperature": 0.1},
    ranges={"subjects": [3, 3, 3, 5], "temperature": (0.005, 5.0), "seed": (0, 9999)},
    algebra=True,
    listed_checks=(
        *(
            Check(f"Eq. {4 + k}", formula, "sympy, autograd", algebra.by_sympy(k))
            for k, formula in enumerate(EQUATIONS)
        ),
        Check(
            "Eq. 10",
            r"\partial_{\theta_i} L_1 = v_i(\partial_{v_i} L_1 - \sum_j v_j\,\partial_{v_j} L_1)",
            "sympy, autograd",
            chain_rule_by_sympy,
        ),
    ),
)
def equations_4_10(r: Any) -> Bounds:
    """The derivatives by attention and by scores are those of the faithful model."""
    return Bounds(
        at_most(1e-9, r.by_v, "largest difference, eqs 4–9"),
        at_most(1e-9, r.by_theta, "largest difference, eq. 10"),
    )


@statement(
    "recall.equation-18",
    measures=faithful.equation_18,
    assumes={"square": ("the MLP's activation is x²", lambda r, p: r.square)},
    holds_at={"power": 2, "temperature": 0.1},
    fails_at={"power": 3, "temperature": 0.1},
    ranges={"power": [2, 2, 2, 3], "temperature": (0.005, 5.0), "seed": (0, 9999)},
    algebra=True,
    listed_checks=(
        Check(
            "Eq. 18",
            r"l(r) = 2\sum_{i\le3,\,j\le2} v_{2i-1}v_{2j}\mathbf 1\{r(s_i)=a_j\} + \sum_{i\le5} v_i^2",
            "full model",
            lambda: exact(faithful.equation_18(power=2, temperature=0.2), 1e-9),
        ),
        Check(
            "Appendix C, after eq. 18",
            "the derivatives of the loss by $v_1, \\dots, v_6$",
            "full model, autograd",
            lambda: exact(faithful.equation_18(power=2, temperature=0.05), 1e-9),
        ),
    ),
)
def equation_18(r: Any) -> Bounds:
    """The logits and, times T, the derivatives of the loss are those of the faithful model."""
    return Bounds(
        at_most(1e-9, r.logits, "largest difference, logits"),
        at_most(1e-9, r.gradients, "largest difference, gradients"),
    )


@statement(
    "recall.who-wins",
    runs=competition,
    assumes={
        "agree": ("the same example is ahead in its subject and in its answer", lambda r, p: r.agree),
        "subjects": ("both subjects are ahead of the query, v₁, v₃ > v₅", lambda r, p: r.subjects),
        "answers": ("both answers get attention, v₂, v₄ > 0", lambda r, p: r.answers),
    },
    good=lambda r: at_least(0.9, r.probability, "p(r*)"),
    holds_at={},
    fails_at={"share": 0.5},
    ranges={
        "total": [0.05, 0.3, 0.6, 0.8, 0.9, 1.0],
        "share": (0.0, 1.0),
        "lean_1": (0.0, 1.0),
        "lean_2": (0.0, 1.0),
        "query_share": [0.0, 0.0, 0.02, 0.1, 0.3, 1.0],
        "temperature": (1e-3, 10.0),
    },
    ground=Ground.OURS,
    sentences={
        "holds": "As stated: the three conditions hold, and r* alone has the largest logit.",
        "contradicted": "Contradicted here: the three conditions hold, yet r* is not alone at the top.",
        "outside": "As stated: broken is “{hypothesis}”, and r* is not alone at the top.",
        "beyond": "Contradicted here: broken is “{hypothesis}”, yet r* alone has the largest logit.",
    },
    listed_checks=(
        Check("Table 2", "the five gaps $l_1 - l_j$ as products", "sympy", algebra.gaps_by_sympy),
        Check(
            "Larger affine families",
            "the conditions decide where each prompt has its five rivals, and suffice elsewhere",
            "count, 7 and 11 subjects",
            faithful.conditions_suffice,
        ),
    ),
)
def who_wins(r: Standing) -> Bounds:
    """The true relation alone has the largest logit, exactly if the three conditions hold."""
    return Bounds(above(TIE, r.ahead, "lead of r* over all other relations"))
