"""Which Chromium the browser tests use."""

import pytest

from book.publish import chromium


@pytest.fixture
def machine(monkeypatch):
    """A machine without any Chromium, whose installers are recorded instead of run."""
    ran: list[str] = []
    monkeypatch.setattr(chromium, "system_chromium", lambda: None)
    monkeypatch.setattr(
        chromium, "playwright_chromium", lambda: "/downloaded" if "playwright" in ran else None
    )
    monkeypatch.setattr(chromium.os, "geteuid", lambda: 0)
    monkeypatch.setattr(chromium.shutil, "which", lambda name: f"/usr/bin/{name}")

    def run(command, **_):
        ran.append("playwright" if "playwright" in command else f"apt {command[1]}")

    monkeypatch.setattr(chromium.subprocess, "run", run)
    return ran


def test_the_systems_own_comes_first(machine, monkeypatch):
    monkeypatch.setattr(chromium, "system_chromium", lambda: "/usr/bin/chromium")
    assert chromium.ensure() == "the browser tests use the system's /usr/bin/chromium"
    assert machine == []


def test_debians_package_comes_next(machine, monkeypatch):
    monkeypatch.setattr(
        chromium, "system_chromium", lambda: "/usr/bin/chromium" if "apt install" in machine else None
    )
    assert chromium.ensure() == "the browser tests use Debian's Chromium, just installed: /usr/bin/chromium"
    assert machine == ["apt update", "apt install"]


def test_playwrights_download_comes_last(machine, monkeypatch):
    monkeypatch.setattr(chromium.os, "geteuid", lambda: 1000)
    assert chromium.ensure() == "the browser tests use Playwright's own download: /downloaded"
    assert machine == ["playwright"]
