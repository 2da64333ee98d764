"""The package as others get it: built, and installed where neither the repository nor its folders can be imported."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
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
        _run([sys.executable, "widgets/release/press.py", str(home)], ROOT, dict(os.environ))
        (self.sdist,), (self.wheel,) = home.glob("*.tar.gz"), home.glob("*.whl")
        venv.create(home / "venv", symlinks=True)
        self.python = home / "venv" / "bin" / "python"
        (self.libraries,) = (home / "venv").glob("lib/python*/site-packages")
        # the .pth files in there, by which what is installed in place would be found, are not read
        (self.libraries / "borrowed.pth").write_text(f"{LIBRARIES}\n")
        install = f"install --quiet --no-deps --no-index --target {self.libraries} {self.wheel}".split()
        _run([sys.executable, "-m", "pip", *install], home, dict(os.environ))
        left_out = ("PYTHONPATH", "JUPYTER_DEFAULT_PROVISIONER_NAME")
        self.environment = {name: value for name, value in os.environ.items() if name not in left_out} | {
            "JUPYTER_PATH": f"{sys.prefix}/share/jupyter",
            "HOME": str(home),
        }

    def run(self, *arguments: str, folder: Path | None = None) -> str:
        """What a command of the environment's Python prints.

        Raises:
            RuntimeError: it fails, with what it said.
        """
        return _run([str(self.python), *arguments], folder or self.folder, self.environment)


def _run(command: list[str], folder: Path, environment: dict[str, str]) -> str:
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command[:4])} … failed:\n{done.stdout}{done.stderr}")
    return done.stdout
