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
)
