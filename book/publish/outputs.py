"""What the cells of notebooks print and draw, kept in the folder in which Jupyter Book looks for outputs.

A notebook is run again only if the code of its cells has changed, or a box, or the code that it rests on: its prose,
comments, docstrings, style sheets and the pages' scripts are no part of that. The cells that show the book's figures
rest on more than the others, on how their charts look, so they have a hash of their own: where only that has
changed, they alone are run.
"""

from __future__ import annotations

import ast
import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

import nbformat
import yaml
from jupyter_cache.base import CacheBundleIn, JupyterCacheAbstract
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode
from tqdm import tqdm

from book.ledger.boxes import ROOT
from widgets import words
from widgets.dependencies import closure_of_code, code_digest, without_magics

BUILT = ROOT / "_build"
CACHE = BUILT / ".jupyter_cache"
"""The folder in which Jupyter Book looks for outputs."""
RUN = BUILT / ".run"
"""A file for each notebook that was run, as old as its outputs: a page is made again if it is newer."""
VIEW, STATE, STILL = (
    "application/vnd.jupyter.widget-view+json",
    "application/vnd.jupyter.widget-state+json",
    "image/png",
)
"""What a notebook stores of a figure."""
OF_A_FIGURE = re.compile(r"^from book\.[\w.]+\.figure import ", re.MULTILINE)
"""In the code of a cell that shows a figure of the book."""
BOX = re.compile(r"^(`{3,})\{prf:.*?^\1$", re.MULTILINE | re.DOTALL)
FIGURES, OTHERS = "figures rest on", "rests on"
"""The two hashes that are kept with a notebook's outputs."""


def stale(cache: JupyterCacheAbstract, notebooks: Sequence[Path]) -> list[Path]:
    """The notebooks with outputs that are missing, or older than what they rest on."""
    return [path for path in notebooks if _to_run(cache, path) is not None]


def _to_run(cache: JupyterCacheAbstract, path: Path) -> list[int] | None:
    """The places of the cells that must be run: of figures alone, or all; None if there are none."""
    notebook = nbformat.read(path, 4)
    try:
        kept = cache.match_cache_notebook(notebook).data
    except KeyError:
        kept = {}
    wanted = hashes(path, notebook)
    if kept.get(OTHERS) != wanted[OTHERS]:
        return [place for place, _ in _code_cells(notebook)]
    return None if kept.get(FIGURES) == wanted[FIGURES] else _figure_cells(notebook)


def hashes(path: Path, notebook: NotebookNode) -> dict[str, str]:
    """A hash of what the cells with figures depend on, and a hash for the other cells."""
    figures = _figure_cells(notebook)
    shown, others = (
        "\n".join(cell.source for place, cell in _code_cells(notebook) if (place in figures) == wanted)
        for wanted in (True, False)
    )
    files = closure_of_code(others, path)
    pages = {file.parent.with_suffix(".ipynb") for file in files if file.name == "statements.py"}
    boxes = [match[0] for page in sorted(pages | {path}) for match in BOX.finditer(_prose(page))]
    shown_files = closure_of_code(shown, path)
    return {
        FIGURES: code_digest(shown_files, shown, *_outlines(shown_files, path)) if figures else "",
        OTHERS: code_digest(files, others, *boxes),
    }


def _outlines(files: Iterable[Path], path: Path) -> Iterator[str]:
    """What pages have blocks for: the one that shows a figure, and those whose folders hold its code."""
    folders = {file.parent for file in files if file.name in ("figure.py", "statements.py")}
    for page in sorted({path.with_suffix(""), *folders}):
        yield repr(words.outline(str(page.relative_to(ROOT))))


def _prose(page: Path) -> str:
    """The text of a page, in which its boxes are."""
    cells = json.loads(page.read_text())["cells"] if page.exists() else []
    return "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")


def _code_cells(notebook: NotebookNode) -> Iterator[tuple[int, NotebookNode]]:
    """Each cell of code and its place among all cells."""
    return ((place, cell) for place, cell in enumerate(notebook.cells) if cell.cell_type == "code")


def _figure_cells(notebook: NotebookNode) -> list[int]:
    """The places of the cells that show the book's figures; none if they share names with other cells."""
    shown, others = [], []
    for place, cell in _code_cells(notebook):
        if OF_A_FIGURE.search(cell.source):
            shown.append(place)
        else:
            others.append(cell.source)
    bound, used = _names("\n".join(notebook.cells[place].source for place in shown))
    bound_by_others, used_by_others = _names("\n".join(others))
    shared = (bound & used_by_others - bound_by_others) | (bound_by_others & used - bound)
    return [] if shared else shown


def _names(code: str) -> tuple[set[str], set[str]]:
    """The names that code binds, and those that it uses."""
    nodes = list(ast.walk(ast.parse(without_magics(code))))
    names = [node for node in nodes if isinstance(node, ast.Name)]
    imports = [
        alias for node in nodes if isinstance(node, ast.Import | ast.ImportFrom) for alias in node.names
    ]
    defined = [node for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    bound = {alias.asname or alias.name.split(".")[0] for alias in imports} | {node.name for node in defined}
    return (
        bound | {node.id for node in names if isinstance(node.ctx, ast.Store)},
        {node.id for node in names if isinstance(node.ctx, ast.Load)},
    )


def execute(cache: JupyterCacheAbstract, notebooks: Sequence[Path]) -> list[str]:
    """Run what is stale, as many notebooks at once as there are processors; returns the errors of what failed."""
    timeout = yaml.safe_load((ROOT / "_config.yml").read_text())["execute"]["timeout"]
    jobs = {path: places for path in notebooks if (places := _to_run(cache, path)) is not None}
    failed = []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        # the longest are the book's last
        runs = {pool.submit(_run, path, jobs[path], timeout): path for path in reversed(jobs)}
        for done in tqdm(as_completed(runs), total=len(runs), desc="notebooks", disable=not runs):
            path = runs[done]
            try:
                outcome = done.result()
            except CellExecutionError as error:
                failed.append(f"{path.relative_to(ROOT)}:\n{error}")
                continue
            _keep(cache, path, outcome, jobs[path])
    return failed


def _run(path: Path, places: Sequence[int], timeout: int) -> NotebookNode:
    """The notebook with only these cells, run."""
    content = nbformat.read(path, 4)
    content.cells = [content.cells[place] for place in places]
    client = NotebookClient(
        content, timeout=timeout, record_timing=False, resources={"metadata": {"path": str(path.parent)}}
    )
    return without_stills(client.execute())


def without_stills(notebook: NotebookNode) -> NotebookNode:
    """A notebook without the pictures of its figures, which the built page draws itself."""
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            if VIEW in output.get("data", {}):
                output.data.pop(STILL, None)
                output.metadata.pop(STILL, None)
    return notebook


def _keep(cache: JupyterCacheAbstract, path: Path, run: NotebookNode, places: Sequence[int]) -> None:
    """Store outputs: those of the cells that were run, and for the others those that are there."""
    notebook = nbformat.read(path, 4)
    wanted = hashes(path, notebook)
    if len(places) < len(list(_code_cells(notebook))):
        _, notebook = cache.merge_match_into_notebook(notebook)
        run = _spliced(notebook, run, places)
    bundle = CacheBundleIn(run, str(path), data=wanted)
    cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)
    stamp = stamp_of(path)
    stamp.parent.mkdir(parents=True, exist_ok=True)
    stamp.touch()


def _spliced(notebook: NotebookNode, run: NotebookNode, places: Sequence[int]) -> NotebookNode:
    """A notebook with the outputs of the cells at ``places`` as they were run, and with the widgets that they show."""
    for place, cell in zip(places, run.cells, strict=True):
        was = notebook.cells[place]
        for output in cell.outputs:
            if "execution_count" in output:
                output.execution_count = was.execution_count
        was.outputs = cell.outputs
    others = [cell for place, cell in _code_cells(notebook) if place not in places]
    stays = any(VIEW in output.get("data", {}) for cell in others for output in cell.outputs)
    states: list[Any] = [
        one.metadata.get("widgets", {}).get(STATE, {}).get("state", {}) for one in (notebook, run)
    ]
    if "widgets" in run.metadata:
        notebook.metadata.widgets = run.metadata.widgets
        notebook.metadata.widgets[STATE].state = {**(states[0] if stays else {}), **states[1]}
    return notebook


def stamp_of(path: Path) -> Path:
    """The file that is as old as a notebook's outputs."""
    return RUN / path.relative_to(ROOT)
