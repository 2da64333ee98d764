"""Pictures of pages: the size that readers of addresses ask for, the scene in them, and words for it."""

import struct

import pytest

from tests import HTML
from widgets.site import previews

SADDLE = HTML / "book" / "recall" / "saddle.html"
BARE = "<html><head><title>A page — A book</title></head><body><article><section><p>Words.</p></section></article>"


def size(data: bytes) -> tuple[int, ...]:
    """Of a PNG."""
    return struct.unpack(">II", data[16:24])


def test_a_page_without_a_drawing_shows_its_title_and_says_it(tmp_path):
    assert previews.draw({tmp_path / "a" / "bare.png": BARE}) == ["A page Words."]
    data = (tmp_path / "a" / "bare.png").read_bytes()
    assert data.startswith(b"\x89PNG")
    assert size(data) == (1200, 630)


def test_no_pages_need_no_pictures():
    assert previews.draw({}) == []


@pytest.mark.skipif(not SADDLE.exists(), reason="the book is not built: make book")
def test_a_page_shows_its_scene_and_two_builds_draw_the_same(tmp_path):
    text = SADDLE.read_text()
    places = [tmp_path / f"{name}.png" for name in ("one", "two", "bare")]
    words = previews.draw(dict(zip(places, [text, text, text.replace("fim-scene", "none")], strict=True)))
    assert words[0].startswith(
        "Why does attention first get stuck? Drawn: Attention from the end of the prompt; "
    )
    assert "Drawn" not in words[2]
    one, two, bare = (path.read_bytes() for path in places)
    assert one == two != bare
