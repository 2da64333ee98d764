"""``python -m book.check ADDRESS …``: whether the run at a page's address meets the challenge that stands in it.

A challenge is ``goal=verdict=outside,temperature<=0.05`` in the address: conditions on a figure's settings and on what
its run reports. The page says when they are met; this grades what a reader hands in, by the same code in torch.
"""

from __future__ import annotations

import operator
import re
import sys
from collections.abc import Mapping, Sequence
from typing import NamedTuple
from urllib.parse import parse_qsl, urlsplit

import ipywidgets as ipw
from torch.utils import _pytree as pytree

from book.gallery import figures_of
from book.ledger.registry import pages
from book.ledger.results import outcome
from widgets import Live
from widgets.figure.live import LINKED_BY_INDEX, fields
from widgets.figure.verdict import OUTCOMES
from widgets.site.state import OPTIONS

CONDITION = re.compile(r"(\w+)(<=|>=|=)(\S+)")
HOLDS = {"<=": operator.le, ">=": operator.ge}
WORDS = {"<=": "at most", ">=": "at least"}


class Condition(NamedTuple):
    """``name`` is a parameter, a field of the report, or "verdict", which has the sign "=" and an outcome's name."""

    name: str
    sign: str
    wanted: str


class Graded(NamedTuple):
    """A condition, what the run has in its place, and whether that will do."""

    condition: Condition
    found: str
    met: bool


def graded(address: str) -> list[Graded]:
    """Each condition of the challenge in an address, at the run that the address describes.

    Raises:
        ValueError: the address has no page of the book, no challenge, or names what the page does not have.
    """
    parts = urlsplit(address)
    page = next((page for page in pages() if parts.path.removesuffix(".html").endswith(page)), None)
    if page is None:
        raise ValueError(
            f"address = {address}: must end in a page of the book, such as book/recall/saddle.html"
        )
    asked = dict(parse_qsl(parts.fragment.removeprefix("~"), keep_blank_values=True))
    if "goal" not in asked:
        raise ValueError(f"address = {address}: must hold a challenge, goal=…")
    conditions = parsed(asked["goal"])
    moved = {name: text for name, text in asked.items() if name not in OPTIONS}
    for figure in figures_of(page):
        live = figure.make()
        if _knows(live, conditions) and (values := _values(live, moved)) is not None:
            return _judged(live, conditions, values)
    raise ValueError(f"address = {address}: no figure of {page} knows all that it names")


def parsed(goal: str) -> list[Condition]:
    """The conditions of a challenge.

    Raises:
        ValueError: one of them is none.
    """
    found = []
    for text in goal.split(","):
        match = CONDITION.fullmatch(text)
        one = Condition(*match.groups()) if match else None
        if one is None or not (one.wanted in OUTCOMES if one.name == "verdict" else _is_number(one)):
            raise ValueError(
                f"goal = {text}: must be NAME<=NUMBER, NAME>=NUMBER or verdict=, one of {', '.join(OUTCOMES)}"
            )
        found.append(one)
    return found


def _is_number(one: Condition) -> bool:
    try:
        return one.sign in HOLDS and abs(float(one.wanted)) < float("inf")
    except ValueError:
        return False


def _knows(live: Live, conditions: Sequence[Condition]) -> bool:
    spec = live.figure.spec
    return all(
        one.name in spec["goals"] or (one.name == "verdict" and spec["statements"]) for one in conditions
    )


def _values(live: Live, moved: Mapping[str, str]) -> dict[str, float] | None:
    """The parameters at an address, None if the figure has not all that it names."""
    spec = live.figure.spec
    values = {p["name"]: float(p["default"]) for p in spec["parameters"]}
    for called, text in moved.items():
        name = next(
            (name for name, one in live.controls.items() if f"url-{called}" in one._dom_classes), None
        )
        if name is None:
            return None
        values[name] = _number(live.controls[name], text)
    return values


def _number(control: ipw.Widget, text: str) -> float:
    if isinstance(control, LINKED_BY_INDEX):
        named = {str(label): value for label, value in control._options_full}
        if text not in named:
            raise ValueError(f"{control.description} = {text}: must be one of {', '.join(named)}")
        return float(named[text])
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{control.description} = {text}: must be a number") from None


def _judged(live: Live, conditions: Sequence[Condition], values: dict[str, float]) -> list[Graded]:
    report = live.figure.check(list(values.values())).report
    numbers = dict(zip(fields(report), pytree.tree_leaves(report), strict=True))
    spec = live.figure.spec
    found: list[Graded] = []
    for one in conditions:
        if one.name == "verdict":
            chips = spec["verdicts"][0]
            key = outcome(
                *(bool(numbers[chips[chip]] > 0.5) for chip in ("assumed", "concluded", "undecided"))
            )
            found.append(Graded(one, key, key == one.wanted))
        else:
            number = values[one.name] if one.name in values else float(numbers[one.name])
            # a slider's position need not be the number it shows
            slack = 1e-9 * abs(number) if one.name in values else 0.0
            met = HOLDS[one.sign](number, float(one.wanted) + (slack if one.sign == "<=" else -slack))
            found.append(Graded(one, f"{number:.6g}", met))
    return found


def sentence(one: Graded) -> str:
    """What was asked, and what was found."""
    name, sign, wanted = one.condition
    mark = "✓" if one.met else "✕"
    if name == "verdict":
        return f"{mark} {OUTCOMES[wanted]}" + ("" if one.met else f": not here, {OUTCOMES[one.found]}")
    return f"{mark} {name} {WORDS[sign]} {wanted}: it is {one.found}"


def main(addresses: Sequence[str]) -> int:
    """Grade every address; 0 if all meet their challenge, 1 if one does not, 2 if one cannot be graded."""
    worst = 0 if addresses else 2
    if not addresses:
        print(__doc__)
    for address in addresses:
        print(address)
        try:
            answers = graded(address)
        except ValueError as error:
            print(f"  {error}", file=sys.stderr)
            worst = 2
            continue
        for one in answers:
            print(f"  {sentence(one)}")
        met = all(one.met for one in answers)
        print("  met" if met else "  not met")
        worst = max(worst, 0 if met else 1)
    return worst


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
