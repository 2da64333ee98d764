"""Dependencies that the book does without until they are needed: the extras of ``pyproject.toml``."""

from __future__ import annotations

from importlib import import_module
from typing import Any

INSTALL = "pip install --constraint constraints.txt --editable '.[{extra}]'"
"""Editable, as ``make`` installs the book: else pip copies the project, and runs would be of the copy."""


class MissingExtra(ModuleNotFoundError):
    """An optional dependency is missing; the message says how to install it."""


def require_optional(module: str, extra: str, by: str) -> Any:
    """Import and return a module that comes with an extra.

    Args:
        module: its name.
        extra: the extra of ``pyproject.toml`` that brings it.
        by: who needs it, as the error says it.

    Raises:
        MissingExtra: the module is not installed.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise MissingExtra(f"{by} needs {module}; install it with {INSTALL.format(extra=extra)}") from error
