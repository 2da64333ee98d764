"""The scene of a memory that learns its statements and is then read: its 72 statements fill, then attention moves."""

from __future__ import annotations

import torch
from torch import Tensor

from book.recall.scene import MADRID, PARIS, PROMPT, ROME
from book.together.stored.program import stored_then_looked_up
from lib.program import Program, with_outputs
from lib.together.memory import FIRST, RELATIONS, SUBJECTS, WORDED, WORDINGS, World
from widgets.figure.scenes import Abreast, Key, UnitGroup, Units

ATTENDS = 1
"""The stage with which attention begins to learn."""
STATEMENTS = Units(
    "The memory: a square for each statement",
    tuple(subject.word for subject in (PARIS, ROME, MADRID)),
    (UnitGroup("", "completed", WORDED, "relation"),),
    keys=(Key("filled to its probability", "relation"),),
)
READ = PROMPT._replace(title="What attention reads")
SHELF = Abreast("A memory, and what reads it", STATEMENTS, READ, ATTENDS)


def with_statements() -> Program:
    """The memory's training, then attention's, with the statements that the memory completes."""
    return with_outputs(
        stored_then_looked_up(),
        lambda seen, s, p: {"completed": completed(s.features, s.known).reshape(-1)},
    )


def completed(features: Tensor, known: World) -> Tensor:
    """After a subject and a wording the probability of the answer that is stated so, (3, 24); NaN where none is."""
    before = features[:SUBJECTS, None] + features[None, FIRST : FIRST + WORDED]  # (3, 24, 30, m)
    said = torch.softmax(before.square().mean(-1), -1)[..., SUBJECTS:FIRST]
    stated = (known.weight > 0).permute(0, 1, 3, 2).reshape(SUBJECTS, RELATIONS * WORDINGS, SUBJECTS)
    return torch.where(stated.any(-1), (said * stated).sum(-1), torch.nan)
