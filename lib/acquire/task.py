"""Facts, the sentences that state them, and how much of a sentence is chance (Xu & Chen, Section 3)."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor

from lib import noise
from lib.domain import Domain

SUBJECTS = Domain("subjects", low=2, high=1000, integer=True)
PHRASES = Domain("phrases", low=1, high=63, integer=True)
MULTIPLICITY = Domain("multiplicity", low=1, high=63, integer=True)
FREQUENT = Domain("frequent_share", low=0, high=1)
SEED = Domain("seed", low=0, high=999, integer=True)


class Facts(NamedTuple):
    """N pairs of a subject and an answer, each stated with some of the R phrases.

    All are float64.
    """

    rank: Tensor  # (N, R) the order in which fact j draws the phrases, 0 first; R or more where none may be drawn
    multiplicity: Tensor  # (N,) K_j, with how many phrases fact j is stated: K if frequent, else 1
    frequent: Tensor  # (N,) 1 or 0
    draw_order: Tensor  # (N,) in (0, 1); fine-tuning takes the facts with the least

    @property
    def uses(self) -> Tensor:
        """(N, R) float64: 1 where fact j is stated with phrase i."""
        return (self.rank < self.multiplicity[:, None]).to(torch.float64)


class Sentences(NamedTuple):
    """The sentences "o d s r a", one for each fact and phrase.

    Weights add up to 1; a slot that holds no sentence has 0.
    """

    subject: Tensor  # (S,) int64, j
    phrase: Tensor  # (S,) int64, i
    weight: Tensor  # (S,) float64, the sentence's share of the loss


def draw(
    seed: Tensor, subjects: int, most: int, phrases: Tensor, multiplicity: Tensor, frequent: Tensor
) -> Facts:
    """Facts whose frequent ones, the first βN, each draw K of R phrases without replacement; traceable.

    Fact j's random numbers depend on seed and j alone, and its phrases for K are the first of those for K + 1.

    Args:
        seed: 0-d, a whole number; seed · N must stay below 10⁶.
        subjects: N.
        most: how many phrases there may be, R ≤ most ≤ 63.
        phrases, multiplicity: R and K, 0-d.
        frequent: how many facts are frequent, βN, 0-d.
    """
    streams = seed * subjects + torch.arange(subjects, dtype=torch.float64)
    drawn = torch.func.vmap(lambda stream: noise.uniform(stream, most + 1))(streams)  # (N, most + 1)
    place = torch.arange(most, dtype=torch.float64)
    key = drawn[:, :most] + (place >= phrases).to(torch.float64)  # phrases that do not exist come last
    rank = (key[:, None, :] < key[:, :, None]).to(torch.float64).sum(-1)
    is_frequent = (torch.arange(subjects) < frequent).to(torch.float64)
    return Facts(rank, 1 + is_frequent * (multiplicity - 1), is_frequent, drawn[:, most])


def facts(
    subjects: int, phrases: int, multiplicity: int, frequent_share: float = 0.5, seed: int = 0
) -> Facts:
    """:func:`draw` from plain numbers.

    Args:
        subjects: N.
        phrases: R.
        multiplicity: K.
        frequent_share: β.

    Raises:
        ValueError: a number outside its domain, K > R, or βN no whole number.
    """
    n, r, k = counts(subjects, phrases, multiplicity)
    share = float(FREQUENT.check(frequent_share))
    frequent = round(share * n)
    if abs(frequent - share * n) > 1e-9:
        raise ValueError(
            f"frequent_share = {share}: must make a whole number of subjects = {n}, not {share * n:g}"
        )
    seed = int(SEED.check(seed))
    return draw(_scalar(seed), n, r, _scalar(r), _scalar(k), _scalar(frequent))


def counts(subjects: int, phrases: int, multiplicity: int) -> tuple[int, int, int]:
    """N, R and K, checked.

    Raises:
        ValueError: a number outside its domain, or K > R.
    """
    domains = (SUBJECTS, PHRASES, MULTIPLICITY)
    n, r, k = (int(d.check(x)) for d, x in zip(domains, (subjects, phrases, multiplicity), strict=True))
    if k > r:
        raise ValueError(
            f"multiplicity = {k}: must be at most phrases = {r}, as no phrase is drawn twice for one fact"
        )
    return n, r, k


def fact_weight(known: Facts, reweighted: Tensor | float = 1.0) -> Tensor:
    """Each fact's share of the loss, (N,), adding up to 1; traceable.

    K_j over the number of sentences; with rare facts' gradients times K, as in the paper's experiments, 1/N for all.
    """
    plain = known.multiplicity / known.multiplicity.sum()
    return plain + reweighted * (1 / known.multiplicity.shape[0] - plain)


def sentences(known: Facts, reweighted: bool = True) -> Sentences:
    """All sentences that there are, fact by fact."""
    subject, phrase = torch.nonzero(known.uses, as_tuple=True)
    share = fact_weight(known, float(reweighted)) / known.multiplicity
    return Sentences(subject, phrase, share[subject])


def slots(known: Facts, frequent: int, most: int, reweighted: Tensor | float = 1.0) -> Sentences:
    """All sentences in a list of fixed length, with empty slots: ``most`` for each frequent fact, one for each
    other; traceable.

    Args:
        frequent: how many facts are frequent, known beforehand.
        most: slots of a frequent fact, K ≤ most.
    """
    n, r = known.rank.shape
    slot = torch.arange(most, dtype=torch.float64)
    chosen = (known.rank[:, None, :] == slot[:, None]).to(torch.float64)  # (N, most, R)
    phrase = (chosen * torch.arange(r, dtype=torch.float64)).sum(-1)  # (N, most)
    share = fact_weight(known, reweighted) / known.multiplicity
    weight = (slot < known.multiplicity[:, None]).to(torch.float64) * share[:, None]
    pick = torch.cat([torch.arange(frequent * most), torch.arange(frequent, n) * most])
    subject = torch.arange(n).repeat_interleave(most)
    return Sentences(
        subject[pick],
        phrase.reshape(-1).index_select(0, pick).to(torch.int64),
        weight.reshape(-1).index_select(0, pick),
    )


def entropy(known: Facts, reweighted: Tensor | float = 1.0) -> Tensor:
    """The least loss that any model can have, 0-d; traceable.

    Only the phrase is chance: H = ⅓ Σ_j ω_j log K_j, with ω_j fact j's share. That is ⅓ β log K where facts weigh
    alike, and ⅓ βNK log K / (βNK + (1 − β)N) where sentences do.
    """
    return (fact_weight(known, reweighted) * torch.log(known.multiplicity)).sum() / 3


def three_token_entropy(multiplicity: int) -> float:
    """½ log K, the same for sentences "s r a" of facts with K phrases each: 0.8047 at K = 5."""
    return math.log(multiplicity) / 2


def fine_tuned(known: Facts, share: Tensor | float) -> Tensor:
    """(N,) 1 for a fact that is fine-tuned: a share of the frequent ones, the first in the draw order; traceable."""
    earlier = (known.frequent * (known.draw_order < known.draw_order[:, None])).sum(1)
    return known.frequent * (earlier < torch.round(share * known.frequent.sum())).to(torch.float64)


def within(known: Facts, reach: Tensor | int) -> Tensor:
    """The frequent facts that are stated with the first ``reach`` phrases only, (N,); traceable."""
    beyond = (torch.arange(known.rank.shape[1]) >= reach).to(torch.float64)
    return known.frequent * (known.uses @ beyond < 0.5).to(torch.float64)


def mean_of(values: Tensor, group: Tensor) -> Tensor:
    """The mean over the facts of a group, NaN for an empty one; (N,), (N,) → 0-d; traceable."""
    return (values * group).sum() / group.sum()


def by_group(values: Tensor, known: Facts, chosen: Tensor) -> Tensor:
    """Means over the unseen facts, the frequent and the rare ones among them, and the fine-tuned ones; traceable.

    Args:
        values: (N,) or (N, k).
        chosen: (N,) 1 for a fact that is fine-tuned, else 0.

    Returns:
        (4,) or (4, k); NaN for a group without facts.
    """
    unseen = 1 - chosen
    groups = torch.stack([unseen, unseen * known.frequent, unseen * (1 - known.frequent), chosen])
    size = groups.sum(1) if values.ndim == 1 else groups.sum(1, keepdim=True)
    return groups @ values / size


def covered(known: Facts, chosen: Tensor) -> Tensor:
    """How many of the chosen facts are stated with each phrase, (R,); traceable."""
    return chosen @ known.uses


def reached(known: Facts, coverage: Tensor, least: Tensor | float = 1) -> Tensor:
    """The facts each of whose phrases is covered at least so often, (N,); traceable."""
    return (known.uses @ (coverage < least).to(torch.float64) < 0.5).to(torch.float64)


def _scalar(value: float) -> Tensor:
    return torch.tensor(float(value), dtype=torch.float64)
