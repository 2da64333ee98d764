"""Misprints in Appendices G and H, which the paper's own text shows."""

from __future__ import annotations

from book.ledger.proofs import Survival, misprint

misprint(
    "acquire.lemmas-18-22",
    where="Appendix G, its first paragraph, where properties of full fine-tuning are shown",
    printed=r"\text{H.2 and G.1}",
    right=r"\text{G.1, G.2 and G.3}",
    survival=Survival.AS_PRINTED,
    survives="Everything does: H.2 is about low-rank fine-tuning, and G.1 to G.3 have these lemmas.",
)


misprint(
    "acquire.lemmas-26-27",
    where="Appendix H.2, its heading",
    printed=r"\text{Features in low-tank FT}",
    right=r"\text{Features in low-rank FT}",
    survival=Survival.AS_PRINTED,
    survives="Everything does.",
)
