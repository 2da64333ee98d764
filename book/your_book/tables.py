"""The tables of the page on foreign books: read off the translator, and off tables that commands have stored."""

from __future__ import annotations

import re
from inspect import getdoc

import pandas as pd

from book.sweep import read
from book.your_book.examples import EXAMPLES
from widgets.figure.training import OPTIMIZERS
from widgets.translate import aten, complex_numbers, decompositions, emitters, refusals, trace

NOBODY_WRITES = re.compile(r"^(facts|empty|alias|lift_fresh|copy|to_copy|unsafe|new_)|_backward$|_scatter$")
"""What a trace has, and no author."""
OTHER_NAMES = {
    "local_scalar_dense": ".item(), float(), if",
    "native_layer_norm": "layer_norm",
    "native_group_norm": "group_norm",
    "mm": "matmul",
    "bmm": "matmul",
    "index": "x[i]",
    "native_batch_norm_legit": "batch_norm",
    "max_pool2d_with_indices": "max_pool2d",
    "constant_pad_nd": "pad",
    "split_with_sizes": "split",
}
"""What authors call what a trace calls otherwise."""


def translated() -> pd.DataFrame:
    """The operations of torch that have JavaScript, by kind."""
    pointwise = {*aten.POINTWISE, *aten.ON_BOOLEANS, "pow", "clamp"}
    along = {*aten.REDUCTIONS, *aten.SCANS, *aten.SELECTIONS}
    views = {*aten.VIEWS, *aten.RESHAPES, *aten.SCATTERS}
    written = {*map(str, decompositions.DECOMPOSITIONS), *trace.MORE_DECOMPOSITIONS}
    kinds = {
        "number by number": pointwise,
        "sums, and what is best": along,
        "views": views,
        "products, indices and more": {*emitters.EMITTERS} - along - views,
        "made of these": written | {function.__name__ for function in decompositions.REPLACED},
        "of complex numbers, too": set(complex_numbers.RULES),
    }
    rows, before = [], set[str]()
    for kind, names in kinds.items():
        found = {_name(name) for name in names if not NOBODY_WRITES.match(_bare(name))} - {""}
        if kind != "of complex numbers, too":
            found, before = found - before, before | found
        rows.append({"kind": kind, "operations": ", ".join(sorted(found))})
    return pd.DataFrame(rows)


def refused() -> pd.DataFrame:
    """What has no JavaScript, and what to write instead."""
    ways: dict[str, list[str]] = {
        aten.CHANCE: ["rand", "randn", "dropout", "multinomial", "shuffled batches"]
    }
    for operation, instead in aten.ADVICE.items():
        ways.setdefault(instead, []).append(_name(operation))
    rows = [
        {"refused": ", ".join(dict.fromkeys(names)), "instead": instead} for instead, names in ways.items()
    ]
    for pattern, instead in refusals.INSTEAD.items():
        names = ", ".join(re.findall(r"[a-z]\w{2,}(?=[|)\\])", pattern)) or "a slice, or an element"
        rows.append({"refused": f"{names} of what a slider changes", "instead": instead})
    optimizers = ", ".join(optimizer.__name__ for optimizer in OPTIMIZERS)
    rows.append({"refused": "another optimizer", "instead": f"one of {optimizers}"})
    return pd.DataFrame(rows)


def _bare(name: str) -> str:
    """An operation's name without its library, its overload and the line that marks it as torch's own."""
    return re.sub(r"^aten\.|\.[\w.]+$", "", name.replace("aten::", "")).lstrip("_")


def _name(name: str) -> str:
    """What an author calls an operation."""
    bare = re.sub(r"_ex$|_no_training$", "", _bare(name))
    return OTHER_NAMES.get(bare, bare)


def examples() -> pd.DataFrame:
    """The trainings of the page: what each is, and what was measured of it."""
    words = {example.__name__: (getdoc(example) or "").rstrip(".") for example in EXAMPLES}
    rows = read("live-examples").rows
    return rows.assign(example=[words[name] for name in rows.example])


def ways() -> pd.DataFrame:
    """The ways to put one training with a slider into a page, and what was measured of each."""
    rows = read("live-ways").rows.astype(object)
    return rows.where(rows.notna(), "—")


def hosts() -> pd.DataFrame:
    """The hosts that are too large for the tests, and what came of it when they were tried."""
    return read("live-hosts").rows
