"""How many test prompts leak on the printed split, and weights whose loss is near the entropy: by hand and checked."""

from __future__ import annotations

from itertools import combinations

import torch

from book.acquire.experiments.hand_written import by_hand
from book.acquire.experiments.measured import table
from book.ledger.proofs import Rank, Survival, checked, erratum, misprint
from lib.acquire import architectures


@checked(
    "acquire.table-3-leak",
    "The leaked share of the printed split, for small $N$ and $K$",
    r"1 - \prod_{i=1}^{K-1} \frac{NK/2 - i}{NK - i}",
    "count",
)
def leak_by_counting() -> bool:
    """The closed form against all splits of N = 3 facts with K = 2 phrases, and of 2 with 3."""
    for subjects, multiplicity in ((3, 2), (2, 3), (4, 2)):
        total = subjects * multiplicity
        shares = []
        for tuned in combinations(range(total), total // 2):
            facts = {place // multiplicity for place in tuned}
            test = [place for place in range(total) if place not in tuned]
            shares.append(sum(place // multiplicity in facts for place in test) / len(test))
        if abs(sum(shares) / len(shares) - architectures.leaked_share(subjects, multiplicity)) > 1e-12:
            return False
    return True


@checked(
    "acquire.table-3-leak",
    "The same for any $N$ and $K$ up to 6: more than $1 - 2^{1-K}$, to which it tends",
    r"\frac{NK/2 - i}{NK - i} = \frac12 - \frac{i}{2(NK - i)}",
    "sympy",
)
def leak_by_sympy() -> bool:
    """For K up to 6 and any N: of all test halves with a given tuple, the share that holds its K − 1 siblings.

    It is the product of (NK/2 − i)/(NK − i), each factor below ½, and tends to 2^(1 − K): more than 1 − 2^(1 − K) leak.
    """
    import sympy as sp

    n = sp.Symbol("N", positive=True)
    for k in range(2, 7):
        factors = [(n * k / 2 - i) / (n * k - i) for i in range(1, k)]
        halves = sp.binomial(n * k - k, n * k / 2 - k) / sp.binomial(n * k - 1, n * k / 2 - 1)
        counted = sp.simplify(sp.gammasimp(halves.rewrite(sp.gamma)) - sp.prod(factors)) == 0
        below = all(
            sp.simplify(sp.Rational(1, 2) - factor - i / (2 * (n * k - i))) == 0
            for i, factor in enumerate(factors, 1)
        )
        if not (counted and below and sp.limit(sp.prod(factors), n, sp.oo) == sp.Rational(1, 2 ** (k - 1))):
            return False
    return True


def noise_numbers() -> dict[str, float]:
    """Loss over entropy of the stored runs with uniform attention and an MLP, by optimizer."""
    rows = table("acquire-five-tokens")
    runs = rows[rows.way.str.startswith("uniform, ")]
    descent = runs.way.str.contains("gd")
    return {
        "loss over entropy with AdamW, greatest": float(runs[~descent].over.max()),
        "with plain descent, least": float(runs[descent].over.min()),
    }


@erratum(
    "acquire.table-3-noise",
    rank=Rank.STATEMENT,
    where="Section 3, the last paragraph on the data: the technical challenge",
    printed=r"\text{noise precludes learning facts via MLPs with uniform attention alone}",
    right=r"\text{noise slows plain gradient descent on them}",
    survival=Survival.NOT_AT_ALL,
    survives="That attention filters the noise does. But weights with uniform attention come as near to the entropy as "
    "one likes, and AdamW, which Appendix A names for this model, finds such weights.",
    numbers=noise_numbers,
)
@checked(
    "acquire.table-3-noise",
    "Weights with uniform attention, one neuron for each output, whose loss tends to the entropy",
    r"f_d = 2c,\ f_{r_i} = \tfrac32c,\ f_{a_j} = \tfrac16c \text{ where they are due}",
    "full model",
)
def representable() -> bool:
    """The hand-written weights' loss is within 1e-6 of the entropy."""
    known = architectures.task(
        24, 5, 3, 60, embedding="orthogonal", context=True, split="facts", dtype=torch.float64
    )
    with torch.no_grad():
        loss = float(architectures.losses(by_hand(known, 150.0), known).mean())
    return abs(loss - known.entropy) < 1e-6


HEADS, PRINTED_WIDTH, WIDTH = 12, 786, 768


@erratum(
    "acquire.figures-3-4",
    rank=Rank.MISPRINT,
    where="Appendix J, the hidden dimensions of the standard GPT-2 with 12 layers and 12 heads, twice",
    printed=r"786",
    right=r"768",
    survival=Survival.AS_PRINTED,
    survives="Everything does: 768 is the width of the smallest GPT-2, which has 12 layers and 12 heads.",
    numbers=lambda: {"width of a head, printed": PRINTED_WIDTH / HEADS, "width of a head": WIDTH / HEADS},
)
def heads_do_not_divide_the_printed_width() -> bool:
    """Twelve heads share a width evenly: 12 divides 768 and not 786."""
    return PRINTED_WIDTH % HEADS != 0 and WIDTH % HEADS == 0


misprint(
    "acquire.figures-3-4",
    where="Appendix J, the figures in the headings of J.2 and J.3",
    printed=r"\text{Figures 2c and 2d; Figure 2e}",
    right=r"\text{Figures 3 (a) and 3 (b); Figure 4}",
    survival=Survival.AS_PRINTED,
    survives="Everything does: Figure 2 has two parts, and the settings are those of the later figures.",
)


misprint(
    "acquire.figures-3-4",
    where="Appendix J.4, its heading, and Section 7.1, where it speaks of the same table",
    printed=r"\text{Settings for Table 3; Table 7.1}",
    right=r"\text{Table 2, both times}",
    survival=Survival.AS_PRINTED,
    survives="Everything does: Section 7.1 sends its reader to J.4 for the fine-tuning of Llama, whose table is the "
    "second. Table 3 is that of the architectures in Appendix A, and there is no Table 7.1.",
)


misprint(
    "acquire.figures-3-4",
    where="Appendix K, the third example's question",
    printed=r"\text{about }\textit{Atlantic}",
    right=r"\text{about }\textit{The Cell}",
    survival=Survival.AS_PRINTED,
    survives="Everything does: the sentence beside it and the answer are those of *The Cell*.",
)


misprint(
    "acquire.figures-3-4",
    where="Appendix K, the second example's question",
    printed=r"\text{it ends with the question mark}",
    right=r"\text{it ends with }\textit{Answer:}",
    survival=Survival.AS_PRINTED,
    survives="Everything does: the other three questions, and those of Appendix L, end so.",
)


misprint(
    "acquire.figures-3-4",
    where="Appendix J.2, the pre-training of GPT-2",
    printed=r"\text{for pre-training, we employ full fine-tuning}",
    right=r"\text{for pre-training, we train all weights}",
    survival=Survival.AS_PRINTED,
    survives="Everything does: fine-tuning has a sentence of its own, the next.",
)


misprint(
    "acquire.reweighting",
    where="Appendices J.1 and J.2, the reason for multiplying the gradients of rare facts",
    printed=r"\text{as discussed in Section 5}",
    right=r"\text{Section 5 does not discuss it}",
    survival=Survival.AS_PRINTED,
    survives="The reweighting does, and our runs show what it is for. Version 1 gives no reason anywhere else.",
)
