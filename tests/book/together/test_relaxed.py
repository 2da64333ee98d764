"""The live figures outside the assumptions: their models, and the cells of the table that they show."""

from __future__ import annotations

import functools
from typing import Any
from urllib.parse import parse_qsl

import pytest
import torch

from book.together.cells import address, cells, falling, settings
from book.together.experiments import relaxed_acquire as full_acquire
from book.together.experiments import relaxed_recall as full_recall
from book.together.experiments import relaxed_recognise as full_recognise
from book.together.experiments.relaxations import Trainer
from book.together.relaxed import ACQUIRE, COLD, MENUS, RECALL, RECOGNISE, THEOREMS
from book.together.relaxed_acquire import figure as acquire_figure
from book.together.relaxed_acquire import model as acquire_model
from book.together.relaxed_acquire import program as acquire_program
from book.together.relaxed_recall import figure as recall_figure
from book.together.relaxed_recall import program as recall_program
from book.together.relaxed_recognise import figure as recognise_figure
from book.together.relaxed_recognise import program as recognise_program
from book.together.relaxed_recognise.program import Word, kind_of
from lib.acquire.course import first_rate
from lib.program import parameters, run
from lib.recall.task import affine_family, all_prompts
from lib.recognise import task as recognise_task
from tests.book.test_agreement import report_of
from tests.figures import defaults
from tests.widgets.program import in_the_page
from widgets import Live
from widgets.figure.verdict import names

FIGURES = {
    "relaxed_recall": recall_figure,
    "relaxed_recognise": recognise_figure,
    "relaxed_acquire": acquire_figure,
}


@functools.cache
def demo_of(page: str) -> Live:
    return FIGURES[page].figure()


@pytest.mark.parametrize("relaxation", [name for name in RECALL if name != "noise"])
def test_recalls_figure_trains_the_full_model(relaxation):
    """One prompt and 73 numbers take the steps of all 36 prompts and all weights; wrong labels are a mean there."""
    temperature, rate, steps = 0.05, 0.3, 5
    start = torch.zeros(sum(recall_program.PARTS), dtype=torch.float64)
    start[:13] = torch.cat([torch.linspace(-0.2, 0.2, 6), torch.linspace(0.1, -0.3, 7)]).to(torch.float64)
    generator = torch.Generator().manual_seed(0)
    known = affine_family(3)
    model = full_recall.RelaxedRecall(known, relaxation, generator)
    with torch.no_grad():
        model.scores[0, :6, 5], model.scores[0, :7, 6] = start[:6], start[6:13]
    course = full_recall.Course(known, all_prompts(known), relaxation, generator)
    trainer = Trainer(relaxation, model.parameters(), full_recall.WARM_UP.adam)
    program = recall_program.relaxed_recall()
    p = parameters(
        program, {"relaxation": RECALL.index(relaxation), "temperature": temperature, "rate_1": rate}
    )
    state = program.start(p)._replace(x=start)
    for _ in range(steps):
        relation, answer = course.losses(model, temperature, torch.arange(36))
        trainer.step(relation + answer, rate * temperature**2)
        state, _ = program.stages[0].step(state, p)
    theirs = torch.cat([model.scores[0, :6, 5], model.scores[0, :7, 6]]).detach()
    torch.testing.assert_close(state.x[:13], theirs, rtol=0, atol=1e-10)
    moved = float((state.x[:13] - start[:13]).abs().max())
    assert moved > 1e-4 or relaxation == "relu"  # there the loss does not depend on attention
    if relaxation == "layers":
        lower = state.x.split(recall_program.PARTS)[2].reshape(7, 7)
        torch.testing.assert_close(lower, model.lower.detach(), rtol=0, atol=1e-10)


CLASS_OF = [kind for kind, count in enumerate(recognise_program.COUNTS.tolist()) for _ in range(round(count))]
"""The class of each sentence of the full training set."""
WORDS = [Word(0), Word(1), Word(2)] + [
    Word(3 + kind, sentence, place)
    for sentence, kind in enumerate(CLASS_OF)
    for place in range(int(recognise_program.FREE[kind]))
]


def full_weights(x: torch.Tensor, relaxation: str) -> dict[str, torch.Tensor]:
    """All weights of the full model, by the names of its parameters, at what the figure trains.

    Coordinates come in pairs of opposite signs under a layer norm, which then has no mean to take away.
    """
    part = recognise_program.parts(x)
    kinds = torch.tensor([[kind_of(row, column) for column in WORDS] for row in WORDS])
    stack = dict(zip(recognise_program.STACK, part["stack"][:, kinds], strict=True))
    classes, each = torch.tensor([word.group for word in WORDS]), recognise_program.EACH
    signs = torch.arange(2).repeat_interleave(each)
    by_sign = {
        name: part[name].reshape(2, -1)[:, classes][signs] for name in ("value_neurons", "neuron_words")
    }
    among = part["neuron_other"].reshape(2, 2)[signs][:, signs]
    among = torch.where(torch.eye(2 * each) > 0, torch.diag(part["neuron_self"][signs]), among)

    def spread(rows: torch.Tensor) -> torch.Tensor:
        if relaxation == "norm":
            rows = torch.stack([rows, -rows], 1).flatten(0, 1) / 2**0.5
        heads = 2 if relaxation == "heads" else 1
        room = torch.zeros(full_recognise.WIDTH // heads - len(rows), *rows.shape[1:]).double()
        return torch.cat([rows, room]).repeat(heads, *[1] * (rows.ndim - 1))

    return {
        "neurons": spread(torch.cat([by_sign["neuron_words"], among], 1).T).T,
        "value": spread(torch.cat([stack["value"], by_sign["value_neurons"]])),
        "key": spread(torch.cat([stack["key"], stack["key_2"]])),
        "query": spread(torch.cat([stack["query"], stack["query_2"]])),
        "lower_key": spread(torch.cat([stack["low_key"], stack["low_key_2"]])),
        "lower_query": spread(torch.cat([stack["low_query"], stack["low_query_2"]])),
        "product": stack["product"],
        "key_bias": torch.zeros(full_recognise.WIDTH).double(),
        "value_bias": spread(torch.cat([part["bias_words"][classes], part["bias_neurons"][signs]])),
        "hidden_bias": part["bias_hidden"][signs],
    }


@pytest.mark.parametrize("relaxation", RECOGNISE)
def test_recognises_figure_trains_the_full_model(relaxation):
    """1,435 numbers take the steps of all weights on all sentences, and give new sentences the same outputs."""
    program, train = recognise_program.relaxed_recognise(), recognise_program.TRAINED
    p = parameters(program, {"relaxation": RECOGNISE.index(relaxation), "seed": 3})
    counts = recognise_task.class_counts(full_recognise.SAMPLES)
    data = recognise_task.draw(counts, full_recognise.LENGTH, torch.Generator().manual_seed(0))
    model = full_recognise.RelaxedRecognise(relaxation, data.vocabulary, torch.Generator().manual_seed(0))
    model.layer = torch.tensor([1.0, -1.0]).repeat_interleave(recognise_program.EACH).double()
    state = program.start(p)
    begun = full_weights(state.x, relaxation)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            weight.copy_(begun[name])
    labels = recognise_program.labels(p)[CLASS_OF]
    assert torch.equal(labels != data.labels, (relaxation == "noise") & (torch.tensor(CLASS_OF) % 2 == 1))
    trainer = Trainer(relaxation, model.parameters(), 2 * full_recognise.ADAM)
    for _ in range(6):
        loss = torch.nn.functional.softplus(-labels * model(data.words)).mean()
        trainer.step(loss, full_recognise.STEP / (full_recognise.WIDTH * full_recognise.SIGMA_1**2))
        state, _ = program.stages[1].step(state, p)
    ends = full_weights(state.x, relaxation)
    for name, weight in model.named_parameters():
        torch.testing.assert_close(ends[name], weight.detach(), rtol=0, atol=1e-10)
    moved = (model.value.detach() - begun["value"]).abs().max()
    assert moved > 1e-4
    ours = recognise_program.outputs(recognise_program.model(state.x, p), p, train)
    torch.testing.assert_close(ours[CLASS_OF], model(data.words).detach(), rtol=0, atol=1e-10)


def acquires_weights(x: torch.Tensor, relaxation: str) -> dict[str, torch.Tensor]:
    """All weights of the full model, by the names of its parameters, at what the figure trains."""
    part = acquire_model.parts(x, full_acquire.SIZES)
    heads = 2 if relaxation == "heads" else 1
    return {**part, "features": part["features"].permute(1, 2, 0), "scores": part["scores"][:heads]}


@pytest.mark.parametrize("relaxation", ACQUIRE)
def test_acquires_figure_trains_the_full_model(relaxation):
    """In token coordinates it takes the steps of all weights on all prompts, and measures what the table measures."""
    sizes = full_acquire.SIZES
    program = acquire_program.relaxed_acquire(sizes)
    p = parameters(program, {"relaxation": ACQUIRE.index(relaxation), "seed": 1})
    state = program.start(p)
    drawn, begun = state.data, acquires_weights(state.x, relaxation)
    model = full_acquire.RelaxedAcquire(relaxation, torch.Generator().manual_seed(0))
    with torch.no_grad():
        for name, weight in model.named_parameters():
            weight.copy_(begun[name])
    data = full_acquire.Data(
        drawn.known, drawn.listed, drawn.answers, acquire_program.questions(sizes), drawn.replies
    )
    right = sizes.answers + data.listed.subject
    assert bool((data.answers == right).all()) == (relaxation != "noise")
    full_acquire.set_size(model, data)
    trainer = Trainer(relaxation, model.parameters(), full_acquire.ADAM)
    first = full_acquire.FIRST * float(first_rate(sizes, full_acquire.CONTEXT, full_acquire.KAPPA))
    everyone = torch.ones_like(data.listed.weight)
    for stage, rate in enumerate(
        [first, full_acquire.LATER * sizes.subjects, full_acquire.LATER * sizes.subjects]
    ):
        state = program.stages[stage].enter(state, p)
        for _ in range(2):
            counted = data.listed.weight * acquire_program.batch(state, p, everyone)
            losses, *_ = full_acquire.prompt_losses(model, data, counted, data.answers)
            trainer.step(losses.mean(), rate * full_acquire.KAPPA)
            state, _ = program.stages[stage].step(state, p)
        seen, shown = full_acquire.look(model, data), state.shown
        chance = shown.chance * sizes.outputs / torch.tensor([full_acquire.MULTIPLICITY, 1]).double()
        ours = torch.cat([shown.losses, shown.context, shown.share, chance])
        theirs = torch.tensor([seen.context, seen.share, seen.phrase, seen.answer], dtype=torch.float64)
        torch.testing.assert_close(ours, torch.cat([seen.losses, theirs]), rtol=1e-10, atol=1e-10)
    state = program.stages[3].enter(state, p)
    chosen = torch.nonzero(drawn.chosen)[:, 0]
    pushes = torch.tensor(full_acquire.first_pushes(model, data, chosen), dtype=torch.float64)
    torch.testing.assert_close(state.pushes, pushes.nan_to_num(), rtol=1e-10, atol=1e-10)
    trainer = Trainer(relaxation, model.parameters(), full_acquire.ADAM)
    for _ in range(2):
        part = torch.nonzero(acquire_program.batch(state, p, drawn.chosen))[:, 0]
        loss = full_acquire.question_loss(model, data, part)
        trainer.step(loss, full_acquire.LATER * full_acquire.KAPPA)
        state, _ = program.stages[3].step(state, p)
    ends = acquires_weights(state.x, relaxation)
    for name, weight in model.named_parameters():
        torch.testing.assert_close(ends[name], weight.detach(), rtol=0, atol=1e-10)
    assert (ends["features"] - begun["features"]).abs().max() > 1e-2


LIVE = [key for key in cells() if settings(*key) is not None]
OTHERWISE = [(id, name) for id, theorem in THEOREMS.items() for name in theorem.otherwise]


def paper_of(statement: str) -> str:
    return statement.partition(".")[0]


def place(statement: str, relaxation: str) -> dict[str, float]:
    """Where the figure would show a cell, also one that is not linked."""
    return settings(statement, relaxation) or {"relaxation": MENUS[paper_of(statement)].index(relaxation)}


def page_says(statement: str, relaxation: str) -> str:
    """The verdict of the page's own run."""
    said, name = bounds()[statement, relaxation].items(), THEOREMS[statement].name
    about = [holds for bound, holds in said if bound.startswith(name)]
    assert about
    return "holds" if all(about) else "fails"


@functools.cache
def bounds() -> dict[tuple[str, str], dict[str, bool]]:
    """What the page itself says of each bound, after a run of its own for each of these cells."""
    found = {}
    for page in FIGURES:
        demo = demo_of(page)
        keys = [key for key in (*LIVE, *OTHERWISE) if page == f"relaxed_{paper_of(key[0])}"]
        places = [{**defaults(demo), **place(*key)} for key in keys]
        different = [values for i, values in enumerate(places) if values not in places[:i]]
        runs = in_the_page(demo.figure, different)
        for key, values in zip(keys, places, strict=True):
            report: dict[str, Any] = report_of(demo, runs[different.index(values)][1])
            found[key] = {
                bound["name"]: report[names(place)["holds"]][i] > 0.5
                for place, sheet in enumerate(demo.figure.spec["statements"])
                for i, bound in enumerate(sheet["bounds"])
            }
    return found


@pytest.mark.parametrize(("statement", "relaxation"), LIVE)
def test_a_live_figure_agrees_with_the_cell_that_leads_to_it(statement, relaxation):
    """At the settings of the cell's address the page finds what ten runs of the full model found."""
    assert page_says(statement, relaxation) == cells()[statement, relaxation].verdict


@pytest.mark.parametrize(("statement", "relaxation"), OTHERWISE)
def test_a_cell_without_a_link_is_one_on_which_the_page_decides_otherwise(statement, relaxation):
    assert page_says(statement, relaxation) != cells()[statement, relaxation].verdict


def test_twelve_cells_or_more_in_which_a_theorem_falls_are_live():
    assert len(falling()) >= 12
    assert {cells()[key].verdict for key in falling()} == {"fails"}


def test_an_address_sets_only_what_the_figure_has():
    for statement, relaxation in LIVE:
        chosen = settings(statement, relaxation) or {}
        page, values = address(statement, relaxation).split(".html#~")
        read, controls = dict(parse_qsl(values)), demo_of(page).controls
        assert page == f"relaxed_{paper_of(statement)}"
        assert read.keys() == chosen.keys() <= controls.keys()
        words = [label for label, _ in controls["relaxation"].options]
        assert words.index(read.pop("relaxation")) == chosen["relaxation"]
        assert all(float(value) == chosen[name] for name, value in read.items())
    assert address("recall.theorem-2", "noise") == ""  # weakened: one run cannot show it
    assert address("recall.theorem-2", "float32") == ""


def test_the_cold_setting_is_where_the_second_statement_is_examined():
    assert recall_figure.relaxed_answers.holds_at == COLD


def test_captions_ask_the_bounds_of_the_statements():
    outcome = run(recall_program.relaxed_recall(), steps_1=5, steps_2=5)
    r, p = outcome.report, outcome.parameters
    judged = recall_figure.relaxed_pairs.judge(r, p)["holds"] > 0.5
    assert bool(recall_figure.pairs(r, p)) == bool(judged[:3].all())
    assert bool(recall_figure.low(r, p)) == bool(judged[3])
    judged = recall_figure.relaxed_answers.judge(r, p)["holds"] > 0.5
    assert [bool(recall_figure.certain(r, p)), bool(recall_figure.answers(r, p))] == judged.tolist()
