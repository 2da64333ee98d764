"""Recognise as reading: the step against the papers' own, the growth at the tie, the symmetry, the stored table."""

from __future__ import annotations

import math

import pytest
import torch

from book.together.experiments import reading as experiment
from book.together.reading import figure as demo
from book.together.reading.program import KAPPA, SHARES, SIZES, growth, reading_together
from book.together.reading.statements import answers_only
from book.together.reading.table import WORDS, runs, ways
from book.together.reading.worth import loss, worth
from lib.program import run, run_many
from lib.together import reading
from tests.captions import texts_of


def test_the_sentences_are_apart_when_the_growth_at_the_tie_says():
    report = run(reading_together(), tie_steps=200, steps=170).report
    assert float(report.tie_loss) == pytest.approx(math.log(2), abs=0.01)
    assert float(report.measured_escape) == pytest.approx(float(report.predicted_escape), rel=0.1)


def test_the_growth_at_the_tie_is_the_steps_own_largest_factor():
    """The linearised step by automatic differentiation; the closed form has both answers at ½, where they end."""
    number = torch.tensor(1.0, dtype=torch.float64)
    told = reading.Teaching(number, 2 * number, 0 * number, 0 * number)
    rates = torch.tensor([0.5, 0.25], dtype=torch.float64)
    now = reading.Reader(reading.orbit.start(KAPPA, number), reading.start(3 * number))
    for _ in range(250):
        now = reading.descend(now, SIZES, told, rates)

    def after(output: torch.Tensor, apart: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        blocks = now.detector.blocks._replace(output=output)
        features = now.features + torch.cat([0 * now.features[:3], apart, -apart])
        moved = reading.descend(
            reading.Reader(now.detector._replace(blocks=blocks), features), SIZES, told, rates
        )
        names = moved.features[3:]
        return moved.detector.blocks.output, (names[:4] - names[4:]) / 2

    x = (torch.tensor([1.0, 1.0, 0, 0, 0, 0, 0], dtype=torch.float64), torch.zeros(4, 3, 8).double())
    zero = (torch.zeros_like(x[0]), torch.zeros_like(x[1]))
    for _ in range(160):
        x = torch.func.jvp(after, zero, x)[1]
        norm = torch.sqrt(x[0].square().sum() + x[1].square().sum())
        x = (x[0] / norm, x[1] / norm)
    p = run(reading_together(), multiplicity=2, tie_steps=0, steps=0).parameters
    assert float(norm) - 1 == pytest.approx(float(growth(now.features, p)), rel=0.06)


def test_the_opposite_start_ends_with_exchanged_names():
    """The exchange of names and of F's sign, which no answer shows, at a whole run."""
    number = torch.tensor(1.0, dtype=torch.float64)
    told = reading.Teaching(number, number, 0 * number, 0 * number)
    rates = torch.tensor([0.5, 0.25], dtype=torch.float64)
    features = reading.start(number)
    features = features + 0.01 * torch.sin(torch.arange(features.numel())).reshape(features.shape)
    start = reading.orbit.start(KAPPA, number)
    ends = []
    for sign in (1, -1):
        names = features[3:].reshape(2, 4, 3, 8)
        mine = torch.cat([features[:3], (names if sign > 0 else names.flip(0)).reshape(8, 3, 8)])
        output = sign * 0.1 * torch.arange(7, dtype=torch.float64)
        now = reading.Reader(start._replace(blocks=start.blocks._replace(output=output)), mine)
        for _ in range(60):
            now = reading.descend(now, SIZES, told, rates)
        ends.append(now)
    one, other = ends
    assert torch.allclose(one.detector.blocks.output, -other.detector.blocks.output, atol=1e-12)
    assert torch.allclose(one.features[3:7], other.features[7:], atol=1e-12)


def test_without_a_push_nothing_leaves_the_tie():
    report = run(reading_together(), perturbation_radius=0, steps=60, tie_steps=60).report
    assert float(report.named) == pytest.approx(0.5, abs=1e-12)
    assert float(report.loss) >= math.log(2)


def test_labels_let_detection_come_first_and_statements_recall():
    told = run_many(reading_together(), [{"labels": 1.0, "steps": 120}, {"statements": 1.0, "steps": 120}])
    assert float(told.lag[0]) > 0 > float(told.lag[1])
    assert (told.named > 0.75).all()


def test_an_answer_is_worth_a_label_at_most():
    found = worth(seed=3)
    assert found.off < 1e-12
    assert found.exchanged < 1e-12
    assert found.ratio <= 1
    assert found.blind >= math.log(2) > 0.1 > worth(told=1).blind


def test_the_stored_runs_are_ten_of_each_way_and_say_what_the_page_says():
    table = ways().set_index("told")
    assert list(table.index) == list(WORDS.values())
    assert {len(runs(way)) for way in experiment.WAYS} == {experiment.SEEDS}
    assert (runs("labels").detects < runs("labels").recalls).all()
    for way in ("statements", "answers"):
        assert (runs(way).recalls < runs(way).detects).all()
    assert (runs("stored, answers").detects - runs("stored, labels").detects).abs().max() <= 1
    for way, right in (("answers", 1), ("statements, a tenth", 9), ("statements, a hundredth", 2)):
        assert table.named[WORDS[way]].startswith(f"{right} of 10 ")
    assert math.inf in set(runs("statements, a tenth").detects)


def test_the_full_models_first_steps_are_the_stored_ones():
    few = experiment.reading("labels", 2, steps=60)
    stored = runs("labels")
    assert [row["detects"] for row in few] == stored.detects[:2].tolist()
    assert [row["recalls"] for row in few] == stored.recalls[:2].tolist()


def test_an_unknown_way_is_named():
    with pytest.raises(ValueError, match="way = 'hints': must be one of stored, answers;"):
        runs("hints")
    with pytest.raises(ValueError, match="way = 'hints': must be one of stored, answers;"):
        experiment.reading("hints", 1)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"perturbation_radius": 0.0, "steps": 20}, "Nothing tells the two code words apart"),
        ({"steps": 20}, "Still at the tie"),
        ({"seed": 1, "perturbation_radius": 0.1, "steps": 320}, "the two code words have changed places"),
        ({"labels": 1.0, "steps": 120}, "Reading comes first"),
        ({"statements": 1.0, "steps": 120}, "Recalling comes first"),
    ],
)
def test_the_caption_says_what_happened(settings, words):
    result = run(reading_together(), **settings)
    seen = result.report._asdict() | answers_only.judge(result.report, result.parameters)
    report = type("Report", (), seen)
    case = next(
        case
        for case, condition in demo.CAPTION.items()
        if condition is None or bool(condition(report, result.parameters))
    )
    assert words in texts_of("book/together/reading")[case]


def test_the_worth_of_an_answer_is_exact_where_probabilities_underflow():
    found = worth(size=9.0, seed=82430)
    assert found.off < 1e-12
    assert worth(size=30.0, temperature=0.1).off < 1e-9


def test_its_loss_is_that_of_the_page():
    outputs, features = (
        torch.linspace(-1, 1, 4, dtype=torch.float64),
        30 * reading.start(torch.zeros((), dtype=torch.float64)),
    )
    one, none = torch.ones((), dtype=torch.float64), torch.zeros((), dtype=torch.float64)
    how = reading.Teaching(one, 4 * one, none, none)
    assert float(loss(outputs, features, how)) == pytest.approx(
        float(reading.loss(outputs, features, SHARES, how)), rel=1e-12
    )
