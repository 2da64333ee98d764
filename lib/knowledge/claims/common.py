"""What the claims about pre-training share: runs, each computed once, and what is measured at their steps."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, NamedTuple

import torch
from torch import Tensor

from lib.knowledge.data import Facts, Sentences, entropy, facts, sentences
from lib.knowledge.dynamics.course import first_rate
from lib.knowledge.dynamics.tokens import Sizes, State, forward, pretraining, start

PAPER = "Xu and Chen, 2025"

STAGE_1 = 2
"""Steps of stage I, as in the proofs."""


class Moment(NamedTuple):
    """What is measured before a step of pre-training; extremes are over all sentences.

    Attributes:
        step: steps made so far.
        excess: loss above the entropy. ``losses``: of [o], [o s] and [o s r], mean over sentences.
        on_context: greatest attention on o in [o s] and [o s r].
        ratio: least, mean and greatest α_s/α_r in [o s r]. ``least``: least attention on s or r there.
        follower: f_d([o]) = (λ/m) Σ_k relu⟨w_{d,k}, 2o⟩.
        answer: least and greatest probability of a_j after [o s_j r_i].
        phrase: least and greatest K_j times the probability of r_i after [o s_j].
        active: least share of the right output's neurons active on [o], on [o s], on [o s r].
        others: greatest rise since the start of a feature of x on an output that never follows a prompt with x.
        own: the same for outputs that do follow.
    """

    step: int
    excess: float
    losses: tuple[float, float, float]
    on_context: float
    ratio: tuple[float, float, float]
    least: float
    follower: float
    answer: tuple[float, float]
    phrase: tuple[float, float]
    active: tuple[float, float, float]
    others: float
    own: float


class Run(NamedTuple):
    """A pre-training run.

    Attributes:
        dimension: d = ‖o‖². ``first``: η̃ of stage I.
        moments: at 0 to 10 steps, at the ends of the stages, and at ever wider intervals.
        ends: steps made by the end of stages I, II and III.
    """

    sizes: Sizes
    known: Facts
    data: Sentences
    dimension: float
    first: float
    moments: tuple[Moment, ...]
    ends: tuple[int, int, int]
    begun: State
    state: State

    def between(self, begin: int, end: int) -> list[Moment]:
        """The moments from ``begin`` to ``end`` steps, both included."""
        return [moment for moment in self.moments if begin <= moment.step <= end]

    def at(self, step: int) -> Moment:
        """The moment after so many steps.

        Raises:
            ValueError: nothing was measured there.
        """
        found = self.between(step, step)
        if not found:
            raise ValueError(f"step = {step}: must be one of {', '.join(str(m.step) for m in self.moments)}")
        return found[0]


def sizes_of(subjects: int, phrases: int, neurons: int, unused: int) -> Sizes:
    """Sizes with ``unused`` further outputs that follow no prompt, as a vocabulary of real size has them."""

    class Padded(Sizes):
        @property
        def outputs(self) -> int:
            return super().outputs + unused

    return Padded(subjects, phrases, neurons)


SLACK = math.sqrt(2)
"""Stage I's rate over that with which half of d's neurons filter o out: for starts with fewer."""


@lru_cache(maxsize=128)
def pretrained(
    subjects: int = 12,
    phrases: int = 6,
    multiplicity: int = 2,
    neurons: int = 16,
    kappa: float = 0.004,
    stretch: float = 1.0,
    unused: int = 0,
    first: float = 1.0,
    steps_2: int = 8,
    steps_3: int = 90,
    pace: float = 1.0,
    scale: float = 1e-3,
    seed: int = 0,
) -> Run:
    """Pre-train half frequent facts, rare ones' gradients times K: two steps at η̃₁, then stages II and III at η̃ = N.

    Args:
        subjects, phrases, multiplicity, neurons: N, R, K and m.
        kappa: m/λ². ``stretch``: ‖o‖² over the number of outputs. ``unused``: outputs that follow no prompt.
        first: η̃ of stage I over ``SLACK`` times :func:`first_rate`. ``pace``: η̃ of stages II and III over N.
        scale: λσ₀.
    """
    sizes = sizes_of(subjects, phrases, neurons, unused)
    dimension = stretch * sizes.outputs
    known = facts(subjects, phrases, multiplicity, 0.5, seed)
    data = sentences(known)
    begun = start(sizes, dimension, scale, torch.Generator().manual_seed(seed))
    quick = first * SLACK * float(first_rate(sizes, dimension, kappa))
    ends = (STAGE_1, STAGE_1 + steps_2, STAGE_1 + steps_2 + steps_3)
    wanted = {*range(11), *ends, *(round(10 * 1.25**k) for k in range(40))}
    rates = ((STAGE_1, quick), (steps_2 + steps_3, pace * subjects))
    moments = []
    for step, (state, got) in enumerate(pretraining(begun, known, sizes, dimension, kappa, rates)):
        if step in wanted:
            losses = (float(got.follower), float(got.phrase), float(got.answer))
            moments.append(_moment(step, losses, state, begun, known, data, sizes))
    return Run(sizes, known, data, dimension, quick, tuple(moments), ends, begun, state)


def _moment(
    step: int,
    losses: tuple[float, float, float],
    state: State,
    begun: State,
    known: Facts,
    data: Sentences,
    sizes: Sizes,
) -> Moment:
    n, r = sizes.subjects, sizes.phrases
    (a, z), (j, i, _) = state, data
    answer, phrase = sizes.answers + j, 1 + n + i
    opening = 2 * a[0, sizes.follower]
    middle = forward((a[:1], a[1 : 1 + n]), torch.stack([z.context_subject, z.subject_subject], 1))
    scores = torch.stack([z.context_phrase[i], z.subject_phrase[j, i], z.phrase_phrase[i]], 1)
    last = forward((a[:1], a[1 + j], a[phrase]), scores)
    row = torch.arange(len(j))
    ratio = last[0][:, 1] / last[0][:, 2]
    told = _chances(last[1])[row, answer]
    asked = known.multiplicity[j] * _chances(middle[1])[j, phrase]
    rise = a[: 1 + n + r] - begun.features[: 1 + n + r]
    follows = _follows(data, sizes)
    return Moment(
        step,
        sum(losses) / 3 - float(entropy(known)),
        losses,
        float(torch.maximum(middle[0][:, 0].max(), last[0][:, 0].max())),
        (float(ratio.min()), float(ratio.mean()), float(ratio.max())),
        float(last[0][:, 1:].min()),
        float(torch.relu(opening).mean()),
        (float(told.min()), float(told.max())),
        (float(asked.min()), float(asked.max())),
        (
            float((opening > 0).double().mean()),
            float((middle[1][j, phrase] > 0).double().mean(1).min()),
            float((last[1][row, answer] > 0).double().mean(1).min()),
        ),
        float(rise[~follows].max()),
        float(rise[follows].max()),
    )


def _chances(pre: Tensor) -> Tensor:
    return torch.softmax(torch.relu(pre).mean(-1), -1)


def _follows(data: Sentences, sizes: Sizes) -> Tensor:
    """(N + R + 1, V): whether an output ever follows a prompt that holds the token."""
    n = sizes.subjects
    s, r, answer = 1 + data.subject, 1 + n + data.phrase, sizes.answers + data.subject
    found = torch.zeros(1 + n + sizes.phrases, sizes.outputs, dtype=torch.bool)
    found[0, sizes.follower] = True
    for token, output in ((0 * s, r), (s, r), (0 * s, answer), (s, answer), (r, answer)):
        found[token, output] = True
    return found


GOOD: dict[str, Any] = {"subjects": 8, "phrases": 4, "neurons": 256, "unused": 60, "stretch": 5}
"""A configuration with room: wide MLP, large embedding dimension, more outputs than the data use."""


def phrase_weights(run: Run) -> list[float]:
    """N W_i: the weight of phrase i's sentences, in units of a fact's."""
    share = run.known.uses / run.known.multiplicity[:, None]
    return [weight for weight in share.sum(0).tolist() if weight > 0]


def conditions(run: Run, kappa: float, first: float) -> dict[str, bool]:
    """What stage I needs to filter o and to leave s and r alike; ours, in place of Condition 1's lost formulas."""
    d, active, weights = run.dimension, run.moments[0].active[0], phrase_weights(run)
    strength = 2 * active * first**2
    return {
        "stage I at least sqrt(48 N log(2d)/kappa)/d": strength * min(1.0, min(weights) * 8 / 9) >= 2 / 3,
        "d at least 4 N W log(2d), W a phrase's weight": d >= 4 * strength * max(weights) * math.log(2 * d),
        "kappa N/R at most 0.02": kappa * run.sizes.subjects / run.sizes.phrases <= 0.02,
    }
