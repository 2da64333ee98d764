"""README and CONTRIBUTING name what is there, and the list of files says what they say of themselves."""

import re

import pytest

from tests import ROOT
from tests.guide import GUIDE, ROOMS, updated

PATH = re.compile(rf"`((?:{'|'.join(ROOMS)})/[\w/.]*)`")
MADE_UP = "my_page"
"""The page that a reader of the recipes lays out."""

pytestmark = pytest.mark.whole


def test_the_guide_lists_all_files():
    text = GUIDE.read_text(encoding="utf-8")
    assert updated(text) == text, "write the list anew: python -m tests.guide"


@pytest.mark.parametrize("path", [GUIDE, ROOT / "README.md"], ids=lambda path: path.name)
def test_files_and_folders_that_are_named_are_there(path):
    named = {name for name in PATH.findall(path.read_text(encoding="utf-8")) if MADE_UP not in name}
    assert len(named) > 5
    assert {name for name in named if not (ROOT / name).exists()} == set()
