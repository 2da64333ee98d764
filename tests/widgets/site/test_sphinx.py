"""The Sphinx extension: a real small book with working widgets, and every widget that would be dead refused."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anywidget
import ipywidgets as ipw
import nbformat
import pytest
import traitlets
from ipywidgets.embed import dependency_state
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from book.publish.colab import BRANCH
from widgets.site.policy import POLICY, SCRIPT
from widgets.site.state import (
    ID,
    OPTIONS,
    VIEW_SCRIPT,
    State,
    View,
    address_names,
    needed,
    numbers,
    problems,
    renamed,
)

CONFIG = """
title: Small
author: nobody
only_build_toc_files: true
execute: {execute_notebooks: force, timeout: 60, stderr_output: error}
launch_buttons: {notebook_interface: jupyterlab}
sphinx:
  extra_extensions: [widgets.site.sphinx]
  config: {nb_execution_raise_on_error: true, glossary_page: book/glossary}
"""
GLOSSARY = """
# Words

```{glossary}
attention weight
  What a token adds up other tokens with.
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


def make_book(root: Path, *cells: nbformat.NotebookNode) -> Path:
    """The sources of a book of three pages, of which one has these cells and one says what words mean."""
    (root / "book" / "recall").mkdir(parents=True)
    (root / "_config.yml").write_text(CONFIG)
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
            "Here {symbol}`v_1: attention to the first subject` is small, an {term}`attention weight`."
        ),
        new_code_cell(SETUP),
        new_code_cell(GOOD),
    )
    done = build(root)
    assert done.returncode == 0, done.stdout + done.stderr
    return root / "_build" / "html"


def test_pages_load_nothing_from_elsewhere_and_no_other_widget_scripts(book):
    pages = {path: path.read_text() for path in book.rglob("*.html") if "_static" not in path.parts}
    assert len(pages) >= 4
    for text in pages.values():
        assert not re.findall(r"<(?:script|link|img)\b[^>]*\b(?:src|href)=\"(?:https?:)?//[^\"]*", text)
        assert not re.search(r"require\.|html-manager|unpkg|MathJax\.js|tex-chtml", text)
        assert not SCRIPT.search(text), "a policy may forbid scripts in the text"
    plain = pages[book / "book" / "index.html"]
    assert "runtime.js" not in plain
    (style,) = re.findall(r'<link rel="stylesheet" href="\.\./(.*?)"', plain)
    colours = (Path(__file__).parents[3] / "widgets" / "src" / "view" / "figure.css").read_text()
    assert colours in (book / style).read_text(), "plots of any page follow the theme"


def test_models_are_numbered_and_not_named_at_random(book):
    text = (book / "book" / "recall" / "saddle.html").read_text()
    assert not ID.findall(text)
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


@pytest.mark.browser
def test_a_symbol_and_a_word_of_the_glossary_say_their_meaning_to_hands_and_keys(book, serve, open_page):
    page = open_page(f"{serve(book)}/book/recall/saddle.html")
    symbol, word = page.locator("abbr").all()
    assert symbol.get_attribute("title") == "attention to the first subject"
    assert (word.inner_text(), word.get_attribute("title")) == (
        "attention weight",
        "What a token adds up other tokens with.",
    )
    assert {each.get_attribute("tabindex") for each in (symbol, word)} == {"0"}
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


def test_a_book_with_dead_widgets_is_not_built_and_says_where_they_are(tmp_path):
    done = build(
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
    assert done.returncode != 0
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
        assert line in done.stderr


class Figure(anywidget.AnyWidget):
    """A figure that is never drawn here."""

    _esm = "export default {}"
    x = traitlets.Any().tag(sync=True)
    data = traitlets.Bytes(b"1").tag(sync=True)


def found(*shown: ipw.Widget, change: Callable[[State], Any] = lambda state: None) -> list[str]:
    """The problems of a page that shows each widget in a cell of its own."""
    state = dependency_state(None, drop_defaults=False)
    change(state)
    return problems(state, [View(widget.model_id, i + 1) for i, widget in enumerate(shown)])


@pytest.fixture
def figure() -> Figure:
    ipw.Widget.close_all()
    return Figure()


def linked(control: ipw.Widget, figure: Figure, trait: str = "value") -> ipw.Widget:
    ipw.jslink((control, trait), (figure, "x"))
    return control


def test_linked_controls_are_fine(figure):
    slider = linked(ipw.IntSlider(description="seed"), figure)
    assert found(ipw.VBox([slider, figure])) == []
    assert found(slider, figure, slider) == []


def test_a_control_of_another_kind_is_refused_wherever_it_hides(figure):
    box = ipw.Accordion([ipw.HBox([ipw.IntRangeSlider(description="between")])], titles=["more"])
    assert found(figure, box) == [
        "cell 2: IntRangeSlider 'between': the static page cannot drive this control"
    ]


def test_interact_is_refused_by_name(figure):
    complaints = found(ipw.interactive(lambda x: None, x=3))
    assert "cell 1: VBox: interact needs a kernel" in complaints[0]
    assert any("Output" in complaint for complaint in complaints)


def test_a_view_without_its_model_is_refused(figure):
    slider = linked(ipw.IntSlider(), figure)
    assert (
        "model is not in the page"
        in found(slider, figure, change=lambda state: state.pop(slider.model_id))[0]
    )
    assert (
        "model is not in the page"
        in found(slider, figure, change=lambda state: state.pop(figure.model_id))[0]
    )


def test_two_figures_of_one_name_are_refused(figure):
    class Named(Figure):
        spec = traitlets.Dict({"name": "descent"}).tag(sync=True)

    complaint = "2 figures of the page are called 'descent': name= must differ, as prose follows it"
    assert found(Named(), Named()) == [f"cell {cell}: Any: {complaint}" for cell in (1, 2)]
    assert found(Named(), figure) == []


def test_a_figure_without_its_module_is_refused(figure):
    without = found(figure, change=lambda state: state[figure.model_id]["state"].pop("_esm"))
    assert without == ["cell 1: Any: its module is not in the page"]


@pytest.mark.parametrize("kind", [ipw.Dropdown, ipw.SelectionSlider, ipw.ToggleButtons, ipw.RadioButtons])
def test_a_choice_is_linked_by_its_index(figure, kind):
    choice = linked(kind(options=["a", "b"], description="gate"), figure, "index")
    assert found(choice, figure) == []

    def by_value(state: State) -> None:
        (link,) = (entry["state"] for entry in state.values() if entry["model_name"] == "LinkModel")
        link["source"] = [link["source"][0], "value"]

    sentence = (
        f"cell 1: {kind.__name__} 'gate': its trait 'value' cannot be linked in the static page: link 'index'"
    )
    assert found(choice, figure, change=by_value) == [sentence]


def test_a_link_to_a_trait_that_nothing_follows_is_refused(figure):
    slider = linked(ipw.IntSlider(description="seed"), figure)
    ipw.jslink((slider, "value"), (slider.style, "handle_color"))
    assert "trait 'handle_color' cannot be linked" in found(slider, figure)[0]


def test_a_link_to_a_trait_that_a_figure_lacks_is_refused(figure):
    slider = linked(ipw.IntSlider(description="seed"), figure)
    assert found(slider, figure, change=lambda state: state[figure.model_id]["state"].pop("x")) == [
        "cell 2: Any: its trait 'x' is linked, but it has no such trait"
    ]


def test_a_trait_sent_as_bytes_can_be_linked(figure):
    other = Figure()
    ipw.jslink((figure, "data"), (other, "data"))
    assert found(figure, other) == []


def test_an_input_that_moves_nothing_is_refused_unless_disabled(figure):
    alone = ipw.IntSlider(description="alone")
    assert "cell 1: IntSlider 'alone': moves nothing" in found(alone)[0]
    other = ipw.IntSlider(description="other")
    ipw.jslink((alone, "value"), (other, "value"))
    assert len(found(alone, other)) == 2
    ipw.jsdlink((other, "value"), (figure, "x"))
    assert found(alone, other, figure) == []
    assert found(ipw.IntSlider(disabled=True)) == []


def test_a_one_way_link_drives_only_its_target(figure):
    slider = ipw.IntSlider(description="seed")
    ipw.jsdlink((figure, "x"), (slider, "value"))
    assert "moves nothing" in found(slider, figure)[0]


def test_a_control_may_drive_a_label_or_another_control_s_range(figure):
    slider, label = ipw.IntSlider(), ipw.Label()
    ipw.jsdlink((slider, "value"), (label, "value"))
    assert found(slider, label) == []
    assert "moves nothing" in found(slider)[0]
    limited = linked(ipw.IntSlider(), figure)
    ipw.jsdlink((slider, "value"), (limited, "max"))
    assert found(slider, limited, figure) == []


@pytest.mark.parametrize(
    ("other", "trait"),
    [
        (ipw.HTML, "value"),
        (ipw.HTMLMath, "value"),
        (lambda: ipw.Label(description="x", description_allow_html=True), "description"),
    ],
)
def test_what_a_reader_types_never_becomes_markup(figure, other, trait):
    text, shown = ipw.Text(description="name"), other()
    ipw.jslink((text, "value"), (shown, trait))
    (complaint,) = found(text, shown, figure)
    assert "Text 'name': what is typed would be read as HTML" in complaint


def test_what_a_reader_types_may_be_read_back(figure):
    text, label = ipw.Text(), ipw.Label()
    ipw.jslink((text, "value"), (label, "value"))
    assert found(text, label, figure) == []


def test_two_controls_with_one_name_are_refused(figure):
    pair = [linked(ipw.IntSlider(description=d).add_class("url-seed"), figure) for d in ("one", "two")]
    complaints = found(*pair, figure)
    assert [c.split(":")[1] for c in complaints] == [" IntSlider 'one'", " IntSlider 'two'"]
    assert found(pair[0], pair[0], figure) == []


@pytest.mark.parametrize("name", OPTIONS)
def test_a_control_named_like_a_part_of_an_address_is_refused(figure, name):
    (complaint,) = found(linked(ipw.IntSlider(description="seed").add_class(f"url-{name}"), figure), figure)
    assert f"'url-{name}': an address means something else" in complaint


def test_two_runs_of_a_page_give_its_models_the_same_names():
    def run():
        ipw.Widget.close_all()
        figures = [Figure(), Figure()]
        sliders = [linked(ipw.IntSlider(description=name), figure) for name in "ab" for figure in figures]
        ipw.jslink((sliders[1], "max"), (sliders[0], "value"))
        views = [View(widget.model_id, None) for widget in (ipw.VBox(sliders), *figures)]
        state = dict(sorted(dependency_state(None, drop_defaults=False).items()))
        names = numbers(state, views)
        assert set(needed(state, views)) <= set(names)
        return json.loads(renamed(json.dumps({id_: state[id_] for id_ in names}), names))

    assert run() == run()


def test_only_what_the_page_reads_is_kept(figure):
    slider = linked(ipw.IntSlider().add_class("url-seed"), figure)
    ipw.Widget.close(ipw.Label())
    spare = linked(ipw.IntSlider(), Figure())
    state = dependency_state([slider, figure, spare], drop_defaults=False)
    state |= {
        id_: e for id_, e in dependency_state(None, drop_defaults=False).items() if "Link" in e["model_name"]
    }
    views = [View(slider.model_id, 1), View(figure.model_id, 1)]
    names = sorted(entry["model_name"] for entry in needed(state, views).values())
    assert names == ["AnyModel", "IntSliderModel", "LayoutModel", "LayoutModel", "LinkModel"]
    assert address_names(state, views) == {"seed"}
