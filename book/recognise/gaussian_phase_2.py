"""Phase 2 on the transformer itself: from Gaussian weights, with every sample and every word."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import softplus

from book.ledger.statement import Predicate
from book.recognise import gaussian_flow
from book.recognise.gaussian_flow import Flowing, Samples, Sizes
from lib.integrate import adaptive_start, integrate
from lib.recognise.separator import max_margin
from lib.recognise.task import Dataset, class_counts, distinct_words_needed, draw

SERVES = 100.0
"""The C with which T₁ = C/N₀ is late enough for every single sample, up to s₀s₁ = 1; ours."""
ROOM = 0.05
"""The C with which Lemma 4.3's inequality is followed; ours."""
END = 20
"""The run ends at τ = 20 m, where the loss is about 1/m."""
WORDS = 3
"""μ₁, μ₂ and μ₃ are the first words."""
TURNS = ((1, 0, 1), (0, 1, 1), (2, 0, -1), (2, 1, -1))
"""Key, query and sign of the scores, and of the attention, that Lemma 4.7 and Corollary F.17 speak of."""


class Run(NamedTuple):
    """What a run starts with."""

    data: Dataset
    sizes: Sizes
    begun: Flowing
    pace: float  # N₀
    kappa: float  # κ, the mean squared length of W_V μ, W_K μ and W_Q μ

    @property
    def score(self) -> float:
        """κ/(√m L), the unit in which scores change."""
        return self.kappa / math.sqrt(self.sizes.width) / self.data.words.shape[1]


class Moment(NamedTuple):
    """An accepted state of a run, and what the network makes of the samples."""

    time: float  # τ
    state: Flowing
    slope: Flowing  # its derivative in τ
    seen: Samples
    margins: Tensor  # (n,) y F

    @property
    def loss(self) -> float:
        """𝓛, the mean over all samples."""
        return float(softplus(-self.margins).mean())

    @property
    def wrong(self) -> float:
        """The mean of the errors g_i = 1/(1 + e^{y F})."""
        return float(torch.sigmoid(-self.margins).mean())

    @property
    def size(self) -> float:
        """N."""
        return float(self.state.neurons @ self.state.neurons)

    @property
    def output_slopes(self) -> Tensor:
        """G′ of every word, (d,)."""
        return self.slope.value @ self.state.neurons + self.state.value @ self.slope.neurons


@lru_cache(maxsize=64)
def phase_2(
    seed: int = 0,
    samples: int = 60,
    length: int = 4,
    width: int = 1024,
    neurons: int = 64,
    sigma_0: float = 2.0,
    sigma_1: float = 0.5,
    constant: float = SERVES,
) -> dict[str, float]:
    """Gradient flow from Gaussian weights until τ = 20 m: the worst from T₁ = C/N₀ on, over all samples and words.

    Args:
        sigma_0: σ₀√(Lm). sigma_1: σ₁√m₁. constant: C.

    Returns:
        what each moment of Phase 2 shows at its worst: the least where its name begins with "least", else the
        largest; what the last one shows, with "last" before its name; and the numbers that speak of all moments.
    """
    run = begin(seed, samples, length, width, neurons, sigma_0, sigma_1)
    every = list(moments(run, constant, END * width))
    late = [moment for moment in every if moment.time >= constant]
    shown = [_shown(run, moment) for moment in late]
    since = [_since(run, moment, late[0]) for moment in late[1:]]
    worst = {
        name: (min if name.startswith("least") else max)(each[name] for each in rows)
        for rows in (shown, since)
        for name in rows[0]
    }
    return {
        **worst,
        **{f"last_{name}": value for name, value in {**shown[-1], **since[-1]}.items()},
        "half": _half([moment for moment in every if moment.time <= constant]),
        "drift": math.log(worst["fastest"] / worst["least_c"]) / math.log(late[-1].time / constant),
        "power": _power(late),
    }


def begin(
    seed: int,
    samples: int,
    length: int,
    width: int,
    neurons: int,
    sigma_0: float,
    sigma_1: float,
    new_words: int = 0,
) -> Run:
    """What a run starts with; ``new_words`` are in no sample, and the last of the vocabulary."""
    counts = class_counts(samples)
    vocabulary = distinct_words_needed(counts, length) + new_words
    data = draw(counts, length, torch.Generator().manual_seed(seed), vocabulary)
    sizes = Sizes(width, float(neurons))
    scales = sigma_0 / math.sqrt(length * width), sigma_1 / math.sqrt(neurons)
    begun = gaussian_flow.start(sizes, vocabulary, *scales, seed)
    return Run(data, sizes, begun, pace=sigma_1**2 * width, kappa=sigma_0**2 / length)


def moments(run: Run, *stops: float) -> Iterator[Moment]:
    """The accepted states of gradient flow, one of them at each stop, in τ.

    What is integrated is the change since the start, to four digits: keys and queries move very little.
    """
    begun = gaussian_flow.pack(run.begun)

    def state(change: Tensor) -> Flowing:
        return gaussian_flow.unpack(begun + change, run.begun)

    def slope(change: Tensor) -> Tensor:
        return gaussian_flow.pack(gaussian_flow.flow(state(change), run.data, run.sizes)) / run.pace

    integration = adaptive_start(torch.zeros_like(begun), torch.tensor(1e-4, dtype=torch.float64))
    for stop in stops:
        begins = integration.time
        until = torch.tensor(stop, dtype=torch.float64)
        for accepted in integrate(slope, integration, until, 1e-4, 1e-10):
            if accepted.time > begins:
                here = state(accepted.state)
                seen = gaussian_flow.samples(here, run.data, run.sizes.width)
                rate = gaussian_flow.unpack(accepted.slopes[0], run.begun)
                yield Moment(float(accepted.time), here, rate, seen, run.data.labels * seen.outputs)
        integration = accepted


def _half(moments: list[Moment]) -> float:
    """T₀.₅ in τ: since when both sides of Lemma 4.3's inequality hold with C = ROOM; infinite if they do not last."""
    since = math.inf
    for moment in moments:
        shown = _of_slopes(moment)
        holds = min(shown["least_left"], shown["least_right"]) >= ROOM
        since = min(since, moment.time) if holds else math.inf
    return since


def _power(moments: list[Moment]) -> float:
    """The power of τ in the loss, by least squares."""
    logs = torch.tensor([[moment.time, moment.loss] for moment in moments], dtype=torch.float64).log()
    time, loss = (logs - logs.mean(0)).unbind(1)
    return float(time @ loss / (time @ time))


def _shown(run: Run, moment: Moment) -> dict[str, float]:
    """What a moment of Phase 2 shows at the worst sample or word."""
    return {
        "least_margin": float(moment.margins.min()),
        "loss": run.sizes.width * moment.loss,
        **_of_outputs(run, moment),
        **_of_slopes(moment),
        **_of_sums(run, moment),
        **_of_neurons(run, moment),
        **_of_values(run, moment),
        **of_scores(run, moment),
        **_of_attention(run, moment),
    }


def _since(run: Run, moment: Moment, first: Moment) -> dict[str, float]:
    """How much has changed since T₁, in the units of Theorem F.8 and of Lemmas F.10, F.11, F.16 and F.19."""
    squared_log = math.log(moment.time) ** 2
    c = (1 / moment.loss - 1 / first.loss) / (moment.time - first.time)
    values = _largest_change(moment.state.value, first.state.value)
    pairs = max(_largest_change(moment.state[k], first.state[k]) for k in (0, 1))
    scores = _scores(moment.state)[:WORDS, :WORDS] - _scores(first.state)[:WORDS, :WORDS]
    length = run.data.words.shape[1]
    unit = run.score * (1 + length / math.sqrt(run.sizes.width)) / run.pace
    counts = torch.bincount(run.data.types).double()
    square = float(max_margin(counts, torch.tensor(float(length), dtype=torch.float64)).square)
    return {
        "least_c": c,
        "fastest": c,
        "growth": (moment.size - first.size) / (run.sizes.layer / run.pace * squared_log) / square,
        "values": values * run.pace / squared_log,
        "products_since": pairs * run.sizes.width * run.pace / run.kappa / squared_log,
        "moved": float(scores.abs().max()) / unit / squared_log,
    }


def _largest_change(rows: Tensor, before: Tensor) -> float:
    """The largest change of a product of two rows."""
    return float((rows @ rows.T - before @ before.T).abs().max())


def _scores(state: Flowing) -> Tensor:
    """S = W_Kᵀ W_Q, (d, d)."""
    return state.key @ state.query.T


def _of_outputs(run: Run, moment: Moment) -> dict[str, float]:
    """What G is on the words: Theorem 3.2's items 3 and 4, Definition F.1, Corollaries F.7 and F.15, Lemma F.14."""
    output = moment.state.value @ moment.state.neurons
    signs = torch.tensor([1.0, 1.0, -1.0], dtype=torch.float64)
    three = output[:WORDS] * signs
    sums = torch.stack([output[:WORDS].sum(), three[2] - three[0], three[2] - three[1]])
    n, length = run.data.words.shape
    others = moment.seen.word_outputs * (run.data.words >= WORDS) * moment.seen.attention.sum(2)
    slow = length * (run.kappa / math.sqrt(run.sizes.width) + 1 / run.sizes.width) + run.kappa
    slow *= run.sizes.layer / run.pace
    return {
        "least_output": float(three.min()),
        "least_sum": float(sums.min()),
        "largest": float(three.abs().max()) / math.log(moment.time),
        "ratios": float(three.max() / three.min()) if three.min() > 0 else math.inf,
        "others": float(others.sum(1).abs().max()),
        "own_slopes": float(moment.output_slopes[WORDS:].abs().max()) / moment.loss / (1 / n + slow),
    }


def _of_slopes(moment: Moment) -> dict[str, float]:
    """The C of either side of Lemma 4.3's inequality, and both targets' slopes; −∞ and ∞ where none rises."""
    first, second, common = moment.output_slopes[:WORDS].tolist()
    quicker, slower, both = max(first, second), min(first, second), first + second
    return {
        "least_left": -common / quicker - 1 if quicker > 0 else -math.inf,
        "least_right": 1 + common / both if both > 0 else -math.inf,
        "uneven": quicker / slower if slower > 0 else math.inf,
    }


def _of_sums(run: Run, moment: Moment) -> dict[str, float]:
    """The class gradients Σ₁ … Σ₄ of Lemmas 4.4 and 4.5 and of Definition F.1."""
    wrong = torch.sigmoid(-moment.margins)
    one, two, three, four = (float(wrong[run.data.types == kind].sum()) for kind in range(4))
    low, high, total = min(two, three), max(two, three), one + two + three + four
    negatives, singles = two + three + four - one, one - high
    return {
        "pair": (high - low) / low,
        "first": total / negatives if negatives > 0 else math.inf,
        "second": total / singles if singles > 0 else math.inf,
        "least_order": min(low - four, singles, negatives) / total,
    }


def _of_neurons(run: Run, moment: Moment) -> dict[str, float]:
    """Lemma F.4's slope of N over ‖a‖²𝓛/N₀, N over N₀, and Corollary F.12 over its bound."""
    turned = moment.state.value @ moment.slope.neurons
    unit, length = run.sizes.layer / run.pace, run.data.words.shape[1]
    return {
        "least_rising": float(2 * moment.state.neurons @ moment.slope.neurons) / unit / moment.loss,
        "size": moment.size / run.pace,
        "least_size": moment.size / run.pace,
        "by_values": length * run.pace * float(turned.abs().max()) / moment.size / moment.wrong,
    }


def _of_values(run: Run, moment: Moment) -> dict[str, float]:
    """The slopes of Corollary 4.6's five products of values, over 𝓛/N₀, each with the sign that it has there."""
    half = moment.slope.value[:WORDS] @ moment.state.value[:WORDS].T
    rise = (half + half.T) * run.pace / moment.loss
    return {
        "least_12": float(rise[0, 1]),
        "least_11": float(rise[0, 0]),
        "least_22": float(rise[1, 1]),
        "least_13": -float(rise[0, 2]),
        "least_23": -float(rise[1, 2]),
    }


def of_scores(run: Run, moment: Moment) -> dict[str, float]:
    """Lemma 4.7's slopes of scores, and what Theorem 3.3 says of the scores themselves."""
    state, slope = moment.state, moment.slope
    rates = (slope.key @ state.query.T + state.key @ slope.query.T) * run.pace / moment.loss
    grown = (_scores(state) - _scores(run.begun)) * run.pace / run.score / math.log(moment.time) ** 2
    four, coefficients = _signed(rates) / run.score / math.log(moment.time), _signed(grown)
    n, length = run.data.words.shape
    few = 1 / (n * length) + 1 / math.sqrt(run.sizes.width)
    return {
        "least_rate": float(four.min()),
        "rate": float(four.max()),
        "irrelevant": _with_irrelevant(rates) / (run.score * length * few) / math.log(moment.time) ** 2,
        "least_coefficient": float(coefficients.min()),
        "coefficient": float(coefficients.max()),
        "other_coefficient": _with_irrelevant(grown) / abs(float(grown[0, 1])) / (length * few),
        "products": max(
            _largest_change(moment.state[k], run.begun[k]) * math.sqrt(run.sizes.width) / run.kappa
            for k in (0, 1)
        ),
    }


def _signed(scores: Tensor) -> Tensor:
    """The scores of the targets with each other, and less those that key μ₃ gets from them, (4,)."""
    return torch.stack([sign * scores[key, query] for key, query, sign in TURNS])


def _with_irrelevant(scores: Tensor) -> float:
    """The largest between one of the three words and an irrelevant one."""
    return float(max(scores[:WORDS, WORDS:].abs().max(), scores[WORDS:, :WORDS].abs().max()))


def _of_attention(run: Run, moment: Moment) -> dict[str, float]:
    """Corollaries F.17 and F.18: how attention moves, and what that does to outputs."""
    data, seen, width = run.data, moment.seen, run.sizes.width
    n, length = data.words.shape
    moving = moment.slope.key[data.words] @ seen.query.transpose(1, 2)
    moving = (moving + seen.key @ moment.slope.query[data.words].transpose(1, 2)) / math.sqrt(width)
    turning = seen.attention * (moving - (seen.attention * moving).sum(1, keepdim=True))  # (n, key, query)
    before = gaussian_flow.samples(run.begun, data, width).attention
    outputs = (turning * seen.word_outputs[:, :, None]).sum((1, 2))
    both = torch.nonzero(data.types == 0)[:, 0]
    place = [(data.words[both] == word).nonzero()[:, 1] for word in range(WORDS)]
    turns = torch.stack(
        [sign * turning[both, place[key], place[query]] for key, query, sign in TURNS]
    )  # (4, samples with both targets)
    from_targets = (data.words[both] < 2)[:, None, :] & (data.words[both] >= WORDS)[:, :, None]
    unit = run.kappa * moment.loss * math.log(moment.time) / (width * length * run.pace)
    few = 1 / (n * length) + 1 / math.sqrt(width) + 1 / length**2
    return {
        "attention": length**2 * float((seen.attention - before).abs().max()),
        "by_attention": run.pace * float(outputs.abs().max()) / moment.size / moment.wrong,
        "least_turn": length * float(turns.min()) / unit,
        "turn": length * float(turns.max()) / unit,
        "strays": float(turning[both][from_targets].abs().max()) / unit / few,
    }


ASSUMED: dict[str, tuple[str, Predicate]] = {
    "wide": (
        "m at least m₁, 16√m₁/s₁² and L²",
        lambda r, p: p.width >= max(p.neurons, 16 * p.neurons**0.5 / p.sigma_1**2, p.length**2),
    ),
    "long": (
        "m at least 32L/(s₀s₁)², with s₀ = σ₀√(Lm), s₁ = σ₁√m₁",
        lambda r, p: p.width * (p.sigma_0 * p.sigma_1) ** 2 >= 32 * p.length,
    ),
    "many": ("n at least 3L²", lambda r, p: p.samples >= 3 * p.length**2),
    "fit": (
        "s₀ and s₁ at most 3, s₀s₁ at most 1",
        lambda r, p: max(p.sigma_0, p.sigma_1) <= 3 and p.sigma_0 * p.sigma_1 <= 1,
    ),
    "late": (
        f"T₁ = C/N₀ with C at least {SERVES:g} (ours), so that every sample is right",
        lambda r, p: p.constant >= SERVES,
    ),
}
"""Condition 1 with constants that are enough in place of its tildes."""
RANGES: dict[str, Any] = {
    "seed": (0, 9999),
    "samples": [48, 60, 90],
    "length": [4, 4, 5],
    "neurons": [4, 16, 64],
    "sigma_0": (0.3, 3.0),
    "sigma_1": (0.3, 3.0),
    "width": [1024, 4096, 16384],
    "constant": (100.0, 300.0),
}
"""Where hunts go."""
