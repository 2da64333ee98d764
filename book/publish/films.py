"""``python -m book films``: a short film of each demo, from the real figure in a real browser.

A film shows the page's first slide, then the run from its start to its end with a rest at each stop, and what the run
shows of the theorem. It has no sound: what is to be said stands on the slides.
"""

from __future__ import annotations

import io
import itertools
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

from book.ledger.registry import pages
from book.optional import require_optional
from book.publish.browser import BUILT, folder, opened_book, wanted_pages
from widgets.site.demos import SCENE

SIZE = {"width": 1280, "height": 720}
RATE = 24
"""Frames a second."""
STILL = 2
"""Frames that each picture of a moving run lasts: taking one is what takes time."""
QUESTION, RUN, REST, RESULT = 3.0, 10.0, 1.5, 4.0
"""Seconds of the question, of the run, of the rest at each of its stops, and of what comes out."""
SETTLES = 1500
"""Milliseconds until a slide has its size."""
HIDDEN = ".fim-bar, .fim-qr, .fim-time > button { visibility: hidden; }"
"""What a film has no use for: the buttons, and the code of an address on this machine."""
PLACES = """() => {
  const { scene } = document.querySelector('.fim').live;
  return { start: scene.timeline ? scene.start : 1, stops: scene.stops.map(({ share }) => share) };
}"""
PRESENT = "(place) => factsRuntime.present(document.querySelector('.fim'), place)"
GO = """(share) => {
  document.querySelector('.fim').live.scene.goTo(share);
  return new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
}"""


def main(names: list[str]) -> int:
    """Write the films of these demos to ``_build/films``, of all if none is named.

    Raises:
        BadInput: the book is not built, or a name is no demo's.
        MissingExtra: what encodes films is not installed.
    """
    av = require_optional("av", "film", "a film")
    with opened_book("a film", viewport=SIZE, reduced_motion="reduce") as (page, home):
        for name in wanted_pages(names, demos()):
            path = folder("films") / f"{name.replace('/', '-')}.mp4"
            seconds = encode(av, path, frames(page, f"{home}/book/{name}.html"))
            print(f"{path}: {seconds:.0f} seconds, {path.stat().st_size / 1e6:.1f} MB", flush=True)
    return 0


def demos() -> list[str]:
    """The pages of chapters that have a live figure."""
    names = [page.removeprefix("book/") for page in pages()]
    built = {name: BUILT / "book" / f"{name}.html" for name in names if "/" in name}
    return [name for name, path in built.items() if path.exists() and SCENE in path.read_text("utf-8")]


def frames(page: Any, address: str) -> Iterator[tuple[bytes, int]]:
    """Pictures of a demo's film as JPEG, each with how many frames it lasts."""
    page.goto(f"{address}#~slide=1")
    page.locator(".fim[data-state=done]").first.wait_for(state="attached")
    page.locator(".fim-bar").wait_for()
    page.add_style_tag(content=HIDDEN)
    yield picture(page), round(QUESTION * RATE)
    at = page.evaluate(PLACES)
    if at["start"] < 1:
        turn_to(page, "run")
        yield from run(page, at["start"], sorted({*at["stops"], 1.0}))
    turn_to(page, "result")
    yield picture(page), round(RESULT * RATE)


def run(page: Any, start: float, stops: list[float]) -> Iterator[tuple[bytes, int]]:
    """The run from its start to its end, frame by frame, with a rest at each stop."""
    steps = round(RUN * RATE / STILL)
    place = start
    for stop in stops:
        count = max(1, round(steps * (stop - place) / (1 - start)))
        for step in range(1, count + 1):
            page.evaluate(GO, place + (stop - place) * step / count)
            yield picture(page), STILL
        yield picture(page), round(REST * RATE)
        place = stop


def turn_to(page: Any, kind: str) -> None:
    """Show the first slide of this kind, and wait until it has its size."""
    for place in itertools.count(1):
        page.evaluate(PRESENT, place)
        if page.evaluate("document.documentElement.dataset.slide") == kind:
            break
    page.wait_for_timeout(SETTLES)


def picture(page: Any) -> bytes:
    """What the page shows, as JPEG."""
    return bytes(page.screenshot(type="jpeg", quality=95))


def encode(av: Any, path: Path, pictures: Iterator[tuple[bytes, int]]) -> float:
    """Write pictures as a film; returns how many seconds it lasts."""
    count = 0
    with av.open(str(path), "w", options={"movflags": "faststart"}) as film:
        stream = film.add_stream("libx264", rate=RATE, options={"crf": "20", "preset": "medium"})
        stream.width, stream.height, stream.pix_fmt = SIZE["width"], SIZE["height"], "yuv420p"
        for data, lasts in pictures:
            (decoded,) = av.open(io.BytesIO(data), format="jpeg_pipe").decode(video=0)
            for _ in range(lasts):
                frame = decoded.reformat(format="yuv420p")
                frame.pts, frame.time_base = count, Fraction(1, RATE)
                frame.pict_type = 0  # a JPEG's is whole, and so would every frame of the film be
                film.mux(stream.encode(frame))
                count += 1
        film.mux(stream.encode(None))
    return count / RATE
