"""A refusal as its reader sees it: one sentence, at the author's own line, in place of a hundred lines of traceback.

The error is raised as ever, with its traceback, for whoever catches it. Only how a notebook and a terminal print it is
another.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from types import TracebackType
from typing import Any, ParamSpec, TypeVar

from widgets.translate import author
from widgets.translate.refusals import UnsupportedOperation

P = ParamSpec("P")
R = TypeVar("R")
REFUSALS = (ValueError, TypeError, UnsupportedOperation)
OURS = tuple(f"{folder}/" for folder in (author.WIDGETS, author.WIDGETS.parent / "lib"))


def refusing_in_one_sentence(function: Callable[P, R]) -> Callable[P, R]:
    """The function, whose own refusals are printed as a sentence with the line of its caller."""

    @functools.wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except REFUSALS as error:
            if _is_ours(error):
                _print_plainly(error, author.line(sys._getframe(1)))
            raise

    return called


def _is_ours(error: BaseException) -> bool:
    """Whether this package refuses something; an error of the author's own function keeps its traceback."""
    step = error.__traceback__
    while step and step.tb_next:
        step = step.tb_next
    return step is not None and step.tb_frame.f_code.co_filename.startswith(OURS)


def _print_plainly(error: Any, line: str) -> None:
    """Have IPython and Python print an error as one sentence."""
    said = str(error)
    where = f"{line}: " if line and author.LINE.search(said) is None else ""
    text = f"{type(error).__name__}: {where}{said}"
    error._render_traceback_ = lambda: [text]  # what IPython asks an error for
    if sys.excepthook is not _print:
        _others.append(sys.excepthook)
        sys.excepthook = _print


_others: list[Callable[..., Any]] = []
"""What printed errors before."""


def _print(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
    if render := getattr(error, "_render_traceback_", None):
        print(*render(), sep="\n", file=sys.stderr)
    else:
        _others[-1](kind, error, traceback)
