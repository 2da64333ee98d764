"""Controls from domains: exactly those that a page would make by hand."""

import math

import ipywidgets as ipw
import pytest

from lib.domain import INFINITE, RADII, WIDTHS, Domain
from tests.widgets import showcase
from widgets import controls, live

HEAT = Domain(
    "temperature",
    0,
    low_open=True,
    default=0.05,
    symbol="T",
    words="temperature",
    scale="log",
    track=(1e-4, 10),
)
MENU = ("affine maps", "all bijections")


@pytest.mark.parametrize(
    ("domain", "by_hand"),
    [
        (HEAT, lambda: controls.temperature(0.05)),
        (
            Domain(
                "r", 0, default=1e-3, symbol="r", words="perturbation radius", scale="choice", track=RADII
            ),
            lambda: controls.choice(1e-3, RADII, "perturbation radius r"),
        ),
        (
            Domain("m", 16, default=INFINITE, symbol="m", words="width", scale="choice", track=WIDTHS),
            lambda: controls.choice(INFINITE, WIDTHS, "width m"),
        ),
        (
            Domain("seed", 0, integer=True, default=0, scale="whole", track=(0, 99)),
            lambda: controls.whole(0, 0, 99, "seed"),
        ),
        (
            Domain("steps", 0, integer=True, default=90, words="steps", scale="whole", track=(0, 4000, 40)),
            lambda: controls.whole(90, 0, 4000, "steps", 40),
        ),
        (
            Domain("code", 0, integer=True, default=5, scale="whole", track=(0, 2**32 - 1)),
            lambda: controls.number(5, 0, 2**32 - 1, "code"),
        ),
        (Domain("part", 0, 1, default=0.5, track=(0, 1)), lambda: controls.linear(0.5, 0, 1, 0.005, "part")),
        (
            Domain("end", default=4.0, words="look at", symbol="log₁₀ τ", track=(0, 8, 0.1)),
            lambda: controls.linear(4.0, 0, 8, 0.1, "look at log₁₀ τ"),
        ),
        (
            Domain("random", 0, 1, integer=True, default=1, words="random start", scale="switch"),
            lambda: controls.switch(True, "random start"),
        ),
        (
            Domain("family", 0, 1, integer=True, default=1, scale="menu", track=MENU),
            lambda: controls.menu(1, MENU, "family"),
        ),
    ],
)
def test_a_domain_makes_the_control_that_a_page_would_make_by_hand(domain, by_hand):
    automatic, by_hand = controls.of(domain), by_hand()
    assert type(automatic) is type(by_hand)
    state = {name: value for name, value in automatic.get_state().items() if name not in ("layout", "style")}
    theirs = by_hand.get_state()
    assert state == {name: theirs[name] for name in state}
    assert (automatic.layout.width, automatic.style.get_state().get("description_width")) == (
        by_hand.layout.width,
        by_hand.style.get_state().get("description_width"),
    )


@pytest.mark.parametrize(
    ("domain", "complaint"),
    [
        (HEAT._replace(default=None), "temperature: a control needs a default and a track"),
        (HEAT._replace(track=()), "temperature: a control needs a default and a track"),
        (HEAT._replace(scale="sqrt"), "scale = 'sqrt': must be linear, log, whole, choice, menu or switch"),
        (HEAT._replace(default=20), "temperature = 20: must be from 0.0001 to 10, where its control is"),
        (HEAT._replace(high=1), "temperature = 10: must be"),
        (Domain("n", default=1.5, scale="choice", track=(1, 2)), "n = 1.5: must be one of 1, 2"),
        (
            Domain("n", 0, 1, default=2, integer=True, scale="menu", track=MENU),
            "n = 2: must be a whole number",
        ),
    ],
)
def test_a_control_that_would_clip_or_lead_nowhere_is_refused(domain, complaint):
    with pytest.raises(ValueError, match=complaint):
        controls.of(domain)


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: controls.logarithmic(1, 0, 10, "h"), "h: a logarithmic slider begins at 0: must be above 0"),
        (
            lambda: controls.logarithmic(1, 10, 0.1, "h"),
            "h: a slider from 10 to 0.1: must lead from a number",
        ),
        (lambda: controls.linear(5, 0, 2, 0.1, "h"), "h = 5: must be from 0 to 2, where its slider is"),
        (lambda: controls.linear(math.nan, 0, 2, 0.1, "h"), "h = nan: must be from 0 to 2"),
        (lambda: controls.linear(1, 0, math.inf, 0.1, "h"), "h: a slider from 0 to inf: must lead"),
        (lambda: controls.linear(1, 1, 1, 0.1, "h"), "h: a slider from 1 to 1: must lead"),
        (lambda: controls.linear(1, 0, 2, 0, "h"), "h: step = 0: must be above 0, and at most 2"),
        (lambda: controls.linear(1, 0, 2, 5, "h"), "h: step = 5: must be above 0, and at most 2"),
        (lambda: controls.whole(1.5, 0, 2, "h"), "h: 1.5: must be a whole number"),  # type: ignore[arg-type]
        (lambda: controls.whole(5, 0, 2, "h"), "h = 5: must be from 0 to 2"),
        (lambda: controls.number(1.5, 0, 2, "h"), "h: 1.5: must be a whole number"),  # type: ignore[arg-type]
        (lambda: controls.number(5, 0, 2, "h"), "h = 5: must be from 0 to 2"),
        (lambda: controls.temperature(100.0), "temperature T = 100: must be from 0.0001 to 10"),
        (lambda: controls.choice(1, (), "h"), r"h: a choice among \(\): must be different numbers"),
        (lambda: controls.choice(1, (1, 1, 2), "h"), "must be different numbers"),
        (lambda: controls.choice("a", ("a", "b"), "h"), "must be different numbers"),  # type: ignore[arg-type]
        (lambda: controls.menu(5, ("a", "b"), "h"), "h = 5: must be the number of one of different words"),
        (lambda: controls.menu(0, ("a", "a"), "h"), "h = 0: must be the number of one of different words"),
    ],
)
def test_what_ipywidgets_would_put_right_in_silence_is_refused(make, complaint):
    with pytest.raises(ValueError, match=complaint):
        make()


def test_a_figure_has_the_controls_of_its_programs_domains():
    demo = live(showcase.descent())
    assert list(demo.controls) == ["rate", "start", "steps", "flip"]
    assert [type(control) for control in demo.controls.values()] == [
        ipw.FloatLogSlider,
        ipw.SelectionSlider,
        ipw.IntSlider,
        ipw.Checkbox,
    ]
    fixed = {
        entry["name"]: entry["default"] for entry in demo.figure.spec["parameters"] if entry.get("fixed")
    }
    assert fixed == {"unit": 1}


def test_only_some_of_them_if_the_page_says_so():
    demo = live(showcase.descent(), only=("steps", "rate"))
    assert list(demo.controls) == ["steps", "rate"]
    entries = {entry["name"]: entry for entry in demo.figure.spec["parameters"]}
    assert (entries["start"]["default"], entries["start"]["fixed"]) == (1, True)
    with pytest.raises(ValueError, match=r"only = \['unit'\]: must be among rate, start, steps, flip"):
        live(showcase.descent(), only=("unit",))


def test_what_the_page_sets_itself_comes_first():
    demo = live(showcase.descent(), start=0.5, rate=controls.logarithmic(1, 0.1, 10, "η"))
    assert list(demo.controls) == ["rate", "steps", "flip"]
    assert demo.controls["rate"].description == "η"
    (start,) = (entry for entry in demo.figure.spec["parameters"] if entry["name"] == "start")
    assert (start["default"], start["fixed"], start["usual"]) == (0.5, True, 1)
