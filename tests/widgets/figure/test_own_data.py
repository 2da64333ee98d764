"""Data that readers paste: read alike in Python and in the page, refused by line, kept in the address, and reset."""

from __future__ import annotations

import random
import urllib.parse

import pytest
import torch

from tests.widgets.pages import provide, write
from tests.widgets.program import called
from widgets import Loop, OwnData, controls, live
from widgets.figure.panels import CurveChart, Points, Row

OWN = OwnData([(0, 1), (1, 3), (2, 5)], -100, 100, most=5)
TEXTS = {
    "1, 2\n3, 4": [2, 1, 2, 3, 4],
    "1\t2\r\n3\t4\n\n": [2, 1, 2, 3, 4],
    "height;weight\n1,5;2\n3;4,25": [2, 1.5, 2, 3, 4.25],
    "x y\n\n  −1.5   2e1 \n.5 +3.": [2, -1.5, 20, 0.5, 3],
    "1 2\n3": "line 2: 1 numbers: must be 2: x, y",
    "1 2\n3 4 5": "line 2: 3 numbers: must be 2: x, y",
    "1 2\nthree 4": "line 2: “three” is not a number",
    "1;\n": "line 1: “” is not a number",
    "1 2\nx y": "line 2: “x” is not a number",
    "1 1e999": "line 1: y = 1e999: must be from -100 to 100",
    "1 2\n\n101 2": "line 3: x = 101: must be from -100 to 100",
    "": "0 rows: must be from 1 to 5",
    "x y": "0 rows: must be from 1 to 5",
    "1 2\n" * 6: "6 rows: must be from 1 to 5",
    "0x10 1": "line 1: “0x10” is not a number",
    "1 Infinity": "line 1: “Infinity” is not a number",
    "1_0 2": "line 1: “1_0” is not a number",
}


def read(text: str) -> list[float] | str:
    try:
        return OWN.numbers(text)
    except ValueError as error:
        return str(error)


def test_rows_are_read_and_what_is_wrong_is_named_by_its_line():
    for text, expected in TEXTS.items():
        result = read(text)
        if isinstance(expected, list):
            expected = [*expected, *[0.0] * (11 - len(expected))]
        assert result == expected, text


def test_the_page_reads_every_text_like_python():
    chance = random.Random(0)
    pieces = ["1", "-2.5", "3,5", "−4", "x", "101", "", "1e3", " ", ",", ";", "\t", "\n", "\n", "\r\n"]
    texts = [*TEXTS, *("".join(chance.choices(pieces, k=chance.randint(1, 14))) for _ in range(2000))]
    own = OWN.described("points", 0)
    for text, page in zip(
        texts, called("run/own_data", "readRows", *((own, text) for text in texts)), strict=True
    ):
        assert page == read(text), repr(text)


def test_what_is_padded_is_allowed():
    own = OwnData([(5,)], 2, 9, columns=("x",), most=3)
    assert own.numbers("5") == [1, 5, 2, 2]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"default": [(0, 1), (1, 200)]}, "line 2: y = 200: must be from -100 to 100"),
        ({"most": 500}, "1 to 500 rows of 2 numbers: must be at least one row, and at most 400 numbers"),
        ({"low": 1, "high": 0}, "from 1 to 0: must be two numbers, the larger one last"),
        ({"default": [(1, 2, 3)]}, "line 1: 3 numbers: must be 2: x, y"),
    ],
)
def test_a_field_that_cannot_be_is_refused(given, says):
    with pytest.raises(ValueError, match=says):
        OwnData(**{"default": [(0, 1)], "low": -100, "high": 100, **given})


def fit(points, ridge):
    """A line through the points, with its slope drawn to 0."""
    x, y = points.values.T
    weight = points.present / points.present.sum()
    x_mean = weight @ x
    slope = (weight * (x - x_mean)) @ y / ((weight * (x - x_mean)) @ x + ridge)
    return {"x": points.shown[:, 0], "y": points.shown[:, 1], "slope": slope, "rows": points.present.sum()}


def figure():
    chart = CurveChart(
        "", x="x", points=(Points("x", "y", "your points", "predicted"),), domain=(-5, 5), x_domain=(-5, 5)
    )
    rows = (Row("slope", "", "slope"), Row("rows", "", "rows"))
    return live(fit, points=OWN, ridge=controls.linear(0, 0, 2, 0.5, "ridge"), panels=(chart,), rows=rows)


def test_a_figure_of_the_readers_own_data_in_torch():
    shown = figure()
    assert list(shown.controls) == ["ridge", "points"]
    assert shown.report["slope"] == 2
    shown.controls["points"].value = "0 0\n1 3"
    assert shown.report["slope"] == 3
    assert torch.isnan(shown.report["x"][2:]).all()
    shown.controls["points"].value = "0 0\n1 x"
    with pytest.raises(ValueError, match="line 2: “x” is not a number"):
        _ = shown.report


def test_a_loop_takes_them_too_and_a_program_does_not():
    def nearer(centre, p):
        return centre + p.rate * (
            (p.points.values[:, 0] * p.points.present).sum() / p.points.present.sum() - centre
        )

    loop = Loop(lambda p: torch.zeros((), dtype=torch.float64), nearer, lambda centre, p: {"centre": centre})
    shown = live(loop, points=OWN, rate=controls.linear(0.5, 0, 1, 0.5, "rate"), steps=10)
    assert shown.report["centre"] == pytest.approx(1, abs=1e-2)
    with pytest.raises(ValueError, match="points: data of a reader's own are for a function or a Loop"):
        live(loop.program({"points": 1.0, "rate": 1.0, "steps": 3}), points=OWN)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A page with the figure, as a book would write it."""
    folder = provide(tmp_path_factory.mktemp("own"))
    write(folder / "page.html", [figure()])
    return folder


def numbers(page) -> list[str]:
    page.wait_for_function("document.querySelector('.fim').dataset.state === 'done'")
    return page.locator(".fim-table output[data-field]").all_inner_texts()


def test_a_reader_pastes_points_shares_them_and_resets(folder, open_page):
    address = f"file://{folder}/page.html"
    page = open_page(address)
    page.locator(".fim-check > summary").click()
    assert numbers(page) == ["2", "3"]
    field = page.get_by_label("your own data")
    assert field.input_value() == "0, 1\n1, 3\n2, 5"
    field.fill("x\ty\n0\t0\n1\t4\n2\t8\n3\t12")
    assert numbers(page) == ["4", "4"]
    page.wait_for_function("location.hash.includes('points=')")
    shared = page.url
    assert urllib.parse.unquote_plus(shared).endswith("#~points=x\ty\n0\t0\n1\t4\n2\t8\n3\t12")
    field.fill("0 0\n1 four")
    error = page.locator(".ctl-problem:not([hidden])")
    assert error.inner_text() == "line 2: “four” is not a number"
    assert error.is_visible()
    assert field.get_attribute("aria-invalid") == "true"
    assert numbers(page) == ["4", "4"]
    page.get_by_role("button", name="reset").click()
    assert numbers(page) == ["2", "3"]
    field.fill("0 0\n1 four")  # where the reset changes nothing else
    page.get_by_role("button", name="reset").click()
    assert field.input_value() == "0, 1\n1, 3\n2, 5"
    page.wait_for_function("!location.hash.includes('points=')")
    other = open_page(shared)
    other.locator(".fim-check > summary").click()
    assert numbers(other) == ["4", "4"]


def test_what_is_too_long_for_an_address_stays_out_of_it(folder, open_page):
    page = open_page(f"file://{folder}/page.html")
    numbers(page)
    field, said = (
        page.get_by_label("your own data"),
        page.get_by_role("status").filter(has_text="Too long for a link"),
    )
    assert said.count() == 0
    field.fill("0 0\n" + " " * 1000 + "1 3")
    assert said.inner_text().startswith(
        "Too long for a link: whoever opens a link to this page sees what stood here at"
    )
    page.get_by_label("ridge, value").fill("0.5")
    page.get_by_label("ridge, value").press("Enter")
    page.wait_for_function("location.hash.includes('ridge')")
    assert "points" not in page.url
    field.fill("0 0\n1 3")
    page.wait_for_function("location.hash.includes('points')")
    assert said.count() == 0
