"""The transformer of equation 1, drawn with one sentence at the end of Phase 1, and its output word by word."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import torch
from IPython.display import HTML
from torch import Tensor

from book.choice import chosen
from book.recognise.common import END_OF_PHASE_1
from book.recognise.real_flow import follow
from book.recognise.real_model import real_model, sample_arrays
from book.sketch import WIDTH, Sketch, percent

NAMES = ("Bob", "banana", "the")
COLOURS = ("target-1", "target-2", "common")
SENTENCES = (
    ("Bob", "eats", "the", "ripe", "banana"),
    ("Bob", "opens", "the", "red", "door"),
    ("Ann", "peels", "the", "ripe", "banana"),
    ("Ann", "opens", "the", "red", "door"),
)
"""What is said instead of training samples of the four kinds: both targets, Bob alone, banana alone, neither."""
MEANING = {True: "Bob is eating a banana", False: "Bob is not eating a banana"}
"""The meaning of a positive output, and of another."""


class Reading(NamedTuple):
    """What the trained model makes of one sentence, its words in reading order."""

    words: tuple[str, ...]
    colours: tuple[str, ...]
    attention: Tensor  # (L, L) place l first, the word it takes from second
    adds: Tensor  # (L,) what each word adds to the output: its G times the attention that it gets
    votes: Tensor  # (m₁,) what each neuron adds to the output
    output: float  # F, the sum of either


@cache
def readings() -> tuple[Reading, ...]:
    """The sentences as a real model reads them, after gradient flow from a random start to the end of Phase 1."""
    width, neurons = 32, 8
    start = real_model(0, samples=60, length=5, width=width, neurons=neurons, sigma_0=0.2)
    pace = neurons * start.variance_1 * width
    (weights,) = follow(start, torch.tensor([END_OF_PHASE_1], dtype=torch.float64) / pace)
    arrays = sample_arrays(weights, start.layer, start.data)

    def reading(kind: int, words: tuple[str, ...]) -> Reading:
        return next(filter(_adds_up, (read(sample, words) for sample in samples_of(kind))))

    def samples_of(kind: int) -> list[int]:
        return [sample for sample, type_ in enumerate(start.data.types.tolist()) if type_ == kind]

    def read(sample: int, words: tuple[str, ...]) -> Reading:
        held = start.data.words[sample].tolist()
        ids = [NAMES.index(word) if word in NAMES else -1 for word in words]
        free = iter(place for place, held_word in enumerate(held) if held_word > 2)
        places = [held.index(word) if word >= 0 else next(free) for word in ids]
        attention = arrays.attention[sample][places][:, places]
        value = arrays.value[sample][:, places]  # (m, L)
        heard = weights.neurons @ value @ attention.sum(0)  # (m₁,)
        return Reading(
            words,
            tuple(COLOURS[word] if word >= 0 else "other" for word in ids),
            attention,
            arrays.neurons @ value * attention.sum(0),
            start.layer * heard,
            float(arrays.output[sample]),
        )

    return tuple(reading(kind, words) for kind, words in enumerate(SENTENCES))


def _adds_up(read: Reading) -> bool:
    """Whether the numbers add up as they are printed, to two decimals."""
    printed = [round(adds, 2) for adds in read.adds.tolist()]
    return round(sum(printed), 2) == round(float(read.adds.sum()), 2)


def transformer() -> HTML:
    """For each sentence: the path from the words to one number, and the same number as a sum over words."""
    caption = (
        "Choose a sentence: a trained model reads it. Attention mixes the words evenly, so only one number for each "
        "word counts, its word output G. Each bar begins where the one above it ended."
    )
    labels = [" ".join(read.words) for read in readings()]
    return chosen(
        "the sentence that is read", labels, [_sums(read) + path(read) for read in readings()], caption
    )


def _centres(many: int) -> list[float]:
    return [WIDTH * (place + 0.5) / many for place in range(many)]


def path(read: Reading) -> str:
    """From the words, through attention, values and neurons, to the output."""
    many = len(read.words)
    sketch = Sketch("From a sentence to one number", 394)
    centres = _centres(many)
    for x, word, role in zip(centres, read.words, read.colours, strict=True):
        sketch.word(x - 31, 30, 62, word, role)
    sketch.then()
    for place, x in enumerate(centres):
        for taken, from_x in enumerate(centres):
            weight = float(read.attention[place, taken])
            sketch.line(
                from_x,
                58,
                x,
                130,
                read.colours[taken],
                width=1 + 5 * weight,
                strength=0.85 if place == 2 else 0.22,
            )
    share = float(read.attention[2].max())
    sketch.words(
        WIDTH / 2,
        98,
        f"attention: each place takes {percent(share)} of each word",
        anchor="middle",
        halo=True,
    )
    for place, x in enumerate(centres):
        sketch.shares(x - 31, 130, 62, 16, read.colours, read.attention[place].tolist())
    sketch.then()
    neurons = _centres(len(read.votes))
    for from_x in centres:
        for to_x in neurons:
            sketch.line(from_x, 146, to_x, 222, "ink", width=1, strength=0.13)
    sketch.words(
        WIDTH / 2, 178, f"values, and {len(read.votes)} neurons: each votes", anchor="middle", halo=True
    )
    sketch.words(WIDTH / 2, 196, "for yes (+) or for no (−)", anchor="middle", halo=True)
    largest = float(read.votes.abs().max())
    for x, vote in zip(neurons, read.votes.tolist(), strict=True):
        role = "good" if vote > 0 else "bad"
        sketch.line(x, 248, WIDTH / 2, 296, role, width=0.5 + 5 * abs(vote) / largest, strength=0.6)
        sketch.dot(x, 236, 12, "paper")
        sketch.dot(x, 236, 12, role, filled=0.2)
        sketch.words(x, 241, "+" if vote > 0 else "−", role, anchor="middle", bold=True)
    sketch.then()
    sketch.words(WIDTH / 2, 316, f"all votes added: F = {signed(read.output)}", anchor="middle", bold=True)
    sketch.words(WIDTH / 2, 336, f"{verdict(read)}: {MEANING[read.output > 0]}", anchor="middle")
    sketch.words(0, 368, "Trained: keys, queries, values and neurons.", size=13)
    sketch.words(0, 386, "Fixed: the sign ±1 at the end of each neuron.", size=13)
    return sketch.svg(
        f"Top to bottom: the words {', '.join(read.words)}. Attention mixes them: each place takes {percent(share)} "
        f"of each word. Value matrix and {len(read.votes)} neurons read the mixtures; each neuron votes for yes or no. "
        f"The votes add up to F = {read.output:.2f}, which means {verdict(read)}."
    )


def _sums(read: Reading) -> str:
    """The output as a sum over words, each beginning where the one before it ended."""
    sketch = Sketch("The answer, word by word", 36 + 24 * len(read.words) + 36)
    reach = 1.05 * max(float(one.adds.cumsum(0).abs().max()) for one in readings())
    zero, unit, top = 218.0, 100 / reach, 32.0
    sketch.line(zero, top, zero, top + 24 * len(read.words) + 34, strength=0.35, dashed=True)
    so_far = 0.0
    for word, role, adds in zip(read.words, read.colours, read.adds.tolist(), strict=True):
        sketch.words(0, top + 17, word, role)
        sketch.bar(zero + unit * so_far, zero + unit * (so_far + adds), top + 4, 16, role, 0.85)
        sketch.words(104, top + 17, signed(adds), size=13, anchor="end")
        so_far += adds
        top += 24
    sketch.line(0, top + 2, WIDTH, top + 2, strength=0.35)
    sketch.words(0, top + 21, "sum F", bold=True)
    sketch.words(104, top + 21, signed(so_far), bold=True, anchor="end")
    sketch.bar(zero, zero + unit * so_far, top + 9, 14, "good" if so_far > 0 else "bad")
    sketch.words(max(zero, zero + unit * so_far) + 6, top + 21, verdict(read), bold=True)
    parts = ", ".join(
        f"{word} {signed(adds)}" for word, adds in zip(read.words, read.adds.tolist(), strict=True)
    )
    return sketch.svg(
        f"Bars that add up to the output: {parts}; in all {signed(read.output)}, {verdict(read)}."
    )


def signed(number: float) -> str:
    """With its sign and two decimals: "+1.77", "−0.28", "0.00"."""
    return f"{number:+.2f}".replace("-", "−") if abs(number) >= 0.005 else "0.00"


def verdict(read: Reading) -> str:
    """What the sign of the output says."""
    return "yes" if read.output > 0 else "no"
