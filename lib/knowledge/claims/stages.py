"""Claims about the three stages of pre-training: Lemmas 11–16, Propositions 1 and 2, and how long attention is balanced."""

from __future__ import annotations

import math
from typing import Any

from lib.claims import Claim, Evidence, Verdict, register
from lib.knowledge.claims.common import PAPER, Moment, Run, pretrained
from lib.knowledge.claims.data import GOOD
from lib.knowledge.claims.start import short_of

PAGE = "book/acquire/filter"
FLOOR = 0.1
"""What Θ(1) is read as: at least this."""


def phrase_weights(run: Run) -> list[float]:
    """N W_i: the weight of phrase i's sentences, in units of a fact's."""
    share = run.known.uses / run.known.multiplicity[:, None]
    return [weight for weight in share.sum(0).tolist() if weight > 0]


def filtered_ratio(run: Run, first: float) -> float:
    """Mean log(α_s/α_r) after stage I: −(16/9) p N(W_i − ω_ji) log(2d)/d, p the share of d's active neurons; ours.

    In step 2 all wrong probability is d's, so that −e_o is the mean of d's active features of o, 2η̃₁d/3 each. It
    moves z[o, r_i] by −2W_i, z[r_i, r_i] by W_i/d and z[s_j, r_i] by ω_ji/d, in units of η̃₁κ(−e_o)d/27.
    """
    d, n = run.dimension, run.sizes.subjects
    j, i = run.data.subject, run.data.phrase
    share = run.known.uses / run.known.multiplicity[:, None] / n
    excess = float((share.sum(0)[i] - share[j, i]).mean())
    active = run.moments[0].active[0]
    return -16 / 9 * active * n * excess * math.log(2 * d) / d * first**2


def conditions(run: Run, kappa: float, first: float) -> dict[str, bool]:
    """What stage I needs to filter o and to leave s and r alike; ours, in place of Condition 1's lost formulas."""
    d, active, weights = run.dimension, run.moments[0].active[0], phrase_weights(run)
    strength = 2 * active * first**2
    return {
        "stage I at least sqrt(36 N log(2d)/kappa)/d": strength * min(1.0, min(weights) * 8 / 9) >= 0.5,
        "d at least 4 N W log(2d), W a phrase's weight": d >= 4 * strength * max(weights) * math.log(2 * d),
        "kappa N/R at most 0.02": kappa * run.sizes.subjects / run.sizes.phrases <= 0.02,
    }


def _run(over: dict[str, Any]) -> tuple[Run, dict[str, bool]]:
    run = pretrained(**over)
    return run, conditions(run, over.get("kappa", 0.004), over.get("first", 1.0))


def lemma_11(**over: float) -> Evidence:
    """The end of stage I, extremes over all sentences."""
    run, hypotheses = _run(over)
    d, end = run.dimension, run.at(run.ends[0])
    return Evidence(
        hypotheses=hypotheses,
        predicted={
            "1: f_d([o]) over log d, at least": 1.0,
            "2: 1 - p(a), least": FLOOR,
            "2: 1 - K p(r), least": FLOOR,
            "3: alpha_s/alpha_r, least": 0.8,
            "3: alpha_s/alpha_r, largest": 1.2,
            "4: 2d alpha_o, at most": 1.0,
            "mean log(alpha_s/alpha_r)": filtered_ratio(run, over.get("first", 1.0)),
        },
        measured={
            "1: f_d([o]) over log d, at least": end.follower / math.log(d),
            "2: 1 - p(a), least": 1 - end.answer[1],
            "2: 1 - K p(r), least": 1 - end.phrase[1],
            "3: alpha_s/alpha_r, least": end.ratio[0],
            "3: alpha_s/alpha_r, largest": end.ratio[2],
            "4: 2d alpha_o, at most": 2 * d * end.on_context,
            "mean log(alpha_s/alpha_r)": math.log(end.ratio[1]),
        },
        conclusion=end.follower >= math.log(d)
        and min(1 - end.answer[1], 1 - end.phrase[1]) >= FLOOR
        and 0.8 <= end.ratio[0] <= end.ratio[2] <= 1.2
        and 2 * d * end.on_context <= 1,
    )


def lemma_12(follows: bool, **over: float) -> Evidence:
    """The greatest rise of a feature over the whole run, on outputs that never follow the token, or that do."""
    run, _ = _run(over)
    rise = max(moment.own if follows else moment.others for moment in run.moments)
    return Evidence(
        hypotheses={"the output never follows a prompt with the token": not follows},
        predicted={"greatest rise": 0.0},
        measured={"greatest rise": rise},
        conclusion=rise <= 0,
    )


def _extremes(moments: list[Moment]) -> dict[str, float]:
    return {
        "least 1 - p(a)": 1 - max(moment.answer[1] for moment in moments),
        "least 1 - K p(r)": 1 - max(moment.phrase[1] for moment in moments),
        "least alpha_s/alpha_r": min(moment.ratio[0] for moment in moments),
        "largest alpha_s/alpha_r": max(moment.ratio[2] for moment in moments),
        "largest alpha_o": max(moment.on_context for moment in moments),
        "least of alpha_s, alpha_r": min(moment.least for moment in moments),
        "least f_d([o])": min(moment.follower for moment in moments),
    }


def lemma_13(**over: float) -> Evidence:
    """Extremes from the end of stage I to that of stage II."""
    run, hypotheses = _run(over)
    d, length = run.dimension, over.get("steps_2", 8) * over.get("pace", 1.0)
    seen = _extremes(run.between(*run.ends[:2]))
    return Evidence(
        hypotheses={**hypotheses, "stage II moves at most 10 N in all": length <= 10},
        predicted={
            "least 1 - p(a)": FLOOR,
            "least 1 - K p(r)": FLOOR,
            "least alpha_s/alpha_r": 0.7,
            "largest alpha_s/alpha_r": 1.6,
            "largest alpha_o": 2 / (3 * d),
            "least f_d([o])": math.log(d),
        },
        measured=seen,
        conclusion=min(seen["least 1 - p(a)"], seen["least 1 - K p(r)"]) >= FLOOR
        and 0.7 <= seen["least alpha_s/alpha_r"] <= seen["largest alpha_s/alpha_r"] <= 1.6
        and seen["largest alpha_o"] <= 2 / (3 * d)
        and seen["least f_d([o])"] >= math.log(d),
    )


def lemma_14(**over: float) -> Evidence:
    """Extremes over stage III."""
    run, hypotheses = _run(over)
    seen = _extremes(run.between(*run.ends[1:]))
    return Evidence(
        hypotheses=hypotheses,
        predicted={"least of alpha_s, alpha_r": 0.3, "largest alpha_o": 1 / run.dimension},
        measured={**seen, "excess loss at the end": run.moments[-1].excess},
        conclusion=seen["least of alpha_s, alpha_r"] >= 0.3 and seen["largest alpha_o"] <= 1 / run.dimension,
    )


def lemma_15(**over: float) -> Evidence:
    """The least share of the right outputs' neurons that are active, over all steps."""
    run, hypotheses = _run(over)
    n, m, outputs = run.sizes.subjects, run.sizes.neurons, run.sizes.outputs
    cases = 1 + 2 * len(run.data.subject)
    least = min(min(moment.active) for moment in run.moments)
    later = min(min(moment.active) for moment in run.between(run.ends[0], run.ends[2]))
    return Evidence(
        hypotheses={
            **hypotheses,
            "V at least 17/2 N": outputs >= 8.5 * n,
            "m so large that Lemma 10 holds with probability 0.9": cases * short_of(m) <= 0.1,
        },
        predicted={"least share of active neurons": 0.4},
        measured={
            "least share of active neurons": least,
            "at the start": min(run.moments[0].active),
            "after one step": min(run.at(1).active),
            "from the end of stage I on": later,
        },
        conclusion=least >= 0.4,
    )


def hitting(run: Run, excess: float) -> float:
    """After how many steps the excess loss falls to a level for good, between moments in log; infinite if never."""
    for k in range(len(run.moments) - 1, 0, -1):
        one, two = run.moments[k - 1 : k + 1]
        if two.excess > excess:
            return math.inf
        if one.excess > excess:
            part = math.log(one.excess / excess) / math.log(one.excess / two.excess)
            return one.step + part * (two.step - one.step)
    return 0.0


def lemma_16(level: float, **over: float) -> Evidence:
    """η₃(T_p − T₂) against its order m d²σ₀² + m + (N² + R²)/λ², and in units of ours, N m/λ²."""
    run, hypotheses = _run(over)
    n, r, m = run.sizes.subjects, run.sizes.phrases, run.sizes.neurons
    kappa, pace = over.get("kappa", 0.004), over.get("pace", 1.0)
    gain = m / kappa  # λ²
    order = kappa * run.dimension**2 * over.get("scale", 1e-3) ** 2 + m + (n**2 + r**2) / gain
    twice = {"phrases": 2 * r, "subjects": 2 * n, "unused": 2 * over.get("unused", 0)}
    large = pretrained(**{**over, **twice})
    taken, doubled = (hitting(x, level) - x.ends[1] for x in (run, large))
    return Evidence(
        hypotheses=hypotheses,
        predicted={"eta_3 (T_p - T_2)": order, "the same, N and R doubled, over N": 1.0},
        measured={
            "eta_3 (T_p - T_2)": pace * n * kappa * taken,
            "T_p - T_2": taken,
            "the same, N and R doubled, over N": doubled / taken if math.isfinite(taken) else math.nan,
            "excess loss at the end": run.moments[-1].excess,
        },
        conclusion=run.moments[-1].excess <= level and pace * n * kappa * taken <= order,
    )


def proposition_1(**over: float) -> Evidence:
    """Attention from the end of stage I to the end of pre-training."""
    run, hypotheses = _run(over)
    seen = _extremes(run.between(run.ends[0], run.ends[2]))
    names = ("largest alpha_o", "least of alpha_s, alpha_r", "least alpha_s/alpha_r", "largest alpha_s/alpha_r")
    return Evidence(
        hypotheses=hypotheses,
        predicted={"largest alpha_o": 1 / run.dimension, "least of alpha_s, alpha_r": 0.3},
        measured={name: seen[name] for name in names},
        conclusion=seen["largest alpha_o"] <= 1 / run.dimension and seen["least of alpha_s, alpha_r"] >= 0.3,
    )


def proposition_2(**over: float) -> Evidence:
    """What the MLP has learned by the ends of the three stages."""
    run, hypotheses = _run(over)
    one, two, three = (run.at(end) for end in run.ends)
    v = run.sizes.outputs
    least = max(run.known.multiplicity.tolist()) / v
    return Evidence(
        hypotheses={**hypotheses, "rates of stages II and III at least N/2": over.get("pace", 1.0) >= 0.5},
        predicted={
            "1: loss after [o], end of stage I": 0.01,
            "2: least p(a) over chance, end of stage II": 4.0,
            "2: least K p(r) over chance, end of stage II": 4.0,
            "3: excess loss, end of stage III": 0.1,
        },
        measured={
            "1: loss after [o], end of stage I": one.losses[0],
            "2: least p(a) over chance, end of stage II": two.answer[0] * v,
            "2: least K p(r) over chance, end of stage II": two.phrase[0] / least,
            "3: excess loss, end of stage III": three.excess,
        },
        conclusion=one.losses[0] <= 0.01
        and two.answer[0] * v >= 4
        and two.phrase[0] >= 4 * least
        and three.excess <= 0.1,
    )


def ratio_at(run: Run, excess: float) -> tuple[float, float, float]:
    """Least, mean and greatest α_s/α_r at the first moment with at most this excess loss; NaN if there is none."""
    for moment in run.moments:
        if moment.excess <= excess:
            return moment.ratio
    return math.nan, math.nan, math.nan


BALANCE: dict[str, float] = {"subjects": 12, "phrases": 2, "neurons": 16, "stretch": 20, "steps_3": 300}
LEVEL = 0.05


def balance(kappa: float) -> Evidence:
    """log(α_s/α_r) at excess loss 0.05 and 0.1, κ as given and a quarter of it, and with fewer facts to a phrase."""
    run, quarter = (pretrained(**BALANCE, kappa=value) for value in (kappa, kappa / 4))  # type: ignore[arg-type]
    spread = pretrained(**{**BALANCE, "phrases": 8, "kappa": kappa})  # type: ignore[arg-type]
    drift, early, small, apart = (
        math.log(ratio_at(x, level)[1]) - math.log(x.at(x.ends[0]).ratio[1])
        for x, level in ((run, LEVEL), (run, 2 * LEVEL), (quarter, LEVEL), (spread, LEVEL))
    )
    low, _, high = ratio_at(run, LEVEL)
    return Evidence(
        hypotheses={"kappa N/R at most 0.02": kappa * BALANCE["subjects"] / BALANCE["phrases"] <= 0.02},
        predicted={"drift of log(alpha_s/alpha_r)": 4 * small, "largest ratio": 1.6, "least ratio": 0.7},
        measured={
            "drift of log(alpha_s/alpha_r)": drift,
            "drift over kappa N/R": drift / (kappa * BALANCE["subjects"] / BALANCE["phrases"]),
            "drift before the excess last halved": early,
            "drift with four times as many phrases": apart,
            "largest ratio": high,
            "least ratio": low,
        },
        conclusion=0.7 <= low <= high <= 1.6,
    )
