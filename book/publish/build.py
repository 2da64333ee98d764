"""``python -m book build``: run the notebooks whose code has changed, then let Jupyter Book make their pages.

A notebook is run if one of the files that it depends on has changed since its outputs were stored, and only pages
whose notebook or outputs have changed are written again. The whole book is made anew if a file has changed that all
pages depend on, such as their table of contents.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nbformat
import yaml
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn, JupyterCacheAbstract
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from tqdm import tqdm

from book.ledger.boxes import ROOT
from book.ledger.registry import pages
from book.publish import warm_kernels
from widgets import bundle
from widgets.dependencies import closure, digest
from widgets.translate import cache as translations

if TYPE_CHECKING:
    from sphinx.application import Sphinx

BUILT = ROOT / "_build"
CACHE = BUILT / ".jupyter_cache"
"""The folder in which Jupyter Book looks for outputs."""
RUN = BUILT / ".run"
"""A file for each notebook that was run, as old as its outputs: a page is made again if it is newer."""
WHOLE = BUILT / ".whole"
"""The hash of what the whole book was last made from."""
VIEW, STILL = "application/vnd.jupyter.widget-view+json", "image/png"
"""What a notebook stores of a figure."""
SHARED = (
    *(ROOT / name for name in ("_config.yml", "_toc.yml", "constraints.txt", "pyproject.toml")),
    *(ROOT / "widgets" / "site" / name for name in ("sphinx.py", "moved.html")),
    *(ROOT / "book" / name for name in ("publish/build.py", "glossary.md", "ledger/quotes.py")),
)


def notebooks() -> list[Path]:
    """The notebooks that the table of contents lists, in its order."""
    return [path for page in pages() if (path := ROOT / f"{page}.ipynb").exists()]


def stale(cache: JupyterCacheAbstract, notebooks: Sequence[Path]) -> list[Path]:
    """The notebooks whose outputs are missing, or older than a file that they depend on."""
    return [notebook for notebook in notebooks if not _fresh(cache, notebook)]


def _fresh(cache: JupyterCacheAbstract, notebook: Path) -> bool:
    try:
        record = cache.match_cache_notebook(nbformat.read(notebook, 4))
    except KeyError:
        return False
    return bool(record.data.get("rests on") == digest(closure(notebook)))


def execute(cache: JupyterCacheAbstract, notebooks: Sequence[Path]) -> list[str]:
    """Run notebooks, as many at once as there are processors, and return the errors of those that failed."""
    timeout = yaml.safe_load((ROOT / "_config.yml").read_text())["execute"]["timeout"]
    failed = []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        # the longest are the book's last
        runs = {pool.submit(_run, notebook, timeout): notebook for notebook in reversed(notebooks)}
        for done in tqdm(as_completed(runs), total=len(runs), desc="notebooks", disable=not runs):
            notebook = runs[done]
            try:
                outcome = done.result()
            except CellExecutionError as error:
                failed.append(f"{notebook.relative_to(ROOT)}:\n{error}")
                continue
            outputs = CacheBundleIn(outcome, str(notebook), data={"rests on": digest(closure(notebook))})
            cache.cache_notebook_bundle(outputs, check_validity=False, overwrite=True)
            stamp = _stamp(notebook)
            stamp.parent.mkdir(parents=True, exist_ok=True)
            stamp.touch()
    return failed


def _run(notebook: Path, timeout: int) -> Any:
    content = nbformat.read(notebook, 4)
    client = NotebookClient(
        content, timeout=timeout, record_timing=False, resources={"metadata": {"path": str(notebook.parent)}}
    )
    return without_stills(client.execute())


def without_stills(notebook: Any) -> Any:
    """A notebook without the pictures of its figures, which the built page draws itself."""
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            if VIEW in output.get("data", {}):
                output.data.pop(STILL, None)
                output.metadata.pop(STILL, None)
    return notebook


def _stamp(notebook: Path) -> Path:
    return RUN / notebook.relative_to(ROOT)


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx: a page is made again if its notebook was run."""
    app.connect("doctree-read", _depend)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _depend(app: Sphinx, _doctree: Any) -> None:
    app.env.note_dependency(str(_stamp(ROOT / f"{app.env.docname}.ipynb")))


def main() -> int:
    """Build the book: 0 if all went well, 1 if a notebook failed. Jupyter Book raises its own errors."""
    bundle.ensure()
    warm_kernels.use()
    wanted = digest(closure(*SHARED))
    if not WHOLE.exists() or WHOLE.read_text() != wanted:
        for folder in ("html", ".doctrees", "jupyter_execute"):
            shutil.rmtree(BUILT / folder, ignore_errors=True)
    cache = get_cache(CACHE)
    if failed := execute(cache, stale(cache, notebooks())):
        print("\n\n".join(failed), file=sys.stderr)
        return 1
    translations.forget()
    from jupyter_book.cli.main import main as jupyter_book  # slow, and only needed here

    jupyter_book(["build", str(ROOT), "--warningiserror", "--keep-going", "--quiet"], standalone_mode=False)
    WHOLE.write_text(wanted)
    return 0
