"""What a page with a figure folds, and what the first line of a fold says."""

import pytest
from docutils import nodes
from docutils.core import publish_doctree

from widgets.site.folds import MOST_ROWS, fold

FIGURE = (
    '<script type="application/vnd.jupyter.widget-view+json">'
    '{"model_id": "0123456789abcdef0123456789abcdef"}</script>'
)
PAGE = """
Question
========

FIGURE

The statement
-------------

Here it is.

Measured
--------

**The first.** It stays open.

CELL

**Ten seeds.** Where do ten runs end? At 0.3.

CELL

They all end there.

The reduction is exact: six weights do. They are computed.

CELL

To run it yourself: type it.

Exercises
---------

**Predict.** What comes out?

CELL
"""


def cell(*classes: str) -> nodes.container:
    node = nodes.container("", nodes.literal_block("", "run()"), classes=["cell", *classes])
    node["nb_element"] = "cell_code"
    return node


def page(text: str = PAGE, figure: str = FIGURE) -> nodes.document:
    """The page with cells in their places."""
    document = publish_doctree(text, settings_overrides={"doctitle_xform": False})
    for paragraph in list(document.findall(nodes.paragraph)):
        if paragraph.astext() == "CELL":
            paragraph.replace_self(cell())
        if paragraph.astext() == "FIGURE":
            paragraph.replace_self(nodes.raw("", figure, format="html"))
    return document


def opened(document: nodes.document) -> str:
    """The text of the page as long as all its folds are closed."""
    shown, depth, summary = [], 0, 0
    for node in document.findall():
        if isinstance(node, nodes.raw):
            depth += node.astext().count("<details") - node.astext().count("</details")
            summary += node.astext().count("<summary") - node.astext().count("</summary")
        elif (
            isinstance(node, nodes.Text)
            and (depth == 0 or summary)
            and not isinstance(node.parent, nodes.raw)
        ):
            shown.append(node.astext())
    assert depth == summary == 0
    return " ".join(" ".join(shown).split())


def test_of_later_measurements_the_first_sentence_stays():
    document = page()
    fold(document)
    text = opened(document)
    assert "The first. It stays open. run()" in text
    assert "Ten seeds. Where do ten runs end?" in text
    assert "At 0.3" not in text
    assert "They all end there" not in text
    assert "The reduction is exact:" in text
    assert "six weights" not in text
    assert "To run it yourself: type it." in text
    assert text.endswith("Predict. What comes out? run()")


def test_nothing_is_lost():
    document, before = page(), page().astext().split()
    fold(document)
    after = " ".join(
        text.astext() for text in document.findall(nodes.Text) if not isinstance(text.parent, nodes.raw)
    )
    figure = FIGURE.split()
    assert sorted(after.split()) == sorted(word for word in before if word not in figure)


@pytest.mark.parametrize(("text", "is_folded"), [(PAGE, True), (PAGE.replace("FIGURE", "A word.", 1), False)])
def test_a_page_that_opens_with_a_drawing_folds_as_well(text, is_folded):
    document = page(text.replace("They all end there.", "FIGURE"), figure="<figure>a drawing</figure>")
    fold(document)
    assert ("At 0.3" not in opened(document)) == is_folded


def test_a_page_without_a_figure_stays_as_it_is():
    document = page(figure="<p>no figure</p>")
    fold(document)
    assert "<details" not in document.pformat()


@pytest.mark.parametrize(("rows", "is_folded"), [(MOST_ROWS, False), (MOST_ROWS + 1, True)])
def test_a_long_table_folds_to_what_its_columns_are_called(rows, is_folded):
    table = "\n".join(["=== ===", "low high", "=== ===", *(["1   2"] * rows), "=== ==="]).replace(
        "low high", "low hi"
    )
    document = page(PAGE.replace("Here it is.", f"Here it is.\n\n{table}"))
    next(iter(document.findall(nodes.table)))["classes"].append("colwidths-auto")
    fold(document)
    assert not any(raw["classes"] for raw in document.findall(nodes.raw))
    shown = opened(document).replace(" , ", ", ")  # pieces of text are joined by spaces
    assert (f"Table of {rows} rows: low, hi" in shown) == is_folded


def test_a_cell_without_code_is_what_the_page_is_about():
    document = page()
    for node in list(document.findall(nodes.container)):
        node["classes"].append("tag_hide-input")
    fold(document)
    assert "<details" not in document.pformat()


def test_of_boxes_the_first_is_open_and_of_others_the_titles_are_shown():
    document = page()
    (section,) = (node for node in document.findall(nodes.section) if node[0].astext() == "The statement")
    for name in ("Theorem 1", "Lemma 2"):
        section += nodes.admonition(
            "", nodes.title("", name), nodes.paragraph("", f"{name} says so."), classes=["proof"]
        )
    fold(document)
    text = opened(document)
    assert "Theorem 1 Theorem 1 says so. Lemma 2 Measured" in text


def test_cells_without_a_paragraph_say_what_they_draw():
    document = page(PAGE.replace("Here it is.\n", "Here it is.\n\n* A list.\n\nCELL\n"))
    drawing = next(iter(document.findall(nodes.container)))
    drawing.children[0].replace_self(nodes.literal_block("", 'with panel("Losses") as chart: ...'))
    fold(document)
    assert "Here it is. A list. Chart: Losses Measured" in opened(document)


LINKED = """
Question
========

FIGURE

What else
---------

The reason is in `the memory <memory.html>`_. It is short.

CELL
"""


def test_the_line_that_is_clicked_holds_no_link_and_its_sentence_stands_below_it_with_the_link():
    document = page(LINKED)
    fold(document)
    html = "".join(node.astext() for node in document.findall(lambda node: isinstance(node, nodes.Text)))
    assert html.count("The reason is in the memory.") == 2
    (link,) = document.findall(nodes.reference)
    assert isinstance(link.parent, nodes.paragraph)


def test_a_page_with_a_comparison_keeps_the_first_sentence_of_each_section():
    sections = "The first row holds. The second does not.\n\nIt is long.\n\nOpen\n----\n\n* A list stays."
    document = page(PAGE.replace("Here it is.", sections))
    table = publish_doctree("==== ====\nsays sees\n==== ====\n1    2\n==== ====").children[0]
    assert isinstance(table, nodes.table)
    table["classes"].append("compared")
    document[0].insert(1, table)
    fold(document)
    text = opened(document)
    assert "The first row holds." in text
    assert "The second does not." not in text
    assert "It is long." not in text
    assert "A list stays." in text
    assert "says" in text
    assert "What comes out?" in text
