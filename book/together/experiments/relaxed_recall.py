"""Huang et al.'s transformer and Algorithm 1 with one assumption given up: Lemma 6 and Theorems 1, 2 and 3.

Without a relaxation the model is :mod:`lib.recall.model`'s, and training moves the same numbers, θ and ω.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Generator, Tensor, nn
from torch.nn.functional import cross_entropy, gelu, one_hot

from book.ledger import Bound, above, at_least, at_most, below
from book.recall.common import TOLERANCE
from book.together.experiments.relaxations import (
    Trainer,
    batch,
    crowded,
    dtype_of,
    normalised,
    wrong,
)
from lib.recall.general import SAFE, large_rate
from lib.recall.model import memory_layers, sequence
from lib.recall.task import Knowledge, Prompts, affine_family, all_prompts, sample_prompts

EXAMPLES = 2
POSITIONS = 2 * EXAMPLES + 3
SMALL = 0.3
"""The size of a score at the start where W_Q and W_K are trained apart."""
ACTIVATIONS = {"relu": torch.relu, "gelu": gelu}


class Setting(NamedTuple):
    """A run of Algorithm 1."""

    subjects: int  # n
    prompts: int  # |D|; 0 for all prompts
    temperature: float  # T
    first: float  # learning rate of stage 1
    second: float  # of stage 2
    steps: tuple[int, int]
    radius: float  # r
    adam: float  # the rate of both stages under Adam


COLD = 0.0018
WARM_UP = Setting(3, 0, 0.06, 150 * 0.06**2, 150 * 0.06**2, (2000, 2000), 1e-3, 0.02)
"""Theorem 2 and Lemma 6: c₁ = c₂ = 150, and so many steps that the unrelaxed run meets every bound."""
GENERAL = Setting(
    5,
    16,
    COLD,
    float(large_rate(torch.tensor(120.0, dtype=torch.float64), torch.tensor(COLD, dtype=torch.float64))),
    1000 * COLD**2,
    (1, 1500),
    1e-4,
    0.02,
)
"""Theorems 1 and 3: one large step with c₁ = 120, then c₂ = 1000, on 16 prompts."""


class RelaxedRecall(nn.Module):
    """f(Z) = MLP(z₋₁ + Σ α_i z_i) with scores between positions, as trained in partial fine-tuning.

    Args:
        relaxation: a key of ``RELAXATIONS``.
    """

    def __init__(self, known: Knowledge, relaxation: str, generator: Generator) -> None:
        super().__init__()
        self.relaxation, self.known = relaxation, known
        tokens, dtype = 2 * known.subjects + known.relations + 1, dtype_of(relaxation)
        embedding = torch.eye(tokens, dtype=torch.float64)
        if relaxation == "crowded":
            embedding = crowded(tokens, generator)
        maps = one_hot(known.answers, known.subjects).to(torch.float64)
        first, second = memory_layers(maps, embedding)
        self.embedding, self.first, self.second = (x.to(dtype) for x in (embedding, first, second))
        self.divisor = math.sqrt(POSITIONS + embedding.shape[1]) if relaxation == "scale" else 1.0
        self.size = math.sqrt((1 + 1 / 6) / embedding.shape[1])
        zeros = torch.zeros(2 if relaxation == "heads" else 1, POSITIONS, POSITIONS, dtype=dtype)
        if relaxation == "matrices":
            drawn = torch.randn(2, POSITIONS, POSITIONS, dtype=torch.float64, generator=generator)
            self.key, self.query = (nn.Parameter(x.to(dtype) * (SMALL**2 / POSITIONS) ** 0.25) for x in drawn)
        else:
            self.scores = nn.Parameter(zeros)  # (heads, attended position, attending position)
        if relaxation == "layers":
            self.lower = nn.Parameter(zeros[0].clone())
        if relaxation == "biases":  # the MLP is the stored memory and is not trained
            self.bias = nn.Parameter(torch.zeros(POSITIONS + embedding.shape[1], dtype=dtype))

    def attention(self, tokens: Tensor) -> Tensor:
        """α from the last token, (heads, B, L), or (heads, 1, L) where it is the same for all prompts."""
        length = tokens.shape[1]
        scores = (self.key.T @ self.query)[None] if self.relaxation == "matrices" else self.scores
        column = scores[:, None, :length, length - 1]
        if self.relaxation == "biases":
            column = column + self.bias[:length] + self.embedding[tokens] @ self.bias[POSITIONS:]
        return torch.softmax(column / self.divisor, 2)

    def stream(self, tokens: Tensor) -> Tensor:
        """What attention reads, (B, L, d): the embeddings, or with two layers what the lower one makes of them."""
        seen = self.embedding[tokens]
        if self.relaxation != "layers":
            return seen
        length = tokens.shape[1]
        later = torch.ones(length, length).tril(-1).bool()  # attended after attending
        weights = torch.softmax(self.lower[:length, :length].masked_fill(later, -math.inf), 0)
        return (seen + torch.einsum("ji,bjd->bid", weights, seen)) / 2

    def forward(self, tokens: Tensor) -> Tensor:
        """Logits of all tokens, (B, |V|)."""
        seen = self.stream(tokens)
        attention = self.attention(tokens).mean(0)
        h = seen[:, -1] + (attention[:, :, None] * seen).sum(1)
        if self.relaxation == "norm":
            h = normalised(h, self.size)
        out = ACTIVATIONS.get(self.relaxation, torch.square)(h @ self.first.T) @ self.second
        if self.relaxation == "residual":
            out = out + h
        return out @ self.embedding.T


class Course:
    """What a run trains on, and its loss: the chain-of-thought loss of Huang et al., eq. 3."""

    def __init__(self, known: Knowledge, data: Prompts, relaxation: str, generator: Generator) -> None:
        n = known.subjects
        self.known, self.relaxation, self.generator = known, relaxation, generator
        self.tokens, self.decoded = sequence(known, data), sequence(known, data, decoded=True)
        self.relation = data.relation.clone()
        self.answer = known.answers[data.relation, data.subjects[:, -1]].clone()
        bad = wrong(data.size, relaxation, generator)
        more = torch.randint(1, known.relations, (int(bad.sum()),), generator=generator)
        self.relation[bad] = (self.relation[bad] + more) % known.relations
        other = torch.randint(1, n, (int(bad.sum()),), generator=generator)
        self.answer[bad] = (self.answer[bad] + other) % n

    def losses(self, model: RelaxedRecall, temperature: float, chosen: Tensor) -> tuple[Tensor, Tensor]:
        """L₁ and L₂ of the chosen prompts."""
        n = self.known.subjects
        relation = model(self.tokens[chosen])[:, 2 * n : -1] / temperature
        answer = model(self.decoded[chosen])[:, n : 2 * n] / temperature
        return cross_entropy(relation, self.relation[chosen]), cross_entropy(answer, self.answer[chosen])

    def train(self, model: RelaxedRecall, setting: Setting) -> None:
        """Algorithm 1: stage 1, the perturbation, stage 2."""
        trainer = Trainer(self.relaxation, model.parameters(), setting.adam)
        for stage, rate in enumerate((setting.first, setting.second)):
            if stage:
                perturb(model, setting.radius, self.generator)
            for _ in range(setting.steps[stage]):
                chosen = batch(len(self.tokens), self.relaxation, self.generator)
                relation, answer = self.losses(model, setting.temperature, chosen)
                trainer.step(
                    relation + answer, rate * model.divisor**2
                )  # scores move by 1/divisor² of the rate


@torch.no_grad()
def perturb(model: nn.Module, radius: float, generator: Generator) -> None:
    """Add a vector that is uniform in a ball to all that is trained."""
    parameters = list(model.parameters())
    sizes = [parameter.numel() for parameter in parameters]
    drawn = torch.randn(sum(sizes), dtype=torch.float64, generator=generator)
    length = float(torch.rand(1, generator=generator, dtype=torch.float64)) ** (1 / sum(sizes))
    for parameter, part in zip(
        parameters, (radius * length * drawn / drawn.norm()).split(sizes), strict=True
    ):
        parameter.add_(part.view_as(parameter).to(parameter.dtype))


def trained(setting: Setting, relaxation: str, seed: int) -> RelaxedRecall:
    """The model after Algorithm 1."""
    generator = Generator().manual_seed(seed)
    known = affine_family(setting.subjects)
    data = sample_prompts(known, setting.prompts, generator) if setting.prompts else all_prompts(known)
    model = RelaxedRecall(known, relaxation, generator)
    Course(known, data, relaxation, generator).train(model, setting)
    return model


class Answers(NamedTuple):
    """What a trained model says on all prompts, whose labels are right."""

    attention: Tensor  # (6,) from EoS, the mean over heads and prompts
    loss: float  # L₁
    relation: float  # p₁(r*), least
    answer: float  # p₁(r*) p₂(a₃), least


@torch.no_grad()
def answers(model: RelaxedRecall, temperature: float) -> Answers:
    """Put every prompt to the model."""
    known, every = model.known, all_prompts(model.known)
    n, rows, tokens = known.subjects, torch.arange(every.size), sequence(known, every)
    first = torch.softmax(model(tokens)[:, 2 * n : -1] / temperature, 1)
    second = torch.softmax(model(sequence(known, every, decoded=True))[:, n : 2 * n] / temperature, 1)
    relation = first[rows, every.relation].to(torch.float64)
    answer = second[rows, known.answers[every.relation, every.subjects[:, -1]]].to(torch.float64)
    return Answers(
        model.attention(tokens).mean((0, 1)).to(torch.float64),
        float(-relation.log().mean()),
        float(relation.min()),
        float((relation * answer).min()),
    )


def theorem_2(end: Answers) -> tuple[Bound, ...]:
    """Attention is (a, a, ½ − a, ½ − a, 0, 0) with a ≠ ¼."""
    v = end.attention
    lesser = torch.minimum(v[0] + v[1], v[2] + v[3]) / 2
    return (
        above(0.05, (lesser - 0.25).abs(), "distance of a from ¼"),
        at_most(
            TOLERANCE, torch.maximum((v[0] - v[1]).abs(), (v[2] - v[3]).abs()), "imbalance inside the pairs"
        ),
        at_most(TOLERANCE, v[4] + v[5], "attention on s₃ and EoS"),
    )


def lemma_6(end: Answers) -> tuple[Bound, ...]:
    """The loss ends below log 2."""
    return (below(math.log(2), end.loss, "loss L₁ at the end"),)


def theorem_3(end: Answers) -> tuple[Bound, ...]:
    """The first step is sure on every prompt."""
    return (at_most(1 - SAFE, 1 - end.relation, "1 − p(r*) on the worst prompt"),)


def theorem_1(end: Answers) -> tuple[Bound, ...]:
    """The final answer is right on all prompts."""
    return (at_least(0.99, end.answer, "probability of the final answer"),)


def verdicts(relaxation: str, seed: int) -> dict[str, tuple[Bound, ...]]:
    """The conclusions of the four theorems after one run each of their two settings."""
    warm = answers(trained(WARM_UP, relaxation, seed), WARM_UP.temperature)
    cold = answers(trained(GENERAL, relaxation, seed), GENERAL.temperature)
    return {
        "recall.theorem-1": theorem_1(cold),
        "recall.theorem-2": theorem_2(warm),
        "recall.theorem-3": theorem_3(cold),
        "recall.lemma-6": lemma_6(warm),
    }
