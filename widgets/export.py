"""A live figure as one module of JavaScript: ``python -m widgets.export book.recall.saddle`` writes ``saddle.mjs``.

A torch function goes in; out comes a file with the figure, its controls and its kernels, which loads nothing else,
makes no code from text and needs no kernel. It is run in Node against torch before it is handed over. The same file
with .js stands beside it, for hosts that do not know .mjs; with ``--html`` there is also a page of one file, which
works from a disk, and the tag that shows it in a frame. The module's default export are anywidget's hooks. In MyST,
whose directive takes settings as JSON::

    ```{anywidget} saddle.mjs
    {"temperature": 0.02}
    ```

In Jupyter it is the ``_esm`` of an ``anywidget.AnyWidget`` with the settings as traits, which follow what a reader
moves. The figure is as light or dark as the paper it stands on, and in a frame it says how high it is. In Quarto, a
learning platform or any page::

    <div id="here"></div>
    <script type="module">
      import { show } from "./saddle.mjs";
      show(document.getElementById("here"), { temperature: 0.02 });
    </script>

Whoever has a function of their own writes ``live(function, temperature=controls.temperature(0.3))`` in a function of
a module, and exports ``module:function``; in a notebook, ``figure.save("well.html")`` writes the page.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ipywidgets.embed import dependency_state

from widgets.figure.live import Live
from widgets.figure.one_file import frame, save, title_of
from widgets.site.state import View, address_names
from widgets.translate.refusals import UnsupportedOperation


def find(name: str) -> Live:
    """The figure that "module:function" makes; a page such as book.recall.saddle is "book.recall.saddle.figure:figure".

    Raises:
        ValueError: there is no such function, or it makes no figure; also what :func:`widgets.live` refuses.
    """
    place, _, function = (name if ":" in name else f"{name}.figure:figure").partition(":")
    try:
        make: Any = getattr(importlib.import_module(place), function)
        inspect.signature(make).bind()
    except (ImportError, AttributeError, TypeError) as error:
        raise ValueError(
            f"{name}: must be a page, or module:function that makes a figure: {error}"
        ) from error
    figure = make()
    if not isinstance(figure, Live):
        raise ValueError(f"{name} makes {type(figure).__name__}: must be what widgets.live returns")
    return figure


def main(arguments: Sequence[str] | None = None) -> int:
    """Write and check the module of a figure that the command line names."""
    parser = argparse.ArgumentParser(
        prog="python -m widgets.export", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("figure", help="a page such as book.recall.saddle, or module:function")
    parser.add_argument("--out", type=Path, help="the file to write; by default the page's name with .mjs")
    parser.add_argument("--html", action="store_true", help="also write a page of one file, with .html")
    parser.add_argument("--title", default="", help="of that page; by default the words of its file's name")
    parser.add_argument("--site", default="", help="where the book is published, for links to its statements")
    options = parser.parse_args(arguments)
    path = options.out or Path(f"{re.split('[.:]', options.figure)[-1]}.mjs")
    title = options.title or title_of(path)
    files = [path, path.with_suffix(".js"), *([path.with_suffix(".html")] if options.html else [])]
    try:
        figure = find(options.figure)
        difference = save(figure, files, title, options.site)
    except (ValueError, TypeError, UnsupportedOperation) as error:
        parser.error(str(error))
    names = address_names(dependency_state(figure), [View(figure.model_id, None)])
    print(
        f"{path}: {path.stat().st_size / 1000:.0f} kB, at the defaults {difference:.0e} from torch; "
        f"settings: {', '.join(sorted(names))}"
    )
    if options.html:
        print(
            f"{files[-1]}: to show it in a page of any kind, without a script: {frame(files[-1].name, title)}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
