"""Controls, ordinary ipywidgets: made from domains, or by hand."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf, log10
from numbers import Real

import ipywidgets as ipw

from lib.domain import INFINITE, Domain
from lib.program import Program

MOST_PLACES = 10_000
"""The most places of a slider over whole numbers: with more, no hand finds one of them."""


def of(domain: Domain) -> ipw.Widget:
    """The control that moves a parameter, at its default.

    Raises:
        ValueError: the domain has no track, no default on it, a track that leads out of it, or no such scale.
    """
    value, track, label = _default(domain), domain.track, domain.label
    match domain.scale:
        case "linear":
            low, high, step = (*track, (track[1] - track[0]) / 200)[:3]
            return linear(value, low, high, step, label)
        case "log":
            return logarithmic(value, track[0], track[1], label)
        case "whole":
            low, high, *steps = track
            slides = high - low < MOST_PLACES
            return (
                whole(int(value), low, high, label, *steps)
                if slides
                else number(int(value), low, high, label)
            )
        case "choice":
            return choice(value, track, label)
        case "menu":
            return menu(int(value), track, label)
        case "switch":
            return switch(bool(value), label)
    raise ValueError(
        f"{domain.name}: scale = {domain.scale!r}: must be linear, log, whole, choice, menu or switch"
    )


def opens(program: Program, **values: float) -> dict[str, ipw.Widget]:
    """Controls that stand at these values when a figure opens; statements keep the program's defaults."""
    domains = {domain.name: domain for domain in program.domains}
    return {name: of(domains[name]._replace(default=value)) for name, value in values.items()}


def _default(domain: Domain) -> float:
    """Where the control starts: a slider would clip a default beyond its ends, or lead to where no parameter may be."""
    if domain.default is None or not domain.offered:
        raise ValueError(f"{domain.name}: a control needs a default and a track")
    if domain.scale not in ("menu", "switch"):
        numbers = domain.track if domain.scale == "choice" else domain.track[:2]
        for number in numbers:
            domain.check(number)
        if not min(numbers) <= domain.default <= max(numbers):
            ends = f"{min(numbers):g} to {max(numbers):g}"
            raise ValueError(f"{domain.name} = {domain.default:g}: must be from {ends}, where its control is")
    return domain.check(domain.default)


def temperature(value: float, low: float = 1e-4, high: float = 10.0) -> ipw.FloatLogSlider:
    """Decoding temperature T, on a logarithmic scale."""
    return logarithmic(value, low, high, "temperature T")


def switch(value: bool, description: str) -> ipw.Checkbox:
    """Something that is on or off."""
    return ipw.Checkbox(value=value, description=description, indent=False)


def logarithmic(value: float, low: float, high: float, description: str) -> ipw.FloatLogSlider:
    """A slider over [low, high] that moves in hundredths of a decade.

    Raises:
        ValueError: the ends, or where it stands, are none of a logarithmic scale.
    """
    if not low > 0:
        raise ValueError(f"{description}: a logarithmic slider begins at {low:g}: must be above 0")
    _check_slider(description, value, low, high)
    return ipw.FloatLogSlider(
        value=value,
        base=10,
        min=round(log10(low), 12),
        max=round(log10(high), 12),
        step=0.01,
        description=description,
        readout_format=".3g",
        **_wide(),
    )


def linear(value: float, low: float, high: float, step: float, description: str) -> ipw.FloatSlider:
    """A slider over [low, high] in equal steps.

    Raises:
        ValueError: the ends, the step, or where it stands, are none of a slider.
    """
    _check_slider(description, value, low, high, step)
    return ipw.FloatSlider(
        value=value,
        min=low,
        max=high,
        step=step,
        description=description,
        readout_format=".3g",
        **_wide(),
    )


def whole(value: int, low: int, high: int, description: str, step: int = 1) -> ipw.IntSlider:
    """A slider over whole numbers.

    Raises:
        ValueError: the ends, the step, or where it stands, are none of such a slider.
    """
    _check_whole(description, value, low, high, step)
    _check_slider(description, value, low, high, step)
    return ipw.IntSlider(value=value, min=low, max=high, step=step, description=description, **_wide())


def number(value: int, low: int, high: int, description: str) -> ipw.BoundedIntText:
    """A field for a whole number, such as a code, of which there are too many for a slider.

    Raises:
        ValueError: the ends, or what stands in it, are none of such a field.
    """
    _check_whole(description, value, low, high)
    _check_slider(description, value, low, high)
    look = {name: item for name, item in _wide().items() if name != "continuous_update"}
    return ipw.BoundedIntText(value=value, min=low, max=high, description=description, **look)


def choice(value: float, options: Iterable[float], description: str) -> ipw.SelectionSlider:
    """A slider over given numbers.

    Raises:
        ValueError: ``value`` is not one of them, or they are not different numbers.
    """
    numbers = tuple(options)
    if len({number for number in numbers if isinstance(number, Real)}) < max(len(numbers), 1):
        raise ValueError(f"{description}: a choice among {numbers}: must be different numbers")
    if value not in numbers:
        raise ValueError(f"{description} = {value}: must be one of {', '.join(f'{n:g}' for n in numbers)}")
    return ipw.SelectionSlider(
        value=value,
        options=[("∞" if n == INFINITE else f"{n:g}", n) for n in numbers],
        description=description,
        **_wide(),
    )


def menu(value: int, options: Iterable[str], description: str) -> ipw.Dropdown:
    """A choice among words; its value is the number of the word, from 0.

    Raises:
        ValueError: there is no such word, or two are alike.
    """
    words = tuple(options)
    if len(set(words)) < len(words) or value not in range(len(words)):
        raise ValueError(f"{description} = {value}: must be the number of one of different words, {words}")
    pairs = [(text, number) for number, text in enumerate(words)]
    look = {name: item for name, item in _wide().items() if name != "continuous_update"}
    return ipw.Dropdown(value=value, options=pairs, description=description, **look)


def _check_whole(description: str, *given: float) -> None:
    """Refuse a fraction where whole numbers are due."""
    for item in given:
        if not float(item).is_integer():
            raise ValueError(f"{description}: {item:g}: must be a whole number")


def _check_slider(description: str, value: float, low: float, high: float, step: float = 1e-300) -> None:
    """Refuse what ipywidgets would put right in silence: a slider, or a field, that stands elsewhere."""
    if not -inf < low < high < inf:
        raise ValueError(
            f"{description}: a slider from {low:g} to {high:g}: must lead from a number to a larger one"
        )
    if not 0 < step <= high - low:
        raise ValueError(f"{description}: step = {step:g}: must be above 0, and at most {high - low:g}")
    if not low <= value <= high:
        raise ValueError(f"{description} = {value:g}: must be from {low:g} to {high:g}, where its slider is")


def _wide() -> dict[str, object]:
    """Room for a label in words, and a slider that follows the width of the page."""
    return {
        "continuous_update": True,
        "style": {"description_width": "11rem"},
        "layout": ipw.Layout(width="min(30rem, 98%)"),
    }
