"""Yang et al.'s transformer with one assumption dropped: training from a start that treats exchangeable words alike.

Keys, queries, values and neurons start orthogonal, each along a direction of its own. Then exchanging two irrelevant
words of a sentence, or two sentences of a type, exchanges coordinates: weights between exchangeable words and
coordinates stay equal, and one number stands for all of them, exactly, under gradient descent and Adam alike.
Wrong labels divide each type into two classes of sentences.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import softplus

from book.together.descents import Moments, at_rest, descend
from book.together.experiments.relaxations import WRONG
from book.together.experiments.relaxed_recognise import (
    ADAM,
    LENGTH,
    NEURONS,
    SAMPLES,
    SIGMA_0,
    SIGMA_1,
    STEP,
    STEPS,
    WIDTH,
)
from book.together.relaxed import RECOGNISE
from lib import noise
from lib.domain import Domain
from lib.program import Program, Stage, record
from lib.recognise.task import SIGNALS, SIGNS, class_counts

KINDS = tuple(kind for kind in range(4) for _ in range(2))
"""The type of each class of sentences: of each type those with right labels, then those with wrong ones."""
COUNTS = (
    torch.tensor([[count * (1 - WRONG), count * WRONG] for count in class_counts(SAMPLES)])
    .double()
    .reshape(-1)
)
"""Sentences in each class, (8,)."""
FREE = torch.tensor([LENGTH - len(SIGNALS[kind]) for kind in KINDS]).double()
"""Irrelevant words in a sentence of each class, (8,)."""
CLASSES = 11
"""The number of classes of words: μ₁, μ₂, μ₃, and the irrelevant words of each class of sentences."""
IN_CLASS = torch.cat([torch.ones(3).double(), COUNTS * FREE])
"""Words in each class, (11,)."""
ROOTS = torch.outer(IN_CLASS.sqrt(), IN_CLASS.sqrt())
PAIRS = CLASSES**2 + 16
"""Kinds of pairs of words: of two classes, then, for each class of irrelevant words, two of one sentence, and a word
with itself."""
SAME_SENTENCE, ITSELF, STRANGE, STRANGE_ITSELF = CLASSES**2, CLASSES**2 + 8, PAIRS, PAIRS + 1
"""Where these kinds begin. A word that no training sentence has makes two more: with others, and with itself."""
T_1 = 44
"""Steps of Phase 1, after which Theorems 3.1 and 3.2 both hold in the unrelaxed model."""
EACH = NEURONS // 2
"""Neurons of each sign."""
STACK = (
    "key",
    "key_2",
    "low_key",
    "low_key_2",
    "value",
    "query",
    "query_2",
    "low_query",
    "low_query_2",
    "product",
)
"""Matrices with one number for each kind of pair. Keys and queries are two each: along the coordinates in which keys
start, and along those in which queries do. ``product`` takes the place of both where W_KᵀW_Q is one matrix. The lower
layer, where there is one, has keys and queries of its own."""
VALUE, PRODUCT = STACK.index("value"), STACK.index("product")
PARTS = {
    "stack": len(STACK) * PAIRS,
    "value_neurons": 2 * CLASSES,
    "neuron_words": 2 * CLASSES,
    "neuron_self": 2,
    "neuron_other": 4,
    "bias_words": CLASSES,
    "bias_neurons": 2,
    "bias_hidden": 2,
}
"""How many numbers are trained. Values and neurons have a coordinate for each word and one for each neuron."""


def blocks(entries: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Matrices that treat exchangeable words alike, in an orthonormal basis.

    Args:
        entries: (k, 137), for each kind of pair.

    Returns:
        what each does to the normalised sums of the classes of words (k, 11, 11), to differences between the sentences
        of a class (k, 8), and to differences between the words of a sentence (k, 8).
    """
    square = entries[:, : CLASSES**2].reshape(-1, CLASSES, CLASSES)
    near, same = entries[:, SAME_SENTENCE:ITSELF], entries[:, ITSELF:PAIRS]
    between = same + (FREE - 1) * near - FREE * square.diagonal(dim1=1, dim2=2)[:, 3:]
    return square * ROOTS + _on_diagonal(between), between, same - near


def entries_of(block: Tensor, between: Tensor, within: Tensor) -> Tensor:
    """The inverse of :func:`blocks`."""
    square = (block - _on_diagonal(between)) / ROOTS
    near = square.diagonal(dim1=1, dim2=2)[:, 3:] + (between - within) / FREE
    return torch.cat([square.reshape(-1, CLASSES**2), near, near + within], 1)


def _on_diagonal(x: Tensor) -> Tensor:
    padded = torch.cat([torch.zeros_like(x[:, :3]), x], 1)
    return padded[:, :, None] * torch.eye(CLASSES, dtype=torch.float64)


class Sentences(NamedTuple):
    """Sentences of one length, as places in tables."""

    pairs: Tensor  # (n, L, L) kinds of the pairs of words
    words: Tensor  # (n, L) classes of the words; 11 is a word that no training sentence has
    counts: Tensor  # (n,) how many there are of each
    labels: Tensor  # (n,)


class Word(NamedTuple):
    """A word: its class, and which sentence and which place in it the word is from."""

    group: int
    sentence: int = 0
    place: int = 0


def kind_of(key: Word, query: Word) -> int:
    """The kind of a pair of words."""
    if CLASSES in (key.group, query.group):
        return STRANGE_ITSELF if key == query else STRANGE
    if key.group < 3 or key.group != query.group or key.sentence != query.sentence:
        return CLASSES * key.group + query.group
    return (ITSELF if key == query else SAME_SENTENCE) + key.group - 3


def sentences(listed: Sequence[tuple[int, Sequence[Word]]], counts: Tensor | None = None) -> Sentences:
    """Sentences by their types and their irrelevant words."""
    whole = [[*map(Word, SIGNALS[kind]), *words] for kind, words in listed]
    return Sentences(
        torch.tensor([[[kind_of(key, query) for query in words] for key in words] for words in whole]),
        torch.tensor([[word.group for word in words] for words in whole]),
        torch.ones(len(whole)).double() if counts is None else counts,
        SIGNS[[kind for kind, _ in listed]],
    )


def _irrelevant(kind: int) -> range:
    return range(LENGTH - len(SIGNALS[kind]))


TRAINED = sentences(
    [(kind, [Word(3 + i, 0, place) for place in _irrelevant(kind)]) for i, kind in enumerate(KINDS)], COUNTS
)
"""One sentence of each class."""
RECOMBINED = sentences(
    [(kind, [Word(3 + i, place) for place in _irrelevant(kind)]) for kind in range(4) for i in range(0, 8, 2)]
)
"""New sentences: of each type with irrelevant words from rightly labelled sentences of each type."""
UNSEEN = sentences(
    [(kind, [Word(CLASSES, 0, place) for place in _irrelevant(kind)]) for kind in range(4)],
    torch.tensor(class_counts(SAMPLES)).double(),
)
"""One sentence of each type, with irrelevant words that no training sentence has."""
SINGLE = Sentences(
    torch.tensor([[[kind_of(Word(i), Word(i))]] for i in range(3)]),
    torch.arange(3)[:, None],
    torch.ones(3).double(),
    torch.ones(3).double(),
)
"""The sentences of one word μ₁, μ₂, μ₃."""
RELAXED_DOMAINS = (
    RECOGNISE.switch,
    Domain(
        "sigma_0",
        low=0.05,
        high=5.0,
        default=SIGMA_0,
        words="initial size",
        symbol="σ₀√(Lm)",
        scale="log",
        track=(0.1, 2.0),
    ),
    Domain(
        "rate",
        low=0.01,
        high=5.0,
        default=STEP,
        words="learning rate",
        symbol="η",
        unit="units of 1/N₀",
        scale="log",
        track=(0.1, 2.0),
    ),
    Domain("seed", low=0, high=999, integer=True, default=0, words="seed", scale="whole", track=(0, 99)),
    Domain(
        "steps_1", low=0, high=10_000, integer=True, default=T_1, words="steps of Phase 1", track=(0, 200, 5)
    ),
    Domain(
        "steps_2",
        low=0,
        high=10_000,
        integer=True,
        default=(STEPS - T_1) // 2,
        words="steps of each half of Phase 2",
        track=(0, 1000, 10),
    ),
)
Relaxed = record("Relaxed", [domain.name for domain in RELAXED_DOMAINS])


class State(NamedTuple):
    """A run of training."""

    x: Tensor  # all that is trained, see PARTS
    seen: Moments
    begun: Tensor  # x at the start
    before: Tensor  # (7,) what Theorem 3.2's items 1 and 2 speak of, one step before, see _turned
    least: Tensor  # (4,) of Theorem 3.2's four items, in Phase 2 until one step before


class Model(NamedTuple):
    """What a state comes to: products of words, by kinds of pairs."""

    scores: Tensor  # (139,) of a key and a query, in each head
    low: Tensor  # (139,) likewise in the lower layer
    values: Tensor  # (139,) of two values
    fed: Tensor  # (2, 12) of a neuron of each sign and a word's value
    shift: Tensor  # (2,) what biases add


class Watch(NamedTuple):
    """What is drawn while it runs."""

    output: Tensor  # (3,) F of the sentences of one word μ₁, μ₂, μ₃
    margins: Tensor  # (4,) y F of a rightly labelled sentence of each type
    losses: Tensor  # (2,) on the training set, and on sentences of unseen words
    grown: Tensor  # (4,) of the scores of Theorem 3.2, over κ
    recombined: Tensor  # (1,) the least margin of new sentences of training words


class End(NamedTuple):
    """What the theorems speak of; each 0-d."""

    aligned: Tensor  # the least of G(μ₁), G(μ₂), −G(μ₃) at T₁
    margin: Tensor  # the least margin at T₁
    moved: Tensor  # products of two values until T₁, change over κ
    loss_1: Tensor  # at T₁
    score_move: Tensor  # the least move of a score to its side in a step of Phase 2, over κ
    product_move: Tensor  # likewise of a product of values
    least_output: Tensor  # the least of G(μ₁), G(μ₂), −G(μ₃) in Phase 2
    least_sum: Tensor  # of the three sums
    loss: Tensor  # at the end
    power: Tensor  # of the number of steps in the training loss, in the second half of Phase 2
    unseen_power: Tensor  # likewise on sentences of unseen words
    growth: Tensor  # of the worst margin of recombined sentences over the training margin's, in that half
    grown: Tensor  # the least of C₁₂, C₂₁, −C₃₁, −C₃₂, over κ
    stray: Tensor  # n times the largest with an irrelevant word, over C₁₂


def heads(p: Any) -> Tensor:
    """The number of heads, which stay alike; 0-d."""
    return 1 + RECOGNISE.dropped(p, "heads").to(torch.float64)


def value_length(p: Any) -> Tensor:
    """κ = σ₀²m, the squared length of a word's key, query and value at the start in the mean; 0-d."""
    return p.sigma_0**2 / LENGTH


def parts(x: Tensor) -> dict[str, Tensor]:
    """All that is trained, by name."""
    split = dict(zip(PARTS, x.split(tuple(PARTS.values())), strict=True))
    return {**split, "stack": split["stack"].reshape(-1, PAIRS)}


def weights_each() -> Tensor:
    """How many weights of a head each number stands for; all that is trained."""
    square = torch.outer(IN_CLASS, IN_CLASS) - torch.diag(torch.cat([torch.zeros(3), IN_CLASS[3:] * FREE]))
    pairs = torch.cat([square.reshape(-1), IN_CLASS[3:] * (FREE - 1), IN_CLASS[3:]])
    others = torch.tensor([EACH - 1.0, EACH, EACH, EACH - 1])
    alone = torch.full((2,), float(EACH))
    by_neuron = EACH * IN_CLASS.repeat(2)
    return torch.cat(
        [pairs.repeat(len(STACK)), by_neuron, by_neuron, alone, EACH * others, IN_CLASS, alone, alone]
    )


ALIKE = weights_each().double()
SHARE = torch.where(ALIKE > 0, 1 / ALIKE.clamp(min=1), 0.0)
"""The share, in each number's gradient, of one of the weights that it stands for; 0 if there is none."""
OF_HEADS = sum(PARTS.values()) - PARTS["bias_words"] - PARTS["bias_neurons"] - PARTS["bias_hidden"]
"""How many of them each head has for itself."""
NOISE = 9 * CLASSES**2
"""How many of the stack's numbers a random start moves: all between classes, but for ``product``."""


def initial(p: Any) -> Tensor:
    """All that is trained, at the start: each word along a direction of its own, and Gaussian numbers between classes.

    Along the normalised sums of the classes the weights of Yang et al.'s random start are Gaussian, too.
    """
    length = torch.sqrt(value_length(p) / heads(p))
    alone = torch.cat([torch.diag(torch.ones(CLASSES)).reshape(-1), torch.zeros(8), torch.ones(8)]).double()
    alone = torch.where(torch.arange(PAIRS) < CLASSES * 3, alone, alone * (torch.arange(PAIRS) >= ITSELF))
    whole = torch.tensor([name in ("key", "low_key", "value", "query_2", "low_query_2") for name in STACK])
    drawn = noise.normals(p.seed, NOISE + 4 * CLASSES, 0)
    alike = torch.sqrt(
        heads(p)
    )  # two heads that start alike add up; their outputs start as large as those of one
    small = p.sigma_0 / math.sqrt(LENGTH * WIDTH) / alike
    random = drawn[:NOISE].reshape(9, -1) / ROOTS.reshape(-1)
    random = torch.cat([torch.cat([random, torch.zeros(9, 16).double()], 1), torch.zeros(1, PAIRS).double()])
    stack = length * whole.double()[:, None] * alone + small * random
    by_neuron = drawn[NOISE:] / (EACH * IN_CLASS.repeat(4)).sqrt()
    neuron = SIGMA_1 / math.sqrt(NEURONS) / alike
    values, words = small * by_neuron[: 2 * CLASSES], neuron * by_neuron[2 * CLASSES :]
    alone = neuron * math.sqrt(WIDTH) * torch.ones(2).double()
    rest = torch.zeros(sum(PARTS.values()) - len(STACK) * PAIRS - 4 * CLASSES - 2).double()
    return torch.cat([stack.reshape(-1), values, words, alone, rest])


def model(x: Tensor, p: Any) -> Model:
    """Products of keys, queries, values and neurons."""
    part = parts(x)
    block, between, within = blocks(part["stack"][:PRODUCT])

    def product(left: slice, right: slice) -> tuple[Tensor, Tensor, Tensor]:
        by_pair = block[left].transpose(1, 2) @ block[right]
        return by_pair.sum(0), (between[left] * between[right]).sum(0), (within[left] * within[right]).sum(0)

    value_neurons, neuron_words = (
        part[name].reshape(2, CLASSES) for name in ("value_neurons", "neuron_words")
    )
    other = part["neuron_other"].reshape(2, 2)
    among = EACH * other + torch.diag(part["neuron_self"] - other.diagonal())
    roots = IN_CLASS.sqrt()
    fed = (neuron_words * roots) @ block[VALUE] / roots + among @ value_neurons
    pairs = [product(slice(0, 2), slice(5, 7)), product(slice(2, 4), slice(7, 9)), product(_V, _V)]
    by_neuron = EACH * ROOTS * (value_neurons.T @ value_neurons)
    square = torch.stack([pairs[0][0], pairs[1][0], pairs[2][0] + by_neuron])
    table = entries_of(square, *(torch.stack([pair[i] for pair in pairs]) for i in (1, 2)))
    strange = torch.zeros(2, dtype=torch.float64)
    by_bias = neuron_words @ (IN_CLASS * part["bias_words"]) + among @ part["bias_neurons"]
    return Model(
        torch.cat([torch.where(RECOGNISE.dropped(p, "matrices"), part["stack"][PRODUCT], table[0]), strange]),
        torch.cat([table[1], strange]),
        torch.cat([heads(p) * table[2], strange[:1], value_length(p).reshape(1)]),
        heads(p) * torch.cat([fed, strange[:, None]], 1),
        torch.where(RECOGNISE.dropped(p, "biases"), by_bias + part["bias_hidden"], 0.0),
    )


_V = slice(VALUE, VALUE + 1)


def outputs(m: Model, p: Any, listed: Sentences) -> Tensor:
    """F of each sentence, (n,)."""
    root = torch.where(RECOGNISE.dropped(p, "scale"), 1.0, math.sqrt(WIDTH) / torch.sqrt(heads(p)))
    eye = torch.eye(listed.words.shape[1], dtype=torch.float64)
    low = torch.softmax(_at(m.low, listed.pairs) / root, 1).transpose(1, 2)
    mixing = torch.where(
        RECOGNISE.dropped(p, "layers"), (eye + low) / 2, eye
    )  # (n, L, L), its rows add up to 1
    scores = mixing @ _at(m.scores, listed.pairs) @ mixing.transpose(1, 2)
    weights = torch.softmax(scores / root, 1).transpose(1, 2)  # (n, query, key)
    value = mixing @ torch.stack([_at(m.fed[0], listed.words), _at(m.fed[1], listed.words)], 2)
    attended = weights @ value + torch.where(RECOGNISE.dropped(p, "residual"), value, 0.0)  # (n, query, sign)
    square = ((weights @ _at(m.values, listed.pairs)) * weights).sum(2)
    norm = p.sigma_0 / math.sqrt(LENGTH * WIDTH * LENGTH) / torch.sqrt(square / WIDTH + 1e-12)
    hidden = attended * torch.where(RECOGNISE.dropped(p, "norm"), norm, 1.0)[:, :, None] + m.shift
    bent = hidden * (1 + torch.erf(hidden / math.sqrt(2))) / 2
    active = torch.where(RECOGNISE.dropped(p, "gelu"), bent, hidden)
    return EACH * (active[:, :, 0] - active[:, :, 1]).sum(1)


def _at(table: Tensor, places: Tensor) -> Tensor:
    return table.index_select(0, places.reshape(-1)).reshape(places.shape)


def labels(p: Any) -> Tensor:
    """What training calls each class of sentences, (8,)."""
    wrong = torch.tensor([0.0, 1.0]).repeat(4).double() * RECOGNISE.dropped(p, "noise").to(torch.float64)
    return TRAINED.labels * (1 - 2 * wrong)


def loss(x: Tensor, p: Any) -> tuple[Tensor, Model]:
    """The mean of log(1 + exp(−yF)) over the training set, 0-d; and what it was computed from."""
    m = model(x, p)
    return _mean_loss(outputs(m, p, TRAINED), p), m


def _mean_loss(trained: Tensor, p: Any) -> Tensor:
    return (COUNTS * softplus(-labels(p) * trained)).sum() / SAMPLES


def relaxed_recognise() -> Program:
    """Gradient descent with one assumption dropped, to T₁ and then in two halves."""

    def start(p: Any) -> State:
        x = initial(p)
        return State(x, at_rest(x), x, _turned(model(x, p), p), torch.full((4,), torch.inf).double())

    def step(s: State, p: Any, late: bool) -> tuple[State, Tensor]:
        gradient, here = torch.func.grad(loss, has_aux=True)(s.x, p)
        by_head = torch.cat([heads(p).expand(OF_HEADS), torch.ones(len(SHARE) - OF_HEADS).double()])
        rate, rule = p.rate / (WIDTH * SIGMA_1**2), RECOGNISE.rule(p, 2 * ADAM)
        x, seen = descend(s.x, gradient * SHARE / by_head, rate, rule, s.seen)
        least = torch.minimum(s.least, _levels(s.before, here, p)) if late else s.least
        return State(x, seen, s.begun, _turned(here, p), least), torch.zeros((), dtype=torch.bool)

    stages = (
        Stage("Phase 1", lambda s, p: s, lambda s, p: step(s, p, False), "steps_1"),
        Stage("Phase 2, first half", lambda s, p: s, lambda s, p: step(s, p, True), "steps_2"),
        Stage("Phase 2, second half", lambda s, p: s, lambda s, p: step(s, p, True), "steps_2"),
    )
    return Program(Relaxed, RELAXED_DOMAINS, start, stages, watch, report)


def _turned(m: Model, p: Any) -> Tensor:
    """S[μ₁, μ₂], S[μ₂, μ₁], −S[μ₃, μ₁], −S[μ₃, μ₂], v₁·v₂, −v₁·v₃, −v₂·v₃ (keys first), over κ; (7,)."""
    s, v = (x[: CLASSES**2].reshape(CLASSES, CLASSES) for x in (m.scores, m.values))
    s = heads(p) * s
    turned = [s[0, 1], s[1, 0], -s[2, 0], -s[2, 1], v[0, 1], -v[0, 2], -v[1, 2]]
    return torch.stack(turned) / value_length(p)


def _levels(before: Tensor, m: Model, p: Any) -> Tensor:
    """Theorem 3.2's four items by what was before and is now, each as a number that is to be positive; (4,)."""
    moves, g = _turned(m, p) - before, outputs(m, p, SINGLE)
    return torch.stack([moves[:4].amin(), moves[4:].amin(), _aligned(g), _sums(g)])


def _aligned(g: Tensor) -> Tensor:
    return torch.minimum(g[:2].amin(), -g[2])


def _sums(g: Tensor) -> Tensor:
    return torch.minimum(g.sum(), -g[:2].amax() - g[2])


def _unseen_loss(m: Model, p: Any) -> Tensor:
    losses = softplus(-UNSEEN.labels * outputs(m, p, UNSEEN))
    return (UNSEEN.counts * losses).sum() / SAMPLES


def watch(s: State, p: Any) -> Watch:
    """What is drawn of a state."""
    m = model(s.x, p)
    trained = outputs(m, p, TRAINED)
    losses = torch.stack([_mean_loss(trained, p), _unseen_loss(m, p)])
    turned = _turned(m, p)[:4] - _turned(model(s.begun, p), p)[:4]
    return Watch(
        output=outputs(m, p, SINGLE),
        margins=(TRAINED.labels * trained)[::2],
        losses=losses,
        grown=turned * torch.tensor([1.0, 1.0, -1.0, -1.0]).double(),
        recombined=(RECOMBINED.labels * outputs(m, p, RECOMBINED)).amin().reshape(1),
    )


def report(ends: tuple[State, ...], p: Any) -> End:
    """What the theorems speak of, at the end."""
    first, half, last = (model(end.x, p) for end in ends)
    begun = model(ends[0].begun, p)
    g = outputs(first, p, SINGLE)
    at_1, at_half, at_end = (outputs(m, p, TRAINED) for m in (first, half, last))
    y = labels(p)
    losses = [_mean_loss(f, p) for f in (at_1, at_half, at_end)]
    least = torch.minimum(ends[2].least, _levels(ends[2].before, last, p))
    unseen = [_unseen_loss(m, p) for m in (half, last)]
    recombined = [(RECOMBINED.labels * outputs(m, p, RECOMBINED)).amin() for m in (half, last)]
    taken = torch.log((p.steps_1 + 2 * p.steps_2) / (p.steps_1 + p.steps_2))
    moved = (first.values - begun.values)[: CLASSES**2].reshape(CLASSES, CLASSES)[:3, :3]
    c = heads(p) * (last.scores - begun.scores)[:PAIRS] / value_length(p)
    square = c[: CLASSES**2].reshape(CLASSES, CLASSES)
    stray = torch.stack([square[3:].abs().amax(), square[:, 3:].abs().amax(), c[SAME_SENTENCE:].abs().amax()])
    grown = torch.stack([square[0, 1], square[1, 0], -square[2, 0], -square[2, 1]])
    risen = (y * at_end).amin() - (y * at_half).amin()
    return End(
        aligned=_aligned(g),
        margin=(y * at_1).amin(),
        moved=moved.abs().amax() / value_length(p),
        loss_1=losses[0],
        score_move=least[0],
        product_move=least[1],
        least_output=least[2],
        least_sum=least[3],
        loss=losses[2],
        power=torch.log(losses[2] / losses[1]) / taken,
        unseen_power=torch.log(unseen[1] / unseen[0]) / taken,
        growth=(recombined[1] - recombined[0]) / risen.abs(),
        grown=grown.amin(),
        stray=SAMPLES * stray.amax() / square[0, 1].abs(),
    )
