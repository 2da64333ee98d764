"""A whole gradient flow on the orbit engine, as a program that a slider reruns."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from lib.cooccurrence.dynamics import orbit
from lib.domain import Domain
from lib.solve import Adaptive, Program, Stage, adaptive_start, adaptive_step

TOLERANCE = 1e-6
DEFAULTS = {
    "triples": 10,
    "length": 6,
    "width": 128,
    "attention": 1.0,
    "size": 1.0,
    "layer": 1.0,
    "end": 1e4,
    "evaluations": 6000,
}


class Parameters(NamedTuple):
    """n = 6 ``triples``; L; m; κ = σ₀² m; N₀ = ‖a‖² σ₁² m; ‖a‖²; the last time; the limit of evaluations."""

    triples: Tensor
    length: Tensor
    width: Tensor
    attention: Tensor
    size: Tensor
    layer: Tensor
    end: Tensor
    evaluations: Tensor


DOMAINS = (
    Domain("triples", low=1, high=10**6, integer=True),
    Domain("length", low=4, high=1000, integer=True),
    Domain("width", low=1, high=10**6),
    Domain("attention", low=0, high=1e6),
    Domain("size", low=0, high=1e6),
    Domain("layer", low=0, high=1e6, low_open=True),
    Domain("end", low=0, high=1e12, low_open=True),
    Domain("evaluations", low=0, high=10**6, integer=True),
)


class Reading(NamedTuple):
    """Time, G(μ₁ … μ₃) (3,), the scores of the signals (3, 3) [key, query], and each type's loss (4,)."""

    time: Tensor
    output: Tensor
    score: Tensor
    losses: Tensor


def sizes(p: Parameters) -> orbit.Sizes:
    """The class fractions of Definition 2.1: 3, 1, 1 and 1 samples out of every six."""
    counts = p.triples * torch.tensor([3, 1, 1, 1], dtype=torch.float64)
    return orbit.Sizes(counts, p.length, p.width, p.layer)


def read(run: Adaptive, p: Parameters) -> Reading:
    """What a figure draws of the last accepted state."""
    state = orbit.unpack(run.state)
    blocks = state.blocks
    return Reading(run.time, blocks.output[:3], blocks.score[:3, :3], orbit.losses(state, sizes(p)))


def program() -> Program:
    """Gradient flow from the expected start until ``end``, one evaluation a step."""

    def step(run: Adaptive, p: Parameters) -> tuple[Adaptive, Tensor]:
        fixed = sizes(p)

        def slope(vector: Tensor) -> Tensor:
            return orbit.pack(orbit.flow(orbit.unpack(vector), fixed))

        return adaptive_step(slope, run, p.end, TOLERANCE, TOLERANCE)

    return Program(
        parameters=Parameters,
        domains=DOMAINS,
        start=lambda p: adaptive_start(
            orbit.pack(orbit.start(p.attention, p.size)), 1e-4 * torch.ones_like(p.end)
        ),
        stages=(Stage("flow", lambda run, p: run, step, "evaluations"),),
        watch=read,
        report=lambda ends, p: read(ends[0], p),
    )
