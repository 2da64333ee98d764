"""The command line of the ledger."""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from tqdm import tqdm

from book import sweep
from book.ledger import hunt
from book.ledger.boxes import ROOT
from book.ledger.examine import Outcome, Verdict, called, examine
from book.ledger.registry import find, statements
from book.ledger.statement import Statement
from book.ledger.store import STORED, _store, as_json, is_current, made_from, read, renew


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
        chosen = [one for one in chosen if not (one.id in known and is_current(known[one.id], one))]
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


if __name__ == "__main__":
    sys.exit(main())
