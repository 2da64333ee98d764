"""The JavaScript bundle: packages are installed and scripts built where something has changed, and not otherwise."""

import pytest

from widgets import bundle


@pytest.fixture
def commands(monkeypatch, tmp_path):
    """Runs of npm in a copy of the sources, recorded instead of carried out."""
    here = tmp_path / "widgets"
    for folder in ("src", "node_modules", "dist"):
        (here / folder).mkdir(parents=True)
    (here / "src" / "figure.js").write_text("one")
    for name in ("package.json", "package-lock.json"):
        (here / name).write_text("{}")
    monkeypatch.setattr(bundle, "HERE", here)
    monkeypatch.setattr(bundle, "DIST", here / "dist")
    monkeypatch.setattr(bundle, "STAMP", here / "dist" / "fingerprint")
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


def test_a_drawing_that_a_page_has_is_a_source(commands):
    bundle.ensure()
    scene = bundle.HERE.parent / bundle.SCENES.replace("*", "folder")
    scene.parent.mkdir(parents=True)
    for text in ("one", "one", "two"):
        scene.write_text(text)
        bundle.ensure()
    assert commands == ["ci", "build", "build", "build"]


def test_a_changed_lock_file_is_installed_again(commands):
    bundle.ensure()
    (bundle.HERE / "package-lock.json").write_text('{"lockfileVersion": 3}')
    bundle.ensure()
    assert commands == ["ci", "build", "ci", "build"]
