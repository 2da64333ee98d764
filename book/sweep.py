"""Sweeps: a function is called at many configurations, and its rows become a table that says where it comes from.

A table is two files in ``book/data/``: ``NAME.csv``, one row for each run, and ``NAME.json``, its provenance. While
a sweep runs, each row goes to ``NAME.partial.jsonl`` as soon as it is ready; a sweep that was stopped goes on from
there, unless its code has changed. ``python -m book sweep`` makes every table of the book whose code has changed since.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import multiprocessing
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

from book.code_hash import hash_of
from book.errors import BadInput
from book.optional import require_optional

ROOT = Path(__file__).parents[1]
DATA = ROOT / "book" / "data"
ANSWERS_WITHIN = 5
"""Seconds that a Dask scheduler has to answer."""

Configuration = Mapping[str, Any]
Row = Mapping[str, Any]
Function = Callable[..., Sequence[Row]]


class Table(NamedTuple):
    """A stored table."""

    rows: pd.DataFrame
    provenance: dict[str, Any]
    """That of :func:`provenance`, and the settings of the sweep."""


def sweep(
    function: Function,
    configurations: Sequence[Configuration],
    name: str,
    *,
    workers: int | str = 1,
    settings: Configuration | None = None,
    folder: Path | None = None,
) -> Table:
    """Call ``function(**configuration)`` for every configuration and store all rows as the table ``name``.

    A row of the table is the configuration and a row that ``function`` returned for it. The rows are in the order of
    ``configurations``, whichever was ready first. Configurations that a stopped run has done with the same code are
    not done again.

    Args:
        function: from a configuration to rows of plain numbers and words. For several workers it must be importable.
        configurations: keyword arguments of plain numbers and words.
        name: of the table.
        workers: 1 for this process; more for so many Dask processes on this machine; or a Dask scheduler's address.
        settings: what all configurations share (how many steps, which rate), stored with the provenance.
        folder: where the table goes; without it, :data:`DATA`.

    Raises:
        BadInput: no configuration, fewer than one worker, or workers that cannot be reached or started.
        MissingExtra: Dask is asked for and not installed.
        MemoryError: a configuration takes more memory than there is.
    """
    if not configurations:
        raise BadInput("configurations = []: must be at least one")
    if isinstance(workers, int) and workers < 1:
        raise BadInput(f"workers = {workers}: must be at least 1, or the address of a Dask scheduler")
    # read before the first run: sources may change while a long sweep runs
    begun = {"made from": made_from(function), "asked": [dict(each) for each in configurations]}
    partial = (folder or DATA) / f"{name}.partial.jsonl"
    origin, rows_at = _resume(partial, begun)
    origin = origin or provenance(function)
    _begin(partial, {**begun, "provenance": origin}, rows_at)
    seconds = {place: rows[0]["seconds"] for place, rows in rows_at.items()}
    missing = {place: each for place, each in enumerate(configurations) if place not in rows_at}
    with partial.open("a") as file:
        ready = results(function, missing, workers)
        for place, rows, took in tqdm(ready, total=len(configurations), initial=len(rows_at), desc=name):
            rows_at[place] = [{**configurations[place], **row, "seconds": round(took, 3)} for row in rows]
            seconds[place] = took
            file.write(json.dumps({"place": place, "rows": rows_at[place]}) + "\n")
            file.flush()
    story = {
        **origin,
        "made from": begun["made from"],
        "seconds": round(sum(seconds.values()), 1),
        "workers": workers,
        "configurations": len(configurations),
    }
    rows = [row for place in sorted(rows_at) for row in rows_at[place]]
    _write(name, folder, rows, {**story, "rows": len(rows), "settings": dict(settings or {})})
    partial.unlink()
    return read(name, folder)


def _write(name: str, folder: Path | None, rows: Sequence[Row], story: Mapping[str, Any]) -> None:
    csv, json_file = files(name, folder)
    pd.DataFrame(rows).to_csv(csv, index=False, float_format="%.6g", lineterminator="\n")
    json_file.write_text(json.dumps(story, indent=2) + "\n")


def files(name: str, folder: Path | None = None) -> tuple[Path, Path]:
    """The files of the table ``name``: its rows and its provenance."""
    folder = folder or DATA
    return folder / f"{name}.csv", folder / f"{name}.json"


def read(name: str, folder: Path | None = None) -> Table:
    """The table ``name`` and its provenance.

    Raises:
        ValueError: one of its two files is missing.
    """
    csv, json_file = files(name, folder)
    for path in (csv, json_file):
        if not path.exists():
            raise ValueError(f"name = {name!r}: there is no {path.name} in {path.parent}")
    return Table(pd.read_csv(csv), json.loads(json_file.read_text()))


def made_from(function: Function) -> str:
    """A hash of the definition of ``function`` and of all that it rests on.

    For a function outside the book, in a script or a notebook, it is a hash of its file or cell, and of the modules of
    the book that are imported.
    """
    from widgets.dependencies import closure, digest  # statements read tables without widgets

    if (path := source_file(function)).is_relative_to(ROOT):
        return hash_of((path, function.__qualname__.partition(".")[0]))
    if path.exists():
        return digest(closure(*_imported_sources()), path.read_text())
    return digest(closure(*_imported_sources()), inspect.getsource(function))


def source_file(function: Function) -> Path:
    """The file that defines ``function``; in a notebook it need not exist.

    Raises:
        BadInput: the source cannot be read, as at a Python prompt.
    """
    try:
        inspect.getsource(function)
        return Path(inspect.getfile(function)).resolve()
    except (OSError, TypeError) as error:
        raise BadInput(
            f"function = {function!r}: must be a function whose source can be read, in a script or a notebook"
        ) from error


def provenance(function: Function | None = None) -> dict[str, Any]:
    """Where numbers computed now come from.

    Args:
        function: what computes them, if it may stand outside the book.

    Returns:
        the command; the date in UTC; the commit, None outside a repository, and whether the Python of ``lib`` or
        ``book`` differed from it (tables are what sweeps write); git's hash of every source file of theirs in use, so
        that the very code can be found even if it was committed later; the versions of Python and torch; the device
        and the number of threads. A file outside the book is named without a hash.
    """
    changes = _git("status", "--porcelain", "--untracked-files=no", "lib/*.py", "book/*.py")
    sources: dict[str, str | None] = {
        str(path.relative_to(ROOT)): _blob(path) for path in _imported_sources()
    }
    if function and not (path := source_file(function)).is_relative_to(ROOT):
        sources[path.name] = None
    return {
        "command": " ".join(["python", *(_without_folders(word) for word in sys.orig_argv[1:])]),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": _git("rev-parse", "HEAD"),
        "dirty": None if changes is None else bool(changes),
        "sources": sources,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "device": f"cpu, {platform.machine()}{_cuda()}",
        "threads": torch.get_num_threads(),
    }


def _imported_sources() -> list[Path]:
    """The files of ``lib`` and ``book`` that this process has imported."""
    paths = {getattr(module, "__file__", None) for module in list(sys.modules.values())}
    rooms = [ROOT / "lib", ROOT / "book"]
    return sorted(Path(path) for path in paths if path and any(map(Path(path).is_relative_to, rooms)))


def _cuda() -> str:
    return f"; {torch.cuda.get_device_name()}" if torch.cuda.is_available() else ""


def _resume(
    partial: Path, begun: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[int, list[dict[str, Any]]]]:
    """Provenance and rows, by place, of a sweep that was stopped; nothing if none was, or if it began otherwise."""
    if not partial.exists():
        return {}, {}
    head, *lines = partial.read_text().splitlines()
    story = json.loads(head)
    if any(story.get(key) != value for key, value in begun.items()):
        return {}, {}
    rows_at = {}
    for line in lines:
        with suppress(json.JSONDecodeError):  # the last line, cut off
            done = json.loads(line)
            rows_at[done["place"]] = done["rows"]
    return story["provenance"], rows_at


def _begin(partial: Path, head: Mapping[str, Any], rows_at: Mapping[int, list[dict[str, Any]]]) -> None:
    """Write the head of the file of rows and the rows that there are, whole or not at all."""
    lines = [head, *({"place": place, "rows": rows} for place, rows in rows_at.items())]
    new = partial.with_name(partial.name.replace(".partial.", ".new.partial."))
    new.write_text("".join(json.dumps(line) + "\n" for line in lines))
    new.replace(partial)


def results(
    function: Function, configurations: Mapping[int, Configuration], workers: int | str
) -> Iterator[tuple[int, list[Row], float]]:
    """(place, rows, seconds) of each configuration, in the order in which they are ready.

    Raises:
        BadInput: Dask cannot start its workers, or nobody answers at the address.
        MissingExtra: Dask is asked for and not installed.
    """
    calls = [(function, place, dict(configuration)) for place, configuration in configurations.items()]
    if workers == 1:
        yield from (_timed(call) for call in calls)
        return
    distributed = require_optional("distributed", "cluster", "workers: more than one, or a cluster,")
    with ExitStack() as stack:
        address: Any = workers
        if isinstance(workers, int):
            address = stack.enter_context(_local_cluster(distributed, workers))
        client = stack.enter_context(_client(distributed, address))
        for future in distributed.as_completed(client.map(_timed, calls, pure=False)):
            yield future.result()


def _local_cluster(distributed: Any, workers: int) -> Any:
    """A cluster of Dask processes on this machine; each imports the file of a script anew."""
    guard = (
        f"workers = {workers}: a script that asks for several workers must do so below "
        '`if __name__ == "__main__":`, since each worker runs the rest of the file anew'
    )
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        sys.exit(guard)
    try:
        return distributed.LocalCluster(n_workers=workers, threads_per_worker=1)
    except RuntimeError as error:
        if "Nanny failed to start" in str(error):
            raise BadInput(guard) from error
        raise


def _client(distributed: Any, address: Any) -> Any:
    """Dask's client of a cluster, or of a scheduler by its address."""
    if not isinstance(address, str):
        return distributed.Client(address)
    try:
        return distributed.Client(address, timeout=ANSWERS_WITHIN)
    except (OSError, ValueError) as error:
        raise BadInput(
            f"workers = {address}: no Dask scheduler answers there within {ANSWERS_WITHIN} seconds"
        ) from error


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
    """The output of git without the white space around it; None where there is no git or no repository."""
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


def _without_folders(word: str) -> str:
    """A word of the command line without folders of this machine: a path from the repository's root on, or a name."""
    path = Path(word)
    if not path.is_absolute():
        return word
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else path.name
