"""What a page's caption says of a run, by the page's own code."""

from __future__ import annotations

from collections.abc import Sequence

from book.ledger.results import RunResult
from lib.program import Run, attributes
from tests.widgets.program import called
from widgets.figure.panels import CaptionCase
from widgets.figure.verdict import Judge, names


def said(
    caption: tuple[CaptionCase, ...], statements: Judge | Sequence[Judge], outcome: Run | RunResult
) -> str:
    """The text that stands under the charts after a run, given the figure's statements."""
    judges = statements if isinstance(statements, Sequence) else [statements]
    fields = outcome.report._asdict()
    for place, statement in enumerate(judges):
        verdict = statement.judge(outcome.report, outcome.parameters)
        fields |= {name: verdict[key] for key, name in names(place).items()}
    report = attributes(fields)
    cases = [case.condition is None or bool(case.condition(report, outcome.parameters)) for case in caption]
    numbers = {name: [float(value) for value in leaf.flatten()] for name, leaf in fields.items()}
    texts = [case.text for case in caption]
    (spoken,) = called(
        "view/captions", "captionOf", (texts, {**numbers, "caption_cases": list(map(float, cases))})
    )
    assert not spoken["defects"]
    text: str = spoken["text"]
    return text.replace("\u00a0", " ")
