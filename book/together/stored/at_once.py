"""Memory and attention trained at once, each on its own loss: the statements move the memory, the prompts attention."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor

from book.together.stored.program import ALL, Learner, stored_then_looked_up
from lib.program import parameters
from lib.recall.algorithm import perturbation
from lib.recall.landscape import SADDLE, has_left
from lib.together import lookup, memory
from lib.together.memory import CONSTRUCTED_LEAD


class AtOnce(NamedTuple):
    """What happens when; ∞ for what never does."""

    stored: float  # the step after which the memory completes every statement
    left: float  # the step after which the two examples have unequal attention
    below: float  # the step after which L₁ is below log 2
    tied_loss: float  # the least L₁ before the two examples have unequal attention
    named: float  # prompts of 36 whose relation is named right, at the end
    between: float  # |v₁ + v₂ − v₃ − v₄|/2 at the end


def at_once(
    temperature: float = 0.05,
    multiplicity: int = 4,
    perturbation_radius: float = 1e-3,
    steps: int = 600,
    seed: int = 0,
) -> AtOnce:
    """Both descend together, attention from the perturbation and with η = 100 T².

    Args:
        temperature: in units of the lead that the memory comes to, as elsewhere.
    """
    program = stored_then_looked_up()
    given = {"seed": seed, "multiplicity": multiplicity, "perturbation_radius": perturbation_radius}
    p = parameters(program, given)
    state: Learner = program.start(p)
    path = _memories(state, p.memory_rate, steps)
    scale = temperature * path[-1][1].lead / CONSTRUCTED_LEAD
    theta = perturbation(p.seed, p.perturbation_radius)[: len(SADDLE)]
    losses, unequal, completes = [], [], []
    for forms, seen in path:
        table = lookup.correlations(forms)
        believed = lookup.believe(theta, table, scale, p.phrases)
        v = torch.softmax(theta, 0)
        losses.append(float(lookup.loss_of(believed.logs)))
        unequal.append(bool(has_left(v)))
        completes.append(bool(seen.stored.amin() > ALL))
        theta = theta - 100 * temperature**2 * lookup.loss_gradient(theta, table, scale, believed)
    return AtOnce(
        stored=_first(completes),
        left=_first(unequal),
        below=_first([loss < math.log(2) for loss in losses]),
        tied_loss=min(loss for loss, apart in zip(losses, unequal, strict=True) if not apart),
        named=float(lookup.named(believed.logs)),
        between=float((v[0] + v[1] - v[2] - v[3]).abs() / 2),
    )


def _memories(state: Learner, rate: Tensor, steps: int) -> list[tuple[Tensor, memory.Passed]]:
    """The memory's correlations, and what it stores, before each step and after the last."""
    features, wanted, path = state.features, memory.targets(state.known), []
    for _ in range(steps + 1):
        moved, seen = memory.descend(features, state.known, wanted, rate)
        path.append((memory.forms(features), seen))
        features = moved
    return path


def _first(happens: list[bool]) -> float:
    """The first place where something happens."""
    return float(happens.index(True)) if any(happens) else math.inf
