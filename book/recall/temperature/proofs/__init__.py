"""Proofs of the page: the slice by sympy, the end of Theorem 4's proof, Claim 1, the thresholds and the laws."""
