"""Every widget that would be dead in the static page is refused, by a sentence that names its cell."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ipywidgets as ipw
import pytest
import traitlets
from ipywidgets.embed import dependency_state

from tests.widgets.pages import Figure, linked
from widgets.site.state import OPTIONS, State, View
from widgets.site.validate import problems


def complaints_about(*shown: ipw.Widget, change: Callable[[State], Any] = lambda state: None) -> list[str]:
    """The problems of a page that shows each widget in a cell of its own."""
    state = dependency_state(None, drop_defaults=False)
    change(state)
    return problems(state, [View(widget.model_id, i + 1) for i, widget in enumerate(shown)])


@pytest.fixture
def figure() -> Figure:
    ipw.Widget.close_all()
    return Figure()


def test_linked_controls_are_fine(figure):
    slider = linked(ipw.IntSlider(description="seed"), figure)
    assert complaints_about(ipw.VBox([slider, figure])) == []
    assert complaints_about(slider, figure, slider) == []


def test_a_control_of_another_kind_is_refused_wherever_it_hides(figure):
    box = ipw.Accordion([ipw.HBox([ipw.IntRangeSlider(description="between")])], titles=["more"])
    assert complaints_about(figure, box) == [
        "cell 2: IntRangeSlider 'between': the static page cannot drive this control"
    ]


def test_interact_is_refused_by_name(figure):
    complaints = complaints_about(ipw.interactive(lambda x: None, x=3))
    assert "cell 1: VBox: interact needs a kernel" in complaints[0]
    assert any("Output" in complaint for complaint in complaints)


def test_a_view_without_its_model_is_refused(figure):
    slider = linked(ipw.IntSlider(), figure)
    assert (
        "model is not in the page"
        in complaints_about(slider, figure, change=lambda state: state.pop(slider.model_id))[0]
    )
    assert (
        "model is not in the page"
        in complaints_about(slider, figure, change=lambda state: state.pop(figure.model_id))[0]
    )


def test_two_figures_of_one_name_are_refused(figure):
    class Named(Figure):
        spec = traitlets.Dict({"name": "descent"}).tag(sync=True)

    complaint = "2 figures of the page are called 'descent': name= must differ, as prose follows it"
    assert complaints_about(Named(), Named()) == [f"cell {cell}: Any: {complaint}" for cell in (1, 2)]
    assert complaints_about(Named(), figure) == []


def test_a_figure_without_its_module_is_refused(figure):
    without = complaints_about(figure, change=lambda state: state[figure.model_id]["state"].pop("_esm"))
    assert without == ["cell 1: Any: its module is not in the page"]


@pytest.mark.parametrize("kind", [ipw.Dropdown, ipw.SelectionSlider, ipw.ToggleButtons, ipw.RadioButtons])
def test_a_choice_is_linked_by_its_index(figure, kind):
    choice = linked(kind(options=["a", "b"], description="gate"), figure, "index")
    assert complaints_about(choice, figure) == []

    def by_value(state: State) -> None:
        (link,) = (entry["state"] for entry in state.values() if entry["model_name"] == "LinkModel")
        link["source"] = [link["source"][0], "value"]

    sentence = (
        f"cell 1: {kind.__name__} 'gate': its trait 'value' cannot be linked in the static page: link 'index'"
    )
    assert complaints_about(choice, figure, change=by_value) == [sentence]


def test_a_link_to_a_trait_that_nothing_follows_is_refused(figure):
    slider = linked(ipw.IntSlider(description="seed"), figure)
    ipw.jslink((slider, "value"), (slider.style, "handle_color"))
    assert "trait 'handle_color' cannot be linked" in complaints_about(slider, figure)[0]


def test_a_link_to_a_trait_that_a_figure_lacks_is_refused(figure):
    slider = linked(ipw.IntSlider(description="seed"), figure)
    assert complaints_about(
        slider, figure, change=lambda state: state[figure.model_id]["state"].pop("x")
    ) == ["cell 2: Any: its trait 'x' is linked, but it has no such trait"]


def test_a_trait_sent_as_bytes_can_be_linked(figure):
    other = Figure()
    ipw.jslink((figure, "data"), (other, "data"))
    assert complaints_about(figure, other) == []


def test_an_input_that_moves_nothing_is_refused_unless_disabled(figure):
    alone = ipw.IntSlider(description="alone")
    assert "cell 1: IntSlider 'alone': moves nothing" in complaints_about(alone)[0]
    other = ipw.IntSlider(description="other")
    ipw.jslink((alone, "value"), (other, "value"))
    assert len(complaints_about(alone, other)) == 2
    ipw.jsdlink((other, "value"), (figure, "x"))
    assert complaints_about(alone, other, figure) == []
    assert complaints_about(ipw.IntSlider(disabled=True)) == []


def test_a_one_way_link_drives_only_its_target(figure):
    slider = ipw.IntSlider(description="seed")
    ipw.jsdlink((figure, "x"), (slider, "value"))
    assert "moves nothing" in complaints_about(slider, figure)[0]


def test_a_control_may_drive_a_label_or_another_control_s_range(figure):
    slider, label = ipw.IntSlider(), ipw.Label()
    ipw.jsdlink((slider, "value"), (label, "value"))
    assert complaints_about(slider, label) == []
    assert "moves nothing" in complaints_about(slider)[0]
    limited = linked(ipw.IntSlider(), figure)
    ipw.jsdlink((slider, "value"), (limited, "max"))
    assert complaints_about(slider, limited, figure) == []


@pytest.mark.parametrize(
    ("other", "trait"),
    [
        (ipw.HTML, "value"),
        (ipw.HTMLMath, "value"),
        (lambda: ipw.Label(description="x", description_allow_html=True), "description"),
    ],
)
def test_what_a_reader_types_never_becomes_markup(figure, other, trait):
    text, shown = ipw.Text(description="name"), other()
    ipw.jslink((text, "value"), (shown, trait))
    (complaint,) = complaints_about(text, shown, figure)
    assert "Text 'name': what is typed would be read as HTML" in complaint


def test_what_a_reader_types_may_be_read_back(figure):
    text, label = ipw.Text(), ipw.Label()
    ipw.jslink((text, "value"), (label, "value"))
    assert complaints_about(text, label, figure) == []


def test_two_controls_with_one_name_are_refused(figure):
    pair = [linked(ipw.IntSlider(description=d).add_class("url-seed"), figure) for d in ("one", "two")]
    complaints = complaints_about(*pair, figure)
    assert [c.split(":")[1] for c in complaints] == [" IntSlider 'one'", " IntSlider 'two'"]
    assert complaints_about(pair[0], pair[0], figure) == []


@pytest.mark.parametrize("name", OPTIONS)
def test_a_control_named_like_a_part_of_an_address_is_refused(figure, name):
    (complaint,) = complaints_about(
        linked(ipw.IntSlider(description="seed").add_class(f"url-{name}"), figure), figure
    )
    assert f"'url-{name}': an address means something else" in complaint
