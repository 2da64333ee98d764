"""Writing JavaScript: expressions, tensors as expressions of their indices, and the loops that compute them."""

from __future__ import annotations

import json
import math
import operator
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate, groupby, product
from typing import Literal, NamedTuple

import torch
from torch import Tensor

from widgets.translate.fusion import COPIED, LETTERS, NAME, Block, Step, arranged, copied, slimmed, written

Shape = tuple[int, ...]
Kind = Literal["number", "flag", "truth"]

CONDITIONAL, LOGICAL, COMPARISON, SUM, PRODUCT, UNARY, ATOM = range(7)
"""How tightly a piece of JavaScript binds."""

EXACT = 2**53
"""Doubles hold every whole number up to this."""


# Expressions -------------------------------------------------------------------------------------------------


class Code(str):
    """A JavaScript expression that knows when it needs parentheses.

    ``f"{code:4}"`` is a number that binds at least as tightly as a product; ``f"{code:?4}"`` is a condition.
    ``kind`` is "truth" for JavaScript's own booleans and "flag" for booleans kept as 0 or 1.
    """

    level: int
    kind: Kind

    def __new__(cls, text: str, level: int = ATOM, kind: Kind = "number") -> Code:
        code = super().__new__(cls, text)
        code.level, code.kind = level, kind
        return code

    def __format__(self, spec: str) -> str:
        text, level = str(self), self.level
        if spec.startswith("?"):
            if self.kind == "number":  # NaN is true in torch and false in JavaScript
                text, level = f"{self:3} !== 0", COMPARISON
        elif self.kind == "truth":
            text, level = f"+({self!s})", UNARY
        return text if level >= int(spec.lstrip("?") or 0) else f"({text})"


def number(value: float) -> Code:
    """A number as JavaScript writes it; what is read back is the very same double.

    Raises:
        OverflowError: a whole number that no double holds.
    """
    if float(value) != value and value == value:
        raise OverflowError(f"{value} is not a float64")
    value = float(value)
    if math.isnan(value):
        return Code("NaN")
    if math.isinf(value):
        return Code("Infinity") if value > 0 else Code("-Infinity", UNARY)
    whole = value.is_integer() and 0 < abs(value) < 1e15
    text = str(int(value)) if whole else repr(value).removesuffix(".0")
    return Code(text, UNARY if text.startswith("-") else ATOM)


class Affine(NamedTuple):
    """An index: ``constant + Σ coefficient · variable``."""

    constant: int = 0
    terms: tuple[tuple[str, int], ...] = ()

    @classmethod
    def of(cls, code: Code) -> Affine:
        return cls(int(code)) if code.isdecimal() else cls(0, ((f"{code:6}", 1),))

    def times(self, factor: int) -> Affine:
        return Affine(self.constant * factor, tuple((v, c * factor) for v, c in self.terms if factor))

    def plus(self, other: Affine) -> Affine:
        total = dict(self.terms)
        for variable, coefficient in other.terms:
            total[variable] = total.get(variable, 0) + coefficient
        return Affine(self.constant + other.constant, tuple((v, c) for v, c in total.items() if c))

    def code(self) -> Code:
        pieces = [(c, v if abs(c) == 1 else f"{abs(c)} * {v}") for v, c in self.terms]
        if self.constant or not pieces:
            pieces.append((self.constant, str(abs(self.constant))))
        text = "".join(f" {'-' if c < 0 else '+'} {piece}" for c, piece in pieces)
        text = f"-{text[3:]}" if text.startswith(" -") else text[3:]
        return Code(text, ATOM if len(pieces) == 1 and re.fullmatch(r"\w+", text) else SUM)


Index = Sequence[Affine]
HERE = Affine()


# Tensors -----------------------------------------------------------------------------------------------------


class Axis(NamedTuple):
    """The index along one axis of a tensor, ``start + step · (index along axis source of its view)``."""

    start: int = 0
    source: int | None = None
    step: int = 0


class Memory(NamedTuple):
    """A strided part of an array."""

    array: str
    offset: int
    strides: tuple[int, ...]

    def at(self, index: Index) -> str:
        place = Affine(self.offset)
        for one, stride in zip(index, self.strides, strict=True):
            place = place.plus(one.times(stride))
        return f"{self.array}[{place.code()}]"


@dataclass(frozen=True)
class Value:
    """A tensor inside a kernel: how to write its element at an index."""

    shape: Shape
    dtype: torch.dtype
    at: Callable[[Index], Code]
    cost: int = 0
    """Operations that reading one element repeats; 0 for arrays, numbers and constants."""
    memory: Memory | None = None
    literal: float | None = None
    name: str = ""
    mask: Value | None = None
    """That of the rows which are ever read, where some are not."""
    chosen: tuple[Value, Value] | None = None
    """A condition, and what it chooses where the rest is 0."""

    @property
    def size(self) -> int:
        return math.prod(self.shape)


class Mask(NamedTuple):
    """Where loops have anything to do, which so many of their indices decide."""

    depth: int
    at: Callable[[Index], Code]

    def within(self, index: Index) -> Mask:
        """For the loops inside those of the first indices."""
        return Mask(self.depth - len(index), lambda inner: self.at([*index, *inner]))


class Pointwise(NamedTuple):
    """A template that uses every operand once, so that operands may be expressions; and how tightly it binds."""

    template: str
    level: int = ATOM
    truth: bool = False


class Reduction(NamedTuple):
    """A loop's accumulator ``t``."""

    start: str
    update: str
    """How an element ``x`` changes it."""
    alone: Pointwise = Pointwise("{0:6}")
    """What one element comes to."""
    adds: bool = False
    """Whether that is ``t + x``."""
    counts: bool = False
    """Whether it may leave the whole numbers that doubles hold."""


def strides(shape: Shape) -> tuple[int, ...]:
    """Row-major."""
    return tuple(accumulate(reversed(shape[1:]), operator.mul, initial=1))[::-1] if shape else ()


def stored(memory: Memory, shape: Shape, dtype: torch.dtype) -> Value:
    """A part of an array as a value."""
    kind: Kind = "flag" if dtype == torch.bool else "number"
    return Value(shape, dtype, lambda index: Code(memory.at(index), ATOM, kind), memory=memory)


def single(code: Code, shape: Shape, dtype: torch.dtype, literal: float | None = None) -> Value:
    """One number, whatever the shape."""
    code = Code(code, code.level, "flag" if dtype == torch.bool else "number")
    return Value(shape, dtype, lambda _: code, literal=literal)


def viewed(value: Value, shape: Shape, axes: Sequence[Axis]) -> Value:
    """The same numbers under other indices."""
    if value.memory:
        array, offset, old = value.memory
        new = [0] * len(shape)
        for axis, stride in zip(axes, old, strict=True):
            offset += axis.start * stride
            if axis.source is not None:
                new[axis.source] += axis.step * stride
        view = stored(Memory(array, offset, tuple(new)), shape, value.dtype)
        return replace(view, name=value.name)

    def at(index: Index) -> Code:
        return value.at(
            [
                Affine(start) if source is None else index[source].times(step).plus(Affine(start))
                for start, source, step in axes
            ]
        )

    return replace(value, shape=shape, at=at, mask=None, chosen=None)


def expanding(shape: Shape, out: Shape) -> list[Axis]:
    """The axes of a broadcast."""
    ahead = len(out) - len(shape)
    return [Axis() if n == 1 else Axis(0, ahead + d, 1) for d, n in enumerate(shape)]


def ones_apart(shape: Shape, out: Shape) -> list[Axis]:
    """Axes of size 1 come and go; the others stay in order."""
    rest = iter([d for d, n in enumerate(out) if n != 1])
    return [Axis() if n == 1 else Axis(0, next(rest), 1) for n in shape]


def squeezed(tensor: Tensor) -> Tensor:
    """The tensor with every axis along which nothing changes cut down to 1, to the bit."""
    for dim, size in enumerate(tensor.shape):
        if size > 1:
            first = tensor.narrow(dim, 0, 1)
            same = tensor == first
            if tensor.is_floating_point():
                same = (same & (tensor.signbit() == first.signbit())) | (tensor.isnan() & first.isnan())
            if bool(same.all()):
                tensor = first
    return tensor


# Statements --------------------------------------------------------------------------------------------------

SHORT = 8
"""A sum of so few numbers is an expression."""
FEW, TINY = 4, 110
"""A loop of so few turns inside another, its line so short, is written out."""
LONG = 16
"""Loops of at least so many turns are functions of their own; for shorter ones the page would only grow."""

CHECK, READ = re.compile(r"\$w(?:rap|ithin)\([^()]*\)"), re.compile(r"\w+\[[^\[\]]*\]")
"""An index that is checked; an array that is read."""

RESERVED = {
    *("C", "ins", "outs", "Math", "Number", "Object", "Infinity", "NaN", *LETTERS),
    *("arguments", "await", "break", "case", "catch", "class", "const", "continue", "debugger", "default"),
    *("delete", "do", "else", "enum", "eval", "export", "extends", "false", "finally", "for", "function"),
    *("if", "implements", "import", "in", "instanceof", "interface", "let", "new", "null", "package"),
    *("private", "protected", "public", "return", "static", "super", "switch", "this", "throw", "true"),
    *("try", "typeof", "undefined", "var", "void", "while", "with", "yield"),
}


def _called(text: str, helpers: dict[str, str]) -> set[str]:
    """The helpers that a piece of JavaScript calls, and those that they call."""
    found: set[str] = set()
    wanted = set(re.findall(r"\$\w+", text))
    while wanted - found:
        helper = (wanted - found).pop()
        found.add(helper)
        wanted |= set(re.findall(r"\$\w+", helpers.get(helper, "")))
    return found


def _joined(loops: list[tuple[str, int]], lines: list[str]) -> tuple[list[tuple[str, int]], list[str]]:
    """The innermost two loops as one, if the statements only know their common index; and so on outwards."""
    while len(loops) > 1:
        *others, (outer, turns), (inner, size) = loops
        common = re.compile(rf"(?<!-)(?<!- )\b{size} \* {outer} \+ {inner}\b")
        if any(re.search(rf"\b[{outer}{inner}]\b", common.sub("", line)) for line in lines):
            break
        loops, lines = [*others, (outer, turns * size)], [common.sub(outer, line) for line in lines]
    return loops, lines


class Writer:
    """A kernel being written: statements, arrays and baked-in numbers.

    Args:
        name: the kernel's.
        targets: the names of values that are outputs, with the place and the shape of each. Such a value is
            computed in the output's own array.
    """

    def __init__(self, name: str, targets: dict[str, tuple[int, Shape]]):
        self.name = name
        self.targets = dict(targets)
        self.steps: list[Step] = []
        self.heads: list[str] = []
        self.functions: list[list[str]] = []
        self.inputs: dict[str, int] = {}
        """The arrays that are inputs, and how long they are."""
        self.locals: set[str] = set()
        """Names declared in the kernel's body, which a function beside it must be given."""
        self.guard = ""
        """The condition under which alone what is being written is read, a JavaScript expression."""
        self.together = False
        """Whether what is being written is inside a loop."""
        self.plain = False
        """Whether loops are written as they come, for a look at what they touch."""
        self.arrays: dict[str, int] = {}
        self.layouts: dict[str, tuple[int, ...]] = {}
        """The strides of arrays that are made as parts of larger ones."""
        self.parts: dict[str, tuple[str, int]] = {}
        """Arrays that are copied into a larger one, in a row from some place of it: they need none of their own."""
        self.copies: set[str] = set()
        """Arrays that are others but for some places."""
        self.handed: dict[str, tuple[str, Step]] = {}
        """Those of them that go into an output on one side of a choice, and the step that copies them there."""
        self.renamed: dict[str, str] = {}
        self.constants: list[Tensor] = []
        self.pool: dict[bytes, int] = {}
        self.taken = set(RESERVED)
        self.depth = 0

    def source(self, helpers: dict[str, str]) -> str:
        """The whole kernel, with those of the ``helpers`` that it calls."""
        blocks = self._handed(arranged(self.steps, 0))
        body = []
        for guard, those in groupby(blocks, lambda block: block[0].guard):
            body += self._guarded(guard, [line for block in those for line in self._placed(block)])
        slim = slimmed([*self.functions, body], self.arrays, self.fresh, self.parts)
        *beside, lines = [copied(lines, {**self.inputs, **self.arrays}) for lines in slim]
        text = "\n".join(lines)
        heads = [head for head in self.heads if re.search(rf"\b{head.split()[1]}\b", text)]
        functions = [f"  {line}" for function in beside for line in function]
        body = [f"    {line}" for line in [*heads, *lines]]
        called = _called("\n".join([*functions, *body]), helpers)
        setup = [f"  const {helper} = {helpers[helper]};" for helper in sorted(called - {"$name"})]
        if "$name" in called:
            setup.insert(0, f"  const $name = {json.dumps(self.name)};")
        setup += [f"  const {array} = new Float64Array({size});" for array, size in self.arrays.items()]
        return "\n".join(["(C) => {", *setup, *functions, "  return (ins, outs) => {", *body, "  };", "}"])

    def _handed(self, blocks: list[Block]) -> list[Block]:
        """The blocks without those that only hand an array to an output nobody named before, where it then lies."""
        for output, (array, step) in self.handed.items():
            here, there = (
                [n for n, block in enumerate(blocks) if any(name in one.names for one in block)]
                for name in (array, output)
            )
            if array in self.arrays and blocks[here[-1]] == [step] and (here[:-1] or [0])[-1] < there[0]:
                self.renamed[array] = output
                del self.arrays[array], blocks[here[-1]]
        return blocks

    def input(self, place: int, shape: Shape, dtype: torch.dtype) -> Value:
        """One of ``ins``."""
        name = self.fresh(f"x{place}")
        self.locals.add(name)
        if math.prod(shape) == 1:
            self.heads.append(f"const {name} = ins[{place}][0];")
            return single(Code(name), shape, dtype)
        self.heads.append(f"const {name} = ins[{place}];")
        self.inputs[name] = math.prod(shape)
        return stored(Memory(name, 0, strides(shape)), shape, dtype)

    def output(self, place: int, value: Value) -> None:
        """Write one of ``outs``, if it is not written yet."""
        target = Memory(f"o{place}", 0, strides(value.shape))
        if value.memory != target:
            self.head(place)
            self.store(stored(target, value.shape, value.dtype), value)

    def head(self, place: int) -> str:
        line = f"const o{place} = outs[{place}];"
        if line not in self.heads:
            self.heads.append(line)
            self.locals.add(f"o{place}")
        return f"o{place}"

    def constant(self, tensor: Tensor) -> Value:
        """A tensor baked in: numbers that are all the same are written out, others join the pool, once."""
        shape = tuple(tensor.shape)
        if tensor.dtype == torch.int64 and tensor.numel() and tensor.abs().max() > EXACT:
            raise OverflowError("a constant beyond 2**53 is not a float64")
        small = squeezed(tensor).to(torch.float64)
        if small.numel() == 1:
            return single(number(small.item()), shape, tensor.dtype, literal=small.item())
        data = small.contiguous().flatten()
        key = data.numpy().tobytes()
        if key not in self.pool:
            self.pool[key] = sum(one.numel() for one in self.constants)
            self.constants.append(data)
        inner = tuple(small.shape)
        value = stored(Memory("C", self.pool[key], strides(inner)), inner, tensor.dtype)
        return viewed(value, shape, expanding(inner, shape))

    def fresh(self, name: str) -> str:
        """A JavaScript name that nothing has yet."""
        wanted, count = name, 1
        while wanted in self.taken:
            wanted, count = f"{name}_{count}", count + 1
        self.taken.add(wanted)
        return wanted

    def array(self, name: str, shape: Shape, dtype: torch.dtype) -> Value:
        """A new array, or that of the output called ``name``."""
        place, wanted = self.targets.get(name, (0, None))
        if wanted == shape:
            array = self.head(place)
            del self.targets[name]
            steps = strides(shape)
        else:
            array = self.fresh(name)
            steps = self.layouts.pop(name, strides(shape))
            self.arrays[array] = _extent(shape, steps)
        return replace(stored(Memory(array, 0, steps), shape, dtype), name=name)

    def in_memory(self, value: Value) -> Value:
        """The value in an array."""
        if value.memory:
            return value
        array = self.array(value.name or "t", value.shape, value.dtype)
        self.store(array, value, self.rows(value.mask))
        return array

    def is_part(self, value: Value, part: Value) -> None:
        """Note that all of an array was copied into part of another, in which it lies alike."""
        here, there = value.memory, part.memory
        if not here or not there or value.dtype != part.dtype or there.array not in self.arrays:
            return
        if self._whole(value) and _alike(value.shape, here.strides, there.strides):
            self.parts.setdefault(here.array, (there.array, there.offset))

    def hands(self, value: Value, out: Value) -> None:
        """Note that the last step copied a whole array, mostly a copy itself, to an output on one side of a choice."""
        here, there = value.memory, out.memory
        whole = self._whole(value) and value.shape == out.shape and _dense(value)
        if here and there and here.array in self.copies and whole:
            self.handed.setdefault(there.array, (here.array, self.steps[-1]))

    def _whole(self, value: Value) -> bool:
        """Whether it is all of an array that is nobody's input or output."""
        place = value.memory
        return place is not None and self.arrays.get(place.array) == _extent(value.shape, place.strides)

    def computed(self, value: Value) -> Value:
        """The value with its work done: an array, or one ``const``."""
        if value.cost and value.size == 1:
            name = self.local(value.name or "t", f"{value.at([HERE] * len(value.shape)):0}")
            return replace(single(Code(name), value.shape, value.dtype), name=value.name)
        return self.in_memory(value) if value.cost else value

    def expand(self, value: Value, shape: Shape) -> Value:
        """Broadcast; what would be computed several times is computed first."""
        if value.shape == shape:
            return value
        if math.prod(shape) > value.size:
            value = self.computed(value)
        return viewed(value, shape, expanding(value.shape, shape))

    def reshape(self, value: Value, shape: Shape) -> Value:
        """The same numbers in row-major order under another shape."""
        if [n for n in value.shape if n != 1] == [n for n in shape if n != 1]:
            return viewed(value, shape, ones_apart(value.shape, shape))
        if value.literal is not None:
            return replace(value, shape=shape)
        memory = value.memory
        if not memory or not _dense(value):
            memory = self.in_memory(replace(value, memory=None)).memory
        assert memory
        view = stored(memory._replace(strides=strides(shape)), shape, value.dtype)
        return replace(view, name=value.name)

    def step(self, step: Step) -> None:
        """Write down what comes next."""
        self.steps.append(replace(step, guard=self.guard))

    def line(self, text: str) -> None:
        self.step(Step([text]))

    def local(self, name: str, expression: str) -> str:
        """A ``const`` of the kernel, called so if that is free."""
        name = self.fresh(name)
        self.line(f"const {name} = {expression};")
        self.locals.add(name)
        return name

    def nest(self, write: Callable[[], None]) -> list[str]:
        """The lines of what stays together: of the steps that ``write`` takes."""
        outer, self.steps = self.steps, []
        together, self.together = self.together, True
        write()
        steps, self.steps = self.steps, outer
        if self.plain:
            lines = [line for step in steps for line in step.lines]
        else:
            lines = [line for block in arranged(steps, self.depth) for line in self._written(block)]
        self.together = together
        return lines

    def _written(self, block: Block) -> list[str]:
        """The lines of some steps that share a loop, or of one step."""
        first = block[0]
        if not first.body:
            return list(first.lines)
        if len(block) == 1 and not first.masks:
            return self._loops(first.shape, first.body)

        def all_of_them(index: Index) -> None:
            def conditions(step: Step) -> list[str]:
                return [f"{mask.at(index):?{LOGICAL + 1}}" for mask in step.masks if mask.depth == 1]

            def inside(steps: Sequence[Step]) -> None:
                for step in steps:
                    body, masks = step.body, [mask.within(index) for mask in step.masks if mask.depth > 1]
                    assert body
                    self.loop(step.shape[1:], lambda inner, body=body: body([*index, *inner]), masks=masks)  # type: ignore[misc]

            for heads, steps in groupby(block, key=conditions):
                alike = list(steps)
                if heads:
                    lines = self.nest(lambda alike=alike: inside(alike))  # type: ignore[misc]
                    self.steps.append(Step(_braced([f"if ({' && '.join(heads)})"], lines)))
                else:
                    inside(alike)

        return self._loops(first.shape[:1], all_of_them)

    def _placed(self, block: Block) -> list[str]:
        """The same in the kernel's body: what is long is a function of its own."""
        together, self.together = self.together, True
        lines = [_renamed(line, self.renamed) for line in self._written(block)]
        self.together = together
        if block[0].value:
            return [f"const {block[0].value} = {self.call(lines)};"]
        return [f"{self.call(lines)};"] if max(step.turns for step in block) >= LONG else lines

    def _guarded(self, guard: str, lines: list[str]) -> list[str]:
        """Lines of the kernel's body under a condition; what they declare is there for others under the same one."""
        if not guard:
            return lines
        inner = []
        for line in lines:
            found = re.match(r"(?:const|let) (\w+) = ", line)
            if found and found[1] in self.locals:
                self.heads.append(f"let {found[1]} = 0;")
                line = line[line.index(found[1]) :]
            inner.append(line)
        return _braced([f"if ({guard})"], inner)

    def call(self, lines: Sequence[str]) -> str:
        """A function beside the kernel that does what ``lines`` say, called.

        V8 optimises functions one by one, and anew for each loop in which a function is when it proves hot: a kernel
        in one piece stays slow for many calls, and for good if it is large.
        """
        used = sorted(self.locals.intersection(NAME.findall("\n".join(lines))))
        name, arguments = self.fresh("loop"), ", ".join(used)
        self.functions.append([f"const {name} = ({arguments}) => {{", *(f"  {line}" for line in lines), "};"])
        return f"{name}({arguments})"

    def loop(
        self,
        shape: Shape,
        body: Callable[[Index], None],
        turns: int | None = None,
        masks: Sequence[Mask] = (),
    ) -> None:
        """Nested loops over all indices of a shape; ``body`` writes what is inside.

        Args:
            turns: how many there are with the loops of ``body``, if it has any.
            masks: where anything is to be done.
        """
        if 0 in shape:
            return
        ahead = next((d for d, size in enumerate(shape) if size != 1), len(shape))
        first = [HERE] * ahead
        if ahead == len(shape) and self.together:
            body(first)
        elif ahead == len(shape) or (self.plain and not masks):
            self.step(Step(self._loops(shape, body), turns=turns or 1))
        else:
            turns = math.prod(shape) if turns is None else turns
            inner = [mask.within(first) for mask in masks]
            step = Step((), shape[ahead:], lambda index: body([*first, *index]), turns, masks=inner)
            plain, self.plain = self.plain, True
            self.step(replace(step, lines=self._written([step])))
            self.plain = plain

    def _loops(self, shape: Shape, body: Callable[[Index], None]) -> list[str]:
        index, loops = [], []
        for size in shape:
            if size == 1:
                index.append(HERE)
            else:
                if self.depth == len(LETTERS):
                    raise OverflowError(f"more than {len(LETTERS)} axes at once are too many")
                loops.append((LETTERS[self.depth], size))
                self.depth += 1
                index.append(Affine(0, ((loops[-1][0], 1),)))
        inner = self.nest(lambda: body(index))
        self.depth -= len(loops)
        if not loops:
            return inner
        ahead: list[str] = []
        if not self.plain:
            once = inner
            if not any("for (" in line for line in inner):
                loops, inner = _joined(loops, inner)
                few = loops[-1][1] <= FEW and len(loops) + self.depth > 1
                if few and inner is once and [len(line) <= TINY for line in inner] == [True]:
                    last = next(d for d in reversed(range(len(shape))) if shape[d] != 1)
                    places = [[*index[:last], Affine(k), *index[last + 1 :]] for k in range(shape[last])]
                    inner = [line for place in places for line in self.nest(partial(body, place))]
                    loops = loops[:-1]
            if loops and loops[-1][1] >= (4 if self.depth else LONG):
                ahead, inner = self._lifted(loops[-1][0], inner)
        heads = [f"for (let {variable} = 0; {variable} < {size}; {variable}++)" for variable, size in loops]
        if ahead:
            inner, heads = [*ahead, *_braced(heads[-1:], inner)], heads[:-1]
        return _braced(heads, inner)

    def _lifted(self, variable: str, lines: list[str]) -> tuple[list[str], list[str]]:
        """What a loop reads or checks alike for every ``variable``, as constants ahead of it.

        V8 does not dare: for all it knows, what the loop writes is what it reads.
        """
        text = "\n".join(line.strip() for line in lines)
        inside = {variable, *written(text), *re.findall(r"let (\w)\b", text)}
        names: dict[str, str] = {}

        def lift(found: re.Match[str]) -> str:
            if inside.intersection(NAME.findall(found[0])):
                return found[0]
            if found[0] not in names:
                names[found[0]] = self.fresh("h")
            return names[found[0]]

        before: list[str] = []
        while lines != before:
            before, lines = lines, []
            again: dict[str, str] = {}
            for line in before:
                for fixed in (CHECK, READ):
                    line = fixed.sub(lift, line)
                alias = re.fullmatch(r" *const (\w+) = (h\w*);", line)
                if alias and alias[2] in names.values():
                    again[alias[1]] = alias[2]
                else:
                    lines.append(line)
            inside -= set(again)
            lines = [_renamed(line, again) for line in lines]
        return [f"const {name} = {text};" for text, name in names.items()], lines

    def loop_within(
        self,
        shape: Shape,
        dims: Sequence[int],
        outer: Index,
        body: Callable[[Index], None],
        masks: Sequence[Mask] = (),
    ) -> None:
        """Loops over the axes ``dims``, at given indices of all others."""
        inside = tuple(n if d in dims else 1 for d, n in enumerate(shape))

        def whole(inner: Index) -> Index:
            filled = [*inner, *outer[len(inner) :]]
            return [(filled if d in dims else outer)[d] for d in range(len(shape))]

        within = [Mask(mask.depth, lambda inner, at=mask.at: at(whole(inner))) for mask in masks]  # type: ignore[misc]
        self.loop(inside, lambda inner: body(whole(inner)), masks=within)

    def store(self, target: Value, value: Value, masks: Sequence[Mask] = ()) -> None:
        """Write a value's elements into an array, all or some; a whole input at once, as no loop would do it faster."""
        given, to = value.memory, target.memory
        whole = given and to and value.size == self.inputs.get(given.array, 0) >= COPIED
        if given and to and whole and _dense(value) and _dense(target):
            self.line(f"{to.array}.set({given.array}{f', {to.offset}' if to.offset else ''});")
            return

        def write(index: Index) -> None:
            self.line(f"{target.at(index)} = {value.at(index):0};")

        self.loop(value.shape, write, masks=masks)

    def rows(self, mask: Value | None) -> list[Mask]:
        """That of loops over rows, from a vector."""
        return [Mask(1, lambda index: mask.at(index[:1]))] if mask else []

    def chosen(self, value: Value, dims: Iterable[int]) -> tuple[list[Mask], Value]:
        """Where loops over the axes ``dims`` have anything to add to a sum, and what: nothing else is not 0."""
        masks: list[Mask] = []
        while value.chosen:
            condition, chosen = value.chosen
            ahead = len(value.shape) - len(condition.shape)
            deciding = [d for d in dims if d >= ahead and condition.shape[d - ahead] > 1]
            if not deciding:
                break
            whole = self.expand(condition, value.shape)

            def at(index: Index, whole: Value = whole) -> Code:
                return whole.at([*index, *[HERE] * (len(whole.shape) - len(index))])

            masks.append(Mask(max(deciding) + 1, at))
            value = chosen
        return masks, value

    def pointwise(
        self, operation: Pointwise, operands: Iterable[Value], shape: Shape, dtype: torch.dtype
    ) -> Value:
        """An expression of operands that are broadcast to ``shape``."""
        values = [self.expand(one, shape) for one in operands]
        kind: Kind = "truth" if operation.truth else "flag" if dtype == torch.bool else "number"

        def at(index: Index) -> Code:
            return Code(operation.template.format(*(one.at(index) for one in values)), operation.level, kind)

        return Value(shape, dtype, at, 1 + sum(one.cost for one in values))

    def terms(self, x: Value, dims: Sequence[int], shape: Shape) -> Value:
        """A sum over the axes ``dims`` as an expression; ``shape`` is without them, or 1 there."""
        kept = reduced(x.shape, dims)
        inner = list(product(*(range(x.shape[d]) for d in dims)))

        def at(index: Index) -> Code:
            places = (dict(zip(dims, map(Affine, one), strict=True)) for one in inner)
            each = (x.at([place.get(d, outer) for d, outer in enumerate(index)]) for place in places)
            return Code(" + ".join(["0", *(f"{one:4}" for one in each)]), SUM)

        whole = Value(kept, x.dtype, at, cost=len(inner))
        return viewed(whole, shape, ones_apart(kept, shape))

    def reduce(
        self,
        x: Value,
        dims: Sequence[int],
        reduction: Reduction,
        dtype: torch.dtype,
        name: str,
        finish: str = "{t}",
        keepdim: bool = False,
        mask: Value | None = None,
    ) -> Value:
        """Loops over the kept axes, and inside them over ``dims``; ``mask``: that of the rows that are wanted."""
        kept, shape = reduced(x.shape, dims), reduced(x.shape, dims, keepdim)
        if kept == x.shape and x.size:
            alone = viewed(x, shape, ones_apart(x.shape, shape))
            return self.pointwise(reduction.alone, [alone], shape, dtype)

        few = 0 < math.prod(x.shape[d] for d in dims) <= SHORT and x.cost <= 1 and not x.chosen
        if reduction.adds and few and finish == "{t}" and math.prod(kept) > 1:
            return self.terms(x, dims, shape)

        def added(dims: Iterable[int]) -> tuple[Sequence[Mask], Value]:
            return self.chosen(x, dims) if reduction.start == "0" else ((), x)

        def accumulate(t: str, outer: Index) -> None:
            masks, value = added(dims)

            def update(index: Index) -> None:
                self.line(reduction.update.format(t=t, x=value.at(index)))

            self.line(f"let {t} = {reduction.start};")
            self.loop_within(x.shape, dims, outer, update, masks)

        def whole(t: str) -> list[str]:
            return self.nest(lambda: accumulate(t, [HERE] * len(kept)))

        t = self.fresh("t")
        if math.prod(kept) == 1:
            if x.size < LONG:
                t = self.fresh(name)
                ended = [] if finish == "{t}" else [f"{t} = {finish.format(t=t)};"]
                self.step(Step([*whole(t), *ended]))
                self.locals.add(t)
                return replace(single(Code(t), shape, dtype), name=name)
            result = self.fresh(name)
            self.step(Step([*whole(t), f"return {finish.format(t=t)};"], turns=x.size, value=result))
            self.locals.add(result)
            return replace(single(Code(result), shape, dtype), name=name)
        array = self.array(name, shape, dtype)
        target = viewed(array, kept, ones_apart(shape, kept))
        across = [d for d, n in enumerate(x.shape) if n > 1 and d not in dims]
        if finish == "{t}" and math.prod(kept) >= LONG and max(dims) < min(across):
            masks, value = added(range(len(x.shape)))

            def add(index: Index) -> None:
                place = target.at([HERE if d in dims else one for d, one in enumerate(index)])
                self.line(reduction.update.format(t=place, x=value.at(index)))

            self.store(array, single(Code(reduction.start), shape, dtype))
            self.loop(x.shape, add, masks=masks)
            return array

        def row(outer: Index) -> None:
            accumulate(t, outer)
            self.line(f"{target.at(outer)} = {finish.format(t=t)};")

        self.loop(kept, row, x.size, () if 0 in dims else self.rows(mask))
        return array


def _dense(value: Value) -> bool:
    """Whether an array's part lies there in a row."""
    assert value.memory
    return _alike(value.shape, value.memory.strides, strides(value.shape))


def _alike(shape: Shape, one: Sequence[int], other: Sequence[int]) -> bool:
    """Whether strides lead to the same places."""
    return all(n == 1 or a == b for n, a, b in zip(shape, one, other, strict=True))


def _extent(shape: Shape, steps: Sequence[int]) -> int:
    """How long an array of these strides is."""
    return 1 + sum((n - 1) * step for n, step in zip(shape, steps, strict=True)) if math.prod(shape) else 0


def _renamed(line: str, names: dict[str, str]) -> str:
    return NAME.sub(lambda found: names.get(found[0], found[0]), line)


def _braced(heads: Sequence[str], inner: Sequence[str]) -> list[str]:
    """Loops around some lines."""
    if not heads:
        return list(inner)
    if len(inner) == 1:
        return [" ".join([*heads, *inner])]
    return [" ".join([*heads, "{"]), *(f"  {line}" for line in inner), "}"]


def reduced(shape: Shape, dims: Sequence[int], keepdim: bool = True) -> Shape:
    """The shape without ``dims``, or with 1 in their place."""
    if keepdim:
        return tuple(1 if d in dims else n for d, n in enumerate(shape))
    return tuple(n for d, n in enumerate(shape) if d not in dims)
