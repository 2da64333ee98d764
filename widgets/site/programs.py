"""Figures' programs as other pages run them: ``src/page/examine.js`` examines statements again at a reader's settings.

Each figure about statements of its own page is written once as a script, without its drawings. A page that wants it
loads that script and the one that holds its kernels.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from widgets.site import notes
from widgets.site.hashed import short_hash, write_hashed
from widgets.site.state import State, register_script

SPEC = ("stages", "report", "verdicts", "parameters")
SHEET = ("id", "outcomes", "exists")
NOTES = "programs"


class Program(NamedTuple):
    """A figure's program.

    Attributes:
        name: under which its script registers it in ``factsPrograms``.
        statements: the ids of those that it examines.
        scripts: its own and that of its kernels, by their names in the folder of the site's own files.
    """

    name: str
    statements: list[str]
    scripts: list[str]


def keep(folder: Path, page: str, state: State, kernels: str, static: Path) -> None:
    """Write the programs of a page's figures about its own statements, and note them for :func:`known`.

    Args:
        folder: where the notes are kept between builds.
        page: its name.
        state: its widgets, without the sources of kernels.
        kernels: the name of the script that holds these.
        static: the folder of the site's own files.
    """
    programs = []
    for entry in state.values():
        spec = entry["state"].get("spec", {})
        sheets = spec.get("statements", ())
        if sheets and all(sheet["page"] == page for sheet in sheets):
            programs.append(_write(entry, kernels, static))
    notes.write(folder / NOTES, page, programs)


def _write(figure: dict[str, Any], kernels: str, static: Path) -> Program:
    traits = figure["state"]
    spec = traits["spec"]
    program = {
        "sources": traits["kernels"],
        "constants": "".join(buffer["data"] for buffer in figure.get("buffers", ())),
        "spec": {
            **{name: spec[name] for name in SPEC},
            "map": None,
            "statements": [{name: sheet[name] for name in SHEET} for sheet in spec["statements"]],
        },
    }
    name = short_hash(json.dumps(program))
    script = write_hashed(static / "programs", register_script("factsPrograms", {name: json.dumps(program)}))
    return Program(name, [sheet["id"] for sheet in spec["statements"]], [script, kernels])


def known(folder: Path, pages: Iterable[str]) -> dict[str, Program]:
    """The programs that examine statements, by the statements' ids, of those of these pages that have been written."""
    programs = [Program(*program) for page in pages for program in notes.read(folder / NOTES, page) or ()]
    return {id: program for program in programs for id in program.statements}
