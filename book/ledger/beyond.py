"""Beyond a statement's ranges: runs where no hunt draws, though its hypotheses may hold there.

``python -m book beyond`` starts at configurations that a hunt found to satisfy the hypotheses, and puts one setting
after the other where ``ranges`` does not go: as far as its control does, or, for a function's argument, up to
:data:`FACTOR` times as far. Nothing may be contradicted there either. From these runs it also reaches borders of
hypotheses that the hunt did not reach, or says why it cannot. ``--renew`` stores the results in
``book/data/beyond.json``, which pages and ``python -m book missing`` read.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from book.ledger.draws import drawn
from book.ledger.hunt import (
    BATCH_SIZE,
    LETTERS,
    HuntResult,
    Way,
    between,
    bisect_boundary,
    draw,
    failing,
    letters,
    simplest,
    try_each,
)
from book.ledger.results import RunResult
from book.ledger.settings import Configuration, with_defaults
from book.ledger.statement import Predicate, Statement
from lib.domain import Domain

FACTOR = 3
"""How many times as far as its range an argument of a function goes, up and down."""
STARTS = 2
"""Configurations inside the hypotheses from which each setting is moved."""
WAYS = 3
"""Ways on which the border of a hypothesis is sought."""
OUTSIDE = 12
"""Configurations of the hunt outside the hypotheses to which such ways may lead."""
BROKEN = 0.25
"""A hypothesis whose light is no brighter is violated."""
AFFORDABLE = 0.3
"""Seconds that a run may take for a statement to be run beyond its ranges."""
BESIDE = 1.0
"""Seconds that a run may take for a border to be sought that the hunt did not reach."""
PLACES = 20
"""How often a way is halved where nothing has to be run."""


class BeyondResult(NamedTuple):
    """What the runs beyond the ranges of one statement come to; the fields are those of the stored table."""

    id: str
    spans: dict[str, Any]
    """By setting, how far it was moved."""
    moved: dict[str, str]
    """By setting, the outcome of each run in which it alone was moved: letters as in a hunt."""
    contradictions: list[dict[str, Any]]
    """Configurations, over the defaults."""
    borders: dict[str, str]
    """The hypotheses whose border the hunt did not reach: why not, or nothing if it was reached here."""
    seconds: float

    @property
    def all_letters(self) -> str:
        """The outcomes of all runs."""
        return "".join(self.moved.values())

    @property
    def words(self) -> str:
        """The result in a sentence; nothing if no setting can be moved."""
        if not (tried := len(self.all_letters)):
            return ""
        holding, failing = (self.all_letters.count(LETTERS[key]) for key in ("holds", "contradicted"))
        return f"holds at {holding} of {holding + failing} where the hypotheses do, of {tried} settings tried"

    def stands(self, statement: Statement, hunted: HuntResult) -> bool:
        """Whether the statement survives: with a ``chance``, together with what was drawn."""
        together = hunted._replace(drawn=hunted.drawn + self.all_letters, border="")
        return LETTERS["contradicted"] not in self.all_letters or together.stands(statement)


def seconds_a_run(hunted: HuntResult) -> float:
    """How long a run of the hunt took, in the mean."""
    return hunted.seconds / len(hunted.drawn + hunted.border)


def is_worthwhile(hunted: HuntResult) -> bool:
    """Whether a statement is run beyond its ranges: there are more settings, and runs take little time.

    Where only borders are left to be sought, they may take longer.
    """
    return not hunted.whole and seconds_a_run(hunted) <= (BESIDE if hunted.unreached else AFFORDABLE)


def beyond(statement: Statement, hunted: HuntResult, seconds: float = math.inf) -> BeyondResult:
    """Move each setting beyond its range, and seek the borders that the hunt did not reach.

    Args:
        hunted: the result of the hunt in it.
        seconds: after half of them no setting is moved a second time.
    """
    started = time.perf_counter()
    affordable = seconds_a_run(hunted) <= AFFORDABLE
    spans = spans_beyond(statement) if affordable else {}
    starts = _at(statement, hunted, ("holds",), STARTS)
    moved: dict[str, str] = dict.fromkeys(spans, "")
    ways: list[tuple[Way, RunResult]] = []
    for place, moves in enumerate(_moves(statement, spans, starts)):
        for first in range(0, len(moves), BATCH_SIZE):
            if place and time.perf_counter() - started > seconds / 2:
                break
            batch = moves[first : first + BATCH_SIZE]
            outcomes = _try_each(statement, [end for _, _, end in batch])
            for (name, start, end), result in zip(batch, outcomes, strict=True):
                moved[name] += letters([result])
                if result:
                    ways.append(((start, end), result))
    against = [result for _, result in ways if result.key == "contradicted"]
    if hunted.unreached and starts and affordable:
        others = [failing(statement, starts[0])] if statement.fails_at else []
        others += _at(statement, hunted, ("outside", "beyond", "undecided"), OUTSIDE)
        tried = _try_each(statement, others)
        ways += [
            ((starts[place % len(starts)], end), result)
            for place, (end, result) in enumerate(zip(others, tried, strict=True))
            if result
        ]

    def border(words: str) -> str:
        known = _border_by_settings(statement, hunted, words, starts, run=True)
        if known is None and affordable:
            return _border_by_runs(statement, words, ways)
        return _too_long(hunted) if known is None else known

    return BeyondResult(
        statement.id,
        {name: list(span) for name, span in spans.items()},
        moved,
        [simplest(statement, result.configuration) for result in against[:1]],
        {words: border(words) for words in hunted.unreached},
        round(time.perf_counter() - started, 1),
    )


def spans_beyond(statement: Statement) -> dict[str, Sequence[Any]]:
    """How far each setting goes that may go beyond its range: neither seeds, nor what is to go no farther."""
    usual = with_defaults(statement, statement.holds_at)
    if statement.runs:
        spans = {domain.name: _track(domain) for domain in statement.runs().domains}
    else:
        spans = {name: _farther(statement.ranges.get(name, [value])) for name, value in usual.items()}
        spans |= {name: _farther(span) for name, span in statement.ranges.items()}
    planted = statement.planted[1].items() if statement.planted else ()
    errors = {name for name, value in planted if usual.get(name) != value}
    left_out = errors | statement.no_farther.keys() | {name for name in spans if _is_seed(statement, name)}
    return {name: span for name, span in spans.items() if span and name not in left_out}


def _track(domain: Domain) -> Sequence[Any]:
    """What a parameter's control offers; both values of a switch, also of one that has no control."""
    if domain.scale == "menu":
        return list(range(len(domain.track)))
    if domain.scale == "switch" or (domain.integer and (domain.low, domain.high) == (0, 1)):
        return [0, 1]
    if domain.scale == "choice":
        return list(domain.track)
    kind = int if domain.integer else float
    return tuple(map(kind, domain.track[:2]))


def _farther(span: Sequence[Any]) -> Sequence[Any]:
    """A range of numbers, gone beyond on both sides; of shares no farther than 1; of anything else nothing."""
    values = _values(span)
    if all(isinstance(value, bool) for value in values) or set(values) == {0, 1}:
        return [type(values[0])(0), type(values[0])(1)]
    if any(isinstance(value, bool) or not isinstance(value, (int, float)) for value in values):
        return []
    low, high = min(values), max(values)
    if all(isinstance(value, int) for value in values):
        return (max(min(low, 1), low // FACTOR), high * FACTOR) if high else []
    most = 1.0 if low >= 0 and high <= 1 else math.inf
    return (low / FACTOR if low > 0 else low * FACTOR, min(most, high * FACTOR)) if high else []


def _ends(span: Sequence[Any]) -> list[Any]:
    """The values and the ends of spans that a range is made of."""
    return [value for part in span for value in (part if isinstance(part, tuple) else (part,))]


def _values(span: Sequence[Any]) -> list[Any]:
    """The same, in hashable form."""
    return [str(value) if isinstance(value, list) else value for value in _ends(span)]


def _is_seed(statement: Statement, name: str) -> bool:
    drawn_from = statement.ranges.get(name)
    return name == "seed" or (name.startswith("first") and drawn_from is not None and drawn_from[0] == 0)


def _moves(
    statement: Statement, spans: Mapping[str, Sequence[Any]], starts: Sequence[dict[str, Any]]
) -> list[list[tuple[str, dict[str, Any], dict[str, Any]]]]:
    """Rounds in which each setting goes beyond its range: its name, a start, and the start with the setting moved.

    It goes to one end, then to the other, then anywhere.
    """
    rounds: list[list[tuple[str, dict[str, Any], dict[str, Any]]]] = []
    for place in range(3 if starts else 0):
        start = starts[place % len(starts)]
        moves = []
        for name, span in spans.items():
            anywhere = drawn(random.Random(f"{statement.id}/{name}"), {name: span})[name]
            value = (span[0], span[-1], anywhere)[place]
            if not _is_known(value, _values(statement.ranges.get(name) or [start[name]])):
                moves.append((name, start, {**start, name: value}))
        rounds.append(moves)
    return rounds


def _is_known(value: Any, known: Sequence[Any]) -> bool:
    """Whether a range offers the value, or values on both sides of it."""
    if value in known:
        return True
    numbers = [each for each in known if isinstance(each, (int, float))]
    return bool(numbers) and min(numbers) <= value <= max(numbers)


def _at(statement: Statement, hunted: HuntResult, keys: Sequence[str], most: int) -> list[dict[str, Any]]:
    """The first configurations of the hunt that had one of these outcomes.

    For "holds" ``holds_at`` comes before them, if it says where all settings stand.
    """
    usual = with_defaults(statement, statement.holds_at)
    own = [usual] if "holds" in keys and statement.ranges.keys() <= usual.keys() else []
    wanted = {LETTERS[key] for key in keys}
    places = [place for place, letter in enumerate(hunted.drawn) if letter in wanted]
    drawn_there = [draw(statement, place, hunted.seed) for place in places[:most]]
    return [*own, *(with_defaults(statement, each) for each in drawn_there)][:most]


def _try_each(statement: Statement, configurations: Sequence[Configuration]) -> list[RunResult | None]:
    """As in a hunt; None also where numbers are too large, or too small, to be computed with."""
    try:
        return try_each(statement, configurations)
    except (ArithmeticError, RuntimeError):
        if len(configurations) == 1:
            return [None]
        return [result for each in configurations for result in _try_each(statement, [each])]


def _border_by_runs(statement: Statement, words: str, ways: Sequence[tuple[Way, RunResult]]) -> str:
    """Why the border of a hypothesis is not reached on any way across it; nothing if it is."""
    across = [(way, result) for way, result in ways if result.lights[words] <= BROKEN]
    if not across:
        return f"none of {len(ways)} runs breaks it, however far a setting is moved"
    broken = [_broken(result) for _, result in across]
    if others := set.intersection(*broken) - {words}:
        return f"whatever breaks it breaks another, too ({len(across)} found): {min(others)}"
    few = sorted(across, key=lambda each: len(_broken(each[1])))[:WAYS]
    _, outside = bisect_boundary(statement, [way for way, _ in few])
    closest = [_broken(beside or end) for beside, (_, end) in zip(outside, few, strict=True)]
    if any(words in each for each in closest):
        return ""
    return f"on {len(few)} ways across it another comes first: {min(set.union(*closest))}"


def _broken(result: RunResult) -> set[str]:
    """The hypotheses that a run breaks."""
    return {words for words, light in result.lights.items() if light <= BROKEN}


def why_unreached(statement: Statement, hunted: HuntResult, words: str) -> str:
    """Why the border of a hypothesis is not reached where runs take too long: what is known of it without a run."""
    starts = _at(statement, hunted, ("holds",), 1)
    return _border_by_settings(statement, hunted, words, starts, run=False) or _too_long(hunted)


def _too_long(hunted: HuntResult) -> str:
    seconds = seconds_a_run(hunted)
    if hunted.whole:
        return "there are no more settings"
    return f"not sought, since a run takes {seconds:.{int(seconds < 10)}f} s"


def _border_by_settings(
    statement: Statement, hunted: HuntResult, words: str, starts: Sequence[dict[str, Any]], *, run: bool
) -> str | None:
    """Why the border of a hypothesis on the settings alone is not reached, nothing if it is; None if it is on more.

    Args:
        run: whether the statement is run on both sides of the border once it is found.
    """
    holds = next(holds for each, holds in statement.assumes.values() if each == words)
    spans = {**{name: [] for name in statement.ranges}, **spans_beyond(statement)}
    ends = [
        (name, start, {**start, name: value})
        for start in starts
        for name, span in spans.items()
        for value in (*span, *_ends(statement.ranges.get(name, ())))
    ]
    try:
        across = [each for each in ends if not _is_met(statement, holds, each[2])]
    except _NotRun:
        return None
    if not across:
        return "no setting breaks it, as far as each goes" if starts else None
    found = [(name, *_beside(statement, holds, start, end)) for name, start, end in across]
    name, inside, outside = min(found, key=lambda each: _breaks(statement, each[2]))
    where = _in_words(name, inside[name], outside[name])
    if not run:
        return f"it lies {where}; {_too_long(hunted)}"
    near, far = _try_each(statement, [inside, outside])
    if not (near and far):
        return f"it lies {where}, where nothing can be run"
    others = (_broken(near) | _broken(far)) - {words}
    return f"it lies {where}, and another comes first: {min(others)}" if others else ""


def _beside(
    statement: Statement, holds: Predicate, start: dict[str, Any], end: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Two configurations on the way, on either side of the border of a hypothesis on the settings alone."""
    low, high = 0.0, 1.0
    for _ in range(PLACES):
        middle = (low + high) / 2
        met = _is_met(statement, holds, between(statement, start, end, middle))
        low, high = (middle, high) if met else (low, middle)
    return between(statement, start, end, low), between(statement, start, end, high)


def _breaks(statement: Statement, configuration: Configuration) -> int:
    """How many of the hypotheses on the settings alone a configuration breaks."""
    count = 0
    for _, holds in statement.assumes.values():
        with suppress(_NotRun):
            count += not _is_met(statement, holds, configuration)
    return count


def _in_words(name: str, inside: Any, outside: Any) -> str:
    """Where a border lies."""
    values = dict.fromkeys(
        str(value) if isinstance(value, str) else f"{value:.3g}" for value in (inside, outside)
    )
    called = name.replace("_", " ")
    return (
        f"at {called} = {min(values)}" if len(values) == 1 else f"between {called} = {' and '.join(values)}"
    )


class _NotRun(Exception):
    """A hypothesis asks for something of a run, and there is none."""


class _NoReport:
    def __getattr__(self, name: str) -> Any:
        raise _NotRun(name)


def _is_met(statement: Statement, holds: Predicate, configuration: Configuration) -> bool:
    """Whether a hypothesis on the settings alone is met; false where nothing can be run.

    Raises:
        _NotRun: it is not on them alone.
    """
    try:
        return float(holds(_NoReport(), statement.parameters(configuration))) > BROKEN
    except ValueError:
        return False
