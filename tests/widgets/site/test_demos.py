"""What a card of the gallery says of a demo's statement."""

from __future__ import annotations

import pytest

from widgets.site.demos import TONE, short_verdict


@pytest.mark.parametrize(
    ("tone", "words", "sign"),
    [("good", "right", "✓"), ("bad", "wrong", "✕"), ("warn", "no promise here", "○")],
)
def test_a_verdict_is_a_sign_that_can_be_heard_before_the_statements_name(tone, words, sign):
    found = TONE.search(f'<p class="fim-verdict fim-roomy" data-tone="{tone}">')
    assert found
    short = f'<span class="sign" data-tone="{tone}" role="img" aria-label="{words}:">{sign}</span> Lemma 6'
    assert short_verdict(found[1], "Lemma 6") == short
