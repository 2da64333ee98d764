"""The leading directions of fine-tuning's gradient against the singular value decomposition and a closed form."""

import math
from typing import Any

import pytest
import torch

from lib.acquire import course, low_rank, task
from lib.acquire.course import FREQUENT, SIZES
from lib.acquire.extraction import ROUNDS
from lib.acquire.tokens import extract, moved, rank_one
from lib.program import record

SHORT: dict[str, Any] = {"steps_2": 5, "steps_3": 5}


def scalar(value: float) -> torch.Tensor:
    return torch.tensor(float(value), dtype=torch.float64)


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
    spectrum = low_rank.leading(matrix, low_rank.guess(), low_rank.MORE_ROUNDS)
    assert torch.allclose(spectrum.values[:1], values[:1], rtol=1e-9)
    assert torch.allclose(spectrum.values, values[:4], rtol=5e-2)
    assert float(spectrum.rest) == pytest.approx(float(torch.linalg.norm(values[4:])), rel=1e-2)


@pytest.mark.parametrize("facts", [0, 1, 2, 3])
def test_directions_beyond_the_rank_are_none(facts):
    matrix = low_rank.questions_part(gradient(facts / FREQUENT))
    spectrum = low_rank.leading(matrix, low_rank.guess(), low_rank.MORE_ROUNDS)
    assert float(spectrum.values[facts:].max()) <= 1e-12 * float(spectrum.values[0])


@pytest.mark.parametrize("rounds", [60, ROUNDS])
def test_rank_one_is_the_best_one(rounds):
    down = gradient(0.5)
    left, values, right = torch.linalg.svd(low_rank.questions_part(down), full_matrices=False)
    best = values[0] * left[:, :1] @ right[:1]
    assert float((low_rank.questions_part(rank_one(down, rounds)) - best).abs().max()) < 1e-9 * float(
        values[0]
    )


@pytest.mark.parametrize("ratio", [0.3, 0.9, 0.999])
def test_rank_one_is_as_near_the_best_one_as_the_gap_of_singular_values_lets_it(ratio):
    generator = torch.Generator().manual_seed(0)
    left, right = (
        torch.linalg.qr(torch.randn(n, 4, dtype=torch.float64, generator=generator)).Q for n in (30, 9)
    )
    values = torch.tensor([1.0, ratio, 0.2, 0.1], dtype=torch.float64)
    matrix = (right * values) @ left.T  # tokens by neurons, p the last token
    spectrum = rank_one(matrix.reshape(9, 30, 1), ROUNDS).reshape(9, 30)
    cosine = float((torch.linalg.svd(spectrum).U[:, 0] @ right[:, 0]).abs())
    begun = float(right[-1, 1:].norm() / right[-1, 0].abs())
    assert math.sqrt(1 - min(cosine, 1) ** 2) <= cosine * ratio ** (2 * ROUNDS) * begun * (1 + 1e-6) + 1e-7
    assert float(matrix[-1].norm()) <= float(spectrum.norm()) <= 1 + 1e-12


@pytest.mark.parametrize("residual", [0.0, 0.4, 1.0])
def test_the_expected_spectrum_is_exact_for_facts_that_are_alike(residual):
    n, cosine = 7, 0.3
    gram = (1 - cosine) * torch.eye(n, dtype=torch.float64) + cosine
    parts = torch.linalg.cholesky(gram)  # rows g_j of length 1
    rows = torch.cat([0.5 * parts, (0.5 + residual) * parts.sum(0, keepdim=True)]) / n
    left, values, _ = torch.linalg.svd(rows)
    first, other, aligned = low_rank.expected_spectrum(scalar(n), scalar(cosine), scalar(residual))
    assert float(left[-1, 0].abs()) == pytest.approx(float(aligned))
    assert float(values[0] / torch.linalg.norm(values)) == pytest.approx(float(first))
    assert torch.allclose(values[1:] / torch.linalg.norm(values), other.expand(n - 1))
