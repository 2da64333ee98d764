"""``make bench``: speed, size and memory. Ratios within one run are what to compare; times depend on the machine."""

from __future__ import annotations

import asyncio
import base64
import gzip
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from http.server import ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psutil
import torch

from book.acquire.experiments import director, transformer
from book.recall.saddle.program import warm_up
from lib.acquire.course import SIZES
from lib.integrate import _ERROR, _WEIGHTS
from lib.program import run
from lib.recall import model, task
from lib.recall.reduction import answer_loss, reduce, relation_loss
from tests import HTML, ROOT
from tests.book.publish.test_classroom import STUDENTS, held_elsewhere, rush
from tests.browser.book import live_pages
from tests.browser.reading import settled
from tests.figures import defaults, figure_named, makers
from tests.widgets.translate.attempts import ATTEMPTS, outcome, stored
from tests.widgets.translate.test_speed import LOOPS, seconds
from widgets import node

PAGE = "book/recall/saddle.html"
MEMORY_PAGE = "book/together/stored.html"
MOVES = 8
"""Positions that are timed of each slider."""
TABLE = {row.attempt: row for row in stored()}


def main() -> None:
    """Print every measurement, a line each; with the word "commands", what `make` takes: an hour."""
    if "commands" in sys.argv[1:]:
        commands()
        return
    for q in (3, 11, 31):
        reduction(q)
    program()
    translations()
    by_hand()
    simulator()
    tiny()
    room()
    page()


def commands() -> None:
    """Medians of three runs of `make book` and `make test`, in a clone with this environment: seconds, their
    ratio to a fixed work done before each, and the most memory that all its processes took."""
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder) / "clone"
        subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
        for folder_name in (".venv", "widgets/node_modules"):
            (clone / folder_name).symlink_to(ROOT / folder_name)
        page = clone / "book" / "recall" / "escape" / "figure.py"
        drawn = page.read_text().rstrip()
        make = ["make", "--assume-old=.venv/.ready", "--assume-old=.venv/.tools"]  # a clone's files are new
        build, test = [*make, "book"], [*make, "test"]
        changed = [*test, "CHANGED=1"]

        def edit() -> None:
            page.write_text(f"{drawn}  # {time.time()}\n")

        rows: list[tuple[str, Callable[[], Any], list[str]]] = [
            ("make book, nothing built", lambda: shutil.rmtree(clone / "_build", ignore_errors=True), build),
            ("make book, a page's figure changed", edit, build),
            ("make test, book built", lambda: None, test),
            ("make test CHANGED=1, a page's figure changed", edit, changed),
        ]
        for name, prepare, command in rows:
            seconds, ratios, memory = [], [], []
            for _ in range(3):
                prepare()
                work = fixed_work()
                took, most = measure_command(clone, command)
                seconds.append(took)
                ratios.append(took / work)
                memory.append(most)
            line(name, statistics.median(seconds), "s")
            line("  the same, to a fixed work of torch", statistics.median(ratios), "x")
            line("  its memory", statistics.median(memory), "GB")


WORK = """
import torch
x = torch.zeros(64, dtype=torch.float64)
for i in range(500_000):
    x = torch.where(x < 1, x + i % 3, x / 2)
"""


def fixed_work() -> float:
    """Seconds for the same small operations of torch in as many processes as there are cores: the hour's speed."""
    start = time.perf_counter()
    for process in [subprocess.Popen([sys.executable, "-c", WORK]) for _ in range(os.cpu_count() or 1)]:
        if process.wait():
            raise RuntimeError(f"the fixed work ended with {process.returncode}")
    return time.perf_counter() - start


def measure_command(folder: Path, command: list[str]) -> tuple[float, float]:
    """Seconds that a command takes, and the most GB that it and its descendants take, each shared page once.

    Raises RuntimeError, with what the command printed, where it fails.
    """
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    most, start = 0, time.perf_counter()
    with tempfile.TemporaryFile("w+") as output:
        process = psutil.Popen(command, cwd=folder, env=environment, stdout=output, stderr=output)
        while process.poll() is None:
            taken = 0
            for running in (process, *process.children(recursive=True)):
                with suppress(psutil.Error):  # it has ended, or is not ours
                    used = running.memory_full_info()
                    taken += getattr(used, "pss", used.uss)
            most = max(most, taken)
            with suppress(psutil.TimeoutExpired):
                process.wait(2)
        seconds = time.perf_counter() - start
        output.seek(0)
        if process.returncode:
            raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}:\n{output.read()}")
    return seconds, most / 1e9


def line(name: str, value: float, unit: str) -> None:
    print(f"{name:<58} {value:12.3f} {unit}")


def median_ms(function: Callable[[], Any], repeats: int) -> float:
    """The median time of a call in milliseconds, after one call to warm up."""
    function()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(1000 * (time.perf_counter() - start))
    return statistics.median(times)


def reduction(q: int) -> None:
    """A gradient step on 32 prompts about the affine family over q elements: full model against reduction."""
    knowledge = task.affine_family(q)
    prompts = task.sample_prompts(knowledge, 32, torch.Generator().manual_seed(0))
    transformer = model.build(knowledge)
    reduced = reduce(knowledge, prompts)
    start = (torch.zeros(6, dtype=torch.float64), torch.zeros(7, dtype=torch.float64))

    def both(theta: torch.Tensor, omega: torch.Tensor) -> torch.Tensor:
        return relation_loss(theta, reduced, 0.1) + answer_loss(omega, reduced, 0.1)

    def full(steps: int) -> float:
        return median_ms(
            lambda: model.fine_tune(transformer, knowledge, prompts, 0.1, 1e-3, steps, start=start), 5
        )

    slow = (full(3) - full(1)) / 2  # fine_tune evaluates once more at its end
    fast = median_ms(lambda: torch.func.grad(both, argnums=(0, 1))(*start), 30)
    line(f"full model, n = {q}, |R| = {knowledge.relations}: a step", slow, "ms")
    line(f"reduction,  n = {q}: a step", fast, "ms")
    line(f"full / reduction, n = {q}", slow / fast, "x")


def program() -> None:
    """The default run in torch."""
    line("the default run in torch", median_ms(lambda: run(warm_up()), 3), "ms")


def translations() -> None:
    """Seconds that a translation takes: of loops that Python writes out, then of every figure in the table of attempts.
    A bar is a second for each ten signs."""
    print(f"\n{'translation':<40} {'seconds':>8}")
    for name, (make, steps) in LOOPS.items():
        seconds(make(steps))  # torch loads what it needs the first time
        short, long = (seconds(make(times * steps)) for times in (1, 12))
        line(f"{name}, {12 * steps} steps that Python writes out: translation", long, "s")
        line(f"  against {steps} steps", long / short, "x")
    for name in ATTEMPTS:
        begun = time.process_time()
        row = outcome(name)
        took = time.process_time() - begun
        if row.outcome == "works":
            print(f"{name:<40} {took:>8.2f} {'▪' * round(10 * took)}")
        assert row == TABLE[name], f"{row}: must be {TABLE[name]}"


def by_hand() -> None:
    """Steps translated from torch over the same written by hand: of pre-training with all sentences, and with
    the usual ones, where those without weight are left out by hand; of the saddle; and of the orbit's flow."""
    sizes = (SIZES.subjects, SIZES.phrases, SIZES.neurons)
    for name, more, hand, compared, calls in (
        ("acquire.filter", {"multiplicity": 6.0}, "acquire", 16, 1),  # leaves: without what is watched
        ("acquire.filter", {}, "acquire", 16, 1),
        ("recall.saddle", {}, "saddle", 7, 200),
        ("recognise.phases", {}, "orbit", 12, 200),
    ):
        demo = figure_named(name)
        figure, values = demo.figure, {**defaults(demo), **more}
        settings = {
            "acquire": [*sizes, values.get("kappa"), values.get("dimension")],
            "saddle": None,
            "orbit": [_WEIGHTS, _ERROR],
        }[hand]
        job = {
            "kernels": figure.kernels,
            "constants": base64.b64encode(figure.constants).decode(),
            "stages": figure.spec["stages"],
            "values": list(values.values()),
            "name": hand,
            "settings": settings,
            "compared": compared,
            "calls": calls,
        }
        command = [*node.node(), str(Path(__file__).with_name("hand.mjs"))]
        process = subprocess.run(command, input=json.dumps(job), capture_output=True, text=True, check=True)
        result = json.loads(process.stdout)
        assert result["apart"] < 1e-9, f"{name}: by hand it comes out otherwise, by {result['apart']}"
        where = f"{name}, {more}" if more else name
        line(f"a step of {where}", result["translated"], "µs")
        line("translated / by hand", result["translated"] / result["by_hand"], "x")


SIMULATOR = """
import resource
import torch
from lib.acquire.task import fact_weight, facts, sentences
from lib.acquire.tokens import Sizes, acquire, moved, start
sizes, known = Sizes(480, 16, 16), facts(480, 16, 8)
listed, share = sentences(known), fact_weight(known)
state = start(sizes, 1000.0, 1e-3, torch.Generator().manual_seed(0))
for _ in range(2):
    state = moved(state, acquire(state, known, listed, sizes, 1000.0, share).down, 1.0, 0.004)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6)
"""


def tiny() -> None:
    """CPU seconds of the smallest runs of GPT-2, where it is installed."""
    if find_spec("transformers") is None:
        return
    runs: dict[str, Callable[[], Any]] = {
        "transformer": lambda: transformer.transformer("tiny", 4, 8, False, 0),
        "director": lambda: director.director("tiny", 4, 0),
    }
    for name, run_ in runs.items():
        run_()  # imports
        start = time.process_time()
        run_()
        line(f"a tiny run of {name}, CPU time", time.process_time() - start, "s")


def room() -> None:
    """A class of 300, whose server has a process of its own: seconds for all to join, to send a curve, and to see
    each other's, by the clock; and what memory the server takes for them. A curve that is lost is an error."""
    with tempfile.TemporaryDirectory() as book, held_elsewhere(Path(book)) as (server, port, code, key):
        used = psutil.Process(server.pid).memory_info
        before = used().rss
        took = asyncio.run(rush(port, code, key))
        for what, seconds in took._asdict().items():
            line(f"a class of {STUDENTS}: all have {what}", seconds, "s")
        line("  the server's memory", used().rss / 1e6, "MB")
        line("  of that, what the class took", (used().rss - before) / 1e6, "MB")


def simulator() -> None:
    """Peak memory of two steps of pre-training in token coordinates, 480 facts, 16 phrases, K = 8, 16 neurons."""
    done = subprocess.run([sys.executable, "-c", SIMULATOR], capture_output=True, text=True, check=True)
    line("token coordinates at N = 480, peak memory", float(done.stdout), "GB")


def page() -> None:
    """The built page in Chromium: time to the first figure, redraw, bytes, heap."""
    from book.publish.browser import Quiet
    from book.publish.chromium import launched

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(HTML)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with launched("--enable-precise-memory-info", "--js-flags=--expose-gc") as browser:
        loads = [first_figure(browser, server.server_port) for _ in range(5)]
        line("page load to first live figure, median of 5", statistics.median(loads), "ms")
        view = browser.new_page()
        view.goto(f"http://127.0.0.1:{server.server_port}/{PAGE}")
        view.wait_for_selector('.fim[data-state="done"]')
        ran = view.evaluate(RUN_MS)
        line("the default run in the page, with its drawing", ran, "ms")
        heap = view.evaluate("() => { gc(); gc(); return performance.memory.usedJSHeapSize }")
        line("page heap after the run", heap / 1e6, "MB")
        learned_memory(browser, server.server_port)
        every_figure(browser, server.server_port)
        every_map(browser, f"http://127.0.0.1:{server.server_port}")
    server.shutdown()
    sizes()


def first_figure(browser: Any, port: int) -> float:
    """Milliseconds from navigation to the first finished drawing, in a fresh profile."""
    context = browser.new_context()
    view = context.new_page()
    view.goto(f"http://127.0.0.1:{port}/{PAGE}")
    view.wait_for_selector('.fim[data-state="done"]')
    shown = view.evaluate("() => performance.getEntriesByName('fim:first')[0].startTime")
    context.close()
    return shown


def every_figure(browser: Any, port: int) -> None:
    """A table: for each figure, the times from a slider's move to the first new frame and to the last one."""
    titles = " ".join(f"{title:>9}" for title in ("moves", "first p50", "p95", "last p50", "p95"))
    print(f"\n{'figure, times in ms':<40} {titles}   slowest slider, its p95")
    for path in live_pages():
        view = browser.new_page()
        view.goto(f"http://127.0.0.1:{port}/{path}")
        settled(view)
        for figure in view.evaluate(REDRAWS, MOVES):
            first, last = ([t for s in figure["sliders"] for t in s[frame]] for frame in ("first", "last"))
            slowest = max(figure["sliders"], key=lambda slider: _p95(slider["last"]))
            where = f"{path.removeprefix('book/').removesuffix('.html')}: {figure['name']}"
            times = (statistics.median(first), _p95(first), statistics.median(last), _p95(last))
            print(
                f"{where:<40} {len(last):>9} {' '.join(f'{time:>9.1f}' for time in times)}"
                f"   {slowest['label']}, {_p95(slowest['last']):.1f}"
            )
        view.close()


def learned_memory(browser: Any, port: int) -> None:
    """Milliseconds from a slider's move to the last frame where attention looks facts up in a learned memory, and those
    of CPU that the page's thread takes for it, which tell more of a busy machine: with the memory held, of which 50 are
    promised at most, and with the memory trained anew, 1,500."""
    view = browser.new_page()
    view.goto(f"http://127.0.0.1:{port}/{MEMORY_PAGE}")
    settled(view)
    session = view.context.new_cdp_session(view)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def taken() -> float:
        metrics = session.send("Performance.getMetrics")["metrics"]
        return 1000 * sum(metric["value"] for metric in metrics if metric["name"] == "TaskDuration")

    for label, what in (("temperature", "held"), ("state a fact", "trained anew")):
        walls, works = [], []
        for i in range(3 * MOVES):
            before = taken()
            wall = view.evaluate(REDRAW, [label, i])
            if wall is None:  # a slider of few places may be there already
                continue
            walls.append(wall)
            works.append(taken() - before)
        name = f"looking up, memory {what}: a move to its last frame"
        line(name, statistics.median(walls), "ms")
        line("  its CPU time, median", statistics.median(works), "ms")
        line("  its CPU time, least", min(works), "ms")
    view.close()


def every_map(browser: Any, served: str) -> None:
    """A table of the first map of each page: the seconds of the processor until it is filled with 8 × 8 cells, with
    16 × 16, and as finely as it can be, or `>` what was spent until :data:`PATIENCE` ended; then the longest task of
    the page's main thread meanwhile, with a worker and from a disk, where the page makes the runs itself.

    The seconds are the CPU time of all of the browser's processes, so that they tell the same on a busy machine; a
    stored map is left out, so they are what a map takes once another setting has moved. Of a task the goal is 50 ms.
    """
    columns = ("8 × 8", "16 × 16", "finest", "runs", "task, ms", "from disk")
    print(f"\n{'map, CPU seconds until it has':<40} {' '.join(f'{name:>9}' for name in columns)}")
    for path in live_pages():
        if MAPPED not in (HTML / path).read_text():
            continue
        filled, runs, task = fill_map(browser, f"{served}/{path}", PATIENCE, stored=False)
        _, _, alone = fill_map(browser, f"{HTML.as_uri()}/{path}", PATIENCE_ON_DISK, stored=True)
        where = path.removeprefix("book/").removesuffix(".html")
        times = " ".join(f"{spent:>9}" for spent in filled)
        print(f"{where:<40} {times} {runs:>9} {task:>9.1f} {alone:>9.1f}", flush=True)


MAPPED = '"map":{'
"""In the state of a page's widgets: one has a map."""
PATIENCE = 40
"""Seconds by the clock for a map with a worker."""
PATIENCE_ON_DISK = 15


def fill_map(browser: Any, address: str, patience: float, *, stored: bool) -> tuple[list[str], int, float]:
    """The CPU seconds in which a page's first map has the cells of each level, the runs that its worker was asked for,
    and the milliseconds of CPU of the longest task meanwhile. Without `stored` cells it is filled from nothing."""
    from playwright.sync_api import TimeoutError as TooLong

    view = browser.new_context().new_page()
    view.goto(address)
    settled(view)
    view.evaluate(FILL_MAP, stored)
    browser.start_tracing(page=view, categories=["toplevel"])
    begun, ends = cpu_seconds(browser), time.monotonic() + patience
    view.evaluate("document.querySelector('.fim-tabs button:last-child').click()")
    filled: list[str] = []
    for level in (1, 2, 3):
        left = max(ends - time.monotonic(), 0.001)
        try:
            view.wait_for_function(FILLED, arg=level, polling=100, timeout=1000 * left)
            filled.append(f"{cpu_seconds(browser) - begun:.1f}")
        except TooLong:
            filled.append(f"> {cpu_seconds(browser) - begun:.0f}")
    task = longest_task(json.loads(browser.stop_tracing())["traceEvents"])
    runs = view.evaluate("document.querySelector('.fim:has(.fim-tabs)').runs")
    view.context.close()
    return filled, runs, task


def cpu_seconds(browser: Any) -> float:
    """Processor seconds of all the browser's processes since they began."""
    session = browser.new_browser_cdp_session()
    processes = session.send("SystemInfo.getProcessInfo")["processInfo"]
    session.detach()
    return sum(process["cpuTime"] for process in processes)


FILL_MAP = """(stored) => {
  const fim = document.querySelector('.fim:has(.fim-tabs)');
  if (!stored) delete fim.live.spec.map.stored;
  fim.filled = fim.runs = 0;
  const post = Worker.prototype.postMessage;
  Worker.prototype.postMessage = function (message) {
    if (Array.isArray(message)) fim.runs += message.length;
    return post.call(this, message);
  };
  new MutationObserver((records) => {
    for (const { target } of records) {
      if (target.matches('.fim-map-cells')) fim.filled = target.dataset.state === 'done' ? 3 : fim.filled + 1;
      else if (target.matches('.fim-map > button') && !target.hidden) target.click();
    }
  }).observe(fim, { subtree: true, attributeFilter: ['data-state', 'hidden'] });
}"""
"""Counts the levels that are filled and the runs of the worker; asks for finer ones where the map waits to be asked."""
FILLED = "(level) => document.querySelector('.fim:has(.fim-tabs)').filled >= level"


def longest_task(events: list[dict[str, Any]]) -> float:
    """Milliseconds of CPU of the longest task of a page's main thread, in Chromium's trace. What a promise goes on with
    after its task is no part of this there, so all that is traced counts."""
    named = [event for event in events if event["name"] == "thread_name"]
    main = {(e["pid"], e["tid"]) for e in named if e["args"]["name"] == "CrRendererMain"}
    return max(event.get("tdur", 0) for event in events if (event["pid"], event["tid"]) in main) / 1000


def _p95(times: list[float]) -> float:
    return statistics.quantiles(times, n=20, method="inclusive")[-1]


MOVE = """
  const frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  const slidersOf = (fim) => [...fim.closest('.ctl-root').querySelectorAll('input[type=range]')]
    .filter((slider) => slider.labels.length); // the others move in time, not the run
  const place = (slider, i) => Number(slider.min) + (slider.max - slider.min) * ((i * 0.381966) % 1);
  /** Milliseconds from the move to the first frame and to the last; nothing where the slider is there. */
  const moved = async (fim, slider, value) => {
    const before = slider.value;
    slider.value = value;
    if (slider.value === before) return null;
    const begin = performance.now();
    const done = new Promise((resolve) => fim.addEventListener('fim:done', resolve, { once: true }));
    slider.dispatchEvent(new Event('input', { bubbles: true }));
    await frame();
    const first = performance.now() - begin;
    if (fim.dataset.state !== 'done') {
      await done;
      await frame();
    }
    return { first, last: performance.now() - begin };
  };
"""
"""Moves a slider, and waits for what it leads to."""


REDRAW = f"""async ([label, i]) => {{{MOVE}
  const fim = document.querySelector('.fim');
  const slider = slidersOf(fim).find(({{ labels }}) => labels[0].textContent.includes(label));
  return (await moved(fim, slider, place(slider, i)))?.last;
}}"""
"""Moves one slider of the page's first figure to its i-th place."""


REDRAWS = f"""async (moves) => {{{MOVE}
  const figures = [];
  for (const fim of document.querySelectorAll('.fim')) {{
    const sliders = [];
    for (const slider of slidersOf(fim)) {{
      const [start, times] = [slider.value, []];
      for (let i = 0; i <= moves; i++) times.push(await moved(fim, slider, i < moves ? place(slider, i) : start));
      const [first, last] = ['first', 'last'].map((key) => times.filter(Boolean).map((time) => time[key]));
      if (last.length > 1) sliders.push({{ label: slider.labels[0].textContent, first, last }});
    }}
    figures.push({{ name: fim.dataset.name, sliders }});
  }}
  return figures;
}}"""
"""Moves every slider of every figure over its range and back."""


RUN_MS = """() => new Promise((resolve) => {
  addEventListener('fim:done', (event) => resolve(event.detail.milliseconds), { once: true });
  [...document.querySelectorAll('.fim button')].find((b) => b.textContent === 'reset').click();
})"""


def sizes() -> None:
    """Bytes of what a page runs, and of each demo's kernels."""
    static = HTML / "_static"
    for path in (HTML / PAGE, static / "runtime.js", *(static / "esm").glob("*.js")):
        data = path.read_bytes()
        line(f"{path.name}", len(data) / 1000, "kB")
        line(f"{path.name}, compressed", len(gzip.compress(data)) / 1000, "kB")
    print(f"\n{'kernels of the demo':<40} {'kB':>8} {'gzip kB':>8} {'largest':>8}")
    for name in makers():
        sources = [kernel["source"].encode() for kernel in figure_named(name).figure.kernels]
        whole = b"".join(sources)
        sizes = (len(whole), len(gzip.compress(whole)), max(map(len, sources)))
        print(f"{name:<40} " + " ".join(f"{size / 1000:>8.1f}" for size in sizes))


if __name__ == "__main__":
    main()
