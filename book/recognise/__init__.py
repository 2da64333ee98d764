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
    easy=(
        "Setting, model and gradients are given in full, and the appendix derives its dynamical system line by "
        "line. The flow depends on the weights through inner products alone, so that networks of any width take a "
        "second."
    ),
    hard=(
        "Nearly every bound hides constants and logarithms. Orders are tested as exponents over decades of the "
        "width, and the constants that we found are given. The time at which Phase 1 ends had to be chosen: one "
        "constant serves all statements."
    ),
)
