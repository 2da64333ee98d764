"""Static figures draw in the book's roles, and follow the page's theme."""

import re

import pandas as pd
import pytest
import seaborn as sns

from book import figures
from widgets.figure import colours


def test_a_plot_follows_the_theme():
    with figures.panel("two lines") as chart:
        chart.axes.plot([0, 1], color=colours.role("predicted"), marker="o", mec="w")
        chart.axes.plot([1, 0])
    svg = chart.svg("two lines")
    assert set(re.findall(r"var\([^)]*\)", svg)) == {
        f"var(--fim-hue-slate, {colours.LIGHT['slate']})",
        f"var(--fim-hue-blue, {colours.LIGHT['blue']})",
        "var(--fim-paper, #ffffff)",
    }
    assert not re.search(r"(?<!, )#[0-9a-f]{6}\b", svg)
    chart.axes.plot([1, 1], color="chartreuse")
    with pytest.raises(ValueError, match=r"^colour = '#7fff00': must be a role"):
        chart.svg("three lines")


def test_hues_are_roles_by_name_then_as_told_then_variants():
    hues = figures.hues(["confusing", "law", 0.5], {"law": "predicted"})
    assert list(hues.values()) == [colours.role(name) for name in ("confusing", "predicted", "one")]
    assert list(figures.hues([8, 2, 8])) == [2, 8]
    assert figures.hues(["subject", "x"])["x"] == colours.role("two"), (
        "a variant does not look like a role beside it"
    )


def test_a_band_of_shares_ends_at_none_and_at_all():
    assert figures.share_band([0.0, 1.0, 1.0, 1.0]) == (0.25, 1.0)
    assert figures.share_band([0.0, 0.0, 0.0, 1.0]) == (0.0, 0.75)
    assert figures.share_band([0.4]) == (0.4, 0.4)


def runs() -> pd.DataFrame:
    return pd.DataFrame({"x": [0, 1, 0, 1], "y": [0.0, 1.0, 1.0, 0.0], "K": [1, 1, 2, 2]})


def test_lines_are_named_at_their_ends_and_numbers_have_a_title():
    numbers = figures.drawn(sns.lineplot, runs(), "Two lines.", x="x", y="y", hue="K").data
    words = runs().assign(K=["K = 1", "K = 1", "K = 2", "K = 2"])
    named = figures.drawn(sns.lineplot, words, "Two lines.", x="x", y="y", hue="K", style="K").data
    assert ">K</text>" in numbers
    assert ">K</text>" not in named
    assert "legend" not in named
    heights = [
        float(named.split(f">K = {k}</text>")[0].rpartition('y="')[2].partition('"')[0]) for k in (1, 2)
    ]
    assert heights[0] < heights[1], "the line that ends higher is named higher"


def test_lines_that_end_together_are_named_in_their_order():
    levels = {"K = 1": 0.5, "K = 2": 1.0, "K = 4": 0.99, "K = 8": 0.995}
    ends = pd.DataFrame([(x, y, name) for name, y in levels.items() for x in (0, 1)], columns=["x", "y", "K"])
    svg = figures.drawn(sns.lineplot, ends, "Four lines.", x="x", y="y", hue="K").data
    heights = {
        name: float(svg.split(f">{name}</text>")[0].rpartition('y="')[2].partition('"')[0]) for name in levels
    }
    assert sorted(heights, key=lambda name: -heights[name]) == list(levels)


@pytest.mark.parametrize(
    ("heights", "moved"),
    [([0.2, 0.5], [0.2, 0.5]), ([0.5, 0.5], [0.45, 0.55]), ([0.98, 1.0, 1.0], [0.8, 0.9, 1.0])],
)
def test_names_stand_apart_and_none_above_the_chart(heights, moved):
    assert figures.spread(heights, 0.1) == pytest.approx(moved)


def test_letters_are_nine_points_where_a_page_shows_them_least():
    with figures.panel("A title") as chart:
        chart.axes.plot([0, 1], label="a line")
        chart.axes.set(xlabel="a long label of what is drawn along the axis across", ylabel="loss")
        chart.name_lines()
    svg = chart.svg("a line")
    (width,) = re.findall(r'viewBox="0 0 ([\d.]+) ', svg)
    sizes = [float(size) for size in re.findall(r"font-size: ([\d.]+)px", svg)]
    narrowest = 20 * 16  # pixels of a panel, in the style sheet
    assert min(sizes) * narrowest / float(width) >= 12
    assert svg.count(">a long label of what is drawn along the axis") == 1
    assert ">across</text>" in svg
