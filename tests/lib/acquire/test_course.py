"""Courses of training: what the figures run, against plain loops and closed forms."""

import math
from typing import Any

import pytest
import torch

from lib.acquire import course, covering, low_rank, multiplicity, task
from lib.acquire.course import FREQUENT, SIZES, SUBJECTS
from lib.acquire.tokens import acquire, extract, moved, rank_one
from lib.solve import Run, record, run

SHORT: dict[str, Any] = {"steps_2": 5, "steps_3": 5}


@pytest.fixture(scope="module")
def extracted() -> Run:
    return run(multiplicity.extraction(), **multiplicity.DEFAULTS)


def scalar(value: float) -> torch.Tensor:
    return torch.tensor(float(value), dtype=torch.float64)


def test_the_first_rate_moves_the_context_s_score_by_as_much_as_it_says():
    """With half of d's neurons active, and up to parts of order 1/N: by log(2d) at the predicted rate."""
    sizes = course.SIZES
    d, kappa = 400.0, 0.004
    known = task.facts(SUBJECTS, 10, 3, FREQUENT / SUBJECTS)
    listed, share = task.sentences(known), task.fact_weight(known)
    state = course.normal_start(scalar(1), sizes, d, 1e-9)
    half = torch.where(torch.arange(sizes.neurons) < sizes.neurons // 2, 1.0, -1.0)
    features = state.features.clone()
    features[0, sizes.follower] = features[0, sizes.follower].abs() * half
    state = state._replace(features=features)
    rate = float(course.first_rate(sizes, d, kappa))
    for _ in range(2):
        state = moved(state, acquire(state, known, listed, sizes, d, share).down, rate, kappa)
    fall = -float((state.scores.context_subject - state.scores.subject_subject).mean())
    assert fall == pytest.approx(math.log(2 * d), rel=2 / SUBJECTS)


def test_the_best_step_is_the_first_of_the_best(extracted):
    curve = extracted.histories[3].rows.accuracy[:, 0]
    assert float(extracted.report.best) == float(curve.max())
    assert int(extracted.report.best_step) == int((curve >= curve.max() - 1e-9).nonzero()[0])


def test_kinds_of_answers_add_up_and_begin_with_the_fact_s_own_phrase(extracted):
    kinds = extracted.histories[3].rows.kinds
    assert torch.allclose(kinds.sum(1), torch.ones(len(kinds), dtype=torch.float64))
    assert float(extracted.report.before[3]) == 1


def test_a_tie_is_no_right_answer():
    known = task.facts(SUBJECTS, 10, 3, FREQUENT / SUBJECTS)
    nothing = torch.zeros(SUBJECTS, SIZES.outputs, dtype=torch.float64)
    assert float(course.answer_kinds(nothing, known, torch.zeros(SUBJECTS), SIZES)[:, -1].sum()) == 0


def test_fine_tuning_on_nothing_changes_nothing():
    outcome = run(multiplicity.extraction(), **{**multiplicity.DEFAULTS, **SHORT, "share": 0.0})
    assert float(outcome.report.story) == 3
    accuracy = outcome.histories[3].rows.accuracy[:, 0]
    assert bool((accuracy == accuracy[0]).all())


def test_prediction_asks_for_all_phrases_of_a_fact():
    known = task.facts(6, 4, 2, 0.5)
    chosen = torch.tensor([1.0, 0, 0, 0, 0, 0], dtype=torch.float64)
    lit = known.uses[0] > 0
    expected = [bool((known.uses[j] > 0)[~lit].any()) for j in range(1, 6)]
    assert float(multiplicity.prediction(known, chosen)[0]) == pytest.approx(1 - sum(expected) / 5)


def test_clicked_facts_are_turned_over():
    known = task.facts(SUBJECTS, 10, 2, FREQUENT / SUBJECTS)
    values = {name: scalar(covering.DEFAULTS[name]) for name in covering.Coverage._fields}
    plain = covering.choose(known, covering.Coverage(**values))
    values["turned"] = scalar(2**0 + 2**31)
    turned = covering.choose(known, covering.Coverage(**values))
    assert (plain != turned).nonzero().flatten().tolist() == [0, 31]


def gradient(share: float) -> torch.Tensor:
    """The first gradient of fine-tuning after a short pre-training, (N + 1, V m)."""
    values = {**{d.name: d.default for d in course.DOMAINS}, **SHORT}
    p = record("Pretraining", values)(*map(scalar, values.values()))
    learner = course.look(course.start(p), p.dimension)
    for _ in range(5):
        learner = course.look(
            learner._replace(model=moved(learner.model, learner.down, 48.0, p.kappa)), p.dimension
        )
    chosen = task.fine_tuned(learner.known, scalar(share))
    return extract(learner.model, chosen, SIZES).down.features


def test_leading_directions_are_those_of_the_singular_value_decomposition():
    matrix = low_rank.questions_part(gradient(0.5))
    values = torch.linalg.svdvals(matrix)
    found = low_rank.leading(matrix, low_rank._guess(), low_rank.MORE_ROUNDS)
    assert torch.allclose(found.values[:1], values[:1], rtol=1e-9)
    assert torch.allclose(found.values, values[:4], rtol=5e-2)
    assert float(found.rest) == pytest.approx(float(torch.linalg.norm(values[4:])), rel=1e-2)


@pytest.mark.parametrize("facts", [0, 1, 2, 3])
def test_directions_beyond_the_rank_are_none(facts):
    matrix = low_rank.questions_part(gradient(facts / FREQUENT))
    found = low_rank.leading(matrix, low_rank._guess(), low_rank.MORE_ROUNDS)
    assert float(found.values[facts:].max()) <= 1e-12 * float(found.values[0])


def test_rank_one_is_the_best_one():
    down = gradient(0.5)
    left, values, right = torch.linalg.svd(low_rank.questions_part(down), full_matrices=False)
    best = values[0] * left[:, :1] @ right[:1]
    assert float((low_rank.questions_part(rank_one(down)) - best).abs().max()) < 1e-9 * float(values[0])


def test_the_expected_spectrum_is_exact_for_facts_that_are_alike():
    n, cosine = 7, 0.3
    gram = (1 - cosine) * torch.eye(n, dtype=torch.float64) + cosine
    parts = torch.linalg.cholesky(gram)  # rows g_j of length 1
    rows = torch.cat([0.5 * parts, 1.5 * parts.sum(0, keepdim=True)]) / n
    values = torch.linalg.svdvals(rows)
    first, other = low_rank.expected_spectrum(scalar(n), scalar(cosine))
    assert float(values[0] / torch.linalg.norm(values)) == pytest.approx(float(first))
    assert torch.allclose(values[1:] / torch.linalg.norm(values), other.expand(n - 1))


def test_bad_values_are_refused():
    for over, message in (
        ({"kappa": 0.0}, "kappa = 0.0: must be a finite number greater than 0"),
        ({"multiplicity": 7}, "multiplicity = 7: must be a whole number from 1 to 6"),
        ({"share": -0.1}, r"share = -0.1: must be a finite number from 0 to 1"),
        ({"dimension": 50.0}, "dimension = 50.0: must be a finite number from 109"),
    ):
        with pytest.raises(ValueError, match=message):
            run(multiplicity.extraction(), **{**multiplicity.DEFAULTS, **over})
