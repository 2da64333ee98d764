"""Claims about Table 3 and Appendix A: who reaches the entropy, who answers, what leaks, and what the MLP is for."""

from __future__ import annotations

import math
from functools import cache

import pandas as pd
import torch
from torch import Tensor

from lib.claims import Check, Claim, Evidence, Verdict, register
from lib.knowledge import architectures, experiments
from lib.knowledge.architectures import Simplified, Task
from lib.knowledge.claims.common import PAPER
from lib.sweep import read

PAGE = "book/acquire/experiments"
NEAR = 0.8200 - 0.8047
"""So near to the entropy a loss must be to count as near-optimal: the farthest of the three in the paper's table."""


@cache
def table(name: str) -> pd.DataFrame:
    """A committed table."""
    return read(f"acquire-{name}").rows


def linear_floor(subjects: Tensor, outputs: int, targets: int) -> float:
    """A bound from below on the mean loss after [s_j] of every model whose logits there are linear in s_j.

    With positive c_j of sum 1 such that Σ_j c_j s_j = 0, all Σ_j c_j (f_v − f_r)(s_j) vanish, and by Jensen the loss
    weighted by c is at least log V. Each loss is at least log K. So the mean is at least ρ log V + (1 − ρ) log K,
    with ρ = 1/(N max c). Here c_j ∝ exp(−⟨s_j, u⟩), u the point where Σ_j exp(−⟨s_j, u⟩) is least.

    Args:
        subjects: (N, d) float64, with 0 inside their convex hull.
        outputs: V. ``targets``: K, how many tokens follow, equally likely.

    Raises:
        ValueError: 0 is not inside the hull, as for N ≤ d.
    """
    direction = torch.zeros(subjects.shape[1], dtype=subjects.dtype)
    for round_ in range(60):
        weight = torch.exp(-subjects @ direction)
        curvature = (subjects * weight[:, None]).T @ subjects
        newton = torch.linalg.lstsq(curvature, (weight @ subjects)[:, None]).solution[:, 0]
        direction = direction + (1.0 if round_ > 5 else 0.5) * newton
    weight = torch.exp(-subjects @ direction)
    if not float((weight @ subjects).abs().max()) < 1e-6 * float(weight.sum()):
        raise ValueError(f"subjects: 0 must be inside the hull of their {len(subjects)} embeddings")
    rho = float(weight.mean() / weight.max())
    return rho * math.log(outputs) + (1 - rho) * math.log(targets)


def table_3(mlp: int) -> Evidence:
    """The committed runs, the worst of N = 1000 and 250, beside a small one here."""
    rows = experiments.table_3_rows()
    over, best, fresh = (
        value.groupby(rows.kind).agg(how)
        for value, how in (
            (rows.loss - rows.entropy, "max"),
            (rows.tuples_best, "min"),
            (rows.facts_best, "mean"),
        )
    )
    kinds = ["standard", "uniform"] if mlp else ["attention"]
    known = architectures.task(30, 4, 4, 8, split="tuples")
    way = experiments.Way("adamw", 1e-2, 120, 1e-3, 20)
    small = [
        float(experiments.learned(architectures.model(kind, known, width=100), known, way).mean())
        for kind in kinds
    ]
    return Evidence(
        hypotheses={"the model has an MLP": bool(mlp)},
        predicted={"loss over entropy, at most": NEAR, "test accuracy, printed split, at least": 0.98},
        measured={
            "loss over entropy, at most": float(over[kinds].max()),
            "test accuracy, printed split, at least": float(best[kinds].min()),
            "accuracy on new facts, mean": float(fresh[kinds].mean()),
            "small run, loss over entropy": max(small) - known.entropy,
        },
        conclusion=float(over[kinds].max()) <= NEAR
        and float(best[kinds].min()) >= 0.98
        and max(small) - known.entropy < 0.2,
    )


def simplified(subjects: int, printed: bool) -> Evidence:
    """The committed runs of the simplified model at one size, the worst of the seeds."""
    rows = experiments.table_3_rows()
    rows = rows[(rows.kind == "simplified") & (rows.subjects == subjects)]
    over = float((rows.loss - rows.entropy).max())
    best, fresh = float(rows.tuples_best.min()), float(rows.facts_best.min())
    return Evidence(
        hypotheses={"the printed split": printed},
        predicted={"loss over entropy, at most": NEAR, "test accuracy, at least": 0.98},
        measured={
            "loss over entropy, at most": over,
            "test accuracy, at least": best if printed else fresh,
            "steps": float(rows.steps.min()),
        },
        conclusion=over <= NEAR and (best if printed else fresh) >= 0.98,
    )


def constant(biases: int) -> Evidence:
    """Attention without MLP: the bound at N = 1000 beside the committed run, and a small run beside its own bound."""
    rows = experiments.table_3_rows()
    kind = "attention, biases" if biases else "attention"
    runs = rows[rows.kind == kind]
    known = architectures.task(80, 5, 5, 8, seed=0, dtype=torch.float64)
    bound = linear_floor(known.embeddings[:80], len(known.embeddings), 5) / 2
    way = experiments.Way("adamw", 0.05, 120, 0, 0)
    small = float(experiments.learned(architectures.model(kind, known), known, way).mean())
    large = architectures.task(experiments.LARGE, 5, 5, 50, dtype=torch.float64)
    paper = linear_floor(large.embeddings[: experiments.LARGE], len(large.embeddings), 5) / 2
    measured = float(runs[runs.subjects == experiments.LARGE].loss.iloc[0])
    return Evidence(
        hypotheses={"the logits have no biases": not biases},
        predicted={"loss at N = 1000, at least": paper, "small run, loss at least": bound},
        measured={
            "loss at N = 1000, at least": measured,
            "small run, loss at least": small,
            "entropy": known.entropy,
        },
        conclusion=measured >= paper and small >= bound and paper > known.entropy + 1,
    )


def leak(split: str) -> Evidence:
    """How many test prompts are fine-tuning prompts, by count over seeds, and the accuracies of both splits."""
    counted = [
        architectures.task(experiments.LARGE, 5, 5, 2, split=split, seed=seed).leaked for seed in range(20)
    ]
    expected = architectures.leaked_share(experiments.LARGE, 5)
    rows = experiments.table_3_rows()
    standard = rows[rows.kind == "standard"]
    mean = sum(counted) / len(counted)
    return Evidence(
        hypotheses={"the split is by tuples": split == "tuples"},
        predicted={"leaked share of test prompts": expected},
        measured={
            "leaked share of test prompts": mean,
            "least and most, over seeds": max(counted) - min(counted),
            "accuracy as printed, standard model": float(standard.tuples_best.mean()),
            "accuracy on new facts, standard model": float(standard.facts_best.mean()),
        },
        conclusion=abs(mean - expected) < 0.01 and expected > 0.9,
    )


def leak_by_counting() -> bool:
    """The closed form against all splits of N = 3 facts with K = 2 phrases, and of 2 with 3."""
    from itertools import combinations

    for subjects, multiplicity in ((3, 2), (2, 3), (4, 2)):
        total = subjects * multiplicity
        shares = []
        for tuned in combinations(range(total), total // 2):
            facts = {item // multiplicity for item in tuned}
            test = [item for item in range(total) if item not in tuned]
            shares.append(sum(item // multiplicity in facts for item in test) / len(test))
        if abs(sum(shares) / len(shares) - architectures.leaked_share(subjects, multiplicity)) > 1e-12:
            return False
    return True


def by_hand(known: Task, size: float) -> Simplified:
    """Uniform attention and the paper's MLP with one neuron for each output, written down instead of trained.

    In products with the tokens, with c = ``size``: d: c on o, −c on all s and r; r_i: c on the subjects that it may
    follow, −c on all r; a_j: c on s_j; all else 0. Then d has 2c after [o] and 0 later; r_i has 3c/2 after [o s_j],
    a_j the same there, unless it has less: so a_j gets c/2 on s_j, and after [o s_j r_i] c/6, all others 0.

    Args:
        known: five tokens, orthogonal embeddings.
    """
    n, r = known.subjects, known.phrases
    tokens = len(known.embeddings)
    network = architectures.model("simplified, uniform", known, width=1, gain=1.0)
    assert isinstance(network, Simplified)
    product = torch.zeros(tokens, tokens, dtype=known.embeddings.dtype)  # of output, with token
    d, o, p = tokens - 1, tokens - 2, tokens - 3
    product[d, o] = size
    product[d, : n + r] = -size
    product[n : n + r, n : n + r] = -size
    follows = known.prompts[1].targets  # (N, K)
    subject = torch.arange(n)[:, None].expand_as(follows)
    product[follows, subject] = size
    product[n + r + torch.arange(n), torch.arange(n)] = size / 2
    assert p == 2 * n + r
    squares = known.embeddings.square().sum(1)
    with torch.no_grad():
        network.features.copy_(((product / squares) @ known.embeddings)[:, None])
    return network


def representable() -> bool:
    """The hand-written weights' loss is within 1e-6 of the entropy."""
    known = architectures.task(
        24, 5, 3, 60, embedding="orthogonal", context=True, split="facts", dtype=torch.float64
    )
    with torch.no_grad():
        loss = float(architectures.losses(by_hand(known, 150.0), known).mean())
    return abs(loss - known.entropy) < 1e-6


def noise(optimizer: str) -> Evidence:
    """Five tokens, uniform attention: how far from the entropy, and whether new facts are answered."""
    rows = table("five-tokens")
    runs = rows[(rows.way.str.startswith("uniform, ")) & rows.way.str.contains(optimizer)]
    over = (runs.loss - runs.entropy).fillna(math.inf)
    slow = table("descent")
    last = slow[slow.step == slow.step.max()]
    uniform = last[last.attention == "uniform"].groupby("rate").excess.mean()
    learned = slow[(slow.attention == "learned") & (slow.step == 100)].excess
    known = architectures.task(16, 4, 4, 39, embedding="orthogonal", context=True)
    way = experiments.Way(optimizer, 1e-2 if optimizer == "adamw" else 0.1, 150, 1e-3, 20)
    small = experiments.learned(architectures.model("uniform", known, width=100), known, way)
    return Evidence(
        hypotheses={"plain gradient descent, a few thousand steps": optimizer == "gd"},
        predicted={"loss over entropy, at least": 0.3},
        measured={
            "loss over entropy, at least": float(over.min()),
            "accuracy on new facts, mean": float(runs.best.mean()),
            "small run, loss over entropy": float(small.mean()) - known.entropy,
            f"the paper's MLP, uniform attention, {experiments.LONGEST} steps, best rate": float(
                uniform.min()
            ),
            "the same with attention learned, 100 steps": float(learned.mean()),
        },
        conclusion=float(over.min()) > 0.3 and float(small.mean()) - known.entropy > 0.3,
    )


register(
    Claim(
        id="acquire.table-3",
        paper=PAPER,
        kind="table",
        number="3",
        title="Models with an MLP reach the entropy and answer",
        page=PAGE,
        statement=(
            "On three-token sentences with $N = 1000$, $K = \\lvert\\mathcal R\\rvert = 5$, $d = 50$ the standard "
            "transformer and uniform attention with an MLP train to a loss close to the entropy $\\frac12\\log 5$, and "
            "answer nearly all test questions after fine-tuning. Attention alone stays far above the entropy. "
            "(Learning rates and widths lost in the text at hand: ours. For the simplified model see below.)"
        ),
        examine=table_3,
        holds_at={"mlp": 1},
        fails_at={"mlp": 0},
        recorded=Verdict.CONFIRMED,
        finding=(
            "Within 0.005 of the entropy with MLP, 2.6 above it without. On the printed split all answer nearly all "
            "questions, attention alone as well; most of these questions were fine-tuned."
        ),
    )
)

register(
    Claim(
        id="acquire.table-3-simplified",
        paper=PAPER,
        kind="table",
        number="3, last row",
        title="The simplified model at the paper's size",
        page=PAGE,
        statement=(
            "At $N = 1000$ the simplified model, trained by gradient descent with rate 0.5, reaches a loss of 0.8200, "
            "0.0153 above the entropy, and answers 99 % of the test questions. ($\\lambda$, $m$, the scale of the "
            "start and the number of steps are lost in the text at hand: ours, with 400 steps.)"
        ),
        examine=simplified,
        holds_at={"subjects": 1000, "printed": True},
        fails_at={"subjects": 1000, "printed": False},
        recorded=Verdict.NOT_REPRODUCED,
        finding=(
            "The accuracy, yes. The loss, not within our steps: 0.62 above the entropy after 400 at N = 1000, 0.07 "
            "after 1200 at N = 250. Plain descent is slow; with the lost settings at hand this may come out otherwise."
        ),
    )
)

register(
    Claim(
        id="acquire.table-3-constant",
        paper=PAPER,
        kind="finding",
        number="of ours",
        title="What attention lacks without an MLP is a constant",
        page=PAGE,
        statement=(
            "After one token $s_j$ attention is 1 whatever its weights, so without MLP and biases the logits are "
            "linear in $s_j$. If $\\sum_jc_js_j = 0$ with positive $c_j$ of sum 1, the loss weighted by $c$ is at "
            "least $\\log V$: no such model gets near the entropy. One bias for each output lifts the bound."
        ),
        examine=constant,
        holds_at={"biases": 0},
        fails_at={"biases": 1},
        recorded=Verdict.CONFIRMED,
        finding=(
            "Zero lies inside the hull of random subjects once there are about twice as many as dimensions (Wendel). "
            "At the paper's size the loss is then at least 2.04; ours is 3.4, the paper's 5.6. With biases it is 0.89."
        ),
    )
)

register(
    Claim(
        id="acquire.table-3-leak",
        paper=PAPER,
        kind="finding",
        number="of ours",
        title="The printed split tests on what was fine-tuned",
        page=PAGE,
        statement=(
            "Appendix A draws half of the *tuples* $(s_j, r_i, a_j)$ for fine-tuning and tests on the others. But a "
            "question $[s_j\\ p]$ does not name the phrase. A test tuple's question is also a fine-tuning question "
            "with probability $1 - \\prod_{i=1}^{K-1}\\frac{NK/2 - i}{NK - i}$, about $1 - 2^{1-K}$."
        ),
        examine=leak,
        holds_at={"split": "tuples"},
        fails_at={"split": "facts"},
        recorded=Verdict.CONFIRMED,
        finding=(
            "15 of 16 test questions were fine-tuned. Where half of the facts is held out instead, a standard "
            "transformer answers 89 % of the test at N = 1000 instead of 99 %."
        ),
        checked=(
            Check(
                "The leaked share of the printed split, for small $N$ and $K$",
                r"1 - \prod_{i=1}^{K-1} \frac{NK/2 - i}{NK - i}",
                "count",
                leak_by_counting,
            ),
        ),
    )
)

register(
    Claim(
        id="acquire.table-3-noise",
        paper=PAPER,
        kind="table",
        number="3, five tokens",
        title="Does noise rule out uniform attention?",
        page=PAGE,
        statement=(
            "On five-token sentences, with a context token of length $\\sqrt d$, uniform attention with an MLP fails "
            "to acquire the facts, while the simplified model succeeds. (The optimizer of this test is not given.)"
        ),
        examine=noise,
        holds_at={"optimizer": "gd"},
        fails_at={"optimizer": "adamw"},
        recorded=Verdict.ONLY_WHERE,
        sharpened=True,
        finding=(
            "Only plain gradient descent fails on it, in any short time; it fails on the standard model, too. With "
            "AdamW uniform attention with an MLP comes within 0.003 of the entropy and answers new facts."
        ),
        checked=(
            Check(
                "Weights with uniform attention, one neuron for each output, whose loss tends to the entropy",
                r"f_d = 2c,\ f_{r_i} = \tfrac32c,\ f_{a_j} = \tfrac16c \text{ where they are due}",
                "full model",
                representable,
            ),
        ),
    )
)
