"""What the verdicts of the chapter's live figures say, in plain words: see :mod:`book.ledger.plain`."""

from __future__ import annotations

FILTERED = {"filtered": "attention still wastes too much on the context before fine-tuning begins"}
BEGUN = {"begun": "no step of fine-tuning has been made on any fact"}
PRETRAINED = {
    "filters": "stage I’s learning rate is too low to filter out the context",
    "room": "there are too few dimensions for so large a step",
    "slow": "attention learns too fast",
    "quiet": "stage I’s learning rate is too high: it learns the phrases at once",
    "small_steps": "the learning rates of stages II and III are so large that the loss rises at times",
}
PLAIN = {
    "acquire.proposition-1": {
        **PRETRAINED,
        "attention on the context, greatest": "some attention stays on the context",
        "attention on the subject or the phrase, least": "too little attention is left on a subject or a phrase",
    },
    "acquire.proposition-2": {
        **PRETRAINED,
        "loud": "too few neurons are active for the phrase used most",
        "alive": "the network is so narrow that some phrase or answer has no active neuron",
        "long": "stage II is too short",
        "settled": "the loss is still falling",
        "1: loss after [o], end of stage I": "after stage I the model has not learned what follows the context",
        "2: p(r) over chance, least, end of stage II": "after stage II some phrase is hardly likelier than chance",
        "2: p(a) over chance, least, end of stage II": "after stage II some answer is hardly likelier than chance",
        "3: loss above its entropy, end of stage III": "after stage III some facts are still not learned",
    },
    "acquire.theorem-2": {
        "often": "too few facts are practised for its bound",
        "many": "so few facts are practised that their answers rise too soon",
        "reached": "fine-tuning has been too short",
        "loss above the entropy, of a random guess's": "pre-training has not learned the facts",
        "unseen facts wrong, full steps": "more than a tenth of the unseen facts come out wrong",
        "unseen facts wrong, rank-1 steps": "with rank-1 steps more than a tenth of the unseen facts come out wrong",
    },
    "acquire.covering": {
        **FILTERED,
        **BEGUN,
        "several": "each fact is stated in one wording only",
        "deep": "no unseen fact has only phrases that were practised often enough",
        "passed": "training ended before its best step was behind it",
        "facts with an uncovered phrase right at any step": "a fact with a phrase that was never practised comes out",
        "facts covered 3K times or more, wrong with early stopping": (
            "several facts stay locked though all of their phrases were practised often"
        ),
    },
    "acquire.remark-4": {
        **FILTERED,
        "late": "fine-tuning stops soon after its best step",
        "few": "so many facts are practised that their answers rise slowly",
        "twice": "some phrase is practised by fewer than two facts",
        "came": "no unseen fact has come out yet",
        "share of the accuracy with early stopping, lost at the last step": (
            "at the last step less than half of the accuracy is lost"
        ),
        "of the errors then, answers of fine-tuned facts": (
            "many errors are not answers that were practised"
        ),
    },
    "acquire.hallucination": {
        **FILTERED,
        **BEGUN,
        "scarce": "so many facts are practised that most phrases may be covered",
        "loss above the entropy, of a random guess's": "pre-training has not learned the facts",
        "unseen facts wrong at any step, full": "more unseen facts come out than the theorem allows",
        "the same, rank-1 steps": "with rank-1 steps more unseen facts come out than the theorem allows",
        "facts with an uncovered phrase right at any step": "a fact with a phrase that was never practised comes out",
    },
    "acquire.spectrum": {
        "even": "attention does not split evenly between subject and phrase",
        "several": "each fact is stated in one wording only",
        "some": "no fact is practised",
        "1 − ⟨v₁, p⟩²": "the first step’s main direction does not lie where predicted",
        "σ₂/σ₁ of the first gradient": "the second direction is not as strong as predicted",
        "share of ‖G‖² that rank 1 misses": "rank 1 does not miss the share that is predicted",
    },
    "acquire.rank-1": {
        **FILTERED,
        "single": "the steps have more than one direction",
        "whole": "questions do not have the whole residual connection",
        "along": "the steps do not move features along the common direction p",
        "came": "no unseen fact has come out yet",
        "unseen facts right with early stopping, rank 1, against full": (
            "rank-1 steps do not unlock as many facts as full ones"
        ),
        "the same, p's products alone, against full": (
            "steps along the common direction p alone do not unlock as many facts as full ones"
        ),
    },
    "acquire.table-3": {
        "bare": "the sentences have a context",
        "crowded": "there are too few facts to crowd the dimensions",
        "trained": "the models are not trained",
        "settled": "the models are still learning",
        "standard, loss over entropy": "the standard model has not learned the facts",
        "uniform attention and MLP, loss over entropy": "uniform attention with an MLP has not learned the facts",
        "attention alone, loss over entropy": "attention alone has learned the facts, too",
    },
    "acquire.gpt-2-predicted": {
        "whole": "the language’s wordings are held fixed",
        "fair": "the step is chosen on the facts that are counted",
        "rank correlation, one layer": "one layer ranks GPT-2’s settings hardly better than chance",
    },
}
SENTENCES: dict[str, dict[str, str]] = {}
