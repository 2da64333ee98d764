"""The paper's experiment in miniature: what a row says, and descent and flow against the transformer as printed."""

import pytest
import torch

from book.recognise.experiments.agreement import agreement
from book.recognise.experiments.figure_1 import stiffness, trained
from book.recognise.experiments.paper_model import (
    DEFAULT,
    READINGS,
    ExperimentSizes,
    Trial,
    initial_weights,
    trial,
)
from book.recognise.experiments.training import descent, looks
from book.recognise.figure_1 import program as figure_1
from lib.program import parameters, run
from lib.recognise import gram, model
from lib.recognise.task import class_counts, draw

SMALL = ExperimentSizes(samples=12, length=4, words=12, neurons=16, tested=24, unseen=9)


@pytest.mark.parametrize("words", ["drawn", "distinct"])
@pytest.mark.parametrize("method", ["descent", "flow"])
def test_there_is_a_row_for_each_look(method, words):
    rows = trained(reading=DEFAULT, method=method, words=words, learned=1, seed=0, epochs=100, sizes=SMALL)
    assert [row["epoch"] for row in rows] == looks(100)
    for row in rows:
        shares = [6 / 12, 2 / 12, 2 / 12, 2 / 12]
        assert row["loss"] == pytest.approx(sum(s * row[f"loss_{k + 1}"] for k, s in enumerate(shares)))
        assert ("unseen_loss" in row) == (words == "distinct")
    assert rows[-1]["loss"] < rows[0]["loss"]


def test_looks_rise_and_hold_both_ends():
    for epochs in (0, 1, 7, 30_000):
        at = looks(epochs)
        assert at == sorted(set(at))
        assert (at[0], at[-1]) == (0, epochs)


def test_frozen_attention_does_not_move():
    first, *_, last = trained(
        reading=DEFAULT, method="flow", words="drawn", learned=0, seed=0, epochs=1000, sizes=SMALL
    )
    for key in range(1, 4):
        for query in range(1, 4):
            assert last[f"s{key}{query}"] == first[f"s{key}{query}"]
    assert last["loss"] < first["loss"]


@pytest.mark.parametrize("reading", READINGS)
def test_every_reading_has_its_scales(reading):
    law, layer = READINGS[reading]
    weights, a = initial_weights(READINGS[reading], 64, torch.Generator().manual_seed(0))
    spread = 2 if law == "normal" else 1 / 3
    assert float(weights.value.var()) == pytest.approx(spread / 64, rel=0.1)
    assert float(weights.neurons.var()) == pytest.approx(spread / 128, rel=0.1)
    if layer != "law":
        assert len(set(a.abs().tolist())) == 1


def test_agreement_with_the_printed_transformer():
    (row,) = agreement(DEFAULT, 0, epochs=500, sizes=SMALL)
    assert row["apart"] < 1e-11
    assert row["moved"] > 1e-3


def test_bad_input_gets_one_clear_sentence():
    with pytest.raises(ValueError, match="reading = 'xavier': must be one of normal"):
        trial("xavier", 0)
    with pytest.raises(ValueError, match="words = 'few': must be drawn or distinct"):
        trial(DEFAULT, 0, "few")
    with pytest.raises(ValueError, match="method = 'descent'"):
        trained(reading=DEFAULT, method="descent", words="drawn", learned=0, seed=0, epochs=1)
    start = trial("normal, a = ±1", 0)
    with pytest.raises(ValueError, match=r"rate = 1000.*diverges before epoch"):
        list(descent(start, [200], rate=1000.0))


def test_stiffness_is_the_curvature_of_the_loss():
    generator = torch.Generator().manual_seed(0)
    data = draw(class_counts(6), 4, generator)
    weights = model.initial_weights(4000, 8, data.vocabulary, 1e-9, 0.02, generator)
    layer = torch.sign(torch.randn(8, dtype=torch.float64, generator=generator))
    start = Trial(
        data=data,
        test=data,
        unseen=None,
        weights=weights,
        output_layer=layer,
        start=gram.grams(weights, layer),
        layer=layer @ layer,
        width=torch.tensor(4000.0, dtype=torch.float64),
    )

    def loss(value):
        return model.loss(weights._replace(value=value), layer, data)

    vector = torch.randn(weights.value.shape, dtype=torch.float64, generator=generator)
    for _ in range(30):
        _, product = torch.autograd.functional.vhp(loss, weights.value, vector)
        top, vector = product.norm(), product / product.norm()
    assert stiffness(start, 1.0) == pytest.approx(float(top), rel=0.02)


def outcome(**over):
    return run(figure_1.paper_run(), **over)


@pytest.mark.parametrize("reading", range(5))
def test_scales_are_those_of_real_weights(reading):
    name = list(READINGS)[reading]
    p = parameters(figure_1.paper_run(), {"reading": reading})
    generator = torch.Generator().manual_seed(0)
    drawn = [initial_weights(READINGS[name], 64, generator) for _ in range(40)]
    value = torch.stack([weights.value.square().sum(0).mean() for weights, _ in drawn]).mean()
    size = torch.stack([(weights.neurons.T @ layer).square().sum() for weights, layer in drawn]).mean()
    assert float(value / figure_1.value_gram(p)) == pytest.approx(1, abs=0.05)
    assert float(size / figure_1.pace(p)) == pytest.approx(1, abs=0.15)


def test_the_mean_start_is_stiff_as_its_kernel_says():
    report = outcome(random=0).report
    real = [stiffness(trial(DEFAULT, seed, "distinct"), 1.0) for seed in range(10)]
    assert float(report.stiffness) / 0.3 == pytest.approx(sum(real) / 10, rel=0.1)
