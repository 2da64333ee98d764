"""The notebooks' sliders driven in a real kernel, over the messages a front end sends."""

from __future__ import annotations

import struct
import time
from pathlib import Path
from typing import Any

import nbformat
import pytest
from jupyter_core.utils import run_sync
from nbclient import NotebookClient

from book.recall.saddle.program import warm_up
from lib.program import defaults, run
from tests.figures import figure_named
from widgets.figure.compiled import flatten

BOOK = Path(__file__).parents[3] / "book"
DEFAULTS = defaults(warm_up())
TIMEOUT = 120


class Lab:
    """A notebook run in a kernel, and a front end's half of the widgets' conversation."""

    def __init__(self, path: Path):
        notebook = nbformat.read(path, as_version=4)
        # the figure's cell
        notebook.cells = [cell for cell in notebook.cells if cell.cell_type == "code"][:1]
        self.client = NotebookClient(
            notebook, timeout=TIMEOUT, resources={"metadata": {"path": str(path.parent)}}
        )

    def __enter__(self) -> Lab:
        self.context = self.client.setup_kernel()
        self.context.__enter__()
        for index, cell in enumerate(self.client.nb.cells):
            self.client.execute_cell(cell, index)
        return self

    def __exit__(self, *details: Any) -> None:
        self.context.__exit__(*details)

    def models(self, key: str) -> dict[str, dict[str, Any]]:
        """The widgets whose state has ``key``, by id."""
        return {name: state for name, state in self.client.widget_state.items() if key in state}

    def control(self, name: str) -> str:
        """The id of the control of a parameter."""
        (identifier,) = [
            model
            for model, state in self.models("_dom_classes").items()
            if f"url-{name}" in (state["_dom_classes"] or ())
        ]
        return identifier

    def say(self, model: str, data: dict[str, Any]) -> list[dict[str, Any]]:
        """Send a widget a message; returns what the kernel publishes until it is idle, and raises what it raised."""
        kernel: Any = self.client.kc
        message = kernel.session.msg("comm_msg", {"comm_id": model, "data": data})
        kernel.shell_channel.send(message)
        published: list[dict[str, Any]] = []
        deadline = time.time() + TIMEOUT
        while time.time() < deadline:
            answer = run_sync(kernel.iopub_channel.get_msg)(timeout=TIMEOUT)
            if answer["parent_header"].get("msg_id") != message["header"]["msg_id"]:
                continue
            if answer["msg_type"] == "error":
                raise RuntimeError("\n".join(answer["content"]["traceback"]))
            if answer["msg_type"] == "status" and answer["content"]["execution_state"] == "idle":
                return published
            published.append(answer)
        raise TimeoutError

    def move(self, model: str, trait: str, value: Any) -> list[dict[str, Any]]:
        """What a front end says when a reader moves a control."""
        return self.say(model, {"method": "update", "state": {trait: value}, "buffer_paths": []})

    def ask(self, figure: str, content: dict[str, Any]) -> list[dict[str, Any]]:
        """What the figure's own code says to the kernel; returns the answers."""
        published = self.say(figure, {"method": "custom", "content": content})
        return [
            {**message["content"]["data"]["content"], "buffers": message["buffers"]}
            for message in published
            if message["msg_type"] == "comm_msg" and message["content"]["data"]["method"] == "custom"
        ]


@pytest.fixture(scope="module")
def lab():
    with Lab(BOOK / "recall" / "saddle.ipynb") as notebook:
        yield notebook


def figure_of(notebook: Lab) -> str:
    (figure,) = notebook.models("spec")
    return figure


def test_the_kernel_answers_the_figure(lab):
    (answer,) = lab.ask(figure_of(lab), {"kind": "ping"})
    assert answer["kind"] == "pong"


@pytest.mark.parametrize(
    ("name", "trait", "value"),
    [
        ("temperature", "value", 0.02),
        ("perturbation_radius", "index", 0),
        ("seed", "value", 5),
        ("rate_1", "value", 10.0),
        ("rate_2", "value", 10.0),
        ("steps", "value", 80),
        ("to_limit", "value", False),
    ],
)
def test_every_control_moves_in_the_kernel(lab, name, trait, value):
    before = lab.client.widget_state[lab.control(name)][trait]
    assert before != value
    lab.move(lab.control(name), trait, value)
    lab.move(figure_of(lab), name, value)
    lab.move(lab.control(name), trait, before)


@pytest.mark.parametrize("changes", [{}, {"temperature": 0.02, "steps": 50}, {"perturbation_radius": 0.0}])
def test_the_kernel_runs_the_configuration_in_torch(lab, changes):
    settings = {**DEFAULTS, **changes}
    (answer,) = lab.ask(figure_of(lab), {"kind": "check", "round": 3, "values": list(settings.values())})
    assert (answer["kind"], answer["round"]) == ("checked", 3)
    (numbers,) = answer["buffers"]
    expected = flatten(run(figure_named("recall.saddle").figure.program, **settings)).tolist()
    numbers = list(struct.unpack(f"{len(expected)}d", bytes(numbers)))
    assert numbers == pytest.approx(expected, rel=0, abs=0, nan_ok=True)


def test_what_torch_refuses_is_answered_and_raised(lab):
    settings = {**DEFAULTS, "temperature": -1.0}
    with pytest.raises(RuntimeError, match=r"temperature = -1\.0: must be"):
        lab.ask(figure_of(lab), {"kind": "check", "round": 4, "values": list(settings.values())})


def test_a_callback_that_raises_is_not_missed(lab):
    cell = nbformat.v4.new_code_cell(
        "from book.recall.saddle.figure import front_door\n"
        "door = front_door()\n"
        "door.controls['seed'].add_class('url-raising')\n"
        "door.controls['seed'].observe(lambda change: 1 / 0, 'value')"
    )
    lab.client.nb.cells.append(cell)
    lab.client.execute_cell(cell, len(lab.client.nb.cells) - 1)
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        lab.move(lab.control("raising"), "value", 9)


def test_a_warm_kernel_knows_the_files_of_the_book():
    """It need not read them all before it translates its first program."""
    cell = nbformat.v4.new_code_cell(
        "from widgets.dependencies import _direct_dependencies\n_direct_dependencies.cache_info().currsize"
    )
    notebook = nbformat.v4.new_notebook(cells=[cell])
    NotebookClient(notebook, timeout=TIMEOUT).execute()
    assert int(cell.outputs[0].data["text/plain"]) > 100
