"""What tells a function from others in another process: its place in its file, its files, and all that it closes over.

Figures of several pages often run one program, and differ in what they report of it. By their fingerprints the kernels
that they share are found on disk.
"""

from __future__ import annotations

import hashlib
import sys
from functools import cache, partial
from pathlib import Path
from types import FunctionType, MethodType, ModuleType
from typing import Any

import torch
from torch import Tensor
from torch.utils import _pytree as pytree

from widgets.dependencies import ROOT, closure, code_digest

PLAIN = (str, bytes, int, float, complex, type(None), torch.dtype)
"""Their ``repr`` says all."""

DTYPES = (torch.float64, torch.float32, torch.int64, torch.bool)
"""The types of the tensors that programs close over."""


class Unknown(Exception):
    """A thing of which it cannot be said in another process whether it is the same."""


def fingerprint(thing: Any) -> str:
    """A hash that two things share only if they do the same, whichever processes they are in.

    Raises:
        Unknown: the thing, or what it is made of, is of a kind that has none: a set, an open file, code of a cell.
    """
    return hashlib.sha256(repr(_parts(thing, {})).encode()).hexdigest()


def _parts(thing: Any, seen: dict[int, tuple[int, Any]]) -> Any:
    """The thing as nested tuples of texts.

    Args:
        seen: the things around it and ahead of it with their places, by their ids, which nothing else may get.
    """
    if type(thing) in (*PLAIN, bool):
        return type(thing).__name__, repr(thing)
    if id(thing) in seen:
        return "again", seen[id(thing)][0]
    seen[id(thing)] = len(seen), thing

    def inner(*things: Any) -> tuple[Any, ...]:
        return tuple(_parts(one, seen) for one in things)

    if isinstance(thing, type):
        module = sys.modules.get(thing.__module__)
        files = _files(getattr(module, "__file__", None) or "")
        return "class", thing.__module__, thing.__qualname__, files, getattr(thing, "_fields", ())
    if isinstance(thing, FunctionType):
        code = thing.__code__
        where = Path(code.co_filename).name, thing.__qualname__, tuple(code.co_positions())
        try:
            held = [cell.cell_contents for cell in thing.__closure__ or ()]
        except ValueError as error:  # nothing is there yet
            raise Unknown(thing.__qualname__) from error
        around = inner(*held, thing.__defaults__, thing.__kwdefaults__)
        return "function", where, _files(code.co_filename), around
    if isinstance(thing, MethodType):
        return "method", inner(thing.__func__, thing.__self__)
    if isinstance(thing, partial):
        return "partial", inner(thing.func, thing.args, thing.keywords)
    if type(thing) is Tensor and thing.dtype in DTYPES and thing.layout == torch.strided:
        numbers = hashlib.sha256(thing.detach().contiguous().numpy().tobytes()).hexdigest()
        return "tensor", str(thing.dtype), tuple(thing.shape), numbers
    if isinstance(thing, pytree.TreeSpec):
        return "tree", inner(thing.type, thing.context, *thing.children())
    if isinstance(thing, (tuple, list)):
        return "row", inner(type(thing), *thing)
    if type(thing) is dict:
        return "dict", inner(*thing.keys(), *thing.values())
    if isinstance(thing, ModuleType):
        return "module", thing.__name__
    if type(thing).__module__.partition(".")[0] in ("book", "lib", "widgets") and hasattr(thing, "__dict__"):
        return "object", inner(type(thing), vars(thing))
    raise Unknown(f"{type(thing)}")


@cache
def _files(file: str) -> str:
    """A hash of the code of a file and of all that it rests on; of an installed one only its name.

    Raises:
        Unknown: there is no such file.
    """
    path = Path(file)
    if not path.is_relative_to(ROOT) or "site-packages" in path.parts:
        if file and not path.exists():
            raise Unknown(file)
        return path.name
    return code_digest(closure(path))
