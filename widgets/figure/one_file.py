"""A live figure as one file: a module of JavaScript, or a page; it loads nothing else and needs no kernel."""

from __future__ import annotations

import html
import json
import re
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import torch
from ipywidgets.embed import dependency_state, embed_data

from widgets import node
from widgets.figure.agreement import CLOSE, distance, unexplained
from widgets.figure.compiled import flatten
from widgets.site import scripts
from widgets.site.state import State, View, state_of_views
from widgets.site.validate import problems

EXPORTS = "export default hooks;\nexport const { show } = hooks;\n"
"""The end of a module."""
SUFFIXES = (".html", ".mjs", ".js")
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
const place = document.getElementById("figure");
place.replaceChildren(); // a page that was saved from a browser has its figure already
hooks.show(place);
</script>
"""
EMBEDDED = """<iframe title="{title}" width="100%" height="{height}" style="border: 0" srcdoc="{page}"></iframe>
<script>
addEventListener("message", ({{ data, source }}) => {{
  if (data?.from !== "facts-in-motion") return;
  for (const frame of document.querySelectorAll("iframe[srcdoc]")) {{
    if (frame.contentWindow === source) frame.style.height = `${{data.height}}px`;
  }}
}});
</script>"""
NUMBERS = """
const { default: figure } = await import(process.argv[1]);
const settings = JSON.parse(process.argv[2]);
console.log(JSON.stringify(settings.map((values) => figure.numbers(values).map(String))));
"""
FEW = 8
"""Steps of each stage in which a mistake shows, and in which even a chaotic run is not yet torn apart."""


class Live(Protocol):
    """What is needed of a :class:`~widgets.figure.live.Live`: the figure, and the model of figure and controls."""

    figure: Any
    model_id: str


def save(figure: Live, places: Sequence[Path], title: str = "", site: str = "") -> float:
    """Write a figure into files, a page where a name ends in .html and else a module; returns how far it is from torch.

    Args:
        title: of the page; by default the words of the file's name.
        site: where the book is published, for links to its statements.

    Raises:
        ValueError: a file is of another kind; something in the figure cannot be driven without a kernel.
        RuntimeError: what is written does not run, or is farther from torch than :func:`check` allows.
    """
    for path in places:
        if path.suffix not in SUFFIXES:
            raise ValueError(f"{path.name}: must end in {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}")
    source = module(figure, site)
    difference = check(source, figure)
    for path in places:
        text = page(source, title or title_of(path)) if path.suffix == ".html" else source
        path.write_text(text, encoding="utf-8")
    return difference


def title_of(path: Path) -> str:
    """The words of a file's name: "Double well" for double_well.html."""
    words = re.sub(r"[-_ ]+", " ", path.stem).strip()
    return words[:1].upper() + words[1:]


def module(figure: Live, site: str = "") -> str:
    """The source of the module; its statements link to their boxes in the book at ``site``, if one is given.

    Raises:
        ValueError: something in it cannot be driven without a kernel; there is no such formula.
    """
    register, hooks = scripts.parts(_figure_state(figure, site), figure.model_id)
    return f"{scripts.shared()}{register}const hooks = {hooks};\n{EXPORTS}"


def page(source: str, title: str) -> str:
    """A module as a whole page in one file: it works from a disk, in a sandboxed frame and in a learning platform."""
    script = source.removesuffix(EXPORTS).replace("</script", r"<\/script").replace("<!--", r"<\!--")
    return PAGE.format(title=html.escape(title), script=script)


class Embedded:
    """A figure in a frame of its own: any notebook, book or page that shows HTML shows it, and none needs a kernel.

    Args:
        page: the figure's, as :func:`page` writes it.
        title: of the frame, for screen readers. ``height``: in pixels; where scripts run it follows the figure's.
    """

    def __init__(self, page: str, title: str, height: int) -> None:
        self.html = EMBEDDED.format(page=html.escape(page), title=html.escape(title), height=height)

    def _repr_html_(self) -> str:
        return self.html


def embedded(figure: Live, title: str, height: int) -> Embedded:
    """A figure for what shows HTML, once it is checked as :func:`save` does.

    Raises:
        ValueError, RuntimeError: as :func:`save`.
    """
    source = module(figure)
    check(source, figure)
    return Embedded(page(source, title), title, height)


def frame(address: str, title: str) -> str:
    """The tag that shows a figure's page, at ``address``, in another one; a host that listens to it sets its height."""
    return f'<iframe src="{address}" title="{html.escape(title)}" width="100%" height="700" style="border: 0"></iframe>'


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


def check(source: str, figure: Live) -> float:
    """Run a module in Node at its figure's defaults, whole and for a few steps; returns how far it is from torch.

    A run may stray as far as torch's own last digits lead it: see :mod:`widgets.figure.agreement`.

    Raises:
        RuntimeError: it does not run, or is farther from torch than that.
    """
    usual = {parameter["name"]: parameter["default"] for parameter in figure.figure.spec["parameters"]}
    limits = {stage.limit for stage in figure.figure.program.stages}
    short = {name: min(value, FEW) if name in limits else value for name, value in usual.items()}
    settings = [short, usual]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "figure.mjs"
        path.write_text(source, encoding="utf-8")
        arguments = [path.as_uri(), json.dumps([list(values.values()) for values in settings])]
        command = [*node.node(), "--input-type=module", "-e", NUMBERS, *arguments]
        process = subprocess.run(command, capture_output=True, text=True)
    name = figure.figure.spec["name"]
    if process.returncode:
        raise RuntimeError(f"{name} does not run:\n{process.stderr}")
    for values, numbers in zip(settings, json.loads(process.stdout), strict=True):
        ours = torch.tensor([float(number) for number in numbers], dtype=torch.float64)
        if (far := unexplained(ours, figure.figure.program, values)) >= CLOSE:
            raise RuntimeError(
                f"{name}: {far:.1e} from torch at the defaults, must be less than {CLOSE}, or no more than "
                "torch's own last digits make of it"
            )
    return distance(ours, flatten(figure.figure.check(list(usual.values()))))
