"""How many prompts are enough: Theorem 3, and the law behind it."""

from __future__ import annotations

from typing import Any

from book.recall.samples import law
from book.recall.samples.program import Needed, study
from book.statements import Bounds, Check, Ground, at_least, near, statement, told
from lib.recall.general import SAFE


@statement(
    "recall.theorem-3",
    runs=study,
    assumes={
        "cold": "T at most 1/(40 log n)",
        "identified": "two examples fix the relation (Assumption 1)",
        "enough": "|D| large enough: 19 data sets in 20 hold a confusing prompt",
        "seen": "all four data sets of this size hold one",
        "large": "c₁ is large enough: the mismatched relations are silent after the large step",
        "quiet": "T is low enough beside log n: those that match fewer pairs are silent, too",
        "perturbed": "a perturbation is drawn",
    },
    settled={"safe_or_late": "200 T log(1/T)/(η₂p_conf) small steps, of order log(1/T)/T"},
    good=lambda r: at_least(0.9, r.now_probability, "p(r*) on new prompts"),
    holds_at={"subjects": 999_983, "temperature": 0.0018, "samples": 16},
    fails_at={"subjects": 999_983, "temperature": 0.02, "samples": 16},
    ranges={
        "subjects": [997, 10_007, 999_983],
        "temperature": (0.0012, 0.0018),
        "density": (0.4, 1.0),
        "samples": [8, 16, 32],
        "seed": (0, 99),
        "steps": [4000],
    },
    uses=(
        "recall.assumption-1",
        "recall.assumption-2",
        "recall.algorithm-1",
        "recall.lemma-9",
        "recall.lemma-10",
        "recall.lemma-11",
    ),
    finding=(
        "Sixteen prompts do for a million subjects. The number does not depend on n or T but on p_conf: one confusing "
        "prompt among them is enough."
    ),
    checked=(
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
        told(r.now_accuracy, "how often r* is the most likely"),
        told(r.printed, "prompts by Lemma 9, up to constants"),
    )


@statement(
    "recall.sample-law",
    measures=law.sample_law,
    assumes={"identified": "two examples fix the relation"},
    holds_at={"density": 0.5, "bijections": 0},
    fails_at={"density": 0.5, "bijections": 1},
    ranges={"density": (0.05, 1.0)},
    uses=("recall.assumption-1", "recall.assumption-2", "recall.theorem-3"),
    ground=Ground.OURS,
    finding=(
        "Not the paper's. With half of the relations four prompts leave a risk of "
        "{data sets of 4 without a confusing prompt:.1%}; eight, as in Figure 3, one of "
        "{data sets of 8 without a confusing prompt:.1%}."
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
        told(r.without, "least accuracy without"),
    )
