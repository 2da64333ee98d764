"""Proofs of the page: the curvature at the saddle, the equations that lead to it, and how smooth the loss is."""
