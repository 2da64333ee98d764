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
TIMEOUT = 120
"""Seconds until Firefox counts as stuck."""
HALF_A_FORMULA = "Invalid markup: Incorrect number of children"
"""The error it also logs for a formula of which half has arrived: count such errors in the loaded page instead."""
ABORTED = "status=2152398850"
"""NS_BINDING_ABORTED: what was still loading, such as a font, when its page was left."""


def find_firefox() -> str | None:
    """The path of Firefox, if it is installed."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Firefox:
    """One tab of a headless Firefox; ``page_errors`` are the errors that its pages logged.

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
            f"ws://{address}/session", suppress_origin=True, timeout=TIMEOUT
        )
        self.count = itertools.count(1)
        self.page_errors: list[str] = []
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

    def _address(self, port_file: Path) -> str:
        """The address at which Firefox listens, which it writes into its profile once it does."""
        for _ in range(10 * TIMEOUT):
            with contextlib.suppress(FileNotFoundError, ValueError):
                listening = json.loads(port_file.read_text())
                return f"{listening['ws_host']}:{listening['ws_port']}"
            time.sleep(0.1)
        raise RuntimeError(f"Firefox does not listen after {TIMEOUT} s")

    def call(self, method: str, **parameters: Any) -> Any:
        """The answer to a command of the protocol."""
        number = next(self.count)
        self.socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while (answer := json.loads(self.socket.recv())).get("id") != number:
            about = answer.get("params", {})
            text = about.get("text") or ""
            if about.get("level") == "error" and not text.startswith(HALF_A_FORMULA) and ABORTED not in text:
                self.page_errors.append(text)
        if answer["type"] == "error":
            raise RuntimeError(f"{method}: {answer['message']}")
        return answer["result"]

    def open(self, address: str) -> None:
        """Open an address, and wait until the page is loaded."""
        self.call("browsingContext.navigate", context=self.tab, url=address, wait="complete")

    def evaluate(self, function: str) -> Any:
        """The value, in the page, of a function without arguments, or of the promise that it returns."""
        code = f"Promise.resolve(({function})()).then((value) => JSON.stringify(value) ?? 'null')"
        answer = self.call(
            "script.evaluate", expression=code, target={"context": self.tab}, awaitPromise=True
        )
        if answer["type"] == "exception":
            raise RuntimeError(answer["exceptionDetails"]["text"])
        return json.loads(answer["result"]["value"])

    def wait(self, condition: str) -> None:
        """Wait until a condition holds in the page."""
        look = f"const look = () => (({condition}) ? done(1) : setTimeout(look, 50))"
        self.evaluate(f"() => new Promise((done) => {{ {look}; look(); }})")

    def press(self, *keys: str) -> None:
        """Press keys one after the other, by WebDriver's code points."""
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        source = {"type": "key", "id": "keys", "actions": actions}
        self.call("input.performActions", context=self.tab, actions=[source])
