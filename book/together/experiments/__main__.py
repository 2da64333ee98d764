"""``python -m book experiments together NAME [--workers N|ADDRESS] [--quick|--large]``: the tables of this chapter."""

from book.experiments import Experiment
from book.together.experiments import limits, outside, reading

EXPERIMENTS: dict[str, Experiment] = {
    "outside": Experiment(outside.relaxed, outside.cells, outside.SETTINGS),
    "limits": Experiment(limits.swept, limits.cells, {}),
    "reading": Experiment(reading.reading, reading.cells, reading.SETTINGS),
}
