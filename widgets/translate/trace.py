"""Translates a pure torch function to plain JavaScript over Float64Arrays: right, or refused.

    torch function ──make_fx──▶ graph ──emitters──▶ tree of loops ──passes──▶ tree ──printer──▶ JavaScript

The function is traced into ATen operations, what depends on no input is computed here and now, and the rest becomes
loops. A value is either an affine view of an array, so that slices, transposes and broadcasts cost nothing, or an
expression of its indices, which joins the loop that needs it; what is used twice gets an array, or a variable if it
is a single number. Variables bear the names of the trace's nodes.

Inputs are float64 (bool and int64 pass as 0/1 and whole numbers), shapes are static, Python numbers are baked in.
The sign of a NaN is lost. What nobody reads, of rows or of the sides of a choice, is not computed (``liveness``), so
an index out of range is no error there.
"""

from __future__ import annotations

import functools
import hashlib
import math
import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch._decomp import core_aten_decompositions, decomposition_table
from torch._subclasses.fake_tensor import FakeTensor
from torch.fx import GraphModule, Interpreter, Node
from torch.fx import traceback as origins
from torch.fx.experimental.proxy_tensor import make_fx
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.overrides import TorchFunctionMode
from torch.utils import _pytree as pytree

from widgets.translate import aten, author, liveness, progress, rolling
from widgets.translate.aten import name_of, shape_of
from widgets.translate.complex_numbers import Pairs, has_complex
from widgets.translate.decompositions import DECOMPOSITIONS, REPLACED
from widgets.translate.emitters import DTYPES, Emitter, by_chance, has_javascript
from widgets.translate.recording import (
    Input,
    Operation,
    Recording,
    beside,
    count_operations,
    look_of,
    record,
    run_again,
)
from widgets.translate.refusals import IN_PLACE, SPARSE, UnsupportedOperation, refusal, sentence_of
from widgets.translate.repetitions import LEAST_OPERATIONS
from widgets.translate.ties import has_places, settled
from widgets.translate.values import Shape, squeezed, strides

__all__ = ["Kernel", "UnsupportedOperation", "compile"]

LARGEST_FOLDED = 1024
"""Numbers in a constant that is computed here although a short loop could make it (an identity matrix, a mask)."""

FEWEST_REPEATS = 20
"""Minimum repeats before a sequence of operations is called a loop."""

NEEDS_TWO_TRACES = (
    *("mutating a non-functional tensor", "requires_grad_()", "does not require grad"),
    *("backward() called inside a functorch transform", "custom_function_call", "setup_context"),
)
"""What torch says of changes, of a tape and of an autograd.Function that it cannot follow while it is taking changes
out."""

EXPOSING_STORAGE = {
    *(Tensor.numpy, Tensor.__array__, Tensor.__dlpack__, Tensor.data_ptr),
    *(Tensor.apply_, Tensor.map_, Tensor.map2_),
}
"""Methods that expose a tensor's storage, which in a traced tensor holds anything, or is not there at all."""

MORE_DECOMPOSITIONS = (
    *("_softmax.default", "_log_softmax.default", "addmm.default", "linalg_vector_norm.default"),
    *("repeat.default", "embedding.default"),
    *("leaky_relu.default", "elu.default", "hardtanh.default", "gelu.default"),
    *("native_layer_norm.default", "native_batch_norm.default", "max_pool2d_with_indices_backward.default"),
    *("_native_batch_norm_legit.no_stats", "_native_batch_norm_legit_no_training.default"),
)


class Kernel(NamedTuple):
    """A function as JavaScript.

    ``source`` is an expression, ``(constants) => (ins, outs) => void``; a small step takes a third argument, how many
    steps to take at most, and returns how many it has taken: it stops once it is done. All arrays are Float64Array, in
    row-major order, 0-d tensors have length 1, booleans are 0 or 1. ``ins`` are only read; ``outs`` must not
    share memory with ``ins`` or with each other. Arrays for intermediate results are made once, by the outer
    function.
    """

    name: str
    source: str
    inputs: tuple[Shape, ...]
    outputs: tuple[Shape, ...]
    constants: Tensor
    """(n,) float64: the tensors baked in, one after the other."""
    reads: tuple[int, ...]
    """The places of the inputs that some output depends on."""
    stays: tuple[int, ...]
    """The places of the leaves of a state that come out as they went in: they are not written."""
    operations: int
    """How many operations of torch were traced."""
    repeats: int
    """How often the same operations follow each other, as they do when Python's loop is written out; else 1."""


def compile(
    fn: Callable[..., Any],
    example_inputs: Sequence[Tensor],
    name: str = "kernel",
    state: int = 0,
    counted: Callable[[int], None] = lambda operations: None,
) -> Kernel:
    """Translate a pure torch function.

    Args:
        fn: takes as many tensors as there are examples and returns a tensor or a (nested) tuple, dict or
            NamedTuple of tensors, whose leaves become the outputs. Tensors it closes over become constants.
        example_inputs: give shapes and dtypes; their values do not matter.
        name: says which kernel an error is about.
        state: so many inputs and outputs, the first, are a state that goes round.
        counted: is told how many operations the function has, before what takes long.

    Raises:
        UnsupportedOperation: an operation or dtype without JavaScript, or control flow on a tensor's value.
        TypeError: ``fn`` returns something that is not a tensor.
    """
    return written(traced(fn, example_inputs, name, counted), name, state)


def traced(
    fn: Callable[..., Any],
    example_inputs: Sequence[Tensor],
    name: str = "kernel",
    counted: Callable[[int], None] = lambda operations: None,
) -> GraphModule:
    """The first half of :func:`compile`: the function as a graph of ATen operations."""
    for place, example in enumerate(example_inputs):
        if example.dtype not in DTYPES:
            raise UnsupportedOperation(
                f"kernel {name!r}: input {place} is {example.dtype}: inputs must be float64"
            )
    # clones, because a tensor that is two inputs at once, or an input and closed over, would be traced as one
    examples = [example.detach().clone() for example in example_inputs]
    rolled = _with_loops(fn, examples, name, counted)
    module = _trace(rolled or fn, examples, name)
    module.meta["rolled"] = rolled  # the loops live as long as it
    return module


def written(module: GraphModule, name: str, state: int = 0) -> Kernel:
    """The second half: a graph in JavaScript. The graph is used up."""
    operations = sum(node.op == "call_function" for node in module.graph.nodes)
    _merge_repeated(module)
    *nodes, end = module.graph.nodes
    results: Sequence[Node] = end.args[0]
    inputs = [node for node in nodes if node.op == "placeholder"]
    stays = tuple(place for place in range(state) if results[place] is inputs[place])
    known = _fold(module, nodes, name)
    uses = _count_uses(nodes, results, known)
    emitter = _emit(name, nodes, results, known, uses)
    for place, node in enumerate(results):
        if place not in stays:
            emitter.output(place, emitter.value(node))
    return Kernel(
        name,
        emitter.source(aten.HELPERS, state),
        tuple(shape_of(node) for node in inputs),
        tuple(shape_of(node) for node in results),
        torch.cat([torch.empty(0, dtype=torch.float64), *emitter.constants]),
        tuple(place for place, node in enumerate(inputs) if node in uses),
        stays,
        operations,
        _repeats([str(node.target) for node in nodes if node.op == "call_function"]),
    )


def graph_hash(module: GraphModule) -> str:
    """A hash of all that is written of a graph: its operations in order, their shapes, and the numbers baked in."""
    result = hashlib.sha256()
    for node in module.graph.nodes:
        value = node.meta.get("val")
        look = (tuple(value.shape), value.dtype, value.stride()) if isinstance(value, Tensor) else value
        args = node.args
        if (
            node.target is rolling.REPEAT
        ):  # a loop's number is another one each time: its body says what it is
            body, args = rolling.BODIES[args[0]], args[1:]
            result.update(repr((graph_hash(body.module), *body[1:])).encode())
        result.update(repr((node.op, node.name, str(node.target), args, node.kwargs, look)).encode())
        if node.op == "get_attr":
            number = getattr(module, str(node.target)).detach().contiguous()
            result.update(repr((number.dtype, number.shape)).encode() + number.numpy().tobytes())
    return result.hexdigest()


def _emit(
    name: str,
    nodes: Sequence[Node],
    results: Sequence[Node],
    known: dict[Node, Any],
    uses: dict[Node, int],
) -> Emitter:
    """An emitter that has written every node, all but the outputs.

    Args:
        nodes: those of the trace, without its end.
        known: the values of those that depend on no input.
        uses: how often each node is read.
    """
    targets = {node.name: (place, shape_of(node)) for place, node in reversed(list(enumerate(results)))}
    computed = [node for node in nodes if node.op == "call_function" and node in uses and node not in known]
    masks, guards = liveness.masks(computed, results), liveness.guards(computed, results, known)

    def body_kernel(body: rolling.Body) -> tuple[str, Tensor]:
        kernel = compile(
            body.module, [torch.zeros(look.shape, dtype=look.dtype) for look in body.inputs], name
        )
        return kernel.source, kernel.constants

    emitter = Emitter(name, targets, known, uses, masks, guards, body_kernel)
    emitter.layouts = _layouts(computed, uses, targets)
    for place, node in enumerate(node for node in nodes if node.op == "placeholder"):
        emitter.env[node] = emitter.input(place, shape_of(node), node.meta["val"].dtype)
    for place, node in enumerate(liveness.in_order(computed, masks, guards)):
        progress.tell(f"{name}: {place:,} of {len(computed):,} operations written")
        emitter.emit(node)
    emitter.guard = ()
    return emitter


# Tracing -----------------------------------------------------------------------------------------------------


def _trace(fn: Callable[..., Any], examples: Sequence[Tensor], name: str) -> GraphModule:
    """The function as a graph of ATen operations that change nothing in place."""

    leaves = functools.partial(_leaves, fn, name)
    try:
        with origins.preserve_node_meta(), sdpa_kernel(SDPBackend.MATH):
            try:
                with _Watch(name):
                    module = _graph(leaves, examples)
            except RuntimeError as error:
                if not any(words in str(error) for words in NEEDS_TWO_TRACES):
                    raise
                module = _graph_of_changes(leaves, examples, name)
            if _has_lost(module):
                try:
                    module = _graph_of_changes(leaves, examples, name)
                except RuntimeError:
                    # a layer that is made inside is refused for its random weights
                    if not any(map(by_chance, module.graph.nodes)):
                        raise
            _refuse_changes(module, name)
            if has_complex(module):
                module = _graph(Pairs(module, name).run, examples)
            _squeeze_copies(module)
            if has_places(module):
                module = _graph(functools.partial(settled, module), examples)
            if any(_mutates(node) for node in module.graph.nodes):  # some decompositions work in place
                module = _graph(Interpreter(module).run, examples)
    except UnsupportedOperation:
        raise
    except Exception as error:
        if sentence := sentence_of(error):
            raise refusal(name, author.line_of(error), sentence) from error
        _raised_by_torch_too(leaves, examples, name, error)
        words = f"torch runs it, and cannot trace it: {str(error).splitlines()[0]}"
        raise refusal(name, author.line_of(error), words) from error
    _refuse_changes(module, name)
    return module


def _has_lost(module: GraphModule) -> bool:
    """Whether torch took a tensor without numbers, such as what ``nn.Parameter(a * x)`` was made of, for a constant."""
    constants = (getattr(module, str(node.target)) for node in module.graph.nodes if node.op == "get_attr")
    return any(isinstance(constant, FakeTensor) for constant in constants)


def _leaves(fn: Callable[..., Any], name: str, *inputs: Tensor) -> list[Tensor]:
    """What the function returns, as a list."""
    flat = pytree.tree_leaves(fn(*inputs))
    for leaf in flat:
        if not isinstance(leaf, Tensor):
            raise TypeError(f"kernel {name!r} returns {leaf!r}: must be tensors only")
    return flat


def _with_loops(
    fn: Callable[..., Any], examples: Sequence[Tensor], name: str, counted: Callable[[int], None]
) -> GraphModule | None:
    """The function with the loops that Python has written out; None if it has none, or if it can't be recorded.

    Whatever stops the recording stops the trace, too, which has the words for it.
    """
    leaves = functools.partial(_leaves, fn, name)
    try:
        operations = count_operations(leaves, examples)
    except Exception:
        return None
    if operations < LEAST_OPERATIONS:
        return None
    counted(operations)
    try:
        eager = torch.compiler.set_stance("force_eager")  # torch.cond would compile, and keep what it learns
        with eager, origins.preserve_node_meta(), sdpa_kernel(SDPBackend.MATH), _Watch(name):
            try:
                recording = record(torch.func.functionalize(leaves), examples)
            except RuntimeError as error:
                if not any(words in str(error) for words in NEEDS_TWO_TRACES):
                    raise
                recording = _recording_of_changes(leaves, examples)
            finally:
                leaves(*beside(examples))  # what it leaves behind has numbers again
    except Exception:
        return None
    if any(isinstance(entry, Operation) and entry.target._schema.is_mutable for entry in recording.entries):
        return None
    rolled = rolling.rolled(recording)
    return rolled and rolling.module_of(rolled, len(examples))


def _recording_of_changes(fn: Callable[..., Any], examples: Sequence[Tensor]) -> Recording:
    """The recording of a function that changes tensors in place; see :func:`_graph_of_changes`."""
    first = record(fn, examples)
    constants: list[Tensor] = []
    entries = list(first.entries)
    for place, entry in enumerate(entries):
        if isinstance(entry, Tensor):
            entries[place] = Input(len(examples) + len(constants), look_of(entry))
            constants.append(entry)
    again = functools.partial(run_again, Recording(entries, first.results))
    second = record(torch.func.functionalize(again), [*examples, *constants])
    for place, entry in enumerate(second.entries):
        if isinstance(entry, Input) and entry.number >= len(examples):
            second.entries[place] = constants[entry.number - len(examples)]
    return second


def _refuse_changes(module: GraphModule, name: str) -> None:
    """Refuse what changes an input or a constant: in the end the new value, which knows its line, is copied there."""
    for node in module.graph.nodes:
        if _mutates(node) and node.all_input_nodes[0].op in ("placeholder", "get_attr"):
            raise refusal(name, node.all_input_nodes[-1].meta.get("stack_trace") or "", IN_PLACE)


def _raised_by_torch_too(
    fn: Callable[..., Any], examples: Sequence[Tensor], name: str, error: Exception
) -> None:
    """Pass on an error of the function itself, which has nothing to do with tracing."""
    try:
        with torch.compiler.set_stance("force_eager"):  # torch.cond would compile, and keep what it learns
            fn(*(example.clone() for example in examples))
    except Exception:
        error.add_note(f"while tracing kernel {name!r}")
        raise error from None


class _Watch(TorchFunctionMode):
    """Notes the author's line of each call of torch, and says how many there have been.

    It refuses to expose a traced tensor's storage to NumPy and others, which would bake in what they find there.
    """

    def __init__(self, name: str):
        super().__init__()
        self.name = name
        self.calls = 0

    def __enter__(self) -> _Watch:
        self.kept = torch.utils.dlpack.to_dlpack  # it asks no mode
        torch.utils.dlpack.to_dlpack = torch.to_dlpack = Tensor.__dlpack__  # type: ignore[assignment]
        return super().__enter__()

    def __exit__(self, *error: Any) -> None:
        torch.utils.dlpack.to_dlpack = torch.to_dlpack = self.kept
        super().__exit__(*error)

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Sequence[Any] = (), kwargs: Any = None
    ) -> Any:
        if torch.compiler.is_dynamo_compiling():  # the tracer of torch.cond, which would trace what follows
            return func(*args, **(kwargs or {}))
        if func.__name__ == "__get__":  # an attribute: torch itself asks for a hundred thousand
            return func(*args)
        self.calls += 1
        progress.tell(f"{self.name}: {self.calls:,} operations traced")
        origins.set_stack_trace([author.line(sys._getframe(1))])
        if func.__name__ == "__set__" and getattr(func, "__self__", None) is Tensor.data:
            return self._set_data(*args)
        if func.__name__.startswith("_foreach_"):
            return _one_by_one(func.__name__, args, kwargs or {})
        if func in EXPOSING_STORAGE and (
            torch._is_functional_tensor(args[0]) or isinstance(args[0], FakeTensor)
        ):
            raise refusal(
                self.name,
                author.line(sys._getframe(1)),
                f"{func.__name__} asks for a traced tensor's memory, as NumPy does: use torch's own functions, and "
                "torch.as_tensor for arrays",
            )
        return REPLACED.get(func, func)(*args, **(kwargs or {}))

    def _set_data(self, tensor: Tensor, data: Tensor) -> None:
        """``tensor.data = data`` as a copy: torch swaps the memory behind a trace, which can end the process."""
        if tensor.shape != data.shape:
            raise refusal(
                self.name,
                author.line(sys._getframe(2)),
                f".data of shape {tuple(tensor.shape)} becomes {tuple(data.shape)}: must keep its shape; make a new "
                "tensor instead",
            )
        with torch.no_grad():
            tensor.copy_(data)


def _one_by_one(name: str, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """What torch does to many tensors at once, as it clips gradients, for each of them."""
    one = (
        torch.linalg.vector_norm
        if name == "_foreach_norm"
        else getattr(Tensor, name.removeprefix("_foreach_"))
    )
    done = [
        one(*(arg[place] if isinstance(arg, (list, tuple)) else arg for arg in args), **kwargs)
        for place in range(len(args[0]))
    ]
    return None if name.endswith("_") else done


def _graph(fn: Callable[..., Any], examples: Sequence[Tensor]) -> GraphModule:
    """The function's trace on fake tensors, which have shapes and no numbers."""
    return make_fx(
        torch.func.functionalize(fn),
        decomposition_table=decompositions(),
        tracing_mode="fake",
        _allow_non_fake_inputs=True,
    )(*examples)


def _graph_of_changes(fn: Callable[..., Any], examples: Sequence[Tensor], name: str) -> GraphModule:
    """The trace of a function that changes tensors in place which it made of others than its arguments.

    Torch's own tape, ``loss.backward()``, is of the same kind. The first trace has the changes as they are written;
    the second one has its constants as arguments, and so knows what is changed.
    """
    with _Watch(name):
        first = make_fx(fn, tracing_mode="fake", _allow_non_fake_inputs=True)(*examples)
    constants = [node for node in first.graph.nodes if node.op == "get_attr"]
    tensors = [getattr(first, str(node.target)) for node in constants]
    _constants_as_inputs(first, constants)
    copies = [tensor.detach().clone() for tensor in tensors]
    module = _graph(Interpreter(first).run, [*examples, *copies])
    for node, tensor in zip(list(module.graph.nodes)[len(examples) :], tensors, strict=False):
        attribute = f"_constant_of_{node.name}"
        module.register_buffer(attribute, tensor.detach())
        with module.graph.inserting_before(node):
            constant = module.graph.get_attr(attribute)
        constant.meta = dict(node.meta)
        node.replace_all_uses_with(constant)
        module.graph.erase_node(node)
    return module


def _constants_as_inputs(module: GraphModule, constants: Sequence[Node]) -> None:
    """Make constants further inputs, after those that there are."""
    inputs = [node for node in module.graph.nodes if node.op == "placeholder"]
    after = inputs[-1] if inputs else None
    for number, node in enumerate(constants):
        ahead = module.graph.inserting_after(after) if after else module.graph.inserting_before()
        with ahead:
            after = module.graph.placeholder(f"constant_{number}")
        after.meta = dict(node.meta)
        node.replace_all_uses_with(after)
        module.graph.erase_node(node)
    module.recompile()


@functools.cache
def decompositions() -> dict[Any, Callable[..., Any]]:
    """The operations that are written with others, each with the function that does so."""
    table = dict(core_aten_decompositions())
    for name in MORE_DECOMPOSITIONS:
        operation, overload = name.split(".")
        target = getattr(getattr(torch.ops.aten, operation), overload)
        table[target] = decomposition_table[target]
    table[torch.ops.aten.var.correction] = lambda x, *dim, **rest: _variance(x, *dim, **rest)[0]
    table[torch.ops.aten.var_mean.correction] = _variance
    return table | DECOMPOSITIONS


def _variance(
    x: Tensor, dim: Sequence[int] | None = None, *, correction: float | None = None, keepdim: bool = False
) -> tuple[Tensor, Tensor]:
    """Σ (x − mean)² / (n − correction), and the mean."""
    dims = aten.dims_of(dim, x.ndim)
    centred = x - x.mean(dims, keepdim=True)
    freedom = math.prod(x.shape[d] for d in dims) - (1 if correction is None else correction)
    return (centred * centred).sum(dims, keepdim=keepdim) / max(freedom, 0), x.mean(dims, keepdim=keepdim)


def _mutates(node: Node) -> bool:
    return isinstance(node.target, torch._ops.OpOverload) and node.target._schema.is_mutable


def _squeeze_copies(module: GraphModule) -> None:
    """Squeeze out of place what nobody else reads: so torch ends the product of a vector and a matrix."""
    for node in module.graph.nodes:
        squeezed_node = node.args[0] if node.target is torch.ops.aten.squeeze_.dim else None
        if squeezed_node and squeezed_node.op == "call_function" and list(squeezed_node.users) == [node]:
            node.target = torch.ops.aten.squeeze.dim


def _repeats(operations: Sequence[str]) -> int:
    """How often a sequence goes through the same operations, if nine tenths of it have a period."""
    _, codes = np.unique(np.array(operations, dtype=str), return_inverse=True)
    for period in range(1, len(codes) // FEWEST_REPEATS + 1):
        if np.mean(codes[period:] == codes[:-period]) >= 0.9:
            middle = len(codes) // 2
            in_a_period = np.bincount(codes[middle : middle + period], minlength=codes.max() + 1)
            everywhere = np.bincount(codes)
            return int((everywhere[in_a_period > 0] // in_a_period[in_a_period > 0]).min())
    return 1


def _uninitialised(node: Node) -> bool:
    return name_of(node).startswith(("empty", "new_empty")) and math.prod(shape_of(node)) > 0


# The graph ---------------------------------------------------------------------------------------------------


def _merge_repeated(module: GraphModule) -> None:
    """Merge nodes that compute the same thing."""
    first: dict[tuple[str, ...], Node] = {}
    for node in list(module.graph.nodes):
        if (operand := _identity_of(node)) is not None:
            node.replace_all_uses_with(operand)
        elif node.op in ("call_function", "get_attr") and not by_chance(node):
            # by what is printed: 0, 0.0, −0.0 and False are equal to Python, and not the same
            key = (node.op, str(node.target), repr(node.args), repr(node.kwargs))
            twin = first.setdefault(key, node)
            if twin is not node:
                node.replace_all_uses_with(twin)
    module.graph.eliminate_dead_code()


def _identity_of(node: Node) -> Node | None:
    """The operand that a node returns unchanged: a slice of all of it, a concatenation of one piece."""
    if node.op != "call_function" or name_of(node) not in ("slice.Tensor", "cat.default", *aten.RESHAPES):
        return None
    operand, *more = node.all_input_nodes
    alike = str(shape_of(operand)) == str(shape_of(node))  # as text: a size may not be known
    return operand if alike and not more else None


def _fold(module: GraphModule, nodes: Sequence[Node], name: str) -> dict[Node, Any]:
    """The values of all nodes that depend on no input."""
    known: dict[Node, Any] = {}

    def filled(arguments: Any) -> Any:
        return torch.fx.node.map_arg(arguments, known.__getitem__)

    for node in nodes:
        if node.op == "get_attr":
            attribute = getattr(module, str(node.target))
            if isinstance(attribute, Tensor):  # a generator is none
                known[node] = attribute.detach()
        elif node.op == "placeholder" or by_chance(node) or _uninitialised(node):
            continue
        elif name_of(node) == "full_like.default" and not isinstance(node.args[1], Node):
            known[node] = torch.full(shape_of(node), node.args[1], dtype=node.meta["val"].dtype)  # type: ignore[arg-type]
        elif all(operand in known for operand in node.all_input_nodes):
            # computed here, it may lie in memory in another order than it did when it was traced
            target: Any = torch.reshape if name_of(node) in aten.RESHAPES else node.target
            try:
                result = target(*filled(node.args), **filled(node.kwargs))
            except ArithmeticError as error:  # what is not decided
                raise refusal(name, node.meta.get("stack_trace") or "", str(error)) from error
            if isinstance(result, Tensor) and result.layout != torch.strided:
                raise refusal(name, node.meta.get("stack_trace") or "", SPARSE)
            if not _cheaper_in_a_loop(node, result, known):
                known[node] = result
    return known


def _cheaper_in_a_loop(node: Node, result: Any, known: dict[Node, Any]) -> bool:
    """Whether a page should rather compute a big constant than load it."""
    if not isinstance(node.target, torch._ops.OpOverload) or not has_javascript(node):
        return False
    if not isinstance(result, Tensor) or result.dtype not in DTYPES:
        return False
    operands = [known[operand] for operand in node.all_input_nodes]
    sizes = [operand.numel() for operand in operands if isinstance(operand, Tensor)]
    return squeezed(result).numel() > max(LARGEST_FOLDED, *sizes, 0)


def _layouts(
    computed: Sequence[Node], uses: dict[Node, int], targets: dict[str, Any]
) -> dict[str, tuple[int, ...]]:
    """The strides of concatenations that only another one reads: those of the other."""
    layouts: dict[str, tuple[int, ...]] = {}
    for node in reversed(computed):
        if name_of(node) != "cat.default" or node.name in targets:
            continue
        for piece in node.all_input_nodes:
            if name_of(piece) == "cat.default" and uses[piece] == 1:
                layouts[piece.name] = layouts.get(node.name, strides(shape_of(node)))
    return layouts


def _count_uses(nodes: Sequence[Node], results: Sequence[Node], known: dict[Node, Any]) -> dict[Node, int]:
    """How often each node is read by the outputs and by the nodes that they need."""
    uses: dict[Node, int] = {}
    for node in [*results, *reversed(nodes)]:
        uses.setdefault(node, 0)
    for node in results:
        uses[node] += 1
    for node in reversed(nodes):
        if uses[node] and node not in known:
            for leaf in pytree.tree_leaves((node.args, node.kwargs)):
                if isinstance(leaf, Node):
                    uses[leaf] += 1
    return {node: count for node, count in uses.items() if count}
