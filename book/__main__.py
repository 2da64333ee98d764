"""``python -m book VERB``: the command line of the book."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from book import commands
from book.commands import OF_LEDGER, Verb, no_arguments, port_argument
from book.paper import ROOMS

DESCRIPTION = "Examine the papers' statements, hunt for contradictions, and build and extend the book."


def main(arguments: Sequence[str] | None = None) -> int:
    """Carry out a command: 0 if all is as recorded, 1 if a verdict differs or a run fails, 2 for bad input."""
    return commands.main(VERBS, DESCRIPTION, arguments)


def new_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("paper", metavar="PAPER", help=f"the chapter: {', '.join(ROOMS)}")
    parser.add_argument("page", metavar="PAGE", help="the page's name, such as my_page")


def new(options: Namespace) -> int:
    from book.publish import new

    return new.make_page(options.paper, options.page)


def build(_options: Namespace) -> int:
    from book.publish import build

    return build.main()


def serve(options: Namespace) -> int:
    from book.publish import serve
    from book.publish.browser import BUILT

    return serve.main(options.port, BUILT, lambda: build(options))


def maps(_options: Namespace) -> int:
    from book import stored_maps

    return stored_maps.renew()


def workers_argument(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--workers", default="1", help="processes on this machine, or a Dask scheduler's address"
    )


def sweep_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("tables", nargs="*", metavar="TABLE", help="names of tables; all if none is given")
    parser.add_argument("--list", action="store_true", help="list the tables to make, and make none")
    workers_argument(parser)


def sweep(options: Namespace) -> int:
    from book import experiments

    return experiments.renew_tables(options.tables, options.workers, only_list=options.list)


def experiments_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "paper", nargs="?", choices=ROOMS, metavar="PAPER", help=f"the chapter: {', '.join(ROOMS)}"
    )
    parser.add_argument("experiment", nargs="?", metavar="NAME", help="without it, all names are listed")
    size = parser.add_mutually_exclusive_group()
    size.add_argument(
        "--quick", action="store_true", help="a few small runs, in seconds, to see that it works"
    )
    size.add_argument("--large", action="store_true", help="larger grids, where there are some (hours)")
    workers_argument(parser)


def experiments(options: Namespace) -> int:
    from book import experiments

    if options.experiment is None:
        return experiments.print_names(options.paper)
    size = "quick" if options.quick else "large" if options.large else ""
    return experiments.run(options.paper, options.experiment, size, options.workers)


def class_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "page", nargs="?", default="recall/saddle", metavar="PAGE", help="what is shown first"
    )
    parser.add_argument("--port", type=int, default=8000, help="0 for any that is free")
    parser.add_argument(
        "--host", default="", help="the address to listen at; all of this machine's by default"
    )


def hold_class(options: Namespace) -> int:
    from book.publish import classroom
    from book.publish.browser import BUILT

    return classroom.main(BUILT, options.page, options.host, options.port)


def films_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "demos", nargs="*", metavar="DEMO", help="such as recall/saddle; all if none is given"
    )


def films(options: Namespace) -> int:
    from book.publish import films

    return films.main(options.demos)


def guides_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("lessons", nargs="*", metavar="LESSON", help="such as recall; all if none is given")


def guides(options: Namespace) -> int:
    from book.publish import guides

    return guides.main(options.lessons)


VERBS = (
    *OF_LEDGER,
    Verb(
        "class",
        "serve the built book to a room of students, whose predictions and answers come back",
        "python -m book class\npython -m book class recognise/phases --port 8080",
        class_arguments,
        hold_class,
    ),
    Verb(
        "films",
        "film demos of the built book: the question, the run, and what it shows (a minute each)",
        "python -m book films recall/saddle",
        films_arguments,
        films,
    ),
    Verb(
        "guides",
        "print a lecturer's guide for each lesson of the built book",
        "python -m book guides recall",
        guides_arguments,
        guides,
    ),
    Verb(
        "new",
        "lay out a new page with a statement, a figure and an exercise",
        "python -m book new recall my_page",
        new_arguments,
        new,
    ),
    Verb(
        "build",
        "run the notebooks whose code has changed, and build the book",
        "python -m book build",
        no_arguments,
        build,
    ),
    Verb(
        "serve",
        "show the built book on localhost, and build it again whenever a file changes",
        "python -m book serve\npython -m book serve 8080",
        port_argument,
        serve,
    ),
    Verb(
        "maps",
        "store the maps of where statements are true that have changed, so that builds need not run them (minutes)",
        "python -m book maps",
        no_arguments,
        maps,
    ),
    Verb(
        "sweep",
        "make the stored tables anew whose code has changed (hours)",
        "python -m book sweep --list\npython -m book sweep recall-figure-2",
        sweep_arguments,
        sweep,
    ),
    Verb(
        "experiments",
        "make one table of a paper's experiments",
        "python -m book experiments\npython -m book experiments recall figure-2 --quick",
        experiments_arguments,
        experiments,
    ),
)

if __name__ == "__main__":
    sys.exit(main())
