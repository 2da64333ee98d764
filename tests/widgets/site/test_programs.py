"""Figures' programs for other pages: written once, without drawings, and found by their statements."""

from __future__ import annotations

import base64
import json
import subprocess

import pytest

from tests.widgets import showcase
from tests.widgets.pages import embedded
from widgets import node
from widgets.site import programs
from widgets.site.state import State, extract_code


@pytest.fixture(scope="module")
def state() -> State:
    """A page with a figure that has two statements, as it is when its scripts have been written."""
    shown = embedded([showcase.descends()])["manager_state"]["state"]
    extract_code(shown)
    return shown


def test_a_program_is_registered_under_its_name_and_found_by_its_statements(state, tmp_path):
    (figure,) = (entry for entry in state.values() if "spec" in entry["state"])
    sheets = figure["state"]["spec"]["statements"]
    page = sheets[0]["page"]
    programs.keep(tmp_path / "notes", page, state, "kernels/k.js", tmp_path / "static")
    found = programs.known(tmp_path / "notes", [page, "not/written"])
    assert found.keys() == {sheet["id"] for sheet in sheets}
    (program,) = {program.name: program for program in found.values()}.values()
    script, kernels = program.scripts
    assert kernels == "kernels/k.js"
    code = f"require({json.dumps(str(tmp_path / 'static' / script))}); console.log(JSON.stringify(factsPrograms))"
    run = subprocess.run([*node.node(), "-e", code], capture_output=True, text=True, check=True)
    registered = json.loads(run.stdout)[program.name]
    assert registered["sources"] == figure["state"]["kernels"]
    assert [sheet["id"] for sheet in registered["spec"]["statements"]] == [sheet["id"] for sheet in sheets]
    assert registered["spec"]["parameters"] == figure["state"]["spec"]["parameters"]
    (constants,) = (buffer["data"] for buffer in figure["buffers"])
    assert base64.b64decode(registered["constants"]) == base64.b64decode(constants)


def test_a_figure_about_statements_of_another_page_is_left_to_that_page(state, tmp_path):
    programs.keep(tmp_path / "notes", "elsewhere", state, "kernels/k.js", tmp_path / "static")
    assert programs.known(tmp_path / "notes", ["elsewhere"]) == {}
