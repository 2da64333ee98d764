"""The best attention at given n and T: by closed form and by search, at T = C/log n, and where descent ends."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch

from book.recall.common import lowest_on_slice, scalar, searched, sure_at
from book.recall.phases.program import CLOSE, descent
from lib.program import run, run_many
from lib.recall.landscape import SWAP, best_probability, imbalance, optimum, slice_loss
from lib.recall.phases import SURE, one_pair_from, pairwise_until, printed_suffices_from, window


class BesideTheSearch(NamedTuple):
    """The optimum by the formula, and where a search over all six positions ends."""

    a: float  # the formula's larger weight
    loss: float  # L₁ there
    v1: float  # the search's attention on s₁, of the heavier example
    v2: float  # on its answer
    wasted: float  # on the query and EoS
    searched: float  # L₁ there


class EvenAttention(NamedTuple):
    """Whether even attention is the best at T = C/log n."""

    temperature: float
    low: float  # the window in which the saddle is a minimum, from
    high: float  # and to this temperature
    searched: float  # the search's largest distance from ¼
    descended: float  # the larger weight after descent
    p: float  # the best p(r*)


class ConstantAt(NamedTuple):
    """The best p(r*) at T = C/log n, and the C up to which it is 0.999."""

    p: float
    largest: float
    law: float  # the law for this C
    law_below: float  # the law at a sixth of the odds
    largest_at_three: float
    enough_from: int  # subjects from which 1/40 is enough


class Boundaries(NamedTuple):
    """Temperatures where the best solution changes."""

    even_from: float
    even_to: float
    one_pair_from: float
    C_one_pair: float  # the same times log n
    strip: float  # width of the strip in which the run stays behind, as a share


class DescentEnds(NamedTuple):
    """Where descent ends from ten perturbations."""

    best: int  # 0 even, 1 pairwise, 2 one pair
    right: int  # how many end in it
    near: int  # how many end near its loss


def beside_the_search(subjects: float, temperature: float, steps: int) -> BesideTheSearch:
    """The formula's optimum, and attention and L₁ where the search over all six positions ends."""
    theta, lowest_loss = searched(subjects, temperature, steps=steps)
    v = torch.softmax(theta, 0)
    if imbalance(v) < 0:
        v = v[list(SWAP)]  # the heavier example first
    return BesideTheSearch(
        a=0.25 + float(optimum(scalar(float(subjects)), scalar(temperature))),
        loss=lowest_on_slice(subjects, temperature),
        v1=float(v[0]),
        v2=float(v[1]),
        wasted=float(v[4:].sum()),
        searched=lowest_loss,
    )


def even_attention(subjects: int, constant: float) -> EvenAttention:
    """Whether even attention is the best at T = C/log n, by the curvature's sign, by search and by descent."""
    temperature = constant / math.log(subjects)
    low, high = (float(end) for end in window(scalar(float(subjects)).reshape(1)))
    theta, lowest_loss = searched(subjects, temperature, starts=6, steps=400)
    return EvenAttention(
        temperature=temperature,
        low=low,
        high=high,
        searched=float((torch.softmax(theta, 0)[:4] - 0.25).abs().max()),
        descended=float(run(descent(), subjects=subjects, temperature=temperature).report.end_large),
        p=math.exp(-lowest_loss),
    )


def constant_at(subjects: int, constant: float) -> ConstantAt:
    """The best p(r*) of any attention at T = C/log n, and the C up to which it is 0.999."""
    limits = sure_at(subjects)
    return ConstantAt(
        p=float(best_probability(scalar(float(subjects)), scalar(constant / math.log(subjects)))),
        largest=limits["C_0999"],
        law=limits["law"],
        law_below=limits["law_below"],
        largest_at_three=sure_at(3)["C_0999"],
        enough_from=printed_suffices_from(SURE),
    )


def loss_on_slice(x: float, temperature: float, subjects: float) -> float:
    """L₁ at attention (x, x, ½ − x, ½ − x, 0, 0), from 0 for the lowest on the slice to 1 for the highest."""
    t = scalar(temperature)
    every = slice_loss(torch.linspace(0, 0.5, 201, dtype=torch.float64), subjects, t)
    return float((slice_loss(scalar(x), subjects, t) - every.min()) / (every.max() - every.min()))


def boundaries(subjects: float) -> Boundaries:
    """Where the best solution changes at this n, times log n, and how wide the strip is where the run stays behind."""
    n = scalar(float(subjects)).reshape(1)
    (low, high), first = window(n), float(one_pair_from(n))
    return Boundaries(
        even_from=float(low),
        even_to=float(high),
        one_pair_from=first,
        C_one_pair=first * math.log(subjects),
        strip=float(pairwise_until(n)) / first - 1,
    )


def where_descent_ends(subjects: float, temperature: float, steps: int) -> DescentEnds:
    """Which solution is best, how many of ten perturbations end in it, and how many end near its loss."""
    place = {"subjects": subjects, "temperature": temperature, "steps": steps}
    r = run_many(descent(), [{**place, "seed": seed} for seed in range(10)])
    return DescentEnds(
        best=int(r.best_kind[0]),
        right=int((r.end_kind == r.best_kind).sum()),
        near=int((r.end_loss - r.best_loss < CLOSE).sum()),
    )
