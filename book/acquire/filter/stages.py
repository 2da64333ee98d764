"""What the lemmas on pre-training's stages measure: extremes over stretches of a run, times, drifts."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any, NamedTuple

from book.acquire.common import GOOD, Moment, Run, pretrained, short_of


class Extremes(NamedTuple):
    """The worst of some moments: ``context`` is dα_o, ``loudness`` f_d([o]) over log d, ``share`` α_s or α_r."""

    unsure: float  # 1 − p(a)
    open: float  # 1 − K p(r)
    ratio_low: float
    ratio_high: float
    context: float
    share: float
    loudness: float


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


def run(**over: Any) -> dict[str, Any]:
    """A pre-training run, stage by stage; arguments as :func:`~book.acquire.common.pretrained`."""
    done = pretrained(**over)
    one, two, three = done.ends
    end = done.at(one)
    after = extremes([end], done.dimension)
    return {
        **done.conditions,
        "short": (two - one) * done.pace <= 6,
        "large_vocabulary": done.sizes.outputs >= asked_outputs(done),
        "wide": (1 + 2 * len(done.data.subject)) * short_of(done.sizes.neurons) <= 0.1,
        "loudness": after.loudness,
        "unsure_1": after.unsure,
        "open_1": after.open,
        "ratio_1": end.ratio,
        "drop": -math.log(end.ratio[1]),
        "drop_foretold": -filtered_ratio(done),
        "context_1": after.context,
        "second": extremes(done.between(one, two), done.dimension),
        "third": extremes(done.between(two, three), done.dimension),
        "active": min(min(moment.active) for moment in done.moments),
        "active_0": min(done.moments[0].active),
        "active_1": min(done.at(1).active),
        "active_later": min(min(moment.active) for moment in done.between(one, three)),
    }


def asked_outputs(done: Run) -> float:
    """From how many outputs V on the first step raises all features of o that it must: max(17N/2, 17/(3W)); ours.

    All probabilities are 1/V at first. The feature of o falls by 17/(6V) on every output, ⅓(2 + ½ + ⅓)/V in all, and
    rises by attention ½ times W_i for the phrase r_i and by ⅓ · 1/N for an answer.
    """
    n = done.sizes.subjects
    weight = (done.known.uses / done.known.multiplicity[:, None]).sum(0) / n
    return max(17 / 2 * n, 17 / (3 * float(weight[weight > 0].min())))


def stage_2(**over: Any) -> dict[str, float]:
    """:class:`Extremes` from the end of stage I to that of stage II."""
    done = pretrained(**over)
    return extremes(done.between(*done.ends[:2]), done.dimension)._asdict()


def filtered_ratio(done: Run) -> float:
    """Mean log(α_s/α_r) after stage I: −(8/9) φc² N(W_i − ω_ji) log(2d)/d, φ the share of d's active neurons; ours.

    In step 2 all wrong probability is d's, so that −e_o is the mean of d's active features of o, 2η̃₁d/3 each. It
    moves z[o, r_i] by −2W_i, z[r_i, r_i] by W_i/d and z[s_j, r_i] by ω_ji/d, in units of η̃₁κ(−e_o)d/27.
    """
    d, n = done.dimension, done.sizes.subjects
    j, i = done.data.subject, done.data.phrase
    share = done.known.uses / done.known.multiplicity[:, None] / n
    excess = float((share.sum(0)[i] - share[j, i]).mean())
    active = done.moments[0].active[0]
    return -8 / 9 * active * n * excess * math.log(2 * d) / d * done.first**2


def rises(follows: bool, **over: Any) -> dict[str, float]:
    """The greatest rise of a feature over the whole run, on outputs that never follow the token, or that do."""
    moments = pretrained(**over).moments
    return {"never": not follows, "rise": max(moment.own if follows else moment.others for moment in moments)}


def hitting(done: Run, excess: float) -> float:
    """After how many steps the excess loss falls to a level for good, between moments in log; infinite if never."""
    for k in range(len(done.moments) - 1, 0, -1):
        one, two = done.moments[k - 1 : k + 1]
        if two.excess > excess:
            return math.inf
        if one.excess > excess:
            part = math.log(one.excess / excess) / math.log(one.excess / two.excess)
            return one.step + part * (two.step - one.step)
    return 0.0


def growth(level: float) -> float:
    """T_p − T_2 with N = 16 and R = 8 over that with N = 8 and R = 4, both at η̃₃ = N, m = 32."""
    half, full = (
        pretrained(**{**GOOD, "subjects": 8 * k, "phrases": 4 * k, "unused": 60 * k, "neurons": 32})
        for k in (1, 2)
    )
    return (hitting(full, level) - full.ends[1]) / (hitting(half, level) - half.ends[1])


def order(done: Run, scale: float) -> float:
    """m d²σ₀² + m + (N² + R²)/λ², with λσ₀ = ``scale`` and λ² = m/κ."""
    n, r, m = done.sizes.subjects, done.sizes.phrases, done.sizes.neurons
    return done.kappa * done.dimension**2 * scale**2 + m + (n**2 + r**2) * done.kappa / m


def descent(level: float, scale: float = 1e-3, **over: Any) -> dict[str, float]:
    """η₃(T_p − T₂) and its order m d²σ₀² + m + (N² + R²)/λ², and how the steps grow with N.

    And by how much the order is above what was taken, here and with a quarter of the neurons at the same κ.
    """
    over = {"steps_3": max(90, math.ceil(20 / level)), **over}
    done = pretrained(scale=scale, **over)
    fewer = pretrained(scale=scale, **{**over, "neurons": max(1, done.sizes.neurons // 4)})
    taken, less = (hitting(one, level) - one.ends[1] for one in (done, fewer))
    rate_3 = done.pace * done.sizes.subjects * done.kappa
    return {
        **done.conditions,
        "level": level,
        "order": order(done, scale),
        "taken": taken,
        "rate_3": rate_3,
        "scaled": (hitting(done, level) - done.ends[0])
        * done.pace
        * level
        / float(done.known.multiplicity.max()),
        "room_left": order(done, scale) / (taken * rate_3),
        "room_fewer": order(fewer, scale) / (less * rate_3),
        "excess": done.moments[-1].excess,
        "settled": done.moments[-1].excess <= level
        or (done.ends[2] - done.ends[1]) * rate_3 >= order(done, scale),
        "growth": growth(level),
    }


BALANCE: dict[str, Any] = {"subjects": 12, "phrases": 2, "neurons": 16, "stretch": 20, "steps_3": 400}
LEVEL = 0.05
SLOW = 0.01


def ratio_at(done: Run, excess: float) -> tuple[float, float, float]:
    """Least, mean and greatest α_s/α_r at the first moment with at most this excess loss; NaN if there is none."""
    none = (math.nan, math.nan, math.nan)
    return next((moment.ratio for moment in done.moments if moment.excess <= excess), none)


def drift(done: Run, excess: float) -> float:
    """By how much the logarithm of the mean α_s/α_r has risen from stage I until the excess loss is as given.

    Between two moments in proportion to the logarithm of the excess; NaN if it never falls so far.
    """
    later = done.between(done.ends[0], done.ends[2])
    for one, two in pairwise(later):
        if two.excess <= excess:
            part = math.log(one.excess / excess) / math.log(one.excess / two.excess)
            before, after = math.log(one.ratio[1]), math.log(two.ratio[1])
            return before + part * (after - before) - math.log(later[0].ratio[1])
    return math.nan


def balance(kappa: float, seed: int = 0) -> dict[str, Any]:
    """The drift at excess loss 0.05 and 0.1, κ as given and a quarter of it, and with fewer facts to a phrase."""
    usual = pretrained(**BALANCE, kappa=kappa, seed=seed)
    strength = kappa * BALANCE["subjects"] / BALANCE["phrases"]
    found = {
        "drift": drift(usual, LEVEL),
        "drift_early": drift(usual, 2 * LEVEL),
        "drift_quarter": drift(pretrained(**BALANCE, kappa=kappa / 4, seed=seed), LEVEL),
        "drift_apart": drift(pretrained(**{**BALANCE, "phrases": 8}, kappa=kappa, seed=seed), LEVEL),
    }
    return {
        "slow": strength <= SLOW,
        "near": not math.isnan(found["drift"] + found["drift_quarter"]),
        "strength": strength,
        "exponent": math.log(found["drift"] / found["drift_quarter"]) / math.log(4),
        "ratio": ratio_at(usual, LEVEL),
        **found,
    }
