"""What a page's caption says of a run, by the page's own code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.widgets.program import called
from widgets.figure.panels import CaptionCase, plain
from widgets.figure.verdict import Judge, names


def said(caption: tuple[CaptionCase, ...], statements: Judge | Sequence[Judge], report: Any) -> str:
    """The text that stands under the charts, given the run's report and the figure's statements."""
    judges = statements if isinstance(statements, Sequence) else [statements]
    fields = report._asdict()
    for place, statement in enumerate(judges):
        verdict = statement.judge(report)
        fields |= {name: verdict[key] for key, name in names(place).items()}
    numbers = {name: [float(value) for value in leaf.flatten()] for name, leaf in fields.items()}
    (spoken,) = called("view/captions", "spoken", (plain(caption), numbers))
    assert not spoken["defects"]
    text: str = spoken["text"]
    return text.replace("\u00a0", " ")
