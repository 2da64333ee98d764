"""The widgets of a page, as JSON: what each is linked to, and no more of them than the static page needs.

``src/page/controls.json`` lists what ``src/page/runtime.js`` can drive, with the traits it follows.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from widgets import bundle
from widgets.site.hashed import short_hash

SOURCES = Path(__file__).parents[1] / "src"
KINDS: dict[str, dict[str, dict[str, Any]]] = json.loads((SOURCES / "page" / "controls.json").read_text())
"""The models of each family, with the traits that the runtime follows."""
OPTIONS: list[str] = json.loads((SOURCES / "page" / "options.json").read_text())
"""What the page's address may say beside controls' values."""
MODULES = {"figures": "anywidget", "layouts": "@jupyter-widgets/base"}
CONTROLS_MODULE = "@jupyter-widgets/controls"
REFERENCE = "IPY_MODEL_"
MODEL_ID = re.compile(r"(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])")
"""The id of a model, as Jupyter draws it."""
VIEW_SCRIPT = re.compile(
    r'<script type="application/vnd\.jupyter\.widget-view\+json">(.*?)</script>', re.DOTALL
)
"""How MyST-NB shows a widget in a page's HTML; inside stands JSON with its ``model_id``."""

State = dict[str, dict[str, Any]]
"""Models by id, each with ``model_name``, ``model_module`` and ``state``."""

End = tuple[str, str]
"""One end of a link: a model's id and its trait."""


class View(NamedTuple):
    """A widget shown in the page: its model's id and, where known, the number of its notebook cell, from 1."""

    model: str
    cell: int | None


def state_of_views(state: State, views: Iterable[View]) -> State:
    """The part of ``state`` that the runtime reads for ``views``."""
    wanted: set[str] = set()
    queue = [view.model for view in views]
    while queue:
        while queue:
            id_ = queue.pop()
            if id_ in state and id_ not in wanted:
                wanted.add(id_)
                queue += _references({k: v for k, v in state[id_]["state"].items() if k != "style"})
        for id_, entry in state.items():
            if is_link(entry) and id_ not in wanted:
                (source, _), (target, _) = ends(entry)
                queue += [id_] if source in wanted or target in wanted else []
    return {id_: _without_defaults(entry) for id_, entry in state.items() if id_ in wanted}


def _without_defaults(entry: dict[str, Any]) -> dict[str, Any]:
    """A model without what only Jupyter reads: most of a plain slider is the hundred nulls of its layout."""
    values = {k: v for k, v in entry["state"].items() if not k.startswith(("_model_", "_view_"))}
    if entry["model_name"] in KINDS["layouts"]:
        values = {k: v for k, v in values.items() if v is not None}
    return {**entry, "state": values}


def short_ids(state: State, views: Iterable[View]) -> dict[str, str]:
    """A name for each model in place of its random id: "model-0" and so on, in the order in which the page meets it.

    Links, which no widget refers to, come last, in the order of their ends.
    """
    names: dict[str, str] = {}

    def visit(id_: str) -> None:
        if id_ in state and id_ not in names:
            names[id_] = f"model-{len(names)}"
            for other in _references(dict(sorted(state[id_]["state"].items()))):
                visit(other)

    for view in views:
        visit(view.model)
    links = {id_: ends(entry) for id_, entry in state.items() if is_link(entry)}
    for id_ in sorted(links, key=lambda id_: [(names.get(model, ""), trait) for model, trait in links[id_]]):
        visit(id_)
    return names


def rename_ids(text: str, names: dict[str, str]) -> str:
    """The text with these names in place of ids: two builds of a page agree."""
    return MODEL_ID.sub(lambda match: names.get(match[0], match[0]), text)


def texts(state: State, views: Iterable[View]) -> Iterator[str]:
    """Every text of a shown widget that may hold LaTeX."""
    for view in views:
        for id_ in drawn_inside(state, view.model):
            values = state.get(id_, {}).get("state", {})
            labels = [*(values.get("_options_labels") or ()), *(values.get("titles") or ())]
            candidates = (values.get("description"), values.get("value"), *labels)
            yield from (text for text in candidates if isinstance(text, str))


def extract_code(state: State) -> tuple[dict[str, str], dict[str, str]]:
    """Move the code of kernels and of figure modules out of ``state``, where names stay; returns both, by name.

    The style sheet of figures is left out: whatever shows them has it once.
    """
    kernels: dict[str, str] = {}
    modules: dict[str, str] = {}
    for entry in state.values():
        values = entry["state"]
        for kernel in values.get("kernels", ()):
            _replace_by_name(kernel, "source", kernels)
        if isinstance(values.get("_esm"), str):
            _replace_by_name(values, "_esm", modules)
        if values.get("_css") == bundle.style_sheet():
            del values["_css"]
    return kernels, modules


def _replace_by_name(values: dict[str, Any], field: str, sources: dict[str, str]) -> None:
    """Leave only a name where a source stood, and put the source under that name into ``sources``."""
    source = values[field]
    name = short_hash(source)
    values[field] = {"static": name}
    sources[name] = source


def register_script(register: str, sources: dict[str, str]) -> str:
    """A script that puts expressions by their names into this global object."""
    lines = [f'{register}["{name}"] = {source};\n' for name, source in sources.items()]
    return "".join([f"globalThis.{register} ??= {{}};\n", *lines])


def address_names(state: State, views: Iterable[View]) -> set[str]:
    """The names under which the page's address can set a control."""
    ids = {id_ for view in views for id_ in drawn_inside(state, view.model)}
    return {name for id_ in ids if (name := address_name(state, id_))}


def address_name(state: State, id_: str) -> str | None:
    """The name under which the page's address can set this control, if there is one: its class "url-…"."""
    classes = state.get(id_, {}).get("state", {}).get("_dom_classes") or ()
    return next((name.removeprefix("url-") for name in classes if name.startswith("url-")), None)


def drawn_inside(state: State, id_: str, above: tuple[str, ...] = ()) -> Iterator[str]:
    """The model and everything drawn inside it."""
    yield id_
    entry = state.get(id_)
    if entry and id_ not in above:
        for child in _references(entry["state"].get("children")):
            yield from drawn_inside(state, child, (*above, id_))


def is_link(entry: dict[str, Any]) -> bool:
    """Whether a model links the traits of two others."""
    return entry["model_name"] in KINDS["links"]


def ends(link: dict[str, Any]) -> tuple[End, End]:
    """The source and the target of a link."""
    (source, start), (target, end) = link["state"]["source"], link["state"]["target"]
    return (source.removeprefix(REFERENCE), start), (target.removeprefix(REFERENCE), end)


def family(entry: dict[str, Any]) -> str | None:
    """The list of ``controls.json`` that a model is in, if it is in one."""
    for name, kinds in KINDS.items():
        if entry["model_name"] in kinds and entry["model_module"] == MODULES.get(name, CONTROLS_MODULE):
            return name
    return None


def _references(value: Any) -> list[str]:
    """The ids of the models to which a trait's value refers."""
    if isinstance(value, str):
        return [value.removeprefix(REFERENCE)] if value.startswith(REFERENCE) else []
    values = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [id_ for inner in values for id_ in _references(inner)]
