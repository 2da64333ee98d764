"""``python -m book.publish.build``: run the notebooks that need it, then let Jupyter Book make their pages.

A notebook is run where one of the files that it rests on has changed since its outputs were stored, and only pages
whose notebook or outputs have changed are written again. What all pages rest on, their table of contents or the
extensions below, makes the whole book anew.
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
"""Where Jupyter Book looks for outputs."""
RUN = BUILT / ".run"
"""A file for each notebook that was run, as old as its outputs: a page is made again if it is newer."""
WHOLE = BUILT / ".whole"
"""What the whole book was last made from."""
SHARED = (
    *(ROOT / name for name in ("_config.yml", "_toc.yml", "constraints.txt", "pyproject.toml")),
    *(ROOT / "widgets" / "site" / name for name in ("sphinx.py", "moved.html")),
    *(ROOT / "book" / name for name in ("publish/build.py", "glossary.md", "ledger/quotes.py")),
)


def notebooks() -> list[Path]:
    """Those that the table of contents lists, in its order."""
    return [path for page in pages() if (path := ROOT / f"{page}.ipynb").exists()]


def stale(cache: JupyterCacheAbstract, notebooks: Sequence[Path]) -> list[Path]:
    """Those whose outputs are missing, or older than something that they rest on."""
    return [notebook for notebook in notebooks if not _fresh(cache, notebook)]


def _fresh(cache: JupyterCacheAbstract, notebook: Path) -> bool:
    try:
        record = cache.match_cache_notebook(nbformat.read(notebook, 4))
    except KeyError:
        return False
    return bool(record.data.get("rests on") == digest(closure(notebook)))


def execute(cache: JupyterCacheAbstract, notebooks: Sequence[Path]) -> list[str]:
    """Run them, as many at once as there are processors; returns what failed."""
    timeout = yaml.safe_load((ROOT / "_config.yml").read_text())["execute"]["timeout"]
    failed = []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = {pool.submit(_run, notebook, timeout): notebook for notebook in notebooks}
        for done in tqdm(as_completed(runs), total=len(runs), desc="notebooks", disable=not runs):
            notebook = runs[done]
            try:
                outcome = done.result()
            except CellExecutionError as error:
                failed.append(f"{notebook.relative_to(ROOT)}:\n{error}")
                continue
            found = CacheBundleIn(outcome, str(notebook), data={"rests on": digest(closure(notebook))})
            cache.cache_notebook_bundle(found, check_validity=False, overwrite=True)
            stamp = _stamp(notebook)
            stamp.parent.mkdir(parents=True, exist_ok=True)
            stamp.touch()
    return failed


def _run(notebook: Path, timeout: int) -> Any:
    content = nbformat.read(notebook, 4)
    client = NotebookClient(
        content, timeout=timeout, record_timing=False, resources={"metadata": {"path": str(notebook.parent)}}
    )
    return client.execute()


def _stamp(notebook: Path) -> Path:
    return RUN / notebook.relative_to(ROOT)


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx: a page depends on the run of its notebook, too."""
    app.connect("doctree-read", _depend)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _depend(app: Sphinx, _doctree: Any) -> None:
    app.env.note_dependency(str(_stamp(ROOT / f"{app.env.docname}.ipynb")))


def main() -> int:
    """Build; 0 if all went well, 1 if a notebook failed. Jupyter Book raises what goes wrong there."""
    bundle.ensure()
    warm_kernels.use()
    wanted = digest(closure(*SHARED))
    if not WHOLE.exists() or WHOLE.read_text() != wanted:
        for made in ("html", ".doctrees", "jupyter_execute"):
            shutil.rmtree(BUILT / made, ignore_errors=True)
    cache = get_cache(CACHE)
    if failed := execute(cache, stale(cache, notebooks())):
        print("\n\n".join(failed), file=sys.stderr)
        return 1
    translations.forget()
    from jupyter_book.cli.main import main as jupyter_book  # slow, and only needed here

    jupyter_book(["build", str(ROOT), "--warningiserror", "--keep-going", "--quiet"], standalone_mode=False)
    WHOLE.write_text(wanted)
    return 0


if __name__ == "__main__":
    sys.exit(main())
