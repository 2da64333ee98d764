"""The model with nothing reduced: embeddings, neurons and W^KQ, statement by statement and prompt by prompt.

Any activation will do here. The tokens are orthonormal; those of a prompt have their place's unit vector in front.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Generator, Tensor
from torch.nn.functional import gelu, one_hot, relu

from book.together.stored.program import DOMAINS
from lib.recall.algorithm import perturbation
from lib.together import lookup, memory
from lib.together.memory import (
    CONSTRUCTED_LEAD,
    FIRST,
    NEURONS,
    SUBJECTS,
    WORDED,
    WORDS,
    World,
)

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {"square": torch.square, "relu": relu, "gelu": gelu}
PLACES = 6
DEFAULTS = {domain.name: domain.default for domain in DOMAINS}


class Network(NamedTuple):
    """f(Z) = (1/m) Σ_k σ(⟨w_{y,k}, h⟩) for each word y, h = W^P(z₋₁ + Z softmax(Zᵀ W^KQ z₋₁))."""

    embedding: Tensor
    """(31, d), orthonormal rows."""
    first_layer: Tensor
    """w, (30, m, d)."""
    W_KQ: Tensor
    """(6 + d, 6 + d)."""
    activation: str


class Trained(NamedTuple):
    """The course of a training."""

    network: Network
    memory_losses: Tensor
    """(steps + 1,) the loss on the statements, where they are trained."""
    losses: Tensor
    """(steps + 1,) L₁ of the prompts."""
    attention: Tensor
    """(steps + 1, 6)."""
    named: Tensor
    """0-d, prompts of 36 whose relation is named right at the end."""


def network(seed: int, activation: str = "square") -> Network:
    """An untrained network whose neurons begin as ``memory.start`` has them.

    Raises:
        ValueError: an unknown activation.
    """
    if activation not in ACTIVATIONS:
        raise ValueError(f"activation = {activation!r}: must be one of {', '.join(ACTIVATIONS)}")
    side = WORDS + 1
    square = torch.randn(side, side, dtype=torch.float64, generator=Generator().manual_seed(seed))
    embedding = torch.linalg.qr(square).Q
    features = memory.start(torch.tensor(float(seed), dtype=torch.float64))  # (31, 30, m)
    first_layer = torch.einsum("xyk,xd->ykd", features, embedding)
    return Network(
        embedding, first_layer, torch.zeros(PLACES + side, PLACES + side, dtype=torch.float64), activation
    )


def scores(net: Network, h: Tensor) -> Tensor:
    """f of hidden states: (B, d) → (B, 30)."""
    before = torch.einsum("bd,ykd->byk", h, net.first_layer)
    return ACTIVATIONS[net.activation](before).mean(-1)


def statements(known: World) -> tuple[Tensor, Tensor, Tensor]:
    """Every statement in its three orders: the two words shown, (S, 2), the third, (S,), and its weight, (S,)."""
    places = known.weight.nonzero().tolist()
    shown, third, weight = [], [], []
    for s, r, a, i in places:
        subject, answer, wording = s, SUBJECTS + a, FIRST + r * memory.WORDINGS + i
        for first, second, last in (
            (subject, wording, answer),
            (subject, answer, wording),
            (answer, wording, subject),
        ):
            shown.append([first, second])
            third.append(last)
            weight.append(float(known.weight[s, r, a, i]) / 3)
    return torch.tensor(shown), torch.tensor(third), torch.tensor(weight, dtype=torch.float64)


def memory_loss(net: Network, known: World) -> Tensor:
    """Σ weight · −log p(third word | the sum of the two shown), 0-d."""
    shown, third, weight = statements(known)
    below = torch.log_softmax(scores(net, net.embedding[shown].sum(1)), 1)
    return -(weight * below.gather(1, third[:, None])[:, 0]).sum()


def completes(net: Network, known: World) -> Tensor:
    """The share of the statements, in all orders, whose third word leads all others of its kind, 0-d.

    Any word that some statement has there is right.
    """
    shown, third, weight = statements(known)
    kinds = torch.tensor([0] * SUBJECTS + [1] * SUBJECTS + [2] * WORDED)
    values = scores(net, net.embedding[shown].sum(1))
    alike = (shown[:, None] == shown[None]).all(2).to(torch.float64)
    is_right = alike @ one_hot(third, WORDS).to(torch.float64) > 0
    rivals = (kinds[third][:, None] == kinds) & ~is_right
    leads = values.gather(1, third[:, None])[:, 0] > torch.where(rivals, values, -torch.inf).amax(1)
    return (weight * leads).sum()


def believed(net: Network, phrases: int, temperature: float) -> tuple[Tensor, Tensor]:
    """log p(r) of each prompt, (36, 6), and the attention from EoS, (36, 6)."""
    tokens = torch.where(lookup.PROMPTS == FIRST, WORDS, lookup.PROMPTS)
    places = torch.eye(PLACES, dtype=torch.float64).expand(len(tokens), -1, -1)
    Z = torch.cat([places, net.embedding[tokens]], 2)  # (36, 6, 6 + d)
    weights = torch.softmax((Z @ (Z[:, -1] @ net.W_KQ.T)[:, :, None])[..., 0], 1)
    h = (Z[:, -1] + (weights[:, None] @ Z)[:, 0])[:, PLACES:]
    of_relations = scores(net, h)[:, FIRST:].reshape(len(tokens), memory.RELATIONS, memory.WORDINGS)
    odds = torch.logsumexp(of_relations[..., :phrases] / temperature, 2)
    return torch.log_softmax(odds, 1), weights


def lead(net: Network, known: World) -> Tensor:
    """The lead of the wordings that state a subject with an answer, 0-d: as :class:`memory.Passed` has it."""
    pairs = [(s, a) for s in range(SUBJECTS) for a in range(SUBJECTS)]
    values = scores(net, torch.stack([net.embedding[s] + net.embedding[SUBJECTS + a] for s, a in pairs]))[
        :, FIRST:
    ]
    stated = torch.stack([known.weight[s, :, a].reshape(WORDED) for s, a in pairs]) > 0
    return values[stated].mean() - values[~stated].mean()


def train(
    net: Network,
    known: World,
    steps: int,
    rates: tuple[float, float],
    temperature: float,
    phrases: int,
) -> Trained:
    """Gradient descent on the memory's loss plus L₁, by autograd.

    Args:
        rates: η̃ of the first layer, and η of the places' scores in W^KQ. What has 0 stays as it is: then the other is
            trained on its own loss alone, the memory on statements or attention on prompts.
    """
    memory_rate, rate = rates
    memory_losses, losses, attentions = [], [], []
    for step in range(steps + 1):
        w, scores_of_places = (
            net.first_layer.clone().requires_grad_(),
            torch.zeros(PLACES, dtype=torch.float64).requires_grad_(),
        )
        matrix = net.W_KQ.clone()
        matrix[:PLACES, PLACES - 1] = matrix[:PLACES, PLACES - 1] + scores_of_places
        moving = net._replace(first_layer=w, W_KQ=matrix)
        stated = memory_loss(moving, known)
        logs, weights = believed(moving, phrases, temperature)
        asked = -(lookup.IS_TRUE * logs).sum() / len(logs)
        memory_losses.append(stated.detach())
        losses.append(asked.detach())
        attentions.append(weights[0].detach())
        if step == steps:
            break
        total = torch.stack([stated, asked]) @ torch.tensor([memory_rate > 0, rate > 0], dtype=torch.float64)
        by_w, by_scores = torch.autograd.grad(
            total, (w, scores_of_places), allow_unused=True, materialize_grads=True
        )
        matrix = net.W_KQ.clone()
        matrix[:PLACES, PLACES - 1] -= rate * lookup.balanced(matrix[:PLACES, PLACES - 1], by_scores)
        net = net._replace(
            first_layer=net.first_layer - memory_rate * float(known.stated) * NEURONS * by_w, W_KQ=matrix
        )
    return Trained(
        net,
        torch.stack(memory_losses),
        torch.stack(losses),
        torch.stack(attentions),
        lookup.named(logs.detach()),
    )


def world_of(seed: int, **settings: Any) -> World:
    """The facts that a run at these settings states."""
    phrases, multiplicity = memory.check(
        *({**DEFAULTS, **settings}[name] for name in ("phrases", "multiplicity"))
    )
    shares = ({**DEFAULTS, **settings}[name] for name in ("missing", "wrong"))
    return memory.world(
        *(torch.tensor(float(x), dtype=torch.float64) for x in (seed, phrases, multiplicity, *shares))
    )


class ByActivation(NamedTuple):
    """Means over seeds, with nothing reduced."""

    completes: float  # the share of the statements that the memory completes
    tie: float  # L₁ after stage 1
    loss: float  # L₁ at the end
    eos: float  # attention on EoS at the end
    between: float  # |v₁ + v₂ − v₃ − v₄|/2 at the end
    mismatch: float  # the larger of |v₁ − v₂| and |v₃ − v₄| at the end
    named: float  # prompts of 36 whose relation is named right


MEMORY_PACE = {"square": (300, 2.0), "relu": (800, 40.0), "gelu": (800, 40.0)}
"""Steps and rate of the memory's training: with ReLU it is slower, and bears a larger rate."""


def by_activation(
    activation: str,
    temperature: float = 0.05,
    seeds: int = 3,
    first: int = 0,
    steps: int = 200,
    rate: float = 30.0,
) -> ByActivation:
    """Memory, stage 1 and stage 2, all of them through the full model.

    Args:
        activation: of the neurons.
        rate: c of both stages, η = cT².

    Raises:
        ValueError: an unknown activation.
    """
    rows = []
    for seed in range(first, first + seeds):
        known, untrained = world_of(seed), network(seed, activation)
        memory_steps, memory_rate = MEMORY_PACE[activation]
        stored = train(untrained, known, memory_steps, (memory_rate, 0.0), temperature, memory.WORDINGS)
        unit = temperature * float(lead(stored.network, known)) / CONSTRUCTED_LEAD
        pace = (0.0, rate * temperature**2)
        tied = train(stored.network, known, steps, pace, unit, memory.WORDINGS)
        ended = train(pushed(tied.network, seed), known, steps, pace, unit, memory.WORDINGS)
        v = ended.attention[-1]
        rows.append(
            [
                completes(stored.network, known),
                tied.losses[-1],
                ended.losses[-1],
                v[5],
                (v[0] + v[1] - v[2] - v[3]).abs() / 2,
                torch.maximum((v[0] - v[1]).abs(), (v[2] - v[3]).abs()),
                ended.named,
            ]
        )
    return ByActivation(*torch.tensor(rows).mean(0).tolist())


def pushed(net: Network, seed: int, radius: float = 1e-3) -> Network:
    """The network with the perturbation of this seed on its places' scores."""
    xi = perturbation(torch.tensor(float(seed)), torch.tensor(radius, dtype=torch.float64))[:PLACES]
    matrix = net.W_KQ.clone()
    matrix[:PLACES, PLACES - 1] += xi
    return net._replace(W_KQ=matrix)
