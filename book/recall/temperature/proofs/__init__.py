"""Proofs of the page: the slice by sympy, the end of Theorem 4's proof, Claim 1, the thresholds and the laws."""

from book.ledger.proofs import import_modules

import_modules(__name__, __path__)
