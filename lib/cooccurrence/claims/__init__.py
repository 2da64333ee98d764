"""Statements of Yang et al. as claims: hypotheses, prediction, measurement, verdict. One module for each part.

The order of the imports is the order of the table.
"""

from lib.cooccurrence.claims import breaking, phases, race, balancing, attention  # isort: skip

__all__ = ["attention", "balancing", "breaking", "phases", "race"]
