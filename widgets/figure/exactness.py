"""Where a figure is exact: a sentence of its author's, which readers find under *Check the numbers*.

::

    exact(live(descend, rate=…), "Exact where embeddings are orthogonal: then six scores take the steps of the model.")
"""

from __future__ import annotations

from widgets.figure.live import Live


def exact(figure: Live, where: str) -> Live:
    """The figure itself, which now says under which assumptions its numbers are those of what it stands for.

    Args:
        where: one or more whole sentences.

    Raises:
        ValueError: ``where`` is no sentence.
    """
    if not (isinstance(where, str) and where.strip().endswith(".")):
        raise ValueError(f"where = {where!r}: must be a sentence, with a full stop")
    figure.figure.spec = {**figure.figure.spec, "exact": where.strip()}
    return figure
