"""Misprints in the proofs of stages I and II, which the paper's own text shows."""

from __future__ import annotations

from book.ledger.proofs import Survival, misprint

misprint(
    "acquire.lemma-11",
    where="Appendix F.2, the proof of Lemma 11's second item, the lemmas that it stands on",
    printed=r"\text{Lemmas 1 and 15}",
    right=r"\text{Lemmas 1 and 10, and items (5) and (6) of Lemma 11}",
    survival=Survival.AS_PRINTED,
    survives="Everything does, so read. As printed the proof goes in a circle: Lemma 15 sums up Lemmas 10, 11, 13 "
    "and 14.",
)


misprint(
    "acquire.lemma-13",
    where="Appendix F.3, the proof of stage 2, its first sentence",
    printed=r"\text{key properties of pre-training Stage 1}",
    right=r"\text{key properties of pre-training Stage 2}",
    survival=Survival.AS_PRINTED,
    survives="Everything does: the section's heading and its lemmas are about stage 2.",
)
