"""Pre-trained models and fine-tuning curves, each computed once: what the claims about fine-tuning measure."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import torch
from torch import Tensor

from lib.knowledge.claims.common import SLACK
from lib.knowledge.data import Facts, covered, entropy, facts, fine_tuned, mean_of, within
from lib.knowledge.dynamics.course import first_rate
from lib.knowledge.dynamics.tokens import (
    Scores,
    Sizes,
    State,
    fine_tuning,
    moved,
    pretraining,
    rank_one,
    start,
)

SCALE = 1e-3
"""λσ₀ of the start."""
QUICK, STEPS, PACE = 2, 75, 4.0
"""Steps of stage I; steps after it, at the rate η̃ = PACE · N."""
RATE = 4.0
"""η̃ of fine-tuning."""
VARIANTS = (
    "full",
    "rank 1",
    "attention frozen",
    "answers kept",
    "phrases kept",
    "only p",
    "only subjects",
)
"""How fine-tuning goes: on all that the loss moves; with the best rank-1 approximation of the first layer's gradient;
with attention as it was; with the answers' or the phrases' products with p as they were; on the first layer's products
with p alone, or with the subjects alone.
"""
PRE = ("subjects", "phrases", "multiplicity", "neurons", "kappa")
"""What a pre-training run hangs on beside its seed."""
NEAR = 0.2
"""Pre-training counts as done within so much of the entropy."""


class Trained(NamedTuple):
    """A pre-trained model.

    Attributes:
        excess: its loss above the entropy. ``relative``: that over what it was at the start.
        context: the greatest attention on o in [o s] and [o s r].
    """

    sizes: Sizes
    known: Facts
    state: State
    excess: float
    relative: float
    context: float

    @property
    def sound(self) -> bool:
        """Whether the loss is near the entropy and o is filtered out: α_o ≤ 2/(3d), as Proposition 1 has it.

        Else a ReLU that is needed died, or phrases are predicted from o, and some questions are answered beforehand.
        """
        return self.excess < NEAR and self.context <= 2 / (3 * self.sizes.dimension)


def trained(
    subjects: int = 48,
    phrases: int = 8,
    multiplicity: int = 4,
    seed: int = 0,
    *,
    neurons: int = 4,
    kappa: float = 0.004,
) -> Trained:
    """Pre-train: two steps at √2 times :func:`first_rate`, then 75 at 4N; half of the facts are frequent.

    Args:
        subjects, phrases, multiplicity: N, R and K.
        neurons: m for each output. ``kappa``: κ = m/λ².

    Raises:
        ValueError: as :func:`lib.knowledge.data.facts`.
    """
    return _trained(subjects, phrases, multiplicity, seed, neurons, kappa)


@lru_cache(maxsize=256)
def _trained(
    subjects: int, phrases: int, multiplicity: int, seed: int, neurons: int, kappa: float
) -> Trained:
    known = facts(subjects, phrases, multiplicity, 0.5, seed)
    sizes = Sizes(subjects, phrases, neurons)
    d, floor, losses = float(sizes.dimension), float(entropy(known)), []
    rates = ((QUICK, SLACK * float(first_rate(sizes, d, kappa))), (STEPS, PACE * subjects))
    begun = start(sizes, d, SCALE, torch.Generator().manual_seed(seed))
    for now in pretraining(begun, known, sizes, d, kappa, rates):
        losses.append(float(now[1].loss) - floor)
    state, seen = now
    context = max(float(look[:, 0].max()) for look in (seen.attention_subject, seen.attention_phrase))
    return Trained(sizes, known, state, losses[-1], losses[-1] / losses[0], context)


def sound(count: int, **run: Any) -> list[int]:
    """The first ``count`` seeds with which pre-training does what Propositions 1 and 2 say: :attr:`Trained.sound`.

    Args:
        run: arguments of :func:`trained`, without the seed; others are passed over.

    Raises:
        ValueError: fewer than that among four times as many.
    """
    own = {name: value for name, value in run.items() if name in PRE}
    seeds: list[int] = []
    for seed in range(4 * count):
        if trained(seed=seed, **own).sound:
            seeds.append(seed)
        if len(seeds) == count:
            return seeds
    raise ValueError(f"{own}: must be soundly pre-trained at {count} of {4 * count} seeds")


def chosen_facts(known: Facts, share: float = 1.0, most: int | None = None) -> Tensor:
    """Which facts are fine-tuned, (N,): the share of the frequent ones that have the least luck.

    Args:
        share: of the frequent facts, or of those left by ``most``.
        most: only facts all of whose phrases are among the first so many.
    """
    allowed = known if most is None else known._replace(frequent=within(known, most))
    return fine_tuned(allowed, torch.tensor(share, dtype=torch.float64))


class Curve(NamedTuple):
    """Fine-tuning step by step, t = 0 first; each (T + 1,) unless said otherwise.

    Attributes:
        chosen: (N,) the facts fine-tuned. ``coverage``: (R,) how many of them use each phrase.
        loss, tuned: mean loss and accuracy on the facts fine-tuned.
        unseen, frequent, rare: accuracy on all facts not fine-tuned, and on the frequent and the rare among them.
        own, other, wrong: the share of unseen questions answered with one of the fact's own phrases, with another
            phrase, with another fact's answer.
        attention: (T + 1, N) on the subject.
        right: (T + 1, N) whether the answer to each question is right.
        state: at the last step.
    """

    chosen: Tensor
    coverage: Tensor
    loss: Tensor
    tuned: Tensor
    unseen: Tensor
    frequent: Tensor
    rare: Tensor
    own: Tensor
    other: Tensor
    wrong: Tensor
    attention: Tensor
    right: Tensor
    state: State

    @property
    def best(self) -> int:
        """The first step at which most unseen facts are answered rightly."""
        return int(self.unseen.argmax())


class Answers(NamedTuple):
    """What the model says to each question; (N,) float64, 1 or 0, adding up to at most 1."""

    right: Tensor
    own: Tensor
    other: Tensor
    wrong: Tensor


def answers(logits: Tensor, known: Facts, sizes: Sizes) -> Answers:
    """The kinds of answers given: right, the fact's own phrase, another phrase, another fact's answer.

    Args:
        logits: (N, V) of the questions [s_j p].
    """
    n, r = sizes.subjects, sizes.phrases
    said = logits.argmax(1)
    place = torch.arange(n)
    right = said == sizes.answers + place
    phrase = (said >= 1 + n) & (said < 1 + n + r)
    own = phrase & (known.uses[place, (said - 1 - n).clamp(0, r - 1)] > 0)
    wrong = (said >= sizes.answers) & (said < sizes.answers + n) & ~right
    return Answers(*(x.to(torch.float64) for x in (right, own, phrase & ~own, wrong)))


def curve(
    subjects: int = 48,
    phrases: int = 8,
    multiplicity: int = 4,
    seed: int = 0,
    *,
    neurons: int = 4,
    kappa: float = 0.004,
    share: float = 0.5,
    most: int | None = None,
    rate: float = RATE,
    steps: int = 60,
    variant: str = "full",
) -> Curve:
    """Pre-train as :func:`trained`, then fine-tune.

    Args:
        share, most: see :func:`chosen_facts`.
        rate: η̃ of fine-tuning.
        variant: one of :data:`VARIANTS`.

    Raises:
        ValueError: no fact is left to fine-tune, or there is no such variant.
    """
    if variant not in VARIANTS:
        raise ValueError(f"variant = {variant!r}: must be one of {', '.join(VARIANTS)}")
    return _curve(
        subjects, phrases, multiplicity, seed, neurons, kappa, share, most, rate, int(steps), variant
    )


@lru_cache(maxsize=512)
def _curve(
    subjects: int,
    phrases: int,
    multiplicity: int,
    seed: int,
    neurons: int,
    kappa: float,
    share: float,
    most: int | None,
    rate: float,
    steps: int,
    variant: str,
) -> Curve:
    begin = _trained(subjects, phrases, multiplicity, seed, neurons, kappa)
    sizes, known = begin.sizes, begin.known
    chosen = chosen_facts(known, share, most)
    if not bool(chosen.any()):
        raise ValueError(f"share = {share}, most = {most}: must leave at least 1 fact to fine-tune")
    unseen, rows = 1 - chosen, []

    def move(state: State, down: State, rate: float, kappa: float) -> State:
        return moved(state, allowed(down, sizes, variant), rate, kappa)

    for end in fine_tuning(begin.state, chosen, sizes, kappa, steps, rate, move):
        now = end[1]
        said = answers(now.logits, known, sizes)
        groups = (chosen, unseen, unseen * known.frequent, unseen * (1 - known.frequent))
        means = [mean_of(said.right, group) for group in groups]
        kinds = [mean_of(kind, unseen) for kind in said[1:]]
        rows.append((torch.stack([now.loss, *means, *kinds]), now.attention[:, 0], said.right))
    story = torch.stack([row[0] for row in rows])
    loss, tuned, all_unseen, frequent, rare, own, other, wrong = story.unbind(1)
    return Curve(
        chosen=chosen,
        coverage=covered(known, chosen),
        loss=loss,
        tuned=tuned,
        unseen=all_unseen,
        frequent=frequent,
        rare=rare,
        own=own,
        other=other,
        wrong=wrong,
        attention=torch.stack([row[1] for row in rows]),
        right=torch.stack([row[2] for row in rows]),
        state=end[0],
    )


def allowed(down: State, sizes: Sizes, variant: str) -> State:
    """The step that a variant of fine-tuning takes, from minus the gradient."""
    n, p = sizes.subjects, sizes.format
    if variant == "rank 1":
        return State(rank_one(down.features), down.scores)
    if variant == "attention frozen":
        return State(down.features, Scores(*(torch.zeros_like(field) for field in down.scores)))
    features = down.features.clone()
    if variant == "answers kept":
        features[p, sizes.answers : sizes.answers + n] = 0
    if variant == "phrases kept":
        features[p, 1 + n : 1 + n + sizes.phrases] = 0
    if variant == "only p":
        features[:p] = 0
    if variant == "only subjects":
        features[p] = 0
    return State(features, down.scores)
