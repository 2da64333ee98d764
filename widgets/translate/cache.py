"""Caches translations on disk: tracing takes seconds, and a build with its tests needs each figure many times.

A translation depends on the function of the book that makes the figure, on all that its file depends on, on the
versions of torch and Python, on what the program's functions close over, and on the figure's default values. Their hash
is the name of the file, so that a change in any of them leads to a new one. Figures that a notebook or a test makes are
always translated anew.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from functools import partial
from pathlib import Path
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import torch
from torch import Tensor

from lib.program import Program
from widgets.dependencies import ROOT, closure, digest

FOLDER = ROOT / "_build" / ".kernels"
"""The cache's folder: beside the built pages, so that it is removed with them."""


def translation(
    kind: type[Any],
    translate: Callable[[Program, dict[str, float]], Any],
    steady: Callable[[Program, dict[str, float]], Any],
    program: Program,
    values: dict[str, float],
    name: str,
) -> Any:
    """``translate(program, values)``, from disk if the same function of the book was translated before.

    Args:
        kind: the type that ``translate`` returns: plain data, and one tensor of float64 called ``constants``.
        translate: translates a program at the figure's default values.
        steady: translates figures that are not the book's, by authors who may not know what can be traced.
        program: what the figure runs.
        values: the default of each parameter.
        name: the figure's.
    """
    maker, file = _maker()
    if not maker:
        return steady(program, values)
    parts = (digest(closure(Path(file))), maker, name, values, *described(program))
    path = FOLDER / f"{hashlib.sha256(repr(parts).encode()).hexdigest()}.json"
    if not path.exists():
        result = translate(program, values)
        record = result._asdict() | {
            "constants": base64.b64encode(result.constants.numpy().tobytes()).decode()
        }
        FOLDER.mkdir(parents=True, exist_ok=True)
        temporary = path.with_suffix(f".{os.getpid()}")
        temporary.write_text(json.dumps(record))
        temporary.replace(path)  # whole or not at all, whoever else writes it
        return result
    path.touch()
    record = json.loads(path.read_text())
    numbers = bytearray(base64.b64decode(record["constants"]))
    constants = (
        torch.frombuffer(numbers, dtype=torch.float64) if numbers else torch.empty(0, dtype=torch.float64)
    )
    return kind(**{**record, "constants": constants})


def described(value: Any, above: tuple[int, ...] = ()) -> Iterator[str]:
    """What distinguishes a program from others of the same files: names of functions, and all values that they hold.

    An object without a description is identified by its address, so that no other translation is taken for its own.

    Args:
        value: the program, or a part of it.
        above: the addresses of what it is a part of.
    """
    inner: Iterable[Any] = ()
    if isinstance(value, Tensor):
        numbers = hashlib.sha256(value.detach().contiguous().numpy().tobytes()).hexdigest()
        yield f"{value.dtype} {tuple(value.shape)} {numbers}"
    elif isinstance(value, partial):
        inner = (value.func, value.args, value.keywords)
    elif isinstance(value, MethodType):
        inner = (value.__self__, value.__func__)
    elif isinstance(value, FunctionType):
        yield f"{value.__module__}.{value.__qualname__}"
        cells = [cell.cell_contents for cell in value.__closure__ or ()]
        inner = (cells, value.__defaults__, value.__kwdefaults__)
    elif isinstance(value, (type, ModuleType, BuiltinFunctionType)):
        yield f"{getattr(value, '__module__', '')}.{value.__name__}"
    elif isinstance(value, Mapping):
        inner = value.items()
    elif isinstance(value, (tuple, list)):
        yield str(len(value))
        inner = value
    elif hasattr(value, "__wrapped__"):
        inner = (value.__wrapped__,)
    elif hasattr(value, "__dict__") and not isinstance(value, Enum):
        yield type(value).__qualname__
        inner = vars(value).items()
    else:
        yield repr(value)
    if id(value) not in above:
        for part in inner:
            yield from described(part, (*above, id(value)))


def forget(days: float = 30) -> None:
    """Remove the translations that have not been used for so many days."""
    for path in FOLDER.glob("*.json"):
        if time.time() - path.stat().st_mtime > days * 24 * 3600:
            path.unlink()


def _maker() -> tuple[str, str]:
    """The function of the book that is making a figure, and its file; two empty strings if there is none."""
    frame = sys._getframe(1)
    while frame is not None:
        module = frame.f_globals.get("__name__", "")
        if module.startswith("book."):
            return f"{module}.{frame.f_code.co_qualname}", frame.f_globals["__file__"]
        frame = frame.f_back  # type: ignore[assignment]
    return "", ""
