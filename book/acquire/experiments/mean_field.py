"""Mean field of pre-training, and fine-tuning with exact coverage: an approximation in about thirty numbers.

The start is 0. Each output v has one neuron, which stands for those that are active, and A[x, v] is ``ACTIVE`` times
λ⟨w_v, x⟩. In pre-training it is always active, f_v = h_v = Σ_i β_i A[x_i, v]; in fine-tuning f_v = max(h_v, 0) and
it learns where h_v > 0. All frequent facts are alike, all rare ones, and all phrases: in pre-training, features are
averages over tokens in the same relation.

So outputs come in groups of equals. If group g of a token's outputs has n_g members, a member moves by the loss's
derivative with respect to all of them at once, over n_g. That is exact where facts and phrases really are
exchangeable. Fine-tuning keeps the drawn facts, with A[p, v] of every phrase and every answer: coverage is counted,
not averaged. There only the answers of other facts, as seen from one subject, are averaged, group by group.

Everything is traceable; N, R, K and the number of frequent facts are 0-d tensors, any number up to their domains.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from lib.acquire.task import Facts, check_fine_tuned
from lib.acquire.tokens import Pace
from lib.domain import Domain

KAPPA = Domain("kappa", low=0, low_open=True)

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
    """One pass over the pre-training data; see :class:`lib.acquire.tokens.Acquired`.

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
    numbers = (
        n,
        r,
        known.multiplicity.max(),
        known.frequent.sum(),
        outputs,
        outputs if context is None else context,
        kappa,
    )
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
    """Prompts through the model; see :class:`lib.acquire.tokens.Passed`."""

    attention: Tensor  # (P, T)
    logits: Tensor  # (P, G)
    loss: Tensor  # (P,)
    pull: Tensor  # (P, T)
    delta: Tensor  # (P, G) target minus probability, of one member; 0 where the neuron is silent


def _mixed(parts: tuple[Tensor, ...], scores: Tensor) -> tuple[Tensor, Tensor]:
    """Attention (P, T) and pre-activations (P, G).

    Args:
        parts: for each of the T tokens its features, (P, G) or (1, G).
        scores: (P, T).
    """
    attention = torch.softmax(scores, -1)
    mixture = attention + (torch.arange(scores.shape[1]) == scores.shape[1] - 1).to(torch.float64)
    return attention, sum((mixture[:, t, None] * part for t, part in enumerate(parts)), torch.zeros(()))


def _passed(
    parts: tuple[Tensor, ...],
    attention: Tensor,
    logits: Tensor,
    active: Tensor | float,
    target: Tensor,
    count: Tensor,
) -> _Passed:
    """Loss and backward where group g of a prompt's outputs has ``count`` members.

    Args:
        active: (P, G) 1 where the neuron learns. ``target``, ``count``: (P, G), the target of one member.
    """
    total = torch.logsumexp(logits + torch.log(torch.clamp(count, min=1e-200)), 1, keepdim=True)
    delta = (target - torch.exp(logits - total)) * active
    each = torch.stack([(count * delta * part).sum(1) for part in parts], -1)
    pull = attention * (each - (attention * each).sum(-1, keepdim=True))
    return _Passed(attention, logits, (count * target * (total - logits)).sum(1), pull, delta)


def _linear(parts: tuple[Tensor, ...], scores: Tensor, target: Tensor, count: Tensor) -> _Passed:
    """Prompts of pre-training, where every neuron is active."""
    return _passed(parts, *_mixed(parts, scores), 1.0, target, count)


def acquire(state: State, task: Task) -> Acquired:
    """Losses and descent direction of pre-training, rare facts' gradients times K."""
    a, z = state
    members, drawn = _members(task), _drawn(task)
    weight = torch.stack([task.frequent, task.subjects - task.frequent]) / task.subjects
    both = (2, 10)

    opening = _linear(
        (a.context[None],),
        torch.zeros(1, 1, dtype=torch.float64),
        _at(0, 5)[None],
        members.context[None],
    )
    middle = _linear(
        (_read(a.context, _CONTEXT_2), a.subject),
        torch.stack([z.context_subject, z.subject_subject], 1),
        _at(1, 7) / drawn[:, None],
        members.subject,
    )
    last = _linear(
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
    pre: Tensor  # (N, M + 6)
    tilt: Tensor  # (N,) exp(β_p (A[p, a_j] − mean of its group)): so much likelier than the mean
    members: Tensor  # (N, M + 6)


def _ask(state: Tuned, asked: Questions, task: Task) -> _Asked:
    n, most = asked.uses.shape
    size = asked.groups.sum(1)
    mean = (asked.groups @ state.answers) / torch.clamp(size, min=1)  # (3,)
    real = (torch.arange(most) < task.phrases).to(torch.float64).expand(n, most)
    one, rest = torch.ones(n, 1, dtype=torch.float64), task.outputs - task.subjects - task.phrases - 1
    at_format = torch.cat(
        [
            state.phrases.expand(n, most),
            state.answers[:, None],
            mean.expand(n, 3),
            state.rest.expand(n, 2),
        ],
        1,
    )
    parts = (state.subject, at_format)
    attention, pre = _mixed(parts, torch.stack([state.subject_format, state.format_format.expand(n)], 1))
    active = (pre > 0).to(torch.float64)

    typical = (asked.groups[0] * (1 + attention[:, 1])).sum() / torch.clamp(size[0], min=1)
    tilt = torch.exp(typical * (state.answers - mean @ asked.groups))
    tilted = torch.clamp((asked.groups * tilt).sum(1) - (asked.groups * tilt).T, min=0)  # (N, 3)
    members = torch.clamp(size - asked.groups.T, min=0)
    others = torch.where(pre[:, most + 1 : most + 4] > 0, tilted, members)
    return _Asked(
        _passed(
            parts,
            attention,
            torch.relu(pre),
            active,
            _at(most, most + 6).expand(n, most + 6),
            torch.cat([real, one, others, one, rest * one], 1),
        ),
        pre,
        tilt,
        torch.cat([real, one, members, one, rest * one], 1),
    )


def tune_step(state: Tuned, asked: Questions, task: Task, rate: Tensor | float) -> Tuned:
    """One step of gradient descent on the mean loss of the fine-tuned facts."""
    got, _, tilt, members = _ask(state, asked, task)
    most = asked.uses.shape[1]
    share = asked.groups[0] / torch.clamp(asked.groups[0].sum(), min=1)
    step = ACTIVE * rate
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
    got, pre, _, members = _ask(state, asked, task)
    most = asked.uses.shape[1]
    known = asked.groups > 0.5
    below = torch.full_like(asked.groups, -torch.inf)
    top = torch.where(known, state.answers.expand(asked.groups.shape), below).amax(1)  # (3,)
    mean = (asked.groups @ state.answers) / torch.clamp(asked.groups.sum(1), min=1)
    rise = torch.where(
        known.any(1), top - mean, torch.zeros_like(top)
    )  # of the group's greatest over its mean
    zero = torch.zeros(most + 1, dtype=torch.float64)
    pre = pre + (1 + got.attention[:, 1, None]) * torch.cat([zero, rise, zero[:2]])
    rival = (members > 0.5) & (torch.arange(most + 6) != most)
    best = torch.where(rival, torch.relu(pre), torch.full_like(pre, -torch.inf)).amax(1)
    return (torch.relu(pre[:, most]) > best).to(torch.float64)


def accuracy(state: Tuned, asked: Questions, task: Task) -> Tensor:
    """(4,) shares of questions answered rightly: unseen, unseen frequent, rare, fine-tuned; NaN where there is none."""
    tuned, frequent, rare = asked.groups
    groups = torch.stack([frequent + rare, frequent, rare, tuned])
    return groups @ right(state, asked, task) / groups.sum(1)


def pretrained(task: Task, stages: Pace) -> State:
    """Pre-training from nothing."""
    state = start()
    for steps, rate in stages:
        for _ in range(steps):
            state = pretrain_step(state, task, rate)
    return state


def excess(state: State, task: Task) -> Tensor:
    """The loss of pre-training above the least that there can be, ⅓ β log K; 0-d."""
    got = acquire(state, task)
    least = task.frequent / task.subjects * torch.log(task.multiplicity)
    return (got.follower + got.phrase + got.answer - least) / 3


def tuning(state: State, task: Task, asked: Questions, rate: float, steps: int) -> Tensor:
    """:func:`accuracy` before fine-tuning and after each step of it, (steps + 1, 4)."""
    tuned = tune_start(state, asked)
    found = [accuracy(tuned, asked, task)]
    for _ in range(steps):
        tuned = tune_step(tuned, asked, task, rate)
        found.append(accuracy(tuned, asked, task))
    return torch.stack(found)


def curve(known: Facts, chosen: Tensor, kappa: float, stages: Pace, rate: float, steps: int) -> Tensor:
    """Pre-training, then fine-tuning on the chosen facts: accuracies as in :func:`tuning`.

    Raises:
        ValueError: κ not positive, no fact is chosen, or one that is not frequent.
    """
    KAPPA.check(kappa)
    check_fine_tuned(chosen)
    if bool((chosen > known.frequent).any()):
        rare = int((chosen > known.frequent).sum())
        raise ValueError(f"chosen: {rare} of the facts are rare: must be frequent ones only")
    task = of_facts(known, kappa)
    return tuning(pretrained(task, stages), task, questions(known, chosen), rate, steps)
