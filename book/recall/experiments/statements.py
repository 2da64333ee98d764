"""Section 5: what the experiments of Figures 2, 3 and 4 show, rerun small. ``book/data`` has them at paper scale."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor

from book.ledger import Bounds, Ground, above, at_least, at_most, below, recorded, statement
from book.recall.common import named_at_random
from book.recall.experiments import finetuning, pretraining, sweeps
from book.recall.experiments.finetuning import Data
from book.sweep import read
from lib.recall.task import Prompts

SETTING: dict[str, Any] = {"subjects": 16, "relations": 64, "examples": 2, "temperature": 0.05}
"""One cell of Figure 3."""


class FewPrompts(NamedTuple):
    """Attention after training on a few prompts, the worst of the seeds; 0-d each."""

    uneven: Tensor  # largest difference within a pair, less a quarter of that between pairs
    within: Tensor  # largest difference within a pair
    between: Tensor  # smallest difference between pairs
    mass: Tensor  # least attention to the examples
    query: Tensor  # least attention from r* to the query
    lead: Tensor  # least lead of the query in that attention


class Panels(NamedTuple):
    """Both panels of Figure 2."""

    two: FewPrompts
    three: FewPrompts


class Cell(NamedTuple):
    """Both decoding steps after fine-tuning in one cell of Figure 3."""

    behind: float  # how far the first step stays below the Bayes ceiling, at worst
    second: float  # accuracy of the second step, at worst
    accuracy: float  # of the first step; means of the seeds from here on
    ceiling: float
    untrained: float
    probability: float


class LearnedMemory(NamedTuple):
    """Attention after fine-tuning on a memory that was pretrained."""

    stored: float  # share of the facts recalled, of the worst kind
    eos: float  # attention from r* to EoS
    within: float  # difference within a pair
    between: float  # difference between pairs
    accuracy: float  # of the first step


def few_prompts(
    mirrored: int, seeds: int, steps: int, examples: int = 2, samples: int = 8, seed: int = 0
) -> FewPrompts:
    """Train positions on a few prompts in Figure 2's settings and return the attention of the worst seed."""
    setting = sweeps.FIGURE_2[examples - 2]
    trials = [sweeps.trial(**_facts(setting), seed=seed + k) for k in range(seeds)]
    data = finetuning.stack([_first(known, samples, mirrored) for known in trials])
    width, query = 2 * examples + 2, 2 * examples
    start = [torch.zeros(seeds, width + k, dtype=torch.float64) for k in range(2)]
    rule = sweeps.rule_of("adam", setting["temperature"])
    (end,) = finetuning.fine_tune_positions(
        (start[0], start[1]), data, setting["temperature"], rule, (steps,)
    )
    pairing = finetuning.pairing(torch.softmax(end.parameters[0], 1))
    from_relation = torch.softmax(end.parameters[1], 1)
    others = from_relation.clone()
    others[:, query] = 0
    return FewPrompts(
        uneven=(pairing.within - finetuning.EVEN * pairing.between).max(),
        within=pairing.within.max(),
        between=pairing.between.min(),
        mass=pairing.mass.min(),
        query=from_relation[:, query].min(),
        lead=(from_relation[:, query] - others.amax(1)).min(),
    )


def both_panels(mirrored: int, seeds: int, steps: int, samples: int = 8, seed: int = 0) -> Panels:
    """:func:`few_prompts` with two examples and with three."""
    two, three = (few_prompts(mirrored, seeds, steps, examples, samples, seed) for examples in (2, 3))
    return Panels(two, three)


def _facts(setting: dict[str, Any]) -> dict[str, int]:
    return {name: setting[name] for name in ("subjects", "relations", "examples")}


def _first(known: sweeps.Trial, samples: int, mirrored: int) -> Data:
    """D of a few prompts; ``mirrored``, each of them also with its first two examples in the other order."""
    shown = sweeps.first(known, samples)
    if mirrored:
        swapped = torch.cat([shown.subjects[:, [1, 0]], shown.subjects[:, 2:]], 1)
        shown = Prompts(torch.cat([shown.subjects, swapped]), shown.relation.repeat(2))
    return finetuning.data(known.knowledge, shown)


def one_cell(
    trained: str,
    embedding: str,
    optimizer: str,
    samples: int,
    steps: int,
    seeds: int,
    subjects: int = SETTING["subjects"],
    relations: int = SETTING["relations"],
) -> Cell:
    """Fine-tune in one cell of Figure 3 and return means and the worst of the seeds."""
    way: dict[str, Any] = {"trained": trained, "embedding": embedding, "optimizer": optimizer}
    cell = {**SETTING, "subjects": subjects, "relations": relations}
    rows = sweeps.fine_tuned(**cell, **way, samples=(samples,), steps=(steps,), seeds=seeds)
    mean = {name: sum(float(row[name]) for row in rows) / seeds for name in rows[0] if name != "seed"}
    return Cell(
        behind=max(row["ceiling"] - row["accuracy"] for row in rows),
        second=min(row["answer_accuracy"] for row in rows),
        **{name: mean[name] for name in ("accuracy", "ceiling", "untrained", "probability")},
    )


class WholeMatrix(NamedTuple):
    """Mean attention from EoS where all of W^KQ is trained, the worst of the seeds."""

    apart: float  # largest difference, entry by entry, from that of a run that trains positions alone
    off: float  # largest distance from a pattern (a, a, ½ − a, ½ − a, 0, 0)
    between: float  # smallest difference between the pairs
    second: float  # least accuracy of the second step


class StoredPattern(NamedTuple):
    """Mean attention with three examples in the stored runs of Figure 4, the best of them."""

    ratio: float  # smallest difference between two pairs, over the largest within a pair: the greatest of the runs
    least: float  # attention on a token of the least attended pair: the greatest of the runs
    eos: float  # attention on EoS: the least of the runs
    runs: float
    pairwise: float  # share of the runs that are pairwise by the page's looser measure


def whole_matrix(optimizer: str = "adam", samples: int = 64, seeds: int = 1, steps: int = 300) -> WholeMatrix:
    """Train all of W^KQ, and positions alone on the same prompts, in Figure 2's left setting."""
    setting = sweeps.FIGURE_2[0]
    common: dict[str, Any] = {**setting, "samples": (samples,), "seeds": seeds}
    whole = sweeps.fine_tuned(
        **common, trained="all", embedding="random", optimizer=optimizer, steps=(steps,)
    )
    places = sweeps.fine_tuned(
        **common, trained="positions", embedding="any", optimizer="adam", steps=(1700,)
    )
    ours, theirs = (torch.tensor([_greater_first(row) for row in rows]) for rows in (whole, places))
    a = (ours[:, 2] + ours[:, 3]) / 2
    pattern = torch.stack([0.5 - a, 0.5 - a, a, a, 0 * a, 0 * a], 1)
    return WholeMatrix(
        apart=float((ours - theirs).abs().max()),
        off=float((ours - pattern).abs().max()),
        between=min(float(row["between"]) for row in whole),
        second=min(float(row["answer_accuracy"]) for row in whole),
    )


def _greater_first(row: dict[str, Any]) -> list[float]:
    """v₁ … v₆, with the pair that is attended more first."""
    v = [float(row[f"v{k}"]) for k in range(1, 7)]
    return v if v[0] + v[1] > v[2] + v[3] else [*v[2:4], *v[:2], *v[4:]]


def stored_pattern(pretraining_temperature: float = 0.0, tuned: int = 1, examples: int = 3) -> StoredPattern:
    """The stored runs with so many examples, pretrained at one temperature, or at any (0); fine-tuned or not yet."""
    rows = read("recall-figure-4").rows.query("examples == @examples")
    rows = rows[(rows.samples > 0) == bool(tuned)]
    if pretraining_temperature:
        rows = rows[rows.pretraining_temperature == pretraining_temperature]
    names = [f"v{k}" for k in range(1, 2 * examples + 3)]
    attention = torch.tensor(rows[names].to_numpy(dtype=float))
    pairs = attention[:, :-2].unflatten(-1, (examples, 2))
    means = pairs.mean(-1).sort(-1).values
    within = (pairs[..., 0] - pairs[..., 1]).abs().amax(-1)
    return StoredPattern(
        ratio=float((means.diff(dim=-1).amin(-1) / within).max()),
        least=float(means[:, 0].max()),
        eos=float(attention[:, -1].min()),
        runs=float(len(rows)),
        pairwise=float(finetuning.emerged(rows.within, rows.between).mean()),
    )


def learned_memory(
    pretraining_temperature: float, pretraining_steps: int, steps: int, width: int, seed: int
) -> LearnedMemory:
    """Pretrain and fine-tune in Figure 4's left setting with x², and return the attention."""
    setting = sweeps.FIGURE_2[0]
    row = pretraining.pretrained(
        **setting,
        activation="square",
        width=width,
        pretraining_temperature=pretraining_temperature,
        seed=seed,
        pretraining_steps=pretraining_steps,
        steps=steps,
        ways=((1024, "adam"),),
    )[-1]
    stored = min(row[f"memory_{kind}"] for kind in ("answer", "relation", "subject"))
    return LearnedMemory(
        stored=stored,
        eos=row["q6"],
        **{name: row[name] for name in ("within", "between", "accuracy")},
    )


SMALL = {"pretraining_steps": 1500, "steps": 600, "width": 64, "seed": 1}
SHORT = {"optimizer": "adam", "samples": 8, "seeds": 2}


@statement(
    "recall.figure-2",
    measures=both_panels,
    assumes={"told_apart": ("the start or D tells the two examples apart", lambda r, p: p.mirrored == 0)},
    holds_at={"mirrored": 0, "seeds": 2, "steps": 1700},
    fails_at={"mirrored": 1, "seeds": 2, "steps": 1700},
    constants=(0.05, 0.01),
    ranges={
        "mirrored": [0, 0, 0, 1],
        "seeds": [1],
        "samples": [8, 16, 64],
        "seed": (0, 99),
        "steps": [1700],
    },
)
def figure_2(r: Panels) -> Bounds:
    """Pairs differ by 0.05 or more, tokens of a pair by a quarter of that at most, and r* attends most to the query."""
    return Bounds(
        at_least(finetuning.APART, r.two.between, "smallest difference between pairs"),
        at_most(0.0, r.two.uneven, "difference within a pair, less a quarter of that between pairs, largest"),
        above(0.0, r.two.lead, "lead of the query in the attention from r*"),
        at_least(finetuning.APART, r.three.between, "smallest difference between pairs, three examples"),
        at_most(
            0.0,
            r.three.uneven,
            "difference within a pair, less a quarter of that between pairs, largest, three examples",
        ),
        above(0.0, r.three.lead, "lead of the query in the attention from r*, three examples"),
        recorded(r.two.within, "largest difference within a pair"),
        recorded(r.two.mass, "least attention to the examples"),
        recorded(r.two.query, "least attention from r* to the query"),
    )


@statement(
    "recall.figure-3",
    measures=one_cell,
    assumes={
        "enough": ("eight samples or more", lambda r, p: p.samples >= 8),
        "shared": ("only scores between positions are trained", lambda r, p: p.trained == "positions"),
    },
    holds_at={"trained": "positions", "embedding": "any", "steps": 1500, **SHORT},
    fails_at={"trained": "all", "embedding": "random", "steps": 600, **SHORT},
    ranges={"samples": [2, 8, 16, 64], "seeds": [2], "subjects": [8, 16, 24], "relations": [16, 64, 128]},
    ground=Ground.SHARPENED,
)
def figure_3(r: Cell, p: Any) -> Bounds:
    """The relation is named as often as any rule could, and once it is decoded the answer always."""
    return Bounds(
        below(0.005, r.behind, "how far the first step stays below the Bayes ceiling, at worst"),
        at_least(1 - 1e-9, r.second, "accuracy of the second step, at worst"),
        recorded(r.accuracy, "accuracy of the first step"),
        recorded(r.ceiling, "Bayes ceiling of the test prompts"),
        recorded(named_at_random(p.subjects, p.relations, 2), "the ceiling by the law of chance"),
        recorded(r.untrained, "accuracy untrained"),
        recorded(r.probability, "probability of r*"),
    )


@statement(
    "recall.figure-4",
    measures=learned_memory,
    assumes={
        "stores": ("pretraining stores the facts", lambda r, p: r.stored > 0.99),
        "warmer": (
            "pretraining is at least five times as warm as fine-tuning",
            lambda r, p: p.pretraining_temperature >= 5 * sweeps.FIGURE_2[0]["temperature"],
        ),
    },
    holds_at={"pretraining_temperature": 1.0, **SMALL},
    fails_at={"pretraining_temperature": 0.05, **SMALL},
    chance=0.1,
    ranges={"pretraining_temperature": (0.1, 1.3), "seed": (0, 99)},
    ground=Ground.SHARPENED,
)
def figure_4(r: LearnedMemory) -> Bounds:
    """In the mean over prompts attention is pairwise, and the decoded relation attends to EoS more than evenly."""
    return Bounds(
        at_least(finetuning.APART, r.between, "difference between pairs"),
        at_most(finetuning.EVEN * r.between, r.within, "difference within a pair, at most a quarter of that"),
        above(1 / 7, r.eos, "attention from r* to EoS"),
        recorded(r.stored, "facts recalled"),
        recorded(r.accuracy, "accuracy of the first step"),
    )


@statement(
    "recall.figure-2-whole",
    measures=whole_matrix,
    assumes={"enough": ("64 prompts or more (ours)", lambda r, p: p.samples >= 64)},
    holds_at={},
    fails_at={"samples": 8},
    ranges={"optimizer": ["adam", "descent"], "samples": [8, 64, 128], "seeds": [1], "steps": [300]},
)
def figure_2_whole(r: WholeMatrix) -> Bounds:
    """The attention of all of W^KQ is within a twentieth of the pattern and of the run that trains positions."""
    return Bounds(
        at_most(0.05, r.off, "largest distance from a pattern (a, a, ½ − a, ½ − a, 0, 0)"),
        at_most(0.05, r.apart, "largest distance from the run that trains positions alone"),
        at_least(finetuning.APART, r.between, "difference between the pairs"),
    )


@statement(
    "recall.figure-2-second",
    measures=whole_matrix,
    assumes={
        "descent": (
            "trained by gradient descent; the print has Adam",
            lambda r, p: p.optimizer == "descent",
        )
    },
    holds_at={"optimizer": "descent"},
    fails_at={"optimizer": "adam"},
    ranges={
        "optimizer": ["descent", "descent", "adam"],
        "samples": [8, 64, 128],
        "seeds": [1],
        "steps": [300],
    },
    ground=Ground.SHARPENED,
)
def figure_2_second(r: WholeMatrix) -> Bounds:
    """The answer of the second step is right on new prompts."""
    return Bounds(at_least(0.99, r.second, "accuracy of the second step"))


@statement(
    "recall.figure-4-three",
    measures=stored_pattern,
    assumes={"tuned": ("attention is fine-tuned", lambda r, p: p.tuned == 1)},
    holds_at={},
    fails_at={"tuned": 0},
    ranges={"pretraining_temperature": [0.01, 1.0]},
    stands=False,
)
def figure_4_three(r: StoredPattern) -> Bounds:
    """In some run each pair differs from each other one by more than the tokens of a pair do."""
    return Bounds(
        above(1.0, r.ratio, "difference between two pairs over that within a pair, best of the runs"),
        recorded(r.least, "attention on the least attended pair, best of the runs"),
        recorded(r.eos, "attention on EoS, least of the runs"),
        recorded(r.runs, "stored runs"),
        recorded(r.pairwise, "share of them that is pairwise by the looser measure"),
    )


@statement(
    "recall.limitations",
    untested=(
        "It says what the paper leaves open. Figure 4 takes a pretrained memory in place of the constructed one, still "
        "in the same simplified architecture."
    ),
)
def limitations(r: Any) -> Bounds:
    """The memory is constructed, and the architecture simplified."""
    return Bounds()
