"""The records for others keep their schemas; what differs is named."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pandas as pd
import pytest
import yaml

from book.ledger.entries import entries
from book.ledger.web import certificates, exports, schemas
from book.paper import PAPERS
from tests import ROOT

PAPER = PAPERS[2]
CLAIM = exports._claim(entries()[0])


@pytest.fixture
def certificate(tmp_path):
    """A paper's certificate, beside all files that it names."""
    certificates.write_records(tmp_path, "the checkers")
    (tmp_path / "data").mkdir()
    for table in certificates.tables(PAPER):
        shutil.copy(ROOT / "book" / "data" / f"{table['name']}.csv", tmp_path / "data")
    (tmp_path / "ledger.csv").touch()
    (tmp_path / f"certificate-{PAPER.room}.html").touch()
    return tmp_path / PAPER.room / "codecheck.yml"


def rewritten(path: Path, change) -> Path:
    record = yaml.safe_load(path.read_text())
    change(record)
    path.write_text(yaml.safe_dump(record, explicit_start=True))
    return path


def test_a_certificate_keeps_the_specification_of_codecheck(certificate):
    schemas.codecheck(certificate)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda r: r.pop("manifest"), "'manifest' is a required property"),
        (lambda r: r.pop("codechecker"), "'codechecker' is a required property"),
        (lambda r: r.pop("report"), "'report' is a required property"),
        (lambda r: r.update(codechecker=[]), "codechecker: .* should be non-empty"),
        (lambda r: r["codechecker"][0].pop("name"), "codechecker/0: 'name' is a required property"),
        (lambda r: r["manifest"][0].update(file="/data/x.csv"), "manifest/0/file: .* does not match"),
        (lambda r: r["manifest"][0].update(file="x.csv"), r"x\.csv: there is no such file beside it"),
        (lambda r: r["paper"]["authors"][0].update(ORCID="0000"), "authors/0/ORCID: '0000' does not match"),
        (lambda r: r["paper"].update(title="FIXME"), "paper/title: .* should not be valid"),
        (lambda r: r.update(version="https://codecheck.org.uk/spec/config/3.0/"), "version: .* was expected"),
        (lambda r: r.update(check_time="soon"), "check_time: 'soon' does not match"),
    ],
)
def test_what_codecheck_does_not_allow_is_refused_by_name(certificate, change, why):
    with pytest.raises(ValueError, match=rf"codecheck\.yml: .*{why}"):
        schemas.codecheck(rewritten(certificate, change))


def test_a_certificate_is_an_explicit_document(certificate):
    certificate.write_text(certificate.read_text().removeprefix("---\n"))
    with pytest.raises(ValueError, match="must start with ---"):
        schemas.codecheck(certificate)


def test_the_tables_keep_their_columns_and_types(tmp_path):
    exports.write_tables(tmp_path)
    table = pd.read_parquet(tmp_path / "ledger.parquet")

    def refused(changed: pd.DataFrame, why: str) -> None:
        with pytest.raises(ValueError, match=why):
            schemas.conform(tmp_path / "ledger.csv", changed.to_dict("records"), schemas.LEDGER)

    schemas.conform(tmp_path / "ledger.csv", table.to_dict("records"), schemas.LEDGER)
    refused(table.assign(verdict="proven"), r"ledger\.csv: 0/verdict: 'proven' is not one of")
    refused(table.assign(page=1), "0/page: 1 is not of type 'string'")
    refused(table.assign(more=""), "Additional properties are not allowed")
    refused(table.drop(columns="title"), "'title' is a required property")
    refused(table.head(0), "the whole: .* should be non-empty")


def test_claims_are_in_the_words_of_schema_org(tmp_path):
    file = tmp_path / "ledger.jsonld"
    file.write_text(json.dumps(exports.dataset("A book", [CLAIM])))
    schemas.claims(file)
    wrong: list[dict[str, object]] = [
        {"appears": CLAIM["appearance"]},
        {"review": {"@type": "ClaimRevue"}},
        {"appearance": {"@type": "Place", "name": "here"}},
    ]
    file.write_text(json.dumps(exports.dataset("A book", [{**CLAIM, **change} for change in wrong])))
    with pytest.raises(ValueError, match=r"ledger\.jsonld: not as schema\.org has it") as refusal:
        schemas.claims(file)
    assert all(word in str(refusal.value) for word in ("appears", "ClaimRevue", "Place"))


def test_a_claims_text_has_no_marks_of_ours():
    texts = [exports._claim(entry)["text"] for entry in entries()]
    assert not [text for text in texts if re.search(r"\{\w+\}`", text)]
