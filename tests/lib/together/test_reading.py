"""Detector and memory as one model: the step is the papers' own, and descent on the loss that it says."""

from __future__ import annotations

import pytest
import torch

from lib.recognise import orbit
from lib.recognise.setting import scaled, setting
from lib.together import reading

ONE = torch.ones((), dtype=torch.float64)
SIZES, KAPPA = scaled(setting(), ONE)


def test_with_names_alike_and_labels_the_detector_takes_yangs_steps():
    told = reading.Teaching(ONE, 4 * ONE, ONE, 0 * ONE)
    now = reading.Reader(orbit.start(KAPPA, ONE), reading.start(0 * ONE))
    theirs, rates = now.detector, torch.tensor([0.5, 0.2], dtype=torch.float64)
    for _ in range(12):
        frozen = rates * torch.tensor([1.0, 0.0], dtype=torch.float64)
        now = reading.descend(now, SIZES, told, frozen)
        theirs = orbit.step(theirs, SIZES, rates[0])
    assert torch.allclose(orbit.pack(now.detector), orbit.pack(theirs), atol=1e-13)


def test_one_wording_of_four_leaves_the_others_as_they_are():
    told = reading.Teaching(ONE, ONE, 0 * ONE, ONE)
    begun = reading.Reader(orbit.start(KAPPA, ONE), reading.start(ONE))
    after = reading.descend(begun, SIZES, told, torch.tensor([0.5, 0.2], dtype=torch.float64))
    still = (after.features == begun.features).all(-1).all(-1).tolist()
    assert still == [False] * 3 + [False, True, True, True] * 2


def test_answers_are_a_mixture_over_names():
    told = reading.Teaching(ONE, 2 * ONE, 0 * ONE, 0 * ONE)
    features = torch.randn(11, 3, 8, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    memory = reading.over_wordings(torch.exp(reading.recalled(features, told)), told)
    assert torch.allclose(memory.sum(-1), torch.ones(3, 2, dtype=torch.float64))
    sure = reading.answered(torch.tensor([50.0, -50.0, 50.0, -50.0], dtype=torch.float64), memory)
    assert sure[0, 1] == pytest.approx(float(memory[1, 0, 1]))
    assert sure[1, 1] == pytest.approx(float(memory[1, 1, 2]))
    assert sure[2, 1] == pytest.approx(float(memory[1, 0, 2]))
