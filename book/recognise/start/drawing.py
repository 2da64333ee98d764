"""The first push at a random start, drawn neuron by neuron: who moves at once, who waits, and what width changes."""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import torch
from IPython.display import HTML
from torch import Tensor

from book.choice import Moving, chosen
from book.figures import listed
from book.recognise.real_model import real_model, sample_arrays
from book.recognise.start.first_push import neuron_slopes
from book.sketch import WIDTH
from lib.recognise.gram import descent
from lib.recognise.model import Weights

WORDS = (("Bob", "target-1"), ("banana", "target-2"), ("the", "common"), ("another word", "other"))
"""The words in the order of the vocabulary, with their roles; all further words are like the last."""
WIDTHS = (16, 64, 256, 1024, 4096)
NEURONS = 16
LOWEST, HIGHEST = -2.0, 4.0
"""The range of the slopes that are drawn; one beyond stands at the edge."""


class Push(NamedTuple):
    """The first moment of training at one random start."""

    width: int
    slopes: Tensor  # (4, m₁) of the neurons on each of WORDS, in units of a target's mean
    attention: float  # the fastest attention weight's speed over that of G(Bob)


@cache
def push(width: int) -> Push:
    """What the first moment of gradient flow does to each neuron, and to attention."""
    model = real_model(0, samples=30, length=5, width=width, neurons=NEURONS, sigma_0=0.1, sigma_1=0.3)
    velocity = descent(model.weights, model.layer, model.data)
    slopes = neuron_slopes(model.weights, velocity, model.layer)[:, : len(WORDS)].T
    turn = torch.func.jvp(
        lambda weights: sample_arrays(weights, model.layer, model.data).attention,
        (model.weights,),
        (Weights(*velocity),),
    )[1]
    unit = (model.variance_0 + model.variance_1) * width / 6
    return Push(width, slopes / unit, float(turn.abs().max() / slopes[0].sum()))


def first_moment() -> HTML:
    """Every neuron's first push on four words, in networks from narrow to wide."""
    pushes = [push(width) for width in WIDTHS]
    caption = (
        "Each dot is a neuron, each bar the mean of all. Take a wider network: the dots draw together, and all neurons "
        "turn towards Bob and banana, hardly towards other words. In the narrowest some go astray. Attention waits: "
        f"in this first moment no attention weight of width {WIDTHS[-2]:,} moves faster than "
        f"{_power(pushes[-2].attention)} of the speed at which Bob’s word output rises."
    )
    labels = [f"width {WIDTHS[0]}", *(f"{width:,}" for width in WIDTHS[1:])]
    return chosen("width of the network", labels, [_drawn(pushes)], caption)


def _power(number: float) -> str:
    """The least power of ten that is not below a number, as HTML."""
    return f"10<sup>{math.ceil(math.log10(number))}</sup>".replace("-", "−")


def _drawn(pushes: list[Push]) -> str:
    """A row for each word, a dot for each neuron, and a tick at their mean, which move as the width is chosen."""
    sketch = Moving(f"How fast each of {NEURONS} neurons turns", 272)
    left, top, said = 96.0, 40.0, []
    unit = (WIDTH - left - 8) / (HIGHEST - LOWEST)

    def place(slope: float) -> float:
        return left + unit * (min(max(slope, LOWEST), HIGHEST) - LOWEST)

    sketch.words(place(0) - 6, 36, "← away", size=13, anchor="end")
    sketch.words(place(0) + 6, 36, "towards the word →", size=13)
    bottom = top + 46 * len(WORDS)
    sketch.line(place(0), 24, place(0), bottom, strength=0.5)
    sketch.line(place(1), 46, place(1), bottom, strength=0.5, dashed=True)
    for number, (word, role) in enumerate(WORDS):
        middle = top + 26
        sketch.words(0, middle + 5, word, role)
        in_order = torch.stack([one.slopes[number].sort().values for one in pushes])
        for neuron, slopes in enumerate(in_order.T.tolist()):
            sketch.moving_dot([place(slope) for slope in slopes], middle + (-9, 0, 9)[neuron % 3], 4.5, role)
        means = [place(mean) for mean in in_order.mean(1).tolist()]
        sketch.moving_line(means, middle - 18, middle + 18, role)
        ends = [f"from {row[0]:.2f} to {row[-1]:.2f}" for row in in_order.tolist()]
        said.append(f"{word}: {ends[0]} at width {WIDTHS[0]}, {ends[-1]} at width {WIDTHS[-1]}")
        top += 46
    sketch.words(place(0), bottom + 17, "0", size=13, anchor="middle")
    sketch.words(place(1), bottom + 17, "1", size=13, anchor="middle")
    sketch.words(place(1) + 10, bottom + 17, "= predicted", size=13)
    return sketch.svg(
        f"Dots for {NEURONS} neurons: how fast each turns towards a word at first, where 1 is the mean of the lemma. "
        f"{listed(said)}."
    )
