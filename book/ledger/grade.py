"""Whether the run at a page's address meets the challenge that stands in it: ``python -m book check ADDRESS …``.

A file in the place of addresses holds those of a class, one a line, after a name if there is one: then what is printed
is a table.

A challenge is ``goal=verdict=outside,temperature<=0.05`` in the address: conditions on a figure's settings and on the
report of its run. The page says when they are met; this grades what a reader hands in, by the same code in torch.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlsplit

import ipywidgets as ipw
from torch.utils import _pytree as pytree

from book.errors import BadInput
from book.gallery import figures_of
from book.ledger.registry import pages
from widgets import Live
from widgets.figure.compiled import fields
from widgets.figure.settings import LINKED_BY_INDEX
from widgets.figure.verdict import OUTCOMES
from widgets.goals import WORDS, Condition, parse_goal
from widgets.site.state import OPTIONS

ADDRESS_AT_END = re.compile(r"(?:(?:https?|file)://|[^\s,;]+#~)\S+$")


class Grade(NamedTuple):
    """A condition, the value that the run has, and whether it meets the condition."""

    condition: Condition
    value: str
    met: bool


def grade(address: str) -> list[Grade]:
    """A grade for each condition of the challenge in an address, at the run that the address describes.

    Raises:
        BadInput: the address has no page of the book, no challenge, or names what the page does not have.
    """
    try:
        parts = urlsplit(address)
    except ValueError as error:
        raise BadInput(f"address = {address}: {error}") from error
    page = page_of(parts.path)
    if page is None:
        raise BadInput(
            f"address = {address}: must end in a page of the book, such as book/recall/saddle.html"
        )
    state = dict(parse_qsl(parts.fragment.removeprefix("~"), keep_blank_values=True))
    if "goal" not in state:
        raise BadInput(f"address = {address}: must hold a challenge, goal=…")
    try:
        conditions = parse_goal(state["goal"])
    except ValueError as error:
        raise BadInput(str(error)) from None
    moved = {name: text for name, text in state.items() if name not in OPTIONS}
    for figure in figures_of(page):
        live = figure.make()
        if _knows(live, conditions) and (values := _values(live, moved)) is not None:
            return graded(live, conditions, values)
    raise BadInput(f"address = {address}: no figure of {page} knows all that it names")


def page_of(path: str) -> str | None:
    """The page that an address's path ends in, with or without ``book/`` and ``.html``; None if there is none."""
    end = f"/{path.removesuffix('.html')}"
    known = sorted(pages(), key=len, reverse=True)  # recall/index before index
    return next((page for page in known if end.endswith(f"/{page.removeprefix('book/')}")), None)


def _knows(live: Live, conditions: Sequence[Condition]) -> bool:
    spec = live.figure.spec
    return all(
        condition.name in spec["goals"] or (condition.name == "verdict" and spec["statements"])
        for condition in conditions
    )


def _values(live: Live, moved: Mapping[str, str]) -> dict[str, float] | None:
    """The parameters at an address, None if the figure has not all that it names."""
    spec = live.figure.spec
    values = {parameter["name"]: float(parameter["default"]) for parameter in spec["parameters"]}
    for name_in_address, text in moved.items():
        name = next(
            (
                name
                for name, control in live.controls.items()
                if f"url-{name_in_address}" in control._dom_classes
            ),
            None,
        )
        if name is None:
            return None
        values[name] = _number(live.controls[name], text)
    return values


def _number(control: ipw.Widget, text: str) -> float:
    """The number that a control's text in an address stands for."""
    if isinstance(control, LINKED_BY_INDEX):
        number_of = {str(label): value for label, value in control._options_full}
        if text not in number_of:
            raise BadInput(f"{control.description} = {text}: must be one of {', '.join(number_of)}")
        return float(number_of[text])
    try:
        return float(text)
    except ValueError:
        raise BadInput(f"{control.description} = {text}: must be a number") from None


def graded(live: Live, conditions: Sequence[Condition], values: Mapping[str, float]) -> list[Grade]:
    """A grade for each condition at the run with these parameters."""
    try:
        report = live.figure.check(list(values.values())).report
    except ValueError as error:
        raise BadInput(str(error)) from error
    return grades_of(
        live, conditions, values, dict(zip(fields(report), pytree.tree_leaves(report), strict=True))
    )


def grades_of(
    live: Live, conditions: Sequence[Condition], values: Mapping[str, float], report: Mapping[str, Any]
) -> list[Grade]:
    """A grade for each condition at the run with these parameters and this report, whose fields are numbers."""
    grades: list[Grade] = []
    for condition in conditions:
        if condition.name == "verdict":
            place = live.figure.spec["verdicts"][0]["outcome"]
            key = tuple(OUTCOMES)[int(report[place])]
            grades.append(Grade(condition, key, key == condition.wanted))
            continue
        set_by_slider = condition.name in values
        number = values[condition.name] if set_by_slider else float(report[condition.name])
        grades.append(Grade(condition, f"{number:.6g}", condition.met_by(number, set_by_slider)))
    return grades


def sentence(result: Grade) -> str:
    """A grade in words."""
    name, sign, wanted = result.condition
    mark = "✓" if result.met else "✕"
    if name == "verdict":
        return f"{mark} {OUTCOMES[wanted]}" + ("" if result.met else f": not here, {OUTCOMES[result.value]}")
    return f"{mark} {name} {WORDS[sign]} {wanted}: it is {result.value}"


def print_class(inputs: Sequence[str]) -> int:
    """Print a table for each file of addresses, and the grades of each address; returns as :func:`print_grades`."""
    files = [name for name in inputs if _is_file(name)]
    addresses = [name for name in inputs if name not in files]
    return max([*(print_table(Path(name)) for name in files), print_grades(addresses) if addresses else 0])


def _is_file(name: str) -> bool:
    return "#" not in name and Path(name).is_file()


class Answer(NamedTuple):
    """A line of a class's file: who it is from, the address, and what is said of it."""

    name: str
    page: str
    outcome: str
    """``met``, ``not met`` or ``no answer``."""
    says: str


def read_answers(path: Path) -> list[Answer]:
    """The answers in a file, graded: on each line an address, after a name, a comma or a tab if there is one.

    Lines that are empty or begin with ``#`` are left out.

    Raises:
        BadInput: there is no answer in the file, or it is no text.
    """
    try:
        lines = [line.strip() for line in path.read_text(encoding="utf-8-sig").splitlines()]
    except UnicodeDecodeError as error:
        raise BadInput(f"{path}: must be a text with an address on each line ({error.reason})") from error
    answers = [
        _answer(place, line) for place, line in enumerate(lines, 1) if line and not line.startswith("#")
    ]
    if not answers:
        raise BadInput(f"{path}: must hold an address on each line")
    return answers


def _answer(place: int, line: str) -> Answer:
    match = ADDRESS_AT_END.search(line)
    address = (match[0] if match else line).strip('"')
    name = line[: match.start()].strip(' \t,;"') if match else ""
    name = name or f"line {place}"
    try:
        grades = grade(address)
    except BadInput as error:
        return Answer(name, "", "no answer", str(error))
    page = page_of(urlsplit(address).path) or ""
    missing = [sentence(result) for result in grades if not result.met]
    return Answer(name, page, "not met" if missing else "met", "; ".join(missing))


def print_table(path: Path) -> int:
    """Print a table of a class's answers: 0 if all meet their challenge, 1 if one does not, 2 if one has none."""
    answers = read_answers(path)
    rows = [("who", "page", "challenge", "missing"), *answers]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    for *cells, says in rows:
        print(
            "  ".join(
                [*(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)), says]
            ).rstrip()
        )
    outcomes = [answer.outcome for answer in answers]
    print(f"\n{outcomes.count('met')} of {len(answers)} have met their challenge.")
    return 2 if "no answer" in outcomes else 1 if "not met" in outcomes else 0


def print_grades(addresses: Sequence[str]) -> int:
    """Print the grades of every address: 0 if all meet their challenge, 1 if one does not, 2 if one has none."""
    worst = 0
    for address in addresses:
        print(address)
        try:
            grades = grade(address)
        except BadInput as error:
            print(f"  {error}", file=sys.stderr)
            worst = 2
            continue
        for result in grades:
            print(f"  {sentence(result)}")
        met = all(result.met for result in grades)
        print("  met" if met else "  not met")
        worst = max(worst, 0 if met else 1)
    return worst
