"""The notebooks that run before the build are those of the table of contents, and those are all there are."""

from book.execute import ROOT, notebooks


def test_every_notebook_of_the_book_is_run_once():
    found = notebooks()
    assert len(set(found)) == len(found)
    there = {
        path
        for path in (ROOT / "book").rglob("*.ipynb")
        if not any(part.startswith(".") for part in path.relative_to(ROOT).parts)
    }
    assert set(found) == there
