"""The papers' numbered statements as claims: hypotheses, prediction, measurement, and a verdict that can fail.

``python -m lib.claims [--json] [ids …]`` examines them and compares each verdict with the recorded one.
"""

from __future__ import annotations

import argparse
import importlib
import json
import math
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

ROOMS = ("lib.cooccurrence.claims", "lib.knowledge.claims", "lib.recall.claims")
"""Modules that register claims when imported, in the order of the chapters."""


class Verdict(StrEnum):
    """What examining a claim can end with."""

    CONFIRMED = "confirmed"
    CORRECTED = "confirmed after correction"
    ONLY_WHERE = "holds only where its hypotheses are sharpened"
    VACUOUS = "vacuous at finite size"
    NOT_REPRODUCED = "not reproduced"
    NOT_TESTABLE = "not testable here"


class Evidence(NamedTuple):
    """What one configuration shows."""

    hypotheses: dict[str, bool]
    predicted: dict[str, float]
    measured: dict[str, float]
    conclusion: bool
    """Whether the statement's conclusion holds here, judged by the numbers alone."""


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


@dataclass(frozen=True)
class Claim:
    """A numbered statement of a paper, in our own words, and how it is put to the test."""

    id: str
    paper: str
    kind: str
    number: str
    title: str
    page: str
    """The page that explains it, without its suffix."""
    statement: str
    """MyST, in our own words."""
    examine: Callable[..., Evidence]
    """``examine(**configuration)`` → Evidence."""
    holds_at: dict[str, Any]
    """A configuration that satisfies the hypotheses: the conclusion must hold."""
    fails_at: dict[str, Any]
    """A configuration that breaks a hypothesis: the conclusion must fail, or the check checks nothing."""
    recorded: Verdict
    finding: str = ""
    """One line on what was found."""
    errata: tuple[Erratum, ...] = field(default=())
    checked: tuple[Check, ...] = field(default=())
    sharpened: bool = False
    """Whether the hypotheses examined are sharper than the paper's, without which the statement is not true."""
    vacuous: bool = False
    """Whether the hypotheses, with their printed constants, leave nothing to train at any size that fits a machine."""


class Outcome(NamedTuple):
    """A claim examined."""

    claim: Claim
    verdict: Verdict
    evidence: Evidence
    """At the configuration where the statement must hold."""
    broken: Evidence
    """At the one where it must fail."""
    proved: tuple[bool, ...]
    """For each erratum, whether sympy bears it out."""
    passed: tuple[bool, ...]
    """For each formula listed as right, whether it passes."""
    seconds: float


_registry: dict[str, Claim] = {}


def register(claim: Claim) -> Claim:
    """Add a claim to the registry.

    Raises:
        ValueError: its id is taken.
    """
    if claim.id in _registry:
        raise ValueError(f"id = {claim.id!r}: must be new to the registry")
    _registry[claim.id] = claim
    return claim


def registry() -> dict[str, Claim]:
    """All claims by id, in the order of the chapters."""
    for room in ROOMS:
        importlib.import_module(room)
    return dict(sorted(_registry.items(), key=lambda item: _place(item[1])))


def _place(claim: Claim) -> int:
    """The chapter's place, so that the order does not hang on which room was imported first."""
    return next(i for i, room in enumerate(ROOMS) if claim.examine.__module__.startswith(f"{room}."))


def find(ids: Sequence[str] = ()) -> list[Claim]:
    """The claims with these ids, or all.

    Raises:
        ValueError: an id is unknown.
    """
    claims = registry()
    for wanted in ids:
        if wanted not in claims:
            raise ValueError(f"id = {wanted!r}: must be one of {', '.join(claims)}")
    return [claims[wanted] for wanted in ids] if ids else list(claims.values())


def examine(claim: Claim) -> Outcome:
    """Put a claim to the test where it must hold and where it must fail.

    It is *confirmed* if every hypothesis and the conclusion hold at ``holds_at`` and if at ``fails_at`` a
    hypothesis is broken and the conclusion fails; *confirmed after correction* if the claim carries errata,
    all proved by sympy; *holds only where …* if it is ``sharpened``; *vacuous at finite size* if it is
    ``vacuous``; else *not reproduced*. Every formula listed as checked must pass.
    """
    started = time.perf_counter()
    evidence = claim.examine(**claim.holds_at)
    broken = claim.examine(**claim.fails_at)
    stands = all(evidence.hypotheses.values()) and evidence.conclusion
    falls = not all(broken.hypotheses.values()) and not broken.conclusion
    proved = tuple(bool(erratum.symbolic()) for erratum in claim.errata)
    passed = tuple(bool(item.passes()) for item in claim.checked)
    if not (stands and falls and all(proved) and all(passed)):
        verdict = Verdict.NOT_REPRODUCED
    elif claim.vacuous:
        verdict = Verdict.VACUOUS
    elif claim.sharpened:
        verdict = Verdict.ONLY_WHERE
    else:
        verdict = Verdict.CORRECTED if claim.errata else Verdict.CONFIRMED
    return Outcome(claim, verdict, evidence, broken, proved, passed, time.perf_counter() - started)


def as_json(outcome: Outcome) -> dict[str, Any]:
    """An outcome as plain data: what the atlas, the errata and the chapters' tables are made from.

    Numbers that are not finite are given as strings, since JSON has none of them.
    """
    claim = outcome.claim
    return {
        "id": claim.id,
        "paper": claim.paper,
        "kind": claim.kind,
        "number": claim.number,
        "title": claim.title,
        "page": claim.page,
        "statement": claim.statement,
        "finding": claim.finding,
        "verdict": str(outcome.verdict),
        "holds at": _evidence(claim.holds_at, outcome.evidence),
        "fails at": _evidence(claim.fails_at, outcome.broken),
        "errata": [
            {
                "where": erratum.where,
                "paper": erratum.paper,
                "right": erratum.right,
                "survives": erratum.survives,
                "proved": proved,
                "numbers": _numbers(erratum.numeric()),
            }
            for erratum, proved in zip(claim.errata, outcome.proved, strict=True)
        ],
        "checked": [
            {"where": item.where, "formula": item.formula, "how": item.how, "passes": passed}
            for item, passed in zip(claim.checked, outcome.passed, strict=True)
        ],
        "seconds": round(outcome.seconds, 3),
    }


def _evidence(configuration: dict[str, Any], evidence: Evidence) -> dict[str, Any]:
    return {
        "configuration": configuration,
        "hypotheses": evidence.hypotheses,
        "predicted": _numbers(evidence.predicted),
        "measured": _numbers(evidence.measured),
        "conclusion": evidence.conclusion,
    }


def _numbers(values: dict[str, float]) -> dict[str, float | str]:
    return {name: value if math.isfinite(value) else str(value) for name, value in values.items()}


def as_line(outcome: Outcome) -> str:
    """An outcome as a line of the table."""
    claim = outcome.claim
    differs = "" if outcome.verdict is claim.recorded else f"  (recorded: {claim.recorded})"
    return f"{claim.id:<24} {claim.kind + ' ' + claim.number:<16} {outcome.seconds:6.2f} s  {outcome.verdict}{differs}"


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line: 0 if every verdict is the recorded one, 1 if one differs, 2 for a bad id."""
    parser = argparse.ArgumentParser(
        prog="python -m lib.claims", description="Examine the papers' statements."
    )
    parser.add_argument("ids", nargs="*", help="ids of claims; none means all")
    parser.add_argument("--json", action="store_true", help="print a JSON list, and the table to stderr")
    options = parser.parse_args(arguments)
    try:
        claims = find(options.ids)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    outcomes = []
    for claim in claims:
        outcomes.append(examine(claim))
        print(as_line(outcomes[-1]), file=sys.stderr if options.json else sys.stdout, flush=True)
    if options.json:
        print(json.dumps([as_json(outcome) for outcome in outcomes], indent=2, allow_nan=False))
    return int(any(outcome.verdict is not outcome.claim.recorded for outcome in outcomes))


if __name__ == "__main__":
    from lib import claims  # the registry of the imported module, not of __main__

    sys.exit(claims.main())
