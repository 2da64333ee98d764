"""The tests."""

from pathlib import Path

ROOT = Path(__file__).parents[1]
HTML = ROOT / "_build" / "html"
"""The built book."""
PHONE = {"width": 360, "height": 740}
LAPTOP = {"width": 1280, "height": 720}
DESKTOP = {"width": 1280, "height": 900}
