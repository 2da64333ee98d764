"""Stored, then looked up: the reduction against the full model, what statements say of runs, and bad settings."""

from __future__ import annotations

import math

import pytest
import torch

from book.together.stored.at_once import at_once
from book.together.stored.correlations import correlations
from book.together.stored.equal_attention import equal_attention
from book.together.stored.figure import CAPTION, figure
from book.together.stored.full_model import by_activation, lead, memory_loss, network, pushed, train, world_of
from book.together.stored.program import stored_then_looked_up
from book.together.stored.renaming import renamed
from book.together.stored.scene import with_statements
from book.together.stored.statements import stored_and_looked_up
from book.together.stored.sweeps import by_share
from lib.program import run, run_many
from lib.together import memory
from lib.together.memory import FACTS
from tests.captions import texts_of

SHORT = {"memory_steps": 30, "steps": 15}
SETTINGS = [
    {},
    {"multiplicity": 2, "phrases": 3, "missing": 2 / FACTS, "wrong": 1 / FACTS},
    {"multiplicity": 1, "temperature": 0.2},
]


@pytest.mark.parametrize("settings", SETTINGS)
def test_the_reduction_takes_the_full_models_steps(settings):
    """Embeddings, neurons and W^KQ by autograd: loss and attention at every step of all three stages."""
    reduced = run(stored_then_looked_up(), **settings, **SHORT)
    known, temperature = world_of(0, **settings), settings.get("temperature", 0.05)
    phrases = settings.get("phrases", 4)
    stored = train(network(0), known, SHORT["memory_steps"], (2.0, 0.0), temperature, phrases)
    least = memory.least_loss(memory.targets(known))
    assert torch.allclose(
        stored.memory_losses[1:-1] - least, reduced.histories[0].rows.excess[2:, 0], atol=1e-12
    )
    assert float(lead(stored.network, known)) == pytest.approx(float(reduced.report.lead), abs=1e-12)
    unit = temperature * float(reduced.report.lead) / 2
    net = stored.network
    for history in reduced.histories[1:]:
        tuned = train(net, known, SHORT["steps"], (0.0, 100 * temperature**2), unit, phrases)
        assert torch.allclose(tuned.attention, history.rows.weights, atol=1e-11)
        assert torch.allclose(tuned.losses, history.rows.loss[:, 0], atol=1e-11)
        assert float(tuned.named) == float(history.rows.named[-1, 0])
        net = pushed(tuned.network, 0)


def test_the_full_models_memory_is_the_reduced_ones_start():
    known = world_of(4)
    assert float(memory_loss(network(4), known)) == pytest.approx(
        float(
            memory.descend(memory.start(torch.tensor(4.0).double()), known, memory.targets(known), 0.0)[
                1
            ].loss
        )
    )


def test_the_defaults_do_as_the_constructed_memory():
    result = stored_and_looked_up()
    assert result.key == "holds"
    report = result.report
    assert float(report.probability) == pytest.approx(float(report.constructed_probability), abs=0.03)
    assert float(report.lesser) == pytest.approx(float(report.constructed_lesser), abs=0.02)
    assert abs(float(report.measured_escape - report.predicted_escape)) < 2
    assert float(report.named) > 28


def test_facts_stated_once_are_stored_and_not_looked_up():
    result = stored_and_looked_up(multiplicity=1)
    assert result.key == "outside"
    assert float(result.report.stored_least) == pytest.approx(1)
    assert float(result.report.named) < 24


def test_without_a_perturbation_the_tie_stays_above_log_2():
    report = run(stored_then_looked_up(), perturbation_radius=0).report
    assert float(report.between) < 1e-15
    assert float(report.loss) >= math.log(2)


def test_a_smaller_radius_delays_the_escape_by_the_same_steps_for_each_factor():
    program = stored_then_looked_up()
    many = run_many(program, [{"perturbation_radius": radius} for radius in (1e-3, 1e-5, 1e-7)])
    first, second = many.measured_escape.diff().tolist()
    assert abs(first - second) <= 1
    assert torch.allclose(many.lesser, many.lesser[:1].expand(3), atol=2e-3)


def test_missing_facts_take_the_way_out_of_the_tie_away():
    many = run_many(stored_then_looked_up(), [{"missing": k / FACTS} for k in (0, 2, 6)])
    assert (many.curvature.diff() > 0).all()
    assert float(many.between[2]) < 0.05 < float(many.between[0])


@pytest.mark.parametrize(
    "settings",
    [
        {"missing": 1.0},
        {"memory_steps": 0},
        {"multiplicity": 4, "phrases": 2},
        {"wrong": 1.0},
        {"missing": 17 / FACTS},
    ],
)
def test_settings_that_store_nothing_useful_give_numbers(settings):
    report = run(stored_then_looked_up(), **settings, steps=30).report
    for name, value in report._asdict().items():
        if not name.startswith(("predicted", "measured")):  # steps until what never comes are ∞
            assert value.isfinite().all(), name


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"multiplicity": 4, "phrases": 2}, "is more than R ="),
        ({"missing": 1.0}, "no fact is ever stated"),
        ({"memory_steps": 0}, "too few steps"),
        ({"missing": 17 / FACTS}, "determines the relation of no prompt"),
        ({"perturbation_radius": 0}, "Without a push"),
        ({"missing": 6 / FACTS}, "Nothing breaks the tie"),
        ({"temperature": 0.12}, "One pair takes all"),
        ({}, "with a memory written by hand"),
    ],
)
def test_the_caption_says_what_happened(settings, words):
    program = stored_then_looked_up()
    result = run(program, **settings)
    judged = stored_and_looked_up.judge(result.report, result.parameters)
    seen = result.report._asdict() | judged
    report = type("Report", (), seen)
    case = next(
        case
        for case, condition in CAPTION.items()
        if condition is None or bool(condition(report, result.parameters))
    )
    assert words in texts_of("book/together/stored")[case]


def test_no_memory_whatever_breaks_the_tie():
    for activation in ("square", "relu", "gelu"):
        assert equal_attention(0.05, activation=activation, seed=1).least >= math.log(2)
    assert equal_attention(0.01, tilt=0.4, constructed=1).least < 0.1


def test_a_symmetric_memory_takes_the_constructed_ones_steps():
    assert renamed(memory_steps=60, steps=30).apart < 1e-9
    assert renamed(memory_steps=60, steps=30, averaged=0).apart > 1e-3


def test_the_learned_correlations_are_the_constructed_ones_but_for_a_shift():
    means = correlations(seeds=2)
    assert means.own - means.other == pytest.approx(1, abs=1e-9)
    assert means.itself == pytest.approx(means.own, abs=0.01)
    assert means.two_subjects == pytest.approx(means.other, abs=0.01)
    assert means.spread < 0.15


def test_with_relu_attention_becomes_pairwise_too():
    means = by_activation("relu", seeds=1)
    assert means.tie > math.log(2) > means.loss
    assert means.completes > 0.98
    assert means.mismatch < 0.05 < means.between


def test_an_unknown_activation_is_named():
    with pytest.raises(ValueError, match="activation = 'cube': must be one of square, relu, gelu"):
        network(0, "cube")


def test_wrong_facts_do_more_harm_than_missing_ones():
    means = by_share(2 / FACTS)
    assert means.wrong < means.missing < means.complete


def test_trained_at_once_the_memory_comes_first():
    both = at_once(perturbation_radius=1e-4)
    assert both.stored < both.left < both.below < 600
    assert both.tied_loss > math.log(2)


def test_the_figure_reads_temperature_and_radius_after_the_memory():
    """The memory stays the same while these two sliders move."""
    kernels = {kernel["name"]: kernel for kernel in figure().figure.kernels}
    names = [entry["name"] for entry in figure().figure.spec["parameters"]]
    for kernel in ("start", "enter 0", "step 0", "watch"):
        read = {names[place] for place in kernels[kernel]["reads"]}
        assert not read & {"temperature", "perturbation_radius", "steps", "rate_1", "rate_2"}


def test_in_the_cold_the_memory_s_asymmetry_shows_inside_the_pairs():
    result = stored_and_looked_up(temperature=0.02, seed=0)
    assert result.key == "outside"
    assert float(result.report.mismatch) > 0.05


def test_the_squares_are_the_stated_sentences_and_fill_as_the_memory_learns():
    shown = run(with_statements(), multiplicity=2, missing=3 / FACTS, steps=2)
    completed = shown.histories[0].rows.completed
    stated = completed.isfinite()
    assert int(stated[0].sum()) == 2 * (FACTS - 3)
    assert float(completed[0][stated[0]].max()) < 0.1
    assert float(completed[-1][stated[0]].min()) > 0.5
    assert torch.equal(shown.histories[1].rows.completed[0][stated[0]], completed[-1][stated[0]]), (
        "it is frozen"
    )
