"""JupyterLab itself, headless on a free port: the same notebook, the same sliders, and torch beside the page."""

from __future__ import annotations

import os
import random
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import suppress

import pytest

from tests import ROOT
from tests.browser.reading import turn_to

STARTING = 90  # seconds
RUNNING = 120_000  # milliseconds
NOTEBOOK = "book/recall/saddle.ipynb"

pytestmark = pytest.mark.lab


def free_port() -> int:
    """One below those that the system hands out, which a kernel of another test could take before JupyterLab does."""
    for port in random.sample(range(10_000, 30_000), 100):
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise OSError("no port from 10000 to 29999 is free")


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """The address of a JupyterLab on a copy of the book's notebooks."""
    home = tmp_path_factory.mktemp("lab")
    shutil.copytree(ROOT / "book", home / "book")
    port = free_port()
    options = [
        *("--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={port}", f"--notebook-dir={home}"),
        *("--IdentityProvider.token=", "--ServerApp.password=", "--LabApp.news_url=None"),
        "--LabApp.expose_app_in_browser=True",  # to hear from it when its kernel answers
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    ]
    server = subprocess.Popen(
        [sys.executable, "-m", "jupyterlab", *options],
        env={**os.environ, "HOME": str(home), "JUPYTER_CONFIG_DIR": str(home), "PYTHONPATH": str(ROOT)},
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
    yield address
    server.terminate()
    server.wait(20)


def run_all(page) -> None:
    """Run every cell, once the kernel answers: before, a notebook lets the request fall or asks for a kernel."""
    page.wait_for_function(ANSWERS, timeout=RUNNING)
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    page.wait_for_selector('.fim[data-state="done"]', timeout=RUNNING)


ANSWERS = "() => jupyterapp.shell.currentWidget?.sessionContext?.session?.kernel?.info.then(() => true)"


def drag(page, handle) -> None:
    """Drag a slider's handle a little to the left, once the notebook has stopped moving under it."""
    handle.scroll_into_view_if_needed()
    box = None
    while box != (box := handle.bounding_box()):
        page.wait_for_timeout(300)
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 12, y, steps=6)
    page.mouse.up()


def test_the_notebook_is_live_in_jupyterlab(browser, lab):
    context = browser.new_context(viewport={"width": 1400, "height": 1400})
    page = context.new_page()
    crashes: list[str] = []
    page.on("pageerror", lambda error: crashes.append(str(error)))
    page.goto(f"{lab}/lab/tree/{NOTEBOOK}")
    page.wait_for_selector(".jp-Notebook .jp-CodeCell", timeout=RUNNING)
    run_all(page)
    agreed = '.fim-kernel[data-difference]:not([data-difference="NaN"])'
    page.wait_for_selector(agreed, timeout=RUNNING)
    assert float(page.locator(agreed).first.get_attribute("data-difference")) < 1e-9
    ended = "() => document.querySelector('.fim [data-field=measured_a]').dataset.value"
    before = page.evaluate(ended)

    drag(page, page.locator(".jupyter-widgets.url-temperature .noUi-handle").first)
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
    context.close()
