"""Pages with widgets, as MyST-NB would write them, without the book around them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import anywidget
import ipywidgets as ipw
import traitlets
from ipywidgets.embed import dependency_state, embed_data, escape_script

from widgets import bundle, node

PAGE = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>widgets</title>
<meta name="viewport" content="width=device-width">
<link rel="stylesheet" href="controls.css">{head}
<script defer src="runtime.js"></script></head><body>{body}
<script type="application/vnd.jupyter.widget-state+json">{state}</script>{views}
<h2 id="section" style="margin-top: 150vh">section</h2><div style="height: 150vh"></div></body></html>"""
VIEW = '<script type="application/vnd.jupyter.widget-view+json">{}</script>'


class Figure(anywidget.AnyWidget):
    """A figure that is never drawn here."""

    _esm = "export default {}"
    x = traitlets.Any().tag(sync=True)
    data = traitlets.Bytes(b"1").tag(sync=True)


def linked(control: ipw.Widget, figure: Figure, trait: str = "value") -> ipw.Widget:
    """The control, once its trait is linked to the figure's ``x``."""
    ipw.jslink((control, trait), (figure, "x"))
    return control


def state_of(views: list[ipw.Widget], drop_defaults: bool) -> dict[str, Any]:
    """The state of the widgets; figures keep theirs in full, as Jupyter's own front end does."""
    state = dependency_state(views, drop_defaults=drop_defaults)
    full = dependency_state(views, drop_defaults=False)
    return {id_: full[id_] if entry["model_name"] == "AnyModel" else entry for id_, entry in state.items()}


def embedded(views: list[ipw.Widget], drop_defaults: bool = False) -> dict[str, Any]:
    """The state of the widgets and where they stand, as a page holds them."""
    data: dict[str, Any] = embed_data(views, state=state_of(views, drop_defaults))
    return data


def write(
    path: Path, views: list[ipw.Widget], drop_defaults: bool = False, head: str = "", body: str = ""
) -> None:
    """A page with these widgets, as MyST-NB would write it."""
    data = embedded(views, drop_defaults)
    path.write_text(
        PAGE.format(
            state=escape_script(json.dumps(data["manager_state"])),
            views="".join(VIEW.format(json.dumps(spec)) for spec in data["view_specs"]),
            head=head,
            body=body,
        )
    )


def provide(folder: Path) -> Path:
    """Put beside the pages what they load."""
    for script in ("runtime.js", "print.js"):
        shutil.copy(bundle.ensure() / script, folder)
    shutil.copy(node.HERE / "src" / "page" / "controls.css", folder)
    return folder
