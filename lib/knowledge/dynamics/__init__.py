"""Training in token coordinates, exact for orthogonal embeddings, and what is read off on the way."""
