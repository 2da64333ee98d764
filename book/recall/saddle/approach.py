"""Lemma 5 measured: how stage 1 comes close to the saddle, in plain numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from lib.recall.landscape import SWAP
from lib.recall.logits import printed_gradient, printed_logits


class Approach(NamedTuple):
    """How far attention is from the saddle's (¼, ¼, ¼, ¼, 0, 0)."""

    exponent: float  # of the distance in the number of steps, over the second half of them
    distance: float  # largest entry
    times_steps: float  # the distance times the number of steps


def to_the_saddle(temperature: float, tilt: float, steps: int, rate: float = 200.0) -> Approach:
    """Descend with η = cT² from θ = (tilt, 0, 0, 0, 0, 0) and return the distance to the saddle's attention.

    By Table 2 and eqs 4–10 in plain numbers. Near the saddle v₅ falls by v₅²·8p₃v₂η/T a step, so like 1/steps once
    8p₃v₂ηt/T, about ηt/(Te^{1/8T}), is large.
    """
    theta = [tilt, 0.0, 0.0, 0.0, 0.0, 0.0]
    distances = []
    for step in range(steps + 1):
        v = _softmax(theta)
        if step in (steps // 2, steps):
            distances.append(max(abs(a - b) for a, b in zip(v, (0.25,) * 4 + (0.0,) * 2, strict=True)))
        p = _softmax([logit / temperature for logit in printed_logits(*v[:5])])
        by_v = printed_gradient(v, p)  # times T/2
        mean = sum(a * b for a, b in zip(v, by_v, strict=True))
        gradient = [a * (b - mean) for a, b in zip(v, by_v, strict=True)]
        if tilt == 0:  # exact arithmetic keeps the two examples equal
            gradient = [(g + gradient[k]) / 2 for g, k in zip(gradient, SWAP, strict=True)]
        theta = [x - 2 * rate * temperature * g for x, g in zip(theta, gradient, strict=True)]
    half, distance = distances
    return Approach(math.log2(distance / half), distance, distance * steps)


def _softmax(scores: Sequence[float]) -> list[float]:
    top = max(scores)
    weights = [math.exp(score - top) for score in scores]
    total = sum(weights)
    return [weight / total for weight in weights]
