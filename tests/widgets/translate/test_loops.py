"""The tree: what expressions and statements read and write, and how they are rewritten."""

from __future__ import annotations

from tests.widgets.translate.trees import ZERO, add, at, loop, positive, store, tanh, times
from widgets.translate.expressions import (
    Affine,
    Checked,
    Expression,
    Literal,
    Load,
    Name,
    substitute,
    variable,
)
from widgets.translate.loops import Call, If, Let, move_accesses, substitute_in

PLACE = Checked(at("places", i=1), 5, wraps=True)
GATHERED = Load("x", Affine(2, ((PLACE, 6), (Name("j"), 1))))
TREE = loop(
    "i",
    20,
    Let("t", ZERO, mutable=True),
    loop("j", 6, If((positive(at("w", j=1)),), (add(Name("t"), GATHERED),))),
    store(at("o", i=1), times(Name("t"), Name("scale"))),
)


def test_a_statement_reads_and_writes_what_is_inside():
    assert TREE.reads == {"w", "t", "x", "places", "scale"}
    assert TREE.writes == {"t", "o"}
    assert Call((TREE,), "sum", at("z")).reads == TREE.reads | {"z"}
    assert Call((TREE,), "sum", at("z")).writes == TREE.writes | {"sum"}


def test_an_accumulator_is_read_and_an_assigned_element_is_not():
    assert add(at("o"), ZERO).reads == {"o"}
    assert store(at("o"), ZERO).reads == frozenset()
    assert store(Load("o", variable("k")), ZERO).reads == {"k"}


def test_every_element_is_an_access_with_the_turns_around_it():
    accesses = {access.array: access for access in TREE.accesses}
    assert accesses.keys() == {"w", "x", "places", "o"}
    assert accesses["x"].place == GATHERED.place
    assert accesses["x"].sizes == {"i": 20, "j": 6}
    assert accesses["o"].sizes == {"i": 20}


def test_turns_are_those_of_the_innermost_statements():
    assert TREE.turns == 120
    assert loop("i", 20, store(at("o", i=1), ZERO)).turns == 20
    assert store(at("o"), ZERO).turns == 0


def test_indices_add_up():
    i, j = variable("i"), variable("j")
    assert i.times(3).plus(j).plus(i).plus(Affine(2)) == Affine(2, ((Name("i"), 4), (Name("j"), 1)))
    assert i.plus(i.times(-1)) == Affine()
    assert Affine.of(Literal("7")) == Affine(7)
    assert i.times(6).plus(j).coefficient("i") == 6
    assert i.times(6).plus(j).without("i") == j


def test_a_replaced_term_of_an_index_is_multiplied_out():
    index = Affine(1, ((Name("i"), 6), (Name("j"), 1)))
    replacements: dict[Expression, Expression] = {Name("i"): Affine(2, ((Name("j"), 3),))}
    assert substitute(index, replacements) == Affine(13, ((Name("j"), 19),))


def test_substitution_reaches_targets_conditions_and_indices():
    renamed: dict[Expression, Expression] = {Name("j"): Name("k"), at("places", i=1): Name("p")}
    (_, inner, _) = substitute_in(TREE, renamed).children
    (condition,) = inner.children
    assert condition.evaluated == (positive(at("w", k=1)),)
    (update,) = condition.children
    assert update.reads == {"t", "x", "p", "k"}


def test_an_element_that_is_an_index_moves_too():
    twice = store(Load("y", Affine.of(at("y", 1))), tanh(Load("y", Affine.of(at("y", 2)))))
    moved = move_accesses(twice, lambda load: Load("z", load.place.plus(Affine(10)), load.flag))
    inner = [at("z", 11), at("z", 12)]
    assert moved == store(
        Load("z", Affine(10, ((inner[0], 1),))), tanh(Load("z", Affine(10, ((inner[1], 1),))))
    )
