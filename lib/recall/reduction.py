"""IC-recall by an exact reduction that no longer depends on n, |R| or the width of the MLP.

With partial fine-tuning every prompt is attended alike, v = softmax(θ) from EoS and q = softmax(ω) from the
decoded relation. By eq. 18 of Huang et al. a relation's logit depends only on which shown subject it maps to
which shown answer: a partial injective map {s₁ … s_{K+1}} → {a₁ … a_K}, its class. To θ a prompt is thus a
histogram of the |R| relations over the classes, and a data set the shares of its distinct histograms; to ω
all prompts are alike.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import torch
from torch import Tensor

from lib.recall.task import CHUNK, EXAMPLES, Knowledge, Prompts, check_prime, matches

CLASSIFIABLE = EXAMPLES._replace(high=6)
"""Numbers of examples whose classes are listed: 13, 73, 501, 4 051, 37 633 of them."""


class Reduced(NamedTuple):
    """A fine-tuning set as far as θ and ω can tell: C classes, H distinct histograms."""

    matches: Tensor
    """(C, K+1, K) float64, 1 where class c maps subject i to example j's answer: :func:`match_classes`."""
    log_counts: Tensor
    """(H, C) float64, the log of the number of relations of each class; −inf where there are none."""
    weights: Tensor
    """(H,) float64, the share of the prompts that have this histogram; they add up to 1."""
    subjects: Tensor
    """0-d float64, n."""


def match_classes(examples: int) -> Tensor:
    """All partial injective maps from the K+1 subjects of a prompt to its K example answers.

    Class 0 is the true relation's, sᵢ ↦ aᵢ with s_{K+1} unmatched. Classes with more matches come first, then
    those that leave the query unmatched, then in lexicographic order. For K = 2 class 1 is the confusing one,
    2 … 5 the mismatched ones (r₃ … r₆ of Huang et al., Table 1), 6 … 11 match once, 12 never.

    Args:
        examples: K, from 2 to 6.

    Returns:
        (C, K+1, K) float64 of 0 and 1; C = 13, 73, 501, … for K = 2, 3, 4, …

    Raises:
        ValueError: ``examples`` outside 2 … 6.
    """
    CLASSIFIABLE.check(examples)
    images = _class_images(examples)
    return (images[:, :, None] == torch.arange(examples)).to(torch.float64)  # (C, K+1) → (C, K+1, K)


def reduce(knowledge: Knowledge, prompts: Prompts) -> Reduced:
    """The exact reduction of a fine-tuning set, where θ and ω alone are trained.

    Args:
        knowledge: the relations among which a prompt's own is sought.
        prompts: the fine-tuning data D; repeated prompts count as often as they occur.

    Raises:
        ValueError: more than 6 examples.
    """
    parts = [part.unique(dim=0, return_counts=True) for part in _histograms(knowledge, prompts)]
    rows, counts = zip(*parts, strict=True)
    histograms, place = torch.cat(rows).unique(dim=0, return_inverse=True)
    times = torch.zeros(len(histograms), dtype=torch.int64).index_add(0, place, torch.cat(counts))
    return Reduced(
        matches=match_classes(prompts.examples),
        log_counts=histograms.to(torch.float64).log(),
        weights=times.to(torch.float64) / prompts.size,
        subjects=torch.tensor(float(knowledge.subjects), dtype=torch.float64),
    )


def prompt_histograms(knowledge: Knowledge, prompts: Prompts) -> Tensor:
    """How many relations of each class each prompt has, where prompts must be told apart: (B, C) int64.

    Raises:
        ValueError: more than 6 examples.
    """
    return torch.cat(list(_histograms(knowledge, prompts)))


def affine_reduced(q: int) -> Reduced:
    """The reduction of all prompts with two examples about the affine family over q elements, in closed form.

    Args:
        q: a prime of at least 3, however large: no relation is listed.

    Raises:
        ValueError: ``q`` is not a prime of at least 3.
    """
    check_prime(q)
    n = torch.tensor(float(q), dtype=torch.float64)
    return Reduced(match_classes(2), affine_log_counts(n)[None], torch.ones(1, dtype=torch.float64), n)


def affine_counts(subjects: Tensor) -> Tensor:
    """The one histogram of the affine family for K = 2; traceable in n.

    Just one relation joins any two pairs, so each of the 6 classes of two matches has 1. A pair (sᵢ, aⱼ)
    belongs to n − 1 relations, 2 of which also match the other answer, so each of the 6 classes of one match
    has n − 3. What is left for no match is n(n − 1) − 6 − 6(n − 3) = (n − 3)(n − 4). Under Assumption 1 no family
    of bijections has more of any class (Huang et al., proof of Lemma 9, count the same).

    Args:
        subjects: 0-d float64, n ≥ 3, unchecked here. Such relations exist when n is a power of a prime.

    Returns:
        (13,), in the order of :func:`match_classes`.
    """
    one = torch.ones_like(subjects)
    return torch.stack([one] * 6 + [subjects - 3] * 6 + [(subjects - 3) * (subjects - 4)])


def affine_log_counts(subjects: Tensor) -> Tensor:
    """The logs of :func:`affine_counts`, −inf where there are none."""
    return torch.log(affine_counts(subjects))


def relation_logits(attention: Tensor, matches: Tensor) -> Tensor:
    """ℓ_c = 2 Σᵢⱼ M_c[i, j] v_{2i−1} v_{2j}, the logit of a relation of class c (Huang et al., eq. 18).

    The printed Σ vᵢ² is left out: it is the same for all relations and cancels in every softmax.

    Args:
        attention: (2K + 2,), v, the attention from EoS.
        matches: (C, K+1, K).

    Returns:
        (C,).
    """
    subjects, answers = attention[0:-1:2], attention[1:-1:2]  # (K+1,), (K,)
    return 2 * (matches * subjects[:, None] * answers).sum((-2, -1))


def relation_loss(theta: Tensor, reduced: Reduced, temperature: float | Tensor) -> Tensor:
    """L₁ = mean over prompts of log Σ_c N_c exp((ℓ_c − ℓ_0)/T) (Huang et al., eq. 1); traceable.

    Args:
        theta: (2K + 2,); −inf is attention 0.
        reduced: the data.
        temperature: T > 0, unchecked here.

    Returns:
        0-d, in nats, to about 1e-16 absolutely.

    Raises:
        ValueError: ``theta`` has not 2K + 2 entries.
    """
    return (reduced.weights * torch.logsumexp(_relation_exponents(theta, reduced, temperature), 1)).sum()


def relation_shares(theta: Tensor, reduced: Reduced, temperature: float | Tensor) -> Tensor:
    """N_c p_c, the probability that the first decoding step gives to each class; traceable.

    Where Assumption 1 holds, class 0 is the true relation alone and its share is p₁(r*).

    Args:
        theta: (2K + 2,).
        reduced: the data.
        temperature: T > 0, unchecked here.

    Returns:
        (H, C), each row adding up to 1.

    Raises:
        ValueError: ``theta`` has not 2K + 2 entries.
    """
    return torch.softmax(_relation_exponents(theta, reduced, temperature), 1)


def answer_loss(omega: Tensor, reduced: Reduced, temperature: float | Tensor) -> Tensor:
    """L₂ = log(Σ_{j≤K+1} exp(2 xⱼ c/T) + n − K − 1) − 2 x_{K+1} c/T (Huang et al., eq. 2); traceable.

    q = softmax(ω) is the attention from the decoded relation: xⱼ = q_{2j−1} falls on subject j, and
    c = 1 + q_{2K+3} is the relation's own weight, the residual stream included.

    Args:
        omega: (2K + 3,); −inf is attention 0.
        reduced: the data, of which only K and n matter.
        temperature: T > 0, unchecked here.

    Returns:
        0-d, in nats.

    Raises:
        ValueError: ``omega`` has not 2K + 3 entries.
    """
    shown = reduced.matches.shape[1]  # K + 1
    _check_length("omega", omega, 2 * shown + 1)
    attention = torch.softmax(omega, 0)
    slope = 2 * (1 + attention[-1]) / temperature
    subjects = attention[0:-2:2]  # (K+1,)
    others = torch.log(reduced.subjects - shown) - slope * subjects[-1]  # answers of the subjects not shown
    return torch.logsumexp(torch.cat([slope * (subjects - subjects[-1]), others[None]]), 0)


def answer_probability(omega: Tensor, reduced: Reduced, temperature: float | Tensor) -> Tensor:
    """p₂(a_{K+1}) = exp(−L₂), the probability of the right answer once r* is decoded; 0-d, traceable.

    Args and errors are those of :func:`answer_loss`.
    """
    return torch.exp(-answer_loss(omega, reduced, temperature))


def _relation_exponents(theta: Tensor, reduced: Reduced, temperature: float | Tensor) -> Tensor:
    """log N_c + (ℓ_c − ℓ_0)/T, (H, C)."""
    _check_length("theta", theta, 2 * reduced.matches.shape[1])
    # subtracted in the matches, not in the logits, so that class 0 adds no round-off to the gradient
    gaps = relation_logits(torch.softmax(theta, 0), reduced.matches - reduced.matches[:1])
    return reduced.log_counts + gaps / temperature


def _check_length(name: str, vector: Tensor, length: int) -> None:
    if vector.shape != (length,):
        raise ValueError(f"{name} has shape {tuple(vector.shape)}: must be ({length},) for this data set")


def _class_images(examples: int) -> Tensor:
    """The classes as maps, in the order of :func:`match_classes`: (C, K+1) int64, K where unmatched."""
    unmatched = examples
    maps = [
        images
        for images in product(range(examples + 1), repeat=examples + 1)
        if all(images.count(answer) <= 1 for answer in range(examples))
    ]
    maps.sort(key=lambda images: (images.count(unmatched), images[-1] != unmatched, images))
    return torch.tensor(maps)


def _histograms(knowledge: Knowledge, prompts: Prompts) -> Iterator[Tensor]:
    """How many relations of each class each prompt has, for some prompts at a time: (b, C) int64."""
    examples = prompts.examples
    CLASSIFIABLE.check(examples)
    images = _class_images(examples)
    power = (examples + 1) ** torch.arange(examples + 1)
    number = torch.full(((examples + 1) ** (examples + 1),), -1)  # from a map, read as a number, to its class
    number[(images * power).sum(1)] = torch.arange(len(images))
    for hits in matches(knowledge, prompts):
        for hit in hits.split(max(1, CHUNK // len(images))):  # (b, R, K+1, K)
            digit = torch.where(hit.any(3), hit.to(torch.int8).argmax(3), examples)  # K where unmatched
            classes = number[(digit * power).sum(2)] + len(images) * torch.arange(len(hit))[:, None]  # (b, R)
            yield torch.bincount(classes.flatten(), minlength=len(hit) * len(images)).reshape(len(hit), -1)
