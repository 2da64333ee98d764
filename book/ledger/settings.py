"""The settings of a statement: what a run of it can be given by name, their defaults, and how to read them."""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping, Sequence
from typing import Any

from book.errors import BadInput, nearest
from book.ledger.statement import Statement

Configuration = Mapping[str, Any]


def with_defaults(statement: Statement, configuration: Configuration) -> dict[str, Any]:
    """``configuration``, and each setting that it leaves out at its default."""
    return {**statement.defaults, **configuration}


def setting_names(statement: Statement) -> list[str]:
    """The names of all settings of a statement, with or without a default."""
    if statement.runs:
        return [domain.name for domain in statement.runs().domains]
    if not statement.measures:
        return []
    named = [name for name, parameter in _parameters(statement).items() if parameter.kind not in REST]
    return list(dict.fromkeys([*named, *statement.holds_at, *statement.wrong_at, *statement.ranges]))


REST = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
"""Kinds of parameters that have no name of their own: what ``**run`` takes is what the statement's settings name."""


def parse_settings(words: Sequence[str]) -> dict[str, Any]:
    """``["a=1", "b=2.5", "c=word"]`` as a configuration.

    Raises:
        BadInput: a word is no assignment.
    """
    configuration: dict[str, Any] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not (name and equals):
            raise BadInput(f"{word!r}: must be name=value, such as temperature=0.087.")
        try:
            configuration[name] = json.loads(value)
        except json.JSONDecodeError:
            configuration[name] = value
    return configuration


def check_settings(statement: Statement, configuration: Configuration) -> None:
    """Refuse names that the statement does not have, and words where it takes numbers.

    Raises:
        BadInput: with the name, the value and what is allowed.
    """
    known = setting_names(statement)
    usual = {**with_defaults(statement, statement.holds_at)}
    for name, value in configuration.items():
        if name not in known:
            hint = nearest(name, known)
            raise BadInput(
                f"{name} = {value!r}: {statement.id} has no such setting{'; ' + hint if hint else '.'} "
                f"It has {', '.join(known) or 'none'}."
            )
        if _is_number(usual.get(name)) and not (_is_number(value) or isinstance(value, bool)):
            raise BadInput(f"{name} = {value!r}: must be a number.")


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _parameters(statement: Statement) -> Mapping[str, inspect.Parameter]:
    assert statement.measures
    return inspect.signature(statement.measures).parameters
