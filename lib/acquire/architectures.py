"""The four models of Table 3, on embeddings of any kind, and the data that they learn (Xu & Chen, Appendix A).

The table says little about its models. What the text at hand leaves open, and what is taken here:

- **standard**: one head, x ↦ x_last + W_O Σ_i α_i W_V x_i with α = softmax(⟨W_K x_i, W_Q x_last⟩/√d), then
  x ↦ x + W₂ relu(W₁ x), then logits U x. No normalisation, positions or biases; the unembedding U is trained, the
  embeddings are not. Open in the text: all of this but "self-attention + MLP", the width of the MLP above all.
- **uniform**: the same with α_i = 1/T. Open: whether W_V and W_O are kept; they are.
- **attention**: the standard one without its MLP. Open: whether the logits have biases, on which all depends.
- **simplified**: Section 2, f_v = (λ/m) Σ_k relu⟨w_{v,k}, Ξ⟩ with Ξ = Σ_i α_i x_i + x_last and
  α = softmax(Xᵀ Z x_last). Open: λ, m and σ₀. ``uniform`` freezes Z at zero.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Generator, Tensor, nn

from lib.acquire.task import SEED, counts
from lib.domain import Domain

KINDS = ("standard", "uniform", "attention", "attention, biases", "simplified", "simplified, uniform")
SPLITS = ("tuples", "facts")
EMBEDDINGS = ("gaussian", "unit gaussian", "orthogonal")
WIDTH = Domain("width", low=1, integer=True)


class Prompts(NamedTuple):
    """P prompts of one length T, and Q tokens that may follow each, all equally likely."""

    tokens: Tensor  # (P, T) int64
    targets: Tensor  # (P, Q) int64


class Task(NamedTuple):
    """Pre-training prompts by length, all questions, and which are for fine-tuning and which for the test."""

    embeddings: Tensor  # (2N + R + 3, d): subjects, phrases, answers, p, o and d in this order
    prompts: tuple[
        Prompts, ...
    ]  # [s_j] and [s_j r_i], or [o], [o s_j] and [o s_j r_i]; each length weighs the same
    questions: Prompts  # [s_j p] → a_j, (N, 2)
    tuples: Tensor  # (N, K) 1 for a sentence in the fine-tuning half, else 0
    subjects: int  # N
    phrases: int  # R

    @property
    def entropy(self) -> float:
        """The least loss: only phrases are chance, so log K over the number of prompt lengths."""
        return math.log(self.tuples.shape[1]) / len(self.prompts)

    @property
    def trained(self) -> Tensor:
        """(N,) each question's weight in fine-tuning: the number of its tuples in the fine-tuning half."""
        return self.tuples.sum(1)

    @property
    def tested(self) -> Tensor:
        """(N,) each question's weight in the test."""
        return self.tuples.shape[1] - self.tuples.sum(1)

    @property
    def leaked(self) -> float:
        """The share of test prompts that are fine-tuning prompts too."""
        return float((self.tested * (self.trained > 0)).sum() / self.tested.sum())


def task(
    subjects: int,
    phrases: int,
    multiplicity: int,
    dimension: int,
    *,
    split: str = "facts",
    embedding: str = "gaussian",
    context: bool = False,
    seed: int = 0,
    dtype: torch.dtype = torch.float32,
) -> Task:
    """Facts with K of R phrases each, and which half of them is fine-tuned.

    Args:
        subjects, phrases, multiplicity, dimension: N, R, K, d.
        split: "tuples", as printed: half of the NK tuples (s, r, a) are for fine-tuning, each test tuple of the other
            half gives a prompt [s p]; "facts": half of the facts.
        embedding: "gaussian", N(0, I); "unit gaussian", N(0, I/d); "orthogonal", unit vectors. With context, o has
            length √d in the latter two.
        context: whether sentences begin with o, d, as in Section 3.

    Raises:
        ValueError: a number outside its domain, K > R, an unknown word, or d too small for orthogonal vectors.
    """
    n, r, k = counts(subjects, phrases, multiplicity)
    for name, value, known in (("split", split, SPLITS), ("embedding", embedding, EMBEDDINGS)):
        if value not in known:
            raise ValueError(f"{name} = {value!r}: must be one of {', '.join(known)}")
    generator = Generator().manual_seed(int(SEED.check(seed)))
    count = 2 * n + r + 3
    embeddings = _embeddings(count, dimension, embedding, generator)
    if embedding != "gaussian":
        embeddings[count - 2] *= math.sqrt(dimension)
    drawn = torch.rand(n, r, generator=generator, dtype=torch.float64).argsort(1)[:, :k]  # (N, K) phrases
    if split == "facts":
        tuples = (torch.randperm(n, generator=generator) < n // 2).to(dtype)[:, None].expand(n, k)
    else:
        tuples = (torch.randperm(n * k, generator=generator) < n * k // 2).to(dtype).reshape(n, k)
    prompts, questions = _prompts(n, r, drawn, context)
    return Task(embeddings.to(dtype), prompts, questions, tuples, n, r)


def _prompts(n: int, r: int, drawn: Tensor, context: bool) -> tuple[tuple[Prompts, ...], Prompts]:
    """The pre-training prompts by length, and the questions.

    Args:
        drawn: (N, K) the phrases of each fact.
        context: whether sentences begin with o, d.
    """
    subject, k = torch.arange(n), drawn.shape[1]
    answer, form, context_token, follower = n + r + subject, 2 * n + r, 2 * n + r + 1, 2 * n + r + 2
    pairs = torch.stack([subject.repeat_interleave(k), n + drawn.reshape(-1)], 1)
    prompts = [Prompts(subject[:, None], n + drawn), Prompts(pairs, answer.repeat_interleave(k)[:, None])]
    if context:
        opening = Prompts(torch.tensor([[context_token]]), torch.tensor([[follower]]))
        prompts = [opening, *(_after(context_token, each) for each in prompts)]
    questions = Prompts(torch.stack([subject, torch.full_like(subject, form)], 1), answer[:, None])
    return tuple(prompts), questions


def leaked_share(subjects: int, multiplicity: int) -> float:
    """The chance that a tuple of the test half asks what a tuple of the fine-tuning half asks, NK even; in closed form.

    Given a test tuple, its K − 1 siblings are a sample without replacement from the other NK − 1 tuples, of which
    NK/2 − 1 are in the test half: 1 − Π_{i=1}^{K−1} (NK/2 − i)/(NK − i), 1 − 2^{1−K} as N → ∞.
    """
    total = subjects * multiplicity
    test = total - total // 2
    return 1 - math.prod((test - i) / (total - i) for i in range(1, multiplicity))


class Transformer(nn.Module):
    """The standard one-layer transformer and what is left of it.

    Args:
        embeddings: (tokens, d), fixed.
        width: of the MLP; 0 for none.
        uniform: whether attention is 1/T.
        biases: whether the MLP's hidden layer and the logits have them.
        generator: of the start, N(0, 1/fan-in) in each layer; biases start at 0.
    """

    embeddings: Tensor

    def __init__(
        self, embeddings: Tensor, width: int, *, uniform: bool, biases: bool, generator: Generator
    ) -> None:
        super().__init__()
        tokens, d = embeddings.shape

        def weight(rows: int, columns: int) -> nn.Parameter:
            drawn = torch.randn(rows, columns, generator=generator, dtype=torch.float64) / math.sqrt(columns)
            return nn.Parameter(drawn.to(embeddings.dtype))

        def bias(rows: int) -> nn.Parameter | None:
            return nn.Parameter(torch.zeros(rows, dtype=embeddings.dtype)) if biases else None

        self.register_buffer("embeddings", embeddings)
        self.query = None if uniform else weight(d, d)
        self.key = None if uniform else weight(d, d)
        self.value, self.output = weight(d, d), weight(d, d)
        self.first = weight(width, d) if width else None
        self.second = weight(d, width) if width else None
        self.hidden_bias = bias(width) if width else None
        self.unembedding, self.bias = weight(tokens, d), bias(tokens)

    def attention(self, tokens: Tensor) -> Tensor:
        """α of the last token, (P, T)."""
        x = self.embeddings[tokens]  # (P, T, d)
        if self.query is None or self.key is None:
            return torch.full_like(x[..., 0], 1 / x.shape[1])
        query = x[:, -1] @ self.query.T @ self.key  # (P, d)
        return torch.softmax((x @ query[:, :, None])[..., 0] / math.sqrt(x.shape[-1]), 1)

    def forward(self, tokens: Tensor) -> Tensor:
        """Logits (P, V) after prompts (P, T)."""
        x = self.embeddings[tokens]
        mixed = (self.attention(tokens)[..., None] * x).sum(1)  # (P, d)
        stream = x[:, -1] + mixed @ self.value.T @ self.output.T
        if self.first is not None and self.second is not None:
            hidden = torch.relu(nn.functional.linear(stream, self.first, self.hidden_bias))
            stream = stream + hidden @ self.second.T
        return nn.functional.linear(stream, self.unembedding, self.bias)


class Simplified(nn.Module):
    """The paper's model: f_v = (λ/m) Σ_k relu⟨w_{v,k}, Ξ⟩ with Ξ = Σ_i α_i x_i + x_last, α = softmax(Xᵀ Z x_last).

    Args:
        embeddings: (tokens, d), fixed.
        neurons: m for each of the outputs, which are as many as tokens.
        gain: λ.
        scale: σ₀ of W and Z.
        uniform: whether Z stays 0.
    """

    embeddings: Tensor

    def __init__(
        self,
        embeddings: Tensor,
        neurons: int,
        *,
        gain: float,
        scale: float,
        uniform: bool,
        generator: Generator,
    ) -> None:
        super().__init__()
        tokens, d = embeddings.shape
        drawn = torch.randn(tokens * neurons + d, d, generator=generator, dtype=torch.float64) * scale
        self.register_buffer("embeddings", embeddings)
        self.features = nn.Parameter(drawn[d:].to(embeddings.dtype).reshape(tokens, neurons, d).clone())
        scores = torch.zeros_like(embeddings[:1].T @ embeddings[:1]) if uniform else drawn[:d]
        self.scores = nn.Parameter(scores.to(embeddings.dtype).clone(), requires_grad=not uniform)
        self.gain = gain

    def attention(self, tokens: Tensor) -> Tensor:
        """α of the last token, (P, T)."""
        x = self.embeddings[tokens]
        return torch.softmax((x @ (x[:, -1] @ self.scores.T)[:, :, None])[..., 0], 1)

    def forward(self, tokens: Tensor) -> Tensor:
        """Logits (P, V) after prompts (P, T)."""
        x = self.embeddings[tokens]
        mixed = (self.attention(tokens)[..., None] * x).sum(1) + x[:, -1]  # Ξ, (P, d)
        active = torch.relu(mixed @ self.features.flatten(0, 1).T)
        return self.gain * active.unflatten(1, self.features.shape[:2]).mean(-1)


Model = Transformer | Simplified


def model(
    kind: str, known: Task, *, width: int = 200, gain: float = 1.0, scale: float = 1e-3, seed: int = 0
) -> Model:
    """A model of Table 3 at its start.

    Args:
        kind: one of ``KINDS``.
        width: of the MLP, or m neurons for each output of the simplified model.
        gain, scale: λ and σ₀ of the simplified model.

    Raises:
        ValueError: an unknown kind, or a width below 1.
    """
    if kind not in KINDS:
        raise ValueError(f"kind = {kind!r}: must be one of {', '.join(KINDS)}")
    generator = Generator().manual_seed(int(SEED.check(seed)))
    width = int(WIDTH.check(width))
    name, _, rest = kind.partition(", ")
    if name == "simplified":
        return Simplified(
            known.embeddings,
            width,
            gain=gain,
            scale=scale,
            uniform=rest == "uniform",
            generator=generator,
        )
    return Transformer(
        known.embeddings,
        0 if name == "attention" else width,
        uniform=name == "uniform",
        biases=rest == "biases",
        generator=generator,
    )


def losses(network: nn.Module, known: Task) -> Tensor:
    """Mean cross-entropy after prompts of each length; their mean is the loss."""
    return torch.stack([_loss(network(prompts.tokens), prompts.targets).mean() for prompts in known.prompts])


def question_loss(network: nn.Module, known: Task) -> Tensor:
    """Mean cross-entropy of the fine-tuning questions, 0-d."""
    weight = known.trained / known.trained.sum()
    return weight @ _loss(network(known.questions.tokens), known.questions.targets)


class Accuracies(NamedTuple):
    """Shares of right answers, by argmax over all tokens, each prompt as often as it occurs."""

    trained: float  # of the fine-tuning prompts
    tested: float  # of the test prompts
    fresh: float  # of those test prompts that are no fine-tuning prompts; NaN if there are none


@torch.no_grad()
def accuracies(network: nn.Module, known: Task) -> Accuracies:
    """The shares of questions that are answered rightly, for fine-tuning and for the test."""
    right = (network(known.questions.tokens).argmax(1) == known.questions.targets[:, 0]).to(
        known.trained.dtype
    )
    weights = known.trained, known.tested, known.tested * (known.trained == 0)
    return Accuracies(*(float(right @ weight / weight.sum()) for weight in weights))


def _loss(logits: Tensor, targets: Tensor) -> Tensor:
    """(P,) the mean of −log P over the targets of each prompt."""
    return torch.logsumexp(logits, 1) - logits.gather(1, targets).mean(1)


def _after(token: int, prompts: Prompts) -> Prompts:
    """Prompts with a token before them."""
    return prompts._replace(tokens=nn.functional.pad(prompts.tokens, (1, 0), value=token))


def _embeddings(count: int, dimension: int, kind: str, generator: Generator) -> Tensor:
    """(count, dimension) float64 rows of a kind of ``EMBEDDINGS``."""
    if kind == "orthogonal":
        if dimension < count:
            raise ValueError(f"dimension = {dimension}: must be at least {count} for orthogonal embeddings")
        return torch.eye(count, dimension, dtype=torch.float64)
    drawn = torch.randn(count, dimension, generator=generator, dtype=torch.float64)
    return drawn if kind == "gaussian" else drawn / math.sqrt(dimension)
