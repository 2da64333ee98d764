"""The scene of the four models: sentences as two of them complete them, with an MLP and without.

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
from widgets.figure.scenes import Cloud, Dots, Key, Predict, Scene, Sentences, Stop

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
    label="standard, with an MLP",
    rivals=(Cloud("phrase_without", "answer_without", "stated", "attention only", COLOURS[2]),),
)
SHOWN = 6
"""Facts of which a sentence is shown, each with another phrase than the one before."""
TWO = (0, 2)
"""The models that complete them, by their places in ``NAMES``."""
PEOPLE = ("Alice", "Boris", "Carla", "Chen", "Dana", "Eva", "Diego", "Emil", "Farid", "Greta")
PLACES = ("California", "Sofia", "Genoa", "Xi’an", "Haifa", "Ghent", "Bogotá", "Bergen", "Cairo", "Graz")
WORDS = ("Well,", *PEOPLE, "was born in", "is from", "hails from", "birthplace?", *PLACES, "then")
"""What a model may say, in the order of its outputs."""
SENTENCES = Sentences(
    "After each name comes a phrase, then the place",
    (("standard, with an MLP", ("correct", 0)), ("attention only", ("correct", 2))),
    PEOPLE[:SHOWN],
    WORDS,
    "wanted",
    "said",
    "sure",
    keys=(
        Key("the right word, filled to its probability", "good"),
        Key("a wrong word: the sentence breaks off", "bad"),
    ),
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
    SENTENCES,
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


class Shown(NamedTuple):
    """What is shown of the models."""

    leads: Tensor  # (4, 2, 30) see :func:`leads`
    said: Tensor  # (2, 2, 6) the word that leads after a name, and after a name and a phrase
    sure: Tensor  # (2, 2, 6) how probable it is; of equally right ones, all together


class WithShown(NamedTuple):
    """The models, and what was shown of them when pre-training ended."""

    run: Training
    shown: Shown


def shown() -> Program:
    """The four models, with what the scene shows: fine-tuning moves the losses, and leaves the sentences alone."""
    program = four_models()
    first, second = inside(program.stages, "run")

    def start(p: Any) -> WithShown:
        nothing = torch.zeros(len(TWO), 2, SHOWN, dtype=torch.float64)
        ahead = torch.zeros(len(NAMES), 2, SUBJECTS * PHRASES, dtype=torch.float64)
        return WithShown(program.start(p), Shown(ahead, nothing, nothing))

    def enter(s: WithShown, p: Any) -> WithShown:
        return second.enter(s._replace(shown=_shown(s.run, p)), p)

    def watch(s: WithShown, p: Any) -> Any:
        watched = program.watch(s.run, p)
        training = s.run.share[0] > 0  # as of a prompt that is no question
        ahead, said, sure = (
            torch.where(training, now, then) for now, then in zip(_shown(s.run, p), s.shown, strict=True)
        )
        drawn = torch.asinh(ahead)  # so that leads of 1 and of 30 are both seen
        more = {name: drawn[k, i] for k, names in FIELDS.items() for i, name in enumerate(names)}
        stated = s.run.prompts.uses.reshape(-1) / s.run.prompts.uses.sum()
        correct = ((ahead > 0).all(1).to(torch.float64) * stated).sum(1)
        near = (LEARNED - watched.losses[0]).reshape(1)
        capped = watched.losses.clamp(max=MOST)
        wanted = _wanted(_chosen(s.run.prompts.uses, p.multiplicity))
        words = {"wanted": wanted.flatten(), "said": said.flatten(), "sure": sure.flatten()}
        return extended(
            watched,
            {**more, **words, "stated": stated, "correct": correct, "capped": capped, "near": near},
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
    phrases, answers = _right(uses)
    answers = answers.repeat_interleave(PHRASES, 0)
    first, second = outputs[:SUBJECTS], outputs[SUBJECTS : SUBJECTS * (1 + PHRASES)]
    return _lead(first, phrases).repeat_interleave(PHRASES), _lead(second, answers)


def _lead(outputs: Tensor, right: Tensor) -> Tensor:
    """The least logit where ``right`` is 1 less the largest where it is 0, for each row."""
    far = torch.full_like(outputs, torch.inf)
    return torch.where(right > 0.5, outputs, far).amin(1) - torch.where(right > 0.5, -far, outputs).amax(1)


def _right(uses: Tensor) -> tuple[Tensor, Tensor]:
    """1 at the outputs that are right after each name, and after a name and a phrase, both (10, 26)."""
    phrases = pad(uses, (1 + SUBJECTS, OUTPUTS - 1 - SUBJECTS - PHRASES))
    answers = torch.eye(SUBJECTS, dtype=torch.float64)
    return phrases, pad(answers, (ANSWERS, OUTPUTS - ANSWERS - SUBJECTS))


def _chosen(uses: Tensor, multiplicity: Tensor) -> Tensor:
    """1 at the phrase with which each fact is shown, (6, 3): the next of its own from fact to fact."""
    number = torch.remainder(torch.arange(SHOWN, dtype=torch.float64), multiplicity) + 1
    return ((torch.cumsum(uses[:SHOWN], 1) == number[:, None]) & (uses[:SHOWN] > 0)).to(torch.float64)


def _wanted(chosen: Tensor) -> Tensor:
    """The numbers of the right words in the sentences shown, (2, 6)."""
    phrase = 1 + SUBJECTS + (chosen * torch.arange(PHRASES)).sum(1)
    return torch.stack([phrase, ANSWERS + torch.arange(SHOWN, dtype=torch.float64)])


def _said(outputs: Tensor, right: Tensor, wanted: Tensor) -> tuple[Tensor, Tensor]:
    """The word that leads, ``wanted`` while all the right ones do, and how probable it is, both (6,)."""
    wrong = torch.where(right > 0.5, -torch.inf, outputs)
    loudest = (wrong == wrong.amax(1, keepdim=True)).to(torch.float64)
    probable = torch.softmax(outputs, 1)
    is_right = _lead(outputs, right) > 0
    said = torch.where(is_right, wanted, (loudest * torch.arange(OUTPUTS)).sum(1))
    return said, torch.where(is_right, (probable * right).sum(1), (probable * loudest).sum(1))


def _shown(s: Training, p: Any) -> Shown:
    """What is shown of all models now."""
    uses = s.prompts.uses
    outputs, _ = logits(s.weights, s.prompts)
    chosen = _chosen(uses, p.multiplicity)
    words: list[tuple[Tensor, Tensor]] = []
    for model in (outputs[k] for k in TWO):
        stated = model[SUBJECTS : SUBJECTS * (1 + PHRASES)].reshape(SUBJECTS, PHRASES, OUTPUTS)[:SHOWN]
        steps = (model[:SHOWN], (chosen[:, :, None] * stated).sum(1))
        right = [of_all[:SHOWN] for of_all in _right(uses)]
        words += map(_said, steps, right, _wanted(chosen))
    said, sure = (torch.stack(parts).reshape(len(TWO), 2, SHOWN) for parts in zip(*words, strict=True))
    return Shown(torch.stack([torch.stack(leads(model, uses)) for model in outputs]), said, sure)
