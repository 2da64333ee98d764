"""CONTRIBUTING.md lists the files that are there, with what they say of themselves."""

import pytest

from tests.guide import GUIDE, updated


@pytest.mark.whole
def test_the_guide_lists_all_files():
    text = GUIDE.read_text(encoding="utf-8")
    assert updated(text) == text, "write the list anew: python -m tests.guide"
