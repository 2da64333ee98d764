"""The pages that are made from the registry of claims: the atlas, the errata, the chapters' closing tables.

They print ``book/data/claims.json``, which ``make claims`` renews; a test examines every claim again and compares.
"""

from __future__ import annotations

import json
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
    lines = ["| statement | verdict | what was found |", "| --- | --- | --- |"]
    for entry in entries(room):
        verdict = f"{SIGNS[entry['verdict']]} {entry['verdict']}"
        lines.append(
            f"| [{name(entry)}](/{entry['page']}): {_cell(entry['title'])} | {verdict} | {_cell(entry['finding'])} |"
        )
    return Markdown("\n".join(lines))


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
        blocks.append(
            f"## {name(entry)}: {entry['title']}\n\n{entry['statement']}\n\n"
            f"{SIGNS[entry['verdict']]} **{entry['verdict'].capitalize()}.** {entry['finding']} "
            f"[Read and try it](/{entry['page']}).\n\n"
            f"| | |\n| --- | --- |\n| predicted | {_cell(_numbers(at['predicted']))} |\n"
            f"| measured | {_cell(_numbers(at['measured']))} |\n"
            f"| fails where | not: {_cell(_broken(entry['fails at']['hypotheses']))} |\n"
            f"| command | `python -m lib.claims {entry['id']}` |"
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
    lines = ["| where | formula | checked by |", "| --- | --- | --- |"]
    for entry in entries():
        for item in entry["checked"]:
            assert item["passes"] is True
            formula = item["formula"]
            bare = "$" not in formula and ("\\" in formula or "=" in formula)
            shown = f"${formula}$" if bare else formula
            lines.append(f"| {_cell(item['where'])} | {_cell(shown)} | {_cell(item['how'])} |")
    return Markdown("\n".join(lines))


def _cell(text: str) -> str:
    """A text as a table's cell: a bar in it, of an absolute value say, does not end the cell."""
    return text.replace("|", r"\|")


def _numbers(values: dict[str, float | str]) -> str:
    return ", ".join(
        f"{key} {value if isinstance(value, str) else format(value, '.4g')}" for key, value in values.items()
    )


def _broken(hypotheses: dict[str, bool]) -> str:
    return "; not: ".join(key for key, holds in hypotheses.items() if not holds)
