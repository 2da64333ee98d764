"""Table 3 by hand: what leaks, weights written down, and the floor under linear logits."""

import math

import pytest
import torch

from book.acquire.experiments.hand_written import by_hand
from book.acquire.experiments.linear_floor import linear_floor
from book.acquire.experiments.proofs import leak_by_counting
from lib.acquire import architectures


def five(**over):
    values = {"embedding": "orthogonal", "context": True, "dtype": torch.float64, "seed": 1, **over}
    return architectures.task(12, 5, 3, 40, **values)


def test_leaked_share_is_the_mean_over_all_splits():
    assert leak_by_counting()


def test_weights_by_hand_approach_the_entropy_with_uniform_attention():
    known = five()
    with torch.no_grad():
        over = [
            float(architectures.losses(by_hand(known, size), known).mean()) - known.entropy
            for size in (20.0, 60.0, 180.0)
        ]
    assert over[0] > 10 * over[1] > 100 * over[2] > -1e-9


def test_the_floor_is_below_the_best_linear_logits_and_above_chance():
    generator = torch.Generator().manual_seed(0)
    subjects = torch.randn(40, 4, dtype=torch.float64, generator=generator)
    outputs, targets = 30, 3
    weight = torch.zeros(outputs, 4, dtype=torch.float64, requires_grad=True)
    rule = torch.optim.LBFGS([weight], max_iter=300, line_search_fn="strong_wolfe")

    def loss():
        rule.zero_grad()
        logits = subjects @ weight.T
        value = (torch.logsumexp(logits, 1) - logits[:, :targets].mean(1)).mean()
        value.backward()
        return value

    rule.step(loss)
    best = float(loss().detach())
    floor = linear_floor(subjects, outputs, targets)
    assert math.log(targets) + 0.3 < floor < best < math.log(outputs)


def test_few_subjects_have_no_floor():
    with pytest.raises(ValueError, match="0 must be inside the hull of their 3 embeddings"):
        linear_floor(torch.eye(3, 4, dtype=torch.float64), 30, 3)
