"""What is the MLP for? Four small models learn the same facts: standard, uniform attention, no MLP, the paper's."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from lib import noise
from lib.domain import Domain
from lib.knowledge import data
from lib.solve import Program, Stage

SUBJECTS, PHRASES, HIDDEN, NEURONS = 10, 3, 24, 4
TOKENS = SUBJECTS + PHRASES + 2
"""o, the subjects, the phrases, p, in this order."""
OUTPUTS = 2 * SUBJECTS + PHRASES + 3
"""The same tokens, then the answers, then d."""
ANSWERS = TOKENS
NAMES = ("standard", "uniform + MLP", "attention only", "the paper's")
SOFT = 1e-3
"""Added to the root of the second moment: large, lest the last digits of a vanishing gradient steer."""
LEARNED = 0.05
"""A loss this near to the entropy counts as learned."""

DOMAINS = (
    Domain("multiplicity", low=1, high=PHRASES, integer=True),
    Domain("noise", low=0, high=1000),
    Domain("width", low=2, high=TOKENS, integer=True),
    Domain("rate", low=0, high=0.1),
    Domain("seed", low=0, high=99, integer=True),
    Domain("steps", low=0, high=2000, integer=True),
    Domain("tuning", low=0, high=2000, integer=True),
)
DEFAULTS: dict[str, float] = {
    "multiplicity": 3,
    "noise": 40.0,
    "width": TOKENS,
    "rate": 0.02,
    "seed": 0,
    "steps": 200,
    "tuning": 40,
}


class Contest(NamedTuple):
    """The parameters, each a 0-d tensor."""

    multiplicity: Tensor  # K, of all facts
    noise: Tensor  # ‖o‖²; 0: sentences without context
    width: Tensor  # dimension of the embeddings; 15: orthogonal, below: random and normal
    rate: Tensor  # Adam's
    seed: Tensor
    steps: Tensor
    tuning: Tensor


class Weights(NamedTuple):
    """All four models' parameters, for embeddings of up to 15 dimensions."""

    scores: Tensor  # (3, 15, 15) query–key products of the three models that have attention
    values: Tensor  # (3, 15, 15) output–value products of the first three
    inner: Tensor  # (2, 24, 15) first layers of the first two
    outer: Tensor  # (2, 15, 24) their second layers
    unembed: Tensor  # (3, 26, 15) of the first three
    neurons: Tensor  # (26, 4, 15) the paper's


class Racing(NamedTuple):
    """The state."""

    weights: Weights
    mean: Weights  # Adam's moments
    square: Weights
    step: Tensor
    uses: Tensor  # (10, 3) which facts are stated with which phrases
    losses: Tensor  # (4,) minus the entropy
    accuracy: Tensor  # (4,) on the half of the facts that fine-tuning does not see
    best: Tensor  # (4,) the greatest of these so far
    on_noise: Tensor  # (3,) mean attention on o in [o s r] of those that have attention


class Watched(NamedTuple):
    """What is drawn on the way."""

    losses: Tensor
    accuracy: Tensor
    on_noise: Tensor


class Verdicts(NamedTuple):
    """What it comes to."""

    losses: Tensor  # (4,) pre-training loss minus entropy at its end
    accuracy: Tensor  # (4,) on unseen facts after fine-tuning
    best: Tensor  # (4,) at the best step
    on_noise: Tensor  # (4,) attention on o; ⅓ without attention; NaN without context
    entropy: Tensor
    uniform_loss: Tensor  # the numbers of single models, for the sentences
    attention_loss: Tensor
    standard_loss: Tensor
    paper_loss: Tensor
    noisy: Tensor  # lights: there is context
    orthogonal: Tensor  # embeddings are orthogonal
    finite: Tensor  # no loss is above that of guessing
    verdict: Tensor  # 0 only the one without MLP fails, 1 uniform attention fails too, 2 all learn, 3 else
    story: Tensor


def logits(w: Weights, tokens: Tensor, last: Tensor, length: Tensor) -> tuple[tuple[Tensor, ...], Tensor]:
    """All four models on prompts.

    With x the prompt's embeddings as rows: α = softmax(x Q x_last) or 1/T, a = Σ α_i x_i. Standard: y = x_last + V a,
    f = U (y + B max(A y, 0)); without the MLP f = U y; the paper's with λ = m: f_v = Σ_k max(⟨w_{v,k}, a + x_last⟩, 0).

    Args:
        tokens: (P, T, 15) embeddings, zero rows where a prompt is shorter; ``last``: (P, 15) the last token's.
        length: (P, T) 1 where there is a token.

    Returns:
        four (P, 26), and the attention (3, P, T) of models 1, 3 and 4.
    """
    score = torch.einsum("pti,aij,pj->apt", tokens, w.scores, last)
    score = torch.where(length > 0.5, score, torch.full_like(score, -1e30))
    attention = torch.softmax(score, -1)
    even = length / length.sum(-1, keepdim=True)
    mixed = torch.einsum(
        "apt,pti->api", torch.cat([attention[:1], even[None], attention[1:]]), tokens
    )  # (4, P, 15)
    stream = last + torch.einsum("aij,apj->api", w.values, mixed[:3])
    hidden = torch.relu(torch.einsum("ahi,api->aph", w.inner, stream[:2]))
    whole = torch.cat([stream[:2] + torch.einsum("aih,aph->api", w.outer, hidden), stream[2:]])
    first = torch.einsum("avi,api->apv", w.unembed, whole)
    paper = torch.relu(torch.einsum("vki,pi->pvk", w.neurons, mixed[3] + last)).sum(-1)
    return (first[0], first[1], first[2], paper), attention


def contest() -> Program:
    """Pre-training on all facts, fine-tuning on half of them; every model by the same rule."""
    n, r = SUBJECTS, PHRASES
    j = torch.arange(n).repeat_interleave(r)
    i = torch.arange(r).repeat(n)
    halves = torch.arange(n) < n // 2

    def prompts(p: Contest) -> tuple[Tensor, Tensor, Tensor]:
        eye = _embeddings(p)
        o = eye[:1] * torch.sqrt(p.noise)
        there = (p.noise > 0).to(torch.float64)
        blank = torch.zeros_like(o)
        rows = [
            torch.stack([o.expand(n, -1), eye[1 : 1 + n], blank.expand(n, -1)], 1),
            torch.stack([o.expand(n * r, -1), eye[1 + j], eye[1 + n + i]], 1),
            torch.stack([blank.expand(n, -1), eye[1 : 1 + n], eye[-1:].expand(n, -1)], 1),
        ]
        last = torch.cat([eye[1 : 1 + n], eye[1 + n + i], eye[-1:].expand(n, -1)])
        shown = torch.tensor([[1.0, 1.0, 0.0]] * n + [[1.0, 1.0, 1.0]] * (n * r) + [[0.0, 1.0, 1.0]] * n)
        shown = shown.to(torch.float64)
        context = torch.cat([torch.ones(n + n * r, dtype=torch.float64), torch.zeros(n, dtype=torch.float64)])
        first = (shown[:, 0] * (1 - context + context * there)).reshape(-1, 1)
        return torch.cat(rows), last, torch.cat([first, shown[:, 1:]], 1)

    def targets(uses: Tensor) -> Tensor:
        phrase = uses / uses.sum(1, keepdim=True)
        answer = (ANSWERS + j[:, None] == torch.arange(OUTPUTS)).to(torch.float64)
        asked = (ANSWERS + torch.arange(n)[:, None] == torch.arange(OUTPUTS)).to(torch.float64)
        middle = torch.cat(
            [
                torch.zeros(n, 1 + n, dtype=torch.float64),
                phrase,
                torch.zeros(n, OUTPUTS - 1 - n - r, dtype=torch.float64),
            ],
            1,
        )
        return torch.cat([middle, answer, asked])

    def weights(uses: Tensor) -> tuple[Tensor, Tensor]:
        """Of the prompts in pre-training and in fine-tuning; each adds up to 1."""
        stated = (uses / uses.sum(1, keepdim=True)).reshape(-1) / (2 * n)
        before = torch.cat([torch.full((n,), 1 / (2 * n), dtype=torch.float64), stated])
        nothing = torch.zeros(n, dtype=torch.float64)
        return torch.cat([before, nothing]), torch.cat([torch.zeros_like(before), halves / (n / 2)])

    def losses(w: Weights, uses: Tensor, weight: Tensor, p: Contest) -> Tensor:
        (found, _), wanted = logits(w, *prompts(p)), targets(uses)
        return torch.stack([-(weight[:, None] * wanted * torch.log_softmax(f, -1)).sum() for f in found])

    def look(s: Racing, p: Contest) -> Racing:
        found, attention = logits(s.weights, *prompts(p))
        wanted, weight = targets(s.uses), weights(s.uses)[0]
        excess = [-(weight[:, None] * wanted * torch.log_softmax(f, -1)).sum() for f in found]
        entropy = torch.log(p.multiplicity) / 2
        asked = [f[-n:] for f in found]
        right = [_right(f, torch.arange(n) + ANSWERS) for f in asked]
        stated = s.uses.reshape(-1)
        on_noise = (attention[:, n : n + n * r, 0] * stated).sum(-1) / stated.sum()
        accuracy = torch.stack([(x * ~halves).sum() / (n - n // 2) for x in right])
        return s._replace(
            losses=torch.stack(excess) - entropy,
            accuracy=accuracy,
            best=torch.maximum(s.best, accuracy),
            on_noise=on_noise,
        )

    def start(p: Contest) -> Racing:
        known = data.draw(
            p.seed, n, r, torch.full_like(p.seed, r), p.multiplicity, torch.full_like(p.seed, n)
        )
        w = _initial(p.seed)
        none = Weights(*(torch.zeros_like(x) for x in w))
        zero = torch.zeros((), dtype=torch.float64)
        numbers = torch.zeros(4, dtype=torch.float64)
        return look(Racing(w, none, none, zero, known.uses, numbers, numbers, numbers, numbers[:3]), p)

    def trained(place: int) -> Callable[[Racing, Contest], tuple[Racing, Tensor]]:
        def step(s: Racing, p: Contest) -> tuple[Racing, Tensor]:
            gradient = torch.func.grad(lambda w: losses(w, s.uses, weights(s.uses)[place], p).sum())(
                s.weights
            )
            now = s.step + 1
            mean = Weights(*(0.9 * m + 0.1 * g for m, g in zip(s.mean, gradient, strict=True)))
            square = Weights(*(0.999 * q + 0.001 * g * g for q, g in zip(s.square, gradient, strict=True)))
            size = torch.sqrt(1 - 0.999**now) / (1 - 0.9**now)
            adam = [size * m / (torch.sqrt(q) + SOFT) for m, q in zip(mean, square, strict=True)]
            moved = Weights(*(w - p.rate * x for w, x in zip(s.weights, adam, strict=True)))
            return look(s._replace(weights=moved, mean=mean, square=square, step=now), p), p.seed < 0

        return step

    def again(s: Racing, p: Contest) -> Racing:
        none = Weights(*(torch.zeros_like(x) for x in s.weights))
        return s._replace(mean=none, square=none, step=torch.zeros_like(s.step), best=s.accuracy)

    stages = (
        Stage("pre-training", lambda s, p: s, trained(0), "steps"),
        Stage("fine-tuning", again, trained(1), "tuning"),
    )
    return Program(
        Contest,
        DOMAINS,
        start,
        stages,
        lambda s, p: Watched(s.losses, s.accuracy, s.on_noise),
        _report,
    )


def _embeddings(p: Contest) -> Tensor:
    """(15, 15) rows of length about 1; below 15 dimensions normal numbers in the first of them."""
    seeds = 500_000 + p.seed * 8 + torch.arange(8, dtype=torch.float64)
    drawn = torch.func.vmap(lambda stream: noise.normal(stream, noise.STRIDE))(seeds).reshape(-1)
    inside = (torch.arange(TOKENS) < p.width).to(torch.float64)
    random = drawn[: TOKENS * TOKENS].reshape(TOKENS, TOKENS) * inside / torch.sqrt(p.width)
    return torch.where(p.width > TOKENS - 0.5, torch.eye(TOKENS, dtype=torch.float64), random)


def _right(found: Tensor, places: Tensor) -> Tensor:
    """1 where the largest logit of a row stands at its place alone."""
    own = (places[:, None] == torch.arange(found.shape[1])).to(torch.float64)
    best = (found - 1e30 * (1 - own)).amax(1)
    return (best > (found - 1e30 * own).amax(1)).to(torch.float64)


def _initial(seed: Tensor) -> Weights:
    """Independent normal numbers with variance one over the number of inputs."""
    shapes = (
        (3, TOKENS, TOKENS),
        (3, TOKENS, TOKENS),
        (2, HIDDEN, TOKENS),
        (2, TOKENS, HIDDEN),
        (3, OUTPUTS, TOKENS),
        (OUTPUTS, NEURONS, TOKENS),
    )
    counts = [math.prod(shape) for shape in shapes]
    streams = -(-sum(counts) // noise.STRIDE)
    seeds = 10_000 + seed * streams + torch.arange(streams, dtype=torch.float64)
    drawn = torch.func.vmap(lambda stream: noise.normal(stream, noise.STRIDE))(seeds).reshape(-1)
    pieces = torch.split(drawn[: sum(counts)], counts)
    return Weights(
        *(piece.reshape(shape) / shape[-1] ** 0.5 for piece, shape in zip(pieces, shapes, strict=True))
    )


def _report(ends: tuple[Racing, ...], p: Contest) -> Verdicts:
    before, after = ends
    learned = before.losses <= LEARNED
    verdict = torch.where(
        learned[0] & learned[3] & ~learned[2],
        torch.where(learned[1], 0.0, 1.0),
        torch.where(learned.to(torch.float64).sum() > 3.5, 2.0, 3.0),
    ).to(torch.float64)
    third = torch.full_like(p.noise, 1 / 3)
    share = torch.stack([before.on_noise[0], third, before.on_noise[1], before.on_noise[2]])
    return Verdicts(
        losses=before.losses,
        accuracy=after.accuracy,
        best=after.best,
        on_noise=torch.where(p.noise > 0, share, torch.full_like(share, torch.nan)),
        entropy=torch.log(p.multiplicity) / 2,
        uniform_loss=before.losses[1],
        attention_loss=before.losses[2],
        standard_loss=before.losses[0],
        paper_loss=before.losses[3],
        noisy=(p.noise > 0).to(torch.float64),
        orthogonal=(p.width > TOKENS - 0.5).to(torch.float64),
        finite=(before.losses.amax() < math.log(OUTPUTS)).to(torch.float64),
        verdict=verdict,
        story=verdict,
    )
