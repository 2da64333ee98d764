"""The static page's runtime drives real ipywidgets, in a real browser, over http and file:// alike."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anywidget
import ipywidgets as ipw
import pandas as pd
import pytest
import traitlets

from tests.widgets.pages import provide, write
from widgets import bundle

pytestmark = pytest.mark.browser

PROBE = """
globalThis.imported = (globalThis.imported ?? 0) + 1;
export default () => {
  let mine;
  return {
    initialize({ model }) { mine = model; },
    render({ model, el }) {
      const show = () => { el.dataset.x = JSON.stringify(model.get("x") ?? null); };
      model.on("change:x", show);
      el.className = "probe";
      el.dataset.same = String(mine === model);
      el.append(Object.assign(document.createElement("button"), {
        textContent: "reset", onclick() { model.set("x", 0); model.save_changes(); model.send({}); } }));
      show();
    },
  };
};
"""


class Probe(anywidget.AnyWidget):
    """A figure that shows the one trait it has."""

    _esm = PROBE
    _css = ".probe { color: rgb(1, 2, 3); }"
    x = traitlets.Any().tag(sync=True)


class Plain(anywidget.AnyWidget):
    """A module that exports its hooks as they are, with numbers as bytes."""

    _esm = """export default { render({ model, el }) {
      const bytes = model.get("numbers");
      el.textContent = "sum " + new Float64Array(bytes.buffer).reduce((a, b) => a + b);
    } };"""
    numbers = traitlets.Bytes().tag(sync=True)


class Broken(anywidget.AnyWidget):
    """A figure that cannot be drawn."""

    _esm = "export default { render() { throw new Error('out of ink'); } };"


def probed(control: ipw.Widget, trait: str = "value", **more: Any) -> ipw.VBox:
    """A control above the figure it is linked to, in a box that the test finds by the control's class."""
    probe = Probe()
    ipw.jslink((control, trait), (probe, "x"))
    box = ipw.VBox([control, probe])
    return box.add_class(f"box-{more.get('name', type(control).__name__)}")


def everything() -> list[ipw.Widget]:
    """Every kind of input, each linked to a figure of its own."""
    options = [("one", 1), ("two", 2), ("three", 3)]
    number = {"step": 0.5, "value": 2.0}
    return [
        probed(ipw.FloatSlider(min=0, max=10, description="length", **number)),
        probed(
            ipw.FloatLogSlider(value=0.0123456789, min=-4, max=1, step=0.01, description="temperature $T$")
        ),
        probed(ipw.IntSlider(value=3, min=0, max=10, description="seed")),
        probed(ipw.SelectionSlider(options=options, description="radius"), "index"),
        probed(ipw.Dropdown(options=options, description="dataset"), "index"),
        probed(ipw.ToggleButtons(options=options, description="gate"), "index"),
        probed(ipw.RadioButtons(options=options, description="loss"), "index"),
        probed(ipw.ToggleButton(description="noise")),
        probed(ipw.Checkbox(description="relation")),
        probed(ipw.FloatText(description="rate", **number)),
        probed(ipw.IntText(value=2, description="count")),
        probed(ipw.BoundedFloatText(description="share", **number)),
        probed(ipw.BoundedIntText(value=2, description="steps")),
        probed(ipw.Text(description="word", value="a")),
    ]


KEYS = {
    "FloatSlider": ("range", "ArrowRight", 2.5),
    "IntSlider": ("range", "End", 10),
    "SelectionSlider": ("range", "ArrowUp", 1),
    "Dropdown": ("select", "ArrowDown", 1),
    "ToggleButtons": ("radio", "ArrowRight", 1),
    "RadioButtons": ("radio", "ArrowDown", 1),
    "ToggleButton": ("button", "Enter", True),
    "Checkbox": ("checkbox", "Space", True),
    "FloatText": ("text", "ArrowUp", 2.5),
    "IntText": ("text", "ArrowDown", 1),
    "BoundedFloatText": ("text", "ArrowUp", 2.5),
    "BoundedIntText": ("text", "ArrowUp", 3),
    "Text": ("text", "End b", "ab"),
}
TAPS = {
    "FloatSlider": 5,
    "IntSlider": 5,
    "SelectionSlider": 1,
    "ToggleButtons": 1,
    "RadioButtons": 1,
    "ToggleButton": True,
    "Checkbox": True,
}
INPUTS = {
    "range": "input[type=range]",
    "radio": "input:checked",
    "checkbox": "input[type=checkbox]",
    "text": "input[type=text]",
    "select": "select",
    "button": ".ctl-toggle",
}


@pytest.fixture(scope="session")
def site(tmp_path_factory) -> Path:
    """A folder with the runtime and a page of every control, once with full and once with sparse state."""
    folder = provide(tmp_path_factory.mktemp("site"))
    write(folder / "everything.html", everything())
    write(folder / "sparse.html", everything(), drop_defaults=True)
    return folder


@pytest.fixture
def open_widgets(site: Path, open_page: Callable[..., Any]) -> Callable[..., Any]:
    """Writes widgets into a page of its own, if any are given, and opens it from its file."""

    def open_(
        *widgets: ipw.Widget, name: str = "page.html", fragment: str = "", head: str = "", body: str = ""
    ):
        if widgets:
            write(site / name, list(widgets), head=head, body=body)
        page = open_page(f"file://{site / name}{fragment}")
        return drawn(page)

    return open_


@pytest.fixture(params=["http", "file"])
def everything_page(request, site: Path, serve, open_page) -> Callable[..., Any]:
    """Opens the page of every control over http with full state, or over file:// with sparse state."""
    address = f"{serve(site)}/everything.html" if request.param == "http" else f"file://{site}/sparse.html"
    return lambda **settings: drawn(open_page(address, **settings))


def drawn(page):
    page.wait_for_function("window.factsRuntime")
    page.evaluate("factsRuntime.ready")
    return page


def value(page, box: str = "") -> Any:
    """What the figure under a control shows."""
    return json.loads(page.locator(f"{box} .probe").first.get_attribute("data-x"))


def drag_middle(page, locator) -> None:
    """Press a slider at its left end and let go in its middle."""
    place = locator.bounding_box()
    height = place["y"] + place["height"] / 2
    page.mouse.move(place["x"] + 8, height)
    page.mouse.down()
    page.mouse.move(place["x"] + place["width"] / 2, height, steps=3)


def test_every_control_shows_its_value_and_moves_by_keyboard(everything_page):
    page = everything_page()
    for kind, (input_, keys, expected) in KEYS.items():
        box = f".box-{kind}"
        target = page.locator(f"{box} {INPUTS[input_]}").first
        target.focus()
        for key in keys.split():
            page.keyboard.press(key)
        assert value(page, box) == expected, kind


def test_sliders_follow_the_mouse_while_it_drags(everything_page):
    page = everything_page()
    for kind, middle in {"FloatSlider": 5, "IntSlider": 5, "SelectionSlider": 1}.items():
        slider = page.locator(f".box-{kind} input[type=range]")
        slider.scroll_into_view_if_needed()
        drag_middle(page, slider)
        assert value(page, f".box-{kind}") == middle, "before the button is let go"
        page.mouse.up()
        assert value(page, f".box-{kind}") == middle


def test_choices_follow_the_mouse(everything_page):
    page = everything_page()
    for kind in ("ToggleButtons", "RadioButtons"):
        page.locator(f".box-{kind} .ctl-choice", has_text="three").click()
        assert value(page, f".box-{kind}") == 2
    page.locator(".box-Dropdown select").select_option("two")
    assert value(page, ".box-Dropdown") == 1
    page.locator(".box-Checkbox .ctl-choice").click()
    assert value(page, ".box-Checkbox") is True
    page.locator(".box-ToggleButton .ctl-toggle").click()
    assert value(page, ".box-ToggleButton") is True
    assert page.locator(".box-ToggleButton .ctl-toggle").get_attribute("aria-pressed") == "true"


def test_controls_follow_a_finger_and_are_large_enough_for_it(everything_page):
    page = everything_page(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    for kind, expected in TAPS.items():
        middle = ".ctl-choice:nth-of-type(2)" if kind in ("ToggleButtons", "RadioButtons") else None
        page.locator(f".box-{kind}").locator(middle or "input[type=range], .ctl-choice, .ctl-toggle").tap()
        assert value(page, f".box-{kind}") == expected, kind
    for target in page.locator(
        ".ctl-range, .ctl-choice, .ctl-toggle, .ctl-select, .ctl input[type=text]"
    ).all():
        assert target.bounding_box()["height"] >= 44
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_a_finger_that_scrolls_the_page_from_a_slider_moves_nothing(everything_page):
    page = everything_page(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    box = ".box-FloatSlider"
    before = value(page, box)
    place = page.locator(f"{box} input[type=range]").bounding_box()
    x, y = place["x"] + place["width"] * 0.8, place["y"] + place["height"] / 2
    page.evaluate(
        """(box) => {
        window.seen = [];
        const range = document.querySelector(`${box} input[type=range]`);
        for (const kind of ["input", "pointercancel", "touchend"])
            range.addEventListener(kind, () => seen.push(kind));
    }""",
        box,
    )
    session = page.context.new_cdp_session(page)
    for kind, up in [("touchStart", 0), *(("touchMove", 15 * i) for i in range(1, 12)), ("touchEnd", None)]:
        points = [] if up is None else [{"x": x, "y": y - up}]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    page.wait_for_function("scrollY > 50 && seen.includes('touchend')")
    assert page.evaluate("seen")[:2] == ["input", "pointercancel"], "the browser moves it first"
    assert value(page, box) == before


def test_every_input_has_a_name(everything_page):
    page = everything_page()
    tree = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    roles = {"slider", "textbox", "checkbox", "radio", "combobox", "button"}
    inputs = [node for node in tree if node.get("role", {}).get("value") in roles]
    names = [node["name"]["value"] for node in inputs]
    assert all(names)
    assert {"length", "temperature T", "temperature T, value", "dataset", "noise", "relation", "rate"} <= set(
        names
    )
    assert len(inputs) >= 14


def test_a_log_slider_keeps_its_first_value_and_then_moves_over_the_exponent(everything_page):
    page = everything_page()
    box = ".box-FloatLogSlider"
    slider, readout = page.locator(f"{box} input[type=range]"), page.locator(f"{box} .ctl-readout")
    assert value(page, box) == 0.0123456789
    assert (readout.input_value(), slider.get_attribute("aria-valuetext")) == ("0.0123", "0.0123")
    slider.focus()
    page.keyboard.press("Home")
    assert value(page, box) == 1e-4
    assert (readout.input_value(), slider.get_attribute("aria-valuetext")) == ("1e-4", "1e-4")
    page.keyboard.press("ArrowRight")
    assert value(page, box) == pytest.approx(10**-3.99, rel=1e-14)
    page.keyboard.press("PageUp")
    assert value(page, box) > 10**-3.7


NUMBERS = {
    **{
        "5000": 5000,
        "-1": -1,
        "2.5e-5": 2.5e-5,
        "1E+3": 1000,
        "−3": -3,
        "- 3": -3,
        "+3": 3,
        ".5": 0.5,
        "5.": 5,
    },
    **{"50%": 0.5, "5 %": 0.05, "½": 0.5, "1½": 1.5, "−½": -0.5, "1/20": 0.05, "1 1/2": 1.5},
    **{"0,05": 0.05, "0,005": 0.005, "12,5": 12.5, "5,0e-2": 0.05},
    **{"12,345": 12345, "1,234,567": 1234567, "1.234.567": 1234567, "1,234.5": 1234.5, "1.234,5": 1234.5},
    **{"1 000": 1000, "1\u202f000,5": 1000.5, "1’000": 1000, "1'000": 1000, "1.000": 1},
    **{"−5e−2": -0.05, "5·10⁻²": 0.05, "2.5 × 10^-3": 2.5e-3, "3·10⁴": 3e4, "10⁻³": 1e-3},
}
NOT_NUMBERS = ["warm", "0x10", "1,2,3", "12,34,567", "1..2", "1 2", "0/0", "1_000", "NaN", "%", "1e"]


def test_numbers_are_read_as_people_write_them(everything_page):
    page = everything_page()
    box = ".box-FloatText"
    field, line = page.locator(f"{box} .ctl-readout"), page.locator(f"{box} .ctl-problem")
    for typed, expected in NUMBERS.items():
        field.fill(typed)
        field.press("Enter")
        assert value(page, box) == pytest.approx(expected, rel=1e-14), typed
    field.fill("1,000")
    field.press("Enter")
    assert (value(page, box), line.inner_text()) == (1000, "Read as 1,000, not as 1.")
    assert field.get_attribute("aria-invalid") == "false"
    for typed in NOT_NUMBERS:
        field.fill(typed)
        field.press("Enter")
        assert value(page, box) == 1000, typed
        assert field.get_attribute("aria-invalid") == "true"
        assert (
            line.inner_text()
            == f"“{typed}” cannot be read as a number. Rate: a number, please, such as 1,000."
        )
    field.press("Escape")
    assert (field.input_value(), line.is_visible()) == ("1,000", False)
    field.fill("")
    field.press("Enter")
    assert line.inner_text() == "Rate: a number, please, such as 1,000."


TYPED = {
    "FloatSlider": {
        "-1": (2, "Length: 0 to 10, please."),
        "11": (2, "Length: 0 to 10, please."),
        "∞": (2, "Length: 0 to 10, please."),
        "far": (2, "“far” cannot be read as a number. Length: 0 to 10, please, such as 2.00."),
        "2,500": (2.5, "Read as 2.5."),  # 2500 is beyond its end
        "1.000": (1, ""),
    },
    "FloatLogSlider": {
        "1e9": (0.0123456789, "Temperature T: 1e−4 to 10, please."),
        "0.0001": (1e-4, ""),
        "1e-5": (1e-4, "Temperature T: 1e−4 to 10, please."),
    },
    "IntSlider": {
        "12": (3, "Seed: 0 to 10, please."),
        "2.5": (3, "Seed: a whole number from 0 to 10, please."),
        "4": (4, ""),
    },
    "BoundedIntText": {"101": (2, "Steps: 0 to 100, please.")},
}


def test_a_value_out_of_range_is_refused_with_the_range_of_its_slider(everything_page):
    page = everything_page()
    for kind, texts in TYPED.items():
        box = f".box-{kind}"
        field, line = page.locator(f"{box} .ctl-readout"), page.locator(f"{box} .ctl-problem")
        for typed, (expected, said) in texts.items():
            field.fill(typed)
            field.press("Enter")
            refused = "please" in said
            assert (value(page, box), line.text_content()) == (expected, said), typed
            assert field.get_attribute("aria-invalid") == str(refused).lower()
            assert field.input_value() == typed if refused else field.input_value() != "", typed


def test_links_chains_and_one_way_links(open_widgets):
    first, second, third = (
        ipw.IntSlider(description=name).add_class(name) for name in ("first", "second", "third")
    )
    echo = ipw.Label().add_class("echo")
    ipw.jslink((first, "value"), (second, "value"))
    ipw.jslink((second, "value"), (first, "value"))
    ipw.jsdlink((second, "value"), (third, "value"))
    ipw.jsdlink((third, "value"), (echo, "value"))
    page = open_widgets(first, second, third, echo)

    def values() -> list[str]:
        return [page.locator(f".{name} .ctl-readout").input_value() for name in ("first", "second", "third")]

    page.locator(".first input[type=range]").press("End")
    assert values() == ["100", "100", "100"]
    assert page.locator(".echo").inner_text() == "100"
    page.locator(".third input[type=range]").press("Home")
    assert values() == ["100", "100", "0"]


def test_figures_share_a_module_and_one_sheet_and_move_their_controls(open_widgets):
    control = ipw.FloatSlider(value=4, description="length")
    page = open_widgets(probed(control, name="a"), probed(control, name="b"))
    assert page.evaluate("imported") == 1
    assert page.locator(".probe").first.get_attribute("data-same") == "true"
    assert page.evaluate("getComputedStyle(document.querySelector('.probe')).color") == "rgb(1, 2, 3)"
    assert page.locator("style").count() == 1
    page.locator(".box-b button").click()
    assert (value(page, ".box-a"), page.locator(".box-a .ctl-readout").input_value()) == (0, "0.00")


def test_a_module_may_stand_in_a_script_of_its_own(open_widgets, site):
    page = open_widgets(Probe(x=7), name="moved.html")
    text = (site / "moved.html").read_text()
    (site / "moved.html").write_text(
        text.replace(json.dumps(PROBE), '{"static": "k"}').replace(
            "<title>", f"<script>window.__factsESM = {{ k: {bundle.classic_script(PROBE)} }};</script><title>"
        )
    )
    page = open_widgets(name="moved.html")
    assert '"static"' in page.content()
    assert value(page) == 7


def test_binary_traits_arrive_as_bytes(open_widgets):
    import array

    page = open_widgets(Plain(numbers=array.array("d", [1.5, 2.5]).tobytes()))
    assert page.get_by_text("sum 4").is_visible()


def test_a_figure_that_fails_says_so_in_its_place(open_widgets, complaints):
    page = open_widgets(Broken(), Probe(x=1))
    assert page.locator(".ctl-failure").inner_text() == "This figure could not be drawn: out of ink"
    assert value(page) == 1
    assert "out of ink" in complaints.pop()


def test_what_cannot_be_driven_says_so(open_widgets, complaints):
    page = open_widgets(ipw.VBox([ipw.Play(description="speed"), ipw.Label("beside it")]))
    assert page.locator(".ctl-failure").inner_text() == "This page cannot drive Play “speed”."
    assert page.get_by_text("beside it").is_visible()
    assert "Play" in complaints.pop()


def test_boxes_texts_layouts_and_disabled_inputs(open_widgets):
    hidden = ipw.Label("hidden", layout={"display": "none"})
    unseen = ipw.Label("unseen", layout={"visibility": "hidden"})
    html = ipw.HTML("<b>bold</b>")
    fixed = ipw.IntSlider(description="fixed", disabled=True, tooltip="cannot move")
    page = open_widgets(
        ipw.HBox([hidden, unseen, html, ipw.GridBox([fixed]), ipw.Box([ipw.HTMLMath("plain")])])
    )
    assert not page.get_by_text("hidden", exact=True).is_visible()
    assert not page.get_by_text("unseen").is_visible()
    assert page.locator("b").inner_text() == "bold"
    assert page.locator(".ctl[title='cannot move'] input[type=range]").is_disabled()
    assert page.locator(".ctl-readout").is_disabled()


def test_an_accordion_opens_one_section_at_a_time(open_widgets):
    accordion = ipw.Accordion(
        [ipw.Label("in one"), ipw.Label("in two")], titles=("one", "two"), selected_index=0
    )
    page = open_widgets(probed(accordion, "selected_index"))
    assert page.get_by_text("in one").is_visible()
    page.get_by_text("two", exact=True).click()
    page.get_by_text("in two").wait_for()
    page.get_by_text("in one").wait_for(state="hidden")
    assert value(page) == 1
    page.get_by_text("two", exact=True).press("Enter")
    page.get_by_text("in two").wait_for(state="hidden")
    page.wait_for_function("document.querySelector('.probe').dataset.x === 'null'")


def test_latex_is_shown_as_the_page_was_built_with_it_or_in_words(open_widgets):
    formulas = {r"\beta_{0} &lt; 1": "<b>β₀ &lt; 1</b>", "x": "<i>x</i>"}
    head = f'<script type="application/json" id="facts-formulas">{json.dumps(formulas)}</script>'
    slider = ipw.IntSlider(description=r"size & place $\beta_{0} < 1$")
    page = open_widgets(probed(slider), ipw.Label(r"\(x\), \(y\)"), name="math.html", head=head)
    assert page.locator(".ctl-label").first.inner_html() == "size &amp; place <b>β₀ &lt; 1</b>"
    assert page.locator("i").inner_text() == "x"
    assert page.get_by_role("slider", name="size & place beta_0 < 1", exact=True).is_visible()
    plain = open_widgets(probed(slider), name="plain.html")
    assert plain.locator(".ctl-label").inner_text() == "size & place beta_0 < 1"


@pytest.fixture
def addressed(open_widgets) -> Callable[..., Any]:
    """Opens a page with a temperature, a radius to choose and a switch, at a fragment."""
    temperature = ipw.FloatLogSlider(value=1.0, min=-4, max=1, step=0.5, description="T").add_class(
        "url-temperature"
    )
    radius = ipw.SelectionSlider(options=["0", "small", "large"], description="r").add_class("url-radius")
    noise = ipw.Checkbox(description="noise").add_class("url-noise")
    boxes = [probed(temperature, name="t"), probed(radius, "index", name="r"), probed(noise, name="n")]
    links = '<a href="#~temperature=0.02">lower</a> <a href="#section">down</a>'
    return lambda fragment="": open_widgets(*boxes, name="address.html", fragment=fragment, body=links)


def values(page) -> list[Any]:
    return [value(page, f".box-{name}") for name in "trn"]


def fragment(page) -> str:
    """When the control has rested, and the address is written: timers of one page fire in the order they are due."""
    return page.evaluate("new Promise((resolve) => setTimeout(() => resolve(location.hash), 260))")


def test_the_address_holds_what_differs_from_the_default(addressed):
    page = addressed()
    assert fragment(page) == ""
    page.locator(".box-t input[type=range]").press("ArrowLeft")
    page.locator(".box-r input[type=range]").press("End")
    page.locator(".box-n input").check()
    written = fragment(page)
    assert written == f"#~temperature={10**-0.5}&radius=large&noise=1"
    assert values(addressed(written)) == values(page)
    page.locator(".box-t input[type=range]").press("ArrowRight")
    page.locator(".box-r input[type=range]").press("Home")
    page.locator(".box-n input").uncheck()
    assert fragment(page) == ""


REFUSED = {
    "temperature=-3": ("t", "T: 1e−4 to 10, please."),
    "temperature=hot": ("t", "“hot” cannot be read as a number. T: 1e−4 to 10, please, such as 1."),
    "temperature=": ("t", "T: 1e−4 to 10, please, such as 1."),
    "radius=7": ("r", "r: “0”, “small” or “large”, please."),
    "noise=maybe": ("n", "Noise: on or off, please."),
}


def test_an_address_sets_what_it_can_and_says_what_it_cannot(addressed):
    for asked, (box, said) in REFUSED.items():
        page = addressed(f"#~{asked}&unknown=1")
        assert values(page) == [1, 0, False], asked
        assert fragment(page) == "", "the address has what the page shows"
        assert page.locator(f".box-{box} .ctl-problem").inner_text() == said
        assert page.locator(f'.box-{box} [aria-invalid="true"]').count() == 1
    page = addressed("#~temperature=0,05&radius=LARGE&noise=on")
    assert values(page) == [0.05, 2, True]
    page = addressed("#~temperature=0.5&radius=none")
    assert (values(page), fragment(page)) == ([0.5, 0, False], "#~temperature=0.5")


def test_a_link_sets_its_controls_only_and_does_not_scroll(addressed):
    page = addressed("#~radius=small")
    page.locator("a", has_text="lower").click()
    assert values(page) == [0.02, 1, False]
    assert fragment(page) == "#~temperature=0.02&radius=small"
    assert page.evaluate("scrollY") == 0


def test_a_new_address_says_everything(addressed):
    page = addressed("#~radius=small&noise=1")
    page.evaluate("location.hash = '#~temperature=0.5'")
    page.wait_for_function("document.querySelector('.box-t .probe').dataset.x === '0.5'")
    assert values(page) == [0.5, 0, False]


def test_back_undoes_a_link_and_no_drag(addressed):
    page = addressed()
    page.locator(".box-n input").check()
    assert fragment(page) == "#~noise=1"
    page.locator("a", has_text="lower").click()
    assert fragment(page) == "#~temperature=0.02&noise=1"
    page.locator(".box-r input[type=range]").press("End")
    assert fragment(page) == "#~temperature=0.02&radius=large&noise=1"
    page.go_back()
    assert (fragment(page), values(page)) == ("#~noise=1", [1, 0, True])
    page.go_forward()
    assert values(page) == [0.02, 2, True]


def test_back_to_an_address_without_settings_is_back_to_the_defaults(addressed):
    page = addressed()
    page.locator("a", has_text="lower").click()
    assert values(page) == [0.02, 0, False]
    page.go_back()
    assert (fragment(page), values(page)) == ("", [1, 0, False])


def test_the_settings_of_the_last_visit_are_kept_until_the_next(addressed):
    page = addressed()
    assert page.evaluate("factsRuntime.lastSettings") == ""
    page.locator(".box-n input").check()
    assert fragment(page) == "#~noise=1"
    page.reload()  # an address with settings, as a reader who opens the page anew does not have
    page.evaluate("location.hash = ''")
    page.reload()
    drawn(page)
    assert page.evaluate("factsRuntime.lastSettings") == "#~noise=1"


def test_a_page_without_storage_works(addressed):
    page = addressed()
    page.add_init_script("Storage.prototype.setItem = () => { throw new DOMException('full') }")
    page.reload()
    drawn(page)
    page.locator(".box-n input").check()
    assert fragment(page) == "#~noise=1"
    page.close()  # its script would run in the next test's pages, too


def test_a_page_saved_from_a_browser_has_each_control_once(addressed, site, open_page):
    (site / "saved.html").write_text(addressed().content())
    page = drawn(open_page(f"file://{site}/saved.html"))
    assert page.locator(".box-t input[type=range]").count() == 1
    assert values(page) == [1, 0, False]


def test_a_copied_table_has_numbers_for_a_spreadsheet(open_widgets):
    rows = [("T", "steps"), ("−5e−2", "12,345"), ("none", "3 of 4")]
    cells = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    page = open_widgets(ipw.Checkbox(), name="table.html", body=f"<p>words</p><table>{cells}</table>")
    copied = """(selector) => {
        getSelection().selectAllChildren(document.querySelector(selector));
        const clipboardData = new DataTransfer();
        const event = new ClipboardEvent("copy", { clipboardData, cancelable: true });
        document.dispatchEvent(event);
        return event.clipboardData.getData("text/plain");
    }"""
    assert pd.read_csv(io.StringIO(page.evaluate(copied, "table")), sep="\t").to_dict("list") == {
        "T": ["-0.05", "none"],
        "steps": ["12345", "3 of 4"],
    }
    assert page.evaluate(copied, "p") == "", "other text is left to the browser"


def test_section_anchors_work_and_stay_until_a_control_moves(addressed):
    page = addressed("#section")
    assert page.evaluate("scrollY") > 0
    assert fragment(page) == "#section"
    page.locator(".box-n input").evaluate("(box) => [box.click(), box.click()]")  # there and back at once
    assert fragment(page) == "#section"
    page.locator(".box-n input").check()
    assert fragment(page) == "#~noise=1"
    page.locator("a", has_text="down").click()
    assert fragment(page) == "#section"
    assert values(page) == [1, 0, True]


def test_a_page_without_widgets_is_left_alone(site, open_page):
    (site / "none.html").write_text('<title>none</title><script src="runtime.js"></script><p>words</p>')
    page = open_page(f"file://{site}/none.html")
    page.wait_for_function("window.factsRuntime")
    assert page.inner_text("body") == "words"
