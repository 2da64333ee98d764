"""``python -m tests.guide``: write the list of all files in ``CONTRIBUTING.md`` anew, from their first sentences.

A chapter's pages are left out: their folders are all alike.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

from tests import ROOT

GUIDE = ROOT / "CONTRIBUTING.md"
BEGIN, END = "<details><summary>All files</summary>\n", "</details>\n"
ROOMS = ("lib", "widgets", "book", "tests")
WIDTH = 100
"""Characters of a line."""
HEADER = re.compile(r"/\*\*\s*(.*?)\s*\*/", re.DOTALL)
"""The comment at the head of a script."""
FIRST_SENTENCE = re.compile(r".*?(?<!\bal)(?<!\bApp)[.?](?=\s+[A-Z`]|$)")
"""A sentence ends before a capital letter; "et al." and "App." do not end it."""


def listing() -> str:
    """All files of the rooms but for tests and pages, each with its first sentence, by folder."""
    folders: dict[str, list[str]] = {}
    for path in sorted(_files()):
        sentence = _first_sentence(path)
        if sentence:
            line = f"- `{path.name}`: {sentence}"
            lines = textwrap.wrap(
                line, WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
            )
            folders.setdefault(f"{path.parent.relative_to(ROOT)}/", []).extend(lines)
    return "".join("\n".join(["", f"`{folder}`", "", *lines, ""]) for folder, lines in folders.items())


def _files() -> Iterator[Path]:
    """The files that the list names."""
    pages = {path.with_suffix("") for path in (ROOT / "book").glob("*/*.ipynb")}
    for room in ROOMS:
        for path in (ROOT / room).rglob("*"):
            parts = path.relative_to(ROOT).parts
            is_built = {"node_modules", "dist", "__pycache__", "templates", "experiments"} & {*parts}
            is_hidden = any(part.startswith(".") for part in parts)
            is_test = path.name.startswith("test_") or path.name in ("conftest.py", "__init__.py")
            if path.suffix in (".py", ".js", ".mjs") and not (
                is_built or is_hidden or is_test or pages & {*path.parents}
            ):
                yield path


def _first_sentence(path: Path) -> str:
    """The first sentence of a file's docstring or header, in a line; empty if it has none."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        header = ast.get_docstring(ast.parse(text)) or ""
    else:
        match = HEADER.match(text)
        header = re.sub(r"^ *\* ?", "", match[1], flags=re.MULTILINE) if match else ""
    paragraph = " ".join(header.split("\n\n")[0].split())
    sentence = FIRST_SENTENCE.match(paragraph)
    plain = (sentence[0] if sentence else paragraph).rstrip(".").replace("``", "`")
    return re.sub(r":\w+:`~?[\w.]*?(\w+)`", r"`\1`", plain)


def updated(text: str) -> str:
    """The guide's text with the list as it should be."""
    before, _, rest = text.partition(BEGIN)
    after = rest.partition(END)[2]
    return f"{before}{BEGIN}{listing()}\n{END}{after}"


def main() -> None:
    """Write the guide."""
    GUIDE.write_text(updated(GUIDE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
