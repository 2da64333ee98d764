"""What the verdicts of the chapter's live figures say, in plain words: see :mod:`book.ledger.plain`."""

from __future__ import annotations

from book.acquire.plain_words import PLAIN as ACQUIRE
from book.recall.plain_words import PLAIN as RECALL
from book.recognise.plain_words import PHASE_1, PHASE_2

COMMON = {
    "right": "some labels are wrong",
    "unbiased": "there are biases",
    "kept": "weights decay",
    "descends": "training does not follow plain gradients",
    "linear": "the MLP is not linear",
    "long_context": "there is a layer norm",
    "residual": "attention has no residual stream, or more than one layer",
    "scores": "the scores are not one trained matrix, or are divided by a root",
    "undivided": "the scores are divided by a root",
    "plain": "training does not follow plain gradients on all sentences",
    "relu": "the MLP’s activation is not ReLU",
    "square": "the MLP’s activation is not the square",
    "perturbed": "no push tells the two examples apart",
}
SIZES = {
    "two_steps": "stage I’s learning rate is outside the range that was tried",
    "slow": "attention’s starting strength is outside the range that was tried",
    "pace": "the learning rate after stage I is outside the range that was tried",
    "small": "the initial weights are outside the range that was tried",
    "gentle": "the learning rates are outside the range that was tried",
    "early": "Phase 1’s length is outside the range that was tried",
    "late": "Phase 1’s length is outside the range that was tried",
    "warm": "the temperature is outside the range that was tried",
    "stored": "pre-training was too short to store the facts",
    "tuned": "fine-tuning was too short for answers to be counted",
    "long": "the run is too short",
}


def named(name: str, words: dict[str, str]) -> dict[str, str]:
    """The words of another chapter's bounds where each begins with the name of its statement."""
    return {f"{name}: {bound}": text for bound, text in words.items()}


PLAIN = {
    "together.other-rules": {
        **COMMON,
        "linear": "a step is not linear in the gradients",
        "outgrows": "weight decay takes more in a step than the curvature adds",
        "close": "the push is large, so that training starts far from the saddle",
        "late": "the run is still at the saddle, as the prediction allows",
        "steps until the saddle is left": "the saddle is left sooner or later than predicted, or not at all",
    },
    "together.answers-alone": {
        "alone": "more is told than the answers",
        "perturbed": "no push tells the two kinds of sentence apart",
        "close": "the push is large",
        "easy": "the temperature is outside the range that was tried",
        "tied": "training before the push was too short",
        "late": "the predicted wait, and time to learn, do not fit into the run",
        "loss of answers before the perturbation": "before the push the answers are better than a coin toss",
        "steps until the sentences are apart": "the sentences part sooner or later than predicted, or not at all",
        "the earlier of detection and recall, as a part of the later": "detecting and recalling do not come together",
        "agreement of detector and memory on the names": "detector and memory disagree on the names",
        "probability of the right answer": "the right answer stays unsure",
    },
    "together.relaxed-filter": {
        **COMMON,
        **SIZES,
        **named("Proposition 1", ACQUIRE["acquire.proposition-1"]),
    },
    "together.relaxed-stages": {
        **COMMON,
        **SIZES,
        **{
            f"Proposition 2: {bound.replace(': ', ', ')}": text
            for bound, text in ACQUIRE["acquire.proposition-2"].items()
        },
        **named("Theorem 2", ACQUIRE["acquire.theorem-2"]),
        "Theorem 2: loss above the entropy, of a random guess’s": "pre-training has not learned the facts",
    },
    "together.relaxed-first-gradient": {
        **COMMON,
        **SIZES,
        "Proposition 3: phrases, along p over along a subject, least": (
            "some phrase does not move mainly along the common direction p"
        ),
        "Proposition 3: answers, the same over 3, off 1 by at most": (
            "answers do not move along the common direction p as predicted"
        ),
        "Proposition 3: along p, fine-tuned answers and phrases over all other outputs": (
            "words that were not practised move, too"
        ),
    },
    "together.relaxed-pairs": {
        **COMMON,
        **SIZES,
        "single": "attention has more than one layer",
        "warm": "its temperatures are from 0.055 to 0.065",
        "long": "for it the run is too short",
        **named("Theorem 2", RECALL["recall.theorem-2"]),
        "Theorem 2: imbalance inside the pairs": "attention is not shared out in pairs alone",
        "Theorem 2: attention on Madrid and EoS": "some attention stays on the query and the end mark",
        **named("Lemma 6", RECALL["recall.lemma-6"]),
    },
    "together.relaxed-answers": {
        **COMMON,
        **SIZES,
        "unbiased": "the keys have biases",
        "cold": "the temperature is too high",
        "large": "stage 1 is not one large step of the length that was tried",
        "Theorem 3: 1 − p(r*)": "the right relation stays unsure",
        "Theorem 1: probability of the final answer": "the final answer stays unsure",
    },
    "together.relaxed-limit": {
        **COMMON,
        **SIZES,
        "Theorem 3.3, item 1: training loss at the end": "the training loss has not fallen far",
        "Theorem 3.3, item 1: power of the steps in the training loss": "the training loss does not fall",
        "Theorem 3.3, item 1: power in the loss on unseen words": "the loss on unseen words does not fall",
        "Theorem 3.3, item 1: growth of recombined sentences’ worst margin": (
            "the hardest of the recombined sentences does not come out more clearly"
        ),
        "Theorem 3.3, item 2: least of C₁₂, C₂₁, −C₃₁, −C₃₂, over κ": (
            "attention between the three words moves the wrong way"
        ),
        "Theorem 3.3, item 2: n times the largest with an irrelevant word, over C₁₂": (
            "attention to an irrelevant word has moved more than stated"
        ),
    },
    "together.relaxed-phase-1": {
        **COMMON,
        **SIZES,
        "pace": "with Adam, GELU or a residual stream the model learns at another pace",
        **named("Theorem 3.1", PHASE_1),
        "Theorem 3.1: item 3, products of values until T₁, change over κ": (
            "the value vectors have already changed too much in Phase 1"
        ),
    },
    "together.relaxed-phase-2": {
        **COMMON,
        **SIZES,
        **named("Theorem 3.2", PHASE_2),
        "Theorem 3.2: item 1, least move of a score to its side, over κ": "some attention moves the wrong way",
        "Theorem 3.2: item 2, least move of a value product, over κ": "some value vectors move the wrong way",
    },
    "together.stored": {
        "stated": "some fact is left out, or stated wrongly",
        "often": "facts are not stated in all of four wordings",
        "cold": "the temperature is outside the range that was tried",
        "perturbed": "no push tells the two examples apart",
        "small_steps": "a learning rate is so large that the loss rises at times",
        "learned": "the memory is still learning",
        "far": "attention’s stages are too short",
        "share of the statements that the memory says": "the memory has not stored every statement",
        "loss L₁ after stage 1": "stage 1 ends below the coin toss already",
        "T times the least curvature there": "stage 1 ends where no small step lowers the loss",
        "loss L₁ at the end": "the loss stays at the coin toss, or above",
        "imbalance inside the pairs": "an example’s subject and answer end with unequal attention",
        "difference between the pairs": "the two examples end with equal attention",
    },
}
SENTENCES: dict[str, dict[str, str]] = {}
