"""What fine-tuning gives out: Theorems 1 and 2, Remark 3, and what subjects bring to a question (Lemmas 18 to 22)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

from book.acquire.condition_1 import CONDITION_1
from book.acquire.conditions import FAILURE, FILTERED
from book.acquire.extract.under_condition_1 import under_condition_1
from book.acquire.extraction import Extracted, asked_for, covered_often, extraction
from book.acquire.fine_tuning import RATE, along, context_attention, curves, jackknife, tuned
from book.ledger import Bound, Bounds, Ground, above, at_least, at_most, recorded, statement
from lib.acquire.extraction import SET

ANY: dict[str, Any] = {
    "phrases": [6, 6, 6, 7, 7, 8, 9, 10],
    "multiplicity": [3, 4, 5, 5, 6, 6, 6],
    "share": (0.5, 1.0),
    "rate": [2.0, 4.0, 8.0],
    "seed": (0, 99),
}
"""Where the figure's controls can stand: elsewhere it asks for more facts than there are. What it asks of few phrases
and many statements is common here."""
WINDOW = 100
"""Steps in which a window may open and close: five times as many as ``SET`` asks for."""
ALMOST = 0.1 + 1e-9
"""The share of unseen facts that may be wrong, set after first draws: of 16 a twentieth is less than one."""


@statement(
    "acquire.theorem-2",
    runs=extraction,
    assumes={
        "often": (
            "n_ft at least 2(R/K)² log(R/0.1): phrases are covered often (Lemma 6)",
            covered_often,
        ),
        "many": (
            "n_ft at least 3R: fine-tuned answers rise so slowly that they are still low then (ours)",
            lambda r, p: r.tuned >= 3 * p.phrases,
        ),
    },
    settled={"reached": ("steps enough: η̃t has come to 80", lambda r, p: p.steps * p.rate >= SET)},
    good=lambda r: at_least(0.9, r.accuracy, "unseen facts right at the last step"),
    holds_at={"phrases": 7, "multiplicity": 6, "share": 0.875},
    fails_at={},
    seeds=10,
    chance=FAILURE,
    constants=(FAILURE,),
    ranges=ANY,
    ground=Ground.SHARPENED,
)
def theorem_2(r: Extracted) -> Bounds:
    """Pre-training comes near the entropy, and after η̃t = 80 almost all unseen facts are right."""
    return Bounds(
        at_most(0.05, r.relative, "loss above the entropy, of a random guess's"),
        at_most(ALMOST, 1 - r.then, "unseen facts wrong, full steps"),
        at_most(ALMOST, 1 - r.then_low, "unseen facts wrong, rank-1 steps"),
        recorded(r.before[-1], "right before fine-tuning"),
        recorded(r.cross_fitted_accuracy, "right with early stopping"),
        recorded(r.best, "right at the best step"),
        recorded(r.best_rare, "rare facts right"),
        recorded(r.tuned, "fine-tuned facts"),
        recorded(r.asked_for, "required by Lemma 6"),
    )


@statement(
    "acquire.theorem-2-condition-1",
    measures=under_condition_1,
    assumes={
        **CONDITION_1,
        "often": ("n_ft at least 2(R/K)² log(R/0.1), as in Theorem 2", covered_often),
        "many_tuned": ("n_ft at least 3R (ours)", lambda r, p: r.tuned >= 3 * p.phrases),
    },
    holds_at={},
    fails_at={"neurons": 1},
    seeds=5,
    chance=FAILURE,
    ranges={
        "subjects": [48, 56, 64],
        "phrases": (6, 7),
        "multiplicity": (5, 6),
        "neurons": (7, 12),
        "kappa": (0.0003, 0.002),
        "stretch": (8.0, 30.0),
        "share": (0.6, 0.9),
        "seed": (0, 999),
    },
    ground=Ground.SHARPENED,
)
def theorem_2_condition_1(r: Any) -> Bounds:
    """Under all of Condition 1 the loss comes near the entropy, and almost all facts come out, frequent and rare."""
    return Bounds(
        at_most(0.05, r.relative, "loss above the entropy, of a random guess's"),
        at_most(ALMOST, r.frequent, "unseen frequent facts wrong, full steps"),
        at_most(ALMOST, r.rare, "rare facts wrong, full steps"),
        at_most(ALMOST, r.frequent_low, "unseen frequent facts wrong, rank-1 steps"),
        at_most(ALMOST, r.rare_low, "rare facts wrong, rank-1 steps"),
        recorded(r.tuned, "fine-tuned facts"),
        recorded(r.attention_speed, "κN/R"),
        recorded(r.neurons, "m"),
    )


class MorePhrases(NamedTuple):
    """Mean accuracy on unseen facts as the number of phrases grows, with early stopping."""

    accuracy: dict[int, float]  # by R
    tuned: float  # facts that are fine-tuned
    context_attention: float  # dαₒ before fine-tuning, the greatest of all runs
    smallest_fall: float  # of the accuracy, from one R to the next
    fall: float  # from the first R to the last
    smallest_fall_best: float  # from one R to the next at the best step


def more_phrases(universe: Sequence[int], share: float = 0.5, **run: Any) -> MorePhrases:
    """Accuracy on unseen facts at each number of phrases.

    Args:
        universe: the values of R.
        share: of the frequent facts, fine-tuned.
        **run: of :func:`~book.acquire.fine_tuning.curves`.
    """
    trend = along("phrases", universe, share=share, **run)
    return MorePhrases(
        accuracy=trend.accuracy,
        tuned=trend.tuned,
        context_attention=trend.context_attention,
        smallest_fall=-max(trend.changes),
        fall=trend.accuracy[universe[0]] - trend.accuracy[universe[-1]],
        smallest_fall_best=-trend.greatest_rise_at_best,
    )


@statement(
    "acquire.remark-3",
    measures=more_phrases,
    assumes={
        "passes": (
            "but for the first there are at least half as many phrases as fine-tuned facts (ours)",
            lambda r, p: 2 * p.universe[1] >= r.tuned,
        ),
        "filtered": FILTERED,
    },
    settled={
        "some": (
            "a tenth of the unseen facts come out at each number of phrases but the last",
            lambda r, p: min(r.accuracy[phrases] for phrases in p.universe[:-1]) >= 0.1,
        )
    },
    holds_at={"universe": [8, 12, 16]},
    fails_at={"universe": [4, 8], "share": 1.0},
    ranges={
        "universe": [[4, 8], [4, 12], [6, 12], [8, 12], [8, 16], [12, 16], [10, 20]],
        "share": (0.2, 1.0),
        "multiplicity": (1, 4),
        "first": (0, 900),
    },
    ground=Ground.SHARPENED,
)
def remark_3(r: MorePhrases) -> Bounds:
    """Accuracy falls from each number of phrases to the next."""
    return Bounds(
        above(0.0, r.smallest_fall, "least fall of the accuracy, from one R to the next"),
        recorded(r.smallest_fall_best, "the same at the best step"),
        recorded(r.fall, "fall from the first R to the last"),
        *(recorded(value, f"R = {phrases}") for phrases, value in r.accuracy.items()),
    )


class Window(NamedTuple):
    """From which η̃t to which one the mean accuracy on unseen facts is nine tenths."""

    asked_for: float  # facts that Lemma 6 requires
    context_attention: float  # dαₒ before fine-tuning, the greatest of all runs
    opens: float  # η̃t
    closes: float  # η̃t
    error: float  # twice the standard error of ``opens``, by leaving out one start
    tuned: float  # facts that are fine-tuned


def window(sizes: Sequence[int] = (6, 6), share: float = 0.875, seeds: int = 8, first: int = 0) -> Window:
    """When the mean accuracy on unseen facts is nine tenths.

    Args:
        sizes: R and K.
        share: of the frequent facts, fine-tuned.
        seeds: how many starts, from seed ``first`` on.
    """
    phrases, multiplicity = sizes
    runs = curves(seeds, first, phrases=phrases, multiplicity=multiplicity, share=share, steps=WINDOW)
    right = torch.stack([curve.accuracy[:, 0] for curve in runs])
    without = [_window((right.sum(0) - row) / (seeds - 1)) for row in right]
    opens, closes = _window(right.mean(0))
    return Window(
        asked_for=float(asked_for(phrases, multiplicity)),
        context_attention=context_attention(runs),
        opens=opens,
        closes=closes,
        error=2 * jackknife([end[0] for end in without]),
        tuned=float(runs[0].chosen.sum()),
    )


def _window(right: Tensor) -> tuple[float, float]:
    """η̃t at the first step with nine tenths right, and at the last before fewer are; ∞ and 0 if there is none."""
    enough = (right >= 1 - ALMOST).tolist()
    if not any(enough):
        return math.inf, 0.0
    begin = enough.index(True)
    length = next((k for k, right_now in enumerate(enough[begin:]) if not right_now), len(enough) - begin)
    return RATE * begin, RATE * (begin + length - 1)


@statement(
    "acquire.window",
    measures=window,
    assumes={
        "often": ("n_ft at least 2(R/K)² log(R/0.1), as in Theorem 2", covered_often),
        "many": ("n_ft at least 3R", lambda r, p: r.tuned >= 3 * p.sizes[0]),
        "filtered": FILTERED,
    },
    holds_at={"sizes": [6, 6], "share": 0.875},
    fails_at={"sizes": [6, 6], "share": 0.25},
    ranges={
        "sizes": [[4, 4], [5, 4], [5, 5], [6, 5], [6, 6], [7, 6], [7, 7]],
        "share": (0.6, 1.0),
        "seeds": [4],
        "first": (0, 900),
    },
    ground=Ground.OURS,
)
def window_of_steps(r: Window) -> Bounds:
    """η̃t = 80 lies in the window, in the mean over starts."""
    return Bounds(
        at_most(SET, r.opens, "the window opens at η̃t"),
        at_least(SET, r.closes, "the window is open until"),
        recorded(r.error, "twice its error"),
        recorded(r.tuned, "fine-tuned facts"),
    )


class Features(NamedTuple):
    """What pre-training leaves in subjects' features, and how far fine-tuning moves which until η̃t = 40."""

    subjects: int  # N
    neurons: int  # m
    least_coverage: float  # of a phrase
    context_attention: float  # dαₒ before fine-tuning
    answers: float  # strength of the answer along its subject over log V, least
    phrases: float  # strength of a phrase along a subject that it is used with over log V, least
    moved: float  # a subject's features over η̃t/n, largest
    unseen: float  # the features of an unseen subject, largest
    rise: float  # of an unseen answer along p, largest
    fall: float  # of a phrase along p over η̃tc/(nK), least


def features(seed: int = 0, **run: Any) -> Features:
    """What pre-training leaves in subjects' features, and how far fine-tuning moves them; until η̃t = 40."""
    steps = round(SET / 2 / RATE)
    curve = tuned(seed=seed, steps=steps, **run)
    sizes, known, before = curve.model.sizes, curve.model.known, curve.model.state.features
    n, r = sizes.subjects, sizes.phrases
    subject, unseen, after = torch.arange(n), curve.chosen == 0, curve.state.features
    size, span = math.log(sizes.dimension), RATE * steps / curve.chosen.sum()
    strength = before.relu().mean(-1)
    rise = after[sizes.format] - before[sizes.format]
    moved = (after - before)[1 : 1 + n]
    fall = -rise[1 + n : 1 + n + r].mean(-1) / curve.coverage.clamp(min=1)
    return Features(
        subjects=n,
        neurons=sizes.neurons,
        least_coverage=float(curve.coverage.min()),
        context_attention=context_attention([curve]),
        answers=float(strength[1 + subject, sizes.answers + subject].min() / size),
        phrases=float(strength[1 : 1 + n, 1 + n : 1 + n + r][known.uses > 0].min() / size),
        moved=float(moved.abs().max() / span),
        unseen=float(moved[unseen].abs().max()),
        rise=float(rise[sizes.answers : sizes.answers + n][unseen].max()),
        fall=float(fall.min() * known.multiplicity.max() / span),
    )


FEATURES = {
    "subjects": [12, 24, 24, 48],
    "phrases": [4, 4, 5, 6, 6, 8, 12],
    "multiplicity": (1, 4),
    "neurons": (6, 24),
    "share": (0.4, 1.0),
    "kappa": (0.0005, 0.02),
    "seed": (0, 999),
}


@statement(
    "acquire.lemmas-18-22",
    measures=features,
    assumes={
        "wide": (
            "m at least log₂(N/0.1): some neuron of each answer is active, but for one start in ten",
            lambda r, p: 2**r.neurons * FAILURE >= r.subjects,
        ),
        "covered": ("every phrase is covered", lambda r, p: r.least_coverage > 0),
        "filtered": FILTERED,
    },
    holds_at={"subjects": 24, "phrases": 4, "multiplicity": 2, "neurons": 16},
    fails_at={"phrases": 16, "share": 0.25},
    seeds=10,
    chance=FAILURE,
    ranges=FEATURES,
    ground=Ground.RECONSTRUCTED,
)
def lemmas_18_22(r: Features) -> Bounds:
    """Subjects carry answers and phrases; fine-tuning moves what it moves along p, and little else."""
    return Bounds(
        at_least(0.5, r.answers, "answers along subjects over log V, least"),
        at_least(0.5, r.phrases, "phrases along subjects over log V, least"),
        *_moves(r),
    )


@statement(
    "acquire.lemmas-26-27",
    measures=features,
    assumes=lemmas_18_22.assumes,
    holds_at={**lemmas_18_22.holds_at, "variant": "rank 1"},
    fails_at={**lemmas_18_22.fails_at, "variant": "rank 1"},
    seeds=10,
    chance=FAILURE,
    ranges=FEATURES,
    ground=Ground.RECONSTRUCTED,
)
def lemmas_26_27(r: Features) -> Bounds:
    """What rank-1 steps move, until η̃t = 40."""
    return Bounds(*_moves(r))


def _moves(r: Features) -> tuple[Bound, ...]:
    """What fine-tuning moves, and what it leaves."""
    return (
        at_most(1.0, r.moved, "subjects' features moved over η̃t/n, largest"),
        at_most(0.0, r.unseen, "unseen subjects' features moved, largest"),
        at_most(0.0, r.rise, "unseen answers raised along p, largest"),
        at_least(0.05, r.fall, "fall of a phrase along p over η̃tc/(nK), least"),
    )
