"""The widgets of a page, as JSON: whether the static page can drive them, and no more of them than it needs.

``src/page/controls.json`` lists what ``src/page/runtime.js`` can drive, with the traits it follows.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from widgets.site.policy import digest

KINDS: dict[str, dict[str, dict[str, Any]]] = json.loads(
    (Path(__file__).parents[1] / "src" / "page" / "controls.json").read_text()
)
OPTIONS: list[str] = json.loads((Path(__file__).parents[1] / "src" / "page" / "options.json").read_text())
"""What the page's address may say beside controls' values."""
MODULES = {"figures": "anywidget", "layouts": "@jupyter-widgets/base"}
CONTROLS_MODULE = "@jupyter-widgets/controls"
REFERENCE = "IPY_MODEL_"
ID = re.compile(r"(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])")
"""Of a model, as Jupyter draws it."""
VIEW_SCRIPT = re.compile(
    r'<script type="application/vnd\.jupyter\.widget-view\+json">(.*?)</script>', re.DOTALL
)
"""How MyST-NB shows a widget in a page's HTML; inside stands JSON with its ``model_id``."""

State = dict[str, dict[str, Any]]
"""Models by id, each with ``model_name``, ``model_module`` and ``state``."""

End = tuple[str, str]
"""Of a link: a model's id and its trait."""


class View(NamedTuple):
    """A widget shown in the page: its model's id and, where known, the number of its notebook cell, from 1."""

    model: str
    cell: int | None


def problems(state: State, views: Iterable[View]) -> list[str]:
    """What would be dead in the static page, one sentence each; empty if there is nothing."""
    views = list(views)
    shown: dict[str, int | None] = {}
    found: list[str] = []
    for view in views:
        for id_ in _tree(state, view.model):
            new = id_ not in shown
            shown.setdefault(id_, view.cell)
            if new and (complaint := _cannot_drive(state, id_)):
                found.append(_sentence(state, id_, view.cell, complaint))
    kept = needed(state, views)
    found += _bad_links(
        state, shown, [_ends(entry) for entry in kept.values() if entry["model_name"] in KINDS["links"]]
    )
    if not found:  # one cause is enough: a bad control or link also leaves something unlinked
        found += _unlinked(kept, shown)
    return [*found, *_markup(kept, shown), *_same_names(state, shown)]


def address_names(state: State, views: Iterable[View]) -> set[str]:
    """The names under which the page's address can set a control."""
    return {name for view in views for id_ in _tree(state, view.model) if (name := _address_name(state, id_))}


def needed(state: State, views: Iterable[View]) -> State:
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
            if entry["model_name"] in KINDS["links"] and id_ not in wanted:
                (source, _), (target, _) = _ends(entry)
                queue += [id_] if source in wanted or target in wanted else []
    return {id_: _slim(entry) for id_, entry in state.items() if id_ in wanted}


def numbers(state: State, views: Iterable[View]) -> dict[str, str]:
    """A name for each model instead of its random id, in the order in which the page meets it; links by their ends."""
    names: dict[str, str] = {}

    def meet(id_: str) -> None:
        if id_ in state and id_ not in names:
            names[id_] = f"model-{len(names)}"
            for other in _references(dict(sorted(state[id_]["state"].items()))):
                meet(other)

    for view in views:
        meet(view.model)
    links = {id_: _ends(entry) for id_, entry in state.items() if entry["model_name"] in KINDS["links"]}
    for id_ in sorted(links, key=lambda id_: [(names.get(model, ""), trait) for model, trait in links[id_]]):
        meet(id_)
    return names


def renamed(text: str, names: dict[str, str]) -> str:
    """A text in which models go by these names: two builds of a page agree."""
    return ID.sub(lambda found: names.get(found[0], found[0]), text)


def texts(state: State, views: Iterable[View]) -> Iterator[str]:
    """Every text of a shown widget that may hold LaTeX."""
    for view in views:
        for id_ in _tree(state, view.model):
            values = state.get(id_, {}).get("state", {})
            labels = [*(values.get("_options_labels") or ()), *(values.get("titles") or ())]
            yield from (
                t for t in (values.get("description"), values.get("value"), *labels) if isinstance(t, str)
            )


def without_code(state: State) -> tuple[dict[str, str], dict[str, str]]:
    """Move the kernels' and the figure modules' code out of ``state``, where names stay; returns both, by name."""
    kernels: dict[str, str] = {}
    modules: dict[str, str] = {}
    for entry in state.values():
        values = entry["state"]
        for kernel in values.get("kernels", ()):
            _named(kernel, "source", kernels)
        if isinstance(values.get("_esm"), str):
            _named(values, "_esm", modules)
    return kernels, modules


def _named(values: dict[str, Any], field: str, sources: dict[str, str]) -> None:
    """Leave only a name where a source stood, and put the source under that name into ``sources``."""
    source = values[field]
    name = digest(source)
    values[field] = {"static": name}
    sources[name] = source


def registering(register: str, sources: dict[str, str]) -> str:
    """A script that registers expressions by their names."""
    lines = [f'{register}["{name}"] = {source};\n' for name, source in sources.items()]
    return "".join([f"globalThis.{register} ??= {{}};\n", *lines])


def _slim(entry: dict[str, Any]) -> dict[str, Any]:
    """Without what only Jupyter reads: most of a plain slider is the hundred nulls of its layout."""
    values = {k: v for k, v in entry["state"].items() if not k.startswith(("_model_", "_view_"))}
    if entry["model_name"] in KINDS["layouts"]:
        values = {k: v for k, v in values.items() if v is not None}
    return {**entry, "state": values}


def _tree(state: State, id_: str, above: tuple[str, ...] = ()) -> Iterator[str]:
    """The model and everything drawn inside it."""
    yield id_
    entry = state.get(id_)
    if entry and id_ not in above:
        for child in _references(entry["state"].get("children")):
            yield from _tree(state, child, (*above, id_))


def _references(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value.removeprefix(REFERENCE)] if value.startswith(REFERENCE) else []
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [id_ for item in items for id_ in _references(item)]


def _ends(link: dict[str, Any]) -> tuple[End, End]:
    (source, start), (target, end) = link["state"]["source"], link["state"]["target"]
    return (source.removeprefix(REFERENCE), start), (target.removeprefix(REFERENCE), end)


def _family(entry: dict[str, Any]) -> str | None:
    """The list of ``controls.json`` that a model is in."""
    for family, kinds in KINDS.items():
        if entry["model_name"] in kinds and entry["model_module"] == MODULES.get(family, CONTROLS_MODULE):
            return family
    return None


def _cannot_drive(state: State, id_: str) -> str | None:
    if id_ not in state:
        return "its model is not in the page (was it closed, or the notebook not run?)"
    entry = state[id_]
    if "widget-interact" in (entry["state"].get("_dom_classes") or ()):
        return "interact needs a kernel; the static page cannot drive this control: jslink it to a figure"
    if _family(entry) == "figures" and not entry["state"].get("_esm"):
        return "its module is not in the page"
    if _family(entry) in ("inputs", "texts", "boxes", "figures"):
        return None
    return "the static page cannot drive this control"


def _bad_links(state: State, shown: dict[str, int | None], links: list[tuple[End, End]]) -> Iterator[str]:
    for link in links:
        cell = next((shown[id_] for id_, _ in link if id_ in shown), None)
        for (id_, trait), (other, _) in (link, link[::-1]):
            complaint = None
            if id_ in state:
                complaint = _cannot_link(state, id_, trait)
                if other not in state:
                    complaint = f"its trait {trait!r} is linked to a widget that is not in the page"
            if complaint:
                yield _sentence(state, id_, shown.get(id_, cell), complaint)


def _cannot_link(state: State, id_: str, trait: str) -> str | None:
    entry = state[id_]
    family = _family(entry)
    if family == "figures":
        buffers = {buffer["path"][0] for buffer in entry.get("buffers") or ()}
        there = trait in entry["state"] or trait in buffers
        return None if there else f"its trait {trait!r} is linked, but it has no such trait"
    followed = {**KINDS[family][entry["model_name"]], **KINDS["common"]} if family else {}
    if trait in followed:
        return None
    instead = ": link 'index'" if "index" in followed and trait == "value" else ""
    return f"its trait {trait!r} cannot be linked in the static page{instead}"


def _unlinked(state: State, shown: dict[str, int | None]) -> Iterator[str]:
    """Inputs that move, and move nothing."""
    moves = _moves(state)
    for id_, cell in shown.items():
        entry = state[id_]
        if _family(entry) != "inputs" or entry["state"].get("disabled"):
            continue
        trait = _trait(entry)
        if not any(_is_effect(state, shown, end) for end in _reach(moves, (id_, trait))):
            complaint = f"moves nothing in the static page: jslink its {trait!r} to a figure, or disable it"
            yield _sentence(state, id_, cell, complaint)


def _markup(state: State, shown: dict[str, int | None]) -> Iterator[str]:
    """Texts that a reader, or an address, may set and that would be read as HTML."""
    moves = _moves(state)
    for id_, cell in shown.items():
        if state.get(id_, {}).get("model_name") == "TextModel":
            for other, trait in _reach(moves, (id_, "value")):
                kind, values = state[other]["model_name"], state[other]["state"]
                if (trait == "value" and kind.startswith("HTML")) or (
                    trait == "description" and values.get("description_allow_html")
                ):
                    complaint = (
                        f"what is typed would be read as HTML, in {kind.removesuffix('Model')}: link a Label"
                    )
                    yield _sentence(state, id_, cell, complaint)


def _trait(entry: dict[str, Any]) -> str:
    """The trait that a reader moves."""
    return "index" if "index" in KINDS["inputs"][entry["model_name"]] else "value"


def _moves(state: State) -> dict[End, list[End]]:
    """For each end of a link, the ends that follow it."""
    moves: dict[End, list[End]] = {}
    for entry in state.values():
        if entry["model_name"] in KINDS["links"]:
            source, target = _ends(entry)
            moves.setdefault(source, []).append(target)
            if entry["model_name"] == "LinkModel":
                moves.setdefault(target, []).append(source)
    return moves


def _reach(moves: dict[End, list[End]], start: End) -> set[End]:
    reached, queue = {start}, [start]
    while queue:
        new = set(moves.get(queue.pop(), ())) - reached
        reached |= new
        queue += new
    return reached


def _is_effect(state: State, shown: dict[str, int | None], end: End) -> bool:
    """Whether a reader sees more of a moved trait than another input's position."""
    id_, trait = end
    entry = state[id_]
    family = _family(entry)
    if family == "inputs":
        return id_ in shown and trait != _trait(entry)
    return family == "layouts" or id_ in shown


def _same_names(state: State, shown: dict[str, int | None]) -> Iterator[str]:
    called = {id_: spec["name"] for id_ in shown if (spec := state.get(id_, {}).get("state", {}).get("spec"))}
    for id_, name in called.items():
        if (twice := list(called.values()).count(name)) > 1:
            complaint = (
                f"{twice} figures of the page are called {name!r}: name= must differ, as prose follows it"
            )
            yield _sentence(state, id_, shown[id_], complaint)
    names = {id_: name for id_ in shown if (name := _address_name(state, id_))}
    count = Counter(names.values())
    for id_, name in names.items():
        if count[name] > 1:
            complaint = f"{count[name]} controls of the page have the class 'url-{name}': names must differ"
            yield _sentence(state, id_, shown[id_], complaint)
        if name in OPTIONS:
            complaint = f"'url-{name}': an address means something else by {', '.join(OPTIONS)}"
            yield _sentence(state, id_, shown[id_], complaint)


def _address_name(state: State, id_: str) -> str | None:
    classes = state.get(id_, {}).get("state", {}).get("_dom_classes") or ()
    return next((name.removeprefix("url-") for name in classes if name.startswith("url-")), None)


def _sentence(state: State, id_: str, cell: int | None, complaint: str) -> str:
    entry = state.get(id_, {"model_name": "widget", "state": {}})
    description = entry["state"].get("description")
    name = entry["model_name"].removesuffix("Model") + (f" '{description}'" if description else "")
    return f"cell {cell}: {name}: {complaint}" if cell else f"{name}: {complaint}"
