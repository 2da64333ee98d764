"""Training as a program: pre-training in three stages of learning rate; fine-tuning is added by other modules.

Sizes are fixed so that it can be traced: N facts, two thirds of them frequent, and room for :data:`MOST_PHRASES`
phrases and :data:`MOST_DRAWN` phrases of a fact. Phrases beyond R stay in the vocabulary and no sentence uses them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

from lib import noise
from lib.acquire import task
from lib.acquire.task import Facts, Sentences
from lib.acquire.tokens import Acquired, Pace, Sizes, State, acquire, moved, unflatten
from lib.domain import Domain
from lib.program import Stage

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

NEAR = 0.1
"""A loss this near to the entropy counts as near-optimal: where Lemma 16 ends stage III."""

RATES = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
"""Offered after stage I, in units of N."""


def whole(name: str, low: int, high: int, default: int, **more: Any) -> Domain:
    """A whole number, every value of which a slider offers unless ``track`` says otherwise."""
    return Domain(
        name, low, high, integer=True, default=default, scale="whole", **{"track": (low, high), **more}
    )


def choice(name: str, high: float, default: float, track: tuple[float, ...], **more: Any) -> Domain:
    """A number from 0, or ``low``, to ``high``, of which a slider offers those of ``track``."""
    return Domain(name, **{"low": 0, **more}, high=high, default=default, scale="choice", track=track)


DOMAINS = (
    whole("phrases", MOST_DRAWN, MOST_PHRASES, 8, words="phrases in all (R)"),
    whole("multiplicity", 1, MOST_DRAWN, 3, words="phrases per fact (K)"),
    Domain("rate_1", 0, 10, default=2.2, words="rate of stage I (1 = theory)", track=(0.1, 4.0, 0.1)),
    choice("rate_2", 100, 4.0, (*RATES, 20.0, 60.0), words="learning rate of stage II (η̃₂/N)"),
    choice("rate_3", 100, 4.0, RATES, words="learning rate of stage III (η̃₃/N)"),
    Domain(
        "kappa",
        0,
        1,
        low_open=True,
        default=0.004,
        words="speed of attention (κ)",
        scale="log",
        track=(1e-4, 0.1),
    ),
    choice(
        "dimension",
        100_000,
        1000.0,
        (109.0, 200.0, 400.0, 1000.0, 10_000.0),
        low=SIZES.dimension,
        words="context’s squared norm (d)",
    ),
    whole("seed", 0, 99, 0),
    Domain("steps_1", 0, 20, integer=True, default=STAGE_1),
    whole("steps_2", 0, 1000, 15, words="steps of stage II", track=(0, 100, 5)),
    whole("steps_3", 0, 1000, 60, words="steps of stage III", track=(0, 100, 5)),
)
"""The parameters of pre-training; ``rate_1`` is η̃₁ over :func:`first_rate`, the other two η̃ over N."""
TUNING_DOMAINS = (
    choice("rate", 100, 4.0, (0.5, 1.0, 2.0, 4.0, 8.0), words="fine-tuning rate (η̃)"),
    whole("steps", 0, 1000, 60, words="fine-tuning steps", track=(0, 300, 5)),
)
"""Those of fine-tuning."""
SHARE = Domain("share", 0, 1, default=0.5, words="frequent facts practised", track=(0.0, 1.0, 1 / FREQUENT))
"""Which part of the frequent facts is fine-tuned."""
TUNED = ("phrases", "multiplicity", "seed", "rate", "steps")
"""What figures of fine-tuning have a control for; the rest of the pre-training stays as it is."""


class Seen(NamedTuple):
    """What is watched. In fine-tuning the numbers of pre-training stay what they were at its end.

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
    mute: Tensor  # share of the sentences whose phrase has none after [o s]
    least_chance: Tensor  # (2,) over all sentences: the least K_j p(r_i) and the least p(a_j)
    change: Tensor  # of the loss in the latest step
    rise: Tensor  # the largest such change after stage I
    most_context: Tensor  # the greatest attention on o from the end of stage I until the loss is within NEAR
    least_share: Tensor  # the least on s or r in [o s r] in that time
    accuracy: Tensor  # (4,) on questions about unseen facts, unseen frequent ones, rare ones, fine-tuned ones
    kinds: Tensor  # (5,) shares of the answers to questions about unseen facts: see extraction.answer_kinds
    along_format: Tensor  # (3,) mean of A[p, v] over phrases in use, fine-tuned answers, other answers


class Learner(NamedTuple):
    """The state of a training."""

    model: State
    down: State  # the direction of the next step
    rate: Tensor  # η̃ of the stage
    past_stage_1: Tensor  # 1 after stage I, in which neurons may fall silent for a step
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


def pace(sizes: Sizes, context: float, kappa: float, first: float, steps: int, rate: float = 4.0) -> Pace:
    """Stage I's two steps at ``first`` times :func:`first_rate`, then ``steps`` at η̃ = ``rate`` N."""
    return (STAGE_1, first * float(first_rate(sizes, context, kappa))), (steps, rate * sizes.subjects)


def normal_start(seed: Tensor, sizes: Sizes, context: Tensor | float, scale: float) -> State:
    """A random start from seeded numbers; traceable."""
    drawn = noise.normals(seed, sizes.parameters, OFFSET)
    return unflatten(scale * drawn, sizes, context)


def start(p: Any) -> Learner:
    """Facts, sentences and random parameters."""
    known = task.draw(
        p.seed, SUBJECTS, MOST_PHRASES, p.phrases, p.multiplicity, torch.full_like(p.seed, FREQUENT)
    )
    model = normal_start(p.seed, SIZES, p.dimension, SCALE)
    none = torch.zeros(SUBJECTS, dtype=torch.float64)
    used = (torch.arange(MOST_PHRASES, dtype=torch.float64) < p.phrases).to(torch.float64)
    listed = task.slots(known, FREQUENT, MOST_DRAWN)
    return Learner(model, model, p.rate_1, torch.zeros_like(p.seed), known, listed, none, used, _nothing())


def pretraining() -> tuple[Stage, ...]:
    """Stages I, II and III; II and III end early where a rate has silenced too many neurons to learn anything more."""

    def begin(s: Learner, p: Any) -> Learner:
        return look(s._replace(rate=p.rate_1 * first_rate(SIZES, p.dimension, p.kappa)), p.dimension)

    def descend(s: Learner, p: Any) -> tuple[Learner, Tensor]:
        after = look(move(s, s.down, s.rate, p.kappa), p.dimension)
        return after, (after.past_stage_1 > 0.5) & (after.seen.dead > LOST)

    def settle(s: Learner, p: Any) -> Learner:
        return s._replace(rate=p.rate_2 * SUBJECTS, past_stage_1=torch.ones_like(s.past_stage_1))

    return (
        Stage("stage I", begin, descend, "steps_1"),
        Stage("stage II", settle, descend, "steps_2"),
        Stage("stage III", lambda s, p: s._replace(rate=p.rate_3 * SUBJECTS), descend, "steps_3"),
    )


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


def watch(s: Learner, p: Any) -> Seen:
    """What is drawn while it runs."""
    return s.seen


def look(s: Learner, dimension: Tensor) -> Learner:
    """Pass the pre-training data through the model: losses, attention and the direction of the next step."""
    share = task.fact_weight(s.known)
    acquired = acquire(s.model, s.known, s.data, SIZES, dimension, share)
    return s._replace(down=acquired.down, seen=_seen(s, acquired, share))


def _seen(s: Learner, acquired: Acquired, share: Tensor) -> Seen:
    """What is watched after one more pass over the data."""
    entropy, before = task.entropy(s.known), s.seen
    losses = torch.stack([acquired.follower, acquired.phrase - 3 * entropy, acquired.answer])
    real = s.data.weight > 0
    ratio = acquired.attention_phrase[:, 1] / torch.clamp(acquired.attention_phrase[:, 2], min=1e-300)
    context = torch.cat([acquired.attention_subject[:, 0], acquired.attention_phrase[:, 0] * real])
    excess = acquired.loss - entropy
    after_stage_1 = s.past_stage_1 > 0.5
    learned = after_stage_1 & (before.excess <= NEAR)

    def since_stage_1(extreme: Callable[[Tensor, Tensor], Tensor], earlier: Tensor, now: Tensor) -> Tensor:
        """The extreme from the end of stage I until the loss is near-optimal."""
        return torch.where(learned, earlier, torch.where(after_stage_1, extreme(earlier, now), now))

    least_share = _least(acquired.attention_phrase[:, 1:].amin(1), real)
    return before._replace(
        excess=excess,
        losses=losses,
        capped=torch.clamp(losses, max=6),
        in_subject=(share[:, None] * acquired.attention_subject).sum(0),
        in_phrase=(s.data.weight[:, None] * acquired.attention_phrase).sum(0),
        on_context=context.amax(),
        ratio_low=_least(ratio, real),
        ratio_high=torch.where(real, ratio, torch.zeros_like(ratio)).amax(),
        dead=torch.where(real, acquired.dead, 0.0).sum() / real.sum(),
        mute=((acquired.phrase_active <= 0) * s.known.uses).sum() / s.known.uses.sum(),
        least_chance=torch.stack(
            [_least(acquired.phrase_chance, s.known.uses > 0), _least(acquired.answer_chance, real)]
        ),
        change=excess - before.excess,
        rise=s.past_stage_1 * torch.maximum(before.rise, excess - before.excess),
        most_context=since_stage_1(torch.maximum, before.most_context, context.amax()),
        least_share=since_stage_1(torch.minimum, before.least_share, least_share),
    )


def _least(values: Tensor, among: Tensor) -> Tensor:
    """The smallest value where ``among`` is true, 0-d."""
    return torch.where(among, values, torch.full_like(values, torch.inf)).amin()


def move(s: Learner, down: State, rate: Tensor, kappa: Tensor) -> Learner:
    """One step of gradient descent."""
    return s._replace(model=moved(s.model, down, rate, kappa))


def _nothing() -> Seen:
    """Numbers of the right shapes, before anything was seen."""
    sizes = {
        "losses": 3,
        "capped": 3,
        "least_chance": 2,
        "in_subject": 2,
        "in_phrase": 3,
        "accuracy": 4,
        "kinds": 5,
        "along_format": 3,
    }
    return Seen(*(torch.zeros(sizes.get(name, ()), dtype=torch.float64) for name in Seen._fields))
