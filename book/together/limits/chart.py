"""The picture of the page: for each setting the exponent that theory predicts, and the one that runs show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from html import escape
from typing import NamedTuple

from IPython.display import HTML

from book.figures import listed
from book.together.experiments.limits import LINES
from book.together.limits.exponents import KNOWN, as_predicted, ends, fitted, from_the_ledger, minus
from widgets.figure.colours import themed

WIDTH, HEIGHT, MIDDLE, UNIT = 300, 26, 150, 112
"""The size of a line's strip, in pixels or less: 0 stands in its middle, and ``UNIT`` is one power."""
AXIS = ((-1.0, "a tenth"), (0.0, "the same"), (1.0, "ten times"))
"""What each exponent means: what becomes of the measured quantity with ten times as much of the setting."""
CLOSE = 0.05
"""How far an exponent may be from one of these and still be told by its words."""
RIGHT, STORED, LEFT = (
    "until all training sentences are right",
    "training until the loss is near its lowest",
    "steps until the saddle is left",
)
WORDS = {
    "recognise-width": ("width m", f"time {RIGHT}"),
    "recognise-data": ("sentences n", f"time {RIGHT}"),
    "recognise-rate": ("learning rate η", f"steps {RIGHT}"),
    "acquire-multiplicity": ("phrases used for each fact, K", STORED),
    "acquire-coverage": (
        "R/K, phrases to choose from for each one used",
        "fine-tuned facts that it takes to cover all phrases",
    ),
    "acquire-data": ("facts N", STORED),
    "acquire-width": ("neurons m of an output", STORED),
    "acquire-rate": ("learning rate η", "steps until the loss is near its lowest"),
    "acquire-error": ("loss ε above the lowest", "training until no more is left"),
    "recall-temperature": ("one over the temperature, 1/T", LEFT),
    "recall-radius": ("perturbation r", "growth that it needs to leave the saddle"),
    "recall-rate": ("learning rate c₂", LEFT),
    "recall-width": ("neurons of the memory", LEFT),
}
"""By line of the sweep: its setting, and what is measured, for readers in a hurry; the tables have them exactly."""
PREDICTED, MEASURED = themed("predicted"), themed("measured")


class Entry(NamedTuple):
    """A line of the picture."""

    paper: str
    setting: str
    what: str
    predicted: str
    """A number, or a bound such as "≤ 1"."""
    low: float
    fitted: float
    high: float
    """The 95 % interval of the fit; as great as the fit where only this is stored."""
    right: bool
    note: str = ""
    """Whether a line that is not as predicted is closer to the prediction where the setting is large."""


def entries() -> Iterator[Entry]:
    """The lines of the sweep and of the ledger, by paper."""
    for name, line in LINES.items():
        fit = fitted()[name]
        yield Entry(
            line.paper.capitalize(),
            *WORDS[name],
            f"{line.predicted:g}",
            fit.low,
            fit.exponent,
            fit.high,
            as_predicted(line, fit),
            "" if as_predicted(line, fit) else _trend(name, line.predicted),
        )
    for known, row in zip(KNOWN, from_the_ledger().itertuples(), strict=True):
        value = float(row.fitted.replace("−", "-"))
        yield Entry(
            row.paper, known.x, known.y, known.predicted, value, value, value, _meets(known.predicted, value)
        )


def _meets(predicted: str, value: float) -> bool:
    """Whether a number is below the bound, or within a twentieth of the number predicted."""
    sign, _, limit = predicted.rpartition(" ")
    return value <= float(limit) if sign else abs(value - float(limit)) <= CLOSE


def _trend(name: str, predicted: float) -> str:
    """Whether a line's exponent is closer to the predicted one between its largest values than between its least."""
    least, largest = (abs(exponent - predicted) for exponent in ends(name))
    return f"{'Closer to' if largest < least else 'Farther from'} the prediction at large values."


def chart() -> HTML:
    """The picture: a strip for each line, with a ring where theory is, a dot where the runs are, and its interval.

    What is not as predicted stands first, each with a sentence; the rest follows by paper.
    """
    known = list(entries())
    groups = {"Not as predicted": [entry for entry in known if not entry.right]}
    for entry in known:
        if entry.right:
            groups.setdefault(entry.paper, []).append(entry)
    lines = "".join(
        f'<li class="paper"><b>{head}</b></li>{"".join(map(_line, some))}'
        for head, some in groups.items()
        if some
    )
    key = (
        f'<span><svg viewBox="0 0 22 16" aria-hidden="true">{_ring(11, 8)}</svg> predicted</span> '
        f'<span><svg viewBox="0 0 22 16" aria-hidden="true">{_dot(2, 11, 20, 8)}</svg> '
        "measured, with its 95 % interval</span>"
    )
    scale = "".join(
        f'<text x="{_x(exponent):g}" y="14" text-anchor="middle" fill="currentColor" font-size="16">{words}</text>'
        for exponent, words in AXIS
    )
    return HTML(
        f'<figure class="picture exponents"><p class="finding">{finding()}</p><p class="key">{key}</p>'
        '<p class="scale"><b>If what is bold grows tenfold, the other becomes …</b>'
        f'<svg viewBox="0 0 {WIDTH} 18" aria-hidden="true">{scale}</svg>'
        f'<span class="numbers">measured</span></p><ul>{lines}</ul></figure>'
    )


def finding() -> str:
    """What the picture shows, in two sentences."""
    known = list(entries())
    missed = Counter(entry.paper for entry in known if not entry.right)
    right = len(known) - missed.total()
    said = f"<b>{right} of {len(known)} predictions of how time grows are right.</b>"
    if not missed:
        return said
    if len(missed) == 1:
        (paper,) = missed
        return f"{said} The {missed.total()} that are not are all in <i>{paper}</i>."
    return f"{said} Not as predicted: {listed([f'{count} in <i>{paper}</i>' for paper, count in missed.items()])}."


def becomes(exponent: float) -> str:
    """What ten times as much of a setting makes of what is measured, in words."""
    for known, words in AXIS:
        if abs(exponent - known) <= CLOSE:
            return words
    return f"{10**exponent:.2g} times"


def outcome(entry: Entry) -> str:
    """What ten times as much of the setting does in the runs, and whether this was predicted."""
    sign, _, limit = entry.predicted.rpartition(" ")
    expected = becomes(float(limit))
    if sign:
        return f"{becomes(entry.fitted)}, predicted {'less' if expected == 'the same' else f'at most {expected}'}"
    return f"{expected}, as predicted" if entry.right else f"{becomes(entry.fitted)}, not {expected}"


def _line(entry: Entry) -> str:
    """A line: setting and what is measured in words, the strip, and what comes out."""
    predicted = minus(entry.predicted)
    value = minus(f"{entry.fitted:.2f}".replace("-0.00", "0.00"))
    label = f"Exponent predicted {predicted}, measured {value}."
    sign = "✓" if entry.right else "✕"
    note = f" <small>{entry.note}</small>" if entry.note else ""
    return (
        f"<li><span><b>{escape(entry.setting)}:</b> {escape(entry.what)}{note}</span>"
        f"{_strip(entry, label)}"
        f'<span class="numbers">{outcome(entry)} <b aria-hidden="true">{sign}</b></span></li>'
    )


def _strip(entry: Entry, label: str) -> str:
    middle = HEIGHT / 2
    grid = "".join(
        f'<line x1="{_x(exponent):g}" x2="{_x(exponent):g}" y1="0" y2="{HEIGHT}" stroke="currentColor" '
        f'stroke-opacity="0.25"/>'
        for exponent, _ in AXIS
    )
    sign, _, limit = entry.predicted.rpartition(" ")
    at = _x(float(limit))
    theory = (
        f'<line x1="4" x2="{at:g}" y1="{middle}" y2="{middle}" stroke="{PREDICTED}" stroke-width="12" '
        'stroke-opacity="0.25"/>'
        if sign
        else _ring(at, middle)
    )
    runs = _dot(_x(entry.low), _x(entry.fitted), _x(entry.high), middle)
    return f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(label)}">{grid}{theory}{runs}</svg>'


def _x(exponent: float) -> float:
    return round(MIDDLE + UNIT * exponent, 1)


def _ring(x: float, y: float) -> str:
    return f'<circle cx="{x:g}" cy="{y:g}" r="7" fill="none" stroke="{PREDICTED}" stroke-width="2"/>'


def _dot(low: float, x: float, high: float, y: float) -> str:
    return (
        f'<line x1="{low:g}" x2="{high:g}" y1="{y:g}" y2="{y:g}" stroke="{MEASURED}" stroke-width="2"/>'
        f'<circle cx="{x:g}" cy="{y:g}" r="4" fill="{MEASURED}"/>'
    )
