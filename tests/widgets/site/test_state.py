"""The widgets of a page as the runtime reads them: by the same names in every build, and no more than it needs."""

from __future__ import annotations

import json

import anywidget
import ipywidgets as ipw
from ipywidgets.embed import dependency_state

from tests.widgets.pages import Figure, linked
from widgets import bundle
from widgets.site.state import View, address_names, extract_code, rename_ids, short_ids, state_of_views


def test_two_runs_of_a_page_give_its_models_the_same_names():
    def run():
        ipw.Widget.close_all()
        figures = [Figure(), Figure()]
        sliders = [linked(ipw.IntSlider(description=name), figure) for name in "ab" for figure in figures]
        ipw.jslink((sliders[1], "max"), (sliders[0], "value"))
        views = [View(widget.model_id, None) for widget in (ipw.VBox(sliders), *figures)]
        state = dict(sorted(dependency_state(None, drop_defaults=False).items()))
        names = short_ids(state, views)
        assert set(state_of_views(state, views)) <= set(names)
        return json.loads(rename_ids(json.dumps({id_: state[id_] for id_ in names}), names))

    assert run() == run()


def test_only_what_the_page_reads_is_in_it():
    ipw.Widget.close_all()
    figure = Figure()
    slider = linked(ipw.IntSlider().add_class("url-seed"), figure)
    ipw.Widget.close(ipw.Label())
    spare = linked(ipw.IntSlider(), Figure())
    state = dependency_state([slider, figure, spare], drop_defaults=False)
    state |= {
        id_: e for id_, e in dependency_state(None, drop_defaults=False).items() if "Link" in e["model_name"]
    }
    views = [View(slider.model_id, 1), View(figure.model_id, 1)]
    names = sorted(entry["model_name"] for entry in state_of_views(state, views).values())
    assert names == ["AnyModel", "IntSliderModel", "LayoutModel", "LayoutModel", "LinkModel"]
    assert address_names(state, views) == {"seed"}


class Painted(anywidget.AnyWidget):
    """A widget of somebody else's, with a style of its own."""

    _esm = "export default {}"
    _css = "p { color: red; }"


class Ours(anywidget.AnyWidget):
    """One in the style of figures."""

    _esm = "export default {}"
    _css = bundle.style_sheet()


def test_the_style_of_figures_is_left_to_what_shows_them_and_no_other():
    ipw.Widget.close_all()
    painted, ours = Painted(), Ours()
    state = dependency_state([painted, ours], drop_defaults=False)
    extract_code(state)
    assert state[painted.model_id]["state"]["_css"] == Painted._css
    assert "_css" not in state[ours.model_id]["state"]
