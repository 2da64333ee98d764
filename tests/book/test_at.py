"""The command line begins where a page's figure opens: both answer the same question alike."""

import random

import pytest

from book import gallery
from book.ledger.outcomes import OUTCOMES
from book.ledger.registry import pages, statements
from book.ledger.report import where_to_begin
from lib.domain import Domain
from lib.program import attributes, run
from tests import ROOT
from tests.figures import makers
from widgets.figure.registry import Opening, opening_of
from widgets.figure.verdict import names

FEW = 30
"""Steps of a stage at settings drawn at random: enough to compare, and quick at any of them."""


def drawn(opening: Opening, chance: random.Random) -> dict[str, float]:
    """Settings that an address may name: one to three anywhere on their sliders, and few steps."""
    limits = {stage.limit for stage in opening.program.stages}
    moved = [domain for domain in opening.program.domains if domain.track and domain.name not in limits]
    some = chance.sample(moved, min(len(moved), chance.randint(1, 3)))
    least = {domain.name: domain.low for domain in opening.program.domains}
    few = {limit: min(max(FEW, least[limit]), opening.values[limit]) for limit in limits}
    return {**few, **{domain.name: somewhere(domain, chance) for domain in some}}


def somewhere(domain: Domain, chance: random.Random) -> float:
    """A value on a parameter's slider."""
    if domain.scale == "choice":
        return chance.choice(domain.track)
    if domain.scale == "menu":
        return float(chance.randrange(len(domain.track)))
    low, high, *step = domain.track
    if domain.scale == "log":
        value = low * (high / low) ** chance.random()
    elif step:
        value = low + step[0] * chance.randint(0, int((high - low) / step[0]))
    else:
        value = chance.uniform(low, high)
    return float(round(value)) if domain.integer else value


@pytest.mark.parametrize("name", makers())
def test_the_command_line_answers_what_the_page_answers(name):
    """At the page's opening and at settings drawn at random, named as its address names them."""
    opening, chance = opening_of(gallery.figures()[name]), random.Random(name)
    for asked in ({}, drawn(opening, chance)):
        report = attributes(run(opening.program, **{**opening.values, **asked}).report)
        for place, id in enumerate(opening.statements):
            fields, statement = names(place), statements()[id]
            result = statement.at({**where_to_begin(statement), **asked})
            where = f"{id} at {asked or 'its opening'}"
            assert result.key == OUTCOMES[int(getattr(report, fields["outcome"]))], where
            measured = [float(bound.measured) for bound in result.bounds]
            in_figure = getattr(report, fields["measured"]).tolist()
            assert measured == pytest.approx(in_figure, rel=1e-6, abs=1e-9, nan_ok=True), where


@pytest.mark.parametrize("page", [page for page in pages() if (ROOT / page / "statements.py").exists()])
def test_a_page_shows_a_statement_from_one_opening_only(page):
    """Else the command line could follow only one of its figures."""
    openings = [opening_of(figure) for figure in gallery.figures_of(page)]
    for id in {id for opening in openings for id in opening.statements}:
        values = [opening.values for opening in openings if id in opening.statements]
        assert all(each == values[0] for each in values), id
