"""Fine-tuning as in Huang et al., section 5, many runs at once: positions alone, or the whole of W^KQ.

The MLP of Lemma 1 is never formed. A prompt's hidden state is a combination of its own tokens, so by eq. 18 the
logits of relations depend only on the attention to the prompt's subjects and answers and on which relation
matches which, and those of answers only on the attention to its subjects and to r*. This holds with any W^KQ: a
prompt with scores θ from EoS is a data set of one prompt to :func:`lib.recall.reduction.relation_loss`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import torch
from torch import Generator, Tensor
from torch.nn.functional import pad

from lib.recall import reduction
from lib.recall.model import sequence
from lib.recall.reduction import Reduced
from lib.recall.task import Knowledge, Prompts, sample_prompts

Optimizer = Callable[[Iterable[Tensor]], torch.optim.Optimizer]
"""From tensors to torch's optimizer of them: ``partial(torch.optim.Adam, lr=1e-3)``."""

TIE = 1e-9
"""Logits closer than this, divided by the temperature, count as equal: what names a relation then is chance."""


class Data(NamedTuple):
    """Prompts as W^KQ sees them. A leading axis stacks the data of several runs."""

    tokens: Tensor
    """(B, 2K+3) int64: s₁ a₁ … s_K a_K s_{K+1} EoS r*, numbered as in :mod:`lib.recall.model`."""
    log_counts: Tensor
    """(B, C) float64, the log of how many relations of each class a prompt has; −inf where none."""
    weights: Tensor
    """(B,) float64, the share of each prompt in the loss; they add up to 1, and padding has 0."""
    matches: Tensor
    """(C, K+1, K), shared by all runs: :func:`lib.recall.reduction.match_classes`."""
    subjects: Tensor
    """0-d float64, n."""


class Trained(NamedTuple):
    """What training has come to after some number of steps."""

    steps: int
    parameters: tuple[Tensor, ...]
    loss: Tensor
    """(runs, 2): L₁ and L₂ there."""
    drift: Tensor
    """(runs, 2): by how much they fell in the last tenth of the steps; near 0 once training has converged."""
    basis: Tensor | None = None
    """Ψ of :func:`tokens_of` where the whole of W^KQ was trained."""


class Outcome(NamedTuple):
    """What trained attention does on prompts, each a mean over them; the leading axis is the run."""

    accuracy: Tensor
    """(runs,): how often the first step's argmax is r*; a tie of m relations counts 1/m."""
    probability: Tensor
    """(runs,): p₁(r*)."""
    answer_accuracy: Tensor
    """(runs,): how often the second step's argmax is the right answer, r* having been decoded."""
    answer_probability: Tensor
    """(runs,): p₂(a_{K+1})."""
    from_eos: Tensor
    """(runs, B, 2K+2): the attention in the first step."""
    from_relation: Tensor
    """(runs, B, 2K+3): that in the second."""


class Pairing(NamedTuple):
    """See :func:`pairing`."""

    within: Tensor
    """The largest difference between the two tokens of a pair."""
    between: Tensor
    """The difference between the mean attention of the most and of the least attended pair."""
    mass: Tensor
    """What all examples receive together; the rest goes to the query and EoS."""

    @property
    def emerged(self) -> Tensor:
        """See :func:`emerged`."""
        return emerged(self.within, self.between)


APART, EVEN = 0.05, 1 / 4
"""What we call pairwise: pairs differ by ``APART`` or more, their tokens by at most this part of that, ``EVEN``."""


def emerged(within: Any, between: Any) -> Any:
    """Whether it is pairwise, by :data:`APART` and :data:`EVEN`."""
    return (between >= APART) & (within <= between * EVEN)


def data(knowledge: Knowledge, prompts: Prompts) -> Data:
    """What fine-tuning needs to know of ``prompts``.

    Raises:
        ValueError: more than 6 examples.
    """
    return Data(
        tokens=sequence(knowledge, prompts, decoded=True),
        log_counts=reduction.prompt_histograms(knowledge, prompts).to(torch.float64).log(),
        weights=torch.full((prompts.size,), 1 / prompts.size, dtype=torch.float64),
        matches=reduction.match_classes(prompts.examples),
        subjects=torch.tensor(float(knowledge.subjects), dtype=torch.float64),
    )


def stack(parts: Sequence[Data]) -> Data:
    """The data of several runs; the shorter are padded with prompts of weight 0."""
    longest = max(len(part.weights) for part in parts)
    padded = [_padded(part, longest - len(part.weights)) for part in parts]
    return parts[0]._replace(
        tokens=torch.stack([part.tokens for part in padded]),
        log_counts=torch.stack([part.log_counts for part in padded]),
        weights=torch.stack([part.weights for part in padded]),
    )


def held_out(knowledge: Knowledge, seen: Prompts, count: int, generator: Generator) -> Prompts:
    """``count`` prompts drawn from P_IC, none of which is in ``seen``.

    Raises:
        ValueError: fewer than half of a few draws are new: the fine-tuning set is nearly all there is.
    """
    drawn = sample_prompts(knowledge, 2 * count, generator, seen.examples)
    rows = torch.cat([drawn.subjects, drawn.relation[:, None]], 1)
    known = torch.cat([seen.subjects, seen.relation[:, None]], 1)
    new = ~(rows[:, None] == known).all(2).any(1)  # (2 count, |D|, K+2) → (2 count,)
    if int(new.sum()) < count:
        raise ValueError(f"seen = {seen.size} prompts: must leave more prompts to test on")
    return Prompts(drawn.subjects[new][:count], drawn.relation[new][:count])


def tokens_of(embedding: Tensor, examples: int) -> Tensor:
    """Ψ: the embedding of every place and every token as W^KQ sees them, one below the other.

    Args:
        embedding: (runs, |V|, d).
        examples: K.

    Returns:
        (runs, 2K + 3 + |V|, 2K + 3 + d): unit vectors for places, then ``embedding`` for tokens.
    """
    places = torch.eye(2 * examples + 3, dtype=embedding.dtype).expand(len(embedding), -1, -1)
    return torch.stack([torch.block_diag(*pair) for pair in zip(places, embedding, strict=True)])


def scores(W_KQ: Tensor, basis: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
    """Zᵀ W^KQ z₋₁ of both decoding steps: place plus token of the attended, place plus token of the attending.

    Args:
        W_KQ: (runs, D, D).
        basis: (runs, D′, D), Ψ of :func:`tokens_of`.
        tokens: (runs, B, 2K+3).

    Returns:
        θ (runs, B, 2K+2) from EoS and ω (runs, B, 2K+3) from r*, float64.
    """
    length = tokens.shape[-1]
    last = torch.cat([tokens[:, :1, -2], tokens[:, :, -1]], 1) + length  # (runs, 1 + B): EoS, then each r*
    queries = _rows(basis, last)  # (runs, 1 + B, D): the token part of z₋₁
    queries[:, :1, length - 2] = 1  # and its place
    queries[:, 1:, length - 1] = 1
    keys = basis @ (W_KQ @ queries.transpose(1, 2))  # (runs, D′, 1 + B)
    keys = keys.to(torch.float64)
    by_place, by_token = keys[:, :length], keys[:, length:]
    from_eos = by_token[:, :, 0].gather(1, tokens.flatten(1)).reshape(tokens.shape)  # (runs, B, 2K+3)
    from_relation = by_token[:, :, 1:].transpose(1, 2).gather(2, tokens)  # (runs, B, 2K+3)
    theta = by_place[:, None, :, 0] + from_eos
    omega = by_place[:, :, 1:].transpose(1, 2) + from_relation
    return theta[..., :-1], omega


def _losses(theta: Tensor, omega: Tensor, reduced: Reduced, temperature: float) -> Tensor:
    """L₁ and L₂, (2,)."""
    first = reduction.relation_loss(theta, reduced, temperature)
    return torch.stack([first, reduction.answer_loss(omega, reduced, temperature)])


def prompt_losses(theta: Tensor, omega: Tensor, data: Data, temperature: float) -> Tensor:
    """ℓ₁ and ℓ₂ of every prompt with its own scores (Huang et al., eqs. 1 and 2): (runs, B, 2), in nats."""
    one = torch.ones(1, dtype=torch.float64)

    def losses(theta: Tensor, omega: Tensor, log_counts: Tensor) -> Tensor:
        return _losses(theta, omega, Reduced(data.matches, log_counts[None], one, data.subjects), temperature)

    return torch.vmap(torch.vmap(losses))(theta, omega, data.log_counts)


def fine_tune_positions(
    start: tuple[Tensor, Tensor], data: Data, temperature: float, optimizer: Optimizer, steps: Sequence[int]
) -> list[Trained]:
    """Partial fine-tuning: θ and ω alone, from ``start``, (runs, 2K+2) and (runs, 2K+3)."""

    def of_one(theta: Tensor, omega: Tensor, log_counts: Tensor, weights: Tensor) -> Tensor:
        return _losses(theta, omega, Reduced(data.matches, log_counts, weights, data.subjects), temperature)

    def losses(theta: Tensor, omega: Tensor) -> Tensor:
        return torch.vmap(of_one)(theta, omega, data.log_counts, data.weights)

    return descend(start, losses, optimizer, steps)


def fine_tune_all(
    start: Tensor, basis: Tensor, data: Data, temperature: float, optimizer: Optimizer, steps: Sequence[int]
) -> list[Trained]:
    """Full fine-tuning: the whole of W^KQ, from ``start`` (runs, D, D), with the embeddings in ``basis``."""

    def losses(W_KQ: Tensor) -> Tensor:
        each = prompt_losses(*scores(W_KQ, basis, data.tokens), data, temperature)  # (runs, B, 2)
        return (data.weights[:, :, None] * each).sum(1)

    return [trained._replace(basis=basis) for trained in descend((start,), losses, optimizer, steps)]


def trained_scores(trained: Trained, run: int, tokens: Tensor) -> tuple[Tensor, Tensor]:
    """θ (1, B, 2K+2) and ω (1, B, 2K+3) that one run ended with, on prompts of (1, B, 2K+3) tokens."""
    if trained.basis is None:
        theta, omega = (part[run].expand(*tokens.shape[:2], -1) for part in trained.parameters)
        return theta, omega
    return scores(trained.parameters[0][run, None], trained.basis[run, None], tokens)


def descend(
    start: tuple[Tensor, ...], losses: Callable[..., Tensor], optimizer: Optimizer, steps: Sequence[int]
) -> list[Trained]:
    """Minimise L = L₁ + L₂ of every run. Adam and gradient descent work entry by entry, so runs do not mix.

    Args:
        start: tensors whose first axis is the run.
        losses: from such tensors to (runs, 2).
        optimizer: see ``Optimizer``.
        steps: after how many to look, ascending; the last is the length of the training.
    """
    leaves = tuple(tensor.clone().requires_grad_() for tensor in start)
    rule = optimizer(leaves)
    history, looks = [], []
    for step in range(steps[-1] + 1):
        rule.zero_grad()
        now = losses(*leaves)
        history.append(now.detach())
        if step in steps:
            parameters = tuple(leaf.detach().clone() for leaf in leaves)
            looks.append(Trained(step, parameters, history[step], history[step - step // 10] - history[step]))
        if step < steps[-1]:
            now.sum().backward()
            rule.step()
    return looks


def outcome(theta: Tensor, omega: Tensor, data: Data, temperature: float) -> Outcome:
    """What attention with these scores does on ``data``.

    Args:
        theta, omega: (runs, B, 2K+2) and (runs, B, 2K+3); for partial fine-tuning the same in every prompt.
        data: (runs, B, …).
        temperature: T > 0.
    """
    losses = prompt_losses(theta, omega, data, temperature)
    v, q = torch.softmax(theta, -1), torch.softmax(omega, -1)
    logits = torch.vmap(torch.vmap(reduction.relation_logits, (0, None)), (0, None))(v, data.matches)
    gaps = (logits - logits[..., :1]) / temperature  # (runs, B, C)
    there = data.log_counts > -torch.inf
    beaten = ((gaps > TIE) & there).any(-1)
    tied = torch.where(there & (gaps.abs() <= TIE), data.log_counts.exp(), 0.0).sum(-1)  # r* among them
    ahead = (q[..., -3] - q[..., 0:-4:2].amax(-1)) > 0  # s_{K+1} against the other subjects

    def mean(of_prompt: Tensor) -> Tensor:
        return (data.weights * of_prompt).sum(1)

    return Outcome(
        accuracy=mean(torch.where(beaten, 0.0, 1 / tied)),
        probability=mean(torch.exp(-losses[..., 0])),
        answer_accuracy=mean(ahead.to(torch.float64)),
        answer_probability=mean(torch.exp(-losses[..., 1])),
        from_eos=v,
        from_relation=q,
    )


def permuting(matches: Tensor) -> Tensor:
    """Which classes map the example subjects onto the example answers in another order, (C,) bool.

    For two examples that is the confusing relation alone.
    """
    examples = matches.shape[2]
    complete = matches[:, :examples].sum((1, 2)) == examples
    complete[0] = False  # the true relation's own order
    return complete


def pairing(attention: Tensor) -> Pairing:
    """How pairwise the attention from EoS is: (…, 2K+2) → three numbers each of shape (…).

    The pattern of Huang et al., Figure 2: tokens of a pair are attended alike, ``within`` = 0, and pairs are not,
    ``between`` > 0.
    """
    pairs = attention[..., :-2].unflatten(-1, (-1, 2))  # (…, K, 2)
    means = pairs.mean(-1)
    return Pairing(
        within=(pairs[..., 0] - pairs[..., 1]).abs().amax(-1),
        between=means.amax(-1) - means.amin(-1),
        mass=pairs.sum((-2, -1)),
    )


def _padded(data: Data, extra: int) -> Data:
    """``data`` with its first prompt ``extra`` times more, at weight 0."""
    tokens, log_counts = (
        torch.cat([table, table[:1].expand(extra, -1)]) for table in (data.tokens, data.log_counts)
    )
    return data._replace(tokens=tokens, log_counts=log_counts, weights=pad(data.weights, (0, extra)))


def _rows(table: Tensor, which: Tensor) -> Tensor:
    """``table[run, which[run]]``: (runs, N, D) and (runs, M) → (runs, M, D)."""
    return table.gather(1, which[:, :, None].expand(-1, -1, table.shape[2]))
