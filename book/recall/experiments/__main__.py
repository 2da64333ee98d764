"""``python -m book experiments recall NAME [--workers N|ADDRESS] [--quick|--large]``: the stored tables."""

from book.experiments import Experiment
from book.recall import compact_memory
from book.recall.experiments import interference, pretraining, sweeps

SHARED = {"rate": sweeps.RATE, "seeds": sweeps.SEEDS, "tested": sweeps.TESTED}
START = {"descent": sweeps.DESCENT, "noise": sweeps.NOISE}
EXPERIMENTS = {
    "figure-2": Experiment(sweeps.fine_tuned, sweeps.figure_2, SHARED | START),
    "figure-3": Experiment(sweeps.in_short, sweeps.figure_3, SHARED | START),
    "figure-4": Experiment(pretraining.pretrained, pretraining.figure_4, SHARED | pretraining.SETTINGS),
    "compact": Experiment(
        compact_memory.smallest,
        compact_memory.sizes,
        {"steps": compact_memory.STEPS, "rate": compact_memory.RATE, "dimensions": compact_memory.DIMENSIONS},
    ),
    "interference": Experiment(interference.learned, interference.memories, {"rate": sweeps.RATE}),
}
