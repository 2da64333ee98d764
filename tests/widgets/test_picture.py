"""Pictures of pages, in the size that sharing asks for; pictures of figures, which a notebook stores."""

import base64
import struct

import nbformat
import pytest
import torch
from nbclient import NotebookClient
from nbconvert import HTMLExporter, LatexExporter, MarkdownExporter

from book.publish.outputs import STILL, VIEW, without_stills
from tests import HTML, ROOT
from widgets import controls, live, live_figure, picture
from widgets.figure import registry
from widgets.translate import cache

SADDLE = HTML / "book" / "recall" / "saddle.html"
BARE = "<html><head><title>A page — A book</title></head><body><article><section><p>Words.</p></section></article>"


def size(data: bytes) -> tuple[int, ...]:
    """The width and height of a PNG."""
    return struct.unpack(">II", data[16:24])


def test_a_page_without_a_drawing_shows_its_title_and_says_it(tmp_path):
    assert picture.draw([{"place": str(tmp_path / "a" / "bare.png"), "text": BARE}]) == ["A page Words."]
    data = (tmp_path / "a" / "bare.png").read_bytes()
    assert data.startswith(b"\x89PNG")
    assert size(data) == (1200, 630)


def test_no_pages_need_no_pictures():
    assert picture.draw([]) == []


@pytest.mark.skipif(not SADDLE.exists(), reason="the book is not built: make book")
def test_a_page_shows_its_scene_and_two_builds_draw_the_same(tmp_path):
    text = SADDLE.read_text()
    places = [tmp_path / f"{name}.png" for name in ("one", "two", "bare")]
    texts = [text, text, text.replace("fim-scene", "none")]
    words = picture.draw(
        [{"place": str(place), "text": text} for place, text in zip(places, texts, strict=True)]
    )
    assert words[0].startswith(
        "Why does attention first get stuck? Drawn: Attention from the end of the prompt; "
    )
    assert "Drawn" not in words[2]
    one, two, bare = (path.read_bytes() for path in places)
    assert one == two != bare


def wave(frequency):
    x = torch.linspace(0, 1, 30, dtype=torch.float64)
    return {"x": x, "wave": torch.sin(6 * frequency * x), "energy": frequency**2}


def test_a_figure_is_drawn_where_its_controls_stand():
    figure = live(wave, frequency=controls.linear(1, 0, 2, 0.5, "frequency"))
    first = figure.still()
    assert first.alt.endswith("energy: 1 frequency = 1")
    assert first.alt.startswith("wave from 0 to ")
    figure.controls["frequency"].value = 2.0
    second = figure.still()
    assert second.alt.endswith("energy: 4 frequency = 2")
    assert second.data != first.data
    assert all(300 < side < 2500 for side in size(first.data)), "two for each pixel of a scene on a laptop"
    assert len(first.data) < 100_000


CELL = """
import torch
from widgets import controls, live, live_figure

def wave(frequency):
    x = torch.linspace(0, 1, 30, dtype=torch.float64)
    return {"x": x, "wave": torch.sin(6 * frequency * x), "energy": frequency**2}

live(wave, frequency=controls.linear(1, 0, 2, 0.5, "frequency"))
"""


@pytest.fixture(scope="module")
def notebook():
    """One that a kernel has run, as JupyterLab would store it."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CELL)])
    client = NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(ROOT)}})
    return client.execute()


def test_a_notebook_stores_a_picture_for_readers_without_a_kernel(notebook):
    (output,) = [output for output in notebook.cells[0].outputs if output.output_type == "execute_result"]
    assert output.data.keys() == {"text/plain", VIEW, STILL}
    assert base64.b64decode(output.data[STILL]).startswith(b"\x89PNG")
    assert output.metadata[STILL].alt.endswith("frequency = 1")
    assert output.data["text/plain"] == "Live('wave': frequency)"


@pytest.mark.parametrize(
    ("exporter", "picture_is"),
    [(LatexExporter, r"\includegraphics"), (MarkdownExporter, "![png]"), (HTMLExporter, "data:image/png;")],
)
def test_nbconvert_shows_the_picture(notebook, exporter, picture_is):
    text, _ = exporter().from_notebook_node(notebook)
    assert picture_is in text


def test_the_built_book_draws_its_own(notebook):
    stored = without_stills(nbformat.from_dict(notebook))
    (output,) = [output for output in stored.cells[0].outputs if output.output_type == "execute_result"]
    assert VIEW in output.data
    assert STILL not in {**output.data, **output.metadata}


def test_a_figure_of_the_book_is_stored_without(monkeypatch, tmp_path):
    monkeypatch.setattr(registry, "FIGURES", {})
    monkeypatch.setattr(cache, "FOLDER", tmp_path)

    @live_figure
    def figure():
        return live(wave, frequency=controls.linear(1, 0, 2, 0.5, "frequency"))

    assert STILL not in figure()._repr_mimebundle_()
