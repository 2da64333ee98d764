"""Where the chapter's figures are exact; below each stands the module that it rests on."""

TOKENS = (
    "Everywhere with orthogonal embeddings, for the model as reconstructed here. The figure follows each neuron's and "
    "each score's products with the tokens, and these take the steps of the weights themselves."
)
"""``lib.acquire.tokens``."""
RANKS = f"{TOKENS} The leading directions of a gradient are found by a few rounds of the power method."
"""``lib.acquire.low_rank``."""
FOUR = "Everywhere: the four models are trained as they are, on ten facts, and nothing is reduced."
"""``book.acquire.mlp.program``."""
STORED = (
    "At the settings of the grid. Nothing is computed here: both accuracies are stored results of whole runs, and a "
    "setting between those of the grid is taken to the nearest."
)
"""``book.acquire.transformer.program``."""
