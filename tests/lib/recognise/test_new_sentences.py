"""New sentences: margins of the separator against real ones, and both thresholds from both sides."""

import math

import pytest
import torch

from lib.recognise import new_sentences, orbit
from lib.recognise.separator import max_margin
from lib.recognise.task import class_counts, draw


def number(value):
    return torch.tensor(float(value), dtype=torch.float64)


def at(samples, length):
    shares = torch.tensor([1 / 2, 1 / 6, 1 / 6, 1 / 6], dtype=torch.float64)
    return new_sentences.margins(max_margin(samples * shares, number(length)), number(length))


def test_the_separator_of_real_sets_is_the_closed_form_where_words_are_distinct():
    sets = [draw(class_counts(24), 5, torch.Generator().manual_seed(seed)) for seed in range(2)]
    goal = max_margin(torch.tensor([12.0, 4, 4, 4], dtype=torch.float64), number(5))
    for g in new_sentences.separators(sets):
        torch.testing.assert_close(g[:3], goal.signals, rtol=0, atol=1e-4)


def test_margins_are_those_of_real_sentences():
    counts, length = class_counts(24), 5
    data = draw(counts, length, torch.Generator().manual_seed(0))
    (g,) = new_sentences.separators([data])
    goal = at(24, length)
    irrelevant = g[3:]
    for kind, (held, label) in enumerate((((0, 1, 2), 1), ((0, 2), -1), ((1, 2), -1), ((2,), -1))):
        signals = label * float(g[list(held)].sum())
        against = torch.sort(label * irrelevant).values[: length - len(held)].sum()
        assert float(goal.unseen[kind]) == pytest.approx(signals, abs=1e-4)
        assert float(goal.recombined[kind]) == pytest.approx(signals + float(against), abs=1e-3)


@pytest.mark.parametrize("length", [4, 5, 6, 10, 25])
def test_both_thresholds_are_sharp(length):
    unseen, everything = new_sentences.samples_needed(length)
    for threshold, field in ((unseen, 0), (everything, 1)):
        below, above = (float(at(threshold * factor, length)[field].min()) for factor in (0.999, 1.001))
        assert below < 0 < above
        assert abs(below) < 0.01


def test_forgetting_leaves_the_sum_of_the_signals():
    sizes = orbit.Sizes(torch.tensor([3.0, 1, 1, 1]).double(), number(5), number(50), number(4))
    state = orbit.start(number(1.3), number(0.7))
    for _ in range(100):
        state = orbit.step(state, sizes, number(0.02))
    state = state._replace(
        blocks=state.blocks._replace(score=0 * state.blocks.score), scalars=0 * state.scalars
    )
    g = state.blocks.output[:3]
    wanted = torch.stack([g.sum(), g[0] + g[2], g[1] + g[2], g[2]])
    torch.testing.assert_close(
        orbit.outputs(new_sentences.forget_irrelevant(state), sizes), wanted, rtol=1e-10, atol=1e-12
    )


def test_what_cannot_be_separated_is_said():
    data = draw((1, 1, 1, 1), 4, torch.Generator().manual_seed(0))
    same = data._replace(words=data.words[:1].expand(4, -1), vocabulary=data.vocabulary)
    with pytest.raises(ValueError, match="separable"):
        new_sentences.separators([same], rounds=50)
    with pytest.raises(ValueError, match=r"length = 3"):
        new_sentences.samples_needed(3)
    assert math.isfinite(new_sentences.samples_needed(4)[1])
