"""Statements of Yang et al. as claims: hypotheses, prediction, measurement, verdict. One module for each part.

The order of the imports is the order of the table.
"""

from lib.cooccurrence.claims import phases, race, balancing, attention  # isort: skip
from lib.cooccurrence.claims import breaking, figure_1, model, start  # isort: skip

__all__ = ["attention", "balancing", "breaking", "figure_1", "model", "phases", "race", "start"]
