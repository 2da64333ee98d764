"""``python -m book.new recall my_page``: lay out a page that builds, with a statement, a live figure and an exercise.

Everything in it is there to be replaced; ``CONTRIBUTING.md`` walks through the files.
"""

from __future__ import annotations

import keyword
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import nbformat

from book import __main__ as commands
from book.ledger import registry

ROOT = Path(__file__).parents[2]

PROGRAM = '''"""What the page runs: gradient descent in a double well."""

from __future__ import annotations

from typing import Any, NamedTuple

from torch import Tensor

from lib.domain import Domain
from lib.program import Program, Stage, record

DOMAINS = (
    Domain("start", low=-1.2, high=1.2, default=0.1, symbol="x₀", words="start", track=(-1.2, 1.2, 0.05)),
    Domain("rate", low=0, default=0.1, symbol="η", words="learning rate", scale="log", track=(0.01, 3.0)),
    Domain(
        "steps", low=0, high=10_000, integer=True, default=400, words="steps", scale="whole", track=(0, 1000, 10)
    ),
)
Choices = record("Choices", (domain.name for domain in DOMAINS))
FAR = 2.0
"""Whoever is that far from the middle does not come back."""


class State(NamedTuple):
    """Where descent is."""

    x: Tensor  # 0-d
    slope: Tensor  # 0-d, f′(x)


class Seen(NamedTuple):
    """What is drawn while it runs."""

    x: Tensor  # (1,)


class Report(NamedTuple):
    """What it comes to."""

    end: Tensor  # |x| at the end
    gone: Tensor  # it has left both valleys
    settled: Tensor  # it has come to rest, or has left


def slope(x: Tensor) -> Tensor:
    """f′(x) for f(x) = ¼(x² − 1)²."""
    return x**3 - x


def descent() -> Program:
    """x ← x − η f′(x)."""

    def step(s: State, p: Any) -> tuple[State, Tensor]:
        x = s.x - p.rate * s.slope
        return State(x, slope(x)), (slope(x).abs() < 1e-12) | (x.abs() > FAR)

    def report(ends: tuple[State, ...], p: Any) -> Report:
        far, steep = ends[-1].x.abs(), ends[-1].slope.abs()
        return Report(far, far > FAR, (steep < 1e-9) | (far > FAR))

    return Program(
        Choices,
        DOMAINS,
        lambda p: State(p.start, slope(p.start)),
        (Stage("descent", lambda s, p: s, step, "steps"),),
        lambda s, p: Seen(s.x.reshape(1)),
        report,
    )
'''
STATEMENTS = '''"""What the page's theorem assumes and says."""

from __future__ import annotations

from {package}.program import Report, descent
from book.ledger import Bounds, Ground, at_least, near, statement


@statement(
    "{id}",
    runs=descent,
    assumes={{
        "pushed": ("it does not start on the hilltop, x₀ ≠ 0", lambda r, p: p.start != 0),
        "small": ("learning rate below one half", lambda r, p: p.rate < 0.5),
    }},
    settled={{"settled": ("steps enough to come to rest, or to leave both valleys", lambda r, p: r.settled)}},
    good=lambda r: at_least(0.5, r.end, "|x| at the end"),
    holds_at={{}},
    fails_at={{"start": 0.0}},
    ranges={{"start": (0.01, 1.2), "rate": (0.05, 0.4)}},
    ground=Ground.OURS,
    finding="It comes to rest at {{distance from the middle:.3f}}.",
)
def {name}(r: Report) -> Bounds:
    """Descent ends in one of the two valleys, at |x| = 1."""
    return Bounds(near(1.0, r.end, "distance from the middle", absolute=1e-6))
'''
FIGURE = '''"""The page's live figure."""

from __future__ import annotations

from {package}.program import descent
from {package}.statements import {name}
from widgets import Live, live, live_figure
from widgets.figure.panels import Level, Line, CaptionCase, TimeChart, Try

POSITION = TimeChart(
    title="Where descent is",
    series=(Line("x", 0, "x", "run"),),
    domain=(-1.2, 1.2),
    levels=(Level(1.0, "a valley"), Level(-1.0, "the other")),
)
CAPTION = (
    CaptionCase(lambda r, p: r.undecided, "It is still moving, {{end}} from the middle."),
    CaptionCase(
        lambda r, p: r.gone,
        "Its steps are too long: it has left both valleys, and is {{end}} from the middle.",
    ),
    CaptionCase(lambda r, p: r.concluded, "It has come to rest in a valley, {{end}} from the middle."),
    CaptionCase(None, "It has come to rest {{end}} from the middle, in no valley."),
)
TRIES = (Try("Start on the hilltop.", {{"start": 0.0}}, "Nothing pushes it, so it stays."),)


@live_figure
def figure() -> Live:
    """Descent in a double well."""
    return live(descent(), {name}, panels=(POSITION,), caption=CAPTION, tries=TRIES, name="{page}")
'''
EXECUTE = (
    "jupyter nbconvert --to notebook --inplace --execute --ExecutePreprocessor.store_widget_state=False "
    "--ExecutePreprocessor.record_timing=False"
)
QUESTION = """# Which way does it fall?

A ball starts near the top of a hill between two valleys. It rolls down a little at every step. Where does it end?"""
BOX = """## The statement

```{{prf:observation}} Finding of ours: descent in a double well ends in a valley
:label: {id}
:nonumber:
Let $f(x) = \\tfrac14(x^2 - 1)^2$ and $x_0 \\ne 0$. With a small learning rate gradient descent ends at $|x| = 1$.
```"""
CELLS = (
    """from {package}.statements import {name}

{name}(start=0.0)""",
    """from book.frames import each, show
from {package}.program import descent

show(each(descent, rate=[0.05, 0.1, 0.2, 0.4]), rate="learning rate $\\\\eta$", end="$|x|$ at the end")""",
    """show(each(descent, start=[-1.0, -0.1, 0.1, 1.0]), start="start $x_0$", end="$|x|$ at the end")""",
)
WHY = """## Why it is true

The slope $f'(x) = x^3 - x$ points away from the hilltop on both sides, and towards the valleys beyond them."""
MEASURED = "## Measured\n\nChange the numbers and run the cells again."
EXERCISES = """## Exercises

```{{exercise-start}}
:label: {label}-predict
```
**Predict.** What happens if the learning rate is 3?
```{{exercise-end}}
```

```{{solution-start}} {label}-predict
:class: dropdown
```
The steps are longer than the valleys are wide, so it need not come to rest.
```{{solution-end}}
```"""


def lay_out(paper: str, page: str) -> Path:
    """Write the page's notebook and folder, and enter it in the table of contents.

    Args:
        paper: the chapter's folder, "recall". page: the new page's name, "my_page".

    Returns:
        The notebook.

    Raises:
        ValueError: there is no such chapter, the name is no identifier in small letters, or it is taken.
    """
    chapters = sorted(path.parent.name for path in ROOT.glob("book/*/index.ipynb"))
    if paper not in chapters:
        raise ValueError(f"PAPER = {paper!r}: must be one of {', '.join(chapters)}")
    if not re.fullmatch(r"[a-z][a-z0-9_]*", page) or keyword.iskeyword(page):
        raise ValueError(f"PAGE = {page!r}: must be small letters, digits and underscores, such as my_page")
    folder, id = ROOT / "book" / paper / page, id_of(paper, page)
    notebook = folder.with_suffix(".ipynb")
    if (
        folder.exists()
        or notebook.exists()
        or folder.with_suffix(".py").exists()
        or id in registry.statements()
    ):
        raise ValueError(f"PAGE = {page!r}: must be new to the chapter {paper!r}, and {id!r} to the ledger")
    words = {
        "package": f"book.{paper}.{page}",
        "page": page,
        "name": f"{page}_ends_in_a_valley",
        "id": id,
        "label": id.replace(".", "-"),
    }
    folder.mkdir()
    (folder / "program.py").write_text(PROGRAM)
    (folder / "statements.py").write_text(STATEMENTS.format(**words))
    (folder / "figure.py").write_text(FIGURE.format(**words))
    nbformat.write(_notebook(words), notebook)
    _module("ruff", "format", "--quiet", str(folder))
    _enter(paper, page)
    return notebook


def id_of(paper: str, page: str) -> str:
    """The id of the new page's statement."""
    return f"{paper}.{page.replace('_', '-')}"


def _notebook(words: dict[str, str]) -> nbformat.NotebookNode:
    text, code = nbformat.v4.new_markdown_cell, nbformat.v4.new_code_cell
    live = code(f"from {words['package']}.figure import figure\n\nfigure()")
    live.metadata["tags"] = ["hide-input", "full-width"]
    first, *others = (code(cell.format(**words)) for cell in CELLS)
    cells = [text(QUESTION), live, text(BOX.format(**words)), first, text(WHY), text(MEASURED), *others]
    cells.append(text(EXERCISES.format(**words)))
    for number, cell in enumerate(cells):
        cell.id = f"{words['page'].replace('_', '-')}-{number}"
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return nbformat.v4.new_notebook(cells=cells, metadata=kernel)


def _enter(paper: str, page: str) -> None:
    """Put the page last in its chapter of the table of contents, whose lines stay as they are."""
    contents = ROOT / "_toc.yml"
    lines = contents.read_text().splitlines()
    last = max(i for i, line in enumerate(lines) if f"file: book/{paper}/" in line)
    end = (
        last + 1 + ("title: " in "".join(lines[last + 1 : last + 2]))
    )  # a title belongs to the page above it
    first = ["        sections:"] if lines[last].endswith("/index") else []
    lines[end:end] = [*first, f"          - file: book/{paper}/{page}"]
    contents.write_text("\n".join(lines) + "\n")


def _module(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", *arguments], check=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line: 0, or 2 for bad arguments."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        if len(words) != 2:
            raise ValueError("make page PAPER=recall PAGE=my_page: both must be given")
        notebook = lay_out(*words)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    _module(*EXECUTE.split(), str(notebook))
    registry.statements.cache_clear()  # the page's is new
    id = id_of(*words)
    if failed := commands.main(["--renew", id]) or commands.main(["--hunt", "40", "--renew", id]):
        return failed
    print(f"The page is {notebook.relative_to(ROOT)}; its code is in the folder of that name.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
