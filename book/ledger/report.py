"""What the command line prints of the ledger: examinations, single runs and hunts.

Each function returns the exit status: 0 if all is as recorded, 1 if a verdict differs.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

from tqdm import tqdm

from book import sweep
from book.errors import BadInput
from book.ledger import registry, store
from book.ledger.beyond import beyond, is_worthwhile
from book.ledger.clauses import clauses_of
from book.ledger.examine import Outcome, examine
from book.ledger.hunt import from_entry, hunt
from book.ledger.results import RunResult
from book.ledger.settings import check_settings, parse_settings
from book.ledger.statement import Statement


def list_ids() -> int:
    """Print each statement's id and what the paper calls it."""
    for statement in registry.find():
        print(f"{statement.id:<32} {statement.box.name}")
    return 0


def print_examinations(ids: Sequence[str], *, as_json: bool = False, renew: bool = False) -> int:
    """Examine statements, all if no id is given, and print a line for each.

    Args:
        as_json: print the outcomes as a JSON list, and the lines to stderr.
        renew: store the outcomes; without ids, examine only statements whose code has changed, and where only the
            box's words have, store these.

    Raises:
        BadInput: an id is unknown.
    """
    chosen = registry.find(ids)
    if renew and not ids:
        chosen = [statement for statement in chosen if not _renewed_without_runs(statement)]
    outcomes = []
    for statement in tqdm(chosen, disable=not renew):
        outcome = examine(statement)
        outcomes.append(outcome)
        print(as_line(outcome), file=sys.stderr if as_json else sys.stdout, flush=True)
        if renew:
            store.renew(outcome)
    if renew:
        store.note_verdicts()
    if as_json:
        entries = [store.as_json(outcome) for outcome in outcomes]
        print(json.dumps(entries, indent=1, allow_nan=False, ensure_ascii=False))
    return int(not all(outcome.as_recorded for outcome in outcomes))


def _renewed_without_runs(statement: Statement) -> bool:
    """Whether the stored entry is current, or needs other words alone, which are stored."""
    entry = store.read_examined().get(statement.id)
    if not entry or not store.is_examined(entry, statement):
        return False
    if not store.is_current(entry, statement):
        store.reword(statement)
    return True


def as_line(outcome: Outcome) -> str:
    """An outcome as a line: id, name, seconds and verdict, and the recorded verdict if it differs."""
    statement = outcome.statement
    recorded = "stands" if statement.stands else "does not stand"
    differs = "" if outcome.as_recorded else f"  (recorded: {recorded})"
    return f"{statement.id:<32} {statement.box.name:<24} {outcome.seconds:6.2f} s  {outcome.words}{differs}"


def print_run(id: str, assignments: Sequence[str]) -> int:
    """Print one run of a statement at ``["name=value", …]``, other settings where its page's figure opens.

    So the command line says what the page says at ``#~name=value``.

    Raises:
        BadInput: the id or a setting is unknown, nothing can be run at these values, or the text of the statement's
            box names what accounts for none of it; the run is printed before.
    """
    (statement,) = registry.find([id])
    configuration = parse_settings(assignments)
    if statement.untested:
        raise BadInput(f"{id} is not tested here: {statement.untested}")
    check_settings(statement, configuration)
    try:
        result = statement.at({**where_to_begin(statement), **configuration})
    except (ValueError, ArithmeticError, LookupError, TypeError, RuntimeError) as error:
        raise BadInput(
            f"{id} cannot be run at {' '.join(assignments) or 'its defaults'}: {error}."
        ) from error
    print(result)
    if fault := fault_of_the_box(statement, result):
        raise BadInput(fault)
    return 0


def fault_of_the_box(statement: Statement, result: RunResult) -> str:
    """What is wrong with the clauses of a statement's text, such as a name that is misspelt; "" if nothing is."""
    try:
        clauses_of(statement, [bound.name for bound in result.bounds if bound.words])
    except ValueError as error:
        return str(error)
    return ""


def where_to_begin(statement: Statement) -> dict[str, Any]:
    """The settings of a run that names none: where the page's figure opens, or the defaults.

    Without a figure a setting that has no default stays as where the statement must hold.
    """
    from widgets.figure.registry import opening_on  # statements are examined without widgets

    if opening := opening_on(statement.page, statement.id):
        return dict(opening.values)
    return {name: value for name, value in statement.holds_at.items() if name not in statement.defaults}


def print_hunts(ids: Sequence[str], tries: int, seconds: float, workers: int, *, renew: bool = False) -> int:
    """Hunt in each statement, all if no id is given, and print the results.

    Args:
        tries: hunt until so many draws satisfy the hypotheses.
        seconds: at most so long a statement.
        renew: store the results, and leave out statements whose stored result is current.

    Returns:
        1 if a conclusion failed where it should not.

    Raises:
        BadInput: an id is unknown.
    """
    stored = store.read_hunt_entries()
    chosen = [
        statement
        for statement in registry.find(ids)
        if not statement.untested and not (renew and _is_hunted(statement, stored, tries))
    ]
    calls = {
        place: {"id": statement.id, "tries": tries, "seconds": seconds}
        for place, statement in enumerate(chosen)
    }
    provenance = sweep.provenance()
    origin = {key: provenance[key] for key in ("commit", "dirty", "date", "python", "torch", "device")}
    failed = 0
    for _place, (entry,), _seconds in tqdm(sweep.results(hunt_entry, calls, workers), total=len(calls)):
        failed += not _print_hunt(entry)
        if renew:
            store.renew_hunt({**entry, **origin})
    return int(failed > 0)


def _is_hunted(statement: Statement, stored: dict[str, Any], tries: int) -> bool:
    return statement.id in stored and store.is_current_hunt(stored[statement.id], statement, tries)


def print_beyond(ids: Sequence[str], seconds: float, *, renew: bool = False) -> int:
    """Run each statement beyond its ranges, all that are affordable if no id is given, and print the results.

    Args:
        seconds: after half of them no setting is moved a second time.
        renew: store the results, and leave out statements whose stored result is current.

    Returns:
        1 if a conclusion failed where it should not.

    Raises:
        BadInput: an id is unknown.
    """
    hunts = store.read_hunts()
    chosen = [
        statement
        for statement in registry.find(ids)
        if statement.id in hunts
        and (ids or is_worthwhile(hunts[statement.id]))
        and not (renew and store.is_current_beyond(statement))
    ]
    failed = 0
    for statement in tqdm(chosen):
        hunted = hunts[statement.id]
        result = beyond(statement, hunted, seconds)
        failed += statement.stands and not result.stands(statement, hunted)
        tqdm.write(f"{result.id:<34} {result.words}")
        for line in (*result.contradictions, *result.borders.items()):
            tqdm.write(f"    {line}")
        if renew:
            store.renew_beyond({**result._asdict(), "made from": store.beyond_made_from(statement)})
    return int(failed > 0)


def hunt_entry(id: str, tries: int, seconds: float) -> list[dict[str, Any]]:
    """The result of a hunt as the one row that a sweep expects of a configuration, without its provenance."""
    statement = registry.statements()[id]
    result = hunt(statement, tries, seconds)
    return [{**result._asdict(), "tries": tries, "made from": store.hunt_made_from(statement)}]


def _print_hunt(entry: dict[str, Any]) -> bool:
    """Print a hunt's result, and return whether the statement stands."""
    result = from_entry(entry)
    stands = result.stands(registry.statements()[result.id])
    tqdm.write(f"{'' if stands else '✕ '}{result.id:<34} {result.words}")
    for configuration in result.contradictions:
        tqdm.write(f"    {configuration}")
    return stands
