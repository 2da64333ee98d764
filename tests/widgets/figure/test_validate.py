"""A view that would be blank, wrong or dead in the page is refused, with the panel and the field in the sentence."""

import math
from functools import partial
from typing import Any

import pytest
import torch

from tests.widgets import showcase
from widgets import controls, live
from widgets.figure import compiled
from widgets.figure.panels import (
    Area,
    Bar,
    BarChart,
    CaptionCase,
    Corner,
    Curve,
    CurveChart,
    HeatMap,
    Level,
    Line,
    Mark,
    Pick,
    Points,
    Row,
    Simplex,
    StoryCard,
    Tiles,
    TimeChart,
    Trace,
    simplex_grid,
)
from widgets.figure.scenes import Card, Cards, Dots, Link, Net, Predict, Scene, Stop, Strip, Token
from widgets.figure.validate_program import validate_program

TRIANGLE = (Corner("a", "first"), Corner("b", "second"), Corner("c", "eos"))
LABELS = ("a", "b", "c", "d", "e")

TRANSLATED: dict[str, Any] = {}


@pytest.fixture(autouse=True)
def translated_once(monkeypatch):
    """Views of one program are refused or not by what it reports: its translation is theirs in common."""
    monkeypatch.setattr(compiled, "steady", partial(once, compiled.steady))


def unchecked(value: Any) -> Any:
    """What mypy would refuse, too."""
    return value


def once(translate, program, values, settings):
    key = repr((values, validate_program(program, values)))
    if key not in TRANSLATED:
        TRANSLATED[key] = translate(program, values, settings)
    return TRANSLATED[key]


def bent(height, part):
    """Five points of a curve, and lists of other lengths."""
    x = torch.linspace(0, 1, 5, dtype=torch.float64)
    masses = torch.stack([height, part, 1 - part])
    return {"x": x, "y": height * x, "masses": masses, "ten": torch.cat([x, x]), "one": part}


def show(panel, **changes):
    settings = {
        "height": controls.whole(1, 0, 2, "height"),
        "part": controls.linear(0.5, 0, 1, 0.005, "part"),
        **changes,
    }
    return live(bent, panels=(panel,), **settings)


THERE = r"the program's report has only \['x', 'y', 'masses', 'ten', 'one'\]"


@pytest.mark.parametrize(
    ("panel", "complaint"),
    [
        (CurveChart("A", "x", (Curve("x", "z", "", "first"),)), f"^CurveChart 'A' shows 'z': {THERE}"),
        (CurveChart("A", "x", levels=(Level("w", "w"),)), f"^CurveChart 'A' shows 'w': {THERE}"),
        (
            CurveChart("A", "x", (Curve("x", "masses", "", "first"),)),
            "^CurveChart 'A' shows 'masses', which has 3 numbers: must have 5, as 'x' has",
        ),
        (CurveChart("A", "x", areas=(Area("x", "y", "z", "", "first"),)), "shows 'z'"),
        (CurveChart("A", "x", areas=(Area("x", "y", "one", "", "first"),)), "shows 'one', which has 1 num"),
        (CurveChart("A", "x", points=(Points("x", "ten", "", "first"),)), "shows 'ten', which has 10 num"),
        (
            CurveChart("A", "x", points=(Points("x", "y", "", "first", low="y"),)),
            "whiskers need both low and high",
        ),
        (
            CurveChart("A", "x", points=(Points("x", "y", "", "first", unchecked("star")),)),
            "shape = 'star': must be one of 'dot', 'ring', 'cross'",
        ),
        (CurveChart("A", "x", x_scale=unchecked("sqrt")), "x_scale = 'sqrt': must be one of 'linear', 'log'"),
        (
            CurveChart("A", "x", pick=Pick("width")),
            r"^CurveChart 'A' sets 'width': the parameters are \['height', 'part'\]",
        ),
        (BarChart("B", LABELS, (Bar("z", "", "first"),)), f"^BarChart 'B' shows 'z': {THERE}"),
        (BarChart("B", LABELS, (Bar("masses", "", "first"),)), "'masses', which has 3 numbers: must have 5"),
        (BarChart("B", (), ()), "^BarChart 'B' has no labels"),
        (
            BarChart("B", LABELS, (Bar("x", "", "blue"),)),
            "^BarChart 'B': colour = 'blue': must be a role, one of",
        ),
        (
            BarChart("B", LABELS, (Bar("x", "", "first"), Bar("y", "", "subject"))),
            "^BarChart 'B': 'subject' and 'first' are one colour",
        ),
        (HeatMap("H", "ten", LABELS, LABELS), "^HeatMap 'H' shows 'ten', which has 10 numbers: must have 25"),
        (
            HeatMap("H", "ten", LABELS[:2], LABELS, emphasis="y"),
            "shows 'y', which has 5 numbers: must have 10",
        ),
        (HeatMap("H", "ten", (), ()), "^HeatMap 'H' shows 'ten', which has 10 numbers: must have 0"),
        (Simplex("S", "height", "width", TRIANGLE), "^Simplex 'S' sets 'width': the parameters are"),
        (Simplex("S", "part", "part", TRIANGLE), "total and share must be two parameters"),
        (Simplex("S", "height", "part", TRIANGLE[:2]), "^Simplex 'S': corners has 2 entries: must have 3"),  # type: ignore[arg-type]
        (Simplex("S", "height", "part", TRIANGLE, (Mark("y", ""),)), "'y', which has 5 numbers: must have 3"),
        (Simplex("S", "height", "part", TRIANGLE, field="y"), "must have one for each row of simplex_grid"),
        (Simplex("S", "height", "part", TRIANGLE, field="one"), "must have one for each row of simplex_grid"),
        (Tiles("T", ("a",), LABELS, (("1", "2"),), "y"), r"rows of \[2\]: must be 1 of 5"),
        (Tiles("T", ("a",), LABELS, (LABELS,), "ten"), "^Tiles 'T' shows 'ten', which has 10 numbers: must"),
        (
            TimeChart("", (Line("speed", 0, "", "first"),)),
            r"shows 'speed': the program's watch has only \[\]",
        ),
        (
            BarChart("B", LABELS, (Bar("x", "", "first", "now"),)),
            r"^BarChart 'B' shows 'x': the program's watch has only \[\]",
        ),
        (
            CurveChart("A", "x", points=(Points("x", "y", "", "first", when=unchecked("later")),)),
            r"^CurveChart 'A': points\[0\].when = 'later': must be one of '', 'now', 'end'",
        ),
        (HeatMap("H", "ten", ("a", "b"), LABELS, below="one"), "'one', which has 1 numbers: must have 5"),
    ],
)
def test_a_panel_of_what_is_not_there_is_refused(panel, complaint):
    with pytest.raises(ValueError, match=complaint):
        show(panel)


@pytest.mark.parametrize(
    "panel",
    [
        CurveChart("A", "x", pick=Pick(y="part")),
        Simplex("A", "height", "part", TRIANGLE),
    ],
)
def test_a_hand_moves_only_what_has_a_slider(panel):
    sentence = "sets 'part': it must have a slider, or another control with a range"
    with pytest.raises(ValueError, match=sentence):
        show(panel, part=0.5)
    with pytest.raises(ValueError, match=sentence):
        show(panel, part=controls.switch(True, "part"))
    show(panel, part=controls.choice(0.5, (0.0, 0.5, 1.0), "part"))


@pytest.mark.parametrize(
    ("view", "complaint"),
    [
        (
            {"caption": (CaptionCase(lambda r, p: r.slow > 0.5, "{typo}"), CaptionCase(None, ""))},
            r"view names \['typo'\]",
        ),
        ({"rows": (Row("", "typo", "slow"),)}, r"view names \['typo'\]"),
        ({"rows": (Row("", "", "typo"),)}, r"view names \['typo'\]"),
        ({"story": (StoryCard("Do", {"nope": 1}, ""),)}, r"the card 'Do' sets \['nope'\]"),
        (
            {"panels": (TimeChart("A", (Line("x", 17, "", "first"),)),)},
            "TimeChart 'A': component = 17: x has components 0 to 0",
        ),
        (
            {"panels": (TimeChart("", (Line("speed", 0, "", "first"),)),)},
            "shows 'speed': the program's watch",
        ),
        (
            {"panels": (CurveChart("A", x="", traces=(Trace("x", "x", 17, "", "first"),)),)},
            "CurveChart 'A': component = 17: x has components 0 to 0",
        ),
    ],
)
def test_a_view_of_what_is_not_there_is_refused(view, complaint):
    with pytest.raises(ValueError, match=complaint):
        live(showcase.descent(), **view)


CHART: Any = CurveChart("A", "x", (Curve("x", "y", "", "first"),))
BARS: Any = BarChart("B", LABELS, (Bar("x", "", "first"),))
SENTENCE: Any = StoryCard("", {}, "")
SCENE: Any = Scene(CHART)
WAY = TimeChart("T", (Line("x", 0, "x", "run"),))
WORD = Token("a", "a", "first")


@pytest.mark.parametrize(
    ("view", "complaint"),
    [
        ({"panels": CHART}, "^panels = CurveChart.*: must be a tuple of TimeChart or CurveChart"),
        ({"panels": ("abc",)}, r"^panels\[0\] = 'abc': must be TimeChart or CurveChart"),
        (
            {"panels": (CHART._replace(series=CHART.series[0]),)},
            "^CurveChart 'A': series = Curve.*: must be a tuple of Curve",
        ),
        (
            {"panels": (CHART._replace(series=WAY.series),)},
            r"^CurveChart 'A': series\[0\] = Line.*: must be Curve",
        ),
        (
            {"panels": (CHART._replace(domain=(0, 1, 2)),)},
            "^CurveChart 'A': domain has 3 entries: must have 2",
        ),
        ({"panels": (CHART._replace(domain=("a", "b")),)}, r"domain\[0\] = 'a': must be a number"),
        ({"panels": (CHART._replace(domain=(0, math.nan)),)}, r"domain\[1\] = nan: must be a number"),
        (
            {"panels": (CHART._replace(domain=(1, 0)),)},
            r"^CurveChart 'A': domain = \(1, 0\): must lead from a number to",
        ),
        (
            {"panels": (CHART._replace(x_domain=(0, math.inf)),)},
            r"x_domain = \(0, inf\): must lead from a number to",
        ),
        (
            {"panels": (CHART._replace(x_domain=(0, 1), x_scale="log"),)},
            "must lead from a number above 0 to a larger one",
        ),
        (
            {"panels": (CHART._replace(levels=(Level(1.0, "", unchecked("z")),)),)},
            "axis = 'z': must be one of 'x', 'y'",
        ),
        ({"panels": (CHART._replace(levels=(Level("y", ""),)),)}, "'y', which has 5 numbers: must have 1"),
        ({"panels": (CurveChart("A", "x"),)}, "^CurveChart 'A' shows nothing"),
        ({"panels": (BarChart("B", LABELS, ()),)}, "^BarChart 'B' shows nothing"),
        (
            {"panels": (BARS._replace(labels="abcde"),)},
            "labels = 'abcde': must be a tuple of a text",
        ),
        ({"caption": "abc"}, "^caption = 'abc': must be a tuple of CaptionCase"),
        ({"caption": (("", "x"),)}, r"^caption\[0\] = \('', 'x'\): must be CaptionCase"),
        ({"caption": (CaptionCase(None, "{y}"),)}, "a sentence shows 'y', which has 5 numbers: must have 1"),
        (
            {"caption": (CaptionCase(lambda r, p: r.y > 0.5, "a"), CaptionCase(None, "b"))},
            r"caption\[0\]: the condition has 5 numbers: must have 1",
        ),
        ({"caption": (CaptionCase(None, "{one"),)}, "a caption says '{one': a brace must have its other"),
        ({"caption": (CaptionCase(None, "{one:.3f}"),)}, "a caption reads 'one:.3f': must be a field"),
        ({"rows": Row("a", "", "one")}, "^rows = Row.*: must be a tuple of Row"),
        ({"rows": (Row("a", "", ""),)}, "^row 'a' shows nothing"),
        ({"rows": (Row("a", "", "one", of="y"),)}, "a sentence shows 'y', which has 5 numbers"),
        (
            {"story": (StoryCard("", {"height": 9}, ""),)},
            "sets height = 9: its control offers whole numbers from 0 to 2",
        ),
        (
            {"story": (StoryCard("", {"height": 0.5}, ""),)},
            "sets height = 0.5: its control offers whole numbers from 0 to 2",
        ),
        (
            {"story": (SENTENCE._replace(values={"height": "1"}),)},
            r"^StoryCard ''.*values\['height'\] = '1': must be a number",
        ),
        ({"scene": CHART}, "^scene = CurveChart.*: must be Scene"),
        (
            {"scene": SCENE._replace(beside=CHART)},
            r"^scene\.beside = CurveChart.*: must be a tuple of",
        ),
        ({"scene": Scene(None, beside=(CHART,))}, "^scene: main = None: must be a part"),
        ({"scene": Scene(CHART, since=2)}, "^scene: since = 2: must be 0"),
    ],
)
def test_a_view_that_is_none_is_refused_by_its_place(view, complaint):
    controlled = {"height": controls.whole(1, 0, 2, "h"), "part": controls.linear(0.5, 0, 1, 0.1, "p")}
    with pytest.raises(ValueError, match=complaint):
        live(bent, **{"panels": (CHART,), **view}, **controlled)


@pytest.mark.parametrize(
    ("parts", "more", "complaint"),
    [
        ((WAY._replace(since=1),), {}, "^TimeChart 'T': since = 1: must be 0"),
        ((WAY,), {"stops": (Stop("end", 3),)}, "^stop 'end': stage = 3: must be 0"),
        (
            (WAY,),
            {"stops": (Stop("end", 0), Stop("end", 0))},
            r"^stops are called \['end', 'end'\]: must be different",
        ),
        (
            (WAY,),
            {"predict": Predict("Where?", "x", "x", (1, 0))},
            r"^predict 'Where\?': domain = \(1, 0\): must lead",
        ),
        ((Strip("S", (WORD,), "x", 5),), {}, "^Strip 'S': origin = 5: must be 0"),
        ((Strip("S", (WORD,), "x", 0, below=("x", 2)),), {}, "^Strip 'S': below = 2: must be 0"),
        (
            (Strip("S", (WORD,), "x", 0, share=("x", 2)),),
            {},
            "^Strip 'S': component = 2: x has components 0 to 0",
        ),
        ((Net("N", (WORD,), (WORD,), (Link(0, 9, "run"),), "x", 1.0),), {}, "^Net 'N': right = 9: must be 0"),
        (
            (Cards("C", (WORD,), (Card("k", (5,), 1),), "x", "x", WORD),),
            {},
            "^Cards 'C': holds = 5: must be 0",
        ),
        ((Dots("D", "x", "x", "x", "", "", (1, 0), "run"),), {}, r"^Dots 'D': reach = \(1, 0\): must lead"),
    ],
)
def test_a_scene_of_what_is_not_there_is_refused(parts, more, complaint):
    with pytest.raises(ValueError, match=complaint):
        live(showcase.descent(), scene=Scene(*parts, **more))


@pytest.mark.parametrize(
    ("values", "complaint"),
    [
        ({"rate": 5}, "sets rate = 5: its control offers numbers from 0.01 to 3"),
        ({"start": 0.3}, "sets start = 0.3: its control offers -1, 0, 0.5, 1"),
        ({"steps": 2.5}, "sets steps = 2.5: its control offers whole numbers from 0 to 100"),
        ({"flip": 2}, "sets flip = 2: its control offers 0, 1"),
        ({"unit": 2}, r"the card 'Do' sets \['unit'\]: the controls are"),
    ],
)
def test_a_card_sets_what_a_control_offers(values, complaint):
    with pytest.raises(ValueError, match=complaint):
        live(showcase.descent(), story=(StoryCard("Do", values, ""),))
    live(
        showcase.descent(),
        story=(StoryCard("Do", {"rate": 3, "start": 0.5, "steps": 100, "flip": True}, ""),),
    )


def test_the_page_knows_where_controls_can_stand():
    entries = {entry["name"]: entry for entry in showcase.figure().figure.spec["parameters"]}
    assert entries["n"]["track"] == {"min": 0.477121254720, "max": 6, "step": 0.01, "base": 10}
    assert entries["share"]["track"] == {"min": 0, "max": 1, "step": 0.005}
    assert entries["words"]["label"] == "words"


def test_the_grid_of_a_triangle():
    grid = simplex_grid(24)
    assert grid.shape == (325, 3)
    assert grid.dtype == torch.float64
    assert torch.allclose(grid.sum(1), torch.ones(325, dtype=torch.float64))
    assert simplex_grid(2).tolist() == [
        [1, 0, 0],
        [0.5, 0.5, 0],
        [0, 1, 0],
        [0.5, 0, 0.5],
        [0, 0.5, 0.5],
        [0, 0, 1],
    ]


@pytest.mark.parametrize("side", [0, -1, 101, 2.5])
def test_a_grid_of_no_size_is_refused(side):
    with pytest.raises(ValueError, match=rf"side = {side}: must be a whole number from 1 to 100"):
        simplex_grid(side)
