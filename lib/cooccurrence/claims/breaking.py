"""Claims about the hypotheses themselves: Definition 2.1, Assumption 2.3, Condition 1."""

from __future__ import annotations

import torch

from lib.claims import Claim, Evidence, Verdict, register
from lib.cooccurrence.claims.common import PAPER
from lib.cooccurrence.claims.phases import conditions, latest, ten
from lib.cooccurrence.data import SIGNALS, class_counts, distinct_words_needed, draw

PAGE = "book/recognise/breaking"
PAPERS_EXPERIMENT: dict[str, float] = {"samples": 60, "length": 5, "width": 128.0, "neurons": 256}
"""Appendix A's sizes."""


def definition_2_1(samples: int, length: int, vocabulary: int) -> Evidence:
    """A drawn training set: labels balanced, each type's signals once and no others, μ₃'s place uniform."""
    generator = torch.Generator().manual_seed(0)
    data = draw(class_counts(samples), length, generator, vocabulary, distinct=False)
    held = torch.stack([(data.words == word).sum(1) for word in range(3)], 1)
    right = torch.tensor([[float(w in SIGNALS[k]) for w in range(3)] for k in data.types.tolist()])
    place = (data.words == 2).to(torch.float64).mean(0)
    fresh = bool((data.words < data.vocabulary).all()) and data.vocabulary > 3
    spread = float((place * length - 1).abs().max())
    return Evidence(
        hypotheses={"enough samples to see the law": samples >= 1000},
        predicted={
            "mean label": 0.0,
            "samples with wrong signals": 0.0,
            "place of the common word, off uniform": 0.0,
        },
        measured={
            "mean label": float(data.labels.mean()),
            "samples with wrong signals": float((held != right).any(1).sum()),
            "place of the common word, off uniform": spread,
        },
        conclusion=float(data.labels.mean()) == 0 and bool((held == right).all()) and fresh and spread < 0.2,
    )


def assumption_2_3(samples: int, length: int, vocabulary: int) -> Evidence:
    """How often an irrelevant word repeats if there are d words, and how many words it takes that none does."""
    counts = class_counts(samples)
    needed = distinct_words_needed(counts, length)
    generator = torch.Generator().manual_seed(0)
    if vocabulary >= needed:
        data = draw(counts, length, generator, vocabulary)
    else:
        data = draw(counts, length, generator, vocabulary, distinct=False)
    words = data.words[data.words > 2]
    repeated = len(words) - len(words.unique())
    return Evidence(
        hypotheses={"d at least 3 + the number of irrelevant places": vocabulary >= needed},
        predicted={
            "repeated words": 0.0,
            "words needed": float(needed),
            "the paper's bound nL": float(samples * length),
        },
        measured={"repeated words": float(repeated), "irrelevant places": float(len(words))},
        conclusion=repeated == 0,
    )


def condition_1(**over: float) -> Evidence:
    """Whether both theorems hold at ten seeds with C = 30: Condition 1 with its constants set to 1."""
    r = ten(**over)
    both = torch.minimum(r.first, r.second)
    return Evidence(
        hypotheses=conditions(**over),
        predicted={"seeds of ten at which both theorems hold": 10.0},
        measured={
            "seeds of ten at which both theorems hold": float(10 * both.mean()),
            "all items of Theorem 3.2 from tau": latest(r.since[:, 3:]),
        },
        conclusion=bool((both > 0.5).all()),
    )


register(
    Claim(
        id="recognise.definition-2-1",
        paper=PAPER,
        kind="definition",
        number="2.1",
        title="Four types of samples",
        page=PAGE,
        statement=(
            "A sample has $L$ words in random order: always $\\mu_3$; with probability ½ both targets and label "
            "1; with ⅙ each only $\\mu_1$, only $\\mu_2$, or neither, and label −1; all other words uniform "
            "among the $d - 3$ irrelevant ones."
        ),
        examine=definition_2_1,
        holds_at={"samples": 6000, "length": 6, "vocabulary": 64},
        fails_at={"samples": 6, "length": 6, "vocabulary": 64},
        recorded=Verdict.CONFIRMED,
        finding="Labels are balanced, and without the common word and the irrelevant ones the label is a logical and.",
    )
)

register(
    Claim(
        id="recognise.assumption-2-3",
        paper=PAPER,
        kind="assumption",
        number="2.3",
        title="Exact shares, and no irrelevant word twice",
        page=PAGE,
        statement=(
            "(i) Types have exactly the shares ½, ⅙, ⅙, ⅙; (ii) no irrelevant word stands in two places of the "
            "training set."
        ),
        examine=assumption_2_3,
        holds_at={"samples": 60, "length": 5, "vocabulary": 163},
        fails_at={"samples": 60, "length": 5, "vocabulary": 64},
        recorded=Verdict.CONFIRMED,
        finding=(
            "The need is $3 + n(L - 7/3)$ words for the shares of Definition 2.1, not $nL$. The paper's own "
            "experiment has 64 words for 160 places, so nearly all repeat."
        ),
    )
)

register(
    Claim(
        id="recognise.condition-1",
        paper=PAPER,
        kind="condition",
        number="1",
        title="Sizes and scales under which all is proved",
        page=PAGE,
        statement=(
            "Up to constants and logarithms: $m \\ge \\max(m_1, L^2)$, $n \\ge L^2$, $\\sigma_0 = 1/\\sqrt{Lm}$, "
            "$\\sigma_1 = 1/\\sqrt{m_1}$."
        ),
        examine=condition_1,
        holds_at={"samples": 120, "length": 6, "width": 256.0, "neurons": 256},
        fails_at={"samples": 30, "length": 10, "width": 256.0, "neurons": 256},
        recorded=Verdict.CONFIRMED,
        finding=(
            "Enough, with all constants 1, and far from needed: n > 3(L + 1) serves for n ≥ L². The paper's "
            "experiment breaks m ≥ m₁, and its scales are those of Kaiming."
        ),
    )
)
