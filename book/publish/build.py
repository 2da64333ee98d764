"""``python -m book build``: run what has changed of the notebooks, then let Jupyter Book make their pages.

:mod:`book.publish.outputs` says what is run. Only pages whose notebook or outputs have changed are written again. The
whole book is made anew if something has changed that all pages depend on, such as their table of contents.
"""

from __future__ import annotations

import gc
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jupyter_cache import get_cache

from book.ledger.boxes import ROOT
from book.ledger.registry import pages
from book.publish import warm_kernels
from book.publish.outputs import BUILT, CACHE, execute, stamp_of
from widgets import bundle
from widgets.dependencies import closure, code_digest
from widgets.translate import cache as translations

if TYPE_CHECKING:
    from sphinx.application import Sphinx

WHOLE = BUILT / ".whole"
"""The hash of what the whole book was last made from."""
SHARED = (
    *(ROOT / name for name in ("_config.yml", "_toc.yml", "constraints.txt", "pyproject.toml")),
    *(ROOT / "widgets" / "site" / name for name in ("sphinx.py", "moved.html")),
    *(ROOT / "book" / name for name in ("publish/build.py", "glossary.md", "ledger/web/sphinx.py")),
)


def notebooks() -> list[Path]:
    """The notebooks that the table of contents lists, in its order."""
    return [path for page in pages() if (path := ROOT / f"{page}.ipynb").exists()]


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx: a page is made again if its notebook was run."""
    app.connect("doctree-read", _depend)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _depend(app: Sphinx, _doctree: Any) -> None:
    app.env.note_dependency(str(stamp_of(ROOT / f"{app.env.docname}.ipynb")))


def main() -> int:
    """Build the book: 0 if all went well, 1 if a notebook failed. Jupyter Book raises its own errors."""
    bundle.ensure()
    warm_kernels.use()
    wanted = code_digest(closure(*SHARED))
    if not WHOLE.exists() or WHOLE.read_text() != wanted:
        for folder in ("html", ".doctrees", "jupyter_execute"):
            shutil.rmtree(BUILT / folder, ignore_errors=True)
    cache = get_cache(CACHE)
    if failed := execute(cache, notebooks()):
        print("\n\n".join(failed), file=sys.stderr)
        return 1
    translations.forget()
    from jupyter_book.cli.main import main as jupyter_book  # slow, and only needed here

    gc.freeze()  # Sphinx makes millions of nodes that stay: there is little garbage among them
    gc.set_threshold(1_000_000)
    jupyter_book(["build", str(ROOT), "--warningiserror", "--keep-going", "--quiet"], standalone_mode=False)
    WHOLE.write_text(wanted)
    return 0
