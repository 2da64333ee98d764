"""The formulas of the papers that are not right, each with the right one, and those that were found right."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence
from typing import Any

from docutils.nodes import make_id
from IPython.display import Markdown

from book.ledger.entries import entries, name, with_declared
from book.ledger.proofs import Erratum, Rank, Survival
from book.ledger.web.templates import render
from book.paper import PAPERS

Stored = Mapping[str, Any]
RANKS = {
    Rank.STATEMENT: "Wrong as a statement is printed",
    Rank.PROOF: "Wrong in a step of a proof",
    Rank.MISPRINT: "Misprints",
}
"""The headings of the errata."""
FOLDED = {Rank.PROOF: "steps of proofs", Rank.MISPRINT: "misprints"}
"""What folds where there are several: they would drown those that matter."""
SURVIVAL = {
    Survival.AS_PRINTED: ("●", "good"),
    Survival.ONCE_CORRECTED: ("◆", "warn"),
    Survival.NOT_AT_ALL: ("✕", "bad"),
}
"""A sign for what becomes of the statement that an erratum belongs to, and the role of its colour."""
WORDS = re.compile(r"\\text\{([^{}$]*)\}")
"""Words in a formula."""


def wrong() -> Markdown:
    """Every formula that is not right, by paper and rank: with the right one and whether the statement survives.

    Each is one line, which says whether the statement survives, and opens to both formulas and the evidence.
    """
    papers = [(paper, [rank for rank in _ranks(paper.room) if rank["errata"]]) for paper in PAPERS]
    return Markdown(render("errata.md", papers=papers))


def checked() -> Markdown:
    """Every formula that was checked and found right, folded by paper."""
    papers = [(paper, [_row(check) for check in _checks(paper.room)]) for paper in PAPERS]
    return Markdown(render("checked.md", papers=papers))


def _ranks(room: str) -> list[dict[str, Any]]:
    """The errata of a paper, by rank."""
    listed = [(entry, *pair) for entry in entries(f"{room}.") for pair in with_declared(entry)]
    by_rank = {rank: [_line(*each) for each in listed if each[1]["rank"] == rank] for rank in RANKS}
    return [
        {
            "anchor": rank_anchor(room, rank),
            "heading": RANKS[rank],
            "errata": errata,
            "folded": FOLDED.get(rank) if len(errata) > 1 else None,
            "told": rank == Rank.STATEMENT,
        }
        for rank, errata in by_rank.items()
    ]


def rank_anchor(room: str, rank: str) -> str:
    """The place of a paper's errata of one rank."""
    return f"{room}-{Rank(rank).name.lower()}"


def _line(entry: Stored, stored: Stored, declared: Erratum) -> dict[str, Any]:
    """An erratum as one line, which opens to its evidence; on a phone to its formulas, too, if only a proof has it."""
    where = f"{name(entry)}: {stored['where']}"
    says_itself = stored["rank"] == Rank.MISPRINT or name(entry).partition(",")[0] in stored["where"]
    sign, role = SURVIVAL[declared.survival]
    return {
        **in_full(stored, declared),
        "id": entry["id"],
        "anchor": make_id(where),
        "called": stored["where"] if says_itself else where,
        "sign": sign,
        "role": role,
        "fate": declared.survival.removeprefix("the statement "),
        "printed_parts": parts(stored["paper"]),
        "right_parts": parts(stored["right"]),
    }


def in_full(stored: Stored, declared: Erratum) -> dict[str, Any]:
    """All that is said of an erratum."""
    assert stored["proved"] is not False
    return {
        "where": stored["where"],
        "rank": stored["rank"],
        "printed": stored["paper"],
        "right": stored["right"],
        "evidence": evidence(stored),
        "survival": str(declared.survival),
        "survives": stored["survives"],
        "script": _script(declared),
    }


def _script(erratum: Erratum) -> dict[str, str] | None:
    """The function that proves an erratum, as it stands in the book's code."""
    function = erratum.symbolic
    if function is None:
        return None
    return {"path": f"{function.__module__.replace('.', '/')}.py", "code": inspect.getsource(function)}


def evidence(stored: Stored) -> str:
    """What shows an erratum, in a sentence or two."""
    if not stored["proved"]:
        return "Two places of the paper's own text disagree."
    numbers = ", ".join(
        f"{key} {value if isinstance(value, str) else format(value, '.4g')}"
        for key, value in stored["numbers"].items()
    )
    in_numbers = f" In numbers: {numbers}." if numbers else ""
    return f"sympy derives the right formula and refutes the printed one.{in_numbers}"


def parts(formula: str) -> list[tuple[bool, str]]:
    """A formula's parts, in which words are text: each with whether it is words."""
    whole = " ".join(formula.split())
    split = WORDS.split(whole)
    if any(part.count("{") != part.count("}") or part.count("(") != part.count(")") for part in split):
        split = [whole]
    return [
        (bool(place % 2), part if place % 2 else part.strip())
        for place, part in enumerate(split)
        if part.strip()
    ]


def _checks(room: str) -> Sequence[Stored]:
    """The checked formulas of a paper."""
    return [check for entry in entries(f"{room}.") for check in entry["checked"]]


def _row(check: Stored) -> tuple[str, str, str]:
    """A checked formula: where it stands, what it is, and how it was checked."""
    assert check["passes"] is True
    formula = check["formula"]
    is_bare = "$" not in formula and ("\\" in formula or "=" in formula)
    return check["where"], f"${formula}$" if is_bare else formula, check["how"]
