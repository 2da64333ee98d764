"""The papers' numbered statements: what each assumes, what it says, and a verdict that can fail.

A page's ``statements.py`` holds its statements, its ``program.py`` what they are measured on; the text stands in the
page's box whose label is the statement's id. The live figure, the notebook's cells, the atlas and the command line all
follow from that one definition::

    python -m book.statements                                       # examine all: a table
    python -m book.statements --json recall.lemma-6                 # with every number
    python -m book.statements --at temperature=0.087 recall.lemma-6 # at a configuration of your own
"""

from __future__ import annotations

import importlib
import json
import math
import random
import re
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from itertools import chain, islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import torch
from torch import Tensor

from book.markdown import table
from book.paper import Paper
from lib.solve import Program, reports, run

ROOT = Path(__file__).parents[1]
Number = float | Tensor


class Bound(NamedTuple):
    """A number and the interval in which a statement says that it lies; ``strict`` leaves the ends out."""

    name: str
    measured: Number
    low: Number = -math.inf
    high: Number = math.inf
    strict: bool = False

    @property
    def holds(self) -> Tensor:
        """0-d bool; a NaN lies nowhere, but where nothing is asked for nothing can fail."""
        if all(isinstance(end, float) and math.isinf(end) for end in self[2:4]):
            return torch.tensor(True)
        measured, low, high = (torch.as_tensor(x, dtype=torch.float64) for x in self[1:4])
        return (measured > low) & (measured < high) if self.strict else (measured >= low) & (measured <= high)

    @property
    def words(self) -> str:
        """The interval as a reader writes it; empty where there is none."""
        low, high = float(self.low), float(self.high)
        if math.isinf(low) and math.isinf(high):
            return ""
        if low == high:
            return f"= {plain(low)}"
        if math.isinf(low):
            return f"{'<' if self.strict else '≤'} {plain(high)}"
        if math.isinf(high):
            return f"{'>' if self.strict else '≥'} {plain(low)}"
        middle, half = (low + high) / 2, (high - low) / 2
        if half < 1e-3 * abs(middle):
            return f"{plain(middle)} ± {half:.0e}"
        return f"{plain(low)} … {plain(high)}"


def at_most(high: Number, measured: Number, name: str) -> Bound:
    """``measured`` ≤ ``high``."""
    return Bound(name, measured, high=high)


def at_least(low: Number, measured: Number, name: str) -> Bound:
    """``measured`` ≥ ``low``."""
    return Bound(name, measured, low=low)


def below(high: Number, measured: Number, name: str) -> Bound:
    """``measured`` < ``high``."""
    return Bound(name, measured, high=high, strict=True)


def above(low: Number, measured: Number, name: str) -> Bound:
    """``measured`` > ``low``."""
    return Bound(name, measured, low=low, strict=True)


def between(low: Number, measured: Number, high: Number, name: str) -> Bound:
    """``low`` ≤ ``measured`` ≤ ``high``."""
    return Bound(name, measured, low, high)


def near(
    expected: Number, measured: Number, name: str, *, relative: float = 0.0, absolute: float = 0.0
) -> Bound:
    """``measured`` is ``expected``, give or take ``absolute`` + ``relative`` · |``expected``|."""
    size = expected.abs() if isinstance(expected, Tensor) else abs(expected)
    slack = absolute + relative * size
    return Bound(name, measured, expected - slack, expected + slack)


def true(flag: Any, name: str) -> Bound:
    """``flag`` holds."""
    return Bound(name, torch.as_tensor(flag).to(torch.float64), 1.0, 1.0)


def told(measured: Number, name: str) -> Bound:
    """A number that decides nothing, but that texts quote by its name."""
    return Bound(name, measured)


class Bounds(tuple[Bound, ...]):
    """What a statement says: every bound must hold."""

    def __new__(cls, *bounds: Bound) -> Bounds:
        return super().__new__(cls, bounds)


class Verdict(StrEnum):
    """What examining a statement can end with."""

    CONFIRMED = "confirmed"
    ALGEBRA = "true by algebra"
    RECONSTRUCTED = "confirmed as reconstructed"
    CORRECTED = "confirmed after correction"
    ONLY_WHERE = "holds only where its hypotheses are sharpened"
    VACUOUS = "vacuous at finite size"
    NOT_REPRODUCED = "not reproduced"
    NOT_TESTABLE = "not testable here"


class Ground(StrEnum):
    """Who says it, and on what ground."""

    PRINTED = "as printed"
    RECONSTRUCTED = "as reconstructed by us"
    SHARPENED = "as sharpened by us"
    OURS = "a finding of ours"


@dataclass(frozen=True)
class Erratum:
    """A formula of the paper that is not right, and the one that is."""

    where: str
    paper: str
    """The paper's formula, LaTeX."""
    right: str
    """The right one, LaTeX."""
    survives: str
    """Whether the statement stands, in a sentence."""
    symbolic: Callable[[], bool]
    """True if sympy finds the paper's formula wrong and ours right."""
    numeric: Callable[[], dict[str, float]]
    """The paper's number, ours, and what is measured."""


class Check(NamedTuple):
    """A formula of the paper that was checked and found right: the list of errata is complete only beside these."""

    where: str
    formula: str
    """LaTeX, or words where the formula is a table."""
    how: str
    """"sympy", "autograd", "full model", "count": what it was checked against."""
    passes: Callable[[], bool]


SENTENCES = {
    "holds": "As stated: the hypotheses hold here, and so does the conclusion.",
    "contradicted": "Contradicted here: the hypotheses hold, yet the conclusion fails, in “{bound}”.",
    "outside": "Outside the statement: “{hypothesis}” is broken, and the conclusion fails, in “{bound}”.",
    "beyond": "Beyond the statement: “{hypothesis}” is broken, yet the conclusion holds.",
    "undecided": "Not decided here: “{condition}” is not reached yet.",
}
"""What a run comes to, by hypotheses and conclusion; each names the item that decided."""
NOT_THIS_ONE = (
    "Not with this choice: “{bound}” fails. The statement says that there is one for which it holds."
)
"""Instead of "contradicted", where the statement says that something exists."""
NOT_THIS_TIME = "Not in this run: “{{bound}}” fails. The statement lets {share} of random starts fail."
"""Instead of "contradicted", where it says that something happens with a probability."""


@dataclass(eq=False, frozen=True)
class Statement:
    """A numbered statement of a paper, or a finding of ours: made by :func:`statement`.

    Calling it runs it: ``lemma_6(temperature=0.087)`` is a :class:`Found`, which displays itself.

    Attributes:
        id: never changes once published.
        says: from one run's report to :class:`Bounds`, in traceable torch.
        runs: makes the program that it is measured on. ``measures``: without a program, a function of the
            configuration that returns a record or a dict.
        assumes: the hypotheses: fields of the report (1 holds, 0 is violated, ½ says nothing here) and their words.
        settled: what a run must have come to before the conclusion can be judged: fields and their words.
        holds_at, fails_at: a configuration that satisfies the hypotheses, where every bound must hold, and one that
            breaks a hypothesis, where a bound must fail, or the check checks nothing. Both over the defaults.
        seeds: at how many seeds both are examined; it must hold at all of them.
        ranges: where to draw configurations that satisfy the hypotheses: (low, high), or a list to choose from, of
            values or of such spans: ``[GOOD, GOOD, SLIDER]`` draws from the first two times in three.
        good: whether what comes out is any good, which is neither assumed nor said.
        exists: what it says that there is a choice of, and where from: one choice that fails does not contradict it.
        chance: how often it may fail, over the randomness of data and start: the δ of "with probability 1 − δ".
        uses: ids of the statements that its proof rests on, as the paper has it.
        algebra: whether it follows by algebra alone, so that no dynamics is put to the test.
        untested: why it is not tested here, where it is not; then nothing is measured, and ``says`` is empty.
        numbers: what it covers of the paper's numbered statements and figures; without them, its box's name.
        stands: whether it came out when this was written.
        sentences: in place of those of :data:`SENTENCES` that say less.
        constants: decimals in its texts that are the paper's own, or a page's settings: all others come by name.
        finding: one line on what was found; ``{name}`` or ``{name:.3f}`` is the measured number of that name, and
            ``{name where it fails}`` that at ``fails_at``.
    """

    id: str
    says: Callable[[Any], Bounds]
    holds_at: Mapping[str, Any] = field(default_factory=dict)
    fails_at: Mapping[str, Any] = field(default_factory=dict)
    runs: Callable[[], Program] | None = None
    measures: Callable[..., Any] | None = None
    assumes: Mapping[str, str] = field(default_factory=dict)
    settled: Mapping[str, str] = field(default_factory=dict)
    seeds: int = 1
    ranges: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    good: Callable[[Any], Bound] | None = None
    exists: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    chance: float = 0.0
    uses: tuple[str, ...] = ()
    ground: Ground = Ground.PRINTED
    vacuous: bool = False
    algebra: bool = False
    untested: str = ""
    numbers: tuple[str, ...] = ()
    stands: bool = True
    sentences: Mapping[str, str] = field(default_factory=dict)
    constants: tuple[float, ...] = ()
    finding: str = ""
    errata: tuple[Erratum, ...] = ()
    checked: tuple[Check, ...] = ()

    def __post_init__(self) -> None:
        if [self.runs, self.measures, self.untested or None].count(None) != 2:
            raise ValueError(f"{self.id}: must be given either runs or measures or untested")
        if unknown := set(self.sentences) - set(SENTENCES):
            raise ValueError(
                f"{self.id}: sentences = {sorted(unknown)}: must be among {', '.join(SENTENCES)}"
            )

    @property
    def page(self) -> str:
        """The page that explains it, without its suffix: the folder that its code lies in."""
        return "/".join(self.says.__module__.split(".")[:3])

    @property
    def paper(self) -> Paper:
        """The paper it belongs to, by its id's room."""
        found: Paper = importlib.import_module(f"book.{self.id.split('.')[0]}").PAPER
        return found

    @property
    def box(self) -> Box:
        """Its name, title and text, from its page.

        Raises:
            ValueError: the page has no box with its label.
        """
        boxes = boxes_of(self.page)
        if self.id not in boxes:
            raise ValueError(f"{self.page}.ipynb has no box labelled {self.id!r}")
        return boxes[self.id]

    def __call__(self, **configuration: Any) -> Found:
        """What one run shows; what is not given stays as in ``holds_at``."""
        return self.at({**self.holds_at, **configuration})

    def at(self, configuration: Mapping[str, Any]) -> Found:
        """What one run shows at ``configuration`` over the program's defaults."""
        return self.at_each([configuration])[0]

    def at_each(self, many: Sequence[Mapping[str, Any]]) -> list[Found]:
        """The same of many runs, side by side."""
        if self.untested:
            raise ValueError(f"{self.id} is not tested here: {self.untested}")
        if self.runs:
            return list(map(self.found, many, _reports(self.runs, many)))
        assert self.measures
        return [self.found(one, self.measures(**one)) for one in many]

    def over_seeds(self, *configurations: Mapping[str, Any]) -> list[Evidence]:
        """What :attr:`seeds` runs show at each of the configurations, all side by side."""
        if self.untested:
            return [Evidence(()) for _ in configurations]
        seeds = [{"seed": seed} for seed in range(self.seeds)] if self.seeds > 1 else [{}]
        found = iter(self.at_each([{**one, **seed} for one in configurations for seed in seeds]))
        return [Evidence(tuple(islice(found, self.seeds))) for _ in configurations]

    def found(self, configuration: Mapping[str, Any], report: Any) -> Found:
        """What a run that was made at ``configuration`` shows."""
        r = record(report)
        settled = {words: float(getattr(r, name)) > 0.5 for name, words in self.settled.items()}
        return Found(
            self,
            dict(configuration),
            report,
            {words: float(getattr(r, name)) for name, words in self.assumes.items()},
            settled,
            tuple(map(_in_numbers, self.says(r))),
            _in_numbers(self.good(r)) if self.good and all(settled.values()) else None,
        )

    def draw(self, chance: random.Random) -> dict[str, Any]:
        """A configuration from :attr:`ranges` over ``holds_at``; positive fractions on a logarithmic scale."""
        return {**self.holds_at, **drawn(chance, self.ranges)}

    def judge(self, report: Any) -> dict[str, Tensor]:
        """Lights, bounds and chips of a run, traceable: what the live figure shows."""
        r = record(report)
        bounds = self.says(r)
        lights = _numbers([getattr(r, name) for name in self.assumes])
        settled = _numbers([getattr(r, name) for name in self.settled])
        holds = _numbers([bound.holds for bound in bounds])
        undecided = 1 - (settled > 0.5).all().to(torch.float64)
        nothing = torch.full((), math.nan, dtype=torch.float64)
        good = self.good(r) if self.good else told(nothing, "")
        outcome = good.holds.to(torch.float64) if self.good else nothing
        return {
            "lights": lights,
            "settled": settled,
            "low": _numbers([bound.low for bound in bounds]),
            "measured": _numbers([bound.measured for bound in bounds]),
            "high": _numbers([bound.high for bound in bounds]),
            "holds": holds,
            "assumed": (lights > 0.25).all().to(torch.float64),
            "undecided": undecided,
            "concluded": (holds > 0.5).all().to(torch.float64),
            "good": torch.where(undecided > 0.5, nothing, outcome),
            "good_measured": _numbers([good.measured])[0],
        }

    def sheet(self, report: Any) -> dict[str, Any]:
        """What the live figure says around the numbers of :meth:`judge`, as plain data."""
        r = record(report)
        return {
            "id": self.id,
            "name": self.box.name,
            "ground": str(self.ground),
            "page": self.page,
            "href": f"#{self.id}",
            "exists": bool(self.exists or self.chance),
            "assumes": list(self.assumes.values()),
            "settled": list(self.settled.values()),
            "bounds": [{"name": bound.name, "strict": bound.strict} for bound in self.says(r)],
            "good": self.good(r).name if self.good else None,
            "sentences": {key: self.sentence(key) for key in SENTENCES},
            "module": self.says.__module__,
            "name_in_code": self.says.__name__,
            "holds_at": dict(self.holds_at),
        }

    def sentence(self, key: str) -> str:
        """What to say of a run that comes to ``key``."""
        fallback = SENTENCES[key]
        if key == "contradicted" and self.exists:
            fallback = NOT_THIS_ONE
        elif key == "contradicted" and self.chance:
            fallback = NOT_THIS_TIME.format(share=f"{self.chance:.0%}")
        return self.sentences.get(key, fallback)


KEPT = 500
_kept: dict[tuple[Callable[[], Program], tuple[tuple[str, Any], ...]], Any] = {}
"""The last reports: a page's statements often speak of the same runs."""


def _reports(runs: Callable[[], Program], many: Sequence[Mapping[str, Any]]) -> list[Any]:
    """What runs at these configurations report; those that were not kept are made side by side."""
    keys = [(runs, tuple(sorted(one.items()))) for one in many]
    new = {key: dict(key[1]) for key in keys if key not in _kept}
    if len(new) == 1:
        _kept.update((key, run(runs(), **one).report) for key, one in new.items())
    elif new:
        _kept.update(zip(new, reports(runs(), list(new.values())), strict=True))
    found = [_kept[key] for key in keys]
    for key in list(_kept)[:-KEPT]:
        del _kept[key]
    return found


def statement(id: str, **what: Any) -> Callable[[Callable[[Any], Bounds]], Statement]:
    """The decorator that makes a :class:`Statement` of the function that says it; keywords are its attributes."""
    return lambda says: Statement(id=id, says=says, **what)


def came_to(assumed: bool, concluded: bool, undecided: bool) -> str:
    """Which of :data:`SENTENCES` a run comes to."""
    if undecided:
        return "undecided"
    if assumed:
        return "holds" if concluded else "contradicted"
    return "beyond" if concluded else "outside"


@dataclass(frozen=True)
class Found:
    """What one run shows of a statement."""

    statement: Statement
    configuration: dict[str, Any]
    report: Any
    lights: dict[str, float]
    settled: dict[str, bool]
    bounds: tuple[Bound, ...]
    good: Bound | None
    """None where there is nothing to judge: no outcome is asked for, or the run is not settled."""

    @property
    def assumed(self) -> bool:
        """Whether no hypothesis is violated."""
        return all(value > 0.25 for value in self.lights.values())

    @property
    def concluded(self) -> bool:
        """Whether every bound holds."""
        return all(bool(bound.holds) for bound in self.bounds)

    @property
    def key(self) -> str:
        """Which of :data:`SENTENCES` it comes to."""
        return came_to(self.assumed, self.concluded, not all(self.settled.values()))

    @property
    def sentence(self) -> str:
        """The verdict on this run, in words that name the first item that decided."""
        first = {
            "hypothesis": (words for words, value in self.lights.items() if value <= 0.25),
            "bound": (bound.name for bound in self.bounds if not bound.holds),
            "condition": (words for words, reached in self.settled.items() if not reached),
        }
        text = self.statement.sentence(self.key)
        return re.sub(r"\{(hypothesis|bound|condition)\}", lambda item: next(first[item[1]], ""), text)

    def rows(self) -> list[tuple[str, str, str, str]]:
        """Lights and bounds: name, where it must lie, measured, whether it holds."""
        signs = {True: "✓", False: "✕"}
        states = {1.0: "✓", 0.0: "✕"}
        assumed = [(words, "assumed", "", states.get(value, "–")) for words, value in self.lights.items()]
        run_ = [(words, "of the run", "", signs[value]) for words, value in self.settled.items()]
        said = [
            (b.name, b.words, plain(float(b.measured)), signs[bool(b.holds)] if b.words else "")
            for b in self.bounds
        ]
        outcome = [(self.good.name, "any good?", plain(float(self.good.measured)), "")] if self.good else []
        return [*assumed, *run_, *said, *outcome]

    def __repr__(self) -> str:
        rows = self.rows()
        widths = [max(len(row[i]) for row in rows) for i in range(3)]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, (*widths, 1), strict=True)).rstrip()
            for row in rows
        ]
        return "\n".join([*lines, self.sentence])

    def _repr_markdown_(self) -> str:
        return f"{table(('', 'must be', 'measured', ''), self.rows())}\n\n{self.sentence}"


class Evidence(NamedTuple):
    """What the runs of a configuration show, one a seed."""

    runs: tuple[Found, ...]

    @property
    def assumed(self) -> bool:
        return all(found.assumed for found in self.runs)

    @property
    def concluded(self) -> bool:
        return all(found.concluded for found in self.runs)

    @property
    def holding(self) -> int:
        """At how many seeds every bound holds."""
        return sum(found.concluded for found in self.runs)

    @property
    def worst(self) -> list[Bound]:
        """Each bound at the seed where it is closest to failing, or fails by most; what is told, at the first."""
        return [min(same, key=_room) for same in zip(*(found.bounds for found in self.runs), strict=True)]

    @property
    def hypotheses(self) -> dict[str, bool]:
        """Each hypothesis, and whether no seed violates it."""
        lights = [found.lights for found in self.runs]
        return {words: all(light[words] > 0.25 for light in lights) for words in chain(*lights[:1])}

    @property
    def numbers(self) -> dict[str, float]:
        """The numbers that texts quote by name."""
        return {bound.name: float(bound.measured) for bound in self.worst}


def _room(bound: Bound) -> float:
    """How far inside its interval a number is; negative outside, −∞ for NaN."""
    measured, low, high = map(float, bound[1:4])
    return -math.inf if math.isnan(measured) else min(measured - low, high - measured)


class Outcome(NamedTuple):
    """A statement examined."""

    statement: Statement
    verdict: Verdict
    evidence: Evidence
    """Where it must hold."""
    broken: Evidence
    """Where it must fail."""
    proved: tuple[bool, ...]
    """For each erratum, whether sympy bears it out."""
    passed: tuple[bool, ...]
    """For each formula listed as right, whether it passes."""
    seconds: float

    @property
    def as_recorded(self) -> bool:
        """Whether it came out as when it was written."""
        return (self.verdict is not Verdict.NOT_REPRODUCED) is self.statement.stands


def examine(one: Statement) -> Outcome:
    """Put a statement to the test where it must hold and where it must fail.

    It stands if at ``holds_at`` every run is settled and every hypothesis and bound holds, if at ``fails_at`` some run
    is settled, a hypothesis is broken and a bound fails, if sympy bears out every erratum and every formula listed as
    right passes. How it is then called follows from what it is: see :func:`called`.
    """
    started = time.perf_counter()
    evidence, broken = one.over_seeds(one.holds_at, one.fails_at)
    proved = tuple(bool(erratum.symbolic()) for erratum in one.errata)
    passed = tuple(bool(item.passes()) for item in one.checked)
    holds = all(found.key == "holds" for found in evidence.runs)
    fails = any(found.key == "outside" for found in broken.runs)
    stands = bool(one.untested) or (holds and fails)
    verdict = called(one) if stands and all(proved) and all(passed) else Verdict.NOT_REPRODUCED
    return Outcome(one, verdict, evidence, broken, proved, passed, time.perf_counter() - started)


def called(one: Statement) -> Verdict:
    """What a statement that stands is called."""
    if one.untested:
        return Verdict.NOT_TESTABLE
    if one.vacuous:
        return Verdict.VACUOUS
    if one.ground is Ground.SHARPENED:
        return Verdict.ONLY_WHERE
    if one.errata:
        return Verdict.CORRECTED
    if one.algebra:
        return Verdict.ALGEBRA
    return Verdict.RECONSTRUCTED if one.ground is Ground.RECONSTRUCTED else Verdict.CONFIRMED


class Box(NamedTuple):
    """A statement's text as its page has it."""

    name: str
    """"Lemma 6"."""
    title: str
    text: str
    """MyST."""


BOX = re.compile(
    r"^```\{prf:\w+\} ?(?P<head>[^\n]*)\n(?P<options>(?::[^\n]*\n)+)(?P<text>.*?)^```",
    re.MULTILINE | re.DOTALL,
)


@cache
def boxes_of(page: str) -> dict[str, Box]:
    """The boxes of a page, by label; the head of each is "name: title"."""
    cells = json.loads((ROOT / f"{page}.ipynb").read_text())["cells"]
    text = "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    found = {}
    for match in BOX.finditer(text):
        label = re.search(r"^:label: (\S+)", match["options"], re.MULTILINE)
        name, _, title = match["head"].partition(": ")
        if label:
            found[label[1]] = Box(name, title, match["text"].strip())
    return found


def plain(value: float) -> str:
    """A number as texts write it: four digits, no trailing zeros."""
    return format(value, ".4g").replace("-", "−", 1) if value < 0 else format(value, ".4g")


def record(report: Any) -> Any:
    """A dict's entries as attributes; other records as they are."""
    return SimpleNamespace(**report) if isinstance(report, dict) else report


def _in_numbers(bound: Bound) -> Bound:
    return Bound(bound.name, float(bound.measured), float(bound.low), float(bound.high), bound.strict)


def _numbers(values: Sequence[Any]) -> Tensor:
    """(len(values),) float64."""
    tensors = [torch.as_tensor(value, dtype=torch.float64).reshape(()) for value in values]
    return torch.stack(tensors) if tensors else torch.zeros(0, dtype=torch.float64)


def drawn(chance: random.Random, ranges: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
    """A value from each range: one of a list, or from that one; of (low, high), positive fractions logarithmically."""
    return {name: _drawn(chance, span) for name, span in ranges.items()}


def _drawn(chance: random.Random, span: Sequence[Any]) -> Any:
    if isinstance(span, list):
        one = chance.choice(span)
        return _drawn(chance, one) if isinstance(one, tuple) else one
    low, high = span
    if isinstance(low, int) and isinstance(high, int):
        return chance.randint(low, high)
    return math.exp(chance.uniform(math.log(low), math.log(high))) if low > 0 else chance.uniform(low, high)


if __name__ == "__main__":
    from book import ledger

    sys.exit(ledger.main())
