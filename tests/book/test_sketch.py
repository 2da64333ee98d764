"""Drawings from code: in roles, legible on a phone, inside their frame, and said in words."""

import re

import pytest

from book.sketch import PAGE, WIDTH, Sketch, colour, percent
from widgets.figure.colours import themed


def drawn() -> str:
    sketch = Sketch("A & B", 100)
    sketch.word(10, 30, 60, "Bob", "target-1", dashed=True)
    sketch.arrow(40, 60, 40, 90)
    sketch.bar(120, 80, 60, 10, "good")
    sketch.dot(200, 60, 5, "paper")
    sketch.line(0, 95, WIDTH, 95, "common", strength=0.5)
    return sketch.svg('Bob goes "down" & on.')


def test_a_drawing_is_in_roles_and_says_itself():
    svg = drawn()
    assert 'role="img" aria-label="Bob goes &quot;down&quot; &amp; on."' in svg
    assert ">A &amp; B<" in svg
    colours = {name for pair in re.findall(r'(?:fill|stroke)="([^"]+)"', svg) for name in [pair]}
    assert colours == {*PAGE.values(), *map(themed, ("target-1", "good", "common"))}
    assert min(map(float, re.findall(r'font-size="([\d.]+)"', svg))) >= 12


def test_a_bar_goes_either_way():
    assert '<rect x="80.0" y="60.0" width="40.0"' in drawn()


def test_an_unknown_role_is_refused():
    with pytest.raises(ValueError, match=r"^colour = 'chartreuse': must be a role"):
        colour("chartreuse")


def test_a_share_that_is_there_is_never_said_to_be_nothing():
    assert [percent(share) for share in (0, 0.002, 0.2, 1)] == ["0 %", "<1 %", "20 %", "100 %"]
