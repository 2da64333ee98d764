"""Clauses: in a box's text each part of the statement ends with what accounts for it.

A role names it. Several in a row stand for one clause::

    For every $T$ below a $T_{\\max}$ {by}`cold`, with probability at least $1 - \\delta$ {by}`chance`, gradient descent
    brings $L_1$ below $\\log 2$ {by}`L₁ at the end`. The number of steps is polynomial in $1/T$ {by}`not tested: why`.

What a role may name:

- a hypothesis, by its name in ``assumes`` or ``settled``; ``setting`` where every run has it, since the program offers
  nothing else;
- a bound, by its name; ``at infinite width: name`` where it was measured there, not in the paper's own model, which may
  be said of a quantifier, too;
- ``proved``, where the page's proofs check it, by algebra or automatic differentiation;
- the id of another statement, which tests it by itself: the clause is then no better confirmed than that statement
  (:mod:`book.ledger.citations`); of a condition or an assumption, it stands for its hypotheses;
- ``id: bound``, one bound of another statement;
- ``exists`` and ``chance``, the quantifiers that the statement declares, and ``seeds`` where each of several random
  starts must do;
- ``not tested: why``.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from typing import Any, NamedTuple

from book.ledger.statement import Statement
from book.paper import ROOMS

ROLE = re.compile(r"\s*\{by\}`([^`]+)`")
CLAUSE = re.compile(rf"(.*?)((?:{ROLE.pattern})+)", re.DOTALL)
ID = re.compile(rf"({'|'.join(ROOMS)})\.[\w-]+")
SETTING, PROVED, UNTESTED = "setting", "proved", "not tested: "
QUANTIFIERS = {
    "exists": "several choices are tried",
    "chance": "the share of random draws at which it holds",
    "seeds": "it must hold at every random start that is tried",
}
"""How a quantifier is tested, in words."""


class Kind(StrEnum):
    """What accounts for a clause."""

    ASSUMED = "assumed"
    TESTED = "tested"
    PROVED = "proved"
    AMENDED = "tested, but not as printed"
    ELSEWHERE = "tested in another model"
    UNTESTED = "not tested"


SIGNS = {
    Kind.ASSUMED: "◇",
    Kind.TESTED: "✓",
    Kind.PROVED: "✓",
    Kind.AMENDED: "≈",
    Kind.ELSEWHERE: "≈",
    Kind.UNTESTED: "–",
}
"""A sign for each kind; a tested clause that failed has :data:`FAILED`."""
FAILED = "✕"
SIGN = re.compile(rf"\{{sup\}}`([{''.join(dict.fromkeys([*SIGNS.values(), FAILED]))}])`")


class Clause(NamedTuple):
    """A clause of a statement's text, and what accounts for it."""

    text: str
    kind: Kind
    by: tuple[str, ...]
    """The hypotheses in words, or the names of the bounds."""
    note: str
    """Why it is not tested, or in which other model it was."""
    roles: int
    """How many roles stand at its end."""


def split(text: str) -> tuple[list[tuple[str, tuple[str, ...]]], str]:
    """The clauses of a box's text with what their roles name, and what stands after the last of them."""
    parts, end = [], 0
    for match in CLAUSE.finditer(text):
        parts.append((match[1].strip(" \n,;.:"), tuple(ROLE.findall(match[2]))))
        end = match.end()
    return parts, text[end:].strip()


def clauses_of(statement: Statement, bounds: Collection[str]) -> tuple[Clause, ...]:
    """The clauses of a statement's text; none where it is not divided yet.

    Args:
        bounds: the names of its bounds, those that decide.

    Raises:
        ValueError: text that belongs to no clause, a name that the statement does not have, a bound that belongs to no
            clause, or a clause that is both tested and not.
    """
    parts, rest = split(statement.box.text)
    if not parts:
        return ()
    if re.search(r"\w", rest):
        raise ValueError(f"{statement.id}: {rest!r} belongs to no clause: it must end with {{by}}`…`")
    clauses = tuple(_clause(statement, text, names, bounds) for text, names in parts)
    if unsaid := set(bounds) - {name for clause in clauses for name in clause.by}:
        raise ValueError(f"{statement.id}: bounds {sorted(unsaid)} belong to no clause of its text")
    return clauses


def _clause(statement: Statement, text: str, names: tuple[str, ...], bounds: Collection[str]) -> Clause:
    """The clause with this text, accounted for by these names."""
    accounts = [_account(statement, name, bounds) for name in names]
    kinds = {kind for kind, _, _ in accounts}
    # a hypothesis beside a bound only says where the bound was measured
    decisive = kinds - {Kind.ASSUMED} or kinds
    if Kind.TESTED in decisive:  # what was measured in another model, too, adds to it
        decisive -= {Kind.ELSEWHERE}
    if len(decisive) > 1:
        raise ValueError(f"{statement.id}: {text!r} is {' and '.join(sorted(decisive))}: must be one of them")
    (kind,) = decisive
    deciding = [account for account in accounts if account[0] is not Kind.ASSUMED] or accounts
    words = tuple(words for _, words, _ in deciding if words)
    notes = dict.fromkeys(note for _, _, note in deciding if note)
    return Clause(text, kind, words, "; ".join(notes), len(names))


def _account(statement: Statement, name: str, bounds: Collection[str]) -> tuple[Kind, str, str]:
    """The kind of what ``name`` stands for, its words, and a note."""
    hypotheses: Mapping[str, Any] = {**statement.assumes, **statement.settled}
    if name.startswith(UNTESTED):
        return Kind.UNTESTED, "", name.removeprefix(UNTESTED)
    if name == SETTING:
        return Kind.ASSUMED, "every run has it", ""
    if name == PROVED and (statement.checked or statement.algebra):
        return Kind.PROVED, "by the page's proofs", ""
    if name in QUANTIFIERS and _has_quantifier(statement, name):
        return Kind.TESTED, QUANTIFIERS[name], ""
    if ID.fullmatch(name) and name != statement.id:
        return (Kind.ASSUMED if _in_use(name) else Kind.TESTED), name, ""
    if name in hypotheses:
        return Kind.ASSUMED, hypotheses[name][0], ""
    if name in bounds:
        return Kind.TESTED, name, ""
    model, colon, bound = name.partition(": ")
    if colon and ID.fullmatch(model) and model != statement.id and not _in_use(model):
        return Kind.TESTED, name, ""
    if colon and bound in bounds:
        return Kind.ELSEWHERE, bound, model
    if colon and bound in QUANTIFIERS and _has_quantifier(statement, bound):
        return Kind.ELSEWHERE, QUANTIFIERS[bound], model
    offered = [*hypotheses, *bounds]
    raise ValueError(
        f"{statement.id}: {{by}}`{name}`: must be setting, proved, not tested: why, or one of {offered}"
    )


IN_USE = ("definition", "assumption", "condition", "algorithm")
"""Kinds of statements that say nothing that could be true or false: they are in use, or cannot be met."""


def _in_use(id: str) -> bool:
    """Whether the statement with this id is a condition, or the like.

    Raises:
        ValueError: there is no such statement.
    """
    from book.ledger import registry  # which finds statements, and so needs what they need

    if id not in registry.statements():
        raise ValueError(f"{{by}}`{id}`: must be the id of a statement")
    return registry.statements()[id].kind in IN_USE


def _has_quantifier(statement: Statement, name: str) -> bool:
    return {"exists": bool(statement.exists), "chance": bool(statement.chance), "seeds": statement.seeds > 1}[
        name
    ]


def holds(clause: Clause, bounds: Mapping[str, bool]) -> bool:
    """Whether every bound that accounts for a clause holds, given which bounds do."""
    return all(bounds.get(name, True) for name in clause.by)


def with_signs(text: str, signs: Sequence[str]) -> str:
    """The text of a box with a sign for each clause in the place of its roles."""
    each = iter(signs)
    return CLAUSE.sub(lambda match: f"{match[1]}{{sup}}`{next(each)}`", text)


def with_other_signs(text: str, signs: Sequence[str]) -> str:
    """A text made by :func:`with_signs`, with other signs in their place."""
    each = iter(signs)
    return SIGN.sub(lambda _: f"{{sup}}`{next(each)}`", text)


def tally(clauses: Collection[Clause]) -> tuple[int, int]:
    """How many clauses are tested in the paper's own model, as printed or amended, or proved, and how many claim."""
    return tally_of([clause.kind for clause in clauses])


def tally_of(kinds: Collection[str]) -> tuple[int, int]:
    """:func:`tally` of clauses of which only the kinds are known."""
    claims = [kind for kind in kinds if kind != Kind.ASSUMED]
    return sum(kind in (Kind.TESTED, Kind.PROVED, Kind.AMENDED) for kind in claims), len(claims)
