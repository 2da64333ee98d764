"""Section 5: what the experiments of Figures 2, 3 and 4 show, rerun small. ``book/data`` has them at paper scale."""

from __future__ import annotations

import math
from typing import Any

import torch

from lib.claims import Claim, Evidence, Verdict, register
from lib.recall import experiments, finetuning, pretraining
from lib.recall.claims.common import PAPER
from lib.recall.finetuning import Data
from lib.recall.task import Prompts

PAGE = "book/recall/experiments"


def named_at_random(subjects: int, relations: int, examples: int, rivals: int = 1) -> float:
    """How often r* is named where it ties with every relation of ``rivals`` of the classes that match all answers.

    For random bijections a relation is in such a class with probability p = 1/(n (n − 1) … (n − K + 1)) each, so
    r* competes with 1 + Bin(|R| − 1, rivals·p) relations, and the mean of one over that is
    (1 − (1 − rivals·p)^|R|)/(|R|·rivals·p). With K = 2, one rival class, its own, gives the Bayes ceiling; two,
    the confusing one too, the saddle; all six the untrained model.
    """
    share = rivals / math.perm(subjects, examples)
    return -math.expm1(relations * math.log1p(-share)) / (relations * share) if share < 1 else 1 / relations


def figure_2(mirrored: int, seeds: int, steps: int) -> Evidence:
    """Eight prompts, in the figure's left setting: is attention pairwise in every seed?"""
    setting = experiments.FIGURE_2[0]
    trials = [experiments.trial(setting["subjects"], setting["relations"], 2, seed) for seed in range(seeds)]
    data = finetuning.stack([_eight(known, mirrored) for known in trials])
    start = torch.zeros(seeds, 6, dtype=torch.float64), torch.zeros(seeds, 7, dtype=torch.float64)
    rule = experiments.rule_of("adam", setting["temperature"])
    (end,) = finetuning.fine_tune_positions(start, data, setting["temperature"], rule, (steps,))
    found = finetuning.pairing(torch.softmax(end.parameters[0], 1))
    from_relation = torch.softmax(end.parameters[1], 1)
    others = from_relation.clone()
    others[:, 4] = 0
    return Evidence(
        hypotheses={"the start or D tells the two examples apart": not mirrored},
        predicted={"difference within a pair, at most a quarter of that between": 0.25},
        measured={
            "largest difference within a pair": float(found.within.max()),
            "smallest difference between pairs": float(found.between.min()),
            "least attention to the examples": float(found.mass.min()),
            "least attention from r* to the query": float(from_relation[:, 4].min()),
            "most attention from r* to another token": float(others.max()),
        },
        conclusion=bool(found.emerged.all()) and bool((from_relation[:, 4] > others.amax(1)).all()),
    )


def _eight(known: experiments.Trial, mirrored: int) -> Data:
    """D of eight prompts; ``mirrored``, each of them also with its examples in the other order."""
    shown = experiments.first(known, 8)
    if mirrored:
        swapped = shown.subjects[:, [1, 0, 2]]
        shown = Prompts(torch.cat([shown.subjects, swapped]), shown.relation.repeat(2))
    return finetuning.data(known.knowledge, shown)


def figure_3(trained: str, embedding: str, optimizer: str, samples: int, steps: int, seeds: int) -> Evidence:
    """One cell, |S| = 16 and |R| = 64: does the first step reach the Bayes ceiling, and the second perfection?"""
    setting: dict[str, Any] = {"subjects": 16, "relations": 64, "examples": 2, "temperature": 0.05}
    way: dict[str, Any] = {"trained": trained, "embedding": embedding, "optimizer": optimizer}
    rows = experiments.fine_tuned(**setting, **way, samples=(samples,), steps=(steps,), seeds=seeds)
    mean = {name: sum(float(row[name]) for row in rows) / seeds for name in rows[0] if name != "seed"}
    behind = max(row["ceiling"] - row["accuracy"] for row in rows)
    return Evidence(
        hypotheses={
            "eight samples or more": samples >= 8,
            "only scores between positions are trained": trained == "positions",
        },
        predicted={
            "ceiling": named_at_random(16, 64, 2),
            "untrained": named_at_random(16, 64, 2, rivals=6),
            "second step": 1.0,
        },
        measured={
            "accuracy": mean["accuracy"],
            "ceiling": mean["ceiling"],
            "untrained": mean["untrained"],
            "probability of r*": mean["probability"],
            "second step": mean["answer_accuracy"],
        },
        conclusion=behind < 0.005 and all(row["answer_accuracy"] > 1 - 1e-9 for row in rows),
    )


def figure_4(
    pretraining_temperature: float, pretraining_steps: int, steps: int, width: int, seed: int
) -> Evidence:
    """The figure's left setting with x²: is mean attention pairwise, and does the decoded relation attend to EoS?"""
    setting = experiments.FIGURE_2[0]
    n, relations, temperature = setting["subjects"], setting["relations"], setting["temperature"]
    known = experiments.trial(n, relations, 2, seed)
    generator, adam = known.generator, experiments.rule_of("adam", temperature)
    network = pretraining.network(2 * n + relations + 1, 7, "square", width, generator)
    network, _ = pretraining.pretrain(
        network, known.knowledge, pretraining_temperature, adam, pretraining_steps, generator
    )
    stored = min(pretraining.memory(network, known.knowledge).values())
    shown = experiments.first(known, 1024)
    tuned, _ = pretraining.fine_tune(network, known.knowledge, shown, temperature, adam, steps, generator)
    found = pretraining.measure(tuned, known.knowledge, known.test, temperature)
    pairs = finetuning.pairing(found.from_eos.mean((0, 1)))
    from_relation = found.from_relation.mean((0, 1))
    return Evidence(
        hypotheses={
            "pretraining stores the facts": stored > 0.99,
            "pretraining is warmer than fine-tuning": pretraining_temperature > temperature,
        },
        predicted={"even attention from r* to EoS": 1 / 7},
        measured={
            "facts recalled": stored,
            "difference within a pair": float(pairs.within),
            "difference between pairs": float(pairs.between),
            "attention from r* to EoS": float(from_relation[5]),
            "accuracy": float(found.accuracy),
        },
        conclusion=bool(pairs.emerged) and float(from_relation[5]) > 1 / 7,
    )


register(
    Claim(
        id="recall.figure-2",
        paper=PAPER,
        kind="figure",
        number="2",
        title="Attention ends pairwise",
        page=PAGE,
        statement=(
            "With eight subjects, 64 random relations, two examples and $T = 0.05$, and likewise with 512 relations, "
            "three examples and $T = 0.01$, training on the constructed memory ends with attention from EoS that is "
            "equal within each pair and differs between pairs, while the decoded relation attends most to the query."
        ),
        examine=figure_2,
        holds_at={"mirrored": 0, "seeds": 2, "steps": 1700},
        fails_at={"mirrored": 1, "seeds": 2, "steps": 1700},
        recorded=Verdict.CONFIRMED,
        finding=(
            "In all ten seeds from 64 prompts on, whatever is trained and by what; but these relations break "
            "Assumption 1, and no rule can name more than about 0.60 of them."
        ),
    )
)
register(
    Claim(
        id="recall.figure-3",
        paper=PAPER,
        kind="figure",
        number="3",
        title="Eight prompts are enough",
        page=PAGE,
        statement=(
            "Fine-tuned with Adam on eight prompts about random bijections, the model names the relation as often as "
            "any rule could, and once it is decoded the answer always."
        ),
        examine=figure_3,
        holds_at={
            "trained": "positions",
            "embedding": "any",
            "optimizer": "adam",
            "samples": 8,
            "steps": 1500,
            "seeds": 2,
        },
        fails_at={
            "trained": "all",
            "embedding": "random",
            "optimizer": "adam",
            "samples": 8,
            "steps": 600,
            "seeds": 2,
        },
        recorded=Verdict.ONLY_WHERE,
        finding=(
            "True where only scores between positions are trained, and two prompts do. When Adam trains the whole of "
            "W^KQ, eight do not, and the second step stays far from perfect; gradient descent fares much better."
        ),
        sharpened=True,
    )
)
register(
    Claim(
        id="recall.figure-4",
        paper=PAPER,
        kind="figure",
        number="4",
        title="The pattern survives a pretrained memory",
        page=PAGE,
        statement=(
            "Pretrain the whole transformer on facts, freeze its MLP and fine-tune the attention: in the mean over "
            "prompts attention from EoS is pairwise again, and the decoded relation attends to EoS more than evenly."
        ),
        examine=figure_4,
        holds_at={
            "pretraining_temperature": 1.0,
            "pretraining_steps": 1500,
            "steps": 600,
            "width": 64,
            "seed": 1,
        },
        fails_at={
            "pretraining_temperature": 0.05,
            "pretraining_steps": 1500,
            "steps": 600,
            "width": 64,
            "seed": 1,
        },
        recorded=Verdict.ONLY_WHERE,
        finding=(
            "With two examples the pattern comes for most activations, widths and pretraining temperatures, and "
            "attention to EoS where pretraining is warm; the relation is named far less often than it could be."
        ),
        sharpened=True,
    )
)
