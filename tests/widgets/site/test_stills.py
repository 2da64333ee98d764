"""Figures drawn before any script runs: drawn once, anew once they change, and in a page's text."""

from __future__ import annotations

import copy
import json

import pytest

from tests.figures import makers
from tests.widgets.pages import VIEW, embedded
from widgets.site.state import State
from widgets.site.stills import draw, insert


@pytest.fixture(scope="module")
def figure() -> tuple[str, State]:
    """The saddle's figure: the id of its model, and the state of a page that shows it."""
    demo = makers()["recall.saddle"]()  # its own: other tests close what is shared
    return demo.figure.model_id, embedded([demo])["manager_state"]["state"]


def test_a_figure_is_drawn_once_for_all_builds_and_anew_once_it_changes(figure, tmp_path):
    id_, state = figure
    first = draw(state, tmp_path)
    assert first.keys() == {id_}
    assert "<svg" in first[id_].html
    assert all(text not in ("", "…", "NaN") for text in first[id_].numbers.values())
    (cached,) = tmp_path.iterdir()
    before = cached.stat().st_mtime_ns
    assert draw(state, tmp_path) == first
    assert draw(state, tmp_path / "elsewhere") == first, "two builds give the same pages"
    assert cached.stat().st_mtime_ns == before
    other = copy.deepcopy(state)
    slider = next(entry for entry in other.values() if entry["model_name"] == "FloatLogSliderModel")
    slider["state"]["value"] *= 2
    assert draw(other, tmp_path)[id_].html != first[id_].html


def test_a_page_without_figures_needs_no_drawing(tmp_path):
    assert draw({}, tmp_path / "never") == {}
    assert not (tmp_path / "never").exists()


def test_a_figure_that_cannot_be_drawn_says_why(figure, tmp_path):
    id_, state = figure
    broken = copy.deepcopy(state)
    broken[id_]["state"]["kernels"][0]["source"] = "no kernel"
    with pytest.raises(RuntimeError, match=r"(?s)figures could not be drawn: .*no kernel"):
        draw(broken, tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_page_has_its_drawings_behind_their_views_and_their_numbers_in_its_sentences(figure, tmp_path):
    id_, state = figure
    stills = draw(state, tmp_path)
    name, number = next(iter(stills[id_].numbers.items()))
    view = VIEW.format(json.dumps({"model_id": id_}))
    steps = "".join(f'<div class="fim-step {step}"></div>' for step in stills[id_].steps)
    assert len(stills[id_].steps) == 6
    page = (
        f'{steps}{view}<p>It is <span data-live="{name}">0</span>, not <span data-live="none">0</span>.</p>'
    )
    body = insert(page, state, stills)
    for step, drawing in stills[id_].steps.items():
        assert "<svg" in drawing
        assert f'<div class="fim-step {step}">{drawing}</div>' in body
    assert f'{view}<div class="ctl-still fim-live">{stills[id_].html}</div>' in body
    assert body.endswith(
        f'<span data-live="{name}">{number}</span>, not <span data-live="none">…</span>.</p>'
    )


@pytest.mark.parametrize("named", ["", '<div class="fim-step saddle-none"></div>'])
def test_a_step_without_a_figure_and_a_figure_without_its_step_are_refused(figure, tmp_path, named):
    id_, state = figure
    with pytest.raises(
        ValueError, match=r"^steps \['saddle-.*\]: must be named by the page, and drawn by one"
    ):
        insert(f"{VIEW.format(json.dumps({'model_id': id_}))}{named}", state, draw(state, tmp_path))
