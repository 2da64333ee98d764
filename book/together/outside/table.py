"""The stored table of theorems outside their assumptions: verdicts by one rule, and how they are printed."""

from __future__ import annotations

from collections import Counter
from html import escape
from typing import Any, NamedTuple

import pandas as pd
from IPython.display import Markdown

from book.ledger import tables
from book.ledger.bounds import plain
from book.ledger.markdown import table
from book.sweep import ROOT
from book.together.cells import SIGNS, cells, of_cell
from book.together.experiments.outside import NOT_APPLICABLE, RUNS, SETTINGS
from book.together.experiments.relaxations import RELAXATIONS
from book.together.live_cells import address

PREDICTED = ROOT / "book" / "together" / "predicted-outside.md"


def of_paper(paper: str) -> list[str]:
    """The ids of a paper's statements, in the order of the book."""
    known = {statement for statement, _ in cells()}
    return [entry["id"] for entry in tables.entries(f"{paper}.") if entry["id"] in known]


def predictions() -> dict[tuple[str, str], str]:
    """What ``predicted-outside.md`` says of each cell."""
    lines = [line.strip("| ").split(" | ") for line in PREDICTED.read_text().splitlines() if line[:1] == "|"]
    head, _, *rows = lines
    return {
        (statement, row[0]): said
        for row in rows
        for statement, said in zip(head[1:], row[1:], strict=True)
        if said != "does not apply"
    }


def summary() -> Markdown:
    """What survives and what falls, in sentences made from the table."""
    given_up = {key: cell for key, cell in cells().items() if key[1] != "none"}
    tally, own = (
        Counter(cell.verdict for cell in some.values())
        for some in (given_up, {key: cell for key, cell in cells().items() if key[1] == "none"})
    )
    by_relaxation, by_statement = standings(), statements_standing()
    harmless = by_relaxation[(by_relaxation.weakened + by_relaxation.fails) == 0].title
    named = [title for title in harmless if title != RELAXATIONS["none"].title]
    worst, tried = by_relaxation.iloc[-1], by_statement.holds + by_statement.weakened + by_statement.fails
    sturdy = by_statement[by_statement.holds == by_statement.holds.max()].statement.tolist()
    weak = by_statement[by_statement.holds == by_statement.holds.min()].statement.tolist()
    right = sum(cell.verdict == predictions()[key] for key, cell in given_up.items())
    return Markdown(
        f"In the papers' own settings {own['holds']} of {own.total()} statements hold. Of {tally.total()} cells "
        f"outside them **{tally['holds']} hold, {tally['weakened']} are weakened and {tally['fails']} fail**. "
        f"All statements survive {_listed(named)}. The fewest survive {worst.title}: {worst.holds} of "
        f"{worst.holds + worst.weakened + worst.fails}. The sturdiest is {_listed(sturdy)}, with "
        f"{by_statement.holds.max()} of {tried.iloc[0]}; the first to fall is {_listed(weak)}, with "
        f"{by_statement.holds.min()} of {tried.iloc[-1]}. We had predicted the verdicts of {right} of the "
        f"{len(given_up)} cells."
    )


def _listed(words: list[str]) -> str:
    """The words in a sentence: "none", "a", "a and b" or "a, b and c"."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words) or "none of them"


def grid(paper: str) -> Markdown:
    """A paper's part of the table: a row for each relaxation, a column for each statement."""
    statements, known = of_paper(paper), {entry["id"]: entry for entry in tables.entries(f"{paper}.")}
    rows = []
    for relaxation, about in RELAXATIONS.items():
        words = f'<abbr title="{escape(about.words)}" tabindex="0">{about.title}</abbr>'
        rows.append((words, *(_shown(statement, paper, relaxation) for statement in statements)))
    heads = [tables.linked(known[statement]) for statement in statements]
    return Markdown(f"{sizes(paper)}\n\n{table(('assumption dropped', *heads), rows)}")


def sizes(paper: str) -> str:
    """The sizes of a paper's runs, in a sentence."""
    if paper == "recall":
        warm, cold = (SETTINGS[paper][name] for name in ("theorem-2", "theorem-3"))
        return (
            f"Theorem 2 and Lemma 6: {warm['subjects']} subjects, all prompts, $T = {warm['temperature']:g}$. "
            f"Theorems 1 and 3: {cold['subjects']} subjects, {cold['prompts']} prompts, $T = {cold['temperature']:g}$."
        )
    chosen = SETTINGS[paper]
    if paper == "acquire":
        return (
            f"{chosen['subjects']} facts, $R = {chosen['phrases']}$, $K = {chosen['multiplicity']}$, "
            f"$m = {chosen['neurons']}$, $d = {chosen['dimension']:g}$."
        )
    return (
        f"{chosen['samples']} samples of {chosen['length']} words, $m = {chosen['width']}$, "
        f"$m_1 = {chosen['neurons']}$, {chosen['steps']} steps."
    )


def _shown(statement: str, paper: str, relaxation: str) -> str:
    """A cell: sign, word, seeds and interval, linked to its runs."""
    if reason := NOT_APPLICABLE.get((paper, relaxation)):
        return f'<span class="outside none">{SIGNS["does not apply"]} does not apply: {reason}</span>'
    cell = cells()[statement, relaxation]
    (entry,) = (entry for entry in tables.entries(statement) if entry["id"] == statement)
    which = f'<span class="which">{tables.name(entry)}: </span>'  # on a phone, where the columns have no head
    return (
        f'<a class="outside {cell.verdict}" href="#{anchor(paper, relaxation)}">{which}'
        f"{SIGNS[cell.verdict]} {cell.verdict}, "
        f"{cell.held} of {cell.seeds} ({cell.low:.2f} to {cell.high:.2f})</a>"
    )


def anchor(paper: str, relaxation: str) -> str:
    """The place on the page of a paper's runs under a relaxation."""
    return f"runs-{paper}-{relaxation}"


def all_runs() -> Markdown:
    """Every cell's runs, folded: a line for each paper and relaxation."""
    blocks = []
    for paper in RUNS:
        for relaxation, about in RELAXATIONS.items():
            if (paper, relaxation) in NOT_APPLICABLE:
                continue
            head = f"{paper.capitalize()}, {about.title}"
            lines = table(
                ("statement", "seeds", "quantity", "bound", "measured, least and greatest", "live"),
                [_line(statement, relaxation) for statement in of_paper(paper)],
            )
            blocks.append(
                f'<details class="erratum" id="{anchor(paper, relaxation)}"><summary>{head}</summary>\n\n{lines}\n\n'
                "</details>"
            )
    return Markdown("\n\n".join(blocks))


def _line(statement: str, relaxation: str) -> tuple[str, ...]:
    """A cell's runs in one line: signs of its seeds, the numbers of the bound that fails most often, a live figure."""
    known = {entry["id"]: entry for entry in tables.entries(statement)}
    some = of_cell(statement, relaxation)
    told = some[some.bound == (cells()[statement, relaxation].broken or some.bound.iloc[0])]
    seeds = "".join(SIGNS["holds" if held else "fails"] for held in some.holds)
    low, high = (plain(value) for value in (told.measured.min(), told.measured.max()))
    where = address(statement, relaxation)
    live = f'<a href="{where}">see a run</a>' if where else ""
    return (
        tables.name(known[statement]),
        seeds,
        told.bound.iloc[0],
        told.must.iloc[0],
        f"{low} to {high}",
        live,
    )


def as_predicted() -> pd.DataFrame:
    """How many cells have each verdict, by the predicted one."""
    said = predictions()
    pairs = Counter((said[key], cell.verdict) for key, cell in cells().items() if key[1] != "none")
    verdicts = [word for word in SIGNS if word != "does not apply"]
    return pd.DataFrame(
        [{"predicted": before, **{after: pairs[before, after] for after in verdicts}} for before in verdicts]
    )


class Standing(NamedTuple):
    """How many statements a relaxation leaves standing."""

    title: str
    holds: int
    weakened: int
    fails: int


def standings() -> pd.DataFrame:
    """The relaxations by how many statements they leave standing, the least harmful first."""
    rows = []
    for relaxation, about in RELAXATIONS.items():
        tally = Counter(cell.verdict for (_, each), cell in cells().items() if each == relaxation)
        rows.append(Standing(about.title, tally["holds"], tally["weakened"], tally["fails"]))
    frame = pd.DataFrame(rows)
    return frame.sort_values(["holds", "weakened"], ascending=False, kind="stable", ignore_index=True)


def _named(statement: str) -> str:
    """A statement with its chapter: "Recall: Lemma 6"."""
    (entry,) = (entry for entry in tables.entries(statement) if entry["id"] == statement)
    return f"{statement.partition('.')[0].capitalize()}: {tables.name(entry)}"


def statements_standing() -> pd.DataFrame:
    """The statements by how many relaxations they survive, the sturdiest first."""
    rows = []
    for statement in dict.fromkeys(id for id, _ in cells()):
        some = [cell for (id, each), cell in cells().items() if id == statement and each != "none"]
        tally = Counter(cell.verdict for cell in some)
        broken = Counter(cell.broken for cell in some if cell.verdict != "holds").most_common(1)
        rows.append(
            {
                "statement": _named(statement),
                "holds": tally["holds"],
                "weakened": tally["weakened"],
                "fails": tally["fails"],
                "first": broken[0][0] if broken else "–",
            }
        )
    return pd.DataFrame(rows).sort_values("holds", ascending=False, kind="stable", ignore_index=True)


def against_predictions() -> pd.DataFrame:
    """The cells whose verdict is not the predicted one."""
    said = predictions()
    rows: list[dict[str, Any]] = [
        {
            "statement": _named(id),
            "relaxation": RELAXATIONS[relaxation].title,
            "predicted": said[id, relaxation],
            "measured": cell.verdict,
            "held": f"{cell.held} of {cell.seeds}",
        }
        for (id, relaxation), cell in cells().items()
        if cell.verdict != said[id, relaxation]
    ]
    return pd.DataFrame(rows)
