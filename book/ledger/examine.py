"""Examining a statement: it is run where it must hold and where it must fail, and its proofs are checked."""

from __future__ import annotations

import time
from enum import StrEnum
from typing import NamedTuple

from book.ledger.results import Evidence
from book.ledger.statement import Ground, Statement


class Verdict(StrEnum):
    """The verdicts that examining a statement can end with."""

    CONFIRMED = "confirmed"
    ALGEBRA = "true by algebra"
    RECONSTRUCTED = "confirmed as reconstructed"
    CORRECTED = "confirmed after correction"
    ONLY_WHERE = "holds only where its hypotheses are sharpened"
    VACUOUS = "vacuous at finite size"
    NOT_REPRODUCED = "not reproduced"
    NOT_TESTABLE = "not testable here"


class Outcome(NamedTuple):
    """What examining a statement shows."""

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


def examine(statement: Statement) -> Outcome:
    """The outcome of running a statement where it must hold and where it must fail, with its verdict.

    It stands if at ``holds_at`` every run is settled and every hypothesis and bound holds, if at ``fails_at`` some run
    is settled, a hypothesis is broken and a bound fails, if sympy bears out every erratum and every formula listed as
    right passes. Its verdict then follows from what it is: see :func:`called`.
    """
    started = time.perf_counter()
    evidence, broken = statement.over_seeds(statement.holds_at, statement.fails_at)
    proved = tuple(bool(erratum.symbolic()) for erratum in statement.errata)
    passed = tuple(bool(check.passes()) for check in statement.checked)
    holds = all(result.key == "holds" for result in evidence.runs)
    fails = any(result.key == "outside" for result in broken.runs)
    stands = bool(statement.untested) or (holds and fails)
    verdict = called(statement) if stands and all(proved) and all(passed) else Verdict.NOT_REPRODUCED
    return Outcome(statement, verdict, evidence, broken, proved, passed, time.perf_counter() - started)


def called(statement: Statement) -> Verdict:
    """The verdict on a statement that stands."""
    if statement.untested:
        return Verdict.NOT_TESTABLE
    if statement.vacuous:
        return Verdict.VACUOUS
    if statement.ground is Ground.SHARPENED:
        return Verdict.ONLY_WHERE
    if statement.errata:
        return Verdict.CORRECTED
    if statement.algebra:
        return Verdict.ALGEBRA
    return Verdict.RECONSTRUCTED if statement.ground is Ground.RECONSTRUCTED else Verdict.CONFIRMED
