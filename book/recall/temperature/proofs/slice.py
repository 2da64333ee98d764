"""The gaps on the pairwise slice, by sympy from Table 2."""

from __future__ import annotations

from typing import Any

from lib.recall.logits import printed_logits


def slice_by_sympy() -> tuple[Any, Any, list[Any]]:
    """Return the symbols x and T, and the gaps d₂ … d₆ that Table 2 gives on the slice."""
    import sympy as sp

    x, t = sp.symbols("x T", positive=True)
    half = sp.Rational(1, 2)
    logits = printed_logits(x, x, half - x, half - x, sp.Integer(0))
    return x, t, [sp.expand(logit - logits[0]) for logit in logits[1:]]
