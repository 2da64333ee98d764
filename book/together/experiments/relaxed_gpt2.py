"""GPT-2 as it is, and with one thing changed: mostly one of its departures from the papers' models taken back.

    python -m book experiments together outside-gpt2 [--quick] [--workers N|ADDRESS]

needs the extra "scale": 4 layers, 4 heads and width 256, which a CPU trains. In *Acquire*'s run GPT-2 reads the
sentences of :mod:`book.acquire.sentences` at a high and a low multiplicity, and is fine-tuned on a few
facts. In *Recall*'s run it learns to name the relation of two examples, *s₁ a₁ s₂ a₂ EoS*, from prompts alone.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch
from torch import Generator, Tensor, nn
from torch.nn.functional import cross_entropy

from book.acquire.sentences import FREQUENT, first_frequent, forest, forest_logits, questions
from book.gpt2 import WEIGHT_DECAY, Size, gpt2
from book.ledger import Bound, at_least, at_most, below
from book.together.experiments.relaxations import Relaxation, batch, wrong
from lib.acquire import task
from lib.acquire.tokens import Sizes
from lib.recall.model import sequence
from lib.recall.task import affine_family, all_prompts

PLACES = 8
"""The positions that GPT-2 has."""
GPT2 = Size(
    layers=4,
    heads=4,
    width=256,
    subjects=24,
    steps=70,
    rate=1e-3,
    tuned_steps=30,
    tuned_rate=1e-4,
    every=30,
    tuned=(5,),
)
"""The network, and *Acquire*'s run: subjects are N, ``tuned`` is the number of frequent facts to fine-tune."""
PHRASES, HIGH, LOW = 8, 4, 1
"""R, and the two multiplicities K."""
SUBJECTS, PROMPTS, STEPS, RATE = 3, 24, 50, 5e-4
"""*Recall*'s run: n, the number of the 6n(n − 1) prompts to train on, steps and rate."""
DESCENT = 100.0
"""Plain descent's rate over Adam's."""
NEAR, WAIT = 0.1, 0.1
"""The loss waits at log 2 if it stays within ``NEAR`` of it for this share of the steps."""

CHANGES = {
    "none": Relaxation(
        "GPT-2 as it is", f"{GPT2.layers} layers, {GPT2.heads} heads, width {GPT2.width}, AdamW"
    ),
    "layers": Relaxation("one layer", f"one layer instead of {GPT2.layers}"),
    "heads": Relaxation("one head", f"one head of attention in each layer instead of {GPT2.heads}"),
    "scale": Relaxation("no softmax scale", "scores are not divided by the root of a head's width"),
    "positions": Relaxation("no positions", "the encodings of positions are zero and stay so"),
    "relu": Relaxation("ReLU", "max(x, 0) instead of GELU"),
    "norm": Relaxation("no layer norm", "nothing is normalised"),
    "adam": Relaxation(
        "plain descent", f"gradient descent at {DESCENT:g} times AdamW's rate, without weight decay"
    ),
    "noise": Relaxation("label noise", "a tenth of the training labels are wrong"),
    "biases": Relaxation("no biases", "every bias is zero and stays so"),
    "minibatch": Relaxation(
        "minibatches", "each step sees a random half of the training set instead of all of it"
    ),
}
"""What is changed; names are those of the table of the papers' own models where the assumption is the same."""


def check(change: str) -> str:
    """The name of a change.

    Raises:
        ValueError: there is none of this name.
    """
    if change not in CHANGES:
        raise ValueError(f"change = {change!r}: must be one of {', '.join(CHANGES)}")
    return change


def network(change: str, vocabulary: int, seed: int) -> Any:
    """GPT-2 from a random start, with one change.

    Raises:
        MissingExtra: transformers is not installed.
    """
    size = GPT2._replace(
        heads=1 if change == "heads" else GPT2.heads, layers=1 if change == "layers" else GPT2.layers
    )
    settings: dict[str, dict[str, Any]] = {
        "scale": {"scale_attn_weights": False},
        "relu": {"activation_function": "relu"},
    }
    model = gpt2(
        size, vocabulary, PLACES, seed, eos_token_id=None, use_cache=False, **settings.get(change, {})
    )
    if change == "norm":
        for block in model.transformer.h:
            block.ln_1 = block.ln_2 = nn.Identity()
        model.transformer.ln_f = nn.Identity()
    for name, part in model.named_parameters():
        if (change == "biases" and name.endswith(".bias")) or (change == "positions" and ".wpe." in name):
            nn.init.zeros_(part).requires_grad_(False)
    return model


def descend(change: str, model: Any, rate: float) -> torch.optim.Optimizer:
    """The optimiser: AdamW, or plain descent."""
    learning = [part for part in model.parameters() if part.requires_grad]
    if change == "adam":
        return torch.optim.SGD(learning, lr=DESCENT * rate)
    return torch.optim.AdamW(learning, lr=rate, weight_decay=WEIGHT_DECAY, fused=True)


def step(optimiser: torch.optim.Optimizer, loss: Tensor) -> float:
    """One step down the gradient of ``loss``; its value before."""
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
    return float(loss.detach())


class Acquired(NamedTuple):
    """Facts after pre-training and fine-tuning, as shares; NaN where there are none."""

    told: float  # of the sentences completed before fine-tuning
    right: float  # of the unseen facts answered right
    shut: float  # of the unseen facts none of whose phrases is covered, right


def acquire(change: str, multiplicity: int, seed: int) -> Acquired:
    """Pre-train GPT-2 on sentences and fine-tune it on questions about a few facts."""
    known = task.facts(GPT2.subjects, PHRASES, multiplicity, FREQUENT, seed)
    sizes, generator = Sizes(GPT2.subjects, PHRASES, 1), Generator().manual_seed(seed)
    model = network(change, sizes.outputs, seed)
    listed, trees = task.sentences(known), forest(known)
    answers = confused(sizes.answers + listed.subject, sizes.answers, GPT2.subjects, change, generator)
    optimiser = descend(change, model, GPT2.rate)
    for _ in range(GPT2.steps):
        chosen = batch(len(answers), change, generator)
        logits = forest_logits(model, trees)
        opening = cross_entropy(logits[:1], trees.tokens[0, 1:2])
        phrase = cross_entropy(
            logits[2 + listed.subject[chosen]], GPT2.subjects + listed.phrase[chosen], reduction="none"
        )
        answer = cross_entropy(logits[2 + GPT2.subjects + chosen], answers[chosen], reduction="none")
        weight = listed.weight[chosen].to(logits.dtype) * len(answers) / len(chosen)
        step(optimiser, (opening + weight @ (phrase + answer)) / 3)
    with torch.no_grad():
        said = forest_logits(model, trees)[2 + GPT2.subjects :].argmax(-1)
    told = float((said == sizes.answers + listed.subject).double().mean())
    return Acquired(told, *extract(change, model, known, generator))


def extract(change: str, model: Any, known: task.Facts, generator: Generator) -> tuple[float, float]:
    """Fine-tune on the first frequent facts; of all others the shares ``right`` and ``shut``."""
    mask = first_frequent(known, *GPT2.tuned)
    prompts, right = questions(known)
    tuned = torch.nonzero(mask)[:, 0]
    first = int(right[0])
    replies = confused(right[tuned], first, len(right), change, generator)
    optimiser = descend(change, model, GPT2.tuned_rate)
    for _ in range(GPT2.tuned_steps):
        chosen = batch(len(tuned), change, generator)
        step(optimiser, cross_entropy(model(prompts[tuned[chosen]]).logits[:, -1], replies[chosen]))
    with torch.no_grad():
        held = (model(prompts).logits[:, -1].argmax(-1) == right).double()
    unseen = 1 - mask
    covered = (task.covered(known, mask) > 0).to(known.uses.dtype)
    shut = unseen * (known.uses @ covered == 0)
    return float(task.mean_of(held, unseen)), float(task.mean_of(held, shut))


def confused(labels: Tensor, first: int, count: int, change: str, generator: Generator) -> Tensor:
    """Labels from ``first`` to ``first + count − 1``, of which label noise moves a tenth to other ones."""
    bad = wrong(len(labels), change, generator)
    moved = (labels - first + torch.randint(1, count, (len(labels),), generator=generator)) % count
    return torch.where(bad, first + moved, labels)


class Recalled(NamedTuple):
    """A run on prompts of two examples."""

    losses: list[float]  # on the prompts that it learns from, before each step
    named: float  # the share of new prompts whose relation it names
    pairing: float  # by how much more the second answer attends to its own subject than to the first's, in one head


def recall(change: str, seed: int) -> Recalled:
    """Train GPT-2 on prompts whose relation it is to name."""
    generator, known = Generator().manual_seed(seed), affine_family(SUBJECTS)
    every = all_prompts(known)
    whole = sequence(known, every)
    tokens = torch.cat([whole[:, :4], whole[:, -1:]], 1)  # without s₃, which says nothing of the relation
    labels = 2 * SUBJECTS + every.relation
    order = torch.randperm(len(labels), generator=generator)
    seen, new = order[:PROMPTS], order[PROMPTS:]
    told = confused(labels[seen], 2 * SUBJECTS, known.relations, change, generator)
    model = network(change, 2 * SUBJECTS + known.relations + 1, seed)
    optimiser, losses = descend(change, model, RATE), []
    for _ in range(STEPS):
        chosen = batch(PROMPTS, change, generator)
        losses.append(step(optimiser, cross_entropy(model(tokens[seen[chosen]]).logits[:, -1], told[chosen])))
    model.set_attn_implementation("eager")
    with torch.no_grad():
        out = model(tokens, output_attentions=True)
    own, other = (
        torch.stack([layer[:, :, 3, place].mean(0) for layer in out.attentions]) for place in (2, 0)
    )
    right = out.logits[:, -1].argmax(-1) == labels
    return Recalled(losses, float(right[new].double().mean()), float((own - other).max()))


def waiting(losses: list[float]) -> float:
    """The share of the steps in the longest stretch within ``NEAR`` of log 2."""
    longest = run = 0
    for loss in losses:
        run = run + 1 if abs(loss - math.log(2)) <= NEAR else 0
        longest = max(longest, run)
    return longest / len(losses)


MOST, HELPS, LEAK = 0.5, 0.2, 0.1
"""The least share of unseen facts to come out, what the high multiplicity adds to it, and the most uncovered ones."""
STORED, SURE, PAIRED = 0.95, 0.9, 0.5
"""The least share of sentences completed, of new prompts named right, and by which attention tells pairs apart."""


def acquire_bounds(change: str, seed: int) -> dict[str, tuple[Bound, ...]]:
    """What *Acquire* concludes, after a run at the high and one at the low multiplicity."""
    high, low = (acquire(change, multiplicity, seed) for multiplicity in (HIGH, LOW))
    return {
        "stored": (
            at_least(STORED, high.told, f"sentences completed, K = {HIGH}"),
            at_least(STORED, low.told, f"sentences completed, K = {LOW}"),
        ),
        "extracted": (at_least(MOST, high.right, f"unseen facts right, K = {HIGH}"),),
        "multiplicity": (
            at_least(HELPS, high.right - low.right, f"unseen facts right, K = {HIGH} less {LOW}"),
        ),
        "shut": (
            at_least(STORED, low.told, f"sentences completed, K = {LOW}"),
            at_most(LEAK, low.shut, f"uncovered facts right, K = {LOW}"),
        ),
    }


def recall_bounds(change: str, seed: int) -> dict[str, tuple[Bound, ...]]:
    """What *Recall* concludes, after one run."""
    end = recall(change, seed)
    return {
        "plateau": (at_least(WAIT, waiting(end.losses), "share of the steps with the loss near log 2"),),
        "escape": (below(math.log(2), end.losses[-1], "loss L₁ at the end"),),
        "pairs": (at_least(PAIRED, end.pairing, "attention of an answer on its own subject less the other"),),
        "few prompts": (at_least(SURE, end.named, "new prompts named right"),),
    }


RUNS = {"acquire": acquire_bounds, "recall": recall_bounds}


def relaxed_gpt2(paper: str, change: str, seed: int) -> list[dict[str, Any]]:
    """GPT-2 with one change in a paper's run, a row for each conclusion.

    Returns:
        rows with the conclusion, whether it holds, and the first of its bounds that does not, or else the first: its
        name, the number measured and where it must lie.

    Raises:
        ValueError: an unknown paper or change.
        MissingExtra: transformers is not installed.
    """
    if paper not in RUNS:
        raise ValueError(f"paper = {paper!r}: must be one of {', '.join(RUNS)}")
    rows = []
    for conclusion, bounds in RUNS[paper](check(change), seed).items():
        told = next((bound for bound in bounds if not bool(bound.holds)), bounds[0])
        holds = all(bool(bound.holds) for bound in bounds)
        measured = {"bound": told.name, "measured": float(told.measured), "must": told.words}
        rows.append({"conclusion": conclusion, "holds": int(holds), **measured})
    return rows


SEEDS = 10
SETTINGS: dict[str, Any] = {
    "gpt-2": {**GPT2._asdict(), "tuned": list(GPT2.tuned)},
    "acquire": {"phrases": PHRASES, "multiplicities": [HIGH, LOW], "frequent": FREQUENT},
    "recall": {"subjects": SUBJECTS, "prompts": PROMPTS, "steps": STEPS, "rate": RATE},
    "weight decay": WEIGHT_DECAY,
    "plain descent": DESCENT,
}


def cells(quick: bool, large: bool = False) -> list[dict[str, Any]]:
    """Every change, seed and paper, one change after the other: half an hour of one core."""
    return [
        {"change": change, "seed": seed, "paper": paper}
        for change in CHANGES
        for seed in range(1 if quick else SEEDS)
        for paper in RUNS
    ]
