"""A live figure as one module of JavaScript: ``python -m widgets.export book.recall.saddle`` writes ``saddle.mjs``.

A torch function goes in; out comes a file with the figure, its controls and its kernels, which loads nothing else,
makes no code from text and needs no kernel. It is run in Node against torch before it is handed over. Its default
export are anywidget's hooks. In MyST, whose directive takes settings as JSON::

    ```{anywidget} saddle.mjs
    {"temperature": 0.02}
    ```

In Jupyter it is the ``_esm`` of an ``anywidget.AnyWidget`` with the settings as traits. In Quarto, a learning platform
or any page::

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
import importlib
import json
import math
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from ipywidgets.embed import dependency_state, embed_data

from widgets import node
from widgets.figure.live import Live, flatten
from widgets.site import licences, typeset
from widgets.site.state import (
    State,
    View,
    address_names,
    needed,
    problems,
    registering,
    texts,
    without_code,
)

CLOSE = 1e-9
SPEECH = re.compile(r"<math.*?</math>", re.DOTALL)
"""The MathML in a formula of :mod:`widgets.site.typeset`: it needs neither fonts nor a style sheet."""
RUN = """
const { default: figure } = await import(process.argv[1]);
console.log(JSON.stringify(figure.numbers(JSON.parse(process.argv[2])).map(String)));
"""


def module(figure: Live, site: str = "") -> str:
    """The source of the module; its statements link to their boxes in the book at ``site``, if one is given.

    Raises:
        ValueError: something in it cannot be driven without a kernel; there is no such formula.
    """
    state: State = json.loads(
        json.dumps(
            embed_data(figure, state=dependency_state(figure, drop_defaults=False))["manager_state"]["state"]
        )
    )
    views = [View(figure.model_id, None)]
    if bad := problems(state, views):
        raise ValueError("\n".join(bad))
    state = needed(state, views)
    for sheet in state[figure.figure.model_id]["state"]["spec"]["statements"]:
        sheet["href"] = f"{site.rstrip('/')}/{sheet['page']}.html{sheet['href']}" if site else None
    kernels, modules = without_code(state)
    with tempfile.TemporaryDirectory() as kept:
        formulas = typeset.inside(texts(state, views), Path(kept))
    body = {
        "state": state,
        "root": figure.model_id,
        "figure": figure.figure.model_id,
        "module": next(iter(modules)),
        "formulas": {tex: "".join(SPEECH.findall(html)) for tex, html in formulas.items()},
    }
    notices = licences.told(one for one in licences.of_npm() if one.name != licences.FONTS).replace(
        "*/", "* /"
    )
    return (
        f"/*\n{notices}*/\n{(node.ensure() / 'module.js').read_text()}{registering('factsKernels', kernels)}"
        f"const hooks = facts.exported({json.dumps(body)});\nexport default hooks;\nexport const {{ show }} = hooks;\n"
    )


def check(path: Path, figure: Live) -> float:
    """Run a module in Node at its figure's defaults; returns how far it is from torch, relative above 1.

    Raises:
        RuntimeError: it does not run, or is further from torch than :data:`CLOSE`.
    """
    values = [parameter["default"] for parameter in figure.figure.spec["parameters"]]
    arguments = [path.resolve().as_uri(), json.dumps(values)]
    done = subprocess.run(
        [*node.node(), "--input-type=module", "-e", RUN, *arguments], capture_output=True, text=True
    )
    if done.returncode:
        raise RuntimeError(f"{path} does not run:\n{done.stderr}")
    ours = torch.tensor([float(number) for number in json.loads(done.stdout)], dtype=torch.float64)
    theirs = flatten(figure.figure.check(values))
    apart = math.inf
    if len(ours) == len(theirs):
        same = (ours == theirs) | (ours.isnan() & theirs.isnan())
        apart = float(torch.where(same, 0.0, (ours - theirs).abs() / theirs.abs().clamp(min=1)).max())
    if not apart < CLOSE:
        raise RuntimeError(f"{path}: {apart:.1e} from torch at the defaults, must be less than {CLOSE}")
    return apart


def find(name: str) -> Live:
    """The figure that "module:function" makes; a page such as book.recall.saddle is "book.recall.saddle.figure:figure".

    Raises:
        ValueError: there is no such function, or it makes no figure.
    """
    place, _, function = (name if ":" in name else f"{name}.figure:figure").partition(":")
    try:
        made: Any = getattr(importlib.import_module(place), function)()
    except (ImportError, AttributeError, TypeError) as error:
        raise ValueError(
            f"{name}: must be a page, or module:function that makes a figure: {error}"
        ) from error
    if not isinstance(made, Live):
        raise ValueError(f"{name} makes {type(made).__name__}: must be what widgets.figure.live returns")
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m widgets.export", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("figure", help="a page such as book.recall.saddle, or module:function")
    parser.add_argument("--out", type=Path, help="the file to write; the name of the page, if not said")
    parser.add_argument("--site", default="", help="where the book is published, for links to its statements")
    asked = parser.parse_args(arguments)
    try:
        figure = find(asked.figure)
        source = module(figure, asked.site)
    except ValueError as error:
        parser.error(str(error))
    path = asked.out or Path(f"{re.split('[.:]', asked.figure)[-1]}.mjs")
    path.write_text(source, encoding="utf-8")
    apart = check(path, figure)
    state = dependency_state(figure)
    settings = ", ".join(sorted(address_names(state, [View(figure.model_id, None)])))
    print(
        f"{path}: {path.stat().st_size / 1000:.0f} kB, at the defaults {apart:.0e} from torch; settings: {settings}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
