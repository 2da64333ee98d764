"""``make page`` in a copy of the tree: the page that it lays out builds, says what it should, and passes its tests."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from book.__main__ import main
from book.publish import new
from tests import ROOT
from widgets import bundle
from widgets.dependencies import CODE_HASHES

PAGE = "recall/my_page"
pytestmark = pytest.mark.no_page


def succeeds(tree, command, *arguments) -> str:
    """What a command of the environment prints in the copy, which stands before the installed tree."""
    done = subprocess.run(
        [Path(sys.executable).with_name(command), *arguments],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(tree)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def laid_out(tmp_path_factory):
    """A copy of all that is tracked or new, with a page laid out in it, and what the command said."""
    copy = tmp_path_factory.mktemp("tree")
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    files = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    for name in filter(None, files):
        if (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, copy / name)
    shutil.copytree(bundle.ensure(), copy / "widgets" / "dist")
    (copy / "widgets" / "node_modules").symlink_to(ROOT / "widgets" / "node_modules")
    if CODE_HASHES.exists():
        shutil.copytree(CODE_HASHES, copy / CODE_HASHES.relative_to(ROOT))
    if (ROOT / ".mypy_cache").exists():
        shutil.copytree(ROOT / ".mypy_cache", copy / ".mypy_cache")
    return copy, succeeds(copy, "python", "-m", "book", "new", *PAGE.split("/"))


@pytest.fixture
def tree(laid_out):
    return laid_out[0]


def test_it_stands_last_in_its_chapter_and_nothing_else_moved(tree):
    before, after = (folder.joinpath("_toc.yml").read_text().splitlines() for folder in (ROOT, tree))
    (line,) = [line for line in after if line not in before]
    assert line.strip() == f"- file: book/{PAGE}"
    assert [other for other in after if other != line] == before
    old, contents = (yaml.safe_load("\n".join(lines)) for lines in (before, after))
    (chapter,) = (part["chapters"][0] for part in contents["parts"] if part["caption"] == "Recall")
    assert chapter["sections"].pop() == {"file": f"book/{PAGE}"}, "it has no other page's title"
    assert contents == old


@pytest.mark.parametrize("title", ["", "\n        title: To remember"])
def test_it_is_the_first_page_of_a_chapter_that_has_none(title, tmp_path, monkeypatch):
    monkeypatch.setattr(new, "ROOT", tmp_path)
    chapter = f"parts:\n  - chapters:\n      - file: book/remember/index{title}\n"
    (tmp_path / "_toc.yml").write_text(chapter)
    new._enter("remember", "my_page")
    ((chapter,),) = (
        part["chapters"] for part in yaml.safe_load((tmp_path / "_toc.yml").read_text())["parts"]
    )
    assert chapter["sections"] == [{"file": "book/remember/my_page"}]
    assert chapter.get("title", "") == title.strip().removeprefix("title: ")


def test_its_statement_is_confirmed_and_in_the_table(laid_out):
    tree, said = laid_out
    assert re.search(r"^recall.my-page .* confirmed$", said, re.MULTILINE)
    assert f"book/{PAGE}.ipynb" in said
    stored = json.loads((tree / "book" / "data" / "statements.json").read_text())
    (entry,) = [entry for entry in stored if entry["id"] == "recall.my-page"]
    assert (entry["verdict"], entry["source"]) == ("confirmed", "book")
    assert len(stored) == len(json.loads((ROOT / "book" / "data" / "statements.json").read_text())) + 1
    (hunted,) = [
        entry
        for entry in json.loads((tree / "book" / "data" / "hunt.json").read_text())
        if entry["id"] == "recall.my-page"
    ]
    assert set(hunted["drawn"]) == {"h"}


def test_it_passes_the_tests_that_every_page_must_pass(tree):
    files = (
        "book/test_agreement.py",
        "book/ledger/test_plain.py",
        "book/ledger/test_statements.py",
        "book/ledger/test_hunt.py",
        "widgets/figure/test_figures.py",
        "test_house.py",
    )
    chosen = "my_page or my-page"
    said = succeeds(
        tree, "pytest", "-p", "no:cacheprovider", "-k", chosen, *(f"tests/{name}" for name in files)
    )
    assert "passed" in said
    assert "skipped" not in said


def test_it_is_clean(tree):
    paths = (f"book/{PAGE}", f"book/{PAGE}.ipynb")
    succeeds(tree, "ruff", "check", *paths)
    succeeds(tree, "ruff", "format", "--check", *paths)
    succeeds(tree, "mypy", f"book/{PAGE}")


def test_it_builds(tree):
    (tree / "alone.yml").write_text(f"format: jb-book\nroot: book/{PAGE}\n")
    succeeds(tree, "jupyter-book", "build", ".", "--toc", "alone.yml", "--warningiserror", "--keep-going")
    page = (tree / "_build" / "html" / "book" / f"{PAGE}.html").read_text()
    for there in ('id="recall.my-page"', "application/vnd.jupyter.widget-state+json", 'class="exercise'):
        assert there in page


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["remember", "my_page"], "PAPER = 'remember': must be one of acquire, recall, recognise, together"),
        (["recall", "My-Page"], "PAGE = 'My-Page': must be small letters, digits and underscores"),
        (["recall", "class"], "PAGE = 'class': must be small letters, digits and underscores"),
        (["recall", "escape"], "PAGE = 'escape': must be new to the chapter 'recall'"),
        (["recall", "common"], "PAGE = 'common': must be new to the chapter 'recall'"),
        (["recall", "lemma_6"], "and 'recall.lemma-6' to the ledger"),
    ],
)
def test_bad_names_are_named_and_nothing_is_written(arguments, complaint, capsys):
    contents = (ROOT / "_toc.yml").read_text()
    assert main(["new", *arguments]) == 2
    assert complaint in capsys.readouterr().err
    assert (ROOT / "_toc.yml").read_text() == contents


def state_of(tree: Path) -> dict[str, bytes]:
    """What a new page would change."""
    files = [tree / "_toc.yml", *(tree / "book" / "data").glob("*.json")]
    listed = {str(path): b"" for path in (tree / "book" / "recall").iterdir()}
    return listed | {str(path): path.read_bytes() for path in files}


INTERRUPTED = """
from book.ledger import store
from book.publish import new
with new._nothing_left_behind("recall", "another_page"):
    assert new.lay_out("recall", "another_page").exists()
    store.HUNTS.write_text("[]")
    raise KeyboardInterrupt
"""
DOES_NOT_RUN = """
from book.__main__ import main
from book.publish import new
new.EXECUTE = "nbconvert --to nothing"
raise SystemExit(main(["new", "recall", "another_page"]))
"""


@pytest.mark.parametrize(
    ("script", "said"),
    [(INTERRUPTED, "KeyboardInterrupt"), (DOES_NOT_RUN, "nothing of it is left")],
    ids=["interrupted", "its notebook does not run"],
)
def test_a_new_page_that_comes_to_nothing_leaves_nothing_behind(script, said, tree):
    before = state_of(tree)
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(tree)},
        capture_output=True,
        text=True,
    )
    assert done.returncode != 0
    assert said in done.stderr
    assert state_of(tree) == before
