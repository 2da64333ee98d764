"""How many prompts are enough: Theorem 3, and the law behind it."""

from __future__ import annotations

from typing import Any

from book.ledger import Bounds, Check, Ground, at_least, near, recorded, statement
from book.recall.samples import law
from book.recall.samples.program import MISSED, SETS, Needed, study
from lib.recall.general import COOL, LARGE, SAFE
from lib.recall.task import FAMILIES


@statement(
    "recall.theorem-3",
    runs=study,
    assumes={
        "cold": (f"T at most 1/(40 log n), and at most T₀ = {COOL:g}", lambda r, p: r.cold),
        "identified": ("two examples fix the relation (Assumption 1)", lambda r, p: r.identified),
        "enough": ("|D| large enough: 19 data sets in 20 hold a confusing prompt", lambda r, p: r.enough),
        "large": (
            f"η₁ of the right size: c₁m log(1/T) at least {LARGE[0]:g}, u = η₁m/(36T) at most {LARGE[1]:g}",
            lambda r, p: r.large,
        ),
        "perturbed": ("a perturbation is drawn", lambda r, p: r.perturbed),
    },
    settled={
        "safe_or_late": (
            "200 T log(1/T)/(η₂p_conf) small steps, of order log(1/T)/T",
            lambda r, p: r.safe_or_late,
        )
    },
    good=lambda r: at_least(0.9, r.now_probability, "p(r*) on new prompts"),
    holds_at={"subjects": 999_983, "temperature": 0.0018, "samples": 16},
    fails_at={"subjects": 999_983, "temperature": 0.02, "samples": 16},
    chance=SETS * MISSED,
    ranges={
        "subjects": list(FAMILIES),
        "temperature": [(0.001, 0.002)] * 5 + [(0.001, 0.2)],
        "density": (0.3, 1.0),
        "rate_1": [(90.0, 250.0)] * 5 + [(1.0, 400.0)],
        "rate_2": [(600.0, 2000.0)] * 5 + [(10.0, 2000.0)],
        "radius": (1e-9, 1e-2),
        "samples": [2, 4, 8, 16, 16, 32, 32],
        "seed": (0, 999),
        "steps": [2000],
    },
    sentences={
        "contradicted": "Fails here, in “{bound}”. The theorem allows it for a share δ of the data: those without a "
        "confusing prompt, one data set in 20 at most."
    },
    listed_checks=(
        Check(
            "Appendix C, end of the proof of Theorem 3",
            r"|D| \ge \tfrac{13}{\zeta}\log\tfrac1\delta \Rightarrow p_{conf}, p_{mis} \ge \tfrac\zeta2",
            "exact binomials, δ up to ½",
            law.chernoff,
        ),
    ),
)
def theorem_3(r: Needed) -> Bounds:
    """p(r*), which the proof calls accuracy, on the worst prompt there can be, after each of four data sets."""
    return Bounds(
        at_least(SAFE, r.now_worst, "least p(r*) on any prompt, of four data sets"),
        recorded(r.now_accuracy, "how often r* is the most likely"),
        recorded(r.printed, "prompts by Lemma 9, up to constants"),
    )


@statement(
    "recall.sample-law",
    measures=law.sample_law,
    assumes={"identified": ("two examples fix the relation", lambda r, p: r.identified)},
    holds_at={"density": 0.5, "bijections": 0},
    fails_at={"density": 0.5, "bijections": 1},
    chance=0.1,
    ranges={"density": (0.02, 1.0), "bijections": [0, 0, 0, 1]},
    ground=Ground.OURS,
    listed_checks=(
        Check(
            "One prompt and all",
            "a confusing prompt's loss below log 2, and $v_1, v_3 > v_5$: $r^*$ leads everywhere",
            "20 000 draws",
            law.one_prompt_decides_for_all,
        ),
    ),
)
def sample_law(r: Any) -> Bounds:
    """Data sets lack a confusing prompt as often as the law says; those that have one teach r* on new prompts."""
    return Bounds(
        near(r.law_1, r.drawn_1, "data sets of 1 without a confusing prompt", absolute=0.03),
        near(r.law_2, r.drawn_2, "data sets of 2 without a confusing prompt", absolute=0.03),
        near(r.law_4, r.drawn_4, "data sets of 4 without a confusing prompt", absolute=0.03),
        near(r.law_8, r.drawn_8, "data sets of 8 without a confusing prompt", absolute=0.03),
        at_least(SAFE, r.with_one, "least accuracy with a confusing prompt in each data set"),
        recorded(r.without, "least accuracy without"),
    )
