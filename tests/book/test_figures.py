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


def test_a_legend_of_numbers_has_a_title_and_one_of_words_none():
    runs = pd.DataFrame({"x": [0, 1, 0, 1], "y": [0.0, 1.0, 1.0, 0.0], "K": [1, 1, 2, 2]})
    numbers = figures.drawn(sns.lineplot, runs, "Two lines.", x="x", y="y", hue="K").data
    words = runs.assign(K=["K = 1", "K = 1", "K = 2", "K = 2"])
    named = figures.drawn(sns.lineplot, words, "Two lines.", x="x", y="y", hue="K").data
    assert ">K</text>" in numbers
    assert ">K</text>" not in named
    assert ">K = 2</text>" in named
