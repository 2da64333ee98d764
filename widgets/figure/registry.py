"""The live figures of a book: functions that return a :class:`~widgets.figure.live.Live`, each registered once.

::

    @live_figure
    def figure() -> Live:
        return live(escape(), lemma_6, …)

The cache of translations, the grader of challenges, the tests and the gallery read the registry.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, overload

from lib.program import Program
from widgets.project import ROOT

Make = TypeVar("Make", bound=Callable[..., Any])


class Registered(NamedTuple):
    """A live figure of the book.

    Attributes:
        name: "recall.saddle" for the function ``figure`` of ``book.recall.saddle.figure``, "recall.saddle.front_door"
            for another one there.
        page: that shows it, "book/recall/saddle".
        file: in which the function stands.
        words: the pages that have its words (:mod:`widgets.words`): the one that shows it, the one in whose folder
            the function stands, and another.
        make: the function.
    """

    name: str
    page: str
    file: Path
    words: tuple[str, ...]
    make: Callable[[], Any]
    """Returns a :class:`~widgets.figure.live.Live`."""


class Opening(NamedTuple):
    """How a figure opens."""

    program: Program
    """With the statements' verdicts in its report."""
    values: dict[str, float]
    """Where each parameter stands."""
    statements: tuple[str, ...]
    """The ids of the statements, in the order in which the report has their verdicts."""
    numbers: Mapping[str, Callable[[Any, Any], Any]]
    """Functions of report and parameters that the figure's sentences quote, by name."""


class _Opened(Exception):
    """Ends a figure's function as soon as its opening is known."""

    def __init__(self, opening: Opening) -> None:
        super().__init__()
        self.opening = opening


class _Making(NamedTuple):
    """A registered figure while its function runs, and how many figures that has made so far."""

    figure: Registered
    places: Iterator[int]


FIGURES: dict[str, Registered] = {}
"""By name, in the order of their definition."""
_making: ContextVar[_Making | None] = ContextVar("making", default=None)
_only_opening: ContextVar[bool] = ContextVar("only_opening", default=False)


@overload
def live_figure(make: Make, /) -> Make: ...
@overload
def live_figure(*, page: str = "", words: str = "") -> Callable[[Make], Make]: ...
def live_figure(make: Any = None, /, *, page: str = "", words: str = "") -> Any:
    """Register a function that returns a live figure and can be called without arguments.

    Args:
        page: that shows the figure, if it is not the one in whose folder the function stands: "book/index".
        words: another page, which has those words of the figure that neither of these has.

    Raises:
        ValueError: the function has arguments without a default.
    """
    if make is None:
        return lambda function: _registered(function, page, words)
    return _registered(make, page, words)


def _registered(make: Callable[..., Any], page: str, words: str) -> Callable[..., Any]:
    arguments = inspect.signature(make).parameters.values()
    if missing := [argument.name for argument in arguments if argument.default is argument.empty]:
        raise ValueError(
            f"{make.__qualname__}: arguments {missing} have no default: a live figure's must have one"
        )

    @wraps(make)
    def wrapped(*positional: Any, **keywords: Any) -> Any:
        with _while_making(None if positional or keywords else figure):
            return make(*positional, **keywords)

    folder = make.__module__.removesuffix(".figure")
    name = folder.partition(".")[2] + ("" if make.__name__ == "figure" else f".{make.__name__}")
    file = Path(inspect.getfile(make))
    home = folder.replace(".", "/")
    pages = dict.fromkeys(filter(None, (page, home, words)))
    figure = Registered(name, page or home, file, tuple(pages), wrapped)
    FIGURES[name] = figure
    return wrapped


@contextmanager
def _while_making(figure: Registered | None) -> Iterator[None]:
    token = _making.set(_Making(figure, count()) if figure else None)
    try:
        yield
    finally:
        _making.reset(token)


def is_registered() -> bool:
    """Whether a registered figure's function runs now."""
    return _making.get() is not None


def pages_of_words() -> tuple[str, ...]:
    """The pages that have the words of the registered figure whose function runs now; none if none runs."""
    making = _making.get()
    return making.figure.words if making else ()


def being_made() -> tuple[Registered, int] | None:
    """The registered figure whose function runs now, and how many figures it has made before this one."""
    making = _making.get()
    return (making.figure, next(making.places)) if making else None


def opening_of(figure: Registered) -> Opening:
    """How a figure opens, found without translating it."""
    token = _only_opening.set(True)
    try:
        figure.make()
    except _Opened as opened:
        return opened.opening
    finally:
        _only_opening.reset(token)
    raise ValueError(f"{figure.name}: must call live")


def opening_on(page: str, statement: str) -> Opening | None:
    """How the figure opens that judges a statement, by its id, on its own page; None where no figure does."""
    import_figures(page)
    openings = (opening_of(figure) for figure in FIGURES.values() if figure.page == page)
    return next((each for each in openings if statement in each.statements), None)


def import_figures(page: str) -> None:
    """Register the figures in a page's folder, "book/recall/saddle"."""
    if (ROOT / page / "figure.py").exists():
        importlib.import_module(f"{page.replace('/', '.')}.figure")


def note_opening(opening: Opening) -> None:
    """End the figure's function here if only its opening is asked for."""
    if _only_opening.get():
        raise _Opened(opening)
