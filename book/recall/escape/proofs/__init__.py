"""Proofs of the page: the curvature at the saddle, the equations that lead to it, and how smooth the loss is."""

from book.ledger.proofs import import_modules

import_modules(__name__, __path__)
