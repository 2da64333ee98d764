"""``python -m book experiments together NAME [--workers N|ADDRESS] [--quick]``: the tables of this chapter."""

from book.experiments import Experiment
from book.together.experiments import gpt2, limits, outside, reading, relaxed_gpt2

EXPERIMENTS: dict[str, Experiment] = {
    "outside": Experiment(outside.relaxed, outside.cells, outside.SETTINGS),
    "limits": Experiment(limits.swept, limits.cells, {}),
    "gpt2": Experiment(gpt2.looked_up, gpt2.cells, gpt2.SETTINGS),
    "outside-gpt2": Experiment(relaxed_gpt2.relaxed_gpt2, relaxed_gpt2.cells, relaxed_gpt2.SETTINGS),
    "reading": Experiment(reading.reading, reading.cells, reading.SETTINGS),
}
