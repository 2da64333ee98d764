"""What pages about Huang et al. share: data, the faithful model, small helpers, a search for the lowest point."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Generator, Tensor

from lib.domain import Domain
from lib.program import Program, record
from lib.recall import model
from lib.recall.general import COLDEST, COOL
from lib.recall.landscape import ESCAPE_DIRECTION, SADDLE, best_probability, optimum, wrong_odds
from lib.recall.model import Transformer
from lib.recall.phases import PRINTED, SURE, reaches, reaches_law, thresholds
from lib.recall.reduction import Reduced, affine_log_counts, affine_reduced, match_classes, relation_loss
from lib.recall.task import Knowledge, Prompts

TOLERANCE = 1e-3
"""How close attention must come to a pattern to count as that pattern."""

NO_COLDER = {
    "temperature": f"below {COLDEST:g} exp(½/T) leaves the computer's numbers, and above {COOL:g} nothing is claimed"
}
"""Why hunts in the statements of Appendix C keep to these temperatures."""

SLICE_X = torch.linspace(0, 0.5, 101, dtype=torch.float64)
"""Along the pairwise slice, the attention x on each token of the first pair; ½ − x is on those of the second."""


def is_perturbed(r: Any, p: Any) -> Tensor:
    """Whether the perturbation has a part along the way out of the saddle, ⟨ξ, ε̃⟩ ≠ 0."""
    return r.overlap != 0


def is_too_hot(r: Any, p: Any) -> Tensor:
    """Whether the slice of three subjects has no inner minimum, T at or above the third threshold."""
    return p.temperature >= thresholds().exists


def never_rises(r: Any, p: Any) -> Tensor:
    """Whether the loss never rises over a step, by more than rounding."""
    return r.rise < 1e-9


SMALL_STEPS = ("learning rate small enough: the loss never rises", never_rises)
"""A hypothesis of descent from the saddle, in words and as a predicate."""


def three_subjects() -> Reduced:
    """The data of the warm-up: three subjects, all six bijections, the affine family over the field of 3."""
    return affine_reduced(3)


def affine(subjects: float) -> Reduced:
    """The affine family's counts at any n ≥ 3, a power of a prime or not."""
    n = scalar(float(subjects))
    return Reduced(match_classes(2), affine_log_counts(n)[None], torch.ones(1, dtype=torch.float64), n)


def random_embedding(tokens: int, overlap: float = 0.0) -> Tensor:
    """Unit vectors in random position, any two with cosine ``overlap``; (tokens, tokens + 1)."""
    noise = torch.randn(
        tokens + 1, tokens + 1, dtype=torch.float64, generator=Generator().manual_seed(tokens)
    )
    basis = torch.linalg.qr(noise).Q
    return (1 - overlap) ** 0.5 * basis[:-1] + overlap**0.5 * basis[-1]


def transformer(known: Knowledge, overlap: float = 0.0) -> Transformer:
    """The faithful model with random unit embeddings, any two of cosine ``overlap``."""
    embedding = random_embedding(2 * known.subjects + known.relations + 1, overlap)
    W, V = model.associative_memory(known, embedding)
    side = 7 + embedding.shape[1]
    return Transformer(embedding, W, V, torch.zeros(side, side, dtype=torch.float64))


def full_logits(built: Transformer, tokens: Tensor, v: Tensor, power: int = 2) -> Tensor:
    """Logits of all tokens where EoS attends with any weights v, summing to 1 or not: (B, |V|).

    Args:
        built: the model; only its embeddings and its MLP play a part.
        tokens: (B, 6).
        v: (6,).
        power: of the MLP's activation, 2 in the paper.
    """
    seen = built.embedding[tokens]  # (B, 6, d)
    h = seen[:, -1] + v @ seen  # (B, d): what W^P keeps of EoS, and of all that it attends to
    return (h @ built.W.T) ** power @ built.V @ built.embedding.T


def some_attention(draws: int, seed: int = 0) -> Tensor:
    """Random attention, (draws, 6)."""
    scores = torch.randn(draws, 6, dtype=torch.float64, generator=Generator().manual_seed(seed))
    return torch.softmax(1.5 * scores, 1)


def curvature_by_autograd(
    reduced: Reduced, temperature: Tensor, direction: tuple[float, ...] = ESCAPE_DIRECTION
) -> Tensor:
    """The second derivative of L₁(θ̃ + xε̃) at x = 0, of the loss over all classes of relations; or along another way."""
    way = torch.tensor(direction, dtype=torch.float64)
    saddle = torch.tensor(SADDLE, dtype=torch.float64)
    along = torch.func.grad(torch.func.grad(lambda x: relation_loss(saddle + x * way, reduced, temperature)))
    return along(scalar(0.0))


TABLE_1 = ((0, 1, 2), (1, 0, 2), (0, 2, 1), (1, 2, 0), (2, 0, 1), (2, 1, 0))
"""Which of a₁, a₂, a₃ each of the relations r₁ … r₆ of Table 1 maps s₁, s₂, s₃ to."""


def table_rows(known: Knowledge, prompts: Prompts) -> Tensor:
    """Which relations are which row of ``TABLE_1`` in each prompt, (B, |R|, 6) bool."""
    shown = known.answers[prompts.relation[:, None], prompts.subjects]  # (B, 3): a₁, a₂, a₃
    images = known.answers.T[prompts.subjects].transpose(1, 2)  # (B, |R|, 3)
    return (images[:, :, None] == shown[:, None, torch.tensor(TABLE_1)]).all(3)


def chain_rule_by_sympy() -> bool:
    """Whether vᵢ(gᵢ − v·g) is the derivative by θᵢ (eq. 10), and not gᵢ, the one by vᵢ; in e^θ all is rational."""
    import sympy as sp

    e, g = sp.symbols("e1:7", positive=True), sp.symbols("g1:7")
    v = [x / sum(e) for x in e]
    mean = sum(a * b for a, b in zip(v, g, strict=True))
    ours = [sum(h * x * sp.diff(a, x) for h, a in zip(g, v, strict=True)) for x in e]
    right = all(sp.cancel(o - a * (h - mean)) == 0 for o, a, h in zip(ours, v, g, strict=True))
    return right and sp.cancel(g[0] - v[0] * (g[0] - mean)) != 0


def softmax_by_sympy() -> bool:
    """The first and second derivatives of p₁ = softmax(l/T)₁: eq. 15, and what the terms II use."""
    import sympy as sp

    l1, l2, l3, t = sp.symbols("l1 l2 l3 T", positive=True)
    weights = [sp.exp(entry / t) for entry in (l1, l2, l3)]
    p1, p2, p3 = (weight / sum(weights) for weight in weights)
    pairs = (
        (sp.diff(p1, l1), p1 * (1 - p1) / t),
        (sp.diff(p1, l2), -p1 * p2 / t),
        (sp.diff(p1, l2, l3), 2 * p1 * p2 * p3 / t**2),
        (sp.diff(p1, l1, 2), p1 * (1 - p1) * (1 - 2 * p1) / t**2),
        (sp.diff(p1, l1, l2), p1 * p2 * (2 * p1 - 1) / t**2),
        (sp.diff(p1, l2, 2), p1 * p2 * (2 * p2 - 1) / t**2),
    )
    return all(sp.simplify(one - two) == 0 for one, two in pairs)


def formula(domains: tuple[Domain, ...], function: Callable[..., Any]) -> Program:
    """A program without stages: ``function`` of the parameters, in the order of ``domains``, is its report."""
    return Program(
        parameters=record("Parameters", [domain.name for domain in domains]),
        domains=domains,
        start=lambda p: (),
        stages=(),
        watch=lambda s, p: None,
        report=lambda ends, p: function(*p),
    )


def seeded(seed: int) -> Generator:
    """A generator of its own."""
    return Generator().manual_seed(seed)


def scalar(value: float) -> Tensor:
    """``value`` as a 0-d float64 tensor."""
    return torch.tensor(value, dtype=torch.float64)


def lowest(value: Callable[[Tensor], Tensor], size: int, starts: int, steps: int) -> Tensor:
    """The best of equal attention and ``starts`` − 1 random starts, after Adam on log ``value``; (size,).

    Args:
        value: a positive function of (size,), traceable.
    """
    generator = torch.Generator().manual_seed(0)
    theta = torch.randn(starts, size, dtype=torch.float64, generator=generator)
    theta[0] = 0  # equal attention is one of them
    every = torch.func.vmap(value)
    slope = torch.func.grad(lambda x: torch.log(every(x)).sum())
    mean, square = torch.zeros_like(theta), torch.zeros_like(theta)
    for k in range(1, steps + 1):
        gradient = slope(theta)
        mean, square = 0.9 * mean + 0.1 * gradient, 0.99 * square + 0.01 * gradient**2
        rate = 0.1 * 0.5 * (1 + math.cos(math.pi * k / steps)) + 1e-3
        theta = theta - rate * (mean / (1 - 0.9**k)) / ((square / (1 - 0.99**k)).sqrt() + 1e-12)
    return theta[every(theta).argmin()]


def searched(subjects: float, temperature: float, starts: int = 12, steps: int = 700) -> tuple[Tensor, float]:
    """The lowest L₁ that a search over all six positions finds, for the affine family: its scores, and L₁."""
    reduced, t = affine(subjects), scalar(temperature)
    theta = lowest(lambda x: relation_loss(x, reduced, t), 6, starts, steps)
    return theta, float(relation_loss(theta, reduced, t))


def lowest_on_slice(subjects: float, temperature: float) -> float:
    """The lowest L₁ on the pairwise slice, in closed form but for one root."""
    n, t = scalar(float(subjects)), scalar(temperature)
    return float(torch.log1p(wrong_odds(optimum(n, t), n, t)))


def nothing_is_lower(*places: tuple[float, float], relative: bool = False) -> bool:
    """Whether at each (n, T) the search ends no lower than the slice, and at most 0.001, or that share, higher."""
    for place in places:
        (_, searched_loss), lowest = searched(*place), lowest_on_slice(*place)
        if not -1e-9 < (searched_loss - lowest) / (lowest if relative else 1) < 1e-3:
            return False
    return True


def sure_at(subjects: float) -> dict[str, float]:
    """The T up to which some attention is 0.99 and 0.999 sure, times log n; how sure one is at T = 1/(40 log n)."""
    n, log_n = scalar(float(subjects)).reshape(1), math.log(subjects)
    two, three = (float(reaches(n, probability)) for probability in (0.99, SURE))
    p = float(best_probability(n[0], scalar(PRINTED / log_n)))
    return {
        "T_099": two,
        "C_099": two * log_n,
        "T_0999": three,
        "C_0999": three * log_n,
        "law": float(reaches_law(n, SURE)) * log_n,
        "law_below": float(reaches_law(n, SURE / (SURE + (1 - SURE) / 6))) * log_n,  # a sixth of the odds
        "p": p,
        "short": 1 - p,
    }


def named_at_random(subjects: int, relations: int, examples: int, rivals: int = 1) -> float:
    """How often r* is named where it ties with every relation of ``rivals`` of the classes that match all answers.

    For random bijections a relation is in such a class with probability p = 1/(n (n − 1) … (n − K + 1)) each, so
    r* competes with 1 + Bin(|R| − 1, rivals·p) relations, and the mean of one over that is
    (1 − (1 − rivals·p)^|R|)/(|R|·rivals·p). With K = 2, one rival class, its own, gives the Bayes ceiling; two,
    the confusing one too, the saddle; all six the untrained model.
    """
    share = rivals / math.perm(subjects, examples)
    return -math.expm1(relations * math.log1p(-share)) / (relations * share) if share < 1 else 1 / relations


def uniform_ball(count: int, dimension: int, radius: float, seed: int) -> Tensor:
    """``count`` points drawn uniformly from a ball: (count, dimension)."""
    generator = torch.Generator().manual_seed(seed)
    normal = torch.randn(count, dimension, dtype=torch.float64, generator=generator)
    length = torch.rand(count, 1, dtype=torch.float64, generator=generator) ** (1 / dimension)
    return radius * length * normal / normal.norm(dim=1, keepdim=True)


TIPPED = 0.2
"""How far ahead the true relation is, in probability, when the drawing shows that the balance tips."""
