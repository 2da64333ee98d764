"""How large the constants are that a Θ or an O hides, and their trends: the table ``book/data/recognise-constants``.

    python -m book experiments recognise constants [--workers N|ADDRESS] [--quick]

Sizes are drawn free of scale: L, then n over 3L², m over the least that is admitted, and so on.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.stats import t

from book.ledger.registry import statements

DRAWS, FEW_DRAWS = 120, 2
"""Draws of each statement, and the few of a quick look."""
SIZES = {"n": "samples", "L": "length", "m": "width", "m₁": "neurons", "s₀": "sigma_0", "s₁": "sigma_1"}
"""The sizes whose powers are fitted, and their names in a configuration."""


def phase_1(chance: random.Random, quiet: bool) -> dict[str, Any]:
    """A configuration for the real model, of a few seconds; ``quiet``: small outputs at the start."""
    length = chance.choice((4, 5, 6))
    neurons = round(2 ** chance.uniform(2, 6))
    sigma_0 = chance.uniform(0.2, 0.4) if quiet else chance.uniform(0.8, 1.25)
    sigma_1 = chance.uniform(0.8, 1.25)
    least = float(max(neurons, length**2, 48))
    most = 256.0
    if not quiet:
        least = max(least, 32 * length / (sigma_0 * sigma_1) ** 2)
        most = 1.5 * least
    return {
        "length": length,
        "samples": 6 * math.ceil(length**2 / 2 * 3 ** chance.uniform(0, 1)),
        "neurons": neurons,
        "width": math.ceil(least * (most / least) ** chance.uniform(0, 1)),
        "sigma_0": sigma_0,
        "sigma_1": sigma_1,
        "seed": chance.randrange(10**4),
    }


def phase_2(chance: random.Random) -> dict[str, Any]:
    """A configuration for the orbit engine, inside Condition 1."""
    length, neurons = round(4 * 10 ** chance.uniform(0, 1)), 10 ** chance.uniform(0, 3)
    sigma_1 = 10 ** chance.uniform(-0.3, 0.45)
    sigma_0 = min(3, 1 / sigma_1) * 10 ** chance.uniform(-0.5, 0)
    least = max(
        neurons, 16 * math.sqrt(neurons) / sigma_1**2, length**2, 32 * length / (sigma_0 * sigma_1) ** 2
    )
    scales = {"sigma_0": sigma_0, "sigma_1": sigma_1, "seed": chance.randrange(10**4)}
    samples, width = 3 * length**2 * 10 ** chance.uniform(0, 3), least * 10 ** chance.uniform(0, 2)
    return {"length": length, "samples": samples, "neurons": neurons, "width": width, **scales}


DRAWN: dict[str, Callable[[random.Random], dict[str, Any]]] = {
    "recognise.phase-1-ranges": lambda chance: phase_1(chance, quiet=False),
    "recognise.theorem-e-27": lambda chance: phase_1(chance, quiet=True),
    "recognise.phase-2-lasts": phase_2,
}
"""The statements, and how to draw a configuration for each."""


def constants(id: str, draws: int = DRAWS) -> list[dict[str, Any]]:
    """Each bound of a statement over draws that satisfy its hypotheses.

    Returns:
        a row for each bound: where it must lie; median, least and largest; and, where all are positive, the powers
        of the sizes that fit them by least squares, each with half of its 95 % interval.
    """
    statement, draw = statements()[id], DRAWN[id]
    configurations = [
        {**statement.holds_at, **draw(random.Random(f"{id}/{place}"))} for place in range(draws)
    ]
    results = [result for result in statement.at_each(configurations) if result.assumed]
    sizes = {
        name: np.log([float(result.configuration[key]) for result in results]) for name, key in SIZES.items()
    }
    rows = []
    for place, bound in enumerate(results[0].bounds):
        if bound.words:
            values = np.array([float(result.bounds[place].measured) for result in results])
            row = {"bound": bound.name, "must": bound.words, "median": np.median(values)}
            row |= {"least": values.min(), "largest": values.max(), "draws": len(results)}
            rows.append({**row, **powers(sizes, values)})
    return rows


def powers(sizes: dict[str, Any], values: Any) -> dict[str, float]:
    """The powers of the sizes that fit positive values, and half of the 95 % interval of each.

    Nothing where a value is not positive, or there are too few to tell the powers apart.
    """
    table = np.column_stack([*sizes.values(), np.ones(len(values))])
    free = len(values) - table.shape[1]
    if values.min() <= 0 or free < 1:
        return {}
    fitted, *_ = np.linalg.lstsq(table, np.log(values))
    spread = ((np.log(values) - table @ fitted) ** 2).sum() / free * np.linalg.inv(table.T @ table).diagonal()
    half = t.ppf(0.975, free) * np.sqrt(spread)
    names = [f"{kind} {name}" for kind in ("power of", "give or take") for name in sizes]
    return dict(zip(names, map(float, [*fitted[:-1], *half[:-1]]), strict=True))


def cells(quick: bool, large: bool = False) -> list[dict[str, Any]]:
    """The statements."""
    return [{"id": id, "draws": FEW_DRAWS} if quick else {"id": id} for id in DRAWN]
