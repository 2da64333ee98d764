"""Training on IC-recall, by an exact reduction that no longer depends on n, |R| or the width of the MLP.

With partial fine-tuning every prompt is attended alike, v = softmax(θ) from EoS and q = softmax(ω) from the
decoded relation. By eq. 18 of Huang et al. a relation's logit depends only on which shown subject it maps to
which shown answer: a partial injective map {s₁ … s_{K+1}} → {a₁ … a_K}, its class. To θ a prompt is thus a
histogram of the |R| relations over the classes, and a data set the shares of its distinct histograms; to ω
all prompts are alike.
"""

from __future__ import annotations

import math
from itertools import product
from typing import NamedTuple

import torch
from torch import Tensor

from lib import noise
from lib.domain import Domain
from lib.recall.model import LEARNING_RATE, STEPS, TEMPERATURE
from lib.recall.task import CHUNK, EXAMPLES, Knowledge, Prompts, check_prime, matches
from lib.solve import Program, Stage, rising_root

CLASSIFIABLE = EXAMPLES._replace(high=6)
"""Numbers of examples whose classes are listed: 13, 73, 501, 4 051, 37 633 of them."""


class Reduced(NamedTuple):
    """A fine-tuning set as far as θ and ω can tell: C classes, H distinct histograms."""

    matches: Tensor
    """(C, K+1, K) float64, 1 where class c maps subject i to example j's answer: :func:`match_classes`."""
    log_counts: Tensor
    """(H, C) float64, the log of the number of relations of each class; −inf where there are none."""
    weights: Tensor
    """(H,) float64, the share of the prompts that have this histogram; they add up to 1."""
    subjects: Tensor
    """0-d float64, n."""


def match_classes(examples: int) -> Tensor:
    """All partial injective maps from the K+1 subjects of a prompt to its K example answers.

    Class 0 is the true relation's, sᵢ ↦ aᵢ with s_{K+1} unmatched. Classes with more matches come first, then
    those that leave the query unmatched, then in lexicographic order. For K = 2 class 1 is the confusing one,
    2 … 5 the mismatched ones (r₃ … r₆ of Huang et al., Table 1), 6 … 11 match once, 12 never.

    Args:
        examples: K, from 2 to 6.

    Returns:
        (C, K+1, K) float64 of 0 and 1; C = 13, 73, 501, … for K = 2, 3, 4, …

    Raises:
        ValueError: ``examples`` outside 2 … 6.
    """
    CLASSIFIABLE.check(examples)
    images = _class_images(examples)
    return (images[:, :, None] == torch.arange(examples)).to(torch.float64)  # (C, K+1) → (C, K+1, K)


def reduce(knowledge: Knowledge, prompts: Prompts) -> Reduced:
    """The exact reduction of a fine-tuning set.

    Args:
        knowledge: the relations among which a prompt's own is sought.
        prompts: the fine-tuning data D; repeated prompts count as often as they occur.

    Raises:
        ValueError: more than 6 examples.
    """
    CLASSIFIABLE.check(prompts.examples)
    images = _class_images(prompts.examples)
    rows, counts = [], []
    for hit in matches(knowledge, prompts):
        for part in hit.split(max(1, CHUNK // len(images))):
            distinct, times = _histograms(part, images).unique(dim=0, return_counts=True)
            rows.append(distinct)
            counts.append(times)
    histograms, place = torch.cat(rows).unique(dim=0, return_inverse=True)
    times = torch.zeros(len(histograms), dtype=torch.int64).index_add(0, place, torch.cat(counts))
    return Reduced(
        matches=match_classes(prompts.examples),
        log_counts=histograms.to(torch.float64).log(),
        weights=times.to(torch.float64) / prompts.size,
        subjects=torch.tensor(float(knowledge.subjects), dtype=torch.float64),
    )


def affine_reduced(q: int) -> Reduced:
    """The reduction of all prompts with two examples about the affine family over q elements, in closed form.

    Args:
        q: a prime of at least 3, however large: no relation is listed.

    Raises:
        ValueError: ``q`` is not a prime of at least 3.
    """
    check_prime(q)
    n = torch.tensor(float(q), dtype=torch.float64)
    return Reduced(match_classes(2), affine_log_counts(n)[None], torch.ones(1, dtype=torch.float64), n)


def affine_log_counts(subjects: Tensor) -> Tensor:
    """The one histogram of the affine family for K = 2, as logs; traceable in n.

    Just one relation joins any two pairs, so each of the 6 classes of two matches has 1. A pair (sᵢ, aⱼ)
    belongs to n − 1 relations, 2 of which also match the other answer, so each of the 6 classes of one match
    has n − 3. What is left for no match is n(n − 1) − 6 − 6(n − 3) = (n − 3)(n − 4).

    Args:
        subjects: 0-d float64, n ≥ 3, unchecked here. Such relations exist when n is a power of a prime.

    Returns:
        (13,), in the order of :func:`match_classes`.
    """
    once, never = torch.log(subjects - 3), torch.log((subjects - 3) * (subjects - 4))
    return torch.stack([torch.zeros_like(once)] * 6 + [once] * 6 + [never])


def relation_logits(attention: Tensor, matches: Tensor) -> Tensor:
    """ℓ_c = 2 Σᵢⱼ M_c[i, j] v_{2i−1} v_{2j}, the logit of a relation of class c (Huang et al., eq. 18).

    The printed Σ vᵢ² is left out: it is the same for all relations and cancels in every softmax.

    Args:
        attention: (2K + 2,), v, the attention from EoS.
        matches: (C, K+1, K).

    Returns:
        (C,).
    """
    subjects, answers = attention[0:-1:2], attention[1:-1:2]  # (K+1,), (K,)
    return 2 * (matches * subjects[:, None] * answers).sum((-2, -1))


def relation_loss(theta: Tensor, reduced: Reduced, temperature: float | Tensor) -> Tensor:
    """L₁ = mean over prompts of log Σ_c N_c exp((ℓ_c − ℓ_0)/T) (Huang et al., eq. 1); traceable.

    Args:
        theta: (2K + 2,); −inf is attention 0.
        reduced: the data.
        temperature: T > 0, unchecked here.

    Returns:
        0-d, in nats, to about 1e-16 absolutely.

    Raises:
        ValueError: ``theta`` has not 2K + 2 entries.
    """
    return (reduced.weights * torch.logsumexp(_relation_exponents(theta, reduced, temperature), 1)).sum()


def relation_shares(theta: Tensor, reduced: Reduced, temperature: float | Tensor) -> Tensor:
    """N_c p_c, the probability that the first decoding step gives to each class; traceable.

    Where Assumption 1 holds, class 0 is the true relation alone and its share is p₁(r*).

    Args:
        theta: (2K + 2,).
        reduced: the data.
        temperature: T > 0, unchecked here.

    Returns:
        (H, C), each row adding up to 1.

    Raises:
        ValueError: ``theta`` has not 2K + 2 entries.
    """
    return torch.softmax(_relation_exponents(theta, reduced, temperature), 1)


def answer_loss(omega: Tensor, reduced: Reduced, temperature: float | Tensor) -> Tensor:
    """L₂ = log(Σ_{j≤K+1} exp(2 xⱼ c/T) + n − K − 1) − 2 x_{K+1} c/T (Huang et al., eq. 2); traceable.

    q = softmax(ω) is the attention from the decoded relation: xⱼ = q_{2j−1} falls on subject j, and
    c = 1 + q_{2K+3} is the relation's own weight, the residual stream included.

    Args:
        omega: (2K + 3,); −inf is attention 0.
        reduced: the data, of which only K and n matter.
        temperature: T > 0, unchecked here.

    Returns:
        0-d, in nats.

    Raises:
        ValueError: ``omega`` has not 2K + 3 entries.
    """
    shown = reduced.matches.shape[1]  # K + 1
    _check_length("omega", omega, 2 * shown + 1)
    attention = torch.softmax(omega, 0)
    slope = 2 * (1 + attention[-1]) / temperature
    subjects = attention[0:-2:2]  # (K+1,)
    others = torch.log(reduced.subjects - shown) - slope * subjects[-1]  # answers of the subjects not shown
    return torch.logsumexp(torch.cat([slope * (subjects - subjects[-1]), others[None]]), 0)


def answer_probability(omega: Tensor, reduced: Reduced, temperature: float | Tensor) -> Tensor:
    """p₂(a_{K+1}) = exp(−L₂), the probability of the right answer once r* is decoded; 0-d, traceable.

    Args and errors are those of :func:`answer_loss`.
    """
    return torch.exp(-answer_loss(omega, reduced, temperature))


def _relation_exponents(theta: Tensor, reduced: Reduced, temperature: float | Tensor) -> Tensor:
    """log N_c + (ℓ_c − ℓ_0)/T, (H, C)."""
    _check_length("theta", theta, 2 * reduced.matches.shape[1])
    # subtracted in the matches, not in the logits, so that class 0 adds no round-off to the gradient
    gaps = relation_logits(torch.softmax(theta, 0), reduced.matches - reduced.matches[:1])
    return reduced.log_counts + gaps / temperature


def _check_length(name: str, vector: Tensor, length: int) -> None:
    if vector.shape != (length,):
        raise ValueError(f"{name} has shape {tuple(vector.shape)}: must be ({length},) for this data set")


def _class_images(examples: int) -> Tensor:
    """The classes as maps, in the order of :func:`match_classes`: (C, K+1) int64, K where unmatched."""
    unmatched = examples
    maps = [
        images
        for images in product(range(examples + 1), repeat=examples + 1)
        if all(images.count(answer) <= 1 for answer in range(examples))
    ]
    maps.sort(key=lambda images: (images.count(unmatched), images[-1] != unmatched, images))
    return torch.tensor(maps)


def _histograms(hit: Tensor, images: Tensor) -> Tensor:
    """How many relations of each class each prompt has: (b, R, K+1, K) bool → (b, C) int64."""
    batch, _, shown, examples = hit.shape
    digit = torch.where(hit.any(3), hit.to(torch.int8).argmax(3), examples)  # (b, R, K+1), K where unmatched
    power = (examples + 1) ** torch.arange(shown)
    number = torch.full(((examples + 1) ** shown,), -1)  # from a map, read as a number, to its class
    number[(images * power).sum(1)] = torch.arange(len(images))
    classes = number[(digit * power).sum(2)] + len(images) * torch.arange(batch)[:, None]  # (b, R)
    return torch.bincount(classes.flatten(), minlength=batch * len(images)).reshape(batch, -1)  # (b, C)


# Algorithm 1 -------------------------------------------------------------------------------------------------

DOMAINS = (
    TEMPERATURE,
    Domain("perturbation_radius", low=0),
    Domain("seed", low=0, high=1_000_000, integer=True),
    LEARNING_RATE._replace(name="rate_1"),
    LEARNING_RATE._replace(name="rate_2"),
    STEPS._replace(high=100_000),
    Domain("to_limit", low=0, high=1, integer=True),
)
"""What the fields of :class:`Schedule` may be."""

ESCAPED = 0.05
"""The saddle counts as left once |v₁ + v₂ − v₃ − v₄| exceeds this."""

CONVERGED = 1e-9
"""A stage stops once T‖∇L₁‖∞ falls below this."""

SWAP = (2, 3, 0, 1, 4, 5)
"""The positions of a prompt after its two examples change places."""

SADDLE = (0.0, 0.0, 0.0, 0.0, -math.inf, -math.inf)
"""θ̃, the limit of stage 1 (Lemma 5): attention (¼, ¼, ¼, ¼, 0, 0)."""

ESCAPE_DIRECTION = (0.5, 0.5, -0.5, -0.5, 0.0, 0.0)
"""ε̃ of Lemma 6: towards the first example, away from the second."""

TOLERANCE = 1e-3
"""How close attention must come to Theorem 2's pattern to count as that pattern."""


VERDICTS = (
    "confirmed",
    "contradicted",
    "outside: a hypothesis is broken and the conclusion fails",
    "beyond: a hypothesis is broken, yet the conclusion holds",
    "unfinished: stage 2 has not converged within the steps allowed",
)
"""What the number ``TwoStage.verdict`` stands for."""


class Schedule(NamedTuple):
    """The parameters of Algorithm 1, each a 0-d tensor."""

    temperature: Tensor  # T
    perturbation_radius: Tensor  # r: ξ is uniform in the ball of radius r
    seed: Tensor  # of ξ
    rate_1: Tensor  # c₁, where η₁ = c₁T²
    rate_2: Tensor  # c₂, where η₂ = c₂T²
    steps: Tensor  # the most gradient steps in each stage
    to_limit: Tensor  # 1: stage 2 starts from the limit of stage 1 (t₁ = ∞); 0: from where stage 1 stopped


class Descent(NamedTuple):
    """The state of Algorithm 1."""

    theta: Tensor  # (6,) attention scores from EoS
    omega: Tensor  # (7,) attention scores from the decoded relation
    loss: Tensor  # 0-d: L₁ + L₂ before the last step
    rise: Tensor  # 0-d: the largest rise of L₁ + L₂ over one step of this stage
    step: Tensor  # 0-d: steps taken in this stage
    escape: Tensor  # 0-d: steps of this stage before the saddle was left, −1 while it is not


class Watch(NamedTuple):
    """What is drawn while Algorithm 1 runs."""

    attention: Tensor  # (6,) v = softmax(θ)
    shares: Tensor  # (3,) probability of the true relation, the confusing ones, all others; mean over prompts
    loss: Tensor  # (1,) L₁
    position: Tensor  # (1,) x = (v₁ + v₂)/2
    answer: Tensor  # (1,) probability of the right answer in the second decoding step


class TwoStage(NamedTuple):
    """What Algorithm 1 comes to, beside what Theorem 2 and its lemmas predict."""

    slice_x: Tensor  # (101,) x from 0 to ½
    slice_loss: Tensor  # (101,) L₁ at attention (x, x, ½ − x, ½ − x, 0, 0)
    predicted_a: Tensor  # the first minimum of the slice below the saddle; NaN if there is none inside
    predicted_rest: Tensor  # ½ − a, the attention on each token of the other pair
    measured_a: Tensor  # the smaller of (v₁ + v₂)/2 and (v₃ + v₄)/2
    predicted_loss: Tensor
    measured_loss: Tensor
    predicted_escape: Tensor  # steps until the saddle is left, from the curvature along ε̃
    measured_escape: Tensor
    mismatch: Tensor  # largest of |v₁ − v₂|, |v₃ − v₄|
    leak: Tensor  # v₅ + v₆
    curvature: Tensor  # second derivative of L₁ along ε̃ at the saddle
    overlap: Tensor  # ⟨ξ, ε̃⟩
    probability: Tensor  # of the true relation
    confusing: Tensor  # of the confusing relation
    answer: Tensor  # probability of the right answer
    attention: Tensor  # (6,) v at the end
    end_loss: Tensor  # L₁ at the end of the slice, x = 0
    cold: Tensor  # hypothesis, 1 or 0: the slice's inner minimum is its lowest point
    perturbed: Tensor  # hypothesis, 1 or 0: ⟨ξ, ε̃⟩ ≠ 0
    small_steps: Tensor  # hypothesis, 1 or 0: the loss never rose
    converged: Tensor  # hypothesis t₁ = t₂ = ∞: 1, 0 if stage 1 is cut short, ½ while stage 2 is still moving
    verdict: Tensor  # see VERDICTS
    story: (
        Tensor  # 0 settled on a pair, 1 never left the saddle, 2 too hot for an inner minimum, 3 still moving
    )


def two_stage_descent(reduced: Reduced) -> Program:
    """Algorithm 1 of Huang et al. for two examples, on the exact reduction.

    Stage 1: (θ, ω) ← (θ, ω) − η₁∇L from 0. Stage 2: (θ, ω) ← (θ̃, ω̃) + ξ, then the same with η₂. With
    η = cT², a stage ends after ``steps`` steps or once T‖∇L₁‖∞ < ``CONVERGED``. Exact arithmetic keeps equal
    scores of the two examples equal; rounding would not, so while they are equal the gradient is symmetrised.

    Args:
        reduced: a data set that does not change when its two examples change places.

    Raises:
        ValueError: prompts with other than two examples, or a data set that is not symmetric in them.
    """
    _check_symmetric(reduced)
    swap = torch.tensor(SWAP)
    saddle = torch.tensor(SADDLE, dtype=torch.float64)

    def loss(theta: Tensor, omega: Tensor, temperature: Tensor) -> tuple[Tensor, Tensor]:
        first = relation_loss(theta, reduced, temperature)
        return first + answer_loss(omega, reduced, temperature), first

    def start(p: Schedule) -> Descent:
        zero = torch.zeros((), dtype=torch.float64)
        theta, omega = torch.zeros(6, dtype=torch.float64), torch.zeros(7, dtype=torch.float64)
        return Descent(theta, omega, zero, zero, zero, zero)

    def enter_1(s: Descent, p: Schedule) -> Descent:
        total, _ = loss(s.theta, s.omega, p.temperature)
        zero = torch.zeros_like(total)
        return Descent(s.theta, s.omega, total, zero, zero, zero - 1)

    def enter_2(s: Descent, p: Schedule) -> Descent:
        xi = noise.ball(p.seed, 13, p.perturbation_radius)
        theta = torch.where(p.to_limit > 0.5, saddle, s.theta) + xi[:6]
        return enter_1(s._replace(theta=theta, omega=s.omega + xi[6:]), p)

    def descend(s: Descent, rate: Tensor, temperature: Tensor) -> tuple[Descent, Tensor]:
        (g_theta, g_omega), (total, _) = torch.func.grad_and_value(
            lambda theta, omega: loss(theta, omega, temperature), argnums=(0, 1), has_aux=True
        )(s.theta, s.omega)
        balanced = (s.theta == s.theta[swap]).all()
        g_theta = torch.where(balanced, (g_theta + g_theta[swap]) / 2, g_theta)
        eta = rate * temperature**2
        theta, omega = s.theta - eta * g_theta, s.omega - eta * g_omega
        left = torch.abs(imbalance(torch.softmax(theta, 0))) > ESCAPED
        state = Descent(
            theta=theta,
            omega=omega,
            loss=total,
            rise=torch.maximum(s.rise, total - s.loss),
            step=s.step + 1,
            escape=torch.where((s.escape < 0) & left, s.step + 1, s.escape),
        )
        settled = balanced | (state.escape >= 0)  # on the way out of the saddle the gradient is small, too
        return state, settled & (temperature * torch.abs(g_theta).amax() < CONVERGED)

    def watch(s: Descent, p: Schedule) -> Watch:
        attention = torch.softmax(s.theta, 0)
        share = reduced.weights @ relation_shares(s.theta, reduced, p.temperature)  # (C,)
        return Watch(
            attention=attention,
            shares=torch.stack([share[0], share[1], share[2:].sum()]),
            loss=relation_loss(s.theta, reduced, p.temperature).reshape(1),
            position=((attention[0] + attention[1]) / 2).reshape(1),
            answer=answer_probability(s.omega, reduced, p.temperature).reshape(1),
        )

    def report(ends: tuple[Descent, ...], p: Schedule) -> TwoStage:
        return _report(reduced, ends[0], ends[1], p, watch(ends[1], p))

    stages = (
        Stage("stage 1", enter_1, lambda s, p: descend(s, p.rate_1, p.temperature), "steps"),
        Stage("stage 2", enter_2, lambda s, p: descend(s, p.rate_2, p.temperature), "steps"),
    )
    return Program(Schedule, DOMAINS, start, stages, watch, report)


def warm_up() -> Program:
    """Algorithm 1 in the setting of Theorem 2: three subjects and all six bijections."""
    return two_stage_descent(affine_reduced(3))


def imbalance(attention: Tensor) -> Tensor:
    """v₁ + v₂ − v₃ − v₄: zero at the saddle."""
    return attention[0] + attention[1] - attention[2] - attention[3]


def slice_gaps(x: Tensor, matches: Tensor) -> tuple[Tensor, Tensor]:
    """l_c(x) − l_0(x) and its derivative on the pairwise slice, at attention (x, x, ½ − x, ½ − x, 0, 0).

    By eq. 18 both are polynomials in x: l_c = 2(M₁₁x² + (M₁₂ + M₂₁)x(½ − x) + M₂₂(½ − x)²).

    Args:
        x: (X,) from 0 to ½.
        matches: (C, 3, 2).

    Returns:
        (C, X) and (C, X).
    """
    own, crossed, other = matches[:, 0, 0], matches[:, 0, 1] + matches[:, 1, 0], matches[:, 1, 1]  # (C,)
    coefficients = torch.stack([other / 2, crossed - 2 * other, 2 * (own - crossed + other)])  # (3, C)
    constant, linear, square = (coefficients - coefficients[:, :1])[:, :, None]
    return constant + (linear + square * x) * x, linear + 2 * square * x


def slice_loss(x: Tensor, reduced: Reduced, temperature: Tensor) -> Tensor:
    """L₁ on the pairwise slice: Σ_h w_h log Σ_c N_hc exp((l_c(x) − l_0(x))/T) (Theorem 4's proof, with right gaps).

    Args:
        x: (X,) from 0 to ½.

    Returns:
        (X,).
    """
    gaps, _ = slice_gaps(x, reduced.matches)
    return reduced.weights @ torch.logsumexp(reduced.log_counts[:, :, None] + gaps / temperature, 1)


def slice_slope(x: Tensor, reduced: Reduced, temperature: Tensor) -> Tensor:
    """The derivative of :func:`slice_loss` up to a positive factor, chosen so that its sign never underflows.

    It is Σ_h w_h Σ_c N_hc exp(d_c/T − m) d_c′ / Σ_c N_hc exp(d_c/T), where d_c = l_c − l_0 and m is the largest
    exponent among the wrong classes at that x; times e^m/T it is the derivative.

    Args:
        x: (X,) from 0 to ½.

    Returns:
        (X,).
    """
    gaps, slopes = slice_gaps(x, reduced.matches)
    exponents = reduced.log_counts[:, :, None] + gaps / temperature  # (H, C, X)
    wrong = exponents[:, 1:]
    terms = torch.exp(wrong - wrong.amax((0, 1))) * slopes[1:]
    return reduced.weights @ (terms.sum(1) / torch.exp(exponents).sum(1))


def slice_minimum(reduced: Reduced, temperature: Tensor) -> Tensor:
    """The first minimum of :func:`slice_loss` that descent from the saddle x = ¼ towards 0 meets; 0 if none inside.

    At T = 10⁻⁴ it is known to 10⁻¹²: the search halves brackets by the sign of the slope alone.
    """
    low = torch.full((), 1 / 128, dtype=torch.float64)
    high = torch.full((), 0.25, dtype=torch.float64)
    return 0.25 - rising_root(lambda depth: -slice_slope(0.25 - depth, reduced, temperature), low, high)


def escape_curvature(reduced: Reduced, temperature: Tensor) -> Tensor:
    """Second derivative of L₁(θ̃ + x ε̃) at x = 0 (Lemma 6); for three subjects −1/(8T) + p₃/(32T²)."""
    direction = torch.tensor(ESCAPE_DIRECTION, dtype=torch.float64)
    saddle = torch.tensor(SADDLE, dtype=torch.float64)

    def along(x: Tensor) -> Tensor:
        return relation_loss(saddle + x * direction, reduced, temperature)

    return torch.func.grad(torch.func.grad(along))(torch.zeros((), dtype=torch.float64))


def _report(reduced: Reduced, first: Descent, last: Descent, p: Schedule, end: Watch) -> TwoStage:
    x = torch.linspace(0, 0.5, 101, dtype=torch.float64)
    at = slice_loss(x, reduced, p.temperature)
    minimum = slice_minimum(reduced, p.temperature)
    inside = minimum > 1e-6
    lowest = slice_loss(minimum.reshape(1), reduced, p.temperature)[0]
    v = end.attention
    measured_a = torch.minimum(v[0] + v[1], v[2] + v[3]) / 2
    mismatch = torch.maximum((v[0] - v[1]).abs(), (v[2] - v[3]).abs())
    leak = v[4] + v[5]
    curvature = escape_curvature(reduced, p.temperature)
    overlap = noise.ball(p.seed, 13, p.perturbation_radius)[:6] @ torch.tensor(
        ESCAPE_DIRECTION, dtype=torch.float64
    )
    growth = torch.log1p(-p.rate_2 * p.temperature**2 * curvature)
    stretch = torch.log(2 * ESCAPED / overlap.abs())  # at θ̃ + x ε̃ the imbalance is x/2
    predicted_escape = torch.clamp(stretch / growth, min=0)
    cold = inside & (lowest < at[0])
    perturbed = overlap != 0
    small_steps = torch.maximum(first.rise, last.rise) < 1e-9
    stopped = last.step < p.steps
    pattern = (mismatch < TOLERANCE) & (leak < TOLERANCE) & ((measured_a - 0.25).abs() > TOLERANCE)
    optimal = (end.loss[0] < at.amin() + 1e-6) & ((measured_a - minimum).abs() < TOLERANCE)
    conclusion = (pattern & optimal).to(torch.float64)
    assumed = cold & perturbed & small_steps & (p.to_limit > 0.5)
    verdict = torch.where(assumed, 1 - conclusion, 2 + conclusion)
    verdict = torch.where(assumed & ~stopped, torch.full_like(verdict, 4), verdict)
    story = torch.where(small_steps & stopped, torch.zeros_like(leak), torch.full_like(leak, 3))
    story = torch.where(inside, story, torch.full_like(leak, 2))
    story = torch.where(last.escape < 0, torch.ones_like(leak), story)
    nothing = torch.full(
        (), math.nan, dtype=torch.float64
    )  # the theorem predicts nothing without an inner minimum
    predicted_a = torch.where(inside, minimum, nothing)
    return TwoStage(
        slice_x=x,
        slice_loss=at,
        predicted_a=predicted_a,
        predicted_rest=0.5 - predicted_a,
        measured_a=measured_a,
        predicted_loss=torch.where(inside, lowest, nothing),
        measured_loss=end.loss[0],
        predicted_escape=predicted_escape,
        measured_escape=torch.where(last.escape < 0, math.inf, last.escape),
        mismatch=mismatch,
        leak=leak,
        curvature=curvature,
        overlap=overlap,
        probability=end.shares[0],
        confusing=end.shares[1],
        answer=end.answer[0],
        attention=v,
        end_loss=at[0],
        cold=cold,
        perturbed=perturbed,
        small_steps=small_steps,
        converged=torch.where(
            p.to_limit > 0.5, 0.5 + 0.5 * stopped.to(torch.float64), torch.zeros_like(leak)
        ),
        verdict=verdict,
        story=story,
    )


def _check_symmetric(reduced: Reduced) -> None:
    classes, subjects, answers = reduced.matches.shape
    if (subjects, answers) != (3, 2):
        raise ValueError(f"examples = {answers}: Algorithm 1's saddle is known for 2 examples only")
    swapped = reduced.matches[:, [1, 0, 2]][:, :, [1, 0]]
    image = [
        next(d for d in range(classes) if torch.equal(swapped[c], reduced.matches[d])) for c in range(classes)
    ]
    rows = {tuple(row.tolist()): w for row, w in zip(reduced.log_counts, reduced.weights, strict=True)}
    for row, weight in rows.items():
        mirrored = rows.get(tuple(row[c] for c in image))
        if mirrored is None or not math.isclose(mirrored, weight):
            raise ValueError("data set: must not change when the two examples of every prompt change places")
