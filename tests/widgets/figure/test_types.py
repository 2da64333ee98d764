"""The types that the page's JavaScript is checked against: ``widgets/src/types.d.ts`` and what ``live`` sends agree."""

import re

from tests.widgets import showcase
from widgets import node
from widgets.figure import records

TYPES = (node.HERE / "src" / "types.d.ts").read_text()


def fields_of(interface: str) -> dict[str, bool]:
    """For each field of an interface whether it may be missing."""
    (body,) = re.findall(rf"^export interface {interface} {{(.*?)}}$", TYPES, re.MULTILINE | re.DOTALL)
    text = re.sub(r"/\*\*.*?\*/", "", body, flags=re.DOTALL)
    return {name: bool(mark) for name, mark in re.findall(r"(?:^|[;\n])\s*(\w+)(\??):", text)}


def required(interface: str) -> set[str]:
    """The fields of an interface that may not be missing."""
    return {name for name, optional in fields_of(interface).items() if not optional}


def test_the_types_of_records_follow_from_their_classes():
    assert records.FILE.read_text() == records.text(), "python -m widgets.figure.records writes them anew"


def test_a_spec_has_what_its_interface_says():
    spec = showcase.descends().figure.spec
    assert required("Spec") <= set(spec) <= set(fields_of("Spec"))
    for parameter in spec["parameters"]:
        assert required("Parameter") <= set(parameter) <= set(fields_of("Parameter"))
    assert all(set(stage) == set(fields_of("Stage")) for stage in spec["stages"])


def test_a_statement_has_the_words_that_its_interface_says():
    spec = showcase.descends().figure.spec
    required = {name for name, optional in fields_of("Sheet").items() if not optional}
    assert all(required <= set(sheet) for sheet in spec["statements"])


def test_a_kernel_has_what_its_interface_says():
    for kernel in showcase.descends().figure.kernels:
        assert set(kernel) == set(fields_of("KernelSource"))
