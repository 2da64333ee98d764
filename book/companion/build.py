"""``build`` of a companion: its statements are examined and hunted in where their code has changed, then pages made."""

from __future__ import annotations

import math
import os
import sys

from book.ledger import report
from book.ledger.boxes import ROOT

SITE = ROOT / "_build" / "html"
TRIES = 24
"""The number of random configurations sought for each statement."""


def main() -> int:
    """Build it: 0 if all went well, 1 if a statement does not come out. Jupyter Book raises its own errors."""
    if renew():
        return 1
    from jupyter_book.cli.main import main as jupyter_book  # slow, and only needed here

    paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, paths))  # for the kernels that run the pages
    command = ["build", str(ROOT), "--warningiserror", "--keep-going", "--quiet"]
    jupyter_book(command, standalone_mode=False)
    return 0


def renew() -> int:
    """Examine, and hunt in, the statements whose code has changed: 0 if all is as recorded, else 1."""
    examined = report.print_examinations([], renew=True)
    return examined or report.print_hunts([], TRIES, math.inf, 1, renew=True)


if __name__ == "__main__":
    sys.exit(renew())
