"""The commands' former names: they work as before, and say what to type now."""

from __future__ import annotations

import argparse
import runpy
import sys
from collections.abc import Sequence

from book.paper import PAPERS

NOW: dict[str, tuple[str, ...]] = {
    "book.statements": ("book", "statements"),
    "book.check": ("book", "check"),
    "book.new": ("book", "new"),
    "book.build": ("book", "build"),
    "book.sweep": ("book", "sweep"),
    "book.colab": ("book.publish.colab",),
    **{f"book.{paper}.experiments": ("book", "experiments", paper) for paper in PAPERS},
}
"""By former name, the module to run now and its first words."""


def run_former(name: str) -> None:
    """Say what the command is called now on stderr, and carry it out with the words of this process."""
    module, *words = NOW[name]
    if name == "book.statements":
        words, rest = translate(sys.argv[1:])
    else:
        rest = sys.argv[1:]
    print(f"python -m {name} is now python -m {' '.join([module, *words])}", file=sys.stderr)
    sys.argv = [f"python -m {module}", *words, *rest]
    runpy.run_module(module, run_name="__main__")


def translate(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """The verb for what ``python -m book.statements`` was given, and the words that follow it."""
    parser = argparse.ArgumentParser(prog="python -m book.statements", description="Now python -m book VERB.")
    parser.add_argument("ids", nargs="*")
    way = parser.add_mutually_exclusive_group()
    way.add_argument("--json", action="store_const", const=["--json"], default=[])
    way.add_argument("--at", metavar="NAME=VALUE,…")
    way.add_argument("--hunt", metavar="N")
    parser.add_argument("--renew", action="store_const", const=["--renew"], default=[])
    parser.add_argument("--seconds", default="inf")
    parser.add_argument("--workers", default="1")
    options = parser.parse_args(arguments)
    if options.at is not None:
        if len(options.ids) != 1 or options.renew:
            parser.error("--at runs one statement, and stores nothing")
        return ["at"], [*options.ids, *filter(None, options.at.split(","))]
    if options.hunt is not None:
        limits = ["--seconds", options.seconds, "--workers", options.workers]
        return ["hunt"], [options.hunt, *options.ids, *limits, *options.renew]
    return ["statements"], [*options.ids, *options.json, *options.renew]
