"""The data and the start: what is drawn, entropy, Condition 1, first answers, draws, gradients, active neurons."""

from __future__ import annotations

from typing import Any

from book.acquire.condition_1 import CONDITION_1, Condition1
from book.acquire.condition_1 import condition_1 as condition
from book.acquire.conditions import FAILURE
from book.acquire.pretraining import AROUND, GOOD
from book.acquire.setting import counts, first_answers, gradients, random_start
from book.acquire.setting.counts import EnoughDraws, Entropies, FewDraws
from book.acquire.setting.data import Data, ExtractionLoss, extraction_loss, section_3
from book.acquire.setting.first_answers import FirstAnswers
from book.acquire.setting.gradients import OrderChange, StepErrors
from book.acquire.setting.random_start import ActiveNeurons, Tails
from book.ledger import Bounds, Ground, at_least, at_most, between, near, recorded, statement

DRAWS = {"trials": 40, "drawn": 2, "universe": 8}
ENTRIES = {"outputs": 107, "neurons": 8, "tokens": 58, "delta": 0.1}
"""The first layer of N = 48, R = 8, m = 8."""


@statement(
    "acquire.entropy",
    measures=counts.entropies,
    assumes={"distinct": ("no phrase is drawn twice for one fact", lambda r, p: r.most_repeats <= 1)},
    holds_at={"subjects": 12, "phrases": 6, "multiplicity": 4, "replacement": False},
    fails_at={"subjects": 12, "phrases": 6, "multiplicity": 4, "replacement": True},
    ranges={"subjects": [2, 8, 20, 60], "phrases": (6, 40), "multiplicity": (1, 6)},
    ground=Ground.RECONSTRUCTED,
    algebra=True,
)
def entropy(r: Entropies) -> Bounds:
    """The closed forms, against counting all conditional distributions."""
    return Bounds(
        near(r.reweighted, r.reweighted_counted, "H, rare facts counted K times", absolute=1e-9),
        near(r.plain, r.plain_counted, "H, all sentences counted alike", absolute=1e-9),
        near(r.three, r.three_counted, "H of three-token sentences, K = R = 5", absolute=1e-9),
        near(r.samples, r.samples_counted, "samples"),
    )


@statement(
    "acquire.data",
    measures=section_3,
    assumes={"distinct": ("phrases are drawn without replacement", lambda r, p: not p.replacement)},
    holds_at={},
    fails_at={"replacement": True},
    ranges={
        "subjects": [8, 12],
        "phrases": (4, 8),
        "multiplicity": (1, 3),
        "replacement": [False, False, False, True],
        "seed": (0, 99),
    },
    ground=Ground.RECONSTRUCTED,
)
def data(r: Data) -> Bounds:
    """Numbers are as said, and all that is drawn is uniform, as far as 300 draws show."""
    return Bounds(
        at_most(0, r.repeats, "phrases that a fact has twice"),
        between(r.sets.low, r.sets.chi, r.sets.high, "χ² of the sets of phrases of frequent facts"),
        between(r.alone.low, r.alone.chi, r.alone.high, "χ² of the phrases of rare facts"),
        near(0.0, r.sentences_off, "sentences, off N(βK + 1 − β)"),
        between(r.practised.low, r.practised.chi, r.practised.high, "χ² of the sets of fine-tuned facts"),
        at_most(0, r.rare, "fine-tuned facts that are rare"),
    )


@statement(
    "acquire.extraction-loss",
    measures=extraction_loss,
    assumes={"unseen": ("only questions about unseen facts are counted", lambda r, p: p.unseen)},
    holds_at={},
    fails_at={"unseen": False},
    ranges={"share": (0.2, 0.9), "unseen": [True], "seed": (0, 9999)},
    algebra=True,
)
def loss_on_questions(r: ExtractionLoss) -> Bounds:
    """The chapter's accuracy on unseen facts is one minus the loss, counted in the model as printed."""
    return Bounds(near(r.printed, 1 - r.accuracy, "one minus the accuracy on unseen facts", absolute=1e-9))


@statement(
    "acquire.condition-1",
    measures=condition,
    assumes=CONDITION_1,
    holds_at=GOOD,
    fails_at={**GOOD, "neurons": 1},
    chance=FAILURE,
    loose=("d α_o after stage I, greatest",),
    ranges={**AROUND, "scale": (1e-5, 0.1)},
    ground=Ground.RECONSTRUCTED,
)
def condition_1(r: Condition1, p: Any) -> Bounds:
    """Pre-training removes nine tenths of the excess loss, and stage I filters o out."""
    met = sum(bool(holds(r.live, p)) for _, holds in CONDITION_1.values())
    return Bounds(
        at_most(0.1, r.left, "share of the excess loss left"),
        at_most(0.5, r.context, "d α_o after stage I, greatest"),
        recorded(met, "bounds met by the live pages' sizes"),
        recorded(r.live.dimension_room, "d there over what is required"),
        recorded(r.live.attention_speed, "κN/R there"),
        recorded(r.live.neurons, "m there"),
        recorded(r.live.neurons_needed, "m required there"),
        recorded(r.left_live, "share of the excess loss left there"),
    )


@statement(
    "acquire.remark-2",
    measures=first_answers.questions,
    ground=Ground.RECONSTRUCTED,
    assumes={"untuned": ("not fine-tuned", lambda r, p: p.tuned == 0)},
    holds_at={"tuned": 0},
    fails_at={"tuned": 2},
    chance=FAILURE,
    ranges={
        "tuned": [0, 0, 0, 1, 2],
        "subjects": [8, 16, 24, 48],
        "phrases": (4, 12),
        "multiplicity": (1, 4),
        "neurons": (4, 24),
        "kappa": (0.0005, 0.02),
        "steps_3": (10, 150),
        "seed": (0, 999),
    },
)
def remark_2(r: FirstAnswers) -> Bounds:
    """No question is answered right, though most subjects recall their answer once phrases are left out."""
    return Bounds(
        at_most(0.0, r.right, "right answers to [s p]"),
        at_most(0.0, r.right_alone, "right answers to [s]"),
        at_least(0.5, r.right_among_answers, "right answers, phrases left out"),
        recorded(r.own_phrase, "answers that are the fact's own phrase"),
        recorded(r.stated, "right after [o s r], least probability"),
    )


@statement(
    "acquire.lemma-6",
    measures=counts.lemma_6,
    assumes={
        "independent": ("independent trials", lambda r, p: p.independent),
        "distinct": ("each of K distinct ones of q", lambda r, p: 0 < p.drawn <= p.universe),
    },
    holds_at={**DRAWS, "independent": True},
    fails_at={**DRAWS, "independent": False},
    ranges={"trials": (1, 200), "drawn": (1, 12), "universe": (6, 40)},
    ground=Ground.RECONSTRUCTED,
    algebra=True,
)
def lemma_6(r: FewDraws) -> Bounds:
    """The exact chance is at most exp(−nK²/2q²)."""
    return Bounds(
        at_most(r.bound, r.chance, "P[at most nK/2q times]"), recorded(r.at_least, "P[at least nK/2q times]")
    )


@statement(
    "acquire.lemma-9",
    measures=counts.lemma_9,
    assumes={"enough": ("n at least 2(q/K)² log(q/δ)", lambda r, p: r.trials >= r.trials_by_lemma)},
    holds_at={"drawn": 2, "universe": 8, "delta": 0.1, "share": 1.0},
    fails_at={"drawn": 2, "universe": 8, "delta": 0.1, "share": 0.05},
    ranges={"drawn": (2, 4), "universe": (4, 8), "delta": (0.01, 0.9), "share": (0.3, 3.0)},
    no_farther=dict.fromkeys(("drawn", "universe"), "farther on a run in exact fractions takes minutes"),
    ground=Ground.RECONSTRUCTED,
    algebra=True,
    loose=("q P[one j at most nK/2q times]",),
)
def lemma_9(r: EnoughDraws, p: Any) -> Bounds:
    """By a union bound each number is drawn often enough with probability 1 − δ."""
    return Bounds(
        at_most(p.delta, r.chance, "q P[one j at most nK/2q times]"),
        recorded(r.trials_needed, "trials needed"),
        recorded(r.once, "trials that cover all once"),
        recorded(r.surplus, "asked over needed"),
        recorded(r.surplus_doubled, "asked over needed, q doubled"),
    )


@statement(
    "acquire.lemma-1",
    measures=gradients.gradients,
    assumes={"orthogonal": ("orthogonal embeddings", lambda r, p: p.orthogonal)},
    holds_at={"orthogonal": True},
    fails_at={"orthogonal": False},
    ranges={"seed": (0, 999)},
    ground=Ground.RECONSTRUCTED,
    algebra=True,
)
def lemma_1(r: StepErrors) -> Bounds:
    """A step of the explicit model by autograd, against one in token coordinates."""
    return Bounds(
        at_most(1e-10, r.acquiring, "pre-training step, relative error"),
        at_most(1e-10, r.asking, "fine-tuning step, relative error"),
    )


@statement(
    "acquire.remark-1",
    measures=gradients.order,
    assumes={"earlier": ("the last token stays the last", lambda r, p: p.moved == "earlier")},
    holds_at={"moved": "earlier"},
    fails_at={"moved": "last"},
    ranges={"seed": (0, 999)},
    ground=Ground.RECONSTRUCTED,
    algebra=True,
)
def remark_1(r: OrderChange) -> Bounds:
    """The logits are the same in any order of the earlier tokens."""
    return Bounds(at_most(1e-12, r.apart, "change of the logits"))


@statement(
    "acquire.figure-1",
    untested="A drawing of the model and a table of other papers' settings: nothing in them can be measured.",
)
def figure_1(r: Any) -> Bounds:
    """What the model is made of, and how it differs from those of other papers."""
    return Bounds()


@statement(
    "acquire.extensions",
    untested="Simplifications, and what they are said to be open to: nothing is stated or proved of the wider models.",
)
def extensions(r: Any) -> Bounds:
    """One relation, one context, orthogonal embeddings, one form of questions."""
    return Bounds()


@statement(
    "acquire.lemma-5",
    untested=(
        "A claim on two variables, whose formulas are all lost in the text at hand. It is used once, in the second "
        "step of stage I, and Lemma 11 tests what is drawn from it there."
    ),
    ground=Ground.RECONSTRUCTED,
)
def lemma_5(r: Any) -> Bounds:
    """A claim on two variables."""
    return Bounds()


@statement(
    "acquire.lemmas-2-8",
    measures=random_start.tails,
    holds_at=ENTRIES,
    planted=("the threshold √(2 log(2/δ)), as for a single entry", {**ENTRIES, "union": False}),
    ranges={"outputs": (2, 500), "neurons": (1, 300), "tokens": (2, 300), "delta": (0.001, 0.9)},
    ground=Ground.RECONSTRUCTED,
    algebra=True,
)
def lemmas_2_8(r: Tails, p: Any) -> Bounds:
    """Exact chances, over their bounds."""
    return Bounds(
        at_most(1.0, r.tail, "P[|x| > t] over its bound, largest (2)"),
        at_most(1.0, r.narrow, "P[|x| ≤ c] over its bound, largest (3)"),
        at_most(p.delta, r.largest, "P[largest entry > threshold] (4, 7)"),
        recorded(r.threshold, "threshold"),
    )


@statement(
    "acquire.lemma-10",
    measures=random_start.active_neurons,
    assumes={
        "wide": (
            "m at least 50 log((1 + 2S)/δ) for S sentences",
            lambda r, p: p.neurons >= r.neurons_by_lemma,
        )
    },
    holds_at={"subjects": 6, "phrases": 3, "neurons": 320, "stretch": 1.0},
    fails_at={"subjects": 6, "phrases": 3, "neurons": 8, "stretch": 1.0},
    ranges={
        "subjects": [2, 4, 6, 8, 12],
        "phrases": (2, 8),
        "neurons": (100, 500),
        "stretch": (1.0, 20.0),
        "delta": (0.01, 0.9),
    },
    ground=Ground.RECONSTRUCTED,
)
def lemma_10(r: ActiveNeurons) -> Bounds:
    """At 1 − δ of the starts 0.4 m neurons are active everywhere."""
    return Bounds(
        at_least(r.sure, r.share, "share of starts with 0.4 m active everywhere"),
        recorded(r.least, "least share of active neurons"),
        recorded(r.neurons_by_lemma, "neurons required"),
        recorded(r.neurons_needed, "neurons that the exact law requires"),
        recorded(r.agreeing, "neurons active on [o s r] as on [o]"),
        recorded(r.agreeing_predicted, "the same, predicted"),
    )
