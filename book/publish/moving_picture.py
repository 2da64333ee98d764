"""``python -m book.publish.moving_picture``: the picture in README, in which a figure of the built book trains.

Chromium opens the page, sets its sliders and takes the figure at moments of its run; Pillow joins them.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from PIL import Image

from book.errors import BadInput
from book.ledger.boxes import ROOT
from book.optional import MissingExtra
from book.publish.browser import opened_book
from book.publish.films import GO

PAGE = "book/recall/saddle.html"
PLACE = ROOT / "book" / "_static" / "saddle.webp"
VIEWPORT = {"width": 900, "height": 700}
CLIP = {"x": 16, "y": 72, "width": 868, "height": 432}
"""What is taken of the window, in pixels: the figure's drawings, below the page's head."""
PACE, REST = 120, 2_500
"""Milliseconds of a moment of the run, and of its end."""
QUALITY = 60
AT = """async (settings) => {
  const root = document.querySelector('.fim');
  const done = new Promise((resolve) => root.addEventListener('fim:done', resolve, { once: true }));
  root.live.set({ ...root.live.defaults(), ...settings });
  await done;
  root.closest('.cell_output').scrollIntoView();
}"""


class Scene(NamedTuple):
    """A run of the figure: where the sliders that matter stand, and how many moments of it are taken."""

    settings: Mapping[str, float]
    moments: int


SCENES = (Scene({}, 26), Scene({"temperature": 0.0895}, 14))
"""The theorem as its page opens, and too warm for it."""


def moments(page: Any, home: str, scenes: tuple[Scene, ...] = SCENES) -> Iterator[tuple[Image.Image, int]]:
    """Pictures of the figure, each with the milliseconds for which it is shown.

    Args:
        page: Playwright's. ``home``: where the book is served.
    """
    page.goto(f"{home}/{PAGE}")
    page.locator(".fim[data-state=done]").first.wait_for()
    for settings, count in scenes:
        page.evaluate(AT, dict(settings))
        for number in range(count):
            page.evaluate(GO, number / (count - 1))
            picture = Image.open(io.BytesIO(page.screenshot(clip=CLIP)))
            yield picture.convert("RGB"), REST if number == count - 1 else PACE


def join(pictures: list[tuple[Image.Image, int]], place: Path) -> None:
    """Write an animated picture that begins again and again."""
    (first, *others), durations = zip(*pictures, strict=True)
    options: dict[str, Any] = {"quality": QUALITY, "method": 6, "loop": 0, "duration": list(durations)}
    first.save(place, save_all=True, append_images=others, **options)


def main() -> int:
    """Make the picture anew; 2 if the book is not built or there is no Chromium."""
    try:
        with opened_book("a moving picture", viewport=VIEWPORT, reduced_motion="reduce") as (page, home):
            join(list(moments(page, home)), PLACE)
    except (BadInput, MissingExtra) as error:
        print(error, file=sys.stderr)
        return 2
    print(f"{PLACE}: {PLACE.stat().st_size / 1000:.0f} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
