"""``python -m book VERB``: the command line of the book.

This module only says what each verb takes; the work is done in modules that are imported by the verb that needs them,
so that help comes at once.
"""

from __future__ import annotations

import argparse
import math
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from typing import NamedTuple, NoReturn

from book.errors import BadInput
from book.optional import MissingExtra
from book.paper import ROOMS


class Verb(NamedTuple):
    """A verb of the command line."""

    name: str
    words: str
    """What it does."""
    examples: str
    """Lines to type."""
    add_arguments: Callable[[ArgumentParser], None]
    carry_out: Callable[[Namespace], int]
    """Returns the exit status."""


class Parser(ArgumentParser):
    """A parser whose complaint is one sentence."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}; {self.prog} --help says what it takes.\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Carry out a command: 0 if all is as recorded, 1 if a verdict differs or a run fails, 2 for bad input."""
    parser = command_line()
    options = parser.parse_args(arguments)
    if options.verb is None:
        parser.print_help()
        return 0
    carry_out: Callable[[Namespace], int] = options.carry_out
    try:
        return carry_out(options)
    except (BadInput, MissingExtra) as error:
        print(error, file=sys.stderr)
        return 2


def command_line() -> Parser:
    """The parser of all verbs; ``carry_out`` of what it parses is the verb's function."""
    parser = Parser(
        prog="python -m book",
        description="Examine the papers' statements, hunt for contradictions, and build and extend the book.",
        epilog="python -m book VERB --help shows a verb's options and examples.",
    )
    subparsers = parser.add_subparsers(dest="verb", metavar="VERB", title="verbs")
    for verb in VERBS:
        examples = "".join(f"  {line}\n" for line in verb.examples.splitlines())
        subparser = subparsers.add_parser(
            verb.name,
            help=verb.words,
            description=f"{verb.words[0].upper()}{verb.words[1:]}.",
            epilog=f"examples:\n{examples}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        verb.add_arguments(subparser)
        subparser.set_defaults(carry_out=verb.carry_out)
    return parser


def count(text: str) -> int:
    """A whole number of at least 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} must be a whole number of at least 1")
    return int(text)


def duration(text: str) -> float:
    """A number of seconds greater than 0."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not seconds > 0:
        raise argparse.ArgumentTypeError(f"{text} must be a number of seconds greater than 0")
    return seconds


def statements_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("ids", nargs="*", metavar="ID", help="ids of statements; all if none is given")
    parser.add_argument("--list", action="store_true", help="list all ids, and examine nothing")
    parser.add_argument(
        "--json", action="store_true", help="print JSON with every number, the table to stderr"
    )
    parser.add_argument(
        "--renew",
        action="store_true",
        help="store the outcomes in book/data/statements.json; without ids, of statements whose code has changed",
    )


def statements(options: Namespace) -> int:
    from book.ledger import report

    if options.list:
        return report.list_ids()
    return report.print_examinations(options.ids, as_json=options.json, renew=options.renew)


def at_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="id of the statement")
    parser.add_argument(
        "settings", nargs="*", metavar="NAME=VALUE", help="others stay where the figure of its page opens"
    )


def at(options: Namespace) -> int:
    from book.ledger import report

    return report.print_run(options.id, options.settings)


def hunt_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("tries", type=count, metavar="N", help="hunt until N draws satisfy the hypotheses")
    parser.add_argument("ids", nargs="*", metavar="ID", help="ids of statements; all if none is given")
    parser.add_argument("--seconds", type=duration, default=math.inf, help="at most so long a statement")
    parser.add_argument("--workers", type=count, default=1, help="processes that hunt side by side")
    parser.add_argument(
        "--renew",
        action="store_true",
        help="store the results in book/data/hunt.json, and leave out statements whose result is current",
    )


def hunt(options: Namespace) -> int:
    from book.ledger import report

    return report.print_hunts(
        options.ids, options.tries, options.seconds, options.workers, renew=options.renew
    )


def check_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "addresses",
        nargs="+",
        metavar="ADDRESS",
        help="a page's address, in quotes, or a file of a class's: one a line, after a name if you like",
    )


def check(options: Namespace) -> int:
    from book.ledger import grade

    return grade.print_class(options.addresses)


def new_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("paper", metavar="PAPER", help=f"the chapter: {', '.join(ROOMS)}")
    parser.add_argument("page", metavar="PAGE", help="the page's name, such as my_page")


def new(options: Namespace) -> int:
    from book.publish import new

    return new.make_page(options.paper, options.page)


def no_arguments(parser: ArgumentParser) -> None:
    """Add nothing: the verb takes no arguments."""


def build(_options: Namespace) -> int:
    from book.publish import build

    return build.main()


def serve_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("port", nargs="?", type=int, default=8000, metavar="PORT", help="8000, if not said")


def serve(options: Namespace) -> int:
    from book.publish import serve

    return serve.main(options.port)


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
    Verb(
        "statements",
        "examine the papers' statements",
        "python -m book statements\n"
        "python -m book statements recall.theorem-2 --json\n"
        "python -m book statements --renew",
        statements_arguments,
        statements,
    ),
    Verb(
        "at",
        "run one statement once, at settings of your own",
        "python -m book at recall.lemma-6 temperature=0.087 seed=3",
        at_arguments,
        at,
    ),
    Verb(
        "hunt",
        "run statements at random configurations and close to the borders of their hypotheses",
        "python -m book hunt 40 recall.lemma-6 --seconds 20\npython -m book hunt 40 --workers 2 --renew",
        hunt_arguments,
        hunt,
    ),
    Verb(
        "check",
        "grade addresses by the challenges in them; of a file, as a table for the class",
        "python -m book check 'https://…/recall/saddle.html#~goal=verdict%3Doutside&temperature=0.0895'\n"
        "python -m book check answers.txt",
        check_arguments,
        check,
    ),
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
        serve_arguments,
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
