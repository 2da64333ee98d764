"""A course of pre-training: stage I against its closed form."""

import math

import pytest
import torch

from lib.acquire import course, task
from lib.acquire.course import FREQUENT, SUBJECTS
from lib.acquire.tokens import acquire, moved


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
