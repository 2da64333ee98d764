"""Translations kept on disk: tracing takes seconds, and one build with its tests needs each figure many times.

A translation depends on the function of the book that makes the figure, on all that its file rests on, on the versions
of torch and Python, and on the figure's default values. Their hash is the name of the file, so that a change in any of
them leads to a new one. Figures made elsewhere, in a notebook or a test, are always translated anew.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from lib.solve import Program
from widgets.sources import ROOT, closure, digest

FOLDER = ROOT / "_build" / ".kernels"
"""Beside the built pages, so that it goes when they do."""


def translation(
    kind: type[Any],
    translate: Callable[[Program, dict[str, float]], Any],
    program: Program,
    values: dict[str, float],
    name: str,
) -> Any:
    """``translate(program, values)``, from disk if it was done before for the same function of the book.

    Args:
        kind: what ``translate`` returns: plain data, and one tensor of float64 called ``constants``.
        name: of the figure.
    """
    maker, file = _maker()
    if not maker:
        return translate(program, values)
    stages = [stage.name for stage in program.stages]
    parts = (
        digest(closure(Path(file))),
        maker,
        name,
        program.parameters.__qualname__,
        stages,
        program.domains,
        values,
    )
    path = FOLDER / f"{hashlib.sha256(repr(parts).encode()).hexdigest()}.json"
    if not path.exists():
        made = translate(program, values)
        record = made._asdict() | {"constants": base64.b64encode(made.constants.numpy().tobytes()).decode()}
        FOLDER.mkdir(parents=True, exist_ok=True)
        fresh = path.with_suffix(f".{os.getpid()}")
        fresh.write_text(json.dumps(record))
        fresh.replace(path)  # whole or not at all, whoever else writes it
        return made
    path.touch()
    record = json.loads(path.read_text())
    numbers = bytearray(base64.b64decode(record["constants"]))
    constants = (
        torch.frombuffer(numbers, dtype=torch.float64) if numbers else torch.empty(0, dtype=torch.float64)
    )
    return kind(**{**record, "constants": constants})


def forget(days: float = 30) -> None:
    """Remove the translations that nobody has asked for in so many days."""
    for path in FOLDER.glob("*.json"):
        if time.time() - path.stat().st_mtime > days * 24 * 3600:
            path.unlink()


def _maker() -> tuple[str, str]:
    """The function of the book that is making a figure, and its file; nothing if there is none."""
    frame = sys._getframe(1)
    while frame is not None:
        module = frame.f_globals.get("__name__", "")
        if module.startswith("book."):
            return f"{module}.{frame.f_code.co_qualname}", frame.f_globals["__file__"]
        frame = frame.f_back  # type: ignore[assignment]
    return "", ""
