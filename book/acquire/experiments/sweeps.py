"""Figures 2, 5 and 6 of Xu & Chen, and plain descent, at the size of minutes: tables in ``book/data/``.

    python -m book experiments acquire figure-2|figure-5|figure-6|descent [--workers N|ADDRESS] [--quick]

All are of the simplified model in token coordinates. The paper's sizes and rates are lost in the text at hand.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Generator

from book.acquire import pretraining
from book.acquire.fine_tuning import RATE as TUNED_RATE
from book.acquire.fine_tuning import Curve, tune
from book.acquire.pretraining import Run
from lib.acquire import course, task, tokens
from lib.acquire.course import STAGE_1
from lib.acquire.tokens import Sizes

SEEDS = 5
SUBJECTS, PHRASES, MULTIPLICITY, FREQUENT = 96, 8, 4, 0.5
NEURONS, KAPPA, SCALE = 8, 0.004, 1e-3
FIRST, STEPS, RATE = 2.0, 200, 4.0
"""Stage I's rate in units of :func:`~lib.acquire.course.first_rate`; steps after it, of rate η̃ = ``RATE`` N.

With FIRST = 1 some starts, those with few active neurons of d, leave so much attention on o that the rate after stage
I kills neurons.
"""
TUNED_STEPS = 100
"""Figure 2 looks after each of so many steps of fine-tuning for the best one."""
MULTIPLICITIES = (1, 2, 4, 8)
SHARES = (0.05, 0.1, 0.2, 0.35, 0.6, 0.9)
"""Shares of the frequent facts that are fine-tuned."""
UNIVERSES = (4, 8, 16, 32, 60)
SUBJECT_COUNTS = (24, 48, 96, 192)
LONG = 500
"""Steps of fine-tuning in Figure 6."""


def pretrained(
    subjects: int, phrases: int, multiplicity: int, seed: int, steps: int = STEPS, kappa: float = KAPPA
) -> Run:
    """Two steps of stage I, then ``steps`` at rate 4N, half of the facts frequent, rare ones' gradients times K."""
    return pretraining.pretrained(
        subjects,
        phrases,
        multiplicity,
        NEURONS,
        kappa,
        first=FIRST / pretraining.SLACK,
        steps_2=0,
        steps_3=steps,
        pace=RATE,
        scale=SCALE,
        seed=seed,
    )


def extracted(curve: Curve) -> list[dict[str, float]]:
    """Fine-tuning, a row for each step, the start included.

    Returns:
        ``unseen``: the share of facts not fine-tuned that are answered rightly; ``frequent``, ``rare`` of these (NaN
        if there are none); ``tuned``: of those fine-tuned; ``chosen``, ``covered``: how many facts are fine-tuned,
        and how many phrases state one of them; ``phrases_said``: the share of questions about unseen facts that are
        answered by a phrase.
    """
    fixed = {"chosen": float(curve.chosen.sum()), "covered": float((curve.coverage > 0).sum())}
    phrases_said = curve.kinds[:, 2:4].sum(1, keepdim=True)
    rows = torch.cat([curve.accuracy, phrases_said], 1).tolist()
    names = "unseen", "frequent", "rare", "tuned", "phrases_said"
    return [{"step": step, **fixed, **dict(zip(names, row, strict=True))} for step, row in enumerate(rows)]


def figure_2(
    panel: str, subjects: int, phrases: int, multiplicity: int, seed: int, quick: bool = False
) -> list[dict[str, Any]]:
    """Fine-tuning with each share of ``SHARES``.

    Returns:
        the row of :func:`extracted` at the best step for unseen facts, in hindsight; ``fair``, their accuracy at steps
        that others of them choose, see :class:`~lib.acquire.extraction.CrossFitted`; ``last``, that at the last step.
    """
    run = pretrained(subjects, phrases, multiplicity, seed, steps=20 if quick else STEPS)
    rows = []
    for share in SHARES:
        curve = tune(run, share, 20 if quick else TUNED_STEPS)
        steps = extracted(curve)
        best = max(steps, key=lambda row: row["unseen"])
        ways = {"fair": float(curve.cross_fitted[0]), "last": steps[-1]["unseen"]}
        rows.append({"share": share, "excess": run.moments[-1].excess, **best, **ways})
    return rows


def figure_5(multiplicity: int, kappa: float, seed: int) -> list[dict[str, Any]]:
    """Attention of the last token after stage I and at the end.

    Returns:
        for each ``time`` and length of prompt one row: mean attention on o, s and r; the greatest on o; the least and
        greatest of that on s over that on r; ``dimension``, d.
    """
    run = pretrained(SUBJECTS, PHRASES, multiplicity, seed, kappa=kappa)
    rows = []
    for time, passed in (("stage I", run.early), ("end", run.last)):
        for prompt, attention in (("o s", passed.attention_subject), ("o s r", passed.attention_phrase)):
            mean = [*attention.mean(0).tolist(), math.nan][:3]
            ratio = attention[:, 1] / attention[:, -1]
            rows.append(
                {
                    "time": time,
                    "prompt": prompt,
                    "dimension": run.sizes.dimension,
                    "excess": run.moments[-1].excess,
                    **dict(zip(("on_o", "on_s", "on_r"), mean, strict=True)),
                    "most_on_o": float(attention[:, 0].max()),
                    "least_ratio": float(ratio.min()),
                    "greatest_ratio": float(ratio.max()),
                }
            )
    return rows


def looks(last: int) -> list[int]:
    """Steps to look at: all up to 10, then some twelve in every factor of ten, the last included."""
    spread = {round(10 ** (k / 12)) for k in range(math.ceil(12 * math.log10(last)) + 1)}
    return sorted(step for step in {*range(11), *spread, last} if step <= last)


def figure_6(multiplicity: int, share: float, rate: float, seed: int) -> list[dict[str, Any]]:
    """Accuracy on unseen facts against the steps of fine-tuning."""
    run = pretrained(SUBJECTS, PHRASES, multiplicity, seed)
    shown = set(looks(LONG))
    return [row for row in extracted(tune(run, share, LONG, rate=rate)) if row["step"] in shown]


RATES = (0.3, 0.6, 1.2)
"""η̃ of plain descent with uniform attention."""
LONGEST = 5000
"""Its steps."""
SMALLEST = (12, 4, 4)
"""Its N, R and K."""


def descent(attention: str, rate: float, seed: int, steps: int) -> list[dict[str, Any]]:
    """The paper's model on five tokens by descent, all facts frequent, with attention learned or uniform.

    Args:
        attention: "learned", with the usual stages and ``rate`` unused, or "uniform": κ = 0.
        rate: η̃, constant, from the first step on.

    Returns:
        a row for each look: ``excess``, the loss less the entropy; the parts ``follower``, ``phrase``, ``answer``.
    """
    n, r, k = SMALLEST
    sizes = Sizes(n, r, NEURONS)
    context = float(sizes.dimension)
    known = task.facts(n, r, k, 1.0, seed)
    begun = tokens.start(sizes, context, SCALE, Generator().manual_seed(seed))
    kappa: float = 0.0
    pace: tokens.Pace = ((steps, rate),)
    if attention == "learned":
        kappa, pace = KAPPA, course.pace(sizes, context, KAPPA, FIRST, steps - STAGE_1, RATE)
    shown, rows, entropy = set(looks(steps)), [], float(task.entropy(known))
    for step, (_, passed) in enumerate(tokens.pretraining(begun, known, sizes, context, kappa, pace)):
        if step in shown:
            row = {"step": step, "excess": float(passed.loss) - entropy}
            rows.append(
                {**row, **{name: float(getattr(passed, name)) for name in ("follower", "phrase", "answer")}}
            )
    return rows


SETTINGS = {
    "phrases": PHRASES,
    "multiplicity": MULTIPLICITY,
    "frequent": FREQUENT,
    "neurons": NEURONS,
    "kappa": KAPPA,
    "scale": SCALE,
    "stage 1": STAGE_1,
    "first rate": FIRST,
    "steps": STEPS,
    "rate": RATE,
    "fine-tuning rate": TUNED_RATE,
}
KAPPAS = (0.0004, 0.004, 0.04)


def descent_cells(quick: bool = False, large: bool = False) -> list[dict[str, Any]]:
    """The configurations of the table "descent"."""
    return [
        {"attention": attention, "rate": rate, "seed": seed, "steps": 100 if quick else LONGEST}
        for attention, rate in (("learned", 0.0), *(("uniform", rate) for rate in RATES))
        for seed in range(1 if quick else 2)
    ]


def figure_2_cells(quick: bool = False, large: bool = False) -> list[dict[str, Any]]:
    """The configurations of the table "figure-2": three panels, in each of which one size varies."""
    sizes = [("multiplicity", SUBJECTS, PHRASES, k) for k in MULTIPLICITIES]
    sizes += [("universe", SUBJECTS, r, MULTIPLICITY) for r in UNIVERSES]
    sizes += [("facts", n, PHRASES, MULTIPLICITY) for n in SUBJECT_COUNTS]
    return [
        {
            "panel": panel,
            "subjects": subjects,
            "phrases": phrases,
            "multiplicity": multiplicity,
            "seed": seed,
            **({"quick": True} if quick else {}),
        }
        for panel, subjects, phrases, multiplicity in (sizes[:2] if quick else sizes)
        for seed in range(1 if quick else SEEDS)
    ]


def figure_5_cells(quick: bool = False, large: bool = False) -> list[dict[str, Any]]:
    """The configurations of the table "figure-5": every K at the usual κ, the other κ at the usual K."""
    varied = [(k, KAPPA) for k in MULTIPLICITIES]
    varied += [(MULTIPLICITY, kappa) for kappa in KAPPAS if kappa != KAPPA]
    return [
        {"multiplicity": k, "kappa": kappa, "seed": seed}
        for k, kappa in (varied[:1] if quick else varied)
        for seed in range(1 if quick else SEEDS)
    ]


def figure_6_cells(quick: bool = False, large: bool = False) -> list[dict[str, Any]]:
    """The configurations of the table "figure-6"."""
    varied = [(k, share) for k in (1, 4) for share in (0.2, 0.6)]
    return [
        {"multiplicity": k, "share": share, "rate": 1.0, "seed": seed}
        for k, share in (varied[:1] if quick else varied)
        for seed in range(1 if quick else SEEDS)
    ]
