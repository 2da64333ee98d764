"""Ten trainings as people write them in notebooks; each function returns the live figure of one."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.optim import SGD, Adam, AdamW

from widgets import Live, live


def waves() -> Live:
    """A network of sines learns a square wave."""
    torch.manual_seed(2)
    x = torch.linspace(-1, 1, 41)[:, None]
    first = nn.Linear(1, 24)
    nn.init.uniform_(first.weight, -9, 9)
    net = nn.Sequential(first, Sine(), nn.Linear(24, 1))
    optimizer = Adam(net.parameters(), lr=0.01)
    return live(net, optimizer, F.mse_loss, (x, torch.sign(torch.sin(6 * x))))


class Sine(nn.Module):
    """A layer that takes the sine of each number."""

    def forward(self, x: Tensor) -> Tensor:
        return torch.sin(x)


def three_classes() -> Live:
    """Softmax regression parts three clouds of points."""
    torch.manual_seed(0)
    y = torch.arange(60) % 3
    x = torch.randn(60, 2) + torch.tensor([[2.0, 0.0], [-1.0, 2.0], [-1.0, -2.0]])[y]
    net = nn.Linear(2, 3)
    return live(net, SGD(net.parameters(), lr=0.1), nn.CrossEntropyLoss(), (x, y))


def two_moons() -> Live:
    """A network with one hidden layer parts two moons."""
    torch.manual_seed(0)
    angle = torch.pi * torch.rand(60)
    y = torch.arange(60) % 2
    x = torch.stack([torch.cos(angle) + y, (1 - 2 * y) * torch.sin(angle) + y / 2], 1)
    net = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 2))
    return live(net, AdamW(net.parameters(), lr=0.02), nn.CrossEntropyLoss(), (x, y))


def stripes() -> Live:
    """A small convolutional network tells stripes that lie from stripes that stand."""
    torch.manual_seed(0)
    stripe = torch.sign(torch.randn(24, 1, 6, 1)).expand(24, 1, 6, 6)
    images = torch.cat([stripe, stripe.transpose(2, 3)]) + 0.5 * torch.randn(48, 1, 6, 6)
    net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Flatten(), nn.Linear(32, 2))
    optimizer = SGD(net.parameters(), lr=0.1)
    return live(net, optimizer, nn.CrossEntropyLoss(), (images, torch.arange(48) // 24), steps=60)


def bottleneck() -> Live:
    """An autoencoder squeezes eight words through three neurons."""
    torch.manual_seed(0)
    words = torch.eye(8)
    net = nn.Sequential(nn.Linear(8, 3), nn.Sigmoid(), nn.Linear(3, 8), nn.Sigmoid())
    optimizer = Adam(net.parameters(), lr=0.05)
    return live(net, optimizer, nn.BCELoss(), (words, words), steps=300)


class Taste(nn.Module):
    """The rating that a user gives a film: the product of a vector for each."""

    def __init__(self) -> None:
        super().__init__()
        self.users, self.films = nn.Embedding(12, 3), nn.Embedding(9, 3)

    def forward(self, user: Tensor, film: Tensor) -> Tensor:
        return (self.users(user) * self.films(film)).sum(1)


def recommender() -> Live:
    """Matrix factorization learns ratings from two embeddings."""
    torch.manual_seed(0)
    user, film = torch.cartesian_prod(torch.arange(12), torch.arange(9)).T
    rating = (torch.randn(12, 2) @ torch.randn(2, 9)).flatten()
    net = Taste()
    optimizer = Adam(net.parameters(), lr=0.05, weight_decay=1e-3)
    return live(net, optimizer, F.mse_loss, (user, film, rating))


def addition() -> Live:
    """Embeddings and two layers learn to add modulo seven."""
    torch.manual_seed(0)
    pairs = torch.cartesian_prod(torch.arange(7), torch.arange(7))
    net = nn.Sequential(nn.Embedding(7, 6), nn.Flatten(), nn.Linear(12, 24), nn.ReLU(), nn.Linear(24, 7))
    optimizer = AdamW(net.parameters(), lr=0.01, weight_decay=0.1)
    return live(net, optimizer, nn.CrossEntropyLoss(), (pairs, pairs.sum(1) % 7))


class Attention(nn.Module):
    """One head of attention over five tokens, read at the last of them."""

    def __init__(self) -> None:
        super().__init__()
        self.embed, self.place = nn.Embedding(4, 8), nn.Parameter(0.5 * torch.randn(5, 8))
        self.qkv, self.out = nn.Linear(8, 24), nn.Linear(8, 4)

    def forward(self, tokens: Tensor) -> Tensor:
        q, k, v = self.qkv(self.embed(tokens) + self.place).chunk(3, -1)
        return self.out(F.scaled_dot_product_attention(q, k, v)[:, -1])


def attention() -> Live:
    """One head of attention learns to repeat the second of five tokens."""
    torch.manual_seed(0)
    tokens = torch.randint(4, (32, 5))
    net = Attention()
    return live(
        net, Adam(net.parameters(), lr=0.02), nn.CrossEntropyLoss(), (tokens, tokens[:, 1]), steps=100
    )


class Memory(nn.Module):
    """A gated recurrent cell, step by step over a sequence, read at its end."""

    def __init__(self) -> None:
        super().__init__()
        self.cell, self.out = nn.GRUCell(1, 6), nn.Linear(6, 2)

    def forward(self, bits: Tensor) -> Tensor:
        hidden = torch.zeros(len(bits), 6, dtype=bits.dtype)
        for bit in bits.unbind(1):
            hidden = self.cell(bit[:, None], hidden)
        return self.out(hidden)


def parity() -> Live:
    """A recurrent cell learns whether a sequence has an even number of ones."""
    torch.manual_seed(2)
    bits = torch.cartesian_prod(*[torch.arange(2.0)] * 4)
    net = Memory()
    optimizer = Adam(net.parameters(), lr=0.05)
    return live(net, optimizer, nn.CrossEntropyLoss(), (bits, bits.sum(1).long() % 2), steps=150)


class LowRank(nn.Module):
    """A frozen layer, and a change of rank one that learns."""

    def __init__(self, layer: nn.Linear) -> None:
        super().__init__()
        self.layer = layer.requires_grad_(False)
        self.down, self.up = nn.Linear(6, 1, bias=False), nn.Linear(1, 6, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.layer(x) + self.up(self.down(x))


def fine_tuning() -> Live:
    """A low-rank adapter fine-tunes a layer whose own weights are frozen."""
    torch.manual_seed(0)
    x, layer = torch.randn(40, 6), nn.Linear(6, 6)
    y = layer(x).detach() + x[:, :1] * torch.ones(6)
    net = LowRank(layer)
    trained = [weight for weight in net.parameters() if weight.requires_grad]
    return live(net, SGD(trained, lr=0.1, momentum=0.9), F.mse_loss, (x, y))


EXAMPLES = (
    waves,
    three_classes,
    two_moons,
    stripes,
    bottleneck,
    recommender,
    addition,
    attention,
    parity,
    fine_tuning,
)
