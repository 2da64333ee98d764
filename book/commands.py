"""The command line: what a verb takes, and the verbs of the ledger, which any companion to a paper has.

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


def main(verbs: Sequence[Verb], description: str, arguments: Sequence[str] | None = None) -> int:
    """Carry out a command: 0 if all is as recorded, 1 if a verdict differs or a run fails, 2 for bad input.

    Args:
        verbs: those that there are.
        description: what they are for.
        arguments: of the command; those of the process, if not said.
    """
    parser = command_line(verbs, description)
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


def command_line(verbs: Sequence[Verb], description: str) -> Parser:
    """The parser of these verbs; ``carry_out`` of what it parses is the verb's function."""
    parser = Parser(
        prog="python -m book",
        description=description,
        epilog="python -m book VERB --help shows a verb's options and examples.",
    )
    subparsers = parser.add_subparsers(dest="verb", metavar="VERB", title="verbs")
    for verb in verbs:
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


def no_arguments(_parser: ArgumentParser) -> None:
    """Add nothing: the verb takes no arguments."""


def port_argument(parser: ArgumentParser) -> None:
    parser.add_argument("port", nargs="?", type=int, default=8000, metavar="PORT", help="8000, if not said")


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


def beyond_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "ids", nargs="*", metavar="ID", help="ids of statements; all whose runs are short if none"
    )
    parser.add_argument(
        "--seconds", type=duration, default=20.0, help="at most about so long a statement; 20"
    )
    parser.add_argument(
        "--renew",
        action="store_true",
        help="store the results in book/data/beyond.json, and leave out statements whose result is current",
    )


def beyond(options: Namespace) -> int:
    from book.ledger import report

    return report.print_beyond(options.ids, options.seconds, renew=options.renew)


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


def missing(_options: Namespace) -> int:
    from book import missing

    return missing.main()


def blocks(_options: Namespace) -> int:
    import inspect
    import re

    from book.ledger import boxes, clauses
    from widgets import words

    for module in (boxes, clauses, words):
        text = re.sub(
            r":(?:mod|data):(?=`)|:(?=:$)", "", inspect.cleandoc(module.__doc__ or ""), flags=re.MULTILINE
        )
        print(re.sub(r"(?<!`)``([^`]+)``(?!`)", r"`\1`", text).replace("\n\n:\n", "\n"), end="\n\n\n")
    return 0


OF_LEDGER = (
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
        "beyond",
        "run statements at settings beyond the ranges that hunts draw from, and seek borders that no hunt reached",
        "python -m book beyond recall.lemma-6\npython -m book beyond --renew",
        beyond_arguments,
        beyond,
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
        "missing",
        "say what is still to be done: what to examine and to hunt in, clauses that nothing tests, typed numbers",
        "python -m book missing",
        no_arguments,
        missing,
    ),
    Verb(
        "blocks",
        "print what a page can have: the box of a statement, what accounts for its clauses, the words of its figure",
        "python -m book blocks",
        no_arguments,
        blocks,
    ),
)
"""Verbs that any companion to a paper has."""
