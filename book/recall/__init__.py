"""The chapter "Recall"."""
