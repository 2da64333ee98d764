"""``live``: what it accepts, what it refuses and how it says so."""

import itertools
import math
import random
import re
import time

import ipywidgets as ipw
import numpy as np
import pytest
import torch

from lib.solve import defaults
from tests import ROOT
from tests.widgets import showcase
from widgets import bundle, controls, live
from widgets.live import flatten
from widgets.tojs import UnsupportedOperation

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
    *first, last = code.strip().splitlines()
    space: dict = {}
    exec("\n".join([*first, f"demo = {last}"]), space)
    demo = space["demo"]
    assert demo.figure.spec["scene"]["columns"][0][0]["series"][0]["y"] == "density"
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


def test_a_name_the_figure_needs_is_refused():
    def taken(spec):
        return {"x": spec, "y": spec}

    with pytest.raises(ValueError, match="control name = 'spec'"):
        live(taken, spec=controls.whole(1, 0, 2, "spec"))


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
        return {"x": x, "y": torch.sort(height - x).values}

    with pytest.raises(UnsupportedOperation, match=r"report.*aten\.sort"):
        live(sorted_curve, height=controls.whole(1, 0, 2, "height"))


def test_a_control_that_nothing_reads_is_refused():
    def idle(height, width):
        return bent(height)

    with pytest.raises(ValueError, match=r"controls = \['width'\]: nothing that is computed depends on them"):
        live(idle, height=controls.whole(1, 0, 2, "height"), width=controls.whole(1, 0, 2, "width"))


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (
            lambda h: (POINTS, h * POINTS),
            "what is reported is a tuple: must be a NamedTuple or a dict of tensors",
        ),
        (lambda h: h * POINTS, "what is reported is a Tensor"),
        (lambda h: None, "what is reported is a NoneType"),
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
    with pytest.raises(UnsupportedOperation, match=r"kernel 'report': .*(torch\.where|too many)"):
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
    bundle.parse({"step 0": "(C) => 1"})
    with pytest.raises(SyntaxError, match=r"kernel step 1: "):
        bundle.parse({"step 0": "(C) => 1", "step 1": "(C) => { for (;;) let t = 0; }"})


def test_a_choice_that_is_not_offered_is_refused():
    with pytest.raises(ValueError, match=r"radius r = 0\.5: must be one of 0, 1"):
        controls.choice(0.5, (0, 1), "radius r")
