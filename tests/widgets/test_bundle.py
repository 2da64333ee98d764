"""The JavaScript bundle: packages are installed and scripts built where something has changed, and not otherwise."""

import pytest

from widgets import bundle


@pytest.fixture
def commands(monkeypatch, tmp_path):
    """Runs of npm in a copy of the sources, recorded instead of carried out."""
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "figure.js").write_text("one")
    for name in ("package.json", "package-lock.json"):
        (tmp_path / name).write_text("{}")
    for folder in ("node_modules", "dist"):
        (tmp_path / folder).mkdir()
    monkeypatch.setattr(bundle, "HERE", tmp_path)
    monkeypatch.setattr(bundle, "DIST", tmp_path / "dist")
    commands: list[str] = []
    monkeypatch.setattr(bundle, "_run", lambda command: commands.append("ci" if "ci" in command else "build"))
    return commands


def test_everything_is_made_once(commands):
    bundle.ensure()
    bundle.ensure()
    assert commands == ["ci", "build"]


def test_a_changed_source_is_built_again(commands):
    bundle.ensure()
    (bundle.HERE / "src" / "figure.js").write_text("two")
    bundle.ensure()
    assert commands == ["ci", "build", "build"]


def test_a_changed_lock_file_is_installed_again(commands):
    bundle.ensure()
    (bundle.HERE / "package-lock.json").write_text('{"lockfileVersion": 3}')
    bundle.ensure()
    assert commands == ["ci", "build", "ci", "build"]
