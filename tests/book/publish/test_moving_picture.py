"""The picture in README: it moves, it is small, and it shows the figure as it is."""

from itertools import pairwise

import numpy as np
import pytest
from PIL import Image, ImageSequence

from book.publish import moving_picture
from book.publish.moving_picture import PLACE, SCENES, VIEWPORT, Scene
from tests import HTML, ROOT

MOST_BYTES = 600_000
ALIKE = 6
"""The mean difference of two pictures, of 255, that fonts and compression may make."""


def difference(one: Image.Image, other: Image.Image) -> float:
    """The mean difference of two pictures' numbers, of 255."""
    pair = [np.asarray(picture.convert("RGB"), dtype=float) for picture in (one, other)]
    return float(abs(pair[0] - pair[1]).mean())


def test_it_moves_and_is_small():
    assert f"({PLACE.relative_to(ROOT)})" in (ROOT / "README.md").read_text()
    assert PLACE.stat().st_size <= MOST_BYTES
    frames = [frame.convert("RGB") for frame in ImageSequence.Iterator(Image.open(PLACE))]
    assert sum(difference(*pair) > 0.05 for pair in pairwise(frames)) > len(frames) / 3


@pytest.mark.browser
@pytest.mark.skipif(not HTML.exists(), reason="the book is not built: make book")
def test_it_can_be_made_again_and_shows_the_figure_as_it_is(open_page, home, tmp_path):
    page = open_page("about:blank", viewport=VIEWPORT)
    short = tuple(Scene(scene.settings, 2) for scene in SCENES)
    made = list(moving_picture.moments(page, home, short))
    moving_picture.join(made, tmp_path / "again.webp")
    again = ImageSequence.all_frames(Image.open(tmp_path / "again.webp"))
    assert len(again) == len(made)
    stored = list(ImageSequence.Iterator(Image.open(PLACE)))
    assert difference(stored[-1], made[-1][0]) < ALIKE, "make it anew: python -m book.publish.moving_picture"
    assert difference(made[1][0], made[-1][0]) > ALIKE / 4
