"""What is said instead of the right answer: Theorem 2's third item, Remark 4 and their figure."""

from typing import Any

import pytest
import torch

from book.acquire.hallucination.figure import CAPTION, figure
from book.acquire.hallucination.program import on_questions, overfitting
from book.acquire.hallucination.statements import FEW, hallucination, late_enough, remark_4
from lib.program import run
from tests.captions import said

SHORT: dict[str, Any] = {"steps_2": 10, "steps_3": 20}


def test_no_fact_with_an_uncovered_phrase_comes_out():
    result = hallucination.at({**FEW, **SHORT, "steps": 30})
    assert result.key == "holds"
    assert float(result.report.uncovered) > 0.2
    assert "unpractised phrase and are never answered correctly" in said(
        CAPTION, (remark_4, hallucination), result
    )


def test_with_four_facts_no_figure_speaks_of_nine_in_ten():
    """Issue 11, item 9: all phrases were covered and a green banner praised what never came out."""
    outcome = run(overfitting(), share=0.125)
    assert float(outcome.report.best) == 0
    text = said(CAPTION, (remark_4, hallucination), outcome)
    assert "none of the" in text
    assert float(remark_4.judge(outcome.report, outcome.parameters)["undecided"]) == 1
    assert float(hallucination.judge(outcome.report, outcome.parameters)["good"]) == 0


def test_where_no_unseen_fact_ever_comes_out_no_best_step_is_named():
    outcome = run(overfitting(), share=0.125, phrases=10)
    assert float(outcome.report.best) == 0 < float(outcome.report.uncovered)
    assert "Nor is any other" in said(CAPTION, (remark_4, hallucination), outcome)


def test_too_many_steps_lose_what_came_out():
    few = {"multiplicity": 4, "share": 0.375}
    assert remark_4.at(few).key == "holds"
    early = remark_4.at({**few, "steps": 8})
    assert not late_enough(early.report, early.parameters)
    assert early.key == "outside"
    assert remark_4.at({}).key == "beyond", "sixteen facts are more than 3R/2"


def test_attention_is_that_of_the_same_run():
    values = {**SHORT, "steps": 4}
    ever = run(on_questions(), **values).report
    assert float(ever.before) < float(ever.bound) < float(ever.ever) < 0.05
    assert float(run(on_questions(), **{**values, "steps": 0}).report.ever) == pytest.approx(
        float(ever.before)
    )


def test_nothing_is_judged_before_the_first_step():
    outcome = run(overfitting(), **SHORT, steps=0)
    for statement in (hallucination, remark_4):
        assert float(statement.judge(outcome.report, outcome.parameters)["undecided"]) == 1
        assert bool(torch.isfinite(statement.judge(outcome.report, outcome.parameters)["assumed"]))


def test_the_most_telling_controls_come_first():
    assert list(figure().controls) == ["share", "multiplicity", "phrases", "steps", "rate", "seed"]
