"""What is the MLP for: four models on ten facts, and Table 3 measured on them."""

import pytest

from book.acquire import table_3 as stored
from book.acquire.mlp.program import CROWDED, SUBJECTS, four_models
from book.acquire.mlp.statements import table_3
from lib.solve import run


def test_the_four_models_learn_and_attend():
    report = run(four_models()).report
    assert float(report.losses.max()) < 0.2
    assert float(report.on_noise[1]) == pytest.approx(1 / 3)
    assert float(report.on_noise[0]) < 0.2
    assert float(report.learned) == 1


def test_attention_alone_fails_only_where_facts_crowd_and_nothing_is_constant():
    assert table_3().key == "holds"
    roomy = table_3(width=15)
    assert roomy.key == "outside"
    assert f"{CROWDED} times as many facts" in roomy.sentence
    assert table_3(width=SUBJECTS // CROWDED + 1).assumed is False


@pytest.mark.parametrize("steps", [0, 10, 40])
def test_too_few_steps_decide_nothing(steps):
    assert table_3(steps=steps, tuning=0).key == "undecided"


def test_the_stored_runs_leave_out_the_one_that_overshot():
    rows = stored.rows()
    assert len(rows) == 20
    assert float(rows.over.max()) < 10
    assert float(stored.of("simplified").query("subjects == 1000").over.iloc[0]) < 1
