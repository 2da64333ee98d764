"""The scripts that make a figure live in a page of any kind: one that all figures share, and each figure's own."""

from __future__ import annotations

import json

from widgets import bundle
from widgets.site import licences, typeset
from widgets.site.state import State, View, extract_code, register_script, texts


def shared() -> str:
    """The part of a module's source that all figures have, with the licences of what it holds."""
    script = (bundle.ensure() / "module.js").read_text(encoding="utf-8")
    return f"/*\n{licences.of_scripts().replace('*/', '* /')}*/\n{script}"


def parts(state: State, root: str) -> tuple[str, str]:
    """What a figure's module has besides: statements that register its kernels, and an expression for its hooks.

    Args:
        state: the widgets that belong to the figure; they lose their code.
        root: the model of figure and controls.

    Raises:
        ValueError: there is no such formula.
    """
    formulas = typeset.mathml_of_labels(texts(state, [View(root, None)]))
    kernels, modules = extract_code(state)
    body = {
        "state": state,
        "root": root,
        "figure": next(id for id, entry in state.items() if "kernels" in entry["state"]),
        "module": next(iter(modules)),
        "formulas": formulas,
    }
    return register_script("factsKernels", kernels), f"facts.exported({json.dumps(body)})"
