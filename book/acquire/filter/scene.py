"""The scene of pre-training: what a sentence's last token looks at, and what each token makes the model say.

The logit of an output is a sum over the prompt's tokens, f_v = Σ_i (1/m) Σ_k 1[h_{v,k} > 0] β_i A[x_i, v, k]: what a
token has stored counts as far as it is looked at.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from book.acquire.filter.program import SHARE, filtering
from book.acquire.scene import ALICE, BORN, CONTEXT, PROMPT
from lib.acquire.course import NEAR, SIZES, Learner
from lib.acquire.tokens import forward, sentence_scores
from lib.program import Program, with_outputs
from widgets.figure.scenes import Link, Net, Predict, Scene, Stop, Token

HARDEST = PROMPT._replace(
    title="Where the last two words look: the phrase (arcs above), the name (arcs below)",
    field="phrase_looks",
    below=("name_looks", 1),
)
"""The sentences that are nearest to breaking Proposition 1, or break it most."""
SAYS = Net(
    "What each word predicts",
    (CONTEXT, ALICE, BORN),
    (Token("what follows it", "", "follower"), BORN, Token("California", "a", "answer")),
    (Link(0, 0, "context"), Link(1, 1, "subject"), Link(1, 2, "subject"), Link(2, 2, "phrase")),
    "adds",
    full=6.0,
    share=("least_chance", 1),
    says="least likely right answer:",
)
IGNORED = Predict(
    "how much attention does the context get, from the first step to the last?",
    "name_looks",
    "attention on the context",
    (0.0, 1.0),
)
SCENE = Scene(
    HARDEST,
    beside=(SAYS,),
    stops=(
        Stop(
            "context heard",
            0,
            passes=("since", 0),
            says="The model knows what follows the context, which still gets {phrase_looks[0]:%} of the attention.",
        ),
        Stop(
            "step 2",
            0,
            says="After two steps the context keeps {on_context:%} of the attention, even where it keeps most.",
        ),
        Stop(
            "stored",
            2,
            passes=("since", 1),
            says="The facts are stored: even the hardest answer has probability {least_chance[1]:%}.",
        ),
        Stop(
            "end",
            2,
            says="The last step: even the hardest answer has probability {least_chance[1]:%}.",
        ),
    ),
    predict=IGNORED,
)


def shown() -> Program:
    """Pre-training, with what the scene shows."""
    return with_outputs(filtering(), _shown)


def contributions(s: Learner) -> tuple[Tensor, Tensor]:
    """How tokens speak in [o s r].

    Returns:
        what they add to logits, the mean over all sentences, (3, 3): o, s, r by d, r and the answer.
        the attention on them in each sentence, (S, 3).
    """
    j, i, weight = s.data
    a, z = s.model
    n = SIZES.subjects
    outputs = torch.stack([torch.full_like(j, SIZES.follower), 1 + n + i, SIZES.answers + j], 1)  # (S, 3)
    tokens = torch.stack([torch.zeros_like(j), 1 + j, 1 + n + i])  # (3, S)
    rows = a.reshape(-1, a.shape[2])  # (tokens V, m)
    parts = tuple(
        rows.index_select(0, (token[:, None] * a.shape[1] + outputs).reshape(-1)).reshape(*outputs.shape, -1)
        for token in tokens
    )  # (S, 3, m) each
    attention, pre = forward(parts, sentence_scores(z, j, i))
    is_last = torch.tensor([0.0, 0.0, 1.0], dtype=torch.float64)
    active = (pre > 0).to(torch.float64)
    by_token = [
        (attention + is_last)[:, t, None] * (active * parts[t]).mean(-1) for t in range(3)
    ]  # (S, 3) each
    return torch.stack([weight @ part for part in by_token]), attention


def worst(bad: Tensor, attention: Tensor) -> Tensor:
    """The row of ``attention``, (S, 3), in which ``bad``, (S,), is greatest; the mean of them if there are more."""
    most = (bad >= bad.amax()).to(torch.float64)
    return most @ attention / most.sum()


def _shown(seen: Any, s: Learner, p: Any) -> dict[str, Tensor]:
    """The scene's links, and numbers that rise above 0 at its stops."""
    adds, attention = contributions(s)
    breaks = torch.maximum(
        p.dimension * attention[:, 0], SHARE / attention[:, 1:].amin(1)
    )  # Proposition 1 where > 1
    since = [math.log(2) - seen.losses[0], NEAR - seen.excess]
    z = s.model.scores
    name_looks = torch.softmax(torch.stack([z.context_subject, z.subject_subject], 1), 1)  # (N, 2)
    before_phrase = torch.cat([name_looks, torch.zeros_like(name_looks[:, :1])], 1)
    return {
        "adds": torch.stack([adds[link.left, link.right] for link in SAYS.links]),
        "since": torch.stack(since),
        "phrase_looks": worst(torch.where(s.data.weight > 0, breaks, 0.0), attention),
        "name_looks": worst(before_phrase[:, 0], before_phrase),
    }
