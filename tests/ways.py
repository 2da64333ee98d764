"""``python -m tests.ways``: a live figure's size and speed beside those of other ways to put a training into a page.

The training is always the same: forty points are parted by logistic regression, in two hundred steps of descent with
momentum, and a slider moves the learning rate. Each way is a page that draws the loss; Chromium opens it with the
network off. Pyodide and Plotly come from npm, in the versions below. Binder cannot be had offline: in its place a
kernel on this machine is measured, which neither waits for a machine nor has its image to fetch. ``python -m tests.ways
examples`` measures the ten trainings of the page ``book/your_book.ipynb`` instead.
"""

from __future__ import annotations

import gzip
import json
import statistics
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import torch
import torch.nn.functional as F
from torch import nn

from book.publish.chromium import launched
from book.sweep import Row, sweep
from book.your_book.examples import EXAMPLES
from tests.conftest import serving
from widgets import Live, live, node
from widgets.figure import one_file

PYODIDE, PLOTLY = "pyodide@314.0.7", "plotly.js-dist-min@4.1.1"
STEPS, MOMENTUM, RATE = 200, 0.9, 0.1
RATES = [10 ** (-2 + 2 * i / 49) for i in range(50)]
"""Where the slider can stand. A page of frames has these and no others."""
OPENINGS, MOVES = 5, 20
POINTS = torch.randn(40, 2, generator=torch.Generator().manual_seed(0))
LABELS = (POINTS.sum(1) + 0.5 * torch.randn(40, generator=torch.Generator().manual_seed(1)) > 0).float()
PAGE = """<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>One training</title><body>
<label>learning rate <input type="range" min="0" max="{last}" value="25"></label>
<svg width="600" height="300" role="img"><polyline fill="none" stroke="currentColor" /></svg>
<script type="module">
const slider = document.querySelector("input"), line = document.querySelector("polyline");
const draw = (losses) => {{
  const top = Math.max(...losses);
  line.setAttribute("points", losses.map((loss, i) => `${{3 * i}},${{290 - 280 * loss / top}}`).join(" "));
}};
{train}
const show = async (rate) => {{
  const losses = await train(rate);
  draw(losses);
  return losses.at(-1);
}};
slider.addEventListener("input", () => show(10 ** (-2 + 2 * slider.value / {last})));
window.first = await show({rate});
window.move = show;
</script>
"""
BY_HAND = """const points = {points}, labels = {labels};
function train(rate) {{
  let [a, b, c] = [0, 0, 0], [u, v, w] = [0, 0, 0];
  const losses = [];
  for (let step = 0; step < {steps}; step++) {{
    let [loss, da, db, dc] = [0, 0, 0, 0];
    for (let i = 0; i < points.length; i++) {{
      const [x, y] = points[i], score = a * x + b * y + c, off = 1 / (1 + Math.exp(-score)) - labels[i];
      loss += Math.max(score, 0) - score * labels[i] + Math.log1p(Math.exp(-Math.abs(score)));
      da += off * x; db += off * y; dc += off;
    }}
    losses.push(loss / points.length);
    const m = {momentum}, n = points.length;
    u = m * u + da / n; v = m * v + db / n; w = m * w + dc / n;
    a -= rate * u; b -= rate * v; c -= rate * w;
  }}
  return losses;
}}"""
IN_PYTHON = """
import math
points, labels = {points}, {labels}
def train(rate):
    a = b = c = u = v = w = 0.0
    losses, count = [], len(points)
    for step in range({steps}):
        loss = da = db = dc = 0.0
        for (x, y), label in zip(points, labels):
            score = a * x + b * y + c
            off = 1 / (1 + math.exp(-score)) - label
            loss += max(score, 0) - score * label + math.log1p(math.exp(-abs(score)))
            da, db, dc = da + off * x, db + off * y, dc + off
        losses.append(loss / count)
        u, v, w = {momentum} * u + da / count, {momentum} * v + db / count, {momentum} * w + dc / count
        a, b, c = a - rate * u, b - rate * v, c - rate * w
    return losses
"""
BY_PYODIDE = """import {{ loadPyodide }} from "./package/pyodide.mjs";
const python = await loadPyodide({{ indexURL: new URL("package/", location).href }});
python.runPython({source});
const trained = python.globals.get("train");
const train = (rate) => trained(rate).toJs();"""
BY_FRAMES = """const curves = {curves};
await Plotly.newPlot("plot", [{{ y: curves[25], type: "scatter", mode: "lines" }}]);
await Plotly.addFrames("plot", curves.map((y, i) => ({{ name: `${{i}}`, data: [{{ y }}] }})));
const at = (rate) => Math.round(49 * (Math.log10(rate) + 2) / 2);
window.move = async (rate) => {{
  const still = {{ mode: "immediate", frame: {{ duration: 0 }}, transition: {{ duration: 0 }} }};
  await Plotly.animate("plot", [`${{at(rate)}}`], still);
  return curves[at(rate)].at(-1);
}};
window.first = await window.move({rate});"""
OF_A_FIGURE = """
const root = document.querySelector("#figure");
const figure = () => [root, ...root.querySelectorAll("*")]
  .map((node) => (node.shadowRoot ?? node).querySelector(".fim"))
  .find((fim) => fim?.dataset.state === "done" && fim.live);
while (!figure()) await new Promise(requestAnimationFrame);
const fim = figure(), { live } = fim;
const loss = () => live.run.report[live.spec.report.indexOf("loss")][0];
window.move = async (rate) => {
  const done = new Promise((resolve) => fim.addEventListener("fim:done", resolve, { once: true }));
  live.set({ learning_rate: rate });
  await done;
  return loss();
};
window.first = loss();
"""
MOVED = """async (rates) => {
  const moves = [];
  for (const rate of rates) {
    const begun = performance.now();
    const loss = await move(rate);
    moves.push([performance.now() - begun, loss]);
  }
  return moves;
}"""
IN_A_KERNEL = """
import torch
from torch import nn
points, labels = torch.tensor({points}), torch.tensor({labels})
def train(rate):
    net = nn.Linear(2, 1).double()
    nn.init.zeros_(net.weight), nn.init.zeros_(net.bias)
    optimizer = torch.optim.SGD(net.parameters(), lr=rate, momentum={momentum})
    losses = []
    for _ in range({steps}):
        optimizer.zero_grad()
        loss = nn.functional.binary_cross_entropy_with_logits(net(points.double())[:, 0], labels.double())
        loss.backward()
        losses.append(loss.item())
        optimizer.step()
    return losses
_ = train(0.1)
"""
GIVEN = {
    "points": json.dumps(POINTS.double().tolist()),
    "labels": json.dumps(LABELS.double().tolist()),
    "steps": STEPS + 1,  # the loss after the last step, too
    "momentum": MOMENTUM,
}


def in_torch(rate: float) -> list[float]:
    """The losses of each step, as torch has them."""
    names: dict[str, Any] = {}
    exec(IN_A_KERNEL.format(**GIVEN), names)
    losses: list[float] = names["train"](rate)
    return losses


def as_a_figure() -> Live:
    """The training as a live figure."""
    net = nn.Linear(2, 1)
    nn.init.zeros_(net.weight), nn.init.zeros_(net.bias)
    optimizer = torch.optim.SGD(net.parameters(), lr=RATE, momentum=MOMENTUM)

    def loss(out: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return F.binary_cross_entropy_with_logits(out[:, 0], y)

    return live(net, optimizer, loss, (POINTS, LABELS), steps=STEPS)


def figure_page(figure: Live, folder: Path) -> None:
    """A figure's page of one file, which also says when it is there and how to move it."""
    text = one_file.page(one_file.module(figure), "One training")
    (folder / "index.html").write_text(f'{text}<script type="module">{OF_A_FIGURE}</script>')


def by_livetorch(folder: Path) -> None:
    figure_page(as_a_figure(), folder)


def by_hand(folder: Path) -> None:
    _write(folder, BY_HAND.format(**GIVEN))


def by_pyodide(folder: Path) -> None:
    _fetch(PYODIDE, folder)
    _write(folder, BY_PYODIDE.format(source=json.dumps(IN_PYTHON.format(**GIVEN))))


def by_frames(folder: Path) -> None:
    _fetch(PLOTLY, folder)
    curves = json.dumps([in_torch(rate) for rate in RATES])
    script = BY_FRAMES.format(curves=curves, rate=RATE)
    (folder / "index.html").write_text(
        '<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>One training</title><body><div id="plot"></div>'
        f'<script src="package/plotly.min.js"></script><script type="module">{script}</script>'
    )


def _write(folder: Path, train: str) -> None:
    page = PAGE.format(train=train, rate=RATE, last=len(RATES) - 1)
    (folder / "index.html").write_text(page)


def _fetch(package: str, folder: Path) -> None:
    """A package of npm, unpacked in ``package``."""
    done = subprocess.run(
        [*node.npm(), "pack", "--silent", package], cwd=folder, capture_output=True, text=True
    )
    if done.returncode:
        raise RuntimeError(f"{package} cannot be had: {done.stderr[-500:]}")
    (archive,) = folder.glob("*.tgz")
    with tarfile.open(archive) as file:
        file.extractall(folder, filter="data")
    archive.unlink()


WAYS: dict[str, Callable[[Path], None]] = {
    "livetorch": by_livetorch,
    "a script by hand": by_hand,
    "frames of Plotly": by_frames,
    "Pyodide": by_pyodide,
}
KERNEL = "a kernel, for Binder"


def opened(browser: Any, folder: Path, openings: int = OPENINGS, moves: int = MOVES) -> dict[str, Any]:
    """What is measured of the page in a folder: kilobytes, milliseconds, and the last loss at each rate moved to."""
    first, loaded = [], set[str]()
    rates = [rate for i in range(moves) for rate in (RATES[10 + i], RATES[11 + i])][:moves]
    with serving(folder) as address:
        for _ in range(openings):
            page = browser.new_context().new_page()
            page.set_default_timeout(120_000)
            page.on("request", lambda request: loaded.add(urlsplit(request.url).path.lstrip("/")))
            begun = time.perf_counter()
            page.goto(f"{address}/index.html")
            page.wait_for_function("window.first !== undefined")
            first.append(1000 * (time.perf_counter() - begun))
            times = page.evaluate(MOVED, rates)
            page.context.close()
    files = [path.read_bytes() for name in loaded if (path := folder / name).is_file()]
    return {
        "kB": sum(map(len, files)) / 1000,
        "kB compressed": sum(len(gzip.compress(file)) for file in files) / 1000,
        "ms to the first curve": statistics.median(first),
        "ms a move": statistics.median(took for took, _ in times),
        "losses": dict(zip(rates, (loss for _, loss in times), strict=True)),
    }


def measured_way(way: str) -> Sequence[Row]:
    """A row with what was measured of one way."""
    if way == KERNEL:
        return [kernel()]
    with tempfile.TemporaryDirectory() as place, launched() as browser:
        WAYS[way](Path(place))
        measured = opened(browser, Path(place))
    losses = measured.pop("losses")
    off = max(abs(loss - in_torch(rate)[-1]) for rate, loss in losses.items())
    settings = len(RATES) if way == "frames of Plotly" else "any"
    return [{**measured, "off from torch": off, "settings": settings}]


def kernel() -> Row:
    """A kernel on this machine: what is installed for it, until it has trained once, and a training of its own."""
    from jupyter_client.manager import start_new_kernel

    torch_s = Path(sysconfig.get_path("purelib")) / "torch"
    begun = time.perf_counter()
    manager, client = start_new_kernel()
    client.execute_interactive(IN_A_KERNEL.format(**GIVEN), timeout=120)
    first = 1000 * (time.perf_counter() - begun)
    times = []
    for rate in RATES[:MOVES]:
        begun = time.perf_counter()
        client.execute_interactive(f"train({rate})[-1]", timeout=120, output_hook=lambda _: None)
        times.append(1000 * (time.perf_counter() - begun))
    client.stop_channels()
    manager.shutdown_kernel(now=True)
    size = sum(path.stat().st_size for path in torch_s.rglob("*") if path.is_file()) / 1000
    return {
        "kB": size,
        "kB compressed": "",
        "ms to the first curve": first,
        "ms a move": statistics.median(times),
        "off from torch": 0.0,
        "settings": "any",
    }


def measured_example(example: str) -> Sequence[Row]:
    """A row with what was measured of one of the page's trainings."""
    (make,) = (each for each in EXAMPLES if each.__name__ == example)
    figure = make()
    weights = sum(leaf.numel() for leaf in figure.figure.program.start(None).parameters.values())
    with tempfile.TemporaryDirectory() as place, launched() as browser:
        figure_page(figure, Path(place))
        measured = opened(browser, Path(place), openings=1, moves=10)
    return [
        {
            "weights": weights,
            "s to translate": figure.seconds,
            "kB of its own": figure.kilobytes,
            "ms a move": measured["ms a move"],
            "off from torch": one_file.check(one_file.module(figure), figure),
        }
    ]


def main() -> None:
    """Store the table."""
    torch.set_num_threads(1)
    if "examples" in sys.argv[1:]:
        sweep(measured_example, [{"example": each.__name__} for each in EXAMPLES], "live-examples")
    else:
        sweep(measured_way, [{"way": name} for name in (*WAYS, KERNEL)], "live-ways")


if __name__ == "__main__":
    main()
