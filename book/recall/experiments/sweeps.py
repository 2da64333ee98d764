"""The experiments of Huang et al., section 5, at paper scale: Figures 2, 3 and 4 as tables in ``book/data/``.

    python -m book experiments recall figure-2|figure-3|figure-4 [--workers N|ADDRESS] [--quick|--large]

The paper fixes Adam at rate 10⁻³, random bijections, random orthonormal embeddings, ten seeds, and for Figures 2
and 4 n = 8 with |R| = 64, T = 0.05 (two examples) and |R| = 512, T = 0.01 (three). It leaves open |D|, the number
of steps, the start, and for Figure 3 the grid, the temperature and what is trained. We vary what it leaves open.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import product
from typing import Any, NamedTuple

import torch
from torch import Generator, Tensor

from book.recall.experiments import finetuning
from book.recall.experiments.finetuning import Data, Optimizer, Outcome, Trained
from lib.recall.task import Knowledge, Prompts, assumption_1, bayes_ceiling, random_bijections, sample_prompts

RATE = 1e-3
"""Adam's learning rate, as the paper has it."""
SEEDS = 10
STEPS = {"positions": (6000,), "all": (10, 100, 1000)}
"""After how many steps to look. The last are enough for the loss to settle: tables say how much it still fell."""
DRAWN = 1024
"""Prompts drawn for fine-tuning; |D| is how many of them, from the first on, are used."""
TESTED = 1000
"""Prompts, none of them among those, on which the outcome is measured."""
DESCENT = 40.0
"""Rate of gradient descent, over T²: the theory's rates are of order T² (Theorem 2)."""
NOISE = 1e-3
"""Standard deviation of the start. Zero serves as well, since D tells the examples apart: Figure 2's table has both."""
FIGURE_2: tuple[dict[str, Any], ...] = (
    {"subjects": 8, "relations": 64, "examples": 2, "temperature": 0.05},
    {"subjects": 8, "relations": 512, "examples": 3, "temperature": 0.01},
)
"""The two settings of Figures 2 and 4."""
SHORT = (
    *("seed", "samples", "steps", "violations", "ceiling", "untrained", "saddle"),
    *("accuracy", "probability", "answer_accuracy"),
)
"""What Figure 3's thousands of rows are stored for."""
WAYS = (
    ("positions", "any", "adam"),
    ("all", "random", "adam"),
    ("all", "unit", "adam"),
    ("all", "random", "descent"),
)
"""What is trained, with which embeddings, by what: positions cannot tell embeddings, nor can gradient descent."""
QUICK: dict[str, Any] = {"seeds": 1, "steps": (10,)}
"""What a quick look asks for in the place of all seeds and steps."""


class Trial(NamedTuple):
    """What one seed decides: facts, prompts to train and to test on, and a generator for the start."""

    knowledge: Knowledge
    drawn: Prompts
    test: Prompts
    generator: Generator


def trial(subjects: int, relations: int, examples: int, seed: int) -> Trial:
    """Random bijections, ``DRAWN`` prompts to train on, and ``TESTED`` others to test on."""
    generator = Generator().manual_seed(seed)
    knowledge = random_bijections(subjects, relations, generator)
    drawn = sample_prompts(knowledge, DRAWN, generator, examples)
    return Trial(knowledge, drawn, finetuning.held_out(knowledge, drawn, TESTED, generator), generator)


def fine_tuned(
    subjects: int,
    relations: int,
    examples: int,
    temperature: float,
    trained: str,
    embedding: str,
    optimizer: str,
    samples: Sequence[int],
    noise: float = NOISE,
    steps: Sequence[int] = (),
    seeds: int = SEEDS,
) -> list[dict[str, Any]]:
    """Fine-tune with every seed and every |D|, and look after some numbers of steps: a row for each.

    Args:
        subjects, relations, examples: n, |R| and K.
        temperature: T.
        trained: "positions" (θ and ω) or "all" (the whole of W^KQ).
        embedding: "random" or "unit" vectors; positions cannot tell.
        optimizer: "adam", at rate ``RATE``, or gradient "descent", at ``DESCENT`` T².
        samples: each |D|, at most ``DRAWN``.
        noise: the standard deviation of the normal start.
        steps: after how many to look; ``STEPS`` by default.
        seeds: how many, from 0 on.
    """
    trials = [trial(subjects, relations, examples, seed) for seed in range(seeds)]
    starts = [_start(known, trained, embedding, noise) for known in trials]
    runs = [(seed, size) for seed in range(seeds) for size in samples]
    data = finetuning.stack(
        [finetuning.data(trials[seed].knowledge, first(trials[seed], size)) for seed, size in runs]
    )
    both = [torch.stack(parts).repeat_interleave(len(samples), 0) for parts in zip(*starts, strict=True)]
    rule = rule_of(optimizer, temperature)
    looks = _train(trained, both, data, temperature, rule, steps or STEPS[trained])
    return _rows(trials, runs, data, looks, temperature)


def _rows(
    trials: list[Trial], runs: list[tuple[int, int]], data: Data, looks: list[Trained], temperature: float
) -> list[dict[str, Any]]:
    """A row for each run (seed, |D|) and each look at it."""
    tests = [finetuning.stack([finetuning.data(known.knowledge, known.test)]) for known in trials]
    edges = [limits(known, temperature) for known in trials]
    rows = []
    for run, (seed, size) in enumerate(runs):
        facts = {"seed": seed, "samples": size, **edges[seed], "confusing": _confusing(data, run)}
        for look in looks:
            scores = finetuning.trained_scores(look, run, tests[seed].tokens)
            found = measured(finetuning.outcome(*scores, tests[seed], temperature))
            row = {**facts, "steps": look.steps, **found}
            row |= {f"loss_{i}": float(x) for i, x in enumerate(look.loss[run], 1)}
            row |= {f"drift_{i}": float(x) for i, x in enumerate(look.drift[run], 1)}
            rows.append(row)
    return rows


def _train(
    trained: str, start: list[Tensor], data: Data, temperature: float, rule: Optimizer, steps: Sequence[int]
) -> list[Trained]:
    """Train θ and ω, or W^KQ with the embeddings that are the second part of its start."""
    if trained == "positions":
        return finetuning.fine_tune_positions((start[0], start[1]), data, temperature, rule, steps)
    basis = finetuning.tokens_of(start[1], data.matches.shape[2])
    return finetuning.fine_tune_all(start[0], basis, data, temperature, rule, steps)


def rule_of(optimizer: str, temperature: float, descent: float = DESCENT) -> Optimizer:
    """Adam at the paper's rate, or gradient descent at ``descent`` T².

    Raises:
        ValueError: ``optimizer`` is neither.
    """
    rules: dict[str, Optimizer] = {
        "adam": partial(torch.optim.Adam, lr=RATE),
        "descent": partial(torch.optim.SGD, lr=descent * temperature**2),
    }
    if optimizer not in rules:
        raise ValueError(f"optimizer = {optimizer!r}: must be one of {', '.join(rules)}")
    return rules[optimizer]


def first(known: Trial, size: int) -> Prompts:
    """D: the first ``size`` of the prompts that were drawn."""
    return Prompts(known.drawn.subjects[:size], known.drawn.relation[:size])


def _start(known: Trial, trained: str, embedding: str, noise: float) -> tuple[Tensor, Tensor]:
    """θ and ω, or W^KQ and the embeddings, the latter two in single precision: they fill the memory."""
    places = 2 * known.drawn.examples + 3
    if trained == "positions":
        drawn = noise * torch.randn(2 * places - 1, generator=known.generator, dtype=torch.float64)
        return drawn[: places - 1], drawn[places - 1 :]
    vocabulary = 2 * known.knowledge.subjects + known.knowledge.relations + 1
    vectors = torch.eye(vocabulary)
    if embedding == "random":
        normal = torch.randn(vocabulary, vocabulary, generator=known.generator, dtype=torch.float64)
        vectors = torch.linalg.qr(normal).Q.float()
    side = places + vocabulary
    return noise * torch.randn(side, side, generator=known.generator), vectors


def limits(known: Trial, temperature: float) -> dict[str, float]:
    """What can be had on the test prompts: by the best rule, with no training, and where only order is unknown."""
    violations, multiplicity = assumption_1(known.knowledge)
    test = finetuning.stack([finetuning.data(known.knowledge, known.test)])
    places = test.tokens.shape[2]
    rest = torch.zeros(1, TESTED, places, dtype=torch.float64)
    saddle = rest[..., :-1].clone()
    saddle[..., -2:] = -torch.inf
    untrained = finetuning.outcome(rest[..., :-1], rest, test, temperature)
    return {
        "violations": violations,
        "multiplicity": multiplicity,
        "ceiling": bayes_ceiling(known.knowledge, known.test),
        "untrained": float(untrained.accuracy),
        "untrained_p": float(untrained.probability),
        "saddle": float(finetuning.outcome(saddle, rest, test, temperature).accuracy),
    }


def _confusing(data: Data, run: int) -> float:
    """The share of a run's prompts in which some relation gives the examples each other's answers."""
    there = (data.log_counts[run][:, finetuning.permuting(data.matches)] > -torch.inf).any(1)
    return float((data.weights[run] * there).sum())


def measured(result: Outcome) -> dict[str, float]:
    """The outcome of one run as numbers: v and q are mean attention, ``pairwise`` the share of prompts so attended."""
    mean = finetuning.pairing(result.from_eos.mean(1))
    pairwise = finetuning.pairing(result.from_eos).emerged.double().mean()
    steps = {name: x for name, x in result._asdict().items() if name not in ("from_eos", "from_relation")}
    row = {name: float(x) for name, x in {**steps, **mean._asdict(), "pairwise": pairwise}.items()}
    for letter, attention in (("v", result.from_eos), ("q", result.from_relation)):
        row |= {f"{letter}{i}": float(x) for i, x in enumerate(attention.mean((0, 1)), 1)}
    return row


def in_short(**cell: Any) -> list[dict[str, Any]]:
    """The rows of :func:`fine_tuned` as Figure 3 is drawn from them: without attention and losses, to four digits."""
    return [{name: float(f"{row[name]:.4g}") for name in SHORT} for row in fine_tuned(**cell)]


def figure_2(quick: bool, large: bool) -> list[dict[str, Any]]:
    """The settings of Figure 2, with every way of training, several |D| and, at one of them, several starts."""
    if quick:
        return [
            {**setting, **_way(way, 8), "noise": NOISE, **QUICK} for setting, way in product(FIGURE_2, WAYS)
        ]
    cells = []
    for setting, way in product(FIGURE_2, WAYS):
        heavy = setting["examples"] == 3 and way[0] == "all"
        for size in (8, 64, 256, 1024) if large else (8, 64) if heavy else (8, 64, 256):
            starts = (0.0, NOISE, 0.1) if size == 64 and setting["examples"] == 2 else (NOISE,)
            cells += [{**setting, **_way(way, size), "noise": noise} for noise in starts]
    return cells


def _way(way: tuple[str, ...], *samples: int) -> dict[str, Any]:
    """One of ``WAYS`` and each |D|, as keywords of :func:`fine_tuned`."""
    trained, embedding, optimizer = way
    return {"trained": trained, "embedding": embedding, "optimizer": optimizer, "samples": samples}


def figure_3(quick: bool, large: bool) -> list[dict[str, Any]]:
    """A grid over |S|, |R| and |D| with two examples; temperatures vary where positions are trained."""
    if quick:
        return [{**_cell(8, 64, way, (1, 8)), **QUICK} for way in WAYS]
    positions, random, unit, descent = WAYS
    sizes, colder = (1, 2, 4, 8, 16, 32, 64), (0.01, 0.02, 0.1, 0.2)
    grid = list(product((8, 16, 32, 64, 128), (16, 64, 256, 1024)))
    full = [(n, r) for n, r in grid if large or (n <= 64 and r <= 256)]
    cells = [_cell(n, r, positions, sizes) for n, r in grid]
    cells += [_cell(n, 64, positions, sizes, t) for n in (8, 16, 32, 64) for t in colder]
    cells += [_cell(n, r, random, (d,)) for (n, r), d in product(full, sizes)]
    cells += [_cell(n, 64, random, (d,)) for n, d in product((8, 32), (256, 1024))]
    return cells + [
        _cell(n, r, way, (d,)) for way, (n, r), d in product((unit, descent), full, sizes) if large or r == 64
    ]


def _cell(
    subjects: int, relations: int, way: tuple[str, ...], samples: tuple[int, ...], temperature: float = 0.05
) -> dict[str, Any]:
    setting = {"subjects": subjects, "relations": relations, "examples": 2, "temperature": temperature}
    return {**setting, **_way(way, *samples)}
