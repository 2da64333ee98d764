"""Experiments: the functions and configurations that the stored tables are made of, and the commands that make them."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import torch

from book import sweep
from book.errors import BadInput, nearest
from book.paper import ROOMS
from book.sweep import Configuration, Function, Table

FIRST_ROWS = 5
"""The number of a table's rows that are shown when it is made."""


class Experiment(NamedTuple):
    """What a table is made of."""

    function: Function
    cells: Callable[[bool, bool], Sequence[Configuration]]
    """``cells(quick, large)``: the configurations."""
    settings: Configuration
    """The settings that all configurations share."""


def of_paper(paper: str) -> Mapping[str, Experiment]:
    """A paper's experiments by name."""
    module = importlib.import_module(f"book.{paper}.experiments.__main__")
    experiments: Mapping[str, Experiment] = module.EXPERIMENTS
    return experiments


def all_tables() -> dict[str, Experiment]:
    """Every experiment of the book by the name of its table, "PAPER-EXPERIMENT"."""
    return {f"{paper}-{name}": each for paper in ROOMS for name, each in of_paper(paper).items()}


def run(paper: str, name: str, size: str = "", workers: str = "1") -> int:
    """Carry out an experiment and print where its table is; return 0.

    Args:
        size: "quick" for a few small runs, "large" for larger grids, "" for the usual ones.
        workers: processes on this machine, or a Dask scheduler's address.

    Raises:
        BadInput: there is no such experiment, it has no larger grid, or ``workers`` is neither.
        MissingExtra: it needs a package that is not installed.
    """
    experiments = of_paper(paper)
    if name not in experiments:
        hint = nearest(name, experiments)
        raise BadInput(
            f"NAME = {name!r}: {paper} has no such experiment{'; ' + hint if hint else '.'} "
            f"`python -m book experiments {paper}` lists them."
        )
    experiment = experiments[name]
    if size == "large" and not has_larger_grid(experiment):
        raise BadInput(f"--large: {paper} {name} has no larger grid.")
    torch.set_num_threads(1)
    table = f"{paper}-{name}{size and '-' + size}"
    cells = experiment.cells(size == "quick", size == "large")
    rows = make(table, experiment, cells, parse_workers(workers)).rows
    print_table(table, len(rows), rows.head(FIRST_ROWS).to_string(index=False, max_cols=8))
    return 0


def has_larger_grid(experiment: Experiment) -> bool:
    """Whether ``--large`` asks for other configurations than usual."""
    return list(experiment.cells(False, True)) != list(experiment.cells(False, False))


def print_table(name: str, rows: int, first_rows: str) -> None:
    """Print a table's first rows, its files, and the pages that draw it."""
    print(f"\nThe first of {rows} rows:\n\n{first_rows}\n")
    csv, provenance = (path.relative_to(sweep.ROOT) for path in sweep.files(name))
    print(f"The table is {csv}, its provenance {provenance}.")
    base = name.removesuffix("-quick").removesuffix("-large")
    if pages := pages_that_draw(base):
        print(f"The plots of {base} are in {', '.join(pages)}.")


def pages_that_draw(table: str) -> list[str]:
    """The notebooks whose code reads a stored table."""
    from book.ledger.registry import pages  # experiments run without the book's extra
    from widgets.dependencies import closure

    notebooks = [path for page in pages() if (path := sweep.ROOT / f"{page}.ipynb").exists()]
    stored, _ = sweep.files(table)
    return [str(path.relative_to(sweep.ROOT)) for path in notebooks if stored in closure(path)]


def make(
    name: str, experiment: Experiment, configurations: Sequence[Configuration], workers: int | str = 1
) -> Table:
    """Make and return the table of an experiment at these configurations."""
    return sweep.sweep(
        experiment.function, configurations, name, workers=workers, settings=experiment.settings
    )


def print_names(paper: str | None = None) -> int:
    """Print the names of a paper's experiments, or of all; return 0."""
    for each in [paper] if paper else ROOMS:
        print(f"python -m book experiments {each} NAME; NAME is one of {', '.join(of_paper(each))}")
    return 0


def renew_tables(names: Sequence[str] = (), workers: str = "1", *, only_list: bool = False) -> int:
    """Make the tables of these names, all if none is given, whose code has changed; return 0.

    Args:
        only_list: print their names, and make none.

    Raises:
        BadInput: there is no such table, or ``workers`` is neither a number nor an address.
    """
    tables = all_tables()
    for name in names:
        if name not in tables:
            hint = nearest(name, tables)
            raise BadInput(
                f"TABLE = {name!r}: no experiment makes it{'; ' + hint if hint else '.'} "
                "`python -m book experiments` lists the experiments; a table is PAPER-NAME."
            )
    torch.set_num_threads(1)
    number = parse_workers(workers)
    old = {name: tables[name] for name in names or tables if is_stale(name, tables[name])}
    print(f"{len(old)} tables to make: {', '.join(old)}" if old else "every table is up to date")
    if not only_list:
        for name, experiment in old.items():
            make(name, experiment, experiment.cells(False, False), number)
    return 0


def is_stale(name: str, experiment: Experiment) -> bool:
    """Whether a table is missing, or was made by other code than now."""
    _, path = sweep.files(name)
    return not path.exists() or json.loads(path.read_text()).get("made from") != sweep.made_from(
        experiment.function
    )


def parse_workers(text: str) -> int | str:
    """A number of processes, or a Dask scheduler's address.

    Raises:
        BadInput: the text is neither.
    """
    if text.isdecimal() and int(text) > 0:
        return int(text)
    if ":" in text:
        return text
    raise BadInput(
        f"--workers {text}: must be a whole number of at least 1, "
        "or the address of a Dask scheduler such as tcp://host:8786."
    )
