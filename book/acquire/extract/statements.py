"""What fine-tuning gives out: Theorems 1 and 2, Remark 3, and what subjects bring to a question (Lemmas 18 to 22)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch

from book.acquire.extraction import FAILURE, FILTERED, Extracted, extraction
from book.acquire.tuned import RATE, along, filtered, tuned
from book.statements import Bounds, Ground, above, at_least, at_most, statement, told


@statement(
    "acquire.theorem-2",
    runs=extraction,
    assumes={
        "often": "n_ft at least 2(R/K)² log(R/0.1): phrases are covered often (Lemma 6)",
        "half": "each phrase is covered at least half as often as expected",
        "many": "n_ft at least 2R: phrases fall no slower than drilled answers rise (ours)",
        "filtered": FILTERED,
    },
    settled={"passed": "steps enough to pass the best one"},
    good=lambda r: at_least(0.9, r.accuracy, "unseen facts right at the last step"),
    holds_at={"phrases": 6, "multiplicity": 4, "share": 0.75},
    fails_at={},
    seeds=10,
    ranges={"phrases": [6, 7], "multiplicity": [5, 6], "share": (0.6, 1.0), "seed": (0, 99)},
    uses=(
        "acquire.condition-1",
        "acquire.lemma-6",
        "acquire.lemma-16",
        "acquire.lemma-17",
        "acquire.lemmas-18-22",
        "acquire.lemma-23",
        "acquire.lemma-24",
    ),
    ground=Ground.RECONSTRUCTED,
    finding=(
        "Holds at ten seeds, full and rank 1 alike; before fine-tuning no question is answered. Where the page opens, "
        "{fine-tuned facts where it fails:.0f} facts are fine-tuned and Lemma 6 asks for {asked for by Lemma 6 where "
        "it fails:.0f}; up to {unseen facts wrong, full steps where it fails:.2f} of the unseen facts are then wrong. "
        "With $n_{ft} = 2R$ exactly, some draws still miss the mark by a few facts."
    ),
)
def theorem_2(r: Extracted) -> Bounds:
    """Pre-training comes near the entropy, and at the best step almost all unseen facts are right."""
    return Bounds(
        at_most(0.05, r.relative, "loss above the entropy, of a random guess's"),
        at_most(0.05, 1 - r.best, "unseen facts wrong, full steps"),
        at_most(0.05, 1 - r.best_low, "unseen facts wrong, rank-1 steps"),
        told(r.before[-1], "right before fine-tuning"),
        told(r.best_rare, "rare facts right"),
        told(r.tuned, "fine-tuned facts"),
        told(r.asked_for, "asked for by Lemma 6"),
    )


def more_phrases(universe: Sequence[int], share: float = 0.5) -> dict[str, Any]:
    """:func:`along` the number of phrases."""
    found = along("phrases", universe, share=share)
    return {
        **found,
        "passes": max(universe) > found["tuned"],
        "smallest_fall": -max(found["changes"]),
        "fall": found["accuracy"][universe[0]] - found["accuracy"][universe[-1]],
    }


@statement(
    "acquire.remark-3",
    measures=more_phrases,
    assumes={
        "passes": "the number of phrases grows past the number of fine-tuned facts",
        "filtered": FILTERED,
    },
    holds_at={"universe": [4, 8, 16]},
    fails_at={"universe": [4, 8], "share": 1.0},
    uses=("acquire.theorem-2",),
    finding=(
        "From {R = 4:.2f} to {R = 16:.2f} as R goes from a third of the fine-tuned facts to somewhat more than them. "
        "While R stays below a third of them, nothing is lost."
    ),
)
def remark_3(r: Any) -> Bounds:
    """Accuracy falls from each number of phrases to the next, and by half or more in all."""
    return Bounds(
        above(0.0, r.smallest_fall, "least fall of the accuracy, from one R to the next"),
        at_least(0.5, r.fall, "fall from the first R to the last"),
        *(told(value, f"R = {phrases}") for phrases, value in r.accuracy.items()),
    )


def features(seed: int = 0, **run: Any) -> dict[str, Any]:
    """What pre-training leaves in subjects' features, and how far fine-tuning moves which until the best step."""
    steps = max(1, tuned(seed=seed, **run).best)
    c = tuned(seed=seed, steps=steps, **run)
    sizes, known, before = c.model.sizes, c.model.known, c.model.state.features
    n, r = sizes.subjects, sizes.phrases
    j, unseen, now = torch.arange(n), c.chosen == 0, c.state.features
    size, span = math.log(sizes.dimension), RATE * steps / c.chosen.sum()
    strength = before.relu().mean(-1)
    rise = now[sizes.format] - before[sizes.format]
    moved = (now - before)[1 : 1 + n]
    return {
        "wide": 2**sizes.neurons * FAILURE >= n,
        "covered": bool((c.coverage > 0).all()),
        "filtered": filtered(c.model),
        "answers": strength[1 + j, sizes.answers + j].min() / size,
        "phrases": strength[1 : 1 + n, 1 + n : 1 + n + r][known.uses > 0].min() / size,
        "moved": moved.abs().max() / span,
        "unseen": moved[unseen].abs().max(),
        "rise": rise[sizes.answers : sizes.answers + n][unseen].max(),
        "fall": -rise[1 + n : 1 + n + r].mean(-1).max() / span,
    }


@statement(
    "acquire.lemmas-18-22",
    measures=features,
    assumes={
        "wide": "m at least log₂(N/0.1): some neuron of each answer is active",
        "covered": "every phrase is covered",
        "filtered": FILTERED,
    },
    holds_at={"subjects": 24, "phrases": 4, "multiplicity": 2, "neurons": 16},
    fails_at={"phrases": 16, "share": 0.25},
    seeds=10,
    ranges={
        "subjects": [24, 48],
        "phrases": [4, 6],
        "multiplicity": [2, 3],
        "neurons": [16],
        "seed": (0, 99),
    },
    uses=("acquire.condition-1", "acquire.lemma-1", "acquire.lemma-12", "acquire.lemma-14"),
    ground=Ground.RECONSTRUCTED,
    finding=(
        "All hold until accuracy is best. With few neurons an answer may have none that its subject activates: "
        "the strength along that subject is then exactly 0."
    ),
)
def lemmas_18_22(r: Any) -> Bounds:
    """Subjects carry answers and phrases; fine-tuning moves what it moves along p, and little else."""
    return Bounds(
        at_least(0.5, r.answers, "answers along subjects over log V, least"),
        at_least(0.5, r.phrases, "phrases along subjects over log V, least"),
        at_most(1.0, r.moved, "subjects' features moved over η̃t/n, largest"),
        at_most(0.0, r.unseen, "unseen subjects' features moved, largest"),
        at_most(0.0, r.rise, "unseen answers raised along p, largest"),
        at_least(0.05, r.fall, "fall of a phrase along p over η̃t/n, least"),
    )
