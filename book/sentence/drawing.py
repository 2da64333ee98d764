"""The three models side by side, each with a sentence of its own and the numbers at which its training ends."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from IPython.display import HTML

from book.acquire.setting import drawing as acquire
from book.figures import figure, listed
from book.recall.saddle.program import warm_up
from book.recall.scene import PROMPT, shown
from book.recognise.model import drawing as recognise
from book.sketch import WIDTH, Sketch, percent
from lib.program import run

WIRINGS = (
    ("capital of", "relation", "Paris with France, Rome with Italy"),
    ("its rival", "confusing", "Paris with Italy, Rome with France"),
    ("all others", "other", ""),
)
"""The two relations that use the prompt's words, with what each joins, and the others."""


class Recalled(NamedTuple):
    """Where training of the third model ends."""

    attention: list[float]
    """From the end of the prompt, on each token."""
    believed: list[float]
    """The probability of each of :data:`WIRINGS`; of the others together."""


@cache
def recalled() -> Recalled:
    """Theorem 2's run at its defaults."""
    rows = run(shown(warm_up())).histories[-1].rows
    believed = rows.believed[-1]
    return Recalled(rows.weights[-1].tolist(), [*believed.tolist(), 1 - float(believed.sum())])


def sentence() -> HTML:
    """A sentence of each paper on its way through the model that the paper trains."""
    caption = (
        "From left to right: Recognise says whether two words belong together, Acquire foresees the next word, Recall "
        "names what joins the pairs. All numbers are those of trained models."
    )
    paths = [recognise.path(recognise.readings()[0]), acquire.path(acquire.reads()[2]), path(recalled())]
    return figure(paths, caption, moves=True)


def path(read: Recalled) -> str:
    """From the prompt through attention and the memory to the relation."""
    sketch = Sketch("From two examples to what joins them", 394)
    step = WIDTH / len(PROMPT.tokens)
    for place, token in enumerate(PROMPT.tokens):
        sketch.word(step * place, 30, step - 3, token.word, token.colour)
    meet = WIDTH - step / 2
    sketch.then()
    for place, (token, weight) in enumerate(zip(PROMPT.tokens, read.attention, strict=True)):
        x = step * (place + 0.5)
        if weight > 0.005:
            sketch.line(x, 58, meet, 122, token.colour, width=0.6 + 12 * weight, strength=0.6)
            sketch.words(x, 78, percent(weight), size=13, anchor="middle", halo=True)
    sketch.words(0, 114, "the end of the prompt attends", size=13, halo=True)
    sketch.shares(WIDTH - 120, 122, 120, 16, [token.colour for token in PROMPT.tokens], read.attention)
    sketch.words(0, 136, "mixture", size=13)
    sketch.then()
    sketch.arrow(meet, 140, meet, 186)
    sketch.words(meet - 12, 158, "a memory of all facts:", size=13, anchor="end")
    sketch.words(meet - 12, 175, "neurons for each pair of words", size=13, anchor="end")
    sketch.then()
    sketch.words(96, 206, "probability of the relation", size=13)
    for row, ((name, role, joins), chance) in enumerate(zip(WIRINGS, read.believed, strict=True)):
        y = 226 + 42 * row
        end = 96 + 180 * chance
        sketch.words(88, y + 5, name, role, anchor="end")
        sketch.bar(96, end, y - 8, 16, role, 0.85)
        sketch.words(end + 6, y + 5, percent(chance), size=13)
        sketch.words(96, y + 22, joins, size=13)
    sketch.words(0, 340, "So Madrid belongs to Spain: found in a second look.", size=13)
    sketch.words(0, 368, "Trained: attention alone.", size=13)
    sketch.words(0, 386, "Fixed: the memory, which is written by hand.", size=13)
    paid = listed(
        f"{token.word} {percent(weight)}" for token, weight in zip(PROMPT.tokens, read.attention, strict=True)
    )
    said = listed(
        f"{name} {percent(chance)}" for (name, *_), chance in zip(WIRINGS, read.believed, strict=True)
    )
    return sketch.svg(
        f"Top to bottom: the prompt {' '.join(token.word for token in PROMPT.tokens)}. Attention from its end goes to "
        f"{paid}. The mixture goes to a memory of all facts, which says what joins the pairs: {said}."
    )
