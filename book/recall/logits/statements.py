"""What attention does to relations: Table 2, eqs 4–10, eq. 18 and the gradients of Appendix C; who wins."""

from __future__ import annotations

from book.ledger import Bounds, Ground, above, at_least, at_most, recorded, statement
from book.recall.logits import full_model
from book.recall.logits.full_model import Equation18Errors, GradientErrors, PromptGradients, Table2Errors
from book.recall.logits.program import Standing, competition
from lib.recall.logits import TIE, conditions


@statement(
    "recall.table-2",
    measures=full_model.table_2,
    assumes={"orthonormal": ("embeddings are orthonormal", lambda r, p: p.overlap == 0)},
    holds_at={"overlap": 0.0},
    fails_at={"overlap": 0.1},
    ranges={"overlap": [0.0, 0.0, 0.0, 0.001, 0.3], "seed": (0, 9999)},
    algebra=True,
)
def table_2(r: Table2Errors) -> Bounds:
    """Every row is the faithful model's."""
    return Bounds(
        at_most(1e-12, r.subjects, "largest difference, subjects"),
        at_most(1e-12, r.answers, "largest difference, answers"),
        at_most(1e-12, r.relations, "largest difference, relations"),
    )


@statement(
    "recall.equations-4-10",
    measures=full_model.equations_4_10,
    assumes={"three": ("three subjects and all six relations", lambda r, p: p.subjects == 3)},
    holds_at={"subjects": 3, "temperature": 0.1},
    fails_at={"subjects": 5, "temperature": 0.1},
    ranges={"subjects": [3, 3, 3, 5], "temperature": (0.005, 5.0), "seed": (0, 9999)},
    algebra=True,
)
def equations_4_10(r: GradientErrors) -> Bounds:
    """The derivatives by attention and by scores are those of the faithful model."""
    return Bounds(
        at_most(1e-9, r.by_v, "largest difference, eqs 4–9"),
        at_most(1e-9, r.by_theta, "largest difference, eq. 10"),
    )


@statement(
    "recall.same-gradient",
    measures=full_model.prompt_gradients,
    assumes={"three": ("three subjects and all six relations", lambda r, p: p.subjects == 3)},
    holds_at={"subjects": 3, "temperature": 0.1},
    fails_at={"subjects": 5, "temperature": 0.1},
    ranges={"subjects": [3, 3, 3, 5], "temperature": (0.01, 1.0), "seed": (0, 9999)},
    algebra=True,
)
def same_gradient(r: PromptGradients) -> Bounds:
    """All prompts have one gradient of ℓ₁, to rounding."""
    return Bounds(
        at_most(1e-9, r.apart, "largest difference from prompt to prompt, over the largest gradient"),
        recorded(r.prompts, "prompts"),
    )


@statement(
    "recall.equation-18",
    measures=full_model.equation_18,
    assumes={"square": ("the MLP's activation is x²", lambda r, p: p.power == 2)},
    holds_at={"power": 2, "temperature": 0.1},
    fails_at={"power": 3, "temperature": 0.1},
    ranges={"power": [2, 2, 2, 3], "temperature": (0.005, 5.0), "seed": (0, 9999)},
    algebra=True,
)
def equation_18(r: Equation18Errors) -> Bounds:
    """The logits and, times T, the derivatives of the loss are those of the faithful model."""
    return Bounds(
        at_most(1e-9, r.logits, "largest difference, logits"),
        at_most(1e-9, r.gradients, "largest difference, gradients"),
    )


@statement(
    "recall.who-wins",
    runs=competition,
    assumes={
        "agree": (
            "the same example is ahead in its subject and in its answer",
            lambda r, p: conditions(r.attention)[0],
        ),
        "subjects": (
            "both subjects are ahead of the query, v₁, v₃ > v₅",
            lambda r, p: conditions(r.attention)[1],
        ),
        "answers": ("both answers get attention, v₂, v₄ > 0", lambda r, p: conditions(r.attention)[2]),
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
        "holds": "The three conditions hold, and r* alone has the largest logit, as the statement says.",
        "contradicted": "The three conditions hold, but r* is not alone at the top: the statement is wrong here.",
        "outside": "“{hypothesis}” fails, and r* is not alone at the top, as the statement says.",
        "beyond": "“{hypothesis}” fails, but r* alone has the largest logit: the statement is wrong here.",
    },
)
def who_wins(r: Standing) -> Bounds:
    """The true relation alone has the largest logit, exactly if the three conditions hold."""
    return Bounds(above(TIE, r.ahead, "lead of r* over all other relations"))
