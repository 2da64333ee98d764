"""The stored table of theorems outside their assumptions: verdicts by one rule, and how they are printed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

import pandas as pd
from IPython.display import HTML, Markdown

from book.figures import listed
from book.ledger import entries
from book.ledger.bounds import plain
from book.ledger.markdown import table
from book.sweep import ROOT
from book.together.cells import SIGNS, VERDICTS, Cell, address, cells, given_up, in_words, of_cell
from book.together.experiments.outside import NOT_APPLICABLE, RUNS, SETTINGS
from book.together.experiments.relaxations import RELAXATIONS, Relaxation
from book.together.relaxed import THEOREMS

PREDICTED = ROOT / "book" / "together" / "predicted-outside.md"


def of_paper(paper: str) -> list[str]:
    """The ids of a paper's statements, in the order of the book."""
    known = {statement for statement, _ in cells()}
    return [entry["id"] for entry in entries.entries(f"{paper}.") if entry["id"] in known]


def predictions(path: Path = PREDICTED) -> dict[tuple[str, str], str]:
    """What ``predicted-outside.md``, or another table of predictions, says of each cell."""
    lines = [line.strip("| ").split(" | ") for line in path.read_text().splitlines() if line[:1] == "|"]
    head, _, *rows = lines
    return {
        (statement, row[0]): said
        for row in rows
        for statement, said in zip(head[1:], row[1:], strict=True)
        if said != "does not apply"
    }


def summary() -> Markdown:
    """Which statements last longest and which fall first, and how many verdicts were predicted."""
    counts = _holding()
    sturdy, weak = (
        [f"“{THEOREMS[id].claim}”" for id, count in counts.items() if count == extreme]
        for extreme in (max(counts.values()), min(counts.values()))
    )
    relaxed = given_up(cells())
    right = sum(cell.verdict == predictions()[key] for key, cell in relaxed.items())
    return Markdown(
        f"The sturdiest are {listed(sturdy)}; the first to fall are {listed(weak)}. Before the runs we "
        f"had predicted {right} of the {len(relaxed)} verdicts correctly."
    )


def _finding() -> str:
    """What the picture shows, in a sentence or two."""
    tally = Counter(cell.verdict for cell in given_up(cells()).values())
    ranked = by_relaxation()
    unbroken = ranked[(ranked.weakened + ranked.fails) == 0].title
    named = [title for title in unbroken if title != RELAXATIONS["none"].title]
    harmless = listed(named) if named else "none of them"
    worst = ranked.iloc[-1]
    return (
        f"<b>{tally['holds']} of {tally.total()} combinations still hold.</b> Nothing breaks with {harmless}, "
        f"most with {worst.title}."
    )


def _holding() -> dict[str, int]:
    """By statement: under how many relaxations it holds."""
    return {
        id: sum(
            cell.verdict == "holds"
            for (other, each), cell in cells().items()
            if other == id and each != "none"
        )
        for id in THEOREMS
    }


def picture() -> HTML:
    """The whole table as squares: a row for each relaxation, a column for each statement, the sturdiest first."""
    counts = _holding()
    columns = [
        (paper, id)
        for paper in RUNS
        for id in sorted(of_paper(paper), key=lambda id: counts[id], reverse=True)
    ]
    names = {in_words(about): relaxation for relaxation, about in RELAXATIONS.items()}
    rows = "".join(
        row(RELAXATIONS[name], [_square(id, paper, name) for paper, id in columns])
        for name in (names[title] for title in by_relaxation().title)
    )
    claims = [(id, THEOREMS[id].claim) for _, id in columns]
    first = next(key for key, cell in cells().items() if cell.verdict == "fails")
    chosen = "".join(_chosen(*key) for key in (first, *(key for key in cells() if key != first)))
    return squares(_finding(), given_up(cells()).values(), RUNS, claims, rows, beside=chosen)


def squares(
    finding: str,
    known: Iterable[Cell],
    papers: Iterable[str],
    claims: Iterable[tuple[str, str]],
    rows: str,
    signs: Iterable[str] = SIGNS,
    beside: str = "",
) -> HTML:
    """A table as squares, below what it shows: papers above four claims each, a claim with its statement's id.

    ``beside`` are the runs of every square, of which those of the chosen one are seen; at first, the first ones.
    """
    over = "".join(
        f'<th role="columnheader" scope="colgroup" colspan="4">{paper.capitalize()}</th>' for paper in papers
    )
    heads = "".join(_head(id, claim) for id, claim in claims)
    corner = '<td role="cell"></td>'
    chosen = f'<div class="chosen" role="status">{beside}</div>' if beside else ""
    return HTML(
        f'<figure class="picture survival"><p class="finding">{finding}</p><p class="key">{_key(known, signs)}</p>'
        '<table role="table">'
        f'<thead role="rowgroup"><tr role="row">{corner}{over}</tr><tr role="row">{corner}{heads}</tr></thead>'
        f'<tbody role="rowgroup">{rows}</tbody></table>{chosen}</figure>'
    )


def _key(known: Iterable[Cell], signs: Iterable[str]) -> str:
    """What these signs mean, and how many cells have each."""
    tally = Counter(cell.verdict for cell in known)
    counted = {verdict: f" ({tally[verdict]})" if tally[verdict] else "" for verdict in signs}
    return " ".join(
        f'<span><span class="square {_kind(verdict)}" aria-hidden="true">{SIGNS[verdict]}</span> '
        f"{verdict}{count}</span>"
        for verdict, count in counted.items()
    )


def _kind(verdict: str) -> str:
    return verdict if verdict != "does not apply" else "none"


def _head(id: str, claim: str) -> str:
    """The head of a column, a link to the statement's page."""
    (entry,) = (entry for entry in entries.entries(id) if entry["id"] == id)
    address = f"../{entry['page'].removeprefix('book/')}.html"
    words = f"{id.partition('.')[0].capitalize()}, {entries.name(entry)}: {entry['title']}"
    return f'<th role="columnheader" scope="col"><a href="{address}" title="{escape(words)}">{claim}</a></th>'


def row(about: Relaxation, shown: Iterable[str]) -> str:
    """A row of :func:`squares`: what is given up, and its squares."""
    cells = "".join(f'<td role="cell">{each}</td>' for each in shown)
    words = f'<abbr title="{escape(about.words)}" tabindex="0">{in_words(about)}</abbr>'
    return f'<tr role="row"><th role="rowheader" scope="row">{words}</th>{cells}</tr>'


def _square(id: str, paper: str, relaxation: str) -> str:
    """A cell: a sign that leads to its runs, with the statement, the verdict, seeds and interval in words."""
    if reason := NOT_APPLICABLE.get((paper, relaxation)):
        words = f"does not apply: {reason}"
        sign = SIGNS["does not apply"]
        return f'<span class="square none" role="img" aria-label="{words}" title="{words}">{sign}</span>'
    return square(cells()[id, relaxation], THEOREMS[id].claim, RELAXATIONS[relaxation], place(id, relaxation))


def place(statement: str, relaxation: str) -> str:
    """The place on the page of what is said of a cell, beside the table."""
    return f"cell-{statement.replace('.', '-')}-{relaxation}"


def _chosen(statement: str, relaxation: str) -> str:
    """What is seen of a chosen cell: its runs, what decides them, and where to see one."""
    cell, about = cells()[statement, relaxation], RELAXATIONS[relaxation]
    seeds, name, must, numbers = measured(cell, of_cell(statement, relaxation))
    where = address(statement, relaxation)
    live = f'<a class="run" href="{where}">▶ see such a run</a> · ' if where else ""
    paper = statement.partition(".")[0]
    return (
        f'<section id="{place(statement, relaxation)}"><p><b>{THEOREMS[statement].claim}</b>: {in_words(about)}</p>'
        f'<p><span class="square {cell.verdict}" aria-hidden="true">{SIGNS[cell.verdict]}</span> '
        f"<b>{cell.verdict}</b>: {cell.held} of {cell.seeds} runs come out as it says.</p>"
        f'<p class="seeds" aria-hidden="true">{seeds}</p>'
        f"<p>{escape(name)}: {escape(must)}. Measured: {numbers}.</p>"
        f'<p>{live}<a href="#{anchor(paper, relaxation)}">all its numbers</a></p></section>'
    )


def square(cell: Cell, claim: str, about: Relaxation, runs: str) -> str:
    """A verdict's sign, with seeds and interval in words; it leads to the runs at this place on the page."""
    held = f"{cell.held} of {cell.seeds} ({cell.low:.2f} to {cell.high:.2f})"
    words = f"{claim}, {in_words(about)}: {cell.verdict}, {held}"
    return (
        f'<a class="square {cell.verdict}" href="#{runs}" aria-label="{words}" title="{words}">'
        f"{SIGNS[cell.verdict]}</a>"
    )


def all_sizes() -> Markdown:
    """The sizes of every paper's runs, in a list."""
    return Markdown("\n".join(f"- **{paper.capitalize()}.** {sizes(paper)}" for paper in RUNS))


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
            lines = [_line(statement, relaxation) for statement in of_paper(paper)]
            head = f"{paper.capitalize()}, {in_words(about)}"
            blocks.append(folded(anchor(paper, relaxation), head, (*MEASURED, "live"), lines))
    return Markdown("\n\n".join(blocks))


MEASURED = ("statement", "seeds", "quantity", "bound", "measured, least and greatest")
"""The columns of :func:`measured`, behind a name."""


def folded(anchor: str, head: str, columns: tuple[str, ...], lines: Sequence[tuple[str, ...]]) -> str:
    """Runs in a folded table."""
    return f'<details class="runs" id="{anchor}"><summary>{head}</summary>\n\n{table(columns, lines)}\n\n</details>'


def measured(cell: Cell, some: pd.DataFrame) -> tuple[str, str, str, str]:
    """A cell's runs: signs of its seeds, and the bound that fails most often, with its least and greatest number."""
    decisive = some[some.bound == (cell.broken or some.bound.iloc[0])]
    seeds = "".join(SIGNS["holds" if held else "fails"] for held in some.holds)
    low, high = (plain(value) for value in (decisive.measured.min(), decisive.measured.max()))
    return seeds, decisive.bound.iloc[0], decisive.must.iloc[0], f"{low} to {high}"


def _line(statement: str, relaxation: str) -> tuple[str, ...]:
    """A cell's runs in one line, and a link to a live figure if there is one."""
    known = {entry["id"]: entry for entry in entries.entries(statement)}
    where = address(statement, relaxation)
    live = f'<a href="{where}">see a run</a>' if where else ""
    cell = cells()[statement, relaxation]
    return entries.name(known[statement]), *measured(cell, of_cell(statement, relaxation)), live


def as_predicted() -> pd.DataFrame:
    """How many cells have each verdict, by the predicted one."""
    said = predictions()
    pairs = Counter((said[key], cell.verdict) for key, cell in given_up(cells()).items())
    return pd.DataFrame(
        [{"predicted": before, **{after: pairs[before, after] for after in VERDICTS}} for before in VERDICTS]
    )


class Tally(NamedTuple):
    """How many statements have each verdict under a relaxation."""

    title: str
    holds: int
    weakened: int
    fails: int


def by_relaxation() -> pd.DataFrame:
    """The relaxations by how many statements hold under them, the least harmful first."""
    rows = []
    for relaxation, about in RELAXATIONS.items():
        tally = Counter(cell.verdict for (_, each), cell in cells().items() if each == relaxation)
        rows.append(Tally(in_words(about), tally["holds"], tally["weakened"], tally["fails"]))
    frame = pd.DataFrame(rows)
    return frame.sort_values(["holds", "weakened"], ascending=False, kind="stable", ignore_index=True)


def _named(statement: str) -> str:
    """A statement with its chapter: "Recall: Lemma 6"."""
    (entry,) = (entry for entry in entries.entries(statement) if entry["id"] == statement)
    return f"{statement.partition('.')[0].capitalize()}: {entries.name(entry)}"


def by_statement() -> pd.DataFrame:
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
    return mispredicted(
        cells(),
        predictions(),
        lambda id, relaxation: {"statement": _named(id), "relaxation": in_words(RELAXATIONS[relaxation])},
    )


def mispredicted(
    known: Mapping[tuple[str, str], Cell],
    said: Mapping[tuple[str, str], str],
    names: Callable[[str, str], dict[str, str]],
) -> pd.DataFrame:
    """Those of the cells whose verdict is not the one that was said, with the columns that ``names`` gives each."""
    return pd.DataFrame(
        [
            {
                **names(*key),
                "predicted": said[key],
                "measured": cell.verdict,
                "held": f"{cell.held} of {cell.seeds}",
            }
            for key, cell in known.items()
            if cell.verdict != said[key]
        ]
    )
