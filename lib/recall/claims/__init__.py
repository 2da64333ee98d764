"""Statements of Huang et al. as claims: hypotheses, prediction, measurement, verdict. One module for each part.

The order of the imports is the order of the table.
"""

from lib.recall.claims import logits, saddle, escape, landscape  # isort: skip
from lib.recall.claims.common import DEFAULTS

__all__ = ["DEFAULTS", "escape", "landscape", "logits", "saddle"]
