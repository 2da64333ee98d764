"""What the verdicts of the chapter's live figures say, in plain words: see :mod:`book.ledger.plain`."""

from __future__ import annotations

CONDITION_1 = {
    "wide": "the network is too narrow for its MLP",
    "long": "the network is too narrow for sentences of this length",
    "many": "there are too few training sentences for their length",
    "fit_0": "the initial weights are too large",
    "fit_1": "the MLP’s initial weights are too large",
    "shares": "the four types of sentence do not have the paper’s shares",
    "unit_layer": "the output layer is not ±1",
    "trained": "attention’s keys and queries are not trained",
    "reached": "the run stopped before its end",
}
PHASE_1 = {
    "item 1, least of G(μ₁), G(μ₂), −G(μ₃) at T₁": (
        "when Phase 1 ends, Bob, banana or “the” still counts too little, or for the wrong side"
    ),
    "item 2, least margin y F at T₁": "some training sentence is still misclassified when Phase 1 ends",
    "item 3, ‖W_Vμ‖² until T₁, relative change": "the value vectors have already changed too much in Phase 1",
    "item 3, N until T₁, relative change": "the MLP’s weights have already grown too much in Phase 1",
    "item 3, ‖W_Kμ‖², ‖W_Qμ‖² until T₁, relative change": "keys and queries have moved too much in Phase 1",
    "item 3, scores over √m until T₁, change": "attention has moved too much in Phase 1",
    "item 4, loss at T₁": "the loss has all but vanished when Phase 1 ends",
}
PHASE_2 = {
    "item 1, scores move as stated from τ": "attention does not move to the stated side all through Phase 2",
    "item 2, value products move as stated from τ": (
        "the value vectors do not move to the stated side all through Phase 2"
    ),
    "item 3, least of G(μ₁), G(μ₂), −G(μ₃) in Phase 2": (
        "in Phase 2 Bob, banana or “the” counts too little, or for the wrong side"
    ),
    "item 4, the three sums have their signs from τ": (
        "Phase 2 begins before the three words alone give each type of sentence the right sign"
    ),
    "item 4, least of the three sums in Phase 2, in size": (
        "in Phase 2 the three words alone say too little about one type of sentence"
    ),
}
FIGURE_1 = {
    "many": "there are too few training sentences for their length",
    "quiet": "outputs are already large at the start",
    "small_steps": "the learning rate is so large that the loss rises at times",
    "right": "some training sentence is still misclassified, so Phase 1 goes on",
    "ended": "the run stopped before its last epoch",
    "descent and flow: difference of G, over its size": "descent leaves the flow that it should follow",
}
PLAIN = {
    "recognise.theorem-3-1": {
        **CONDITION_1,
        **PHASE_1,
        "reached_1": "the run stopped before the end of Phase 1",
    },
    "recognise.theorem-3-2": {**CONDITION_1, **PHASE_2},
    "recognise.condition-1": {
        **CONDITION_1,
        **{f"Theorem 3.1, {name}": words for name, words in PHASE_1.items()},
        **{f"Theorem 3.2, {name}": words for name, words in PHASE_2.items()},
    },
    "recognise.theorem-3-3-attention": {
        **CONDITION_1,
        "resolved": "at such a size attention moves less than the computer’s rounding",
        "least of C₁₂, C₂₁, −C₃₁, −C₃₂ over κ log² τ/(√m L N₀)": (
            "attention between the three words has moved less than stated"
        ),
        "largest of them": "attention between the three words has moved more than stated",
        "n times the largest with an irrelevant word, over C₁₂": (
            "attention to an irrelevant word has moved more than stated"
        ),
    },
    "recognise.attention-share": {
        "slight": "attention learns too fast beside the MLP",
        "even": "attention is uneven from the start",
        "clear": "some sentence is not yet right by a clear margin",
        "what attention adds to an output is within the bound": (
            "attention adds more to an output than the bound"
        ),
        "learned over frozen, less 1, in size": "learning attention changes the margin noticeably",
        "share of attention in the margin, in size": "attention makes up a noticeable part of the margin",
    },
    "recognise.lemma-4-3": {
        **CONDITION_1,
        "T₀.₅ in τ, at most T₁": "the run ends before the inequality could begin to hold",
        "C of the left inequality at T₁": (
            "the vote of “the” does not grow clearly faster than either target word’s"
        ),
        "C of the right one at T₁": (
            "the vote of “the” does not grow clearly more slowly than both target words’ together"
        ),
    },
    "recognise.forever": {
        "enough": "there are too few training sentences for their length",
        "infinite": "the network has a finite width",
        "shares": "the four types of sentence do not have the paper’s shares",
        "reached": "the run stopped before its end",
        "−G′(µ₃) over the larger target's, at the end": (
            "at the end the vote of “the” grows no faster than a target word’s"
        ),
        "the same, below the sum of both": (
            "at the end the vote of “the” grows as fast as both target words’ together"
        ),
        "both sides hold at the end": "the two inequalities do not both hold at the end",
    },
    "recognise.lemma-4-4": {
        **CONDITION_1,
        "largest |Σ₂ − Σ₃| over the smaller": (
            "sentences with only Bob and those with only banana pull with unequal strength"
        ),
    },
    "recognise.lemma-4-5": {
        **CONDITION_1,
        "largest Σ over negatives − positives": (
            "negative sentences do not pull enough more than positive ones"
        ),
        "largest Σ over positives − only μ₁": (
            "sentences with both target words pull hardly more than those with only Bob"
        ),
        "largest Σ over positives − only μ₂": (
            "sentences with both target words pull hardly more than those with only banana"
        ),
        "Lemma 4.3's inequality holds from τ": (
            "the inequality of Lemma 4.3 does not hold from the start of Phase 2"
        ),
        "C of its left side, least": "the vote of “the” grows hardly faster than a target word’s",
        "C of its right side, least": "the vote of “the” grows almost as fast as both target words’ together",
        "larger slope of a target over the smaller, largest": (
            "one target word’s vote grows much faster than the other’s"
        ),
    },
    "recognise.figure-1-a": {
        **FIGURE_1,
        "least growth of a score in Phase 2, on its side": (
            "in Phase 2 some attention score moves the wrong way"
        ),
        "part of the scores' change that Phase 1 has": "too much of attention’s change happens in Phase 1",
    },
    "recognise.figure-1-b": {
        **FIGURE_1,
        "largest change over a step of Phase 1 of the loss of samples with both targets": (
            "in Phase 1 the loss of sentences with both target words rises at times"
        ),
        "rise of the loss of samples with one target": (
            "the loss of sentences with one target word does not rise at first"
        ),
        "epoch at which it is largest; all are right from the epoch": (
            "the loss of sentences with one target word peaks only after Phase 1"
        ),
        "largest change of a loss over a step of Phase 2": "in Phase 2 some loss rises",
    },
}
NOT_THIS_LENGTH = (
    "Not with this length of Phase 1 (C): {bound}. The theorem only promises that some length works."
)
SENTENCES = {
    "recognise.theorem-3-1": {"contradicted": NOT_THIS_LENGTH},
    "recognise.theorem-3-2": {"contradicted": NOT_THIS_LENGTH},
    "recognise.theorem-3-3-attention": {
        "contradicted": "Not at this moment: {bound}. The theorem only promises that some moment works."
    },
    "recognise.condition-1": {
        "contradicted": (
            "All assumptions hold, yet not with this length of Phase 1 (C): {bound}. Another may do."
        ),
        "outside": "An assumption fails: {hypothesis}. So does a theorem, at least with this C: {bound}.",
        "beyond": (
            "An assumption fails: {hypothesis}. Both theorems hold all the same: it was not needed here."
        ),
    },
}
