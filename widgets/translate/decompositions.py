"""Operations of torch written with others: what has no loops of its own in ``emitters``.

Each is the operation's definition in torch, by its name in ATen, and returns what the operation returns. Sorting
compares all pairs. Systems of equations are solved by elimination with the pivots that LAPACK takes, written out, up to
:data:`LARGEST` unknowns. Where torch raises an error or leaves the answer open, as for a singular matrix or the order
of equal numbers, the page's run stops with a sentence (:mod:`widgets.translate.decided`).
"""

from __future__ import annotations

import builtins
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor
from torch._decomp import decomposition_table

from widgets.translate.decided import decided
from widgets.translate.ties import TIED, places

LARGEST = 32
"""Rows of a matrix whose elimination is written out."""

LONGEST_STABLE = 16
"""Most numbers of which torch.sort leaves equal ones in their order, whether it is asked to or not."""

EPS = torch.finfo(torch.float64).eps
ROUNDING = 1000 * EPS
"""A sum not larger than this share of its terms has fewer than three digits that are right."""

SINGULAR = "the matrix is singular, nearly singular or not finite"
INDEFINITE = "the matrix is not positive definite, or just barely"
DEPENDENT = "the columns of the least-squares problem are linearly dependent, or as good as dependent"
UNORDERED = "the sequence that is searched is not in ascending order, or not of numbers"
NO_RANGE = "the histogram's range is not finite, or so small that it has no width"
NOT_FINITE = "some of the numbers are not finite"

DECOMPOSITIONS: dict[Any, Callable[..., Any]] = {}


def _decomposes(*operations: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        DECOMPOSITIONS.update(dict.fromkeys(operations, function))
        return function

    return register


aten = torch.ops.aten

# Order -------------------------------------------------------------------------------------------------------


def _sorted(x: Tensor, dim: int, descending: bool) -> tuple[Tensor, Tensor]:
    """Values in order, and where each was: the place of a number is how many come before it, NaN being the largest.

    Equal numbers stay in their order.
    """
    if x.ndim == 0:
        return x.clone(), torch.zeros((), dtype=torch.int64)
    along = x.movedim(dim, -1)
    own, other = along[..., :, None], along[..., None, :]
    own_nan, other_nan = own != own, other != other
    first, last = (other_nan & ~own_nan, own_nan & ~other_nan)
    before = (other > own) | first if descending else (other < own) | last
    size = along.shape[-1]
    earlier = torch.arange(size)[None, :] < torch.arange(size)[:, None]
    tied = ((own == other) | (own_nan & other_nan)) & earlier
    place = (before | tied).to(torch.float64).sum(-1).to(torch.int64)
    indices = torch.zeros_like(place).scatter(-1, place, torch.arange(size).expand(place.shape))
    return along.gather(-1, indices).movedim(-1, dim), indices.movedim(-1, dim)


def _where_decided(indices: Tensor, values: Tensor, dim: int, first: int, last: int) -> Tensor:
    """The indices of sorted values, if none at the places from ``first`` to before ``last`` has an equal beside it."""
    size = values.shape[dim]
    begin, end = builtins.max(first - 1, 0), builtins.min(last, size - 1)
    if begin >= end:
        return indices
    here, after = values.narrow(dim, begin, end - begin), values.narrow(dim, begin + 1, end - begin)
    return indices * decided(~_alike(here, after).any(dim, keepdim=True), TIED).to(torch.int64)


def _first_places(x: Tensor, values: Tensor, indices: Tensor, dim: int, count: int) -> Tensor:
    """The places of the first ones of sorted values, which are decided as far as these are not equal."""
    pairs, left_out = builtins.min(count, x.shape[dim] - 1), x.shape[dim] - count
    indices = indices.narrow(dim, 0, count)
    if pairs < 1:
        return indices
    alike = _alike(values.narrow(dim, 0, pairs), values.narrow(dim, 1, pairs))
    if left_out:
        rivals = _alike(x, values.narrow(dim, count - 1, 1)) & alike.narrow(dim, count - 1, 1)
    else:
        alike = torch.cat([alike, torch.zeros_like(alike.narrow(dim, 0, 1))], dim)
        rivals = torch.zeros_like(x, dtype=torch.bool)
    return places(indices, alike, rivals, dim % x.ndim - x.ndim)


def _alike(x: Tensor, y: Tensor) -> Tensor:
    return (x == y) | ((x != x) & (y != y))


@_decomposes(aten.sort.default)
def _sort(x: Tensor, dim: int = -1, descending: bool = False) -> tuple[Tensor, Tensor]:
    values, indices = _sorted(x, dim, descending)
    if x.ndim == 0 or x.shape[dim] <= LONGEST_STABLE:
        return values, indices
    return values, _first_places(x, values, indices, dim, x.shape[dim])


@_decomposes(aten.sort.stable)
def _sort_stable(
    x: Tensor, *, stable: bool | None = None, dim: int = -1, descending: bool = False
) -> tuple[Tensor, Tensor]:
    return _sorted(x, dim, descending)


@_decomposes(aten.topk.default)
def _topk(
    x: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True
) -> tuple[Tensor, Tensor]:
    if not sorted:
        raise NotImplementedError("topk with sorted=False leaves the order open: leave it out")
    values, indices = _sorted(x, dim, largest)
    if not x.ndim:
        return values, indices
    return values.narrow(dim, 0, k), _first_places(x, values, indices, dim, k)


@_decomposes(aten.kthvalue.default)
def _kthvalue(x: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    values, indices = _sorted(x, dim, False)
    if not x.ndim:
        return values, indices
    indices = _where_decided(indices, values, dim, k - 1, k).narrow(dim, k - 1, 1)
    values = values.narrow(dim, k - 1, 1)
    return (values, indices) if keepdim else (values.squeeze(dim), indices.squeeze(dim))


@_decomposes(aten.median.default)
def _median(x: Tensor) -> Tensor:
    """The lower one of the two in the middle; NaN if there is one."""
    flat = x.reshape(-1)
    if not len(flat):
        return torch.full((), math.nan, dtype=x.dtype)
    middle = _sorted(flat, 0, False)[0][(flat.shape[0] - 1) // 2]
    return torch.where((flat != flat).any(), math.nan, middle)


@_decomposes(aten.median.dim)
def _median_along(x: Tensor, dim: int, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    """The lower one of the two in the middle, and where it is; the first NaN if there is one."""
    if x.ndim == 0:
        return x.clone(), torch.zeros((), dtype=torch.int64)
    values, indices = _sorted(x, dim, False)
    size = x.shape[dim]
    value, index = (part.narrow(dim, (size - 1) // 2, 1) for part in (values, indices))
    missing = (x != x).to(torch.float64)
    has_missing = missing.amax(dim, keepdim=True) > 0
    value = torch.where(has_missing, math.nan, value)
    index = torch.where(has_missing, missing.argmax(dim, keepdim=True), index)
    return (value, index) if keepdim else (value.squeeze(dim), index.squeeze(dim))


@_decomposes(aten.searchsorted.Tensor)
def _searchsorted(
    sequence: Tensor,
    x: Tensor,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Tensor | None = None,
) -> Tensor:
    """How many of a sequence in order come before each number; with ``right`` also those that equal it."""
    if sorter is not None:
        sequence = sequence.gather(-1, sorter)
    in_order = (sequence[..., :-1] <= sequence[..., 1:]).all() & ~(sequence != sequence).any()
    ordered, numbers = sequence[..., None, :], x[..., :, None]
    if right or side == "right":
        before = (ordered <= numbers) | (numbers != numbers)
    else:
        before = (ordered < numbers) | ((numbers != numbers) & (ordered == ordered))
    places = before.to(torch.float64).sum(-1) * decided(in_order, UNORDERED)
    return places.to(torch.int32 if out_int32 else torch.int64)


@_decomposes(aten.bucketize.Tensor)
def _bucketize(x: Tensor, boundaries: Tensor, *, out_int32: bool = False, right: bool = False) -> Tensor:
    found = _searchsorted(boundaries, x.reshape(-1), out_int32=out_int32, right=right)
    return found.reshape(x.shape)


@_decomposes(aten.logcumsumexp.default)
def _logcumsumexp(x: Tensor, dim: int) -> Tensor:
    """log Σ exp over all places up to each."""
    if x.ndim == 0:
        return x.clone()
    along = x.movedim(dim, -1)
    size = along.shape[-1]
    until = torch.arange(size)[None, :] <= torch.arange(size)[:, None]
    spread = torch.where(until, along[..., None, :], -math.inf)
    return torch.logsumexp(spread, -1).movedim(-1, dim)


def _distances(x: Tensor, y: Tensor, p: float = 2.0, compute_mode: str = "") -> Tensor:
    """‖x_i − y_j‖_p."""
    return torch.linalg.vector_norm(x[..., :, None, :] - y[..., None, :, :], p, dim=-1)


@_decomposes(aten._new_zeros_with_same_feature_meta.default)
def _zeros_alike(x: Tensor, other: Tensor, *, self_num_batch_dims: int = 0) -> Tensor:
    """Zeros of another tensor's shape behind the first axes of x: a tangent that forward mode begins with."""
    return torch.zeros(*x.shape[:self_num_batch_dims], *other.shape, dtype=x.dtype)


# Products ----------------------------------------------------------------------------------------------------


@_decomposes(aten.mv.default)
def _matrix_times_vector(matrix: Tensor, vector: Tensor) -> Tensor:
    """A product of two matrices, several of whose rows are computed at once; torch's own is one sum after another."""
    return (matrix @ vector[:, None])[:, 0]


# Convolutions ------------------------------------------------------------------------------------------------


def _taps(
    kernel: Sequence[int], out: Sequence[int], stride: Sequence[int], dilation: Sequence[int]
) -> Iterator[tuple[tuple[int, ...], tuple[slice, ...]]]:
    """Each place in a kernel, and the part of the padded input that meets it."""
    for tap in itertools.product(*map(range, kernel)):
        begins = [k * d for k, d in zip(tap, dilation, strict=True)]
        yield (
            tap,
            tuple(
                slice(begin, begin + (n - 1) * s + 1, s)
                for begin, n, s in zip(begins, out, stride, strict=True)
            ),
        )


def _planes(part: Sequence[Any], ahead: int = 2) -> Any:
    """An index of the last axes alone."""
    return (*[slice(None)] * ahead, *part)


def _per_axis(numbers: Sequence[int], axes: int) -> list[int]:
    return list(numbers) * axes if len(numbers) == 1 else list(numbers)


@_decomposes(aten.convolution.default)
def _convolution(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    transposed: bool,
    output_padding: Sequence[int],
    groups: int,
) -> Tensor:
    """Σ over the kernel's places and a group's channels of weight · input, by matrix products."""
    if transposed:
        return NotImplemented
    axes = x.ndim - 2
    stride, padding, dilation = (_per_axis(numbers, axes) for numbers in (stride, padding, dilation))
    kernel = weight.shape[2:]
    padded = F.pad(x, [p for pad in reversed(padding) for p in (pad, pad)])
    out = [
        (n - d * (k - 1) - 1) // s + 1
        for n, k, s, d in zip(padded.shape[2:], kernel, stride, dilation, strict=True)
    ]
    batch, channels = x.shape[:2]
    features = weight.shape[0]
    grouped = weight.reshape(groups, features // groups, channels // groups, *kernel)
    total = torch.zeros(batch, groups, features // groups, math.prod(out), dtype=x.dtype)
    for tap, part in _taps(kernel, out, stride, dilation):
        met = padded[_planes(part)].reshape(batch, groups, channels // groups, math.prod(out))
        total = total + grouped[_planes(tap, 3)] @ met
    result = total.reshape(batch, features, *out)
    return result if bias is None else result + bias.reshape(-1, *[1] * axes)


@_decomposes(aten.convolution_backward.default)
def _convolution_backward(
    gradient: Tensor,
    x: Tensor,
    weight: Tensor,
    bias_sizes: Sequence[int] | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    transposed: bool,
    output_padding: Sequence[int],
    groups: int,
    output_mask: Sequence[bool],
) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
    if transposed:
        return NotImplemented
    axes = x.ndim - 2
    stride, padding, dilation = (_per_axis(numbers, axes) for numbers in (stride, padding, dilation))
    padded = F.pad(x, [p for pad in reversed(padding) for p in (pad, pad)])
    batch, channels = x.shape[:2]
    features, kernel, out = weight.shape[0], weight.shape[2:], gradient.shape[2:]
    grouped = weight.reshape(groups, features // groups, channels // groups, *kernel)
    given = gradient.reshape(batch, groups, features // groups, math.prod(out))
    of_input, of_weight = torch.zeros_like(padded), []
    for tap, part in _taps(kernel, out, stride, dilation):
        met = padded[_planes(part)]
        met = met.reshape(batch, groups, channels // groups, math.prod(out))
        of_weight.append((given @ met.mT).sum(0))
        back = (grouped[_planes(tap, 3)].mT @ given).reshape(batch, channels, *out)
        of_input = of_input + _placed(back, padded.shape, part)
    inner = tuple(slice(pad, pad + n) for pad, n in zip(padding, x.shape[2:], strict=True))
    return (
        of_input[_planes(inner)],
        torch.stack(of_weight, -1).reshape(weight.shape),
        gradient.sum([0, *range(2, 2 + axes)]),
    )


def _placed(values: Tensor, shape: Sequence[int], part: Sequence[slice]) -> Tensor:
    """Zeros of a shape, with values in a part of the last axes."""
    for axis, piece in enumerate(part, len(shape) - len(part)):
        whole = torch.zeros(*values.shape[:axis], shape[axis], *values.shape[axis + 1 :], dtype=values.dtype)
        values = whole.slice_scatter(values, axis, piece.start, piece.stop, piece.step)
    return values


class _Windows:
    """Windows that slide over the last two axes."""

    def __init__(
        self,
        x: Tensor,
        kernel: Sequence[int],
        stride: Sequence[int],
        padding: Sequence[int],
        dilation: Sequence[int],
    ):
        self.kernel, self.padding, self.dilation = (_per_axis(n, 2) for n in (kernel, padding, dilation))
        self.stride = _per_axis(stride, 2) if stride else self.kernel
        self.shape = [n + 2 * p for n, p in zip(x.shape[-2:], self.padding, strict=True)]
        self.out = [
            (n - d * (k - 1) - 1) // s + 1
            for n, k, s, d in zip(self.shape, self.kernel, self.stride, self.dilation, strict=True)
        ]

    def padded(self, x: Tensor, fill: float) -> Tensor:
        down, across = self.padding
        return F.pad(x, (across, across, down, down), value=fill)

    def taps(self) -> Iterator[tuple[slice, ...]]:
        return (part for _, part in _taps(self.kernel, self.out, self.stride, self.dilation))


@_decomposes(aten.max_pool2d_with_indices.default)
def _max_pool(
    x: Tensor,
    kernel: Sequence[int],
    stride: Sequence[int] = (),
    padding: Sequence[int] = (0,),
    dilation: Sequence[int] = (1,),
    ceil_mode: bool = False,
) -> tuple[Tensor, Tensor]:
    """The largest number of each window, and where it is in the plane of the input."""
    if ceil_mode:
        return NotImplemented
    windows = _Windows(x, kernel, stride, padding, dilation)
    padded, (down, across) = windows.padded(x, -math.inf), windows.padding
    rows = torch.arange(windows.shape[0])[:, None] - down
    places = rows * x.shape[-1] + torch.arange(windows.shape[1]) - across
    stacked = torch.stack([padded[_planes(part, padded.ndim - 2)] for part in windows.taps()], -1)
    values, tap = stacked.max(-1)
    missing = (stacked != stacked).to(x.dtype) * torch.arange(1, stacked.shape[-1] + 1)
    tap = torch.where(values != values, missing.argmax(-1), tap)  # of several NaN torch takes the last
    where = torch.stack([places[part] for part in windows.taps()], -1)
    indices = where.expand(*tap.shape, where.shape[-1]).gather(-1, tap[..., None])
    return values, indices.squeeze(-1)


@_decomposes(aten.avg_pool2d.default)
def _mean_pool(
    x: Tensor,
    kernel: Sequence[int],
    stride: Sequence[int] = (),
    padding: Sequence[int] = (0,),
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    windows = _Windows(x, kernel, stride, padding, (1,))
    if ceil_mode or (any(windows.padding) and not count_include_pad):
        return NotImplemented
    padded = windows.padded(x, 0.0)
    parts = torch.stack([padded[_planes(part, padded.ndim - 2)] for part in windows.taps()], -1)
    return parts.sum(-1) / (divisor_override or math.prod(windows.kernel))


@_decomposes(aten.avg_pool2d_backward.default)
def _mean_pool_backward(
    gradient: Tensor,
    x: Tensor,
    kernel: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
) -> Tensor:
    windows = _Windows(x, kernel, stride, padding, (1,))
    if ceil_mode or (any(windows.padding) and not count_include_pad):
        return NotImplemented
    share = gradient / (divisor_override or math.prod(windows.kernel))
    shape = (*x.shape[:-2], *windows.shape)
    total = sum((_placed(share, shape, part) for part in windows.taps()), torch.zeros(shape, dtype=x.dtype))
    down, across = windows.padding
    return total[..., down : down + x.shape[-2], across : across + x.shape[-1]]


def _bilinear(overload: Any) -> Callable[..., Tensor]:
    """Torch's own, of finite numbers only: what stands beside an infinity is NaN in one formula, and not in another."""

    @_decomposes(overload)
    def interpolated(x: Tensor, *sizes: Any, **scales: Any) -> Tensor:
        result: Tensor = decomposition_table[overload](x, *sizes, **scales)
        return result * decided((x.abs() < math.inf).all(), NOT_FINITE)

    return interpolated


for _overload in (aten.upsample_bilinear2d.default, aten.upsample_bilinear2d.vec):
    _bilinear(_overload)


# Derivatives of activations ----------------------------------------------------------------------------------


@_decomposes(aten.hardsigmoid_backward.default)
def _hardsigmoid_backward(gradient: Tensor, x: Tensor) -> Tensor:
    """A sixth of the gradient between −3 and 3; torch's sixth is a number of single precision."""
    sixth = float(torch.tensor(1 / 6, dtype=torch.float32))
    return torch.where((x > -3) & (x < 3), gradient * sixth, 0.0)


@_decomposes(aten.hardswish_backward.default)
def _hardswish_backward(gradient: Tensor, x: Tensor) -> Tensor:
    return torch.where(x >= 3, gradient, torch.where(x <= -3, 0.0, gradient * (x / 3 + 0.5)))


@_decomposes(aten.hardtanh_backward.default)
def _hardtanh_backward(gradient: Tensor, x: Tensor, low: float, high: float) -> Tensor:
    return torch.where((x > low) & (x < high), gradient, 0.0)


@_decomposes(aten.elu_backward.default)
def _elu_backward(
    gradient: Tensor, alpha: float, scale: float, input_scale: float, is_result: bool, x: Tensor
) -> Tensor:
    inner = x + alpha * scale if is_result else alpha * scale * torch.exp(x * input_scale)
    return torch.where(x > 0, gradient * scale, gradient * input_scale * inner)


# Statistics --------------------------------------------------------------------------------------------------


@_decomposes(aten.native_group_norm.default)
def _group_norm(
    x: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    batch: int,
    channels: int,
    rest: int,
    groups: int,
    eps: float,
) -> tuple[Tensor, Tensor, Tensor]:
    """(x − mean) / √(variance + ε) in each group of channels, then weight and bias of each channel."""
    grouped = x.reshape(batch, groups, channels // groups * rest)
    mean = grouped.mean(-1, keepdim=True)
    scale = torch.rsqrt(((grouped - mean) ** 2).mean(-1, keepdim=True) + eps)
    result = ((grouped - mean) * scale).reshape(batch, channels, rest)
    if weight is not None:
        result = result * weight[:, None]
    if bias is not None:
        result = result + bias[:, None]
    return result.reshape(x.shape), mean.squeeze(-1), scale.squeeze(-1)


@_decomposes(aten.histc.default)
def _histogram(x: Tensor, bins: int = 100, min: float = 0, max: float = 0) -> Tensor:
    """How many numbers fall into each of equal parts; the last one has its upper end."""
    flat = x.reshape(-1)
    if min == max and len(flat):
        low, high = flat.amin(), flat.amax()
    else:
        low, high = torch.tensor(min, dtype=x.dtype), torch.tensor(max, dtype=x.dtype)
    low, high = low - (low == high).to(x.dtype), high + (low == high).to(x.dtype)
    place = ((flat - low) * bins / (high - low)).floor().clamp(max=bins - 1)
    inside = (flat >= low) & (flat <= high)
    here = place == torch.arange(bins, dtype=x.dtype)[:, None]
    has_width = (low.abs() < math.inf) & (high.abs() < math.inf) & (low < high)
    return (here & inside).to(x.dtype).sum(-1) * decided(has_width, NO_RANGE)


def _covariance(
    x: Tensor, *, correction: int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None
) -> Tensor:
    """Σ (x − mean)(x − mean)ᵀ / (n − correction) over the columns."""
    if fweights is not None or aweights is not None:
        raise NotImplementedError("cov with weights: write out the weighted sums")
    rows = x.reshape(-1, x.shape[-1]) if x.ndim else x.reshape(1, 1)
    centred = rows - rows.mean(-1, keepdim=True)
    result = centred @ centred.mT / builtins.max(rows.shape[-1] - correction, 0)
    return result.squeeze()


def _correlation(x: Tensor) -> Tensor:
    """Covariances over the two standard deviations, from −1 to 1."""
    covariance = _covariance(x)
    if covariance.ndim == 0:
        return covariance / covariance
    deviations = covariance.diagonal().sqrt()
    return (covariance / deviations[:, None] / deviations).clamp(-1, 1)


# Linear algebra ----------------------------------------------------------------------------------------------


def _check_size(size: int) -> bool:
    return 0 < size <= LARGEST


def _eliminated(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """A's LU in one matrix, b eliminated alike, and the rows that were swapped, (…, n).

    Below a pivot of 0 there are zeros: they are divided by :data:`EPS`, by which torch, too, replaces such a pivot in
    the derivative of a determinant.
    """
    size = a.shape[-1]
    rows, pivots = torch.arange(size), []
    for k in range(size):
        pivot = a[..., k:, k].abs().argmax(-1, keepdim=True) + k
        order = torch.where(rows == k, pivot, torch.where(rows == pivot, k, rows))[..., None]
        a = a.gather(-2, order.expand(a.shape))
        b = b.gather(-2, order.expand(b.shape))
        factor = a[..., k + 1 :, k : k + 1] / _nonzero(a[..., k : k + 1, k : k + 1])
        below = a[..., k + 1 :, k + 1 :] - factor * a[..., k : k + 1, k + 1 :]
        lower = torch.cat([a[..., k + 1 :, :k], factor, below], -1)
        a = torch.cat([a[..., : k + 1, :], lower], -2)
        b = torch.cat([b[..., : k + 1, :], b[..., k + 1 :, :] - factor * b[..., k : k + 1, :]], -2)
        pivots.append(pivot)
    return a, b, torch.cat(pivots, -1)


def _upper_solved(upper: Tensor, b: Tensor, unit: bool = False) -> Tensor:
    """x of U x = b, from the last row up."""
    found: list[Tensor] = []
    for k in reversed(range(upper.shape[-1])):
        row = b[..., k : k + 1, :]
        if not unit:
            row = row / upper[..., k : k + 1, k : k + 1]
        b = b[..., :k, :] - upper[..., :k, k : k + 1] * row
        found.insert(0, row)
    return torch.cat(found, -2)


def _nonzero(pivot: Tensor) -> Tensor:
    return torch.where(pivot == 0, pivot + EPS, pivot)


def _regular(lu: Tensor) -> Tensor:
    """1 for each matrix all of whose pivots are larger than the rounding of the terms that they are sums of, (…)."""
    size = lu.shape[-1]
    lower, upper = lu.tril(-1) + torch.eye(size, dtype=lu.dtype), lu.triu()
    terms = (lower.abs() * upper.abs().mT).sum(-1)
    is_certain = lu.diagonal(dim1=-2, dim2=-1).abs() > size * ROUNDING * terms
    return decided(is_certain.all(-1), SINGULAR)


def _codes(is_fine: Tensor) -> Tensor:
    """LAPACK's code for each matrix: 0, all is well."""
    return (is_fine - 1).to(torch.int32)


@_decomposes(aten._linalg_solve_ex.default)
def _solve(
    a: Tensor, b: Tensor, *, left: bool = True, check_errors: bool = False
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    if not _check_size(a.shape[-1]):
        return NotImplemented
    is_vector = b.ndim == 1 or (a.ndim - 1 == b.ndim and b.shape == a.shape[:-1])
    matrix = b[..., None] if is_vector else b
    if not left:
        a, matrix = a.mT, matrix.mT
    batch = torch.broadcast_shapes(a.shape[:-2], matrix.shape[:-2])
    lu, eliminated, pivots = _eliminated(
        a.expand(*batch, *a.shape[-2:]), matrix.expand(*batch, *matrix.shape[-2:])
    )
    is_regular = _regular(lu)
    x = _upper_solved(lu, eliminated) * is_regular[..., None, None]
    x = x if left else x.mT
    return x.squeeze(-1) if is_vector else x, lu, (pivots + 1).to(torch.int32), _codes(is_regular)


@_decomposes(aten.linalg_inv_ex.default)
def _inverse(a: Tensor, *, check_errors: bool = False) -> tuple[Tensor, Tensor]:
    if not _check_size(a.shape[-1]):
        return NotImplemented
    lu, eliminated, _pivots = _eliminated(a, torch.eye(a.shape[-1], dtype=a.dtype).expand(a.shape))
    is_regular = _regular(lu)
    return _upper_solved(lu, eliminated) * is_regular[..., None, None], _codes(is_regular)


@_decomposes(aten._linalg_det.default)
def _determinant(a: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    if not _check_size(a.shape[-1]):
        return NotImplemented
    lu, _b, pivots = _eliminated(a, a[..., :0])
    diagonal = lu.diagonal(dim1=-2, dim2=-1)
    nearly = _parity(pivots, a.dtype) * _nonzero(diagonal).prod(
        -1
    )  # which has a derivative where the value is 0
    value = torch.where((diagonal == 0).any(-1), nearly - nearly.detach(), nearly)
    value = value * decided((a.abs() < math.inf).all(-1).all(-1), NOT_FINITE)
    return value, lu, (pivots + 1).to(torch.int32)


@_decomposes(aten._linalg_slogdet.default)
def _log_determinant(a: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    if not _check_size(a.shape[-1]):
        return NotImplemented
    lu, _b, pivots = _eliminated(a, a[..., :0])
    diagonal = lu.diagonal(dim1=-2, dim2=-1)
    is_regular = _regular(lu)
    sign = _parity(pivots, a.dtype) * diagonal.sign().prod(-1) * is_regular
    return sign, diagonal.abs().log().sum(-1) * is_regular, lu, (pivots + 1).to(torch.int32)


def _parity(pivots: Tensor, dtype: torch.dtype) -> Tensor:
    """−1 for an odd number of swaps."""
    return torch.where(pivots == torch.arange(pivots.shape[-1]), 1.0, -1.0).to(dtype).prod(-1)


@_decomposes(aten.linalg_cholesky_ex.default)
def _cholesky(a: Tensor, *, upper: bool = False, check_errors: bool = False) -> tuple[Tensor, Tensor]:
    """L of L Lᵀ = A, column by column; only one triangle of A is read."""
    size = a.shape[-1]
    if not _check_size(size):
        return NotImplemented
    rest, columns = (a.mT if upper else a), []
    rounding = size * ROUNDING * a.diagonal(dim1=-2, dim2=-1)
    is_definite = torch.ones(a.shape[:-2], dtype=torch.bool)
    for k in range(size):
        is_definite = is_definite & (rest[..., 0, 0] > rounding[..., k])
        column = rest[..., :, :1] / rest[..., :1, :1].sqrt()
        columns.append(F.pad(column, (0, 0, k, 0)))
        rest = rest[..., 1:, 1:] - column[..., 1:, :] * column[..., 1:, :].mT
    is_fine = decided(is_definite, INDEFINITE)
    lower = torch.cat(columns, -1) * is_fine[..., None, None]
    return lower.mT if upper else lower, _codes(is_fine)


@_decomposes(aten.linalg_solve_triangular.default)
def _triangular_solve(
    a: Tensor, b: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False
) -> Tensor:
    if not _check_size(a.shape[-1]):
        return NotImplemented
    if not left:
        return _triangular_solve(a.mT, b.mT, upper=not upper, unitriangular=unitriangular).mT
    if not upper:
        return _upper_solved(a.flip(-1, -2), b.flip(-2), unitriangular).flip(-2)
    return _upper_solved(a, b, unitriangular)


@_decomposes(aten.cholesky_solve.default)
def _cholesky_solve(b: Tensor, factor: Tensor, upper: bool = False) -> Tensor:
    """x of L Lᵀ x = b."""
    lower = factor.mT if upper else factor
    return _triangular_solve(lower.mT, _triangular_solve(lower, b, upper=False), upper=True)


class _LeastSquares(NamedTuple):
    solution: Tensor
    residuals: Tensor
    rank: Tensor
    singular_values: Tensor


def _least_squares(
    a: Tensor, b: Tensor, rcond: float | None = None, *, driver: str | None = None
) -> _LeastSquares:
    """The x of least ‖A x − b‖ and, if there are many, of least ‖x‖, by Gram and Schmidt on the columns or the rows.

    Where the rank that torch finds may be less than full, because ‖R‖ ‖R⁻¹‖ is larger than 1 / rcond, the answer is not
    decided. ``residuals``, ``rank`` and ``singular_values`` are empty where torch's driver leaves them so.
    """
    rows, size = a.shape[-2:]
    if not 0 < builtins.min(rows, size) <= LARGEST:
        raise NotImplementedError(f"lstsq of {rows} × {size}: the smaller number must be from 1 to {LARGEST}")
    if rows < size and driver in (None, "gelsy"):
        raise NotImplementedError(
            f"lstsq of {rows} × {size}: with fewer rows than columns torch's usual driver looks at what happens to "
            "stand in memory: choose driver='gelsd'"
        )
    is_vector = b.ndim == 1 or (a.ndim - 1 == b.ndim and b.shape == a.shape[:-1])
    right = b[..., None] if is_vector else b
    if rows >= size:
        upper, _axes, projected, rest = _orthogonalised(a, right)
        solution = _upper_solved(upper, projected)
    else:
        upper, axes, _projected, rest = _orthogonalised(a.mT, right[..., :0, :])
        solution = axes @ _upper_solved(upper.mT.flip(-1, -2), right.flip(-2)).flip(-2)
    inverse = _upper_solved(upper, torch.eye(len(upper.mT), dtype=a.dtype).expand(upper.shape))
    condition = (upper * upper).sum((-2, -1)).sqrt() * (inverse * inverse).sum((-2, -1)).sqrt()
    smallest = ROUNDING * builtins.max(rows, size)
    is_full = decided(condition * builtins.max(smallest, rcond or 0.0) < 1, DEPENDENT)
    solution = solution * is_full[..., None, None]
    has_residuals = rows > size and driver not in (None, "gelsy")
    residuals = (rest * rest).sum(-2) * is_full[..., None] if has_residuals else a.new_zeros(0)
    rank = (is_full * builtins.min(rows, size)).to(torch.int64)
    return _LeastSquares(
        solution.squeeze(-1) if is_vector else solution,
        residuals,
        torch.zeros(0, dtype=torch.int64) if driver == "gels" else rank,
        torch.linalg.svdvals(a) if driver in ("gelsd", "gelss") else a.new_zeros(0),
    )


def _orthogonalised(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """R and Q of A = Q R, Qᵀ b and b − Q Qᵀ b; A has at least as many rows as columns."""
    columns, rest, upper, axes, projected = a, b, [], [], []
    for k in range(a.shape[-1]):
        length = torch.linalg.vector_norm(columns[..., :1], dim=-2, keepdim=True)
        axis = columns[..., :1] / length
        along = axis.mT @ columns[..., 1:]
        columns = columns[..., 1:] - axis * along
        upper.append(F.pad(torch.cat([length, along], -1), (k, 0)))
        axes.append(axis)
        if b.shape[-2]:
            share = axis.mT @ rest
            rest = rest - axis * share
            projected.append(share)
    return (
        torch.cat(upper, -2),
        torch.cat(axes, -1),
        torch.cat(projected, -2) if projected else b,
        rest,
    )


def _whole_determinant(a: Tensor) -> Tensor:
    if not _check_size(a.shape[-1]):
        raise NotImplementedError(f"det of {a.shape[-1]} rows: must be from 1 to {LARGEST}")
    return _determinant(a)[0]


def _one_hot(x: Tensor, num_classes: int = -1) -> Tensor:
    """1 at the place that each number says, else 0; torch's own looks at the numbers of a constant."""
    if num_classes < 0:
        return F.one_hot(x, num_classes)
    return (x[..., None] == torch.arange(num_classes)).to(torch.int64)


def _fill_diagonal(x: Tensor, fill_value: float, wrap: bool = False) -> Tensor:
    """A square matrix with another diagonal; torch's own cannot be taken out of a trace."""
    if x.ndim != 2 or wrap:
        raise NotImplementedError(
            "fill_diagonal_ of more than two axes, or with wrap: use torch.where and an eye"
        )
    return x.copy_(torch.where(torch.eye(*x.shape, dtype=torch.bool), fill_value, x))


REPLACED: dict[Any, Callable[..., Any]] = {
    torch.cdist: _distances,
    F.one_hot: _one_hot,
    Tensor.fill_diagonal_: _fill_diagonal,
    **dict.fromkeys((torch.cov, Tensor.cov), _covariance),
    **dict.fromkeys((torch.corrcoef, Tensor.corrcoef), _correlation),
    **dict.fromkeys((torch.det, torch.linalg.det, Tensor.det), _whole_determinant),
    torch.linalg.lstsq: _least_squares,
}
"""Functions of torch that ask for numbers on their way to ATen, or whose derivative does."""
