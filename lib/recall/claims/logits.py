"""The logits of the warm-up's six relations, Table 2."""

from __future__ import annotations

from typing import Any

import torch

from lib.claims import Claim, Evidence, Verdict, register
from lib.recall.claims.common import PAPER, three_subjects
from lib.recall.dynamics import relation_logits

PAGE = "book/recall/logits"


def printed_logits(v1: Any, v2: Any, v3: Any, v4: Any, v5: Any) -> list[Any]:
    """The six relations' logits as Table 2 prints them, for torch and sympy alike."""
    return [
        (v1 + v2) ** 2 + (v3 + v4) ** 2 + v5**2,
        (v1 + v4) ** 2 + (v2 + v3) ** 2 + v5**2,
        (v5 + v4) ** 2 + (v1 + v2) ** 2 + v3**2,
        (v5 + v2) ** 2 + (v1 + v4) ** 2 + v3**2,
        (v5 + v4) ** 2 + (v3 + v2) ** 2 + v1**2,
        (v5 + v2) ** 2 + (v3 + v4) ** 2 + v1**2,
    ]


def table_2(relations: int, seed: int) -> Evidence:
    """Table 2 against eq. 18 at random attention, for a family that may lack a relation."""
    generator = torch.Generator().manual_seed(seed)
    v = torch.softmax(torch.randn(6, dtype=torch.float64, generator=generator), 0)
    reduced = three_subjects()
    six = relation_logits(v, reduced.matches)[:6] + (v[:5] ** 2).sum()
    printed = torch.stack(printed_logits(*v[:5]))[:relations]
    worst = float((six[:relations] - printed).abs().max())
    return Evidence(
        hypotheses={"all six bijections are relations": relations == 6},
        predicted={"largest difference": 0.0},
        measured={"largest difference": worst, "rows": float(len(printed))},
        conclusion=worst < 1e-14 and len(printed) == 6,
    )


register(
    Claim(
        id="recall.table-2",
        paper=PAPER,
        kind="table",
        number="2",
        title="The logits of the six relations are quadratic forms of attention",
        page=PAGE,
        statement=(
            "With three subjects the logit of a relation is the sum of squared attention sums over the pairs "
            "$(s_i, a_j)$ that it matches, plus the squares of what it leaves unmatched."
        ),
        examine=table_2,
        holds_at={"relations": 6, "seed": 0},
        fails_at={"relations": 5, "seed": 0},
        recorded=Verdict.CONFIRMED,
        finding="All six rows agree with eq. 18 to rounding.",
    )
)
