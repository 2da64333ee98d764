"""Statements of Huang et al. as claims: hypotheses, prediction, measurement, verdict. One module for each part.

The order of the imports is the order of the table.
"""

from lib.recall.claims import memory, task, assumptions  # isort: skip
from lib.recall.claims import logits, saddle, stages, escape, smoothness, landscape  # isort: skip
from lib.recall.claims import temperature, phases, general, general_algebra, samples  # isort: skip
from lib.recall.claims import decoding, more_examples, experiments  # isort: skip
from lib.recall.claims.common import DEFAULTS

__all__ = [
    "DEFAULTS",
    "assumptions",
    "decoding",
    "escape",
    "experiments",
    "general",
    "general_algebra",
    "landscape",
    "logits",
    "memory",
    "more_examples",
    "phases",
    "saddle",
    "samples",
    "smoothness",
    "stages",
    "task",
    "temperature",
]
