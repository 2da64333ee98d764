"""One table of colours: every role in both themes, legible, and nothing else is drawn with."""

import re

import pytest

from widgets import node
from widgets.figure import colours
from widgets.figure.panels import Bar, BarChart, Corner, Simplex
from widgets.figure.scenes import Dots, Graph, Questions, Token

PAGES = {"light": ("#ffffff", colours.LIGHT), "dark": ("#121212", colours.DARK)}


def luminance(colour):
    parts = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("theme", PAGES)
def test_every_role_is_legible_in_both_themes(theme):
    page, hues = PAGES[theme]
    for name, hue in colours.HUES.items():
        low, high = sorted((luminance(page), luminance(hues[hue])))
        assert (high + 0.05) / (low + 0.05) >= 4.5, name


def test_the_page_uses_no_colour_that_is_not_in_the_table():
    paths = [*(node.HERE / "src").rglob("*.*s"), *(node.HERE.parent / "book").glob("*/*/scene.js")]
    texts = {path: path.read_text() for path in paths}
    there = set(re.findall(r"--fim-([\w-]+):", texts[node.HERE / "src" / "view" / "figure.css"]))
    there |= set(
        re.findall(r'setProperty\("--fim-([\w-]+)"', "".join(texts.values()))
    )  # sizes of a slide's words
    for name, text in texts.items():
        assert set(re.findall(r"var\(--fim-([\w-]+)[,)]", text)) <= there, name
        assert set(re.findall(r"colour: \"([\w-]+)\"", text)) <= there, name


def test_a_wrong_role_is_named_with_the_right_ones():
    assert colours.role("query") == colours.LIGHT["green"]
    assert colours.themed("query") == f"var(--fim-query, {colours.LIGHT['green']})"
    with pytest.raises(ValueError, match=r"^colour = 'green': must be a role, one of ink, faint, "):
        colours.role("green")


def test_roles_are_found_wherever_a_panel_holds_them():
    corners = (Corner("a", "first"), Corner("b", "second"), Corner("other", "eos"))
    assert set(colours.inside(Simplex("", "t", "s", corners))) == {"first", "second", "eos"}
    assert set(colours.inside(BarChart("", ("colour", "other"), (Bar("x", "", "run"),)))) == {"run"}
    own = BarChart("", ("a", "b"), (Bar("x", "", "run"),), colours=("first", "second"))
    assert set(colours.inside(own)) == {"run", "first", "second"}
    assert list(colours.inside(Dots("", "x", "y", "w", "", "", (0, 1), "confusing"))) == ["confusing"]
    questions = Questions(
        (), (), "", "", "", (Token("own", "", "phrase"), Token("right", "", "answer")), 0, 0, (), ""
    )
    assert list(colours.inside(Graph("", questions))) == ["phrase", "answer"]
