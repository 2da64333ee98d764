"""``python -m tests.hosts``: live figures in hosts that are too large for the tests, each tried from nothing.

Their packages come from the network, in the versions below. Each builds a project with the installed wheel, and a
slider is moved in Chromium with the network off. The page ``book/your_book.ipynb`` prints what came of it, from
``book/data/live-hosts.csv``: a figure that is not live within :data:`SECONDS` stands still.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import nbformat

from book.publish.chromium import launched
from book.sweep import Row, sweep
from tests.conftest import serving
from tests.package import LIBRARIES, Installed
from tests.widgets.test_package import EMBEDDED, FIVE_LINES, moved
from widgets import node

SECONDS = 60
"""That a figure has to come."""
MARIMO_S_OWN = "https://cdn.jsdelivr.net/npm/@marimo-team/frontend@{version}/dist"
IN_MARIMO = """import marimo

app = marimo.App()


@app.cell
def _():
    import marimo
    import torch
    from livetorch import controls, live

    def well(temperature, tilt):
        x = torch.linspace(-2, 2, 201, dtype=torch.float64)
        return {"x": x, "density": torch.softmax(-((x**2 - 1) ** 2 + tilt * x) / temperature, 0)}

    figure = live(well, temperature=controls.temperature(0.3), tilt=0.1)
    marimo.Html(figure.embed("A well").html)
"""


class Host(NamedTuple):
    """A host: its packages on the index, and what makes a page of a project; returns the page's address from there."""

    packages: tuple[str, ...]
    build: Callable[[Path, Path, str], str]


class Environment:
    """The wheel's environment, and a folder for each host's packages beside it."""

    def __init__(self, home: Path) -> None:
        self.installed = Installed(home)
        self.home = home
        cells = [nbformat.v4.new_code_cell(cell) for cell in (FIVE_LINES, EMBEDDED)]
        nbformat.write(nbformat.v4.new_notebook(cells=cells), home / "page.ipynb")
        execute = ["-m", "nbconvert", "--to", "notebook", "--execute", "--inplace", "page.ipynb"]
        self.installed.run(*execute, folder=home)

    def with_packages(self, packages: Sequence[str]) -> Path:
        """A folder with packages from the index.

        Raises:
            subprocess.CalledProcessError: one cannot be had.
        """
        folder = self.home / "-".join(packages).replace("=", "")
        install = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(folder), *packages]
        subprocess.run(install, check=True, cwd=self.home)
        return folder


@cache
def environment() -> Environment:
    """One for all hosts."""
    return Environment(Path(tempfile.mkdtemp()))


def run(libraries: Path, folder: Path, *arguments: str) -> None:
    """Run the wheel's Python with a host's packages."""
    installed = environment().installed
    paths = os.pathsep.join(map(str, (libraries, installed.libraries, LIBRARIES)))
    command = [str(installed.python), *arguments]
    subprocess.run(command, cwd=folder, check=True, env={**installed.environment, "PYTHONPATH": paths})


def in_marimo(libraries: Path, folder: Path, version: str) -> str:
    """An export whose scripts are marimo's own of the same version, copied beside it."""
    (folder / "page.py").write_text(IN_MARIMO)
    run(libraries, folder, "-m", "marimo", "export", "html", "page.py", "-o", "page.html", "--force")
    shutil.copytree(libraries / "marimo" / "_static", folder, dirs_exist_ok=True)
    page = folder / "page.html"
    page.write_text(page.read_text().replace(MARIMO_S_OWN.format(version=version), "."))
    return "page.html"


def in_jupyterlite(libraries: Path, folder: Path, _version: str) -> str:
    """A notebook with its stored outputs, opened and not run."""
    (folder / "contents").mkdir()
    shutil.copy(environment().home / "page.ipynb", folder / "contents")
    build = "from jupyterlite_core.app import main; main()"
    run(libraries, folder, "-c", build, "build", "--contents", "contents", "--output-dir", "site")
    return "site/lab/index.html?path=page.ipynb"


def in_pandoc(libraries: Path, folder: Path, _version: str) -> str:
    """The notebook as Pandoc makes a page of it, which is what Quarto runs."""
    shutil.copy(environment().home / "page.ipynb", folder)
    options = "outputfile='page.html', extra_args=['--standalone', '--metadata', 'title=Somebody\\'s']"
    run(libraries, folder, "-c", f"import pypandoc; pypandoc.convert_file('page.ipynb', 'html', {options})")
    return "page.html"


def in_myst(_libraries: Path, folder: Path, version: str) -> str:
    """A page with the directive ``anywidget``, in MyST's own theme."""
    code = f"{FIVE_LINES.replace('live(well', 'figure = live(well')}\nfigure.save('well.mjs')"
    environment().installed.run("-c", code, folder=folder)
    (folder / "index.md").write_text("# Somebody's\n\n```{anywidget} well.mjs\n{}\n```\n")
    (folder / "myst.yml").write_text(
        "version: 1\nproject: {title: Somebody's}\nsite: {template: book-theme}\n"
    )
    command = [*node.npm(), "exec", "--yes", f"--package=mystmd@{version}", "--", "myst", "build", "--html"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if not (folder / "_build/html/index.html").exists():
        raise LookupError(
            "its theme cannot be had without the network"
            if "ENOTFOUND" in done.stdout + done.stderr
            else done.stdout[-300:]
        )
    return "_build/html/index.html"


HOSTS = {
    "marimo": Host(("marimo==0.25.2",), in_marimo),
    "JupyterLite": Host(("jupyterlite-core==0.8.6", "jupyterlite-pyodide-kernel==0.8.6"), in_jupyterlite),
    "Pandoc, which Quarto runs": Host(("pypandoc-binary==1.17",), in_pandoc),
    "Jupyter Book 2": Host((), in_myst),
}
MYSTMD = "1.8.3"


def tried(host: str) -> Sequence[Row]:
    """A row that says whether a slider was moved in a host."""
    packages, build = HOSTS[host]
    version = packages[0].partition("==")[2] if packages else MYSTMD
    libraries = environment().with_packages(packages) if packages else Path()
    size = sum(path.stat().st_size for path in libraries.rglob("*") if path.is_file()) if packages else 0
    row = {"version": version, "MB": size / 1e6}
    with tempfile.TemporaryDirectory() as place:
        try:
            address = build(libraries, Path(place), version)
        except LookupError as error:
            return [{**row, "came of it": f"not tried: {error}"}]
        with launched() as browser, serving(Path(place)) as home:
            page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
            page.goto(f"{home}/{address}", wait_until="domcontentloaded")
            frame = live_frame(page)
            if frame:
                moved(frame.locator("body"))
    return [{**row, "came of it": "live" if frame else "stands still"}]


def live_frame(page: Any) -> Any:
    """The frame of the page in which a figure has finished its run; None if none has within :data:`SECONDS`."""
    for _ in range(2 * SECONDS):
        for frame in page.frames:
            if frame.locator(".fim[data-state=done]").count():
                return frame
        page.wait_for_timeout(500)
    return None


def main() -> None:
    """Store the table."""
    sweep(tried, [{"host": name} for name in HOSTS], "live-hosts")
    shutil.rmtree(environment().home)


if __name__ == "__main__":
    main()
