"""Examining a statement: runs where it must hold and where it must fail, its proofs, and the verdict."""

from __future__ import annotations

import time
from enum import StrEnum
from typing import NamedTuple

from book.ledger.results import Evidence
from book.ledger.statement import Ground, Statement


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
