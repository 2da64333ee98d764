"""Complex numbers, as pairs of real ones: a trace in which they occur is run again with a pair for each.

A spectrum is two products, with the cosines and with the sines of 2π jk/n, up to :data:`LARGEST` numbers. What a
function returns must be real: a ``.real``, an ``.imag``, an ``.abs()``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.fx import GraphModule, Interpreter, Node
from torch.utils import _pytree as pytree

from widgets.translate import aten
from widgets.translate.refusals import refusal

LARGEST = 512
"""Numbers along an axis of which a spectrum is taken."""
LARGEST_POWER = 8
"""A power that is written as products; any other one is taken of the length and the angle."""
RETURNED = "returns complex numbers: return their .real and .imag, or their .abs()"
UNKNOWN = "not of complex numbers: compute with their real and imaginary parts"
TOO_LONG = f"a spectrum is taken along axes of at most {LARGEST} numbers"
SINGLE = "it computes in torch.complex64: make its operands complex128, or float64"
D = torch.float64


class Pair:
    """Complex numbers as their real and their imaginary part: two tensors, or two Python numbers."""

    def __init__(self, real: Any, imag: Any):
        self.real, self.imag = real, imag

    def map(self, function: Callable[[Any], Any]) -> Any:
        """What a function that is linear makes of both parts; a list of pairs if it returns lists."""
        real, imag = function(self.real), function(self.imag)
        if isinstance(real, (list, tuple)):
            return [Pair(x, y) for x, y in zip(real, imag, strict=True)]
        return Pair(real, imag)

    def __mul__(self, other: Pair) -> Pair:
        return Pair(
            self.real * other.real - self.imag * other.imag, self.real * other.imag + self.imag * other.real
        )

    def __truediv__(self, other: Pair) -> Pair:
        length = other.real * other.real + other.imag * other.imag
        product = self * other.conj()
        return Pair(product.real / length, product.imag / length)

    def conj(self) -> Pair:
        return Pair(self.real, -self.imag)

    def abs(self) -> Tensor:
        return torch.hypot(self.real, self.imag)

    def angle(self) -> Tensor:
        return torch.atan2(self.imag, self.real)


def pair(value: Any) -> Pair:
    """A value as a pair: a real one has no imaginary part."""
    if isinstance(value, Pair):
        return value
    if isinstance(value, Tensor):
        return Pair(value.real, value.imag) if value.is_complex() else Pair(value, torch.zeros_like(value))
    number = complex(value)
    return Pair(number.real, number.imag)


def polar(length: Tensor, angle: Tensor) -> Pair:
    """r (cos φ + i sin φ)."""
    return Pair(length * torch.cos(angle), length * torch.sin(angle))


def has_complex(module: GraphModule) -> bool:
    """Whether a trace has complex numbers."""
    values = (leaf for node in module.graph.nodes for leaf in pytree.tree_leaves(node.meta.get("val")))
    return any(isinstance(value, Tensor) and value.is_complex() for value in values)


class Pairs(Interpreter):
    """Runs a trace with pairs in place of complex numbers; refuses an operation that it does not know of them.

    Args:
        module: the trace.
        kernel: its name, for refusals.
    """

    def __init__(self, module: GraphModule, kernel: str):
        super().__init__(module)
        self.extra_traceback = False
        self.kernel = kernel

    def run_node(self, n: Node) -> Any:
        """The value of a node: a pair where it is complex."""
        args, kwargs = self.fetch_args_kwargs_from_env(n)
        leaves = pytree.tree_leaves((args, kwargs))
        if n.op == "get_attr":
            constant = getattr(self.module, str(n.target))
            if isinstance(constant, Tensor) and constant.is_complex():
                return Pair(constant.real.clone(), constant.imag.clone())
        if n.op == "output" and any(isinstance(leaf, Pair) for leaf in leaves):
            returned = next(a for a in n.all_input_nodes if isinstance(self.env[a], Pair))
            raise refusal(self.kernel, returned.meta.get("stack_trace") or "", RETURNED)
        if n.op != "call_function" or not _is_of_complex(n, leaves):
            return super().run_node(n)
        if torch.complex64 in _dtypes(n, leaves):
            raise self._refusal(n, SINGLE)
        with self._set_current_node(n):
            result = _computed(n, args, kwargs)
        if result is NotImplemented:
            raise self._refusal(
                n, TOO_LONG if "fft" in str(n.target) else aten.ADVICE.get(aten.base_of(n), UNKNOWN)
            )
        return result

    def _refusal(self, node: Node, advice: str) -> Exception:
        line = node.meta.get("stack_trace") or ""
        return refusal(self.kernel, line, f"{node.target} has no JavaScript: {advice}")


def _dtypes(node: Node, leaves: Sequence[Any]) -> set[Any]:
    """What an operation is asked to compute in, and what it does compute in."""
    results = pytree.tree_leaves(node.meta.get("val"))
    asked = {leaf for leaf in leaves if isinstance(leaf, torch.dtype)}
    return asked | {result.dtype for result in results if isinstance(result, Tensor)}


def _is_of_complex(node: Node, leaves: Sequence[Any]) -> bool:
    takes = any(isinstance(leaf, (Pair, complex)) for leaf in leaves)
    return takes or torch.complex128 in _dtypes(node, leaves) or torch.complex64 in _dtypes(node, leaves)


def _computed(node: Node, args: Any, kwargs: Any) -> Any:
    """An operation on complex numbers: by its own rule, or on both parts alike."""
    base = aten.base_of(node)
    target: Any = node.target
    if base in RULES:
        try:
            return RULES[base](*args, **kwargs)
        except TypeError:  # an overload with other arguments
            return NotImplemented
    if base in MAKERS:
        real_args, imag_args = (
            pytree.tree_map(lambda leaf, part=part: _part(leaf, part), args) for part in ("real", "imag")
        )
        more = _of_reals(kwargs)
        real = target(*real_args, **more)
        has_imag = any(isinstance(leaf, complex) for leaf in pytree.tree_leaves(args))
        return Pair(real, target(*imag_args, **more) if has_imag else torch.zeros_like(real))
    if base in LINEAR:
        names = [argument.name for argument in target._schema.arguments]
        values = [_values(name, value) for name, value in zip(names, args, strict=False)]
        if any(isinstance(leaf, (float, complex)) for leaf in pytree.tree_leaves((values, kwargs))):
            return NotImplemented  # a number that is to be written somewhere
        real, imag = (
            target(*pytree.tree_map(lambda leaf, part=part: _part(leaf, part), values), **_of_reals(kwargs))
            for part in ("real", "imag")
        )
        return Pair(real, imag).map(lambda x: x)
    return NotImplemented


def _values(name: str, value: Any) -> Any:
    """An argument with pairs for its tensors, unless it says where they are to be found."""
    if name in ("index", "indices"):
        return value
    return pytree.tree_map(lambda leaf: pair(leaf) if isinstance(leaf, Tensor) else leaf, value)


def _part(leaf: Any, part: str) -> Any:
    if isinstance(leaf, (Pair, complex)):
        return getattr(leaf, part)
    return _of_reals(leaf)


def _of_reals(arguments: Any) -> Any:
    """Arguments of which none asks for complex numbers."""
    return pytree.tree_map(lambda leaf: D if leaf is torch.complex128 else leaf, arguments)


# Rules -------------------------------------------------------------------------------------------------------

LINEAR = {
    *(
        "view",
        "_unsafe_view",
        "reshape",
        "permute",
        "transpose",
        "t",
        "expand",
        "slice",
        "select",
        "unsqueeze",
    ),
    *("squeeze", "cat", "stack", "clone", "alias", "detach", "lift_fresh_copy", "sum", "mean", "neg", "flip"),
    *("roll", "index_select", "gather", "index", "repeat", "diagonal", "tril", "triu", "cumsum", "split"),
    *("unbind", "split_with_sizes", "slice_scatter", "select_scatter", "copy", "scatter", "index_put"),
    *("scatter_add", "index_add", "diagonal_scatter", "resolve_conj", "resolve_neg", "as_strided_scatter"),
}
"""Operations that do to the real parts what they do to the imaginary ones."""
MAKERS = {
    *("zeros", "ones", "full", "zeros_like", "ones_like", "full_like", "new_zeros", "new_ones", "new_full"),
    "scalar_tensor",
}
"""Operations that make a tensor of one number."""
RULES: dict[str, Callable[..., Any]] = {}


def _rule(*operations: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        RULES.update(dict.fromkeys(operations, function))
        return function

    return register


@_rule("complex")
def _complex(real: Tensor, imag: Tensor) -> Pair:
    return Pair(real, imag)


RULES["polar"] = polar


@_rule("view_as_real")
def _as_real(z: Pair) -> Tensor:
    return torch.stack(torch.broadcast_tensors(z.real, z.imag), -1)


@_rule("view_as_complex")
def _as_complex(x: Tensor) -> Pair:
    return Pair(x[..., 0], x[..., 1])


@_rule("real")
def _real(z: Pair) -> Tensor:
    return z.real


@_rule("imag")
def _imag(z: Pair) -> Tensor:
    return z.imag


@_rule("_to_copy")
def _to_copy(z: Any, *, dtype: torch.dtype | None = None, **rest: Any) -> Any:
    if dtype is None or dtype.is_complex:
        return pair(z if isinstance(z, Pair) else z.to(D))
    return z.real.to(dtype)  # torch leaves the imaginary part out, too


@_rule("_conj", "_conj_physical", "conj_physical")
def _conj(z: Any) -> Any:
    return pair(z).conj()


@_rule("abs")
def _abs(z: Pair) -> Tensor:
    return z.abs()


@_rule("angle")
def _angle(z: Pair) -> Tensor:
    return z.angle()


@_rule("sgn")
def _sgn(z: Pair) -> Pair:
    """z / |z|, and 0 at 0."""
    length = z.abs()
    return z.map(lambda x: torch.where(length == 0, 0.0, x / length))


@_rule("add")
def _add(x: Any, y: Any, *, alpha: Any = 1) -> Pair:
    x, y = pair(x), pair(y)
    if alpha != 1:
        y = y * pair(alpha) if isinstance(alpha, complex) else y.map(lambda part: part * alpha)
    return Pair(x.real + y.real, x.imag + y.imag)


@_rule("sub")
def _sub(x: Any, y: Any, *, alpha: Any = 1) -> Pair:
    return _add(x, y, alpha=-alpha)


@_rule("rsub")
def _rsub(x: Any, y: Any, alpha: Any = 1) -> Pair:
    return _add(y, x, alpha=-alpha)


@_rule("where")
def _where(condition: Tensor, x: Any, y: Any) -> Pair:
    x, y = pair(x), pair(y)
    return Pair(torch.where(condition, x.real, y.real), torch.where(condition, x.imag, y.imag))


@_rule("constant_pad_nd")
def _padded(z: Pair, pad: Sequence[int], value: Any = 0) -> Any:
    return NotImplemented if value else z.map(lambda x: torch.constant_pad_nd(x, list(pad), 0))


@_rule("mul")
def _mul(x: Any, y: Any) -> Pair:
    if not isinstance(y, (Pair, complex)):
        return pair(x).map(lambda part: part * y)
    return pair(x) * pair(y) if isinstance(x, (Pair, complex)) else pair(y).map(lambda part: x * part)


@_rule("div")
def _div(x: Any, y: Any) -> Pair:
    if not isinstance(y, (Pair, complex)):
        return pair(x).map(lambda part: part / y)
    return pair(x) / pair(y)


@_rule("reciprocal")
def _reciprocal(z: Pair) -> Pair:
    return Pair(torch.ones_like(z.real), torch.zeros_like(z.imag)) / z


@_rule("exp")
def _exp(z: Pair) -> Pair:
    return polar(torch.exp(z.real), z.imag)


@_rule("log")
def _log(z: Pair) -> Pair:
    return Pair(torch.log(z.abs()), z.angle())


@_rule("sqrt")
def _sqrt(z: Pair) -> Pair:
    return polar(torch.sqrt(z.abs()), z.angle() / 2)


@_rule("cos")
def _cos(z: Pair) -> Pair:
    return Pair(torch.cos(z.real) * torch.cosh(z.imag), -torch.sin(z.real) * torch.sinh(z.imag))


@_rule("sin")
def _sin(z: Pair) -> Pair:
    return Pair(torch.sin(z.real) * torch.cosh(z.imag), torch.cos(z.real) * torch.sinh(z.imag))


@_rule("pow")
def _pow(z: Any, exponent: Any) -> Any:
    """z to a real power: products for a small whole number."""
    if not isinstance(z, Pair) or isinstance(exponent, (Pair, complex, Tensor)):
        return NotImplemented
    if exponent != int(exponent) or not 0 < exponent <= LARGEST_POWER:
        return polar(z.abs() ** exponent, z.angle() * exponent) if exponent else NotImplemented
    power = z
    for _ in range(int(exponent) - 1):
        power = power * z
    return power


@_rule("mm", "bmm", "mv", "dot")
def _product(x: Any, y: Any) -> Pair:
    """A matrix product."""
    if not isinstance(y, Pair):
        return pair(x).map(lambda part: part @ y)
    if not isinstance(x, Pair):
        return y.map(lambda part: x @ part)
    return Pair(x.real @ y.real - x.imag @ y.imag, x.real @ y.imag + x.imag @ y.real)


# Spectra -----------------------------------------------------------------------------------------------------


def _waves(rows: int, columns: int, period: int) -> Pair:
    """cos and sin of 2π jk / n: (rows, columns), read from a table of n numbers."""
    angle = 2 * math.pi * torch.arange(period, dtype=D) / period
    place = (torch.arange(rows)[:, None] * torch.arange(columns)) % period
    return Pair(torch.cos(angle)[place], torch.sin(angle)[place])


def _scale(norm: int, size: int) -> float:
    """What torch's three norms divide by: nothing, √n, n."""
    return (1.0, math.sqrt(size), float(size))[norm]


def _along(z: Pair, dim: int, sign: int, count: int | None = None) -> Pair:
    """Σ_j z_j exp(± 2πi jk/n) along an axis, for the first ``count`` places k."""
    size = z.real.shape[dim]
    waves = _waves(size, size if count is None else count, size)
    real, imag = (x.movedim(dim, -1) for x in (z.real, z.imag))
    result = Pair(
        real @ waves.real - sign * (imag @ waves.imag), imag @ waves.real + sign * (real @ waves.imag)
    )
    return result.map(lambda x: x.movedim(-1, dim))


def _are_small(z: Pair, dims: Sequence[int]) -> bool:
    return all(z.real.shape[dim] <= LARGEST for dim in dims)


@_rule("_fft_r2c")
def _of_reals_spectrum(x: Tensor, dims: Sequence[int], norm: int, onesided: bool) -> Any:
    """The spectrum of real numbers: of the last axis half, if ``onesided``."""
    size = x.shape[dims[-1]]
    z = pair(x)
    if not _are_small(z, dims):
        return NotImplemented
    scale = _scale(norm, math.prod(x.shape[dim] for dim in dims))
    z = _along(z, dims[-1], -1, size // 2 + 1 if onesided else None)
    for dim in dims[:-1]:
        z = _along(z, dim, -1)
    return z.map(lambda part: part / scale)


@_rule("_fft_c2c")
def _spectrum(z: Any, dims: Sequence[int], norm: int, forward: bool) -> Any:
    z = pair(z)
    if not _are_small(z, dims):
        return NotImplemented
    scale = _scale(norm, math.prod(z.real.shape[dim] for dim in dims))
    for dim in dims:
        z = _along(z, dim, -1 if forward else 1)
    return z.map(lambda part: part / scale)


@_rule("_fft_c2r")
def _of_half_a_spectrum(z: Any, dims: Sequence[int], norm: int, size: int) -> Any:
    """Real numbers, of half their spectrum along the last axis."""
    z = pair(z)
    if not _are_small(z, dims) or size > LARGEST:
        return NotImplemented
    *others, dim = dims
    for other in others:
        z = _along(z, other, 1)
    half = size // 2 + 1
    waves = _waves(half, size, size)
    place = torch.arange(half)
    weight = torch.where((place == 0) | (2 * place == size), 1.0, 2.0).to(D)[:, None]
    sine = torch.where((place == 0) | (2 * place == size), 0.0, 2.0).to(D)[:, None]
    real, imag = (x.movedim(dim, -1) for x in (z.real, z.imag))
    result = real @ (weight * waves.real) - imag @ (sine * waves.imag)
    scale = _scale(norm, size * math.prod(z.real.shape[other] for other in others))
    return (result / scale).movedim(-1, dim)
