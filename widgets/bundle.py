"""Bundle the JavaScript of ``widgets/src`` into ``widgets/dist`` with esbuild.

``figure.js`` becomes one ES module (the anywidget figure, with its chart modules inside), ``figure-….js`` the same with
the drawings that a page shows alone, and ``figure.css`` its style sheet, ``runtime.js`` one classic
script (what drives the controls of a static page), ``print.js`` one that it loads for paper, ``classroom.js`` one that
it loads when asked, ``trials.js`` a worker's, and ``module.js`` figure and runtime, for ``export.py``. ``still.mjs``,
``preview.mjs``, ``map_trials.mjs`` and ``layout.mjs`` run in Node when the book is built.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from widgets.node import HERE, node, npm
from widgets.project import INSTALLED, SCENES

DIST = HERE / "dist"
STAMP = DIST / "fingerprint"
"""The hash of what the bundle was last made from."""
KINDS = re.compile(r"^export const kinds = \{(.*?)\};$", re.MULTILINE | re.DOTALL)
"""What a page's drawings are called in a figure's description."""
KIND = re.compile(r"(\w+): \{ Panel")
CLASSIC_FIGURE = "figure.classic.js"
"""The module of figures as :func:`classic_script` makes it: the installed package brings no esbuild."""
CLASSIC_SCRIPT = """
const module = require("fs").readFileSync(0, "utf8");
const { code } = require("esbuild").transformSync(module, { format: "iife", globalName: "exported", minify: true });
process.stdout.write(`(() => { ${code} return exported; })()`);"""


def ensure() -> Path:
    """Install the npm packages and build ``widgets/dist`` if they are missing or stale; returns ``widgets/dist``.

    The installed package brings it, and is left as it is.

    Safe to call from several processes at once: the first one works, the others wait.
    """
    if INSTALLED:
        return DIST
    with _alone():
        _unless_done(
            HERE / "node_modules" / ".installed-from", _digest(HERE / "package-lock.json"), _install_packages
        )
        _unless_done(STAMP, fingerprint(), _build)
    return DIST


@cache
def style_sheet() -> str:
    """The style sheet of a figure. A page has it once, whatever figures it shows; in Jupyter each figure brings it."""
    return (ensure() / "figure.css").read_text(encoding="utf-8")


@cache
def figure_module(kinds: frozenset[str]) -> str:
    """The module of figures that have panels of these kinds: it leaves out the drawings of other pages.

    The installed package has one for all.

    Raises:
        ValueError: a page's drawing does not say what it is called.
    """
    if INSTALLED:
        return (DIST / "figure.js").read_text(encoding="utf-8")
    scenes = {kind: path for path in _scenes() for kind in _kinds(path)}
    drawn = sorted(kinds & scenes.keys())
    file = ensure() / f"figure-{'-'.join(drawn) or 'of-no-page'}.js"
    with _alone():
        if not file.exists():
            _bundle("--figure", file, *dict.fromkeys(scenes[kind] for kind in drawn))
    return file.read_text(encoding="utf-8")


def lint() -> None:
    """Check the JavaScript with tsc, which reads types from its JSDoc, and with eslint.

    Raises:
        RuntimeError: with what they complain of.
    """
    ensure()
    _run(
        [*npm(), "run", "--silent", "lint", "--", *(str(path.relative_to(HERE.parent)) for path in _scenes())]
    )


def fingerprint(styles: bool = True) -> str:
    """A hash of every source that goes into the bundle, or of all but style sheets; installed, of the bundle itself."""
    if INSTALLED:
        return _digest(*sorted(path for path in DIST.iterdir() if path.suffix in (".js", ".mjs")))
    files = (path for path in (HERE / "src").rglob("*") if path.is_file())
    sources = sorted(path for path in files if styles or path.suffix != ".css")
    return _digest(*sources, *_scenes(), HERE / "package.json", HERE / "package-lock.json")


def _scenes() -> list[Path]:
    """The drawings that single pages of the project have."""
    return sorted(HERE.parent.glob(SCENES))


def run(script: str, job: str, failed: str) -> str:
    """Run one of the bundle's scripts for Node; returns what it prints.

    Args:
        script: its name.
        job: what it reads.
        failed: what to say where it fails, before what it says itself.

    Raises:
        RuntimeError: it fails.
    """
    command = [*node(), str(ensure() / script)]
    process = subprocess.run(command, input=job, capture_output=True, text=True)
    if process.returncode:
        raise RuntimeError(f"{failed}: {process.stderr.strip()}")
    return process.stdout


@cache
def classic_script(module: str) -> str:
    """An ES module as an expression whose value is what it exports: a classic script may hold it.

    Raises:
        SyntaxError: esbuild cannot read the module; or the package is installed, and it is another one than figures'.
    """
    if INSTALLED:
        if module != (DIST / "figure.js").read_text(encoding="utf-8"):
            raise SyntaxError(
                "a widget's module: must be that of figures, as the installed package has no esbuild"
            )
        return (DIST / CLASSIC_FIGURE).read_text(encoding="utf-8")
    command = [*node(), "-e", CLASSIC_SCRIPT]
    process = subprocess.run(command, cwd=HERE, input=module, capture_output=True, text=True)
    if process.returncode:
        raise SyntaxError(f"a figure's module: {process.stderr.strip()}")
    return process.stdout


def _digest(*paths: Path) -> str:
    """A hash of the files' names and contents."""
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


@contextmanager
def _alone() -> Iterator[None]:
    """Wait until no other process builds, and let none begin."""
    with (HERE / ".lock").open("w") as lock:
        try:
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX)  # until the file is closed
        except ImportError:  # Windows has no such locks: two builds at once are then the caller's to avoid
            pass
        yield


def _kinds(scene: Path) -> list[str]:
    """What a page's drawings are called."""
    exported = KINDS.search(scene.read_text("utf-8"))
    if not (exported and (found := KIND.findall(exported[1]))):
        raise ValueError(f'{scene}: must have a line "export const kinds = {{ its kind: …"')
    return found


def _unless_done(stamp: Path, source_hash: str, work: Callable[[], None]) -> None:
    """Do the work unless the stamp says that it was done from sources with this hash."""
    if not stamp.exists() or stamp.read_text() != source_hash:
        work()
        stamp.write_text(source_hash)


def _install_packages() -> None:
    _run([*npm(), "ci", "--no-audit", "--no-fund"])


def _build() -> None:
    for module in DIST.glob("figure-*.js"):
        module.unlink()
    _bundle(*_scenes())


def _bundle(*arguments: str | Path) -> None:
    _run([*npm(), "run", "--silent", "build", "--", *map(str, arguments)])


def _run(command: list[str]) -> None:
    """Run a command of npm in ``widgets``, with our Node first on its path."""
    environment = {**os.environ, "PATH": f"{Path(node()[0]).parent}{os.pathsep}{os.environ['PATH']}"}
    process = subprocess.run(command, cwd=HERE, env=environment, capture_output=True, text=True)
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} failed in widgets/:\n{process.stdout}{process.stderr}")
