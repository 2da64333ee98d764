"""What limits each model, and the exponent with which each setting enters: predicted, and fitted to stored runs."""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import pandas as pd
from IPython.display import Markdown

from book.ledger import store
from book.ledger.entries import linked
from book.ledger.markdown import table
from book.ledger.rates import Fit, fit_power
from book.sweep import read
from book.together.experiments.limits import LINES, Line
from book.together.experiments.outside import RUNS

SETTINGS = (
    "temperature",
    "multiplicity",
    "perturbation radius",
    "width",
    "data size",
    "learning rate",
    "error ε",
)
"""The lines of the table."""
LIMITED_BY = {
    "recognise": (
        "the margin",
        "the least margin of a sample, yF: once it is positive, the loss falls like one over time",
    ),
    "acquire": (
        "the coverage",
        "how often fine-tuned facts use each phrase: a question about an uncovered one is not answered",
    ),
    "recall": (
        "the saddle",
        "both pairs get equal attention: the loss falls in one direction only",
    ),
}
"""By paper: the quantity that limits it, and what it does."""
ABSENT = {
    ("recognise", "temperature"): "there is none: scores are divided by √m, outputs by nothing",
    ("recognise", "multiplicity"): "each irrelevant word occurs only once",
    ("recognise", "perturbation radius"): "training starts at random and is not perturbed",
    ("acquire", "temperature"): "there is none",
    ("acquire", "perturbation radius"): "training starts at random and is not perturbed",
    ("recall", "multiplicity"): "each fact is stored once",
    ("recall", "error ε"): "the loss at the optimum is set by T",
}
"""Why a setting does not enter a paper."""


class Known(NamedTuple):
    """An exponent that a statement of the ledger has fitted."""

    paper: str
    setting: str
    x: str
    y: str
    statement: str
    bound: str
    predicted: str


KNOWN = (
    Known(
        "recognise",
        "error ε",
        "rescaled time τ",
        "training loss",
        "recognise.theorem-3-3-loss",
        "power of τ in the training loss",
        "-1",
    ),
    Known(
        "recognise",
        "width",
        "width m",
        "move of the values until T₁",
        "recognise.theorem-3-1-trend",
        "products of two values, exponent in m",
        "< 0",
    ),
    Known(
        "recall",
        "temperature",
        "1/T",
        "steps until the loss is below log 2, over log(1/T)",
        "recall.lemma-6-steps",
        "exponent of 1/T, c₂ = 16",
        "≤ 1",
    ),
    Known(
        "recall",
        "data size",
        "stored triplets",
        "least number of prompts",
        "recall.few-samples",
        "exponent in the number of triplets",
        "0",
    ),
)
"""Those that are read from the ledger."""


@cache
def fitted() -> dict[str, Fit]:
    """The power law of each line of the sweep, over all its runs."""
    rows = read("together-limits").rows
    return {
        str(name): fit_power(some.x.tolist(), some.y.tolist())
        for name, some in rows.groupby("line", sort=False)
    }


def as_predicted(line: Line, fit: Fit) -> bool:
    """Whether the predicted exponent is in the fit's interval, or within a twentieth of the exponent."""
    return fit.low <= line.predicted <= fit.high or abs(fit.exponent - line.predicted) <= 0.05


def exponents() -> pd.DataFrame:
    """A row for each line: what enters what, the exponent predicted and the one fitted, with its interval."""
    rows = []
    for name, line in LINES.items():
        fit = fitted()[name]
        rows.append(
            {
                "paper": line.paper.capitalize(),
                "setting": line.setting,
                "x": line.x,
                "y": line.y,
                "predicted": _plain(line.predicted),
                "fitted": minus(f"{fit.exponent:.2f} ({fit.low:.2f} to {fit.high:.2f})"),
                "decades": f"{fit.decades:.1f}",
                "as predicted": "✓" if as_predicted(line, fit) else "✕",
            }
        )
    return pd.DataFrame(rows)


def from_the_ledger() -> pd.DataFrame:
    """The exponents that statements of the ledger have fitted, in the same form."""
    known = store.read()
    rows = []
    for each in KNOWN:
        entry = known[each.statement]
        bound = next(b for b in entry["holds at"]["bounds"] if b["name"] == each.bound)
        rows.append(
            {
                "paper": each.paper.capitalize(),
                "setting": each.setting,
                "x": each.x,
                "y": each.y,
                "predicted": minus(each.predicted),
                "fitted": minus(f"{bound['measured']:.2f}"),
                "statement": linked(entry),
            }
        )
    return pd.DataFrame(rows)


def limits() -> Markdown:
    """The table, folded: a row for each setting, a column for each paper, with both exponents, or why it has none."""
    heads = [f"{paper.capitalize()}: {LIMITED_BY[paper][0]}" for paper in RUNS]
    rows = [(setting, *(_entry(paper, setting) for paper in RUNS)) for setting in SETTINGS]
    return Markdown(
        f"<details><summary>How each setting enters each model</summary>\n\n{table(('', *heads), rows)}\n\n</details>"
    )


def _entry(paper: str, setting: str) -> str:
    """How a setting enters a paper: the lines of the sweep and of the ledger, or why it does not."""
    parts = []
    for name, line in LINES.items():
        if (line.paper, line.setting) == (paper, setting):
            fit = fitted()[name]
            sign = "✓" if as_predicted(line, fit) else "✕"
            parts.append(
                f"{line.y}: exponent of {line.x} predicted {_plain(line.predicted)}, fitted {fit.exponent:.2f} "
                f"({fit.low:.2f} to {fit.high:.2f}) {sign}"
            )
    known = store.read()
    for each in KNOWN:
        if (each.paper, each.setting) == (paper, setting):
            bound = next(b for b in known[each.statement]["holds at"]["bounds"] if b["name"] == each.bound)
            parts.append(
                f"{each.y}: exponent of {each.x} predicted {minus(each.predicted)}, fitted {bound['measured']:.2f}, "
                f"{linked(known[each.statement])}"
            )
    return "; ".join(parts) if parts else f"not in this model: {ABSENT[paper, setting]}"


def minus(number: str) -> str:
    """A number as readers write it, with a true minus sign."""
    return number.replace("-", "−")


def _plain(exponent: float) -> str:
    return minus(f"{exponent:g}")


def missed() -> pd.DataFrame:
    """The lines that are not as predicted, with the exponents at both ends."""
    rows = []
    for name, line in LINES.items():
        if not as_predicted(line, fitted()[name]):
            low, high = ends(name)
            rows.append(
                {"y": line.y, "x": line.x, "predicted": _plain(line.predicted), "low": low, "high": high}
            )
    return pd.DataFrame(rows)


def ends(name: str) -> tuple[float, float]:
    """The exponents of a line between its two least and between its two greatest values of x."""
    rows = read("together-limits").rows.query("line == @name").groupby("x").y.mean()
    x, y = rows.index.to_numpy(dtype=float), rows.to_numpy(dtype=float)
    slopes = [math.log(y[k + 1] / y[k]) / math.log(x[k + 1] / x[k]) for k in (0, len(x) - 2)]
    return slopes[0], slopes[1]
