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
moves. The figure is as light or dark as the page around it, and in a frame it says how high it is. In Quarto, a
learning platform or any page::

    <div id="here"></div>
    <script type="module">
      import { show } from "./saddle.mjs";
      show(document.getElementById("here"), { temperature: 0.02 });
    </script>

Whoever has a function of their own writes ``live(function, temperature=controls.temperature(0.3))`` in a function of
a module, and exports ``module:function``.
"""

from __future__ import annotations

import argparse
import html
import importlib
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from ipywidgets.embed import dependency_state, embed_data

from widgets import bundle, node
from widgets.figure.agreement import CLOSE, distance, unexplained
from widgets.figure.compiled import flatten
from widgets.figure.live import Live
from widgets.site import licences, typeset
from widgets.site.state import (
    State,
    View,
    address_names,
    extract_code,
    register_script,
    state_of_views,
    texts,
)
from widgets.site.validate import problems

MATHML = re.compile(r"<math.*?</math>", re.DOTALL)
"""The part of a formula of :mod:`widgets.site.typeset` that needs neither fonts nor a style sheet."""
EXPORTS = "export default hooks;\nexport const { show } = hooks;\n"
"""The end of a module."""
PAGE = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<body>
<div id="figure"></div>
<script type="module">
{script}
hooks.show(document.getElementById("figure"), {{}});
</script>
"""
NUMBERS = """
const { default: figure } = await import(process.argv[1]);
const settings = JSON.parse(process.argv[2]);
console.log(JSON.stringify(settings.map((values) => figure.numbers(values).map(String))));
"""
FEW = 8
"""Steps of each stage in which a mistake shows, and in which even a chaotic run is not yet torn apart."""


def module(figure: Live, site: str = "") -> str:
    """The source of the module; its statements link to their boxes in the book at ``site``, if one is given.

    Raises:
        ValueError: something in it cannot be driven without a kernel; there is no such formula.
    """
    state = _figure_state(figure, site)
    views = [View(figure.model_id, None)]
    kernels, modules = extract_code(state)
    with tempfile.TemporaryDirectory() as cache_folder:
        formulas = typeset.typeset_labels(texts(state, views), Path(cache_folder))
    body = {
        "state": state,
        "root": figure.model_id,
        "figure": figure.figure.model_id,
        "module": next(iter(modules)),
        "formulas": {tex: "".join(MATHML.findall(code)) for tex, code in formulas.items()},
    }
    return (
        f"/*\n{_notices()}*/\n{(bundle.ensure() / 'module.js').read_text()}"
        f"{register_script('factsKernels', kernels)}"
        f"const hooks = facts.exported({json.dumps(body)});\n{EXPORTS}"
    )


def page(source: str, title: str) -> str:
    """A module as a whole page in one file: it works from a disk, in a sandboxed frame and in a learning platform."""
    script = source.removesuffix(EXPORTS).replace("</script", r"<\/script").replace("<!--", r"<\!--")
    return PAGE.format(title=html.escape(title), script=script)


def frame(address: str, figure: Live) -> str:
    """The tag that shows a figure's page, at ``address``, in another one; a host that listens to it sets its height."""
    title = html.escape(figure.figure.spec["name"], quote=True)
    return f'<iframe src="{address}" title="{title}" width="100%" height="700" style="border: 0"></iframe>'


def _figure_state(figure: Live, site: str) -> State:
    """What the runtime needs of the figure's widgets.

    Raises:
        ValueError: it cannot drive one of them.
    """
    manager_state = embed_data(figure, state=dependency_state(figure, drop_defaults=False))["manager_state"]
    state: State = json.loads(json.dumps(manager_state["state"]))
    views = [View(figure.model_id, None)]
    if complaints := problems(state, views):
        raise ValueError("\n".join(complaints))
    state = state_of_views(state, views)
    for sheet in state[figure.figure.model_id]["state"]["spec"]["statements"]:
        sheet["href"] = f"{site.rstrip('/')}/{sheet['page']}.html{sheet['href']}" if site else None
    return state


def _notices() -> str:
    """The licences of what the module holds, for a comment; no fonts go with it."""
    packages = (package for package in licences.npm_packages() if package.name != licences.FONTS)
    return licences.notices(packages).replace("*/", "* /")


def check(path: Path, figure: Live) -> float:
    """Run a module in Node at its figure's defaults, whole and for a few steps; returns how far it is from torch.

    A run may stray as far as torch's own last digits lead it: see :mod:`widgets.figure.agreement`.

    Raises:
        RuntimeError: it does not run, or is farther from torch than that.
    """
    usual = {parameter["name"]: parameter["default"] for parameter in figure.figure.spec["parameters"]}
    limits = {stage.limit for stage in figure.figure.program.stages}
    short = {name: min(value, FEW) if name in limits else value for name, value in usual.items()}
    settings = [short, usual]
    arguments = [path.resolve().as_uri(), json.dumps([list(values.values()) for values in settings])]
    command = [*node.node(), "--input-type=module", "-e", NUMBERS, *arguments]
    process = subprocess.run(command, capture_output=True, text=True)
    if process.returncode:
        raise RuntimeError(f"{path} does not run:\n{process.stderr}")
    for values, numbers in zip(settings, json.loads(process.stdout), strict=True):
        ours = torch.tensor([float(number) for number in numbers], dtype=torch.float64)
        if (far := unexplained(ours, figure.figure.program, values)) >= CLOSE:
            raise RuntimeError(
                f"{path}: {far:.1e} from torch at the defaults, must be less than {CLOSE}, or no more than "
                "torch's own last digits make of it"
            )
    return distance(ours, flatten(figure.figure.check(list(usual.values()))))


def find(name: str) -> Live:
    """The figure that "module:function" makes; a page such as book.recall.saddle is "book.recall.saddle.figure:figure".

    Raises:
        ValueError: there is no such function, or it makes no figure.
    """
    place, _, function = (name if ":" in name else f"{name}.figure:figure").partition(":")
    try:
        figure: Any = getattr(importlib.import_module(place), function)()
    except (ImportError, AttributeError, TypeError) as error:
        raise ValueError(
            f"{name}: must be a page, or module:function that makes a figure: {error}"
        ) from error
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
    parser.add_argument("--site", default="", help="where the book is published, for links to its statements")
    options = parser.parse_args(arguments)
    try:
        figure = find(options.figure)
        source = module(figure, options.site)
    except ValueError as error:
        parser.error(str(error))
    path = options.out or Path(f"{re.split('[.:]', options.figure)[-1]}.mjs")
    path.write_text(source, encoding="utf-8")
    difference = check(path, figure)
    path.with_suffix(".js").write_text(source, encoding="utf-8")
    if options.html:
        whole = path.with_suffix(".html")
        whole.write_text(page(source, figure.figure.spec["name"]), encoding="utf-8")
    names = address_names(dependency_state(figure), [View(figure.model_id, None)])
    print(
        f"{path}: {path.stat().st_size / 1000:.0f} kB, at the defaults {difference:.0e} from torch; "
        f"settings: {', '.join(sorted(names))}"
    )
    if options.html:
        print(f"{whole}: to show it in a page of any kind, without a script: {frame(whole.name, figure)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
