"""What the book does without until it is asked for: the extras of ``pyproject.toml``, and how to install one."""

from __future__ import annotations

from importlib import import_module
from typing import Any

INSTALL = "pip install --constraint constraints.txt --editable '.[{extra}]'"
"""Editable, as ``make`` installs the book: else pip copies the project, and runs would be of the copy."""


def require_optional(module: str, extra: str, by: str) -> Any:
    """A module that comes with an extra.

    Args:
        by: who needs it, as the error says it.

    Raises:
        ModuleNotFoundError: it is not installed.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"{by} needs {module}; install it with {INSTALL.format(extra=extra)}"
        ) from error
