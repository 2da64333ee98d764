"""The scene of the four models: two demands on what a model knows of Alice, with an MLP and without.

After *Alice* a phrase must have the largest logit, and after *Alice was born in* California. A subject's vector counts
in both, so a linear map needs a constant that lifts phrases, for every subject alike.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import pad

from book.acquire.mlp.program import (
    ANSWERS,
    LEARNED,
    NAMES,
    OUTPUTS,
    PHRASES,
    SUBJECTS,
    Training,
    four_models,
    logits,
)
from lib.acquire.course import inside
from lib.program import Program, extended
from widgets.figure.panels import Line, TimeChart
from widgets.figure.scenes import Cloud, Dots, Predict, Scene, Stop

MOST = 3.0
"""The highest loss that is drawn: fine-tuning lets losses jump."""
COLOURS = ("learned", "uniform", "two", "four")
LOSSES = TimeChart(
    title="Loss above the lowest possible, drawn up to 3",
    series=tuple(Line("capped", k, name, COLOURS[k]) for k, name in enumerate(NAMES)),
    domain=(0.0, MOST),
)
FIELDS = {0: ("phrase_with", "answer_with"), 2: ("phrase_without", "answer_without")}
"""How the leads of two of the models are called, by the models' places in ``NAMES``."""
CORRECT = TimeChart(
    title="Sentences completed correctly",
    series=tuple(Line("correct", k, name, COLOURS[k]) for k, name in enumerate(NAMES)),
    domain=(0.0, 1.0),
)
DEMANDS = Dots(
    "Two demands of pre-training",
    "phrase_with",
    "answer_with",
    "stated",
    "after “Alice”: how far a phrase leads",
    "after “Alice was born in”: how far California leads",
    reach=(-3.0, 4.6),
    colour=COLOURS[0],
    label="with an MLP",
    rivals=(Cloud("phrase_without", "answer_without", "stated", "attention only", COLOURS[2]),),
)
COMPLETED = "{correct[0]:%} of the sentences, attention alone {correct[2]:%}."
ALONE = Predict(
    "how many of the sentences does attention alone, without an MLP, come to complete correctly?",
    "correct",
    "share of the sentences completed correctly, attention only",
    (0.0, 1.0),
    component=2,
)
SCENE = Scene(
    DEMANDS,
    beside=(CORRECT,),
    stops=(
        Stop(
            "MLP has learned",
            0,
            passes=("near", 0),
            says="With an MLP the standard model has learned the facts. It completes " + COMPLETED,
        ),
        Stop("pre-trained", 0, says="Pre-trained. The standard model, with an MLP, completes " + COMPLETED),
        Stop(
            "fine-tuned",
            1,
            says="Fine-tuned: the standard model answers {accuracy[0]:%} of the unseen questions, attention alone "
            "{accuracy[2]:%}.",
        ),
    ),
    predict=ALONE,
)


class WithLeads(NamedTuple):
    """The models, and by how much each led when pre-training ended."""

    run: Training
    leads: Tensor  # (4, 2, 30) see :func:`leads`


def shown() -> Program:
    """The four models, with what the scene shows: fine-tuning moves the losses, and leaves the dots where they were."""
    program = four_models()
    first, second = inside(program.stages, "run")

    def start(p: Any) -> WithLeads:
        return WithLeads(program.start(p), torch.zeros(4, 2, SUBJECTS * PHRASES, dtype=torch.float64))

    def enter(s: WithLeads, p: Any) -> WithLeads:
        return second.enter(s._replace(leads=_leads(s.run)), p)

    def watch(s: WithLeads, p: Any) -> Any:
        watched = program.watch(s.run, p)
        training = s.run.share[0] > 0  # as of a prompt that is no question
        ahead = torch.where(training, _leads(s.run), s.leads)
        drawn = torch.asinh(ahead)  # so that leads of 1 and of 30 are both seen
        more = {name: drawn[k, i] for k, names in FIELDS.items() for i, name in enumerate(names)}
        stated = s.run.prompts.uses.reshape(-1) / s.run.prompts.uses.sum()
        correct = ((ahead > 0).all(1).to(torch.float64) * stated).sum(1)
        near = (LEARNED - watched.losses[0]).reshape(1)
        capped = watched.losses.clamp(max=MOST)
        return extended(
            watched, {**more, "stated": stated, "correct": correct, "capped": capped, "near": near}
        )

    return program._replace(
        start=start,
        stages=(first, second._replace(enter=enter)),
        watch=watch,
        report=lambda ends, p: program.report(tuple(end.run for end in ends), p),
    )


def leads(outputs: Tensor, uses: Tensor) -> tuple[Tensor, Tensor]:
    """By how much what is correct leads what is wrong, for every fact and phrase, both (30,).

    Args:
        outputs: logits of all prompts, (50, 26).
        uses: (10, 3) facts by phrases.

    Returns:
        after [s], the least logit of the fact's phrases less the largest of all others; after [s r] the answer's less
        the largest of all others.
    """
    phrases = pad(uses, (1 + SUBJECTS, OUTPUTS - 1 - SUBJECTS - PHRASES))
    answers = torch.eye(SUBJECTS, dtype=torch.float64).repeat_interleave(PHRASES, 0)
    answers = pad(answers, (ANSWERS, OUTPUTS - ANSWERS - SUBJECTS))
    first, second = outputs[:SUBJECTS], outputs[SUBJECTS : SUBJECTS * (1 + PHRASES)]
    return _lead(first, phrases).repeat_interleave(PHRASES), _lead(second, answers)


def _lead(outputs: Tensor, right: Tensor) -> Tensor:
    """The least logit where ``right`` is 1 less the largest where it is 0, for each row."""
    far = torch.full_like(outputs, torch.inf)
    return torch.where(right > 0.5, outputs, far).amin(1) - torch.where(right > 0.5, -far, outputs).amax(1)


def _leads(s: Training) -> Tensor:
    """The leads of all four models, (4, 2, 30)."""
    outputs, _ = logits(s.weights, s.prompts)
    return torch.stack([torch.stack(leads(model, s.prompts.uses)) for model in outputs])
