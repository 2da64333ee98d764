"""The ledger: every statement of the book, the table of what examining them gave, and the command line."""

from __future__ import annotations

import argparse
import importlib
import json
import math
import posixpath
import re
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from tqdm import tqdm

from book import hunt, sweep
from book.statements import ROOT, Evidence, Ground, Outcome, Statement, Verdict, called, examine, plain

STORED = ROOT / "book" / "data" / "statements.json"
"""What examining all of them gave: the table that the pages print."""


def pages() -> list[str]:
    """Every page of the book, in the order of its table of contents."""
    contents = yaml.safe_load((ROOT / "_toc.yml").read_text())
    chapters = [chapter for part in contents["parts"] for chapter in part["chapters"]]
    files = [contents["root"]]
    for chapter in chapters:
        files += [chapter["file"], *(section["file"] for section in chapter.get("sections", ()))]
    return files


@cache
def statements() -> dict[str, Statement]:
    """Every statement by id, in the order of the pages.

    Raises:
        ValueError: two statements share an id, or one uses what is not there.
    """
    found: dict[str, Statement] = {}
    for page in pages():
        if not (ROOT / page / "statements.py").exists():
            continue
        module = importlib.import_module(f"{page.replace('/', '.')}.statements")
        for one in vars(module).values():
            if not isinstance(one, Statement):
                continue
            if found.setdefault(one.id, one) is not one:
                raise ValueError(f"id = {one.id!r}: must belong to one statement")
    for one in found.values():
        if dangling := [other for other in one.uses if other not in found]:
            raise ValueError(f"{one.id} uses {dangling}: must be ids of the ledger")
    return found


def find(ids: Sequence[str] = ()) -> list[Statement]:
    """The statements with these ids, or all.

    Raises:
        ValueError: an id is unknown.
    """
    known = statements()
    for wanted in ids:
        if wanted not in known:
            raise ValueError(f"id = {wanted!r}: must be one of {', '.join(known)}")
    return [known[wanted] for wanted in ids] if ids else list(known.values())


def as_json(outcome: Outcome) -> dict[str, Any]:
    """An outcome as plain data: what the atlas, the errata and the chapters' tables are made from.

    Numbers that are not finite are given as strings, since JSON has none of them.
    """
    one = outcome.statement
    kind, _, number = one.box.name.partition(" ")
    entry = {
        "id": one.id,
        "paper": one.paper.name,
        "kind": kind.lower(),
        "number": number,
        "title": one.box.title,
        "page": one.page,
        "statement": _from_the_root(one.box.text, one.page),
        "source": "book" if one.ground is Ground.OURS else "paper",
        "ground": str(one.ground),
        "uses": list(one.uses),
        "finding": finding(outcome),
        "verdict": str(outcome.verdict),
        "holds at": _evidence(one.holds_at, outcome.evidence),
        "fails at": _evidence(one.fails_at, outcome.broken),
        "errata": [
            {
                "where": erratum.where,
                "paper": erratum.paper,
                "right": erratum.right,
                "survives": erratum.survives,
                "proved": proved,
                "numbers": {name: _finite(value) for name, value in erratum.numeric().items()},
            }
            for erratum, proved in zip(one.errata, outcome.proved, strict=True)
        ],
        "checked": [
            {"where": item.where, "formula": item.formula, "how": item.how, "passes": passed}
            for item, passed in zip(one.checked, outcome.passed, strict=True)
        ],
        "numbers": list(one.numbers or (one.box.name,)),
    }
    return {**entry, "made from": made_from(one, json.dumps(entry)), "seconds": round(outcome.seconds, 3)}


def _from_the_root(text: str, page: str) -> str:
    """The text with its links to other pages as they are from any page."""
    folder = Path(page).parent

    def absolute(match: re.Match[str]) -> str:
        return f"](/{posixpath.normpath((folder / match[1]).as_posix())})"

    return re.sub(r"\]\((?!https?:|/|#)([^)]+)\)", absolute, text)


QUOTED = re.compile(r"\{([^{}:]*[^{}:\d][^{}:]*)(?::([^{}]*))?\}")


def finding(outcome: Outcome) -> str:
    """The finding with its numbers put in; braces that name no number, LaTeX's say, stay."""
    numbers = outcome.evidence.numbers | {
        f"{name} where it fails": value for name, value in outcome.broken.numbers.items()
    }

    def put(match: re.Match[str]) -> str:
        name, spec = match[1], match[2]
        if name not in numbers:
            return match[0]
        return format(numbers[name], spec) if spec else plain(numbers[name])

    return QUOTED.sub(put, outcome.statement.finding or outcome.statement.untested)


def _evidence(configuration: Mapping[str, Any], evidence: Evidence) -> dict[str, Any]:
    return {
        "configuration": dict(configuration),
        "seeds": len(evidence.runs),
        "holding": evidence.holding,
        "hypotheses": evidence.hypotheses,
        "bounds": [
            {
                "name": bound.name,
                **{key: _finite(float(getattr(bound, key))) for key in ("measured", "low", "high")},
                "must be": bound.words,
                "holds": bool(bound.holds),
            }
            for bound in evidence.worst
        ],
        "conclusion": evidence.concluded,
    }


def as_line(outcome: Outcome) -> str:
    """An outcome as a line of the table."""
    one = outcome.statement
    recorded = called(one) if one.stands else Verdict.NOT_REPRODUCED
    differs = "" if outcome.as_recorded else f"  (recorded: {recorded})"
    return f"{one.id:<32} {one.box.name:<24} {outcome.seconds:6.2f} s  {outcome.verdict}{differs}"


def assigned(text: str) -> dict[str, Any]:
    """``a=1,b=2.5,c=word`` as a configuration.

    Raises:
        ValueError: a part is no assignment.
    """
    found: dict[str, Any] = {}
    for part in filter(None, text.split(",")):
        name, equals, value = part.partition("=")
        if not (name and equals):
            raise ValueError(f"--at {part!r}: must be name=value")
        try:
            found[name] = json.loads(value)
        except json.JSONDecodeError:
            found[name] = value
    return found


def renew(outcome: Outcome) -> None:
    """Put an outcome into the table that the pages print; the others stay, and all stand in the ledger's order."""
    _store(STORED, {**read(), outcome.statement.id: as_json(outcome)})


def read(table: Path = STORED) -> dict[str, dict[str, Any]]:
    """The stored table's entries by id: those of :func:`as_json`, and in the hunts' table those of :func:`hunted`."""
    return {entry["id"]: entry for entry in json.loads(table.read_text())} if table.exists() else {}


def hunted(id: str, tries: int, seconds: float) -> list[dict[str, Any]]:
    """What hunting in the statement ``id`` finds, as plain data with a hash of what it rests on."""
    one = statements()[id]
    return [{**hunt.hunt(one, tries, seconds)._asdict(), "tries": tries, "made from": made_from(one)}]


def hunt_in(chosen: Sequence[Statement], tries: int, seconds: float, workers: int, *, renew: bool) -> int:
    """Hunt in each, print what is found, and with ``renew`` store it; 1 if a conclusion failed where it should not."""
    known, story = read(hunt.STORED), sweep.provenance()
    chosen = [
        one for one in chosen if not one.untested and not (renew and _still(known.get(one.id), one, tries))
    ]
    asked = {i: {"id": one.id, "tries": tries, "seconds": seconds} for i, one in enumerate(chosen)}
    origin = {key: story[key] for key in ("commit", "dirty", "date", "python", "torch", "device")}
    bad = 0
    for _place, (entry,), _took in tqdm(sweep.results(hunted, asked, workers), total=len(asked)):
        found = hunt.of(entry)
        stands = found.stands(statements()[found.id])
        bad += not stands
        tqdm.write(f"{'' if stands else '✕ '}{found.id:<34} {found.words}")
        for configuration in found.contradictions:
            tqdm.write(f"    {configuration}")
        if renew:
            known[found.id] = {**entry, **origin}
            _store(hunt.STORED, known)
    return int(bad > 0)


def _still(entry: Mapping[str, Any] | None, one: Statement, tries: int) -> bool:
    """Whether hunting again would find the same."""
    return entry is not None and (entry["tries"], entry["made from"]) == (tries, made_from(one))


def _store(path: Path, entries: Mapping[str, Any]) -> None:
    """Write the entries in the ledger's order, whole or not at all: whoever is killed meanwhile loses nothing."""
    kept = [entries[id] for id in statements() if id in entries]
    fresh = path.with_suffix(".new")
    fresh.write_text(json.dumps(kept, indent=1, allow_nan=False, ensure_ascii=False) + "\n")
    fresh.replace(path)


def fits(entry: Mapping[str, Any], one: Statement) -> bool:
    """Whether an entry of the stored table was made from this very code, and nothing in it has been changed since."""
    outcome = {key: value for key, value in entry.items() if key not in ("made from", "seconds")}
    return bool(entry["made from"] == made_from(one, json.dumps(outcome)))


def made_from(one: Statement, *found: str) -> str:
    """A hash of a statement's text, of its code and its page's other statements, and of what was ``found``."""
    from widgets.sources import closure, digest  # who only examines needs no widgets

    return digest(closure(ROOT / one.page / "statements.py"), *one.box, *found)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line: 0 if every verdict is as recorded, 1 if one is not, 2 for bad arguments."""
    parser = argparse.ArgumentParser(prog="python -m book.statements", description="Examine statements.")
    parser.add_argument("ids", nargs="*", help="ids of statements; none means all")
    way = parser.add_mutually_exclusive_group()
    way.add_argument("--json", action="store_true", help="print a JSON list, and the table to stderr")
    parser.add_argument(
        "--renew",
        action="store_true",
        help=f"put the outcomes into {STORED.relative_to(ROOT)}; without ids, of those whose code has changed",
    )
    way.add_argument("--at", metavar="NAME=VALUE,…", help="one run of one statement, else as by default")
    way.add_argument(
        "--hunt", type=int, metavar="N", help="until N draws satisfy the hypotheses, and beside the borders"
    )
    parser.add_argument("--seconds", type=float, default=math.inf, help="for each statement's draws, at most")
    parser.add_argument("--workers", type=int, default=1, help="processes that hunt")
    options = parser.parse_args(arguments)
    try:
        chosen = find(options.ids)
        if options.at is not None:
            if len(options.ids) != 1 or options.renew:
                raise ValueError(f"--at examines one statement, and keeps nothing: ids = {options.ids}")
            print(chosen[0].at(assigned(options.at)))
            return 0
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    if options.hunt:
        return hunt_in(chosen, options.hunt, options.seconds, options.workers, renew=options.renew)
    if options.renew and not options.ids:
        known = read()
        chosen = [one for one in chosen if not (one.id in known and fits(known[one.id], one))]
    outcomes = []
    for one in tqdm(chosen, disable=not options.renew):
        outcomes.append(examine(one))
        print(as_line(outcomes[-1]), file=sys.stderr if options.json else sys.stdout, flush=True)
        if options.renew:
            renew(outcomes[-1])
    if options.json:
        found = [as_json(outcome) for outcome in outcomes]
        print(json.dumps(found, indent=1, allow_nan=False, ensure_ascii=False))
    return int(not all(outcome.as_recorded for outcome in outcomes))


def _finite(value: float) -> float | str:
    return value if math.isfinite(value) else str(value)
