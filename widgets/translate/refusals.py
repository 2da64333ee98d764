"""Refusals: what stops a translation, at which of the author's lines, and the way out."""

from __future__ import annotations

import re
from typing import NamedTuple

from torch._subclasses.fake_tensor import DataDependentOutputException
from torch.fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode

from widgets.translate import aten, author


class UnsupportedOperation(Exception):
    """A function that has no JavaScript: the message names the kernel, the author's line, and what to do."""


def refusal(kernel: str, line: str, sentence: str) -> UnsupportedOperation:
    """The error about a line of the author's; ``line`` is "" where it is not known."""
    return UnsupportedOperation(": ".join(filter(None, (f"kernel {kernel!r}", line, sentence))))


IN_PLACE = "changes a tensor in place that was made outside: start from a clone of it"
SHAPE = "shapes must not depend on values, and this one does: weigh with torch.where instead"
SPARSE = aten.SPARSE


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
    Words(
        r"higher order operator|torch\.cond|cond must be",
        "torch.cond is not traced: compute both branches, and choose with torch.where; what the other side of a choice "
        "alone reads is not computed in the page",
    ),
    Words(r"only integer tensors of a single element|__index__", aten.VALUE),
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
    text = str(error)
    if isinstance(error, (DataDependentOutputException, GuardOnDataDependentSymNode)) or (
        "get value out of a tracing tensor" in text
    ):
        return _about_a_value(error)
    if "setup_context" in text and author.raised_in(error).startswith("torch/distributions/"):
        return aten.CHANCE  # a sample
    return next((words.sentence for words in TORCH_SAYS if re.search(words.pattern, text)), "")


OF_TORCH = {
    "torch/distributions/": "pass validate_args=False to the distribution, whose checks ask for a number",
    "torch/optim/": "a torch.optim optimizer asks for its state's numbers: give it to live(module, optimizer, loss, "
    "data), or write the update out, as in w − rate · gradient",
}
"""Torch's own files that ask for a traced tensor's value, and the way out."""


def _about_a_value(error: Exception) -> str:
    file = author.raised_in(error)
    if file:
        advice = next((words for begin, words in OF_TORCH.items() if file.startswith(begin)), aten.VALUE)
        return (
            f"torch's own {file} asks for a tensor's number, which a slider will change (.item()): {advice}"
        )
    return aten.VALUE
