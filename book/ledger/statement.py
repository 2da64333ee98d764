"""The papers' numbered statements: what each assumes, what it says, and a verdict that can fail.

A page's ``statements.py`` holds its statements, its ``program.py`` what they are measured on. What a reader reads
stands in the page's box whose label is the statement's id: the text, what was found, and what the proof rests on. The
live figure, the notebook's cells, the atlas and the command line all follow from that one definition::

    python -m book statements                            # examine all: a table
    python -m book statements --json recall.lemma-6      # with every number
    python -m book at recall.lemma-6 temperature=0.087   # one run, at settings of your own
"""

from __future__ import annotations

import inspect
import math
import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache, lru_cache
from itertools import islice
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor

from book.ledger import plain
from book.ledger.bounds import INTERVALS, Bound, Bounds, recorded
from book.ledger.boxes import Box, boxes_of
from book.ledger.decide import ITEMS, decide
from book.ledger.draws import drawn
from book.ledger.outcomes import OUTCOMES
from book.ledger.proofs import Check, Erratum, checks_of, errata_of
from book.ledger.replay import replayed
from book.ledger.results import Evidence, RunResult
from book.paper import BY_ROOM, Paper
from lib.program import Program, attributes, defaults, parameters, reports, run

Predicate = Callable[[Any, Any], Any]
"""Whether something holds, by a run's report and its parameters: 1 or true, 0 or false; in traceable torch."""


class Ground(StrEnum):
    """How what is tested relates to what the paper prints; every place that says so reads it here."""

    PRINTED = "as printed"
    CORRECTED = "as corrected by us"
    """An erratum says what is wrong."""
    RECONSTRUCTED = "as reconstructed by us"
    SHARPENED = "as sharpened by us"
    """A hypothesis is ours. A number for a constant that the paper leaves open is not one: it stays as printed."""
    OURS = "a finding of ours"


KINDS = (
    "theorem",
    "finding",
    "proposition",
    "lemma",
    "corollary",
    "remark",
    "assumption",
    "definition",
    "conjecture",
)
"""What a sentence may call a statement; any other is a statement."""
DECIDER = re.compile(rf"\{{({'|'.join(ITEMS)})\}}")
"""In a sentence: what decided."""
SENTENCES = {
    "holds": "The {kind} applies here, and its prediction is right.",
    "contradicted": "The {kind} applies here, but its prediction is wrong: {bound}.",
    "outside": "The {kind} makes no promise here: {hypothesis}. And indeed {bound}.",
    "beyond": "The {kind} makes no promise here: {hypothesis}. Its prediction is right all the same.",
    "undecided": "Too early to tell: {condition}.",
    "unpromised": "The {kind} makes no promise here: {hypothesis}. Nor can its prediction be judged: {condition}.",
}
"""What to say of a run where the page does not say what the statement says, by what it comes to; "unpromised" instead
of "undecided", where a hypothesis fails: more steps may not help."""
WAITS = "The verdict comes at the end of the run."
"""Before that."""
NOT_THIS_ONE = "Not with this choice: {bound}. The {kind} only promises that some choice works."
"""Instead of "contradicted", where the statement says that something exists."""
NOT_THIS_TIME = "Not in this run: {bound}. The {kind} allows that for {share} of random starts."
"""Instead of "contradicted", where it says that something happens with a probability."""
MAPPED = {
    "cells": "Where it applies, {name} is right at {holds} of the {inside} cells that could be judged, and elsewhere "
    "at {beyond} of {outside}.",
    "every": "For every value of “{along}” at which the hypotheses hold, some “{choice}” works (green): that is what "
    "the {kind} promises.",
    "some": "For {works} of the {lines} values of “{along}” at which the hypotheses hold, some “{choice}” of these "
    "works (green). The {kind} promises that one does, perhaps beside the cells.",
    "early": " At {early} more it is too early to say.",
}
"""What a map over two parameters shows; "every" and "some" where one of these is what a choice is promised of."""
MAPPED_CHOICE = (
    "With the choice that is set {name} is right at {holds} of the {inside} cells where it applies and could be "
    "judged. It only promises that some choice works at each."
)
"""Instead of "cells", where a statement says that there is a choice."""


@dataclass(eq=False, frozen=True)
class Statement:
    """A numbered statement of a paper, or a finding of ours: made by :func:`statement`.

    Calling it runs it: ``lemma_6(temperature=0.087)`` is a :class:`RunResult`, which displays itself.

    Attributes:
        id: never changes once published.
        says: from one run's report, and its parameters if it takes two arguments, to :class:`Bounds`, in traceable
            torch.
        runs: makes the program that it is measured on. ``measures``: without a program, a function of the
            configuration that returns a record or a dict.
        assumes: the hypotheses by name: their words and a predicate of report and parameters, which may also be ½
            where the hypothesis says nothing.
        settled: what a run must have come to before the conclusion can be judged: words and predicates likewise.
        holds_at, fails_at: a configuration that satisfies the hypotheses, where every bound must hold, and one that
            breaks a hypothesis, where a bound must fail, or the check checks nothing. Both over the defaults.
        planted: instead of ``fails_at``, for an identity, which has no hypothesis to break: an error in its formula, in
            words, and the configuration that plants it, where a bound must fail.
        seeds: at how many seeds both are examined; it must hold at all of them.
        ranges: where to draw configurations that satisfy the hypotheses: (low, high), or a list to choose from, of
            values or of such spans: ``[GOOD, GOOD, SLIDER]`` draws from the first two times in three.
        no_farther: settings whose range is narrower than the hypotheses for a reason, with that reason.
        good: the quality of what comes out, which is neither assumed nor said.
        exists: what it says that there is a choice of, and where from: one choice that fails does not contradict it.
        chance: how often it may fail, over the randomness of data and start: the δ of "with probability 1 − δ".
        loose: bounds more than a hundredfold from their limit at ``holds_at``: the limit is the paper's own.
        algebra: whether it follows by algebra alone, so that no dynamics is put to the test.
        untested: why it is not tested here, where it is not; then nothing is measured, and ``says`` is empty.
        stands: whether it came out when this was written.
        sentences: in place of those of :data:`SENTENCES` that say less.
        constants: decimals in its texts that are the paper's own, or a page's settings: all others come by name.
    """

    id: str
    says: Callable[..., Bounds]
    holds_at: Mapping[str, Any] = field(default_factory=dict)
    fails_at: Mapping[str, Any] = field(default_factory=dict)
    planted: tuple[str, Mapping[str, Any]] | None = None
    runs: Callable[[], Program] | None = None
    measures: Callable[..., Any] | None = None
    assumes: Mapping[str, tuple[str, Predicate]] = field(default_factory=dict)
    settled: Mapping[str, tuple[str, Predicate]] = field(default_factory=dict)
    seeds: int = 1
    ranges: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    no_farther: Mapping[str, str] = field(default_factory=dict)
    good: Callable[..., Bound] | None = None
    exists: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    chance: float = 0.0
    ground: Ground = Ground.PRINTED
    vacuous: bool = False
    loose: tuple[str, ...] = ()
    algebra: bool = False
    untested: str = ""
    stands: bool = True
    sentences: Mapping[str, str] = field(default_factory=dict)
    constants: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if [self.runs, self.measures, self.untested or None].count(None) != 2:
            raise ValueError(f"{self.id}: must be given either runs or measures or untested")
        if self.planted and self.fails_at:
            raise ValueError(f"{self.id}: must be given either fails_at or planted")
        if unknown := set(self.sentences) - set(OUTCOMES):
            raise ValueError(f"{self.id}: sentences = {sorted(unknown)}: must be among {', '.join(OUTCOMES)}")

    @property
    def errata(self) -> tuple[Erratum, ...]:
        """The formulas of the paper that its page proves wrong."""
        return errata_of(self.id, self.page)

    @property
    def checked(self) -> tuple[Check, ...]:
        """The formulas of the paper that its page checked and found right."""
        return checks_of(self.id, self.page)

    @property
    def page(self) -> str:
        """The page that explains it, without its suffix: the folder that its code lies in."""
        return "/".join(self.says.__module__.split(".")[:3])

    @property
    def paper(self) -> Paper:
        """The paper it belongs to, by its id's room."""
        return BY_ROOM[self.id.split(".")[0]]

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

    @property
    def kind(self) -> str:
        """ "lemma", "definition", …: the first word of its name, in lower case."""
        return self.box.name.partition(" ")[0].lower()

    @property
    def finding(self) -> str:
        """What was found, in a sentence that quotes numbers by name (:mod:`book.ledger.template`)."""
        return self.box.finding

    @property
    def uses(self) -> tuple[str, ...]:
        """The ids of the statements that its proof rests on, as the paper has it."""
        return self.box.uses

    @property
    def numbers(self) -> tuple[str, ...]:
        """The paper's numbered statements and figures that it covers: those of its box, or the box's name."""
        return self.box.numbers or (self.box.name,)

    def __call__(self, **configuration: Any) -> RunResult:
        """What one run shows; what is not given stays as in ``holds_at``."""
        return self.at({**self.holds_at, **configuration})

    def at(self, configuration: Mapping[str, Any]) -> RunResult:
        """What one run shows at ``configuration`` over the program's defaults."""
        return self.at_each([configuration])[0]

    def at_each(self, configurations: Sequence[Mapping[str, Any]]) -> list[RunResult]:
        """What runs at each of these configurations show, made side by side."""
        if self.untested:
            raise ValueError(f"{self.id} is not tested here: {self.untested}")
        if self.runs:
            all_reports = _reports(self.runs, configurations)
        else:
            assert self.measures
            all_reports = [self.measures(**configuration) for configuration in configurations]
        return list(map(self.result, configurations, all_reports))

    @property
    def wrong_at(self) -> Mapping[str, Any]:
        """Where it is examined for being able to fail: a hypothesis is broken, or an error planted."""
        return self.planted[1] if self.planted else self.fails_at

    @property
    def defaults(self) -> dict[str, Any]:
        """The default of each parameter that has one."""
        if self.runs:
            return dict(defaults(_program(self.runs)))
        assert self.measures
        arguments = inspect.signature(self.measures).parameters.values()
        return {
            argument.name: argument.default
            for argument in arguments
            if argument.default is not argument.empty
        }

    def parameters(self, configuration: Mapping[str, Any]) -> Any:
        """The parameters of a run at ``configuration``: a program's tensors, or the arguments of ``measures``."""
        if self.runs:
            return parameters(_program(self.runs), dict(configuration))
        return SimpleNamespace(**{**self.defaults, **configuration})

    def over_seeds(self, *configurations: Mapping[str, Any], seeds: int | None = None) -> list[Evidence]:
        """What runs at the first ``seeds`` of :attr:`seeds` show at each of the configurations, all side by side."""
        if self.untested:
            return [Evidence(()) for _ in configurations]
        count = min(seeds or self.seeds, self.seeds)
        chosen = [{"seed": seed} for seed in range(count)] if self.seeds > 1 else [{}]
        runs = [{**configuration, **seed} for configuration in configurations for seed in chosen]
        results = iter(self.at_each(runs))
        return [Evidence(tuple(islice(results, count))) for _ in configurations]

    def result(self, configuration: Mapping[str, Any], report: Any) -> RunResult:
        """What a run that was made at ``configuration`` shows."""
        r, p = attributes(report), self.parameters(configuration)
        verdict = self.judge(report, p)
        reached = {words: bool(holds > 0.5) for words, holds in _by_words(self.settled, verdict["settled"])}
        return RunResult(
            dict(configuration),
            p,
            report,
            {words: float(light) for words, light in _by_words(self.assumes, verdict["lights"])},
            reached,
            tuple(map(_in_numbers, _applied(self.says, r, p))),
            _in_numbers(_applied(self.good, r, p)) if self.good and all(reached.values()) else None,
            verdict,
            self.sentence_on,
            self.name_with_standing,
        )

    def name_with_standing(self) -> str:
        """What a sentence on a run begins with; nothing if the page has sentences of its own."""
        return f"{plain.name(self)} ({self.ground})" if "waits" in plain.sentences(self) else ""

    def sentence_on(self, result: RunResult) -> str:
        """The verdict on a run, in words that say what decided."""
        failures = self.failures(bound.name for bound in result.bounds)
        words = {item: failures[item][place] for item, place in result.decisive.items()}
        waits = result.key == "undecided" and not result.assumed
        own = plain.sentences(self)
        key = "unpromised" if waits else result.key
        text = DECIDER.sub(lambda match: words.get(match[1], ""), own.get(key, self.sentence(key)))
        return plain.with_numbers(text, self, result.report, result.parameters, result.verdict)

    def draw(self, chance: random.Random) -> dict[str, Any]:
        """A configuration from :attr:`ranges` over ``holds_at``; positive fractions on a logarithmic scale."""
        return {**self.holds_at, **drawn(chance, self.ranges)}

    def judge(self, report: Any, parameters: Any) -> dict[str, Tensor]:
        """Hypotheses, bounds and verdict of a run, traceable: what the live figure shows."""
        r = attributes(report)
        bounds = _applied(self.says, r, parameters)
        lights = _numbers([holds(r, parameters) for _, holds in self.assumes.values()])
        settled = _numbers([holds(r, parameters) for _, holds in self.settled.values()])
        holds = _numbers([bound.holds for bound in bounds])
        verdict = decide(lights, holds, settled)
        nothing = torch.full((), math.nan, dtype=torch.float64)
        good = _applied(self.good, r, parameters) if self.good else recorded(nothing, "")
        outcome = good.holds.to(torch.float64) if self.good else nothing
        return {
            "lights": lights,
            "settled": settled,
            "low": _numbers([bound.low for bound in bounds]),
            "measured": _numbers([bound.measured for bound in bounds]),
            "high": _numbers([bound.high for bound in bounds]),
            "interval": _numbers([bound.interval for bound in bounds]),
            "holds": holds,
            **verdict,
            "good": torch.where(verdict["undecided"], nothing, outcome),
            "good_measured": _numbers([good.measured])[0],
        }

    def sheet(self, report: Any, parameters: Any) -> dict[str, Any]:
        """The words around the numbers of :meth:`judge`, as plain data."""
        r = attributes(report)
        bounds = _applied(self.says, r, parameters)
        return {
            "id": self.id,
            "name": plain.name(self),
            "ground": str(self.ground),
            "page": self.page,
            "href": f"#{self.id}",
            "exists": bool(self.exists or self.chance),
            "choices": list(self.exists),
            "mapped": self.mapped,
            "assumes": [words for words, _ in self.assumes.values()],
            "settled": [words for words, _ in self.settled.values()],
            "bounds": [{"name": bound.name, "strict": bound.strict} for bound in bounds],
            "intervals": list(INTERVALS),
            "outcomes": list(OUTCOMES),
            "good": _applied(self.good, r, parameters).name if self.good else None,
            "keys": {"hypothesis": list(self.assumes), "condition": list(self.settled)},
            "failures": self.failures([bound.name for bound in bounds]),
            "sentences": {key: self.sentence(key) for key in OUTCOMES},
            "unpromised": self.sentence("unpromised"),
            "waits": WAITS,
            "ranges": {name: _plain_range(span) for name, span in self.ranges.items()},
            "module": self.says.__module__,
            "name_in_code": self.says.__name__,
            "holds_at": dict(self.holds_at),
        }

    def failures(self, bounds: Iterable[str]) -> dict[str, list[str]]:
        """By what may decide a verdict, with the bounds of these names: a clause for each, which says that it fails."""

        def named(items: Mapping[str, tuple[str, Predicate]]) -> list[tuple[str, str]]:
            return [(key, words) for key, (words, _) in items.items()]

        return {
            "hypothesis": plain.failures(self, "hypothesis", named(self.assumes)),
            "bound": plain.failures(self, "bound", [(name, name) for name in bounds]),
            "condition": plain.failures(self, "condition", named(self.settled)),
        }

    @property
    def mapped(self) -> dict[str, str]:
        """What a map of it shows, by what is counted; the counts stand in braces."""
        words = {**MAPPED, "cells": MAPPED_CHOICE} if self.exists else MAPPED
        return {key: self._worded(text) for key, text in words.items()}

    def sentence(self, key: str) -> str:
        """What to say of a run that comes to ``key``, where the page says no more; or where it is "unpromised"."""
        fallback = SENTENCES[key]
        if key == "contradicted" and self.exists:
            fallback = NOT_THIS_ONE
        elif key == "contradicted" and self.chance:
            fallback = NOT_THIS_TIME
        usual = self.sentences.get("undecided", "") if key == "unpromised" else ""
        return self.sentences.get(key, usual or self._worded(fallback))

    def _worded(self, sentence: str) -> str:
        words = {"{kind}": self.kind if self.kind in KINDS else "statement", "{share}": f"{self.chance:.0%}"}
        for place, word in words.items():
            sentence = sentence.replace(place, word)
        return sentence


MOST_RECORDINGS = 4
MOST_REPORTS = 500
_last_reports: dict[tuple[Callable[[], Program], tuple[tuple[str, Any], ...]], Any] = {}
"""The last reports: a page's statements often speak of the same runs."""


@lru_cache(MOST_RECORDINGS)
def _replayed(runs: Callable[[], Program]) -> Program:
    """The program with steps that are recorded once they have been taken often."""
    return replayed(runs())


def _reports(runs: Callable[[], Program], configurations: Sequence[Mapping[str, Any]]) -> list[Any]:
    """The reports of runs at these configurations; those that are not in memory are run side by side."""
    keys = [(runs, tuple(sorted(configuration.items()))) for configuration in configurations]
    new = {key: dict(key[1]) for key in keys if key not in _last_reports}
    if len(new) == 1:
        _last_reports.update((key, run(_replayed(runs), **values).report) for key, values in new.items())
    elif new:
        _last_reports.update(zip(new, reports(_replayed(runs), list(new.values())), strict=True))
    of_all = [_last_reports[key] for key in keys]
    for key in list(_last_reports)[:-MOST_REPORTS]:
        del _last_reports[key]
    return of_all


@cache
def _program(runs: Callable[[], Program]) -> Program:
    return runs()


def _applied(function: Callable[..., Any], report: Any, parameters: Any) -> Any:
    """What a statement's function of the report, or of report and parameters, returns."""
    two = len(inspect.signature(function).parameters) > 1
    return function(report, parameters) if two else function(report)


def statement(id: str, **what: Any) -> Callable[[Callable[..., Bounds]], Statement]:
    """The decorator that makes a :class:`Statement` of the function that says it; keywords are its attributes."""
    return lambda says: Statement(id=id, says=says, **what)


def _plain_range(span: Sequence[Any]) -> Any:
    """A range of :attr:`Statement.ranges` for the page: what a draw may choose from, or between which ends it lies."""
    if isinstance(span, list):
        return {"of": [_plain_range(item) if isinstance(item, tuple) else item for item in span]}
    low, high = span
    return {"low": low, "high": high, "whole": isinstance(low, int) and isinstance(high, int)}


def _by_words(items: Mapping[str, tuple[str, Predicate]], numbers: Tensor) -> Iterator[tuple[str, Tensor]]:
    return zip((words for words, _ in items.values()), numbers, strict=True)


def _in_numbers(bound: Bound) -> Bound:
    return Bound(bound.name, float(bound.measured), float(bound.low), float(bound.high), bound.strict)


def _numbers(values: Sequence[Any]) -> Tensor:
    """(len(values),) float64."""
    tensors = [torch.as_tensor(value, dtype=torch.float64).reshape(()) for value in values]
    return torch.stack(tensors) if tensors else torch.zeros(0, dtype=torch.float64)
