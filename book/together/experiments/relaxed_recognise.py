"""Yang et al.'s transformer with one assumption given up: Theorems 3.1, 3.2 and both items of 3.3.

Without a relaxation the model is :mod:`lib.recognise.model`'s, trained by gradient descent in small steps.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import torch
from torch import Generator, Tensor, nn
from torch.nn.functional import gelu, softplus

from book.ledger import Bound, above, at_least, at_most, below
from book.recognise.two_phases import CLOSE, LEAST
from book.together.experiments.relaxations import (
    Trainer,
    batch,
    crowded,
    dtype_of,
    normalised,
    wrong,
)
from lib.recognise.model import initial_weights
from lib.recognise.task import Dataset, class_counts, draw

SAMPLES, LENGTH, WIDTH, NEURONS = 60, 4, 512, 16
SIGMA_0, SIGMA_1 = 0.6, 1.0
"""σ₀√(Lm) and σ₁√m₁."""
UNSEEN, TESTED = 24, 120
"""Words that no training sentence has, and sentences in each test set."""
STEP, STEPS = 1.0, 1000
"""The step in τ = N₀t, and how many."""
ADAM = 1e-4
LOOKS = tuple(sorted({round(10 ** (k / 8)) for k in range(25)}))
"""Steps after which the run is looked at: eight in each factor of ten, up to the last."""
SINCE = STEPS // 10
"""Phase 2 is what comes after so many steps."""
ACTIVATIONS = {"relu": torch.relu, "gelu": gelu}
STRAY = 10.0
"""By this factor an entry with an irrelevant word may exceed its order."""


class RelaxedRecognise(nn.Module):
    """F(X) = Σ_l aᵀ σ(W V p_l) with p_l = softmax(Kᵀ q_l/√m), equation (1).

    Args:
        relaxation: a key of ``RELAXATIONS``.
        words: d, how many there are.
    """

    def __init__(self, relaxation: str, words: int, generator: Generator) -> None:
        super().__init__()
        self.relaxation, dtype = relaxation, dtype_of(relaxation)
        embedding = crowded(words, generator) if relaxation == "crowded" else None
        d = words if embedding is None else embedding.shape[1]
        sigma_0 = SIGMA_0 / math.sqrt(LENGTH * WIDTH)
        start = initial_weights(WIDTH, NEURONS, d, sigma_0, SIGMA_1 / math.sqrt(NEURONS), generator)
        signs = torch.randint(0, 2, (NEURONS,), generator=generator)
        self.embedding, self.layer = embedding, (2.0 * signs - 1).to(dtype)
        self.neurons, self.value = (nn.Parameter(x.to(dtype)) for x in (start.neurons, start.value))
        self.heads = 2 if relaxation == "heads" else 1
        self.root = 1.0 if relaxation == "scale" else math.sqrt(WIDTH / self.heads)
        if relaxation == "matrices":  # products of the size that those of keys and queries have
            product = sigma_0**2 * math.sqrt(WIDTH)
            drawn = product * torch.randn(d, d, dtype=torch.float64, generator=generator)
            self.product = nn.Parameter(drawn.to(dtype))
        else:
            self.key, self.query = (nn.Parameter(x.to(dtype)) for x in (start.key, start.query))
        if relaxation == "layers":
            lower = initial_weights(WIDTH, 1, d, sigma_0, 0.0, generator)
            self.lower_key, self.lower_query = (nn.Parameter(x.to(dtype)) for x in (lower.key, lower.query))
        if relaxation == "biases":
            self.key_bias = nn.Parameter(torch.zeros(WIDTH, dtype=dtype))
            self.value_bias = nn.Parameter(torch.zeros(WIDTH, dtype=dtype))
            self.hidden_bias = nn.Parameter(torch.zeros(NEURONS, dtype=dtype))
        self.size = sigma_0 / math.sqrt(LENGTH)  # of an attended value's entries at the start

    def of_words(self, matrix: Tensor) -> Tensor:
        """What a matrix (k, d) makes of every word, (words, k); the embeddings are the unit vectors if nothing else."""
        return matrix.T if self.embedding is None else self.embedding @ matrix.T

    def scores(self) -> Tensor:
        """Products of every word's key with every word's query, in the sum of the heads, (words, words)."""
        if self.relaxation == "matrices":
            return self.product
        return self.of_words(self.key) @ self.of_words(self.query).T

    def attention(self, key: Tensor, query: Tensor, words: Tensor) -> Tensor:
        """(heads, n, key, query) by keys and queries (n, L, m)."""
        if self.relaxation == "matrices":
            scores = self.scores()[words[:, :, None], words[:, None, :]][None]
        else:
            parts = [x.unflatten(2, (self.heads, -1)).movedim(2, 0) for x in (key, query)]
            scores = parts[0] @ parts[1].transpose(2, 3)
        return torch.softmax(scores / self.root, 2)

    def forward(self, words: Tensor) -> Tensor:
        """F of sentences (n, L), (n,)."""
        value = self.of_words(self.value)[words]
        key = query = value
        if self.relaxation != "matrices":
            key, query = (self.of_words(x)[words] for x in (self.key, self.query))
        if self.relaxation == "biases":
            key, value = key + self.key_bias, value + self.value_bias
        if self.relaxation == "layers":
            lower = [self.of_words(x)[words] for x in (self.lower_key, self.lower_query)]
            mixing = self.attention(lower[0], lower[1], words)[0].transpose(1, 2)
            key, query, value = ((x + mixing @ x) / 2 for x in (key, query, value))
        weights = self.attention(key, query, words).transpose(2, 3)  # (heads, n, query, key)
        split = value.unflatten(2, (self.heads, -1)).movedim(2, 0)
        attended = (weights @ split).movedim(0, 2).flatten(2)  # (n, query, m)
        if self.relaxation == "residual":
            attended = attended + value
        if self.relaxation == "norm":
            attended = normalised(attended, self.size)
        hidden = attended @ self.neurons.T
        if self.relaxation == "biases":
            hidden = hidden + self.hidden_bias
        if self.relaxation in ACTIVATIONS:
            hidden = ACTIVATIONS[self.relaxation](hidden)
        return (hidden @ self.layer).sum(1)


class Data(NamedTuple):
    """A training set and two test sets."""

    train: Dataset  # labels may be wrong
    recombined: Dataset  # new sentences of its words
    unseen: Dataset  # sentences whose irrelevant words it does not have


class Look(NamedTuple):
    """What is measured at one step."""

    step: int
    signals: Tensor  # (3,) F on the sentences of one word μ₁, μ₂, μ₃: the G of a linear MLP
    margin: float  # the least y F of the training set
    loss: float  # mean, on the training set
    recombined: float  # the least margin of new sentences of training words
    unseen: float  # mean loss of sentences of unseen words
    scores: Tensor  # (d, d) keys by queries
    values: Tensor  # (3, 3) products of values of μ₁, μ₂, μ₃


def draw_data(relaxation: str, generator: Generator) -> Data:
    """Irrelevant words are distinct in the training set; ``UNSEEN`` further words are only in a test."""
    train = draw(class_counts(SAMPLES), LENGTH, generator)
    used = train.vocabulary
    tested = class_counts(TESTED)
    recombined = draw(tested, LENGTH, generator, vocabulary=used, distinct=False)
    other = draw(tested, LENGTH, generator, vocabulary=3 + UNSEEN, distinct=False)
    moved = torch.where(other.words > 2, other.words + used - 3, other.words)
    bad = wrong(SAMPLES, relaxation, generator)
    return Data(
        train._replace(labels=torch.where(bad, -train.labels, train.labels)),
        recombined,
        other._replace(words=moved, vocabulary=used + UNSEEN),
    )


@torch.no_grad()
def look(model: RelaxedRecognise, data: Data, step: int) -> Look:
    """Measure."""
    train, recombined, unseen = (part.labels * model(part.words).to(torch.float64) for part in data)
    values = model.of_words(model.value)[:3].to(torch.float64)
    return Look(
        step,
        model(torch.arange(3)[:, None]).to(torch.float64),
        float(train.min()),
        float(softplus(-train).mean()),
        float(recombined.min()),
        float(softplus(-unseen).mean()),
        model.scores().to(torch.float64).clone(),
        values @ values.T,
    )


def run(relaxation: str, seed: int) -> list[Look]:
    """Train, and look at the start and at ``LOOKS``."""
    generator = Generator().manual_seed(seed)
    data = draw_data(relaxation, generator)
    model = RelaxedRecognise(relaxation, data.unseen.vocabulary, generator)
    trainer = Trainer(relaxation, model.parameters(), ADAM)
    labels = data.train.labels.to(dtype_of(relaxation))
    looks = [look(model, data, 0)]
    for step in range(1, STEPS + 1):
        chosen = batch(SAMPLES, relaxation, generator)
        loss = softplus(-labels[chosen] * model(data.train.words[chosen])).mean()
        trainer.step(loss, STEP / (WIDTH * SIGMA_1**2))  # N₀ = m m₁σ₁²
        if step in LOOKS:
            looks.append(look(model, data, step))
    return looks


def _aligned(at: Look) -> Tensor:
    """The least of G(μ₁), G(μ₂), −G(μ₃)."""
    return torch.minimum(at.signals[:2].min(), -at.signals[2])


def theorem_3_1(looks: Sequence[Look]) -> tuple[Bound, ...]:
    """Items 1 to 4, at the moment at which most of them hold: the theorem says that there is one."""

    def at(moment: Look) -> tuple[Bound, ...]:
        moved = (moment.values - looks[0].values).abs().max() / (SIGMA_0**2 / LENGTH)
        return (
            at_least(LEAST, _aligned(moment), "item 1, least of G(μ₁), G(μ₂), −G(μ₃) at T₁"),
            above(0.0, moment.margin, "item 2, least margin y F of any sample at T₁"),
            at_most(CLOSE, moved, "item 3, products of two values until T₁, change over a squared length"),
            at_least(LEAST, moment.loss, "item 4, loss at T₁"),
        )

    return max(map(at, looks[1:]), key=lambda bounds: sum(bool(bound.holds) for bound in bounds))


def theorem_3_2(looks: Sequence[Look]) -> tuple[Bound, ...]:
    """Items 1 to 4 from T₁ on, which is a tenth of the run."""
    late = [moment for moment in looks if moment.step >= SINCE]
    rises = [b.scores[:3, :3] - a.scores[:3, :3] for a, b in pairwise(late)]
    moves = [b.values - a.values for a, b in pairwise(late)]
    scores = [torch.stack([c[0, 1], c[1, 0], -c[2, 0], -c[2, 1]]).min() for c in rises]
    products = [torch.stack([c[0, 1], -c[0, 2], -c[1, 2]]).min() for c in moves]
    sums = [torch.minimum(m.signals.sum(), -m.signals[:2].max() - m.signals[2]) for m in late]
    return (
        above(0.0, torch.stack(scores).min(), "item 1, least move of a score to its side, Phase 2"),
        above(0.0, torch.stack(products).min(), "item 2, least move of a value product, Phase 2"),
        at_least(LEAST, min(map(_aligned, late)), "item 3, least of G(μ₁), G(μ₂), −G(μ₃) in Phase 2"),
        at_least(LEAST, torch.stack(sums).min(), "item 4, least of the three sums in Phase 2, in size"),
    )


def theorem_3_3_loss(looks: Sequence[Look]) -> tuple[Bound, ...]:
    """Both losses fall below order 1, and go on falling; the worst new sentence comes right."""
    before, end = next(m for m in looks if m.step >= STEPS // 2), looks[-1]
    time = math.log(end.step / before.step)
    return (
        at_most(LEAST, end.loss, "training loss at the end"),
        below(0.0, math.log(end.loss / before.loss) / time, "power of τ in the training loss"),
        below(0.0, math.log(end.unseen / before.unseen) / time, "power in the loss on unseen words"),
        above(
            0.0,
            (end.recombined - before.recombined) / abs(end.margin - before.margin),
            "growth of the worst margin of recombined sentences, over the training margin's",
        ),
    )


def theorem_3_3_attention(looks: Sequence[Look]) -> tuple[Bound, ...]:
    """C₁₂, C₂₁, −C₃₁ and −C₃₂ are positive, entries with an irrelevant word are smaller by order n."""
    c = looks[-1].scores - looks[0].scores
    used = c.shape[0] - UNSEEN
    four = torch.stack([c[0, 1], c[1, 0], -c[2, 0], -c[2, 1]])
    stray = torch.maximum(c[3:used, :used].abs().max(), c[:used, 3:used].abs().max())
    room = 1 + SAMPLES * LENGTH / math.sqrt(WIDTH)
    return (
        above(0.0, four.min(), "least of C₁₂, C₂₁, −C₃₁, −C₃₂"),
        at_most(
            STRAY * room,
            SAMPLES * stray / c[0, 1].abs(),
            "n times the largest with an irrelevant word, over C₁₂",
        ),
    )


def verdicts(relaxation: str, seed: int) -> dict[str, tuple[Bound, ...]]:
    """The conclusions of the theorems after one run."""
    looks = run(relaxation, seed)
    return {
        "recognise.theorem-3-1": theorem_3_1(looks),
        "recognise.theorem-3-2": theorem_3_2(looks),
        "recognise.theorem-3-3-loss": theorem_3_3_loss(looks),
        "recognise.theorem-3-3-attention": theorem_3_3_attention(looks),
    }
