"""What a card of the gallery says of a demo's statement."""

from __future__ import annotations

import pytest

from widgets.site.demos import short_verdict

PROMISE = "The theorem makes no promise here: “cold” fails. And indeed “loss” violates its bound."


@pytest.mark.parametrize(
    ("verdict", "name", "short"),
    [
        (
            "The lemma applies here, and its prediction is right.",
            "Lemma 6",
            '<span class="sign" role="img" aria-label="right:">✓</span> Lemma 6',
        ),
        (
            "The finding applies here, but its prediction is wrong: “rank” violates its bound.",
            "Finding of ours",
            "Finding of ours: its prediction is wrong",
        ),
        (PROMISE, "Theorem 2", "Theorem 2: the theorem makes no promise here"),
        (PROMISE, "", "The theorem makes no promise here"),
    ],
)
def test_a_right_prediction_is_a_sign_and_any_other_verdict_a_few_words(verdict, name, short):
    assert short_verdict(verdict, name) == short
