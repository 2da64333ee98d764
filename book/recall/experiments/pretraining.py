"""Figure 4 of Huang et al.: the memory is pretrained, not constructed, and then W^KQ alone is fine-tuned.

Pretraining shows two elements of a fact, in either order, and asks for the third. The paper leaves open the
activation (its section 2.1 has x²), the width, the temperature and the length of pretraining, the start, whether
the loss is over the whole vocabulary (here it is) and |D|. Single precision: nothing here is an exact reduction.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any, NamedTuple

import torch
from torch import Generator, Tensor
from torch.nn.functional import cross_entropy, gelu, relu

from book.recall.experiments import sweeps as experiments
from book.recall.experiments.finetuning import Optimizer, Outcome
from lib.recall.model import sequence
from lib.recall.task import Knowledge, Prompts

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {"square": torch.square, "relu": relu, "gelu": gelu}
PRETRAINING_STEPS = 3000
"""Adam's steps of pretraining: the memory is complete long before."""
BATCH = 256
"""Facts in each step of pretraining."""
STEPS = 1500
"""Steps of fine-tuning."""
PROMPTS = 64
"""Prompts in each step of fine-tuning, drawn from D; all of D where it is no larger."""
DESCENT = 4.0
"""Rate of gradient descent, over T²: a pretrained memory's logits are larger than a constructed one's."""
WAYS = ((64, "adam"), (1024, "adam"), (1024, "descent"))
"""|D| and the optimizer of the fine-tunings that follow each pretraining."""
SETTINGS = {
    "pretraining_steps": PRETRAINING_STEPS,
    "batch": BATCH,
    "steps": STEPS,
    "prompts": PROMPTS,
    "descent": DESCENT,
}

ORDERS = torch.tensor([[0, 1, 2], [1, 0, 2], [0, 2, 1], [2, 0, 1], [1, 2, 0], [2, 1, 0]])
"""Which elements of (s, r, a) are shown first and second, and which is asked for."""


class Network(NamedTuple):
    """f(Z) = Vᵀ σ(W h) as in :mod:`lib.recall.model`, with any σ; float32."""

    embedding: Tensor
    """(|V|, d), orthonormal."""
    W: Tensor
    """(m, d)."""
    V: Tensor
    """(m, d)."""
    W_KQ: Tensor
    """(d_P + d, d_P + d)."""
    activation: str


def network(vocabulary: int, places: int, activation: str, width: int, generator: Generator) -> Network:
    """An untrained network: W and V as torch starts linear layers, W^KQ = 0, random orthonormal embeddings.

    Raises:
        ValueError: an unknown activation.
    """
    if activation not in ACTIVATIONS:
        raise ValueError(f"activation = {activation!r}: must be one of {', '.join(ACTIVATIONS)}")
    normal = torch.randn(vocabulary, vocabulary, generator=generator, dtype=torch.float64)
    W, V = (2 * torch.rand(2, width, vocabulary, generator=generator) - 1).unbind()
    side = places + vocabulary
    return Network(
        embedding=torch.linalg.qr(normal).Q.float(),
        W=W / vocabulary**0.5,
        V=V / width**0.5,
        W_KQ=torch.zeros(side, side),
        activation=activation,
    )


def attend(network: Network, tokens: Tensor) -> tuple[Tensor, Tensor]:
    """h = z₋₁ + Z softmax(Zᵀ W^KQ z₋₁), its token part, and the attention: (B, L) → (B, d) and (B, L)."""
    length, places = tokens.shape[1], network.W_KQ.shape[0] - network.embedding.shape[1]
    Z = network.embedding[tokens]  # (B, L, d)
    query = Z[:, -1] @ network.W_KQ[:, places:].T + network.W_KQ[:, length - 1]  # W^KQ z₋₁: (B, d_P + d)
    scores = (Z @ query[:, places:, None])[:, :, 0] + query[:, :length]  # (B, L)
    attention = torch.softmax(scores, 1)
    return Z[:, -1] + (attention[:, None] @ Z)[:, 0], attention


def decode(network: Network, h: Tensor, rows: slice = slice(None)) -> Tensor:
    """φ(u)ᵀ Vᵀ σ(W h) for the tokens u in ``rows``: (B, d) → (B, number of rows)."""
    return ACTIVATIONS[network.activation](h @ network.W.T) @ network.V @ network.embedding[rows].T


def facts(knowledge: Knowledge) -> Tensor:
    """All facts (s, r, a) as tokens, (n |R|, 3)."""
    n, r = knowledge.subjects, knowledge.relations
    subject, relation = torch.arange(n).repeat(r), torch.arange(r).repeat_interleave(n)
    return torch.stack([subject, 2 * n + relation, n + knowledge.answers.flatten()], 1)


def pretrain(
    network: Network,
    knowledge: Knowledge,
    temperature: float,
    optimizer: Optimizer,
    steps: int,
    generator: Generator,
) -> tuple[Network, float]:
    """Train W^KQ, W and V: from two elements of a random fact, in random order, to the third.

    Returns:
        the trained network and the loss of the last step, in nats.
    """
    known = facts(knowledge)

    def loss(network: Network) -> Tensor:
        which = torch.randint(len(known), (BATCH,), generator=generator)
        order = ORDERS[torch.randint(len(ORDERS), (BATCH,), generator=generator)]
        shown = known[which].gather(1, order)
        return cross_entropy(decode(network, attend(network, shown[:, :2])[0]) / temperature, shown[:, 2])

    return _descend(network, ("W_KQ", "W", "V"), loss, optimizer, steps)


def fine_tune(
    network: Network,
    knowledge: Knowledge,
    prompts: Prompts,
    temperature: float,
    optimizer: Optimizer,
    steps: int,
    generator: Generator,
) -> tuple[Network, float]:
    """Train W^KQ alone on L₁ + L₂ (Huang et al., eq. 3), some prompts of D at each step."""
    tokens, answers = _tokens_and_answers(knowledge, prompts)

    def loss(network: Network) -> Tensor:
        every = torch.arange(prompts.size)
        some = (
            torch.randint(prompts.size, (PROMPTS,), generator=generator) if prompts.size > PROMPTS else every
        )
        relation, answer, _, _ = both_steps(network, knowledge, tokens[some])
        first = cross_entropy(relation / temperature, prompts.relation[some])
        return first + cross_entropy(answer / temperature, answers[some])

    return _descend(network, ("W_KQ",), loss, optimizer, steps)


def both_steps(
    network: Network, knowledge: Knowledge, tokens: Tensor
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Logits of the relations and of the answers, and the attention from EoS and from r*.

    Args:
        tokens: (B, 2K+3), ending in the decoded relation.
    """
    n = knowledge.subjects
    first, from_eos = attend(network, tokens[:, :-1])
    second, from_relation = attend(network, tokens)
    relations, answers = slice(2 * n, 2 * n + knowledge.relations), slice(n, 2 * n)
    return decode(network, first, relations), decode(network, second, answers), from_eos, from_relation


def memory(network: Network, knowledge: Knowledge) -> dict[str, float]:
    """How often the whole network names a right third element, over all facts and both orders.

    Any relation that joins a subject and an answer is right; the argmax is over the whole vocabulary.
    """
    known, n = facts(knowledge), knowledge.subjects
    right = {"answer": [], "relation": [], "subject": []}  # type: dict[str, list[Tensor]]
    for order in ORDERS.tolist():
        shown = known[:, order]
        named = decode(network, attend(network, shown[:, :2])[0]).argmax(1)
        kind = ("subject", "relation", "answer")[order[2]]
        if kind == "relation":
            relation = named - 2 * n
            there = (relation >= 0) & (relation < knowledge.relations)
            joins = n + knowledge.answers[relation.where(there, 0), known[:, 0]] == known[:, 2]
            right[kind].append(there & joins)
        else:
            right[kind].append(named == shown[:, 2])
    return {f"memory_{kind}": float(torch.cat(hits).double().mean()) for kind, hits in right.items()}


def measure(network: Network, knowledge: Knowledge, prompts: Prompts, temperature: float) -> Outcome:
    """The outcome of both decoding steps on ``prompts``, as one run."""
    tokens, answers = _tokens_and_answers(knowledge, prompts)
    relation, answer, from_eos, from_relation = both_steps(network, knowledge, tokens)

    def probability(logits: Tensor, target: Tensor) -> Tensor:
        return torch.softmax(logits.double() / temperature, 1).gather(1, target[:, None]).mean(0)

    return Outcome(
        accuracy=(relation.argmax(1) == prompts.relation).double().mean()[None],
        probability=probability(relation, prompts.relation),
        answer_accuracy=(answer.argmax(1) == answers).double().mean()[None],
        answer_probability=probability(answer, answers),
        from_eos=from_eos.double()[None],
        from_relation=from_relation.double()[None],
    )


def pretrained(
    subjects: int,
    relations: int,
    examples: int,
    temperature: float,
    activation: str,
    width: int,
    pretraining_temperature: float,
    seed: int,
    pretraining_steps: int = PRETRAINING_STEPS,
    steps: int = STEPS,
    ways: Sequence[tuple[int, str]] = WAYS,
) -> list[dict[str, Any]]:
    """Pretrain once, then fine-tune in each way from there: a row for each, and one with |D| = 0 for before.

    Args:
        subjects, relations, examples, temperature: n, |R|, K and T.
        activation: a key of ``ACTIVATIONS``.
        width: m.
        pretraining_temperature: by which logits are divided in pretraining.
        seed: of everything that is random.
        pretraining_steps, steps: how many of pretraining, and of each fine-tuning.
        ways: |D| and the optimizer of each fine-tuning.
    """
    known = experiments.trial(subjects, relations, examples, seed)
    generator = known.generator
    start = network(2 * subjects + relations + 1, 2 * examples + 3, activation, width, generator)
    adam = experiments.rule_of("adam", temperature)
    stored, loss = pretrain(
        start, known.knowledge, pretraining_temperature, adam, pretraining_steps, generator
    )
    facts = {
        **memory(stored, known.knowledge),
        "pretraining_loss": loss,
        **experiments.limits(known, temperature),
    }
    before = measure(stored, known.knowledge, known.test, temperature)
    rows = [{"samples": 0, "optimizer": "none", **facts, **experiments.measured(before), "loss": math.nan}]
    for size, optimizer in ways:
        rule = experiments.rule_of(optimizer, temperature, DESCENT)
        shown = experiments.first(known, size)
        tuned, end = fine_tune(stored, known.knowledge, shown, temperature, rule, steps, generator)
        found = experiments.measured(measure(tuned, known.knowledge, known.test, temperature))
        rows.append({"samples": size, "optimizer": optimizer, **facts, **found, "loss": end})
    return rows


def figure_4(quick: bool, large: bool) -> list[dict[str, Any]]:
    """Both settings of Figure 4, with every activation, width and pretraining temperature."""
    two, three = experiments.FIGURE_2
    if quick:
        return [{**_cell(two, "square", 64, 1.0, 0), "pretraining_steps": 200, "steps": 20}]
    seeds, widths, deep = (10, (64, 256, 1024), 10) if large else (4, (64, 256), 2)
    temperatures = (0.05, 0.2, 1.0)
    cells = [_cell(two, *choice) for choice in product(ACTIVATIONS, widths, temperatures, range(seeds))]
    if not large:
        cells += [_cell(two, "square", 1024, 1.0, seed) for seed in range(deep)]
    kinds = product(ACTIVATIONS if large else ("square",), (256,), (0.01, 0.2, 1.0) if large else (0.01, 1.0))
    return cells + [_cell(three, *kind, seed) for kind in kinds for seed in range(deep)]


def _cell(
    setting: dict[str, Any], activation: str, width: int, temperature: float, seed: int
) -> dict[str, Any]:
    return {
        **setting,
        "activation": activation,
        "width": width,
        "pretraining_temperature": temperature,
        "seed": seed,
    }


def _tokens_and_answers(knowledge: Knowledge, prompts: Prompts) -> tuple[Tensor, Tensor]:
    """(B, 2K+3) tokens with r* at the end, and (B,) the answers to the queries, from 0."""
    answers = knowledge.answers[prompts.relation, prompts.subjects[:, -1]]
    return sequence(knowledge, prompts, decoded=True), answers


def _descend(
    network: Network,
    names: tuple[str, ...],
    loss: Callable[[Network], Tensor],
    optimizer: Optimizer,
    steps: int,
) -> tuple[Network, float]:
    """Minimise the loss in the named tensors of the network; it is drawn anew at each step."""
    leaves = {name: getattr(network, name).clone().requires_grad_() for name in names}
    rule, now = optimizer(leaves.values()), torch.tensor(float("nan"))
    for _ in range(steps):
        rule.zero_grad()
        now = loss(network._replace(**leaves))
        now.backward()
        rule.step()
    return network._replace(**{name: leaf.detach() for name, leaf in leaves.items()}), float(now.detach())
