"""The widgets of a page that MyST-NB has read: which it shows, and the state that its cells have left."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from docutils import nodes
from myst_nb.sphinx_ import NbMetadataCollector
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from widgets.site.state import VIEW_SCRIPT, State, View

BEFORE_MYST_NB = 400
"""The priority of a listener that changes what MyST-NB will find; the default is 500."""


def shown(doctree: nodes.document) -> Iterator[View]:
    """The widgets shown, with the number of the cell that shows them."""
    for raw in doctree.findall(nodes.raw):
        for content in VIEW_SCRIPT.findall(raw.astext()):
            yield View(json.loads(content)["model_id"], _cell(raw))


def _cell(node: nodes.Node) -> int | None:
    """The number of the notebook cell in which a node stands, from 1; None if it stands in none."""
    above: Any = node.parent
    while above is not None:
        if above.get("nb_element") == "cell_code":
            return int(above["cell_index"]) + 1
        above = above.parent
    return None


def source(app: Sphinx, page: str) -> str:
    """The path of a page's own file."""
    return str(app.env.doc2path(page, base=False))


def stored_state(app: Sphinx, page: str) -> State:
    """The widgets' state that MyST-NB has stored for a page; empty if there is none.

    Raises:
        ExtensionError: it holds NaN or an infinity.
    """
    files = NbMetadataCollector.get_js_files(app.env, page)
    if "ipywidgets_state" not in files:
        return {}
    _, attributes = files["ipywidgets_state"]

    def refuse(constant: str) -> None:
        raise ExtensionError(
            f"{source(app, page)}: a widget holds {constant}, which the static page's JSON cannot"
        )

    state: State = json.loads(attributes["body"], parse_constant=refuse)["state"]
    return state


def leave_out_manager(app: Sphinx, page: str) -> None:
    """Have MyST-NB write no widget manager into a page, which would come from the network."""
    files = NbMetadataCollector.get_js_files(app.env, page)
    for key in [key for key in files if key.startswith("ipywidgets_")]:
        del files[key]
