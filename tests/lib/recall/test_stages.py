"""The two stages' lemmas: every formula listed, Lemma 8's rates against a small step of descent."""

from __future__ import annotations

import pytest
import torch

from lib import claims
from lib.recall.claims import stages
from lib.recall.claims.common import scalar, three_subjects
from lib.recall.claims.saddle import algorithm_1
from lib.recall.dynamics import relation_loss


@pytest.mark.parametrize("name", ["lemma-5", "lemma-8"])
def test_every_formula_listed_is_as_listed(name):
    claim = claims.registry()[f"recall.{name}"]
    assert all(item.passes() for item in claim.checked)
    for erratum in claim.errata:
        assert erratum.symbolic()
        numbers = erratum.numeric()
        if "measured" in numbers:
            assert numbers["right"] == pytest.approx(numbers["measured"], rel=1e-9)
            assert numbers["paper"] != pytest.approx(numbers["measured"], rel=1e-2)


def test_a_small_step_evens_out_the_pairs():
    """ψ after one small step of descent, where Lemma 8 says that it falls."""
    t, theta = scalar(0.05), torch.tensor([0.9, 0.2, 0.1, -0.2, -40.0, -40.0], dtype=torch.float64)

    def psi(scores: torch.Tensor) -> float:
        ratios = (scores[0] - scores[1], scores[2] - scores[3])
        return max(abs(float(ratio)) for ratio in ratios)

    stepped = theta - 1e-4 * torch.func.grad(relation_loss)(theta, three_subjects(), t)
    assert psi(stepped) < psi(theta)


def test_each_hypothesis_of_lemma_8_is_needed():
    assert stages.lemma_8(0.0, 1, 0.05).conclusion
    assert not stages.lemma_8(0.1, 1, 0.05).conclusion
    assert not stages.lemma_8(0.0, 0, 0.05).conclusion


def test_algorithm_1_does_nothing_without_its_perturbation():
    measured = algorithm_1(0.0, 8).measured
    assert measured["|v1+v2-v3-v4| after stage 2"] < 1e-9
