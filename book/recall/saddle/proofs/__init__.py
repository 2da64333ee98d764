"""Proofs of the page: Theorem 2's optimum, and the formulas of Lemmas 5 and 8."""

from book.ledger.proofs import import_modules

import_modules(__name__, __path__)
