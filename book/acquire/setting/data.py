"""Section 3: facts, sentences and questions as they are drawn; equation 12: the loss on unseen questions."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable
from typing import NamedTuple

import torch
from scipy.stats import chi2

from book.acquire.setting.counts import drawn_phrases
from lib.acquire import model
from lib.acquire.extraction import answer_kinds
from lib.acquire.task import by_group, facts, fine_tuned, sentences
from lib.acquire.tokens import Sizes, extract

RARELY = 1e-6
"""The chance with which a χ² of uniform draws lies outside its bounds, on either side."""


class Evenness(NamedTuple):
    """χ² per degree of freedom, and where chance leaves it but for ``RARELY``."""

    chi: float
    low: float
    high: float


class Data(NamedTuple):
    """What many draws of the facts have in common."""

    repeats: int  # phrases that a fact has twice
    sentences_off: float  # how far their number is from N(βK + 1 − β), at most
    sets: Evenness  # of the sets of phrases of frequent facts
    alone: Evenness  # of the phrases of rare facts
    practised: Evenness  # of the sets of facts that are fine-tuned
    rare: int  # fine-tuned facts that are rare


class ExtractionLoss(NamedTuple):
    """Equation 12, and the accuracy that the chapter has in its place."""

    printed: float  # counted question by question in the model as printed
    accuracy: float  # the chapter's, on unseen facts


def evenness(drawn: Iterable[Hashable], cells: int) -> Evenness:
    """How evenly draws fall on the cells there are."""
    counts = Counter(drawn)
    mean = counts.total() / cells
    square = sum((count - mean) ** 2 for count in counts.values()) + (cells - len(counts)) * mean**2
    low, high = (float(x) / (cells - 1) for x in chi2.ppf([RARELY, 1 - RARELY], cells - 1))
    return Evenness(square / mean / (cells - 1), low, high)


def section_3(
    subjects: int = 8,
    phrases: int = 4,
    multiplicity: int = 2,
    replacement: bool = False,
    draws: int = 300,
    seed: int = 0,
) -> Data:
    """Draw facts many times, half of them frequent and half of these fine-tuned.

    Args:
        subjects, phrases, multiplicity: N, R and K.
        replacement: whether a fact may draw the same phrase twice.
        draws: how often.
        seed: of the first draw.

    Raises:
        ValueError: fewer than four subjects, or as many phrases of a fact as there are: then there is one set to draw.
    """
    if subjects < 4:
        raise ValueError(f"subjects = {subjects}: must be at least 4")
    if not 0 < multiplicity < phrases:
        raise ValueError(f"multiplicity = {multiplicity}: must be from 1 to phrases - 1 = {phrases - 1}")
    frequent, expected = subjects // 2, subjects * (multiplicity + 1) / 2
    sets, alone, practised, repeats, off, rare = [], [], [], 0, 0.0, 0
    for each in range(seed * draws, (seed + 1) * draws):
        uses = drawn_phrases(subjects, phrases, multiplicity, replacement, each)
        repeats += sum(len(of_one) - len(set(of_one)) for of_one in uses)
        sets += [tuple(sorted(of_one)) for of_one in uses[:frequent] if len(set(of_one)) == multiplicity]
        alone += [of_one[0] for of_one in uses[frequent:]]
        known = facts(subjects, phrases, multiplicity, 0.5, each)
        off = max(off, abs(len(sentences(known).subject) - expected))
        chosen = fine_tuned(known, 0.5)
        practised.append(tuple(chosen.nonzero()[:, 0].tolist()))
        rare += int((chosen * (1 - known.frequent)).sum())
    return Data(
        repeats=repeats,
        sentences_off=off,
        sets=evenness(sets, math.comb(phrases, multiplicity)),
        alone=evenness(alone, phrases),
        practised=evenness(practised, math.comb(frequent, frequent // 2)),
        rare=rare,
    )


def extraction_loss(share: float = 0.5, unseen: bool = True, seed: int = 0) -> ExtractionLoss:
    """The misclassified share of the questions [s p], in a random model that was given some of the answers.

    Args:
        share: of the frequent facts, those that are fine-tuned.
        unseen: whether only the other facts' questions are counted, or all.
        seed: of facts and weights.
    """
    sizes, generator = Sizes(subjects=12, phrases=4, neurons=3), torch.Generator().manual_seed(seed)
    known = facts(sizes.subjects, sizes.phrases, 2, 0.5, seed)
    chosen = fine_tuned(known, share)
    words = model.vocabulary(sizes, 7.0, sizes.tokens, generator)
    weights = model.initial(sizes, sizes.tokens, 0.3, 2.5, generator)
    given = torch.rand(sizes.subjects, generator=generator, dtype=torch.float64) < 0.3 + 0.6 * chosen
    for j in given.nonzero()[:, 0].tolist():
        weights.first_layer[sizes.answers + j] += 2 * words.rows[1 + j]
    wrong = []
    for j in range(sizes.subjects):
        if chosen[j] < 1 or not unseen:
            f = model.logits(weights, words.rows[[1 + j, sizes.format]])
            wrong.append(int(f.argmax()) != sizes.answers + j)
    logits = extract(model.in_tokens(weights, words, sizes), chosen, sizes).logits
    right = answer_kinds(logits, known, chosen, sizes.answers)[:, -1]
    return ExtractionLoss(sum(wrong) / len(wrong), float(by_group(right, known, chosen)[0]))
