from typing import Any

import pytest
import torch

from book.acquire import tuned
from book.acquire.tuned import answers, chosen_facts, curve, sound, trained
from lib.acquire.task import Facts, facts, reached
from lib.acquire.tokens import Sizes, extract

SMALL: dict[str, Any] = {"subjects": 24, "phrases": 4, "multiplicity": 2, "seed": 1}


def hand_made() -> Facts:
    """Three facts over three phrases: fact 0 with phrases 0 and 2, fact 1 with 1, fact 2 with 2."""
    rank = torch.tensor([[0.0, 2, 1], [1, 0, 2], [1, 2, 0]], dtype=torch.float64)
    two = torch.tensor([2.0, 1, 1], dtype=torch.float64)
    return Facts(rank, two, two - 1, torch.zeros(3, dtype=torch.float64))


def test_pre_training_ends_near_the_entropy_with_o_filtered_out():
    model = trained(**SMALL)
    assert model.sound
    assert 0 < model.excess < 0.1
    assert model.relative < 0.05
    assert model.context < 1e-3


def test_a_run_whose_phrases_are_predicted_from_o_is_not_sound_though_its_loss_is_near():
    model = trained(72, 6, 2, 0)
    assert model.excess < tuned.NEAR
    assert model.context > 2 / (3 * model.sizes.dimension)
    assert not model.sound


def test_sound_skips_seeds_that_are_not_and_refuses_when_too_few_are(monkeypatch):
    monkeypatch.setattr(tuned, "trained", lambda seed, **_: trained(**SMALL)._replace(context=seed % 2))
    assert sound(3, subjects=24, share=0.5) == [0, 2, 4]
    monkeypatch.setattr(tuned, "trained", lambda seed, **_: trained(**SMALL)._replace(excess=1.0))
    with pytest.raises(ValueError, match="2 of 8 seeds"):
        sound(2)


def test_a_run_is_computed_once_however_it_is_asked_for():
    assert trained(24, 4, 2, 1) is trained(**SMALL, neurons=4)
    assert curve(24, 4, 2, 1, steps=3) is curve(steps=3, share=0.5, **SMALL)


def test_covering_chooses_frequent_facts_with_the_first_phrases_only():
    known = facts(48, 8, 2, 0.5, 0)
    chosen = chosen_facts(known, most=5)
    assert 0 < chosen.sum() < 24
    assert ((known.uses[:, 5:].sum(1) > 0) * chosen).sum() == 0
    assert (chosen * (1 - known.frequent)).sum() == 0
    left = (known.uses[:, 5:].sum(1) == 0) * known.frequent * (1 - chosen)
    assert left.sum() == 0
    half = chosen_facts(known, 0.5, most=5)
    assert half.sum() == torch.round(chosen.sum() / 2)
    assert (half * (1 - chosen)).sum() == 0


def test_answers_are_told_apart():
    known, sizes = hand_made(), Sizes(3, 3, 1)
    place = {"own": 1 + 3 + 2, "other": 1 + 3 + 0, "right": sizes.answers, "wrong": sizes.answers + 0}
    logits = torch.zeros(3, sizes.outputs, dtype=torch.float64)
    for fact, word in ((0, "right"), (1, "other"), (2, "own")):
        logits[fact, place[word]] = 1
    said = answers(logits, known, sizes)
    assert [x.tolist() for x in said] == [[1, 0, 0], [0, 0, 1], [0, 1, 0], [0, 0, 0]]
    logits[1, place["wrong"]] = 2
    assert answers(logits, known, sizes).wrong.tolist() == [0, 1, 0]


def test_a_fact_is_safe_when_each_of_its_phrases_is_covered():
    coverage = torch.tensor([3.0, 0, 1], dtype=torch.float64)
    assert reached(hand_made(), coverage).tolist() == [1, 0, 1]
    assert reached(hand_made(), coverage, 2).tolist() == [0, 0, 0]


def test_a_curve_counts_what_the_model_says():
    c, model = curve(**SMALL, steps=6), trained(**SMALL)
    unseen = c.chosen == 0
    assert torch.allclose(c.unseen, c.right[:, unseen].mean(1))
    assert torch.allclose(c.tuned, c.right[:, ~unseen].mean(1))
    assert ((c.unseen + c.own + c.other + c.wrong) <= 1 + 1e-12).all()
    now = extract(c.state, c.chosen, model.sizes)
    assert torch.equal(answers(now.logits, model.known, model.sizes).right, c.right[-1])
    assert c.unseen[c.best] == c.unseen.max()


@pytest.mark.parametrize("variant", tuned.VARIANTS)
def test_a_variant_moves_what_its_name_says(variant):
    c, model = curve(**SMALL, steps=2, variant=variant), trained(**SMALL)
    sizes, p = model.sizes, model.sizes.format
    change = c.state.features - model.state.features
    answer = slice(sizes.answers, sizes.answers + sizes.subjects)
    phrase = slice(1 + sizes.subjects, 1 + sizes.subjects + sizes.phrases)
    attention = c.state.scores.subject_format - model.state.scores.subject_format
    assert (change[p, answer].abs().max() == 0) == (variant in ("answers kept", "only subjects"))
    assert (change[p, phrase].abs().max() == 0) == (variant in ("phrases kept", "only subjects"))
    assert (change[:p].abs().max() == 0) == (variant == "only p")
    assert (attention.abs().max() == 0) == (variant == "attention frozen")


def test_rank_1_is_a_step_of_rank_1():
    model = trained(**SMALL)
    change = curve(**SMALL, steps=1, variant="rank 1").state.features - model.state.features
    values = torch.linalg.svdvals(change.reshape(len(change), -1))
    assert values[0] > 0.1
    assert values[1] < 1e-9 * values[0]


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="variant = 'half'"):
        curve(**SMALL, variant="half")
    with pytest.raises(ValueError, match="most = 0"):
        curve(**SMALL, most=0)
