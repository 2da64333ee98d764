"""The way out of the saddle: Lemma 6, the equations of its proof, Lemma 7 at work, Proposition 1 and Lemma 12."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from book.ledger import Bounds, Ground, at_least, at_most, below, near, recorded, statement
from book.ledger.rates import grows_at_most_as
from book.recall.common import SMALL_STEPS, is_perturbed
from book.recall.escape.derivatives import EquationErrors, equation_errors
from book.recall.escape.drawn_functions import FAMILIES, FLAT, DrawnDescent, drawn_descent
from book.recall.escape.perturbed_descent import PerturbedDescent, perturbed_descent
from book.recall.escape.program import Escape, escape
from book.recall.escape.smoothness import Moved, Smoothness, distance_moved, smoothness
from book.recall.escape.steps_to_fall import PaperRadius, StepsToFall, paper_radius, steps_to_fall
from lib.recall.algorithm import CONVERGED
from lib.recall.escape import HESSIAN_LIPSCHITZ

COLD = {"temperature": 0.02}


def is_cold(r: Escape, p: Any) -> Tensor:
    """Whether the loss at the inner minimum is below log 2; it is NaN, and not below, without one."""
    return r.lowest < math.log(2)


def has_left(r: Escape, p: Any) -> Tensor:
    """Whether the run has left the saddle."""
    return r.measured_escape < math.inf


def has_fallen(r: Escape, p: Any) -> Tensor:
    """Whether the loss ends below log 2."""
    return r.end_loss < math.log(2)


def has_settled(r: Escape, p: Any) -> Tensor:
    """Whether the run has left the saddle and come to rest, or its loss is below log 2 already."""
    return has_left(r, p) & (r.end_gradient < CONVERGED) | has_fallen(r, p)


@statement(
    "recall.lemma-6",
    runs=escape,
    assumes={
        "cold": ("T small enough: the loss at the inner minimum is below log 2", is_cold),
        "perturbed": ("the perturbation has a part along the way out, ⟨ξ, ε̃⟩ ≠ 0", is_perturbed),
        "small_steps": SMALL_STEPS,
    },
    settled={"settled": ("steps enough for stage 2 to converge", has_settled)},
    good=lambda r: at_least(0.9, torch.exp(-r.end_loss), "p(r*) at the end"),
    holds_at={},
    fails_at={"temperature": 0.087},
    seeds=10,
    ranges={
        "temperature": [(0.015, 0.0855)] * 5 + [(1e-3, 10.0)],
        "perturbation_radius": (1e-10, 1.0),
        "seed": (0, 999),
        "rate_2": [(80.0, 400.0)] * 5 + [(1.0, 2000.0)],
        "steps": [1500],
    },
)
def lemma_6(r: Escape) -> Bounds:
    """The loss ends below log 2."""
    return Bounds(
        below(math.log(2), r.end_loss, "loss L₁ at the end"),
        recorded(r.curvature, "curvature along ε̃ at the saddle"),
        recorded(r.right_curvature, "the same, by its formula"),
    )


@statement(
    "recall.lemma-6-steps",
    measures=steps_to_fall,
    assumes={"ball": ("ξ is drawn from a ball whose radius is of order T³", lambda r, p: not p.exponential)},
    holds_at={},
    fails_at={"exponential": True},
    ranges={"seed": (0, 999)},
)
def lemma_6_steps(r: StepsToFall) -> Bounds:
    """The number of steps grows no faster than (1/T) log(1/T), and by log(1/δ) over the log of the growth in a step."""
    return Bounds(
        grows_at_most_as(1.0, r.slow, "exponent of 1/T, c₂ = 16"),
        grows_at_most_as(1.0, r.fast, "exponent of 1/T, c₂ = 100"),
        near(
            1.0, r.per_factor, "steps more for each factor e of 1/δ, over 1/log of the growth", absolute=0.2
        ),
        recorded(r.slow.first, "constant, warm half"),
        recorded(r.slow.last, "constant, cold half"),
    )


@statement(
    "recall.algorithm-1-radius",
    measures=paper_radius,
    assumes={
        "ball": ("ξ is drawn from the ball of radius T³ log⁻²(1/δ)", lambda r, p: p.radius_factor == 1),
        "rare": ("δ at most 1/e (ours): the logarithm is 1 or more", lambda r, p: p.delta <= 1 / math.e),
        "cold": ("T at most 0.075 (ours)", lambda r, p: p.temperature <= 0.075),
        "small_steps": ("c₂ at most 200 (ours)", lambda r, p: p.rate <= 200),
    },
    holds_at={**COLD, "delta": 0.01, "rate": 100.0},
    fails_at={**COLD, "delta": 0.01, "rate": 100.0, "radius_factor": 1e-3},
    ranges={
        "temperature": (0.008, 0.082),
        "delta": (1e-4, 0.5),
        "rate": (30.0, 220.0),
        "seed": (0, 999),
        "draws": [400],
        "radius_factor": [1.0, 1.0, 1.0, 1e-3],
    },
)
def algorithm_1_radius(r: PaperRadius, p: Any) -> Bounds:
    """A share 1 − δ of the perturbations gets below log 2 in time, and the logarithm costs what it must."""
    return Bounds(
        at_least(1 - p.delta, r.share, "share of perturbations below log 2 in time"),
        near(r.predicted, r.later, "steps more than with radius T³, mean", absolute=0.2),
        recorded(r.allowed, "steps"),
        recorded(r.radius, "radius"),
    )


@statement(
    "recall.equations-11-17",
    measures=equation_errors,
    ground=Ground.CORRECTED,
    assumes={"at_the_saddle": ("at the saddle", lambda r, p: p.tilt == 0)},
    holds_at={"temperature": 0.05, "tilt": 0.0},
    fails_at={"temperature": 0.05, "tilt": 0.1},
    ranges={"temperature": (0.005, 5.0), "tilt": [0.0, 0.0, 0.1, -0.3]},
)
def equations_11_17(r: EquationErrors) -> Bounds:
    """v″ = 0, l′ and l″ as given, p₁′ = 0 and p₁″ the sum of its two terms."""
    return Bounds(
        near(0.0, r.attention, "|v″|, largest", absolute=1e-10),
        near(0.0, r.slope, "error of l′, largest", absolute=1e-10),
        near(0.0, r.bend, "error of l″, largest", absolute=1e-10),
        near(0.0, r.probability_1, "|p₁′|", absolute=1e-10),
        near(r.terms, r.probability_2, "p₁″, against term I + term II", absolute=1e-10),
    )


@statement(
    "recall.lemma-7",
    measures=perturbed_descent,
    ground=Ground.CORRECTED,
    assumes={
        "in_ball": ("ξ is drawn from a ball of the lemma's radius", lambda r, p: p.radius_factor == 1),
        "rare": ("δ at most dα/(eγ)", lambda r, p: p.delta <= r.largest_delta / math.e),
        "gentle": (
            "the gradient where it starts is at most what the lemma allows",
            lambda r, p: r.gradient <= 1,
        ),
        "small_steps": (
            "η at most c/α, c the universal constant: here ½ will do (ours)",
            lambda r, p: p.constant <= 0.5,
        ),
    },
    holds_at={**COLD, "delta": 0.1, "constant": 0.5, "radius_factor": 1.0},
    fails_at={**COLD, "delta": 0.1, "constant": 0.5, "radius_factor": 0.0},
    ranges={
        "temperature": (0.003, 0.06),
        "delta": (1e-4, 0.9),
        "constant": (0.25, 1.0),
        "draws": [1000],
        "slope": (0.0, 1.1),
    },
)
def lemma_7(r: PerturbedDescent, p: Any) -> Bounds:
    """A share 1 − δ of the draws falls by cγ³/ρ² over a cubed logarithm, and stays there for as long again."""
    return Bounds(
        at_least(1 - p.delta, r.share, "share of draws that fall enough and stay so low"),
        recorded(r.gradient, "gradient at the start, over the largest allowed"),
        recorded(r.promised, "the drop that is promised"),
        recorded(r.median_drop, "median drop"),
        recorded(r.steps, "steps"),
    )


@statement(
    "recall.lemma-7-functions",
    measures=drawn_descent,
    ground=Ground.OURS,
    assumes={
        "in_ball": ("ξ is drawn from a ball of the lemma's radius", lambda r, p: p.radius_factor == 1),
        "rare": ("δ at most dα/(eγ)", lambda r, p: r.log >= 1),
        "curved": ("γ more than α/20 (ours: the steps are inverse to it)", lambda r, p: r.flatness > FLAT),
        "gentle": (
            "the gradient where it starts is at most what the lemma allows",
            lambda r, p: r.gradient <= 1,
        ),
        "small_steps": (
            "η at most c/α, c the universal constant: here ½ will do (ours)",
            lambda r, p: p.constant <= 0.5,
        ),
    },
    holds_at={"family": "steepest", "dimension": 5, "condition": 2.0, "delta": 0.1, "constant": 0.5},
    fails_at={
        "family": "steepest",
        "dimension": 5,
        "condition": 2.0,
        "delta": 0.1,
        "constant": 0.5,
        "slope": 0.0,
        "radius_factor": 0.0,
    },
    ranges={
        "family": list(FAMILIES),
        "dimension": (1, 30),
        "condition": (1.0, 10.0),
        "delta": (1e-4, 0.95),
        "constant": (0.25, 1.0),
        "slope": (0.0, 1.1),
        "seed": (0, 99_999),
        "draws": [400],
    },
)
def lemma_7_functions(r: DrawnDescent, p: Any) -> Bounds:
    """A share 1 − δ of the draws falls by ηα γ³/ρ² over a cubed logarithm, and stays there for as long again."""
    return Bounds(
        at_least(1 - p.delta, r.share, "share of draws that fall enough and stay so low"),
        recorded(r.gradient, "gradient at the start, over the largest allowed"),
        recorded(r.over_promise, "median drop, over what is promised"),
        recorded(r.steps, "steps"),
    )


@statement(
    "recall.proposition-1",
    measures=smoothness,
    assumes={"cold": ("T below T₀ = 0.02 (ours)", lambda r, p: p.temperature <= 0.02)},
    holds_at=COLD,
    fails_at={"temperature": 4.0},
    ranges={"temperature": (1e-4, 0.5)},
)
def proposition_1(r: Smoothness) -> Bounds:
    """The two constants grow like 1/T² and 1/T³."""
    return Bounds(
        near(2.0, r.second, "exponent of the gradient's constant, over a factor of 16 in T", absolute=0.02),
        near(3.0, r.third, "exponent of the Hessian's constant", absolute=0.02),
        near(1 / 32, r.gradient, "T²ℓ", relative=0.001),
        near(HESSIAN_LIPSCHITZ, r.hessian, "T³ρ", relative=0.05),
    )


@statement(
    "recall.lemma-12",
    measures=distance_moved,
    assumes={"small_steps": ("η at most 1/ℓ", lambda r, p: p.rate * p.temperature**2 <= 1 / r.lipschitz)},
    holds_at={**COLD, "rate": 32.0, "steps": 400},
    fails_at={**COLD, "rate": 3200.0, "steps": 20},
    ranges={"temperature": (0.002, 1.0), "rate": (1.0, 1000.0), "steps": (1, 600), "seed": (0, 999)},
)
def lemma_12(r: Moved) -> Bounds:
    """t steps move by at most √(2t(f(x₀) − inf f)/ℓ)."""
    return Bounds(
        at_most(1.0, r.moved, "distance over the bound, largest"),
        recorded(r.rise, "largest rise of the loss"),
    )
