"""Three kinds of fine-tuning side by side, the first gradient's spectrum, and their figure."""

from typing import Any

from book.acquire.low_rank.figure import CAPTION, figure
from book.acquire.low_rank.program import low_rank
from book.acquire.low_rank.scene import with_first_step
from book.acquire.low_rank.statements import rank_1, spectrum
from lib.program import run
from tests.captions import said

SHORT: dict[str, Any] = {"steps_2": 10, "steps_3": 20, "steps": 10}
BOTH = (spectrum, rank_1)


def test_without_a_step_nought_against_nought_is_no_evidence():
    """Issue 11, item 9: full and low rank were "as good" with 0 steps, 0 against 0."""
    outcome = run(with_first_step(low_rank()), **{**SHORT, "steps": 0})
    assert float(rank_1.judge(outcome.report, outcome.parameters)["undecided"]) == 1
    assert said(CAPTION, BOTH, outcome).endswith("No step is made yet.")


def test_the_caption_says_the_rank_that_was_run():
    outcome = run(with_first_step(low_rank()), **SHORT, ranks=4)
    assert "The 4 strongest directions" in said(CAPTION, BOTH, outcome)
    assert float(rank_1.judge(outcome.report, outcome.parameters)["assumed"]) == 0


def test_nothing_is_said_of_a_gradient_that_is_not_there():
    outcome = run(low_rank(), **SHORT, share=0.0)
    assert float(spectrum.judge(outcome.report, outcome.parameters)["undecided"]) == 1
    assert said(CAPTION, BOTH, outcome) == "No fact is fine-tuned, so there is no gradient."


def test_a_tilt_of_attention_breaks_the_closed_form():
    assert spectrum.at(SHORT).key == "holds"
    assert spectrum.at({**SHORT, "tilt": 3.0}).key == "outside"


def test_steps_that_leave_p_alone_extract_nothing():
    report = run(low_rank(), **SHORT, along=0).report
    assert float(report.best) > 0
    assert float(report.best_low) == float(report.best_alone) == 0


def test_the_most_telling_controls_come_first():
    assert list(figure().controls) == [
        "ranks",
        "residual",
        "share",
        "multiplicity",
        "phrases",
        "steps",
        "rate",
        "seed",
    ]
