"""Assumption 1 for random bijections: how often sets of relations keep it, and the best accuracy where they do not."""

from __future__ import annotations

from typing import NamedTuple

import torch

from book.recall.common import seeded
from book.recall.task.program import giveaway
from lib.program import run
from lib.recall.ceiling import agreeing_pairs, occupied_share
from lib.recall.task import assumption_1, random_bijections


class Ceiling(NamedTuple):
    """The best accuracy of naming r*."""

    limit: int  # how many answers K subjects can have
    most: float  # what no set of so many relations can beat
    law: float  # the mean, by the law
    counted: float  # the mean of some sets
    spread: float  # their standard deviation


class Breaches(NamedTuple):
    """How often Assumption 1 is broken."""

    agree: float  # chance that two random bijections agree on two subjects
    kept: int  # how many sets keep the assumption
    met: float  # share of the prompts whose examples fit another relation


def ceiling_of(subjects: int, relations: int, examples: int, sets: int = 10) -> Ceiling:
    """The best accuracy of naming r* among random bijections: at most, by the law, and counted for some sets."""
    n, places = subjects, subjects * (subjects - 1) * (subjects - 2 if examples == 3 else 1)
    counted = torch.tensor(
        [occupied_share(random_bijections(n, relations, seeded(seed)), examples) for seed in range(sets)]
    )
    law = run(giveaway(), subjects=n, load=relations / (n * (n - 1)), examples=examples).report
    return Ceiling(
        places, min(1, places / relations), float(law.ceiling), float(counted.mean()), float(counted.std())
    )


def breaches(subjects: int, relations: int = 12, sets: int = 20) -> Breaches:
    """How often random bijections break Assumption 1 somewhere, and how often a prompt meets a breach."""
    holds = [assumption_1(random_bijections(subjects, relations, seeded(seed))).holds for seed in range(sets)]
    law = run(giveaway(), subjects=subjects, load=relations / (subjects * (subjects - 1))).report
    return Breaches(agreeing_pairs(subjects), sum(holds), float(law.met))
