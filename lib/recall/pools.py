"""Small sets of relations, drawn in traceable torch: random bijections, and affine maps over a field.

There are at most ``WIDTH`` subjects and ``ROWS`` relations. A set is a table (ROWS, WIDTH) of answers; entries beyond
its relations or subjects mean nothing.
"""

from __future__ import annotations

from itertools import permutations

import torch
from torch import Tensor

from lib import noise

WIDTH = 8
ROWS = 120
FIELDS = (3, 4, 5, 7, 8)
"""The numbers of subjects, up to eight, over which there is a field: the powers of primes."""

LISTED = 5
"""Most subjects for which all bijections are listed; beyond, they are drawn one by one, without repetitions."""

BLOCKS = 18
"""How many streams of noise a seed uses here."""


def field_maps(size: int) -> list[list[int]]:
    """All maps x ↦ a x + b with a ≠ 0 over the field of ``size`` elements: sharply 2-transitive.

    The elements of the fields of 4 and 8 are polynomials over {0, 1}, written as binary numbers.

    Raises:
        ValueError: ``size`` is not in ``FIELDS``.
    """
    if size not in FIELDS:
        raise ValueError(f"size = {size}: must be one of {', '.join(map(str, FIELDS))}")
    modulus = {4: 0b111, 8: 0b1011}.get(size, 0)

    def times(a: int, x: int) -> int:
        if not modulus:
            return a * x % size
        product = 0
        for bit in range(3):
            product ^= (a << bit) * (x >> bit & 1)
        for bit in (4, 3, 2):  # take away multiples of the modulus until the product is an element
            if product >= size and product >> bit & 1:
                product ^= modulus << (bit - modulus.bit_length() + 1)
        return product

    def plus(x: int, y: int) -> int:
        return x ^ y if modulus else (x + y) % size

    return [[plus(times(a, x), b) for x in range(size)] for a in range(1, size) for b in range(size)]


def _table(lists: list[list[list[int]]], rows: int) -> Tensor:
    """Lists of relations as (len, rows, WIDTH), filled up with identities."""
    table = torch.arange(WIDTH, dtype=torch.float64).repeat(len(lists), rows, 1)
    for i, relations in enumerate(lists):
        for j, relation in enumerate(relations):
            table[i, j, : len(relation)] = torch.tensor(relation, dtype=torch.float64)
    return table


def _fields() -> list[list[list[int]]]:
    return [field_maps(n) if n in FIELDS else [] for n in range(3, WIDTH + 1)]


AFFINE = _table(_fields(), WIDTH * (WIDTH - 1))  # (6, 56, 8) for 3, 4, … 8 subjects
BIJECTIONS = _table([[list(p) for p in permutations(range(n))] for n in (3, 4, 5)], ROWS)  # (3, 120, 8)
SIZES = torch.tensor([float(len(maps)) for maps in _fields()], dtype=torch.float64)
FACTORIALS = torch.tensor([6.0, 24.0, 120.0], dtype=torch.float64)


def draw(subjects: Tensor, relations: Tensor, affine: Tensor, seed: Tensor) -> tuple[Tensor, Tensor]:
    """A uniformly random set of distinct relations, in random order; traceable.

    Args:
        subjects: n, 0-d, a whole number from 3 to 8.
        relations: how many are wanted, at least 1.
        affine: whether they are affine maps; there are none for n = 6.
        seed: a whole number from 0 to 10⁴.

    Returns:
        The table (ROWS, WIDTH) of answers from 0, and how many of its rows count: fewer than wanted where the
        pool, or ROWS, has no more.
    """
    place = (subjects - 3).long()[None]
    maps = AFFINE[place][0]  # (56, 8)
    maps = torch.cat([maps, torch.zeros(ROWS - len(maps), WIDTH, dtype=torch.float64)])
    every = BIJECTIONS[torch.clamp(place, max=2)][0]  # (120, 8)
    draws = noise.uniform(seed * BLOCKS + torch.arange(BLOCKS)[:, None], 60)  # (18, 60), one stream a row
    single = _one_by_one(subjects, draws[:16].reshape(ROWS, WIDTH))
    listed = affine | (subjects <= LISTED)
    table = torch.where(affine, maps, torch.where(subjects <= LISTED, every, single))
    size = torch.where(affine, SIZES[place][0], FACTORIALS[torch.clamp(place, max=2)][0])
    row = torch.arange(ROWS, dtype=torch.float64)
    there = torch.where(listed, row < size, ~_repeated(single)).to(torch.float64)
    last = draws[16:].flatten()
    shuffled = ((last[None] < last[:, None]) * there).sum(1)
    order = torch.where(listed, shuffled, torch.cumsum(there, 0) - 1)
    moved = (order[None] == row[:, None]) * there  # (120, 120): row i of the set is row j of the table
    return moved @ table, torch.minimum(relations, there.sum())


def _one_by_one(subjects: Tensor, draws: Tensor) -> Tensor:
    """Independent random bijections, as the ranks of random numbers; (120, 8)."""
    width = torch.arange(WIDTH, dtype=torch.float64)
    draws = torch.where(width < subjects, draws, 2 + width)  # answers beyond n stay where they are
    return (draws[:, None] < draws[:, :, None]).to(torch.float64).sum(2)


def _repeated(table: Tensor) -> Tensor:
    """Whether an earlier row is the same; (120,)."""
    code = table @ WIDTH ** torch.arange(WIDTH, dtype=torch.float64)
    i = torch.arange(ROWS)
    return ((code[None] == code[:, None]) & (i[None] < i[:, None])).any(1)
