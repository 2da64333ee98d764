"""Settings of a figure: for each parameter of its program a control that moves it, or the number at which it stays."""

from __future__ import annotations

import inspect
import math
import random
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import ipywidgets as ipw
from torch import Tensor

from lib.domain import Domain
from lib.program import Program, defaults, record
from widgets.figure import controls

MOST_STEPS = 1_000_000
"""The most steps of a stage that a page takes in good time."""
DRIVEN = (
    *(ipw.FloatSlider, ipw.FloatLogSlider, ipw.IntSlider, ipw.FloatText, ipw.IntText),
    *(
        ipw.BoundedFloatText,
        ipw.BoundedIntText,
        ipw.Checkbox,
        ipw.ToggleButton,
        ipw.Dropdown,
        ipw.RadioButtons,
    ),
    *(ipw.ToggleButtons, ipw.SelectionSlider, ipw.Textarea),
)
"""The controls that a page can move without a kernel."""
LINKED_BY_INDEX = (ipw.Dropdown, ipw.SelectionSlider, ipw.ToggleButtons, ipw.RadioButtons)


def program_of(function: Callable[..., Any], settings: dict[str, Any]) -> Program:
    """A plain function as a program without stages; its parameters may be what their controls offer.

    An argument with a default and without a setting stays at its default.
    """
    try:
        signature = inspect.signature(function).parameters.values()
        arguments = [argument for argument in signature if _must_be_given(argument, settings)]
    except (TypeError, ValueError):
        arguments = []
    plain = (
        inspect.Parameter.POSITIONAL_ONLY,
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
        inspect.Parameter.KEYWORD_ONLY,
    )
    if any(argument.kind not in plain for argument in arguments) or (settings and not arguments):
        raise ValueError(
            f"{function!r}: must be a Program, or a function with a plain argument for each control"
        )
    names = [argument.name for argument in arguments]
    return Program(
        parameters=record("Parameters", names),
        domains=tuple(domain_of(name, settings.get(name)) for name in names),
        start=lambda p: (),
        stages=(),
        watch=lambda s, p: None,
        report=lambda ends, p: _named(_called(function, arguments, p)),
    )


def _named(result: Any) -> Any:
    """A result that has no names, with some."""
    if isinstance(result, Tensor):
        return {"result": result}
    if isinstance(result, (tuple, list)) and not hasattr(result, "_asdict"):
        return {f"result_{place}": part for place, part in enumerate(result, 1)}
    return result


def _must_be_given(argument: inspect.Parameter, settings: dict[str, Any]) -> bool:
    """Whether a function's argument has to be given."""
    return argument.default is argument.empty or argument.name in settings


def _called(
    function: Callable[..., Any], arguments: Sequence[inspect.Parameter], values: Sequence[Any]
) -> Any:
    """The function of these values; those after one that stays at its default are given by name."""
    positional, named = [], {}
    for argument, value in zip(arguments, values, strict=True):
        if argument.kind is argument.POSITIONAL_ONLY:
            positional.append(value)
        else:
            named[argument.name] = value
    return function(*positional, **named)


def domain_of(name: str, setting: Any) -> Domain:
    """The range of a control."""
    if not isinstance(setting, ipw.Widget):
        return Domain(name)
    low, high = getattr(setting, "min", -math.inf), getattr(setting, "max", math.inf)
    if isinstance(setting, ipw.FloatLogSlider):
        # powers differ in the last digit
        low, high = setting.base**low * (1 - 1e-12), setting.base**high * (1 + 1e-12)
    return Domain(name, low=low, high=high, integer=isinstance(setting, (ipw.IntSlider, ipw.BoundedIntText)))


def settings_of(program: Program, given: dict[str, Any], only: Sequence[str] | None) -> dict[str, Any]:
    """A control or a number for each parameter: as given, else as its domain says."""
    offered = {domain.name: domain for domain in program.domains if domain.offered}
    if unknown := set(only or ()) - set(offered) - set(given):
        raise ValueError(f"only = {sorted(unknown)}: must be among {', '.join(offered)}")
    moved = [name for name in (offered if only is None else only) if name not in given]
    settings = {**defaults(program), **{name: controls.of(offered[name]) for name in moved}, **given}
    names = [domain.name for domain in program.domains]
    if sorted(names) != sorted(settings):
        raise ValueError(f"settings = {sorted(settings)}: must be exactly {sorted(names)}")
    order = [*(only or ()), *given, *names]
    return {name: settings[name] for name in dict.fromkeys(order) if name in settings}


def check_controls(program: Program, moved: Mapping[str, ipw.Widget], values: dict[str, float]) -> None:
    """Refuse controls with the same label, and those that offer values outside their domains or too many steps."""
    labels: dict[str, str] = {}
    for name, control in moved.items():
        if not isinstance(control, DRIVEN):
            raise ValueError(
                f"{name} = {type(control).__name__}: must be a slider, a field for a number, a Dropdown, RadioButtons, "
                "ToggleButtons, a ToggleButton or a Checkbox, which a page without a kernel can move"
            )
        label = control.description or name
        if labels.setdefault(label, name) != name:
            raise ValueError(
                f"controls {labels[label]!r} and {name!r} are both called {label!r}: must differ"
            )
    limits = {stage.limit for stage in program.stages}
    for domain in program.domains:
        offers = _offered_values(moved[domain.name]) if domain.name in moved else []
        if domain.name in moved:
            _warn_of_an_end_that_is_not_reached(domain.name, moved[domain.name])
        for number in offers:
            try:
                domain.check(number)
            except ValueError as error:
                raise ValueError(f"a control offers {error}") from None
        most = max([*offers, values[domain.name]])
        if domain.name in limits and most > MOST_STEPS:
            raise ValueError(
                f"{domain.name} = {most:g}: must be at most {MOST_STEPS:,} steps, for the page's sake"
            )


def _warn_of_an_end_that_is_not_reached(name: str, control: ipw.Widget) -> None:
    """Warn if a slider's steps lead past its end."""
    low, high, step = (getattr(control, end, None) for end in ("min", "max", "step"))
    if low is None or high is None or not step or isinstance(control, ipw.FloatLogSlider):  # its step is ours
        return
    steps = (high - low) / step
    if abs(steps - round(steps)) > 1e-6 * max(steps, 1):
        last = low + math.floor(steps) * step
        warnings.warn(
            f"{name}: steps of {step:g} from {low:g} do not reach {high:g}: the last one is {last:g}",
            UserWarning,
            stacklevel=6,
        )


def _offered_values(control: ipw.Widget) -> list[float]:
    """The ends of what a control offers, and a step; all that it offers, if these are only some."""
    if isinstance(control, LINKED_BY_INDEX):
        return [value for _, value in control._options_full]
    if not hasattr(control, "min") or not hasattr(control, "max"):
        return []
    ends = [control.min, control.min + (control.step or 0), control.max]
    if isinstance(control, ipw.FloatLogSlider):  # powers differ in the last digit
        return [float(f"{control.base**end:.12g}") for end in ends]
    return ends


def tried_settings(moved: Mapping[str, ipw.Widget], some: int = 3) -> Iterator[dict[str, float]]:
    """Each control at the ends of what it offers, the others as they are; then some random settings of all."""
    offers = {name: values for name, control in moved.items() if (values := _offered_values(control))}
    for name, values in offers.items():
        for end in dict.fromkeys((min(values), max(values))):
            yield {name: end}
    chance = random.Random(0)
    for _ in range(some if offers else 0):
        yield {name: _some_value(moved[name], values, chance) for name, values in offers.items()}


def _some_value(control: ipw.Widget, offers: Sequence[float], chance: random.Random) -> float:
    """A random value of those that a control offers."""
    if isinstance(control, ipw.FloatLogSlider):
        return control.base ** chance.uniform(control.min, control.max)
    if isinstance(control, LINKED_BY_INDEX):
        return chance.choice(offers)
    steps = int((control.max - control.min) / control.step) if control.step else 0
    return control.min + chance.randint(0, steps) * control.step if steps else control.min


def linked_trait(control: ipw.Widget) -> str:
    return "index" if isinstance(control, LINKED_BY_INDEX) else "value"


def raw_value(control: ipw.Widget) -> Any:
    """What the control's linked trait holds."""
    return getattr(control, linked_trait(control))


def number_of(key: str, value: Any) -> float:
    """The number a control stands for."""
    if isinstance(value, bool):
        return float(value)
    if not isinstance(value, (int, float)):
        raise TypeError(f"{key} = {value!r}: a live control must hold a number, a whole number or a switch")
    return value


def parameter_entry(
    domain: Domain, setting: ipw.Widget | float, default: float, usual: dict[str, float]
) -> dict[str, Any]:
    """What the page knows of a parameter; JSON has no infinity, so an open end is None.

    ``usual`` has the values at which the code that the page copies leaves a parameter that it does not name.
    """
    entry: dict[str, Any] = {
        "name": domain.name,
        "low": None if math.isinf(domain.low) else domain.low,
        "high": None if math.isinf(domain.high) else domain.high,
        "low_open": domain.low_open,
        "high_open": domain.high_open,
        "integer": domain.integer,
        "default": default,
        "usual": usual.get(domain.name),
    }
    if not isinstance(setting, ipw.Widget):
        return {**entry, "fixed": True}
    entry["label"] = setting.description or domain.name
    if isinstance(setting, LINKED_BY_INDEX):
        entry["choices"] = [value for _, value in setting._options_full]
        entry["track"] = {"choices": True}
    elif isinstance(setting, ipw.Checkbox):
        entry["boolean"] = True
    elif hasattr(setting, "min") and hasattr(setting, "max"):
        entry["track"] = {end: getattr(setting, end) for end in ("min", "max", "step")}
        if isinstance(setting, ipw.FloatLogSlider):
            entry["track"]["base"] = setting.base
    return entry
