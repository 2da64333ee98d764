"""Table 3 and Figures 2, 5 and 6 of Xu & Chen at the size of minutes: tables in ``book/data/``.

    python -m lib.knowledge.experiments [table-3|uniform|figure-2|figure-5|figure-6] [--workers N|ADDRESS] [--quick]

The figures are of the simplified model in token coordinates; Table 3 and "uniform" of the models in
:mod:`lib.knowledge.architectures`. The paper's sizes and rates are lost in the text at hand, but for those of
Appendix A: N = 1000, K = R = 5, d = 50, σ = 1, weight decay 0.1, rate 0.5 of gradient descent.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch import Generator, Tensor

from lib.knowledge import data
from lib.knowledge.dynamics import tokens
from lib.knowledge.dynamics.course import first_rate
from lib.knowledge.dynamics.tokens import Acquired, Sizes, State
from lib.sweep import sweep

SEEDS = 5
SUBJECTS, PHRASES, MULTIPLICITY, FREQUENT = 96, 8, 4, 0.5
NEURONS, KAPPA, SCALE = 8, 0.004, 1e-3
STAGE_1, FIRST, STEPS, RATE = 2, 2.0, 200, 4.0
"""Steps of stage I and their rate in units of :func:`first_rate`; steps after it, of rate η̃ = ``RATE`` N.

With FIRST = 1 some starts, those with few active neurons of d, leave so much attention on o that the rate after stage
I kills neurons.
"""
TUNED_STEPS, TUNED_RATE = 100, 4.0
"""Figure 2 looks after each of so many steps of fine-tuning for the best one."""
MULTIPLICITIES = (1, 2, 4, 8)
SHARES = (0.05, 0.1, 0.2, 0.35, 0.6, 0.9)
"""Of the frequent facts, fine-tuned."""
UNIVERSES = (4, 8, 16, 32, 60)
SIZES_N = (24, 48, 96, 192)
LONG = 500
"""Steps of fine-tuning in Figure 6."""


class Pretrained(NamedTuple):
    """The simplified model after pre-training.

    Attributes:
        state, sizes, known: the model, its sizes, the facts.
        first, last: passes over the data after stage I and at the end.
        excess: the loss at the end, less the entropy of the data.
    """

    state: State
    sizes: Sizes
    known: data.Facts
    first: Acquired
    last: Acquired
    excess: float


def pretrained(
    subjects: int, phrases: int, multiplicity: int, seed: int, steps: int = STEPS, kappa: float = KAPPA
) -> Pretrained:
    """Two steps of stage I, then ``steps`` at rate 4N, half of the facts frequent, rare ones' gradients times K."""
    sizes = Sizes(subjects, phrases, NEURONS)
    context = float(sizes.dimension)
    known = data.facts(subjects, phrases, multiplicity, FREQUENT, seed)
    sentences, share = data.sentences(known), data.fact_weight(known)
    state = tokens.start(sizes, context, SCALE, Generator().manual_seed(seed))

    def look() -> Acquired:
        return tokens.acquire(state, known, sentences, sizes, context, share)

    for _ in range(STAGE_1):
        state = tokens.moved(state, look().down, FIRST * first_rate(sizes, context, kappa), kappa)
    first = look()
    for _ in range(steps):
        state = tokens.moved(state, look().down, RATE * subjects, kappa)
    last = look()
    loss = (last.follower + last.phrase + last.answer) / 3
    return Pretrained(state, sizes, known, first, last, float(loss - data.entropy(known)))


def extracted(
    found: Pretrained, share: float, steps: int, kappa: float = KAPPA, rate: float = TUNED_RATE
) -> list[dict[str, float]]:
    """Fine-tune on a share of the frequent facts: a row for each step, the start included.

    Returns:
        ``unseen``: the share of facts not fine-tuned that are answered rightly; ``frequent``, ``rare`` of these (NaN
        if there are none); ``tuned``: of those fine-tuned; ``chosen``, ``covered``: how many facts are fine-tuned,
        and how many phrases state one of them; ``phrases_said``: the share of questions about unseen facts that are
        answered by a phrase.
    """
    known, sizes, state = found.known, found.sizes, found.state
    chosen = data.fine_tuned(known, torch.tensor(share, dtype=torch.float64))
    data.check_fine_tuned(chosen)
    answers = sizes.answers + torch.arange(sizes.subjects)
    fixed = {
        "chosen": float(chosen.sum()),
        "covered": float((data.covered(known, chosen) > 0).sum()),
    }
    rows = []
    for step in range(steps + 1):
        asked = tokens.extract(state, chosen, sizes)
        said = asked.logits.argmax(1)
        right = (said == answers).to(torch.float64)
        first = 1 + sizes.subjects
        phrase = ((said >= first) & (said < first + sizes.phrases)).to(torch.float64)
        rows.append(
            {
                "step": step,
                **fixed,
                "unseen": _mean(right, 1 - chosen),
                "frequent": _mean(right, known.frequent - chosen),
                "rare": _mean(right, 1 - known.frequent),
                "tuned": _mean(right, chosen),
                "phrases_said": _mean(phrase, 1 - chosen),
            }
        )
        state = tokens.moved(state, asked.down, rate, kappa)
    return rows


def _mean(values: Tensor, weight: Tensor) -> float:
    return float((values * weight).sum() / weight.sum()) if bool(weight.sum() > 0) else math.nan


def figure_2(
    panel: str, subjects: int, phrases: int, multiplicity: int, seed: int, quick: bool = False
) -> list[dict[str, Any]]:
    """Accuracy on unseen facts at the best step of fine-tuning and at the last, for each share of ``SHARES``."""
    found = pretrained(subjects, phrases, multiplicity, seed, steps=20 if quick else STEPS)
    rows = []
    for share in SHARES:
        tuned = extracted(found, share, 20 if quick else TUNED_STEPS)
        best = max(tuned, key=lambda row: row["unseen"])
        rows.append({"share": share, "excess": found.excess, **best, "last": tuned[-1]["unseen"]})
    return rows


def figure_5(multiplicity: int, kappa: float, seed: int) -> list[dict[str, Any]]:
    """Attention of the last token after stage I and at the end.

    Returns:
        for each ``time`` and length of prompt one row: mean attention on o, s and r; the greatest on o; the least and
        greatest of that on s over that on r; ``dimension``, d.
    """
    found = pretrained(SUBJECTS, PHRASES, multiplicity, seed, kappa=kappa)
    rows = []
    for time, seen in (("stage I", found.first), ("end", found.last)):
        for prompt, attention in (("o s", seen.attention_subject), ("o s r", seen.attention_phrase)):
            mean = [*attention.mean(0).tolist(), math.nan][:3]
            ratio = attention[:, 1] / attention[:, -1]
            rows.append(
                {
                    "time": time,
                    "prompt": prompt,
                    "dimension": found.sizes.dimension,
                    "excess": found.excess,
                    **dict(zip(("on_o", "on_s", "on_r"), mean, strict=True)),
                    "most_on_o": float(attention[:, 0].max()),
                    "least_ratio": float(ratio.min()),
                    "greatest_ratio": float(ratio.max()),
                }
            )
    return rows


def looks(last: int) -> list[int]:
    """Steps to look at: all up to 10, then some twelve in every factor of ten, the last included."""
    some = {round(10 ** (k / 12)) for k in range(math.ceil(12 * math.log10(last)) + 1)}
    return sorted(step for step in {*range(11), *some, last} if step <= last)


def figure_6(multiplicity: int, share: float, rate: float, seed: int) -> list[dict[str, Any]]:
    """Accuracy on unseen facts against the steps of fine-tuning."""
    found = pretrained(SUBJECTS, PHRASES, multiplicity, seed)
    at = set(looks(LONG))
    return [row for row in extracted(found, share, LONG, rate=rate) if row["step"] in at]


SETTINGS = {
    "phrases": PHRASES,
    "multiplicity": MULTIPLICITY,
    "frequent": FREQUENT,
    "neurons": NEURONS,
    "kappa": KAPPA,
    "scale": SCALE,
    "stage 1": STAGE_1,
    "first rate": FIRST,
    "steps": STEPS,
    "rate": RATE,
    "fine-tuning rate": TUNED_RATE,
}
KAPPAS = (0.0004, 0.004, 0.04)


def cells(table: str, quick: bool = False) -> list[dict[str, Any]]:
    """The configurations of a table."""
    seeds = range(1 if quick else SEEDS)
    if table == "figure-2":
        sizes = [("multiplicity", SUBJECTS, PHRASES, k) for k in MULTIPLICITIES]
        sizes += [("universe", SUBJECTS, r, MULTIPLICITY) for r in UNIVERSES]
        sizes += [("facts", n, PHRASES, MULTIPLICITY) for n in SIZES_N]
        names = ("panel", "subjects", "phrases", "multiplicity")
        return [
            {**dict(zip(names, size, strict=True)), "seed": seed, **({"quick": True} if quick else {})}
            for size in (sizes[:2] if quick else sizes)
            for seed in seeds
        ]
    if table == "figure-5":
        kinds = [(k, KAPPA) for k in MULTIPLICITIES] + [(MULTIPLICITY, x) for x in KAPPAS if x != KAPPA]
        kinds = kinds[:1] if quick else kinds
        return [{"multiplicity": k, "kappa": x, "seed": seed} for k, x in kinds for seed in seeds]
    ways = [(k, share, 1.0) for k in (1, 4) for share in (0.2, 0.6)]
    ways = ways[:1] if quick else ways
    return [
        {"multiplicity": k, "share": share, "rate": rate, "seed": seed}
        for k, share, rate in ways
        for seed in seeds
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m lib.knowledge.experiments", description="Rerun Table 3 or a figure."
    )
    tables = ("table-3", "uniform", "figure-2", "figure-5", "figure-6")
    parser.add_argument("table", nargs="?", default="table-3", choices=tables)
    parser.add_argument(
        "--workers", default="1", help="processes on this machine, or a Dask scheduler's address"
    )
    parser.add_argument("--quick", action="store_true", help="a few small runs, to see that it works")
    options = parser.parse_args(arguments)
    workers = int(options.workers) if options.workers.isdigit() else options.workers
    torch.set_num_threads(1)
    functions = {"figure-2": figure_2, "figure-5": figure_5, "figure-6": figure_6}
    sweep(
        functions[options.table],
        cells(options.table, options.quick),
        f"acquire-{options.table}" + ("-quick" if options.quick else ""),
        workers=workers,
        settings=SETTINGS,
    )


if __name__ == "__main__":
    main()
