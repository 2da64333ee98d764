"""The chapter "Recognise"."""

from book.paper import Paper

PAPER = Paper(
    room="recognise",
    chapter="Recognise",
    name="Yang et al., 2024",
    authors="Yang, Kailkhura, Wang, Liang",
    title="Training Dynamics of Transformers to Recognize Word Co-occurrence via Gradient Flow Analysis",
    where="NeurIPS 2024",
    link="https://arxiv.org/abs/2410.09605",
)
