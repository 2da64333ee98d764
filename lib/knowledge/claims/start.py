"""Claims about the start: gradients (Lemma 1), the tools (Lemmas 2–5, 7, 8), active neurons (Lemma 10)."""

from __future__ import annotations

import math
from fractions import Fraction

import torch
from torch import Tensor

from lib.claims import Check, Claim, Evidence, Verdict, register
from lib.knowledge import model
from lib.knowledge.claims.common import PAPER, pretrained
from lib.knowledge.claims.data import at_most
from lib.knowledge.data import fact_weight, facts, sentences
from lib.knowledge.dynamics.tokens import Sizes, State, acquire, extract, moved

PAGE = "book/acquire/setting"
TINY = Sizes(subjects=4, phrases=3, neurons=3)
WIDTH = 18
"""Dimension in which the tokens of ``TINY`` are embedded."""


def _embedded(orthogonal: bool, seed: int) -> tuple[model.Vocabulary, model.Weights]:
    generator = torch.Generator().manual_seed(seed)
    words = model.vocabulary(TINY, 7.0, WIDTH, generator)
    if not orthogonal:
        rows = torch.randn(words.rows.shape, dtype=torch.float64, generator=generator)
        words = words._replace(
            rows=rows / rows.norm(dim=1, keepdim=True) * words.rows.norm(dim=1, keepdim=True)
        )
    weights = model.initial(TINY, WIDTH, 0.3, 2.5, generator)
    return words, weights._replace(
        scores=weights.scores.requires_grad_(), first_layer=weights.first_layer.requires_grad_()
    )


def _largest(state: State) -> float:
    return max(float(part.abs().max()) for part in (state.features, *state.scores))


def _difference(one: State, other: State) -> State:
    scores = type(one.scores)(*(x - y for x, y in zip(one.scores, other.scores, strict=True)))
    return State(one.features - other.features, scores)


def step_error(orthogonal: bool, tuning: bool, seed: int = 0) -> float:
    """One step by autograd on the explicit model against one in token coordinates; relative to the step."""
    words, weights = _embedded(orthogonal, seed)
    known = facts(4, 3, 2, 0.5, seed)
    before, scale = model.in_tokens(weights, words, TINY), weights.gain**2 / TINY.neurons
    if tuning:
        loss = model.question_loss(weights, words, [0, 2], TINY)
        chosen = torch.tensor([1.0, 0.0, 1.0, 0.0], dtype=torch.float64)
        down = extract(before, chosen, TINY).down
    else:
        loss = model.pretraining_loss(weights, words, sentences(known), TINY)
        down = acquire(before, known, sentences(known), TINY, words.context, fact_weight(known)).down
    rate = 0.4
    after = model.in_tokens(model.step(weights, loss, rate), words, TINY)
    ours = moved(before, down, rate * scale, 1 / scale)
    return _largest(_difference(after, ours)) / _largest(_difference(after, before))


def lemma_1(orthogonal: bool) -> Evidence:
    """Steps of pre-training and of fine-tuning at five starts."""
    acquiring = max(step_error(orthogonal, False, seed) for seed in range(5))
    asking = max(step_error(orthogonal, True, seed) for seed in range(5))
    return Evidence(
        hypotheses={"orthogonal embeddings": orthogonal},
        predicted={"pre-training step, relative error": 0.0, "fine-tuning step, relative error": 0.0},
        measured={"pre-training step, relative error": acquiring, "fine-tuning step, relative error": asking},
        conclusion=max(acquiring, asking) < 1e-10,
    )


def vector_gradients(weights: model.Weights, prompt: Tensor, target: int) -> tuple[Tensor, Tensor]:
    """Lemma 1 for one prompt X (T, D), any embeddings: gradients of its loss by Z and by w.

    With δ = e_y − softmax(f) and g = (λ/m) Σ_{v,k} δ_v 1[⟨w_{v,k}, Ξ⟩ > 0] w_{v,k}:
    ∂w_{v,k} = −(λ/m) δ_v 1[⟨w_{v,k}, Ξ⟩ > 0] Ξ and ∂Z = −Xᵀ (diag α − ααᵀ) X g x_lastᵀ.
    """
    scores, layer = weights.scores.detach(), weights.first_layer.detach()
    attention = torch.softmax(prompt @ scores @ prompt[-1], 0)
    mixed = attention @ prompt + prompt[-1]
    pre = layer @ mixed
    share = weights.gain / layer.shape[1]
    delta = -torch.softmax(share * torch.relu(pre).sum(-1), 0)
    delta[target] += 1
    push = share * delta[:, None] * (pre > 0)
    pull = torch.einsum("vk,vkd->d", push, layer)
    turn = torch.diag(attention) - torch.outer(attention, attention)
    return -torch.outer(prompt.T @ turn @ prompt @ pull, prompt[-1]), -push[:, :, None] * mixed


def gradients_by_autograd() -> bool:
    """Lemma 1's formula against autograd, on embeddings that are not orthogonal."""
    words, weights = _embedded(False, 0)
    prompt = words.rows[[0, 2, 6]]
    loss = -torch.log_softmax(model.logits(weights, prompt), 0)[9]
    found = torch.autograd.grad(loss, (weights.scores, weights.first_layer))
    ours = vector_gradients(weights, prompt, 9)
    return all(float((x - y).abs().max()) < 1e-12 for x, y in zip(found, ours, strict=True))


def exceeds(threshold: float, entries: int) -> float:
    """P[max |x| > t] for so many independent N(0, 1) entries, exactly."""
    return -math.expm1(entries * math.log1p(-math.erfc(threshold / math.sqrt(2))))


def lemmas_2_8(outputs: int, neurons: int, tokens: int, delta: float, union: bool) -> Evidence:
    """Exact chances that an entry of the first layer exceeds the bound, or one is tiny; σ₀ = 1."""
    entries = outputs * neurons * tokens
    threshold = math.sqrt(2 * math.log(2 * (entries if union else 1) / delta))
    grid = [0.01 * k for k in range(1, 500)]
    tail = max(math.erfc(t / math.sqrt(2)) / (2 * math.exp(-t * t / 2)) for t in grid)
    narrow = max(math.erf(c / math.sqrt(2)) / (c * math.sqrt(2 / math.pi)) for c in grid)
    largest = exceeds(threshold, entries)
    return Evidence(
        hypotheses={"threshold sqrt(2 log(2 n/delta)) counts all n entries": union},
        predicted={
            "2: P[abs x > t] over its bound": 1.0,
            "3: P[abs x <= c] over its bound": 1.0,
            "4, 7: P[largest entry > threshold]": delta,
        },
        measured={
            "2: P[abs x > t] over its bound": tail,
            "3: P[abs x <= c] over its bound": narrow,
            "4, 7: P[largest entry > threshold]": largest,
            "threshold": threshold,
        },
        conclusion=tail <= 1 and narrow <= 1 and largest <= delta,
    )


def lemma_8_by_sympy() -> bool:
    """E|x| = σ√(2/π)."""
    import sympy as sp

    x, s = sp.symbols("x sigma", positive=True)
    density = sp.exp(-(x**2) / (2 * s**2)) / (s * sp.sqrt(2 * sp.pi))
    return bool(sp.simplify(2 * sp.integrate(x * density, (x, 0, sp.oo)) - s * sp.sqrt(2 / sp.pi)) == 0)


def short_of(neurons: int) -> float:
    """P[fewer than 0.4 m of m neurons are active], each with probability ½, exactly."""
    return float(at_most(neurons, Fraction(1, 2), math.ceil(Fraction(2, 5) * neurons) - 1))


def least_neurons(cases: int, delta: float) -> int:
    """The least multiple of 5 from which on, up to what Hoeffding asks, ``cases`` times the exact "
    "chance is ≤ δ."""
    m = 5 * math.ceil(10 * math.log(cases / delta))
    while m > 5 and cases * short_of(m - 5) <= delta:
        m -= 5
    return m


def same_sign(dimension: float) -> float:
    """The chance that a neuron is active on [o s r] as on [o]: 1 − arctan(√17/√d)/π, with β = (⅓, ⅓, 4/3)."""
    return 1 - math.atan(math.sqrt(17 / dimension)) / math.pi


def lemma_10(subjects: int, phrases: int, neurons: int, stretch: float, delta: float = 0.1) -> Evidence:
    """The least share of active neurons of right outputs at the start, worst of ten seeds."""
    runs = [
        pretrained(subjects, phrases, 2, neurons, stretch=stretch, steps_2=0, steps_3=0, seed=seed)
        for seed in range(10)
    ]
    cases = 1 + 2 * max(len(run.data.subject) for run in runs)
    asked = 50 * math.log(cases / delta)
    fine = sum(min(run.moments[0].active) >= 0.4 for run in runs) / len(runs)
    dimension = runs[0].dimension
    sure = [_agreeing(run.begun, run.data.subject, run.data.phrase, run.sizes) for run in runs]
    return Evidence(
        hypotheses={"m at least 50 log((1 + 2 sentences)/delta)": neurons >= asked},
        predicted={
            "share of starts with 0.4 m active everywhere": 1 - delta,
            "neurons": asked,
            "neurons active on [o s r] as on [o]": same_sign(dimension),
        },
        measured={
            "share of starts with 0.4 m active everywhere": fine,
            "neurons": float(least_neurons(cases, delta)),
            "neurons active on [o s r] as on [o]": sum(sure) / len(sure),
            "least share of active neurons": min(min(run.moments[0].active) for run in runs),
        },
        conclusion=fine >= 1 - delta,
    )


def _agreeing(state: State, j: Tensor, i: Tensor, sizes: Sizes) -> float:
    """Of the right answers' neurons at the start, attention being uniform but for the small scores."""
    a, answer = state.features, sizes.answers + j
    pre = (a[0, answer] + a[1 + j, answer] + 4 * a[1 + sizes.subjects + i, answer]) / 3
    return float(((pre > 0) == (a[0, answer] > 0)).double().mean())


register(
    Claim(
        id="acquire.lemma-1",
        paper=PAPER,
        kind="lemma",
        number="1",
        title="The gradients, and why token coordinates are enough",
        page=PAGE,
        statement=(
            "For a prompt $X$ with $\\alpha = \\mathrm{softmax}(X^\\top Zx_{last})$, $\\Xi = X\\alpha + "
            "x_{last}$ and $\\delta = e_y - \\mathrm{softmax}(f)$, the gradients of $w_{v,k}$ and $Z$ are "
            "$-\\tfrac\\lambda m\\delta_v1[\\langle w_{v,k},\\Xi\\rangle > 0]\\,\\Xi$ and "
            "$-X(\\mathrm{diag}\\,\\alpha - \\alpha\\alpha^\\top)X^\\top g\\,x_{last}^\\top$, where $g = "
            "\\tfrac\\lambda m\\sum_{v,k}\\delta_v1[\\cdot]w_{v,k}$. Both formulas are lost in the text at "
            "hand and follow from the model (inferred). With orthogonal embeddings they close on "
            "$\\lambda\\langle w_{v,k},x\\rangle$ and $x^\\top Zq$ (ours)."
        ),
        examine=lemma_1,
        holds_at={"orthogonal": True},
        fails_at={"orthogonal": False},
        recorded=Verdict.CONFIRMED,
        finding=(
            "Exact to rounding, on embeddings rotated at random. On random unit vectors the formulas still "
            "hold, but token coordinates do not: tokens move one another."
        ),
        checked=(Check("(22), (23)", "as in the statement", "autograd", gradients_by_autograd),),
    )
)

register(
    Claim(
        id="acquire.lemmas-2-8",
        paper=PAPER,
        kind="lemmas",
        number="2–4, 7, 8",
        title="Gaussian tails and the largest of many entries",
        page=PAGE,
        statement=(
            "For $x \\sim N(0, \\sigma^2)$: $P[\\lvert x\\rvert > t] \\le 2e^{-t^2/2\\sigma^2}$ (2); "
            "$P[\\lvert x\\rvert \\le c] \\le \\sqrt{2/\\pi}\\,c/\\sigma$ (3); the largest of $n$ entries "
            "is at most $\\sigma\\sqrt{2\\log(2n/\\delta)}$ with probability $1 - \\delta$ (4, 7); "
            "$E\\lvert x\\rvert = \\sigma\\sqrt{2/\\pi}$ (8, a guess). All formulas are lost in the text at "
            "hand and read from the proofs' words (inferred). Lemma 5, on two variables, cannot be "
            "recovered and is left out."
        ),
        examine=lemmas_2_8,
        holds_at={"outputs": 107, "neurons": 8, "tokens": 58, "delta": 0.1, "union": True},
        fails_at={"outputs": 107, "neurons": 8, "tokens": 58, "delta": 0.1, "union": False},
        recorded=Verdict.CONFIRMED,
        finding="Textbook bounds, all true; the union bound loses little, since entries are independent.",
        checked=(Check("Lemma 8", r"E\lvert x\rvert = \sigma\sqrt{2/\pi}", "sympy", lemma_8_by_sympy),),
    )
)

register(
    Claim(
        id="acquire.lemma-10",
        paper=PAPER,
        kind="lemma",
        number="10",
        title="At the start 0.4 m neurons of each right output are active",
        page=PAGE,
        statement=(
            "If $m$ is at least of order $\\log(NR/\\delta)$, then with probability $1 - \\delta$ at least "
            "$0.4m$ of the neurons of $d$, of $r_i$ and of $a_j$ are active on $[o]$, $[o\\,s_j]$ and "
            "$[o\\,s_j\\,r_i]$. The constant is lost in the text at hand; Hoeffding's inequality, which its "
            "proof uses, gives $m \\ge 50\\log((1 + 2S)/\\delta)$ for $S$ sentences (inferred)."
        ),
        examine=lemma_10,
        holds_at={"subjects": 6, "phrases": 3, "neurons": 320, "stretch": 1.0},
        fails_at={"subjects": 6, "phrases": 3, "neurons": 8, "stretch": 1.0},
        recorded=Verdict.CONFIRMED,
        finding=(
            "The exact law asks for some 60 % of that. Since $\\lVert o\\rVert = \\sqrt d$, the signs of "
            "all prompts follow that of $\\langle w, o\\rangle$: a neuron is active on $[o\\,s\\,r]$ as on "
            "$[o]$ with probability $1 - \\tfrac1\\pi\\arctan\\sqrt{17/d}$, as measured."
        ),
    )
)
