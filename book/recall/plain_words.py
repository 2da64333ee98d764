"""What the verdicts of the chapter's live figures say, in plain words: see :mod:`book.ledger.plain`."""

from __future__ import annotations

UNPERTURBED = {"perturbed": "no push tells the two examples apart"}
SMALL_STEPS = {"small_steps": "the learning rate is so large that the loss rises at times"}
WARM = {"cold": "the temperature is too high"}
UNSTABLE = {"large": "the large first step is too short or too long"}
FEW = {"enough": "there are too few training prompts"}
LARGE_STEP = {
    **WARM,
    **UNSTABLE,
    **FEW,
    "has_confusing": "no training prompt is confusing",
    "perturbed": "the push is smaller than stated, or there is none",
}
NO_FAMILY = {"family_exists": "there are no such relations for this number of subjects"}
PLAIN = {
    "recall.theorem-2": {
        **UNPERTURBED,
        **SMALL_STEPS,
        **WARM,
        "endless": "stage 1 stops before it comes to rest",
        "settled": "stage 2 has not come to rest",
        "loss L₁ at the end, above the lowest": "training ends above the lowest loss",
        "a, attention on the lesser pair": "attention ends elsewhere",
        "distance of a from ¼": "attention ends evenly split between the two examples",
        "imbalance inside the pairs": "an example’s subject and answer end with unequal attention",
        "attention on s₃ and EoS": "some attention stays on the query and the end mark",
    },
    "recall.lemma-6": {
        **UNPERTURBED,
        **SMALL_STEPS,
        **WARM,
        "settled": "when the run stops, it is at the saddle or still moving",
        "loss L₁ at the end": "the loss stays where it was, or above",
    },
    "recall.sharp-thresholds": {
        **UNPERTURBED,
        **SMALL_STEPS,
        "lowest": "the temperature is so high that the lowest loss is elsewhere",
        "finished": "stage 2 has not come to rest",
        "loss L₁ at the end, above the lowest": "training ends above the lowest loss",
        "a, attention on the lesser pair": "attention ends elsewhere",
        "imbalance inside the pairs": "an example’s subject and answer end with unequal attention",
        "each property of the minimum holds just below its threshold": "a threshold is not where it was predicted",
    },
    "recall.phase-diagram": {
        **SMALL_STEPS,
        "perturbed": "the push is zero, or large",
        "one_valley": "the valley beside the saddle is not the lowest",
        "settled": "the run has not come to rest",
        "loss L₁ at the end, above the lowest": "training ends above the lowest loss",
        "solution: 0 even, 1 pairwise, 2 one pair": "training ends in another kind of solution",
    },
    "recall.pair-masses": {
        **WARM,
        **SMALL_STEPS,
        "perturbed": "no push tells the pairs apart",
        "settled": "the pairs’ attention is still moving",
        "largest distance from the law, in its spacing": "the pairs do not share attention as the law says",
    },
    "recall.lemma-1": {
        "bijections": "a relation may give two subjects the same answer",
        "orthonormal": "the embeddings overlap",
        "stored": "no fact joins the two words",
        "tokens with the highest score": "the words with the highest score are not exactly those that complete a fact",
        "of them, tokens that complete no fact": "a word that completes no fact has the highest score",
    },
    "recall.who-wins": {
        "agree": "no example leads both by its subject and by its answer",
        "subjects": "an example’s subject gets no more attention than the query",
        "answers": "an example’s answer gets no attention",
        "lead of r* over all other relations": "the right relation does not lead alone",
    },
    "recall.lemma-2": {
        **WARM,
        "large": "the first step is too short",
        "largest error 1 − p₂(a₃) from the large step on": "the answer is less sure than promised",
        "largest fall of the lead ω₅ − max ωᵢ in a small step": "the lead falls in a small step",
        "error over bound after one step, at T/3 against T": (
            "at a third of the temperature the error is no smaller beside its bound"
        ),
        "the same, at T/10 against T/3": (
            "at a tenth of the temperature the error is no smaller beside its bound"
        ),
    },
    "recall.lemma-9": {
        **WARM,
        **UNSTABLE,
        **FEW,
        "distance from the lemma's attention": "attention is not where the lemma puts it",
        "m/p_mis, α's constant times 216": "the first step is not as long as the lemma says",
        "1 − p(r*) on the worst non-confusing prompt": "a prompt that is not confusing is not yet answered surely",
        "|½ − p(r*)| on the worst confusing one": "a confusing prompt is no coin toss",
        "log of error over e^(−1/√T), as many subjects as T allows, at T/3": (
            "at a third of the temperature the error is larger than stated"
        ),
        "the same at T/10": "at a tenth of the temperature the error is larger than stated",
    },
    "recall.lemma-10": {
        **LARGE_STEP,
        "freed_or_late": "there were too few small steps to leave the coin toss",
        "small steps until the loss is below log 2 by (p_conf T)³": "the coin toss lasts longer than promised",
    },
    "recall.lemma-11": {
        **LARGE_STEP,
        "safe_or_late": "there were too few small steps",
        "least p(r*) on any prompt": "some prompt is still answered wrongly or unsurely",
        "steps, in the lemma's unit T log(1/T)/(η₂p_conf)": "it takes more small steps than promised",
    },
    "recall.theorem-3": {
        **LARGE_STEP,
        "identified": "two examples do not always fix the relation",
        "safe_or_late": "there were too few small steps",
        "1 − p(r*) on the worst prompt, of four data sets": (
            "after training on one of the four data sets some prompt is still answered wrongly or unsurely"
        ),
    },
    "recall.assumption-1": {
        **NO_FAMILY,
        "two_points": "two examples do not always fix the relation",
        "few": "there are more relations than two examples can tell apart",
        "pairs of examples that several relations share": "several relations fit the same two examples",
        "best accuracy of naming r*": "even the best rule sometimes names the wrong relation",
    },
    "recall.assumption-2": {
        **NO_FAMILY,
        "two_points": "two examples do not always fix the relation",
        "enough": "there are too few relations",
        "confusing prompts, share in the mean": "too few prompts are confusing",
        "mismatched prompts, share in the mean": "too few prompts are mismatched",
        "mismatched prompts, counted where that can be": "more prompts are mismatched than can be",
    },
}
SENTENCES = {
    "recall.who-wins": {
        "holds": "The right relation wins, as all three conditions say it must.",
        "contradicted": "All three conditions hold, but the right relation does not win: the statement is wrong here.",
        "outside": "A condition fails: {hypothesis}. And so the right relation does not win, as the statement says.",
        "beyond": "A condition fails: {hypothesis}. But the right relation wins: the statement is wrong here.",
    },
    "recall.theorem-3": {
        "contradicted": "Not in this run: {bound}. The theorem allows that for one run in 20."
    },
}
