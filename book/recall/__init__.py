"""The chapter "Recall"."""

from book.paper import Paper

PAPER = Paper(
    room="recall",
    chapter="Recall",
    name="Huang et al. 2026",
    authors="Huang, Nichani, Lee, Ge",
    title="Fine-Tuning Dynamics of In-Context Factual Recall in Transformers",
    where="arXiv 2605.27774",
    link="https://arxiv.org/abs/2605.27774",
)
