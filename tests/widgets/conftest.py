"""Figures of these tests are tried where they are made, and at other settings only where a test is about that."""

from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="module")
def untried() -> Iterator[None]:
    """Leave out the trials at other settings, of up to 1.5 seconds a figure that is not registered."""
    from widgets.figure import compiled  # brings torch, which the process that deals tests out can do without

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled, "TRIAL_SECONDS", 0)
        yield


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have them after all: a minute, however slow the machine."""
    monkeypatch.setattr("widgets.figure.compiled.TRIAL_SECONDS", 60)
