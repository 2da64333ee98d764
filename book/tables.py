"""The pages that are made from the registry of claims: the atlas, the errata, the chapters' closing tables.

They print ``book/data/claims.json``, which ``make claims`` renews; a test examines every claim again and compares.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from IPython.display import Markdown

CLAIMS = Path(__file__).parent / "data" / "claims.json"
SIGNS = {
    "confirmed": "●",
    "confirmed after correction": "◐",
    "holds only where its hypotheses are sharpened": "◑",
    "vacuous at finite size": "○",
    "not reproduced": "✕",
    "not testable here": "–",
}
"""A sign before each verdict, so that colour is not needed to tell them apart."""


def entries(room: str = "") -> list[dict[str, Any]]:
    """The examined claims, all or those whose id starts with ``room``."""
    return [entry for entry in json.loads(CLAIMS.read_text()) if entry["id"].startswith(room)]


def name(entry: dict[str, Any]) -> str:
    """What the paper calls it: "Lemma 6"."""
    return f"{entry['kind'].capitalize()} {entry['number']}".strip()


def closing(room: str) -> Markdown:
    """Statement, verdict, one-line finding: the table that closes a chapter."""
    rows = [
        (
            f"[{name(entry)}](/{entry['page']}): {entry['title']}",
            f"{SIGNS[entry['verdict']]} {entry['verdict']}",
            entry["finding"],
        )
        for entry in entries(room)
    ]
    return Markdown(table(("statement", "verdict", "what was found"), rows))


def counts(room: str = "") -> Markdown:
    """How many statements ended with each verdict, in a sentence."""
    found = [entry["verdict"] for entry in entries(room)]
    errata = sum(len(entry["errata"]) for entry in entries(room))
    checked = sum(len(entry["checked"]) for entry in entries(room))
    parts = [f"{found.count(verdict)} {verdict}" for verdict in SIGNS if verdict in found]
    return Markdown(
        f"{len(found)} statements were examined: {'; '.join(parts)}. "
        f"{errata} formulas are not right as printed, and {checked} were checked and found right: see the "
        "[errata](/book/errata)."
    )


def atlas() -> Markdown:
    """Every claim: statement, verdict, finding, numbers predicted and measured."""
    blocks = []
    for entry in entries():
        at = entry["holds at"]
        rows = (
            ("predicted", _numbers(at["predicted"])),
            ("measured", _numbers(at["measured"])),
            ("fails where", f"not: {_broken(entry['fails at']['hypotheses'])}"),
            ("command", f"`python -m lib.claims {entry['id']}`"),
        )
        blocks.append(
            f"## {name(entry)}: {entry['title']}\n\n{entry['statement']}\n\n"
            f"{SIGNS[entry['verdict']]} **{entry['verdict'].capitalize()}.** {entry['finding']} "
            f"[Read and try it](/{entry['page']}).\n\n{table(('', ''), rows)}"
        )
    return Markdown("\n\n".join(blocks))


def errata() -> Markdown:
    """Every formula that is not right, with the right one, the evidence, and whether the statement survives."""
    blocks = []
    for entry in entries():
        for erratum in entry["errata"]:
            assert erratum["proved"] is True
            blocks.append(
                f"## {name(entry)}: {erratum['where']}\n\n"
                f"Printed:\n\n$${erratum['paper']}$$\n\nRight:\n\n$${erratum['right']}$$\n\n"
                f"**Evidence.** sympy derives the right formula and refutes the printed one. "
                f"In numbers: {_numbers(erratum['numbers'])}.\n\n"
                f"**Does the statement survive?** {erratum['survives']} [Its page](/{entry['page']})."
            )
    return Markdown("\n\n".join(blocks))


def checked() -> Markdown:
    """Every formula that was checked and found right."""
    rows = []
    for entry in entries():
        for item in entry["checked"]:
            assert item["passes"] is True
            formula = item["formula"]
            bare = "$" not in formula and ("\\" in formula or "=" in formula)
            shown = f"${formula}$" if bare else formula
            rows.append((item["where"], shown, item["how"]))
    return Markdown(table(("where", "formula", "checked by"), rows))


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table; a bar in a cell, of an absolute value say, does not end it."""
    cells = [[cell.replace("|", r"\|") for cell in row] for row in (head, *rows)]
    lines = ["| " + " | ".join(row) + " |" for row in cells]
    return "\n".join([lines[0], "| " + " | ".join("---" for _ in head) + " |", *lines[1:]])


def _numbers(values: dict[str, float | str]) -> str:
    return ", ".join(
        f"{key} {value if isinstance(value, str) else format(value, '.4g')}" for key, value in values.items()
    )


def _broken(hypotheses: dict[str, bool]) -> str:
    return "; not: ".join(key for key, holds in hypotheses.items() if not holds)
