"""Every demo of the book: the functions of ``book.*.demos`` that take nothing and return a ``Live``."""

from __future__ import annotations

import functools
import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import ipywidgets as ipw

from widgets import Live

BOOK = Path(__file__).parents[1] / "book"
FEW = 300
"""Steps that show whether a page computes what torch does; a page's defaults may take thousands."""


def demos() -> dict[str, Callable[[], Live]]:
    """By "module.function", such as "recall.saddle.front_door"."""
    return {
        f"{module.__name__.removeprefix('book.').replace('.demos', '')}.{name}": function
        for module in _modules()
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__ and _is_demo(function)
    }


def _modules() -> Iterator[ModuleType]:
    for package in sorted(BOOK.glob("*/demos/__init__.py")):
        name = f"book.{package.parts[-3]}.demos"
        path = [str(package.parent)]
        for module in pkgutil.iter_modules(path):
            yield importlib.import_module(f"{name}.{module.name}")


def _is_demo(function: Callable[..., object]) -> bool:
    signature = inspect.signature(function)
    needed = [p for p in signature.parameters.values() if p.default is p.empty]
    return (
        not needed and signature.return_annotation in (Live, "Live") and not function.__name__.startswith("_")
    )


@functools.cache
def made(name: str) -> Live:
    """The demo itself, made once."""
    return demos()[name]()


@functools.cache
def figures() -> dict[tuple[str, tuple[str, ...]], Live]:
    """Every demo by its figure's name and parameters: what a page says of a figure, too."""
    return {key(made(name)): made(name) for name in demos()}


def key(demo: Live) -> tuple[str, tuple[str, ...]]:
    spec = demo.figure.spec
    return spec["name"], tuple(p["name"] for p in spec["parameters"])


def defaults(demo: Live) -> dict[str, float]:
    return {p["name"]: float(p["default"]) for p in demo.figure.spec["parameters"]}


def ends(demo: Live) -> Iterator[dict[str, float]]:
    """Each control at its two ends, the others where they start, but for the numbers of steps: those are short."""
    start = defaults(demo)
    limits = {demo.figure.spec["parameters"][stage["limit"]]["name"] for stage in demo.figure.spec["stages"]}
    short = {name: min(value, FEW) if name in limits else value for name, value in start.items()}
    for name, control in demo.controls.items():
        for value in bounds(control):
            yield {**(start if name in limits else short), name: value}


def bounds(control: ipw.Widget) -> tuple[float, float]:
    """The least and the largest that a control offers."""
    if isinstance(control, ipw.FloatLogSlider):
        return control.base**control.min, control.base**control.max
    if hasattr(control, "_options_full"):
        values = [value for _, value in control._options_full]
        return values[0], values[-1]
    if hasattr(control, "max"):
        return control.min, control.max
    return 0.0, 1.0
