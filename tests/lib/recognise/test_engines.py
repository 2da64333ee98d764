"""Three engines, one training: the direct model, its Gram dynamics and the orbit reduction."""

import math
from itertools import pairwise

import pytest
import torch

from lib.integrate import adaptive_start, adaptive_step
from lib.recognise import gram, model, orbit
from lib.recognise.task import class_counts, distinct_words_needed, draw
from tests.lib.recognise import initial

COUNTS = (3, 1, 2, 1)


def number(value):
    return torch.tensor(float(value), dtype=torch.float64)


def small(distinct=True, counts=COUNTS, length=5):
    generator = torch.Generator().manual_seed(1)
    data = draw(counts, length, generator, vocabulary=None if distinct else 9, distinct=distinct)
    weights = model.initial_weights(16, 8, data.vocabulary, 0.3, 0.3, generator)
    layer = torch.sign(torch.randn(8, dtype=torch.float64, generator=generator))
    return data, weights, layer


def integrate(slope, state, end, tolerance=1e-11):
    going = adaptive_start(state, number(1e-4))
    for _ in range(20000):
        going, done = adaptive_step(slope, going, number(end), tolerance, tolerance)
        if bool(done):
            return going.state
    raise AssertionError("the integration did not end")


@pytest.mark.parametrize("distinct", [True, False])
def test_the_closed_gradients_of_appendix_b_are_autograds(distinct):
    data, weights, layer = small(distinct)
    for ours, right in zip(
        gram.descent(weights, layer, data), model.descent_by_autograd(weights, layer, data), strict=True
    ):
        torch.testing.assert_close(ours, right, rtol=1e-11, atol=1e-14)


@pytest.mark.parametrize("distinct", [True, False])
def test_gram_descent_is_the_weights_descent(distinct):
    data, weights, layer = small(distinct)
    state, square = gram.grams(weights, layer), layer @ layer
    for _ in range(200):
        moved = model.descent_by_autograd(weights, layer, data)
        weights = model.Weights(*(w + 0.05 * v for w, v in zip(weights, moved, strict=True)))
        state = gram.step(state, data, number(16), square, number(0.05))
    for ours, right in zip(state, gram.grams(weights, layer), strict=True):
        assert float((ours - right).abs().max() / right.abs().max()) < 1e-10


def test_the_flow_is_the_limit_of_descent():
    data, weights, layer = small()
    first, square = gram.grams(weights, layer), layer @ layer
    words, end, table = data.vocabulary, 0.5, []
    for level in range(6):
        state, steps = first, 16 * 2**level
        for _ in range(steps):
            state = gram.step(state, data, number(16), square, number(end / steps))
        table.append(gram.pack(state))
    for order in range(1, 6):
        table = [b + (b - a) / (2**order - 1) for a, b in pairwise(table)]
    flow = integrate(
        lambda x: gram.pack(gram.flow(gram.unpack(x, words), data, number(16), square)), gram.pack(first), end
    )
    assert float((flow - table[0]).abs().max() / flow.abs().max()) < 1e-8


def test_the_flow_keeps_its_invariants():
    data, weights, layer = small()
    state, square = gram.grams(weights, layer), layer @ layer
    words = data.vocabulary
    end = integrate(
        lambda x: gram.pack(gram.flow(gram.unpack(x, words), data, number(16), square)), gram.pack(state), 2
    )
    before, after = (
        torch.stack([x.key.trace() - x.query.trace(), x.size / square - x.value.trace()])
        for x in (state, gram.unpack(end, words))
    )
    torch.testing.assert_close(after, before, rtol=1e-9, atol=1e-9)


def orbit_pair(counts, length):
    data = draw(counts, length, torch.Generator().manual_seed(3))
    dense = initial.expected(data.vocabulary, 1.3, 0.7)
    reduced = orbit.start(number(1.3), number(0.7))
    sizes = orbit.Sizes(torch.tensor(counts, dtype=torch.float64), number(length), number(50), number(4))
    return data, dense, reduced, sizes


@pytest.mark.parametrize(("counts", "length"), [((3, 1, 2, 1), 4), ((2, 3, 1, 2), 6)])
def test_orbit_descent_is_gram_descent(counts, length):
    data, dense, reduced, sizes = orbit_pair(counts, length)
    for _ in range(150):
        dense = gram.step(dense, data, number(50), number(4), number(0.02))
        reduced = orbit.step(reduced, sizes, number(0.02))
    direct = gram.outputs(dense, data, number(50))
    torch.testing.assert_close(orbit.outputs(reduced, sizes)[data.types], direct, rtol=1e-10, atol=1e-12)
    torch.testing.assert_close(reduced.blocks.score[:3, :3], dense.score[:3, :3], rtol=1e-10, atol=1e-12)
    assert float(dense.score.abs().max()) > 1e-3  # attention has moved


def test_the_orbit_flow_is_the_gram_flow():
    data, dense, reduced, sizes = orbit_pair((2, 1, 2, 1), 5)
    words = data.vocabulary
    full = integrate(
        lambda x: gram.pack(gram.flow(gram.unpack(x, words), data, number(50), number(4))),
        gram.pack(dense),
        5,
        1e-10,
    )
    short = integrate(lambda x: orbit.pack(orbit.flow(orbit.unpack(x), sizes)), orbit.pack(reduced), 5, 1e-10)
    torch.testing.assert_close(
        orbit.unpack(short).blocks.output[:3], gram.unpack(full, words).output[:3], rtol=1e-7, atol=1e-8
    )


def test_wishart_grams_have_the_right_mean_and_shrink_to_the_expected_ones():
    drawn = initial.wishart(6, 10**6, 2.0, 3.0, torch.Generator().manual_seed(0))
    for ours, mean in zip(drawn, initial.expected(6, 2.0, 3.0), strict=True):
        assert float((ours - mean).abs().max()) < 6 * 3 / math.sqrt(10**6) * math.sqrt(2)


def test_bad_input_gets_one_clear_sentence():
    generator = torch.Generator().manual_seed(0)
    with pytest.raises(ValueError, match="add up to 1"):
        class_counts(60, (0.5, 0.2, 0.2, 0.2))
    with pytest.raises(ValueError, match="whole number of samples"):
        class_counts(7)
    needed = distinct_words_needed((30, 10, 10, 10), 5)
    with pytest.raises(ValueError, match=f"must be at least {needed}"):
        draw((30, 10, 10, 10), 5, generator, vocabulary=64)
    with pytest.raises(ValueError, match=r"width = 11: must be .* at least 12"):
        initial.wishart(6, 11, 1, 1, generator)
    with pytest.raises(ValueError, match="scale_attention = -1"):
        model.initial_weights(4, 4, 4, -1, 1, generator)
