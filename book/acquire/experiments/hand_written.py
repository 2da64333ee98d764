"""Weights of the simplified model with uniform attention that are written down instead of trained."""

from __future__ import annotations

import torch

from lib.acquire import architectures
from lib.acquire.architectures import Simplified, Task


def by_hand(known: Task, size: float) -> Simplified:
    """Uniform attention and the paper's MLP with one neuron for each output, written down instead of trained.

    In products with the tokens, with c = ``size``: d: c on o, −c on all s and r; r_i: c on the subjects that it may
    follow, −c on all r; a_j: c on s_j; all else 0. Then d has 2c after [o] and 0 later; r_i has 3c/2 after [o s_j],
    a_j the same there, unless it has less: so a_j gets c/2 on s_j, and after [o s_j r_i] c/6, all others 0.

    Args:
        known: five tokens, orthogonal embeddings.
    """
    n, r = known.subjects, known.phrases
    tokens = len(known.embeddings)
    network = architectures.model("simplified, uniform", known, width=1, gain=1.0)
    assert isinstance(network, Simplified)
    product = torch.zeros(tokens, tokens, dtype=known.embeddings.dtype)  # of output, with token
    d, o = tokens - 1, tokens - 2
    product[d, o] = size
    product[d, : n + r] = -size
    product[n : n + r, n : n + r] = -size
    follows = known.prompts[1].targets  # (N, K)
    subject = torch.arange(n)[:, None].expand_as(follows)
    product[follows, subject] = size
    product[n + r + torch.arange(n), torch.arange(n)] = size / 2
    squares = known.embeddings.square().sum(1)
    with torch.no_grad():
        network.features.copy_(((product / squares) @ known.embeddings)[:, None])
    return network
