"""One model: a memory is trained, then frozen, then attention learns to look facts up in it by Algorithm 1."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch
from torch import Tensor

from lib.domain import Domain
from lib.program import Program, Stage, record
from lib.recall import algorithm
from lib.recall.algorithm import perturbation
from lib.recall.escape import escape_time
from lib.recall.landscape import ESCAPE_DIRECTION, SADDLE, has_left, inner_minimum, slice_loss
from lib.together import lookup, memory
from lib.together.memory import CONSTRUCTED_LEAD, FACTS, LEAST_LEAD, SUBJECTS, WORDINGS

SHARES = (0.0, 1.0, 1 / FACTS)
"""What a slider offers for a share of the 18 facts."""
OF_RECALL = {domain.name: domain for domain in algorithm.DOMAINS}


def _wordings(name: str, words: str) -> Domain:
    return Domain(
        name, 1, WORDINGS, integer=True, default=WORDINGS, words=words, scale="whole", track=(1, WORDINGS)
    )


DOMAINS = (
    OF_RECALL["temperature"]._replace(track=(0.01, 0.5)),
    _wordings("multiplicity", "wordings that state a fact (K)"),
    OF_RECALL["perturbation_radius"],
    Domain("missing", 0, 1, default=0.0, words="share of facts never stated (q)", track=SHARES),
    Domain("wrong", 0, 1, default=0.0, words="share of facts stated wrongly", track=SHARES),
    OF_RECALL["seed"]._replace(high=999),
    _wordings("phrases", "wordings in the language (R)"),
    Domain(
        "memory_steps",
        0,
        2000,
        integer=True,
        default=400,
        words="steps of the memory",
        scale="whole",
        track=(0, 800, 20),
    ),
    Domain(
        "memory_rate",
        0,
        4,
        low_open=True,
        default=2.0,
        words="the memory’s learning rate",
        scale="choice",
        track=(0.25, 0.5, 1.0, 2.0),
    ),
    OF_RECALL["rate_1"],
    OF_RECALL["rate_2"],
    OF_RECALL["steps"]._replace(default=200, track=(0, 1000, 20)),
)
"""The parameters; temperature and rates are in units in which the memory's lead is 2, as in the constructed memory."""
Settings = record("Settings", [domain.name for domain in DOMAINS])
AT_REST = 1e-6
"""Attention has come to rest once T‖∇L₁‖∞ is below this."""
ALL = 1 - 1e-9
"""A share from here on is all of them."""


class Learner(NamedTuple):
    """The state: the memory, then attention."""

    features: Tensor  # (31, 30, 8) the memory
    known: memory.World
    excess: Tensor  # 0-d, the memory's loss above the least
    lead: Tensor  # 0-d, see memory.lead
    stored: Tensor  # (3,) share of statements whose relation, answer, subject the memory says
    table: Tensor  # (864, 21) correlations of the frozen memory; 0 before
    theta: Tensor  # (6,) attention scores from EoS
    believed: lookup.Believed
    rise: Tensor  # 0-d, the largest rise of L₁ over a step of this stage
    step: Tensor  # 0-d, steps in this stage
    escape: Tensor  # 0-d, steps before the two examples had unequal attention, −1 while they have not


class Watch(NamedTuple):
    """What is drawn."""

    excess: Tensor  # (1,)
    stored: Tensor  # (3,)
    weights: Tensor  # (6,) attention v
    believed: Tensor  # (3,) mean probability of the true relation, of the one that exchanges the answers, of the others
    loss: Tensor  # (1,) L₁
    named: Tensor  # (1,) prompts of 36 whose relation is named right
    joined: Tensor  # (2,) v₁v₂ and v₃v₄
    crossed: Tensor  # (2,) v₁v₄ and v₃v₂
    ready: Tensor  # (1,) above 0 once the memory says every statement
    ahead: Tensor  # (1,) above 0 once the true relation is clearly ahead


class Looked(NamedTuple):
    """What it comes to, beside what the constructed memory does at this temperature."""

    lead: Tensor
    stored: Tensor  # (3,)
    stored_least: Tensor  # the least of them
    excess: Tensor
    facts_stated: Tensor  # facts that are stated at all
    facts_right: Tensor  # facts that are stated, and as they are
    known: Tensor  # prompts of 36 whose two examples are facts stated right in a common wording
    asymmetry: Tensor  # see asymmetry
    tie_loss: Tensor  # L₁ after stage 1
    tie_attention: Tensor  # (6,) after stage 1
    tie_distance: Tensor  # of that from (¼, ¼, ¼, ¼, 0, 0), largest entry
    tie_imbalance: Tensor  # the larger of |v₁ − v₃| and |v₂ − v₄| after stage 1
    curvature: Tensor  # T times the least curvature of L₁ there along what sets the examples apart
    overlap: Tensor  # of the perturbation with ε̃
    predicted_escape: Tensor  # steps, from that curvature
    measured_escape: Tensor
    loss: Tensor  # L₁ at the end
    constructed_loss: Tensor  # … with the constructed memory
    attention: Tensor  # (6,)
    greater: Tensor  # (v₁ + v₂)/2 or (v₃ + v₄)/2, the greater
    lesser: Tensor  # (v₁ + v₂)/2 or (v₃ + v₄)/2, the smaller
    constructed_lesser: Tensor
    mismatch: Tensor  # the larger of |v₁ − v₂| and |v₃ − v₄|
    between: Tensor  # |v₁ + v₂ − v₃ − v₄|/2
    probability: Tensor  # of the true relation
    constructed_probability: Tensor
    rival: Tensor  # probability of the relation that exchanges the answers
    named: Tensor  # prompts of 36 whose relation is named right
    rise: Tensor
    steps_taken: Tensor  # of stage 2
    asked_wordings: Tensor  # K
    wordings: Tensor  # R


def stored_then_looked_up() -> Program:
    """The memory's training, stage 1 from equal attention, and stage 2 from a perturbation."""

    def begin(s: Learner, p: Any) -> Learner:
        wanted = memory.targets(s.known)
        return _seen(s, memory.descend(s.features, s.known, wanted, 0.0)[1], wanted)

    def learn(s: Learner, p: Any) -> tuple[Learner, Tensor]:
        wanted = memory.targets(s.known)
        features, seen = memory.descend(s.features, s.known, wanted, p.memory_rate)
        return _seen(s._replace(features=features), seen, wanted), s.excess < 0

    def freeze(s: Learner, p: Any) -> Learner:
        s = begin(s, p)  # a step looks before it moves
        table = lookup.correlations(memory.forms(s.features)) * (CONSTRUCTED_LEAD / usable_lead(s.lead))
        return _looking(s._replace(table=table), torch.zeros_like(s.theta), p)

    def perturb(s: Learner, p: Any) -> Learner:
        return _looking(s, s.theta + perturbation(p.seed, p.perturbation_radius)[: len(SADDLE)], p)

    stages = (
        Stage("memory", begin, learn, "memory_steps"),
        Stage("stage 1", freeze, lambda s, p: _attend(s, p.rate_1, p), "steps"),
        Stage("stage 2", perturb, lambda s, p: _attend(s, p.rate_2, p), "steps"),
    )
    return Program(Settings, DOMAINS, _start, stages, _watch, _report)


def usable_lead(lead: Tensor) -> Tensor:
    """The memory's lead, or the constructed one where the memory stores nothing and has none."""
    return torch.where(lead > LEAST_LEAD, lead, CONSTRUCTED_LEAD)


def _start(p: Any) -> Learner:
    known = memory.world(p.seed, p.phrases, torch.minimum(p.multiplicity, p.phrases), p.missing, p.wrong)
    zero, orders = torch.zeros((), dtype=torch.float64), len(lookup.ASKED)
    return Learner(
        features=memory.start(p.seed),
        known=known,
        excess=zero,
        lead=zero,
        stored=torch.zeros(3, dtype=torch.float64),
        table=torch.zeros(orders * memory.WORDED, 21, dtype=torch.float64),
        theta=torch.zeros(len(SADDLE), dtype=torch.float64),
        believed=lookup.Believed(
            torch.full((orders, memory.RELATIONS, WORDINGS), 1 / WORDINGS, dtype=torch.float64),
            torch.full((orders, memory.RELATIONS), -math.log(memory.RELATIONS), dtype=torch.float64),
        ),
        rise=zero,
        step=zero,
        escape=zero - 1,
    )


def _seen(s: Learner, seen: memory.Passed, wanted: memory.Targets) -> Learner:
    """The state with what the memory stores."""
    return s._replace(excess=seen.loss - memory.least_loss(wanted), lead=seen.lead, stored=seen.stored)


def _looking(s: Learner, theta: Tensor, p: Any) -> Learner:
    """The state at the beginning of a stage of attention."""
    zero = torch.zeros_like(s.rise)
    believed = lookup.believe(theta, s.table, p.temperature, p.phrases)
    return s._replace(theta=theta, believed=believed, rise=zero, step=zero, escape=zero - 1)


def _attend(s: Learner, rate: Tensor, p: Any) -> tuple[Learner, Tensor]:
    """One step θ ← θ − cT²∇L₁."""
    gradient = lookup.loss_gradient(s.theta, s.table, p.temperature, s.believed)
    gradient = lookup.balanced(s.theta, gradient)
    theta = s.theta - rate * p.temperature**2 * gradient
    believed = lookup.believe(theta, s.table, p.temperature, p.phrases)
    step = s.step + 1
    escape = torch.where((s.escape < 0) & has_left(torch.softmax(theta, 0)), step, s.escape)
    after = s._replace(
        theta=theta,
        believed=believed,
        rise=torch.maximum(s.rise, lookup.loss_of(believed.logs) - lookup.loss_of(s.believed.logs)),
        step=step,
        escape=escape,
    )
    off_the_tie = lookup.is_balanced(theta) | (escape >= 0)  # on the way out the gradient is small, too
    return after, off_the_tie & (p.temperature * gradient.abs().amax() < AT_REST)


def _watch(s: Learner, p: Any) -> Watch:
    v = torch.softmax(s.theta, 0)
    believed = lookup.beliefs(s.believed.logs)
    return Watch(
        excess=s.excess.reshape(1),
        stored=s.stored,
        weights=v,
        believed=believed,
        loss=lookup.loss_of(s.believed.logs).reshape(1),
        named=lookup.named(s.believed.logs).reshape(1),
        joined=torch.stack([v[0] * v[1], v[2] * v[3]]),
        crossed=torch.stack([v[0] * v[3], v[2] * v[1]]),
        ready=(s.stored.amin() - ALL).reshape(1),
        ahead=(believed[0] - believed[1] - 0.2).reshape(1),
    )


def asymmetry(forms: Tensor, lead: Tensor) -> Tensor:
    """How far the memory's correlations are from their average over renamings, 0-d: 0 for a symmetric one.

    The root mean square of the difference over subjects and answers, less its mean over wordings, which cancels in
    every probability; in units of half the lead.
    """
    rest = (forms - lookup.symmetrised(forms))[:, : 2 * SUBJECTS, : 2 * SUBJECTS]
    return (rest - rest.mean(0)).square().mean().sqrt() / (usable_lead(lead) / CONSTRUCTED_LEAD)


def _report(ends: tuple[Learner, ...], p: Any) -> Looked:
    _, tie, end = ends
    v, tied = torch.softmax(end.theta, 0), torch.softmax(tie.theta, 0)
    saddle = torch.softmax(torch.tensor(SADDLE, dtype=torch.float64), 0)
    curvature = lookup.tie_curvature(tie.theta, tie.table, p.temperature, p.phrases)
    overlap = perturbation(p.seed, p.perturbation_radius)[: len(SADDLE)] @ torch.tensor(
        ESCAPE_DIRECTION, dtype=torch.float64
    )
    growth = torch.log1p(torch.clamp(-p.rate_2 * p.temperature**2 * curvature, min=-0.5))
    believed = lookup.beliefs(end.believed.logs)
    constructed = torch.nan_to_num(
        inner_minimum(SUBJECTS, p.temperature), nan=0.0
    )  # warm, one pair takes all
    constructed_loss = slice_loss(constructed, SUBJECTS, p.temperature)
    return Looked(
        lead=tie.lead,
        stored=tie.stored,
        stored_least=tie.stored.amin(),
        excess=tie.excess,
        facts_stated=(tie.known.weight.sum((2, 3)) > 0).to(torch.float64).sum(),
        facts_right=tie.known.right.sum(),
        known=lookup.determined(tie.known).sum(),
        asymmetry=asymmetry(memory.forms(tie.features), tie.lead),
        tie_loss=lookup.loss_of(tie.believed.logs),
        tie_attention=tied,
        tie_distance=(tied - saddle).abs().amax(),
        tie_imbalance=torch.maximum((tied[0] - tied[2]).abs(), (tied[1] - tied[3]).abs()),
        curvature=p.temperature * curvature,
        overlap=overlap,
        predicted_escape=escape_time(overlap, growth),
        measured_escape=torch.where(end.escape < 0, math.inf, end.escape),
        loss=lookup.loss_of(end.believed.logs),
        constructed_loss=constructed_loss,
        attention=v,
        greater=torch.maximum(v[0] + v[1], v[2] + v[3]) / 2,
        lesser=torch.minimum(v[0] + v[1], v[2] + v[3]) / 2,
        constructed_lesser=constructed,
        mismatch=torch.maximum((v[0] - v[1]).abs(), (v[2] - v[3]).abs()),
        between=(v[0] + v[1] - v[2] - v[3]).abs() / 2,
        probability=believed[0],
        constructed_probability=torch.exp(-constructed_loss),
        rival=believed[1],
        named=lookup.named(end.believed.logs),
        rise=torch.maximum(tie.rise, end.rise),
        steps_taken=end.step,
        asked_wordings=p.multiplicity,
        wordings=p.phrases,
    )
