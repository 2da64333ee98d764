"""Statements of Yang et al. as claims: hypotheses, prediction, measurement, verdict. One module for each part.

The order of the imports is the order of the table.
"""

from lib.cooccurrence.claims import model, start, breaking, phases, race  # isort: skip
from lib.cooccurrence.claims import balancing, attention, figure_1  # isort: skip

__all__ = ["attention", "balancing", "breaking", "figure_1", "model", "phases", "race", "start"]
