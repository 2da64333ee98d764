"""Examining a statement: it is run where it must hold and where it must fail, and its proofs are checked."""

from __future__ import annotations

import time
from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from book.ledger.clauses import IN_USE, Clause, clauses_of, tally
from book.ledger.proofs import Rank
from book.ledger.results import Evidence
from book.ledger.statement import Ground, Statement


class Verdict(StrEnum):
    """The verdicts that examining a statement can end with."""

    CONFIRMED = "confirmed"
    PARTLY = "confirmed in part"
    IN_USE = "in use"
    ALGEBRA = "true by algebra"
    RECONSTRUCTED = "confirmed as reconstructed"
    CORRECTED = "confirmed after correction"
    ONLY_WHERE = "holds only where its hypotheses are sharpened"
    VACUOUS = "vacuous at finite size"
    ELSEWHERE = "tested only in another model"
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
    proved: tuple[bool | None, ...]
    """For each erratum, whether sympy bears it out; None if the paper's own text shows it."""
    passed: tuple[bool, ...]
    """For each formula listed as right, whether it passes."""
    clauses: tuple[Clause, ...]
    """What accounts for each part of its text."""
    seconds: float

    @property
    def as_recorded(self) -> bool:
        """Whether it came out as when it was written."""
        return (self.verdict is not Verdict.NOT_REPRODUCED) is self.statement.stands

    @property
    def words(self) -> str:
        """The verdict, and of how many clauses it speaks if not of all."""
        return in_words(self.verdict, *tally(self.clauses))


def in_words(verdict: Verdict, tested: int, clauses: int) -> str:
    """A verdict with the number of clauses it speaks of, if these are not all: "confirmed in 4 of 6 clauses"."""
    of_all = (Verdict.NOT_TESTABLE, Verdict.NOT_REPRODUCED, Verdict.IN_USE, Verdict.ELSEWHERE)
    if tested == clauses or verdict in of_all:
        return str(verdict)
    base = Verdict.CONFIRMED if verdict is Verdict.PARTLY else verdict
    return f"{base} in {tested} of {clauses} clauses"


def examine(statement: Statement, seeds: int | None = None) -> Outcome:
    """The outcome of running a statement where it must hold and where it must fail, with its verdict.

    It stands if at ``holds_at`` every run is settled and every hypothesis and bound holds, if at ``fails_at`` some run
    is settled, a hypothesis is broken and a bound fails (or, by a planted error, a bound alone), if sympy bears out
    every erratum and if every formula listed as right passes. Its verdict then follows from what it is and from its
    clauses: see :func:`verdict_on`. With ``seeds`` it is run at its first so many only.
    """
    check_ground(statement)
    started = time.perf_counter()
    evidence, broken = statement.over_seeds(statement.holds_at, statement.wrong_at, seeds=seeds)
    proved = tuple(erratum.proved() for erratum in statement.errata)
    passed = tuple(bool(check.passes()) for check in statement.checked)
    holds = all(result.key == "holds" for result in evidence.runs)
    failing = "contradicted" if statement.planted else "outside"
    fails = any(result.key == failing for result in broken.runs)
    stands = bool(statement.untested) or (holds and fails)
    clauses = clauses_of(statement, [bound.name for bound in evidence.worst if bound.words])
    borne_out = False not in proved and all(passed)
    verdict = verdict_on(statement, clauses) if stands and borne_out else Verdict.NOT_REPRODUCED
    seconds = time.perf_counter() - started
    return Outcome(statement, verdict, evidence, broken, proved, passed, clauses, seconds)


def verdict_on(statement: Statement, clauses: Sequence[Clause]) -> Verdict:
    """The verdict on a statement that stands.

    A definition, an assumption, a condition or an algorithm is in use. Of all others the first that applies: tested
    only in another model, if no clause is tested in the paper's own; only where it is sharpened; after correction; as
    reconstructed; true by algebra; else it is confirmed, in part if some clause is not tested or only in another
    model.
    """
    if statement.untested:
        return Verdict.NOT_TESTABLE
    if statement.kind in IN_USE:
        return Verdict.IN_USE
    if statement.vacuous:
        return Verdict.VACUOUS
    tested, of_all = tally(clauses)
    if of_all and not tested:
        return Verdict.ELSEWHERE
    if statement.ground is Ground.SHARPENED:
        return Verdict.ONLY_WHERE
    if statement.ground is Ground.CORRECTED:
        return Verdict.CORRECTED
    if statement.ground is Ground.RECONSTRUCTED:
        return Verdict.RECONSTRUCTED
    if statement.algebra:
        return Verdict.ALGEBRA
    return Verdict.CONFIRMED if tested == of_all else Verdict.PARTLY


def check_ground(statement: Statement) -> None:
    """Refuse a statement whose errata say of it what its ground does not, or the other way round.

    Raises:
        ValueError: with its id, its ground and what it must be.
    """
    wrong = any(_changes_verdict(statement, erratum.rank) for erratum in statement.errata)
    mended = (Ground.CORRECTED, Ground.SHARPENED)
    if wrong and statement.ground not in mended:
        raise ValueError(
            f"{statement.id}: ground = {statement.ground}: an erratum says that it is wrong as printed: "
            f"must be {' or '.join(mended)}"
        )
    if statement.ground is Ground.CORRECTED and not wrong:
        raise ValueError(
            f"{statement.id}: ground = {statement.ground}: must have an erratum of the statement itself"
        )


def _changes_verdict(statement: Statement, rank: Rank) -> bool:
    """Whether an erratum lowers the verdict: where the displayed equations are the statement, a proof's step does."""
    return rank is Rank.STATEMENT or (rank is Rank.PROOF and statement.kind in ("equation", "equations"))
