"""The learned memory: what is stated, the step against autograd, what it comes to store."""

from __future__ import annotations

import math

import pytest
import torch

from lib.together import memory
from lib.together.memory import ANSWERS, FACTS, FIRST, SUBJECTS, WORDINGS, WORDS


def number(value: float) -> torch.Tensor:
    return torch.tensor(float(value), dtype=torch.float64)


def world(seed=0, phrases=4, multiplicity=4, missing=0.0, wrong=0.0):
    return memory.world(*map(number, (seed, phrases, multiplicity, missing, wrong)))


def test_each_fact_is_stated_in_k_of_r_wordings_as_it_is():
    known = world(phrases=3, multiplicity=2)
    stated = known.weight > 0
    assert float(known.weight.sum()) == pytest.approx(1)
    assert (stated.sum((2, 3)) == 2).all()
    assert not stated[..., 3].any()  # there is no fourth wording
    for relation, images in enumerate(ANSWERS.tolist()):
        for subject, answer in enumerate(images):
            assert stated[subject, relation].any(1).nonzero().flatten().tolist() == [answer]


def test_missing_facts_are_not_stated_and_wrong_ones_with_the_next_answer():
    known = world(missing=4 / FACTS, wrong=3 / FACTS)
    stated = known.weight.sum((2, 3)) > 0
    assert int((~stated).sum()) == 4
    assert int(known.right.sum()) == FACTS - 7
    for relation, images in enumerate(ANSWERS.tolist()):
        for subject, answer in enumerate(images):
            said = known.weight[subject, relation].sum(1).nonzero().flatten().tolist()
            if stated[subject, relation]:
                right = bool(known.right[subject, relation])
                assert said == [answer if right else (answer + 1) % SUBJECTS]


def test_the_missing_facts_of_a_share_are_among_those_of_a_larger_one():
    few, many = (world(missing=share).weight.sum((2, 3)) == 0 for share in (2 / FACTS, 5 / FACTS))
    assert (many | ~few).all()


def test_with_all_facts_missing_nothing_is_stated_and_nothing_is_nan():
    known = world(missing=1.0)
    wanted = memory.targets(known)
    features, seen = memory.descend(memory.start(number(0)), known, wanted, 2.0)
    assert not known.weight.any()
    assert torch.equal(features, memory.start(number(0)))
    assert (float(seen.loss), float(seen.lead), seen.stored.tolist()) == (0, 0, [0, 0, 0])
    assert float(memory.least_loss(wanted)) == 0


@pytest.mark.parametrize(
    ("phrases", "multiplicity", "complaint"),
    [
        (3, 4, "multiplicity = 4: must be at most phrases = 3"),
        (5, 1, "phrases = 5: must be a whole number from 1 to 4"),
        (4, 0, "multiplicity = 0: must be a whole number"),
    ],
)
def test_bad_numbers_of_wordings_are_named(phrases, multiplicity, complaint):
    with pytest.raises(ValueError, match=complaint):
        memory.check(phrases, multiplicity)


def loss_by_hand(features, known):
    """Statement by statement."""
    total = number(0)
    for s, r, a, i in known.weight.nonzero().tolist():
        subject, answer, wording = s, SUBJECTS + a, FIRST + r * WORDINGS + i
        for one, two, third in (
            (subject, wording, answer),
            (subject, answer, wording),
            (answer, wording, subject),
        ):
            scores = ((features[one] + features[two]) ** 2).mean(-1)
            total = total - known.weight[s, r, a, i] / 3 * torch.log_softmax(scores, 0)[third]
    return total


def test_a_step_is_the_gradients_of_the_loss_by_hand():
    known = world(seed=3, multiplicity=2, missing=2 / FACTS, wrong=2 / FACTS)
    features = memory.start(number(3))
    moved, seen = memory.descend(features, known, memory.targets(known), 2.0)
    gradient, loss = torch.func.grad_and_value(loss_by_hand)(features, known)
    assert float(seen.loss) == pytest.approx(float(loss), abs=1e-12)
    assert torch.allclose(moved, features - 2 * memory.NEURONS * known.stated * gradient, atol=1e-13)


def test_the_least_loss_is_what_is_chance():
    """Four wordings of two relations join a subject and an answer; the other two orders leave no choice."""
    assert float(memory.least_loss(memory.targets(world()))) == pytest.approx(math.log(8) / 3)


def trained(known, steps=300):
    features, wanted = memory.start(number(0)), memory.targets(known)
    for _ in range(steps):
        features, seen = memory.descend(features, known, wanted, 2.0)
    return features, seen, memory.least_loss(wanted)


def test_training_stores_every_statement():
    features, seen, least = trained(world())
    assert seen.stored.tolist() == pytest.approx([1, 1, 1])
    assert 0 < float(seen.loss - least) < 0.02
    forms = memory.forms(features)
    assert forms.shape == (memory.WORDED, FIRST + 1, FIRST + 1)
    assert torch.allclose(forms, forms.transpose(1, 2))


def test_a_pairs_score_is_the_quadratic_form():
    features = memory.start(number(1))
    direct = ((features[0] + features[SUBJECTS + 1]) ** 2).mean(-1)[FIRST:WORDS]
    h = torch.zeros(FIRST + 1, dtype=torch.float64)
    h[[0, SUBJECTS + 1]] = 1
    assert torch.allclose(torch.einsum("x,yxz,z->y", h, memory.forms(features), h), direct, atol=1e-14)
