"""Sweeps: a function over many configurations, with a progress bar, into a tidy table that says where it is from.

A table is two files in ``book/data/``: ``NAME.csv``, one row for each run, and ``NAME.json``, its provenance. While
a sweep runs its rows go to ``NAME.partial.jsonl``, as they come; one that was stopped goes on from there, unless
its code has changed. ``python -m book.sweep`` makes every table of the book whose code has changed since.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import inspect
import json
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import torch
from tqdm import tqdm

from book.optional import require_optional

ROOT = Path(__file__).parents[1]
DATA = ROOT / "book" / "data"

Configuration = Mapping[str, Any]
Row = Mapping[str, Any]
Function = Callable[..., Sequence[Row]]


class Table(NamedTuple):
    """A table as it is read back."""

    rows: pd.DataFrame
    provenance: dict[str, Any]
    """See :func:`provenance`, and beside it the settings of the sweep."""


class Experiment(NamedTuple):
    """What a table is made of."""

    function: Function
    cells: Callable[[bool, bool], Sequence[Configuration]]
    """``cells(quick, large)``: the configurations."""
    settings: Configuration
    """What they share."""


def command(
    paper: str,
    experiments: Mapping[str, Experiment],
    arguments: Sequence[str] | None = None,
    *,
    large: bool = False,
) -> None:
    """The command line of a paper's experiments: one of them into the table "PAPER-EXPERIMENT".

    Args:
        paper: the chapter.
        experiments: by name.
        arguments: in place of those of the process.
        large: whether there are larger grids to ask for.
    """
    parser = argparse.ArgumentParser(prog=f"python -m book.{paper}.experiments", description="Make a table.")
    parser.add_argument("experiment", choices=list(experiments))
    parser.add_argument(
        "--workers", default="1", help="processes on this machine, or a Dask scheduler's address"
    )
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--quick", action="store_true", help="a few small runs, to see that it works")
    if large:
        size.add_argument("--large", action="store_true", help="larger grids: hours")
    options = parser.parse_args(arguments, argparse.Namespace(large=False))
    workers = int(options.workers) if options.workers.isdigit() else options.workers
    torch.set_num_threads(1)
    kind = "-quick" if options.quick else "-large" if options.large else ""
    chosen = experiments[options.experiment]
    name = f"{paper}-{options.experiment}{kind}"
    make(name, chosen, chosen.cells(options.quick, options.large), workers)


def make(
    name: str, experiment: Experiment, configurations: Sequence[Configuration], workers: int | str = 1
) -> Table:
    """The table of an experiment at these configurations."""
    return sweep(experiment.function, configurations, name, workers=workers, settings=experiment.settings)


def experiments() -> dict[str, Experiment]:
    """Every experiment of the book, by the name of its table."""
    papers = ("recognise", "acquire", "recall")
    modules = {paper: importlib.import_module(f"book.{paper}.experiments.__main__") for paper in papers}
    return {f"{paper}-{name}": one for paper in papers for name, one in modules[paper].EXPERIMENTS.items()}


def stale(name: str, experiment: Experiment) -> bool:
    """Whether the code that the table rests on is not that which made it."""
    path = DATA / f"{name}.json"
    return not path.exists() or json.loads(path.read_text()).get("made from") != made_from(
        experiment.function
    )


def made_from(function: Function) -> str:
    """A hash of the code of ``function`` and of all that it rests on."""
    from widgets.dependencies import closure, digest  # statements read tables without widgets

    return digest(closure(Path(inspect.getfile(function)).resolve()))


def sweep(
    function: Function,
    configurations: Sequence[Configuration],
    name: str,
    *,
    workers: int | str = 1,
    settings: Configuration | None = None,
    folder: Path = DATA,
) -> Table:
    """Call ``function(**configuration)`` for every configuration and store all rows as the table ``name``.

    A row of the table is what was asked, the configuration, beside what was found, a row that ``function`` returned.
    The rows are in the order of ``configurations``, whichever was ready first.

    Configurations that a run which was stopped has done with the same code are not done again.

    Args:
        function: from a configuration to rows of plain numbers and words. On Dask it must be importable.
        configurations: keyword arguments of plain numbers and words.
        name: of the table.
        workers: 1 for this process; more for so many Dask processes on this machine; or a Dask scheduler's address.
        settings: what all configurations share (how many steps, which rate), stored with the provenance.
        folder: where the table goes.

    Raises:
        ValueError: no configuration, or fewer than one worker.
        ModuleNotFoundError: Dask is asked for and not installed.
        MemoryError: a configuration takes more memory than there is.
    """
    if not configurations:
        raise ValueError("configurations = []: must be at least one")
    if isinstance(workers, int) and workers < 1:
        raise ValueError(f"workers = {workers}: must be at least 1, or the address of a Dask scheduler")
    partial = folder / f"{name}.partial.jsonl"
    # read before the first run: sources may change while a long sweep runs
    begun = {"made from": made_from(function), "asked": [dict(one) for one in configurations]}
    origin, found = _stopped(partial, begun)
    origin = origin or provenance()
    done = [{"place": place, "rows": rows} for place, rows in found.items()]
    fresh = folder / f"{name}.new.partial.jsonl"
    fresh.write_text("".join(json.dumps(one) + "\n" for one in ({**begun, "provenance": origin}, *done)))
    fresh.replace(partial)  # at once: killed before it, the old one is whole, and after it this one is
    seconds = {place: rows[0]["seconds"] for place, rows in found.items()}
    todo = {place: one for place, one in enumerate(configurations) if place not in found}
    with partial.open("a") as file:
        ready = results(function, todo, workers)
        for place, rows, took in tqdm(ready, total=len(configurations), initial=len(found), desc=name):
            found[place] = [{**configurations[place], **row, "seconds": round(took, 3)} for row in rows]
            seconds[place] = took
            file.write(json.dumps({"place": place, "rows": found[place]}) + "\n")
            file.flush()
    table = pd.DataFrame([row for place in sorted(found) for row in found[place]])
    table.to_csv(folder / f"{name}.csv", index=False, float_format="%.6g", lineterminator="\n")
    story = {**origin, "made from": begun["made from"], "seconds": round(sum(seconds.values()), 1)}
    story |= {"workers": workers, "configurations": len(configurations), "rows": len(table)}
    story |= {"settings": dict(settings or {})}
    (folder / f"{name}.json").write_text(json.dumps(story, indent=2) + "\n")
    partial.unlink()
    return read(name, folder)


def read(name: str, folder: Path = DATA) -> Table:
    """The table ``name`` and its provenance.

    Raises:
        ValueError: one of its two files is missing.
    """
    paths = folder / f"{name}.csv", folder / f"{name}.json"
    for path in paths:
        if not path.exists():
            raise ValueError(f"name = {name!r}: there is no {path.name} in {folder}")
    return Table(pd.read_csv(paths[0]), json.loads(paths[1].read_text()))


def provenance() -> dict[str, Any]:
    """Where numbers computed now come from.

    Returns:
        the command; the date in UTC; the commit, None outside a repository, and whether the Python of ``lib`` or
        ``book`` differed from it (tables are what sweeps write); git's hash of every source file of theirs in use, so
        that the very code can be found even if it was committed later; the versions of Python and torch; the device
        and the number of threads.
    """
    used = {getattr(module, "__file__", None) for module in list(sys.modules.values())}
    rooms = [ROOT / "lib", ROOT / "book"]
    sources = sorted(Path(file) for file in used if file and any(map(Path(file).is_relative_to, rooms)))
    changes = _git("status", "--porcelain", "--untracked-files=no", "lib/*.py", "book/*.py")
    return {
        "command": " ".join(["python", *(_shown(word) for word in sys.orig_argv[1:])]),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": _git("rev-parse", "HEAD"),
        "dirty": None if changes is None else bool(changes),
        "sources": {str(path.relative_to(ROOT)): _blob(path) for path in sources},
        "python": platform.python_version(),
        "torch": torch.__version__,
        "device": f"cpu, {platform.machine()}{_cuda()}",
        "threads": torch.get_num_threads(),
    }


def _cuda() -> str:
    return f"; {torch.cuda.get_device_name()}" if torch.cuda.is_available() else ""


def _stopped(partial: Path, begun: dict[str, Any]) -> tuple[dict[str, Any], dict[int, list[dict[str, Any]]]]:
    """Provenance and rows of a sweep that was stopped; nothing if there is none, or if it began otherwise."""
    if not partial.exists():
        return {}, {}
    head, *lines = partial.read_text().splitlines()
    story = json.loads(head)
    if any(story.get(key) != value for key, value in begun.items()):
        return {}, {}
    found = {}
    for line in lines:
        with suppress(json.JSONDecodeError):  # the last line, cut off
            done = json.loads(line)
            found[done["place"]] = done["rows"]
    return story["provenance"], found


def results(
    function: Function, configurations: Mapping[int, Configuration], workers: int | str
) -> Iterator[tuple[int, list[Row], float]]:
    """(place, rows, seconds) of each configuration, in the order in which they are ready."""
    calls = [(function, place, dict(configuration)) for place, configuration in configurations.items()]
    if workers == 1:
        yield from (_timed(call) for call in calls)
        return
    distributed = require_optional("distributed", "cluster", "workers: more than one, or a cluster,")
    with ExitStack() as stack:
        at: Any = workers
        if isinstance(workers, int):
            at = stack.enter_context(distributed.LocalCluster(n_workers=workers, threads_per_worker=1))
        client = stack.enter_context(distributed.Client(at))
        for future in distributed.as_completed(client.map(_timed, calls, pure=False)):
            yield future.result()


def _timed(call: tuple[Function, int, dict[str, Any]]) -> tuple[int, list[Row], float]:
    function, place, configuration = call
    started = time.perf_counter()
    try:
        rows = list(function(**configuration))
    except (MemoryError, RuntimeError) as error:
        if isinstance(error, MemoryError | torch.OutOfMemoryError) or "can't allocate memory" in str(error):
            raise MemoryError(
                f"out of memory at {configuration}; what is done is kept: ask for a smaller size or fewer workers"
            ) from error
        raise
    return place, rows, time.perf_counter() - started


def _git(*words: str) -> str | None:
    """What git answers, without the white space around it; None where there is no git or no repository."""
    try:
        return subprocess.run(
            ["git", *words], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def _blob(path: Path) -> str:
    """The hash under which git stores the file: ``git hash-object path``."""
    content = path.read_bytes()
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def _shown(word: str) -> str:
    """A word of the command line; a path inside the repository from its root on."""
    path = Path(word)
    return str(path.relative_to(ROOT)) if path.is_absolute() and path.is_relative_to(ROOT) else word


def main() -> None:
    """Make every table that is stale, one after the other."""
    torch.set_num_threads(1)
    old = {name: experiment for name, experiment in experiments().items() if stale(name, experiment)}
    print(f"{len(old)} tables to make: {', '.join(old)}" if old else "every table is up to date")
    for name, experiment in old.items():
        make(name, experiment, experiment.cells(False, False))


if __name__ == "__main__":
    main()
