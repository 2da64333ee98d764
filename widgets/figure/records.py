"""``python -m widgets.figure.records``: write the records of views and scenes as types for the page's JavaScript.

``widgets/src/records.d.ts`` follows from the fields and annotations of the classes in :mod:`widgets.figure.panels` and
in :mod:`widgets.figure.scenes`, by which :func:`widgets.figure.validate_view.check_type` checks what a page hands over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from widgets import node
from widgets.figure import panels, scenes

FILE = node.HERE / "src" / "records.d.ts"
HEAD = "/** What `python -m widgets.figure.records` makes of widgets/figure/panels.py and scenes.py. */\n"
SENT = (scenes.Scene, scenes.Step, panels.Row, panels.StoryCard, panels.TruthMap)
"""The records that a figure is sent, with all that is in them."""
NAMED = {
    name: value
    for module in (panels, scenes)
    for name, value in vars(module).items()
    if (get_origin(value) in (Literal, UnionType) and name != "Field") or name == "Pair"
}
"""Types with a name, which is theirs in JavaScript, too."""
PLAIN = {str: "string", bool: "boolean", int: "number", float: "number", NoneType: "null"}
FUNCTION = get_origin(Callable[[Any], Any])
"""What may stand for a field: by the time that it is sent, it has been given a name."""


def records(kinds: Iterable[Any]) -> dict[str, Any]:
    """The classes of records within types, by their names."""
    found: dict[str, Any] = {}
    for kind in kinds:
        if hasattr(kind, "_fields"):
            found[kind.__name__] = kind
        inside = get_type_hints(kind).values() if hasattr(kind, "_fields") else get_args(kind)
        found |= records(inside)
    return found


def typed(kind: Any) -> str:
    """A type as TypeScript writes it, by its name if it has one."""
    return next((name for name, value in NAMED.items() if value == kind), "") or spelled_out(kind)


def spelled_out(kind: Any) -> str:
    """A type as TypeScript writes it."""
    origin, within = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return " | ".join(dict.fromkeys(typed(one) for one in within if get_origin(one) is not FUNCTION))
    if origin is Literal:
        return " | ".join(f'"{one}"' for one in within)
    if origin is tuple:
        return f"Array<{typed(within[0])}>" if within[-1] is ... else f"[{', '.join(map(typed, within))}]"
    if origin is dict:
        return f"Record<{', '.join(map(typed, within))}>"
    return PLAIN.get(kind) or str(kind.__name__)


def declarations() -> Iterator[str]:
    """The text of the file, piece by piece."""
    yield HEAD
    for name, value in NAMED.items():
        yield f"export type {name} = {spelled_out(value)};"
    for name, record in records(SENT).items():
        summary = (record.__doc__ or "").strip().partition("\n")[0]
        yield f"\n/** {summary} */\nexport interface {name} {{"
        yield from (f"  {field}: {typed(kind)};" for field, kind in get_type_hints(record).items())
        yield "}"


def text() -> str:
    """The whole file."""
    return "\n".join(declarations()) + "\n"


if __name__ == "__main__":
    FILE.write_text(text())
