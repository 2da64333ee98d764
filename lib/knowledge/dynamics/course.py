"""A whole course of training as a program: pre-training in three stages of learning rate, then fine-tuning.

Sizes are fixed so that it can be traced: N facts, two thirds of them frequent, and room for :data:`MOST_PHRASES`
phrases and :data:`MOST_DRAWN` phrases of a fact. Phrases beyond R stay in the vocabulary and no sentence uses them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import torch
from torch import Tensor

from lib import noise
from lib.domain import Domain
from lib.knowledge import data
from lib.knowledge.data import Facts, Sentences
from lib.knowledge.dynamics.tokens import (
    Sizes,
    State,
    acquire,
    extract,
    moved,
    unflatten,
)
from lib.solve import Stage

SUBJECTS = 48
FREQUENT = 32
MOST_PHRASES = 10
MOST_DRAWN = 6
NEURONS = 6
SIZES = Sizes(SUBJECTS, MOST_PHRASES, NEURONS)
SCALE = 1e-3
"""λσ₀, and σ₀ for the scores."""
STAGE_1 = 2
"""Steps of stage I, as in the proofs."""

OFFSET = 10_000
"""Seeds of starts begin here, apart from those of facts."""

LOST = 0.5
"""If more than this share of the answers has no active neuron, nothing more is learned: the rate was too large."""

DOMAINS = (
    Domain("phrases", low=MOST_DRAWN, high=MOST_PHRASES, integer=True),
    Domain("multiplicity", low=1, high=MOST_DRAWN, integer=True),
    Domain("rate_1", low=0, high=10),
    Domain("rate_2", low=0, high=100),
    Domain("rate_3", low=0, high=100),
    Domain("kappa", low=0, high=1, low_open=True),
    Domain("dimension", low=SIZES.dimension, high=100_000),
    Domain("seed", low=0, high=99, integer=True),
    Domain("steps_1", low=0, high=20, integer=True),
    Domain("steps_2", low=0, high=1000, integer=True),
    Domain("steps_3", low=0, high=1000, integer=True),
)
"""What the fields that all courses share may be: see :class:`Course`."""

DEFAULTS: dict[str, float] = {
    "phrases": 8,
    "multiplicity": 3,
    "rate_1": 2.2,
    "rate_2": 4.0,
    "rate_3": 4.0,
    "kappa": 0.004,
    "dimension": 1000.0,
    "seed": 0,
    "steps_1": STAGE_1,
    "steps_2": 15,
    "steps_3": 60,
}
"""The pre-training that the pages open with."""

TUNING_DOMAINS = (
    Domain("rate", low=0, high=100),
    Domain("steps", low=0, high=1000, integer=True),
)
TUNING: dict[str, float] = {"rate": 4.0, "steps": 60}
"""The fine-tuning that the pages open with."""


class Course(Protocol):
    """The parameters of pre-training, each a 0-d tensor."""

    @property
    def phrases(self) -> Tensor: ...  # R
    @property
    def multiplicity(self) -> Tensor: ...  # K
    @property
    def rate_1(self) -> Tensor: ...  # stage I: η̃₁ in units of first_rate
    @property
    def rate_2(self) -> Tensor: ...  # stage II: η̃₂ in units of N
    @property
    def rate_3(self) -> Tensor: ...  # stage III, likewise
    @property
    def kappa(self) -> Tensor: ...  # m/λ²
    @property
    def dimension(self) -> Tensor: ...  # d = ‖o‖²
    @property
    def seed(self) -> Tensor: ...


class Tuning(Course, Protocol):
    """Those of fine-tuning beside them."""

    @property
    def rate(self) -> Tensor: ...  # η̃ of fine-tuning


class Seen(NamedTuple):
    """What is watched. The numbers of pre-training stay in fine-tuning what they were at the end of it.

    From ``accuracy`` on they are about questions: 0 until fine-tuning asks them, NaN where no fact is meant.
    """

    excess: Tensor  # loss minus the data's entropy
    losses: Tensor  # (3,) of [o] → d, [o s] → r minus its entropy, [o s r] → a
    capped: Tensor  # (3,) the same, at most 6: the first step's loss may be hundreds
    in_subject: Tensor  # (2,) mean attention on o, s in [o s]
    in_phrase: Tensor  # (3,) on o, s, r in [o s r]
    on_context: Tensor  # the greatest attention on o of all these prompts
    ratio_low: Tensor  # the least attention on s over that on r
    ratio_high: Tensor  # the greatest
    dead: Tensor  # share of the sentences whose answer has no active neuron
    accuracy: Tensor  # (4,) on questions about unseen facts, unseen frequent ones, rare ones, fine-tuned ones
    kinds: Tensor  # (5,) shares of the answers to questions about unseen facts: see answer_kinds
    along_format: Tensor  # (3,) mean of A[p, v] over phrases in use, fine-tuned answers, other answers


class Learner(NamedTuple):
    """The state of a course."""

    model: State
    down: State  # the direction of the next step
    rate: Tensor  # η̃ of the stage
    settled: Tensor  # 1 after stage I, in which neurons may fall silent for a step
    known: Facts
    data: Sentences
    chosen: Tensor  # (N,) 1 for a fact that is fine-tuned
    used: Tensor  # (R,) 1 for a phrase that some sentence may use
    seen: Seen


def first_rate(sizes: Sizes, context: Tensor | float, kappa: Tensor | float) -> Tensor:
    """η̃₁ = √(36 N log(2d)/κ)/d, with which stage I's two steps leave attention 1/(2d) on o in [o s_j].

    From a small start the first step gives d's active neurons A[o] = ⅔ η̃₁ d. In the second [o s_j] therefore says d,
    so e_o = −⅓ η̃₁ d if half of d's neurons are active, and z[o, s_j] falls by η̃₁ κ d/(3N) · ¼ · ⅓ η̃₁ d = κ η̃₁² d²/36N,
    which is log(2d) here.
    """
    context = torch.as_tensor(context, dtype=torch.float64)
    return torch.sqrt(36 * sizes.subjects * torch.log(2 * context) / kappa) / context


def normal_start(seed: Tensor, sizes: Sizes, context: Tensor | float, scale: float) -> State:
    """A random start from seeded numbers; traceable."""
    drawn = noise.normals(seed, sizes.parameters, OFFSET)
    return unflatten(scale * drawn, sizes, context)


def start(p: Course) -> Learner:
    """Facts, sentences and random parameters."""
    known = data.draw(
        p.seed, SUBJECTS, MOST_PHRASES, p.phrases, p.multiplicity, torch.full_like(p.seed, FREQUENT)
    )
    model = normal_start(p.seed, SIZES, p.dimension, SCALE)
    none = torch.zeros(SUBJECTS, dtype=torch.float64)
    used = (torch.arange(MOST_PHRASES, dtype=torch.float64) < p.phrases).to(torch.float64)
    listed = data.slots(known, FREQUENT, MOST_DRAWN)
    return Learner(model, model, p.rate_1, torch.zeros_like(p.seed), known, listed, none, used, _nothing())


def pretraining() -> tuple[Stage, ...]:
    """Stages I, II and III; II and III end early where a rate has silenced too many neurons to learn anything more."""

    def begin(s: Learner, p: Course) -> Learner:
        return look(s._replace(rate=p.rate_1 * first_rate(SIZES, p.dimension, p.kappa)), p.dimension)

    def descend(s: Learner, p: Course) -> tuple[Learner, Tensor]:
        after = look(move(s, s.down, s.rate, p.kappa), p.dimension)
        return after, (after.settled > 0.5) & (after.seen.dead > LOST)

    def settle(s: Learner, p: Course) -> Learner:
        return s._replace(rate=p.rate_2 * SUBJECTS, settled=torch.ones_like(s.settled))

    return (
        Stage("stage I", begin, descend, "steps_1"),
        Stage("stage II", settle, descend, "steps_2"),
        Stage("stage III", lambda s, p: s._replace(rate=p.rate_3 * SUBJECTS), descend, "steps_3"),
    )


def fine_tuning(choose: Callable[[Facts, Any], Tensor]) -> Stage:
    """Full fine-tuning on the facts that ``choose(known, parameters)`` marks with 1, (N,)."""

    def enter(s: Learner, p: Any) -> Learner:
        return ask(s._replace(chosen=choose(s.known, p)))

    def tune(s: Learner, p: Tuning) -> tuple[Learner, Tensor]:
        return ask(move(s, s.down, p.rate, p.kappa)), p.seed < 0

    return Stage("fine-tuning", enter, tune, "steps")


def inside(stages: Sequence[Stage], field: str) -> tuple[Stage, ...]:
    """The stages for a state that holds the learner in ``field``; those that share a step go on sharing it."""
    lifted: dict[Any, Any] = {}

    def lift(stage: Stage) -> Stage:
        def enter(s: Any, p: Any) -> Any:
            return s._replace(**{field: stage.enter(getattr(s, field), p)})

        def step(s: Any, p: Any) -> tuple[Any, Tensor]:
            learner, done = stage.step(getattr(s, field), p)
            return s._replace(**{field: learner}), done

        return stage._replace(enter=enter, step=lifted.setdefault(stage.step, step))

    return tuple(lift(stage) for stage in stages)


def watch(s: Learner, p: Course) -> Seen:
    """What is drawn on the way."""
    return s.seen


def look(s: Learner, dimension: Tensor) -> Learner:
    """Pass the pre-training data through the model: losses, attention and the direction of the next step."""
    share = data.fact_weight(s.known)
    got = acquire(s.model, s.known, s.data, SIZES, dimension, share)
    entropy = data.entropy(s.known)
    losses = torch.stack([got.follower, got.phrase - 3 * entropy, got.answer])
    real = (s.data.weight > 0).to(torch.float64)
    ratio = got.attention_phrase[:, 1] / torch.clamp(got.attention_phrase[:, 2], min=1e-300)
    context = torch.cat([got.attention_subject[:, 0], got.attention_phrase[:, 0] * real])
    seen = s.seen._replace(
        excess=got.loss - entropy,
        losses=losses,
        capped=torch.clamp(losses, max=6),
        in_subject=(share[:, None] * got.attention_subject).sum(0),
        in_phrase=(s.data.weight[:, None] * got.attention_phrase).sum(0),
        on_context=context.amax(),
        ratio_low=torch.where(real > 0, ratio, torch.full_like(ratio, torch.inf)).amin(),
        ratio_high=torch.where(real > 0, ratio, torch.zeros_like(ratio)).amax(),
        dead=(real * got.dead).sum() / real.sum(),
    )
    return s._replace(down=got.down, seen=seen)


def ask(s: Learner) -> Learner:
    """Put all questions to the model: answers, and the direction of the next step of fine-tuning."""
    got = extract(s.model, s.chosen, SIZES)
    kinds = answer_kinds(got.logits, s.known, s.chosen, SIZES)
    unseen = 1 - s.chosen
    along = s.model.features[SIZES.format].mean(-1)  # (V,)
    answers = along[SIZES.answers : SIZES.answers + SUBJECTS]
    groups = (unseen, unseen * s.known.frequent, 1 - s.known.frequent, s.chosen)
    seen = s.seen._replace(
        accuracy=torch.stack([data.mean_of(kinds[:, -1], group) for group in groups]),
        kinds=(unseen[:, None] * kinds).sum(0) / unseen.sum(),
        along_format=torch.stack(
            [
                data.mean_of(along[1 + SUBJECTS : SIZES.format], s.used),
                data.mean_of(answers, s.chosen),
                data.mean_of(answers, unseen),
            ]
        ),
    )
    return s._replace(down=got.down, seen=seen)


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


def move(s: Learner, down: State, rate: Tensor, kappa: Tensor) -> Learner:
    """One step of gradient descent."""
    return s._replace(model=moved(s.model, down, rate, kappa))


def _nothing() -> Seen:
    """Numbers of the right shapes, before anything was seen."""
    sizes = {
        "losses": 3,
        "capped": 3,
        "in_subject": 2,
        "in_phrase": 3,
        "accuracy": 4,
        "kinds": 5,
        "along_format": 3,
    }
    return Seen(*(torch.zeros(sizes.get(name, ()), dtype=torch.float64) for name in Seen._fields))
