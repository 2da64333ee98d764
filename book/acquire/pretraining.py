"""One pre-training run at any sizes, and what is measured at some of its steps: what the chapter's lemmas speak of."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

import torch
from torch import Tensor

from book.acquire.binomial import binomial_cdf
from lib.acquire import course
from lib.acquire.course import STAGE_1
from lib.acquire.task import Facts, Sentences, entropy, facts, sentences
from lib.acquire.tokens import Acquired, Sizes, State, pretraining, start

SLACK = math.sqrt(2)
"""Stage I's rate over that with which half of d's neurons filter o out: for starts with fewer active neurons."""
ACTIVE_SHARE = 0.4
"""The share of a right output's neurons that Lemmas 10 and 15 want active."""

GOOD: dict[str, Any] = {"subjects": 8, "phrases": 4, "neurons": 256, "unused": 60, "stretch": 5}
"""Arguments of :func:`pretrained` with room: wide MLP, large embedding dimension, more outputs than the data use."""
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
"""Ranges in which hypotheses can hold and can break; larger runs are slow."""


class Moment(NamedTuple):
    """What is measured before a step of pre-training; extremes are over all sentences."""

    step: int  # steps made so far
    excess: float  # loss above the entropy
    losses: tuple[float, float, float]  # mean losses after [o], [o s] and [o s r]
    on_context: float  # greatest attention on o in [o s] and [o s r]
    ratio: tuple[float, float, float]  # least, mean and greatest α_s/α_r in [o s r]
    least: float  # least attention on s or r in [o s r]
    follower: float  # f_d([o]) = (λ/m) Σ_k relu⟨w_{d,k}, 2o⟩
    answer: tuple[float, float]  # least and greatest probability of a_j after [o s_j r_i]
    phrase: tuple[float, float]  # least and greatest K_j times the probability of r_i after [o s_j]
    active: tuple[
        float, float, float
    ]  # least share of the right output's neurons active on [o], [o s], [o s r]
    unrelated_rise: (
        float  # greatest rise since the start of a feature on an output that never follows its token
    )
    related_rise: float  # the same on outputs that do follow


class Run(NamedTuple):
    """A pre-training run."""

    sizes: Sizes
    known: Facts
    data: Sentences
    dimension: float  # d = ‖o‖²
    kappa: float
    first: float  # η̃ of stage I over the predicted one
    pace: float  # η̃ of stages II and III over N
    moments: tuple[Moment, ...]  # at 0 to 10 steps, at the ends of the stages, and at ever wider intervals
    ends: tuple[int, int, int]  # steps made by the end of stages I, II and III
    begun: State  # before the first step
    state: State  # after the last
    early: Acquired  # a pass over the data after stage I
    last: Acquired  # and one at the end

    def between(self, begin: int, end: int) -> list[Moment]:
        """The moments from ``begin`` to ``end`` steps, both included."""
        return [moment for moment in self.moments if begin <= moment.step <= end]

    def at(self, step: int) -> Moment:
        """The moment after so many steps.

        Raises:
            ValueError: nothing was measured there.
        """
        moments = self.between(step, step)
        if not moments:
            steps = ", ".join(str(moment.step) for moment in self.moments)
            raise ValueError(f"step = {step}: must be one of {steps}")
        return moments[0]


def sizes_of(subjects: int, phrases: int, neurons: int, unused: int) -> Sizes:
    """Sizes with ``unused`` further outputs that follow no prompt, as a vocabulary of real size has them."""

    class Padded(Sizes):
        @property
        def outputs(self) -> int:
            return super().outputs + unused

    return Padded(subjects, phrases, neurons)


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
        kappa: m/λ².
        stretch: ‖o‖² over the number of outputs.
        unused: how many outputs follow no prompt.
        first: η̃ of stage I over ``SLACK`` times the predicted one.
        steps_2, steps_3: of stages II and III.
        pace: η̃ of stages II and III over N.
        scale: λσ₀.
    """
    sizes = sizes_of(subjects, phrases, neurons, unused)
    dimension = stretch * sizes.outputs
    known = facts(subjects, phrases, multiplicity, 0.5, seed)
    begun = start(sizes, dimension, scale, torch.Generator().manual_seed(seed))
    rates = course.pace(sizes, dimension, kappa, first * SLACK, steps_2 + steps_3, pace)
    ends = (STAGE_1, STAGE_1 + steps_2, STAGE_1 + steps_2 + steps_3)
    passes = pretraining(begun, known, sizes, dimension, kappa, rates)
    moments, state, early, last = _measured(passes, begun, known, sizes, ends)
    return Run(
        sizes=sizes,
        known=known,
        data=sentences(known),
        dimension=dimension,
        kappa=kappa,
        first=first * SLACK,
        pace=pace,
        moments=moments,
        ends=ends,
        begun=begun,
        state=state,
        early=early,
        last=last,
    )


def _measured(
    passes: Iterable[tuple[State, Acquired]], begun: State, known: Facts, sizes: Sizes, ends: tuple[int, ...]
) -> tuple[tuple[Moment, ...], State, Acquired, Acquired]:
    """The moments of a run, its last state, and the passes over the data after stage I and at the end."""
    measured_steps = {*range(11), *ends, *(round(10 * 1.25**k) for k in range(40))}
    least_loss, follows = float(entropy(known)), _follows(sentences(known), sizes)
    moments = []
    for step, (state, passed) in enumerate(passes):
        if step == STAGE_1:
            early = passed
        if step in measured_steps:
            rise = (state.features - begun.features)[: len(follows)]
            rises = float(rise[~follows].max()), float(rise[follows].max())
            moments.append(_moment(step, passed, least_loss, known.uses > 0, rises))
    return tuple(moments), state, early, passed


def _moment(
    step: int, passed: Acquired, least_loss: float, used: Tensor, rises: tuple[float, float]
) -> Moment:
    ratio = passed.attention_phrase[:, 1] / passed.attention_phrase[:, 2]
    answer, phrase = passed.answer_chance, passed.phrase_chance[used]
    on_context = torch.maximum(passed.attention_subject[:, 0].max(), passed.attention_phrase[:, 0].max())
    unrelated_rise, related_rise = rises
    return Moment(
        step=step,
        excess=float(passed.loss) - least_loss,
        losses=(float(passed.follower), float(passed.phrase), float(passed.answer)),
        on_context=float(on_context),
        ratio=(float(ratio.min()), float(ratio.mean()), float(ratio.max())),
        least=float(passed.attention_phrase[:, 1:].min()),
        follower=float(passed.loudness),
        answer=(float(answer.min()), float(answer.max())),
        phrase=(float(phrase.min()), float(phrase.max())),
        active=(
            float(passed.follower_active),
            float(passed.phrase_active[used].min()),
            float(passed.answer_active.min()),
        ),
        unrelated_rise=unrelated_rise,
        related_rise=related_rise,
    )


def _follows(data: Sentences, sizes: Sizes) -> Tensor:
    """(N + R + 1, V) bool: whether an output ever follows a prompt that holds the token."""
    n = sizes.subjects
    s, r, answer = 1 + data.subject, 1 + n + data.phrase, sizes.answers + data.subject
    follows = torch.zeros(1 + n + sizes.phrases, sizes.outputs, dtype=torch.bool)
    follows[0, sizes.follower] = True
    for token, output in ((0 * s, r), (s, r), (0 * s, answer), (s, answer), (r, answer)):
        follows[token, output] = True
    return follows


def chance_of_few_active(neurons: int) -> float:
    """P[fewer than 0.4 m of m neurons are active], each with probability ½, exactly."""
    enough = Fraction(ACTIVE_SHARE).limit_denominator(10) * neurons
    return float(binomial_cdf(neurons, Fraction(1, 2), math.ceil(enough) - 1))
