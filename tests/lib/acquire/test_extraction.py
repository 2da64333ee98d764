"""Fine-tuning on questions: what counts as an answer, and which facts are expected to come out."""

import pytest
import torch

from lib.acquire import course, task
from lib.acquire.course import FREQUENT, SIZES, SUBJECTS
from lib.acquire.extraction import answer_kinds, cross_fitted, prediction, with_defaults
from lib.acquire.task import Facts, reached


def hand_made() -> Facts:
    """Three facts over three phrases: fact 0 with phrases 0 and 2, fact 1 with 1, fact 2 with 2."""
    rank = torch.tensor([[0.0, 2, 1], [1, 0, 2], [1, 2, 0]], dtype=torch.float64)
    two = torch.tensor([2.0, 1, 1], dtype=torch.float64)
    return Facts(rank, two, two - 1, torch.zeros(3, dtype=torch.float64))


def test_a_tie_is_no_right_answer():
    known = task.facts(SUBJECTS, 10, 3, FREQUENT / SUBJECTS)
    nothing = torch.zeros(SUBJECTS, SIZES.outputs, dtype=torch.float64)
    assert float(answer_kinds(nothing, known, torch.zeros(SUBJECTS), SIZES.answers)[:, -1].sum()) == 0


def test_answers_are_told_apart():
    known, first = hand_made(), 1 + 3 + 3 + 1
    place = {"own": 1 + 3 + 2, "other": 1 + 3 + 0, "right": first, "drilled": first}
    chosen = torch.tensor([1.0, 0, 0], dtype=torch.float64)
    logits = torch.zeros(3, first + 3 + 1, dtype=torch.float64)
    for fact, word in ((0, "right"), (1, "other"), (2, "own")):
        logits[fact, place[word]] = 1
    assert answer_kinds(logits, known, chosen, first).argmax(1).tolist() == [4, 2, 3]
    logits[1, place["drilled"]] = 2
    assert answer_kinds(logits, known, chosen, first).argmax(1).tolist() == [4, 1, 3]
    logits[1, first + 2] = 3  # the answer of a fact that is not fine-tuned
    logits[2, first + 3] = 3  # d
    assert answer_kinds(logits, known, chosen, first).argmax(1).tolist() == [4, 0, 0]


def test_a_fact_is_safe_when_each_of_its_phrases_is_covered():
    coverage = torch.tensor([3.0, 0, 1], dtype=torch.float64)
    assert reached(hand_made(), coverage).tolist() == [1, 0, 1]
    assert reached(hand_made(), coverage, 2).tolist() == [0, 0, 0]


def test_prediction_asks_for_all_phrases_of_a_fact():
    known = task.facts(6, 4, 2, 0.5)
    chosen = torch.tensor([1.0, 0, 0, 0, 0, 0], dtype=torch.float64)
    used = known.uses[0] > 0
    expected = [bool((known.uses[j] > 0)[~used].any()) for j in range(1, 6)]
    assert float(prediction(known, chosen)[0]) == pytest.approx(1 - sum(expected) / 5)


def test_other_defaults_leave_the_rest_as_it_was():
    domains = with_defaults(course.TUNING_DOMAINS, steps=7)
    assert [d.default for d in domains] == [4.0, 7]
    assert domains[0] == course.TUNING_DOMAINS[0]


def test_a_step_that_others_choose_does_not_flatter():
    coins = torch.rand(60, 200, generator=torch.Generator().manual_seed(0), dtype=torch.float64).round()
    chosen, fitted = torch.zeros(200, dtype=torch.float64), None
    for right in coins:
        fitted = cross_fitted(right, right, chosen, fitted)
    assert fitted
    assert float(coins.mean(1).max()) > 0.56
    assert abs(float(fitted.right.mean()) - 0.5) < 0.05


def test_of_steps_with_as_many_right_the_one_counts_that_leads_by_most():
    right, none = torch.tensor([[1.0, 0], [0, 1], [1, 0]], dtype=torch.float64), torch.zeros(2)
    fitted = cross_fitted(right[0], right[0], none)
    fitted = cross_fitted(right[1], right[1] / 2, none, fitted)
    assert fitted.right.tolist() == [
        0,
        0,
    ]  # the odd fact chose step 1 for the even one, which is wrong then, and back
    fitted = cross_fitted(right[2], 2 * right[2], none, fitted)
    assert fitted.right.tolist() == [0, 0]
    assert fitted.lead.tolist() == [2, 0.5]
