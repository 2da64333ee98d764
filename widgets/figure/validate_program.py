"""A program runs one step of each stage in torch before it is traced, so that errors are found early and by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import Tensor
from torch.utils import _pytree as pytree

from lib.program import Program, parameters


def validate_program(program: Program, values: dict[str, float]) -> tuple[Any, Any]:
    """Run one step of each stage; returns what is watched and what is reported then.

    Raises:
        ValueError: a stage has no such limit, or turns the state into another kind of state.
        TypeError: what is watched or reported is no record of tensors.
    """
    chosen = parameters(program, values)
    state, watched = program.start(chosen), None
    ends: list[Any] = []
    for stage in program.stages:
        if stage.limit not in values:
            raise ValueError(
                f"stage {stage.name!r}: limit = {stage.limit!r}: must be one of {', '.join(values)}"
            )
        state = stage.enter(state, chosen)
        _check_alike(f"entering stage {stage.name!r}", ends[-1] if ends else state, state)
        outcome = stage.step(state, chosen)
        done = outcome[-1] if isinstance(outcome, tuple) and len(outcome) == 2 else None
        if not isinstance(done, Tensor) or done.numel() != 1:
            raise ValueError(
                f"a step of stage {stage.name!r} returns {_described(outcome)}: must be a state, and a 0-d tensor that "
                "says whether it is done"
            )
        _check_alike(f"a step of stage {stage.name!r}", state, outcome[0])
        state = outcome[0]
        ends.append(state)
        watched = program.watch(state, chosen)
        if isinstance(watched, Mapping):  # a run stacks them
            raise TypeError("what is watched is a dict: must be a NamedTuple of tensors")
        _check_record("what is watched", watched)
    report = program.report(tuple(ends), chosen)
    _check_record("what is reported", report)
    return watched, report


def _check_alike(who: str, before: Any, after: Any) -> None:
    """Refuse a step that changes the shape, the type or the structure of the state."""
    leaves, structure = pytree.tree_flatten(before)
    new_leaves, new_structure = pytree.tree_flatten(after)
    if structure != new_structure or not all(isinstance(leaf, Tensor) for leaf in new_leaves):
        raise ValueError(
            f"{who} returns {_described(after)}: must be a state like {_described(before)}, all tensors"
        )
    for path, leaf, new in zip(_paths(before), leaves, new_leaves, strict=True):
        if (leaf.shape, leaf.dtype) != (new.shape, new.dtype):
            raise ValueError(
                f"{who} turns {path or 'the state'} of shape {tuple(leaf.shape)}, {leaf.dtype} into "
                f"{tuple(new.shape)}, {new.dtype}: must stay as it is"
            )


def _described(state: Any) -> str:
    """A state's type and the places of its tensors, in words."""
    return f"{type(state).__name__} of {', '.join(_paths(state)) or 'nothing'}"


def _paths(state: Any) -> list[str]:
    """The place of each tensor in a state, in words."""
    return [pytree.keystr(path).strip(".") for path, _ in pytree.tree_flatten_with_path(state)[0]]


def _check_record(what: str, record: Any) -> None:
    """Refuse what is not a record with a name for each of its tensors."""
    if not entries(record):
        raise TypeError(f"{what} is a {type(record).__name__}: must be a NamedTuple or a dict of tensors")
    for name, value in entries(record):
        if not isinstance(value, Tensor):
            raise TypeError(f"{what}, {name!r}, is a {type(value).__name__}: must be a tensor")
        if not str(name).isidentifier():
            raise ValueError(f"{what} has a field {name!r}: must be a name, as of a variable")


def entries(record: Any) -> list[tuple[str, Any]]:
    """The names and values of a NamedTuple or a dict; of anything else nothing."""
    fields = record if isinstance(record, Mapping) else getattr(record, "_asdict", dict)()
    return list(fields.items())
