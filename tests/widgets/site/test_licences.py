"""The licences that a built book carries: every package that ships, with its licence's text."""

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
    """A site's own files, one of which comes from another package."""
    files = distribution("sphinx-copybutton").files or ()
    (owned,) = (file.locate() for file in files if file.name == "clipboard.min.js")
    shutil.copy(owned, tmp_path / "renamed.js")
    (tmp_path / "ours.js").write_text("ours;" * licences.SMALLEST_ASSET)
    return tmp_path


def test_a_distribution_ships_where_a_file_of_its_lies_under_whatever_name(static):
    (package,) = licences.python_packages(static, EXTENSIONS)
    assert package.name == "sphinx-copybutton"
    assert package.url == f"pkg:pypi/sphinx-copybutton@{package.version}"
    assert "Permission is hereby granted" in package.text


def test_packages_that_are_bundled_ship_and_build_tools_do_not():
    names = {package.name for package in licences.npm_packages()}
    direct = json.loads((node.HERE / "package.json").read_text())
    assert names > {*direct["dependencies"], "d3-color", licences.FONTS}  # d3-color: by way of d3-scale
    assert not names & {"esbuild", "linkedom"}


def test_the_bill_and_the_texts_name_the_same_and_two_builds_give_the_same(static):
    licences.write(static, EXTENSIONS)
    first = [(static / name).read_text() for name in ("licences.txt", "sbom.json")]
    components = json.loads(first[1])["components"]
    assert all(f"{package['name']} {package['version']}: " in first[0] for package in components)
    licences.write(static, EXTENSIONS)
    assert [(static / name).read_text() for name in ("licences.txt", "sbom.json")] == first


@pytest.mark.skipif(not HTML.exists(), reason="the book is not built: make book")
def test_the_book_names_its_themes_and_every_package_has_a_text():
    static = HTML / "_static"
    names = {package["name"] for package in json.loads((static / "sbom.json").read_text())["components"]}
    assert names >= {"Sphinx", "sphinx-book-theme", "pydata-sphinx-theme", "d3-scale", "mathjax", "uqr"}
    for entry in (static / "licences.txt").read_text().split("=" * 80):
        title, _, text = entry.strip().partition("\n")
        assert len(text.strip()) > 500, title
