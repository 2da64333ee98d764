"""Complex numbers and spectra: random programs of them get torch's numbers, and what is left out is said."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch import Tensor

from tests.widgets.node import Node
from tests.widgets.translate.test_decompositions import ROUNDS, Chance, agree
from widgets.translate.trace import UnsupportedOperation, compile

D = torch.float64
Z = torch.complex128


@pytest.fixture(scope="module")
def node() -> Iterator[Node]:
    with Node() as process:
        yield process


Step = Callable[[Tensor, Tensor], Tensor]
STEPS: dict[str, Step] = {
    "times itself": lambda z, x: z * z / 4,
    "times a real": lambda z, x: x * z,
    "a real times": lambda z, x: z * x,
    "a number": lambda z, x: (0.5 - 1j) * z + 2j,
    "minus": lambda z, x: 1 - z - x,
    "plus alpha": lambda z, x: torch.add(z, x, alpha=0.5),
    "divided": lambda z, x: z / (z.abs() + 1),
    "divided by complex": lambda z, x: x / (z.abs() + 2 + 1j),
    "quotient": lambda z, x: z / (z.conj() + 3j * (1 + z.abs())),
    "conjugate": lambda z, x: z.conj() + x,
    "exp": lambda z, x: torch.exp(1j * z.angle()),
    "exp of all": lambda z, x: (z / (1 + z.abs())).exp(),
    "log": lambda z, x: torch.log(z + 0.1),
    "root": lambda z, x: (z.abs() + 1j * x).sqrt(),
    "sine": lambda z, x: torch.sin(z / (1 + z.abs())) + torch.cos(z / (1 + z.abs())),
    "square": lambda z, x: (z / 2) ** 2,
    "cube": lambda z, x: (z / (1 + z.abs())).pow(3),
    "to a half": lambda z, x: (z.abs() + 1 + 1j * x) ** 0.5,
    "sign": lambda z, x: torch.sgn(z) * x,
    "polar": lambda z, x: torch.polar(z.abs(), x),
    "from parts": lambda z, x: torch.complex(z.imag, x),
    "as real": lambda z, x: torch.view_as_complex(torch.view_as_real(z).flip(-1)),
    "spectrum": lambda z, x: torch.fft.fft(z) / 4,
    "spectrum along": lambda z, x: torch.fft.fft(z, dim=0, norm="ortho"),
    "and back": lambda z, x: torch.fft.ifft(z * x) * 2,
    "of reals": lambda z, x: torch.fft.fft(x) * z / 4,
    "half a spectrum": lambda z, x: torch.fft.irfft(torch.fft.rfft(z.real) * 1.5, x.shape[-1]) + 1j * x,
    "half of complex": lambda z, x: torch.fft.irfft(z, x.shape[-1]) + 1j * x,
    "planes": lambda z, x: torch.fft.ifft2(torch.fft.fft2(z) * x),
    "half planes": lambda z, x: torch.fft.irfft2(torch.fft.rfft2(x), x.shape) * z,
    "hermitian": lambda z, x: torch.fft.hfft(z, x.shape[-1], norm="ortho") + 1j * x,
    "padded": lambda z, x: torch.fft.fft(z, 2 * x.shape[-1])[..., ::2] / 4,
    "shifted": lambda z, x: torch.fft.fftshift(z),
    "flipped": lambda z, x: z.flip(0).roll(1, -1),
    "transposed": lambda z, x: (z.T.contiguous() * 2).T + z,
    "cut": lambda z, x: torch.cat([z[..., 1:], z[..., :1] * x[..., :1]], -1),
    "stacked": lambda z, x: torch.stack([z, x.to(Z)]).sum(0),
    "summed": lambda z, x: z - z.mean(-1, keepdim=True) + z.sum(0, keepdim=True) / 4,
    "running": lambda z, x: z.cumsum(-1) / 3,
    "chosen": lambda z, x: torch.where(x > 0, z, z.conj()),
    "product": lambda z, x: (z @ z.mH) @ z / (1 + z.abs().sum()) ** 2,
    "product with reals": lambda z, x: (x @ x.T).to(Z) @ z / 4 + x.T.mT * z,
    "gathered": lambda z, x: z[:, torch.arange(x.shape[1] - 1, -1, -1)],
    "filled": lambda z, x: torch.zeros_like(z) + torch.full((x.shape[1],), 1 - 1j, dtype=Z) * x,
    "constant": lambda z, x: z * torch.tensor([1 + 2j], dtype=Z) + torch.ones(1, dtype=Z),
    "changed in place": lambda z, x: _changed(z, x),
    "squared length": lambda z, x: (z * z.conj()).real + 1j * x,
    "outer": lambda z, x: torch.einsum("ij,ik->kj", z, z)[:1] / 4 + x * 1j,
}


def _changed(z: Tensor, x: Tensor) -> Tensor:
    z = z.clone()
    z[0] = z[0].conj() * x[0]
    z[:, 0] += 1j
    return z


def program(seed: int, names: list[str]) -> Callable[..., Any]:
    """A few steps, and then the parts."""

    def run(x: Tensor, y: Tensor) -> Any:
        z = torch.complex(x, y)
        for place, name in enumerate(names):
            z = STEPS[name](z, (x, y)[place % 2])
        z = z / (1 + z.abs())
        return z.real, z.imag, z.abs(), torch.view_as_real(z)[..., (seed % 2)]

    return run


def shape(chance: Chance) -> tuple[int, int]:
    return chance.size(1, 4), chance.size(2, 9)


@pytest.mark.parametrize("name", STEPS)
def test_each_step_alone(node, name):
    chance = Chance(0)
    size = shape(chance)
    agree(node, program(0, [name]), chance.normal(*size), chance.normal(*size), tolerance=1e-10)


@pytest.mark.parametrize("seed", range(6 * ROUNDS))
def test_random_programs(node, seed):
    chance, draw = Chance(seed), random.Random(seed)
    size = shape(chance)
    names = draw.choices(list(STEPS), k=draw.randint(2, 6))
    agree(node, program(seed, names), chance.normal(*size), chance.normal(*size), tolerance=1e-7)


@pytest.mark.parametrize("seed", range(2 * ROUNDS))
def test_derivatives_of_random_programs(node, seed):
    chance, draw = Chance(seed), random.Random(seed)
    size = shape(chance)
    names = [name for name in STEPS if name != "changed in place"]  # which torch's tape cannot follow
    run = program(seed, draw.choices(names, k=2))

    def total(x: Tensor, y: Tensor) -> Tensor:
        return torch.stack([part.sum() * (1 + place) for place, part in enumerate(run(x, y))]).sum()

    agree(node, torch.func.grad(total), chance.normal(*size), chance.normal(*size), tolerance=1e-6)


@pytest.mark.parametrize("norm", ["backward", "ortho", "forward"])
@pytest.mark.parametrize("size", [1, 2, 7, 16, 60])
def test_spectra_of_every_norm(node, norm, size):
    def spectra(x: Tensor) -> Any:
        half, whole = torch.fft.rfft(x, norm=norm), torch.fft.fft(x, norm=norm)
        back = torch.fft.irfft(half, size, norm=norm), torch.fft.ifft(whole, norm=norm)
        return half.abs(), half.real, whole.imag, back[0], back[1].real, torch.fft.ihfft(x, norm=norm).real

    agree(node, spectra, Chance(size).normal(size), tolerance=1e-11)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (
            lambda x: torch.fft.rfft(x),
            r"rfft\(x\).*returns complex numbers: return their .real and .imag, or",
        ),
        (lambda x: torch.complex(x, x), "returns complex numbers"),
        (lambda x: torch.complex(x, x).tan().real, "tan.default has no JavaScript: not of complex numbers"),
        (lambda x: torch.complex(x, x).prod().real, "prod.default has no JavaScript: not of complex"),
        (
            lambda x: torch.fft.fft(x.repeat(200)).abs(),
            "_fft_r2c.default has no JavaScript: a spectrum is taken along axes of at",
        ),
        (lambda x: torch.polar(x.float(), x.float()).real, "complex64: make its operands complex128"),
    ],
)
def test_what_is_left_out_is_said(function, words):
    with pytest.raises(UnsupportedOperation, match=words):
        compile(function, [torch.ones(3, dtype=D)])
