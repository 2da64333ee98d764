"""What people publish works in the page, or is refused in words; nothing is unclear."""

from __future__ import annotations

import pytest

from tests.widgets.translate.attempts import ATTEMPTS, outcome, stored

ROWS = {row.attempt: row for row in stored()}
TRIED_HERE = [name for place, name in enumerate(ROWS) if ROWS[name].outcome == "sentence" or place % 6 == 2]
"""All are tried by ``make bench``."""


WITHOUT_LINE = ["a data loader"]
"""Refused as chance, without a line, for the seed that torch's loader draws and nobody reads."""


def test_the_table_has_every_attempt_and_no_other_is_unclear():
    assert list(ROWS) == list(ATTEMPTS), "write the table: python -m tests.widgets.translate.attempts"
    assert [name for name, row in ROWS.items() if row.outcome == "unclear"] == WITHOUT_LINE
    assert sum(row.outcome == "works" for row in ROWS.values()) > 2 / 3 * len(ROWS)


@pytest.mark.filterwarnings("ignore")
def test_what_the_table_says_comes_out():
    for name in TRIED_HERE:
        assert outcome(name) == ROWS[name]
