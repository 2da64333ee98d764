"""Proofs of the page: Table 2 and its gaps, eqs 4 to 10, eq. 18, and that the three conditions decide."""

from __future__ import annotations

from collections.abc import Callable

import torch

from book.ledger.proofs import checked
from book.recall.common import chain_rule_by_sympy, scalar, some_attention
from book.recall.logits.disagreements import disagreements
from book.recall.logits.full_model import equation_18, table_2
from lib.recall.logits import free_relation_loss, printed_gradient, printed_logits, squares

EQUATIONS = (
    r"\partial L_1/\partial v_1 = \tfrac2T((p_1+p_3)v_2 + (p_2+p_4)v_4 - v_2)",
    r"\partial L_1/\partial v_2 = \tfrac2T((p_1+p_3)v_1 + (p_2+p_5)v_3 + (p_4+p_6)v_5 - v_1)",
    r"\partial L_1/\partial v_3 = \tfrac2T((p_1+p_6)v_4 + (p_2+p_5)v_2 - v_4)",
    r"\partial L_1/\partial v_4 = \tfrac2T((p_1+p_6)v_3 + (p_2+p_4)v_1 + (p_3+p_5)v_5 - v_3)",
    r"\partial L_1/\partial v_5 = \tfrac2T((p_3+p_5)v_4 + (p_4+p_6)v_2)",
    r"\partial L_1/\partial v_6 = 0",
)
"""Eqs 4–9, with p_j short for p₁(r_j)."""


def derivative_by_sympy(entry: int) -> Callable[[], bool]:
    """Return a proof that eq. 4 + ``entry`` is the derivative of −log p₁(r₁) by v with Table 2's logits."""

    def passes() -> bool:
        import sympy as sp

        v = sp.symbols("v1:7")
        p = sp.symbols("p2:7")
        chances = [1 - sum(p), *p]
        logits = printed_logits(*v[:5])
        slope = sum(q * sp.diff(logit, v[entry]) for q, logit in zip(chances, logits, strict=True))
        slope -= sp.diff(logits[0], v[entry])
        return sp.expand(slope - 2 * printed_gradient(v, chances)[entry]) == 0

    return passes


for _entry, _formula in enumerate(EQUATIONS):
    checked("recall.equations-4-10", f"Eq. {4 + _entry}", _formula, "sympy, autograd")(
        derivative_by_sympy(_entry)
    )
checked(
    "recall.equations-4-10",
    "Eq. 10",
    r"\partial_{\theta_i} L_1 = v_i(\partial_{v_i} L_1 - \sum_j v_j\,\partial_{v_j} L_1)",
    "sympy, autograd",
)(chain_rule_by_sympy)


@checked("recall.table-2", "Table 2", "the rows of subjects, answers and relations", "full model")
def table_2_is_the_full_models() -> bool:
    """Proves all twelve rows of Table 2 at random attention, to rounding."""
    return max(table_2(overlap=0.0)) <= 1e-12


@checked("recall.table-2", "Table 2", "the squares that the page lights up, and its loss", "autograd")
def tiles_by_autograd() -> bool:
    """The three squares of each row that the page lights up add up to Table 2; the loss is −log p₁(r₁)."""
    v = some_attention(50, seed=9)
    printed = torch.stack(printed_logits(*v[:, :5].unbind(1)), 1)
    loss = -torch.log_softmax(printed / 0.1, 1)[:, 0]
    same = (squares(v).sum(-1) - printed).abs().max() < 1e-14
    return bool(same & ((free_relation_loss(v, scalar(0.1)) - loss).abs().max() < 1e-12))


@checked(
    "recall.equation-18",
    "Eq. 18",
    r"l(r) = 2\sum_{i\le3,\,j\le2} v_{2i-1}v_{2j}\mathbf 1\{r(s_i)=a_j\} + \sum_{i\le5} v_i^2",
    "full model",
)
def equation_18_is_the_full_models() -> bool:
    """Proves eq. 18 at T = 0.2 for affine and for random relations, to rounding."""
    return max(equation_18(power=2, temperature=0.2)) <= 1e-9


@checked(
    "recall.equation-18",
    "Appendix C, after eq. 18",
    "the derivatives of the loss by $v_1, \\dots, v_6$",
    "full model, autograd",
)
def gradients_are_the_full_models() -> bool:
    """Proves the derivatives after eq. 18 at T = 0.05 for affine and for random relations, to rounding."""
    return max(equation_18(power=2, temperature=0.05)) <= 1e-9


@checked("recall.who-wins", "Table 2", "the five gaps $l_1 - l_j$ as products", "sympy")
def gaps_by_sympy() -> bool:
    """Proves that the five gaps of Table 2 are the products by which the conditions are proved."""
    import sympy as sp

    v1, v2, v3, v4, v5 = v = sp.symbols("v1:6")
    l1, l2, l3, l4, l5, l6 = printed_logits(*v)
    swap = 2 * (v1 - v3) * (v2 - v4)
    ours = {
        l2: swap,
        l3: 2 * v4 * (v3 - v5),
        l4: swap + 2 * v2 * (v3 - v5),
        l5: swap + 2 * v4 * (v1 - v5),
        l6: 2 * v2 * (v1 - v5),
    }
    return all(sp.expand(l1 - logit - gap) == 0 for logit, gap in ours.items())


@checked(
    "recall.who-wins",
    "Larger affine families",
    "the conditions decide where each prompt has its five rivals, and suffice elsewhere",
    "count, 7 and 11 subjects",
)
def conditions_suffice() -> bool:
    """In larger affine families they decide; where rivals are missing they still suffice, but r* wins beyond, too."""
    full = [disagreements(7, 42), disagreements(11, 110)]
    thin = disagreements(7, 12)
    decided = all(counts.all_rivals and counts.leads_beyond == counts.fails == 0 for counts in full)
    return decided and not thin.all_rivals and thin.fails == 0 < thin.leads_beyond
