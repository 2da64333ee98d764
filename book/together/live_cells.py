"""Which cells of the table a live figure shows, and at which of its settings."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple
from urllib.parse import quote

from IPython.display import Markdown

from book.ledger import entries
from book.ledger.markdown import table
from book.together.cells import SIGNS, cells
from book.together.experiments.relaxations import RELAXATIONS
from book.together.menus import ACQUIRE, COLD, RECALL, RECOGNISE


class Shown(NamedTuple):
    """The live figure of a statement."""

    page: str
    order: tuple[str, ...]
    """The relaxations that its switch offers, by their number there."""
    settings: dict[str, float]
    """The values of the other controls, where they are not at their defaults."""
    of_cells: Mapping[str, Mapping[str, float]] = MappingProxyType({})
    """These values under one relaxation."""
    otherwise: tuple[str, ...] = ()
    """The relaxations under which the figure's model, which is smaller, decides otherwise than the table's."""


PACES: Mapping[str, Mapping[str, float]] = {"residual": {"steps_1": 20}, "gelu": {"steps_1": 80}}
"""Where Theorem 3.1's T₁ comes sooner or later: the model learns at twice the pace, or at half of it."""
FIGURES = {
    "recognise.theorem-3-1": Shown("relaxed_recognise", RECOGNISE, {}, PACES),
    "recognise.theorem-3-2": Shown("relaxed_recognise", RECOGNISE, {}),
    "recognise.theorem-3-3-loss": Shown("relaxed_recognise", RECOGNISE, {}),
    "recognise.theorem-3-3-attention": Shown("relaxed_recognise", RECOGNISE, {}),
    "acquire.proposition-1": Shown("relaxed_acquire", ACQUIRE, {}, otherwise=("biases",)),
    "acquire.proposition-2": Shown("relaxed_acquire", ACQUIRE, {}),
    "acquire.theorem-2": Shown("relaxed_acquire", ACQUIRE, {}),
    "acquire.proposition-3": Shown("relaxed_acquire", ACQUIRE, {}),
    "recall.theorem-1": Shown("relaxed_recall", RECALL, COLD),
    "recall.theorem-2": Shown("relaxed_recall", RECALL, {}),
    "recall.theorem-3": Shown("relaxed_recall", RECALL, COLD),
    "recall.lemma-6": Shown("relaxed_recall", RECALL, {}),
}
"""By statement."""


def settings(statement: str, relaxation: str) -> dict[str, float] | None:
    """Where the figure shows a cell; None if none does.

    A cell that is weakened, where some seeds hold and others fail, is not shown by one run.
    """
    shown = FIGURES.get(statement)
    if shown is None or relaxation not in shown.order or relaxation in shown.otherwise:
        return None
    if cells()[statement, relaxation].verdict == "weakened":
        return None
    return {
        "relaxation": shown.order.index(relaxation),
        **shown.settings,
        **shown.of_cells.get(relaxation, {}),
    }


def address(statement: str, relaxation: str) -> str:
    """The address of the figure at a cell's settings, from a page of this chapter; empty if none shows it."""
    chosen = settings(statement, relaxation)
    if chosen is None:
        return ""
    menu = quote(RELAXATIONS[relaxation].title)  # a choice stands in an address by its words
    values = "".join(f"&{name}={value:g}" for name, value in chosen.items() if name != "relaxation")
    return f"{FIGURES[statement].page}.html#~relaxation={menu}{values}"


def telling() -> list[tuple[str, str]]:
    """The cells with a live figure in which an assumption brings the statement down: (statement, relaxation)."""
    return [key for key, cell in cells().items() if cell.verdict == "fails" and settings(*key) is not None]


def live_cells(paper: str) -> Markdown:
    """A paper's cells with a live figure: a row for each assumption, each verdict a link to the run."""
    statements = [id for id in FIGURES if id.startswith(f"{paper}.")]
    (order,) = {FIGURES[id].order for id in statements}
    known = {entry["id"]: entry for id in statements for entry in entries.entries(id)}
    rows = [
        (RELAXATIONS[relaxation].title, *(_linked(id, relaxation) for id in statements))
        for relaxation in order
    ]
    live = sum(bool(address(id, relaxation)) for id in statements for relaxation in order)
    fallen = sum(id in statements for id, _ in telling())
    heads = ("assumption dropped", *(entries.linked(known[id]) for id in statements))
    return Markdown(
        f"{live} cells lead to a run; in {fallen} of them the statement falls.\n\n{table(heads, rows)}"
    )


def _linked(statement: str, relaxation: str) -> str:
    cell = cells()[statement, relaxation]
    words = f"{SIGNS[cell.verdict]} {cell.verdict}, {cell.held} of {cell.seeds}"
    where = address(statement, relaxation)
    return f'<a href="{where}">{words}</a>' if where else words
