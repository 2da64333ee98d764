"""What the lemmas on pre-training's stages are measured on: extremes over stretches of a run, hitting times, drifts."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any, NamedTuple

from book.acquire.conditions import condition_numbers_of
from book.acquire.pretraining import GOOD, Moment, Run, chance_of_few_active, pretrained


class Extremes(NamedTuple):
    """The worst of some moments."""

    unsure: float  # least 1 − p(a)
    open: float  # least 1 − K p(r)
    ratio_low: float  # least α_s/α_r
    ratio_high: float  # greatest α_s/α_r
    context: float  # greatest dα_o
    share: float  # least α_s or α_r
    loudness: float  # least f_d([o]) over log d


def extremes(moments: list[Moment], dimension: float) -> Extremes:
    """The worst of ``moments``."""
    return Extremes(
        unsure=1 - max(moment.answer[1] for moment in moments),
        open=1 - max(moment.phrase[1] for moment in moments),
        ratio_low=min(moment.ratio[0] for moment in moments),
        ratio_high=max(moment.ratio[2] for moment in moments),
        context=dimension * max(moment.on_context for moment in moments),
        share=min(moment.least for moment in moments),
        loudness=min(moment.follower for moment in moments) / math.log(dimension),
    )


class StageNumbers(NamedTuple):
    """A pre-training run, stage by stage."""

    filter_strength: float  # these four: see book.acquire.conditions.ConditionNumbers
    dimension_room: float
    attention_speed: float
    first_rate: float
    length_2: float  # η̃ of stage II times its steps, over N
    outputs: int  # V
    outputs_needed: float
    inactive_chance: float  # bound on the chance that some right output has fewer than 0.4 m active neurons
    ratio_1: tuple[float, float, float]  # least, mean and greatest α_s/α_r after stage I
    drop: float  # −log of the mean ratio after stage I
    drop_predicted: float
    first: Extremes  # after stage I
    second: Extremes  # from the end of stage I to that of stage II
    third: Extremes  # over stage III
    active: float  # least share of active neurons over all steps
    active_0: float  # at the start
    active_1: float  # after one step
    active_later: float  # from the end of stage I on


def stage_numbers(**configuration: Any) -> StageNumbers:
    """A pre-training run, stage by stage; arguments as :func:`~book.acquire.pretraining.pretrained`."""
    run = pretrained(**configuration)
    end_1, end_2, end_3 = run.ends
    after_1 = run.at(end_1)
    prompts = 1 + 2 * len(run.data.subject)
    return StageNumbers(
        **condition_numbers_of(run),
        length_2=(end_2 - end_1) * run.pace,
        outputs=run.sizes.outputs,
        outputs_needed=needed_outputs(run),
        inactive_chance=prompts * chance_of_few_active(run.sizes.neurons),
        ratio_1=after_1.ratio,
        drop=-math.log(after_1.ratio[1]),
        drop_predicted=-expected_log_ratio(run),
        first=extremes([after_1], run.dimension),
        second=extremes(run.between(end_1, end_2), run.dimension),
        third=extremes(run.between(end_2, end_3), run.dimension),
        active=min(min(moment.active) for moment in run.moments),
        active_0=min(run.moments[0].active),
        active_1=min(run.at(1).active),
        active_later=min(min(moment.active) for moment in run.between(end_1, end_3)),
    )


def stage_2(**configuration: Any) -> Extremes:
    """The extremes from the end of stage I to that of stage II."""
    run = pretrained(**configuration)
    return extremes(run.between(*run.ends[:2]), run.dimension)


def needed_outputs(run: Run) -> float:
    """From how many outputs V on the first step raises all features of o that it must: max(17N/2, 17/(3W)); ours.

    All probabilities are 1/V at first. The feature of o falls by 17/(6V) on every output, ⅓(2 + ½ + ⅓)/V in all, and
    rises by attention ½ times W_i for the phrase r_i and by ⅓ · 1/N for an answer.
    """
    n = run.sizes.subjects
    weight = (run.known.uses / run.known.multiplicity[:, None]).sum(0) / n
    return max(17 / 2 * n, 17 / (3 * float(weight[weight > 0].min())))


def expected_log_ratio(run: Run) -> float:
    """Mean log(α_s/α_r) after stage I: −(8/9) φc² N(W_i − ω_ji) log(2d)/d, φ the share of d's active neurons; ours.

    In step 2 all wrong probability is d's, so that −e_o is the mean of d's active features of o, 2η̃₁d/3 each. It
    moves z[o, r_i] by −2W_i, z[r_i, r_i] by W_i/d and z[s_j, r_i] by ω_ji/d, in units of η̃₁κ(−e_o)d/27.
    """
    d, n = run.dimension, run.sizes.subjects
    j, i = run.data.subject, run.data.phrase
    share = run.known.uses / run.known.multiplicity[:, None] / n  # ω_ji, (N, R)
    excess = float((share.sum(0)[i] - share[j, i]).mean())
    active = run.moments[0].active[0]
    return -8 / 9 * active * n * excess * math.log(2 * d) / d * run.first**2


class Rise(NamedTuple):
    """The greatest rise of a feature over a whole run."""

    rise: float


def feature_rise(follows: bool, **configuration: Any) -> Rise:
    """The greatest rise of a feature over the whole run, on outputs that never follow the token, or that do."""
    moments = pretrained(**configuration).moments
    return Rise(max(moment.related_rise if follows else moment.unrelated_rise for moment in moments))


def hitting_step(run: Run, excess: float) -> float:
    """After how many steps the excess loss falls to a level for good, between moments in log; infinite if never."""
    for k in range(len(run.moments) - 1, 0, -1):
        before, after = run.moments[k - 1 : k + 1]
        if after.excess > excess:
            return math.inf
        if before.excess > excess:
            part = math.log(before.excess / excess) / math.log(before.excess / after.excess)
            return before.step + part * (after.step - before.step)
    return 0.0


def growth(level: float) -> float:
    """T_p − T_2 with N = 16 and R = 8 over that with N = 8 and R = 4, both at η̃₃ = N, m = 32."""
    half, full = (
        pretrained(**{**GOOD, "subjects": 8 * k, "phrases": 4 * k, "unused": 60 * k, "neurons": 32})
        for k in (1, 2)
    )
    return (hitting_step(full, level) - full.ends[1]) / (hitting_step(half, level) - half.ends[1])


def order(run: Run, scale: float) -> float:
    """m d²σ₀² + m + (N² + R²)/λ², with λσ₀ = ``scale`` and λ² = m/κ."""
    n, r, m = run.sizes.subjects, run.sizes.phrases, run.sizes.neurons
    return run.kappa * run.dimension**2 * scale**2 + m + (n**2 + r**2) * run.kappa / m


class Descent(NamedTuple):
    """How long stage III takes to a level of the excess loss; steps are counted from the end of stage II."""

    filter_strength: float  # these four: see book.acquire.conditions.ConditionNumbers
    dimension_room: float
    attention_speed: float
    first_rate: float
    order: float  # m d²σ₀² + m + (N² + R²)/λ²
    taken: float  # T_p − T₂, steps
    rate_3: float  # η₃
    length_3: float  # η₃ times the steps of stage III
    scaled: float  # η(T_p − T₁) over KNm/λ²ε
    room_left: float  # the order over η₃(T_p − T₂)
    room_fewer: float  # the same with a quarter of the neurons at the same κ
    excess: float  # at the end
    growth: float


def descent(level: float, scale: float = 1e-3, **configuration: Any) -> Descent:
    """How long the excess loss takes to fall to ``level``, beside the order that Lemma 16 gives.

    Args:
        level: ε, of the excess loss.
        scale: λσ₀.
        **configuration: as of :func:`~book.acquire.pretraining.pretrained`.
    """
    configuration = {"steps_3": max(90, math.ceil(20 / level)), **configuration}
    run = pretrained(scale=scale, **configuration)
    fewer = pretrained(scale=scale, **{**configuration, "neurons": max(1, run.sizes.neurons // 4)})
    taken, taken_by_fewer = (hitting_step(each, level) - each.ends[1] for each in (run, fewer))
    rate_3 = run.pace * run.sizes.subjects * run.kappa
    steps = hitting_step(run, level) - run.ends[0]
    return Descent(
        **condition_numbers_of(run),
        order=order(run, scale),
        taken=taken,
        rate_3=rate_3,
        length_3=(run.ends[2] - run.ends[1]) * rate_3,
        scaled=steps * run.pace * level / float(run.known.multiplicity.max()),
        room_left=order(run, scale) / (taken * rate_3),
        room_fewer=order(fewer, scale) / (taken_by_fewer * rate_3),
        excess=run.moments[-1].excess,
        growth=growth(level),
    )


BALANCE: dict[str, Any] = {"subjects": 12, "phrases": 2, "neurons": 16, "stretch": 20, "steps_3": 400}
LEVEL = 0.05
"""The excess loss at which the drift of attention is measured."""


class Balance(NamedTuple):
    """How far attention has drifted from subject and phrase alike."""

    attention_speed: float  # κN/R
    drift: float  # of log α_s/α_r until the excess loss is LEVEL
    drift_early: float  # until it is twice that
    drift_quarter: float  # with a quarter of κ
    drift_apart: float  # with four times as many phrases
    exponent: float  # of the drift in κ, from a quarter of it
    ratio: tuple[float, float, float]  # least, mean and greatest α_s/α_r at LEVEL


def ratio_at(run: Run, excess: float) -> tuple[float, float, float]:
    """Least, mean and greatest α_s/α_r at the first moment with at most this excess loss; NaN if there is none."""
    none = (math.nan, math.nan, math.nan)
    return next((moment.ratio for moment in run.moments if moment.excess <= excess), none)


def drift(run: Run, excess: float) -> float:
    """By how much the logarithm of the mean α_s/α_r has risen from stage I until the excess loss is as given.

    Between two moments in proportion to the logarithm of the excess; NaN if it never falls so far.
    """
    later = run.between(run.ends[0], run.ends[2])
    for before, after in pairwise(later):
        if after.excess <= excess:
            part = math.log(before.excess / excess) / math.log(before.excess / after.excess)
            log_before, log_after = math.log(before.ratio[1]), math.log(after.ratio[1])
            return log_before + part * (log_after - log_before) - math.log(later[0].ratio[1])
    return math.nan


def balance(kappa: float, seed: int = 0) -> Balance:
    """The drift at excess loss 0.05 and 0.1, κ as given and a quarter of it, and with fewer facts to a phrase."""
    usual = pretrained(**BALANCE, kappa=kappa, seed=seed)
    whole, quarter = (drift(run, LEVEL) for run in (usual, pretrained(**BALANCE, kappa=kappa / 4, seed=seed)))
    return Balance(
        attention_speed=kappa * BALANCE["subjects"] / BALANCE["phrases"],
        drift=whole,
        drift_early=drift(usual, 2 * LEVEL),
        drift_quarter=quarter,
        drift_apart=drift(pretrained(**{**BALANCE, "phrases": 8}, kappa=kappa, seed=seed), LEVEL),
        exponent=math.log(whole / quarter) / math.log(4),
        ratio=ratio_at(usual, LEVEL),
    )
