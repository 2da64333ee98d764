"""Every live figure of the book: the functions of a page's ``figure.py`` that take nothing and return a ``Live``."""

from __future__ import annotations

import functools
import random
from collections.abc import Callable, Iterator

import ipywidgets as ipw
import torch
from torch.utils._pytree import tree_leaves

from book.gallery import figures as figures_of_the_book
from widgets import Live, OwnData
from widgets.figure.own_data import with_numbers

WORK = 1_500_000
"""Numbers to move: about a tenth of a second in the page."""


@functools.cache
def few(demo: Live) -> int:
    """Steps of a stage that show what a page says, fewer where its state is large; defaults may take thousands."""
    size = sum(leaf.numel() for leaf in _state(demo))
    return min(300, max(8, WORK // max(size, 1)))


def _state(demo: Live) -> list[torch.Tensor]:
    program = demo.figure.program
    chosen = program.parameters(*(torch.tensor(v, dtype=torch.float64) for v in defaults(demo).values()))
    leaves: list[torch.Tensor] = tree_leaves(program.start(chosen))
    return leaves


@functools.cache
def makers() -> dict[str, Callable[[], Live]]:
    """The functions that make them, by name."""
    return {name: figure.make for name, figure in figures_of_the_book().items()}


@functools.cache
def figure_named(name: str) -> Live:
    """The figure itself, made once."""
    return makers()[name]()


@functools.cache
def figure_shown(name: str, parameters: tuple[str, ...], address: str) -> Live | None:
    """The figure with this name and parameters, if there is one: those of the page at the address are made first."""
    first = sorted(
        figures_of_the_book().values(), key=lambda each: not address.endswith(f"/{each.page}.html")
    )
    demos = (figure_named(each.name) for each in first)
    return next((demo for demo in demos if key(demo) == (name, parameters)), None)


def key(demo: Live) -> tuple[str, tuple[str, ...]]:
    """What a page says of a figure, too."""
    spec = demo.figure.spec
    return spec["name"], tuple(p["name"] for p in spec["parameters"])


def defaults(demo: Live) -> dict[str, float]:
    return {p["name"]: float(p["default"]) for p in demo.figure.spec["parameters"]}


def ends(demo: Live) -> Iterator[dict[str, float]]:
    """Each control at its two ends, the others where they start, but for the numbers of steps: those are short."""
    start, limits = defaults(demo), limits_of(demo)
    short = shortened(demo, start, few(demo))
    for name, control in moved(demo).items():
        for value in bounds(control):
            yield {**(start if name in limits else short), name: value}


def shortened(demo: Live, values: dict[str, float], most: int, *, by_hand: bool = False) -> dict[str, float]:
    """The same with at most so many steps in each stage; ``by_hand`` only in those for which there is a control."""
    limits = limits_of(demo) & set(demo.controls) if by_hand else limits_of(demo)
    return {**values, **{limit: min(values[limit], most) for limit in limits}}


def differing(demo: Live, values: dict[str, float]) -> dict[str, float]:
    """What is not where it starts, as the page's address has it."""
    start = defaults(demo)
    return {name: value for name, value in values.items() if value != start[name]}


def cards(demo: Live) -> Iterator[dict[str, float]]:
    """Where each card of the story leads."""
    for card in demo.figure.spec["story"]:
        yield {**defaults(demo), **card["values"]}


def limits_of(demo: Live) -> set[str]:
    """The parameters that limit how many steps a stage takes."""
    spec = demo.figure.spec
    return {spec["parameters"][stage["limit"]]["name"] for stage in spec["stages"]}


def drawn(demo: Live, chance: random.Random) -> dict[str, float]:
    """Each control at a position of its own, and rows of a reader's own, by chance."""
    pasted = {name: _pasted(own, chance) for name, own in demo.own.items()}
    positions = {name: _drawn(control, chance) for name, control in moved(demo).items()}
    return {**defaults(demo), **positions, **with_numbers({}, demo.own, pasted)}


def moved(demo: Live) -> dict[str, ipw.Widget]:
    """The controls that move a parameter: all but those for a reader's own data."""
    return {name: control for name, control in demo.controls.items() if name not in demo.own}


def _pasted(own: OwnData, chance: random.Random) -> str:
    """Random rows of numbers that are allowed, small ones more often, up to as many rows as are allowed."""

    def number() -> float:
        return max(own.low, min(own.high, chance.choice((1, 10, 1e6)) * chance.uniform(-1, 1)))

    count = chance.randint(own.least, own.most)
    return "\n".join(", ".join(repr(number()) for _ in own.columns) for _ in range(count))


def _drawn(control: ipw.Widget, chance: random.Random) -> float:
    if hasattr(control, "_options_full"):
        return chance.choice([value for _, value in control._options_full])
    if not hasattr(control, "max"):
        return chance.choice((0.0, 1.0))
    position = control.min + control.step * chance.randint(
        0, round((control.max - control.min) / control.step)
    )
    position = min(round(position, 12), control.max)
    return control.base**position if isinstance(control, ipw.FloatLogSlider) else position


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
