"""The theorems outside their assumptions: the models, the rule of the verdict, the stored table and the live figure."""

from __future__ import annotations

import re

import pytest
import torch
from torch import Generator

from book.acquire.extract.statements import ALMOST
from book.acquire.filter.program import SHARE
from book.ledger import store
from book.together.cells import SIGNS, cells, in_words, of_cell, verdict, wilson
from book.together.experiments import relaxed_acquire, relaxed_recall, relaxed_recognise
from book.together.experiments.outside import NOT_APPLICABLE, RUNS, SEEDS, relaxed
from book.together.experiments.relaxations import DECAY, MOMENTUM, RELAXATIONS, Trainer
from book.together.outside import figure as demo
from book.together.outside import table
from book.together.outside.program import WITH_ADAM, WITH_DECAY, ruled
from book.together.relaxed import THEOREMS
from lib.acquire import model as acquire_model
from lib.program import run
from lib.recall import model as recall_model
from lib.recall.task import affine_family, all_prompts
from lib.recognise import model as recognise_model


def seeded(seed: int = 0) -> Generator:
    return Generator().manual_seed(seed)


def test_recalls_model_without_a_relaxation_takes_the_papers_steps():
    known, temperature, rate, steps = affine_family(3), 0.05, 0.3, 6
    start = (
        torch.linspace(-0.2, 0.2, 6, dtype=torch.float64),
        torch.linspace(0.1, -0.3, 7, dtype=torch.float64),
    )
    built = recall_model.build(known)
    theirs = recall_model.fine_tune(built, known, all_prompts(known), temperature, rate, steps, start)
    model = relaxed_recall.RelaxedRecall(known, "none", seeded())
    with torch.no_grad():
        model.scores[0, :6, 5], model.scores[0, :7, 6] = start
    course = relaxed_recall.Course(known, all_prompts(known), "none", seeded())
    course.train(model, relaxed_recall.Setting(3, 0, temperature, rate, rate, (steps, 0), 0.0, 0.1))
    torch.testing.assert_close(model.scores[0, :6, 5].detach(), theirs.parameters[0], rtol=0, atol=1e-12)
    torch.testing.assert_close(model.scores[0, :7, 6].detach(), theirs.parameters[1], rtol=0, atol=1e-12)


def test_acquires_model_without_a_relaxation_has_the_papers_loss():
    data = relaxed_acquire.draw("none", 3, seeded())
    model = relaxed_acquire.RelaxedAcquire("none", seeded())
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(300)  # from the start's small numbers to ones that matter
        model.scores.div_(100)
    weights = acquire_model.Weights(model.scores[0], model.features, model.gain)
    words = acquire_model.Vocabulary(model.words, relaxed_acquire.CONTEXT)
    theirs = acquire_model.pretraining_loss(weights, words, data.listed, relaxed_acquire.SIZES)
    losses, *_ = relaxed_acquire.prompt_losses(model, data, data.listed.weight, data.answers)
    assert float(losses.mean().detach()) == pytest.approx(float(theirs.detach()), rel=1e-12)
    assert float(theirs.detach()) > 1


def test_recognises_model_without_a_relaxation_is_equation_1():
    data = relaxed_recognise.draw_data("none", seeded())
    model = relaxed_recognise.RelaxedRecognise("none", data.unseen.vocabulary, seeded(1))
    weights = recognise_model.Weights(model.neurons, model.value, model.key, model.query)
    theirs = recognise_model.outputs(weights, model.layer, data.recombined)
    torch.testing.assert_close(model(data.recombined.words), theirs, rtol=0, atol=1e-12)


@pytest.mark.parametrize("relaxation", [name for name in RELAXATIONS if name != "none"])
def test_each_relaxation_changes_every_run_to_which_it_applies(relaxation):
    """After one step on the same seed something differs: the outputs, or the labels and weights behind them."""
    for paper in RUNS:
        if (paper, relaxation) not in NOT_APPLICABLE:
            ours, papers = (_after_two_steps(paper, name) for name in (relaxation, "none"))
            assert torch.isfinite(ours).all()
            assert ours.dtype != papers.dtype or not torch.equal(ours, papers), (paper, relaxation)


def _after_two_steps(paper: str, relaxation: str) -> torch.Tensor:
    return {"recall": _recall_after, "acquire": _acquire_after, "recognise": _recognise_after}[paper](
        relaxation
    )


def _recall_after(relaxation: str) -> torch.Tensor:
    setting = relaxed_recall.GENERAL._replace(steps=(2, 1), prompts=12)
    model = relaxed_recall.trained(setting, relaxation, 5)
    return model(recall_model.sequence(model.known, all_prompts(model.known))).detach()


def _acquire_after(relaxation: str) -> torch.Tensor:
    generator = seeded(5)
    data = relaxed_acquire.draw(relaxation, 5, generator)
    model = relaxed_acquire.RelaxedAcquire(relaxation, generator)
    relaxed_acquire.set_size(model, data)
    trainer = Trainer(relaxation, model.parameters(), 0.01)
    for _ in range(2):
        chosen = relaxed_acquire.batch(len(data.questions), relaxation, generator)
        trainer.step(relaxed_acquire.question_loss(model, data, chosen), 0.1)
    return model(data.questions)[0].detach()


def _recognise_after(relaxation: str) -> torch.Tensor:
    generator = seeded(5)
    data = relaxed_recognise.draw_data(relaxation, generator)
    model = relaxed_recognise.RelaxedRecognise(relaxation, data.unseen.vocabulary, generator)
    trainer = Trainer(relaxation, model.parameters(), 1e-3)
    labels = data.train.labels.to(model.neurons.dtype)
    for _ in range(2):
        chosen = relaxed_recognise.batch(len(labels), relaxation, generator)
        trainer.step((model(data.train.words[chosen]) * labels[chosen]).mean(), 1e-3)
    return model(data.train.words).detach()


def test_the_rules_of_descent_are_what_they_are_called():
    def after(relaxation: str) -> list[float]:
        x, places = torch.nn.Parameter(torch.ones((), dtype=torch.float64)), []
        trainer = Trainer(relaxation, [x], 0.5)
        for _ in range(2):
            trainer.step(x**2 / 2, 0.1)
            places.append(float(x.detach()))
        return places

    assert after("none") == pytest.approx([0.9, 0.81])
    mean = MOMENTUM + (1 - MOMENTUM) * 0.9
    assert after("momentum") == pytest.approx([0.9, 0.9 - 0.1 * mean])
    first = 0.9 * (1 - DECAY)
    assert after("decay") == pytest.approx([first, 0.9 * first * (1 - DECAY)])
    assert after("adam")[0] == pytest.approx(0.5)  # one whole rate, whatever the gradient's size


def test_the_thresholds_are_the_ledgers():
    assert (relaxed_acquire.ALMOST, relaxed_acquire.SHARE) == (ALMOST, SHARE)


def test_bad_names_are_refused_by_name():
    with pytest.raises(ValueError, match="paper = 'reverse': must be one of recognise, acquire, recall"):
        relaxed("reverse", "none", 0)
    with pytest.raises(ValueError, match="relaxation = 'cold': must be one of none, scale"):
        relaxed("recall", "cold", 0)
    with pytest.raises(ValueError, match="must apply to acquire, but ReLU is the activation"):
        relaxed("acquire", "relu", 0)
    with pytest.raises(ValueError, match="held = 11: must be from 0 to seeds = 10"):
        wilson(11, 10)
    with pytest.raises(ValueError, match=r"'recall.lemma-7', 'adam': must be one of recognise.theorem-3-1"):
        of_cell("recall.lemma-7", "adam")


def test_the_interval_is_wilsons():
    assert wilson(10, 10) == pytest.approx((0.722, 1.0), abs=5e-4)
    assert wilson(5, 10) == pytest.approx((0.237, 0.763), abs=5e-4)
    assert wilson(0, 10) == pytest.approx((0.0, 0.278), abs=5e-4)


def test_one_rule_gives_the_verdict():
    verdicts = [verdict(held, 10) for held in range(11)]
    assert verdicts == ["fails"] * 2 + ["weakened"] * 7 + ["holds"] * 2


def test_the_table_has_ten_seeds_in_every_cell_and_a_prediction_for_each():
    assert {cell.seeds for cell in cells().values()} == {SEEDS}
    assert set(table.predictions()) == set(cells())
    assert len(cells()) == 12 * len(RELAXATIONS) - 4 * len(NOT_APPLICABLE)


def test_in_the_papers_own_settings_every_theorem_holds():
    own = {id: cell.verdict for (id, relaxation), cell in cells().items() if relaxation == "none"}
    assert len(own) == 12
    assert set(own.values()) == {"holds"}


def test_a_square_says_sign_verdict_and_interval_and_leads_to_its_runs():
    shown, runs = table.picture().data, table.all_runs().data
    for paper in RUNS:
        for relaxation in RELAXATIONS:
            if (paper, relaxation) in NOT_APPLICABLE:
                assert f'aria-label="does not apply: {NOT_APPLICABLE[paper, relaxation]}"' in shown
            else:
                assert f'href="#{table.anchor(paper, relaxation)}"' in shown
                assert f'id="{table.anchor(paper, relaxation)}"' in runs
    for (statement, relaxation), cell in cells().items():
        chosen = table.place(statement, relaxation)
        assert shown.count(f'href="#{chosen}"') == shown.count(f'<section id="{chosen}">') == 1
        place = f"{THEOREMS[statement].claim}, {in_words(RELAXATIONS[relaxation])}"
        words = f"{place}: {cell.verdict}, {cell.held} of {cell.seeds}"
        (sign,) = re.findall(rf'aria-label="{re.escape(words)} [^>]*>(.)</a>', shown)
        assert sign == SIGNS[cell.verdict]


def test_the_picture_has_a_column_for_each_statement_and_the_papers_own_row_first():
    shown = table.picture().data
    assert shown.count('scope="col"') == len(THEOREMS) == len({id for id, _ in cells()})
    assert re.findall(r'scope="row"><abbr[^>]*>(.*?)</abbr>', shown)[0] == RELAXATIONS["none"].title
    assert "Theorem" not in table.summary().data


def test_the_picture_says_how_many_combinations_hold():
    given_up = [cell.verdict for (_, relaxation), cell in cells().items() if relaxation != "none"]
    words = f"<b>{given_up.count('holds')} of {len(given_up)} combinations still hold.</b>"
    assert words in table.picture().data


def test_what_the_page_counts_is_in_the_table():
    ranked = table.by_relaxation()
    assert (ranked[["holds", "weakened", "fails"]].sum(axis=1) >= 8).all()
    assert ranked.holds.is_monotonic_decreasing
    wrong = table.against_predictions()
    assert len(wrong) == sum(table.predictions()[key] != cell.verdict for key, cell in cells().items())
    assert {entry["id"] for entry in store.read().values()} >= {id for id, _ in cells()}


def test_a_finding_of_ours_is_called_by_what_it_says():
    (sheet,) = demo.figure().figure.spec["statements"]
    assert (sheet["name"], sheet["ground"]) == ("How long training stays", "a finding of ours")


def test_adam_hardly_waits_however_close_to_the_saddle_it_starts():
    waits = [
        float(run(ruled(), rule=WITH_ADAM, perturbation_radius=radius).report.measured_escape)
        for radius in (1e-3, 1e-6, 1e-9)
    ]
    plain = [
        float(run(ruled(), perturbation_radius=radius).report.measured_escape) for radius in (1e-3, 1e-9)
    ]
    assert max(waits) - min(waits) < 10
    assert plain[1] > 3 * plain[0]


def test_weight_decay_above_the_growth_holds_the_run_at_the_saddle():
    end = run(ruled(), rule=WITH_DECAY, decay=0.3, temperature=0.02).report
    assert float(end.growth) < 0
    assert float(end.measured_escape) == float("inf")
    assert float(end.end_loss) == pytest.approx(0.697, abs=1e-3)
