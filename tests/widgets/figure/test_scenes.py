"""A scene that would be blank or dead in the page is refused, with the part and what it names in the sentence."""

import pytest
import torch

from lib.domain import Domain
from lib.program import Program, Stage, record
from tests.widgets.program import called
from widgets import live
from widgets.figure.panels import Bar, Level, Line, TimeChart, Trace
from widgets.figure.scenes import (
    Abreast,
    Ball,
    Choices,
    Claims,
    Cloud,
    Crowd,
    Dots,
    Flow,
    Graph,
    Ground,
    Heard,
    Ladder,
    Landscape,
    Lane,
    Lanes,
    Lens,
    Link,
    Net,
    Questions,
    Scene,
    Sentences,
    Shortlist,
    Squares,
    Step,
    Sticks,
    Stop,
    Stream,
    Strip,
    Tables,
    Token,
    UnitGroup,
    Units,
    Voices,
)

KINDS = (Token("phrase", "", "relation"), Token("answer", "", "query"))
DOMAINS = (
    Domain("steps", 0, 9, integer=True, default=2, scale="whole", track=(0, 9)),
    Domain("bits", 0, 7, integer=True, default=0, scale="whole", track=(0, 7)),
    Domain("rate", 0, 1, default=1),
)
ASKED = Questions(
    ("Ann", "Bo", "Cy"),
    ("is", "was"),
    "uses",
    "taught",
    "loudest",
    KINDS,
    1,
    0,
    ("Aix", "Bonn", "Cork"),
    "uses",
)
STEPS = (Line("two", 1, "full", "first"),)
FLOW = Flow("Flow", ("a", "?"), KINDS[:1], "two", "two", "two", "one", "one", STEPS, "one", "one", "lit")
LENS = Lens("Lens", KINDS, "one", ("two", 0), ("two", 1), (Trace("one", "two", 0, "a", "first"),), "height")
STREAM = Stream("Stream", KINDS[:2], "two", "one", "two", since=0.1, x="time")
STRIP = Strip("Strip", KINDS, "two", 0, below=("two", 1), says="so:", share=("two", 1))
NET = Net("Net", KINDS, KINDS, (Link(0, 1, "relation"),), "one", full=1.0, shares="two")
BALL = Ball("Ball", "two", "two", "one", "one", "left", "right", levels=(Level("end", "end"),))
DOTS = Dots(
    "Dots",
    "two",
    "two",
    "two",
    "x",
    "y",
    (-1, 1),
    "relation",
    rivals=(Cloud("two", "two", "two", "b", "query"),),
)
CLAIMS = Claims("Claims", (("now", ("a",)), ("then", ("b",))), "two", "two")
STONES = CLAIMS._replace(grounds=(Ground("{two[1]}", "no"), Ground("yes", "no")), kept="two")
LANES = Lanes("Lanes", (Lane("lane", "two", KINDS), Lane("right", "two", KINDS, answers=True)), "one", "time")
GROUP = UnitGroup("parts", "two", 2, "query", total="one", says="parts")
UNITS = Units("Units", ("a",), (GROUP, UnitGroup("others", "two", 2, "relation")), colours=("first",))
ABREAST = Abreast("Abreast", UNITS, STRIP, since=0)
SQUARES = Squares(
    *("Squares", ("a", "b"), ("first", "query"), ((("x", (0,)),), (("y", (0, 1)),)), "two", "two"),
    *(("this holds", "that holds"), "two"),
)
SENTENCES = Sentences("Sentences", (("model", ("two", 1)),), ("Ann",), ("is", "Aix"), "two", "two", "two")
LANDSCAPE = Landscape(
    *("Landscape", "two", "two", "one", "one", "left", "right", ()),
    *("rate", "r", ((0.5, "low"),), "two", "two", "two", "two", (0.0, 1.0)),
)
CROWDS = tuple(Crowd(name, "", (kind,), KINDS[0]) for kind, name in enumerate("ab"))
STICKS = Sticks("Sticks", "two", "two", CROWDS, KINDS[1], 9)
VOICES = Voices("Voices", KINDS, (Heard(2, "two", KINDS[:1], "one"),), KINDS[1], (("start", 0),))
BITS = Choices("bits", (1.0, 2.0), ("1", "2"))
TABLES = Tables(
    *("Tables", (Bar("two", "a", "first"),), ("end",), "two"),
    *(Choices("bits", (1.0,), ("1",)), Choices("steps", (1.0,), ("1",)), BITS),
)
SHORTLIST = Shortlist("Shortlist", ("none", "one"), "end", "end", "words", "relation", "query")


def program() -> Program:
    """Three facts about which nothing is learned."""

    def watch(s, p):
        three, fields = (
            p.bits + torch.zeros(3, dtype=torch.float64),
            ("uses", "taught", "loudest", "two", "one"),
        )
        return record("Seen", fields)(three, three, torch.cat([three, three]), three[:2], three[:1])

    def step(s, p):
        return s + p.rate, p.rate < 0

    return Program(
        record("P", ("steps", "bits", "rate")),
        DOMAINS,
        lambda p: p.rate * 1,
        (Stage("learning", lambda s, p: s, step, "steps"),),
        watch,
        lambda ends, p: {"end": ends[0].reshape(1), "two": torch.stack([ends[0], ends[0]])},
    )


def show(*parts, stops=()):
    chart = TimeChart("Time", (Line("one", 0, "", "first"),))
    return live(program(), scene=Scene(parts[0], parts[1:], stops=stops), panels=(chart,))


def test_what_names_fields_that_are_there_is_shown():
    stops = (Stop("one", 0, "end"), Stop("first", 0, passes=("two", 1)), Stop("end", 0))
    parts = (
        Graph("Graph", ASKED),
        Ladder("Ladder", ASKED, "bits"),
        FLOW,
        LENS,
        STRIP,
        NET,
        BALL,
        DOTS,
        CLAIMS,
        SHORTLIST._replace(field="two"),
        SQUARES,
        UNITS,
        SENTENCES,
        LANDSCAPE._replace(parameter="bits"),
        STICKS,
        VOICES,
        TABLES,
        STREAM,
        STONES,
        LANES,
        ABREAST,
    )
    shown = show(*parts, stops=stops)
    assert [stop["name"] for stop in shown.figure.spec["scene"]["stops"]] == ["one", "first", "end"]


@pytest.mark.parametrize(
    ("part", "complaint"),
    [
        (Graph("G", ASKED._replace(uses="used")), "^Graph 'G' shows 'used': the program's watch has only"),
        (
            Graph("G", ASKED._replace(facts=("Ann",))),
            "^Graph 'G' shows 'uses', which has 3 numbers: must have 1",
        ),
        (Ladder("L", ASKED._replace(kinds=KINDS[:1])), "'loudest', which has 6 numbers: must have 3"),
        (
            Ladder("L", ASKED._replace(first=3)),
            "^Ladder 'L': first = 3: must be a fact's number, from 0 to 2",
        ),
        (
            Ladder("L", ASKED, "luck"),
            r"^Ladder 'L' sets 'luck': the parameters are \['steps', 'bits', 'rate'\]",
        ),
        (Ladder("L", ASKED, "rate"), "^Ladder 'L' sets 'rate': it must have a slider"),
        (FLOW._replace(kinds=KINDS), "^Flow 'Flow' shows 'two', which has 2 numbers: must have 4"),
        (LENS._replace(below=("uses", 1)), "^Lens 'Lens' shows 'uses', which has 3 numbers: must have 2"),
        (LENS._replace(others="two"), "^Lens 'Lens' shows 'two', which has 2 numbers: must have 1"),
        (STRIP._replace(below=("uses", 1)), "^Strip 'Strip' shows 'uses', which has 3 numbers: must have 2"),
        (STRIP._replace(share=("told", 0)), "^Strip 'Strip' shows 'told': the program's watch has only"),
        (SENTENCES._replace(said="one"), "'one', which has 1 numbers: must have 2"),
        (SENTENCES._replace(models=(("model", ("two", 2)),)), "component = 2: two has components 0 to 1"),
        (LANDSCAPE, "^Landscape 'Landscape' sets 'rate': it must have a slider"),
        (STICKS._replace(weights="one"), "^Sticks 'Sticks' shows 'one', which has 1 numbers: must have 2"),
        (VOICES._replace(prompts=(Heard(1, "two", KINDS[:1], "one"),)), "which has 2 numbers: must have 1"),
        (TABLES._replace(counted="end"), "^Tables 'Tables' shows 'end', which has 1 numbers: must have 2"),
        (TABLES._replace(rows=BITS._replace(parameter="rate")), "which has 2 numbers: must have 4"),
        (TABLES._replace(bars=BITS._replace(parameter="rate")), "^Tables 'Tables' sets 'rate': it must have"),
        (LANDSCAPE._replace(borders=()), "'two', which has 2 numbers: must have 1"),
        (STREAM._replace(goal="end"), "^Stream 'Stream' shows 'end', which has 1 numbers: must have 2"),
        (NET._replace(shares="one"), "^Net 'Net' shows 'one', which has 1 numbers: must have 2"),
        (
            BALL._replace(levels=(Level("one", ""),)),
            "^Ball 'Ball' shows 'one': the program's report has only",
        ),
        (
            DOTS._replace(rivals=(DOTS.rivals[0]._replace(weights="heavy"),)),
            "^Dots 'Dots' shows 'heavy': the program's watch has only",
        ),
        (CLAIMS._replace(field="uses"), "^Claims 'Claims' shows 'uses', which has 3 numbers: must have 2"),
        (CLAIMS._replace(decided="end"), "^Claims 'Claims' shows 'end', which has 1 numbers: must have 2"),
        (STONES._replace(kept="one"), "^Claims 'Claims' shows 'one', which has 1 numbers: must have 2"),
        (
            STONES._replace(grounds=(Ground("{many:n}", ""), Ground("", ""))),
            "^Claims 'Claims' shows 'many': the program's watch has only",
        ),
        (LANES._replace(clock="two"), "^Lanes 'Lanes' shows 'two', which has 2 numbers: must have 1"),
        (
            LANES._replace(lanes=(Lane("lane", "one", KINDS),)),
            "^Lanes 'Lanes' shows 'one', which has 1 numbers: must have 2",
        ),
        (ABREAST._replace(since=1), "^Abreast 'Abreast': since = 1: must be 0"),
        (ABREAST._replace(reads=STRIP._replace(field="one")), "which has 1 numbers: must have 2"),
        (SQUARES._replace(met="end"), "^Squares 'Squares' shows 'end', which has 1 numbers: must have 2"),
        (SQUARES._replace(shares="end"), "^Squares 'Squares' shows 'end', which has 1 numbers: must have 2"),
        (SHORTLIST, "^Shortlist 'Shortlist' shows 'end', which has 1 numbers: must have 2"),
        (FLOW._replace(people="two"), "^Flow 'Flow' shows 'two', which has 2 numbers: must have 1"),
        (UNITS._replace(rows=("a", "b")), "^Units 'Units' shows 'two', which has 2 numbers: must have 4"),
        (
            UNITS._replace(groups=(GROUP._replace(total="uses"),)),
            "^Units 'Units' shows 'uses', which has 3 numbers: must have 1",
        ),
    ],
)
def test_a_part_that_would_be_blank_or_dead_is_refused(part, complaint):
    with pytest.raises(ValueError, match=complaint):
        show(part)


@pytest.mark.parametrize(
    ("stop", "complaint"),
    [
        (Stop("s", 0, "best"), "^stop 's' shows 'best': the program's report has only"),
        (Stop("s", 0, "two"), "^stop 's' shows 'two', which has 2 numbers: must have 1"),
        (Stop("s", 0, passes=("best", 0)), "^stop 's' shows 'best': the program's watch has only"),
        (Stop("s", 0, passes=("two", 2)), "^stop 's': component = 2: two has components 0 to 1"),
    ],
)
def test_a_stop_that_could_not_be_reached_is_refused(stop, complaint):
    with pytest.raises(ValueError, match=complaint):
        show(FLOW, stops=(stop,))


def argue(*steps):
    chart = TimeChart("Time", (Line("one", 0, "", "first"),))
    return live(program(), scene=Scene(FLOW, stops=(Stop("end", 0),)), panels=(chart,), why=steps)


def test_the_steps_of_an_argument_are_shown_with_parts_of_their_own():
    steps = argue(Step("first", STRIP, "start"), Step("last-one", BALL, "end")).figure.spec["why"]
    assert [(step["name"], step["part"]["kind"], step["stop"]) for step in steps] == [
        ("first", "strip", "start"),
        ("last-one", "ball", "end"),
    ]


@pytest.mark.parametrize(
    ("steps", "complaint"),
    [
        ((Step("a", FLOW), Step("a", BALL)), r"^steps are called \['a', 'a'\]: must be different words"),
        ((Step("First", FLOW),), r"^steps are called \['First'\]: must be different words of lower-case"),
        ((Step("a", FLOW, "best"),), r"^the step 'a' shows 'best': must be one of \['', 'start', 'end'\]"),
        ((Step("a", FLOW._replace(people="two")),), "^Flow 'Flow' shows 'two', which has 2 numbers"),
    ],
)
def test_a_step_that_would_be_blank_is_refused(steps, complaint):
    with pytest.raises(ValueError, match=complaint):
        argue(*steps)


def test_units_are_as_full_as_their_numbers_and_a_row_without_any_is_left_out():
    group = {"label": "parts", "field": "filled", "places": 3, "colour": "query", "total": "", "says": ""}
    counted = {**group, "label": "", "field": "piles", "places": 1, "total": "high", "says": "blocks"}
    panel = {"title": "Units", "rows": ["a", "b", "c"], "groups": [group, counted], "colours": ["first"]}
    watched = {
        "filled": [1, 0.25, None, None, None, None, 0, 0, 1],
        "piles": [1, None, 0.5],
        "high": [1.03, None, 0.5],
    }
    (drawing,) = called("parts/units", "unitsDrawing", (panel, {"watched": watched}))
    assert [row["name"] for row in drawing["rows"]] == ["a", "c"]
    assert [[group["fills"] for group in row["groups"]] for row in drawing["rows"]] == [
        [[1, 0.25], [1]],
        [[0, 0, 1], [0.5]],
    ]
    assert [row["groups"][1]["total"] for row in drawing["rows"]] == [1.03, 0.5]
    assert drawing["text"] == "Units. a: parts 1.25 of 2, 1.03 blocks. c: parts 1 of 3, 0.5 blocks."


def test_a_crowd_is_divided_by_the_weights_of_its_kinds():
    weights = [0.1, 0.25, 0, 0.15]
    (sticks,) = called("../../book/recall/general/scene", "divided", (weights, 300))
    assert [sticks.count(kind) for kind in range(4)] == [30, 75, 0, 45]


PLACES = [{"share": share, "numbers": [number]} for share, number in ((0, -1), (0.2, 1), (0.6, 2), (0.8, -1))]


def test_a_track_is_filled_where_it_is_right_and_goes_to_where_the_run_is():
    (spans,) = called("../../book/recognise/phases/scene", "spansOf", (PLACES, 0, 0.9))
    assert [(span["from"], span["to"], span["right"]) for span in spans] == [
        (0, 0.2, False),
        (0.2, 0.8, True),
        (0.8, 0.9, False),
    ]
    (spans,) = called("../../book/recognise/phases/scene", "spansOf", (PLACES, 0, 0.8))
    assert (spans[-1]["right"], spans[-1]["to"]) == (False, 0.8), "what it has only just become can be seen"
    assert spans[-1]["from"] == spans[-2]["to"]


def test_powers_of_ten_stand_where_a_run_passes_them():
    places = [{"share": i / 4, "time": time} for i, time in enumerate((0, 0.1**0.5, 10**0.5, 9, 900))]
    (ticks,) = called("../../book/recognise/phases/scene", "ticksOf", (places,))
    assert [tick["text"] for tick in ticks] == ["1", "10", "100"]
    shares = [tick["share"] for tick in ticks]
    assert shares[0] == pytest.approx(0.375), "halfway on a logarithmic scale"
    assert 0.75 < shares[1] < shares[2] < 1
