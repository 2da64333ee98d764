"""Mean field of pre-training, and fine-tuning with exact coverage: an approximation in about thirty numbers.

Three things are neglected. Each output has one neuron that is always active, so f_v = Σ_i β_i A[x_i, v] with
A = ``ACTIVE`` λ⟨w_v, x⟩, as if that share of the neurons were active and the rest silent. All frequent facts are
alike, all rare ones, and all phrases: features are averages over tokens in the same relation. The start is 0.

Pre-training then has groups of equal outputs, each prompt with so many members of each. With n_g members of group g
of a token's outputs, a member moves by the derivative with respect to all of them over n_g. That is exact where
facts and phrases really are exchangeable. Fine-tuning keeps the drawn facts: features of every phrase and every
answer at p, and of every subject, so that coverage is counted, not averaged.

Everything is traceable; N, R, K and the number of frequent facts are 0-d tensors, any number up to their domains.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from lib.knowledge import data
from lib.knowledge.data import Facts

ACTIVE = 0.5
"""The share of neurons that a small random start leaves active."""


class Task(NamedTuple):
    """What is learned; all 0-d but the last.

    Attributes:
        subjects, phrases, multiplicity: N, R, K. ``frequent``: βN.
        outputs: V, the size of the vocabulary. ``context``: ‖o‖². ``kappa``: κ.
        together: (2, 2), [c, e]: of a fact of class c and one of its phrases, how many other facts of class e have it.
            Classes are 0 for frequent, 1 for rare.
    """

    subjects: Tensor
    phrases: Tensor
    multiplicity: Tensor
    frequent: Tensor
    outputs: Tensor
    context: Tensor
    kappa: Tensor
    together: Tensor


class Features(NamedTuple):
    """A[x, v] for each kind of token x; along the last axis the groups of outputs v."""

    context: Tensor  # (5,) d, a phrase, answer of a frequent, of a rare fact, any other token
    subject: Tensor  # (2, 7) by class: d, own, other phrase, own answer, other frequent, other rare one, other token
    phrase: (
        Tensor  # (8,) d, itself, other phrase, answers of frequent facts with it, without, rare ones …, other
    )


class Scores(NamedTuple):
    """z[x, q], the query named second; (2,) by class of the fact where a subject takes part."""

    context_subject: Tensor
    subject_subject: Tensor
    context_phrase: Tensor  # 0-d
    subject_phrase: Tensor
    phrase_phrase: Tensor  # 0-d


class State(NamedTuple):
    """All that pre-training moves."""

    features: Features
    scores: Scores


class Acquired(NamedTuple):
    """One pass over the pre-training data; see :class:`lib.knowledge.dynamics.tokens.Acquired`.

    Attributes:
        down: minus the gradient.
        follower, phrase, answer: mean losses of the three kinds of prompt, 0-d.
        attention_subject: (2, 2) by class, on o, s in [o s]. ``attention_phrase``: (2, 3) on o, s, r in [o s r].
    """

    down: State
    follower: Tensor
    phrase: Tensor
    answer: Tensor
    attention_subject: Tensor
    attention_phrase: Tensor


class Tuned(NamedTuple):
    """All that fine-tuning reads and moves, fact by fact.

    Attributes:
        subject: (N, M + 6) A[s_j, v]: the M phrases, own answer, an answer of the other fine-tuned facts, of unseen
            frequent ones, of rare ones, d, any other token.
        phrases: (M,) A[p, r_i]. ``answers``: (N,) A[p, a_j]. ``rest``: (2,) A[p, v] of d, of any other token.
        subject_format: (N,) z[s_j, p]. ``format_format``: 0-d.
    """

    subject: Tensor
    phrases: Tensor
    answers: Tensor
    rest: Tensor
    subject_format: Tensor
    format_format: Tensor


class Questions(NamedTuple):
    """Who is asked what.

    Attributes:
        uses: (N, M), 1 where fact j is stated with phrase i; M at least R.
        groups: (3, N), 1 for a fact that is fine-tuned, an unseen frequent, a rare one. All 0: there is no such fact.
    """

    uses: Tensor
    groups: Tensor


# Which of a token's groups each of a prompt's groups belongs to, by class of the fact.
# [o s]: d, own, other phrase, own answer, other frequent, other rare one, other token.
_CONTEXT_2 = torch.tensor([[0, 1, 1, 2, 2, 3, 4], [0, 1, 1, 3, 2, 3, 4]])
# [o s r]: d, r, fact's other phrase, foreign phrase, own answer, frequent with r, without, rare with, without, other.
_CONTEXT_3 = torch.tensor([[0, 1, 1, 1, 2, 2, 2, 3, 3, 4], [0, 1, 1, 1, 3, 2, 2, 3, 3, 4]])
_SUBJECT_3 = torch.tensor([0, 1, 1, 2, 3, 4, 4, 5, 5, 6])
_PHRASE_3 = torch.tensor([[0, 1, 2, 2, 3, 3, 4, 5, 6, 7], [0, 1, 2, 2, 5, 3, 4, 5, 6, 7]])


def expected(
    subjects: Tensor,
    phrases: Tensor,
    multiplicity: Tensor,
    frequent: Tensor,
    outputs: Tensor,
    context: Tensor,
    kappa: Tensor,
) -> Task:
    """The task whose facts share phrases as often as they do on average: (N_e − [c = e]) K_e/R."""
    others = torch.stack([frequent, subjects - frequent]) - torch.eye(2, dtype=torch.float64)
    share = torch.stack([multiplicity, torch.ones_like(multiplicity)]) / phrases
    together = torch.clamp(others, min=0) * share
    return Task(subjects, phrases, multiplicity, frequent, outputs, context, kappa, together)


def counted(known: Facts, task: Task) -> Task:
    """The same task with ``together`` as it is in the drawn facts; traceable."""
    classes = torch.stack([known.frequent, 1 - known.frequent])
    using = classes @ known.uses  # (2, R)
    pairs = using @ using.T
    own = using.sum(1)
    return task._replace(together=(pairs - torch.diag(own)) / torch.clamp(own, min=1)[:, None])


def of_facts(known: Facts, kappa: float, context: float | None = None) -> Task:
    """The task of drawn facts: a vocabulary without idle tokens, ‖o‖² = V unless ``context`` says otherwise."""
    n, r = known.rank.shape
    outputs = 2 * n + r + 3
    numbers = (n, r, known.multiplicity.max(), known.frequent.sum(), outputs, context or outputs, kappa)
    return counted(known, expected(*(torch.as_tensor(x, dtype=torch.float64) for x in numbers)))


def start() -> State:
    """Nothing is known: all zero."""
    zero, two = torch.zeros((), dtype=torch.float64), torch.zeros(2, dtype=torch.float64)
    features = Features(*(torch.zeros(shape, dtype=torch.float64) for shape in ((5,), (2, 7), (8,))))
    return State(features, Scores(two, two, zero, two, zero))


class _Members(NamedTuple):
    """How many outputs there are in each group of each token or prompt."""

    context: Tensor  # (5,)
    subject: Tensor  # (2, 7), the groups of [o s] too
    phrase: Tensor  # (8,)
    triple: Tensor  # (2, 10), the groups of [o s r]


def _members(task: Task) -> _Members:
    n, r, f = task.subjects, task.phrases, task.frequent
    sizes = torch.stack([f, n - f])
    drawn = _drawn(task)
    one = torch.ones_like(n)
    rest = task.outputs - n - r - 1
    others = torch.clamp(sizes - torch.eye(2, dtype=torch.float64), min=0)  # (2, 2)
    without = torch.clamp(others - task.together, min=0)
    using = sizes * drawn / r
    column = torch.ones(2, 1, dtype=torch.float64)
    own, foreign = drawn[:, None], (r - drawn)[:, None]
    return _Members(
        torch.stack([one, r, sizes[0], sizes[1], rest]),
        torch.cat([column, own, foreign, column, others, rest * column], 1),
        torch.stack(
            [one, one, r - 1, using[0], sizes[0] - using[0], using[1], sizes[1] - using[1], rest],
        ),
        torch.cat(
            [
                *(column, column, own - 1, foreign, column),
                *(task.together[:, :1], without[:, :1], task.together[:, 1:], without[:, 1:], rest * column),
            ],
            1,
        ),
    )


def _drawn(task: Task) -> Tensor:
    """(2,) K for a frequent fact, 1 for a rare one."""
    return torch.stack([task.multiplicity, torch.ones_like(task.multiplicity)])


class _Passed(NamedTuple):
    """Prompts through the model; see :class:`lib.knowledge.dynamics.tokens.Passed`."""

    attention: Tensor  # (P, T)
    logits: Tensor  # (P, G)
    loss: Tensor  # (P,)
    pull: Tensor  # (P, T)
    delta: Tensor  # (P, G) target minus probability, of one member


def _passed(parts: tuple[Tensor, ...], scores: Tensor, target: Tensor, count: Tensor) -> _Passed:
    """Forward and backward where group g of a prompt's outputs has ``count`` members.

    Args:
        parts: for each of the T tokens its features, (P, G) or (1, G).
        scores: (P, T). ``target``: (P, G), of one member. ``count``: (P, G).
    """
    attention = torch.softmax(scores, -1)
    mixture = attention + _last(scores.shape[1])
    logits = sum((mixture[:, t, None] * part for t, part in enumerate(parts)), torch.zeros(()))
    total = torch.logsumexp(logits + torch.log(torch.clamp(count, min=1e-200)), 1, keepdim=True)
    delta = target - torch.exp(logits - total)
    each = torch.stack([(count * delta * part).sum(1) for part in parts], -1)
    pull = attention * (each - (attention * each).sum(-1, keepdim=True))
    return _Passed(attention, logits, (count * target * (total - logits)).sum(1), pull, delta)


def _last(tokens: int) -> Tensor:
    return (torch.arange(tokens) == tokens - 1).to(torch.float64)


def acquire(state: State, task: Task) -> Acquired:
    """Losses and descent direction of pre-training, rare facts' gradients times K."""
    a, z = state
    members, drawn = _members(task), _drawn(task)
    weight = torch.stack([task.frequent, task.subjects - task.frequent]) / task.subjects
    both = (2, 10)

    opening = _passed(
        (a.context[None],),
        torch.zeros(1, 1, dtype=torch.float64),
        _at(0, 5)[None],
        members.context[None],
    )
    middle = _passed(
        (_read(a.context, _CONTEXT_2), a.subject),
        torch.stack([z.context_subject, z.subject_subject], 1),
        _at(1, 7) / drawn[:, None],
        members.subject,
    )
    last = _passed(
        (_read(a.context, _CONTEXT_3), a.subject.index_select(1, _SUBJECT_3), _read(a.phrase, _PHRASE_3)),
        torch.stack([z.context_phrase.expand(2), z.subject_phrase, z.phrase_phrase.expand(2)], 1),
        _at(4, 10).expand(both),
        members.triple,
    )
    second, third = (
        middle.delta * members.subject,
        last.delta * members.triple,
    )  # (2, 7), (2, 10): of all members
    at_2, at_3 = middle.attention, last.attention

    context = 2 * opening.delta[0] * members.context
    context = context.index_add(0, _CONTEXT_2.reshape(-1), _flat(weight * at_2[:, 0], second))
    context = context.index_add(0, _CONTEXT_3.reshape(-1), _flat(weight * at_3[:, 0], third))
    subject = (1 + at_2[:, 1, None]) * second
    subject = subject.index_add(1, _SUBJECT_3, at_3[:, 1, None] * third)
    phrase = torch.zeros_like(a.phrase).index_add(
        0, _PHRASE_3.reshape(-1), _flat(weight * (1 + at_3[:, 2]), third)
    )
    features = Features(
        task.context * _over(context, members.context) / 3,
        _over(subject, members.subject) / (3 * task.subjects),
        _over(phrase, members.phrase) / (3 * task.phrases),
    )
    pull = weight[:, None] * last.pull
    scores = Scores(
        task.context * middle.pull[:, 0] / (3 * task.subjects),
        middle.pull[:, 1] / (3 * task.subjects),
        task.context * pull[:, 0].sum() / (3 * task.phrases),
        last.pull[:, 1] / (3 * task.subjects * drawn),
        pull[:, 2].sum() / (3 * task.phrases),
    )
    return Acquired(
        State(features, scores),
        opening.loss[0],
        (weight * middle.loss).sum(),
        (weight * last.loss).sum(),
        at_2,
        at_3,
    )


def _at(place: int, groups: int) -> Tensor:
    return (torch.arange(groups) == place).to(torch.float64)


def _read(features: Tensor, places: Tensor) -> Tensor:
    return features.index_select(0, places.reshape(-1)).reshape(places.shape)


def _flat(weight: Tensor, total: Tensor) -> Tensor:
    return (weight[:, None] * total).reshape(-1)


def _over(total: Tensor, members: Tensor) -> Tensor:
    """The share of one member; 0 in a group without members."""
    some = members > 1e-9
    return torch.where(some, total, torch.zeros_like(total)) / torch.where(
        some, members, torch.ones_like(members)
    )


def moved(state: State, down: State, rate: Tensor | float, kappa: Tensor | float) -> State:
    """One step of gradient descent with η̃ = ``rate`` and κ = ``kappa``."""
    features = Features(
        *(a + ACTIVE * rate * da for a, da in zip(state.features, down.features, strict=True))
    )
    return State(
        features, Scores(*(z + rate * kappa * dz for z, dz in zip(state.scores, down.scores, strict=True)))
    )


def pretrain_step(state: State, task: Task, rate: Tensor | float) -> State:
    """One step of pre-training."""
    return moved(state, acquire(state, task).down, rate, task.kappa)


def questions(known: Facts, chosen: Tensor) -> Questions:
    """The questions [s_j p]; ``chosen``: (N,) 1 for a fact that is fine-tuned, which must be frequent."""
    return Questions(known.uses, torch.stack([chosen, known.frequent - chosen, 1 - known.frequent]))


def tune_start(state: State, asked: Questions) -> Tuned:
    """What pre-training leaves at each subject; nothing at p."""
    rare = asked.groups[2][:, None]
    average = (1 - rare) * state.features.subject[:1] + rare * state.features.subject[1:]  # (N, 7)
    phrases = average[:, 2:3] + asked.uses * (average[:, 1:2] - average[:, 2:3])
    subject = torch.cat([phrases, average[:, 3:5], average[:, 4:6], average[:, :1], average[:, 6:]], 1)
    n, most = asked.uses.shape
    zero = torch.zeros(n, dtype=torch.float64)
    return Tuned(
        subject,
        torch.zeros(most, dtype=torch.float64),
        zero,
        torch.zeros(2, dtype=torch.float64),
        zero,
        torch.zeros((), dtype=torch.float64),
    )


class _Asked(NamedTuple):
    """All questions through the model."""

    passed: _Passed
    tilt: Tensor  # (N,) exp(β_p (A[p, a_j] − mean of its group)): so much likelier than the mean
    members: Tensor  # (N, M + 6)


def _ask(state: Tuned, asked: Questions, task: Task) -> _Asked:
    n, most = asked.uses.shape
    scores = torch.stack([state.subject_format, state.format_format.expand(n)], 1)
    size = asked.groups.sum(1)
    mean = (asked.groups @ state.answers) / torch.clamp(size, min=1)  # (3,)
    mixture = 1 + torch.softmax(scores, 1)[:, 1]
    typical = (asked.groups[0] * mixture).sum() / torch.clamp(size[0], min=1)
    tilt = torch.exp(typical * (state.answers - mean @ asked.groups))
    real = (torch.arange(most) < task.phrases).to(torch.float64).expand(n, most)
    one, rest = torch.ones(n, 1, dtype=torch.float64), task.outputs - task.subjects - task.phrases - 1
    tilted = asked.groups * tilt
    others = torch.clamp(tilted.sum(1) - tilted.T, min=0)  # (N, 3)
    members = torch.clamp(size - asked.groups.T, min=0)
    count = torch.cat([real, one, others, one, rest * one], 1)
    at_format = torch.cat(
        [
            state.phrases.expand(n, most),
            state.answers[:, None],
            mean.expand(n, 3),
            state.rest.expand(n, 2),
        ],
        1,
    )
    target = _at(most, most + 6).expand(n, most + 6)
    return _Asked(
        _passed((state.subject, at_format), scores, target, count),
        tilt,
        torch.cat([real, one, members, one, rest * one], 1),
    )


def tune_step(state: Tuned, asked: Questions, task: Task, rate: Tensor | float) -> Tuned:
    """One step of gradient descent on the mean loss of the fine-tuned facts."""
    got, tilt, members = _ask(state, asked, task)
    most = asked.uses.shape[1]
    share = asked.groups[0] / torch.clamp(asked.groups[0].sum(), min=1)
    step = ACTIVE * rate
    # of a group of answers with tilts, a typical member's delta is the group's with the mean tilt: nearly 1
    subject = state.subject + step * (share * got.attention[:, 0])[:, None] * torch.where(
        members > 0.5, got.delta, torch.zeros_like(got.delta)
    )
    push = (share * (1 + got.attention[:, 1]))[:, None] * got.delta  # (N, M + 6)
    total = push.sum(0)
    to_answers = push[:, most + 1 : most + 4]  # a typical member of each group
    answers = push[:, most] + tilt * (
        (to_answers.sum(0) @ asked.groups) - (to_answers * asked.groups.T).sum(1)
    )
    move = rate * task.kappa * share
    return Tuned(
        subject,
        state.phrases + step * total[:most],
        state.answers + step * answers,
        state.rest + step * total[most + 4 :],
        state.subject_format + move * got.pull[:, 0],
        state.format_format + (move * got.pull[:, 1]).sum(),
    )


def right(state: Tuned, asked: Questions, task: Task) -> Tensor:
    """(N,) 1 where the fact's own answer has the largest logit of all tokens."""
    got, _, members = _ask(state, asked, task)
    most = asked.uses.shape[1]
    silent = torch.full_like(asked.groups, -torch.inf)
    top = torch.where(asked.groups > 0.5, state.answers.expand(asked.groups.shape), silent).amax(1)  # (3,)
    mean = (asked.groups @ state.answers) / torch.clamp(asked.groups.sum(1), min=1)
    raised = torch.where(torch.isinf(top), torch.zeros_like(top), top - mean)
    nothing = torch.zeros(most + 1, dtype=torch.float64)
    raise_by = torch.cat([nothing, raised, nothing[:2]])
    logits = got.logits + (1 + got.attention[:, 1, None]) * raise_by
    rival = (members > 0.5) & (torch.arange(most + 6) != most)
    best = torch.where(rival, logits, torch.full_like(logits, -torch.inf)).amax(1)
    return (logits[:, most] > best).to(torch.float64)


def accuracy(state: Tuned, asked: Questions, task: Task) -> Tensor:
    """(4,) shares of questions answered rightly: unseen, unseen frequent, rare, fine-tuned; NaN where there is none."""
    tuned, frequent, rare = asked.groups
    groups = torch.stack([frequent + rare, frequent, rare, tuned])
    return groups @ right(state, asked, task) / groups.sum(1)


class Course(NamedTuple):
    """A whole course: what :func:`curve` found.

    Attributes:
        state: after pre-training. ``losses``: (3,) then, of d, the phrase and the answer.
        excess: their mean minus the entropy of the data.
        accuracy: (T + 1, 4), after each step of fine-tuning.
    """

    state: State
    losses: Tensor
    excess: float
    accuracy: Tensor


def pretrained(known: Facts, task: Task, rates: tuple[tuple[int, float], ...]) -> State:
    """Pre-training in stages of so many steps at such a rate."""
    state = start()
    for steps, rate in rates:
        for _ in range(steps):
            state = pretrain_step(state, task, rate)
    return state


def curve(
    known: Facts, chosen: Tensor, kappa: float, rates: tuple[tuple[int, float], ...], rate: float, steps: int
) -> Course:
    """Pre-training in stages of so many steps at such a rate, then fine-tuning on the chosen facts.

    Raises:
        ValueError: no fact is chosen, or one that is not frequent.
    """
    data.check_fine_tuned(chosen)
    if bool((chosen > known.frequent).any()):
        raise ValueError("chosen: must be frequent facts only, not rare ones")
    task, asked = of_facts(known, kappa), questions(known, chosen)
    state = start()
    for count, pace in rates:
        for _ in range(count):
            state = pretrain_step(state, task, pace)
    got = acquire(state, task)
    losses = torch.stack([got.follower, got.phrase, got.answer])
    tuned = tune_start(state, asked)
    found = [accuracy(tuned, asked, task)]
    for _ in range(steps):
        tuned = tune_step(tuned, asked, task, rate)
        found.append(accuracy(tuned, asked, task))
    return Course(state, losses, float(losses.mean() - data.entropy(known)), torch.stack(found))
