"""Sliders and live figures: the same torch code in Jupyter and in the static page."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from widgets.figure import controls
    from widgets.figure.live import Live, live
    from widgets.figure.loop import Loop
    from widgets.figure.own_data import OwnData
    from widgets.figure.registry import live_figure
    from widgets.figure.training import training

__all__ = ["Live", "Loop", "OwnData", "controls", "live", "live_figure", "training"]
_MODULES = {
    "Live": "live",
    "live": "live",
    "Loop": "loop",
    "OwnData": "own_data",
    "live_figure": "registry",
    "training": "training",
}


def __getattr__(name: str) -> Any:
    """What the package offers, imported once it is asked for: what only builds scripts or pages needs no torch."""
    if name == "controls":
        return import_module("widgets.figure.controls")
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"widgets.figure.{_MODULES[name]}"), name)
