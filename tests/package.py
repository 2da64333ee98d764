"""Our packages as others get them: built, and installed where nothing of the repository can be imported."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests import ROOT

LIBRARIES = sysconfig.get_path("purelib")


class Installed:
    """An environment with the wheel. It borrows what else is installed, but for what is installed in place.

    Attributes:
        folder: an empty one, in which commands run. ``python``: the environment's. ``libraries``: where it has the
            package. ``wheel`` and ``sdist``: the files.
    """

    def __init__(self, home: Path) -> None:
        self.folder = home / "empty"
        self.folder.mkdir()
        self.home = home
        self.sdist, self.wheel = self._built("livetorch")
        venv.create(home / "venv", symlinks=True)
        self.python = home / "venv" / "bin" / "python"
        (self.libraries,) = (home / "venv").glob("lib/python*/site-packages")
        # the .pth files in there, by which what is installed in place would be found, are not read
        (self.libraries / "borrowed.pth").write_text(f"{LIBRARIES}\n")
        self._install(self.wheel)
        left_out = ("PYTHONPATH", "JUPYTER_DEFAULT_PROVISIONER_NAME")
        self.environment = {name: value for name, value in os.environ.items() if name not in left_out} | {
            "JUPYTER_PATH": f"{sys.prefix}/share/jupyter",
            "HOME": str(home),
        }

    def add(self, name: str) -> Path:
        """Build another package of ours and install it, too; returns its wheel."""
        _sdist, wheel = self._built(name)
        self._install(wheel)
        return wheel

    def _built(self, name: str) -> tuple[Path, Path]:
        """The sdist and the wheel of a package."""
        place = self.home / name
        place.mkdir()
        _run([sys.executable, "widgets/release/press.py", str(place), name], ROOT, dict(os.environ))
        (sdist,), (wheel,) = place.glob("*.tar.gz"), place.glob("*.whl")
        return sdist, wheel

    def _install(self, wheel: Path) -> None:
        """Put a wheel's files beside those of others, as pip does where it replaces none of them."""
        how = "--quiet --no-deps --no-index --ignore-installed"  # which leaves our own environment alone
        install = f"install {how} --prefix {self.home / 'venv'} {wheel}".split()
        _run([sys.executable, "-m", "pip", *install], self.home, dict(os.environ))

    def run(self, *arguments: str, folder: Path | None = None) -> str:
        """What a command of the environment's Python prints.

        Raises:
            RuntimeError: it fails, with what it said.
        """
        return _run([str(self.python), *arguments], folder or self.folder, self.environment)

    @contextmanager
    def running(self, *arguments: str, folder: Path) -> Iterator[Iterator[str]]:
        """While it is open, a command of the environment's Python runs; yields what it prints, line by line."""
        command = [str(self.python), *arguments]
        with subprocess.Popen(
            command, cwd=folder, env=self.environment, stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout
            try:
                yield iter(process.stdout)
            finally:
                process.terminate()

    def make(self, folder: Path, goal: str) -> str:
        """What ``make`` prints in a folder, with the environment's Python."""
        return _run(["make", goal, f"PYTHON={self.python}"], folder, self.environment)


def _run(command: list[str], folder: Path, environment: dict[str, str]) -> str:
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command[:4])} … failed:\n{done.stdout}{done.stderr}")
    return done.stdout
