"""Numbers in sentences: the command line writes them as the page does."""

from __future__ import annotations

import random

from tests.widgets.program import called
from widgets.numbers import quote, quote_on_a_run


def test_a_sentence_has_powers_of_ten_as_a_book_does():
    record = {"x": [4.4e-12, 1e-7, -1e-7, 0.05, 2.5e9]}
    written = quote("{x[0]}; {x[1]}; {x[2]}; {x[3]}; {x[4]}", record).replace("\u00a0", " ")
    assert written == "4.4 × 10⁻¹²; 10⁻⁷; −10⁻⁷; 0.05; 2.5 × 10⁹"


TEXT = "{x} and {x:%}, {x:n} steps, {x[1]} {x[1]:%}"


def test_the_command_line_writes_numbers_as_the_page_does():
    chance = random.Random(0)
    draws = [chance.choice([-1, 1]) * 10 ** chance.uniform(-12, 12) for _ in range(400)]
    edges = [
        0.0,
        1.0,
        0.5,
        0.125,
        0.005,
        0.995,
        1 - 1e-12,
        1e-12,
        0.0009995,
        999_999.5,
        2.5,
        -0.5,
        float("nan"),
    ]
    records = [{"x": [value, chance.random()]} for value in (*draws, *edges, float("inf"), -float("inf"))]
    said = called("view/captions", "quote", *((TEXT, record) for record in records))
    assert [one["text"] for one in said] == [quote(TEXT, record) for record in records]


def test_a_sentence_on_a_run_leaves_out_what_needs_a_number_that_the_run_lacks():
    sentence = "Below {x} it ends. *Here:* at {y[1]:%} ✓"
    records = [{"x": [value], "y": [0.0, 0.5]} for value in (0.25, float("nan"), float("inf"))]
    said = called("view/captions", "quoteOnRun", *((sentence, record) for record in records))
    assert said == ["Below 0.25 it ends. *Here:* at 50\u00a0% ✓", *["*Here:* at 50\u00a0% ✓"] * 2]
    assert said == [quote_on_a_run(sentence, record.__getitem__) for record in records]
