"""What the chapter's pages share: one pre-training run, what is measured at its steps, and the conditions on it."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

import torch
from torch import Tensor

from lib.acquire import course
from lib.acquire.course import STAGE_1
from lib.acquire.task import Facts, Sentences, entropy, facts, sentences
from lib.acquire.tokens import Acquired, Sizes, State, pretraining, start

PAPER = "Xu and Chen, 2025"


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
        dimension: d = ‖o‖². ``first``: η̃ of stage I over the predicted one. ``pace``: η̃ of stages II and III over N.
        moments: at 0 to 10 steps, at the ends of the stages, and at ever wider intervals.
        ends: steps made by the end of stages I, II and III.
        early, last: passes over the data after stage I and at the end.
    """

    sizes: Sizes
    known: Facts
    data: Sentences
    dimension: float
    kappa: float
    first: float
    pace: float
    moments: tuple[Moment, ...]
    ends: tuple[int, int, int]
    begun: State
    state: State
    early: Acquired
    last: Acquired

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

    @property
    def conditions(self) -> dict[str, float]:
        """:func:`conditions` of this run."""
        one = torch.ones((), dtype=torch.float64)
        met = conditions(
            self.known,
            one * self.sizes.phrases,
            one * self.moments[0].active[0],
            one * self.first,
            one * self.dimension,
            one * self.kappa,
        )
        return {name: float(value) for name, value in met.items()}


def sizes_of(subjects: int, phrases: int, neurons: int, unused: int) -> Sizes:
    """Sizes with ``unused`` further outputs that follow no prompt, as a vocabulary of real size has them."""

    class Padded(Sizes):
        @property
        def outputs(self) -> int:
            return super().outputs + unused

    return Padded(subjects, phrases, neurons)


SLACK = math.sqrt(2)
"""Stage I's rate over that with which half of d's neurons filter o out: for starts with fewer."""


@lru_cache(maxsize=256)
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
        first: η̃ of stage I over ``SLACK`` times the predicted one. ``pace``: η̃ of stages II and III over N.
        scale: λσ₀.
    """
    sizes = sizes_of(subjects, phrases, neurons, unused)
    dimension = stretch * sizes.outputs
    known = facts(subjects, phrases, multiplicity, 0.5, seed)
    data = sentences(known)
    floor, follows = float(entropy(known)), _follows(data, sizes)
    begun = start(sizes, dimension, scale, torch.Generator().manual_seed(seed))
    ends = (STAGE_1, STAGE_1 + steps_2, STAGE_1 + steps_2 + steps_3)
    wanted = {*range(11), *ends, *(round(10 * 1.25**k) for k in range(40))}
    rates = course.pace(sizes, dimension, kappa, first * SLACK, steps_2 + steps_3, pace)
    moments = []
    for step, (state, got) in enumerate(pretraining(begun, known, sizes, dimension, kappa, rates)):
        if step == STAGE_1:
            early = got
        if step in wanted:
            rise = (state.features - begun.features)[: 1 + subjects + phrases]
            rises = float(rise[~follows].max()), float(rise[follows].max())
            moments.append(_moment(step, got, floor, known.uses > 0, *rises))
    return Run(
        sizes,
        known,
        data,
        dimension,
        kappa,
        first * SLACK,
        pace,
        tuple(moments),
        ends,
        begun,
        state,
        early,
        got,
    )


def _moment(step: int, got: Acquired, floor: float, used: Tensor, others: float, own: float) -> Moment:
    ratio = got.attention_phrase[:, 1] / got.attention_phrase[:, 2]
    told, asked = got.answer_chance, got.phrase_chance[used]
    on_context = torch.maximum(got.attention_subject[:, 0].max(), got.attention_phrase[:, 0].max())
    return Moment(
        step,
        float(got.loss) - floor,
        (float(got.follower), float(got.phrase), float(got.answer)),
        float(on_context),
        (float(ratio.min()), float(ratio.mean()), float(ratio.max())),
        float(got.attention_phrase[:, 1:].min()),
        float(got.loudness),
        (float(told.min()), float(told.max())),
        (float(asked.min()), float(asked.max())),
        (float(got.follower_active), float(got.phrase_active[used].min()), float(got.answer_active.min())),
        others,
        own,
    )


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
AROUND: dict[str, Any] = {
    "subjects": [4, 8, 12, 16],
    "phrases": (4, 8),
    "multiplicity": (1, 4),
    "neurons": [8, 12, 16, 24, 32, 48, 64, 128],
    "unused": (0, 120),
    "stretch": (2.0, 200.0),
    "first": (1.1, 2.5),
    "kappa": (0.0001, 0.005),
    "seed": (0, 999),
}
"""Where its hypotheses can hold and where they break; larger runs are slow."""

CONDITIONS = {
    "filters": (
        "stage I's rate c large enough for the share φ of d's neurons that are active: φc² at least ⅔",
        lambda r, p: r.filters,
    ),
    "room": (
        "dimension d at least 4φc² NW log(2d), W the weight of the phrase used most",
        lambda r, p: r.room,
    ),
    "slow": ("κN/R at most 0.01", lambda r, p: r.slow),
    "quiet": (
        "stage I's rate η̃₁ at most 4N: by 5N or so it learns phrases, before any other stage",
        lambda r, p: r.quiet,
    ),
}
"""What Condition 1 comes to for attention; ours, in place of its lost formulas.

c is stage I's rate over the predicted one; a phrase of weight W < 9/8N asks for a φc² larger by 9/8NW.
"""


def conditions(
    known: Facts, phrases: Tensor, active: Tensor, rate: Tensor, dimension: Tensor, kappa: Tensor
) -> dict[str, Tensor]:
    """:data:`CONDITIONS`, each 0-d, 1 or 0; traceable.

    Args:
        phrases: R. ``active``: φ, the share of d's neurons that are active on [o].
        rate: c, stage I's rate over :func:`~lib.acquire.course.first_rate`.
    """
    weight = (known.uses / known.multiplicity[:, None]).sum(0)  # N W_i
    least = torch.where(weight > 0, weight, torch.full_like(weight, torch.inf)).amin()
    strength = active * rate**2
    met = {
        "filters": strength * torch.clamp(least * 8 / 9, max=1) >= 2 / 3,
        "room": dimension >= 4 * strength * weight.amax() * torch.log(2 * dimension),
        "slow": kappa * known.rank.shape[0] / phrases <= 0.01 * (1 + 1e-9),
        "quiet": 36 * rate**2 * torch.log(2 * dimension) <= 16 * known.rank.shape[0] * kappa * dimension**2,
    }
    return {name: value.to(torch.float64) for name, value in met.items()}


def binomial(trials: int, chance: Fraction, count: int) -> Fraction:
    """P[B ≤ count] of a binomial variable, exactly."""
    return sum(
        (math.comb(trials, k) * chance**k * (1 - chance) ** (trials - k) for k in range(count + 1)),
        Fraction(0),
    )


def short_of(neurons: int) -> float:
    """P[fewer than 0.4 m of m neurons are active], each with probability ½, exactly."""
    return float(binomial(neurons, Fraction(1, 2), math.ceil(Fraction(2, 5) * neurons) - 1))
