"""The chapter "Acquire and extract"."""

from book.paper import Paper

PAPER = Paper(
    room="acquire",
    chapter="Acquire and extract",
    name="Xu and Chen, 2025",
    authors="Xu, Chen",
    title="Provable Knowledge Acquisition and Extraction in One-Layer Transformers",
    where="arXiv 2508.00901",
    link="https://arxiv.org/abs/2508.00901",
    easy=(
        "The model is small, and with orthogonal embeddings its training is exact in the products of tokens: a run"
        " takes a tenth of a second. The trends of the simplified model come out at the first try."
    ),
    hard=(
        "Formulas were missing from the text at hand: what could be inferred is marked as reconstructed, and the "
        "rest is not tested. Conditions are stated up to constants. GPT-2 was trained at small sizes only, on a "
        "processor."
    ),
)
