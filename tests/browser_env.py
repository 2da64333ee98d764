"""Where Chromium is, and how to start it so that it talks to nobody by itself."""

import shutil
from pathlib import Path

ARGUMENTS = [
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-quic",
]
NAMES = ("chromium", "chromium-browser", "google-chrome")


def find_chromium() -> str:
    """The system's Chromium if there is one, else the one that Playwright downloads.

    Raises:
        FileNotFoundError: neither is there.
    """
    for name in NAMES:
        if path := shutil.which(name):
            return path
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    if not Path(path).exists():
        raise FileNotFoundError(f"none of {', '.join(NAMES)} is installed: run playwright install chromium")
    return path
