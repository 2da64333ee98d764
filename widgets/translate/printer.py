"""The printer: a kernel's tree as JavaScript."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal as Choice
from typing import NamedTuple

from widgets.translate.bulk import copy_of, fill_of, is_bulk
from widgets.translate.expressions import (
    ATOM,
    COMPARISON,
    LOGICAL,
    SUM,
    UNARY,
    Affine,
    Apply,
    Checked,
    Expression,
    Literal,
    Load,
    Name,
)
from widgets.translate.loops import (
    Call,
    If,
    Let,
    Loop,
    Part,
    Reduce,
    Repeat,
    Statement,
    Statements,
    helpers_of,
    walk_statements,
)
from widgets.translate.registers import Registers

LETTERS = "ijklmnpqrsuvwyz"
"""Loop variables, from the outermost one."""

Letters = Mapping[str, str]
"""The letters of the loops around, by the names of their variables in the tree."""
OUTSIDE: Letters = {}
"""Outside of all loops."""


class Helper(NamedTuple):
    """A small JavaScript function that kernels include where they use it."""

    source: str
    needs: tuple[str, ...] = ()
    """The helpers that it calls; ``$name`` is the kernel's name."""


class Code(str):
    """JavaScript that knows when it needs parentheses.

    ``f"{code:4}"`` is a number that binds at least as tightly as a product; ``f"{code:?4}"`` is a condition.
    ``kind`` is "truth" for JavaScript's own booleans and "flag" for booleans that are 0 or 1.
    """

    level: int
    kind: Choice["number", "flag", "truth"]

    def __new__(
        cls, text: str, level: int = ATOM, kind: Choice["number", "flag", "truth"] = "number"
    ) -> Code:
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


def kernel_source(
    name: str,
    statements: Statements,
    arguments: Mapping[str, str],
    arrays: Mapping[str, int],
    inputs: Mapping[str, int],
    helpers: Mapping[str, Helper],
    fresh: Callable[[str], str],
    bodies: Iterable[str] = (),
    registers: Registers | None = None,
) -> str:
    """The whole kernel: ``(C) => (ins, outs) => void``, or in registers ``(C) => (ins, outs, most) => steps taken``.

    Args:
        name: of the kernel, for its error messages.
        arguments: how the names that are inputs and outputs are declared.
        arrays: the sizes of the arrays that the kernel keeps.
        inputs: the sizes of the arrays that are inputs.
        helpers: what kernels may include.
        fresh: makes a new name of one.
        bodies: declarations of the kernels that it repeats.
        registers: the same statements, if all their numbers are variables.
    """
    printer = _Printer(arrays, {**inputs, **arrays}, fresh)
    if registers:
        statements = registers.statements
    lines = printer.body(statements)
    used = frozenset().union(*(statement.touches for statement in statements))
    if registers:
        lines = _repeated(lines, registers)
        used -= registers.state.keys()
    heads = [declaration for argument, declaration in arguments.items() if argument in used]
    called = _with_needs(helpers_of(statements), helpers)
    setup = [f"const {helper} = {helpers[helper].source};" for helper in sorted(called - {"$name"})]
    if "$name" in called:
        setup.insert(0, f"const $name = {json.dumps(name)};")
    setup += [line for body in bodies for line in body.splitlines()]
    setup += [f"const {array} = new Float64Array({arrays[array]});" for array in arrays if array in used]
    return "\n".join(
        [
            "(C) => {",
            *(f"  {line}" for line in [*setup, *printer.functions]),
            f"  return (ins, outs{', most' if registers else ''}) => {{",
            *(f"    {line}" for line in [*heads, *lines]),
            "  };",
            "}",
        ]
    )


def _repeated(step: Sequence[str], registers: Registers) -> list[str]:
    """The lines of a step again and again, ``most`` times or until it is done; they return how often."""
    results = {places: name for name, places in registers.results.items()}
    changing = {name: results[places] for name, places in registers.state.items() if places in results}
    *_, finished = (name for _places, name in sorted(results.items()))
    return [
        *(f"let {name} = ins[{leaf}][{place}];" for name, (leaf, place) in registers.state.items()),
        *(f"let {name} = 0;" for name in (*registers.own, *registers.results)),
        "let n = 0;",
        "do {",
        *(
            f"  {line}"
            for line in [*step, *(f"{name} = {after};" for name, after in changing.items()), "n++;"]
        ),
        f"}} while (n < most && {finished} === 0);",
        *(f"outs[{leaf}][{place}] = {name};" for name, (leaf, place) in registers.results.items()),
        "return n;",
    ]


def expression_code(expression: Expression, letters: Letters = OUTSIDE) -> Code:
    """An expression in JavaScript."""
    if isinstance(expression, Literal):
        return Code(expression.text, UNARY if expression.text.startswith("-") else ATOM)
    if isinstance(expression, Name):
        return Code(letters.get(expression.name, expression.name), ATOM, _kind(expression.flag))
    if isinstance(expression, Load):
        place = expression_code(expression.place, letters)
        return Code(f"{expression.array}[{place}]", ATOM, _kind(expression.flag))
    if isinstance(expression, Checked):
        index = expression_code(expression.index, letters)
        return Code(f"{expression.helper}({index:0}, {expression.size})")
    if isinstance(expression, Apply):
        operation = expression.operation
        operands = [expression_code(operand, letters) for operand in expression.operands]
        kind: Choice["number", "flag", "truth"] = "truth" if operation.truth else _kind(expression.flag)
        return Code(operation.template.format(*operands), operation.level, kind)
    return _affine_code(expression, letters)


def _affine_code(index: Affine, letters: Letters) -> Code:
    terms = [(c, f"{expression_code(term, letters):{ATOM}}") for term, c in index.terms]
    pieces = [(c, term if abs(c) == 1 else f"{abs(c)} * {term}") for c, term in terms]
    if index.constant or not pieces:
        pieces.append((index.constant, str(abs(index.constant))))
    text = "".join(f" {'-' if c < 0 else '+'} {piece}" for c, piece in pieces)
    text = f"-{text[3:]}" if text.startswith(" -") else text[3:]
    is_atom = len(pieces) == 1 and (not index.terms or index.terms[0][1] == 1) and index.constant >= 0
    return Code(text, ATOM if is_atom else SUM)


def _kind(flag: bool) -> Choice["number", "flag"]:
    return "flag" if flag else "number"


def _with_needs(names: Iterable[str], helpers: Mapping[str, Helper]) -> set[str]:
    """The helpers of these names, and what they need."""
    called: set[str] = set()
    waiting = list(names)
    while waiting:
        helper = waiting.pop()
        if helper not in called:
            called.add(helper)
            waiting += helpers[helper].needs if helper in helpers else ()
    return called


class _Printer:
    """Writes statements, and the functions that they call."""

    def __init__(self, arrays: Mapping[str, int], sizes: Mapping[str, int], fresh: Callable[[str], str]):
        self.arrays = arrays
        self.sizes = sizes
        self.fresh = fresh
        self.functions: list[str] = []
        self.declared: set[str] = set()
        """Variables that are declared ahead of the conditions under which they are computed."""

    def body(self, statements: Statements) -> list[str]:
        """The kernel's own body; what a condition decides there others may read under the same condition."""
        readers = Counter(name for statement in statements for name in statement.reads)
        for statement in statements:
            if isinstance(statement, If):
                variables = {_declared(inner) for inner in statement.body} - {""}
                self.declared |= {name for name in variables if readers[name] > (name in statement.reads)}
        ahead = [f"let {variable} = 0;" for variable in sorted(self.declared)]
        return ahead + self.lines(statements, OUTSIDE)

    def lines(self, statements: Iterable[Statement], letters: Letters) -> list[str]:
        return [line for statement in statements for line in self.statement(statement, letters)]

    def statement(self, statement: Statement, letters: Letters) -> list[str]:
        if isinstance(statement, Loop):
            return self.loop(statement, letters)
        if isinstance(statement, If):
            codes = (expression_code(condition, letters) for condition in statement.conditions)
            conditions = [f"{code:?{LOGICAL + 1}}" for code in codes]
            return _braced(f"if ({' && '.join(conditions)})", self.lines(statement.body, letters))
        if isinstance(statement, Call):
            return self.call(statement)
        if isinstance(statement, Repeat):
            return [self.repeat(statement)]
        value = expression_code(statement.value, letters)
        if isinstance(statement, Let):
            return [f"{self.declaration(statement.name, statement.mutable)} = {value:0};"]
        target = expression_code(statement.to, letters)
        if isinstance(statement, Reduce):
            return [statement.update.template.format(target, value)]
        return [f"{target} = {value:0};"]

    def declaration(self, name: str, mutable: bool = False) -> str:
        if name in self.declared:
            return name
        return f"{'let' if mutable else 'const'} {name}"

    def loop(self, loop: Loop, letters: Letters) -> list[str]:
        if not letters and is_bulk(loop):
            return [self.bulk(loop)]
        letter = LETTERS[len(letters)]
        inner = self.lines(loop.body, {**letters, loop.variable: letter})
        return _braced(f"for (let {letter} = 0; {letter} < {loop.size}; {letter}++)", inner)

    def bulk(self, loop: Loop) -> str:
        """A copy or a fill as one call of an array's method."""
        copied, filled = copy_of(loop), fill_of(loop)
        if copied:
            begin, source = expression_code(copied.source.place), copied.source.array
            if self.sizes.get(source) != copied.size:
                end = expression_code(copied.source.place.plus(Affine(copied.size)))
                source = f"{source}.subarray({begin}, {end})"
            place = copied.target.place
            offset = "" if place == Affine() else f", {expression_code(place)}"
            return f"{copied.target.array}.set({source}{offset});"
        assert filled
        begin = expression_code(filled.target.place)
        end = expression_code(filled.target.place.plus(Affine(filled.size)))
        part = "" if self.sizes.get(filled.target.array) == filled.size else f", {begin}, {end}"
        return f"{filled.target.array}.fill({expression_code(filled.number)}{part});"

    def repeat(self, repeat: Repeat) -> str:
        """The call of a helper that calls a kernel again and again."""

        def listed(operands: Iterable[Part | Expression]) -> str:
            return f"[{', '.join(map(self.array, operands))}]"

        lists = (repeat.start, repeat.fixed, repeat.tables, repeat.results, repeat.spare)
        kept = ", ".join(f"[{self.array(part)}, {place}]" for part, place in repeat.kept)
        arguments = ", ".join([repeat.kernel, str(repeat.count), *map(listed, lists), f"[{kept}]"])
        return f"$repeat({arguments});"

    def array(self, operand: Part | Expression) -> str:
        """A part of an array, or one number, as an array."""
        if not isinstance(operand, Part):
            return f"Float64Array.of({expression_code(operand):0})"
        array, begin, size = operand
        whole = self.sizes.get(array) == size
        return array if whole else f"{array}.subarray({begin}, {begin + size})"

    def call(self, call: Call) -> list[str]:
        """The call of a function that stands beside the kernel."""
        lines = self.lines(call.body, OUTSIDE)
        if call.value is not None:
            lines.append(f"return {expression_code(call.value):0};")
        function, arguments = self.fresh("loop"), ", ".join(sorted(self.free_names(call)))
        self.functions += _braced(f"const {function} = ({arguments}) =>", lines, always=True)
        self.functions[-1] += ";"
        head = f"{self.declaration(call.result)} = " if call.result else ""
        return [f"{head}{function}({arguments});"]

    def free_names(self, call: Call) -> frozenset[str]:
        """The names that a function must be given: variables of the kernel's body, its inputs and outputs."""
        inside = {inner.name for inner in walk_statements(call.body) if isinstance(inner, Let)}
        return frozenset(
            name for name in call.touches - inside - {"C", call.result} if name not in self.arrays
        )


def _declared(statement: Statement) -> str:
    """The variable that a statement of the kernel's body declares, if any."""
    if isinstance(statement, Let):
        return statement.name
    return statement.result if isinstance(statement, Call) else ""


def _braced(head: str, inner: Sequence[str], always: bool = False) -> list[str]:
    """Lines inside a statement; a single one needs no braces, unless they are ``always`` wanted."""
    if len(inner) == 1 and not always:
        return [f"{head} {inner[0]}"]
    return [f"{head} {{", *(f"  {line}" for line in inner), "}"]
