"""Six relations at one split of attention from EoS: logits, probabilities, gradients, and the loss all around."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import torch
from torch import Tensor
from torch.func import grad

from book.recall.common import formula
from lib.domain import Domain
from lib.program import Program
from lib.recall.landscape import slice_minimum
from lib.recall.logits import free_relation_loss, printed_gradient, squares
from lib.recall.model import TEMPERATURE

PART = Domain("part", low=0, high=1, default=0.5, track=(0.0, 1.0, 0.005))
DOMAINS = (
    PART._replace(name="total", default=0.9, words="attention on the examples"),
    PART._replace(name="share", default=0.6, words="of that, on the first one"),
    PART._replace(name="lean_1", words="of the first example, on Paris"),
    PART._replace(name="lean_2", words="of the second example, on Rome"),
    PART._replace(name="query_share", words="of the rest, on Madrid"),
    TEMPERATURE._replace(default=0.05, words="temperature", symbol="T", scale="log", track=(1e-3, 10.0)),
)

SIDE = 24
"""The triangle on which the loss is shaded has so many steps to an edge."""


class Standing(NamedTuple):
    """Logits, probabilities and gradients of the six relations at one split of attention."""

    logits: Tensor  # (6,) r* = r₁, the confusing r₂, the mismatched r₃ … r₆
    probabilities: Tensor  # (6,) p₁
    squares: Tensor  # (18,) the three squares of each logit over the largest of all, row by row
    pushes: Tensor  # (6,) −T ∂ℓ₁/∂vᵢ by eqs 4–9
    pushes_measured: Tensor  # (6,) the same by automatic differentiation
    grid_loss: Tensor  # (325,) the loss at other masses, all else equal
    optimum: (
        Tensor  # (3,) the masses at which training ends at this temperature; NaN without an inner minimum
    )
    mirrored: Tensor  # (3,) with the pairs exchanged
    attention: Tensor  # (6,) v
    loss: Tensor  # ℓ₁, in nats
    ahead: Tensor  # l(r*) less the largest other logit
    behind: Tensor  # the same the other way round
    over_confusing: Tensor  # l(r*) − l(r₂)
    over_confusing_predicted: Tensor  # 2(v₁ − v₃)(v₂ − v₄)
    probability: Tensor  # of r*


def competition() -> Program:
    """Attention split by hand, and the six relations of three subjects under it."""
    triangle = torch.tensor(
        [(SIDE - j - k, j, k) for k in range(SIDE + 1) for j in range(SIDE + 1 - k)], dtype=torch.float64
    )
    return formula(DOMAINS, partial(_standing, triangle=triangle / SIDE))


def split(total: Tensor, share: Tensor) -> Tensor:
    """Masses on the first pair, the second pair and the rest, (3,)."""
    return torch.stack([total * share, total * (1 - share), 1 - total])


def weights(masses: Tensor, lean_1: Tensor, lean_2: Tensor, query_share: Tensor) -> Tensor:
    """v, (…, 6), from the masses (…, 3) and the parts on each pair's subject and, of the rest, on the query."""
    first, second, rest = masses.unbind(-1)
    pairs = ((first, lean_1), (second, lean_2), (rest, query_share))
    return torch.stack([part for mass, lean in pairs for part in (mass * lean, mass * (1 - lean))], -1)


def _standing(
    total: Tensor,
    share: Tensor,
    lean_1: Tensor,
    lean_2: Tensor,
    query_share: Tensor,
    temperature: Tensor,
    *,
    triangle: Tensor,
) -> Standing:
    """The report; ``triangle`` (325, 3) holds the masses at which the loss is shaded."""
    v = weights(split(total, share), lean_1, lean_2, query_share)
    terms = squares(v)
    logits = terms.sum(-1)
    chance = torch.softmax((logits - logits[:1]) / temperature, 0)
    ahead = (logits[:1] - logits[1:]).amin()
    a = slice_minimum(3, temperature)
    mass = torch.where(a > 1e-6, 2 * a, torch.nan)
    return Standing(
        logits=logits,
        probabilities=chance,
        squares=(terms / terms.amax()).flatten(),
        pushes=-2 * torch.stack(printed_gradient(v.unbind(0), chance.unbind(0))),
        pushes_measured=-temperature * grad(free_relation_loss)(v, temperature),
        grid_loss=free_relation_loss(weights(triangle, lean_1, lean_2, query_share), temperature),
        optimum=torch.stack([1 - mass, mass, 0 * mass]),
        mirrored=torch.stack([mass, 1 - mass, 0 * mass]),
        attention=v,
        loss=free_relation_loss(v, temperature),
        ahead=ahead,
        behind=-ahead,
        over_confusing=logits[0] - logits[1],
        over_confusing_predicted=2 * (v[0] - v[2]) * (v[1] - v[3]),
        probability=chance[0],
    )
