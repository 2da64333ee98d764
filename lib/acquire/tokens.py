"""Pre-training and fine-tuning in token coordinates: exact for orthogonal embeddings, and small.

Every neuron is followed by its products with the tokens, A[x, v, k] = λ⟨w_{v,k}, x⟩, every score by its number
z[x, q] = xᵀ Z q. With attention α = softmax(z[·, last]), β_i = α_i + 1 for the last token (the residual) and else α_i,

    h_{v,k} = Σ_i β_i A[x_i, v, k],   f_v = (1/m) Σ_k max(h_{v,k}, 0),   δ = target − softmax(f),

and gradient descent with rate η moves, for each prompt of weight ω,

    A[x_i, v, k] += η̃ ω δ_v 1[h_{v,k} > 0] β_i ‖x_i‖²/m · m,        η̃ = ηλ²/m,
    z[x_i, last] += η̃ κ ω α_i (e_i − Σ_j α_j e_j) ‖x_i‖² ‖x_last‖²,   κ = m/λ²,

with e_i = (1/m) Σ_{v,k} δ_v 1[h_{v,k} > 0] A[x_i, v, k]. From a small start nothing else of η, λ and m matters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial, reduce
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import pad

from lib.acquire.task import Facts, Sentences, fact_weight, sentences


class Sizes(NamedTuple):
    """The sizes of the data and of the model, which stay fixed in a run."""

    subjects: int  # N
    phrases: int  # R
    neurons: int  # m for each output

    @property
    def tokens(self) -> int:
        """Tokens that occur in prompts: o, the subjects, the phrases, p."""
        return self.subjects + self.phrases + 2

    @property
    def outputs(self) -> int:
        """V = 2N + R + 3: the prompts' tokens in the same order, then the answers, then d."""
        return 2 * self.subjects + self.phrases + 3

    @property
    def dimension(self) -> int:
        """The least embedding dimension in which all tokens are orthogonal; ‖o‖² is that dimension."""
        return self.outputs

    @property
    def parameters(self) -> int:
        """How many numbers a :class:`State` holds."""
        n, r = self.subjects, self.phrases
        return self.tokens * self.outputs * self.neurons + 3 * n + 2 * r + n * r + 1

    @property
    def format(self) -> int:
        """The place of p among the tokens."""
        return self.tokens - 1

    @property
    def answers(self) -> int:
        """The place of the first answer among the outputs."""
        return self.tokens

    @property
    def follower(self) -> int:
        """The place of d among the outputs."""
        return self.outputs - 1


class Scores(NamedTuple):
    """The scores z[x, q] that some prompt uses; the token after whom the field is named second is the query."""

    context_subject: Tensor  # (N,) z[o, s_j]
    subject_subject: Tensor  # (N,)
    context_phrase: Tensor  # (R,)
    subject_phrase: Tensor  # (N, R)
    phrase_phrase: Tensor  # (R,)
    subject_format: Tensor  # (N,)
    format_format: Tensor  # 0-d


class State(NamedTuple):
    """All that training moves, in token coordinates."""

    features: Tensor  # A, (N + R + 2, V, m)
    scores: Scores


class Passed(NamedTuple):
    """P prompts of one shape passed through the model, T tokens each."""

    attention: Tensor  # (P, T)
    pre: Tensor  # (P, V, m) pre-activations
    active: Tensor  # (P, V, m) bool
    logits: Tensor  # (P, V)
    chance: Tensor  # (P, V) probabilities
    loss: Tensor  # (P,)
    pull: Tensor  # (P, T) minus the weighted loss's derivative with respect to each score
    slope: Tensor  # (P, V) the same for each logit

    def push(self, share: Tensor) -> Tensor:
        """(P, V, m): times ``share`` (P,), minus the derivative with respect to each pre-activation, times m."""
        return torch.where(self.active, share[:, None, None] * self.slope[..., None], 0.0)


def forward(
    parts: tuple[Tensor, ...], scores: Tensor, residual: Tensor | float = 1.0
) -> tuple[Tensor, Tensor]:
    """Attention (P, T) and pre-activations (P, V, m).

    Args:
        parts: for each of the T tokens its features, (P, V, m) or (1, V, m).
        scores: (P, T).
        residual: what the last token counts for on top of its attention; 1 in the paper.
    """
    attention = torch.softmax(scores, -1)
    last = (torch.arange(scores.shape[1]) == scores.shape[1] - 1).to(torch.float64)
    mixture = attention + residual * last
    weighed = [mixture[:, t, None, None] * part for t, part in enumerate(parts)]
    return attention, reduce(torch.add, weighed)


def passed(
    parts: tuple[Tensor, ...],
    scores: Tensor,
    target: Tensor,
    weight: Tensor,
    residual: Tensor | float = 1.0,
) -> Passed:
    """Forward and backward in closed form (Lemma 1) for prompts with target distributions (P, V) and weights (P,)."""
    attention, pre = forward(parts, scores, residual)
    logits = torch.relu(pre).mean(-1)
    below = logits - logits.amax(-1, keepdim=True)
    odds = torch.exp(below)
    total = odds.sum(-1, keepdim=True)
    chance = odds / total
    active, slope = pre > 0, weight[:, None] * (target - chance)
    products = [torch.where(active, slope[..., None] * part, 0.0) for part in parts]
    each = torch.stack([product.sum((1, 2)) for product in products], -1) / pre.shape[-1]  # (P, T): ω e_i
    pull = attention * (each - (attention * each).sum(-1, keepdim=True))
    loss = -(target * (below - torch.log(total))).sum(-1)
    return Passed(attention, pre, active, logits, chance, loss, pull, slope)


def start(sizes: Sizes, context: float, scale: Tensor | float, generator: torch.Generator) -> State:
    """Independent normal parameters: w ~ N(0, σ₀²) and Z ~ N(0, σ₀²), seen through tokens of length 1 and ‖o‖.

    Args:
        context: ‖o‖².
        scale: λσ₀ for the features; scores take the same σ₀ with λ = 1.
        generator: of the random numbers.
    """
    drawn = torch.randn(sizes.parameters, dtype=torch.float64, generator=generator)
    return unflatten(drawn * scale, sizes, context)


def unflatten(numbers: Tensor, sizes: Sizes, context: Tensor | float) -> State:
    """A state from as many numbers as it has, those of o times ‖o‖; traceable."""
    n, r = sizes.subjects, sizes.phrases
    shapes = ((sizes.tokens, sizes.outputs, sizes.neurons), (n,), (n,), (r,), (n, r), (r,), (n,), ())
    pieces, begin = [], 0
    for shape in shapes:
        end = begin + int(torch.Size(shape).numel())
        pieces.append(numbers[begin:end].reshape(shape))
        begin = end
    length = torch.sqrt(torch.as_tensor(context, dtype=torch.float64))
    features = torch.cat([pieces[0][:1] * length, pieces[0][1:]])
    scores = Scores(*pieces[1:])
    return State(
        features,
        scores._replace(
            context_subject=scores.context_subject * length, context_phrase=scores.context_phrase * length
        ),
    )


class Acquired(NamedTuple):
    """One pass over the pre-training data; S sentences."""

    down: State  # minus the gradient, features' times m: what η̃ multiplies (scores: η̃κ)
    follower: Tensor  # 0-d, mean loss after [o]
    phrase: Tensor  # 0-d, mean loss after [o s]
    answer: Tensor  # 0-d, mean loss after [o s r]; the loss is the mean of the three
    attention_subject: Tensor  # (N, 2) on o, s in [o s_j]
    attention_phrase: Tensor  # (S, 3) on o, s, r in [o s_j r_i]
    loudness: Tensor  # 0-d, the logit of d after [o]
    phrase_chance: Tensor  # (N, R) K_j times the probability of r_i after [o s_j]
    answer_chance: Tensor  # (S,) the probability of a_j after [o s_j r_i]
    follower_active: Tensor  # 0-d, the share of d's neurons that are active on [o]
    phrase_active: Tensor  # (N, R) the share of r_i's neurons that are active on [o s_j]
    answer_active: Tensor  # (S,) the share of a_j's neurons that are active on [o s_j r_i]

    @property
    def dead(self) -> Tensor:
        """(S,) 1 where no neuron of the right answer is active."""
        return (self.answer_active <= 0).to(torch.float64)

    @property
    def loss(self) -> Tensor:
        """The loss, 0-d."""
        return (self.follower + self.phrase + self.answer) / 3


CHUNK = 2**21
"""Pre-activations that are computed at a time, so that memory does not grow with the number of sentences."""


class _Sentences(NamedTuple):
    """What the prompts [o s r] of some sentences bring: sums over them, and a row for each."""

    context: Tensor  # (V, m) direction of o's features
    subjects: Tensor  # (N, V, m) of the subjects'
    phrases: Tensor  # (R, V, m) of the phrases'
    context_phrase: Tensor  # (R,) direction of the scores, as in Scores
    subject_phrase: Tensor  # (N R,)
    phrase_phrase: Tensor  # (R,)
    loss: Tensor  # 0-d
    attention: Tensor  # (S, 3)
    chance: Tensor  # (S,) probability of the answer
    active: Tensor  # (S,) share of the answer's neurons that are active


def acquire(
    state: State, known: Facts, data: Sentences, sizes: Sizes, context: Tensor | float, share: Tensor
) -> Acquired:
    """Losses and descent direction of pre-training; traceable while the sentences fit in one chunk.

    Args:
        data: the sentences.
        context: ‖o‖².
        share: (N,) each fact's weight ω_j, which its sentences' weights add up to.
    """
    n, r = sizes.subjects, sizes.phrases
    a, z = state
    first, subjects = a[:1], a[1 : 1 + n]
    unit_weight = torch.ones(1, 1, dtype=torch.float64)
    follower = _one_hot(torch.tensor([sizes.follower]), sizes.outputs)
    opening = passed((first,), torch.zeros_like(unit_weight), follower, unit_weight[0])
    next_phrase = pad(known.uses / known.multiplicity[:, None], (1 + n, sizes.outputs - 1 - n - r))
    scores = torch.stack([z.context_subject, z.subject_subject], 1)
    middle = passed((first, subjects), scores, next_phrase, share)
    down_context = opening.push(torch.full_like(unit_weight[0], 2.0))[0]  # β_o = 2
    down_context = down_context + middle.push(middle.attention[:, 0]).sum(0)
    last = _pass_sentences(state, data, sizes, down_context)
    down_subjects = middle.push(1 + middle.attention[:, 1]) + last.subjects
    down = torch.cat(
        [last.context[None] * context / 3, down_subjects / 3, last.phrases / 3, torch.zeros_like(first)]
    )
    down_scores = Scores(
        context_subject=middle.pull[:, 0] * context / 3,
        subject_subject=middle.pull[:, 1] / 3,
        context_phrase=last.context_phrase * context / 3,
        subject_phrase=last.subject_phrase.reshape(n, r) / 3,
        phrase_phrase=last.phrase_phrase / 3,
        subject_format=torch.zeros_like(z.subject_format),
        format_format=torch.zeros_like(z.format_format),
    )
    return Acquired(
        down=State(down, down_scores),
        follower=opening.loss[0],
        phrase=(share * middle.loss).sum(),
        answer=last.loss,
        attention_subject=middle.attention,
        attention_phrase=last.attention,
        loudness=opening.logits[0, sizes.follower],
        phrase_chance=middle.chance[:, 1 + n : 1 + n + r] * known.multiplicity[:, None],
        answer_chance=last.chance,
        follower_active=_active(opening.pre[0, sizes.follower]),
        phrase_active=_active(middle.pre[:, 1 + n : 1 + n + r]),
        answer_active=last.active,
    )


def _pass_sentences(state: State, data: Sentences, sizes: Sizes, down_context: Tensor) -> _Sentences:
    """Pass the prompts [o s r], a chunk of sentences at a time.

    Args:
        down_context: (V, m) the direction of o's features so far, to which theirs is added.
    """
    n, r = sizes.subjects, sizes.phrases
    z = state.scores
    down_subjects = torch.zeros_like(state.features[1 : 1 + n])
    down_phrases = torch.zeros_like(state.features[1 + n : 1 + n + r])
    context_phrase, phrase_phrase = torch.zeros_like(z.context_phrase), torch.zeros_like(z.phrase_phrase)
    subject_phrase = torch.zeros_like(z.subject_phrase).reshape(-1)
    loss, attention, chance, active = torch.zeros((), dtype=torch.float64), [], [], []
    step = max(1, CHUNK // (sizes.outputs * sizes.neurons))
    for begin in range(0, data.subject.shape[0], step):
        j, i, weight = (field[begin : begin + step] for field in data)
        used = partial(_where, weight > 0)
        last = _pass_chunk(state, j, i, weight, sizes)
        down_context = down_context + used(last.push(last.attention[:, 0])).sum(0)
        down_subjects = down_subjects.index_add(0, j, used(last.push(last.attention[:, 1])))
        down_phrases = down_phrases.index_add(0, i, used(last.push(1 + last.attention[:, 2])))
        context_phrase = context_phrase.index_add(0, i, used(last.pull[:, 0]))
        subject_phrase = subject_phrase.index_add(0, j * r + i, used(last.pull[:, 1]))
        phrase_phrase = phrase_phrase.index_add(0, i, used(last.pull[:, 2]))
        loss = loss + used(weight * last.loss).sum()
        attention.append(last.attention)
        chance.append(torch.exp(-last.loss))
        place = (sizes.answers + j)[:, None, None].expand(-1, 1, sizes.neurons)
        active.append(_active(last.pre.gather(1, place)[:, 0]))
    return _Sentences(
        context=down_context,
        subjects=down_subjects,
        phrases=down_phrases,
        context_phrase=context_phrase,
        subject_phrase=subject_phrase,
        phrase_phrase=phrase_phrase,
        loss=loss,
        attention=torch.cat(attention),
        chance=torch.cat(chance),
        active=torch.cat(active),
    )


def _pass_chunk(state: State, j: Tensor, i: Tensor, weight: Tensor, sizes: Sizes) -> Passed:
    """The prompts [o s_j r_i] for subjects j and phrases i, (P,) each, which say a_j."""
    n, r = sizes.subjects, sizes.phrases
    a, z = state
    scores = torch.stack(
        [
            z.context_phrase.index_select(0, i),
            z.subject_phrase.reshape(-1).index_select(0, j * r + i),
            z.phrase_phrase.index_select(0, i),
        ],
        1,
    )
    parts = (a[:1], a[1 : 1 + n].index_select(0, j), a[1 + n : 1 + n + r].index_select(0, i))
    return passed(parts, scores, _one_hot(sizes.answers + j, sizes.outputs), weight)


class Extracted(NamedTuple):
    """One pass over the questions [s_j p], all N of them."""

    down: State  # as in Acquired, of the mean loss over the chosen facts
    loss: Tensor  # 0-d, that mean
    logits: Tensor  # (N, V)
    attention: Tensor  # (N, 2) on s_j and p


def extract(state: State, chosen: Tensor, sizes: Sizes, residual: Tensor | float = 1.0) -> Extracted:
    """Logits of all questions, and the descent direction of fine-tuning on the ``chosen`` facts; traceable.

    Args:
        chosen: (N,) 1 for a fact that is fine-tuned, else 0; with none the direction is 0.
        residual: of the questions, see :func:`forward`.
    """
    n, r = sizes.subjects, sizes.phrases
    a, z = state
    share = chosen / torch.clamp(chosen.sum(), min=1)
    scores = torch.stack([z.subject_format, z.format_format + torch.zeros_like(z.subject_format)], 1)
    answer = _one_hot(sizes.answers + torch.arange(n), sizes.outputs)
    prompts = passed((a[1 : 1 + n], a[sizes.format :]), scores, answer, share, residual)
    down = torch.cat(
        [
            torch.zeros_like(a[:1]),
            prompts.push(prompts.attention[:, 0]),
            torch.zeros_like(a[1 + n : 1 + n + r]),
            prompts.push(residual + prompts.attention[:, 1]).sum(0)[None],
        ]
    )
    down_scores = Scores(*(torch.zeros_like(field) for field in z))._replace(
        subject_format=prompts.pull[:, 0], format_format=prompts.pull[:, 1].sum()
    )
    loss = (share * prompts.loss).sum()
    return Extracted(State(down, down_scores), loss, prompts.logits, prompts.attention)


def moved(state: State, down: State, rate: Tensor | float, kappa: Tensor | float) -> State:
    """One step of gradient descent with η̃ = ``rate`` and κ = ``kappa``."""
    scores = Scores(*(z + rate * kappa * dz for z, dz in zip(state.scores, down.scores, strict=True)))
    return State(state.features + rate * down.features, scores)


Pace = Sequence[tuple[int, float]]
"""Stretches of pre-training: so many steps at the rate η̃."""
Move = Callable[[State, State, float, float], State]
"""How a step is taken: state, direction, η̃ and κ to the next state, as :func:`moved`."""


def pretraining(
    state: State, known: Facts, sizes: Sizes, context: float, kappa: float, pace: Pace
) -> Iterator[tuple[State, Acquired]]:
    """The state and a pass over the data, before each step and after the last; rare facts' gradients count K times."""
    listed, share = sentences(known), fact_weight(known)
    for steps, rate in pace:
        for _ in range(steps):
            acquired = acquire(state, known, listed, sizes, context, share)
            yield state, acquired
            state = moved(state, acquired.down, rate, kappa)
    yield state, acquire(state, known, listed, sizes, context, share)


def fine_tuning(
    state: State, chosen: Tensor, sizes: Sizes, kappa: float, steps: int, rate: float, move: Move = moved
) -> Iterator[tuple[State, Extracted]]:
    """The state and all questions put to it, before each step and after the last."""
    for _ in range(steps):
        extracted = extract(state, chosen, sizes)
        yield state, extracted
        state = move(state, extracted.down, rate, kappa)
    yield state, extract(state, chosen, sizes)


def rank_one(down: Tensor, rounds: int = 60) -> Tensor:
    """The best rank-1 approximation of the stacked gradient, (V m) × tokens, by the power method; traceable.

    Its right singular vector starts at p. With ``rounds`` k it ends within an angle of tangent (σ₂/σ₁)^2k tan ∠(v₁, p)
    of v₁: the best one to rounding as long as σ₂ is well below σ₁, as in the first steps. Near a crossing of the two it
    is a mixture, and no longer the best; but it holds no less of the gradient than p's direction does, round by round.

    The columns of tokens outside the questions are zero; all others have unit length, so token coordinates keep
    singular values.

    Args:
        down: (X, V, m).
    """
    matrix = down.reshape(down.shape[0], -1)  # its transpose
    right = (torch.arange(down.shape[0]) == down.shape[0] - 1).to(torch.float64)
    for _ in range(rounds):
        right = unit(matrix @ unit(right @ matrix))
    return (right[:, None] * (right @ matrix)).reshape(down.shape)


TINY = 1e-300
"""Keeps the direction of a zero gradient a number."""


def unit(vector: Tensor) -> Tensor:
    """At length 1; 0 stays 0."""
    return vector / torch.sqrt((vector * vector).sum() + TINY)


def _one_hot(places: Tensor, count: int) -> Tensor:
    return (places[:, None] == torch.arange(count)).to(torch.float64)


def _where(rows: Tensor, values: Tensor) -> Tensor:
    """The values in some rows, 0 in the others."""
    return torch.where(rows.reshape(-1, *[1] * (values.ndim - 1)), values, 0.0)


def _active(pre: Tensor) -> Tensor:
    """The share of active neurons, over the last axis."""
    return (pre > 0).to(torch.float64).mean(-1)
