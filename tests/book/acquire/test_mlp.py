"""What is the MLP for: four models on ten facts, and Table 3 measured on them."""

import pytest
import torch

from book.acquire import table_3 as stored
from book.acquire.mlp.program import ANSWERS, CROWDED, PHRASES, SUBJECTS, all_learned, four_models
from book.acquire.mlp.scene import SHOWN, WORDS, leads, shown
from book.acquire.mlp.statements import table_3
from lib.program import run


def test_the_four_models_learn_and_attend():
    outcome = run(four_models())
    report = outcome.report
    assert float(report.losses.max()) < 0.2
    assert float(report.on_noise[1]) == pytest.approx(1 / 3)
    assert float(report.on_noise[0]) < 0.2
    assert bool(all_learned(report, outcome.parameters))


def test_attention_alone_fails_only_where_facts_crowd_and_nothing_is_constant():
    assert table_3().key == "holds"
    roomy = table_3(width=15)
    assert roomy.key == "outside"
    assert "too few facts to crowd" in roomy.sentence
    assert table_3(width=SUBJECTS // CROWDED + 1).assumed is False


@pytest.mark.parametrize("steps", [0, 10, 40])
def test_too_few_steps_decide_nothing(steps):
    assert table_3(steps=steps, tuning=0).key == "undecided"


def test_the_stored_runs_leave_out_the_one_that_overshot():
    rows = stored.rows()
    assert len(rows) == 20
    assert float(rows.over.max()) < 10
    assert float(stored.of("simplified").query("subjects == 1000").over.iloc[0]) < 1


def test_a_lead_above_zero_is_a_right_answer():
    outputs = torch.randn(50, 26, dtype=torch.float64, generator=torch.Generator().manual_seed(3))
    uses = torch.ones(SUBJECTS, PHRASES, dtype=torch.float64)
    uses[4, 1] = 0
    outputs[:SUBJECTS:2, 1 + SUBJECTS : ANSWERS - 1] += 5  # every second fact is known, or nearly
    outputs[SUBJECTS : 4 * SUBJECTS : 2, ANSWERS:] += 3
    phrase, answer = (lead.reshape(SUBJECTS, PHRASES) for lead in leads(outputs, uses))
    for j in range(SUBJECTS):
        best = outputs[j].topk(int(uses[j].sum())).indices - 1 - SUBJECTS
        assert (phrase[j] > 0).tolist() == [
            bool((uses[j].nonzero()[:, 0] == best.sort().values).all())
        ] * PHRASES
        for i in range(PHRASES):
            right = outputs[SUBJECTS + j * PHRASES + i].argmax() == ANSWERS + j
            assert bool(answer[j, i] > 0) == bool(right)


def test_where_facts_crowd_the_scene_shows_who_meets_both_demands():
    rows = run(shown(), noise=0.0, width=3, tuning=0).histories[0].rows
    met = {
        name: (getattr(rows, f"phrase_{name}")[-1] > 0) & (getattr(rows, f"answer_{name}")[-1] > 0)
        for name in ("with", "without")
    }
    assert float(met["with"].double().mean()) > 0.9
    assert float(met["without"].double().mean()) < 0.5


def test_a_sentence_says_the_word_that_leads():
    """With an MLP all is right; attention alone, where it fails after a name, mostly says the place at once."""
    rows = run(shown(), noise=0.0, width=3, tuning=0).histories[0].rows
    wanted = rows.wanted[-1].reshape(2, SHOWN)
    said, sure = (getattr(rows, name)[-1].reshape(2, 2, SHOWN) for name in ("said", "sure"))
    assert [WORDS[int(k)] for k in wanted[:, 0]] == ["was born in", "California"]
    assert bool((said[0] == wanted).all())
    assert 0.9 < float(sure[0].min()) <= float(sure[0].max()) <= 1 + 1e-9
    too_early = said[1, 0] != wanted[0]
    assert int((said[1, 0] == wanted[1]).sum()) > int(too_early.sum()) / 2 > 0
