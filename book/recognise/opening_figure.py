"""The drawing that opens the chapter: one training, from start to end."""

from __future__ import annotations

from IPython.display import HTML

from book import figures
from book.recognise.two_phases import two_phases
from lib.program import run
from widgets.figure.colours import role

WORDS = (("target μ₁", "target-1", "-"), ("target μ₂", "target-2", "--"), ("common μ₃", "common", "-"))


def opening() -> HTML:
    """The figure of G on the three words in both phases, from the mean start."""
    outcome = run(two_phases(), random=0)
    report = outcome.report
    end_of_phase_1 = float(outcome.parameters.constant)
    with figures.panel("One training, from start to end") as chart:
        for place, part in enumerate(outcome.histories):
            for k, (name, colour, style) in enumerate(WORDS):
                label = None if place else name
                chart.axes.plot(
                    part.rows.time, part.rows.output[:, k], style, color=role(colour), label=label
                )
        chart.axes.axvspan(0.1, end_of_phase_1, color=figures.INK, alpha=0.06)
        chart.axes.text(0.2, 9, "Phase 1", fontsize=8)
        chart.axes.text(200, 9, "Phase 2", fontsize=8)
        chart.axes.set(xscale="log", xlim=(0.1, 1e5), xlabel="training time τ")
        chart.axes.set_ylabel("what the MLP makes of a word")
        chart.axes.legend(loc="lower left")
        drawn = chart.svg(
            f"The targets rise together to {float(report.signals[0]):.1f} at the end of Phase 1, the common word falls "
            f"to {float(report.signals[2]):.1f}. In Phase 2 all three grow like the logarithm of time."
        )
    return figures.figure(
        [drawn], "Two targets say yes, the common word says no, and only both targets together outvote it."
    )
