"""Proofs of the page: Theorem 2's optimum, and the formulas of Lemmas 5 and 8."""
