"""Fine-tuning on questions after pre-training, by full and by rank-1 steps side by side (Theorem 2).

Symbols: p is the format token, [s_j p] the question about fact j, η̃ the rate, n the number of fine-tuned facts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor

from lib.acquire import course, task
from lib.acquire.course import SIZES, SUBJECTS, Learner
from lib.acquire.task import Facts
from lib.acquire.tokens import extract, rank_one
from lib.domain import Domain
from lib.program import Program, Stage

ROUNDS = 8
"""Rounds of the power method in each rank-1 step: its gradients have one direction that stands far out."""

SET = 80.0
"""η̃ times the steps at which answers are counted: the same for all runs, so that no unseen fact chooses the step."""

Choice = Callable[[Facts, Any], Tensor]
"""Which facts are fine-tuned, (N,) of 0 and 1, by the facts and the parameters."""


class CrossFitted(NamedTuple):
    """Accuracy under cross-fitted early stopping: no fact chooses the step at which it is counted.

    A best step flatters the facts that choose it. Here unseen facts of even place choose the step for the
    odd ones, and these for them: where most are right, and among such steps where the right answers lead by most.
    """

    most: Tensor  # (2,) the greatest accuracy so far on the unseen facts of either half
    lead: Tensor  # (2,) their mean margin then
    right: Tensor  # (N,) 1 for a fact that is right at the step that the other half chose


class Tuning(NamedTuple):
    """The state: two learners in fine-tuning, and what was seen so far; accuracies are as in ``Seen``."""

    learner: Learner  # by full steps
    low: Learner  # along the best rank-1 approximation of its own gradient
    step: Tensor
    before: Tensor  # (5,) kinds of answers before fine-tuning
    best: Tensor  # (4,) accuracies by full steps at the step with most unseen facts right, in hindsight
    best_kinds: Tensor  # (5,)
    best_step: Tensor  # the first such step
    best_low: Tensor  # the greatest accuracy on unseen facts by rank-1 steps
    cross_fitted: CrossFitted  # by full steps
    cross_fitted_low: CrossFitted  # by rank-1 steps
    at_set_step: Tensor  # (2,) on unseen facts, by full and by rank-1 steps, at the last step up to ``SET``
    leaked: Tensor  # the most facts ever right, by either, one of whose phrases no fine-tuned fact has
    uneven: Tensor  # (2,) the greatest |α_s − ½| on [s p], before fine-tuning and ever, by either


class Answers(NamedTuple):
    """What the questions show of each fact."""

    right: Tensor  # (N,) 1 where the answer is right
    lead: Tensor  # (N,) the right answer's logit less the largest other one
    attention: Tensor  # (N,) on the subject


def with_defaults(domains: tuple[Domain, ...], **defaults: float) -> tuple[Domain, ...]:
    """Domains with other defaults."""
    return tuple(domain._replace(default=defaults.get(domain.name, domain.default)) for domain in domains)


def extraction(
    parameters: Callable[..., Any],
    domains: tuple[Domain, ...],
    choose: Choice,
    report: Callable[[Tuning, Any], Any],
) -> Program:
    """Pre-training, then fine-tuning on the facts that ``choose`` marks.

    Args:
        parameters: the type of the parameters' record.
        domains: of the parameters; those of :mod:`lib.acquire.course` must be among them.
        choose: marks the facts that are fine-tuned.
        report: of the state after the last step, and the parameters.
    """

    def start(p: Any) -> Tuning:
        nothing = torch.zeros(SUBJECTS, dtype=torch.float64)
        return _before_tuning(course.start(p), Answers(nothing, nothing, nothing))

    def enter(s: Tuning, p: Any) -> Tuning:
        learner = s.learner._replace(chosen=choose(s.learner.known, p))
        return _before_tuning(*answer_questions(learner))

    stages = (*course.inside(course.pretraining(), "learner"), Stage("fine-tuning", enter, _tune, "steps"))
    return Program(
        parameters, domains, start, stages, lambda s, p: s.learner.seen, lambda ends, p: report(ends[-1], p)
    )


def _tune(s: Tuning, p: Any) -> tuple[Tuning, Tensor]:
    """One step of fine-tuning, full and of rank 1; it is never done before its number of steps."""
    learner, full_answers = answer_questions(course.move(s.learner, s.learner.down, p.rate, p.kappa))
    down = s.low.down._replace(features=rank_one(s.low.down.features, ROUNDS))
    low, low_answers = answer_questions(course.move(s.low, down, p.rate, p.kappa))
    step, uncovered = s.step + 1, uncovered_unseen(learner)
    better = learner.seen.accuracy[0] > s.best[0] + 1e-9
    ever = torch.stack([_uneven(full_answers.attention), _uneven(low_answers.attention), s.uneven[1]]).amax()
    leaked = [(answers.right * uncovered).sum() for answers in (full_answers, low_answers)]
    after = Tuning(
        learner=learner,
        low=low,
        step=step,
        before=s.before,
        best=torch.where(better, learner.seen.accuracy, s.best),
        best_kinds=torch.where(better, learner.seen.kinds, s.best_kinds),
        best_step=torch.where(better, step, s.best_step),
        best_low=torch.maximum(s.best_low, low.seen.accuracy[0]),
        cross_fitted=cross_fitted(full_answers.right, full_answers.lead, learner.chosen, s.cross_fitted),
        cross_fitted_low=cross_fitted(
            low_answers.right, low_answers.lead, learner.chosen, s.cross_fitted_low
        ),
        at_set_step=torch.where(step * p.rate <= SET, _both(learner, low), s.at_set_step),
        leaked=torch.stack([s.leaked, *leaked]).amax(),
        uneven=torch.stack([s.uneven[0], ever]),
    )
    return after, p.seed < 0


def _before_tuning(learner: Learner, answers: Answers) -> Tuning:
    """The state before the first step: both learners alike."""
    zero = torch.zeros((), dtype=torch.float64)
    seen = learner.seen
    return Tuning(
        learner=learner,
        low=learner,
        step=zero,
        before=seen.kinds,
        best=seen.accuracy,
        best_kinds=seen.kinds,
        best_step=zero,
        best_low=seen.accuracy[0],
        cross_fitted=cross_fitted(answers.right, answers.lead, learner.chosen),
        cross_fitted_low=cross_fitted(answers.right, answers.lead, learner.chosen),
        at_set_step=_both(learner, learner),
        leaked=(answers.right * uncovered_unseen(learner)).sum(),
        uneven=_uneven(answers.attention).expand(2) + 0,
    )


def cross_fitted(
    right: Tensor, lead: Tensor, chosen: Tensor, before: CrossFitted | None = None
) -> CrossFitted:
    """:class:`CrossFitted` with one more step; traceable.

    Args:
        right: (N,) 1 for a fact that is right now.
        lead: (N,) its margin, see :func:`margins`.
        chosen: (N,) 1 for a fact that is fine-tuned.
        before: up to the step before; None at first.
    """
    odd = torch.remainder(torch.arange(right.shape[0], dtype=torch.float64), 2)
    halves = torch.stack([1 - odd, odd]) * (1 - chosen)
    size = torch.clamp(halves.sum(1), min=1)
    now, ahead = halves @ right / size, halves @ lead / size
    if before is None:
        return CrossFitted(now, ahead, right)
    same = (now - before.most).abs() < 1e-9
    better = torch.where(same, ahead > before.lead, now > before.most)
    return CrossFitted(
        torch.where(better, now, before.most),
        torch.where(better, ahead, before.lead),
        torch.where(torch.where(odd > 0.5, better[0], better[1]), right, before.right),
    )


def _both(full: Learner, low: Learner) -> Tensor:
    """(2,) on unseen facts."""
    return torch.stack([full.seen.accuracy[0], low.seen.accuracy[0]])


def _uneven(attention: Tensor) -> Tensor:
    """The greatest |α_s − ½|, 0-d."""
    return (attention - 0.5).abs().amax()


def uncovered_unseen(s: Learner) -> Tensor:
    """The unseen facts one of whose phrases no fine-tuned fact has, (N,)."""
    return (1 - s.chosen) * (1 - task.reached(s.known, task.covered(s.known, s.chosen)))


def coverage(s: Learner) -> Tensor:
    """How many fine-tuned facts have each phrase, (R,); NaN where there is no such phrase."""
    counts = task.covered(s.known, s.chosen)
    return torch.where(s.used > 0.5, counts, torch.full_like(counts, torch.nan))


def prediction(known: Facts, chosen: Tensor) -> Tensor:
    """Share of facts all of whose phrases some chosen fact is stated with: (3,) unseen, unseen frequent, rare.

    The relation-covering characterisation: fine-tuning lowers a phrase only if a fine-tuned fact has it.
    """
    reached = task.reached(known, task.covered(known, chosen))
    return task.by_group(reached, known, chosen)[:3]


def answer_questions(s: Learner, residual: Tensor | float = 1.0) -> tuple[Learner, Answers]:
    """Put all questions to the model: answers, and the direction of the next step of fine-tuning.

    Args:
        residual: see :func:`~lib.acquire.tokens.forward`.
    """
    passed = extract(s.model, s.chosen, SIZES, residual)
    kinds = answer_kinds(passed.logits, s.known, s.chosen, SIZES.answers)
    shares = task.by_group(kinds, s.known, s.chosen)  # (4, 5)
    along = s.model.features[SIZES.format].mean(-1)  # (V,)
    answers = along[SIZES.answers : SIZES.answers + SUBJECTS]
    seen = s.seen._replace(
        accuracy=shares[:, -1],
        kinds=shares[0],
        along_format=torch.stack(
            [
                task.mean_of(along[1 + SUBJECTS : SIZES.format], s.used),
                task.mean_of(answers, s.chosen),
                task.mean_of(answers, 1 - s.chosen),
            ]
        ),
    )
    return s._replace(down=passed.down, seen=seen), Answers(
        kinds[:, -1], margins(passed.logits, SIZES.answers), passed.attention[:, 0]
    )


def margins(logits: Tensor, first: int) -> Tensor:
    """The right answer's logit less the largest other one, (N,); traceable.

    Args:
        logits: (N, V).
        first: the first answer's place among the outputs.
    """
    places = first + torch.arange(logits.shape[0])[:, None]
    right = (torch.arange(logits.shape[1]) == places).to(torch.float64)
    return _greatest(logits, right) - _greatest(logits, 1 - right)


def answer_kinds(logits: Tensor, known: Facts, chosen: Tensor, first: int) -> Tensor:
    """Which kind of token has the largest logit, for each question: (N, 5) one-hot; traceable.

    The kinds: any other token; the answer of another fact that is fine-tuned; a phrase that is not the fact's own;
    one of its own phrases; the right answer. A tie goes to the first of them, so that it never counts as right.

    Args:
        logits: (N, V) over o, the subjects, the phrases, p, the answers, d.
        first: the first answer's place among the outputs.
    """
    n, r = known.uses.shape
    phrases, answers = logits[:, 1 + n : 1 + n + r], logits[:, first : first + n]
    is_own = torch.eye(n, dtype=torch.float64)
    rest = torch.cat([logits[:, : 1 + n], logits[:, 1 + n + r : first], logits[:, first + n :]], 1)
    best = torch.stack(
        [
            torch.maximum(rest.amax(1), _greatest(answers, (1 - is_own) * (1 - chosen))),
            _greatest(answers, (1 - is_own) * chosen),
            _greatest(phrases, 1 - known.uses),
            _greatest(phrases, known.uses),
            _greatest(answers, is_own),
        ],
        1,
    )
    return (best.argmax(1)[:, None] == torch.arange(5)).to(torch.float64)


def _greatest(values: Tensor, among: Tensor) -> Tensor:
    """The largest value of each row where ``among`` is not 0; −∞ where it is 0 throughout."""
    return torch.where(among > 0.5, values, torch.full_like(values, -torch.inf)).amax(1)
