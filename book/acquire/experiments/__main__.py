"""``python -m book experiments acquire TABLE [--workers N|ADDRESS] [--quick]``; TABLE is one of ``EXPERIMENTS``.

Those of GPT-2 have a larger grid too: ``--large``.
"""

import json
from functools import partial
from typing import Any

from book.acquire.experiments import (
    adapted,
    director,
    predicted,
    swapped,
    sweeps,
    table_3_models,
    transformer,
)
from book.experiments import Experiment

THREE_TOKENS: dict[str, Any] = {
    "weight decay": table_3_models.DECAY,
    **{kind: training._asdict() for kind, training in table_3_models.TABLE_3.items()},
}
FIVE_TOKENS: dict[str, Any] = {
    name: {"model": kind, **training._asdict()}
    for name, (kind, training) in table_3_models.FIVE_TOKENS.items()
}


def as_read(settings: dict[str, Any]) -> dict[str, Any]:
    """The settings with lists for tuples, as they are read back."""
    read: dict[str, Any] = json.loads(json.dumps(settings))
    return read


SETTINGS, NAMED = as_read(transformer.SETTINGS), as_read(director.SETTINGS)
GPT_2 = {
    "transformer": Experiment(transformer.transformer, transformer.cells, SETTINGS),
    "again": Experiment(transformer.transformer, transformer.again, SETTINGS),
    "swapped": Experiment(swapped.swapped, swapped.cells, SETTINGS),
    "predicted": Experiment(predicted.predicted, predicted.cells, SETTINGS),
    "adapted": Experiment(adapted.low_rank, adapted.low_rank_cells, SETTINGS),
    "first-step": Experiment(adapted.first_step, adapted.cells, SETTINGS),
    "director": Experiment(director.director, partial(director.cells, "director"), NAMED),
    "answers": Experiment(director.answers, director.answer_cells, NAMED),
    "capital": Experiment(director.capital, partial(director.cells, "capital"), NAMED),
}
EXPERIMENTS = GPT_2 | {
    "table-3": Experiment(table_3_models.table_3, table_3_models.table_3_cells, THREE_TOKENS),
    "simplified": Experiment(table_3_models.table_3, table_3_models.simplified_cells, THREE_TOKENS),
    "five-tokens": Experiment(table_3_models.five_tokens, table_3_models.five_token_cells, FIVE_TOKENS),
    "descent": Experiment(sweeps.descent, sweeps.descent_cells, sweeps.SETTINGS),
    "figure-2": Experiment(sweeps.figure_2, sweeps.figure_2_cells, sweeps.SETTINGS),
    "figure-5": Experiment(sweeps.figure_5, sweeps.figure_5_cells, sweeps.SETTINGS),
    "figure-6": Experiment(sweeps.figure_6, sweeps.figure_6_cells, sweeps.SETTINGS),
}
