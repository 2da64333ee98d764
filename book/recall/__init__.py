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
    easy=(
        "The paper gives its task, its model and its algorithm in full, and every proof is in the appendix. By "
        "symmetry training with all prompts is exact in six scores, so that a run takes milliseconds."
    ),
    hard=(
        "Most rates and thresholds are stated up to constants that are not given; ours are named on the "
        "statements' pages. The experiments leave out settings such as the batch size and the split, and their "
        "code was not at hand."
    ),
)
