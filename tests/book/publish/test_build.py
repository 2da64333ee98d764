"""The build runs the notebooks of the table of contents, each once, and again only when it has to."""

from typing import Any

import nbformat
import pytest
from jupyter_cache import get_cache
from jupyter_client.manager import start_new_kernel
from jupyter_client.provisioning.factory import KernelProvisionerFactory

from book.publish import outputs
from book.publish.build import ROOT, notebooks
from book.publish.outputs import execute, stale
from tests.notebooks import cells_as_run


def test_every_notebook_of_the_book_is_run_once():
    paths = notebooks()
    assert len(set(paths)) == len(paths)
    there = {
        path
        for path in (ROOT / "book").rglob("*.ipynb")
        if not any(part.startswith(".") for part in path.relative_to(ROOT).parts)
    }
    assert set(paths) == there


@pytest.fixture
def book(tmp_path, monkeypatch):
    """A book in a folder of its own, whose notebooks rest on nothing but themselves and what "lib" holds."""
    (tmp_path / "_config.yml").write_text("execute: {timeout: 60}")
    (tmp_path / "lib").write_text("1")
    monkeypatch.setattr(outputs, "ROOT", tmp_path)
    monkeypatch.setattr(outputs, "RUN", tmp_path / ".run")
    monkeypatch.setattr(outputs, "closure_of_code", lambda code, path: ())
    monkeypatch.setattr(
        outputs, "code_digest", lambda files, *texts: repr(texts) + (tmp_path / "lib").read_text()
    )
    return tmp_path


def written(folder, name, code):
    path = folder / name
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)]), path)
    return path


def test_a_notebook_is_run_again_only_if_something_has_changed(book, monkeypatch):
    monkeypatch.setattr(outputs, "CACHE", book / ".cache")
    assert cells_as_run(written(book, "one.ipynb", "1")) is None
    cache = get_cache(outputs.CACHE)
    one, two = written(book, "one.ipynb", "print(6 * 7)"), written(book, "two.ipynb", "print('two')")
    assert stale(cache, [one, two]) == [one, two]
    assert execute(cache, [one, two]) == []
    assert stale(cache, [one, two]) == []
    _, merged = cache.merge_match_into_notebook(nbformat.read(one, 4))
    assert merged.cells[0].outputs[0].text == "42\n"
    assert cells_as_run(one) == merged.cells
    stamp = (book / ".run" / "one.ipynb").stat().st_mtime
    written(book, "two.ipynb", "print('changed')")
    assert stale(cache, [one, two]) == [two]
    assert cells_as_run(two) is None
    assert (book / ".run" / "one.ipynb").stat().st_mtime == stamp
    (book / "lib").write_text("2")
    assert stale(cache, [one, two]) == [one, two]


def test_a_notebook_that_fails_is_named_and_not_kept(book):
    cache = get_cache(book / ".cache")
    bad = written(book, "bad.ipynb", "1 / 0")
    (said,) = execute(cache, [bad])
    assert said.startswith("bad.ipynb:")
    assert "ZeroDivisionError" in said
    assert stale(cache, [bad]) == [bad]


@pytest.mark.parametrize("name", ["warm", "local-provisioner"])
def test_a_warm_kernel_is_a_kernel_like_any_other(monkeypatch, tmp_path, name):
    monkeypatch.setattr(KernelProvisionerFactory.instance(), "default_provisioner_name", name)
    manager, client = start_new_kernel(kernel_name="python3", cwd=str(tmp_path))

    def said(code):
        outputs: list[dict[str, Any]] = []
        reply = client.execute_interactive(code, timeout=60, output_hook=outputs.append)
        texts = [message["content"].get("text", "") for message in outputs if message["msg_type"] == "stream"]
        return reply["content"].get("ename", "") + "".join(texts).strip()

    try:
        assert said("torch") == "NameError"
        assert said("import os; print(os.getcwd())") == str(tmp_path.resolve())
        assert said("import matplotlib.pyplot as plt; print(plt.get_backend())").endswith("inline")
        assert said("import sys; print('seaborn' in sys.modules)") == str(name == "warm")
    finally:
        client.stop_channels()
        manager.shutdown_kernel()
    assert not manager.is_alive()
