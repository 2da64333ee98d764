"""What limits each model, and how each setting enters: the table ``book/data/together-limits``.

    python -m book experiments together limits [--workers N|ADDRESS] [--quick]

A line is one setting of one model over a decade or more, with the exponent that theory predicts. A row is one run.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

import torch
from torch import Generator

from book.acquire.conditions import FAILURE
from book.acquire.pretraining import Run, pretrained
from book.recall.common import scalar, uniform_ball
from lib.acquire.course import NEAR
from lib.program import run
from lib.recall.escape import free_gradient
from lib.recall.landscape import has_left, saddle_curvature
from lib.recognise import gradient_flow, gram
from lib.recognise.gradient_flow import CORRECT
from lib.recognise.model import initial_weights
from lib.recognise.setting import pace
from lib.recognise.task import class_counts, draw

SEEDS, FEW_SEEDS = 3, 1
MOST_STEPS = 100_000


class Line(NamedTuple):
    """One setting of one model, swept."""

    paper: str
    setting: str
    """The field of the table in which it stands: temperature, multiplicity, and so on."""
    x: str
    y: str
    predicted: float
    """The exponent of x in y."""
    source: str
    """The statement that predicts it."""
    values: tuple[float, ...]
    measure: Callable[[float, int], float]
    """From a value of x and a seed to y."""


def time_until_right(seed: int, **changes: float) -> float:
    """Yang et al.: the paper's time t until all training samples are right, from a random start."""
    program = gradient_flow.program(lambda state, p: state.since[CORRECT] / pace(p))
    return float(run(program, seed=seed, end=2.0, **changes).report)


def descent_until_right(rate: float, seed: int) -> float:
    """Yang et al.: steps of gradient descent until all training samples are right; ``rate`` is η N₀."""
    generator = Generator().manual_seed(seed)
    data = draw(class_counts(48), 4, generator)
    width, neurons = 512, 16
    weights = initial_weights(
        width, neurons, data.vocabulary, 0.6 / math.sqrt(4 * width), neurons**-0.5, generator
    )
    layer = 2.0 * torch.randint(0, 2, (neurons,), generator=generator).double() - 1
    state, m = gram.grams(weights, layer), scalar(float(width))
    for step in range(MOST_STEPS):
        if bool((data.labels * gram.outputs(state, data, m) > 0).all()):
            return step
        state = gram.step(state, data, m, layer @ layer, scalar(rate / width))
    return math.inf


def passes(level: float, seed: int, **changes: Any) -> float:
    """Xu and Chen: η̃ times the steps after stage I until the excess loss is at ``level``."""
    usual = {
        "subjects": 8,
        "phrases": 4,
        "multiplicity": 2,
        "neurons": 32,
        "unused": 60,
        "stretch": 5,
        "pace": 2,
    }
    configuration = {**usual, **changes}
    expected = 10 * configuration["multiplicity"] / (level * configuration["pace"])
    made = pretrained(seed=seed, steps_3=math.ceil(expected), **configuration)
    return (hitting_step(made, level) - made.ends[0]) * configuration["pace"] * configuration["subjects"]


def hitting_step(made: Run, level: float) -> float:
    """After how many steps the excess loss falls to a level for good, between moments in log; infinite if never."""
    for before, after in reversed(list(pairwise(made.moments))):
        if after.excess > level:
            return math.inf
        if before.excess > level:
            part = math.log(before.excess / level) / math.log(before.excess / after.excess)
            return before.step + part * (after.step - before.step)
    return 0.0


def steps_near(rate: float, seed: int) -> float:
    """Xu and Chen: steps after stage I until the loss is near its entropy; ``rate`` is η̃/N."""
    return passes(NEAR, seed, pace=rate) / (rate * 8)


PHRASES = 60
DRAWS = 400


def facts_until_covered(ratio: float, seed: int) -> float:
    """Xu and Chen: fine-tuned facts, over log(R/δ), that cover all R phrases in a share 1 − δ of the draws.

    Args:
        ratio: R/K.
    """
    generator, k = Generator().manual_seed(seed), round(PHRASES / ratio)
    last = torch.zeros(DRAWS)
    for draw_number in range(DRAWS):
        missing, facts = torch.ones(PHRASES, dtype=torch.bool), 0
        while bool(missing.any()):
            missing[torch.randperm(PHRASES, generator=generator)[:k]] = False
            facts += 1
        last[draw_number] = facts
    return float(torch.quantile(last, 1 - FAILURE)) / math.log(PHRASES / FAILURE)


def escape(
    seed: int, temperature: float = 0.004, rate: float = 64.0, radius: float = 1e-6, subjects: float = 3
) -> float:
    """Huang et al.: steps of stage 2 until the saddle is left, with η₂ = ``rate`` T²."""
    t, theta = scalar(temperature), uniform_ball(1, 4, radius, seed)
    for step in range(MOST_STEPS):
        if bool(has_left(torch.softmax(theta, -1)).all()):
            return step
        theta = theta - rate * t**2 * free_gradient(theta, t, scalar(float(subjects)))
    return math.inf


def growth_until_left(radius: float, seed: int, temperature: float = 0.004, rate: float = 64.0) -> float:
    """Huang et al.: by which factor the curvature at the saddle lets the perturbation grow until it has left."""
    t = scalar(temperature)
    growth = math.log1p(-rate * temperature**2 * float(saddle_curvature(3, t)))
    return math.exp(growth * escape(seed, temperature, rate, radius))


def logarithmic(low: float, high: float, count: int = 6) -> tuple[float, ...]:
    """Values from ``low`` to ``high``, evenly in the logarithm."""
    return tuple(low * (high / low) ** (k / (count - 1)) for k in range(count))


LINES: dict[str, Line] = {
    "recognise-width": Line(
        "recognise",
        "width",
        "width m",
        "time until all samples are right",
        -1.0,
        "recognise.theorem-3-1",
        (1024.0, 4096.0, 1e4, 1e5, 1e6),
        lambda x, seed: time_until_right(seed, width=x),
    ),
    "recognise-data": Line(
        "recognise",
        "data size",
        "samples n",
        "time until all samples are right",
        0.0,
        "recognise.theorem-3-1",
        logarithmic(120.0, 12_000.0),
        lambda x, seed: time_until_right(seed, samples=x, width=1e5),
    ),
    "recognise-rate": Line(
        "recognise",
        "learning rate",
        "learning rate η",
        "steps until all samples are right",
        -1.0,
        "recognise.theorem-3-1",
        logarithmic(0.03, 0.6),
        descent_until_right,
    ),
    "acquire-multiplicity": Line(
        "acquire",
        "multiplicity",
        "multiplicity K",
        "η̃ times the steps until the loss is near its entropy",
        1.0,
        "acquire.stage-3",
        (1.0, 2.0, 4.0, 8.0, 12.0),
        lambda x, seed: passes(NEAR, seed, multiplicity=int(x), phrases=12),
    ),
    "acquire-coverage": Line(
        "acquire",
        "multiplicity",
        "R/K",
        "fine-tuned facts until all phrases are covered, over log(R/δ)",
        1.0,
        "acquire.lemma-6",
        (2.0, 3.0, 6.0, 12.0, 20.0, 30.0, 60.0),
        facts_until_covered,
    ),
    "acquire-data": Line(
        "acquire",
        "data size",
        "facts N",
        "η̃ times the steps until the loss is near its entropy",
        1.0,
        "acquire.stage-3",
        (4.0, 8.0, 16.0, 32.0, 48.0),
        lambda x, seed: passes(NEAR, seed, subjects=int(x)),
    ),
    "acquire-width": Line(
        "acquire",
        "width",
        "neurons m of an output",
        "ηλ² times the steps until the loss is near its entropy",
        1.0,
        "acquire.stage-3",
        (16.0, 32.0, 64.0, 128.0, 256.0),
        lambda x, seed: x * passes(NEAR, seed, neurons=int(x)),
    ),
    "acquire-rate": Line(
        "acquire",
        "learning rate",
        "learning rate η",
        "steps until the loss is near its entropy",
        -1.0,
        "acquire.stage-3",
        logarithmic(0.25, 4.0, 5),
        steps_near,
    ),
    "acquire-error": Line(
        "acquire",
        "error ε",
        "excess loss ε",
        "η̃ times the steps until the excess loss is ε",
        -1.0,
        "acquire.stage-3",
        logarithmic(0.02, 0.25, 5),
        lambda x, seed: passes(x, seed),
    ),
    "recall-temperature": Line(
        "recall",
        "temperature",
        "1/T",
        "steps until the saddle is left, η₂ = c₂T²",
        1.0,
        "recall.lemma-6-steps",
        logarithmic(50.0, 1000.0),
        lambda x, seed: escape(seed, temperature=1 / x),
    ),
    "recall-radius": Line(
        "recall",
        "perturbation radius",
        "perturbation radius r",
        "growth of the perturbation until the saddle is left",
        -1.0,
        "recall.lemma-6-steps",
        logarithmic(1e-10, 1e-2),
        growth_until_left,
    ),
    "recall-rate": Line(
        "recall",
        "learning rate",
        "learning rate c₂ = η₂/T²",
        "steps until the saddle is left",
        -1.0,
        "recall.lemma-6-steps",
        logarithmic(8.0, 160.0),
        lambda x, seed: escape(seed, rate=x),
    ),
    "recall-width": Line(
        "recall",
        "width",
        "neurons 3n² of the memory",
        "steps until the saddle is left",
        0.0,
        "recall.lemma-6-steps",
        tuple(3 * n**2 for n in logarithmic(3.0, 3e5)),
        lambda x, seed: escape(seed, subjects=math.sqrt(x / 3)),
    ),
}
"""By name: the sweeps, each with its predicted exponent."""


def swept(line: str, x: float, seed: int) -> list[dict[str, float]]:
    """One run of a line.

    Raises:
        ValueError: there is no line of this name.
    """
    if line not in LINES:
        raise ValueError(f"line = {line!r}: must be one of {', '.join(LINES)}")
    return [{"y": LINES[line].measure(x, seed)}]


def cells(quick: bool, large: bool = False) -> list[dict[str, Any]]:
    """Every line at all its values and seeds; the ends alone for a quick look."""
    return [
        {"line": name, "x": x, "seed": seed}
        for name, line in LINES.items()
        for x in (line.values[:: len(line.values) - 1] if quick else line.values)
        for seed in range(FEW_SEEDS if quick else SEEDS)
    ]
