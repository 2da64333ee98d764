"""The correlations of a learned memory, by the kinds of words that they join: is it near the constructed one?"""

from __future__ import annotations

from typing import NamedTuple

import torch

from book.together.stored.renaming import learned
from lib.together import memory
from lib.together.memory import ANSWERS, FIRST, RELATIONS, SUBJECTS, WORDINGS


class Correlations(NamedTuple):
    """Means over wordings and seeds, in units of half the lead; the constructed memory has 1, 1, 0, 0 and 0."""

    own: float  # a subject with its own answer, in the wordings that state it
    itself: float  # a subject or an answer with itself
    other: float  # a subject with another answer
    two_subjects: float  # a subject with another subject
    spread: float  # standard deviation of the last two together


def correlations(multiplicity: int = 4, seeds: int = 3, first: int = 0) -> Correlations:
    """What the memory has learned of each kind of pair, over ``seeds`` starts from seed ``first`` on."""
    found = [learned(multiplicity=multiplicity, seed=seed) for seed in range(first, first + seeds)]
    forms = torch.stack([memory.forms(each.features) / (each.lead / 2) for each in found])
    forms = forms.reshape(seeds, RELATIONS, WORDINGS, FIRST + 1, FIRST + 1)
    between = forms[..., :SUBJECTS, SUBJECTS:FIRST]
    is_own = (torch.arange(SUBJECTS) == ANSWERS[:, :, None])[None, :, None].expand_as(between)
    said = torch.stack([each.known.weight.sum(2) > 0 for each in found])  # (seeds, 3, 6, 4)
    stated = said.permute(0, 2, 3, 1)[..., None].expand_as(between)
    apart = ~torch.eye(SUBJECTS, dtype=torch.bool)
    other, subjects = between[~is_own], forms[..., :SUBJECTS, :SUBJECTS][..., apart].flatten()
    return Correlations(
        own=float(between[is_own & stated].mean()),
        itself=float(forms.diagonal(dim1=-2, dim2=-1)[..., :FIRST].mean()),
        other=float(other.mean()),
        two_subjects=float(subjects.mean()),
        spread=float(torch.cat([other, subjects]).std()),
    )
