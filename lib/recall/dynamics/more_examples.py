"""Two, three or four examples of relations between five subjects: training from equal pair masses (our own study).

A family of bijections is *sharply t-transitive* if t pairs (subject, answer), with distinct subjects and distinct
answers, always belong to exactly one relation: Assumption 1 with equality is t = 2. On five points there is one for
every t from 2 to 4: the 20 affine maps x ↦ ax + b mod 5, the 60 even permutations, all 120 permutations.

Once attention on the query and on EoS has died out, xᵢ = v_{2i−1} and yᵢ = v_{2i} are all that is left, and mᵢ =
xᵢ + yᵢ is the mass of pair i. Renaming the subjects by their place in the prompt makes r* the identity and the
family one of its conjugates, of which the 20 affine maps have six, the other two families one.
"""

from __future__ import annotations

import math
from itertools import permutations
from typing import NamedTuple

import torch
from torch import Tensor

from lib import noise
from lib.domain import Domain
from lib.recall.model import LEARNING_RATE, STEPS
from lib.recall.task import Knowledge, affine_family, knowledge
from lib.solve import Program, Stage

SUBJECTS = 5
MOST = SUBJECTS - 1
"""The most examples: one subject is the query."""

DOMAINS = (
    Domain("examples", low=2, high=MOST, integer=True),
    Domain("fixing", low=2, high=MOST, integer=True),
    Domain("warmth", low=0.01, high=10),
    Domain("perturbation_radius", low=0, high=1),
    Domain("tie", low=0, high=1),
    Domain("seed", low=0, high=10_000, integer=True),
    LEARNING_RATE._replace(name="rate_2"),
    STEPS._replace(high=10_000),
)
"""What the fields of :class:`Lesson` may be."""

DEFAULTS: dict[str, float] = {
    "examples": 3,
    "fixing": 3,
    "warmth": 0.25,
    "perturbation_radius": 1e-3,
    "tie": 1.0,
    "seed": 0,
    "rate_2": 300.0,
    "steps": 2500,
}
"""The configuration that the page opens with."""

COLD = 1 / 3
"""The law is claimed where T is at most this part of the law's smallest gap."""

NEAR = 1 / 4
"""Masses count as the law's within this part of the law's spacing."""

TIED = 0.6
"""A run may stop only below this loss: two tied relations alone cost log 2."""

HIGHEST = 600.0
"""Logit gaps over T are cut here, where exp is still a number."""


class Lesson(NamedTuple):
    """The parameters, each a 0-d tensor."""

    examples: Tensor  # K
    fixing: Tensor  # t: that many pairs belong to exactly one relation
    warmth: Tensor  # T in units of the law's smallest gap
    perturbation_radius: Tensor  # r
    tie: Tensor  # what is left of the perturbation's difference between the first two pairs
    seed: Tensor
    rate_2: Tensor  # c₂, where η₂ = c₂(k/2)⁴T² and k = min(K, t)
    steps: Tensor  # the most steps


class Learning(NamedTuple):
    """The state."""

    theta: Tensor  # (8,) scores of s₁, a₁, … s₄, a₄; those beyond the K-th pair count for nothing
    loss: Tensor  # 0-d: before the last step, above the least possible
    rise: Tensor  # 0-d: its largest rise
    step: Tensor  # 0-d


class LearningWatch(NamedTuple):
    """What is drawn while it trains."""

    masses: Tensor  # (4,) of the pairs in the prompt's order; NaN beyond the K-th
    probability: Tensor  # (1,) of r*, and of all relations that agree with every example
    loss: Tensor  # (1,) L₁ above its least possible value


class MoreExamples(NamedTuple):
    """What it comes to. Ranks go from the largest mass to the smallest."""

    law: Tensor  # (4,) masses as T → 0; NaN beyond the K-th
    warm_law: Tensor  # (4,) with the term linear in T
    masses: Tensor  # (4,) at the end
    gaps: (
        Tensor  # (4,) logits by which r* leads: ranks 1 and 2 swapped, 2 and 3, 3 and 4, the last used missed
    )
    grid: Tensor  # (60,) warmths
    first: Tensor  # (60,) the law with its linear term, by rank
    second: Tensor
    third: Tensor
    fourth: Tensor
    now: Tensor  # (4,) the present warmth, once for each mass
    temperature: Tensor  # T
    smallest_gap: Tensor  # ½d², the law's
    least_gap: Tensor  # the least of ``gaps``
    mismatch: Tensor  # largest |xᵢ − yᵢ|
    distance: Tensor  # largest |mass − law|, in units of the spacing d
    start_loss: Tensor  # L₁ with equal masses, above its least possible value
    end_loss: Tensor
    probability: Tensor
    foretold: Tensor  # 0 … 3: the pair that the perturbation favours
    winner: Tensor  # 0 … 3: the pair with the largest mass at the end
    curvature: Tensor  # of L₁ at equal masses, in the direction of the perturbation's pair sums
    saddle_curvature: Tensor  # −1/(2TK²); NaN where K > t
    cold: Tensor  # lights
    perturbed: Tensor
    small_steps: Tensor
    converged: Tensor
    verdict: Tensor  # 0 confirmed, 1 contradicted, 2 outside, 3 beyond, 4 unfinished
    story: Tensor  # 0 the law, 1 still tied, 2 too warm, 3 still moving


def family(fixing: int) -> Knowledge:
    """The sharply t-transitive family on five subjects: 20 affine maps, 60 even permutations, all 120.

    Raises:
        ValueError: ``fixing`` is not 2, 3 or 4.
    """
    DOMAINS[1].check(fixing)
    if fixing == 2:
        return affine_family(SUBJECTS)
    return knowledge([list(p) for p in permutations(range(SUBJECTS)) if fixing == 4 or _even(p)])


def _even(p: tuple[int, ...]) -> bool:
    return sum(p[i] > p[j] for j in range(len(p)) for i in range(j)) % 2 == 0


def _conjugates(fixing: int) -> list[list[float]]:
    """The family's conjugates as 0 and 1 over all 120 permutations, each once."""
    every = list(permutations(range(SUBJECTS)))
    relations = [tuple(row) for row in family(fixing).answers.tolist()]
    found = set()
    for names in every:  # place i of the prompt holds subject names[i], and answer i is the one it belongs to
        place = [names.index(s) for s in range(SUBJECTS)]
        found.add(frozenset(tuple(place[r[names[i]]] for i in range(SUBJECTS)) for r in relations))
    return [[float(p in conjugate) for p in every] for conjugate in sorted(found, key=sorted)]


def _tables() -> tuple[Tensor, Tensor, Tensor]:
    """Matches less those of r* (120, 16), conjugates as columns (120, 8), and for t = 2, 3, 4 their shares (3, 8)."""
    every = torch.tensor(list(permutations(range(SUBJECTS))))
    hit = (every[:, :MOST, None] == torch.arange(MOST)).to(torch.float64)  # (120, 4, 4)
    rows = [_conjugates(fixing) for fixing in (2, 3, 4)]
    columns = torch.tensor([row for group in rows for row in group], dtype=torch.float64).T.contiguous()
    shares = torch.zeros(3, columns.shape[1], dtype=torch.float64)
    column = 0
    for i, group in enumerate(rows):
        shares[i, column : column + len(group)] = 1 / len(group)
        column += len(group)
    return (hit - torch.eye(MOST)).flatten(1), columns, shares


DIFFERENCES, CONJUGATES, SHARES = _tables()
PLACES = torch.arange(MOST, dtype=torch.float64)
FACTORIALS = torch.tensor([1.0, 1, 2, 6, 24, 120], dtype=torch.float64)


def pair_attention(theta: Tensor, examples: Tensor) -> tuple[Tensor, Tensor]:
    """x and y, the attention on the subjects and on the answers of four pairs, 0 beyond the K-th; (8,) → (4,), (4,)."""
    used = (examples > PLACES).to(torch.float64).repeat_interleave(2)
    weights = used * torch.exp(theta - theta.amax())
    v = weights / weights.sum()
    return v[0::2], v[1::2]


def odds(theta: Tensor, examples: Tensor, temperature: Tensor) -> Tensor:
    """Σ_r exp((l(r) − l(r*))/T) for each conjugate of the three families; (8,)."""
    x, y = pair_attention(theta, examples)
    gaps = 2 * DIFFERENCES @ (x[:, None] * y).flatten()  # (120,)
    return CONJUGATES.T @ torch.exp(torch.clamp(gaps / temperature, max=HIGHEST))


def excess_loss(theta: Tensor, examples: Tensor, fixing: Tensor, temperature: Tensor) -> Tensor:
    """L₁ − log N₀, where N₀ = max(1, (5 − K)!/(5 − t)!) relations agree with all K examples; 0-d, traceable."""
    return _share(fixing) @ torch.log(odds(theta, examples, temperature)) - torch.log(
        agreeing(examples, fixing)
    )


def agreeing(examples: Tensor, fixing: Tensor) -> Tensor:
    """N₀: how many relations agree with all K examples."""
    left = FACTORIALS[(SUBJECTS - examples).long()[None]][0] / FACTORIALS[(SUBJECTS - fixing).long()[None]][0]
    return torch.clamp(left, min=1)


def spacing(examples: Tensor, fixing: Tensor) -> Tensor:
    """d = 2/(k(k + 1)) with k = min(K, t): the law's masses are 0, …, 0, d, 2d, …, kd."""
    k = torch.minimum(examples, fixing)
    return 2 / (k * (k + 1))


def law(examples: Tensor, fixing: Tensor, warmth: Tensor) -> Tensor:
    """The masses from the largest to the smallest, with the term linear in T = warmth · d²/2; (…) → (…, 4).

    With uⱼ = m_(j) − m_(j−1) the increments from the smallest used mass on, L₁ is near Σⱼ Nⱼ exp(−uⱼ²/(2T)) under
    Σⱼ (k + 1 − j)uⱼ = 1. Here N₁ = 5 − k relations miss the weakest pair for each that swaps two neighbours. So
    uⱼ = d + (T/d)(zⱼ − z̄), zⱼ = log(Nⱼ/(k + 1 − j)), z̄ their mean with weights k + 1 − j. NaN beyond the K-th.
    """
    k = torch.minimum(examples, fixing)
    d = spacing(examples, fixing)
    weight = torch.clamp(k - PLACES, min=0)  # k, k − 1, …, 1, 0 for j = 1, 2, …
    number = torch.where(PLACES < 0.5, SUBJECTS - k, torch.ones_like(weight))
    z = torch.where(weight > 0, torch.log(number / torch.clamp(weight, min=1)), torch.zeros_like(weight))
    mean = (weight * z).sum() / weight.sum()
    used = (weight > 0).to(torch.float64)
    increments = d * used * (1 + warmth[..., None] / 2 * (z - mean))  # T/d = warmth · d/2
    rising = torch.cumsum(increments, -1)  # (…, 4), the k-th is the largest
    rank = torch.clamp(k - 1 - PLACES, min=0).long()
    masses = torch.where(k > PLACES, rising[..., rank], torch.zeros_like(rising))
    return torch.where(examples > PLACES, masses, math.nan)


def lesson() -> Program:
    """Gradient descent on L₁ from equal masses and a perturbation, attention on the query and EoS being 0.

    ξ is uniform in the ball of radius r; the first two pairs' scores are drawn together until only the part ``tie``
    of their difference is left. Stops when T‖∇L₁‖∞ is below 1/10000 of the loss, once that is below ``TIED``.
    """

    def start(p: Lesson) -> Learning:
        theta = perturbation(p)
        loss = excess_loss(theta, p.examples, p.fixing, temperature(p))
        return Learning(theta, loss, torch.zeros_like(loss), torch.zeros_like(loss))

    def step(s: Learning, p: Lesson) -> tuple[Learning, Tensor]:
        t = temperature(p)
        gradient, loss = torch.func.grad_and_value(excess_loss)(s.theta, p.examples, p.fixing, t)
        theta = s.theta - _rate(p) * _balanced(gradient, s.theta, p.examples)
        rise = torch.maximum(s.rise, loss - s.loss)
        return Learning(theta, loss, rise, s.step + 1), _settled(gradient, loss, t)

    def same(s: Learning, _: Lesson) -> Learning:
        return s

    return Program(Lesson, DOMAINS, start, (Stage("stage 2", same, step, "steps"),), _watch, _report)


def _balanced(gradient: Tensor, theta: Tensor, examples: Tensor) -> Tensor:
    """The gradient averaged over pairs of equal scores: they stay equal, as in exact arithmetic."""
    pairs = theta.reshape(MOST, 2)
    used = (examples > PLACES).to(torch.float64)
    equal = _equal(pairs) * used  # (4, 4)
    return (equal @ gradient.reshape(MOST, 2) / torch.clamp(equal.sum(1), min=1)[:, None]).flatten()


def _equal(pairs: Tensor) -> Tensor:
    """1 where two pairs have the same scores, else 0; (4, 2) → (4, 4)."""
    return (pairs[:, None] == pairs[None]).all(2).to(torch.float64)


def temperature(p: Lesson) -> Tensor:
    """T = warmth · d²/2."""
    return p.warmth * spacing(p.examples, p.fixing) ** 2 / 2


def perturbation(p: Lesson) -> Tensor:
    """ξ with the first two pairs drawn together; (8,), 0 beyond the K-th pair."""
    xi = noise.ball(p.seed, 2 * MOST, p.perturbation_radius).reshape(MOST, 2)
    middle = (xi[0] + xi[1]) / 2
    pairs = torch.cat([middle + p.tie * (xi[:2] - middle), xi[2:]])
    return (pairs * (p.examples > PLACES).to(torch.float64)[:, None]).flatten()


def _rate(p: Lesson) -> Tensor:
    k = torch.minimum(p.examples, p.fixing)
    return p.rate_2 * (k / 2) ** 4 * temperature(p) ** 2


def _share(fixing: Tensor) -> Tensor:
    return SHARES[(fixing - 2).long()[None]][0]


def _settled(gradient: Tensor, loss: Tensor, t: Tensor) -> Tensor:
    return (loss < TIED) & (t * gradient.abs().amax() < 1e-4 * loss)


def _masses(theta: Tensor, p: Lesson) -> Tensor:
    x, y = pair_attention(theta, p.examples)
    return x + y


def _watch(s: Learning, p: Lesson) -> LearningWatch:
    t = temperature(p)
    chance = _share(p.fixing) @ (agreeing(p.examples, p.fixing) / odds(s.theta, p.examples, t))
    masses = torch.where(p.examples > PLACES, _masses(s.theta, p), math.nan)
    return LearningWatch(masses, chance[None], excess_loss(s.theta, p.examples, p.fixing, t)[None])


def _ranked(masses: Tensor) -> Tensor:
    """The places of the masses from the largest to the smallest; (4,) int64."""
    i = torch.arange(MOST)
    ahead = (masses[None] > masses[:, None]) | ((masses[None] == masses[:, None]) & (i[None] < i[:, None]))
    rank = ahead.to(torch.float64).sum(1)
    return torch.zeros_like(masses).scatter(0, rank.long(), PLACES).long()


def _gaps(x: Tensor, y: Tensor, k: Tensor) -> Tensor:
    """Logit gaps to the relations that swap neighbours in rank, and to those that miss the last used; (4,)."""
    swapped = 2 * (x[:-1] - x[1:]) * (y[:-1] - y[1:])
    swapped = torch.where(PLACES[:-1] < k - 1, swapped, math.nan)
    last = (k - 1).long()[None]
    return torch.cat([swapped, 2 * x[last] * y[last]])


def _report(ends: tuple[Learning, ...], p: Lesson) -> MoreExamples:
    end, t, d = ends[0], temperature(p), spacing(p.examples, p.fixing)
    k = torch.minimum(p.examples, p.fixing)
    x, y = pair_attention(end.theta, p.examples)
    order = _ranked(x + y)
    x, y = x[order], y[order]
    used = p.examples > PLACES
    wanted = law(p.examples, p.fixing, torch.zeros_like(t))
    grid = torch.logspace(-1, math.log10(3), 60, dtype=torch.float64)
    lines = law(p.examples, p.fixing, grid)
    gaps = _gaps(x, y, k)
    gradient, loss = torch.func.grad_and_value(excess_loss)(end.theta, p.examples, p.fixing, t)
    xi = perturbation(p)
    sums = (xi.reshape(MOST, 2).sum(1)[:, None] * torch.ones(2, dtype=torch.float64)).flatten()
    sums = sums - sums.sum() / (2 * p.examples)
    sums = torch.where(used.repeat_interleave(2), sums, torch.zeros_like(sums))
    distance = torch.where(used, (x + y - wanted).abs(), torch.zeros_like(x)).amax() / d
    zero = torch.zeros(2 * MOST, dtype=torch.float64)

    def along(size: Tensor) -> Tensor:
        direction = sums / torch.clamp(torch.sqrt((sums * sums).sum()), min=1e-300)
        return excess_loss(size * direction, p.examples, p.fixing, t)

    lights = {
        "cold": p.warmth <= COLD,
        "perturbed": (_equal(xi.reshape(MOST, 2)) * used).sum(1).mul(used).amax() < 1.5,
        "small_steps": end.rise < 1e-9,
        "converged": 0.5 + 0.5 * _settled(gradient, loss, t).to(torch.float64),
    }
    return MoreExamples(
        law=wanted,
        warm_law=law(p.examples, p.fixing, p.warmth),
        masses=torch.where(used, x + y, math.nan),
        gaps=gaps,
        grid=grid,
        first=lines[:, 0],
        second=lines[:, 1],
        third=lines[:, 2],
        fourth=lines[:, 3],
        now=p.warmth * torch.ones(MOST, dtype=torch.float64),
        temperature=t,
        smallest_gap=d**2 / 2,
        least_gap=torch.where(torch.isnan(gaps), torch.full_like(gaps, math.inf), gaps).amin(),
        mismatch=(x - y).abs().amax(),
        distance=distance,
        start_loss=excess_loss(zero, p.examples, p.fixing, t),
        end_loss=loss,
        probability=_watch(end, p).probability[0],
        foretold=_ranked(torch.where(used, sums[0::2], torch.full_like(x, -math.inf)))[0].to(torch.float64),
        winner=order[0].to(torch.float64),
        curvature=torch.func.grad(torch.func.grad(along))(torch.zeros_like(t)),
        saddle_curvature=torch.where(p.examples > p.fixing, math.nan, -1 / (2 * t * p.examples**2)),
        **lights,
        **_outcome(lights, distance, loss),
    )


def _outcome(lights: dict[str, Tensor], distance: Tensor, loss: Tensor) -> dict[str, Tensor]:
    """The verdict and the story."""
    near = (distance < NEAR).to(torch.float64)
    assumed = lights["cold"] & lights["perturbed"] & lights["small_steps"]
    done = lights["converged"] > 0.75
    verdict = torch.where(assumed, 1 - near, 2 + near)
    verdict = torch.where(assumed & ~done & (near < 0.5), torch.full_like(near, 4), verdict)
    story = torch.where(lights["cold"], torch.full_like(near, 3), torch.full_like(near, 2))
    story = torch.where(near > 0.5, torch.zeros_like(near), story)
    return {
        "verdict": verdict,
        "story": torch.where((loss > 0.9 * math.log(2)) & lights["cold"], near * 0 + 1, story),
    }
