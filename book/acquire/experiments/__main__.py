"""``python -m book experiments acquire TABLE [--workers N|ADDRESS] [--quick]``; TABLE is one of ``EXPERIMENTS``.

Those of GPT-2 have a larger grid too: ``--large``.
"""

import json
from functools import partial
from typing import Any

from book.acquire.experiments import adapted, director, predicted, swapped, sweeps, transformer
from book.experiments import Experiment
from book.former import run_former
from book.sweep import Function

WAYS: dict[str, Any] = {kind: way._asdict() for kind, way in sweeps.WAYS.items()}
FIVE: dict[str, Any] = {name: {"model": kind, **way._asdict()} for name, (kind, way) in sweeps.FIVE.items()}
SWEEPS: dict[str, tuple[Function, dict[str, Any]]] = {
    "table-3": (sweeps.table_3, WAYS | {"weight decay": sweeps.DECAY}),
    "simplified": (sweeps.table_3, WAYS | {"weight decay": sweeps.DECAY}),
    "five-tokens": (sweeps.five_tokens, FIVE),
    "descent": (sweeps.descent, sweeps.SETTINGS),
    "figure-2": (sweeps.figure_2, sweeps.SETTINGS),
    "figure-5": (sweeps.figure_5, sweeps.SETTINGS),
    "figure-6": (sweeps.figure_6, sweeps.SETTINGS),
}


def as_read(settings: dict[str, Any]) -> dict[str, Any]:
    """With lists for tuples, as they are read back."""
    read: dict[str, Any] = json.loads(json.dumps(settings))
    return read


SETTINGS, NAMED = as_read(transformer.SETTINGS), as_read(director.SETTINGS)
GPT_2 = {
    "transformer": Experiment(transformer.transformer, transformer.cells, SETTINGS),
    "again": Experiment(transformer.transformer, transformer.again, SETTINGS),
    "swapped": Experiment(swapped.swapped, swapped.cells, SETTINGS),
    "predicted": Experiment(predicted.predicted, predicted.cells, SETTINGS),
    "adapted": Experiment(adapted.low_rank, adapted.cells, SETTINGS),
    "first-step": Experiment(adapted.first_step, adapted.cells, SETTINGS),
    "director": Experiment(director.director, partial(director.cells, "director"), NAMED),
    "capital": Experiment(director.capital, partial(director.cells, "capital"), NAMED),
}
EXPERIMENTS = GPT_2 | {
    name: Experiment(function, partial(sweeps.cells, name), settings)
    for name, (function, settings) in SWEEPS.items()
}

if __name__ == "__main__":
    run_former("book.acquire.experiments")
