"""Any number of subjects (Appendix C): Lemma 9, one large step; Lemmas 10 and 11, the small ones."""

from __future__ import annotations

import math

from lib.claims import Claim, Evidence, Verdict, register
from lib.recall.claims.common import PAPER, scalar
from lib.recall.dynamics.general import (
    DEFAULTS,
    SAFE,
    OneLargeReport,
    large_rate,
    one_large_step,
)
from lib.solve import run

PAGE = "book/recall/general"


def trained(**changed: float) -> tuple[OneLargeReport, int]:
    """What a run with these parameters comes to, and after how many small steps."""
    outcome = run(one_large_step(), **{**DEFAULTS, **changed})
    return outcome.report, outcome.histories[1].steps[-1]


def allowed(temperature: float) -> float:
    """e^{−1/√T}, the error that Lemma 9 allows."""
    return math.exp(-1 / math.sqrt(temperature))


def lemma_9(subjects: float, temperature: float, rate_1: float) -> Evidence:
    """One step from zero: attention, its symmetry, and p₁(r*) on both kinds of prompt."""
    report, _ = trained(subjects=subjects, temperature=temperature, rate_1=rate_1, steps=1)
    eta = float(large_rate(scalar(rate_1), scalar(temperature)))
    away = float((report.measured_attention - report.paper_attention).abs().max())
    pairs = float((report.measured_attention[1] - report.measured_attention[3]).abs())
    errors = 1 - float(report.others_after), abs(0.5 - float(report.confusing_after))
    return Evidence(
        hypotheses={
            "T at most 1/(40 log n)": temperature <= 1 / (40 * math.log(subjects)),
            "the constant in the large rate is large enough": bool(report.large),
        },
        predicted={"alpha": float(report.alpha), "errors at most": allowed(temperature)},
        measured={
            "distance from the lemma's attention, in eta1^2/T^2": away / (eta / temperature) ** 2,
            "|v1 - v3|": float(report.asymmetry),
            "|v2 - v4|": pairs,
            "1 - p on non-confusing prompts": errors[0],
            "|1/2 - p| on confusing ones": errors[1],
        },
        conclusion=max(errors) <= allowed(temperature)
        and away <= (eta / temperature) ** 2
        and float(report.asymmetry) < temperature**2
        and pairs < math.exp(-1 / (40 * temperature)),
    )


def steps_for_lemma_10(temperature: float, rate_2: float, confusing_share: float = 0.5) -> int:
    """So many steps that the linear law lifts a lead of T³ to T: 18 log(1/T²)/(c₂ p_conf T), of order 1/T."""
    return math.ceil(18 * math.log(temperature**-2) / (rate_2 * confusing_share * temperature))


def lemma_10(subjects: float, temperature: float, radius: float) -> Evidence:
    """The loss on confusing prompts after a number of small steps of order 1/T."""
    steps = steps_for_lemma_10(temperature, DEFAULTS["rate_2"])
    report, _ = trained(subjects=subjects, temperature=temperature, radius=radius, steps=steps)
    drop = math.log(2) + math.log(
        float(report.confusing)
    )  # the loss is −log p₁(r*), up to its spread over prompts
    unit = (float(report.confusing_share) * temperature) ** 3
    return Evidence(
        hypotheses={
            "T at most 1/(40 log n)": temperature <= 1 / (40 * math.log(subjects)),
            "a perturbation of order T^3 is drawn": radius >= temperature**3,
        },
        predicted={"drop below log 2, in (p_conf T)^3, at least": 1.0},
        measured={
            "drop below log 2, in (p_conf T)^3": drop / unit,
            "drop below log 2": drop,
            "steps": float(steps),
            "rate of the lead, by the law": float(report.rate),
            "rate of the lead, by autograd": float(report.measured_rate),
        },
        conclusion=drop >= unit,
    )


def lemma_11(subjects: float, temperature: float, density: float, steps: int) -> Evidence:
    """Small steps until every confusing prompt has p₁(r*) ≥ 0.999, in units of T log(1/T)/(η₂ p_conf)."""
    report, taken = trained(subjects=subjects, temperature=temperature, density=density, steps=steps)
    share = float(report.confusing_share)
    unit = math.log(1 / temperature) / (DEFAULTS["rate_2"] * max(share, 1e-9) * temperature)
    needed = float(report.safe_after)
    return Evidence(
        hypotheses={
            "T at most 1/(40 log n)": temperature <= 1 / (40 * math.log(subjects)),
            "enough steps": taken < steps,
        },
        predicted={
            "least p on any confusing prompt": SAFE,
            "steps, in the lemma's unit, by its proof": 40_000.0,
        },
        measured={
            "least p on any confusing prompt": float(report.worst),
            "steps": needed if math.isfinite(needed) else float(steps),
            "steps, in the lemma's unit": needed / unit if math.isfinite(needed) else math.nan,
        },
        conclusion=float(report.worst) >= SAFE,
    )


register(
    Claim(
        paper=PAPER,
        page=PAGE,
        recorded=Verdict.CONFIRMED,
        id="recall.lemma-9",
        kind="lemma",
        number="9",
        title="One large step leaves only the confusing relation",
        statement=(
            "Let $T < 1/(40 \\log n)$ and take one step of size $\\eta_1$, of order $T^{3/2} \\log(1/T)$, on enough "
            "prompts. Attention is then within order $\\eta_1^2/T^2$ of "
            "$(\\tfrac16 + \\alpha, \\tfrac16, \\tfrac16 + \\alpha, \\tfrac16, \\tfrac16 - 2\\alpha, \\tfrac16)$ with "
            "$\\alpha$ of order $p_{mis}\\eta_1/T$. Up to $e^{-1/\\sqrt T}$ the true relation has probability 1 on "
            "non-confusing prompts and one half on confusing ones."
        ),
        examine=lemma_9,
        holds_at={"subjects": 10_007.0, "temperature": 0.002, "rate_1": 100.0},
        fails_at={"subjects": 10_007.0, "temperature": 0.002, "rate_1": 1.0},
        finding=(
            "Holds, with α = η₁m/(216T), m the mean mismatched part. So η₁ needs a constant of about 100; with 1 the "
            "step does nothing."
        ),
    )
)

register(
    Claim(
        paper=PAPER,
        page=PAGE,
        recorded=Verdict.CONFIRMED,
        id="recall.lemma-10",
        kind="lemma",
        number="10",
        title="Then the perturbation frees the confusing prompts",
        statement=(
            "After a number of small steps of order $1/T$ the loss on every confusing prompt is below $\\log 2$, by "
            "order $p_{conf}^3T^3$ or more."
        ),
        examine=lemma_10,
        holds_at={"subjects": 10_007.0, "temperature": 0.002, "radius": 8e-9},
        fails_at={"subjects": 10_007.0, "temperature": 0.002, "radius": 0.0},
        finding="Holds with much to spare: the lead grows by η₂p_conf/(18T) a step, at n = 3 as at a million.",
    )
)

register(
    Claim(
        paper=PAPER,
        page=PAGE,
        recorded=Verdict.CONFIRMED,
        id="recall.lemma-11",
        kind="lemma",
        number="11",
        title="And a few more small steps make it sure",
        statement=(
            "After order $\\frac{T}{\\eta_2 p_{conf}}\\log\\frac1T$ small steps the true relation has probability "
            "0.999 or more on every confusing prompt."
        ),
        examine=lemma_11,
        holds_at={"subjects": 10_007.0, "temperature": 0.002, "density": 0.5, "steps": 3000},
        fails_at={"subjects": 10_007.0, "temperature": 0.02, "density": 0.5, "steps": 3000},
        finding="Holds at some 120 of the lemma's units; its proof asks for 40 000.",
    )
)
