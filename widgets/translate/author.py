"""The author's own code: where in the function that is translated a step was written.

Torch's own files, this package, Python's library and other installed packages are nobody's own.
"""

from __future__ import annotations

import functools
import linecache
import re
import sysconfig
from itertools import islice
from pathlib import Path
from types import CodeType, FrameType, TracebackType

import torch

WIDGETS = Path(__file__).parent.parent
LIBRARIES = [sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")]
FOREIGN = tuple(f"{folder}/" for folder in (WIDGETS, Path(torch.__file__).parent, *LIBRARIES))
TORCH = f"{Path(torch.__file__).parent}/"
OPERATIONS = tuple(
    f"{TORCH}{part}"
    for part in (
        *("_compile", "_decomp", "_dynamo", "_functorch", "_higher_order_ops", "_jit_internal", "_logging"),
        *(
            "_meta_registrations",
            "_ops",
            "_prims",
            "_refs",
            "_subclasses",
            "_tensor",
            "_utils",
            "fx",
            "overrides",
        ),
        *("functional.py", "utils"),
    )
)
"""Where torch's operations themselves are, and what traces them."""
LINE = re.compile(r"\bline \d+ of (the cell|\S+)")
"""How a line is named in a sentence."""
LONGEST = 80
"""Most characters of a line that are quoted."""


def line(frame: FrameType | None) -> str:
    """The innermost line of the author's at or around a frame: "line 12 of loop.py, `torch.sort(p)`"; "" if none."""
    while frame and not is_own(frame.f_code.co_filename):
        frame = frame.f_back
    return _written(frame.f_code, frame.f_lineno, frame.f_lasti) if frame else ""


def line_of(error: BaseException) -> str:
    """The author's line at which an error was raised, the innermost one; "" if there is none."""
    found = ""
    for step in _steps(error.__traceback__):
        code = step.tb_frame.f_code
        if is_own(code.co_filename):
            found = _written(code, step.tb_lineno, step.tb_lasti)
    return found


def raised_in(error: BaseException) -> str:
    """The file of torch's that the author's line called, and that raised an error: "torch/optim/sgd.py".

    "" if the line itself did, by an operation on tensors.
    """
    found = ""
    for step in _steps(error.__traceback__):
        file = step.tb_frame.f_code.co_filename
        if is_own(file):
            found = ""
        elif not found and file.startswith(TORCH) and not file.startswith(OPERATIONS):
            found = f"torch/{file.removeprefix(TORCH)}"
    return found


def _steps(traceback: TracebackType | None) -> list[TracebackType]:
    steps = []
    while traceback:
        steps.append(traceback)
        traceback = traceback.tb_next
    return steps


@functools.cache
def is_own(file: str) -> bool:
    """Whether a file is the author's."""
    if file.startswith("<"):  # compiled from text: a cell of an old notebook, or what torch has written
        return file in linecache.cache and "eval_with_key" not in file
    return not file.startswith(FOREIGN) and "site-packages" not in file


@functools.cache
def _written(code: CodeType, number: int, instruction: int) -> str:
    file = Path(code.co_filename)
    is_cell = "ipykernel" in code.co_filename or code.co_filename.startswith("<")
    text = _expression(code, number, instruction)
    where = f"line {number} of {'the cell' if is_cell else file.name}"
    return f"{where}, `{text}`" if text else where


def _expression(code: CodeType, number: int, instruction: int) -> str:
    """What stands there: the call itself, if it is on one line, else the line."""
    whole = linecache.getline(code.co_filename, number)
    first, last, begin, end = next(islice(code.co_positions(), instruction // 2, None), (None,) * 4)
    if first == last == number and begin is not None and end is not None:
        text = whole.encode()[begin:end].decode()
    else:
        text = whole
    text = text.strip()
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} …"
