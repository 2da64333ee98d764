"""The files on which a file depends, read off its text."""

import json

import pytest

from widgets import dependencies
from widgets.dependencies import ROOT, closure, digest

PAGE = ROOT / "book" / "recall" / "escape.ipynb"


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """A project of its own: write files into it by name."""
    monkeypatch.setattr(dependencies, "ROOT", tmp_path)
    monkeypatch.setattr(dependencies, "TABLES", tmp_path / "book" / "data")
    monkeypatch.setattr(dependencies, "CODE_HASHES", tmp_path / "_build")
    (tmp_path / "book" / "data").mkdir(parents=True)
    caches = (
        *(dependencies.closure, dependencies._hash, dependencies._direct_dependencies),
        *(dependencies._code_hash, dependencies._module_files),
    )

    def write(**files):
        for name, text in files.items():
            path = tmp_path / name.replace("__", "/").replace("_ipynb", ".ipynb")
            path = path if path.suffix else path.with_suffix(".py")
            path.parent.mkdir(exist_ok=True, parents=True)
            path.write_text(text)
        for cache in caches:
            cache.cache_clear()

    yield write
    for cache in caches:
        cache.cache_clear()


def names(root, path):
    return {str(file.relative_to(root)) for file in closure(root / path)}


def test_imports_are_followed_however_they_are_written(tree, tmp_path):
    tree(
        book__page="from lib.one import x\nfrom . import near\ndef f():\n    import lib.two as two",
        book__near="from .far import y",
        book__far="import math",
        lib__one="",
        lib__two="",
        lib__three="",
    )
    expected = {"book/page.py", "book/near.py", "book/far.py", "lib/one.py", "lib/two.py"}
    assert names(tmp_path, "book/page.py") == expected


def test_what_a_module_does_as_a_command_is_no_part_of_it(tree, tmp_path):
    tree(lib__one='if __name__ == "__main__":\n    import lib.two', lib__two="")
    assert names(tmp_path, "lib/one.py") == {"lib/one.py"}


def test_a_notebook_depends_on_what_its_cells_import(tree, tmp_path):
    cells = [
        {"cell_type": "markdown", "source": ["import lib.two"]},
        {"cell_type": "code", "source": ["%matplotlib inline\n", "import lib.one"]},
    ]
    tree(book__page_ipynb=json.dumps({"cells": cells}), lib__one="", lib__two="")
    assert names(tmp_path, "book/page.ipynb") == {"book/page.ipynb", "lib/one.py"}


def test_stored_tables_are_found_by_name(tree, tmp_path):
    for table in ("paper-one.csv", "paper-two.csv", "other.json"):
        (tmp_path / "book" / "data" / table).write_text("")
    tree(book__one='read("paper-one")', book__all='read(f"paper-{name}")', book__json='open("other.json")')
    assert names(tmp_path, "book/one.py") == {"book/one.py", "book/data/paper-one.csv"}
    assert names(tmp_path, "book/json.py") == {"book/json.py", "book/data/other.json"}
    with pytest.raises(ValueError, match=r"book/all.py: 'paper-': .* must be named whole, such as 'paper-"):
        names(tmp_path, "book/all.py")


def test_what_prints_the_papers_depends_on_what_is_known_of_them():
    assert "book/recall/paper.toml" in names(ROOT, ROOT / "book" / "index.ipynb")
    assert "book/recall/paper.toml" not in names(ROOT, ROOT / "book" / "ledger" / "statement.py")


def test_the_hash_follows_every_file(tree, tmp_path):
    seen = []
    for text in ("a = 1", "a = 2", "a = 1"):
        tree(book__page="import lib.one", lib__one=text)
        seen.append(digest(closure(tmp_path / "book" / "page.py")))
    assert seen[0] == seen[2] != seen[1]


def test_a_page_depends_on_its_own_folder_and_on_no_other_page():
    files = names(ROOT, PAGE)
    assert {"book/recall/escape/figure.py", "lib/recall/landscape.py"} <= files
    assert any(name.startswith("widgets/src/") and name.endswith("/figure.js") for name in files)
    assert not {name for name in files if name.startswith("book/recall/saddle")}
    assert "book/data/statements.json" not in files
    assert "book/data/statements.json" in names(ROOT, ROOT / "book" / "atlas.ipynb")


def test_words_for_readers_are_no_part_of_the_code(tree, tmp_path):
    def seen(module, prose="Words.", cell="import lib.one"):
        cells = [{"cell_type": "markdown", "source": [prose]}, {"cell_type": "code", "source": [cell]}]
        tree(book__page_ipynb=json.dumps({"cells": cells}), lib__one=module)
        return dependencies.code_digest(closure(tmp_path / "book" / "page.ipynb"))

    first = seen('"""Says."""\ndef f():\n    """Doubles."""\n    return "text"  # why')
    assert seen('def f():\n    return "text"', "Other words.") == first
    assert seen('def f():\n    return "other text"') != first
    assert seen('def f():\n    return "text"', cell="import lib.one as one") != first


def test_scripts_and_style_sheets_of_pages_are_no_part_of_the_code():
    files = closure(PAGE)
    assert dependencies.code_digest(files) == dependencies.code_digest(
        path
        for path in files
        if path.suffix in (".py", ".ipynb", ".csv", ".json") or path == dependencies.LAYOUT
    )
