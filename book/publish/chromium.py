"""Where Chromium is, how to get it, and how to start it so that it talks to nobody by itself.

``python -m book.publish.chromium`` installs one if there is none, and prints in one line which the tests use.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ARGUMENTS = [
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-quic",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
]
NAMES = ("chromium-headless-shell", "chromium", "google-chrome", "google-chrome-stable")
"""The first is Chromium without windows: a tenth less work, and less memory."""


def find_chromium() -> str:
    """The system's Chromium if there is one, else the one that Playwright has downloaded.

    Raises:
        FileNotFoundError: neither is there.
    """
    path = system_chromium() or playwright_chromium()
    if path is None:
        raise FileNotFoundError(
            f"none of {', '.join(NAMES)} is installed: run python -m book.publish.chromium"
        )
    return path


@contextmanager
def launched(*arguments: str) -> Iterator[Any]:
    """A browser of Playwright's that reaches nobody but this machine, with more arguments, closed at the end.

    Raises:
        FileNotFoundError: there is no Chromium.
    """
    path = find_chromium()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=[*ARGUMENTS, *arguments])
        yield browser
        browser.close()


def system_chromium() -> str | None:
    """The first of the usual names that is on the path and starts (some systems have a stub in its place)."""
    return next((path for name in NAMES if (path := shutil.which(name)) and _starts(path)), None)


def _starts(path: str) -> bool:
    return subprocess.run([path, "--version"], capture_output=True).returncode == 0


def playwright_chromium() -> str | None:
    """Playwright's own download, if there is one."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).exists() else None


def ensure() -> str:
    """Find a Chromium or install one: Debian's package where that is allowed, else Playwright's download."""
    if path := system_chromium():
        return f"the browser tests use the system's {path}"
    if shutil.which("apt-get") and os.geteuid() == 0:
        install = ["apt-get", "install", "--yes", "-qq", "--no-install-recommends"]
        for command in (["apt-get", "update", "-qq"], [*install, NAMES[0]], [*install, NAMES[1]]):
            subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
            if path := system_chromium():
                return f"the browser tests use Debian's Chromium, just installed: {path}"
    if not playwright_chromium():
        needs = ["--with-deps"] if sys.platform == "linux" and os.geteuid() == 0 else []
        command = [sys.executable, "-m", "playwright", "install", *needs, "chromium"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return f"the browser tests use Playwright's own download: {playwright_chromium()}"


if __name__ == "__main__":
    print(ensure())
