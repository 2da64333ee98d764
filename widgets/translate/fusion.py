"""Loops over the same rows become one loop, where each row needs nothing of another: so it stays in the cache.

A kernel is a list of steps in the order of the trace. A step may join an earlier loop of as many turns if every array
that one of the two writes and the other names is cut into rows alike, row i being touched in turn i alone; what it
rests on in between moves ahead. The same is done again inside the fused loop, with what remains of each step.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

LETTERS = "ijklmnpqrsuvwyz"
"""Loop variables, from the outermost one."""

NAME = re.compile(r"(?<![\w$.])[A-Za-z_]\w*")
INDEX = r"\[((?:[^\[\]]|\[[^\[\]]*\])*)\]"
WRITTEN = re.compile(rf"(?:^|[;{{}})] ?|const |let |, )(\w+)(?:{INDEX})? [+*]?= |(\w+)\.set\(", re.MULTILINE)
STORE = re.compile(rf"( *)(\w+){INDEX} = (.+);")
FOR = re.compile(r"for \(let (\w) = 0; \w < (\d+);")
CHECKED = re.compile(r"const (\w+) = \$w(?:rap|ithin)\([^()]*, (\d+)\);")
EACH = r"( *)for \(let i = 0; i < (\d+); i\+\+\) (\w+)\["
COPY = re.compile(EACH + r"(?:(\d+ \* \w+) \+ )?i(?: \+ (\d+))?\] = (\w+)\[i(?: \+ (\d+))?\];")
FILL = re.compile(EACH + r"i(?: \+ (\d+))?\] = (-?[\d.]+(?:e[+-]?\d+)?|-?Infinity|NaN);")
ITSELF = re.compile(r"(?:(?: *for \([^()]*\))* | *)(\w+\[.+\]) = \1;")
COPIED = 128
"""So many numbers are copied at once; for fewer a loop is as fast."""
TERM = re.compile(r"(?:(\d+) \* )?(?:([a-z]\w*)|\$w(?:rap|ithin)\([^()]*, (\d+)\))|(\d+)")

Row = tuple[int, int, frozenset[str]]
"""How an array is cut into rows: their length, which row turn 0 touches, and the indices of loops further out."""


@dataclass(frozen=True, eq=False)
class Step:
    """Some lines of JavaScript.

    Attributes:
        lines: as they are without fusion.
        shape, body: of loops that may be fused: no axis has size 1 ahead of the others.
        turns: of all loops in it. ``value``: the ``const`` that the lines return, if they are those of a function.
        masks: where in its loops anything is done.
        guard: the condition under which alone somebody reads what it writes.
    """

    lines: Sequence[str]
    shape: tuple[int, ...] = ()
    body: Callable[[Any], None] | None = None
    turns: int = 0
    value: str = ""
    masks: Sequence[Any] = ()
    guard: str = ""

    @cached_property
    def text(self) -> str:
        return "\n".join(line.strip() for line in self.lines)

    @cached_property
    def names(self) -> frozenset[str]:
        return frozenset(NAME.findall(f"{self.guard}\n{self.text}")) - set(LETTERS) | self._result

    @cached_property
    def written(self) -> frozenset[str]:
        return written(self.text) | self._result

    @property
    def _result(self) -> frozenset[str]:
        return frozenset({self.value} - {""})

    def rows(self, array: str, depth: int) -> set[Row | None]:
        """How its innermost but ``depth`` loops cut an array; None where they don't."""
        bounded = [*FOR.findall(self.text), *CHECKED.findall(self.text)]
        sizes = {name: int(size) for name, size in bounded}
        places = re.findall(rf"\b{array}{INDEX}", self.text)
        return {_row(place, LETTERS[depth], LETTERS[:depth], sizes) for place in places}


def written(text: str) -> frozenset[str]:
    """The arrays and variables that some lines write."""
    return frozenset(name or whole for name, _, whole in WRITTEN.findall(text)) - set(LETTERS)


def _row(place: str, variable: str, outer: str, sizes: dict[str, int]) -> Row | None:
    """Whether an index is ``length · variable + rest`` with a rest that stays within a row."""
    length, constant, most, fixed = 0, 0, 0, []
    for term in place.split(" + "):
        found = TERM.fullmatch(term)
        if not found:
            return None
        factor, name = int(found[1] or 1), found[2]
        if found[4]:
            constant = int(found[4])
        elif found[3]:
            most += factor * (int(found[3]) - 1)
        elif name == variable:
            length = factor
        elif name in outer:
            fixed.append(term)
        elif name in sizes:
            most += factor * (sizes[name] - 1)
        else:
            return None
    if not length or constant % length + most >= length:
        return None
    return length, constant // length, frozenset(fixed)


Block = list[Step]


def arranged(steps: Sequence[Step], depth: int) -> list[Block]:
    """The steps in an order that changes no result, those that are to share a loop in one list."""
    blocks: list[Block] = []
    for step in steps:
        for home in reversed(range(len(blocks))):
            if _fuses(step, blocks[home], depth):
                needed, others = _parted(step, blocks[home + 1 :])
                if not any(
                    _conflicts(one, other) for block in needed for one in block for other in blocks[home]
                ):
                    blocks[home:] = [*needed, [*blocks[home], step], *others]
                    break
        else:
            blocks.append([step])
    return blocks


def _parted(step: Step, blocks: Sequence[Block]) -> tuple[list[Block], list[Block]]:
    """The blocks that have to come before a step, and the others."""
    needed: list[Block] = []
    others: list[Block] = []
    waiting = [step]
    for block in reversed(blocks):
        if any(_conflicts(one, other) for one in waiting for other in block):
            needed.insert(0, block)
            waiting += block
        else:
            others.insert(0, block)
    return needed, others


def _conflicts(one: Step, other: Step) -> bool:
    return not (one.written.isdisjoint(other.names) and other.written.isdisjoint(one.names))


def _fuses(step: Step, block: Block, depth: int) -> bool:
    if not step.body or not block[0].body or step.shape[0] != block[0].shape[0]:
        return False
    if step.guard != block[0].guard:
        return False
    for other in block:
        for name in (step.written & other.names) | (other.written & step.names):
            cuts = step.rows(name, depth) | other.rows(name, depth)
            if len(cuts) != 1 or None in cuts:
                return False
    return True


def slimmed(
    functions: Sequence[Sequence[str]],
    arrays: dict[str, int],
    fresh: Callable[[str], str],
    parts: dict[str, tuple[str, int]],
) -> list[list[str]]:
    """The same functions with less memory: a number that is read where it was computed is a ``const``, and an array
    that one loop alone names holds one row.

    Args:
        functions: the last is the kernel's own body.
        arrays: the sizes of those that are nobody's output; they change in place.
        fresh: makes a new name of one.
        parts: arrays that are copied into a larger one, and from which place of it: there they are written at once.
    """
    pieces = [list(lines) for lines in functions]
    named = _named(pieces)
    writes = Counter(
        name or whole for lines in pieces for name, _, whole in WRITTEN.findall(Step(lines).text)
    )
    for lines in pieces:
        for here, line in enumerate(lines):
            found = STORE.fullmatch(line)
            if not found or writes[found[2]] > 1:
                continue
            indent, array, place, code = found.groups()
            later = enumerate(lines[here + 1 :], here + 1)
            end = next((n for n, other in later if not other.startswith(indent)), len(lines))
            read = re.compile(rf"\b{re.escape(f'{array}[{place}]')}")
            uses = sum(len(read.findall(other)) for other in lines[here + 1 : end])
            if uses:
                gone = array in arrays and uses == named[array] - 1
                name = array if gone else fresh("h")
                kept = "" if gone else f" {array}[{place}] = {name};"
                lines[here] = f"{indent}const {name} = {code};{kept}"
                lines[here + 1 : end] = [read.sub(name, other) for other in lines[here + 1 : end]]
                if gone:
                    del arrays[array]
    for array, (whole, begin) in parts.items():
        if array in arrays and whole in arrays:
            pieces = _moved(pieces, array, whole, begin, arrays)
    pieces = _without_nothing(pieces)
    named = _named(pieces)
    for lines in pieces[:-1]:
        # from one loop to the next arrays stay whole
        if sum(line.startswith("  for") for line in lines) == 1:
            inside = _named([lines])
            for array in [name for name in arrays if inside[name] == named[name] > 0]:
                _cut(lines, array, arrays)
    return pieces


def _moved(
    pieces: list[list[str]], array: str, whole: str, begin: int, arrays: dict[str, int]
) -> list[list[str]]:
    """The same, where an array is a part of another, into which it was copied."""

    def within(found: re.Match[str]) -> str:
        place = re.fullmatch(r"(?:(.*) \+ )?(\d+)", found[1])
        rest, offset = (place[1], int(place[2])) if place else (found[1], 0)
        constant = [str(begin + offset)] if begin + offset or not rest else []
        return f"{whole}[{' + '.join([rest] * bool(rest) + constant)}]"

    read = re.compile(rf"\b{array}{INDEX}")
    text = "\n".join(line for lines in pieces for line in lines)
    if len(read.findall(text)) < len(re.findall(rf"\b{array}\b", text)):
        return pieces
    del arrays[array]
    return [[read.sub(within, line) for line in lines] for lines in pieces]


def _without_nothing(pieces: list[list[str]]) -> list[list[str]]:
    """The same without what copies a number to where it is, and loops and functions that do nothing."""
    empty = set()
    for lines in pieces:
        kept: list[str] = []
        for line in lines:
            called = re.search(r"\b(loop\w*)\([^()]*\);$", line)
            if ITSELF.fullmatch(line) or (called and called[1] in empty):
                continue
            if line.strip() in ("}", "};") and kept and kept[-1].endswith("{") and kept[-1][:-1].strip():
                name = kept.pop().split()[1]
                if line == "};":
                    empty.add(name)
            else:
                kept.append(line)
        lines[:] = kept
    return [lines for lines in pieces if lines or lines is pieces[-1]]


def copied(lines: Sequence[str], sizes: dict[str, int]) -> list[str]:
    """The same lines, where a loop that copies many numbers in a row is one call."""

    def call(found: re.Match[str]) -> str:
        indent, turns, target, row, rest, source, begin = found.groups()
        size, begin, to = int(turns), int(begin or 0), " + ".join(filter(None, (row, rest)))
        if size < COPIED or target == source:
            return found[0]
        part = source if sizes.get(source) == size else f"{source}.subarray({begin}, {begin + size})"
        return f"{indent}{target}.set({part}{f', {to}' if to else ''});"

    def fill(found: re.Match[str]) -> str:
        indent, turns, target, begin, number = found.groups()
        size, begin = int(turns), int(begin or 0)
        if size < COPIED:
            return found[0]
        place = "" if sizes.get(target) == size else f", {begin}, {begin + size}"
        return f"{indent}{target}.fill({number}{place});"

    return [FILL.sub(fill, COPY.sub(call, line)) for line in lines]


def _named(pieces: Sequence[Sequence[str]]) -> Counter[str]:
    """How often each array is read or written."""
    return Counter(
        name for lines in pieces for line in lines for name in re.findall(r"(\w+)(?:\[|\.set\()", line)
    )


def _cut(lines: list[str], array: str, arrays: dict[str, int]) -> None:
    """Leave an array one row, if its loop cuts it into rows of more than one number."""
    (row, *others) = Step(lines).rows(array, 0)
    if others or not row or row[0] == 1 or row[1:] != (0, frozenset()):
        return
    arrays[array] = row[0]

    def within(found: re.Match[str]) -> str:
        terms = [term for term in found[1].split(" + ") if term != f"{row[0]} * i"]
        return f"{array}[{' + '.join(terms) or '0'}]"

    lines[:] = [re.sub(rf"\b{array}{INDEX}", within, line) for line in lines]
