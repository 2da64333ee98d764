"""Relaxations × theorems: what each paper's live figure offers to drop, and the theorems that are judged there.

Switches, hypotheses, lamps, captions and the cells of the table that lead to a live figure follow from this.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from operator import and_
from types import MappingProxyType
from typing import Any, NamedTuple

import torch
from torch import Tensor

from book.together.descents import Rule
from book.together.experiments.relaxations import DECAY, RELAXATIONS
from book.together.experiments.relaxed_recall import GENERAL
from lib.domain import Domain
from lib.recall.general import COOL

Predicate = Callable[[Any, Any], Tensor]
"""A condition on a report and parameters; 0-d bool."""


class Menu(tuple[str, ...]):
    """The relaxations that a live figure offers, by their keys in ``RELAXATIONS``, in the order of its switch."""

    @property
    def switch(self) -> Domain:
        """The parameter that chooses one of them."""
        titles = tuple(RELAXATIONS[name].title for name in self)
        words = "assumption dropped"
        return Domain(
            "relaxation", 0, len(self) - 1, integer=True, default=0, words=words, scale="menu", track=titles
        )

    def numbers(self, *names: str) -> list[int]:
        """The numbers of these choices."""
        return [self.index(name) for name in names]

    def dropped(self, p: Any, name: str) -> Tensor:
        """Whether this assumption is dropped; 0-d bool."""
        return p.relaxation == self.index(name)

    def keeps(self, *names: str, words: str) -> tuple[str, Predicate]:
        """The hypothesis that none of these assumptions is dropped."""
        return words, lambda r, p: reduce(and_, [~self.dropped(p, name) for name in names])

    def rule(self, p: Any, adam_rate: float) -> Rule:
        """The rule of descent."""
        decay = DECAY * self.dropped(p, "decay").to(torch.float64)
        return Rule(self.dropped(p, "adam"), self.dropped(p, "momentum"), adam_rate, decay)


def all_but(*names: str) -> Menu:
    """The menu of all relaxations that change a figure's model and fit into it: these do not."""
    return Menu(name for name in RELAXATIONS if name not in names)


RECOGNISE = all_but("relu", "minibatch", "crowded", "float32")
ACQUIRE = all_but("relu", "crowded", "float32")
RECALL = all_but("scale", "heads", "minibatch", "crowded", "matrices", "float32")
MENUS = {"recognise": RECOGNISE, "acquire": ACQUIRE, "recall": RECALL}
"""By paper."""
COLD = {
    "temperature": GENERAL.temperature,
    "rate_1": 17_900.0,
    "rate_2": 1000.0,
    **dict(zip(("steps_1", "steps_2"), GENERAL.steps, strict=True)),
    "perturbation_radius": GENERAL.radius,
}
"""Where Theorems 1 and 3 of Huang et al. are tried: at a low temperature, with one large step."""


def within(value: Tensor, limits: tuple[float, float]) -> Tensor:
    """Whether a number lies between two others."""
    return (value >= limits[0]) & (value <= limits[1])


def always(r: Any, p: Any) -> Tensor:
    """True of every run."""
    return torch.ones((), dtype=torch.bool)


def is_cold(r: Any, p: Any) -> Tensor:
    """Whether T is so low that Theorems 1 and 3 of Huang et al. speak of it."""
    return p.temperature <= COOL


def is_warm(r: Any, p: Any) -> Tensor:
    """Whether T is so high that Theorem 2 and Lemma 6 of Huang et al. speak of it."""
    return ~is_cold(r, p)


class Theorem(NamedTuple):
    """A theorem, and how a live figure judges it."""

    name: str
    """With which the names of its bounds begin in the statement that judges it."""
    claim: str
    """What it says, in a few words."""
    judge: str
    """The id of that statement, less "together.relaxed-"."""
    stages: int
    """After how many of the run's stages it is decided."""
    settings: Mapping[str, float] = MappingProxyType({})
    """The values of the other controls, where they are not at their defaults."""
    settings_under: Mapping[str, Mapping[str, float]] = MappingProxyType({})
    """These values under one relaxation."""
    otherwise: tuple[str, ...] = ()
    """The relaxations under which the figure's model, which is smaller, decides otherwise than the table's."""
    applies: Predicate = always
    """Whether it says anything of a run."""
    silent: str = ""
    """What is said where it does not."""


PACES = {"residual": {"steps_1": 20}, "gelu": {"steps_1": 80}}
"""Where Theorem 3.1's T₁ comes sooner or later: the model learns at twice the pace, or at half of it."""
ONLY_WARM: dict[str, Any] = {"applies": is_warm, "silent": "not at this temperature"}
ONLY_COLD: dict[str, Any] = {"applies": is_cold, "silent": "not at this temperature", "settings": COLD}
THEOREMS = {
    "recognise.theorem-3-1": Theorem("Theorem 3.1", "words come first", "phase-1", 1, settings_under=PACES),
    "recognise.theorem-3-2": Theorem("Theorem 3.2", "attention follows", "phase-2", 3),
    "recognise.theorem-3-3-loss": Theorem("Theorem 3.3, item 1", "all losses vanish", "limit", 3),
    "recognise.theorem-3-3-attention": Theorem("Theorem 3.3, item 2", "attention finds pairs", "limit", 3),
    "acquire.proposition-1": Theorem(
        "Proposition 1", "every context is ignored", "filter", 1, otherwise=("biases",)
    ),
    "acquire.proposition-2": Theorem("Proposition 2", "facts stored in order", "stages", 3),
    "acquire.theorem-2": Theorem("Theorem 2", "unseen facts come out", "stages", 4),
    "acquire.proposition-3": Theorem("Proposition 3", "first step as predicted", "first-gradient", 3),
    "recall.theorem-2": Theorem("Theorem 2", "pairs share equally", "pairs", 2, **ONLY_WARM),
    "recall.lemma-6": Theorem("Lemma 6", "a push frees training", "pairs", 2, **ONLY_WARM),
    "recall.theorem-3": Theorem("Theorem 3", "the relation is sure", "answers", 2, **ONLY_COLD),
    "recall.theorem-1": Theorem("Theorem 1", "the answer is right", "answers", 2, **ONLY_COLD),
}
"""By the id of the paper's statement."""
