"""The data and the transformer of Xu and Chen, drawn with six facts and what a model trained on them makes of them."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import torch
from IPython.display import HTML
from torch import Tensor

from book.acquire.pretraining import Run, pretrained
from book.figures import figure, listed
from book.sketch import WIDTH, Sketch, percent
from lib.acquire.task import fine_tuned
from lib.acquire.tokens import extract, forward, sentence_scores

NAMES = ("Boris", "Chen", "Dana", "Alice", "Emil", "Farid")
ANSWERS = ("Sofia", "Xi’an", "Haifa", "California", "Bergen", "Cairo")
"""Answers of the six facts; the first half is frequent. Alice's is rare, as in the chapter's figures."""
SAID = ("comes from", "was born in", "is from", "hails from")
CONTEXT, AFTER_CONTEXT, FORMAT = "context", "follower", "’s birthplace?"
TOKENS = (CONTEXT, *NAMES, *SAID, FORMAT, *ANSWERS, AFTER_CONTEXT)
"""The words in the order of a model's outputs."""
COLOURS = {
    CONTEXT: "context",
    FORMAT: "format",
    AFTER_CONTEXT: "follower",
    **dict.fromkeys(NAMES, "subject"),
    **dict.fromkeys(SAID, "phrase"),
    **dict.fromkeys(ANSWERS, "answer"),
}
"""Each token's role."""
ASKED = 2 / 3
"""The share of the frequent facts that is fine-tuned."""
SEED = 15
"""At this one Boris's fact is stated with the first two phrases, and Alice's with the second."""


class Read(NamedTuple):
    """What the model makes of one prompt."""

    prompt: tuple[str, ...]
    attention: Tensor  # (T,) from the last token
    logits: Tensor  # (V,)

    def likeliest(self, many: int) -> list[tuple[str, float]]:
        """The tokens with the largest logits, each with its probability."""
        chance, order = torch.softmax(self.logits, 0).sort(descending=True)
        return [(TOKENS[k], p) for k, p in zip(order[:many].tolist(), chance[:many].tolist(), strict=True)]


@cache
def model() -> Run:
    """Pre-trained on the six facts: frequent ones are stated with two of four phrases, rare ones with one."""
    return pretrained(
        subjects=len(NAMES),
        phrases=len(SAID),
        multiplicity=2,
        neurons=16,
        stretch=9.0,
        pace=4.0,
        steps_3=75,
        seed=SEED,
    )


@cache
def reads() -> tuple[Read, Read, Read, Read]:
    """The three prompts of pre-training about Boris, and his question."""
    run = model()
    a, z = run.state
    zero, phrase = torch.zeros(1, dtype=torch.int64), 1 + len(NAMES)
    parts = a[:1], a[1:2], a[phrase : phrase + 1]
    scores = (
        torch.zeros(1, 1, dtype=torch.float64),
        torch.stack([z.context_subject[:1], z.subject_subject[:1]], 1),
        sentence_scores(z, zero, zero),
    )
    sentence = CONTEXT, NAMES[0], SAID[0]
    prompts = []
    for many, score in enumerate(scores, 1):
        attention, before = forward(parts[:many], score)
        prompts.append(Read(sentence[:many], attention[0], torch.relu(before[0]).mean(-1)))
    answer = extract(run.state, torch.zeros(len(NAMES), dtype=torch.float64), run.sizes)
    question = Read((NAMES[0], FORMAT), answer.attention[0], answer.logits[0])
    return prompts[0], prompts[1], prompts[2], question


def data() -> HTML:
    """The facts and the phrases that state them, and how much of a sentence a trained model foresees."""
    caption = (
        "Pre-training states facts in sentences. The model can learn every word but the choice of phrase. Questions "
        "come later, and are asked about some of the frequent facts only."
    )
    return figure([_facts(), _foreseen()], caption)


def transformer() -> HTML:
    """How the model reads *Boris comes from*, from attention to the next word."""
    return figure([path(reads()[2])], "Attention has learned to pass over the context, which says nothing.")


def _facts() -> str:
    """A grid of phrases and facts, and below it the questions."""
    known = model().known
    tuned = fine_tuned(known, ASKED)
    sketch = Sketch("Six facts, and how they are told", 306)
    left, step = 104, (WIDTH - 104) / len(NAMES)
    centres = [left + step * (place + 0.5) for place in range(len(NAMES))]
    half = len(NAMES) // 2
    for word, ends in (("frequent", centres[:half]), ("rare", centres[half:])):
        sketch.words((ends[0] + ends[-1]) / 2, 42, word, anchor="middle", bold=True)
        sketch.line(ends[0] - 15, 49, ends[-1] + 15, 49, strength=0.5)
    for x, name in zip(centres, NAMES, strict=True):
        sketch.words(x, 67, name, "subject", size=13, anchor="middle")
    top = 78
    for number, phrase in enumerate(SAID):
        sketch.words(0, top + 19, phrase, "phrase")
        sketch.line(left, top + 14, WIDTH, top + 14, strength=0.15)
        for x, used in zip(centres, known.uses[:, number].tolist(), strict=True):
            if used:
                sketch.dot(x, top + 14, 8, "phrase")
        top += 28
    sketch.line(0, top + 4, WIDTH, top + 4, strength=0.35)
    sketch.words(0, top + 27, "birthplace?")
    for x, chosen in zip(centres, tuned.tolist(), strict=True):
        sketch.box(x - 8, top + 14, 16, 16, "drilled" if chosen else "unseen", filled=0.9 * chosen, corner=3)
    key = (("phrase", "a sentence of pre-training"), ("drilled", "question asked in fine-tuning"))
    for row, (role, text) in enumerate((*key, ("unseen", "never asked: an unseen fact"))):
        y = top + 54 + 20 * row
        if role == "phrase":
            sketch.dot(8, y - 5, 6, role)
        else:
            sketch.box(2, y - 11, 12, 12, role, filled=0.9 * (role == "drilled"), corner=3)
        sketch.words(22, y, text, size=13)
    stated = [
        f"{name} {listed(phrase for phrase, used in zip(SAID, row, strict=True) if used)}"
        for name, row in zip(NAMES, known.uses.tolist(), strict=True)
    ]
    chosen = listed(name for name, one in zip(NAMES, tuned.tolist(), strict=True) if one)
    return sketch.svg(
        f"A grid of facts and phrases. Pre-training states: {'; '.join(stated)}. Fine-tuning asks about {chosen}; the "
        "other facts are unseen."
    )


def _foreseen() -> str:
    """What the model says after each beginning of a sentence, and to a question."""
    sketch = Sketch("What does a trained model say next?", 394)
    top, said = 28.0, []
    for read, many in zip(reads(), (1, 2, 1, 3), strict=True):
        if read.prompt[-1] == FORMAT:
            sketch.words(0, top + 12, "A question, before any fine-tuning:", size=13)
            top += 20
        _prompt(sketch, read.prompt, top)
        for token, chance in read.likeliest(many):
            top += 24
            y = top + 10
            sketch.words(118, y + 12, token, COLOURS[token], anchor="end")
            sketch.bar(128, 128 + 140 * chance, y, 14, COLOURS[token], 0.85)
            sketch.words(134 + 140 * chance, y + 12, percent(chance), size=13)
        top += 50
        said.append(
            f"{' '.join(read.prompt)}: " + listed(f"{t} {percent(c)}" for t, c in read.likeliest(many))
        )
    return sketch.svg(f"Bars of probabilities of the next word after each prompt. {'. '.join(said)}.")


def _prompt(sketch: Sketch, tokens: tuple[str, ...], y: float) -> list[float]:
    """A prompt's tokens in boxes from the left, and the middle of each box."""
    x, middles = 0.0, []
    for token in tokens:
        width = 22 + 6.9 * len(token)
        sketch.word(x, y, width, token, COLOURS[token])
        middles.append(x + width / 2)
        x += width + 6
    return middles


def path(read: Read) -> str:
    """From the tokens through attention and neurons to the probabilities."""
    sketch = Sketch("From a prompt to the next word", 394)
    middles = _prompt(sketch, read.prompt, 30)
    roles = [COLOURS[token] for token in read.prompt]
    meet = middles[-1]
    sketch.then()
    for x, role, weight in zip(middles, roles, read.attention.tolist(), strict=True):
        sketch.line(x, 58, meet, 122, role, width=0.6 + 12 * weight, strength=0.6)
        sketch.words((3 * x + meet) / 4 - 8, 80, percent(weight), size=13, anchor="end")
    sketch.words(0, 114, "the last token attends", size=13, halo=True)
    counts = read.attention.clone()
    counts[-1] += 1
    sketch.shares(meet - 60, 122, 60, 16, roles, counts.tolist())
    sketch.line(middles[-1] + 40, 58, meet + 52, 121, roles[-1], dashed=True)
    sketch.words(meet + 54, 88, "+ itself", size=13)
    sketch.words(0, 136, "mixture", size=13)
    sketch.then()
    sketch.arrow(meet, 140, meet, 186)
    neurons = model().sizes.neurons
    sketch.words(meet - 12, 158, f"{neurons} neurons for each", size=13, anchor="end")
    sketch.words(meet - 12, 175, "token of the vocabulary", size=13, anchor="end")
    likeliest = read.likeliest(4)
    sketch.then()
    sketch.words(158, 206, "probability of the next word", size=13)
    for row, (token, chance) in enumerate(likeliest):
        y, role = 226 + 28 * row, COLOURS[token]
        end = 158 + 130 * chance
        sketch.words(96, y + 5, token, role, anchor="end")
        for neuron in range(5):
            sketch.dot(108 + 9 * neuron, y, 3.5, role, filled=0.25)
        sketch.bar(158, end, y - 8, 16, role, 0.85)
        sketch.words(end + 6, y + 5, percent(chance), size=13)
    sketch.words(0, 368, "Trained: what attends to what, and the neurons.", size=13)
    sketch.words(0, 386, "Fixed: the word that each neuron speaks for.", size=13)
    said = listed(f"{token} {percent(chance)}" for token, chance in likeliest)
    paid = listed(
        f"{token} {percent(w)}" for token, w in zip(read.prompt, read.attention.tolist(), strict=True)
    )
    return sketch.svg(
        f"Top to bottom: the prompt {' '.join(read.prompt)}. Attention from the last token goes to {paid}. The "
        f"mixture, with the last token added once more, goes to {model().sizes.neurons} neurons for each token of the "
        f"vocabulary; their means are the logits. The likeliest next tokens: {said}."
    )
