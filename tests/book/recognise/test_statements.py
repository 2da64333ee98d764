"""Every formula that the chapter lists as right or wrong."""

import pytest

from book import claims


@pytest.mark.parametrize("name", [name for name in claims.registry() if name.startswith("recognise.")])
def test_every_formula_of_the_chapter_is_as_listed(name):
    claim = claims.registry()[name]
    assert all(item.passes() for item in claim.checked)
    for erratum in claim.errata:
        assert erratum.symbolic()
