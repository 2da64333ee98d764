"""One sentence through each of the three models."""
