"""What is installed on demand: everything says the same command."""

import re
import sys

import pytest

from book.optional import INSTALL, require_optional
from tests import ROOT


def test_what_is_not_installed_is_one_clear_sentence(monkeypatch):
    assert require_optional("json", "scale", "this").dumps([]) == "[]"
    monkeypatch.setitem(sys.modules, "peft", None)
    with pytest.raises(ModuleNotFoundError) as caught:
        require_optional("peft", "scale", "LoRA")
    assert str(caught.value) == f"LoRA needs peft; install it with {INSTALL.format(extra='scale')}"


def test_every_page_says_the_command_that_errors_say():
    texts = {path: path.read_text() for path in [ROOT / "README.md", *(ROOT / "book").rglob("*.ipynb")]}
    said = {
        path: re.findall(r"`([^`\n]*pip install[^`\n]*\[\w+\][^`\n]*)`", text) for path, text in texts.items()
    }
    commands_named = [command for commands in said.values() for command in commands]
    assert len(commands_named) >= 3
    assert {*commands_named} == {INSTALL.format(extra="scale")}
