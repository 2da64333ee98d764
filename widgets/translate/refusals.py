"""Refusals: what stops a translation, at which of the author's lines, and the way out."""

from __future__ import annotations

import re
from typing import NamedTuple

from torch._subclasses.fake_tensor import DataDependentOutputException

from widgets.translate import aten, author


class UnsupportedOperation(Exception):
    """A function that has no JavaScript: the message names the kernel, the author's line, and what to do."""


def refusal(kernel: str, line: str, sentence: str) -> UnsupportedOperation:
    """The error about a line of the author's; ``line`` is "" where it is not known."""
    return UnsupportedOperation(": ".join(filter(None, (f"kernel {kernel!r}", line, sentence))))


IN_PLACE = "changes a tensor in place that was made outside: start from a clone of it"
SHAPE = "shapes must not depend on values, and this one does: weigh with torch.where instead"
SPARSE = aten.SPARSE


ASKS = "Python asks for a number here that a slider will change, which a trace does not have"

INSTEAD = {
    r"(tensor|as_tensor|asarray)\(": "join what is computed with torch.stack, as in torch.stack([a, b])",
    r"(full|new_full)\(": "multiply, as in a * torch.ones(n)",
    r"full_like\(": "multiply, as in a * torch.ones_like(x)",
    r"(arange|range)\(": "count to a Python number, and multiply: a * torch.arange(n)",
    r"roll\(": "take x.index_select(0, (torch.arange(n) - k) % n) in place of torch.roll(x, k)",
    r"leaky_relu\(": "write it out with torch.where, as in torch.where(x > 0, x, a * x)",
    r"(elu|celu|selu)\(": "write it out with torch.where, as in torch.where(x > 0, x, a * torch.expm1(x))",
    r"(hardtanh|threshold|hardshrink|softshrink)\(": "write it out with torch.where or torch.clamp, which take tensors",
    r"(huber|smooth_l1)_loss\(": "write it out with torch.where, as in torch.where(e < a, e**2 / 2, a * (e - a / 2))",
    r"(norm|vector_norm|normalize)\(": "write it out, as in (x.abs() ** a).sum() ** (1 / a)",
    r"(topk|narrow|chunk|split|repeat|expand|zeros|ones|eye|one_hot)\(": "pass a Python number: shapes are fixed",
    r"\w\[(\s*:\s*[^\],\s]|[^\[\],:]+:)": "a slice has a fixed size: weigh with torch.where(torch.arange(n) < k, x, 0)",
    r"[\w)\]]\[.*\]$": "take it with index_select, as in x.index_select(0, i.reshape(1))[0]",
}
"""What the author's code calls, and what has the same result without asking for a number."""


def asks_for_a_number(line: str) -> str:
    """The sentence about an author's line that asks a tensor for its number: what to write instead, or in general."""
    code = line.partition("`")[2].rstrip("`")
    advice = next((words for call, words in INSTEAD.items() if re.search(rf"(?<!\w){call}", code)), "")
    return f"{ASKS}: {advice}" if advice else aten.VALUE


class Words(NamedTuple):
    """What torch says where it cannot trace something, and what we say."""

    pattern: str
    sentence: str


TORCH_SAYS = (
    Words(r"mutating a non-functional tensor", IN_PLACE),
    Words(
        r"requires_grad_\(\)|does not require grad|element 0 of tensors",
        "torch's tape cannot be traced here: take the gradient with torch.func.grad, or with torch.autograd.grad of "
        "what depends on the function's own arguments",
    ),
    Words(
        r"derivative for aten::floor_divide",
        "a floor division has no derivative in torch: it is constant in steps, so .detach() it",
    ),
    Words(
        r"derivative for (\S+) is not implemented|does not support automatic differentiation",
        "torch has no derivative of this operation: .detach() what is constant, or write it with others",
    ),
    Words(
        r"batching operators that can support dynamic shape|vmap: .*boolean mask",
        "which numbers a mask selects is not known, less so for each row of a vmap: weigh with torch.where instead",
    ),
    Words(
        r"vmap: It looks like you're .*\.item\(\)|vmap: .*data-dependent",
        f"{aten.VALUE}, less so for each row of a vmap",
    ),
    Words(r"higher order operator|torch\.cond|cond must be", f"torch.cond is not traced: {aten.BOTH}"),
    Words(r"__format__|format string passed to", aten.VALUE),
    Words(
        r"setup_context",
        "an autograd.Function is traced if its forward is apart from a setup_context staticmethod; a plain function "
        "with torch's own derivative is simpler",
    ),
    Words(r"[Ss]parse", SPARSE),
    Words(r"dynamo-optimized", "leave torch.compile out: the page's code is compiled already"),
    Words(r"torch\.storage\.", "a traced tensor has no memory that could be read: use torch's own functions"),
    Words(r"python storage", "a traced tensor has no memory to copy: use .clone() in place of deepcopy"),
    Words(r"data pointer|unallocated storage|data is not allocated|dispatch_on_subclass", aten.VALUE),
    Words(r"[Qq]uantize", "quantised tensors are not traced: use float64"),
)


def sentence_of(error: Exception) -> str:
    """What we say of an error of torch's; "" if it is none of those that have to do with tracing."""
    from torch.fx.experimental import symbolic_shapes  # brings sympy: half a second

    text = str(error)
    if isinstance(
        error, (DataDependentOutputException, symbolic_shapes.GuardOnDataDependentSymNode)
    ) or re.search(
        r"get value out of a tracing tensor|only integer tensors of a single element|__index__", text
    ):
        return _about_a_value(error)
    if "setup_context" in text and author.raised_in(error).startswith("torch/distributions/"):
        return aten.CHANCE  # a sample
    sentence = next((words.sentence for words in TORCH_SAYS if re.search(words.pattern, text)), "")
    return asks_for_a_number(author.line_of(error)) if sentence == aten.VALUE else sentence


OF_TORCH = {
    "torch/distributions/": "pass validate_args=False to the distribution, whose checks ask for a number",
    "torch/optim/": "a torch.optim optimizer asks for its state's numbers: give it to live(module, optimizer, loss, "
    "data), or write the update out, as in w − rate · gradient",
}
"""Torch's own files that ask for a traced tensor's value, and the way out."""


def _about_a_value(error: Exception) -> str:
    file, sentence = author.raised_in(error), asks_for_a_number(author.line_of(error))
    advice = next((words for begin, words in OF_TORCH.items() if file.startswith(begin)), "")
    if not file or (not advice and sentence != aten.VALUE):
        return sentence
    return (
        f"torch's own {file} asks for a tensor's number, which a slider will change (.item()): "
        f"{advice or aten.VALUE}"
    )
