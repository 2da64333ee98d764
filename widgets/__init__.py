"""Sliders and live figures: the same torch code in Jupyter and in the static page."""

from widgets.figure import controls
from widgets.figure.live import Live, live

__all__ = ["Live", "controls", "live"]
