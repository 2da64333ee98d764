"""Four small models learn the same facts: standard, uniform attention with an MLP, attention only, the paper's.

Axes of tensors: a models with attention, t tokens of a prompt, i and j embedding dimensions, p prompts, v outputs,
h hidden neurons of an MLP, k neurons of the paper's model.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import pad

from lib import noise
from lib.acquire import task
from lib.acquire.course import OFFSET, choice, whole
from lib.program import Program, Stage, record

SUBJECTS, PHRASES, HIDDEN, NEURONS = 10, 3, 24, 4
TOKENS = SUBJECTS + PHRASES + 2
"""o, the subjects, the phrases, p, in this order."""
OUTPUTS = 2 * SUBJECTS + PHRASES + 3
"""The number of outputs: the tokens, then the answers, then d."""
ANSWERS = TOKENS
NAMES = ("standard", "uniform + MLP", "attention only", "the paper’s own")
SHORT = ("standard", "uniform", "attention", "paper")
EPSILON = 1e-3
"""Adam's, added to the root of the second moment: large, lest the last digits of a vanishing gradient steer."""
LEARNED = 0.05
"""A loss this near to the entropy counts as learned."""

FAR = 10 * LEARNED
"""A loss this far above it is far above."""
CROWDED = 3
"""With so many times as many facts as dimensions random embeddings rarely leave a direction for a constant."""

DOMAINS = (
    whole("multiplicity", 1, PHRASES, 3, words="phrases per fact (K)"),
    choice("noise", 1000, 40.0, (0.0, 1.0, 10.0, 40.0, 100.0, 400.0), words="context’s squared norm"),
    whole("width", 2, TOKENS, TOKENS, words="embedding dimensions (d)"),
    choice("rate", 0.1, 0.02, (0.002, 0.005, 0.01, 0.02, 0.03), words="learning rate (Adam)"),
    whole("seed", 0, 99, 0),
    whole("steps", 0, 2000, 200, words="pre-training steps", track=(0, 300, 10)),
    whole("tuning", 0, 2000, 40, words="fine-tuning steps", track=(0, 100, 5)),
)
"""With ``noise`` = 0 sentences have no context. Embeddings are orthogonal at ``width`` = 15, below it random normal."""
Contest = record("Contest", [domain.name for domain in DOMAINS])


class Weights(NamedTuple):
    """All four models' parameters, for embeddings of up to 15 dimensions."""

    scores: Tensor  # (3, 15, 15) query–key products of the three models that have attention
    values: Tensor  # (3, 15, 15) output–value products of the first three
    inner: Tensor  # (2, 24, 15) first layers of the first two
    outer: Tensor  # (2, 15, 24) their second layers
    unembed: Tensor  # (3, 26, 15) of the first three
    neurons: Tensor  # (26, 4, 15) the paper's


class Prompts(NamedTuple):
    """All prompts, P = 50: [o s], [o s r], and the questions [s p]."""

    tokens: Tensor  # (P, 3, 15) embeddings, 0 where a prompt is shorter
    length: Tensor  # (P, 3) 1 where there is a token
    last: Tensor  # (P, 15) the last token's embedding
    wanted: Tensor  # (P, 26) the distribution of what follows
    uses: Tensor  # (10, 3) facts by phrases


class Training(NamedTuple):
    """The state."""

    weights: Weights
    mean: Weights  # Adam's moments
    square: Weights
    step: Tensor
    prompts: Prompts
    share: Tensor  # (P,) of each prompt in the loss that is descended
    best: Tensor  # (4,) the greatest accuracy on unseen facts before the latest step
    before: Tensor  # (4,) losses before the latest step


class Watched(NamedTuple):
    """What is drawn on the way."""

    losses: Tensor  # (4,) pre-training loss minus entropy
    accuracy: Tensor  # (4,) on unseen facts
    on_noise: Tensor  # (3,) mean attention on o in [o s r], of the models that have attention


class Outcome(NamedTuple):
    """What training comes to; each 0-d unless a shape is given."""

    losses: Tensor  # (4,) pre-training loss minus entropy at its end
    accuracy: Tensor  # (4,) on unseen facts after fine-tuning
    best: Tensor  # (4,) at the best step
    on_noise: Tensor  # (4,) attention on o; ⅓ where it is uniform; 0 without context
    entropy: Tensor
    uniform_loss: Tensor  # the numbers of single models, for the sentences
    attention_loss: Tensor
    standard_loss: Tensor
    paper_loss: Tensor
    standard_best: Tensor
    uniform_best: Tensor
    attention_best: Tensor
    paper_best: Tensor
    last_gain: Tensor  # (4,) by which the last step of pre-training lowered the losses; ∞ if there was none


def logits(w: Weights, prompts: Prompts) -> tuple[tuple[Tensor, ...], Tensor]:
    """All four models on prompts.

    With x the prompt's embeddings as rows: α = softmax(x Q x_last) or 1/T, a = Σ α_i x_i. Standard: y = x_last + V a,
    f = U (y + B max(A y, 0)); without the MLP f = U y; the paper's with λ = m: f_v = Σ_k max(⟨w_{v,k}, a + x_last⟩, 0).

    Returns:
        four logits (P, 26), and the attention (3, P, 3) of models 1, 3 and 4.
    """
    tokens, length, last = prompts.tokens, prompts.length, prompts.last
    score = torch.einsum("pti,aij,pj->apt", tokens, w.scores, last)
    score = torch.where(length > 0.5, score, torch.full_like(score, -1e30))
    attention = torch.softmax(score, -1)
    even = length / length.sum(-1, keepdim=True)
    mixed = torch.einsum(
        "apt,pti->api", torch.cat([attention[:1], even[None], attention[1:]]), tokens
    )  # (4, P, 15)
    stream = last + torch.einsum("aij,apj->api", w.values, mixed[:3])
    hidden = torch.relu(torch.einsum("ahi,api->aph", w.inner, stream[:2]))
    whole = torch.cat([stream[:2] + torch.einsum("aih,aph->api", w.outer, hidden), stream[2:]])
    first = torch.einsum("avi,api->apv", w.unembed, whole)
    paper = torch.relu(torch.einsum("vki,pi->pvk", w.neurons, mixed[3] + last)).sum(-1)
    return (first[0], first[1], first[2], paper), attention


def four_models() -> Program:
    """Pre-training on all facts, fine-tuning on half of them; every model by the same rule."""
    stages = (
        Stage("pre-training", lambda s, p: s, _step, "steps"),
        Stage("fine-tuning", _begin_tuning, _step, "tuning"),
    )
    return Program(
        Contest,
        DOMAINS,
        _start,
        stages,
        _watch,
        lambda ends, p: _report(_watch(ends[0], p), _watch(ends[1], p), ends, p),
    )


def _start(p: Any) -> Training:
    known = task.draw(
        p.seed,
        SUBJECTS,
        PHRASES,
        torch.full_like(p.seed, PHRASES),
        p.multiplicity,
        torch.full_like(p.seed, SUBJECTS),
    )
    weights = _initial(p.seed)
    return Training(
        weights=weights,
        mean=_no_moments(weights),
        square=_no_moments(weights),
        step=torch.zeros((), dtype=torch.float64),
        prompts=_prompts(p, known.uses),
        share=_pretraining_share(known.uses),
        best=torch.zeros(4, dtype=torch.float64),
        before=torch.full((4,), math.inf, dtype=torch.float64),
    )


def _prompts(p: Any, uses: Tensor) -> Prompts:
    """[o s_j] for all facts, [o s_j r_i] for all facts and phrases, [s_j p] for all facts."""
    n, r = SUBJECTS, PHRASES
    j, i = torch.arange(n).repeat_interleave(r), torch.arange(r).repeat(n)
    rows = _embeddings(p)
    o, blank = rows[:1] * torch.sqrt(p.noise), torch.zeros_like(rows[:1])
    format_token = rows[-1:].expand(n, -1)
    tokens = [
        torch.stack([o.expand(n, -1), rows[1 : 1 + n], blank.expand(n, -1)], 1),
        torch.stack([o.expand(n * r, -1), rows[1 + j], rows[1 + n + i]], 1),
        torch.stack([blank.expand(n, -1), rows[1 : 1 + n], format_token], 1),
    ]
    has_context = (p.noise > 0).to(torch.float64)
    length = torch.tensor(
        [[1.0, 1, 0]] * n + [[1.0, 1, 1]] * (n * r) + [[0.0, 1, 1]] * n, dtype=torch.float64
    )
    length = torch.cat([length[:, :1] * has_context, length[:, 1:]], 1)
    last = torch.cat([rows[1 : 1 + n], rows[1 + n + i], format_token])
    phrases = pad(uses / uses.sum(1, keepdim=True), (1 + n, OUTPUTS - 1 - n - r))
    answer = torch.cat([j, torch.arange(n)])[:, None] + ANSWERS
    answers = (answer == torch.arange(OUTPUTS)).to(torch.float64)
    return Prompts(torch.cat(tokens), length, last, torch.cat([phrases, answers]), uses)


def _pretraining_share(uses: Tensor) -> Tensor:
    """(P,) the prompts' shares in pre-training: half [o s], half [o s r], every fact alike."""
    n = SUBJECTS
    stated = (uses / uses.sum(1, keepdim=True)).reshape(-1) / (2 * n)
    nothing = torch.zeros(n, dtype=torch.float64)
    return torch.cat([torch.full_like(nothing, 1 / (2 * n)), stated, nothing])


def _tuning_share() -> Tensor:
    """(P,) those in fine-tuning: the questions about the first half of the facts."""
    n = SUBJECTS
    half = (torch.arange(n) < n // 2).to(torch.float64) / (n // 2)
    return torch.cat([torch.zeros(n + n * PHRASES, dtype=torch.float64), half])


def _step(s: Training, p: Any) -> tuple[Training, Tensor]:
    """A step of Adam; it is never done before its number of steps."""

    def loss(weights: Weights) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        outputs, _ = logits(weights, s.prompts)
        losses = _losses(outputs, s.prompts, s.share)
        return losses.sum(), (_accuracy(outputs), losses)

    gradient, (accuracy, before) = torch.func.grad(loss, has_aux=True)(s.weights)
    step = s.step + 1
    mean = Weights(*(0.9 * m + 0.1 * g for m, g in zip(s.mean, gradient, strict=True)))
    square = Weights(*(0.999 * q + 0.001 * g * g for q, g in zip(s.square, gradient, strict=True)))
    size = torch.sqrt(1 - 0.999**step) / (1 - 0.9**step)
    moves = [size * m / (torch.sqrt(q) + EPSILON) for m, q in zip(mean, square, strict=True)]
    weights = Weights(*(w - p.rate * move for w, move in zip(s.weights, moves, strict=True)))
    best = torch.maximum(s.best, accuracy)
    after = s._replace(weights=weights, mean=mean, square=square, step=step, best=best, before=before)
    return after, p.seed < 0


def _begin_tuning(s: Training, p: Any) -> Training:
    """Forget Adam's moments, and descend the loss of questions."""
    return s._replace(
        mean=_no_moments(s.weights),
        square=_no_moments(s.weights),
        step=s.step * 0,
        share=_tuning_share(),
        best=s.best * 0,
    )


def _watch(s: Training, p: Any) -> Watched:
    outputs, attention = logits(s.weights, s.prompts)
    stated = s.prompts.uses.reshape(-1)
    on_noise = attention[:, SUBJECTS : SUBJECTS + SUBJECTS * PHRASES, 0]
    return Watched(
        _losses(outputs, s.prompts, _pretraining_share(s.prompts.uses)) - torch.log(p.multiplicity) / 2,
        _accuracy(outputs),
        (on_noise * stated).sum(-1) / stated.sum(),
    )


def _no_moments(w: Weights) -> Weights:
    """Adam's moments before the first step."""
    return Weights(*(torch.zeros_like(x) for x in w))


def _losses(outputs: tuple[Tensor, ...], prompts: Prompts, share: Tensor) -> Tensor:
    """Each model's cross-entropy, (4,)."""
    return torch.stack([-(share[:, None] * prompts.wanted * torch.log_softmax(f, -1)).sum() for f in outputs])


def _accuracy(outputs: tuple[Tensor, ...]) -> Tensor:
    """Each model's on the questions about the second half of the facts, (4,)."""
    places = torch.arange(SUBJECTS // 2, SUBJECTS) + ANSWERS
    return torch.stack([_right(f[SUBJECTS // 2 - SUBJECTS :], places).mean() for f in outputs])


def _embeddings(p: Any) -> Tensor:
    """(15, 15) rows of length about 1; below 15 dimensions normal numbers in the first of them."""
    drawn = noise.normals(p.seed, 8 * noise.STRIDE, 500_000)
    inside = (torch.arange(TOKENS) < p.width).to(torch.float64)
    random = drawn[: TOKENS * TOKENS].reshape(TOKENS, TOKENS) * inside / torch.sqrt(p.width)
    return torch.where(p.width > TOKENS - 0.5, torch.eye(TOKENS, dtype=torch.float64), random)


def _right(logits: Tensor, places: Tensor) -> Tensor:
    """1 where the largest logit of a row stands at its place alone."""
    is_right = (places[:, None] == torch.arange(logits.shape[1])).to(torch.float64)
    right = (logits - 1e30 * (1 - is_right)).amax(1)
    return (right > (logits - 1e30 * is_right).amax(1)).to(torch.float64)


def _initial(seed: Tensor) -> Weights:
    """Independent normal numbers with variance one over the number of inputs."""
    shapes = (
        (3, TOKENS, TOKENS),
        (3, TOKENS, TOKENS),
        (2, HIDDEN, TOKENS),
        (2, TOKENS, HIDDEN),
        (3, OUTPUTS, TOKENS),
        (OUTPUTS, NEURONS, TOKENS),
    )
    counts = [math.prod(shape) for shape in shapes]
    pieces = torch.split(noise.normals(seed, sum(counts), OFFSET), counts)
    return Weights(
        *(piece.reshape(shape) / shape[-1] ** 0.5 for piece, shape in zip(pieces, shapes, strict=True))
    )


def _report(before: Watched, after: Watched, ends: tuple[Training, ...], p: Any) -> Outcome:
    third = torch.full_like(p.noise, 1 / 3)
    share = torch.stack([before.on_noise[0], third, before.on_noise[1], before.on_noise[2]])
    entropy = torch.log(p.multiplicity) / 2
    best = torch.maximum(ends[1].best, after.accuracy)
    return Outcome(
        losses=before.losses,
        accuracy=after.accuracy,
        best=best,
        on_noise=torch.where(p.noise > 0, share, torch.zeros_like(share)),
        entropy=entropy,
        **{f"{name}_loss": before.losses[k] for k, name in enumerate(SHORT)},
        **{f"{name}_best": best[k] for k, name in enumerate(SHORT)},
        last_gain=ends[0].before - entropy - before.losses,
    )


def all_learned(r: Outcome, p: Any) -> Tensor:
    """All four losses are LEARNED near the entropy."""
    return (r.losses <= LEARNED).all()


def attention_fails(r: Outcome, p: Any) -> Tensor:
    """The models with an MLP are LEARNED near the entropy, and attention alone is FAR above it."""
    return (r.losses[:2] <= LEARNED).all() & (r.losses[2] >= FAR)


def settled(r: Outcome, p: Any) -> Tensor:
    """Whether as many steps again at the last pace would gain the models with an MLP less than LEARNED."""
    gain = r.last_gain * p.steps  # ∞ × 0 where there was no step
    return torch.minimum(gain, r.losses)[:2].amax() < LEARNED
