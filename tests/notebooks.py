"""Cells of notebooks, tested by nbval: what they print is what is stored.

The build runs every notebook whose code has changed and keeps its outputs. What it has run is not run again here: a
kernel of records gives nbval these outputs to compare. A notebook of which the build knows nothing, or of which
something has changed since, is run.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat import NotebookNode
from nbval.plugin import IPyNbFile


class Records:
    """In the place of nbval's kernel: answers a cell with the outputs that it had when it was run."""

    def __init__(self, cells: Sequence[NotebookNode]) -> None:
        self.cells = iter(cells)
        self.messages: deque[dict[str, Any]] = deque()

    def execute_cell_input(self, source: str, allow_stdin: bool | None = None) -> str:
        """The id of the messages to come; cells between the last and this one are left out.

        Raises:
            LookupError: no cell that is left reads like this.
        """
        cell = next((cell for cell in self.cells if cell.source == source), None)
        if cell is None:
            raise LookupError(f"no cell that is left reads {source!r}")
        for output in cell.outputs:
            self._tell(output.output_type, output)
        self._tell("status", {"execution_state": "idle"})
        return "told"

    def _tell(self, kind: str, content: dict[str, Any]) -> None:
        self.messages.append({"msg_type": kind, "content": content, "parent_header": {"msg_id": "told"}})

    def get_message(self, stream: str, timeout: float | None = None) -> dict[str, Any]:
        return self.messages.popleft()

    def await_reply(self, msg_id: str, timeout: float | None = None) -> None:
        """Each reply is there already."""

    def await_idle(self, parent_id: str, timeout: float | None = None) -> None:
        """What an error leaves unread is of no interest."""
        self.messages.clear()

    def is_alive(self) -> bool:
        return True

    def stop(self) -> None:
        """Nothing has been started."""


class Notebook(IPyNbFile):
    """A notebook that is run only if the build has not run it as it stands."""

    def setup(self) -> None:
        cells = cells_as_run(self.path)
        if cells is None:
            super().setup()
        else:
            self.kernel = Records(cells)
            self.setup_sanitize_files()


def cells_as_run(path: Path) -> list[NotebookNode] | None:
    """The notebook's cells of code with the outputs that the build has kept; None if there are none of today's code."""
    # They bring torch, which the process that deals tests out can do without.
    from jupyter_cache import get_cache

    from book.publish.outputs import CACHE, stale

    if not CACHE.exists():
        return None
    cache = get_cache(CACHE)
    if stale(cache, [path]):
        return None
    _, notebook = cache.merge_match_into_notebook(nbformat.read(path, 4))
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> Generator[None, list[Any], list[Any]]:
    """Put :class:`Notebook` in the place of nbval's own."""
    found = yield
    return [
        Notebook.from_parent(parent, path=file_path) if isinstance(one, IPyNbFile) else one for one in found
    ]
