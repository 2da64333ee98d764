"""Hunts: each statement at configurations drawn from its ranges, and beside the borders of its hypotheses.

``python -m book.statements --hunt 100`` hunts in all of them until 100 draws satisfy the hypotheses; ``--renew`` stores
what was found in ``book/data/hunt.json``, which pages and verdicts read. A draw depends on its place, and on what is
measured, alone, so that any of them can be made again.
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

from book.ledger.boxes import ROOT
from book.ledger.results import RunResult
from book.ledger.statement import Statement, drawn

STORED = ROOT / "book" / "data" / "hunt.json"
"""What hunting in all of them found."""
BATCH = 12
"""So many runs go side by side."""
MOST = 20
"""At most so many times as many draws are made as shall satisfy the hypotheses."""
BESIDE = 4
"""From so many of the drawn configurations the way to ``fails_at`` is gone."""
CUTS = 5
"""How often the way from where the hypotheses hold to where one is broken is halved."""
LETTERS = {"holds": "h", "contradicted": "c", "undecided": "u", "outside": "o", "beyond": "b"}
"""What a run comes to (:attr:`Found.key`), in a letter."""
IMPOSSIBLE = "x"
"""The letter of a configuration that was drawn and that nothing can be run at."""
CHOICES = 8
"""So many choices are tried before an existence counts as contradicted."""
ENOUGH = 10
"""A hypothesis that was broken at so many configurations, in vain, may not be needed."""
SHOWN = 3
"""So many contradictions are kept, as simple as they could be made."""

Configuration = Mapping[str, Any]


class Hunted(NamedTuple):
    """What hunting in one statement found."""

    id: str
    ranges: dict[str, Any]
    drawn: str
    """A letter for each configuration drawn from the ranges, by their places: of :data:`LETTERS`, or IMPOSSIBLE."""
    border: str
    """The same beside the borders of the hypotheses: these are sought, so no share follows from them."""
    broken: dict[str, list[int]]
    """For each hypothesis, at how many configurations it was broken, and at how many of these the conclusion failed."""
    contradictions: list[dict[str, Any]]
    """Configurations, over the defaults."""
    seconds: float
    whole: bool = False
    """Whether the ranges offer finitely many configurations, and each was tried, once."""

    @property
    def admitted(self) -> int:
        """Drawn configurations that satisfy the hypotheses and are decided."""
        return decided(self.drawn)

    @property
    def share(self) -> tuple[float, float]:
        """The 95 % interval (Clopper and Pearson) of the share of them at which the conclusion holds."""
        found = binomtest(self.drawn.count("h"), self.admitted).proportion_ci()
        return float(found.low), float(found.high)

    def stands(self, one: Statement) -> bool:
        """Whether what was found leaves the statement standing: by as many failures as ``chance`` allows."""
        failed = self.count("contradicted")
        if not one.chance or not self.admitted:
            return not failed
        return self.share[1] >= 1 - one.chance

    @property
    def ratio(self) -> str:
        """At how many of the drawn configurations that satisfy the hypotheses the conclusion holds."""
        return f"{self.drawn.count('h')} of {self.admitted}"

    @property
    def unneeded(self) -> list[str]:
        """Hypotheses that were broken at :data:`ENOUGH` configurations or more, and the conclusion held at all."""
        return [words for words, (there, failed) in self.broken.items() if there >= ENOUGH and not failed]

    @property
    def words(self) -> str:
        """What was found, in a sentence: the one rule by which the book says it."""
        if not self.admitted:
            return "no random configuration satisfies its hypotheses"
        low, high = self.share
        interval = f"at least {low:.0%}" if high == 1 else f"{low:.0%} to {high:.0%}"
        said = [f"holds at {self.ratio} random configurations (95 % interval: {interval})"]
        if self.whole:
            verb = "holds" if "h" in self.drawn else "fails"
            alone = f"{verb} at the one configuration that there is"
            said = [
                alone if self.admitted == 1 else f"holds at {self.ratio} configurations, all that there are"
            ]
        if near := decided(self.border):
            said.append(f"at {self.border.count('h')} of {near} beside the borders of its hypotheses")
        failed = self.count("outside")
        if astray := failed + self.count("beyond"):
            said.append(f"fails at {failed} of {astray} where a hypothesis is broken")
        return "; ".join(said)

    def count(self, key: str) -> int:
        """How many configurations came to ``key``, drawn or beside a border."""
        return (self.drawn + self.border).count(LETTERS[key])


def of(entry: Mapping[str, Any]) -> Hunted:
    """What an entry of the stored table found, without its provenance."""
    return Hunted(**{field: entry[field] for field in Hunted._fields if field in entry})


def read() -> dict[str, Hunted]:
    """What the stored hunts found, by id."""
    return {entry["id"]: of(entry) for entry in json.loads(STORED.read_text())}


def hunt(one: Statement, tries: int, seconds: float = math.inf) -> Hunted:
    """Draw until ``tries`` satisfy the hypotheses, go from some of them to ``fails_at``, simplify what contradicts.

    It stops early, at the end of a batch, after so many seconds or after :data:`MOST` times as many draws.
    """
    started = time.perf_counter()
    whole = every(one)
    tried = _allowed(one, whole)
    for first in range(0, 0 if whole else MOST * tries, BATCH):
        places = range(first, min(first + BATCH, MOST * tries))
        tried += _allowed(one, [draw(one, place) for place in places])
        if decided(letters(tried)) >= tries or time.perf_counter() - started > seconds:
            break
    inside = [found for found in tried if found]
    known = {_key(found) for found in inside}
    starts = [found for found in inside if found.assumed][:BESIDE]
    sides = [found for found in beside(one, starts) if _key(found) not in known]
    against = [found for found in chain(inside, sides) if found.key == "contradicted"]
    simple = [simplest(one, found.configuration) for found in against[:SHOWN]]
    return Hunted(
        one.id,
        {name: list(span) for name, span in one.ranges.items()},
        letters(tried),
        letters(sides),
        broken([*inside, *sides]),
        [json.loads(text) for text in dict.fromkeys(map(json.dumps, simple))],
        round(time.perf_counter() - started, 1),
        bool(whole),
    )


def every(one: Statement) -> list[dict[str, Any]]:
    """All configurations, over ``holds_at``, if the ranges offer finitely many; else none."""
    spans = one.ranges.values()
    if not all(isinstance(span, list) and not any(isinstance(end, tuple) for end in span) for span in spans):
        return []
    chosen = product(*(dict.fromkeys(span) for span in spans))
    return [{**one.holds_at, **dict(zip(one.ranges, values, strict=True))} for values in chosen]


def draw(one: Statement, place: int) -> dict[str, Any]:
    """The configuration at a place of the hunt, always the same, and for statements on the same program alike."""
    if whole := every(one):
        return whole[place]
    measured = one.runs or one.measures
    return one.draw(random.Random(f"{getattr(measured, '__qualname__', one.id)}/{place}"))


def judged(one: Statement, many: Sequence[Configuration]) -> list[RunResult]:
    """What runs at these configurations show; of an existence, what the best of several choices shows."""
    found = one.at_each(many)
    if one.exists:
        for place, first in enumerate(found):
            if first.key == "contradicted":
                chance = random.Random(repr(sorted(first.configuration.items())))
                chosen = [{**first.configuration, **drawn(chance, one.exists)} for _ in range(CHOICES)]
                found[place] = next((it for it in one.at_each(chosen) if it.key == "holds"), first)
    return found


def beside(one: Statement, inside: Sequence[RunResult]) -> list[RunResult]:
    """Runs on both sides of the border that the way from each of ``inside`` to ``fails_at`` crosses, ever closer.

    None is counted twice: where a setting is one of a few, halving comes to the same one again.
    """
    starts = [complete(one, found.configuration) for found in inside]
    ends = [complete(one, {**_over_defaults(one, start), **one.fails_at}) for start in starts]
    near, far = [0.0] * len(starts), [1.0] * len(starts)
    seen: list[RunResult] = []
    for _ in range(CUTS):
        shares = [(low + high) / 2 for low, high in zip(near, far, strict=True)]
        ways = zip(starts, ends, shares, strict=True)
        found = _allowed(one, [between(one, *way) for way in ways])
        for place, it in enumerate(found):
            (near if it and it.assumed else far)[place] = shares[place]
        seen += filter(None, found)
    return list({_key(it): it for it in seen}.values())


def _key(found: RunResult) -> str:
    return repr(sorted(found.configuration.items()))


def _allowed(one: Statement, many: Sequence[Configuration]) -> list[RunResult | None]:
    """What runs there show; None where a way leads through what cannot be run."""
    try:
        return list(judged(one, many))
    except ValueError:
        return [None] if len(many) == 1 else [it for each in many for it in _allowed(one, [each])]


def _over_defaults(one: Statement, start: Configuration) -> dict[str, Any]:
    """``start`` without what only ``holds_at`` asks for: ``fails_at`` is over the defaults."""
    return {name: value for name, value in start.items() if name in one.ranges or name not in one.holds_at}


def between(one: Statement, start: Configuration, end: Configuration, share: float) -> dict[str, Any]:
    """The configuration at ``share`` of the way: numbers go along it, whole ones rounded, all else changes half-way."""
    return {
        name: _along(value, end[name], share, listed=_listed(one.ranges.get(name)))
        for name, value in start.items()
    }


def _listed(span: Any) -> bool:
    return isinstance(span, list) and not isinstance(span[0], tuple)


def _along(a: Any, b: Any, share: float, *, listed: bool) -> Any:
    numbers = all(isinstance(x, (int, float)) and not isinstance(x, bool) for x in (a, b))
    if a == b or listed or not numbers:
        return a if share < 0.5 else b
    logarithmic = min(a, b) > 0 and max(a, b) > 10 * min(a, b)
    value = a * (b / a) ** share if logarithmic else a + (b - a) * share
    whole = float(a).is_integer() and float(b).is_integer()
    return type(a)(round(value)) if whole else value


def complete(one: Statement, configuration: Configuration) -> dict[str, Any]:
    """``configuration`` over the defaults of what the statement is measured on."""
    return {**one.defaults, **configuration}


def simplest(one: Statement, configuration: Configuration) -> dict[str, Any]:
    """A contradiction with as little as possible unlike ``holds_at``, and numbers of few digits.

    One setting after the other goes back to where it stands in ``holds_at``, then loses digits, as long as the
    conclusion still fails while the hypotheses hold.
    """
    usual = complete(one, one.holds_at)
    left = {name: value for name, value in configuration.items() if usual.get(name) != value}

    def still(changed: Configuration) -> bool:
        (found,) = _allowed(one, [{**one.holds_at, **changed}])
        return found is not None and found.key == "contradicted"

    for name in list(left):
        without = {other: value for other, value in left.items() if other != name}
        if still(without):
            left = without
    for name, value in left.items():
        for digits in (1, 2, 3) if isinstance(value, float) else ():
            rounded = {**left, name: float(f"{value:.{digits}g}")}
            if still(rounded):
                left = rounded
                break
    return {**one.holds_at, **left}


def broken(found: Sequence[RunResult]) -> dict[str, list[int]]:
    """See :attr:`Hunted.broken`; runs that are not settled count as little as elsewhere."""
    counts: dict[str, list[int]] = {}
    for it in found:
        for words, light in it.lights.items():
            count = counts.setdefault(words, [0, 0])
            if light <= 0.25 and it.key != "undecided":
                count[0] += 1
                count[1] += not it.concluded
    return counts


def decided(drawn: str) -> int:
    """How many of these letters stand for a conclusion that holds, or fails, where all hypotheses hold."""
    return drawn.count(LETTERS["holds"]) + drawn.count(LETTERS["contradicted"])


def letters(found: Sequence[RunResult | None]) -> str:
    """What runs came to, a letter each."""
    return "".join(LETTERS[it.key] if it else IMPOSSIBLE for it in found)
