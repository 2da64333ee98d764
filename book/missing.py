"""``python -m book missing``: what a companion still lacks, and what its author is to do next.

Of each statement: whether it was examined and hunted in since its code last changed, what is wrong with its box, the
hypotheses whose border is not reached, with the reason, and the clauses that nothing tests. Of each page: the cards and
captions in which a number is typed, where the run could say its own. Of the files with which a companion begins: those
that still speak of the theorem and the authors that it began with.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from book.ledger import registry, report, store
from book.ledger.boxes import ROOT
from book.ledger.clauses import Kind
from book.ledger.statement import Statement
from widgets.words import Block, blocks_of

NOT_TESTED = "has a clause that nothing tests"
"""What is missing for a reason that the statement gives: it is listed, and does not count as something to do."""

NOT_REACHED = "has a hypothesis whose border is not reached"
"""Likewise: the runs themselves say why."""

NAMES = re.compile(
    r"\b(?:Theorem|Lemma|Proposition|Phase|Stage|Condition|Figure|Remark|Equation|Section|Table|Assumption|Step|GPT|log)"
    r"s?[\s-]*\d+(?:\.\d+)?(?: and \d+(?:\.\d+)?)?",
    re.IGNORECASE,
)
"""Words after which a number is a name: of statements and stages."""
DIGITS = re.compile(r"\d(?:[\d,.]*\d)?")


OF_THE_SAMPLE = re.compile(r"Saxe|the authors of [\w-]+")
"""What a companion's files say of the paper and the authors that it began with."""
SAYING_SO = ("CITATION.cff", "_config.yml", "book/index.*", "book/*/index.*", "book/*/paper.toml")


class Gap(NamedTuple):
    """Something that is missing."""

    of: str
    """A statement's id, or a page."""
    what: str
    detail: str
    """The command that mends it, the words of what is meant, or the reason why it stays."""


def main() -> int:
    """Print each gap and how many there are of each kind; returns 1 if there is something to do, else 0."""
    found = list(gaps())
    before = ""
    for gap in found:
        print("" if gap.of == before else f"{gap.of}\n", f"  {gap.what}: {gap.detail}", sep="")
        before = gap.of
    count = len(registry.find())
    print(f"\n{count} statement{'s' * (count > 1)}" if found else f"{count} statements: nothing is missing")
    for what, often in Counter(gap.what for gap in found).items():
        print(f"{often:5d}  {what}")
    return int(any(gap.what not in (NOT_TESTED, NOT_REACHED) for gap in found))


def gaps() -> Iterator[Gap]:
    """What is missing: statements in the order of the chapters, then pages, then files."""
    statements = registry.find()
    for statement in statements:
        yield from of_statement(statement)
    for page in dict.fromkeys(statement.page for statement in statements):
        for block in blocks_of(page):
            if block.kind in ("card", "caption") and (numbers := typed_numbers(block)):
                yield Gap(
                    page,
                    "types a number that its run could say",
                    f"{', '.join(sorted(numbers))} in {{{block.kind}}} {block.head}",
                )
    yield from of_the_sample(ROOT)


def of_statement(statement: Statement) -> Iterator[Gap]:
    """What is missing of one statement."""
    entry = store.read_examined().get(statement.id)
    if not (entry and store.is_current(entry, statement)):
        when = "was not examined since it changed" if entry else "was never examined"
        yield Gap(statement.id, when, "python -m book statements --renew")
        run = None if statement.untested else statement.at(statement.holds_at)
        if run and (fault := report.fault_of_the_box(statement, run)):
            yield Gap(statement.id, "has a fault in its box", fault.removeprefix(f"{statement.id}: "))
    for clause in entry["clauses"] if entry else ():
        if clause["kind"] == Kind.UNTESTED:
            yield Gap(statement.id, NOT_TESTED, clause["note"] or clause["text"])
    if statement.untested:
        return
    hunted = store.read_hunt_entries().get(statement.id)
    if not (hunted and store.is_current_hunt(hunted, statement, hunted["tries"])):
        when = "was not hunted in since it changed" if hunted else "was never hunted in"
        yield Gap(statement.id, when, f"python -m book hunt 40 {statement.id} --renew")
    for hypothesis, why in store.unreached(statement).items() if hunted else ():
        if why is None:
            yield Gap(statement.id, "has a hypothesis whose border was not sought", hypothesis)
        else:
            yield Gap(statement.id, NOT_REACHED, f"{hypothesis}: {why}")


def of_the_sample(root: Path) -> Iterator[Gap]:
    """The files of a companion that still speak of the theorem, or of the authors, that it began with."""
    for path in sorted(path for pattern in SAYING_SO for path in root.glob(pattern)):
        if found := OF_THE_SAMPLE.search(path.read_text(encoding="utf-8")):
            yield Gap(str(path.relative_to(root)), "still speaks of what the companion began with", found[0])


def typed_numbers(block: Block) -> set[str]:
    """The numbers in a block's text that are typed, but for names and for what a card sets."""
    text = re.sub(r"{.*?}", "", NAMES.sub("", block.said))
    values = {part.partition("=")[2].strip() for part in block.options.get("set", "").split(",")}
    return {number for number in DIGITS.findall(text) if number.replace(",", "") not in values}
