"""Facts and sentences: drawn right, weighted right, and their entropy against enumeration."""

import math
from collections import defaultdict

import pytest
import torch

from lib.acquire import task


def test_frequent_facts_have_k_different_phrases_and_rare_ones_one() -> None:
    known = task.facts(10, 6, 4, 0.3, seed=3)
    assert known.uses.sum(1).tolist() == [4.0] * 3 + [1.0] * 7
    assert sorted(known.rank[0].tolist()) == [0, 1, 2, 3, 4, 5]


def test_more_phrases_of_a_fact_include_the_fewer() -> None:
    few, many = (task.facts(8, 6, k, 1.0, seed=2).uses for k in (2, 5))
    assert bool((few <= many).all())


def test_phrases_are_drawn_evenly() -> None:
    uses = torch.stack([task.facts(50, 5, 2, 1.0, seed=s).uses.mean(0) for s in range(40)]).mean(0)
    assert float((uses - 0.4).abs().max()) < 0.04


def test_every_fact_weighs_the_same_when_rare_ones_are_reweighted() -> None:
    known = task.facts(10, 6, 4, 0.5)
    even = task.sentences(known)
    plain = task.sentences(known, reweighted=False)
    assert float(even.weight.sum()) == pytest.approx(1)
    assert torch.allclose(
        torch.zeros(10, dtype=torch.float64).index_add(0, even.subject, even.weight),
        torch.tensor(0.1, dtype=torch.float64),
    )
    assert torch.allclose(plain.weight, plain.weight[0])


@pytest.mark.parametrize("reweighted", [True, False])
def test_slots_hold_the_same_sentences(reweighted: bool) -> None:
    known = task.facts(10, 6, 4, 0.5, seed=5)
    listed = task.sentences(known, reweighted)
    slots = task.slots(known, 5, 6, float(reweighted))
    assert slots.weight.shape == (5 * 6 + 5,)
    full = slots.weight > 0
    stated = sorted(zip(slots.subject[full].tolist(), slots.phrase[full].tolist(), strict=True))
    assert stated == list(zip(listed.subject.tolist(), listed.phrase.tolist(), strict=True))
    assert float(slots.weight.sum()) == pytest.approx(1)


@pytest.mark.parametrize("reweighted", [True, False])
def test_entropy_is_that_of_the_next_tokens(reweighted: bool) -> None:
    known = task.facts(12, 7, 3, 0.25, seed=1)
    listed = task.sentences(known, reweighted)
    mass: dict[tuple[int, ...], dict[int, float]] = defaultdict(lambda: defaultdict(float))
    for j, i, w in zip(*(x.tolist() for x in listed), strict=True):
        for prompt, following in (((), -1), ((j,), i), ((j, i), j)):
            mass[prompt][following] += w / 3
    expected = -sum(w * math.log(w / sum(after.values())) for after in mass.values() for w in after.values())
    assert float(task.entropy(known, float(reweighted))) == pytest.approx(expected)


def test_the_closed_forms_of_the_entropy() -> None:
    known = task.facts(20, 8, 4, 0.5)
    assert float(task.entropy(known)) == pytest.approx(0.5 * math.log(4) / 3)
    assert float(task.entropy(known, 0.0)) == pytest.approx(40 * math.log(4) / (40 + 10) / 3)
    assert task.three_token_entropy(5) == pytest.approx(0.8047, abs=5e-5)


def test_fine_tuning_takes_its_share_of_the_frequent_facts_only() -> None:
    known = task.facts(20, 8, 4, 0.5)
    for share, count in ((0.0, 0), (0.2, 2), (0.5, 5), (1.0, 10)):
        chosen = task.fine_tuned(known, torch.tensor(share, dtype=torch.float64))
        assert float(chosen.sum()) == count
        assert float((chosen * (1 - known.frequent)).sum()) == 0


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ((10, 4, 5, 0.5), "multiplicity = 5: must be at most phrases = 4"),
        ((10, 4, 2, 1.5), r"frequent_share = 1\.5: must be a finite number from 0 to 1"),
        ((10, 4, 2, 0.25), r"frequent_share = 0\.25: must make a whole number of subjects = 10"),
        ((1, 4, 2, 0.5), "subjects = 1: must be a whole number from 2"),
        ((10, 0, 1, 0.5), "phrases = 0: must be a whole number from 1"),
    ],
)
def test_bad_facts_are_refused(values: tuple[int, int, int, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        task.facts(*values)
