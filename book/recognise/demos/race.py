"""Lemma 4.3, live: three numbers race to the max-margin direction, inside its cone or out of it."""

from __future__ import annotations

from lib.cooccurrence.dynamics.race import DEFAULTS, race
from widgets import Live, controls, live
from widgets.panels import (
    Area,
    Bar,
    BarChart,
    Caption,
    Curve,
    CurveChart,
    Level,
    Light,
    LiveVerdict,
    Path,
    Pick,
    Points,
    Row,
    Trace,
    Try,
    View,
)

RATIO = CurveChart(
    title="−G(μ₃) over the larger of G(μ₁), G(μ₂)",
    x="τ = N₀t",
    x_scale="log",
    x_domain=(0.3, 1e8),
    domain=(0.0, 2.2),
    areas=(Area("span", "low", "high", "the lemma's cone", "faint"),),
    traces=(
        Trace("time", "slopes", 0, "of G′", "accent"),
        Trace("time", "ratio", 0, "of G", "confusing"),
    ),
    levels=(Level("limit", "limit"), Level("half", "T₀.₅", axis="x")),
)
PLANE = CurveChart(
    title="The race in the plane",
    x="the larger of G(μ₁), G(μ₂)",
    y="−G(μ₃)",
    areas=(Area("ray_x", "ray_low", "ray_high", "cone", "faint"),),
    series=(Curve("ray_x", "ray_limit", "max margin", "ink", "5 3"),),
    path=Path("along", "away", "now", "confusing"),
)
PACE = BarChart(
    title="τ times the slopes, at the end",
    labels=("G(μ₁)", "G(μ₂)", "G(μ₃)"),
    bars=(Bar("pace", "measured", "accent"), Bar("goal", "max margin", "ink")),
    domain=(-3.0, 2.0),
    x="τ G′(μ)",
)
BORDER = CurveChart(
    title="Where the cone holds for ever",
    x="words in a sample, L",
    y="samples n",
    y_scale="log",
    x_domain=(4, 40),
    domain=(6, 1e6),
    areas=(
        Area("words", "border", "ceiling", "for ever", "good"),
        Area("words", "floor", "border", "not", "bad"),
    ),
    series=(Curve("words", "border", "3(L + 1)", "ink"), Curve("words", "squares", "L²", "ink", "5 3")),
    points=(Points("now_length", "now_n", "here", "run", "ring"),),
    pick=Pick(x="length", y="samples"),
)
LIGHTS = (
    Light("lasting", "the separator lies in the cone: n > 3(L + 1)"),
    Light("many", "n at least L², as the paper asks"),
    Light("shares", "types have the shares ½, ⅙, ⅙, ⅙"),
)
VERDICT = LiveVerdict(
    field="verdict",
    texts=(
        "Confirmed here: n is large enough for the cone, and the slopes end inside it.",
        "Not yet: n is large enough, but at the end of this run the slopes are still outside. Run longer.",
        "Outside: n is too small, and the slopes end outside the cone, as they must.",
        "Beyond: n is too small for infinite width, yet the slopes are inside at the end of this run.",
    ),
    tones=("good", "warn", "warn", "warn"),
)
CAPTION = Caption(
    field="story",
    texts=(
        "The ratio of the slopes enters the cone at τ = {half} and ends at {slopes}; the separator's is {limit}. "
        "The numbers themselves lag behind, at {ratio}.",
        "At the end the ratio of the slopes is {slopes}, where the separator's is {limit}. Attention, a start of "
        "finite width or too short a run keep them apart.",
        "The irrelevant words do too much of the work: the ratio of the slopes ends at {slopes}, near the "
        "separator's {limit}, and that is no more than 1.",
    ),
)
CODE = (
    "from lib.cooccurrence.dynamics.race import race\nfrom lib.solve import run\n\n"
    "print(run(race(), {arguments}).report)"
)
TRIES = (
    Try(
        "Take 30 samples of 10 words.",
        {"samples": 30, "length": 10},
        "Below the border n = 3(L + 1) = 33: the ratio stays under 1 for ever.",
    ),
    Try(
        "Take 1000 samples of 40 words.",
        {"samples": 1000, "length": 40},
        "Fewer than L² = 1600, which the paper asks for, and no matter: the border is at 123.",
    ),
    Try(
        "Take a million samples.",
        {"samples": 1e6},
        "Irrelevant words no longer count. The separator is (2, 2, −3), and the ratio ends at 3/2.",
    ),
    Try(
        "Make the network infinitely wide and start at the mean.",
        {"width": controls.INFINITE, "random": 0},
        "Slopes and separator agree to four digits.",
    ),
    Try(
        "Set |a| to 0.03.",
        {"layer": 0.03},
        (
            "N₀ is small. Attention learns, and with it what F is made of: the ratio ends a little above the "
            "separator's."
        ),
    ),
)


def demo() -> Live:
    """The demo of the race."""
    view = View(
        panels=(RATIO, PLANE, PACE, BORDER),
        caption=CAPTION,
        lights=LIGHTS,
        rows=(
            Row("τ from which −G′(μ₃) exceeds G′(μ₁), G′(μ₂)", "", "half"),
            Row("τ from which it is below their sum", "", "below"),
            Row("−G′(μ₃) over the larger target's, at the end", "limit", "slopes"),
            Row("−G(μ₃) over the larger target's, at the end", "limit", "ratio"),
            Row("loss times τN/N₀, corrected for ‖a‖²G", "square", "loss"),
        ),
        verdict=VERDICT,
        tries=TRIES,
        code=CODE,
    )
    return live(
        race(),
        view,
        name="race",
        more=("sigma_0", "sigma_1", "neurons", "layer", "learned", "random", "end"),
        samples=controls.logarithmic(DEFAULTS["samples"], 6, 1e6, "samples n"),
        length=controls.whole(int(DEFAULTS["length"]), 4, 40, "words in a sample, L"),
        width=controls.width(DEFAULTS["width"]),
        seed=controls.seed(int(DEFAULTS["seed"])),
        sigma_0=controls.logarithmic(DEFAULTS["sigma_0"], 0.01, 10, "σ₀, in units of 1/√(Lm)"),
        sigma_1=controls.logarithmic(DEFAULTS["sigma_1"], 0.03, 10, "σ₁, in units of 1/√m₁"),
        neurons=controls.logarithmic(DEFAULTS["neurons"], 1, 1e4, "neurons m₁"),
        layer=controls.logarithmic(DEFAULTS["layer"], 0.01, 1, "|a| of the output layer"),
        learned=controls.switch(True, "attention learns"),
        random=controls.switch(True, "random start (off: its mean)"),
        end=controls.linear(DEFAULTS["end"], 2, 8, 0.1, "end of the run, log₁₀ τ"),
        positive=DEFAULTS["positive"],
        single=DEFAULTS["single"],
        first=DEFAULTS["first"],
        evaluations=DEFAULTS["evaluations"],
    )
