"""The registry of figures: each has one name and one page, and its translation is kept."""

import pytest

from tests.widgets import showcase
from widgets import live, live_figure
from widgets.figure import compiled as module
from widgets.figure import registry
from widgets.translate import cache


@pytest.fixture(autouse=True)
def empty(monkeypatch, tmp_path):
    monkeypatch.setattr(registry, "FIGURES", {})
    monkeypatch.setattr(cache, "FOLDER", tmp_path)


@pytest.fixture
def translations(monkeypatch):
    """How often a program was translated."""
    count = []
    original = module._translated

    def counted(*given):
        count.append(1)
        return original(*given)

    monkeypatch.setattr(module, "_translated", counted)
    return count


def test_a_figure_is_named_after_its_page():
    def figure():
        return live(showcase.descent())

    def other():
        return live(showcase.descent())

    figure.__module__ = other.__module__ = "book.recall.saddle.figure"
    live_figure(figure)
    live_figure(page="book/index")(other)
    shown = {name: entry.page for name, entry in registry.FIGURES.items()}
    assert shown == {"recall.saddle": "book/recall/saddle", "recall.saddle.other": "book/index"}


def test_a_figure_needs_no_arguments():
    with pytest.raises(ValueError, match="arguments \\['steps'\\] have no default"):

        @live_figure
        def figure(steps):
            return live(showcase.descent(), steps=steps)


def test_a_registered_figure_is_translated_once_and_any_other_anew(translations):
    def two(rate=0.5):
        return live(showcase.descent(), rate=rate), live(showcase.descent(), rate=rate)

    registered = live_figure(two)
    registered()
    assert len(translations) == 2  # the two figures of one function are told apart
    registered()
    assert len(translations) == 2
    registered(rate=0.25)  # with arguments it is another figure
    assert len(translations) == 4
    two()
    assert len(translations) == 6


def test_figures_of_one_program_share_its_kernels(monkeypatch):
    names = []
    original = module.trace.written

    def counted(graph, name, state):
        names.append(name)
        return original(graph, name, state)

    monkeypatch.setattr(module.trace, "written", counted)

    def page():
        return live(showcase.descent())

    def chapter():
        return live(showcase.descent())

    first = live_figure(page)().figure
    seen = len(names)
    second = live_figure(chapter)().figure
    assert seen
    assert len(names) == seen
    assert (second.kernels, second.constants) == (first.kernels, first.constants)
