"""The faithful model against token coordinates, step by step."""

import pytest
import torch

from lib.acquire import model, tokens
from lib.acquire.task import fact_weight, facts, sentences

SIZES = tokens.Sizes(subjects=4, phrases=3, neurons=3)
DIMENSION = 20
CONTEXT = 7.0


def start(gain: float, seed: int = 0) -> tuple[model.Vocabulary, model.Weights]:
    generator = torch.Generator().manual_seed(seed)
    words = model.vocabulary(SIZES, CONTEXT, DIMENSION, generator)
    weights = model.initial(SIZES, DIMENSION, 0.3, gain, generator)
    return words, weights._replace(
        scores=weights.scores.requires_grad_(), first_layer=weights.first_layer.requires_grad_()
    )


def apart(one: tokens.State, other: tokens.State) -> float:
    pairs = zip((one.features, *one.scores), (other.features, *other.scores), strict=True)
    return max(float((x - y).abs().max()) for x, y in pairs)


@pytest.mark.parametrize("reweighted", [True, False])
def test_pretraining_steps_agree_with_autograd(reweighted: bool) -> None:
    gain, rate = 2.5, 0.4
    words, weights = start(gain)
    known = facts(4, 3, 2, 0.5, seed=1)
    data = sentences(known, reweighted)
    share = fact_weight(known, float(reweighted))
    state = model.in_tokens(weights, words, SIZES)
    for _ in range(5):
        loss = model.pretraining_loss(weights, words, data, SIZES)
        acquired = tokens.acquire(state, known, data, SIZES, CONTEXT, share)
        ours = (acquired.follower + acquired.phrase + acquired.answer) / 3
        assert abs(float(loss.detach() - ours)) < 1e-12
        weights = model.step(weights, loss, rate)
        scale = gain**2 / SIZES.neurons
        state = tokens.moved(state, acquired.down, rate * scale, 1 / scale)
        assert apart(state, model.in_tokens(weights, words, SIZES)) < 1e-10


@pytest.mark.parametrize("residual", [1.0, 0.3, 0.0])
def test_fine_tuning_steps_agree_with_autograd(residual: float) -> None:
    gain, rate = 1.7, 0.6
    words, weights = start(gain)
    state = model.in_tokens(weights, words, SIZES)
    chosen = torch.tensor([1.0, 0.0, 1.0, 1.0], dtype=torch.float64)
    for _ in range(5):
        loss = model.question_loss(weights, words, [0, 2, 3], SIZES, residual)
        prompts = tokens.extract(state, chosen, SIZES, residual)
        assert abs(float(loss.detach() - prompts.loss)) < 1e-12
        weights = model.step(weights, loss, rate)
        scale = gain**2 / SIZES.neurons
        state = tokens.moved(state, prompts.down, rate * scale, 1 / scale)
        assert apart(state, model.in_tokens(weights, words, SIZES)) < 1e-10


def test_rank_one_is_the_best_approximation_on_embeddings() -> None:
    words, weights = start(2.0)
    state = model.in_tokens(weights, words, SIZES)
    prompts = tokens.extract(state, torch.tensor([1.0, 1.0, 0.0, 1.0], dtype=torch.float64), SIZES)
    loss = model.question_loss(weights, words, [0, 1, 3], SIZES)
    (gradient,) = torch.autograd.grad(loss, (weights.first_layer,))
    left, values, right = torch.linalg.svd(gradient.reshape(-1, DIMENSION), full_matrices=False)
    best = (values[0] * left[:, :1] @ right[:1]).reshape(gradient.shape)
    in_coordinates = torch.einsum("vkd,xd->xvk", -best, words.rows) * SIZES.neurons / 2.0
    ours = tokens.rank_one(prompts.down.features)
    assert float((ours - in_coordinates).abs().max()) < 1e-9 * float(ours.abs().max())


def test_memory_stays_bounded_by_chunks() -> None:
    known = facts(4, 3, 2, 0.5)
    data = sentences(known)
    _, weights = start(2.0)
    words, _ = start(2.0)
    state = model.in_tokens(weights, words, SIZES)
    whole = tokens.acquire(state, known, data, SIZES, CONTEXT, fact_weight(known))
    before, tokens.CHUNK = tokens.CHUNK, 1
    try:
        pieces = tokens.acquire(state, known, data, SIZES, CONTEXT, fact_weight(known))
    finally:
        tokens.CHUNK = before
    assert apart(whole.down, pieces.down) < 1e-14
    assert float((whole.attention_phrase - pieces.attention_phrase).abs().max()) < 1e-15


def test_too_few_dimensions_are_refused() -> None:
    with pytest.raises(ValueError, match="dimension = 3: must be at least 9"):
        model.vocabulary(SIZES, CONTEXT, 3, torch.Generator())
