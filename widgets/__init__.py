"""Sliders and live figures: the same torch code in Jupyter and in the static page."""

from widgets.figure import controls
from widgets.figure.live import Live, live
from widgets.figure.loop import Loop
from widgets.figure.own_data import OwnData
from widgets.figure.registry import live_figure
from widgets.figure.training import training

__all__ = ["Live", "Loop", "OwnData", "controls", "live", "live_figure", "training"]
