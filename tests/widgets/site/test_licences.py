"""What a built book says of others' work in it: every package with its licence."""

import json
import shutil
from importlib.metadata import distribution

import pytest

from tests import HTML
from widgets import node
from widgets.site import licences

EXTENSIONS = ("sphinx_copybutton", "sphinx.ext.mathjax", "sphinx_design")


@pytest.fixture
def static(tmp_path):
    """A site's own files, of which one is another's."""
    files = distribution("sphinx-copybutton").files or ()
    (owned,) = (file.locate() for file in files if file.name == "clipboard.min.js")
    shutil.copy(owned, tmp_path / "renamed.js")
    (tmp_path / "ours.js").write_text("ours;" * licences.ANYBODYS)
    return tmp_path


def test_a_distribution_ships_where_a_file_of_its_lies_under_whatever_name(static):
    (found,) = licences.of_python(static, EXTENSIONS)
    assert found.name == "sphinx-copybutton"
    assert found.url == f"pkg:pypi/sphinx-copybutton@{found.version}"
    assert "Permission is hereby granted" in found.text


def test_what_is_bundled_ships_and_what_only_builds_does_not():
    names = {one.name for one in licences.of_npm()}
    direct = json.loads((node.HERE / "package.json").read_text())
    assert names > {*direct["dependencies"], "d3-color", licences.FONTS}  # d3-color: by way of d3-scale
    assert not names & {"esbuild", "linkedom"}


def test_the_bill_and_the_texts_name_the_same_and_two_builds_give_the_same(static):
    licences.provide(static, EXTENSIONS)
    first = [(static / name).read_text() for name in ("licences.txt", "sbom.json")]
    components = json.loads(first[1])["components"]
    assert [f"{one['name']} {one['version']}: " in first[0] for one in components] == [True] * len(components)
    licences.provide(static, EXTENSIONS)
    assert [(static / name).read_text() for name in ("licences.txt", "sbom.json")] == first


@pytest.mark.skipif(not HTML.exists(), reason="the book is not built: make book")
def test_the_book_names_its_themes_and_every_package_has_a_text():
    static = HTML / "_static"
    listed = {one["name"] for one in json.loads((static / "sbom.json").read_text())["components"]}
    assert listed >= {"Sphinx", "sphinx-book-theme", "pydata-sphinx-theme", "d3-scale", "mathjax", "uqr"}
    for entry in (static / "licences.txt").read_text().split("=" * 80):
        title, _, text = entry.strip().partition("\n")
        assert len(text.strip()) > 500, title
