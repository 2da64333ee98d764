"""A loop as its author thinks of it: a start, a step, and what to look at.

::

    for _ in range(steps):
        state = step(state, p)

becomes ``live(Loop(start, step, watch), rate=controls.logarithmic(…), steps=controls.whole(…))``. The step is
translated once, however many steps there are, and repeated in the page.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import torch
from torch import Tensor

from lib.program import Program, Stage, record
from widgets.figure.settings import domain_of


class Loop(NamedTuple):
    """One repeated step; the settings of :func:`~widgets.figure.live.live` are its parameters, ``steps`` among them.

    Every function is pure torch in float64. A state is a tensor, or a tuple or dict of tensors; its shapes stay.
    """

    start: Callable[[Any], Any]
    """``start(p) → state``; ``p.rate`` is the setting ``rate``, 0-d."""
    step: Callable[[Any, Any], Any]
    """``step(state, p) → state``."""
    watch: Callable[[Any, Any], Mapping[str, Tensor]]
    """``watch(state, p)``: named tensors, drawn against the step and, at the end, as they are."""
    until: Callable[[Any, Any], Tensor] | None = None
    """``until(state, p)``, 0-d: whether another step would not matter."""

    def program(self, settings: Mapping[str, Any]) -> Program:
        """The loop as a program with a parameter for each setting.

        Raises:
            ValueError: ``steps`` has no setting.
        """
        if "steps" not in settings:
            raise ValueError(
                f"settings = {sorted(settings)}: must have steps, the number of them or its control"
            )

        def step(state: Any, p: Any) -> tuple[Any, Tensor]:
            after = self.step(state, p)
            if isinstance(state, dict) and isinstance(after, dict) and state.keys() == after.keys():
                after = {name: after[name] for name in state}  # in whatever order it is written
            return after, self.until(after, p) if self.until else torch.tensor(False)

        def watch(state: Any, p: Any) -> Any:
            fields = self.watch(state, p)
            if not isinstance(fields, Mapping):
                raise TypeError(f"watch returns {type(fields).__name__}: must be a dict of tensors")
            return record("Watched", fields)(*fields.values())

        return Program(
            parameters=record("Parameters", settings),
            domains=tuple(domain_of(name, setting) for name, setting in settings.items()),
            start=self.start,
            stages=(Stage("loop", lambda state, p: state, step, "steps"),),
            watch=watch,
            report=lambda ends, p: dict(self.watch(ends[0], p)),
        )
