"""Training: the exact Gram dynamics, and the orbit reduction that makes a run live."""
