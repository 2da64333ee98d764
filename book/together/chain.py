"""The chapter's picture: what each paper's model takes, does and hands on, and the pages on which two are joined."""

from __future__ import annotations

from typing import NamedTuple

from IPython.display import HTML


class Part(NamedTuple):
    """A model of the chain: its chapter, what it does in words, an example of it, and what it hands on."""

    chapter: str
    authors: str
    does: str
    example: str
    gives: str
    page: str
    """Where the next model takes what it gives; empty for the last."""


PARTS = (
    Part(
        "recognise",
        "Yang et al.",
        "finds the words that matter",
        "“<b>Bob</b> eats the ripe <b>banana</b>”: these two belong together",
        "which words to look at",
        "reading",
    ),
    Part(
        "acquire",
        "Xu and Chen",
        "stores facts",
        "“Alice was born in California”: kept in the MLP",
        "a memory of facts",
        "stored",
    ),
    Part(
        "recall",
        "Huang et al.",
        "looks a fact up",
        "“Paris → France, Rome → ”: the relation is <i>capital of</i>, the answer <b>Italy</b>",
        "",
        "",
    ),
)


def chain() -> HTML:
    """The three models in a row, on a phone below each other, with what each hands on between them."""
    items = "".join(_part(part) for part in PARTS)
    return HTML(f'<figure class="picture chain"><ol>{items}</ol></figure>')


def _part(part: Part) -> str:
    handed = f'<a href="{part.page}.html">{part.gives}</a>' * bool(part.gives)
    return (
        f'<li><span class="part"><a href="../{part.chapter}/index.html"><b>{part.chapter.capitalize()}</b></a> '
        f"{part.does}<small>{part.authors}</small><span>{part.example}</span></span>{handed}</li>"
    )
