"""The stored table of GPT-2 with one thing changed, and how it is printed."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import pandas as pd
from IPython.display import HTML, Markdown

from book.figures import listed
from book.sweep import ROOT, read
from book.together.cells import VERDICTS, Cell, given_up, judged
from book.together.experiments import relaxed_gpt2 as runs_of
from book.together.experiments.relaxed_gpt2 import CHANGES, GPT2
from book.together.outside.table import (
    MEASURED,
    folded,
    measured,
    mispredicted,
    predictions,
    row,
    square,
    squares,
)

PREDICTED = ROOT / "book" / "together" / "predicted-gpt2-outside.md"


class Claim(NamedTuple):
    """A conclusion of a paper, as it is measured in GPT-2."""

    statement: str
    """The id of the statement that says so of the paper's own model."""
    words: str


CLAIMS = {
    "stored": Claim("acquire.proposition-2", "facts are stored"),
    "extracted": Claim("acquire.theorem-2", "unseen facts come out"),
    "multiplicity": Claim("acquire.multiplicity", "more wordings help"),
    "shut": Claim("acquire.hallucination", "uncovered facts stay shut"),
    "plateau": Claim("recall.lemma-5", "training waits at log 2"),
    "escape": Claim("recall.lemma-6", "the loss falls below it"),
    "pairs": Claim("recall.theorem-2", "attention pairs up"),
    "few prompts": Claim("recall.theorem-3", "few prompts suffice"),
}
"""The outcomes in the order of the columns."""


@cache
def runs() -> pd.DataFrame:
    """All runs: change, seed, conclusion, holds, and the bound that says so."""
    return read("together-outside-gpt2").rows


@cache
def cells() -> dict[tuple[str, str], Cell]:
    """Every cell of the table by conclusion and change."""
    return judged(runs(), "conclusion", "change")


def changes() -> list[str]:
    """The changes that were run, GPT-2 as it is first."""
    return list(runs().change.unique())


def picture() -> HTML:
    """The table as squares: a row for each change, a column for each conclusion."""
    rows = "".join(
        row(CHANGES[change], [_square(conclusion, change) for conclusion in CLAIMS]) for change in changes()
    )
    return squares(_finding(), cells().values(), runs_of.RUNS, CLAIMS.values(), rows, VERDICTS)


def _finding() -> str:
    """What the picture shows, in a sentence or two."""
    kept = len(by_verdict("holds"))
    changed = given_up(cells())
    moved = sum(
        cell.verdict != cells()[conclusion, "none"].verdict for (conclusion, _), cell in changed.items()
    )
    return (
        f"<b>The small GPT-2 unchanged keeps {kept} of {len(CLAIMS)} conclusions.</b> One change at a time alters "
        f"{moved} of {len(changed)} verdicts."
    )


def _square(conclusion: str, change: str) -> str:
    cell, claim = cells()[conclusion, change], CLAIMS[conclusion]
    return square(cell, claim.words, CHANGES[change], anchor(change))


def anchor(change: str) -> str:
    """The place on the page of the runs with a change."""
    return f"runs-gpt2-{change}"


def by_verdict(verdict: str, change: str = "none") -> list[str]:
    """The conclusions that have a verdict, in italics."""
    return [
        f"*{CLAIMS[c].words}*"
        for (c, each), cell in cells().items()
        if (each, cell.verdict) == (change, verdict)
    ]


def summary() -> Markdown:
    """What GPT-2 keeps, and what one change alters, in sentences made from the table."""
    kept = {verdict: by_verdict(verdict) for verdict in VERDICTS}
    holds, weakened, fails = (f"{len(some)} ({listed(some)})" if some else "none" for some in kept.values())
    right = sum(predictions(PREDICTED)[key] == cell.verdict for key, cell in cells().items())
    (seeds,) = {cell.seeds for cell in cells().values()}
    return Markdown(
        f"Of the conclusions the small GPT-2, unchanged, keeps {holds}; weakened are {weakened}; {fails} fail. A "
        f"square is {seeds} seeds. Before the runs we had predicted {right} of the {len(cells())} verdicts correctly."
    )


def sizes() -> Markdown:
    """The size of the network and of the runs."""
    return Markdown(
        f"GPT-2 has {GPT2.layers} layers, {GPT2.heads} heads and width {GPT2.width}, starts from random weights and is "
        f"trained on a CPU by AdamW. *Acquire:* {GPT2.subjects} facts, $R = {runs_of.PHRASES}$, $K = {runs_of.HIGH}$ "
        f"or {runs_of.LOW}, {GPT2.tuned[0]} facts fine-tuned. *Recall:* {runs_of.SUBJECTS} subjects, {runs_of.PROMPTS} "
        f"prompts of two examples, all weights learn, and no facts are stored beforehand."
    )


def against_predictions() -> pd.DataFrame:
    """The cells whose verdict is not the predicted one."""
    return mispredicted(
        cells(),
        predictions(PREDICTED),
        lambda conclusion, change: {"change": CHANGES[change].title, "conclusion": CLAIMS[conclusion].words},
    )


def all_runs() -> Markdown:
    """Every cell's runs, folded: a block for each change."""
    return Markdown("\n\n".join(_runs(change) for change in changes()))


def _runs(change: str) -> str:
    every = runs()[runs().change == change]
    lines = [
        (claim.words, *measured(cells()[conclusion, change], every[every.conclusion == conclusion]))
        for conclusion, claim in CLAIMS.items()
    ]
    return folded(anchor(change), f"GPT-2, {CHANGES[change].title}", ("conclusion", *MEASURED[1:]), lines)
