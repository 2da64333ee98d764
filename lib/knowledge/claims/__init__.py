"""Statements of Xu and Chen as claims: hypotheses, prediction, measurement, verdict. One module for each part.

The order of the imports is the order of the table. Where the text at hand lost a formula, the statement says what is
read in its place, and how sure that is: explicit, inferred, derived, or a guess.
"""

from lib.knowledge.claims import data, start, stages  # isort: skip
from lib.knowledge.claims import extraction, low_rank, table_3, figures  # isort: skip

__all__ = ["data", "extraction", "figures", "low_rank", "stages", "start", "table_3"]
