"""Pre-training alone: attention learns to leave out the context, the MLP stores what passes (Propositions 1 and 2)."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from lib.knowledge import data
from lib.knowledge.dynamics import course
from lib.knowledge.dynamics.course import DEFAULTS, DOMAINS, Course, Learner, first_rate
from lib.solve import Program, record

RATIO = (0.8, 1.2)
"""Attention on the subject over attention on the phrase, after stage I (Lemma 11)."""
NEAR = 0.1
"""How near to the entropy the loss must come to count as near-optimal at the end."""


Filtering = record("Filtering", (domain.name for domain in DOMAINS))
"""The parameters, each a 0-d tensor: see :class:`~lib.knowledge.dynamics.course.Course`."""


class Filtered(NamedTuple):
    """What it comes to."""

    context_1: Tensor  # greatest attention on o after stage I
    context_2: Tensor  # … after stage II
    context_3: Tensor
    bound_1: Tensor
    bound_2: Tensor
    ratio_low_1: Tensor  # least attention on s over that on r, after stage I
    ratio_high_1: Tensor
    ratio_low_2: Tensor
    ratio_high_2: Tensor
    ratio_low_3: Tensor
    ratio_high_3: Tensor
    expected: Tensor  # that ratio after stage I as expected_ratio has it
    excess: Tensor  # loss minus entropy at the end
    entropy: Tensor
    dead: Tensor  # share of the sentences whose answer has no active neuron, at the end
    eta: Tensor  # η̃₁
    filtered: Tensor  # lights: Proposition 1's first item
    comparable: Tensor  # its second
    stored: Tensor  # Proposition 2's third
    alive: Tensor  # no answer is without an active neuron
    small: Tensor  # κ at most 0.01
    verdict: Tensor  # 0 confirmed, 1 contradicted, 2 outside, 3 beyond
    story: Tensor  # 0 filtered and stored, 1 not filtered, 2 filtered, not stored, 3 dead, 4 one-sided


def filtering() -> Program:
    """Stages I, II and III of pre-training."""

    def report(ends: tuple[Learner, ...], p: Course) -> Filtered:
        one, two, three = (end.seen for end in ends)
        filtered = one.on_context <= 1 / (2 * p.dimension)
        comparable = (one.ratio_low >= RATIO[0]) & (one.ratio_high <= RATIO[1])
        stored = three.excess <= NEAR
        alive = three.dead <= 0
        small = p.kappa <= 0.01
        holds, good = alive & small, filtered & comparable & stored
        verdict = torch.where(good, torch.where(holds, 0.0, 3.0), torch.where(holds, 1.0, 2.0))
        story = torch.where(
            three.dead > course.LOST,
            3.0,
            torch.where(~filtered, 1.0, torch.where(~stored, 2.0, torch.where(comparable, 0.0, 4.0))),
        )
        return Filtered(
            context_1=one.on_context,
            context_2=two.on_context,
            context_3=three.on_context,
            ratio_low_1=one.ratio_low,
            ratio_high_1=one.ratio_high,
            ratio_low_2=two.ratio_low,
            ratio_high_2=two.ratio_high,
            ratio_low_3=three.ratio_low,
            ratio_high_3=three.ratio_high,
            excess=three.excess,
            entropy=data.entropy(ends[0].known),
            dead=three.dead,
            eta=p.rate_1 * first_rate(course.SIZES, p.dimension, p.kappa),
            bound_1=1 / (2 * p.dimension),
            bound_2=2 / (3 * p.dimension),
            expected=expected_ratio(p),
            **{
                name: light.to(torch.float64)
                for name, light in (
                    ("filtered", filtered),
                    ("comparable", comparable),
                    ("stored", stored),
                    ("alive", alive),
                    ("small", small),
                )
            },
            verdict=verdict.to(torch.float64),
            story=story.to(torch.float64),
        )

    return Program(Filtering, DOMAINS, course.start, course.pretraining(), course.watch, report)


def expected_ratio(p: Course) -> Tensor:
    """exp(−(4N/9dR) c² log(2d)): attention on s over that on r after stage I, for a phrase of average use.

    In the second step [o s r] says d, and what leaves o goes to s and r alike, α_s = α_r = ⅓. But z[s_j, r_i] is moved
    by one sentence in n, z[r_i, r_i] by one in R: by η̃₁ κ/(3R) · ⅑ · ⅓ η̃₁ d, with η̃₁ = c · first_rate.
    """
    n, d = course.SUBJECTS, p.dimension
    return torch.exp(-4 * n / (9 * d * p.phrases) * p.rate_1**2 * torch.log(2 * d))


__all__ = ["DEFAULTS", "Filtered", "Filtering", "expected_ratio", "filtering"]
