"""What unseen facts are answered with during fine-tuning: rows of the tables of GPT-2 and of one layer."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor

from lib.acquire import task
from lib.acquire.task import Facts
from lib.acquire.tokens import Sizes

KINDS = ("own_covered", "own_uncovered", "other_phrase", "tuned_answer", "other_answer", "neither")
"""What a question may be answered with but for the right answer: a phrase of the fact itself, covered by a fact that
is fine-tuned or not; another phrase; the answer of a fact that is fine-tuned; that of another; no phrase or answer."""


class Looks(NamedTuple):
    """The answers to all questions at some steps of fine-tuning, the start and the end included.

    Tokens are those of :class:`~lib.acquire.tokens.Sizes`, with o behind the phrases.
    """

    steps: list[int]  # steps made before each look
    answers: Tensor  # (L, N) int64, the token that each question is answered with
    untuned_answers: Tensor  # (L, N) int64, the likeliest of the answers to questions that are not fine-tuned


def outcomes(known: Facts, chosen: Tensor, looks: Looks) -> list[dict[str, Any]]:
    """What half of the unseen facts, the test, are answered with at four steps.

    These are "start", "best" (the flattering one, chosen on the test), "chosen" (on the other half), "last".

    Args:
        chosen: (N,) 1 for a fact that is fine-tuned.

    Returns:
        for each ``when`` a row with ``step``; ``once``, the share of the test facts with a phrase that is covered,
        whatever the network answers; shares of right answers by group, see :func:`_groups`; of the test facts that are
        not open, ``below``, the share whose answer comes first among those that were not fine-tuned, and the shares of
        ``KINDS``.

    Raises:
        ValueError: fewer than two facts are unseen, or none is fine-tuned.
    """
    subjects, phrases = known.rank.shape
    right_answers = Sizes(subjects, phrases, neurons=1).answers + torch.arange(len(known.rank))
    right = (looks.answers == right_answers).to(torch.float64)  # (L, N)
    first_untuned = (looks.untuned_answers == right_answers).to(torch.float64)
    covered = (task.covered(known, chosen) > 0).to(torch.float64)  # (R,)
    groups, shut, not_open = _groups(known, chosen, covered)
    kinds = torch.stack([_kind(known, chosen, covered, answers) for answers in looks.answers])
    once = float(task.mean_of(1 - shut, groups["right"]))
    looks_at = {
        "start": 0,
        "best": int((right @ groups["right"]).argmax()),
        "chosen": int((right @ groups["others"]).argmax()),
        "last": len(looks.steps) - 1,
    }
    rows = []
    for when, look in looks_at.items():
        row: dict[str, Any] = {"when": when, "step": looks.steps[look], "once": once}
        row |= {name: float(task.mean_of(right[look], group)) for name, group in groups.items()}
        row["below"] = float(task.mean_of(first_untuned[look], not_open))
        row |= {
            name: float(task.mean_of((kinds[look] == kind).to(torch.float64), not_open))
            for kind, name in enumerate(KINDS, 1)
        }
        rows.append(row)
    return rows


def _groups(known: Facts, chosen: Tensor, covered: Tensor) -> tuple[dict[str, Tensor], Tensor, Tensor]:
    """The groups of facts by the names of their columns, each (N,) of 0 and 1.

    "right" is the test, every second unseen fact; "frequent" and "rare" are those of it; "fit" are the fine-tuned
    facts, "others" the unseen ones that are not in the test. A fact is open if all of its phrases are covered by a fact
    that is fine-tuned, shut if none is; "partly" are the others, all frequent.

    Returns:
        the groups; all facts that are shut; the test facts that are not open.

    Raises:
        ValueError: fewer than two facts are unseen, or none is fine-tuned.
    """
    n = len(known.rank)
    unseen = torch.nonzero(1 - chosen)[:, 0]
    if len(unseen) < 2 or len(unseen) == n:
        raise ValueError(
            f"tuned = {n - len(unseen)}: must be at least 1, and leave two of subjects = {n} facts held out"
        )
    test = torch.zeros(n, dtype=torch.float64).index_fill(0, unseen[::2], 1)
    depth = (known.uses @ covered) / known.multiplicity
    opened, shut = (depth == 1).to(torch.float64), (depth == 0).to(torch.float64)
    by_frequency = {"frequent": test * known.frequent, "rare": test * (1 - known.frequent)}
    groups = {"right": test, **by_frequency, "partly": test * (1 - opened - shut), "fit": chosen}
    groups |= {"others": 1 - chosen - test}
    groups |= {f"open_{name}": group * opened for name, group in by_frequency.items()}
    groups |= {f"shut_{name}": group * shut for name, group in by_frequency.items()}
    return groups, shut, test * (1 - opened)


def _kind(known: Facts, chosen: Tensor, covered: Tensor, answers: Tensor) -> Tensor:
    """(N,) 0 where the answer is right, else the place in ``KINDS``, from 1."""
    n, r = known.rank.shape
    phrase = torch.clamp(answers - n, 0, r - 1)
    is_own = known.uses.gather(1, phrase[:, None])[:, 0] > 0
    fact = answers - Sizes(n, r, 1).answers
    of_phrase = torch.where(is_own, torch.where(covered[phrase] > 0, 1, 2), 3)
    of_answer = torch.where(chosen[torch.clamp(fact, 0, n - 1)] > 0, 4, 5)
    kind = torch.where((fact >= 0) & (fact < n), of_answer, 6)
    kind = torch.where((answers >= n) & (answers < n + r), of_phrase, kind)
    return torch.where(fact == torch.arange(n), 0, kind)
