"""Shapes and types are as docstrings of lib give them: of what functions return, and of records' fields."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest
import torch
from torch import Tensor

from lib import noise
from lib.recall import escape, general, model, reduction, task

DOCUMENTED = re.compile(r"(?:[\w ,]+, each )?((?:\([^()]+\)(?: or )?)+|0-d)(?: (float64|int64|bool))?")
"""A shape at the beginning of a text, or two, "(B, 2K + 2) or (B, 2K + 3) int64"; or "0-d"."""
Sizes = dict[str, int]
"""The size of each symbol in shapes, such as K."""


class Case(NamedTuple):
    """A call whose result has the shape that its function's docstring gives."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    sizes: Sizes


def size_of(expression: str, sizes: Sizes) -> int:
    """The size that an expression such as "3n²" or "2K + 3 + d" gives.

    Raises:
        KeyError: it has a symbol without a size.
    """
    product = re.sub(r"(?<=[\w|²])\s+(?=[\w|])|(?<=\d)(?=[A-Za-z|])", "*", expression.strip()).replace(
        "²", "**2"
    )
    return int(eval(re.sub(r"\|\w\||[A-Za-z]\w*", lambda match: str(sizes[match[0]]), product), {}))


def matches(shape: tuple[int, ...], documented: str, sizes: Sizes) -> bool:
    """Whether a tensor's shape is the documented one; symbols without a size take the tensor's."""
    dimensions = [dimension.strip() for dimension in documented.split(",") if dimension.strip()]
    if dimensions[:1] == ["…"]:
        dimensions, shape = dimensions[1:], shape[len(shape) - len(dimensions) + 1 :]
    if len(dimensions) != len(shape):
        return False
    for dimension, size in zip(dimensions, shape, strict=True):
        if re.fullmatch(r"\|\w\||[A-Za-z]\w*", dimension):
            sizes.setdefault(dimension, size)
    return [size_of(dimension, sizes) for dimension in dimensions] == list(shape)


def assert_documented(value: Any, text: str, sizes: Sizes) -> None:
    """Refuse a tensor, or a tuple of them, whose shape or type is not what the text begins with."""
    match = DOCUMENTED.match(text)
    assert match, f"no shape in {text!r}"
    shapes = re.findall(r"\(([^()]+)\)", match[1]) or [""]
    for tensor in value if isinstance(value, tuple) else (value,):
        assert any(matches(tuple(tensor.shape), shape, sizes) for shape in shapes), (
            tuple(tensor.shape),
            text,
        )
        assert match[2] is None or str(tensor.dtype) == f"torch.{match[2]}", (tensor.dtype, text)


def field_texts(record: type) -> Iterator[tuple[str, str]]:
    """The name and the docstring of each field that has one."""
    (definition,) = ast.parse(inspect.getsource(record)).body
    assert isinstance(definition, ast.ClassDef)
    for field, text in zip(definition.body, definition.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr):
            yield ast.unparse(field.target), inspect.cleandoc(ast.literal_eval(text.value))


FACTS = task.affine_family(5)
PROMPTS = task.all_prompts(FACTS)
MODEL = model.build(FACTS)
TOKENS = model.sequence(FACTS, PROMPTS)
REDUCED = reduction.reduce(FACTS, PROMPTS)
THETA, OMEGA = torch.zeros(6, dtype=torch.float64), torch.zeros(7, dtype=torch.float64)
NUMBERS = torch.ones(3, dtype=torch.float64)
SEED = torch.tensor(3.0, dtype=torch.float64)
TASK = {"n": FACTS.subjects, "K": 2, "B": PROMPTS.size, "d": MODEL.embedding.shape[1]}
TASK |= {
    "d_P": 7,
    "|V|": 2 * FACTS.subjects + FACTS.relations + 1,
    "|S|": FACTS.subjects,
    "|A|": FACTS.subjects,
}
CALLS = (
    Case(model.associative_memory, (FACTS, MODEL.embedding), TASK),
    Case(model.sequence, (FACTS, PROMPTS), TASK),
    Case(model.sequence, (FACTS, PROMPTS, True), TASK),
    Case(model.attention, (MODEL, TOKENS), TASK),
    Case(model.logits, (MODEL, TOKENS), TASK),
    Case(model.position_block, (THETA, OMEGA, 5), {"K": 2, "d": 5}),
    Case(reduction.match_classes, (2,), {"C": 13, "K": 2}),
    Case(reduction.match_classes, (3,), {"C": 73, "K": 3}),
    Case(reduction.relation_loss, (THETA, REDUCED, 0.1), {}),
    Case(reduction.relation_shares, (THETA, REDUCED, 0.1), {"C": 13}),
    Case(noise.uniform, (SEED, 4), {"count": 4}),
    Case(noise.ball, (SEED, 6, torch.tensor(0.1)), {"d": 6}),
    Case(escape.saddle_spectrum, (NUMBERS,), {}),
    Case(general.after_large_step, (NUMBERS / 8, NUMBERS, NUMBERS / 10), {}),
)
RECORDS = ((MODEL, TASK), (PROMPTS, TASK), (REDUCED, {"C": 13, "K": 2}))


@pytest.mark.parametrize("case", CALLS, ids=lambda case: case.function.__name__)
def test_a_function_returns_the_shape_that_it_documents(case):
    text = inspect.cleandoc(case.function.__doc__).split("Returns:\n")[1].strip()
    assert_documented(case.function(*case.arguments), text, dict(case.sizes))


@pytest.mark.parametrize(("record", "sizes"), RECORDS, ids=lambda value: type(value).__name__)
def test_a_records_fields_have_the_shapes_that_it_documents(record, sizes):
    texts = [
        (name, text) for name, text in field_texts(type(record)) if isinstance(getattr(record, name), Tensor)
    ]
    bound = dict(sizes)
    assert texts
    for name, text in texts:
        assert_documented(getattr(record, name), text, bound)


@pytest.mark.parametrize(
    ("shape", "text"),
    [
        ((3, 4), "(B, B)"),
        ((3,), "(B, K)"),
        ((2, 7), "(B, 2K + 2) or (B, 2K + 4) int64"),
        ((), "(…, 4)"),
        ((1,), "0-d"),
    ],
)
def test_another_shape_is_refused(shape, text):
    with pytest.raises(AssertionError):
        assert_documented(torch.zeros(shape, dtype=torch.int64), text, {"K": 2})


def test_another_type_is_refused():
    with pytest.raises(AssertionError):
        assert_documented(torch.zeros(2), "(2,) float64", {})
