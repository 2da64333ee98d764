"""Run a figure's whole program in Node, with the page's own loop."""

from __future__ import annotations

import base64
import functools
import json
import math
import subprocess
from pathlib import Path
from typing import Any

import torch

from widgets import node
from widgets.figure.live import Figure

HERE = Path(__file__).parent


def encoded(numbers: list[float]) -> str:
    return base64.b64encode(torch.tensor(numbers, dtype=torch.float64).numpy().tobytes()).decode()


def in_the_page(
    figure: Figure, settings: list[dict[str, float]]
) -> list[tuple[list[list[int]], torch.Tensor]]:
    """The steps kept and all numbers of a run of the page's code at each of the ``settings``, one after the other."""
    return [
        (
            result["steps"],
            torch.frombuffer(bytearray(base64.b64decode(result["numbers"])), dtype=torch.float64),
        )
        for result in _results(figure, settings)
    ]


def stages_kept(figure: Figure, settings: list[dict[str, float]]) -> list[int]:
    """How many stages each of these runs took over from the one before it."""
    return [result["kept"] for result in _results(figure, settings)]


def _results(figure: Figure, settings: list[dict[str, float]]) -> list[dict[str, Any]]:
    job = {
        "kernels": figure.kernels,
        "constants": base64.b64encode(figure.constants).decode(),
        "stages": figure.spec["stages"],
        "positions": [
            encoded([float(values[p["name"]]) for p in figure.spec["parameters"]]) for values in settings
        ],
    }
    done = subprocess.run(
        [*node.node(), str(HERE / "run_program.mjs")], input=json.dumps(job), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    results: list[dict[str, Any]] = json.loads(done.stdout)
    return results


def called(module: str, name: str, *calls: tuple[Any, ...]) -> list[Any]:
    """What a function of ``widgets/src`` returns for each of these arguments."""
    job = json.dumps({"module": module, "name": name, "calls": _finite(calls)}, allow_nan=False)
    caller = _caller()
    assert caller.stdin
    assert caller.stdout
    caller.stdin.write(job + "\n")
    caller.stdin.flush()
    answer = caller.stdout.readline()
    if not answer:
        _caller.cache_clear()
    assert answer, "Node has said above what it died of"
    results: list[Any] = json.loads(answer)
    return results


@functools.cache
def _caller() -> subprocess.Popen[str]:
    """One Node for all calls of this process: it takes longer to start than to answer."""
    command = [*node.node(), str(HERE / "call.mjs")]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def _finite(value: Any) -> Any:
    """The same with words for the numbers that JSON lacks."""
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value
