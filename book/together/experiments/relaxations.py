"""The relaxations of *Outside the assumptions*: what each changes, and the optimisers that they train with."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import torch
from torch import Tensor, nn

MOMENTUM = 0.9
DECAY = 1e-3
"""By this share each step shrinks all trained weights."""
BATCH = 0.5
"""The share of the training set in a minibatch."""
WRONG = 0.1
"""The share of wrong labels."""
CROWDED = 0.75
"""Dimensions of embeddings that are not orthogonal, over the number of tokens."""
ADAM = (0.9, 0.999)


class Relaxation(NamedTuple):
    """One assumption given up."""

    title: str
    words: str


RELAXATIONS = {
    "none": Relaxation("as in the paper", "nothing is changed"),
    "scale": Relaxation(
        "softmax scale",
        "scores are divided by the root of the dimension D, and Huang et al.'s rates, of which only the order is "
        "printed, are D times as large; Yang et al. divide, and there the root is left out",
    ),
    "heads": Relaxation(
        "two heads", "two heads of attention, of half the width each (Yang et al.) or in their mean"
    ),
    "layers": Relaxation(
        "two layers", "a first layer of causal attention, with a residual connection, below"
    ),
    "relu": Relaxation("ReLU", "max(x, 0) is the MLP's activation"),
    "gelu": Relaxation("GELU", "GELU is the MLP's activation"),
    "biases": Relaxation("biases", "trained biases in attention's keys and, where it is trained, in the MLP"),
    "norm": Relaxation(
        "layer norm",
        "the MLP's input is normalised, to the size that it has at the start (in Xu and Chen's model on a question)",
    ),
    "residual": Relaxation(
        "residual stream",
        "a residual connection where the paper has none: around attention (Yang et al.) or the MLP (Huang et al.); "
        "Xu and Chen have it around attention, and it is taken away",
    ),
    "adam": Relaxation("Adam", "Adam at one rate throughout"),
    "momentum": Relaxation("momentum", f"steps along a running mean of the gradients, momentum {MOMENTUM:g}"),
    "decay": Relaxation("weight decay", f"each step shrinks all trained weights by {DECAY:.1%}"),
    "minibatch": Relaxation("minibatches", f"each step sees a random {BATCH:.0%} of the training set"),
    "noise": Relaxation("label noise", f"{WRONG:.0%} of the training labels are wrong"),
    "crowded": Relaxation(
        "d below the tokens",
        f"random unit vectors as embeddings, in {CROWDED:g} times as many dimensions as there are tokens",
    ),
    "matrices": Relaxation(
        "W_Q and W_K",
        "W_Q and W_K are trained apart, from small random numbers; Yang et al. do so, and there their product is one "
        "matrix",
    ),
    "float32": Relaxation("float32", "single precision"),
}
"""By name; the first is the paper's own setting."""


def check(relaxation: str) -> str:
    """The name of a relaxation.

    Raises:
        ValueError: there is none of this name.
    """
    if relaxation not in RELAXATIONS:
        raise ValueError(f"relaxation = {relaxation!r}: must be one of {', '.join(RELAXATIONS)}")
    return relaxation


def dtype_of(relaxation: str) -> torch.dtype:
    """The precision of a run."""
    return torch.float32 if relaxation == "float32" else torch.float64


class Trainer:
    """Descends by the rule that a relaxation names: gradient descent if it names none.

    Args:
        parameters: what is trained.
        adam: the rate that takes the place of all rates under Adam.
    """

    def __init__(self, relaxation: str, parameters: Iterable[nn.Parameter], adam: float) -> None:
        self.parameters = list(parameters)
        self.decay = DECAY if check(relaxation) == "decay" else 0.0
        self.adam = adam if relaxation == "adam" else None
        if self.adam:
            self.optimiser: torch.optim.Optimizer = torch.optim.Adam(self.parameters, lr=adam, betas=ADAM)
        else:
            momentum = MOMENTUM if relaxation == "momentum" else 0.0
            self.optimiser = torch.optim.SGD(self.parameters, lr=1.0, momentum=momentum, dampening=momentum)

    def step(self, loss: Tensor, rate: float) -> None:
        """One step with this rate down the gradient of ``loss``."""
        self.optimiser.zero_grad()
        loss.backward()
        self.optimiser.param_groups[0]["lr"] = self.adam or rate
        self.optimiser.step()
        if self.decay:
            with torch.no_grad():
                for parameter in self.parameters:
                    parameter.mul_(1 - self.decay)


def unit_vectors(tokens: int, dimension: int, generator: torch.Generator) -> Tensor:
    """Random unit vectors, (tokens, dimension) float64."""
    drawn = torch.randn(tokens, dimension, dtype=torch.float64, generator=generator)
    return drawn / drawn.norm(dim=1, keepdim=True)


def crowded(tokens: int, generator: torch.Generator) -> Tensor:
    """Unit vectors in fewer dimensions than there are tokens."""
    return unit_vectors(tokens, round(CROWDED * tokens), generator)


def normalised(x: Tensor, size: Tensor | float) -> Tensor:
    """Layer norm: (…, d) less its mean, over its root mean square, times ``size``."""
    centred = x - x.mean(-1, keepdim=True)
    return size * centred / torch.sqrt((centred**2).mean(-1, keepdim=True) + 1e-12)


def batch(count: int, relaxation: str, generator: torch.Generator) -> Tensor:
    """The places of the samples that the next step sees."""
    if relaxation != "minibatch":
        return torch.arange(count)
    return torch.randperm(count, generator=generator)[: max(1, round(BATCH * count))]


def wrong(count: int, relaxation: str, generator: torch.Generator) -> Tensor:
    """Which of the training labels are wrong, (count,) bool."""
    wrong = torch.zeros(count, dtype=torch.bool)
    if relaxation == "noise":
        wrong[torch.randperm(count, generator=generator)[: max(1, round(WRONG * count))]] = True
    return wrong
