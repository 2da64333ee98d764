"""Refuses the widgets of a page that would be dead without a kernel: each complaint names the cell and the control."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from widgets.site.state import (
    KINDS,
    OPTIONS,
    End,
    State,
    View,
    address_name,
    drawn_inside,
    ends,
    family,
    is_link,
    state_of_views,
)


def problems(state: State, views: Iterable[View]) -> list[str]:
    """What would be dead in the static page, one sentence each; empty if there is nothing."""
    views = list(views)
    cells: dict[str, int | None] = {}
    complaints: list[str] = []
    for view in views:
        for id_ in drawn_inside(state, view.model):
            is_new = id_ not in cells
            cells.setdefault(id_, view.cell)
            if is_new and (complaint := _cannot_drive(state, id_)):
                complaints.append(_sentence(state, id_, view.cell, complaint))
    page_state = state_of_views(state, views)
    links = [ends(entry) for entry in page_state.values() if is_link(entry)]
    complaints += _bad_links(state, cells, links)
    if not complaints:  # one cause is enough: a bad control or link also leaves something unlinked
        complaints += _idle_inputs(page_state, cells)
    return [
        *complaints,
        *_inputs_read_as_html(page_state, cells),
        *_figures_of_one_name(state, cells),
        *_controls_of_one_name(state, cells),
    ]


def _cannot_drive(state: State, id_: str) -> str | None:
    """Why the runtime cannot drive a control, or None."""
    if id_ not in state:
        return "its model is not in the page (was it closed, or the notebook not run?)"
    entry = state[id_]
    if "widget-interact" in (entry["state"].get("_dom_classes") or ()):
        return "interact needs a kernel; the static page cannot drive this control: jslink it to a figure"
    if family(entry) == "figures" and not entry["state"].get("_esm"):
        return "its module is not in the page"
    if family(entry) in ("inputs", "texts", "boxes", "figures"):
        return None
    return "the static page cannot drive this control"


def _bad_links(state: State, cells: dict[str, int | None], links: list[tuple[End, End]]) -> Iterator[str]:
    """Links to what is not in the page, or to a trait that nothing follows."""
    for link in links:
        cell = next((cells[id_] for id_, _ in link if id_ in cells), None)
        for (id_, trait), (other, _) in (link, link[::-1]):
            complaint = None
            if id_ in state:
                complaint = _cannot_link(state, id_, trait)
                if other not in state:
                    complaint = f"its trait {trait!r} is linked to a widget that is not in the page"
            if complaint:
                yield _sentence(state, id_, cells.get(id_, cell), complaint)


def _cannot_link(state: State, id_: str, trait: str) -> str | None:
    """Why the runtime cannot follow a linked trait, or None."""
    entry = state[id_]
    entry_family = family(entry)
    if entry_family == "figures":
        buffers = {buffer["path"][0] for buffer in entry.get("buffers") or ()}
        exists = trait in entry["state"] or trait in buffers
        return None if exists else f"its trait {trait!r} is linked, but it has no such trait"
    followed = {**KINDS[entry_family][entry["model_name"]], **KINDS["common"]} if entry_family else {}
    if trait in followed:
        return None
    instead = ": link 'index'" if "index" in followed and trait == "value" else ""
    return f"its trait {trait!r} cannot be linked in the static page{instead}"


def _idle_inputs(state: State, cells: dict[str, int | None]) -> Iterator[str]:
    """Inputs that can be moved, and move nothing."""
    followers = _followers(state)
    for id_, cell in cells.items():
        entry = state[id_]
        if family(entry) != "inputs" or entry["state"].get("disabled"):
            continue
        trait = _input_trait(entry)
        if not any(_is_visible(state, cells, end) for end in _reach(followers, (id_, trait))):
            complaint = f"moves nothing in the static page: jslink its {trait!r} to a figure, or disable it"
            yield _sentence(state, id_, cell, complaint)


def _inputs_read_as_html(state: State, cells: dict[str, int | None]) -> Iterator[str]:
    """Texts that a reader, or an address, may set and that would be read as HTML."""
    followers = _followers(state)
    for id_, cell in cells.items():
        if state.get(id_, {}).get("model_name") in ("TextModel", "TextareaModel"):
            for other, trait in _reach(followers, (id_, "value")):
                kind, values = state[other]["model_name"], state[other]["state"]
                if (trait == "value" and kind.startswith("HTML")) or (
                    trait == "description" and values.get("description_allow_html")
                ):
                    widget = kind.removesuffix("Model")
                    complaint = f"what is typed would be read as HTML, in {widget}: link a Label"
                    yield _sentence(state, id_, cell, complaint)


def _figures_of_one_name(state: State, cells: dict[str, int | None]) -> Iterator[str]:
    """Figures whose name another figure of the page has."""
    specs = {id_: state.get(id_, {}).get("state", {}).get("spec") for id_ in cells}
    names = {id_: spec["name"] for id_, spec in specs.items() if spec}
    count = Counter(names.values())
    for id_, name in names.items():
        if count[name] > 1:
            complaint = f"{count[name]} figures of the page are called {name!r}: name= must differ, as prose follows it"
            yield _sentence(state, id_, cells[id_], complaint)


def _controls_of_one_name(state: State, cells: dict[str, int | None]) -> Iterator[str]:
    """Controls whose name in addresses another control has, or an option."""
    names = {id_: name for id_ in cells if (name := address_name(state, id_))}
    count = Counter(names.values())
    for id_, name in names.items():
        if count[name] > 1:
            complaint = f"{count[name]} controls of the page have the class 'url-{name}': names must differ"
            yield _sentence(state, id_, cells[id_], complaint)
        if name in OPTIONS:
            complaint = f"'url-{name}': an address means something else by {', '.join(OPTIONS)}"
            yield _sentence(state, id_, cells[id_], complaint)


def _input_trait(entry: dict[str, Any]) -> str:
    """The trait that a reader moves."""
    return "index" if "index" in KINDS["inputs"][entry["model_name"]] else "value"


def _followers(state: State) -> dict[End, list[End]]:
    """For each end of a link, the ends that follow it."""
    followers: dict[End, list[End]] = {}
    for entry in state.values():
        if is_link(entry):
            source, target = ends(entry)
            followers.setdefault(source, []).append(target)
            if entry["model_name"] == "LinkModel":
                followers.setdefault(target, []).append(source)
    return followers


def _reach(followers: dict[End, list[End]], start: End) -> set[End]:
    """The ends that move with ``start``, at any remove."""
    reached, queue = {start}, [start]
    while queue:
        new = set(followers.get(queue.pop(), ())) - reached
        reached |= new
        queue += new
    return reached


def _is_visible(state: State, cells: dict[str, int | None], end: End) -> bool:
    """Whether a reader sees more of a moved trait than another input's position."""
    id_, trait = end
    entry = state[id_]
    entry_family = family(entry)
    if entry_family == "inputs":
        return id_ in cells and trait != _input_trait(entry)
    return entry_family == "layouts" or id_ in cells


def _sentence(state: State, id_: str, cell: int | None, complaint: str) -> str:
    """The complaint with the cell and the control that it is about."""
    entry = state.get(id_, {"model_name": "widget", "state": {}})
    description = entry["state"].get("description")
    name = entry["model_name"].removesuffix("Model") + (f" '{description}'" if description else "")
    return f"cell {cell}: {name}: {complaint}" if cell else f"{name}: {complaint}"
