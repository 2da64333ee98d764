"""Proofs of Appendix C: Lemma 9's large step, Lemma 10's way out of the tie, Lemma 11's growth of the lead."""

from book.ledger.proofs import import_modules

import_modules(__name__, __path__)
