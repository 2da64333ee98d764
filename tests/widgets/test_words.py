"""The words of figures: blocks of a page, joined to the figure by name, and refused by name."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import nbformat
import pytest

from book.gallery import figures_of
from book.ledger.registry import pages
from tests.widgets import showcase
from widgets import words

PAGE = """# Descent

```{card} Raise the rate.
:set: rate=2.5
:lights: Descent
Every step
doubles the error, to {end}.
```

```{caption} still moving
After {share:%} of the steps it still moves.
```

```{caption} otherwise
It rests at {end}.
```

```{exact}
Everywhere.
```

```{fails} showcase.descends, showcase.other
rate below 2: the steps are too long
```

```{says} showcase.descends
claim: Below rate 2 the ball comes to rest.
at: rate {rate}
here: {end} after {measured[2]:n} of {steps:n} steps
```

```{verdict} showcase.descends
beyond: As it says.
```

```{mistaken} rate=1.5
Who draws this thinks of
another rate.
```

```{mistaken} x[0]
Who draws this takes another quantity.
```

```{mistaken} steadily
Who draws this thinks that all steps are alike.
```
"""
QUESTION = {"question": "Where?", "field": "x", "label": "x", "domain": [0, 1], "component": 0}
WITHOUT_EXACT = {"book/loops"}
"""Pages that say in their text where figures are exact."""


@pytest.fixture
def join(tmp_path, monkeypatch) -> Callable[..., dict[str, Any]]:
    """Joins the words of a page, given as text, to a figure of two cases."""
    real = words.blocks_of
    monkeypatch.setattr(words, "blocks_of", lambda page: real(page, tmp_path))
    figure = showcase.descends().figure
    (sheet, *_) = figure.spec["statements"]
    sheet = {**sheet, "id": "showcase.descends", "page": "page"}
    cases = {"pages": ["page", "home"], "cases": ["still moving", "otherwise"]}
    verdicts = figure.spec["verdicts"][:1]
    scene = {**figure.spec["scene"], "predict": QUESTION}
    spec = {**figure.spec, "scene": scene, "statements": [sheet], "verdicts": verdicts, "words": cases}

    def joined(page: str, home: str = "") -> dict[str, Any]:
        for name, text in (("page", page), ("home", home)):
            cell = nbformat.v4.new_markdown_cell(text)
            nbformat.write(nbformat.v4.new_notebook(cells=[cell]), tmp_path / f"{name}.ipynb")
        words._blocks.cache_clear()
        return words.joined(spec, figure.kernels)

    return joined


def page_for(join: Any) -> str:
    """The page above, about the parts and hypotheses that the figure has."""
    spec = join(re.sub(r"```\{(card|fails).*?```", "", PAGE, flags=re.DOTALL))
    (sheet,) = spec["statements"]
    title = spec["scene"]["main"]["title"]
    return PAGE.replace("lights: Descent", f"lights: {title}").replace("rate below 2", sheet["assumes"][0])


def test_words_are_joined_by_name(join):
    spec = join(page_for(join))
    (card,) = spec["story"]
    assert (card["title"], card["values"], card["stop"]) == ("Raise the rate.", {"rate": 2.5}, "")
    assert card["text"] == "Every step doubles the error, to {end}."
    assert spec["caption"] == ["After {share:%} of the steps it still moves.", "It rests at {end}."]
    assert spec["exact"] == "Everywhere."
    answers = spec["mistaken"]
    assert [answer["values"] for answer in answers] == [{"rate": 1.5}, {}, {}]
    assert [answer["field"] for answer in answers] == ["", "x", ""]
    assert [answer["shape"] for answer in answers] == ["", "", "steadily"]
    assert answers[0]["says"] == "Who draws this thinks of another rate."
    (sheet,) = spec["statements"]
    assert sheet["failures"]["hypothesis"][0] == "the steps are too long"
    assert sheet["failures"]["bound"][0].startswith("“")
    assert sheet["sentences"]["beyond"] == "As it says."
    (fields,) = spec["verdicts"]
    assert sheet["sentences"]["holds"] == (
        "Below rate 2 the ball comes to rest. *Here, rate {rate}:* {end} after "
        f"{{{fields['measured']}[2]:n}} of {{steps:n}} steps ✓"
    )
    assert sheet["waits"] == "Below rate 2 the ball comes to rest. *Here:* judged at the end of the run."


def test_what_a_page_does_not_say_the_figures_own_page_does(join):
    page = page_for(join)
    spec = join("```{card} Raise the rate.\n```\n", page)
    assert [card["values"] for card in spec["story"]] == [{"rate": 2.5}]
    assert spec["caption"][1] == "It rests at {end}."
    assert spec["exact"] == "Everywhere."
    assert len(spec["mistaken"]) == 3
    own = join("```{card} Raise the rate.\n```\n```{mistaken} unchanged\nWho draws this sleeps.\n```\n", page)
    assert [answer["shape"] for answer in own["mistaken"]] == ["unchanged"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("{caption} otherwise", "{caption} other", "page.ipynb has no block {caption} otherwise"),
        (
            "```{exact}",
            "```{caption} third\nx\n```\n```{exact}",
            "{caption} third: unused: the cases are still",
        ),
        (
            "```{exact}",
            "```{caption} otherwise\nx\n```\n```{exact}",
            "two blocks {caption} otherwise: must be one",
        ),
        (":set: rate=2.5", ":sets: rate=2.5", "options ['sets']: must be among set, stop, lights, figure"),
        (":set: rate=2.5", "\n:set: rate=2.5", "':set: rate=2.5': options must stand first"),
        (":set: rate=2.5", ":set: pace=2.5", "sets ['pace']: the controls are"),
        (":set: rate=2.5", ":set: rate=fast", "sets 'rate=fast': must be NAME=NUMBER"),
        (":set: rate=2.5", ":set: rate=99", "sets rate = 99: its control offers"),
        (":set: rate=2.5", ":stop: noon", "goes to 'noon': must be one of"),
        (":lights: ", ":lights: No; ", "lights ['No']: the parts are"),
        ("to {end}.", "to {nowhere}.", "quotes 'nowhere': must be a parameter or a number of the report"),
        ("rests at {end}", "rests at {end", "a brace must have its other"),
        ("Everywhere.", "Everywhere", "{exact} 'Everywhere': must be a sentence, with a full stop"),
        ("beyond: As", "fine: As", "{verdict} showcase.descends: ['fine']: must be among"),
        (
            "here: {end}",
            "here: {nowhere}",
            "{says} showcase.descends quotes 'nowhere': must be a parameter or",
        ),
        ("measured[2]", "measured[9]", "quotes 'judged_measured': must be a parameter or a number"),
        (
            "here: {end}",
            "there: {end}",
            "{says} showcase.descends: 'there': a line must begin with one of name, claim",
        ),
        ("claim: Below", "name: Below", "{says} showcase.descends: must have a line 'claim'"),
        ("beyond: As it says.", "as it says", "must be lines of a name, a colon and words"),
        (": the steps", " or more: the steps", "is unused: must be among"),
        ("another rate.", "another rate", "{mistaken} rate=1.5: must say in a sentence"),
        ("{mistaken} rate=1.5", "{mistaken} pace=1", "{mistaken} pace=1 sets ['pace']: the controls are"),
        ("{mistaken} x[0]", "{mistaken} x[7]", "{mistaken} x[7]: must be NAME=NUMBER, steadily or unchanged"),
        ("{mistaken} x[0]", "{mistaken} y", "{mistaken} y: must be NAME=NUMBER, steadily or unchanged"),
    ],
)
def test_what_is_missing_unused_or_wrong_is_named(join, old, new, message):
    page = page_for(join)
    assert old in page
    with pytest.raises(ValueError, match=re.escape(message)):
        join(page.replace(old, new, 1))


@pytest.mark.parametrize("page", [page for page in pages() if figures_of(page)])
def test_every_figure_of_the_book_says_where_it_is_exact(page):
    for figure in figures_of(page):
        kinds = {block.kind for each in figure.words for block in words.blocks_of(each)}
        assert ("exact" in kinds) == (page not in WITHOUT_EXACT), figure.name


def test_a_cell_is_run_again_for_another_block_but_not_for_other_words(join, tmp_path):
    page, seen = page_for(join), []
    for text in (page, page.replace("Everywhere", "Nowhere"), page.replace("otherwise", "other")):
        path = tmp_path / "page.ipynb"
        nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(text)]), path)
        words._blocks.cache_clear()
        seen.append(words.outline("page"))
    assert seen[0] == seen[1] != seen[2]
