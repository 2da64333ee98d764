"""Markdown made from numbers."""

from __future__ import annotations

from collections.abc import Sequence


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table; a bar in a cell, of an absolute value say, does not end it."""
    cells = [[cell.replace("|", r"\|") for cell in row] for row in (head, *rows)]
    lines = ["| " + " | ".join(row) + " |" for row in cells]
    return "\n".join([lines[0], "| " + " | ".join("---" for _ in head) + " |", *lines[1:]])
