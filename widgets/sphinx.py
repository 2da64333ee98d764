"""Sphinx extension for any book: its live figures need neither a kernel nor a network, and nothing else of it changes.

In a project of MyST-NB::

    extensions = ["myst_nb", "widgets.sphinx"]

and in the ``_config.yml`` of a Jupyter Book::

    sphinx:
      extra_extensions: [widgets.sphinx]

A page with figures gets one script that all figures share, and one for each of them. What such a figure could not do
without a kernel fails the build by name. Other widgets are left to the host.
"""

from __future__ import annotations

import json
import re
from copy import deepcopy
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from widgets.site import scripts, views
from widgets.site.hashed import write_hashed
from widgets.site.state import VIEW_SCRIPT, State, View, state_of_views
from widgets.site.validate import problems

FOLDER = "live-figures"
"""The folder of the scripts, among the site's own files."""
PLACE = '<div class="fim-place" id="{id}"></div><noscript><p>{words}</p></noscript>'
WITHOUT_SCRIPT = "Here is a live figure, which needs JavaScript."


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.connect("html-page-context", _write_figures, priority=views.BEFORE_MYST_NB)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def _write_figures(
    app: Sphinx, page: str, _template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Put the figures of a page into the places where MyST-NB shows their widgets.

    Raises:
        ExtensionError: a figure could not be driven without a kernel.
    """
    if app.builder.format != "html" or doctree is None:
        return
    state = views.stored_state(app, page)
    shown = list(views.shown(doctree))
    figures = [view for view in shown if _is_live(state, view)]
    if not figures:
        return
    if complaints := problems(state, figures):
        path = views.source(app, page)
        raise ExtensionError("\n".join(f"{path}, {complaint}" for complaint in complaints))
    static = Path(app.outdir) / "_static"
    places = {view.model: f"live-figure-{i}" for i, view in enumerate(figures, 1)}
    sources = [scripts.shared()]
    for view in figures:
        register, hooks = scripts.parts(deepcopy(state_of_views(state, [view])), view.model)
        sources.append(
            f"{register}{hooks}.show(document.getElementById({json.dumps(places[view.model])}));\n"
        )
    for source in sources:
        app.add_js_file(write_hashed(static / FOLDER, source), loading_method="defer")
    context["body"] = _with_places(context["body"], places)
    if len(figures) == len(shown):
        views.leave_out_manager(app, page)


def _is_live(state: State, view: View) -> bool:
    """Whether a widget is one of our figures with its controls."""
    return any("kernels" in entry["state"] for entry in state_of_views(state, [view]).values())


def _with_places(body: str, places: dict[str, str]) -> str:
    """A page's HTML with an empty element for each figure, by the model it shows."""

    def place(script: re.Match[str]) -> str:
        id = places.get(json.loads(script[1])["model_id"])
        return PLACE.format(id=id, words=WITHOUT_SCRIPT) if id else script[0]

    return VIEW_SCRIPT.sub(place, body)
