"""What the scenes of fine-tuning show is what the runs have."""

import torch

from book.acquire.covering.program import covering
from book.acquire.low_rank.program import low_rank
from book.acquire.low_rank.scene import with_first_step
from book.acquire.scene import ASKED, KINDS, PHRASES, with_questions
from lib.acquire.course import FREQUENT, MOST_PHRASES, SUBJECTS
from lib.acquire.task import facts
from lib.program import run

SHORT = {"steps_2": 8, "steps_3": 20}


def test_the_loudest_kind_is_what_the_run_counts_as_said():
    outcome = run(with_questions(covering()), **SHORT, steps=12)
    rows = outcome.histories[ASKED.since].rows
    said = (
        torch.nan_to_num(rows.largest_logits, nan=-1).reshape(len(rows.kinds), -1, len(KINDS)).argmax(2)
    )  # (T, N)
    unseen = rows.fine_tuned < 0.5
    for k in range(len(KINDS)):
        shares = ((said == k) & unseen).sum(1) / unseen.sum(1)
        torch.testing.assert_close(shares.to(torch.float64), rows.kinds[:, k])
    assert len(set(said[-1].tolist())) > 1
    assert float(outcome.report.peak) == float(outcome.report.best_step)


def test_where_no_fact_comes_out_there_is_no_best_step_to_stop_at():
    assert run(with_questions(covering()), **SHORT, reach=0, steps=2).report.peak.isnan()


def test_the_first_step_is_shown_with_the_share_that_the_statement_measures():
    outcome = run(with_first_step(low_rank()), **SHORT, steps=2)
    rows, report = outcome.histories[3].rows, outcome.report
    torch.testing.assert_close(rows.explained[:, 0], (1 - report.missed**2).expand(3))
    torch.testing.assert_close(rows.opened[1:], rows.explained[1:])
    assert float(rows.opened[0]) == 0  # before the first step the gradient is whole
    assert float(rows.unseen[0]) == SUBJECTS - float(report.tuned)
    torch.testing.assert_close(rows.answered, rows.accuracy[:, :2])


def test_the_bands_of_the_first_step_are_nearly_all_of_it_and_the_question_marks_are_most():
    outcome = run(with_first_step(low_rank()), **SHORT, steps=1)
    whole, strongest, remaining = (
        getattr(outcome.histories[3].rows, name)[0] for name in ("whole", "strongest", "remaining")
    )
    assert whole.shape == (SUBJECTS + 1, 2)
    assert int((whole[:-1].sum(1) > 0).sum()) == int(outcome.report.tuned)  # names that are practised
    assert 0.99 < float(whole.sum()) < 1  # of other words next to nothing
    assert 0.9 < float(whole[-1].sum()) < float(whole.sum())
    torch.testing.assert_close((strongest + remaining).sum(1), whole.sum(1), atol=0.002, rtol=0)
    torch.testing.assert_close((strongest + remaining).sum(0), whole.sum(0), atol=0.002, rtol=0)


def test_the_strongest_part_has_the_rank_of_the_updates():
    outcome = run(with_first_step(low_rank()), **SHORT, steps=1, ranks=3)
    rows, report = outcome.histories[3].rows, outcome.report
    torch.testing.assert_close(rows.explained[:, 0], (1 - report.left_here).expand(2))
    assert report.left_here < report.left
    assert float(rows.directions[0]) == 3


def test_the_rival_is_another_fact_that_was_fine_tuned_and_none_where_none_was():
    outcome = run(with_questions(covering()), **SHORT, steps=3)
    rows = outcome.histories[ASKED.since].rows
    rivals = rows.rivals[-1].to(torch.int64)
    assert bool((rows.fine_tuned[-1][rivals] > 0.5).all())
    assert bool((rivals != torch.arange(len(ASKED.facts))).all())
    assert bool(
        (run(with_questions(covering()), **SHORT, reach=0, steps=2).histories[3].rows.rivals == -1).all()
    )


def test_alice_is_a_rare_fact_told_with_one_phrase_however_many_there_are():
    assert ASKED.facts[ASKED.first] == "Alice"
    assert ASKED.answers[ASKED.first] == "California"
    for phrases in range(PHRASES.index("was born in") + 1, MOST_PHRASES + 1):
        known = facts(SUBJECTS, phrases, 2, FREQUENT / SUBJECTS)
        assert known.uses[ASKED.first].nonzero().tolist() == [[PHRASES.index("was born in")]]
