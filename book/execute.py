"""``python -m book.execute``: run the notebooks of the book side by side into the cache that the build reads.

A notebook that fails is not cached: the build runs it again, and says what went wrong.
"""

from __future__ import annotations

import logging
from pathlib import Path

import yaml
from jupyter_cache import get_cache
from jupyter_cache.executors import load_executor

from book.statements import ROOT, pages

CACHE = ROOT / "_build" / ".jupyter_cache"
"""Beside the built pages, so that it goes when they do: a notebook's outputs hang on ``lib``, too."""
STRIDE = 7
"""The executor deals out neighbours together, and those of a chapter are alike long: so they are dealt apart."""


def notebooks() -> list[Path]:
    """Those that the table of contents lists, in its order."""
    return [ROOT / f"{page}.ipynb" for page in pages()]


def main() -> None:
    """Execute and cache; as many at once as there are processors."""
    timeout = yaml.safe_load((ROOT / "_config.yml").read_text())["execute"]["timeout"]
    cache = get_cache(CACHE)
    found = notebooks()
    for first in range(STRIDE):
        for notebook in found[first::STRIDE]:
            cache.add_nb_to_project(str(notebook))
    logger = logging.getLogger("book.execute")
    load_executor("local-parallel", cache, logger=logger).run_and_cache(timeout=timeout)


if __name__ == "__main__":
    main()
