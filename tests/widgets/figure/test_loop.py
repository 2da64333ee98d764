"""A loop is a start, a step and what to look at; the step is translated once and repeated."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from lib.program import run
from tests.widgets.program import in_the_page
from widgets import Loop, controls, live
from widgets.figure.agreement import distance
from widgets.figure.compiled import flatten

D = torch.float64


def fall(state: dict[str, Tensor], p: Any) -> dict[str, Tensor]:
    """A ball that is thrown up; the fields are written in another order than at the start."""
    v = state["v"] - p.gravity * 0.01
    return {"x": state["x"] + 0.01 * v, "v": v}


def thrown(p: Any) -> dict[str, Tensor]:
    return {"v": torch.tensor(1.0, dtype=D), "x": torch.tensor(0.0, dtype=D)}


def height(state: dict[str, Tensor], p: Any) -> dict[str, Tensor]:
    return {"height": state["x"], "speed": state["v"].abs()}


def gravity():
    return controls.linear(9.8, 1, 20, 0.1, "gravity")


def test_a_loop_is_its_plain_loop_in_torch_and_in_the_page():
    figure = live(Loop(thrown, fall, height), gravity=gravity(), steps=controls.whole(15, 0, 100, "steps"))
    x, v = 0.0, 1.0
    for _ in range(15):
        v = v - 9.8 * 0.01
        x = x + 0.01 * v
    assert float(figure.report["height"]) == x
    figure.controls["steps"].value = 0
    assert float(figure.report["height"]) == 0
    settings = {"gravity": 3.0, "steps": 40}
    ((_steps, numbers),) = in_the_page(figure.figure, [settings])
    assert distance(numbers, flatten(run(figure.figure.program, **settings))) < 1e-12
    assert [panel.kind for panel in figure.view.scene.parts] == ["time", "time"]


def test_a_translation_says_what_it_costs():
    figure = live(Loop(thrown, fall, height), gravity=gravity(), steps=15)
    assert figure.seconds > 0
    assert 0.3 < figure.kilobytes < 5


def test_it_stops_where_another_step_would_not_matter():
    loop = Loop(thrown, fall, height, until=lambda state, p: state["x"] < 0)
    figure = live(loop, gravity=gravity(), steps=1000)
    assert figure.figure.check([9.8, 1000]).histories[0].steps[-1] < 30


def test_what_is_no_loop_is_refused():
    with pytest.raises(ValueError, match=r"settings = \['gravity'\]: must have steps"):
        live(Loop(thrown, fall, height), gravity=gravity())
    with pytest.raises(TypeError, match="watch returns Tensor: must be a dict of tensors"):
        live(Loop(thrown, fall, lambda s, p: s["x"]), gravity=gravity(), steps=9)
    with pytest.raises(ValueError, match="a step of stage 'loop' turns"):
        live(Loop(thrown, lambda s, p: {**s, "x": s["x"][None]}, height), gravity=gravity(), steps=9)
