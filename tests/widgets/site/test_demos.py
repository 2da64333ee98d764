"""What a card of the gallery says and shows of a demo."""

from __future__ import annotations

import pytest

from widgets.site.demos import CARD, TONE, Demo, _moment, _with_cards, _with_missing, short_verdict


@pytest.mark.parametrize(
    ("tone", "words", "sign"),
    [("good", "right", "✓"), ("bad", "wrong", "✕"), ("warn", "no promise here", "○")],
)
def test_a_verdict_is_a_sign_that_can_be_heard_before_the_statements_name(tone, words, sign):
    found = TONE.search(f'<p class="fim-verdict fim-roomy" data-tone="{tone}">')
    assert found
    short = f'<span class="sign" data-tone="{tone}" role="img" aria-label="{words}:">{sign}</span> Lemma 6'
    assert short_verdict(found[1], "Lemma 6") == short


def test_a_picture_without_a_moment_is_that_of_the_end_at_the_defaults():
    assert _moment("book/recall/saddle") == ("book/recall/saddle", "0")
    assert _moment("book/recall/saddle#2.5") == ("book/recall/saddle", "2.5")


def test_a_card_has_picture_question_answer_and_verdict_and_is_the_same_when_it_is_written_again():
    demos = {"book/recall/saddle": Demo("book/recall/saddle", "Why stuck?", "✓ Theorem 2")}
    pictures = {("book/recall/saddle", "2"): '<svg><rect id="a"></rect></svg>'}
    page = '<div id="gallery"><ul><li data-demo="book/recall/saddle#2">A tie.</li></ul></div>'
    once = _with_cards(page, "book/demos", demos, pictures)
    assert '<a href="recall/saddle.html">' in once
    assert once.index("<svg") < once.index("Why stuck?") < once.index("A tie.") < once.index("✓ Theorem 2")
    assert _with_cards(once, "book/demos", demos, pictures) == once


def test_a_demo_without_a_card_gets_one_behind_its_neighbours():
    page = '<div id="gallery"><ul><li data-demo="book/sums/index#2">A mean.</li></ul></div>'
    demos = ["book/sums/index", "book/sums/first", "book/sums/second"]
    whole = _with_missing(page, demos)
    assert [_moment(card)[0] for _, card, _ in CARD.findall(whole)] == demos
    assert _with_missing(whole, demos) == whole
