"""Huang et al.'s transformer with three subjects and one assumption dropped: Algorithm 1, both decoding steps.

All six relations are stored, and all 36 prompts are trained on. Renaming the words exchanges them, so one prompt stands
for all, exactly: the scores belong to positions, and a bias of the keys is one number for each kind of word.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import one_hot

from book.recall.common import TIPPED
from book.together.descents import Moments, at_rest, descend
from book.together.experiments.relaxations import WRONG
from book.together.experiments.relaxed_recall import POSITIONS, WARM_UP
from book.together.relaxed import RECALL
from lib.program import Program, Stage, record
from lib.recall.algorithm import DOMAINS, perturbation
from lib.recall.escape import escape_time, saddle_spectrum
from lib.recall.landscape import ESCAPE_DIRECTION, SWAP
from lib.recall.model import memory_layers
from lib.recall.task import affine_family

KNOWN = affine_family(3)
SUBJECTS, ANSWERS, RELATIONS = slice(0, 3), slice(3, 6), slice(6, 12)
TOKENS = 13
ASKED = 0
"""The hidden relation."""
RIVAL = next(
    r
    for r in range(KNOWN.relations)
    if KNOWN.answers[r, 0] == KNOWN.answers[ASKED, 1] and KNOWN.answers[r, 1] == KNOWN.answers[ASKED, 0]
)
"""The relation that exchanges the answers of the two examples."""
SIZE = math.sqrt((1 + 1 / 6) / TOKENS)
"""The root mean square of the MLP's input at the start, to which a layer norm brings it."""
_said = [3 + int(KNOWN.answers[ASKED, s]) for s in range(3)]
PROMPT = one_hot(torch.tensor([0, _said[0], 1, _said[1], 2, 12, 6 + ASKED]), TOKENS).to(torch.float64)
"""(7, 13): s₁ a₁ s₂ a₂ s₃ EoS, and the relation once it is decoded."""
ANSWER = _said[2] - 3
FIRST, SECOND = memory_layers(
    one_hot(KNOWN.answers, 3).to(torch.float64), torch.eye(TOKENS, dtype=torch.float64)
)
KIND = torch.tensor([0, 1, 0, 1, 0, 3, 2])
"""Subject, answer, relation or EoS, by position."""
PARTS = (6, 7, POSITIONS**2, POSITIONS, 4)
"""How many numbers are trained: θ, ω, the scores of a lower layer, a bias of each position and of each kind of word."""
SHARES = torch.cat(
    [
        torch.ones(sum(PARTS[:4]), dtype=torch.float64),
        torch.tensor([1 / 3, 1 / 3, 1 / 6, 1]).to(torch.float64),
    ]
)
"""The share of each number's gradient that one of its words gets."""
LATER = torch.ones(POSITIONS, POSITIONS).tril(-1).bool()
STEPS = 1100
"""Steps of each stage: enough that the unrelaxed run meets every bound."""
OF_RECALL = {domain.name: domain for domain in DOMAINS}
RELAXED_DOMAINS = (
    RECALL.switch,
    OF_RECALL["temperature"]._replace(
        low=1e-3, low_open=False, default=WARM_UP.temperature, track=(1e-3, 0.1)
    ),
    OF_RECALL["perturbation_radius"],
    OF_RECALL["seed"]._replace(high=999),
    OF_RECALL["rate_1"]._replace(default=150.0, track=(10.0, 1e5)),
    OF_RECALL["rate_2"]._replace(default=150.0, track=(10.0, 1e4)),
    OF_RECALL["steps"]._replace(
        name="steps_1", high=10_000, default=STEPS, words="steps of stage 1", track=(0, 2000, 1)
    ),
    OF_RECALL["steps"]._replace(
        name="steps_2", high=10_000, default=STEPS, words="steps of stage 2", track=(0, 2000, 20)
    ),
)
Relaxed = record("Relaxed", [domain.name for domain in RELAXED_DOMAINS])


class State(NamedTuple):
    """A run of Algorithm 1."""

    x: Tensor  # (73,) all that is trained, see PARTS
    seen: Moments


class Watch(NamedTuple):
    """What is drawn while it runs."""

    weights: Tensor  # (6,) attention from EoS
    relation_attention: Tensor  # (7,) attention from the decoded relation
    believed: Tensor  # (2,) probability of r* and of its rival
    answered: Tensor  # (1,) probability of the right answer
    loss: Tensor  # (1,) L₁
    lead: Tensor  # (1,) above 0 once r* is clearly ahead of its rival
    joined: Tensor  # (2,) v₁v₂ and v₃v₄
    crossed: Tensor  # (2,) v₁v₄ and v₃v₂


class End(NamedTuple):
    """What the theorems speak of; each 0-d."""

    apart: Tensor  # |a − ¼|
    imbalance: Tensor  # the larger of |v₁ − v₂| and |v₃ − v₄|
    leak: Tensor  # v₅ + v₆
    loss: Tensor  # L₁
    unsure: Tensor  # 1 − p₁(r*)
    answer: Tensor  # p₁(r*) p₂(a₃)
    overlap: Tensor  # ⟨ξ, ε̃⟩
    waits: Tensor  # steps that plain descent waits at the saddle, by the curvature of the unrelaxed model


def attention(x: Tensor, length: int, p: Any) -> Tensor:
    """α from the last of ``length`` tokens, (length,)."""
    theta, omega, _, place, kind = x.split(PARTS)
    bias = place[:length] + kind.index_select(0, KIND[:length])
    return torch.softmax(
        (theta if length == 6 else omega) + torch.where(RECALL.dropped(p, "biases"), bias, 0.0), 0
    )


def logits(x: Tensor, length: int, p: Any) -> Tensor:
    """The logits of all tokens, after the first ``length`` tokens of the prompt; (13,)."""
    seen = PROMPT[:length]
    scores = x.split(PARTS)[2].reshape(POSITIONS, POSITIONS)[:length, :length]
    mixing = torch.softmax(scores.masked_fill(LATER[:length, :length], -math.inf), 0)
    seen = torch.where(RECALL.dropped(p, "layers"), (seen + mixing.T @ seen) / 2, seen)
    h = seen[-1] + attention(x, length, p) @ seen
    centred = h - h.mean()
    h = torch.where(RECALL.dropped(p, "norm"), SIZE * centred / torch.sqrt((centred**2).mean() + 1e-12), h)
    pre = FIRST @ h
    bent = torch.where(RECALL.dropped(p, "gelu"), pre * (1 + torch.erf(pre / math.sqrt(2))) / 2, pre**2)
    active = torch.where(RECALL.dropped(p, "relu"), torch.relu(pre), bent)
    return active @ SECOND + torch.where(RECALL.dropped(p, "residual"), h, 0.0)


def chances(x: Tensor, p: Any) -> tuple[Tensor, Tensor]:
    """Log-probabilities of the relations and, once r* is decoded, of the answers: (6,), (3,)."""
    relation = logits(x, 6, p)[RELATIONS] / p.temperature
    answer = logits(x, 7, p)[ANSWERS] / p.temperature
    return torch.log_softmax(relation, 0), torch.log_softmax(answer, 0)


def loss(x: Tensor, p: Any) -> Tensor:
    """L₁ + L₂, with labels of which a share is wrong where they are noisy; 0-d."""
    wrong = WRONG * RECALL.dropped(p, "noise").to(torch.float64)
    parts = []
    for logs, right in zip(chances(x, p), (ASKED, ANSWER), strict=True):
        others = (logs.sum() - logs[right]) / (len(logs) - 1)
        parts.append((1 - wrong) * logs[right] + wrong * others)
    return -(parts[0] + parts[1])


def relaxed_recall() -> Program:
    """Algorithm 1 with one assumption dropped."""
    swap = torch.tensor(SWAP)

    def start(p: Any) -> State:
        x = torch.zeros(sum(PARTS), dtype=torch.float64)
        return State(x, at_rest(x))

    def perturb(s: State, p: Any) -> State:
        return s._replace(x=torch.cat([s.x[:13] + perturbation(p.seed, p.perturbation_radius), s.x[13:]]))

    def step(s: State, p: Any, rate: Tensor) -> tuple[State, Tensor]:
        gradient = torch.func.grad(loss)(s.x, p)
        theta, rest = gradient[:6], gradient[6:]
        tied = (s.x[:6] == s.x[:6][swap]).all() & ~RECALL.dropped(
            p, "layers"
        )  # rounding must not tip the examples
        theta = torch.where(tied, (theta + theta[swap]) / 2, theta)
        gradient = torch.cat([theta, rest]) * SHARES
        rule = RECALL.rule(p, WARM_UP.adam)
        x, seen = descend(s.x, gradient, rate * p.temperature**2, rule, s.seen)
        return State(x, seen), torch.zeros((), dtype=torch.bool)

    stages = (
        Stage("stage 1", lambda s, p: s, lambda s, p: step(s, p, p.rate_1), "steps_1"),
        Stage("stage 2", perturb, lambda s, p: step(s, p, p.rate_2), "steps_2"),
    )
    return Program(Relaxed, RELAXED_DOMAINS, start, stages, watch, report)


def watch(s: State, p: Any) -> Watch:
    """What is drawn of a state."""
    v = attention(s.x, 6, p)
    relation, answer = chances(s.x, p)
    believed = torch.exp(torch.stack([relation[ASKED], relation[RIVAL]]))
    return Watch(
        weights=v,
        relation_attention=attention(s.x, 7, p),
        believed=believed,
        answered=torch.exp(answer[ANSWER]).reshape(1),
        loss=-relation[ASKED].reshape(1),
        lead=(believed[0] - believed[1] - TIPPED).reshape(1),
        joined=torch.stack([v[0] * v[1], v[2] * v[3]]),
        crossed=torch.stack([v[0] * v[3], v[2] * v[1]]),
    )


def report(ends: tuple[State, ...], p: Any) -> End:
    """What the theorems speak of, at the end."""
    seen = watch(ends[-1], p)
    v = seen.weights
    way = torch.tensor(ESCAPE_DIRECTION, dtype=torch.float64)
    overlap = perturbation(p.seed, p.perturbation_radius)[:6] @ way
    growth = torch.log1p(torch.clamp(-p.rate_2 * p.temperature**2 * saddle_spectrum(p.temperature)[0], min=0))
    return End(
        apart=(torch.minimum(v[0] + v[1], v[2] + v[3]) / 2 - 0.25).abs(),
        imbalance=torch.maximum((v[0] - v[1]).abs(), (v[2] - v[3]).abs()),
        leak=v[4] + v[5],
        loss=seen.loss[0],
        unsure=1 - seen.believed[0],
        answer=seen.believed[0] * seen.answered[0],
        overlap=overlap,
        waits=torch.where(growth > 0, escape_time(overlap, torch.where(growth > 0, growth, 1.0)), math.inf),
    )
