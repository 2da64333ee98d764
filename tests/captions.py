"""What a page's caption says of a run, by the page's own code."""

from __future__ import annotations

from collections.abc import Sequence

from book.ledger.results import RunResult
from book.ledger.statement import Statement
from lib.program import Run, attributes
from tests.widgets.program import called
from widgets.figure.panels import Cases
from widgets.figure.verdict import names
from widgets.words import blocks_of


def texts_of(page: str) -> dict[str, str]:
    """What a page has captions say, by the names of their cases."""
    return {block.head: block.said for block in blocks_of(page) if block.kind == "caption"}


def said(caption: Cases, statements: Statement | Sequence[Statement], outcome: Run | RunResult) -> str:
    """The text that stands under the charts after a run, given the figure's statements, whose page has the texts."""
    judges = statements if isinstance(statements, Sequence) else [statements]
    fields = outcome.report._asdict()
    for place, statement in enumerate(judges):
        verdict = statement.judge(outcome.report, outcome.parameters)
        fields |= {name: verdict[key] for key, name in names(place).items()}
    report = attributes(fields)
    cases = [
        condition is None or bool(condition(report, outcome.parameters)) for condition in caption.values()
    ]
    numbers = {name: [float(value) for value in leaf.flatten()] for name, leaf in fields.items()}
    texts = [texts_of(judges[0].page)[case] for case in caption]
    (spoken,) = called(
        "view/captions", "captionOf", (texts, {**numbers, "caption_cases": list(map(float, cases))})
    )
    assert not spoken["defects"]
    text: str = spoken["text"]
    return text.replace("\u00a0", " ")
