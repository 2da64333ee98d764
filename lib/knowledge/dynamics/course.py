"""A whole course of training as a program: pre-training in three stages of learning rate, then fine-tuning.

Sizes are fixed so that it can be traced: N facts, half of them frequent, and room for :data:`MOST_PHRASES` phrases
and :data:`MOST_DRAWN` phrases of a fact. Phrases beyond R stay in the vocabulary and no sentence uses them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor

from lib import noise
from lib.domain import Domain
from lib.knowledge import data
from lib.knowledge.data import Facts, Sentences
from lib.knowledge.dynamics.tokens import (
    Extracted,
    Sizes,
    State,
    acquire,
    extract,
    moved,
    rank_one,
    unflatten,
)
from lib.solve import Program, Stage

SUBJECTS = 32
FREQUENT = 16
MOST_PHRASES = 12
MOST_DRAWN = 8
NEURONS = 8
SIZES = Sizes(SUBJECTS, MOST_PHRASES, NEURONS)
CONTEXT = float(SIZES.dimension)
"""‖o‖², the embedding dimension."""
SCALE = 1e-3
"""λσ₀, and σ₀ for the scores."""
ROUNDS = 16
"""Of the power method."""
STAGE_1 = 2
"""Steps of stage I, as in the proofs."""

DOMAINS = (
    Domain("phrases", low=MOST_DRAWN, high=MOST_PHRASES, integer=True),
    Domain("multiplicity", low=1, high=MOST_DRAWN, integer=True),
    Domain("share", low=1 / FREQUENT, high=1),
    Domain("rate_1", low=0, high=100),
    Domain("rate_2", low=0, high=1000),
    Domain("rate_3", low=0, high=1000),
    Domain("rate_4", low=0, high=1000),
    Domain("kappa", low=0, high=1, low_open=True),
    Domain("low_rank", low=0, high=1, integer=True),
    Domain("seed", low=0, high=99, integer=True),
    Domain("steps_1", low=0, high=20, integer=True),
    Domain("steps_2", low=0, high=1000, integer=True),
    Domain("steps_3", low=0, high=1000, integer=True),
    Domain("steps_4", low=0, high=1000, integer=True),
)
"""What the fields of :class:`Course` may be."""

DEFAULTS: dict[str, float] = {
    "phrases": 8,
    "multiplicity": 4,
    "share": 0.5,
    "rate_1": 1.0,
    "rate_2": 4.0,
    "rate_3": 4.0,
    "rate_4": 4.0,
    "kappa": 0.004,
    "low_rank": 0,
    "seed": 0,
    "steps_1": STAGE_1,
    "steps_2": 25,
    "steps_3": 50,
    "steps_4": 60,
}
"""The configuration that the pages open with."""


class Course(NamedTuple):
    """The parameters, each a 0-d tensor."""

    phrases: Tensor  # R
    multiplicity: Tensor  # K
    share: Tensor  # of the frequent facts that are fine-tuned
    rate_1: Tensor  # stage I, in units of √(72 N log(2d)/κ)/d
    rate_2: Tensor  # stage II, in units of N
    rate_3: Tensor  # stage III, in units of N
    rate_4: Tensor  # fine-tuning
    kappa: Tensor  # m/λ²
    low_rank: Tensor  # 1: fine-tuning along the best rank-1 approximation of the features' gradient
    seed: Tensor
    steps_1: Tensor
    steps_2: Tensor
    steps_3: Tensor
    steps_4: Tensor


class Seen(NamedTuple):
    """What is watched. The numbers of pre-training stay in fine-tuning what they were at the end of it."""

    excess: Tensor  # loss minus the data's entropy
    losses: Tensor  # (3,) of [o] → d, [o s] → r minus its entropy, [o s r] → a
    in_subject: Tensor  # (2,) mean attention on o, s in [o s]
    in_phrase: Tensor  # (3,) on o, s, r in [o s r]
    on_context: Tensor  # the greatest attention on o of all these prompts
    ratio_low: Tensor  # the least attention on s over that on r
    ratio_high: Tensor  # the greatest
    dead: Tensor  # share of the sentences whose answer has no active neuron
    accuracy: Tensor  # (4,) on questions about unseen facts, unseen frequent ones, rare ones, fine-tuned ones
    kinds: Tensor  # (5,) shares of the answers to questions about unseen facts: see answer_kinds
    on_format: Tensor  # mean attention on p in the questions
    question: Tensor  # fine-tuning loss; NaN, as accuracies of no fact are, before a fact is chosen


class Learner(NamedTuple):
    """The state of a course."""

    model: State
    down: State  # the direction of the next step
    rate: Tensor  # η̃ of the stage
    known: Facts
    data: Sentences
    chosen: Tensor  # (N,) 1 for a fact that is fine-tuned
    seen: Seen


def first_rate(sizes: Sizes, context: float, kappa: Tensor | float) -> Tensor:
    """√(72 N log(2d)/κ)/d: the η̃₁ with which two steps bring the scores of o down by about log(2d), d = ‖o‖².

    The first step gives d's neurons A[o] ≈ ⅔ η̃₁ d, the second moves z[o, s_j] by about −η̃₁² κ d²/72N · 2.
    """
    return torch.sqrt(72 * sizes.subjects * math.log(2 * context) / torch.as_tensor(kappa)) / context


def normal_start(seed: Tensor, sizes: Sizes, context: float, scale: float) -> State:
    """A random start from seeded numbers; traceable."""
    n, r = sizes.subjects, sizes.phrases
    count = sizes.tokens * sizes.outputs * sizes.neurons + 3 * n + 2 * r + n * r + 1
    streams = -(-count // noise.STRIDE)
    seeds = (
        10_000 + seed * streams + torch.arange(streams, dtype=torch.float64)
    )  # apart from those of the facts
    drawn = torch.func.vmap(lambda stream: noise.normal(stream, noise.STRIDE))(seeds).reshape(-1)
    return unflatten(scale * drawn[:count], sizes, context)


def course(report: Callable[[tuple[Learner, ...], Course], Any]) -> Program:
    """Stages I, II and III, then fine-tuning; pre-training does not depend on how it is fine-tuned.

    Args:
        report: from the learners at the ends of the four stages and the parameters to what is drawn.
    """

    def start(p: Course) -> Learner:
        known = data.draw(
            p.seed, SUBJECTS, MOST_PHRASES, p.phrases, p.multiplicity, torch.full_like(p.seed, FREQUENT)
        )
        listed = data.slots(known, FREQUENT, MOST_DRAWN)
        model = normal_start(p.seed, SIZES, CONTEXT, SCALE)
        return Learner(
            model, model, p.rate_1, known, listed, torch.zeros(SUBJECTS, dtype=torch.float64), _nothing()
        )

    def begin(s: Learner, p: Course) -> Learner:
        return look(s._replace(rate=p.rate_1 * first_rate(SIZES, CONTEXT, p.kappa)))

    def descend(s: Learner, p: Course) -> tuple[Learner, Tensor]:
        return look(_move(s, s.down, s.rate, p.kappa)), p.seed < 0

    def enter(s: Learner, p: Course) -> Learner:
        return ask(s._replace(chosen=data.fine_tuned(s.known, p.share)))

    def tune(s: Learner, p: Course) -> tuple[Learner, Tensor]:
        single = rank_one(s.down.features, ROUNDS)
        down = s.down._replace(features=torch.where(p.low_rank > 0.5, single, s.down.features))
        return ask(_move(s, down, p.rate_4, p.kappa)), p.seed < 0

    stages = (
        Stage("stage I", begin, descend, "steps_1"),
        Stage("stage II", lambda s, p: s._replace(rate=p.rate_2 * SUBJECTS), descend, "steps_2"),
        Stage("stage III", lambda s, p: s._replace(rate=p.rate_3 * SUBJECTS), descend, "steps_3"),
        Stage("fine-tuning", enter, tune, "steps_4"),
    )
    return Program(Course, DOMAINS, start, stages, lambda s, p: s.seen, report)


def look(s: Learner) -> Learner:
    """Pass the pre-training data through the model: losses, attention and the direction of the next step."""
    share = data.fact_weight(s.known)
    got = acquire(s.model, s.known, s.data, SIZES, CONTEXT, share)
    phrase = got.phrase - 3 * data.entropy(s.known)
    real = (s.data.weight > 0).to(torch.float64)
    ratio = got.attention_phrase[:, 1] / torch.clamp(got.attention_phrase[:, 2], min=1e-300)
    context = torch.cat([got.attention_subject[:, 0], got.attention_phrase[:, 0] * real])
    seen = s.seen._replace(
        excess=(got.follower + phrase + got.answer) / 3,
        losses=torch.stack([got.follower, phrase, got.answer]),
        in_subject=(share[:, None] * got.attention_subject).sum(0),
        in_phrase=(s.data.weight[:, None] * got.attention_phrase).sum(0),
        on_context=context.amax(),
        ratio_low=torch.where(real > 0, ratio, torch.full_like(ratio, torch.inf)).amin(),
        ratio_high=torch.where(real > 0, ratio, torch.zeros_like(ratio)).amax(),
        dead=(real * got.dead).sum() / real.sum(),
    )
    return _answered(s._replace(down=got.down, seen=seen), extract(s.model, s.chosen, SIZES))


def ask(s: Learner) -> Learner:
    """Put all questions to the model: answers, and the direction of the next step of fine-tuning."""
    got = extract(s.model, s.chosen, SIZES)
    return _answered(s._replace(down=got.down), got)


def answer_kinds(logits: Tensor, known: Facts, chosen: Tensor, sizes: Sizes) -> Tensor:
    """Which kind of token has the largest logit, for each question: (N, 5) one-hot; traceable.

    The kinds: any other token; the answer of another fact that is fine-tuned; a phrase that is not the fact's own;
    one of its own phrases; the right answer. A tie goes to the first of them, so that it never counts as right.
    """
    n, r = sizes.subjects, sizes.phrases
    phrases, answers = logits[:, 1 + n : 1 + n + r], logits[:, sizes.answers : sizes.answers + n]
    own = torch.eye(n, dtype=torch.float64)
    rest = torch.cat([logits[:, : 1 + n], logits[:, sizes.format : sizes.format + 1], logits[:, -1:]], 1)
    best = torch.stack(
        [
            torch.maximum(rest.amax(1), _greatest(answers, (1 - own) * (1 - chosen))),
            _greatest(answers, (1 - own) * chosen),
            _greatest(phrases, 1 - known.uses),
            _greatest(phrases, known.uses),
            _greatest(answers, own),
        ],
        1,
    )
    return (best.argmax(1)[:, None] == torch.arange(5)).to(torch.float64)


def _greatest(values: Tensor, among: Tensor) -> Tensor:
    """The largest value of each row where ``among`` is not 0; −∞ where it is 0 throughout."""
    return torch.where(among > 0.5, values, torch.full_like(values, -torch.inf)).amax(1)


def _answered(s: Learner, got: Extracted) -> Learner:
    kinds = answer_kinds(got.logits, s.known, s.chosen, SIZES)
    unseen = 1 - s.chosen
    groups = (unseen, unseen * s.known.frequent, 1 - s.known.frequent, s.chosen)
    return s._replace(
        seen=s.seen._replace(
            accuracy=torch.stack([(kinds[:, -1] * group).sum() / group.sum() for group in groups]),
            kinds=(unseen[:, None] * kinds).sum(0) / unseen.sum(),
            on_format=got.attention[:, 1].mean(),
            question=got.loss,
        )
    )


def _move(s: Learner, down: State, rate: Tensor, kappa: Tensor) -> Learner:
    return s._replace(model=moved(s.model, down, rate, kappa))


def _nothing() -> Seen:
    """Numbers of the right shapes, before anything was seen."""
    sizes = {"losses": 3, "in_subject": 2, "in_phrase": 3, "accuracy": 4, "kinds": 5}
    return Seen(*(torch.zeros(sizes.get(name, ()), dtype=torch.float64) for name in Seen._fields))
