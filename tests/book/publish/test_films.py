"""A film of a demo: the question, the run with a rest at each stop, and what it shows."""

import itertools

import pytest

from book.publish import films
from tests import HTML

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not HTML.exists(), reason="the book is not built: make book"),
]


@pytest.fixture
def short(monkeypatch):
    """A film of few frames."""
    for name, seconds in {"QUESTION": 1 / 12, "RUN": 1 / 6, "REST": 1 / 8, "RESULT": 1 / 12}.items():
        monkeypatch.setattr(films, name, seconds)


def test_a_film_goes_through_the_run(open_page, home, short, tmp_path):
    page = open_page("about:blank", viewport=films.SIZE)
    shots = list(films.frames(page, f"{home}/book/recall/saddle.html"))
    pictures = [data for data, _ in shots]
    assert all(data.startswith(b"\xff\xd8") for data in pictures)
    assert [lasts for _, lasts in shots].count(3) == 3  # a rest at each stop
    moments = [data for data, lasts in shots if lasts == films.STILL]
    assert len(moments) >= 4
    assert all(one != other for one, other in itertools.pairwise(moments))
    av = pytest.importorskip("av")
    seconds = films.encode(av, tmp_path / "film.mp4", iter(shots))
    with av.open(str(tmp_path / "film.mp4")) as film:
        (stream,) = film.streams
        assert (
            sum(packet.is_keyframe for packet in film.demux(stream)) == 1
        )  # the others say what has changed
        film.seek(0)
        assert (stream.width, stream.height) == (1280, 720)
        assert (
            sum(1 for _ in film.decode(video=0)) == sum(lasts for _, lasts in shots) == seconds * films.RATE
        )


def test_every_demo_can_be_filmed():
    assert "recall/saddle" in films.demos()
    assert len(films.demos()) > 25
