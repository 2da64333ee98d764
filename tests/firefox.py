"""A second engine: Debian's Firefox, driven by WebDriver BiDi, which it speaks itself."""

from __future__ import annotations

import contextlib
import itertools
import json
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import websocket

NAMES = ("firefox-esr", "firefox")
PREFERENCES = {
    "network.proxy.type": 1,  # every other host is behind a proxy that is not there
    "network.proxy.http": "127.0.0.1",
    "network.proxy.http_port": 9,
    "network.proxy.ssl": "127.0.0.1",
    "network.proxy.ssl_port": 9,
    "network.proxy.no_proxies_on": "127.0.0.1, localhost",
    "app.update.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
}
PATIENCE = 120
"""Seconds until Firefox counts as stuck."""
HALF = "Invalid markup: Incorrect number of children"
"""What it says of a formula of which half has arrived, too: count them in the loaded page."""


def find_firefox() -> str | None:
    """Where it is, if it is installed."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Firefox:
    """One tab of a headless Firefox; ``heard`` is what its pages logged as errors.

    Raises:
        RuntimeError: of any method, what Firefox says is wrong.
    """

    def __init__(self, path: str, width: int = 1280, height: int = 720) -> None:
        self.profile = tempfile.TemporaryDirectory(prefix="firefox-", ignore_cleanup_errors=True)
        lines = [
            f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in PREFERENCES.items()
        ]
        (Path(self.profile.name) / "user.js").write_text("\n".join(lines))
        how = ["--headless", "--no-remote", "--profile", self.profile.name, "--remote-debugging-port", "0"]
        self.process = subprocess.Popen(
            [path, *how, f"--width={width}", f"--height={height}"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        address = self._address(Path(self.profile.name) / "WebDriverBiDiServer.json")
        self.socket = websocket.create_connection(
            f"ws://{address}/session", suppress_origin=True, timeout=PATIENCE
        )
        self.count = itertools.count(1)
        self.heard: list[str] = []
        self.call("session.new", capabilities={})
        self.call("session.subscribe", events=["log.entryAdded"])
        self.tab = self.call("browsingContext.getTree")["contexts"][0]["context"]
        self.call(
            "browsingContext.setViewport", context=self.tab, viewport={"width": width, "height": height}
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.socket.close()
        self.process.kill()
        self.process.wait()
        self.profile.cleanup()

    def _address(self, told: Path) -> str:
        """Where it listens, which it writes into its profile once it does."""
        for _ in range(10 * PATIENCE):
            with contextlib.suppress(FileNotFoundError, ValueError):
                found = json.loads(told.read_text())
                return f"{found['ws_host']}:{found['ws_port']}"
            time.sleep(0.1)
        raise RuntimeError(f"Firefox does not listen after {PATIENCE} s")

    def call(self, method: str, **parameters: Any) -> Any:
        """A command of the protocol, and what it answers."""
        number = next(self.count)
        self.socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while (answer := json.loads(self.socket.recv())).get("id") != number:
            about = answer.get("params", {})
            if about.get("level") == "error" and not about["text"].startswith(HALF):
                self.heard.append(about["text"])
        if answer["type"] == "error":
            raise RuntimeError(f"{method}: {answer['message']}")
        return answer["result"]

    def open(self, address: str) -> None:
        """Go there, and wait until it is loaded."""
        self.call("browsingContext.navigate", context=self.tab, url=address, wait="complete")

    def evaluate(self, function: str) -> Any:
        """What a function of no arguments, or the promise that it returns, comes to in the page."""
        code = f"Promise.resolve(({function})()).then((value) => JSON.stringify(value) ?? 'null')"
        found = self.call("script.evaluate", expression=code, target={"context": self.tab}, awaitPromise=True)
        if found["type"] == "exception":
            raise RuntimeError(found["exceptionDetails"]["text"])
        return json.loads(found["result"]["value"])

    def wait(self, condition: str) -> None:
        """Until a condition holds in the page."""
        look = f"const look = () => (({condition}) ? done(1) : setTimeout(look, 50))"
        self.evaluate(f"() => new Promise((done) => {{ {look}; look(); }})")

    def press(self, *keys: str) -> None:
        """Keys, one after the other, by WebDriver's code points."""
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        source = {"type": "key", "id": "keys", "actions": actions}
        self.call("input.performActions", context=self.tab, actions=[source])
