"""The Sphinx extension: a real small book with working widgets, and every widget that would be dead refused."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import nbformat
import pytest
from bs4 import BeautifulSoup
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from book.publish.colab import BRANCH
from widgets.site import archive
from widgets.site.policy import INLINE_SCRIPT, POLICY
from widgets.site.state import MODEL_ID, VIEW_SCRIPT

CONFIG = """
title: Small
author: nobody
only_build_toc_files: true
execute: {execute_notebooks: force, timeout: 60, stderr_output: error}
launch_buttons: {notebook_interface: jupyterlab}
sphinx:
  extra_extensions: [widgets.site.sphinx]
  config:
    nb_execution_raise_on_error: true
    nb_render_markdown_format: myst
    glossary_page: book/glossary
    archive_name: small-book
    rediraffe_redirects: {MOVED}
"""
GLOSSARY = """
# Words

## For all

```{glossary}
attention weight
  What a token adds up other tokens with.

saddle
  A point at which training waits.
```

## Of the second chapter

```{glossary}
ascent
  The way up.
```
"""
SETUP = '''
import anywidget, ipywidgets as ipw, traitlets

class Figure(anywidget.AnyWidget):
    """Shows its one trait; the source holds what must not end a script: </script><!--"""
    _esm = """
    // </script><!-- <script>
    export default { render({ model, el }) {
      const show = () => { el.textContent = "x = " + model.get("x"); };
      model.on("change:x", show);
      show();
    } };
    """
    x = traitlets.Any().tag(sync=True)
'''
GOOD = """
slider = ipw.FloatLogSlider(value=0.3, min=-4, max=1, description=r"temperature $\\boldsymbol{T}$")
slider.add_class("url-temperature")
figures = [Figure(), Figure()]
for figure in figures:
    ipw.jslink((slider, "value"), (figure, "x"))
unused = ipw.IntSlider(description="made, never shown")
ipw.VBox([slider, *figures])
"""


STACKED = """
from IPython.display import Markdown
Markdown("| | radius $r$ | verdict |\\n|---|---|---|\\n| Recall | 1 | holds |\\n| Acquire | | fails |")
"""


def make_book(root: Path, *cells: nbformat.NotebookNode, moved: dict[str, str] | None = None) -> Path:
    """The sources of a book of three pages, of which one has these cells and one is a glossary.

    Args:
        moved: the old names of pages with their new ones.
    """
    (root / "book" / "recall").mkdir(parents=True)
    (root / "_config.yml").write_text(CONFIG.replace("{MOVED}", json.dumps(moved or {})))
    (root / "_toc.yml").write_text(
        "format: jb-book\nroot: book/index\nchapters: [{file: book/recall/saddle}, {file: book/glossary}]\n"
    )
    (root / "book" / "glossary.md").write_text(GLOSSARY)
    (root / "book" / "index.md").write_text("# Index\n\nWords.\n")
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    nbformat.write(
        new_notebook(cells=list(cells), metadata=kernel), root / "book" / "recall" / "saddle.ipynb"
    )
    return root


def build(root: Path) -> subprocess.CompletedProcess[str]:
    command = [
        str(Path(sys.executable).with_name("jupyter-book")),
        "build",
        ".",
        "--warningiserror",
        "--keep-going",
        "--quiet",
    ]
    place = {**os.environ, "REPOSITORY": "https://github.com/nobody/small"}
    return subprocess.run(command, cwd=root, capture_output=True, text=True, env=place)


@pytest.fixture(scope="module")
def book(tmp_path_factory) -> Path:
    """A built book whose widgets are as they should be."""
    root = make_book(
        tmp_path_factory.mktemp("good"),
        new_markdown_cell(
            "# Saddle\n\nLower it [to 0.02](#~temperature=0.02).\n\n"
            "Here {symbol}`v_1: attention to the first subject` is small, an {term}`attention weight`.\n\n"
            "| symbol | meaning |\n|---|---|\n| $L$ | loss |\n\n| token | weight |\n|---|---|\n| EoS | 1 |\n\n"
            "| The paper says | here |\n|---|---|\n| it rises | by 1 |"
        ),
        new_code_cell(SETUP),
        new_code_cell(GOOD),
        new_code_cell(STACKED, metadata={"tags": ["stacked"]}),
        moved={"book/recall/old": "book/recall/saddle"},
    )
    process = build(root)
    assert process.returncode == 0, process.stdout + process.stderr
    return root / "_build" / "html"


def test_pages_load_nothing_from_elsewhere_and_no_other_widget_scripts(book):
    pages = {path: path.read_text() for path in book.rglob("*.html") if "_static" not in path.parts}
    assert len(pages) >= 4
    for text in pages.values():
        assert not re.findall(r"<(?:script|link|img)\b[^>]*\b(?:src|href)=\"(?:https?:)?//[^\"]*", text)
        assert not re.search(r"require\.|html-manager|unpkg|MathJax\.js|tex-chtml", text)
        assert not INLINE_SCRIPT.search(text), "a policy may forbid scripts in the text"
    plain = pages[book / "book" / "index.html"]
    assert "runtime.js" not in plain
    (style,) = re.findall(r'<link rel="stylesheet" href="\.\./(.*?)"', plain)
    colours = (Path(__file__).parents[3] / "widgets" / "src" / "view" / "figure.css").read_text()
    assert colours in (book / style).read_text(), "plots of any page follow the theme"


def test_models_are_numbered_and_not_named_at_random(book):
    text = (book / "book" / "recall" / "saddle.html").read_text()
    assert not MODEL_ID.findall(text)
    (view,) = VIEW_SCRIPT.findall(text)
    assert f'"{json.loads(view)["model_id"]}":{{' in text


def test_a_notebooks_page_opens_it_on_binder_and_colab(book):
    text = (book / "book" / "recall" / "saddle.html").read_text()
    binder = "https://mybinder.org/v2/gh/nobody/small/main?urlpath=lab/tree/book/recall/saddle.ipynb"
    colab = f"https://colab.research.google.com/github/nobody/small/blob/{BRANCH}/book/recall/saddle.ipynb"
    assert f'href="{binder}"' in text
    assert f'href="{colab}"' in text
    assert not re.search("mybinder|colab", (book / "book" / "index.html").read_text())


def test_a_figure_module_is_written_once(book):
    text = (book / "book" / "recall" / "saddle.html").read_text()
    modules = list((book / "_static" / "esm").iterdir())
    assert len(modules) == 1
    assert 'textContent="x = "' in modules[0].read_text()
    state = re.search(r'widget-state\+json">(.*?)</script>', text, re.DOTALL)
    assert state
    assert state[1].count('"AnyModel"') == 2
    assert "export default" not in state[1]
    assert "never shown" not in state[1]
    assert text.index(f"../../_static/esm/{modules[0].name}") < text.index("../../_static/runtime.js")


def test_a_table_of_symbols_is_folded_and_no_other(book):
    text = (book / "book" / "recall" / "saddle.html").read_text()
    fold = re.search(
        r'<div class="dropdown[^"]* admonition">\s*<p class="admonition-title">Symbols</p>(.*?)</div>',
        text,
        re.S,
    )
    assert fold is not None
    assert "meaning" in fold[1]
    assert "EoS" not in fold[1]


def test_a_stacked_table_repeats_the_heads_of_its_columns_in_full_cells(book):
    text = (book / "book" / "recall" / "saddle.html").read_text()
    labels = re.findall(r'<span class="column">(.*?): </span>', text, re.S)
    assert [re.sub(r"<[^>]*>", "", label) for label in labels] == [
        "The paper says",
        "here",
        "radius r",
        "verdict",
        "verdict",
    ]


@pytest.mark.browser
def test_the_glossary_is_one_list_by_letters_and_addresses_of_its_sections_stay(book):
    page = BeautifulSoup((book / "book" / "glossary.html").read_text(), "html.parser")
    assert [" ".join(term.get_text().rstrip("#").split()) for term in page.select("dl.glossary dt")] == [
        "ascent Of the second chapter",
        "attention weight",
        "saddle",
    ]
    links = page.select(".letters a")
    assert [(link.get_text(), link["href"]) for link in links] == [("A", "#letter-a"), ("S", "#letter-s")]
    assert all(page.select_one(f"[id='{link['href'][1:]}']") for link in links)
    assert page.select_one("#of-the-second-chapter")


def test_a_symbol_and_a_word_of_the_glossary_show_their_meaning_to_mouse_and_keyboard(book, serve, open_page):
    page = open_page(f"{serve(book)}/book/recall/saddle.html")
    symbol, word = page.locator("abbr").all()
    assert symbol.get_attribute("title") == "attention to the first subject"
    assert (word.inner_text(), word.get_attribute("title")) == (
        "attention weight",
        "What a token adds up other tokens with.",
    )
    assert {abbreviation.get_attribute("tabindex") for abbreviation in (symbol, word)} == {"0"}
    symbol.locator("mjx-container").wait_for()


@pytest.mark.browser
@pytest.mark.parametrize("over", ["http", "file"])
def test_the_widgets_and_the_mathematics_of_a_built_page_live(book, serve, open_page, over):
    root = serve(book, POLICY) if over == "http" else f"file://{book}"
    page = open_page(f"{root}/book/recall/saddle.html")
    page.wait_for_function("window.factsRuntime")
    assert page.get_by_text("x = 0.3").count() == 2
    slider = page.get_by_role("slider", name="temperature boldsymbolT", exact=True)
    slider.press("Home")
    assert page.get_by_text("x = 0.0001").count() == 2
    page.get_by_role("link", name="to 0.02").click()
    assert page.get_by_text("x = 0.02").count() == 2
    page.locator(".ctl-label mjx-container mjx-c").first.wait_for()
    fonts = page.evaluate("document.fonts.ready.then((all) => [...all].map((f) => f.family + f.status))")
    assert "MJXTEX-BIloaded" in fonts


def test_the_whole_book_is_one_file_that_works_where_it_is_unpacked(book, tmp_path, open_page):
    with ZipFile(book / "small-book.zip") as zipped:
        zipped.extractall(tmp_path)
    unpacked = tmp_path / "small-book"
    built = {path.relative_to(book) for path in book.rglob("*") if path.is_file() and path.suffix != ".zip"}
    extracted = {path.relative_to(unpacked) for path in unpacked.rglob("*") if path.is_file()}
    assert built - extracted == {Path(".buildinfo"), Path("_rediraffe_redirected.json")}
    page = open_page((unpacked / "book" / "recall" / "saddle.html").as_uri())
    page.wait_for_selector("text=x = 0.3")


def test_equal_books_make_equal_archives(tmp_path):
    archives = []
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "index.html").write_text("<p>words</p>")
        archive.write(tmp_path / folder, "book")
        archives.append((tmp_path / folder / "book.zip").read_bytes())
    assert archives[0] == archives[1]


def test_an_old_address_leads_to_the_new_one(book):
    text = (book / "book" / "recall" / "old.html").read_text()
    assert 'content="1; url=saddle.html"' in text
    (script,) = re.findall(r'<script src="\.\./\.\./(.*?)">', text)
    assert "location.hash" in (book / script).read_text()


def test_a_page_moves_from_where_none_is_to_where_one_is(tmp_path):
    moved = {"book/index": "book/recall/saddle", "book/old": "book/nowhere"}
    process = build(make_book(tmp_path, new_markdown_cell("# Saddle"), new_code_cell("1"), moved=moved))
    assert process.returncode != 0
    assert "book/index.html already exists!" in process.stderr
    assert "book/nowhere.html does not exist!" in process.stderr


@pytest.mark.browser
@pytest.mark.parametrize("over", ["http", "file"])
def test_what_an_old_address_sets_goes_along(book, serve, open_page, over):
    root = serve(book, POLICY) if over == "http" else f"file://{book}"
    page = open_page(f"{root}/book/recall/old.html#~temperature=0.02")
    page.wait_for_url("**/book/recall/saddle.html#~temperature=0.02")
    page.wait_for_function("window.factsRuntime")
    assert page.get_by_text("x = 0.02").count() == 2


def test_a_book_with_dead_widgets_is_not_built_and_says_where_they_are(tmp_path):
    process = build(
        make_book(
            tmp_path,
            new_markdown_cell("# Saddle\n\n[typo](#~temprature=0.02)"),
            new_code_cell(SETUP),
            new_code_cell('ipw.VBox([ipw.Play(description="speed")])'),
            new_code_cell("ipw.interact(lambda x: None, x=3);"),
            new_code_cell("ipw.Output()"),
            new_code_cell('a = ipw.IntSlider(description="lonely")\na.add_class("url-a")'),
            new_code_cell('b = ipw.IntSlider(description="double")\nb.add_class("url-a")'),
            new_markdown_cell("{symbol}`v_1`"),
        )
    )
    assert process.returncode != 0
    where = "book/recall/saddle.ipynb, cell"
    for line in (
        f"{where} 3: Play 'speed': the static page cannot drive this control",
        f"{where} 4: VBox: interact needs a kernel",
        f"{where} 5: Output: the static page cannot drive this control",
        f"{where} 6: IntSlider 'lonely': 2 controls of the page have the class 'url-a'",
        f"{where} 7: IntSlider 'double': 2 controls of the page have the class 'url-a'",
        "book/recall/saddle.ipynb, a link to '#~temprature=…'",
        "{symbol}`v_1`: must be a formula, a colon and words",
    ):
        assert line in process.stderr
