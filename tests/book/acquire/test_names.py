"""Facts with names: what the page says in words is so."""

from book.acquire.names import tables
from book.acquire.tables import stored


def test_what_the_page_says_of_films_is_so():
    films = stored("director")
    assert (films.told == 1).all()
    by = films.groupby(["multiplicity", "tuned", "when"])[["exact", "f1"]].mean()
    assert (by.f1 >= by.exact).all()
    chosen = by.exact.xs("chosen", level="when")
    assert 0.4 < chosen.max() < 0.6  # half at best
    at = by.exact.loc[8, 96]
    assert at["best"] >= at["last"] > at["chosen"]


def test_what_the_page_says_of_capitals_is_so():
    once, often = (tables.table_2(k) for k in (1, 4))
    gains = [getattr(often, way) - getattr(once, way) for way in ("frequent", "rare")]
    assert min(gains) > 5 * abs(often.more)
