"""Where in parameter space a statement is true: two parameters as axes, and for each cell what a whole run comes to.

::

    truth_map(theorem_2, temperature=None, perturbation_radius=None)     # as far as the sliders go
    truth_map(theorem_2, temperature=(1e-3, 1), perturbation_radius=[0, 1e-6, 1e-3], subjects=11, size=24)

The page's second view, *Where is it true?*, shows the same of the statement's figure.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from IPython.display import HTML

from book.errors import BadInput
from book.figures import figure, panel
from book.ledger import plain
from book.ledger.outcomes import BY_NAME, OUTCOMES
from book.ledger.registry import statements
from book.ledger.statement import Statement
from book.sweep import results
from lib.domain import Domain
from widgets.figure.colours import role

SIZE = 16
"""Cells along an axis whose ends alone are given."""
SIGNED = 24
"""Most cells along an axis for which each still bears its sign."""


class TruthMap:
    """A map, as :attr:`table`; it displays itself as a drawing and a sentence.

    Attributes:
        table: a row for each cell: the two parameters, ``outcome``, one of :data:`OUTCOMES`, ``assumed`` and
            ``concluded``.
        x, y: the names of the parameters.
    """

    def __init__(self, statement: Statement, x: str, y: str, table: pd.DataFrame) -> None:
        self.statement, self.x, self.y, self.table = statement, x, y, table

    @property
    def sentence(self) -> str:
        """At how many cells the conclusion holds; for how many values some choice works, where one is promised."""
        counts = self.table.outcome.value_counts()
        holds, beyond = (int(counts.get(key, 0)) for key in ("holds", "beyond"))
        inside, outside = holds + int(counts.get("contradicted", 0)), beyond + int(counts.get("outside", 0))
        name, early = plain.name(self.statement), int(counts.get("undecided", 0))
        cells = {"name": name, "holds": holds, "inside": inside, "beyond": beyond, "outside": outside}
        more = self.statement.mapped["early"].format(early=early) if early else ""
        chosen = [name for name in (self.x, self.y) if name in self.statement.exists]
        if len(chosen) != 1 or not inside:
            return self.statement.mapped["cells"].format(**cells) + more
        (choice,) = chosen
        along = self.y if choice == self.x else self.x
        judged = self.table[self.table.outcome.isin(("holds", "contradicted"))]
        works = (judged.outcome == "holds").groupby(judged[along]).any()
        sentence = self.statement.mapped["every" if works.all() else "some"]
        return sentence.format(works=int(works.sum()), lines=len(works), along=along, choice=choice) + more

    def draw(self) -> HTML:
        """The map as a heat map of seaborn."""
        import seaborn as sns
        from matplotlib.colors import ListedColormap, to_rgba

        grid = self.table.pivot(index=self.y, columns=self.x, values="outcome").sort_index(ascending=False)
        codes = grid.map(OUTCOMES.index)
        signs = grid.map(lambda outcome: BY_NAME[outcome].sign) if max(grid.shape) <= SIGNED else False
        with panel(self.statement.box.name) as chart:
            sns.heatmap(
                codes,
                annot=signs,
                fmt="",
                cmap=ListedColormap([to_rgba(role(each.colour), each.opacity) for each in BY_NAME.values()]),
                vmin=-0.5,
                vmax=len(OUTCOMES) - 0.5,
                cbar=False,
                xticklabels=[f"{value:.3g}" for value in grid.columns],
                yticklabels=[f"{value:.3g}" for value in grid.index],
                ax=chart.axes,
            )
            chart.axes.set(xlabel=self.x.replace("_", " "), ylabel=self.y.replace("_", " "))
            svg = chart.svg(self.sentence)
        legend = "; ".join(
            f"{outcome.sign} {outcome.words}"
            for key, outcome in BY_NAME.items()
            if (self.table.outcome == key).any()
        )
        return figure([svg], f"{self.sentence} {legend}.")

    def __repr__(self) -> str:
        return self.sentence

    def _repr_html_(self) -> str:
        return str(self.draw().data)


def truth_map(
    statement: Statement, /, *, size: int = SIZE, workers: int | str = 1, **settings: Any
) -> TruthMap:
    """What the statement comes to over two parameters.

    Args:
        size: how many cells an axis has of which only the ends are given.
        workers: 1 for one batch of runs side by side; more, or a Dask scheduler's address, as in
            :func:`book.sweep.sweep`.
        **settings: two parameters as axes, across and upwards: a list or range of values; (low, high), in equal
            steps, or equal factors if both are positive; or None, as far as the parameter's slider goes. Others, one
            value each, over ``holds_at``.

    Raises:
        BadInput: there are not two axes, or one of them has fewer than two values.
        ValueError: a parameter is unknown or a value not allowed.
    """
    axes = [
        name for name, value in settings.items() if value is None or isinstance(value, list | tuple | range)
    ]
    if len(axes) != 2:
        raise BadInput(
            f"map of {statement.id}: axes = {axes}: must be two parameters, each with a list of values, its two ends "
            "or None"
        )
    x, y = axes
    values = {name: _values(statement, name, settings[name], size) for name in axes}
    fixed = {**statement.holds_at, **{name: value for name, value in settings.items() if name not in axes}}
    cells = [dict(zip(axes, pair, strict=True)) for pair in product(values[x], values[y])]
    configurations = [{**fixed, **cell} for cell in cells]
    table = pd.DataFrame(
        [
            {**cell, **row}
            for cell, row in zip(cells, _judged(statement, configurations, workers), strict=True)
        ]
    )
    return TruthMap(statement, x, y, table)


def _values(statement: Statement, name: str, span: Any, size: int) -> list[Any]:
    """The values of an axis."""
    values: Sequence[Any]
    if isinstance(span, list | range):
        values = span
    elif span is None:
        values = _slider(_domain(statement, name), size)
    else:
        low, high = span
        whole = isinstance(low, int) and isinstance(high, int)
        grid = np.geomspace(low, high, size) if low > 0 < high else np.linspace(low, high, size)
        values = list(dict.fromkeys(np.rint(grid).astype(int).tolist() if whole else grid.tolist()))
    if len(values) < 2:
        raise BadInput(f"map of {statement.id}: {name} = {list(values)}: must have two values or more")
    return list(values)


def _domain(statement: Statement, name: str) -> Domain:
    """The parameter's domain, which has a slider."""
    domains = {domain.name: domain for domain in statement.runs().domains} if statement.runs else {}
    if name not in domains or not domains[name].track:
        sliders = [domain.name for domain in domains.values() if domain.track]
        raise BadInput(
            f"map of {statement.id}: {name} = None: must be a list of values or two ends, since it has no slider; "
            f"{', '.join(sliders) or 'none'}: these have one"
        )
    return domains[name]


def _slider(domain: Domain, size: int) -> list[float]:
    """Values over the range of a parameter's slider."""
    if domain.scale == "choice":
        return list(domain.track)
    if domain.scale == "menu":
        return [float(place) for place in range(len(domain.track))]
    low, high, *step = domain.track
    if domain.scale == "log":
        grid = np.geomspace(low, high, size)
    else:
        grid = np.linspace(low, high, size)
        if step:
            grid = low + np.rint((grid - low) / step[0]) * step[0]
    return list(dict.fromkeys((np.rint(grid) if domain.integer else grid).tolist()))


def _judged(
    statement: Statement, configurations: Sequence[Mapping[str, Any]], workers: int | str
) -> Iterator[dict[str, Any]]:
    """Outcome, hypotheses and conclusion at each configuration, in order."""
    if workers == 1:
        for result in statement.at_each(configurations):
            yield {"outcome": result.key, "assumed": result.assumed, "concluded": result.concluded}
        return
    calls = {
        place: {"id": statement.id, "configuration": json.dumps(dict(configuration))}
        for place, configuration in enumerate(configurations)
    }
    rows = {place: row for place, row, _ in results(judged_apart, calls, workers)}
    for place in sorted(rows):
        yield dict(rows[place][0])


def judged_apart(id: str, configuration: str) -> list[dict[str, Any]]:
    """The row of one cell, made in a process of its own."""
    (result,) = statements()[id].at_each([json.loads(configuration)])
    return [{"outcome": result.key, "assumed": result.assumed, "concluded": result.concluded}]
