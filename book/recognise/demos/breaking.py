"""One slider for each hypothesis of Theorems 3.1 and 3.2: move it until something breaks."""

from __future__ import annotations

from book.recognise.demos.phases import LOSSES, OUTPUTS, SINCE
from lib.cooccurrence.dynamics.phases import DEFAULTS, two_phases
from widgets import Live, controls, live
from widgets.panels import Bar, BarChart, Caption, Light, LiveVerdict, Row, Try, View

AT_1 = BarChart(
    title="G at the end of Phase 1",
    labels=("G(μ₁)", "G(μ₂)", "G(μ₃)"),
    bars=(Bar("signals", "", "accent"),),
    x="G(μ) at T₁",
)
LIGHTS = (
    Light("shares", "types have the shares ½, ⅙, ⅙, ⅙"),
    Light("many", "n at least L²"),
    Light("lasting", "the separator lies in the cone"),
    Light("wide", "m at least m₁"),
    Light("long", "m at least L²"),
    Light("fit_0", "σ₀ within a factor 3 of 1/√(Lm)"),
    Light("fit_1", "σ₁ within a factor 3 of 1/√m₁"),
)
VERDICT = LiveVerdict(
    field="verdict",
    texts=(
        "All hypotheses hold, and so do both theorems.",
        "All hypotheses hold, yet a theorem fails: C is too small, or the end too far.",
        "A hypothesis is broken, and with it a theorem.",
        "A hypothesis is broken, and nothing else: it was not needed here.",
    ),
    tones=("good", "bad", "warn", "warn"),
)
CAPTION = Caption(
    field="story",
    texts=(
        "Both theorems hold: all samples are right from τ = {correct} on, the signs stand from {signs} on, and "
        "at T₁ the loss is {loss_1}.",
        "Theorem 3.1 holds, Theorem 3.2 does not: a sign is missing at T₁ or later. The ratio −G(μ₃)/G(μ₁) ends at "
        "{ratio}, its limit is {limit}.",
        "Theorem 3.1 fails: at T₁ the least margin is {margin} and the loss {loss_1}. All samples are right from "
        "τ = {correct} on; a dash means never.",
    ),
)
CODE = (
    "from lib.cooccurrence.dynamics.phases import two_phases\nfrom lib.solve import run\n\n"
    "print(run(two_phases(), {arguments}).report)"
)
TRIES = (
    Try(
        "Take 30 samples of 10 words.",
        {"samples": 30, "length": 10},
        "n is below 3(L + 1): a sign of Theorem 3.2 never comes.",
    ),
    Try(
        "Take 60 samples of 10 words.",
        {"samples": 60, "length": 10},
        "n is still below L², but above 3(L + 1): the separator lies in the cone, though a random start may ask "
        "for a longer Phase 1.",
    ),
    Try(
        "Make σ₁ ten times smaller.",
        {"sigma_1": 0.1},
        "Values grow as fast as the MLP. At τ = 30 the loss is gone, so Theorem 3.1's last item fails.",
    ),
    Try(
        "Let one in ten samples hold both targets.",
        {"positive": 0.1},
        "The common word falls at once. Positive samples wait, and item by item things come later.",
    ),
    Try(
        "Use 10 000 neurons on a width of 64.",
        {"neurons": 1e4, "width": 64.0},
        "m is far below m₁: N and the values grow many times over in Phase 1.",
    ),
)


def demo() -> Live:
    """The demo of broken hypotheses."""
    view = View(
        panels=(SINCE, LOSSES, OUTPUTS, AT_1),
        caption=CAPTION,
        lights=LIGHTS,
        rows=(
            Row("Theorem 3.1", "", "first", words=("fails", "holds")),
            Row("Theorem 3.2", "", "second", words=("fails", "holds")),
            Row("all samples right from τ", "", "correct"),
            Row("item 4 of Theorem 3.2 from τ", "", "signs"),
            Row("least margin at T₁", "", "margin"),
            Row("loss at T₁", "", "loss_1"),
            Row("change of ‖W_Vμ‖² in Phase 1, relative", "", "moved_v"),
            Row("change of N in Phase 1, relative", "", "moved_n"),
            Row("−G(μ₃) over the larger target's at the end", "limit", "ratio"),
        ),
        verdict=VERDICT,
        tries=TRIES,
        code=CODE,
    )
    return live(
        two_phases(),
        view,
        name="breaking",
        more=("first", "layer", "constant", "random", "learned", "end"),
        positive=controls.linear(DEFAULTS["positive"], 0.02, 0.98, 0.005, "share with both targets"),
        single=controls.linear(round(DEFAULTS["single"], 3), 0.02, 0.98, 0.001, "of the others, with one"),
        samples=controls.logarithmic(DEFAULTS["samples"], 6, 1e6, "samples n"),
        length=controls.whole(int(DEFAULTS["length"]), 4, 40, "words in a sample, L"),
        width=controls.width(DEFAULTS["width"]),
        neurons=controls.logarithmic(DEFAULTS["neurons"], 1, 1e4, "neurons m₁"),
        sigma_0=controls.logarithmic(DEFAULTS["sigma_0"], 0.01, 10, "σ₀, in units of 1/√(Lm)"),
        sigma_1=controls.logarithmic(DEFAULTS["sigma_1"], 0.01, 10, "σ₁, in units of 1/√m₁"),
        seed=controls.seed(int(DEFAULTS["seed"])),
        first=controls.linear(DEFAULTS["first"], 0.02, 0.98, 0.005, "of these, with μ₁"),
        layer=controls.logarithmic(DEFAULTS["layer"], 0.01, 1, "|a| of the output layer"),
        constant=controls.logarithmic(DEFAULTS["constant"], 1, 1000, "C in T₁ = C/N₀"),
        random=controls.switch(True, "random start (off: its mean)"),
        learned=controls.switch(True, "attention learns"),
        end=controls.linear(DEFAULTS["end"], 3, 6, 0.1, "end of the run, log₁₀ τ"),
        evaluations=DEFAULTS["evaluations"],
    )
