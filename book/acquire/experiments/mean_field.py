"""Mean field of pre-training, and fine-tuning with exact coverage: an approximation in about thirty numbers.

The start is 0. Each output v has one neuron, which stands for those that are active, and A[x, v] is ``ACTIVE`` times
λ⟨w_v, x⟩. In pre-training it is always active, f_v = h_v = Σ_i β_i A[x_i, v]; in fine-tuning f_v = max(h_v, 0) and
it learns where h_v > 0. All frequent facts are alike, all rare ones, and all phrases: in pre-training, features are
averages over tokens in the same relation.

So outputs come in groups of equals. If group g of a token's outputs has n_g members, a member moves by the loss's
derivative with respect to all of them at once, over n_g. That is exact where facts and phrases really are
exchangeable. Fine-tuning keeps the drawn facts, with A[p, v] of every phrase and every answer: coverage is counted,
not averaged. There only the answers of other facts, as seen from one subject, are averaged, group by group.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from lib.acquire import tokens
from lib.acquire.task import Facts, by_group
from lib.acquire.tokens import Pace

ACTIVE = 0.5
"""The share of neurons that a small random start leaves active."""


class Task(NamedTuple):
    """What is learned, with ‖o‖² = V.

    Attributes:
        subjects, phrases, multiplicity: N, R, K. ``frequent``: βN.
        kappa: κ.
        together: (2, 2), [c, e]: of a fact of class c and one of its phrases, how many other facts of class e have it.
            Classes are 0 for frequent, 1 for rare.
    """

    subjects: int
    phrases: int
    multiplicity: float
    frequent: float
    kappa: float
    together: Tensor

    @property
    def outputs(self) -> int:
        """V, the size of the vocabulary."""
        return 2 * self.subjects + self.phrases + 3

    @property
    def rest(self) -> int:
        """How many outputs are neither d nor a phrase nor an answer."""
        return self.outputs - self.subjects - self.phrases - 1

    @property
    def sizes(self) -> Tensor:
        """(2,) how many facts there are of each class."""
        return torch.tensor([self.frequent, self.subjects - self.frequent], dtype=torch.float64)

    @property
    def drawn(self) -> Tensor:
        """(2,) K for a frequent fact, 1 for a rare one."""
        return torch.tensor([self.multiplicity, 1], dtype=torch.float64)


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


class Tuned(NamedTuple):
    """All that fine-tuning reads and moves, fact by fact.

    Attributes:
        subject: (N, R + 6) A[s_j, v]: the R phrases, own answer, an answer of the other fine-tuned facts, of unseen
            frequent ones, of rare ones, d, any other token.
        phrases: (R,) A[p, r_i]. ``answers``: (N,) A[p, a_j]. ``rest``: (2,) A[p, v] of d, of any other token.
        subject_format: (N,) z[s_j, p]. ``format_format``: 0-d.
    """

    subject: Tensor
    phrases: Tensor
    answers: Tensor
    rest: Tensor
    subject_format: Tensor
    format_format: Tensor


class Questions(NamedTuple):
    """The questions [s_j p]; ``chosen``: (N,) 1 for a fact that is fine-tuned, which must be frequent."""

    known: Facts
    chosen: Tensor

    @property
    def groups(self) -> Tensor:
        """(3, N), 1 for a fact that is fine-tuned, an unseen frequent, a rare one."""
        return torch.stack([self.chosen, self.known.frequent - self.chosen, 1 - self.known.frequent])


# Which of a token's groups each of a prompt's groups belongs to, by class of the fact.
# [o s]: d, own, other phrase, own answer, other frequent, other rare one, other token.
_CONTEXT_2 = torch.tensor([[0, 1, 1, 2, 2, 3, 4], [0, 1, 1, 3, 2, 3, 4]])
# [o s r]: d, r, fact's other phrase, foreign phrase, own answer, frequent with r, without, rare with, without, other.
_CONTEXT_3 = torch.tensor([[0, 1, 1, 1, 2, 2, 2, 3, 3, 4], [0, 1, 1, 1, 3, 2, 2, 3, 3, 4]])
_SUBJECT_3 = torch.tensor([0, 1, 1, 2, 3, 4, 4, 5, 5, 6])
_PHRASE_3 = torch.tensor([[0, 1, 2, 2, 3, 3, 4, 5, 6, 7], [0, 1, 2, 2, 5, 3, 4, 5, 6, 7]])


def of_facts(known: Facts, kappa: float) -> Task:
    """The task of drawn facts, ``together`` counted."""
    using = torch.stack([known.frequent, 1 - known.frequent]) @ known.uses  # (2, R)
    own = using.sum(1)
    together = (using @ using.T - torch.diag(own)) / torch.clamp(own, min=1)[:, None]
    n, r = known.rank.shape
    return Task(n, r, float(known.multiplicity.max()), float(known.frequent.sum()), kappa, together)


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
    r, rest, sizes = task.phrases, task.rest, task.sizes
    others = torch.clamp(sizes - torch.eye(2, dtype=torch.float64), min=0)  # (2, 2)
    without = torch.clamp(others - task.together, min=0)
    using = sizes * task.drawn / r
    one = torch.ones(2, 1, dtype=torch.float64)
    own, foreign = task.drawn[:, None], (r - task.drawn)[:, None]
    of_answers = torch.stack([using, sizes - using], 1).reshape(-1)
    by_phrase = torch.stack([task.together, without], 2).reshape(2, 4)
    return _Members(
        torch.tensor([1, r, *sizes, rest], dtype=torch.float64),
        torch.cat([one, own, foreign, one, others, rest * one], 1),
        torch.tensor([1, 1, r - 1, *of_answers, rest], dtype=torch.float64),
        torch.cat([one, one, own - 1, foreign, one, by_phrase, rest * one], 1),
    )


class _Passed(NamedTuple):
    """Prompts through the model; see :class:`lib.acquire.tokens.Passed`."""

    attention: Tensor  # (P, T)
    loss: Tensor  # (P,)
    pull: Tensor  # (P, T)
    delta: Tensor  # (P, G) target minus probability, of one member; 0 where the neuron is silent


def _mixed(parts: tuple[Tensor, ...], scores: Tensor) -> tuple[Tensor, Tensor]:
    """Attention (P, T) and pre-activations (P, G) from the tokens' features, each (P, G) or (1, G)."""
    attention, pre = tokens.forward(tuple(part[..., None] for part in parts), scores)
    return attention, pre[..., 0]


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
    return _Passed(attention, (count * target * (total - logits)).sum(1), pull, delta)


def _linear(parts: tuple[Tensor, ...], scores: Tensor, target: Tensor, count: Tensor) -> _Passed:
    """Prompts of pre-training, where every neuron is active."""
    return _passed(parts, *_mixed(parts, scores), 1.0, target, count)


def acquire(state: State, task: Task) -> tuple[State, Tensor]:
    """Minus the gradient of pre-training, rare facts' gradients times K, and the loss, 0-d."""
    a, z = state
    members, weight = _members(task), task.sizes / task.subjects
    opening = _linear((a.context[None],), torch.zeros(1, 1), _at(0, 5)[None], members.context[None])
    middle = _linear(
        (a.context[_CONTEXT_2], a.subject),
        torch.stack([z.context_subject, z.subject_subject], 1),
        _at(1, 7) / task.drawn[:, None],
        members.subject,
    )
    last = _linear(
        (a.context[_CONTEXT_3], a.subject[:, _SUBJECT_3], a.phrase[_PHRASE_3]),
        torch.stack([z.context_phrase.expand(2), z.subject_phrase, z.phrase_phrase.expand(2)], 1),
        _at(4, 10).expand(2, 10),
        members.triple,
    )
    second, third = middle.delta * members.subject, last.delta * members.triple  # of all members
    at_2, at_3 = middle.attention, last.attention

    context = 2 * opening.delta[0] * members.context
    context = _added(context, _CONTEXT_2, (weight * at_2[:, 0])[:, None] * second)
    context = _added(context, _CONTEXT_3, (weight * at_3[:, 0])[:, None] * third)
    subject = (1 + at_2[:, 1, None]) * second
    subject = subject.index_add(1, _SUBJECT_3, at_3[:, 1, None] * third)
    phrase = _added(torch.zeros_like(a.phrase), _PHRASE_3, (weight * (1 + at_3[:, 2]))[:, None] * third)
    features = Features(
        task.outputs * _over(context, members.context) / 3,
        _over(subject, members.subject) / (3 * task.subjects),
        _over(phrase, members.phrase) / (3 * task.phrases),
    )
    pull = (weight[:, None] * last.pull).sum(0)
    scores = Scores(
        task.outputs * middle.pull[:, 0] / (3 * task.subjects),
        middle.pull[:, 1] / (3 * task.subjects),
        task.outputs * pull[0] / (3 * task.phrases),
        last.pull[:, 1] / (3 * task.subjects * task.drawn),
        pull[2] / (3 * task.phrases),
    )
    return State(features, scores), (opening.loss[0] + weight @ (middle.loss + last.loss)) / 3


def _at(place: int, groups: int) -> Tensor:
    return (torch.arange(groups) == place).to(torch.float64)


def _added(total: Tensor, places: Tensor, more: Tensor) -> Tensor:
    return total.index_add(0, places.reshape(-1), more.reshape(-1))


def _over(total: Tensor, members: Tensor) -> Tensor:
    """The share of one member; 0 in a group without members."""
    return torch.where(members > 1e-9, total / members, 0.0)


def moved(state: State, down: State, rate: float, kappa: float) -> State:
    """One step of gradient descent with η̃ = ``rate`` and κ = ``kappa``."""
    features = (a + ACTIVE * rate * da for a, da in zip(state.features, down.features, strict=True))
    scores = (z + rate * kappa * dz for z, dz in zip(state.scores, down.scores, strict=True))
    return State(Features(*features), Scores(*scores))


def tune_start(state: State, asked: Questions) -> Tuned:
    """What pre-training leaves at each subject; nothing at p."""
    uses = asked.known.uses
    average = state.features.subject[(asked.known.frequent < 0.5).to(torch.int64)]  # (N, 7)
    phrases = torch.where(uses > 0, average[:, 1:2], average[:, 2:3])
    n, r = uses.shape
    return Tuned(
        torch.cat([phrases, average[:, 3:5], average[:, 4:6], average[:, :1], average[:, 6:]], 1),
        *(torch.zeros(shape, dtype=torch.float64) for shape in ((r,), (n,), (2,), (n,), ())),
    )


def _ask(state: Tuned, asked: Questions, task: Task) -> tuple[_Passed, Tensor, Tensor, Tensor]:
    """All questions through the model.

    Returns:
        what passed; the pre-activations (N, R + 6); exp(β_p (A[p, a_j] − mean of its group)), (N,): so much likelier
        is an answer than the mean; and (N, R + 6), how many members each group has.
    """
    n, r = asked.known.uses.shape
    groups = asked.groups
    size, mean = groups.sum(1), _means(state, groups)
    at_format = torch.cat([state.phrases, mean, state.rest]).expand(n, r + 5)
    at_format = torch.cat([at_format[:, :r], state.answers[:, None], at_format[:, r:]], 1)
    parts = (state.subject, at_format)
    attention, pre = _mixed(parts, torch.stack([state.subject_format, state.format_format.expand(n)], 1))

    typical = (groups[0] * (1 + attention[:, 1])).sum() / torch.clamp(size[0], min=1)
    tilt = torch.exp(typical * (state.answers - mean @ groups))
    tilted = torch.clamp((groups * tilt).sum(1) - (groups * tilt).T, min=0)  # (N, 3)
    members = torch.ones(n, r + 6, dtype=torch.float64)
    members[:, -1] = task.rest
    members[:, r + 1 : r + 4] = torch.clamp(size - groups.T, min=0)
    count = members.clone()
    count[:, r + 1 : r + 4] = torch.where(pre[:, r + 1 : r + 4] > 0, tilted, members[:, r + 1 : r + 4])
    target = _at(r, r + 6).expand(n, r + 6)
    active = (pre > 0).to(torch.float64)
    return _passed(parts, attention, torch.relu(pre), active, target, count), pre, tilt, members


def _means(state: Tuned, groups: Tensor) -> Tensor:
    """(3,) mean A[p, a_j] of each group."""
    return (groups @ state.answers) / torch.clamp(groups.sum(1), min=1)


def tune_step(state: Tuned, asked: Questions, task: Task, rate: float) -> Tuned:
    """One step of gradient descent on the mean loss of the fine-tuned facts."""
    got, _, tilt, members = _ask(state, asked, task)
    r, groups = task.phrases, asked.groups
    share = asked.chosen / asked.chosen.sum()
    step, move = ACTIVE * rate, rate * task.kappa * share
    push = (share * (1 + got.attention[:, 1]))[:, None] * got.delta  # (N, R + 6)
    total = push.sum(0)
    to_answers = push[:, r + 1 : r + 4]  # a typical member of each group
    answers = push[:, r] + tilt * ((to_answers.sum(0) @ groups) - (to_answers * groups.T).sum(1))
    return Tuned(
        state.subject + step * (share * got.attention[:, 0])[:, None] * got.delta * (members > 0.5),
        state.phrases + step * total[:r],
        state.answers + step * answers,
        state.rest + step * total[r + 4 :],
        state.subject_format + move * got.pull[:, 0],
        state.format_format + (move * got.pull[:, 1]).sum(),
    )


def right(state: Tuned, asked: Questions, task: Task) -> Tensor:
    """(N,) 1 where the fact's own answer has the largest logit of all tokens."""
    got, pre, _, members = _ask(state, asked, task)
    r, groups = task.phrases, asked.groups
    top = torch.where(groups > 0.5, state.answers, -torch.inf).amax(1)  # (3,)
    rise = torch.where(groups.sum(1) > 0, top - _means(state, groups), 0.0)
    pre[:, r + 1 : r + 4] += (1 + got.attention[:, 1, None]) * rise  # from the group's mean to its greatest
    rival = (members > 0.5) & (torch.arange(r + 6) != r)
    best = torch.where(rival, torch.relu(pre), -torch.inf).amax(1)
    return (torch.relu(pre[:, r]) > best).to(torch.float64)


def pretrained(task: Task, stages: Pace) -> State:
    """Pre-training from nothing."""
    state = start()
    for steps, rate in stages:
        for _ in range(steps):
            state = moved(state, acquire(state, task)[0], rate, task.kappa)
    return state


def excess(state: State, task: Task) -> float:
    """The loss of pre-training above the least that there can be, ⅓ β log K."""
    return float(acquire(state, task)[1] - task.frequent / task.subjects * task.drawn.log()[0] / 3)


def tuning(state: State, task: Task, asked: Questions, rate: float, steps: int) -> Tensor:
    """Accuracies as :func:`by_group`, before fine-tuning and after each step of it, (steps + 1, 4)."""
    tuned, found = tune_start(state, asked), []
    for step in range(steps + 1):
        found.append(by_group(right(tuned, asked, task), asked.known, asked.chosen))
        if step < steps:
            tuned = tune_step(tuned, asked, task, rate)
    return torch.stack(found)
