"""The operations of ATen in JavaScript: pointwise ones as templates, views as maps of indices.

Everything here is a table or a pure function; ``emitters`` puts the pieces together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.fx import Node

from widgets.translate.expressions import (
    COMPARISON,
    CONDITIONAL,
    LOGICAL,
    PRODUCT,
    SUM,
    UNARY,
    Literal,
    Pointwise,
    Reduction,
    Update,
)
from widgets.translate.printer import Helper
from widgets.translate.values import Axis, Shape, expanding, without_ones

# Pointwise operations ----------------------------------------------------------------------------------------


def _call(function: str) -> Pointwise:
    return Pointwise(f"{function}({{0:0}})", helpers=_helpers(function))


def _call2(function: str) -> Pointwise:
    return Pointwise(f"{function}({{0:0}}, {{1:0}})", helpers=_helpers(function))


def _helpers(function: str) -> tuple[str, ...]:
    """The function, if it is a helper of ours and not JavaScript's own."""
    return (function,) if function.startswith("$") else ()


def as_integer(operation: Pointwise) -> Pointwise:
    """The operation, whose result is checked to be an integer that a double holds."""
    return Pointwise(f"$integer({operation.template})", helpers=("$integer", *operation.helpers))


def _compare(sign: str) -> Pointwise:
    return Pointwise(f"{{0:3}} {sign} {{1:3}}", COMPARISON, truth=True)


def _logic(sign: str) -> Pointwise:
    return Pointwise(f"{{0:?2}} {sign} {{1:?2}}", LOGICAL, truth=True)


NOT = Pointwise("!{0:?5}", UNARY, truth=True)
DIFFERENT = Pointwise("!{0:?5} !== !{1:?5}", COMPARISON, truth=True)

POINTWISE: dict[str, Pointwise] = {
    "add": Pointwise("{0:3} + {1:4}", SUM),
    "sub": Pointwise("{0:3} - {1:4}", SUM),
    "mul": Pointwise("{0:4} * {1:5}", PRODUCT),
    "div": Pointwise("{0:4} / {1:5}", PRODUCT),
    "fmod": Pointwise("{0:4} % {1:5}", PRODUCT),
    "neg": Pointwise("-{0:6}", UNARY),
    "reciprocal": Pointwise("1 / {0:5}", PRODUCT),
    "rsqrt": Pointwise("1 / Math.sqrt({0:0})", PRODUCT),
    "sigmoid": Pointwise("1 / (1 + Math.exp(-{0:6}))", PRODUCT),
    "exp2": Pointwise("Math.pow(2, {0:0})"),
    "where": Pointwise("{0:?1} ? {1:1} : {2:1}", CONDITIONAL),
    "remainder": _call2("$remainder"),
    "maximum": _call2("Math.max"),
    "minimum": _call2("Math.min"),
    "atan2": _call2("Math.atan2"),
    "hypot": _call2("Math.hypot"),
    "relu": _call("$relu"),
    **{name: _call(f"${name}") for name in ("erf", "erfc", "lgamma", "digamma")},
    "round": _call("$round"),
    "sign": _call("$sign"),
    "sgn": _call("$sign"),
    "isnan": Pointwise("Number.isNaN({0:0})", truth=True),
    "isinf": Pointwise("Math.abs({0:0}) === Infinity", COMPARISON, truth=True),
    **{
        name: _call(f"Math.{name}")
        for name in (
            *("exp", "expm1", "log", "log1p", "log2", "log10", "sqrt", "abs", "floor", "ceil", "trunc"),
            *("sin", "cos", "tan", "asin", "acos", "atan"),
            *("sinh", "cosh", "tanh", "asinh", "acosh", "atanh"),
        )
    },
    **{
        name: _compare(sign)
        for name, sign in {"eq": "===", "ne": "!==", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}.items()
    },
    "logical_and": _logic("&&"),
    "logical_or": _logic("||"),
    "logical_xor": DIFFERENT,
    "logical_not": NOT,
}

INTEGER = as_integer(Pointwise("{0:0}"))
"""A whole number as it is, if a double holds it."""

ON_BOOLEANS: dict[str, Pointwise] = {
    "add": _logic("||"),
    "mul": _logic("&&"),
    "bitwise_and": _logic("&&"),
    "bitwise_or": _logic("||"),
    "bitwise_xor": DIFFERENT,
    "bitwise_not": NOT,
    **{name: POINTWISE[name] for name in ("where", "maximum", "minimum")},
}
"""What the same operations mean when their result is boolean; comparisons and logic are above."""

ON_INTEGERS: dict[str, Pointwise] = {
    **{name: POINTWISE[name] for name in ("where", "maximum", "minimum", "abs", "sign", "sgn")},
    **{name: as_integer(POINTWISE[name]) for name in ("add", "sub", "mul", "neg", "remainder", "fmod")},
    **{name: Pointwise("{0:6}") for name in ("floor", "ceil", "trunc", "round")},
}
"""The same for int64: whatever could leave the whole numbers that doubles hold, or make a −0, is checked."""

WHOLE_DIVISION: dict[tuple[str | None, bool], Pointwise] = {
    ("floor", False): _call2("$floorDivide"),
    ("trunc", False): Pointwise("Math.trunc({0:4} / {1:5})"),
    ("floor", True): as_integer(_call2("$floorDivide")),
    ("trunc", True): as_integer(_call2("$truncDivide")),
}
"""By rounding mode, and whether the operands are integers."""

POW = _call2("$pow")
POW_BY: dict[float, Pointwise] = {
    0: Pointwise("1"),
    1: Pointwise("{0:6}"),
    2: _call("$square"),
    3: _call("$cube"),
    0.5: POINTWISE["sqrt"],
    -0.5: POINTWISE["rsqrt"],
    -1: POINTWISE["reciprocal"],
    -2: Pointwise("1 / $square({0:0})", PRODUCT, helpers=("$square",)),
}
"""Exponents for which torch does not call pow."""

HELPERS: dict[str, Helper] = {
    "$repeat": Helper("""(step, count, start, fixed, tables, results, spare, kept) => {
    const rows = tables.map((table) => new Float64Array(table.length / count));
    const inputs = [...start, ...fixed, ...rows];
    const targets = [results, [...spare, ...results.slice(start.length)]];
    for (let turn = 0; turn < count; turn++) {
      for (let i = 0; i < rows.length; i++) {
        const row = rows[i], table = tables[i], begin = turn * row.length;
        for (let k = 0; k < row.length; k++) row[k] = table[begin + k];
      }
      const outputs = targets[(count - 1 - turn) % 2];
      step(inputs, outputs);
      for (let i = 0; i < start.length; i++) inputs[i] = outputs[i];
      for (let i = 0; i < kept.length; i++) {
        const [all, place] = kept[i], row = outputs[place], begin = turn * row.length;
        for (let k = 0; k < row.length; k++) all[begin + k] = row[k];
      }
    }
  }"""),
    "$remainder": Helper("(a, b) => { const r = a % b; return r !== 0 && r < 0 !== b < 0 ? r + b : r; }"),
    "$floorDivide": Helper("""(a, b) => {
    if (b === 0) return a / b;
    const r = a % b;
    const q = (a - r) / b - (r !== 0 && r < 0 !== b < 0 ? 1 : 0);
    if (q === 0) return 0 * (a / b);
    const below = Math.floor(q);
    return q - below > 0.5 ? below + 1 : below;
  }"""),
    "$truncDivide": Helper("(a, b) => (a - (a % b)) / b"),
    "$pow": Helper("""(a, b) =>
    a === 1 || (a === -1 && Math.abs(b) === Infinity) ? 1 : Math.pow(a, b)"""),
    "$square": Helper("(x) => x * x"),
    "$cube": Helper("(x) => x * x * x"),
    "$relu": Helper("(x) => (x < 0 ? 0 : x)"),
    # Kummer's series near 0, with as many terms as change it, a continued fraction beyond
    "$erf": Helper(
        """(x) => {
    if (Math.abs(x) >= 3) return x > 0 ? 1 - $erfc(x) : $erfc(-x) - 1;
    let term = 1.1283791670955126 * x * Math.exp(-x * x), sum = term;
    for (let n = 1; n < 10 + 14 * Math.abs(x); n++) sum += term *= (2 * x * x) / (2 * n + 1);
    return sum;
  }""",
        ("$erfc",),
    ),
    "$erfc": Helper(
        """(x) => {
    if (!(x >= 2)) return x < -6 ? 2 : 1 - $erf(x);
    if (x > 27.5) return 0;
    let below = x;
    for (let n = Math.ceil(20 + 400 / (x * x)); n > 0; n--) below = x + n / 2 / below;
    const near = Math.fround(x); // its square is exact
    return (Math.exp(-near * near) * Math.exp((near - x) * (near + x))) / (1.772453850905516 * below);
  }""",
        ("$erf",),
    ),
    # Stirling's series beyond 12, the recurrence to get there, the reflection below 0
    "$lgamma": Helper("""(x) => {
    if (Math.abs(x) === Infinity) return Infinity;
    if (x <= 0) return Math.log(Math.PI / Math.abs(Math.sin(Math.PI * (x - Math.round(x))))) - $lgamma(1 - x);
    let product = 1, y = x;
    for (; y < 12; y++) product *= y;
    const u = 1 / (y * y);
    const tail = 1 / 12 - u * (1 / 360 - u * (1 / 1260 - u * (1 / 1680 - u * (1 / 1188 - (u * 691) / 360360))));
    return (y - 0.5) * Math.log(y) - y + 0.9189385332046728 + tail / y - Math.log(product);
  }"""),
    "$digamma": Helper("""(x) => {
    if (x === 0) return -1 / x;
    if (x < 0) return Number.isInteger(x) ? NaN : $digamma(1 - x) - Math.PI / Math.tan(Math.PI * (x - Math.round(x)));
    let sum = 0, y = x;
    for (; y < 12; y++) sum += 1 / y;
    const u = 1 / (y * y);
    const tail = 1 / 12 - u * (1 / 120 - u * (1 / 252 - u * (1 / 240 - u * (1 / 132 - (u * 691) / 32760))));
    return Math.log(y) - 0.5 / y - u * tail - sum;
  }"""),
    "$sign": Helper("(x) => (x > 0 ? 1 : x < 0 ? -1 : 0)"),
    # adding 2⁵² leaves no room for a fraction, and rounds half to even
    "$round": Helper("""(x) =>
    !(Math.abs(x) < 4503599627370496) || x === 0 ? x
      : x > 0 ? x + 4503599627370496 - 4503599627370496
      : -(4503599627370496 - x - 4503599627370496)"""),
    "$decided": Helper("""(holds, words) => {
    if (!holds) throw Object.assign(new Error(`not decided here: ${words}`), { name: "Undecided" });
    return 1;
  }"""),
    "$integer": Helper(
        """(x) => {
    if (!(Math.abs(x) < 9007199254740992)) throw new RangeError($name + `: no float64 holds the integer ${x}`);
    return x + 0;
  }""",
        ("$name",),
    ),
    "$wrap": Helper(
        """(i, size) => {
    if (!(i >= -size && i < size)) throw new RangeError($name + `: index ${i} is out of range for size ${size}`);
    return (i < 0 ? i + size : i) | 0;
  }""",
        ("$name",),
    ),
    "$within": Helper(
        """(i, size) => {
    if (!(i >= 0 && i < size)) throw new RangeError($name + `: index ${i} is out of range for size ${size}`);
    return i | 0;
  }""",
        ("$name",),
    ),
}
"""Small JavaScript functions, each included where it is used; ``$name`` is the kernel's name.

``| 0`` tells V8 that an index is a machine's integer, and need not be checked again with each use."""


# Reductions --------------------------------------------------------------------------------------------------


# torch sums −0 to 0, too
ADD = Reduction(
    Literal("0"),
    Update("{0} += {1:0};"),
    Pointwise("{0:3} + 0", SUM),
    is_sum=True,
    on_integers=Update("{0} = $integer({0} + {1:4});", ("$integer",)),
)
MULTIPLY = Reduction(
    Literal("1"),
    Update("{0} *= {1:0};"),
    on_integers=Update("{0} = $integer({0} * {1:5});", ("$integer",)),
)
LARGEST = Reduction(Literal("-Infinity"), Update("{0} = Math.max({0}, {1:0});"))
SMALLEST = Reduction(Literal("Infinity"), Update("{0} = Math.min({0}, {1:0});"))
ANY = Reduction(Literal("0"), Update("if ({1:?0}) {0} = 1;"), Pointwise("{0:?2}", COMPARISON, truth=True))


def on_integers(reduction: Reduction) -> Reduction:
    """The same for integers: a double must hold what it comes to after each of them."""
    return reduction._replace(update=reduction.on_integers or reduction.update)


REDUCTIONS: dict[str, Reduction] = {
    **dict.fromkeys(("sum.default", "sum.dim_IntList", "mean.default", "mean.dim"), ADD),
    **dict.fromkeys(("prod.default", "prod.dim_int"), MULTIPLY),
    **dict.fromkeys(("amax.default", "max.default"), LARGEST),
    **dict.fromkeys(("amin.default", "min.default"), SMALLEST),
    **dict.fromkeys(("any.default", "any.dim", "any.dims"), ANY),
}

SCANS: dict[str, Reduction] = {"cumsum.default": ADD, "cumprod.default": MULTIPLY}


def _better(sign: str) -> Pointwise:
    """Whether the first operand, a variable, is better than the second; a NaN is better than anything."""
    return Pointwise(f"{{0}} {sign} {{1}} || ({{0}} !== {{0}} && {{1}} === {{1}})", LOGICAL, truth=True)


SELECTIONS: dict[str, tuple[Literal, Pointwise]] = {
    **dict.fromkeys(("argmax.default", "max.dim"), (Literal("-Infinity"), _better(">"))),
    **dict.fromkeys(("argmin.default", "min.dim"), (Literal("Infinity"), _better("<"))),
}
"""Where the search for the first largest or smallest starts, and what is better."""


# Views -------------------------------------------------------------------------------------------------------


def _moved(dim: int, rank: int) -> int:
    return dim % max(rank, 1)


def _same(shape: Shape, out: Shape, _: dict[str, Any]) -> list[Axis]:
    return [Axis(0, d, 1) for d in range(len(shape))]


def _permute(shape: Shape, out: Shape, a: dict[str, Any]) -> list[Axis]:
    order = [_moved(d, len(shape)) for d in a["dims"]]
    return [Axis(0, order.index(d), 1) for d in range(len(shape))]


def _select(shape: Shape, out: Shape, a: dict[str, Any]) -> list[Axis]:
    dim = _moved(a["dim"], len(shape))
    rest = iter(range(len(out)))
    index = a["index"] % shape[dim]
    return [Axis(index) if d == dim else Axis(0, next(rest), 1) for d in range(len(shape))]


def _slice(shape: Shape, out: Shape, a: dict[str, Any]) -> list[Axis]:
    dim = _moved(a["dim"], len(shape))
    start, _, step = slice(a["start"], a["end"], a["step"]).indices(shape[dim])
    return [Axis(start, d, step) if d == dim else Axis(0, d, 1) for d in range(len(shape))]


def _flip(shape: Shape, out: Shape, a: dict[str, Any]) -> list[Axis]:
    dims = {_moved(d, len(shape)) for d in a["dims"]}
    return [Axis(n - 1, d, -1) if d in dims else Axis(0, d, 1) for d, n in enumerate(shape)]


def _diagonal(shape: Shape, out: Shape, a: dict[str, Any]) -> list[Axis]:
    first, second = _moved(a["dim1"], len(shape)), _moved(a["dim2"], len(shape))
    starts = {first: max(-a["offset"], 0), second: max(a["offset"], 0)}
    rest = iter(range(len(out)))
    return [
        Axis(starts[d], len(out) - 1, 1) if d in starts else Axis(0, next(rest), 1) for d in range(len(shape))
    ]


VIEWS: dict[str, Callable[[Shape, Shape, dict[str, Any]], list[Axis]]] = {
    **dict.fromkeys(
        ("alias.default", "clone.default", "detach.default", "lift_fresh_copy.default", "contiguous.default"),
        _same,
    ),
    **dict.fromkeys(
        ("unsqueeze.default", "squeeze.default", "squeeze.dim", "squeeze.dims"),
        lambda shape, out, _: without_ones(shape, out),
    ),
    "permute.default": _permute,
    "expand.default": lambda shape, out, _: expanding(shape, out),
    "select.int": _select,
    "slice.Tensor": _slice,
    "flip.default": _flip,
    "diagonal.default": _diagonal,
}
"""From a tensor's shape, its view's shape and the arguments: one :class:`Axis` for every axis of the tensor."""

RESHAPES = ("view.default", "_unsafe_view.default", "reshape.default")

EMPTY = (
    *("empty.memory_format", "empty_like.default", "new_empty.default", "empty_permuted.default"),
    *("empty_strided.default", "new_empty_strided.default"),
)

SCATTERS = {
    "slice_scatter.default": "slice.Tensor",
    "select_scatter.default": "select.int",
    "diagonal_scatter.default": "diagonal.default",
}
"""Operations that overwrite a view of a copy, and that view."""


OVERWRITES = (*SCATTERS, "copy.default", "fill.Scalar", "fill.Tensor", "index_put.default", "scatter.src")
"""Operations that give back their first operand, some or all of it overwritten."""

# Advice ------------------------------------------------------------------------------------------------------

VALUE = (
    "Python asks for a number here that a slider will change (.item(), float(), int(), an `if` or `while`, a range, a "
    "place in a list, a format), which a trace does not have: choose with torch.where, take an element of a tensor "
    "with index_select, or pass a Python number"
)
CHANCE = "a page has no torch generator: pass the noise in, or derive it from a seed with lib.noise"
SPARSE = "sparse tensors are not traced: use .to_dense(), or index_add for their sums"
BOTH = (
    "compute both branches, and choose with torch.where; what the other side of a choice alone reads is not computed "
    "in the page"
)
ADVICE: dict[str, str] = {
    **dict.fromkeys(("mode", "cummax", "cummin"), "compare all pairs, or use amax, argmax and cumsum"),
    **dict.fromkeys(
        ("_linalg_eigh", "_linalg_svd", "linalg_eig", "linalg_qr"),
        "a few rounds of power iteration give leading eigenvectors",
    ),
    **dict.fromkeys(
        ("_linalg_solve_ex", "linalg_inv_ex", "linalg_lu_factor_ex", "_linalg_det", "linalg_cholesky_ex"),
        "elimination is written out up to 32 rows: for more iterate a fixed number of times",
    ),
    **dict.fromkeys(
        ("nonzero", "masked_select", "unique_consecutive", "_unique2", "bincount"),
        "shapes must not depend on values: weigh with torch.where instead",
    ),
    **dict.fromkeys(
        ("as_strided", "as_strided_scatter", "unfold"),
        "use slices, permute, reshape or an index instead, and for a gradient of what is changed in place cat, stack "
        "or where",
    ),
    **dict.fromkeys(("empty", "empty_like", "empty_permuted"), "an empty tensor holds anything: use zeros"),
    "new_empty_strided": "the gradient of what changes a view in place needs it: use cat, stack or where instead",
    "_local_scalar_dense": VALUE,
    **dict.fromkeys(
        ("resize", "set"), "a tensor's memory is not traced: make a new tensor of the shape instead"
    ),
    **dict.fromkeys(("_to_sparse", "sparse_coo_tensor"), SPARSE),
    "cond": BOTH,
    "histogram": "torch.histc has JavaScript: use that",
    "linalg_matrix_exp": "sum the series, or use torch.linalg.solve in a Padé quotient",
    **dict.fromkeys(("bitwise_and", "bitwise_or", "bitwise_xor"), "bitwise operations are for booleans only"),
}


def advice(operation: str) -> str:
    """What to do about an operation that has no JavaScript."""
    return ADVICE.get(operation, "write it with arithmetic, where, reductions, matmul, slices or indexing")


def dims_of(dim: int | Sequence[int] | None, rank: int) -> list[int]:
    """The axes that a reduction's ``dim`` means: none given is all of them."""
    if dim is None or dim == []:
        return list(range(rank))
    listed = [dim] if isinstance(dim, int) else dim
    return [_moved(d, rank) for d in listed] if rank else []


# Nodes of a trace --------------------------------------------------------------------------------------------


def name_of(node: Node) -> str:
    """The operation and its overload: "sum.dim_IntList"."""
    return str(node.target).removeprefix("aten.")


def base_of(node: Node) -> str:
    """The operation: "sum"."""
    return name_of(node).split(".")[0]


def shape_of(node: Node) -> Shape:
    return tuple(node.meta["val"].shape)


def dtype_of(node: Node) -> torch.dtype:
    return node.meta["val"].dtype


def arguments(node: Node) -> dict[str, Any]:
    """All arguments by name, defaults included."""
    assert isinstance(node.target, torch._ops.OpOverload)
    named = {argument.name: argument.default_value for argument in node.target._schema.arguments}
    return named | dict(zip(named, node.args, strict=False)) | dict(node.kwargs)
