"""The drawing that opens the chapter: what is answered while a model is fine-tuned."""

from __future__ import annotations

from IPython.display import HTML

from book import figures
from book.acquire.extraction import extraction
from lib.program import run
from widgets.figure.colours import role

ANSWERS = (
    ("the answer", "answer", 4),
    ("its own phrase", "phrase", 3),
    ("a fine-tuned answer", "drilled", 1),
)
"""What is said, its role, and its place among the kinds of answers."""


def opening(steps: int = 120) -> HTML:
    """The answers to questions about facts that fine-tuning did not show."""
    outcome = run(extraction(), steps=steps)
    report, tuning = outcome.report, outcome.histories[3]
    with figures.panel("Answers to questions about facts that fine-tuning did not show") as chart:
        for name, colour, column in ANSWERS:
            chart.axes.plot(tuning.steps, tuning.rows.kinds[:, column], color=role(colour), label=name)
        chart.axes.set(
            xscale="symlog",
            xlim=(0, steps),
            ylim=(0, 1.02),
            xlabel="fine-tuning steps",
            ylabel="fraction of the questions",
        )
        chart.axes.legend()
        drawn = chart.svg(
            f"Before fine-tuning {float(report.before[3]):.2f} of the questions are answered with a phrase. At step "
            f"{int(report.best_step)} {float(report.best):.2f} are correct. At step {steps} "
            f"{float(report.kinds[1]):.2f} are answered with a fine-tuned answer."
        )
    return figures.figure(
        [drawn], "All facts are stored from the start. Whether they are said is another matter."
    )
