"""JupyterLab itself, headless on a free port: the same notebook, the same sliders, and torch beside the page."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import suppress
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from tests import ROOT
from tests.browser.reading import turn_to

STARTING = 90  # seconds
RUNNING = 120_000  # milliseconds
NOTEBOOK = "book/recall/saddle.ipynb"
README = re.compile(r"## Ten lines in your own notebook.*?```python\n(.*?)```", re.DOTALL)
AT_ONCE = "from livetorch.translate import progress\nprogress.QUIET = progress.OFTEN = 0.0"
"""Says from the start what a translation is at, also on a quick machine."""
SAVED = """
live(well, temperature=controls.temperature(0.3), tilt=controls.logarithmic(0.1, 1e-3, 1, "tilt")).save("well.mjs")
"""
EXPORTED = """
import pathlib
import anywidget
import traitlets


class Well(anywidget.AnyWidget):
    _esm = pathlib.Path("well.mjs")
    temperature = traitlets.Float(0.2).tag(sync=True)
    tilt = traitlets.Float(0.5).tag(sync=True)


exported = Well()
exported
"""

pytestmark = pytest.mark.lab


def free_port() -> int:
    """One below those that the system hands out, which a kernel of another test could take before JupyterLab does."""
    for port in random.sample(range(10_000, 30_000), 100):
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise OSError("no port from 10000 to 29999 is free")


@pytest.fixture(scope="module")
def lab(tmp_path_factory, installed):
    """The folder and the address of a JupyterLab on a copy of the book's notebooks, and on README's own ten lines.

    These have the package as it is installed from its wheel.
    """
    home = tmp_path_factory.mktemp("lab")
    shutil.copytree(ROOT / "book", home / "book")
    ten_lines = README.search((ROOT / "README.md").read_text())
    assert ten_lines
    cells = [AT_ONCE, ten_lines[1], SAVED, EXPORTED]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    notebook = new_notebook(cells=[new_code_cell(cell) for cell in cells], metadata=kernel)
    nbformat.write(notebook, home / "well.ipynb")
    port = free_port()
    options = [
        *("--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={port}", f"--notebook-dir={home}"),
        *("--IdentityProvider.token=", "--ServerApp.password=", "--LabApp.news_url=None"),
        "--LabApp.expose_app_in_browser=True",  # to hear from it when its kernel answers
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    ]
    path = os.pathsep.join((str(ROOT), str(installed.libraries)))
    server = subprocess.Popen(
        [sys.executable, "-m", "jupyterlab", *options],
        env={**os.environ, "HOME": str(home), "JUPYTER_CONFIG_DIR": str(home), "PYTHONPATH": path},
        stdout=(home / "log").open("w"),
        stderr=subprocess.STDOUT,
    )
    address = f"http://127.0.0.1:{port}"
    deadline = time.time() + STARTING
    while True:
        try:
            urllib.request.urlopen(f"{address}/api").read()
            break
        except (urllib.error.URLError, ConnectionError):
            if server.poll() is not None or time.time() > deadline:
                server.terminate()
                pytest.fail((home / "log").read_text())
            time.sleep(0.3)
    yield home, address
    server.terminate()
    server.wait(20)


def opened(browser, lab, notebook, crashes):
    """A notebook in a page of its own, once its kernel answers: before, a request to run falls or asks for a kernel."""
    page = browser.new_context(viewport={"width": 1400, "height": 1400}).new_page()
    page.on("pageerror", lambda error: crashes.append(str(error)))
    page.goto(f"{lab[1]}/lab/workspaces/{Path(notebook).stem}/tree/{notebook}")
    page.wait_for_selector(".jp-Notebook .jp-CodeCell", timeout=RUNNING)
    page.wait_for_function(ANSWERS, timeout=RUNNING)
    return page


def run_all(page) -> None:
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    page.wait_for_selector('.fim[data-state="done"]', timeout=RUNNING)


ANSWERS = "() => jupyterapp.shell.currentWidget?.sessionContext?.session?.kernel?.info.then(() => true)"


def drag(page, slider, share) -> None:
    """Drag a slider's handle to a share of its track, once the notebook has stopped moving under it."""
    handle, track = (slider.locator(part).first for part in (".noUi-handle", ".noUi-base"))
    handle.scroll_into_view_if_needed()
    box = None
    while box != (box := handle.bounding_box()):
        page.wait_for_timeout(300)
    rail = track.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(rail["x"] + share * rail["width"], box["y"] + box["height"] / 2, steps=8)
    page.mouse.up()


def keys_are_the_figure_s(page, parts) -> None:
    """Press keys that insert, cut and choose cells in each part: the notebook stays as it is."""
    cells = page.locator(".jp-Cell").count()
    for part in parts:
        place = page.locator(f"{part}:visible").first
        place.focus()
        for key in ("b", "a", "x", "j"):
            page.keyboard.press(key)
        assert place.evaluate("(node) => node === node.getRootNode().activeElement"), part
    page.wait_for_timeout(300)
    assert page.locator(".jp-Cell").count() == cells


def theme(page, name) -> None:
    page.evaluate("(theme) => jupyterapp.commands.execute('apputils:change-theme', { theme })", name)
    page.wait_for_timeout(
        2_000
    )  # the old theme's style is taken out a moment later, or another change meets it


LOOK = """() => [...document.querySelectorAll('.fim')].map((figure) => {
  const [ink, paper] = [figure, figure.querySelector('.fim-stage')].map((part) => getComputedStyle(part));
  return [figure.closest('.fim-host').dataset.theme, ink.color, paper.backgroundColor];
})"""
LIGHT = ["light", "rgb(34, 34, 34)", "rgb(255, 255, 255)"]
DARK = ["dark", "rgb(240, 240, 240)", "rgb(17, 17, 17)"]
TRACKS = """() => [...document.querySelectorAll('.fim-side .noUi-base')].filter((track) => track.checkVisibility())
  .map((track) => track.getBoundingClientRect().width)"""
OUTPUTS = "() => [...document.querySelectorAll('.jp-OutputArea-child')].map((output) => output.textContent)"


def test_readme_s_ten_lines_are_a_figure_to_be_moved_saved_and_read(browser, lab):
    home, _ = lab
    crashes: list[str] = []
    page = opened(browser, lab, "well.ipynb", crashes)
    page.evaluate(f"window.outputs = []; setInterval(() => outputs.push(...({OUTPUTS})()), 20)")
    run_all(page)
    page.wait_for_function("document.querySelectorAll('.fim[data-state=done]').length === 2", timeout=RUNNING)
    assert page.evaluate("outputs.some((text) => text.startsWith('translating '))")
    assert not page.evaluate(f"({OUTPUTS})().some((text) => text.includes('translating') || !text.trim())")

    def well(name):
        return page.evaluate(
            "(name) => document.querySelector('.fim').live.values()[['temperature', 'tilt'].indexOf(name)]",
            name,
        )

    for width in (1400, 1000, 700):
        page.set_viewport_size({"width": width, "height": 1400})
        assert (tracks := page.evaluate(TRACKS))
        assert min(tracks) > 120, width
    page.set_viewport_size({"width": 1400, "height": 1400})
    for share in (0.25, 1, 0, 0.7):
        for name, low, high in (("temperature", -4, 1), ("tilt", -3, 0)):
            drag(page, page.locator(f".jupyter-widgets.url-{name}").first, share)
            wanted = low + share * (high - low)
            page.wait_for_function(
                "([place, wanted]) =>"
                " Math.abs(Math.log10(document.querySelector('.fim').live.values()[place]) - wanted) < 0.05",
                arg=[("temperature", "tilt").index(name), wanted],
                timeout=RUNNING,
            )
    handle = page.locator(".jupyter-widgets.url-tilt .noUi-handle").first
    before = well("tilt")
    handle.press("ArrowLeft")
    page.wait_for_function(
        "(before) => document.querySelector('.fim').live.values()[1] < before", arg=before, timeout=RUNNING
    )
    agreed = '.fim-kernel[data-difference]:not([data-difference="NaN"])'
    page.wait_for_selector(agreed, timeout=RUNNING)
    assert float(page.locator(agreed).first.get_attribute("data-difference")) < 1e-12

    parts = [".fim-check > summary", ".fim-toolbar button", ".noUi-handle"]
    keys_are_the_figure_s(page, [*parts, ".ctl-root .ctl-range", ".ctl-root .fim-check > summary"])
    values = page.locator(".ctl-root .fim").evaluate("({ live }) => live.values()")
    assert values == [0.2, 0.5]  # as the kernel has set it
    page.locator(".ctl-root .ctl-range").last.press("Home")
    page.wait_for_function("document.querySelector('.ctl-root .fim').live.values()[1] === 0.001")

    assert page.evaluate(LOOK) == [LIGHT, LIGHT]
    theme(page, "JupyterLab Dark")
    page.wait_for_function(f"JSON.stringify(({LOOK})()) === JSON.stringify({json.dumps([DARK, DARK])})")
    theme(page, "JupyterLab Light")
    page.wait_for_function(f"JSON.stringify(({LOOK})()) === JSON.stringify({json.dumps([LIGHT, LIGHT])})")

    page.evaluate("jupyterapp.commands.execute('docmanager:save')")
    page.wait_for_function("() => !jupyterapp.shell.currentWidget.context.model.dirty")
    stored = nbformat.read(home / "well.ipynb", 4)
    assert "translating" not in json.dumps(stored)
    assert not [output for cell in stored.cells for output in cell.outputs if output.output_type == "stream"]
    assert crashes == []
    page.context.close()
    convert = ["-m", "nbconvert", "--to", "html", "--log-level=ERROR", str(home / "well.ipynb")]
    subprocess.run([sys.executable, *convert], check=True, env={**os.environ, "HOME": str(home)})
    offline = browser.new_context(offline=True).new_page()
    offline.goto((home / "well.html").as_uri())
    shown = "() => [...document.images].map(({ complete, naturalWidth }) => complete && naturalWidth)"
    assert min(offline.evaluate(shown)) > 500
    offline.context.close()


def test_the_notebook_is_live_in_jupyterlab(browser, lab):
    crashes: list[str] = []
    page = opened(browser, lab, NOTEBOOK, crashes)
    run_all(page)
    agreed = '.fim-kernel[data-difference]:not([data-difference="NaN"])'
    page.wait_for_selector(agreed, timeout=RUNNING)
    assert float(page.locator(agreed).first.get_attribute("data-difference")) < 1e-9
    ended = "() => document.querySelector('.fim [data-field=measured_a]').dataset.value"
    before = page.evaluate(ended)

    keys_are_the_figure_s(page, [".fim-train", ".fim-curves > summary"])
    drag(page, page.locator(".jupyter-widgets.url-temperature").first, 0.45)
    page.wait_for_function(f"(before) => ({ended})() !== before", arg=before, timeout=RUNNING)
    page.wait_for_selector(agreed, timeout=RUNNING)  # cleared by the move, back when torch has answered
    assert float(page.locator(agreed).first.get_attribute("data-difference")) < 1e-7
    turn_to(page, perturbation_radius=0)
    page.wait_for_selector(
        '[data-light][data-state="violated"]:has-text("perturbation")', state="attached", timeout=RUNNING
    )
    shown = page.locator(".url-perturbation_radius").first.inner_text(timeout=5_000)
    assert shown.split()[-1] == "0"  # the control has followed
    assert crashes == []
    page.context.close()
