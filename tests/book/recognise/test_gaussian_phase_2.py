"""Phase 2 on the transformer itself: the flow is the model's, and what is read off a moment is what the weights do."""

import math

import pytest
import torch

from book.recognise import gaussian_flow, gaussian_phase_2
from book.recognise.gaussian_phase_2 import phase_2
from lib.recognise import gram, model
from lib.recognise.task import class_counts, draw
from tests.lib.recognise.test_engines import integrate, small

WIDTH, LAYER, LENGTH, SAMPLES = 24, 3.0, 5, 12


def flowing(weights, layer):
    return gaussian_flow.Flowing(weights.key.T, weights.query.T, weights.value.T, weights.neurons.T @ layer)


@pytest.mark.parametrize("distinct", [True, False])
def test_the_flow_from_any_weights_is_the_models(distinct):
    data, weights, layer = small(distinct)
    sizes = gaussian_flow.Sizes(16, float(layer @ layer))
    seen = gaussian_flow.samples(flowing(weights, layer), data, sizes.width)
    torch.testing.assert_close(seen.outputs, model.outputs(weights, layer, data))
    right = flowing(model.descent_by_autograd(weights, layer, data), layer)
    for ours, theirs in zip(gaussian_flow.flow(flowing(weights, layer), data, sizes), right, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-11, atol=1e-14)


def test_fewer_rows_than_the_width_has_do_for_the_same_training():
    data, weights, layer = small()
    state, sizes = flowing(weights, layer), gaussian_flow.Sizes(16, float(layer @ layer))
    pair = torch.linalg.qr(torch.cat([state.key, state.query]).T).R.T
    turned = state._replace(key=pair[: data.vocabulary], query=pair[data.vocabulary :])

    def end(begun):
        def slope(vector):
            return gaussian_flow.pack(gaussian_flow.flow(gaussian_flow.unpack(vector, begun), data, sizes))

        return gaussian_flow.unpack(integrate(slope, gaussian_flow.pack(begun), 2.0), begun)

    ends = end(state), end(turned)
    products = [torch.stack([each.key @ each.query.T, each.key @ each.key.T]) for each in ends]
    torch.testing.assert_close(*products, rtol=1e-8, atol=1e-10)
    torch.testing.assert_close(ends[0].value, ends[1].value, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("width", [5, 7, 1000])
def test_products_at_a_gaussian_start_have_their_means_and_variances_at_any_width(width):
    """Three words: from a width of 7 on rows are drawn that do for all of them."""
    sizes, count = gaussian_flow.Sizes(width, 4.0), 2000
    starts = [gaussian_flow.start(sizes, 3, 0.5, 0.3, seed) for seed in range(count)]
    square = torch.stack([start.key[0] @ start.key[0] for start in starts]) / (0.25 * width)
    cross = torch.stack([start.key[0] @ start.query[2] for start in starts]) / (0.25 * width)
    output = torch.stack([start.value[1] @ start.neurons for start in starts]) / (0.5 * 0.6 * width)
    size = torch.stack([start.neurons @ start.neurons for start in starts]) / (0.36 * width)
    for each, mean, variance in ((square, 1, 2), (cross, 0, 1), (output, 0, 1), (size, 1, 2)):
        assert float(each.mean()) == pytest.approx(mean, abs=4 * math.sqrt(variance / width / count))
        assert float(each.var()) == pytest.approx(variance / width, rel=0.25)


@pytest.fixture(scope="module")
def moment():
    """A run, one of its moments with weights of order 1, and its Grams."""
    data = draw(class_counts(SAMPLES), LENGTH, torch.Generator().manual_seed(2))
    sizes = gaussian_flow.Sizes(WIDTH, LAYER)
    state = gaussian_flow.start(sizes, data.vocabulary, 0.5, 0.4, seed=3)
    begun = state._replace(key=0.9 * state.key)
    run = gaussian_phase_2.Run(data, sizes, begun, pace=1.0, kappa=1.0)
    seen = gaussian_flow.samples(state, data, WIDTH)
    slope = gaussian_flow.flow(state, data, sizes)
    key, query, value, u = state
    grams = gram.Grams(key @ query.T, key @ key.T, query @ query.T, value @ value.T, value @ u, u @ u)
    return run, gaussian_phase_2.Moment(5.0, state, slope, seen, data.labels * seen.outputs), grams


def test_slopes_are_those_of_the_gram_dynamics(moment):
    run, here, grams = moment
    number = {name: torch.tensor(value, dtype=torch.float64) for name, value in (("m", 24.0), ("a", LAYER))}
    right = gram.flow(grams, run.data, number["m"], number["a"])
    torch.testing.assert_close(here.output_slopes, right.output)
    shown = gaussian_phase_2._shown(run, here)
    assert shown["least_rising"] * LAYER * here.loss == pytest.approx(float(right.size))
    assert shown["least_12"] * here.loss == pytest.approx(float(right.value[0, 1]))
    assert shown["least_23"] * here.loss == pytest.approx(-float(right.value[1, 2]))
    four = torch.stack([right.score[1, 0], right.score[0, 1], -right.score[2, 0], -right.score[2, 1]])
    unit = here.loss * math.log(5.0) / (math.sqrt(WIDTH) * LENGTH)
    assert shown["least_rate"] * unit == pytest.approx(float(four.min()))
    assert shown["rate"] * unit == pytest.approx(float(four.max()))


def test_slopes_of_attention_are_differences_of_it(moment):
    run, here, _ = moment
    step = 1e-6
    later = gaussian_flow.Flowing(*(x + step * v for x, v in zip(here.state, here.slope, strict=True)))
    rate = (gaussian_flow.samples(later, run.data, WIDTH).attention - here.seen.attention) / step
    turns = []
    for words, each in zip(run.data.words[run.data.types == 0], rate[run.data.types == 0], strict=True):
        place = [int((words == word).nonzero()) for word in range(3)]
        turns += [each[place[1], place[0]], each[place[0], place[1]]]
        turns += [-each[place[2], place[0]], -each[place[2], place[1]]]
    unit = here.loss * math.log(5.0) / (WIDTH * LENGTH**2)
    shown = gaussian_phase_2._shown(run, here)
    assert shown["least_turn"] * unit == pytest.approx(float(min(turns)), rel=1e-3)
    assert shown["turn"] * unit == pytest.approx(float(max(turns)), rel=1e-3)


def test_single_samples_are_right_later_the_larger_outputs_begin():
    """At τ = 40 the least margin of 60 samples is clear where s₀s₁ is a quarter, and not yet where it is 1."""
    quiet, loud = (phase_2(sigma_0=sigma_0, sigma_1=0.5, constant=40.0) for sigma_0 in (0.5, 2.0))
    assert quiet["least_margin"] > 0.1
    assert loud["least_margin"] < 0
    assert phase_2(sigma_0=2.0, sigma_1=0.5)["least_margin"] > 0.1
