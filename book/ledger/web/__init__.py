"""What the ledger shows in the built book: statements' pages, their index, the errata, the graph and certificates.

All of it is made from the stored tables (:mod:`book.ledger.store`) by the templates in ``templates/``; the ledger
itself knows nothing of this folder. Templates that end in ``.md`` write Markdown, those in ``.html`` HTML, whose values
are escaped.
"""
