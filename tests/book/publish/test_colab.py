"""Notebooks for Colab: each begins with a cell that brings the book, and is as it was otherwise."""

import json
import shutil

import nbformat
import pytest
import yaml

from book.publish import colab
from tests import ROOT

SADDLE = ROOT / "book" / "recall" / "saddle.ipynb"
REPOSITORY = "https://github.com/nobody/facts"


@pytest.fixture
def begun(tmp_path, monkeypatch):
    """A copy of one notebook, made for Colab twice."""
    (tmp_path / "book" / "recall").mkdir(parents=True)
    shutil.copy(SADDLE, tmp_path / "book" / "recall")
    monkeypatch.chdir(tmp_path)
    colab.main(REPOSITORY)
    colab.main(REPOSITORY)
    return tmp_path / "book" / "recall" / "saddle.ipynb"


def test_one_cell_comes_before_the_others(begun):
    first, *others = nbformat.read(begun, 4).cells
    nbformat.validate(nbformat.read(begun, 4))
    assert f"!git clone --quiet --depth 1 {REPOSITORY} {colab.FOLDER}" in first.source
    assert others == nbformat.read(SADDLE, 4).cells
    assert json.loads(begun.read_text())["metadata"] == json.loads(SADDLE.read_text())["metadata"]


def test_only_the_job_that_pushes_them_may_write():
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "pages.yml").read_text())["jobs"]
    assert [name for name, job in jobs.items() if "write" in str(job["permissions"].get("contents"))] == [
        "colab"
    ]
    steps = "\n".join(step.get("run", "") for step in jobs["colab"]["steps"])
    assert "python3 -m book.publish.colab" in steps
    assert f"HEAD:refs/heads/{colab.BRANCH}" in steps
