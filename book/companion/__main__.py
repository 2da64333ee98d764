"""The command line of a companion to a paper: in the package ``livetorch-companion`` it is ``python -m book``."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from book import commands
from book.commands import OF_LEDGER, Verb, no_arguments, port_argument

DESCRIPTION = "Lay out a live companion to a paper, examine its statements, and hunt for contradictions."


def start_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("folder", metavar="FOLDER", help="the new folder, whose name is the companion's")


def start(options: Namespace) -> int:
    from book.companion import start

    return start.main(options.folder)


def build(_options: Namespace) -> int:
    from book.companion import build

    return build.main()


def serve(options: Namespace) -> int:
    from book.companion.build import SITE
    from book.publish import serve

    return serve.main(options.port, SITE, lambda: build(options))


VERBS = (
    Verb(
        "start",
        "lay out a companion to a paper: a folder that builds and passes its tests, with one theorem",
        "python -m book start my-companion",
        start_arguments,
        start,
    ),
    Verb(
        "build",
        "examine and hunt in the statements whose code has changed, and make the pages",
        "python -m book build",
        no_arguments,
        build,
    ),
    Verb(
        "serve",
        "serve the built book on localhost, and follow changes",
        "python -m book serve\npython -m book serve 8001",
        port_argument,
        serve,
    ),
    *OF_LEDGER,
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Carry out a command: 0 if all is as recorded, 1 if a verdict differs or a run fails, 2 for bad input."""
    return commands.main(VERBS, DESCRIPTION, arguments)


if __name__ == "__main__":
    sys.exit(main())
