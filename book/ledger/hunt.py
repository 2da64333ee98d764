"""Hunts: a statement is run at random configurations and close to the borders of its hypotheses.

``python -m book hunt 100`` hunts in all statements until 100 draws satisfy the hypotheses; ``--renew`` stores the
results in ``book/data/hunt.json``, which pages and verdicts read. A draw depends on its place, and on the program or
function that is measured, alone, so any of them can be made again.
"""

from __future__ import annotations

import json
import math
import random
import time
from collections.abc import Mapping, Sequence
from itertools import chain, product
from typing import Any, NamedTuple

from scipy.stats import binomtest

from book.ledger.draws import drawn
from book.ledger.results import RunResult
from book.ledger.settings import Configuration, with_defaults
from book.ledger.statement import Statement

BATCH_SIZE = 12
"""The number of runs made side by side."""
DRAWS_PER_TRY = 20
"""At most so many configurations are drawn for each one that shall satisfy the hypotheses."""
BISECTED = 4
"""Drawn configurations from which a border of the hypotheses is sought, on the way to ``fails_at``."""
EDGE_WAYS = 12
"""Ways tried along one parameter, from configurations in which another has its least or greatest value."""
BISECTIONS = 5
"""How often the way from a configuration to ``fails_at`` is halved."""
LETTERS = {"holds": "h", "contradicted": "c", "undecided": "u", "outside": "o", "beyond": "b"}
"""A letter for each outcome of a run (:attr:`RunResult.key`)."""
IMPOSSIBLE = "x"
"""The letter of a configuration that nothing can be run at."""
CHOICES = 8
"""The number of choices tried before an existence counts as contradicted."""
ENOUGH_BROKEN = 10
"""A hypothesis that was broken at so many configurations while the conclusion held may not be needed."""
CONTRADICTIONS_KEPT = 3
"""The most contradictions kept, each simplified as far as possible."""


class HuntResult(NamedTuple):
    """The result of a hunt in one statement; the fields are those of the stored table."""

    id: str
    seed: str
    """What :func:`draw` was seeded with: kept, so that the draws stay the same when a program is renamed."""
    ranges: dict[str, Any]
    drawn: str
    """A letter for each drawn configuration, in order: one of :data:`LETTERS`, or :data:`IMPOSSIBLE`."""
    border: str
    """The outcomes close to the borders of the hypotheses; these are sought, so no share follows from them."""
    broken: dict[str, list[int]]
    """For each hypothesis, at how many configurations it was broken, and at how many of these the conclusion failed."""
    contradictions: list[dict[str, Any]]
    """Configurations, over the defaults."""
    seconds: float
    whole: bool = False
    """Whether the ranges offer finitely many configurations, and each was tried once."""
    reached: dict[str, int] = {}  # noqa: RUF012 - a default, never changed
    """For each hypothesis, how many ways ended beside its border, inside on the one side and outside on the other."""

    @property
    def admitted(self) -> int:
        """The number of drawn configurations that satisfy the hypotheses and are decided."""
        return decided(self.drawn)

    @property
    def share(self) -> tuple[float, float]:
        """The 95 % interval (Clopper and Pearson) of the share of them at which the conclusion holds."""
        interval = binomtest(self.drawn.count("h"), self.admitted).proportion_ci()
        return float(interval.low), float(interval.high)

    def stands(self, statement: Statement) -> bool:
        """Whether the statement survives the hunt: no contradiction, or no more than its ``chance`` allows."""
        failed = self.count("contradicted")
        if not statement.chance or not self.admitted:
            return not failed
        return self.share[1] >= 1 - statement.chance

    @property
    def ratio(self) -> str:
        """At how many of the drawn configurations that satisfy the hypotheses the conclusion holds."""
        return f"{self.drawn.count('h')} of {self.admitted}"

    @property
    def unneeded(self) -> list[str]:
        """Hypotheses that were broken at :data:`ENOUGH_BROKEN` configurations or more, none of which failed."""
        return [
            words for words, (tried, failed) in self.broken.items() if tried >= ENOUGH_BROKEN and not failed
        ]

    @property
    def unreached(self) -> list[str]:
        """Hypotheses whose border no way came to."""
        return [words for words, ways in self.reached.items() if not ways]

    @property
    def words(self) -> str:
        """The result as a sentence; pages, tables and the command line all say it in these words."""
        if not self.admitted:
            return "no randomly drawn setting satisfies its hypotheses"
        clauses = [self._share_in_words()]
        if near := decided(self.border):
            where = "at the edge of a hypothesis or of a parameter's range"
            clauses.append(f"at {self.border.count('h')} of {near} {where}")
        failed = self.count("outside")
        if broken := failed + self.count("beyond"):
            clauses.append(f"fails at {failed} of {broken} that break a hypothesis")
        return "; ".join(clauses)

    def _share_in_words(self) -> str:
        if self.whole and self.admitted == 1:
            return f"{'holds' if 'h' in self.drawn else 'fails'} at the one setting that there is"
        if self.whole:
            return f"holds at {self.ratio} settings, all that there are"
        low, high = self.share
        interval = f"at least {low:.0%}" if high == 1 else f"{low:.0%} to {high:.0%}"
        return f"holds at {self.ratio} randomly drawn settings (95 % interval: {interval})"

    def count(self, outcome: str) -> int:
        """How many configurations, drawn or close to a border, had this outcome."""
        return (self.drawn + self.border).count(LETTERS[outcome])


def hunt(statement: Statement, tries: int, seconds: float = math.inf) -> HuntResult:
    """Draw until ``tries`` satisfy the hypotheses, seek borders from some of them, simplify what contradicts.

    It stops early, at the end of a batch, after so many seconds or after :data:`DRAWS_PER_TRY` times as many draws.
    """
    started = time.perf_counter()
    finite, seed = all_configurations(statement), seed_of(statement)
    tried = try_each(statement, finite)
    for first in range(0, 0 if finite else DRAWS_PER_TRY * tries, BATCH_SIZE):
        places = range(first, min(first + BATCH_SIZE, DRAWS_PER_TRY * tries))
        tried += try_each(statement, [draw(statement, place, seed) for place in places])
        if decided(letters(tried)) >= tries or time.perf_counter() - started > seconds:
            break
    results = [result for result in tried if result]
    known = {_key(result) for result in results}
    starts = [with_defaults(statement, result.configuration) for result in results if result.assumed]
    edges = try_each(statement, [] if finite else edge_configurations(statement, starts[:1]))
    each = (time.perf_counter() - started) / max(1, len(tried) + len(edges))
    affordable = int(min(EDGE_WAYS, seconds / 2 / max(each, 1e-9) / (BISECTIONS + 1)))
    ways = [(start, failing(statement, start)) for start in starts[:BISECTED]]
    inside = [with_defaults(statement, result.configuration) for result in edges if result and result.assumed]
    ways += edge_ways(statement, inside, affordable)
    beside, outside = bisect_boundary(statement, ways)
    border = list(
        {
            _key(result): result for result in chain(filter(None, edges), beside) if _key(result) not in known
        }.values()
    )
    against = [result for result in chain(results, border) if result.key == "contradicted"]
    simple = [simplest(statement, result.configuration) for result in against[:CONTRADICTIONS_KEPT]]
    return HuntResult(
        statement.id,
        seed,
        {name: list(span) for name, span in statement.ranges.items()},
        letters(tried),
        letters(border),
        count_broken([*results, *border]),
        [json.loads(text) for text in dict.fromkeys(map(json.dumps, simple))],
        round(time.perf_counter() - started, 1),
        bool(finite),
        count_reached(statement, outside),
    )


def all_configurations(statement: Statement) -> list[dict[str, Any]]:
    """All configurations, over ``holds_at``, if the ranges offer finitely many; else none."""
    spans = statement.ranges.values()
    if not all(isinstance(span, list) and not any(isinstance(end, tuple) for end in span) for span in spans):
        return []
    combinations = product(*(dict.fromkeys(span) for span in spans))
    return [
        {**statement.holds_at, **dict(zip(statement.ranges, values, strict=True))} for values in combinations
    ]


def seed_of(statement: Statement) -> str:
    """What a new hunt is seeded with: the name of what is run, so that statements on the same program draw alike."""
    return getattr(statement.runs or statement.measures, "__qualname__", statement.id)


def draw(statement: Statement, place: int, seed: str) -> dict[str, Any]:
    """The configuration at a place of the hunt: always the same for a seed."""
    if finite := all_configurations(statement):
        return finite[place]
    return statement.draw(random.Random(f"{seed}/{place}"))


def results_at(statement: Statement, configurations: Sequence[Configuration]) -> list[RunResult]:
    """The result of a run at each configuration; for an existence, the best of several choices there."""
    results = statement.at_each(configurations)
    if statement.exists:
        for place, first in enumerate(results):
            if first.key == "contradicted":
                results[place] = _another_choice(statement, first)
    return results


def _another_choice(statement: Statement, first: RunResult) -> RunResult:
    """The first of :data:`CHOICES` random choices at which the existence holds, or ``first`` if none does."""
    generator = random.Random(repr(sorted(first.configuration.items())))
    choices = [{**first.configuration, **drawn(generator, statement.exists)} for _ in range(CHOICES)]
    return next((result for result in statement.at_each(choices) if result.key == "holds"), first)


def try_each(statement: Statement, configurations: Sequence[Configuration]) -> list[RunResult | None]:
    """The result of a run at each configuration; None where nothing can be run."""
    try:
        return list(results_at(statement, configurations))
    except ValueError:
        if len(configurations) == 1:
            return [None]
        return [result for each in configurations for result in try_each(statement, [each])]


Way = tuple[dict[str, Any], dict[str, Any]]
"""From a configuration inside the hypotheses to another one."""


def edge_configurations(statement: Statement, starts: Sequence[Configuration]) -> list[dict[str, Any]]:
    """Each of ``starts`` with one parameter after the other at its least and at its greatest value."""
    return [
        {**start, name: value}
        for start in starts
        for name, span in statement.ranges.items()
        if name != "seed"
        for value in _ends(span)
        if value != start.get(name)
    ]


def _ends(span: Sequence[Any]) -> list[Any]:
    """The least and the greatest value that a range offers; of a list of other things each."""
    values = [value for part in span for value in (part if isinstance(part, tuple) else (part,))]
    if any(isinstance(value, (bool, str)) or not isinstance(value, (int, float)) for value in values):
        return [value for place, value in enumerate(values) if value not in values[:place]]
    return list(dict.fromkeys((min(values), max(values))))


def edge_ways(statement: Statement, inside: Sequence[Configuration], most: int) -> list[Way]:
    """Up to ``most`` ways from an edge along one parameter, to where that alone breaks a hypothesis.

    So borders are reached from inside where another parameter has its least or greatest value.
    """
    ways = [(dict(start), end) for start in inside for end in edge_configurations(statement, [start])]
    random.Random(statement.id).shuffle(ways)
    candidates = ways[: 2 * most]
    results = try_each(statement, [end for _, end in candidates])
    crossing = [way for way, result in zip(candidates, results, strict=True) if result and not result.assumed]
    return crossing[:most]


def failing(statement: Statement, start: Configuration) -> dict[str, Any]:
    """``start`` with what ``fails_at`` changes."""
    return with_defaults(statement, {**_over_defaults(statement, start), **statement.fails_at})


def bisect_boundary(
    statement: Statement, ways: Sequence[Way]
) -> tuple[list[RunResult], list[RunResult | None]]:
    """Runs on both sides of the border of the hypotheses that each way crosses, ever closer.

    No run counts twice: where a setting is one of a few, halving comes to the same one again.

    Returns:
        All runs, and for each way the closest that lies outside, None if there is none but its end.
    """
    low, high = [0.0] * len(ways), [1.0] * len(ways)
    seen: list[RunResult] = []
    outside: list[RunResult | None] = [None] * len(ways)
    for _ in range(BISECTIONS):
        shares = [(near + far) / 2 for near, far in zip(low, high, strict=True)]
        results = try_each(
            statement,
            [between(statement, *way, share) for way, share in zip(ways, shares, strict=True)],
        )
        for place, result in enumerate(results):
            if result and result.assumed:
                low[place] = shares[place]
            else:
                high[place], outside[place] = shares[place], result
        seen += filter(None, results)
    return list({_key(result): result for result in seen}.values()), outside


def count_reached(statement: Statement, outside: Sequence[RunResult | None]) -> dict[str, int]:
    """:attr:`HuntResult.reached`: which hypotheses the closest runs outside break."""
    return {
        words: sum(result is not None and result.lights[words] <= 0.25 for result in outside)
        for words, _ in statement.assumes.values()
    }


def _key(result: RunResult) -> str:
    return repr(sorted(result.configuration.items()))


def _over_defaults(statement: Statement, start: Configuration) -> dict[str, Any]:
    """``start`` without the settings that only ``holds_at`` asks for: ``fails_at`` is over the defaults."""
    return {
        name: value
        for name, value in start.items()
        if name in statement.ranges or name not in statement.holds_at
    }


def between(statement: Statement, start: Configuration, end: Configuration, share: float) -> dict[str, Any]:
    """The configuration at ``share`` of the way: numbers move along it, all else changes half-way."""
    return {
        name: _along(value, end[name], share, listed=_is_listed(statement.ranges.get(name)))
        for name, value in start.items()
    }


def _is_listed(span: Any) -> bool:
    return isinstance(span, list) and not isinstance(span[0], tuple)


def _along(a: Any, b: Any, share: float, *, listed: bool) -> Any:
    """The value at ``share`` of the way from a to b: logarithmic over more than a decade, whole between wholes."""
    numbers = all(isinstance(x, (int, float)) and not isinstance(x, bool) for x in (a, b))
    if a == b or listed or not numbers:
        return a if share < 0.5 else b
    logarithmic = min(a, b) > 0 and max(a, b) > 10 * min(a, b)
    value = a * (b / a) ** share if logarithmic else a + (b - a) * share
    whole = float(a).is_integer() and float(b).is_integer()
    return type(a)(round(value)) if whole else value


def simplest(statement: Statement, configuration: Configuration) -> dict[str, Any]:
    """A contradiction as close to ``holds_at`` as possible, in numbers of few digits.

    One setting after the other goes back to its value in ``holds_at``, then loses digits, as long as the conclusion
    still fails while the hypotheses hold.
    """
    usual = with_defaults(statement, statement.holds_at)
    changed = {name: value for name, value in configuration.items() if usual.get(name) != value}

    def contradicts(settings: Configuration) -> bool:
        (result,) = try_each(statement, [{**statement.holds_at, **settings}])
        return result is not None and result.key == "contradicted"

    for name in list(changed):
        without = {other: value for other, value in changed.items() if other != name}
        if contradicts(without):
            changed = without
    for name, value in changed.items():
        for digits in (1, 2, 3) if isinstance(value, float) else ():
            rounded = {**changed, name: float(f"{value:.{digits}g}")}
            if contradicts(rounded):
                changed = rounded
                break
    return {**statement.holds_at, **changed}


def count_broken(results: Sequence[RunResult]) -> dict[str, list[int]]:
    """:attr:`HuntResult.broken` of these runs; runs that are not settled do not count."""
    counts: dict[str, list[int]] = {}
    for result in results:
        for words, light in result.lights.items():
            count = counts.setdefault(words, [0, 0])
            if light <= 0.25 and result.key != "undecided":
                count[0] += 1
                count[1] += not result.concluded
    return counts


def decided(outcomes: str) -> int:
    """How many of these letters stand for a conclusion that holds, or fails, where all hypotheses hold."""
    return outcomes.count(LETTERS["holds"]) + outcomes.count(LETTERS["contradicted"])


def letters(results: Sequence[RunResult | None]) -> str:
    """The outcome of each run as a letter."""
    return "".join(LETTERS[result.key] if result else IMPOSSIBLE for result in results)


def from_entry(entry: Mapping[str, Any]) -> HuntResult:
    """The result in an entry of the stored table, without its provenance."""
    return HuntResult(**{field: entry[field] for field in HuntResult._fields if field in entry})
