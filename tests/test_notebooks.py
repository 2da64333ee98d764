"""What nbval compares where the build has run a notebook already."""

from typing import Any

import pytest
from nbformat.v4 import new_code_cell, new_output

from tests.notebooks import Records


def printing(text):
    return new_code_cell(f"print({text!r})", outputs=[new_output("stream", name="stdout", text=text)])


def told(records, source):
    """What the messages print that answer a cell."""
    number = records.execute_cell_input(source)
    messages: list[dict[str, Any]] = []
    while not messages or messages[-1]["msg_type"] != "status":
        messages.append(records.get_message("iopub"))
    assert {message["parent_header"]["msg_id"] for message in messages} == {number}
    assert messages[-1]["content"] == {"execution_state": "idle"}
    return [message["content"].get("text") for message in messages[:-1]]


def test_records_answer_each_cell_with_its_own_outputs():
    records = Records([printing("a"), new_code_cell("pass"), printing("a"), printing("b")])
    assert told(records, "print('a')") == ["a"]
    assert told(records, "print('a')") == ["a"]  # the cell between is left out
    assert told(records, "print('b')") == ["b"]
    with pytest.raises(LookupError, match="no cell that is left reads"):
        records.execute_cell_input("print('a')")
