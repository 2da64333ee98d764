"""``live``: what it accepts, what it refuses and how it says so."""

import itertools
import json
import math
import random
import re
import subprocess
import time
from functools import partial

import ipywidgets as ipw
import numpy as np
import pytest
import torch

from lib.program import defaults
from tests import ROOT
from tests.widgets import showcase
from widgets import controls, live, node
from widgets.figure.compiled import flatten
from widgets.figure.panels import Line, TimeChart
from widgets.translate.trace import UnsupportedOperation

POINTS = torch.linspace(0, 1, 3, dtype=torch.float64)
DEFAULTS = defaults(showcase.descent())


@pytest.fixture(scope="module")
def descent():
    return showcase.descends()


def bent(height):
    """A curve for the tests."""
    x = torch.linspace(0, 1, 5, dtype=torch.float64)
    return {"x": x, "y": height * x * (1 - x)}


def test_the_readmes_ten_lines_work():
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    *first, last = code.replace("livetorch", "widgets").strip().splitlines()  # as the book itself imports it
    space: dict = {}
    exec("\n".join([*first, f"demo = {last}"]), space)
    demo = space["demo"]
    assert demo.figure.spec["scene"]["main"]["series"][0]["y"] == "density"
    assert len([line for line in code.strip().splitlines() if line]) <= 10


def test_controls_are_ordinary_widgets_linked_to_the_figure():
    demo = live(bent, height=controls.logarithmic(1, 0.1, 10, "height"))
    assert isinstance(demo, ipw.VBox)
    assert isinstance(demo.controls["height"], ipw.FloatLogSlider)
    assert demo.figure.height == 1
    assert "url-height" in demo.controls["height"]._dom_classes


def test_a_plain_functions_parameters_may_be_what_the_controls_offer():
    demo = live(bent, height=controls.logarithmic(1, 0.1, 10, "height"))
    with pytest.raises(ValueError, match=r"height = 11: must be"):
        demo.figure.check([11])


def test_a_choice_is_linked_by_its_index(descent):
    (entry,) = [p for p in descent.figure.spec["parameters"] if p["name"] == "start"]
    assert entry["choices"] == [-1, 0, 0.5, 1]
    assert descent.figure.start == 3


def test_a_number_in_place_of_a_control_stays_fixed():
    demo = live(showcase.descent(), rate=0.25, steps=9)
    fixed = {p["name"]: p["default"] for p in demo.figure.spec["parameters"] if p.get("fixed")}
    assert fixed == {"rate": 0.25, "steps": 9, "unit": 1}
    assert set(demo.controls) == set(DEFAULTS) - set(fixed)


def test_defaults_come_from_the_domains(descent):
    assert {p["name"]: p["default"] for p in descent.figure.spec["parameters"]} == DEFAULTS


def test_the_numbers_are_lined_up_rows_first(descent):
    outcome = descent.figure.check(list({**DEFAULTS, "steps": 3}.values()))
    numbers = flatten(outcome)
    assert numbers[:8].tolist() == [1, 0, 0.5, 1, 0.25, 2, 0.125, 3]  # x and the steps taken
    assert len(numbers) == 8 + sum(leaf.numel() for leaf in outcome.report)


def test_settings_must_be_the_parameters():
    with pytest.raises(ValueError, match=r"settings = \['width'\]: must be exactly \['height'\]"):
        live(bent, width=controls.whole(1, 0, 2, "width"))


def measured(function, **settings):
    """A figure of a function with a slider called h."""
    return live(function, **{"h": controls.linear(1, 0, 2, 0.1, "height"), **settings})


def stepping(**changes):
    """The descent with another stage."""
    program = showcase.descent()
    return program._replace(stages=(program.stages[0]._replace(**changes),))


@pytest.mark.parametrize("name", ["spec", "name", "more", "only", "panels", "layout"])
def test_a_name_the_figure_needs_is_refused(name):
    function = eval(f"lambda {name}: {{'x': {name} * POINTS, 'y': POINTS}}", {"POINTS": POINTS})
    with pytest.raises(ValueError, match=f"control name = '{name}': taken by the figure itself"):
        live(function, **({name: controls.whole(1, 0, 2, name)} if name in ("spec", "layout") else {}))


@pytest.mark.parametrize("function", [3, torch.sin, lambda *hs: bent(hs[0]), lambda **hs: bent(hs["h"])])
def test_what_has_no_argument_for_each_control_is_refused(function):
    with pytest.raises(
        ValueError, match="must be a Program, or a function with a plain argument for each control"
    ):
        measured(function)


def test_what_a_partial_fixes_needs_no_control():
    def scaled(h, factor):
        return bent(h * factor)

    assert measured(partial(scaled, factor=3.0)).figure.check([2.0]).report["y"].max() == 1.5


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda h: {"x": POINTS, "y-y": h * POINTS}, "has a field 'y-y': must be a name"),
        (lambda h: {"x": POINTS, 1: h * POINTS}, "has a field 1: must be a name"),
        (lambda h: {"y": h * POINTS[:0]}, r"\['y'\]: nothing is drawn: must be numbers, curves or matrices"),
        (lambda h: {"x": POINTS * math.nan, "y": h * POINTS}, "x: nothing but NaN"),
        (
            lambda h: {
                "x": torch.arange(150_000, dtype=torch.float64),
                "y": h * torch.ones(150_000).double(),
            },
            "report: 300,000 numbers: must be at most 262,144",
        ),
    ],
)
@pytest.mark.filterwarnings("ignore:y of shape")
def test_what_a_page_cannot_show_is_refused(function, words):
    with pytest.raises(ValueError, match=words):
        measured(function)


def test_numbers_that_would_weigh_a_page_down_are_refused():
    table = torch.rand(600, 600, dtype=torch.float64)
    with pytest.raises(ValueError, match="what is baked in: 360,003 numbers: must be at most 262,144"):
        measured(lambda h: {"x": POINTS, "y": (h * table).sum() * POINTS})


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (
            {"rate": controls.logarithmic(0.5, 0.01, 100, "η")},
            "a control offers rate = 100.0: must be a finite number",
        ),
        ({"rate": controls.linear(0.5, -5, 1, 0.1, "η")}, r"a control offers rate = -5.0: must be"),
        ({"start": controls.choice(1.0, (1.0, 5.0), "x")}, "a control offers start = 5.0: must be"),
        (
            {"steps": controls.linear(10, 0, 100, 0.5, "n")},
            "a control offers steps = 0.5: must be a whole number",
        ),
        (
            {"rate": controls.linear(1, 0, 2, 0.1, "start x₀")},
            "'rate' and 'start' are both called 'start x₀': must differ",
        ),
        (
            {"rate": ipw.Select(options=[1, 2])},
            "rate = Select: must be a slider, a field for a number, a Dropdown",
        ),
    ],
)
def test_a_control_that_leads_nowhere_or_to_where_no_parameter_may_be_is_refused(settings, words):
    with pytest.raises(ValueError, match=words):
        live(showcase.descent(), **settings)


def test_more_steps_than_a_page_can_take_are_refused():
    many = tuple(
        d._replace(high=10**9, track=(0, 2 * 10**8)) if d.name == "steps" else d for d in showcase.DOMAINS
    )
    with pytest.raises(ValueError, match=r"steps = 2e\+08: must be at most 1,000,000 steps"):
        live(showcase.descent()._replace(domains=many))


@pytest.mark.parametrize(
    ("program", "words"),
    [
        (stepping(limit="most"), "stage 'down': limit = 'most': must be one of rate, start, steps"),
        (
            stepping(step=lambda s, p: (s, False)),
            "must be a state, and a 0-d tensor that says whether it is done",
        ),
        (stepping(step=lambda s, p: (s, POINTS > 0)), "must be a state, and a 0-d tensor"),
        (stepping(step=lambda s, p: s), "a step of stage 'down' returns Tensor"),
        (stepping(step=lambda s, p: None), "returns NoneType of nothing: must be a state"),
        (stepping(enter=lambda s, p: None), "entering stage 'down' returns NoneType of nothing"),
        (
            showcase.descent()._replace(start=lambda p: showcase.Place(1.0, p.rate)),  # type: ignore[arg-type]
            "must be a state like Place of x, taken, all tensors",
        ),
    ],
)
def test_a_stage_that_a_page_could_not_run_is_refused(program, words):
    with pytest.raises(ValueError, match=words):
        live(program)


@pytest.mark.parametrize(
    ("watch", "words"),
    [
        (lambda s, p: None, "what is watched is a NoneType"),
        (lambda s, p: {"x": s.x}, "what is watched is a dict: must be a NamedTuple"),
        (lambda s, p: s._replace(taken=1.0), "'taken', is a float: must be a tensor"),
    ],
)
def test_what_is_watched_must_be_a_record(watch, words):
    with pytest.raises(TypeError, match=words):
        live(showcase.descent()._replace(watch=watch))


def test_a_later_stage_starts_with_a_state_like_the_others():
    program = showcase.descent()
    other = program.stages[0]._replace(name="again", enter=lambda s, p: showcase.Place(s.x[None], s.taken))
    with pytest.raises(
        ValueError, match=r"entering stage 'again' turns x of shape \(\), torch\.float64 into \(1,\)"
    ):
        live(program._replace(stages=(*program.stages, other)))


def test_a_watch_of_nothing_but_nan_is_refused():
    silent = stepping(step=lambda s, p: (s._replace(x=s.x * math.nan), s.x > 9))
    with pytest.raises(ValueError, match="x: nothing but NaN where the controls stand"):
        live(silent, panels=(TimeChart("", (Line("x", 0, "", "run"),)),))


def test_only_statements_stand_after_the_program():
    with pytest.raises(ValueError, match="'lemma': must be a statement"):
        live(showcase.descent(), "lemma")


def test_what_is_told_by_a_tensors_looks_or_left_by_an_earlier_run_is_refused():
    last: list = []

    def leaking(h):
        before = last[-1] if last else h
        last.append(h)
        return bent(h + before)

    for function in (lambda h: bent(h * len(str(h))), leaking):
        with pytest.raises(UnsupportedOperation, match="must be arguments"):
            measured(function)


def test_a_number_that_has_no_place_in_a_page_is_refused():
    def large(h):
        return {"x": POINTS, "y": POINTS * ((h * 2**40).to(torch.int64) * 2**30 % 7)}

    with pytest.raises(
        UnsupportedOperation, match=r"kernel report: .*no float64 holds the integer.*, where the controls"
    ):
        measured(large)


def test_a_control_without_a_number_is_refused():
    with pytest.raises(TypeError, match="height = 'high': a live control must hold a number"):
        live(bent, height=ipw.Text("high"))


def test_a_default_outside_its_domain_is_refused():
    with pytest.raises(ValueError, match=r"rate = -1\.0: must be"):
        live(showcase.descent(), rate=-1.0)


@pytest.mark.parametrize("steps", [10**9, 2.5])
def test_a_default_of_too_many_steps_or_half_a_one_is_refused(steps):
    with pytest.raises(ValueError, match=f"steps = {steps}"):
        live(showcase.descent(), steps=steps)


def test_figures_of_one_page_can_have_names_of_their_own():
    demo = live(bent, prefix="b-", height=controls.whole(1, 0, 2, "height"))
    assert "url-b-height" in demo.controls["height"]._dom_classes


def test_an_operation_without_translation_is_refused_by_name():
    def sorted_curve(height):
        x = torch.linspace(0, 1, 5, dtype=torch.float64)
        return {"x": x, "y": torch.cummax(height - x, 0).values}

    with pytest.raises(UnsupportedOperation, match=r"report.*aten\.cummax"):
        live(sorted_curve, height=controls.whole(1, 0, 2, "height"))


def test_a_control_that_nothing_reads_is_refused():
    def idle(height, width):
        return bent(height)

    with pytest.raises(ValueError, match=r"controls = \['width'\]: nothing that is computed depends on them"):
        live(idle, height=controls.whole(1, 0, 2, "height"), width=controls.whole(1, 0, 2, "width"))


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda h: None, "what is reported is a NoneType: must be a NamedTuple or a dict of tensors"),
        (lambda h: 3.0, "what is reported is a float"),
        (lambda h: {"x": POINTS, "y": {"z": h * POINTS}}, "'y', is a dict: must be a tensor"),
        (lambda h: {"x": POINTS, "y": 3}, "'y', is a int: must be a tensor"),
    ],
)
def test_what_is_no_record_of_tensors_is_refused(function, words):
    with pytest.raises(TypeError, match=words):
        live(function, h=controls.whole(1, 0, 2, "height"))


@pytest.mark.parametrize(
    "function",
    [
        lambda h: {"x": torch.arange(h), "y": h * POINTS},
        lambda h: {"x": POINTS[:2], "y": torch.tensor([h, 1.0], dtype=torch.float64)},
        lambda h: {"x": POINTS[:2], "y": (h * POINTS.new_ones([2] * 16)).sum(tuple(range(15)))},
    ],
    ids=["a length", "a list", "axes"],
)
def test_what_cannot_be_traced_is_refused_in_a_sentence(function):
    with pytest.raises(
        UnsupportedOperation, match=r"kernel 'report': .*(torch\.arange\(n\)|torch\.stack|too many)"
    ):
        live(function, h=controls.whole(1, 0, 2, "height"))


def test_curves_of_nothing_but_nan_are_refused():
    with pytest.raises(ValueError, match="y: nothing but NaN where the controls stand"):
        live(lambda h: {"x": POINTS, "y": POINTS * math.nan * h}, h=controls.whole(1, 0, 2, "height"))


def test_more_settings_must_be_controls():
    with pytest.raises(ValueError, match=r"more = \['width'\]: must be among the controls, height"):
        live(bent, height=controls.whole(1, 0, 2, "height"), more=("width",))


@pytest.mark.parametrize(
    "source", [random.random, time.perf_counter, itertools.count().__next__, np.random.rand]
)
def test_what_comes_out_otherwise_each_time_is_refused(source):
    def chance(height):
        return bent(height * (1 + source()))

    with pytest.raises(UnsupportedOperation, match="must be arguments"):
        live(chance, height=controls.whole(1, 0, 2, "height"))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda x: x[None], r"turns x of shape \(\), torch\.float64 into \(1,\)"),
        (lambda x: x > 0, r"turns x of shape \(\), torch\.float64 into \(\), torch\.bool"),
    ],
)
def test_a_step_whose_state_is_no_state_is_refused(change, words):
    program = showcase.descent()
    (stage, *rest) = program.stages

    def step(state, parameters):
        moved, done = stage.step(state, parameters)
        return moved._replace(x=change(moved.x)), done

    with pytest.raises(ValueError, match=words):
        live(program._replace(stages=(stage._replace(step=step), *rest)))


def test_a_step_that_drops_part_of_its_state_is_refused():
    program = showcase.descent()
    (stage, *rest) = program.stages
    shorter = stage._replace(
        step=lambda state, p: (tuple(stage.step(state, p)[0])[:1], stage.step(state, p)[1])
    )
    with pytest.raises(ValueError, match="must be a state like"):
        live(program._replace(stages=(shorter, *rest)))


def test_javascript_that_cannot_be_read_is_an_error():
    def job(name: str, source: str) -> dict:
        return {"name": name, "source": source, "constants": "", "ins": [], "sizes": []}

    node.run([job("step 0", "(C) => () => 1")])
    with pytest.raises(SyntaxError, match=r"kernel step 1: "):
        node.run([job("step 0", "(C) => () => 1"), job("step 1", "(C) => { for (;;) let t = 0; }")])


def test_a_choice_that_is_not_offered_is_refused():
    with pytest.raises(ValueError, match=r"radius r = 0\.5: must be one of 0, 1"):
        controls.choice(0.5, (0, 1), "radius r")


def test_what_a_page_cannot_compute_at_a_controls_end_is_refused(tried):
    def large(h):
        return {"x": POINTS, "y": POINTS * h, "z": torch.where(h > 2, h * 2.0**53, h).to(torch.int64) * 3}

    with pytest.raises(UnsupportedOperation, match=r"kernel report: .*no float64 holds.*, at h = 3"):
        live(large, h=controls.linear(1.0, 0, 3, 0.5, "h"))


def test_a_controls_end_at_which_torch_itself_stops_is_named(tried):
    def short(h):
        place = torch.where(h < -2, h.to(torch.int64), 0).reshape(1)
        return {"x": POINTS, "y": POINTS * h + POINTS.index_select(0, place)}

    with pytest.warns(UserWarning, match="at h = -3 torch stops: index out of range"):
        live(short, h=controls.linear(1.0, -3, 2, 0.5, "h"))


@pytest.mark.parametrize(
    ("steps", "slices"),
    [
        (100, [12.5]),
        (256, [32]),  # the first slice goes on to an end that is near
        (400, [17, 33]),  # the second one does; the clock is read at every eighth step
        (1600, [17] * 10 + [30]),
    ],
)
def test_a_run_is_not_drawn_just_before_its_end(steps, slices):
    job = json.dumps({"takes": 0.125, "steps": steps, "slice": 16, "more": 16})
    command = [*node.node(), str(ROOT / "tests" / "widgets" / "slices.mjs"), job]
    done = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert json.loads(done) == slices
