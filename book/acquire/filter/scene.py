"""The scene of pre-training: what a sentence's last token looks at, and what each token makes the model say.

The logit of an output is a sum over the prompt's tokens, f_v = Σ_i (1/m) Σ_k 1[h_{v,k} > 0] β_i A[x_i, v, k]: what a
token has stored counts as far as it is looked at.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from book.acquire.charts import losses
from book.acquire.filter.program import SHARE, filtering
from book.acquire.scene import ALICE, BORN, CONTEXT, PROMPT
from lib.acquire.course import NEAR, SIZES, Learner
from lib.acquire.tokens import forward, sentence_scores
from lib.program import Program, with_outputs
from widgets.figure.scenes import Heard, Link, Net, Predict, Scene, Stop, Token, Voices

WELL, THEN = CONTEXT._replace(word="Well,"), Token("then", "d", "follower")
CALIFORNIA = Token("California", "a", "answer")
SAYS = Net(
    "What each word predicts",
    (CONTEXT, ALICE, BORN),
    (Token("what follows it", "", "follower"), BORN, CALIFORNIA),
    (Link(0, 0, "context"), Link(1, 1, "subject"), Link(1, 2, "subject"), Link(2, 2, "phrase")),
    "adds",
    full=6.0,
    share=("least_chance", 1),
    says="least likely right answer:",
)
HARDEST = Voices(
    "What the model hears of a sentence, and what it says next: larger words have larger shares",
    (WELL, *PROMPT.tokens[1:]),
    (
        Heard(2, "name_looks", (THEN, BORN), "name_says"),
        Heard(3, "phrase_looks", (THEN, CALIFORNIA), "phrase_says"),
    ),
    Token("any word", "", "ink"),
    (("start", 0), ("step 1", 1)),
)
"""The name and the sentence that are nearest to breaking Proposition 1, or break it most."""
IGNORED = Predict(
    "how much attention does the context get, from the first step to the last?",
    "name_looks",
    "attention on the context",
    (0.0, 1.0),
)
LOSSES = losses("Loss above the lowest, cut at 6", "“then”")
SCENE = Scene(
    HARDEST,
    beside=(LOSSES,),
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


def spoken(s: Learner) -> tuple[Tensor, Tensor]:
    """Probabilities of d and of what is right: after [o s], (N, 2), and after [o s r], (S, 2)."""
    j, i, _ = s.data
    a, z = s.model
    n = SIZES.subjects
    first, names, phrases = a[:1], a[1 : 1 + n], a[1 + n : SIZES.format]
    after_name = _chances((first, names), torch.stack([z.context_subject, z.subject_subject], 1))
    parts = (first, names.index_select(0, j), phrases.index_select(0, i))
    after_phrase = _chances(parts, sentence_scores(z, j, i))
    phrase = (after_name[:, 1 + n : SIZES.format] * (s.known.uses > 0)).sum(1)
    answer = after_phrase.gather(1, (SIZES.answers + j)[:, None])[:, 0]
    return (
        torch.stack([after_name[:, SIZES.follower], phrase], 1),
        torch.stack([after_phrase[:, SIZES.follower], answer], 1),
    )


def _chances(parts: tuple[Tensor, ...], scores: Tensor) -> Tensor:
    """Probabilities of all outputs, (P, V); arguments as in :func:`~lib.acquire.tokens.forward`."""
    _, pre = forward(parts, scores)
    return torch.softmax(torch.relu(pre).mean(-1), -1)


def worst(bad: Tensor, rows: Tensor) -> Tensor:
    """The row of ``rows``, (S, …), in which ``bad``, (S,), is greatest; the mean of them if there are more."""
    most = (bad >= bad.amax()).to(torch.float64)
    return most @ rows / most.sum()


def _shown(seen: Any, s: Learner, p: Any) -> dict[str, Tensor]:
    """The scene's links, and numbers that rise above 0 at its stops."""
    adds, attention = contributions(s)
    breaks = torch.maximum(
        p.dimension * attention[:, 0], SHARE / attention[:, 1:].amin(1)
    )  # Proposition 1 where > 1
    since = [math.log(2) - seen.losses[0], NEAR - seen.excess]
    z = s.model.scores
    name_looks = torch.softmax(torch.stack([z.context_subject, z.subject_subject], 1), 1)  # (N, 2)
    bad = torch.where(s.data.weight > 0, breaks, 0.0)
    after_name, after_phrase = spoken(s)
    return {
        "adds": torch.stack([adds[link.left, link.right] for link in SAYS.links]),
        "since": torch.stack(since),
        "phrase_looks": worst(bad, attention),
        "phrase_says": worst(bad, after_phrase),
        "name_looks": worst(name_looks[:, 0], name_looks),
        "name_says": worst(name_looks[:, 0], after_name),
    }
