"""Stage 2 on its own: the way out of the saddle, on the four scores that are still finite there (Lemma 6).

At the saddle θ₅ = θ₆ = −∞, so attention lives on the two examples, v = softmax(θ₁ … θ₄) and v₅ = v₆ = 0, and it
stays there: the restriction is exact. Gradient descent starts at θ = ξ, the perturbation alone.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor

from lib import noise
from lib.domain import Domain
from lib.recall.dynamics.algorithm import CONVERGED, DOMAINS, ESCAPED, SWAP
from lib.recall.dynamics.landscape import ESCAPE_DIRECTION, slice_loss, slice_minimum
from lib.recall.dynamics.reduction import affine_reduced
from lib.solve import Program, Stage

GRADIENT_LIPSCHITZ = 1 / 32
"""T² times the largest curvature of L₁ in θ as T → 0, at attention (¼, ½, ¼, 0, 0, 0) (Proposition 1)."""

HESSIAN_LIPSCHITZ = 1 / (96 * math.sqrt(6))
"""T³ times the largest third derivative of L₁ in θ as T → 0, on the way to the same point (Proposition 1)."""

RADII = (1e-9, 1e-7, 1e-5, 1e-3, 1e-1)
"""The radii whose runs stand beside the one that is asked for."""

NAMES = ("temperature", "perturbation_radius", "seed", "rate_2", "steps")


class EscapeSchedule(NamedTuple):
    """The parameters of stage 2, each a 0-d tensor: see ``Schedule``."""

    temperature: Tensor
    perturbation_radius: Tensor
    seed: Tensor
    rate_2: Tensor
    steps: Tensor


class Flight(NamedTuple):
    """Stage 2 from R = 6 radii at once, the one asked for first."""

    theta: Tensor  # (R, 4)
    loss: Tensor  # 0-d: L₁ of the first run before its last step
    rise: Tensor  # 0-d: the largest rise of that loss over one step
    step: Tensor  # 0-d: steps taken
    escape: Tensor  # (R,) steps before each run left the saddle, −1 while it has not
    fallen: Tensor  # 0-d: steps before the first run's loss fell below log 2, −1 while it has not


class FlightWatch(NamedTuple):
    """What is drawn while stage 2 runs."""

    attention: Tensor  # (4,) v₁ … v₄; v₅ = v₆ = 0
    distance: Tensor  # (2,) log₁₀ |⟨θ, ε̃⟩|: measured, and growing by 1 + η|λ| a step
    loss: Tensor  # (1,) L₁


class Escape(NamedTuple):
    """What stage 2 comes to, beside what the curvature at the saddle foretells."""

    grid_T: Tensor  # (81,) temperatures
    right: Tensor  # (81,) 8T times the curvature along ε̃
    printed: Tensor  # (81,) the same by the printed formula
    now_T: Tensor
    spectrum: Tensor  # (4,) 8T times the Hessian's eigenvalues at the saddle, in saddle_spectrum's order
    measured: Tensor  # 8T times the curvature, by automatic differentiation, at now_T
    grid_r: Tensor  # (51,) radii
    predicted: Tensor  # (51,) steps to leave the saddle from each, for this seed
    runs_r: Tensor  # (5,)
    runs: Tensor  # (5,) steps measured; NaN where the run has not left
    now_r: Tensor
    predicted_escape: Tensor
    measured_escape: Tensor  # inf while the saddle is not left
    fallen: Tensor  # steps until L₁ < log 2; inf if never
    right_curvature: Tensor
    curvature: Tensor  # by automatic differentiation
    printed_curvature: Tensor
    overlap: Tensor  # ⟨ξ, ε̃⟩
    predicted_winner: Tensor  # 0 none, 1 first pair, 2 second
    measured_winner: Tensor
    gap: Tensor  # L₁(θ̃) − log 2
    gain: Tensor  # L₁(θ̃) − L₁ at the end
    lowest: Tensor  # L₁ at the inner minimum; NaN if there is none
    end_loss: Tensor
    rate_limit: Tensor  # c₂ at which η₂ = 1/ℓ
    cold: Tensor
    perturbed: Tensor
    small_steps: Tensor
    enough: Tensor  # 1 if the run has left the saddle and converged, else ½
    verdict: Tensor  # as in ``VERDICTS``
    story: Tensor  # 0 fell below log 2, 1 at the saddle, 2 ended above log 2, 3 still moving


def free_loss(theta: Tensor, temperature: Tensor) -> Tensor:
    """L₁ for three subjects and v = (softmax θ, 0, 0): log Σ_j exp((l_j − l_1)/T), the gaps from Table 2.

    Args:
        theta: (…, 4).
        temperature: 0-d.

    Returns:
        (…), in nats.
    """
    v1, v2, v3, v4 = torch.softmax(theta, -1).unbind(-1)
    first, second = v1 * v2, v3 * v4
    gaps = torch.stack(
        [
            torch.zeros_like(first),
            -2 * (v1 - v3) * (v2 - v4),
            -2 * second,
            2 * (v1 * v4 - first - second),
            2 * (v2 * v3 - first - second),
            -2 * first,
        ],
        -1,
    )
    return torch.logsumexp(gaps / temperature, -1)


def free_gradient(theta: Tensor, temperature: Tensor) -> Tensor:
    """The gradient of :func:`free_loss`, (…, 4), made symmetric where the two examples have equal scores."""
    swap = torch.tensor(SWAP[:4])
    gradient = torch.func.grad(lambda x: free_loss(x, temperature).sum())(theta)
    mirrored = theta.index_select(-1, swap)
    balanced = (theta == mirrored).all(-1, keepdim=True)  # rounding must not tip the scales
    return torch.where(balanced, (gradient + gradient.index_select(-1, swap)) / 2, gradient)


def saddle_share(temperature: Tensor) -> Tensor:
    """p₃ = 1/(4 + 2e^{1/(8T)}), the probability of each mismatched relation at the saddle."""
    return 1 / (4 + 2 * torch.exp(1 / (8 * temperature)))


def saddle_spectrum(temperature: Tensor) -> Tensor:
    """The Hessian's eigenvalues at the saddle along ½(1,1,−1,−1), ½(1,1,1,1), ½(1,−1,1,−1), ½(1,−1,−1,1).

    λ = −1/(8T) + p₃/(32T²), 0, p₃/(4T), 1/(8T) + p₃/(32T²). Each of the four directions behaves in its own way
    when the examples, or subjects and answers, change places; so each is an eigenvector.

    Returns:
        (…, 4).
    """
    share, slope = saddle_share(temperature), 1 / (8 * temperature)
    spread = share / (32 * temperature**2)
    return torch.stack([spread - slope, torch.zeros_like(slope), 2 * share * slope, spread + slope], -1)


def printed_curvature(temperature: Tensor) -> Tensor:
    """Lemma 6's curvature as printed: −1/(8T) + 1/(16T²(4 + 2e^{3/(16T)})²)."""
    share = 1 / (4 + 2 * torch.exp(3 / (16 * temperature)))
    return -1 / (8 * temperature) + share**2 / (16 * temperature**2)


def escape_time(overlap: Tensor, growth: Tensor) -> Tensor:
    """Steps until |v₁ + v₂ − v₃ − v₄| = ``ESCAPED`` if ⟨θ, ε̃⟩ grows by e^growth a step from ``overlap``.

    At θ̃ + xε̃ the imbalance is x/2 for small x. ``inf`` for overlap 0.
    """
    return torch.clamp(torch.log(2 * ESCAPED / overlap.abs()) / growth, min=0)


def escape_share(dimension: int) -> float:
    """V_{d−1}/V_d · 2: P(|⟨ξ, ε̃⟩| < s r) is at most this times s, for ξ uniform in a ball of radius r in R^d."""
    half = dimension / 2
    return 2 * math.exp(math.lgamma(half + 1) - math.lgamma(half + 0.5)) / math.sqrt(math.pi)


def escape() -> Program:
    """Stage 2 of Algorithm 1 for three subjects from the saddle, at the asked radius and at five others."""
    direction = torch.tensor(ESCAPE_DIRECTION[:4], dtype=torch.float64)
    others = torch.tensor(RADII, dtype=torch.float64)
    domains: tuple[Domain, ...] = tuple(domain for domain in DOMAINS if domain.name in NAMES)

    def perturbation(p: EscapeSchedule) -> Tensor:
        return noise.ball(p.seed, 13, torch.ones_like(p.seed))[:4]  # as in Algorithm 1: the first 4 of θ, ω

    def growth(p: EscapeSchedule) -> Tensor:
        return torch.log1p(-p.rate_2 * p.temperature**2 * saddle_spectrum(p.temperature)[0])

    def start(p: EscapeSchedule) -> Flight:
        radii = torch.cat([p.perturbation_radius.reshape(1), others])  # (R,)
        theta = radii[:, None] * perturbation(p)
        zero = torch.zeros_like(p.seed)
        loss = free_loss(theta[0], p.temperature)
        return Flight(theta, loss, zero, zero, -torch.ones_like(radii), zero - 1)

    def step(s: Flight, p: EscapeSchedule) -> tuple[Flight, Tensor]:
        gradient = free_gradient(s.theta, p.temperature)
        theta = s.theta - p.rate_2 * p.temperature**2 * gradient
        loss = free_loss(theta[0], p.temperature)
        v = torch.softmax(theta, 1)
        left = (v[:, 0] + v[:, 1] - v[:, 2] - v[:, 3]).abs() > ESCAPED
        count = s.step + 1
        state = Flight(
            theta=theta,
            loss=loss,
            rise=torch.maximum(s.rise, loss - s.loss),
            step=count,
            escape=torch.where((s.escape < 0) & left, count, s.escape),
            fallen=torch.where((s.fallen < 0) & (loss < math.log(2)), count, s.fallen),
        )
        still = p.temperature * gradient[0].abs().amax() < CONVERGED
        stuck = (theta[0] @ direction) == 0
        gone = (state.escape[0] >= 0) | stuck
        return state, still & gone & (state.escape[1:] >= 0).all()

    def watch(s: Flight, p: EscapeSchedule) -> FlightWatch:
        xi = p.perturbation_radius * perturbation(p)
        far = torch.log((s.theta[0] @ direction).abs().clamp(min=1e-12))
        line = torch.log((xi @ direction).abs().clamp(min=1e-12)) + s.step * growth(p)
        both = torch.stack([far, torch.clamp(line, max=math.log(2))]) / math.log(10)
        return FlightWatch(torch.softmax(s.theta[0], 0), both, s.loss.reshape(1))

    def report(ends: tuple[Flight, ...], p: EscapeSchedule) -> Escape:
        return _report(ends[0], p, perturbation(p) @ direction, growth(p))

    return Program(EscapeSchedule, domains, start, (Stage("stage 2", _same, step, "steps"),), watch, report)


def _same(state: Flight, _: EscapeSchedule) -> Flight:
    return state


def _measured_curvature(temperature: Tensor) -> Tensor:
    """The second derivative of L₁(θ̃ + xε̃) at 0, by automatic differentiation."""
    direction = torch.tensor(ESCAPE_DIRECTION[:4], dtype=torch.float64)
    along = torch.func.grad(torch.func.grad(lambda x: free_loss(x * direction, temperature)))
    return along(torch.zeros_like(temperature))


def _report(end: Flight, p: EscapeSchedule, share: Tensor, growth: Tensor) -> Escape:
    """Args: ``share`` is ⟨ξ, ε̃⟩ for radius 1."""
    t = p.temperature
    reduced = affine_reduced(3)
    minimum = slice_minimum(reduced, t)
    inside = minimum > 1e-6
    lowest = slice_loss(minimum.reshape(1), reduced, t)[0]
    grid_t = torch.logspace(-2, 1, 81, dtype=torch.float64)
    grid_r = torch.logspace(-10, 0, 51, dtype=torch.float64)
    overlap = p.perturbation_radius * share
    v = torch.softmax(end.theta[0], 0)
    lead = v[0] + v[1] - v[2] - v[3]
    measured = _measured_curvature(t)
    saddle = free_loss(torch.zeros(4, dtype=torch.float64), t)
    lights = _lights(end, p, inside & (lowest < math.log(2)), overlap != 0)
    nothing, never = torch.full_like(t, math.nan), torch.full_like(t, math.inf)
    none = torch.zeros_like(t)
    return Escape(
        grid_T=grid_t,
        right=8 * grid_t * saddle_spectrum(grid_t)[:, 0],
        printed=8 * grid_t * printed_curvature(grid_t),
        now_T=t,
        spectrum=8 * t * saddle_spectrum(t),
        measured=8 * t * measured,
        grid_r=grid_r,
        predicted=escape_time(grid_r * share, growth),
        runs_r=torch.tensor(RADII, dtype=torch.float64),
        runs=torch.where(end.escape[1:] < 0, nothing, end.escape[1:]),
        now_r=p.perturbation_radius,
        predicted_escape=escape_time(overlap, growth),
        measured_escape=torch.where(end.escape[0] < 0, never, end.escape[0]),
        fallen=torch.where(end.fallen < 0, never, end.fallen),
        right_curvature=saddle_spectrum(t)[0],
        curvature=measured,
        printed_curvature=printed_curvature(t),
        overlap=overlap,
        predicted_winner=torch.where(overlap > 0, none + 1, torch.where(overlap < 0, none + 2, none)),
        measured_winner=torch.where(lead > ESCAPED, none + 1, torch.where(lead < -ESCAPED, none + 2, none)),
        gap=saddle - math.log(2),
        gain=saddle - end.loss,
        lowest=torch.where(inside, lowest, nothing),
        end_loss=end.loss,
        rate_limit=none + 1 / GRADIENT_LIPSCHITZ,
        **lights,
    )


def _lights(end: Flight, p: EscapeSchedule, cold: Tensor, perturbed: Tensor) -> dict[str, Tensor]:
    """The hypotheses, the verdict and the story."""
    left = end.escape[0] >= 0
    small = end.rise < 1e-9
    still = p.temperature * free_gradient(end.theta[0], p.temperature).abs().amax() < CONVERGED
    enough = left & still
    below = (end.loss < math.log(2)).to(torch.float64)
    assumed = cold & perturbed & small
    verdict = torch.where(assumed, 1 - below, 2 + below)
    verdict = torch.where(assumed & ~enough & (below < 0.5), torch.full_like(below, 4), verdict)
    story = torch.where(below > 0.5, torch.zeros_like(below), torch.where(enough, below + 2, below + 3))
    story = torch.where(left, story, torch.ones_like(below))
    return {
        "cold": cold,
        "perturbed": perturbed,
        "small_steps": small,
        "enough": 0.5 + 0.5 * enough.to(torch.float64),
        "verdict": verdict,
        "story": story,
    }
