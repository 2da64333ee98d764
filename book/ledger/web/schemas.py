"""The records for others, checked against their schemas when the book has been built: one that differs fails it.

The claims in JSON-LD must be in the vocabulary of schema.org, of which ``schema-dts`` has all types and properties; the
certificates keep the specification of CODECHECK, written down in ``codecheck.schema.json``; the tables and the errata
have the columns and the types that are stated here.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pandas as pd
import yaml
from jsonschema import Draft202012Validator
from sphinx.application import Sphinx

from book.ledger.entries import SIGNS
from book.ledger.proofs import Rank, Survival
from book.ledger.web.certificates import certified
from book.ledger.web.exports import COLUMNS, ERRATUM
from book.ledger.web.index import FOLDER, PAGE
from book.paper import CHAPTERS
from widgets import bundle, node
from widgets.project import INSTALLED

CODECHECK = json.loads(Path(__file__).with_name("codecheck.schema.json").read_text(encoding="utf-8"))
_ID = {"type": "string", "pattern": rf"^({'|'.join(paper.room for paper in CHAPTERS)})\.[a-z0-9-]+$"}
_TEXT = {"type": "string", "minLength": 1}


def _rows(columns: dict[str, Any], least: int = 0) -> dict[str, Any]:
    """The schema of a table with just these columns, and at least so many rows."""
    return {
        "type": "array",
        "minItems": least,
        "items": {
            "type": "object",
            "properties": columns,
            "required": list(columns),
            "additionalProperties": False,
        },
    }


LEDGER = _rows(
    dict.fromkeys(COLUMNS, _TEXT)
    | {"id": _ID, "number": {"type": "string"}, "verdict": {"enum": list(SIGNS)}},
    least=1,
)
"""The schema of ``ledger.csv`` and ``ledger.parquet``: what a paper does not number has no number."""
ERRATA = _rows(
    {"of": _TEXT, "statement": _ID}
    | dict.fromkeys(ERRATUM, _TEXT)
    | {"rank": {"enum": [str(rank) for rank in Rank]}, "survival": {"enum": [str(kind) for kind in Survival]}}
)
"""The schema of ``errata.json``, which is empty where no formula is wrong."""
TYPES = node.HERE / "node_modules" / "schema-dts" / "dist" / "schema.js"
COMPILER = node.HERE / "node_modules" / "typescript" / "bin" / "tsc"
STRICT = ("--noEmit", "--strict", "--ignoreConfig", "--skipLibCheck", "--module", "nodenext")


def setup(app: Sphinx) -> None:
    """Called by :mod:`book.ledger.web.sphinx`, after all that writes records."""
    app.connect("build-finished", _check)


def _check(app: Sphinx, exception: Exception | None) -> None:
    is_whole = PAGE in app.env.found_docs  # certificates name its pages
    if is_whole and not exception and app.builder.format == "html":
        check(Path(app.outdir) / FOLDER)


def check(folder: Path) -> None:
    """Check all records of a built book.

    Args:
        folder: the one they lie in.

    Raises:
        ValueError: a record is not as its schema says: which, where in it, and why.
    """
    for path, rows in (
        (folder / "ledger.csv", pd.read_csv(folder / "ledger.csv", keep_default_na=False, dtype="str")),
        (folder / "ledger.parquet", pd.read_parquet(folder / "ledger.parquet")),
    ):
        conform(path, rows.to_dict("records"), LEDGER)
    conform(folder / "errata.json", _json(folder / "errata.json"), ERRATA)
    for paper in certified():
        codecheck(folder / paper.room / "codecheck.yml")
    if not INSTALLED:  # the types of schema.org come with npm
        claims(folder / "ledger.jsonld")


def conform(path: Path, record: Any, schema: dict[str, Any]) -> None:
    """Refuse what a file holds if it is not as a JSON Schema says.

    Raises:
        ValueError: it is not.
    """
    for error in Draft202012Validator(schema).iter_errors(record):
        where = "/".join(map(str, error.absolute_path)) or "the whole"
        raise ValueError(f"{path.name}: {where}: {error.message}")


def codecheck(path: Path) -> None:
    """Check a certificate: as its schema says, an explicit document, and of files that there are.

    Raises:
        ValueError: it is not.
    """
    text = path.read_text(encoding="utf-8")
    if not text.startswith("---\n"):
        raise ValueError(f"{path.name}: must start with ---, as CC-CFG-002 of CODECHECK says")
    record = yaml.safe_load(text)
    conform(path, record, CODECHECK)
    for file in (*(item["file"] for item in record["manifest"]), record["report"]):
        if not (path.parent / file).is_file():
            raise ValueError(f"{path.name}: {file}: there is no such file beside it (CC-BUN-001)")


def claims(path: Path) -> None:
    """Check JSON-LD against the types and properties of schema.org.

    Raises:
        ValueError: one is not known, or does not belong where it stands.
    """
    bundle.ensure()
    code = (
        f"import type {{ Dataset, WithContext }} from {json.dumps(TYPES.as_posix())};\n"
        f"export const record: WithContext<Dataset> = {json.dumps(_json(path), indent=1)};\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{path.stem}.ts"
        file.write_text(code, encoding="utf-8")
        command = [*node.node(), str(COMPILER), *STRICT, str(file)]
        process = subprocess.run(command, capture_output=True, text=True)
    if process.returncode:
        raise ValueError(f"{path.name}: not as schema.org has it: {process.stdout}{process.stderr}".strip())


def _json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))
