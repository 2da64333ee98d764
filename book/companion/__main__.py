"""The command line of a companion to a paper: in the package ``livetorch-companion`` it is ``python -m book``."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from book import commands
from book.commands import OF_LEDGER, Verb

DESCRIPTION = "Lay out a live companion to a paper, examine its statements, and hunt for contradictions."


def start_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("folder", metavar="FOLDER", help="the new folder, whose name is the companion's")


def start(options: Namespace) -> int:
    from book.companion import start

    return start.main(options.folder)


VERBS = (
    Verb(
        "start",
        "lay out a companion to a paper: a folder that builds and passes its tests, with one theorem",
        "python -m book start my-companion",
        start_arguments,
        start,
    ),
    *OF_LEDGER,
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Carry out a command: 0 if all is as recorded, 1 if a verdict differs or a run fails, 2 for bad input."""
    return commands.main(VERBS, DESCRIPTION, arguments)


if __name__ == "__main__":
    sys.exit(main())
