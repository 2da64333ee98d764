"""Pre-training alone: attention learns to leave out the context, the MLP stores what passes (Propositions 1 and 2)."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor

from book.acquire.conditions import condition_numbers
from lib.acquire import course, task
from lib.acquire.course import Learner, first_rate
from lib.acquire.extraction import with_defaults
from lib.acquire.task import Facts
from lib.program import Program, record

KAPPA = 0.001
"""Where the page opens: small enough for subject and phrase to stay comparable at every number of phrases."""
SHARE = 0.3
"""The least attention on subject and phrase in stage III, by the proof of Lemma 16."""
DOMAINS = with_defaults(course.DOMAINS, kappa=KAPPA)
Filtering = record("Filtering", (domain.name for domain in DOMAINS))


class Filtered(NamedTuple):
    """What pre-training comes to, each 0-d; extremes are over all sentences, 1, 2, 3 are the ends of the stages."""

    context_1: Tensor  # greatest attention on o
    context_3: Tensor
    bound_1: Tensor  # 1/(2d)
    ratio_low_1: Tensor  # least attention on s over that on r
    ratio_high_1: Tensor
    ratio_high_2: Tensor
    ratio_high_3: Tensor
    expected: Tensor  # that ratio after stage I as expected_ratio has it
    excess: Tensor  # loss minus entropy at the end
    change: Tensor  # of the loss in the last step
    rise: Tensor  # the largest such change after stage I
    entropy: Tensor
    dead: Tensor  # share of the sentences whose answer has no active neuron, at the end
    mute: Tensor  # share of the sentences whose phrase has none
    eta: Tensor  # η̃₁
    allowed: Tensor  # 1/d
    most_context: Tensor  # greatest attention on o from the end of stage I until the loss is near-optimal
    least_share: Tensor  # least attention on s or r in that time
    follower_1: Tensor  # loss after [o]
    phrase_2: Tensor  # least probability of a phrase that the fact has, over chance
    answer_2: Tensor  # least probability of an answer, over chance
    answer_3: Tensor  # least probability of an answer
    follower_active: Tensor  # φ, the share of d's neurons that are active on [o] at the start
    follower_active_needed: Tensor  # see enough_active
    filter_strength: Tensor  # see book.acquire.conditions.ConditionNumbers
    dimension_room: Tensor
    attention_speed: Tensor
    first_rate: Tensor


def filtering() -> Program:
    """Stages I, II and III of pre-training."""

    return Program(Filtering, DOMAINS, course.start, course.pretraining(), course.watch, _report)


def expected_ratio(p: Any) -> Tensor:
    """exp(−(4N/9dR) c² log(2d)): attention on s over that on r after stage I, for a phrase of average use.

    In the second step [o s r] says d, and what leaves o goes to s and r alike, α_s = α_r = ⅓. But z[s_j, r_i] is moved
    by one sentence in n, z[r_i, r_i] by one in R: by η̃₁ κ/(3R) · ⅑ · ⅓ η̃₁ d, with η̃₁ = c · first_rate.
    """
    n, d = course.SUBJECTS, p.dimension
    return torch.exp(-4 * n / (9 * d * p.phrases) * p.rate_1**2 * torch.log(2 * d))


def enough_active(known: Facts) -> Tensor:
    """Which share of d's neurons is enough for [o] to say d, and no phrase, after stage I: 6/7 of the greatest weight.

    Step 1 moves d's features of o by ⅔, step 2 by −½ · ⅓ − ⅓ · ⅓, since all other prompts say d; a phrase's by
    ½ · ⅓ W in each. So 7/18 of d's active neurons must exceed ⅓ W of the phrase's, which are all at most; in η̃₁d.
    """
    return (known.uses / known.multiplicity[:, None]).sum(0).amax() / course.SUBJECTS * 6 / 7


def _report(ends: tuple[Learner, ...], p: Any) -> Filtered:
    stage_1, stage_2, stage_3 = (end.seen for end in ends)
    known, outputs = ends[0].known, course.SIZES.outputs
    active = (ends[0].model.features[0, course.SIZES.follower] > 0).to(torch.float64).mean()
    numbers = condition_numbers(known, course.SIZES, active, p.rate_1, p.dimension, p.kappa, p.phrases)
    return Filtered(
        context_1=stage_1.on_context,
        context_3=stage_3.on_context,
        bound_1=1 / (2 * p.dimension),
        ratio_low_1=stage_1.ratio_low,
        ratio_high_1=stage_1.ratio_high,
        ratio_high_2=stage_2.ratio_high,
        ratio_high_3=stage_3.ratio_high,
        expected=expected_ratio(p),
        excess=stage_3.excess,
        change=stage_3.change,
        rise=stage_3.rise,
        entropy=task.entropy(known),
        dead=stage_3.dead,
        mute=stage_3.mute,
        eta=p.rate_1 * first_rate(course.SIZES, p.dimension, p.kappa),
        allowed=1 / p.dimension,
        most_context=stage_3.most_context,
        least_share=stage_3.least_share,
        follower_1=stage_1.losses[0],
        phrase_2=stage_2.least_chance[0] * outputs / p.multiplicity,
        answer_2=stage_2.least_chance[1] * outputs,
        answer_3=stage_3.least_chance[1],
        follower_active=active,
        follower_active_needed=enough_active(known),
        **numbers._asdict(),
    )
