"""The wheel: what is in it, that it works alone, and that every host shows its figures live with no network."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable
from email import message_from_bytes
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import ZipFile

import nbformat
import pytest

from tests import DESKTOP, ROOT
from tests.package import Installed
from widgets.release import press
from widgets.sphinx import FOLDER

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

MOST_BYTES = 1_000_000
MOST_OF_TORCH = 1 / 4
"""Our import's processor time as a share of torch's, 1.2 seconds on a quiet machine: 0.3 seconds."""
README = re.compile(r"```python\n(.*?)```", re.DOTALL)
FIVE_LINES = README.search((ROOT / press.PROJECT["readme"]).read_text())[1]  # type: ignore[index]
TRAINED = """
from torch import nn

net = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1)).double()
x = torch.linspace(-1, 1, 16, dtype=torch.float64).reshape(-1, 1)
live(net, torch.optim.SGD(net.parameters(), lr=0.1), nn.functional.mse_loss, (x, x**2))
"""
EMBEDDED = "live(well, temperature=controls.temperature(0.3), tilt=0.1).embed('A well')"
IMPORTS = """
import time
begun = time.process_time()
import torch
of_torch = time.process_time() - begun
from livetorch import live
print((time.process_time() - begun - of_torch) / of_torch)
"""
ALONE = f"""
import sys
{FIVE_LINES.replace("live(well", "figure = live(well")}
figure.save("well.html")
names = {{name.partition(".")[0] for name in sys.modules}}
from importlib.util import find_spec
print(figure.report["density"].shape, [name for name in ("lib", "widgets", "book", "tests") if find_spec(name)])
print(*sorted(names))
"""
OF_JUPYTER_BOOK = "Identifier 'THEBE_JS_URL' has already been declared"
"""An error of its own pages, with figures or without."""
UNDECLARED = {
    "matplotlib",
    "scipy",
    "seaborn",
    "pandas",
    "yaml",
    "markdown_it",
    "docutils",
    "sphinx",
    "myst_nb",
}
"""What the book needs, and a figure does not."""


@pytest.fixture(scope="session")
def alone(installed) -> list[str]:
    """What a process says that knows the wheel alone; it leaves ``well.html``."""
    return installed.run("-c", ALONE).splitlines()[-2:]


def test_it_has_one_name_and_little_in_it(installed):
    with ZipFile(installed.wheel) as archive:
        names = archive.namelist()
        metadata = message_from_bytes(
            archive.read(next(name for name in names if name.endswith("/METADATA")))
        )
    assert {name.partition("/")[0] for name in names} == {
        press.NAME,
        f"{press.NAME}-{metadata['Version']}.dist-info",
    }
    assert installed.wheel.stat().st_size <= MOST_BYTES
    assert f"{press.NAME}/py.typed" in names
    plain = [line for line in metadata.get_all("Requires-Dist", []) if "extra ==" not in line]
    assert plain == press.PROJECT["dependencies"]
    assert metadata.get_all("Provides-Extra") == list(press.FIGURES.extras)


def test_the_sdist_makes_the_same_wheel_without_npm(installed, tmp_path):
    with tarfile.open(installed.sdist) as archive:
        assert not [
            name for name in archive.getnames() if Path(name).name in ("node_modules", "package.json")
        ]
    build = [
        "wheel",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "--no-index",
        "--wheel-dir",
        str(tmp_path),
    ]
    subprocess.run([sys.executable, "-m", "pip", *build, str(installed.sdist)], check=True, cwd=tmp_path)
    (wheel,) = tmp_path.glob("*.whl")
    assert contents(wheel) == contents(installed.wheel)


def contents(wheel: Path) -> dict[str, bytes]:
    """The package's files in a wheel."""
    with ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist() if name.startswith(f"{press.NAME}/")}


def test_no_text_of_it_names_a_folder_of_the_repository(installed):
    with ZipFile(installed.wheel) as archive:
        texts = {name: archive.read(name).decode() for name in archive.namelist() if name.endswith(".py")}
    found = {
        name: re.findall(r"(?:from|import|python -m) (?:widgets|lib)\b", text) for name, text in texts.items()
    }
    assert {name: words for name, words in found.items() if words} == {}
    assert press.renamed(
        "from widgets import live\nimport lib.noise  # hashlib.sha256, a.lib.b, ipywidgets.Box"
    ) == ("from livetorch import live\nimport livetorch.noise  # hashlib.sha256, a.lib.b, ipywidgets.Box")


def test_it_makes_a_figure_where_nothing_else_of_ours_is(alone):
    assert alone[0] == "torch.Size([201]) []"
    assert set(alone[1].split()) & UNDECLARED == set()


def test_importing_it_takes_little_beside_torch(installed):
    """In the best of a few processes: others use the machine, too."""
    assert any(float(installed.run("-c", IMPORTS)) <= MOST_OF_TORCH for _ in range(4))


def test_the_changelog_and_the_citation_have_the_version():
    version = press.PROJECT["version"]
    assert f"\n## {version}\n" in (ROOT / "CHANGELOG.md").read_text()


@pytest.fixture(scope="session")
def executed(installed) -> Path:
    """A folder with a notebook that a kernel of the environment has run: two figures, and one for what shows HTML."""
    folder = installed.folder.parent / "project"
    folder.mkdir()
    cells = [nbformat.v4.new_markdown_cell("# A page of somebody's")]
    cells += [nbformat.v4.new_code_cell(cell) for cell in (FIVE_LINES, TRAINED, EMBEDDED)]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), folder / "page.ipynb")
    installed.run(
        "-m", "nbconvert", "--to", "notebook", "--execute", "--inplace", "page.ipynb", folder=folder
    )
    return folder


SPHINX = """
project = "Somebody's"
extensions = ["myst_nb", "livetorch.sphinx"]
html_theme = {theme!r}
root_doc = "page"
nb_execution_mode = "off"
"""
JUPYTER_BOOK = """
title: Somebody's
author: somebody
execute: {execute_notebooks: "off"}
sphinx: {extra_extensions: [livetorch.sphinx]}
"""


def in_sphinx(theme: str) -> Callable[[Installed, Path], Path]:
    """Builds the notebook with Sphinx and MyST-NB alone, in this theme."""

    def build(installed: Installed, folder: Path) -> Path:
        (folder / "conf.py").write_text(SPHINX.format(theme=theme))
        installed.run("-m", "sphinx", "-q", "-b", "html", ".", "built", folder=folder)
        return folder / "built" / "page.html"

    return build


def in_a_jupyter_book(installed: Installed, folder: Path) -> Path:
    (folder / "_config.yml").write_text(JUPYTER_BOOK)
    (folder / "_toc.yml").write_text("format: jb-book\nroot: page\n")
    installed.run("-c", "from jupyter_book.cli.main import main; main()", "build", ".", folder=folder)
    return folder / "_build" / "html" / "page.html"


def in_a_page_of_nbconvert(installed: Installed, folder: Path) -> Path:
    installed.run("-m", "nbconvert", "--to", "html", "page.ipynb", folder=folder)
    return folder / "page.html"


def moved(figure: Locator) -> None:
    """Wait for a figure, move its slider, and see its numbers follow."""
    figure.locator(".fim[data-state=done]").wait_for()
    before = figure.locator(".fim").inner_html()
    slider = figure.locator("input[type=range]").first
    slider.press("End")
    slider.evaluate(
        """(slider, before) => new Promise((done) => {
          const figure = slider.getRootNode().querySelector(".fim");
          const waits = () => figure.innerHTML === before || figure.dataset.state !== "done";
          const look = () => (waits() ? setTimeout(look, 50) : done());
          look();
        })""",
        before,
    )


@pytest.mark.browser
@pytest.mark.parametrize(
    "build",
    [in_sphinx("pydata_sphinx_theme"), in_sphinx("sphinx_book_theme"), in_sphinx("furo"), in_a_jupyter_book],
    ids=["pydata", "book", "furo", "jupyter-book"],
)
def test_a_book_shows_its_figures_live(installed, executed, tmp_path, offline_page, build):
    shutil.copy(executed / "page.ipynb", tmp_path)
    page = offline_page(build(installed, tmp_path).as_uri())
    places = page.locator(".fim-place")
    assert places.count() == 2
    for i in range(2):
        moved(places.nth(i))
    scripts = page.locator(f"script[src*='{FOLDER}/']")
    assert scripts.count() == 3, "one for all figures of the book, and one for each of the page's"
    assert "html-manager" not in page.content(), "no manager of widgets comes from the network"


@pytest.mark.browser
def test_an_exported_notebook_shows_an_embedded_figure_live(installed, executed, tmp_path, offline_page):
    shutil.copy(executed / "page.ipynb", tmp_path)
    page = offline_page(in_a_page_of_nbconvert(installed, tmp_path).as_uri())
    frame = page.locator("iframe[srcdoc]")
    moved(frame.content_frame.locator("body"))
    page.wait_for_function("parseFloat(document.querySelector('iframe[srcdoc]').style.height) > 300")
    assert frame.get_attribute("title") == "A well"


@pytest.mark.browser
def test_a_page_of_one_file_is_live_from_a_disk(installed, alone, offline_page):
    moved(offline_page((installed.folder / "well.html").as_uri()).locator("body"))


@pytest.fixture
def offline_page(browser):
    """Opens an address without a network, whatever else its host asks for; no script may fail for it."""
    context = browser.new_context(viewport=DESKTOP, offline=True)
    errors: list[str] = []

    def open_(address: str) -> Page:
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(address, wait_until="domcontentloaded")
        return page

    yield open_
    context.close()
    assert [error for error in errors if OF_JUPYTER_BOOK not in error] == []
