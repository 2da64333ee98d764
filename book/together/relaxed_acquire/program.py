"""Xu and Chen's training with one assumption dropped: three stages of pre-training, then fine-tuning on questions."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor

from book.together.descents import Moments, at_rest, descend
from book.together.experiments.relaxations import BATCH, WRONG
from book.together.experiments.relaxed_acquire import (
    ADAM,
    CONTEXT,
    FIRST,
    FREQUENT,
    KAPPA,
    LATER,
    MULTIPLICITY,
    SIZES,
    STEPS,
    TUNED,
)
from book.together.relaxed import ACQUIRE
from book.together.relaxed_acquire.model import (
    answer,
    attend,
    initial,
    lengths,
    model,
    moments,
    parts,
    shapes,
)
from lib import noise
from lib.acquire import task
from lib.acquire.course import NEAR, first_rate
from lib.acquire.extraction import SET, margins
from lib.acquire.task import Facts, Sentences
from lib.acquire.tokens import Sizes
from lib.domain import Domain
from lib.program import Program, Stage, record

SMALL = SIZES._replace(subjects=24)
"""Half as many facts as the table has."""
STARTS, LABELS, BATCHES = 50_000, 510_000, 520_000
"""Seeds of starts, wrong labels and minibatches begin here, apart from those of facts."""
MOST = 200
"""Steps of a stage, at most."""
TUNING = round(SET / LATER)
"""Steps of fine-tuning."""
RUN = sum(STEPS) + TUNING
"""Steps of a run."""
RELAXED_DOMAINS = (
    ACQUIRE.switch,
    Domain("rate_1", 0, 10, default=FIRST, words="rate of stage I (1 = theory)", track=(0.1, 10.0, 0.1)),
    Domain(
        "kappa",
        0,
        1,
        low_open=True,
        default=KAPPA,
        words="speed of attention (κ)",
        scale="log",
        track=(1e-4, 0.1),
    ),
    Domain(
        "rate",
        0,
        100,
        default=LATER,
        words="learning rate after stage I (η̃/N, fine-tuning η̃)",
        scale="choice",
        track=(0.5, 1.0, 2.0, 4.0, 8.0),
    ),
    Domain("seed", low=0, high=999, integer=True, default=0, words="seed", scale="whole", track=(0, 99)),
    Domain("steps_1", 0, 20, integer=True, default=STEPS[0]),
    Domain("steps_2", 0, MOST, integer=True, default=STEPS[1], words="steps of stage II", track=(0, 100, 5)),
    Domain(
        "steps_3", 0, MOST, integer=True, default=STEPS[2], words="steps of stage III", track=(0, MOST, 10)
    ),
    Domain(
        "steps",
        0,
        MOST,
        integer=True,
        default=TUNING,
        words="steps of fine-tuning",
        track=(0, 100, 5),
    ),
)
Relaxed = record("Relaxed", [domain.name for domain in RELAXED_DOMAINS])


class Data(NamedTuple):
    """Facts, sentences, questions, and what follows them."""

    known: Facts
    listed: Sentences
    answers: Tensor  # (S,) int64, what follows [o s r] in training, wrong for some sentences where labels are noisy
    replies: Tensor  # (N,) int64, what follows the questions in fine-tuning
    chosen: Tensor  # (N,) 1 for a fact that is fine-tuned
    size: Tensor  # 0-d, the root mean square of Ξ on questions at the start


class Watch(NamedTuple):
    """What is drawn while it runs. In fine-tuning all but ``accuracy`` stays what it was at the end of stage III."""

    in_phrase: Tensor  # (3,) mean attention on o, s, r in [o s r]
    losses: Tensor  # (3,) after [o], [o s] and [o s r], with right labels
    capped: Tensor  # (3,) the same above their least, at most 6: the first step's may be hundreds
    excess: Tensor  # (1,) loss above its entropy
    context: Tensor  # (1,) the greatest attention on o
    share: Tensor  # (1,) the least on s or r in [o s r]
    chance: Tensor  # (2,) the least K p(r) and the least p(a)
    accuracy: (
        Tensor  # (2,) share of questions about unseen facts, and about fine-tuned ones, answered correctly
    )


class State(NamedTuple):
    """A run of training."""

    x: Tensor  # all that is trained, see ``model.shapes``
    seen: Moments
    down: Tensor  # the gradient of the next step
    step: Tensor  # 0-d, how many were taken
    data: Data
    shown: Watch
    near: Tensor  # 0-d bool, whether the loss has been near its entropy
    context: Tensor  # 0-d, the greatest attention on o from the end of stage I until then
    share: Tensor  # 0-d, the least on s or r in that time
    pushes: Tensor  # (3,) see ``first_pushes``


class End(NamedTuple):
    """What the statements speak of; each 0-d."""

    context: Tensor  # the greatest attention on o from the end of stage I until the loss is near its entropy
    share: Tensor  # the least on s or r in that time
    follower_1: Tensor  # loss after [o], end of stage I
    phrase_2: Tensor  # least p(r) over chance, end of stage II
    answer_2: Tensor  # least p(a) over chance
    excess: Tensor  # loss above its entropy, end of stage III
    poor: Tensor  # the same over a random guess's
    wrong: Tensor  # the share of unseen facts that are wrong after fine-tuning
    drilled: Tensor  # of fine-tuned facts
    phrases: Tensor  # see ``first_pushes``
    answers: Tensor
    others: Tensor


def uniforms(stream: Tensor, count: int) -> Tensor:
    """Uniform numbers from as many seeds as they need, (count,)."""
    streams = stream + torch.arange(-(-count // noise.STRIDE), dtype=torch.float64)
    return torch.func.vmap(lambda seed: noise.uniform(seed, noise.STRIDE))(streams).reshape(-1)[:count]


def least(numbers: Tensor, count: Tensor | int) -> Tensor:
    """Which of the numbers are among the ``count`` least; bool."""
    return (numbers < numbers[:, None]).to(torch.float64).sum(1) < count


def draw(p: Any, sizes: Sizes) -> Data:
    """Facts, sentences and labels."""
    n, frequent = sizes.subjects, round(FREQUENT * sizes.subjects)
    numbers = [torch.full_like(p.seed, number) for number in (sizes.phrases, MULTIPLICITY, frequent)]
    known = task.draw(p.seed, n, sizes.phrases, *numbers)
    listed = task.slots(known, frequent, MULTIPLICITY)
    subject = torch.cat([listed.subject, torch.arange(n)])  # of the sentences, then of the questions
    which, moved = uniforms(LABELS + 8 * p.seed, 2 * len(subject)).reshape(2, -1)
    counts = [len(listed.subject), n]
    bad = torch.cat([least(part, max(1, round(WRONG * len(part)))) for part in which.split(counts)])
    other = (subject + 1 + torch.floor(moved * (n - 1)).to(torch.int64)) % n
    labels = sizes.answers + torch.where(ACQUIRE.dropped(p, "noise") & bad, other, subject)
    answers, replies = labels.split(counts)
    return Data(known, listed, answers, replies, task.fine_tuned(known, TUNED), torch.ones_like(p.seed))


def questions(sizes: Sizes) -> Tensor:
    """[s p], (N, 2)."""
    return torch.stack([1 + torch.arange(sizes.subjects), torch.full((sizes.subjects,), sizes.format)], 1)


def batch(s: State, p: Any, among: Tensor) -> Tensor:
    """How often the next step counts each sample, 0 or 1 without minibatches; in the mean 1 over those ``among``.

    Args:
        among: (n,) 1 for a sample that may be drawn, else 0.
    """
    count = among.sum()
    half = torch.clamp(torch.round(BATCH * count), min=1)
    streams = -(-len(among) // noise.STRIDE)
    drawn = uniforms(BATCHES + streams * (p.seed * RUN + s.step), len(among))
    in_batch = least(drawn + 1 - among, half).to(torch.float64) * count / half
    return torch.where(ACQUIRE.dropped(p, "minibatch"), in_batch, among)


class Passed(NamedTuple):
    """One pass over the prompts of pre-training."""

    chances: tuple[Tensor, ...]  # log-probabilities (1, V), (N, V), (S, V) after [o], [o s], [o s r]
    on_middle: Tensor  # (N, 2) attention
    on_last: Tensor  # (S, 3)


def prompt_losses(passed: Passed, weight: Tensor, answers: Tensor, data: Data, sizes: Sizes) -> Tensor:
    """Mean losses after [o], [o s] and [o s r], (3,).

    Args:
        weight: (S,) of the sentences.
        answers: (S,) what follows [o s r].
    """
    j, i, _ = data.listed
    opening, middle, last = passed.chances
    n, v = sizes.subjects, sizes.outputs
    phrase = torch.zeros(n * v, dtype=torch.float64).index_add(0, j * v + 1 + n + i, weight).reshape(n, v)
    said = weight[:, None] * (answers[:, None] == torch.arange(v)).to(torch.float64)
    return -torch.stack(
        [weight.sum() * opening[0, sizes.follower], (phrase * middle).sum(), (said * last).sum()]
    )


def pretraining_loss(x: Tensor, p: Any, data: Data, weight: Tensor, sizes: Sizes) -> tuple[Tensor, Passed]:
    """The loss that a step descends, 0-d, and what it was computed from."""
    j, i, _ = data.listed
    m, subject = model(x, p, sizes, data.size), 1 + torch.arange(sizes.subjects)
    prompts = (
        torch.zeros(1, 1, dtype=torch.int64),
        torch.stack([torch.zeros_like(subject), subject], 1),
        torch.stack([torch.zeros_like(j), 1 + j, 1 + sizes.subjects + i], 1),
    )
    said = [answer(m, tokens, p, sizes) for tokens in prompts]
    chances = tuple(torch.log_softmax(logits, 1) for logits, _ in said)
    passed = Passed(chances, said[1][1], said[2][1])
    return prompt_losses(passed, weight, data.answers, data, sizes).mean(), passed


def question_loss(x: Tensor, p: Any, data: Data, weight: Tensor, sizes: Sizes) -> tuple[Tensor, Tensor]:
    """The mean loss of the questions with these weights, 0-d, and all their logits, (N, V)."""
    logits, _ = answer(model(x, p, sizes, data.size), questions(sizes), p, sizes)
    right = (data.replies[:, None] == torch.arange(sizes.outputs)).to(torch.float64)
    losses = -(right * torch.log_softmax(logits, 1)).sum(1)
    return (weight * losses).sum() / weight.sum(), logits


def first_pushes(gradient: Tensor, data: Data, sizes: Sizes) -> Tensor:
    """Components of minus the first gradient of fine-tuning, summed over neurons: Proposition 3's three numbers, (3,).

    Of a phrase: along p over along a subject that uses it, least. Of an answer: along p over 3 times along its subject,
    greatest distance from 1. Along p: fine-tuned answers and phrases over all other outputs, least. Where nothing is
    pushed at all, a ratio is 0.
    """
    n, known, chosen = sizes.subjects, data.known, data.chosen > 0.5
    slope = parts(gradient, sizes)["features"].sum(2)  # (X, V)
    along = -slope * lengths(sizes)[:, None]
    to_p, of_subjects = along[sizes.format], along[1 : 1 + n]
    phrase, reply = slice(1 + n, 1 + n + sizes.phrases), slice(sizes.answers, sizes.answers + n)
    uses = chosen[:, None] & (known.uses > 0.5)
    phrases = torch.where(uses, over(to_p[phrase], of_subjects[:, phrase]), torch.inf).amin()
    own = of_subjects[:, reply].diagonal()
    answers = torch.where(chosen, (over(to_p[reply], own) / 3 - 1).abs(), -torch.inf).amax()
    size = to_p.abs()
    covered = task.covered(known, data.chosen) > 0.5
    pushed = torch.cat(
        [torch.where(chosen, size[reply], torch.inf), torch.where(covered, size[phrase], torch.inf)]
    )
    rest = torch.cat([size[: 1 + n], size[sizes.format : sizes.answers], size[sizes.follower :]])
    other = torch.cat([rest, torch.where(chosen, 0.0, size[reply])])
    return torch.stack([phrases, answers, over(pushed.amin(), other.amax())])


def over(above: Tensor, below: Tensor) -> Tensor:
    """``above / below``, and 0 where both are 0."""
    return torch.where((above == 0) & (below == 0), 0.0, above / below)


def measured(passed: Passed, accuracy: Tensor, data: Data, sizes: Sizes) -> Watch:
    """What a pass over the prompts shows."""
    j, i, weight = data.listed
    n, v = sizes.subjects, sizes.outputs
    losses = prompt_losses(passed, weight, sizes.answers + j, data, sizes)
    entropy = task.entropy(data.known)
    _, middle, last = passed.chances
    phrase = middle.reshape(-1).index_select(0, j * v + 1 + n + i)
    phrase = phrase + torch.log(data.known.multiplicity.index_select(0, j))
    right = last.gather(1, (sizes.answers + j)[:, None])
    above = losses - 3 * entropy * torch.tensor([0.0, 1.0, 0.0]).double()
    return Watch(
        in_phrase=weight @ passed.on_last,
        losses=losses,
        capped=torch.clamp(above, max=6),
        excess=(losses.mean() - entropy).reshape(1),
        context=torch.cat([passed.on_middle[:, 0], passed.on_last[:, 0]]).amax().reshape(1),
        share=passed.on_last[:, 1:].amin().reshape(1),
        chance=torch.exp(torch.stack([phrase.amin(), right.amin()])),
        accuracy=accuracy,
    )


def relaxed_acquire(sizes: Sizes = SMALL) -> Program:
    """Pre-training and fine-tuning with one assumption dropped."""

    def look(s: State, p: Any) -> State:
        """Pass the sentences through the model: what is watched, and the gradient of the next step."""
        weight = s.data.listed.weight
        weight = weight * batch(s, p, torch.ones_like(weight))
        down, passed = torch.func.grad(pretraining_loss, has_aux=True)(s.x, p, s.data, weight, sizes)
        return s._replace(down=down, shown=measured(passed, s.shown.accuracy, s.data, sizes))

    def ask(s: State, p: Any) -> State:
        """Put the questions to the model: how many are answered correctly, and the gradient of the next step."""
        weight = batch(s, p, s.data.chosen)
        down, logits = torch.func.grad(question_loss, has_aux=True)(s.x, p, s.data, weight, sizes)
        right = (margins(logits, sizes.answers) > 0).to(torch.float64)
        unseen = 1 - s.data.chosen
        accuracy = torch.stack([task.mean_of(right, unseen), task.mean_of(right, s.data.chosen)])
        return s._replace(down=down, shown=s.shown._replace(accuracy=accuracy))

    def move(s: State, p: Any, rate: Tensor) -> State:
        x, seen = descend(s.x, s.down, rate * p.kappa, ACQUIRE.rule(p, ADAM), s.seen)
        return s._replace(x=x, seen=seen, step=s.step + 1)

    def start(p: Any) -> State:
        count = sum(torch.Size(shape).numel() for shape in shapes(sizes).values())
        x, data = initial(noise.normals(p.seed, count, STARTS), p, sizes), draw(p, sizes)
        tokens = questions(sizes)
        _, mixture = attend(model(x, p, sizes, data.size), tokens, p, sizes)
        data = data._replace(size=torch.sqrt(moments(mixture, tokens, sizes)[1].mean()))
        zero, nothing = torch.zeros((), dtype=torch.float64), torch.zeros(3, dtype=torch.float64)
        shown = Watch(*(torch.zeros(many, dtype=torch.float64) for many in (3, 3, 3, 1, 1, 1, 2, 2)))
        still, begun = at_rest(x), torch.zeros_like(x)
        return State(x, still, begun, zero, data, shown, zero > 0, zero, zero, nothing)

    def first(s: State, p: Any) -> tuple[State, Tensor]:
        after = look(move(s, p, p.rate_1 * first_rate(sizes, CONTEXT, p.kappa)), p)
        return after._replace(near=s.near | (after.shown.excess[0] <= NEAR)), p.seed < 0

    def settle(s: State, p: Any) -> State:
        return s._replace(context=s.shown.context[0], share=s.shown.share[0])

    def later(s: State, p: Any) -> tuple[State, Tensor]:
        after = look(move(s, p, p.rate * sizes.subjects), p)
        shown = after.shown
        after = after._replace(
            near=s.near | (shown.excess[0] <= NEAR),
            context=torch.where(s.near, s.context, torch.maximum(s.context, shown.context[0])),
            share=torch.where(s.near, s.share, torch.minimum(s.share, shown.share[0])),
        )
        return after, p.seed < 0

    def examine(s: State, p: Any) -> State:
        gradient, _ = torch.func.grad(question_loss, has_aux=True)(s.x, p, s.data, s.data.chosen, sizes)
        s = s._replace(seen=at_rest(s.x), pushes=first_pushes(gradient, s.data, sizes))
        return ask(s, p)

    def tune(s: State, p: Any) -> tuple[State, Tensor]:
        return ask(move(s, p, p.rate), p), p.seed < 0

    def report(ends: tuple[State, ...], p: Any) -> End:
        first, second, third, tuned = (end.shown for end in ends)
        guess = torch.log(torch.full_like(p.seed, sizes.outputs)) - task.entropy(ends[0].data.known)
        return End(
            context=ends[2].context,
            share=ends[2].share,
            follower_1=first.losses[0],
            phrase_2=second.chance[0] * sizes.outputs / MULTIPLICITY,
            answer_2=second.chance[1] * sizes.outputs,
            excess=third.excess[0],
            poor=third.excess[0] / guess,
            wrong=1 - tuned.accuracy[0],
            drilled=tuned.accuracy[1],
            phrases=ends[3].pushes[0],
            answers=ends[3].pushes[1],
            others=ends[3].pushes[2],
        )

    stages = (
        Stage("stage I", look, first, "steps_1"),
        Stage("stage II", settle, later, "steps_2"),
        Stage("stage III", lambda s, p: s, later, "steps_3"),
        Stage("fine-tuning", examine, tune, "steps"),
    )
    return Program(Relaxed, RELAXED_DOMAINS, start, stages, lambda s, p: s.shown, report)
