"""Appendix D of Yang et al.: how far a random start is from an ideal one, over the bounds of Lemmas D.1 to D.8."""

from __future__ import annotations

import math

from torch import Tensor

from book.recognise.real import parts, real

LOGARITHMS = 400.0
"""What σ₀√(Lm)·σ₁√m₁ must stay below one over, for |F| ≤ 0.01 at the start."""


def concentration(width: int, cases: float) -> float:
    """√(4/m · log x) + 4/m · log x with x = ``cases``: the bracket of Lemmas D.1, D.3 and D.4."""
    part = 4 / width * math.log(cases)
    return math.sqrt(part) + part


def _apart(gram: Tensor, scale: float) -> tuple[float, float]:
    """Largest |entry| off the diagonal and largest |entry − ``scale``| on it, both over ``scale``."""
    diagonal = gram.diagonal()
    off = gram - diagonal.diag()
    return float(off.abs().max()) / scale, float((diagonal - scale).abs().max()) / scale


def start(
    seed: int = 0,
    samples: int = 60,
    length: int = 5,
    width: int = 256,
    neurons: int = 256,
    sigma_0: float = 1.0,
    sigma_1: float = 1.0,
    delta: float = 0.1,
) -> dict[str, float]:
    """One start's largest deviations over Appendix D's bounds; at most 1 where a bound holds.

    Args:
        sigma_0: σ₀√(Lm). sigma_1: σ₁√m₁. delta: the probability with which a bound may fail.
    """
    weights, layer, data, attention, hidden = real(seed, samples, length, width, neurons, sigma_0, sigma_1)
    d, m, m_1, places = data.vocabulary, width, neurons, samples * length
    s = parts(weights, layer, data)
    words, pairs = concentration(m, 2 * d / delta), concentration(m, 2 * m_1**2 / delta)
    kappa, own, cross = attention * m, hidden * m, math.sqrt(attention * hidden)
    key, query = _apart(weights.key.T @ weights.key, kappa), _apart(weights.query.T @ weights.query, kappa)
    value = _apart(weights.value.T @ weights.value, kappa)
    neuron = _apart(weights.neurons @ weights.neurons.T, own)
    score = float((weights.key.T @ weights.query).abs().max()) / kappa
    heard = float((weights.neurons @ weights.value).abs().max()) / (cross * m)
    attended = s.value @ s.attention.transpose(1, 2)  # (n, m, l)
    lengths = (attended**2).sum(1) * length / kappa
    told = float((weights.neurons @ attended).abs().max()) / (cross * math.sqrt(m / length))
    g = float((weights.value.T @ s.sum).abs().max()) / (cross * math.sqrt(m * m_1))
    f = float(s.output.abs().max())
    spread = float((s.attention - 1 / length).abs().max())
    ahead = abs(float((layer > 0).double().mean()) - 0.5)
    cases = 2 * m_1 * places / delta
    return {
        "logarithms": sigma_0 * sigma_1 <= 1 / LOGARITHMS,
        "d_1_products": max(score, key[0], query[0]) / words,
        "d_1_lengths": max(key[1], query[1]) / words,
        "d_2": spread * length / (kappa * words),
        "d_3_products": max(
            value[0] / words, neuron[0] / pairs, heard / concentration(m, 2 * m_1 * d / delta)
        ),
        "d_3_lengths": max(value[1] / words, neuron[1] / concentration(m, 2 * m_1 / delta)),
        "d_4": float((lengths - 1).abs().max()) / concentration(m, 2 * places / delta),
        "d_5": told / math.sqrt(2 * math.log(cases)),
        "d_5_printed": told / math.sqrt(math.log(cases / 2)),
        "d_6": ahead / math.sqrt(2 * math.log(4 / delta) / m_1),
        "d_7": g / math.sqrt(2 * math.log(2 * d / delta)),
        "d_8": f / (2 * cross * math.sqrt(2 * length * m_1 * m * math.log(2 * places / delta))),
        "output": f,
        "cosine": max(score, key[0], query[0]),
        "uneven": spread,
        "uneven_scaled": spread * length**2 * m,
    }


def corollary_d_5_by_sympy() -> bool:
    """The union bound gives δ/2 with √(2 log(2N/δ)); with √(log(N/δ)) one place alone has neurons beyond it.

    Used are exp(−x²) ≥ erfc(x) ≥ 2 exp(−x²)/(√π (x + √(x² + 2))), for N = m₁nL Gaussians, and, for the second, that
    the m₁ neurons are independent.
    """
    import sympy as sp

    many, delta = sp.symbols("N delta", positive=True)
    ours = sp.simplify(many * sp.exp(-sp.log(2 * many / delta)))  # N P(|z| > √(2 log(2N/δ))), from above
    m_1 = sp.Symbol("m_1", positive=True)
    square = sp.log(600 * m_1) / 2  # n = 12, L = 5, δ = 1/10: any constants do
    x = sp.sqrt(square)
    beyond = m_1 * 2 / sp.sqrt(sp.pi) * sp.powsimp(sp.exp(-square)) / (x + sp.sqrt(square + 2))
    return bool(sp.simplify(ours - delta / 2) == 0 and sp.limit(beyond, m_1, sp.oo) == sp.oo)


def corollary_d_5_in_numbers() -> dict[str, float]:
    """How often some neuron is beyond either bound in forty starts, δ = 0.1."""
    starts = [start(seed, width=128, neurons=128) for seed in range(40)]
    return {
        "paper: fails with probability at most": 0.1,
        "measured: the printed bound fails in a share of": sum(s["d_5_printed"] > 1 for s in starts) / 40,
        "measured: ours fails in a share of": sum(s["d_5"] > 1 for s in starts) / 40,
    }
