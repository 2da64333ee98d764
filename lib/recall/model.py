"""The one-layer transformer of Huang et al., sections 2.1, 2.3 and 3, exactly as printed: slow and faithful.

Tokens are numbered subjects 0 … n − 1, answers n … 2n − 1, relations 2n … 2n + |R| − 1, then EoS. A prompt of
K examples is 2K + 2 tokens long, and 2K + 3 once the relation has been decoded. Formulas count positions from
1, as the paper does. The paper's Z has one column per token; here it is one row per token, (B, L, D).
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Generator, Tensor
from torch.nn.functional import cross_entropy, one_hot, pad

from lib.domain import Domain
from lib.recall.task import EXAMPLES, Knowledge, Prompts

TEMPERATURE = Domain("temperature", low=0, low_open=True)
LEARNING_RATE = Domain("learning_rate", low=0, low_open=True)
STEPS = Domain("steps", low=0, integer=True)

MEMORY = 2 * 1024**3
"""Bytes above which the full model is refused."""


class Transformer(NamedTuple):
    """f(Z) = Vᵀ σ(W h), σ(x) = x², h = W^P (z₋₁ + Z softmax(Zᵀ W^KQ z₋₁)). Make it with :func:`build`."""

    embedding: Tensor
    """(|V|, d) float64, φ(u) in row u, orthonormal."""
    W: Tensor
    """(3n², d), the MLP's first layer."""
    V: Tensor
    """(3n², d), the MLP's second layer, applied as Vᵀ."""
    W_KQ: Tensor
    """(d_P + d, d_P + d), the attention matrix: row for the attended token, column for the attending one."""

    @property
    def positions(self) -> int:
        """d_P = 2K + 3, the longest input."""
        return self.W_KQ.shape[0] - self.embedding.shape[1]

    @property
    def examples(self) -> int:
        """K, the number of examples in a prompt."""
        return (self.positions - 3) // 2


class FineTuned(NamedTuple):
    """The result of :func:`fine_tune`."""

    parameters: tuple[Tensor, Tensor]
    """θ and ω."""
    losses: Tensor
    """(steps + 1, 2): L₁ and L₂ before each step and after the last."""
    transformer: Transformer
    """The transformer with the trained W^KQ."""


def build(knowledge: Knowledge, examples: int = 2, generator: Generator | None = None) -> Transformer:
    """The transformer whose MLP stores ``knowledge`` by the construction of Lemma 1, with W^KQ = 0.

    Args:
        knowledge: the facts.
        examples: K, from 2 to n − 1.
        generator: draws the embeddings as a random orthonormal basis of R^|V|; without one they are the unit
            vectors.

    Raises:
        ValueError: ``examples`` outside its range, or a model of more than 2 GiB.
    """
    EXAMPLES._replace(high=knowledge.subjects - 1).check(examples)
    vocabulary = 2 * knowledge.subjects + knowledge.relations + 1
    side = 2 * examples + 3 + vocabulary
    width = 3 * knowledge.subjects**2
    _refuse_above_memory(2 * width * vocabulary + side**2 + vocabulary**2, knowledge, prompts=0)
    embedding = torch.eye(vocabulary, dtype=torch.float64)
    if generator is not None:
        noise = torch.randn(vocabulary, vocabulary, generator=generator, dtype=torch.float64)
        embedding = torch.linalg.qr(noise).Q
    W, V = associative_memory(knowledge, embedding)
    return Transformer(embedding, W, V, torch.zeros(side, side, dtype=torch.float64))


def associative_memory(knowledge: Knowledge, embedding: Tensor) -> tuple[Tensor, Tensor]:
    """The layers W and V of Lemma 1: three neurons for each pair (s, a), in the lemma's order.

    With ρ = Σ φ(r) over the relations that map s to a:
    w = φ(s) + ρ → v = φ(a);   w = φ(a) + φ(s) → v = ρ;   w = φ(a) + ρ → v = φ(s).

    Args:
        knowledge: the facts.
        embedding: (|V|, d).

    Returns:
        W and V, each (3n², d).
    """
    return memory_layers(one_hot(knowledge.answers, knowledge.subjects).to(embedding.dtype), embedding)


def memory_layers(maps: Tensor, embedding: Tensor) -> tuple[Tensor, Tensor]:
    """The memory's layers for any facts, also with more answers than subjects, or subjects that share an answer.

    Args:
        maps: (|R|, |S|, |A|), 1 where relation r maps s to a, else 0.
        embedding: (|S| + |A| + |R| + 1, d).

    Returns:
        W and V, each (3 |S| |A|, d).
    """
    subjects, answers, d = maps.shape[1], maps.shape[2], embedding.shape[1]
    rho = torch.einsum("rsa,rd->sad", maps, embedding[subjects + answers : -1])  # (|S|, |A|, d)
    s = embedding[:subjects, None].expand(subjects, answers, d)
    a = embedding[None, subjects : subjects + answers].expand(subjects, answers, d)
    W = torch.stack([s + rho, a + s, a + rho], 2)  # (|S|, |A|, 3, d)
    V = torch.stack([a, rho, s], 2)  # (|S|, |A|, 3, d)
    return W.reshape(-1, d), V.reshape(-1, d)


def sequence(knowledge: Knowledge, prompts: Prompts, decoded: bool = False) -> Tensor:
    """The tokens s₁ a₁ … s_K a_K s_{K+1} EoS of each prompt, and r* after them once ``decoded``.

    Returns:
        (B, 2K + 2) or (B, 2K + 3) int64.
    """
    n = knowledge.subjects
    shown = n + knowledge.answers[prompts.relation[:, None], prompts.subjects[:, :-1]]  # (B, K)
    pairs = torch.stack([prompts.subjects[:, :-1], shown], 2).flatten(1)  # (B, K, 2) → (B, 2K)
    eos = torch.full_like(prompts.relation, 2 * n + knowledge.relations)
    tail = [prompts.subjects[:, -1], eos]
    if decoded:
        tail.append(2 * n + prompts.relation)
    return torch.cat([pairs, torch.stack(tail, 1)], 1)


def attention(transformer: Transformer, tokens: Tensor) -> Tensor:
    """softmax(Zᵀ W^KQ z₋₁), the attention from the last token, with no 1/√d.

    Args:
        transformer: the model.
        tokens: (B, L) int64, L ≤ 2K + 3.

    Returns:
        (B, L) float64.
    """
    Z = _embed(transformer, tokens)  # (B, L, D)
    scores = Z @ (Z[:, -1] @ transformer.W_KQ.T)[:, :, None]  # (B, L, 1)
    return torch.softmax(scores[:, :, 0], 1)


def logits(transformer: Transformer, tokens: Tensor) -> Tensor:
    """φ(u)ᵀ f(Z) for every token u of the vocabulary.

    Args:
        transformer: the model.
        tokens: (B, L) int64, L ≤ 2K + 3.

    Returns:
        (B, |V|) float64.
    """
    Z = _embed(transformer, tokens)  # (B, L, D)
    attended = (attention(transformer, tokens)[:, None] @ Z)[:, 0]  # (B, 1, L) @ (B, L, D) → (B, D)
    h = (Z[:, -1] + attended)[:, transformer.positions :]  # W^P keeps the token part: (B, d)
    return mlp(transformer, h) @ transformer.embedding.T


def mlp(transformer: Transformer, h: Tensor) -> Tensor:
    """f_MLP(h) = Vᵀ σ(W h) with σ(x) = x², from (…, d) to (…, d)."""
    return (h @ transformer.W.T) ** 2 @ transformer.V


def memory_scores(transformer: Transformer, first: int | Tensor, second: int | Tensor) -> Tensor:
    """φ(u)ᵀ f_MLP(φ(u₁) + φ(u₂)) for every u: the memory's scores for two elements of a fact (Lemma 1).

    For bijections the third element of the fact scores 4, all others of its kind 2 (given a subject and an
    answer: every relation that joins them 4, the others 2), the tokens of the other kinds 1, and EoS 0. The
    lemma's proof has 1 instead of 2 where the third element is an answer or a subject; its conclusion stands.

    Args:
        transformer: the model.
        first, second: token numbers, of one shape.

    Returns:
        (…, |V|) float64.
    """
    h = transformer.embedding[first] + transformer.embedding[second]
    return mlp(transformer, h) @ transformer.embedding.T


def relation_loss_full(
    transformer: Transformer, knowledge: Knowledge, prompts: Prompts, temperature: float
) -> Tensor:
    """L₁ = −mean log p₁(r*), p₁ = softmax over relations of logits / T (Huang et al., eq. 1); 0-d, in nats.

    Raises:
        ValueError: ``temperature`` ≤ 0, prompts of another length, or more than 2 GiB.
    """
    _check_run(transformer, knowledge, prompts, temperature)
    scores = logits(transformer, sequence(knowledge, prompts))
    return cross_entropy(scores[:, 2 * knowledge.subjects : -1] / temperature, prompts.relation)


def answer_loss_full(
    transformer: Transformer, knowledge: Knowledge, prompts: Prompts, temperature: float
) -> Tensor:
    """L₂ = −mean log p₂(a_{K+1}) with the true relation decoded before (Huang et al., eq. 2); 0-d, in nats.

    p₂ is the softmax over answers of logits / T, and a_{K+1} = r*(s_{K+1}).

    Raises:
        ValueError: ``temperature`` ≤ 0, prompts of another length, or more than 2 GiB.
    """
    _check_run(transformer, knowledge, prompts, temperature)
    n = knowledge.subjects
    scores = logits(transformer, sequence(knowledge, prompts, decoded=True))
    return cross_entropy(
        scores[:, n : 2 * n] / temperature, knowledge.answers[prompts.relation, prompts.subjects[:, -1]]
    )


def cot_loss(transformer: Transformer, knowledge: Knowledge, prompts: Prompts, temperature: float) -> Tensor:
    """L = L₁ + L₂, the chain-of-thought loss (Huang et al., eq. 3); 0-d, in nats.

    Raises:
        ValueError: as for its two parts.
    """
    arguments = (transformer, knowledge, prompts, temperature)
    return relation_loss_full(*arguments) + answer_loss_full(*arguments)


def position_block(theta: Tensor, omega: Tensor, d: int) -> Tensor:
    """W^KQ of partial fine-tuning: θ attends from EoS, ω from the decoded relation, all else is 0.

    θ is rows 1 … 2K+2 of column 2K+2, and ω rows 1 … 2K+3 of column 2K+3 (Huang et al., section 2.3).

    Args:
        theta: (2K + 2,).
        omega: (2K + 3,).
        d: the width of the embeddings.

    Returns:
        (2K + 3 + d, 2K + 3 + d).

    Raises:
        ValueError: θ and ω are not vectors of those lengths for one K ≥ 2.
    """
    rows = omega.numel()
    if theta.shape != (rows - 1,) or omega.shape != (rows,) or rows % 2 == 0 or rows < 7:
        raise ValueError(
            f"theta and omega have shapes {tuple(theta.shape)} and {tuple(omega.shape)}: "
            "must be (2K + 2,) and (2K + 3,) with K at least 2"
        )
    columns = torch.stack([pad(theta, (0, d + 1)), pad(omega, (0, d))], 1)  # (2K + 3 + d, 2)
    return pad(columns, (rows - 2, d))  # (2K + 3 + d, 2K + 3 + d)


def with_scores(transformer: Transformer, theta: Tensor, omega: Tensor | None = None) -> Transformer:
    """The transformer with the :func:`position_block` of θ and ω, which is 0 if not said."""
    omega = torch.zeros(transformer.positions, dtype=torch.float64) if omega is None else omega
    return transformer._replace(W_KQ=position_block(theta, omega, transformer.embedding.shape[1]))


def fine_tune(
    transformer: Transformer,
    knowledge: Knowledge,
    prompts: Prompts,
    temperature: float,
    learning_rate: float,
    steps: int,
    start: tuple[Tensor, Tensor] | None = None,
) -> FineTuned:
    """Partial fine-tuning: plain gradient descent on L = L₁ + L₂ in θ and ω alone, by automatic differentiation.

    Args:
        transformer: the model; its own W^KQ plays no part.
        knowledge, prompts: the facts and the fine-tuning data D.
        temperature: T > 0.
        learning_rate: η > 0.
        steps: how many, at least 0.
        start: (θ, ω); zeros by default.

    Raises:
        ValueError: a number outside its domain, a start that is no (θ, ω), prompts of another length, or more than
            2 GiB.
    """
    LEARNING_RATE.check(learning_rate)
    STEPS.check(steps)
    rows = transformer.positions
    zeros = torch.zeros(rows - 1, dtype=torch.float64), torch.zeros(rows, dtype=torch.float64)
    parameters = zeros if start is None else start

    def losses(theta: Tensor, omega: Tensor) -> Tensor:
        model = with_scores(transformer, theta, omega)
        relation = relation_loss_full(model, knowledge, prompts, temperature)
        return torch.stack([relation, answer_loss_full(model, knowledge, prompts, temperature)])

    history = []
    for _ in range(steps):
        theta, omega = (parameter.detach().requires_grad_() for parameter in parameters)
        now = losses(theta, omega)
        history.append(now.detach())
        by_theta, by_omega = torch.autograd.grad(now.sum(), (theta, omega))
        parameters = theta.detach() - learning_rate * by_theta, omega.detach() - learning_rate * by_omega
    history.append(losses(*parameters))
    return FineTuned(parameters, torch.stack(history), with_scores(transformer, *parameters))


def _embed(transformer: Transformer, tokens: Tensor) -> Tensor:
    """Z: the one-hot position beside the embedding of each token, (B, L) → (B, L, d_P + d)."""
    batch, length = tokens.shape
    places = torch.eye(transformer.positions, dtype=torch.float64)[:length].expand(batch, -1, -1)
    return torch.cat([places, transformer.embedding[tokens]], 2)


def _check_run(transformer: Transformer, knowledge: Knowledge, prompts: Prompts, temperature: float) -> None:
    TEMPERATURE.check(temperature)
    if prompts.examples != transformer.examples:
        raise ValueError(
            f"prompts have {prompts.examples} examples: must be {transformer.examples}, as in the transformer"
        )
    width, side = transformer.W.shape[0], transformer.W_KQ.shape[0]
    numbers = 3 * transformer.positions * side + 3 * width  # for backward: Z, its products, and the neurons
    _refuse_above_memory(prompts.size * numbers, knowledge, prompts.size)


def _refuse_above_memory(numbers: int, knowledge: Knowledge, prompts: int) -> None:
    """Raise a ValueError where ``numbers`` float64 would not fit."""
    size = 8 * numbers
    if size > MEMORY:
        load = f" and {prompts} prompts" if prompts else ""
        raise ValueError(
            f"{knowledge.subjects} subjects, {knowledge.relations} relations{load}: the full model needs "
            f"{size / 1024**3:.1f} GiB and must need at most {MEMORY / 1024**3:g} GiB; "
            "the exact reduction lib.recall.reduction.reduce needs next to nothing"
        )
