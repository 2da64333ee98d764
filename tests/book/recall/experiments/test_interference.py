"""A constructed memory scores a subject with its own answer and nothing else; a learned one scores more."""

from functools import partial

import pytest
import torch
from torch import Generator

from book.recall.experiments import pretraining
from book.recall.experiments.interference import interference
from lib.recall import model, task


def generator(seed: int = 0) -> Generator:
    return Generator().manual_seed(seed)


def test_a_constructed_memory_has_no_interference():
    known = task.affine_family(5)  # every subject has every answer equally often, so the means are even
    built = model.build(known, 2, generator())
    result = interference(pretraining.Network(*built[:3], built.W_KQ, "square"), known)
    assert float(result.signal) == pytest.approx(2 - 2 / 5)  # 2, less its mean over the relations
    assert float(result.two_subjects) == pytest.approx(0, abs=1e-9)
    assert float(result.two_answers) == pytest.approx(0, abs=1e-9)
    assert float(result.wrong_pair) == pytest.approx(0, abs=1e-9)


def test_a_learned_memory_does():
    known = task.random_bijections(4, 6, generator())
    network = pretraining.network(15, 7, "square", 96, generator(1))
    adam = partial(torch.optim.Adam, lr=1e-2)
    stored, _ = pretraining.pretrain(network, known, 1.0, adam, 300, generator(2))
    result = interference(stored, known)
    assert float(result.signal) > 2 * float(interference(network, known).signal)
    assert float(result.two_subjects) > 0.05 * float(result.signal)


def test_other_activations_are_refused():
    known = task.random_bijections(4, 6, generator())
    with pytest.raises(
        ValueError, match="activation = 'relu': must be square, or a score is no quadratic form"
    ):
        interference(pretraining.network(15, 7, "relu", 8, generator()), known)
