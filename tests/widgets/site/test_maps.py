"""Maps as pages bring them: run once for all builds, anew once what they rest on changes, drawn without a script."""

from __future__ import annotations

import copy
import json
import re

import pytest

from book import stored_maps
from tests.widgets import showcase
from tests.widgets.pages import embedded
from tests.widgets.program import called
from widgets.figure.panels import TruthMap
from widgets.figure.verdict import OUTCOMES
from widgets.site import maps
from widgets.site.state import State
from widgets.site.stills import draw


@pytest.fixture(scope="module")
def page() -> tuple[str, State]:
    """The id of a figure with two statements, and the state of a page that shows it."""
    shown = showcase.descends(map=TruthMap("rate", "start"))
    return shown.figure.model_id, embedded([shown])["manager_state"]["state"]


def test_a_map_is_run_once_for_all_builds(page, tmp_path):
    id_, state = page
    state = copy.deepcopy(state)
    maps.add(state, {}, tmp_path)
    stored = state[id_]["state"]["spec"]["map"]["stored"]
    assert {len(digits) for digits in stored["judged"]} == {len(stored["sides"])}
    assert len(stored["judged"]) == 2
    (cached,) = tmp_path.iterdir()
    cached.write_text(json.dumps({"judged": ["0", "0"], "sides": " "}))
    assert maps.found(state[id_], {}, tmp_path)["sides"] == " "


def test_a_stored_map_needs_no_run(page, tmp_path):
    id_, state = page
    known = {maps.key(state[id_]): {"judged": ["1", "2"], "sides": "+", "made": "2026-11-27"}}
    state = copy.deepcopy(state)
    maps.add(state, known, tmp_path / "never")
    assert state[id_]["state"]["spec"]["map"]["stored"] == {"judged": ["1", "2"], "sides": "+"}
    assert not (tmp_path / "never").exists()


def test_a_map_rests_on_kernels_axes_and_defaults_and_not_on_words(page):
    id_, state = page
    before = maps.key(state[id_])

    def after(change) -> str:
        figure = copy.deepcopy(state[id_])
        change(figure["state"])
        return maps.key(figure)

    assert after(lambda traits: traits["kernels"][0].update(source="another")) != before
    assert after(lambda traits: traits["spec"]["map"].update(x="start", y="rate")) != before
    assert after(lambda traits: traits["spec"]["parameters"][0].update(default=0.3)) != before
    assert after(lambda traits: traits["spec"]["parameters"][0].update(label="speed")) == before
    assert after(lambda traits: traits["spec"].update(caption=["another"])) == before


def test_a_figure_and_its_page_ask_for_the_same_map():
    shown = showcase.descends(map=TruthMap("rate", "start"))
    state = embedded([shown])["manager_state"]["state"]
    assert maps.key(stored_maps.model_of(shown.figure)) == maps.key(state[shown.figure.model_id])


def test_a_map_that_cannot_be_run_says_why(page, tmp_path):
    id_, state = page
    broken = copy.deepcopy(state)
    broken[id_]["state"]["kernels"][0]["source"] = "no kernel"
    with pytest.raises(RuntimeError, match=r"(?s)a map could not be made: .*no kernel"):
        maps.add(broken, {}, tmp_path)


def test_each_statement_has_its_map_as_a_drawing_with_a_sentence(page, tmp_path):
    id_, state = page
    state = copy.deepcopy(state)
    maps.add(state, {}, tmp_path)
    stored = state[id_]["state"]["spec"]["map"]["stored"]
    still = draw(state, tmp_path)[id_]
    sheets = state[id_]["state"]["spec"]["statements"]
    assert still.maps.keys() == {sheet["id"] for sheet in sheets}
    for digits, sheet in zip(stored["judged"], sheets, strict=True):
        outcomes = [sheet["outcomes"][int(digit) // 2] for digit in digits]
        drawing = still.maps[sheet["id"]]
        said = re.findall(r"<p>(.*?)</p>", drawing)[0]
        assert f"{sheet['name']} holds at {outcomes.count('holds')} of the " in said
        for outcome in set(outcomes) - {"contradicted"}:
            assert OUTCOMES[outcome] in drawing
        assert drawing.count("<svg") > 1  # the map, and its legend
        assert "NaN" not in drawing
    maps.keep_drawings(tmp_path, "a/page", [still])
    assert maps.drawings(tmp_path, "a/page") == still.maps
    assert maps.drawings(tmp_path, "another") == {}


def test_what_is_packed_is_unpacked():
    trials = [
        {"judged": [{"outcome": k, "assumed": bool(k % 2)}], "border": border}
        for k, border in enumerate((-1, 1, -1, 1, 1))
    ]
    failed = {"judged": [], "border": 1, "failure": "Not decided here: the matrix is singular."}
    packed, lost = called("run/stored_map", "pack", ([*trials, failed], 1), ([failed], 2))
    assert packed == {"judged": ["03478-"], "sides": "-+-+++"}
    assert lost == {"judged": ["-", "-"], "sides": "+"}
    assert called("run/stored_map", "unpack", (packed,), (lost,)) == [[*trials, None], [None]]


def test_a_stored_map_leaves_out_the_runs_that_are_not_decided(tmp_path):
    undecided = showcase.descends(
        program=showcase.undecided_from_the_minimum(), map=TruthMap("rate", "start")
    )
    made = maps.found(stored_maps.model_of(undecided.figure), {}, tmp_path)
    for digits in made["judged"]:
        rows = [digits[begin : begin + 8] for begin in range(0, 32, 8)]
        assert rows[1] == "-" * 8  # the start is 0
        assert "-" not in rows[0] + rows[2] + rows[3]


def test_the_stored_maps_are_whole():
    for entry in stored_maps.read().values():
        assert entry["figure"]
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", entry["made"])
        assert {len(digits) for digits in entry["judged"]} == {len(entry["sides"])}
