"""GPT-2 on the chapter's facts: Figure 3 of Xu & Chen, and relation covering, which they do not test on it.

    python -m book experiments acquire transformer [--quick | --large] [--workers N|ADDRESS]

needs the extra "scale". GPT-2 reads whole sentences "o d s r a" and questions "s p a"; all of a step's sentences are
one batch. It has no dropout. ``--quick`` is "tiny", ``--large`` is "paper", of 12 layers, 12 heads and width 768, which
needs a GPU. Numbers of steps and rates are ours: the paper's are lost in the text at hand.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from book.optional import require_optional
from lib.acquire import task
from lib.acquire.task import Facts
from lib.acquire.tokens import Sizes

FREQUENT = 0.5
DECAY = 0.01


class Size(NamedTuple):
    """A network, and how it is trained by AdamW.

    Attributes:
        layers, heads, width: of GPT-2. ``subjects``: how many facts are told.
        steps, rate: of pre-training. ``tuned_steps``, ``tuned_rate``: of fine-tuning. ``every``: steps between looks.
        tuned: n_ft, on so many facts; a fine-tuning each.
    """

    layers: int
    heads: int
    width: int
    subjects: int
    steps: int
    rate: float
    tuned_steps: int
    tuned_rate: float
    every: int
    tuned: tuple[int, ...]


SIZES = {
    "tiny": Size(2, 4, 64, 48, 150, 3e-3, 40, 3e-4, 2, (4, 16)),
    "small": Size(2, 4, 64, 96, 200, 3e-3, 100, 3e-4, 2, (3, 6, 12, 24, 40)),
    "paper": Size(12, 12, 768, 1000, 1000, 1e-4, 2000, 1e-5, 10, (10, 25, 50, 100, 250, 400)),
}


class Forest(NamedTuple):
    """All sentences as one sequence: o d, then every subject once, then the phrase of every sentence.

    A token sees itself and what stands before it in its own sentence, so logits are those of separate sentences.

    Attributes:
        tokens, places: (1, T) int64, T = 2 + N + S; o stands at place 0, d at 1, subjects at 2, phrases at 3.
        mask: (1, 1, T, T) float32, 0 where row sees column, else −∞.
    """

    tokens: Tensor
    places: Tensor
    mask: Tensor


def forest(known: Facts) -> Forest:
    """The sentences of these facts; tokens are numbered as in :class:`~lib.acquire.tokens.Sizes`."""
    n, r = known.rank.shape
    said, sizes = task.sentences(known), Sizes(n, r, 1)
    opening = torch.tensor([n + r, sizes.follower])
    tokens = torch.cat([opening, torch.arange(n), n + said.phrase])
    places = torch.cat([torch.arange(2), torch.full((n,), 2), torch.full((len(said.phrase),), 3)])
    sees = torch.eye(len(tokens), dtype=torch.bool)
    sees[1:, 0], sees[2:, 1] = True, True
    sees[torch.arange(2 + n, len(tokens)), 2 + said.subject] = True
    mask = torch.zeros(sees.shape).masked_fill(~sees, -torch.inf)
    return Forest(tokens[None], places[None], mask[None, None])


def questions(known: Facts) -> tuple[Tensor, Tensor]:
    """[s_j p], (N, 2), and its answer a_j, (N,)."""
    n, r = known.rank.shape
    sizes, subject = Sizes(n, r, 1), torch.arange(n)
    return torch.stack([subject, torch.full((n,), sizes.format)], 1), sizes.answers + subject


def sized(name: str, sizes: Mapping[str, Size]) -> Size:
    """A size by its name.

    Raises:
        ValueError: another name.
    """
    if name not in sizes:
        raise ValueError(f"size = {name!r}: must be one of {', '.join(sizes)}")
    return sizes[name]


def gpt2(size: Size, vocabulary: int, places: int, seed: int, **more: Any) -> Any:
    """GPT-2 from a random start, without dropout, for texts of up to so many ``places``; ``more`` is of its config.

    Raises:
        ModuleNotFoundError: transformers is not installed.
    """
    transformers = require_optional("transformers", "scale", "GPT-2")
    shape = {"n_layer": size.layers, "n_head": size.heads, "n_embd": size.width, "n_positions": places}
    chance = {"resid_pdrop": 0.0, "embd_pdrop": 0.0, "attn_pdrop": 0.0}
    how = transformers.GPT2Config(vocab_size=vocabulary, bos_token_id=None, **shape, **chance, **more)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = transformers.GPT2LMHeadModel(how)
    return model.to(device())


def device() -> str:
    """Where networks are trained."""
    return "cuda" if torch.cuda.is_available() else "cpu"


def network(size: Size, phrases: int, positions: bool, seed: int) -> Any:
    """GPT-2 whose tokens are those of :class:`~lib.acquire.tokens.Sizes`.

    Without ``positions`` their encodings are 0 and stay so.

    Raises:
        ModuleNotFoundError: transformers is not installed.
    """
    outputs = Sizes(size.subjects, phrases, 1).outputs
    model = gpt2(size, outputs, 8, seed, eos_token_id=None, use_cache=False)
    if not positions:
        torch.nn.init.zeros_(model.transformer.wpe.weight).requires_grad_(False)
    return model


def sentence_loss(model: Any, known: Facts, trees: Forest) -> Tensor:
    """⅓ (−log P(d | o) − Σ_S w_S (log P(r | o d s) + log P(a | o d s r))), 0-d; rare facts' gradients times K."""
    n, r = known.rank.shape
    said, sizes = task.sentences(known), Sizes(n, r, 1)
    asked = Forest(*(part.to(model.device) for part in trees))
    logits = model(asked.tokens, position_ids=asked.places, attention_mask=asked.mask).logits[0].cpu()
    opening = cross_entropy(logits[:1], asked.tokens[0, 1:2].cpu())
    phrase = cross_entropy(logits[2 + said.subject], n + said.phrase, reduction="none")
    answer = cross_entropy(logits[2 + n :], sizes.answers + said.subject, reduction="none")
    return (opening + said.weight.to(logits.dtype) @ (phrase + answer)) / 3


Adapt = Callable[[Any], Any]


class Stored(NamedTuple):
    """A network after pre-training.

    Attributes:
        excess: its loss less the entropy. ``told``: the share of sentences whose answer it gives after "o d s r".
    """

    model: Any
    excess: float
    told: float


def pretrained(size: Size, known: Facts, positions: bool, seed: int) -> Stored:
    """Pre-train on all sentences of the facts."""
    n, r = known.rank.shape
    model, trees = network(size, r, positions, seed), forest(known)
    rule = _rule(model, size.rate)
    for _ in range(size.steps):
        rule.zero_grad()
        sentence_loss(model, known, trees).backward()
        rule.step()
    with torch.no_grad():
        excess = float(sentence_loss(model, known, trees)) - float(task.entropy(known))
        asked = Forest(*(part.to(model.device) for part in trees))
        logits = model(asked.tokens, position_ids=asked.places, attention_mask=asked.mask).logits[0].cpu()
    right = logits[2 + n :].argmax(-1) == Sizes(n, r, 1).answers + task.sentences(known).subject
    return Stored(model, excess, float(right.double().mean()))


def fine_tuned(
    model: Any, size: Size, known: Facts, chosen: Tensor, rate: float = 0.0, adapt: Adapt = copy.deepcopy
) -> tuple[list[int], Tensor]:
    """Fine-tune a copy on the questions about the chosen facts.

    Args:
        rate: 0 for the size's own. ``adapt``: makes of the model the copy that learns.

    Returns:
        the steps after which it looks, the start and the end included; (2, L, N) int64, the token that each question
        is answered with, and the likeliest of the answers to other questions than the fine-tuned ones.
    """
    model = adapt(model)
    rule = _rule(model, rate or size.tuned_rate)
    asked, answers = (part.to(model.device) for part in questions(known))
    tuned = chosen.to(model.device) > 0
    fresh = answers[~tuned]
    looks = sorted({*range(0, size.tuned_steps + 1, size.every), size.tuned_steps})
    said = []
    for step in range(size.tuned_steps + 1):
        if step in looks:
            with torch.no_grad():
                logits = model(asked).logits[:, -1]
                said.append(torch.stack([logits.argmax(-1), fresh[logits[:, fresh].argmax(-1)]]).cpu())
        rule.zero_grad()
        question_loss(model, asked[tuned], answers[tuned]).backward()
        rule.step()
    return looks, torch.stack(said, 1)


def question_loss(model: Any, asked: Tensor, answers: Tensor) -> Tensor:
    """The mean of −log P(a | s p), 0-d; arguments as from :func:`questions`."""
    return cross_entropy(model(asked.to(model.device)).logits[:, -1], answers.to(model.device))


def _rule(model: Any, rate: float) -> torch.optim.Optimizer:
    learned = [part for part in model.parameters() if part.requires_grad]
    return torch.optim.AdamW(learned, lr=rate, weight_decay=DECAY, fused=True)


KINDS = ("own_covered", "own_uncovered", "other_phrase", "tuned_answer", "other_answer", "neither")
"""What a question may be answered with but for the right answer: a phrase of the fact itself, covered by a fact that
is fine-tuned or not; another phrase; the answer of a fact that is fine-tuned; that of another; no phrase or answer."""


def outcomes(known: Facts, chosen: Tensor, looks: list[int], said: Tensor) -> list[dict[str, Any]]:
    """What half of the unseen facts, the test, are answered with at four steps.

    These are "start", "best" (the flattering one, chosen on the test), "chosen" (on the other half), "last". Of the
    test facts, frequent or rare, are "open" those all of whose phrases are covered by a fact that is fine-tuned,
    "shut" those with none that is, and "partly" the others, all frequent. ``KINDS`` are shares of the facts that are
    not open, and so is "below": their answer comes first among those that were not fine-tuned. "fit" is the share
    right of the fine-tuned facts, "others" that of the other half. "once" is the share of the test facts with a phrase
    that is covered, whatever the network answers.

    Args:
        chosen: (N,) 1 for a fact that is fine-tuned. ``looks``, ``said``: from :func:`fine_tuned`.

    Raises:
        ValueError: fewer than two facts are unseen, or none is fine-tuned.
    """
    n = len(known.rank)
    unseen = torch.nonzero(1 - chosen)[:, 0]
    if len(unseen) < 2 or len(unseen) == n:
        raise ValueError(
            f"tuned = {n - len(unseen)}: must be at least 1, and leave two of subjects = {n} facts held out"
        )
    test = torch.zeros(n, dtype=torch.float64).index_fill(0, unseen[::2], 1)
    right, below = (said == questions(known)[1]).to(torch.float64)  # (L, N)
    reached = (task.covered(known, chosen) > 0).to(torch.float64)  # (R,)
    depth = (known.uses @ reached) / known.multiplicity
    opened, shut = (depth == 1).to(torch.float64), (depth == 0).to(torch.float64)
    kinds_of = {"frequent": test * known.frequent, "rare": test * (1 - known.frequent)}
    groups = {"right": test, **kinds_of, "partly": test * (1 - opened - shut), "fit": chosen}
    groups |= {"others": 1 - chosen - test}
    groups |= {f"open_{name}": group * opened for name, group in kinds_of.items()}
    groups |= {f"shut_{name}": group * shut for name, group in kinds_of.items()}
    first = {"best": right @ test, "chosen": right @ groups["others"]}
    once = float(task.mean_of(1 - shut, test))
    at = {"start": 0, **{name: int(by.argmax()) for name, by in first.items()}, "last": len(looks) - 1}
    kinds = torch.stack([_kind(known, chosen, reached, one) for one in said[0]])
    rows = []
    for when, look in at.items():
        row: dict[str, Any] = {"when": when, "step": looks[look], "once": once}
        row |= {name: float(task.mean_of(right[look], group)) for name, group in groups.items()}
        kept = test * (1 - opened)
        row["below"] = float(task.mean_of(below[look], kept))
        row |= {
            name: float(task.mean_of((kinds[look] == kind).to(torch.float64), kept))
            for kind, name in enumerate(KINDS, 1)
        }
        rows.append(row)
    return rows


def _kind(known: Facts, chosen: Tensor, reached: Tensor, said: Tensor) -> Tensor:
    """(N,) 0 where the answer is right, else the place in ``KINDS``, from 1."""
    n, r = known.rank.shape
    phrase = torch.clamp(said - n, 0, r - 1)
    own = known.uses.gather(1, phrase[:, None])[:, 0] > 0
    about = said - Sizes(n, r, 1).answers
    of_phrase = torch.where(own, torch.where(reached[phrase] > 0, 1, 2), 3)
    of_answer = torch.where(chosen[torch.clamp(about, 0, n - 1)] > 0, 4, 5)
    kind = torch.where((about >= 0) & (about < n), of_answer, 6)
    kind = torch.where((said >= n) & (said < n + r), of_phrase, kind)
    return torch.where(about == torch.arange(n), 0, kind)


def transformer(
    size: str, multiplicity: int, phrases: int, positions: bool, seed: int, reach: int = 0
) -> list[dict[str, Any]]:
    """Pre-train once, then fine-tune for each n_ft of ``Size.tuned``, and on all facts within the first phrases.

    Args:
        size: of ``SIZES``. ``reach``: q; all frequent facts stated with the first q phrases alone are fine-tuned too,
            in a run of its own, unless it is 0.

    Returns:
        four rows for each fine-tuning, see :func:`outcomes`, with ``reach`` (R where facts are drawn from all),
        ``tuned`` (n_ft), ``covered`` (how many phrases state one of them), ``excess`` and ``told`` of
        :class:`Stored`.

    Raises:
        ValueError: an unknown size, K > R, more facts to be fine-tuned than are frequent, or none within reach.
        ModuleNotFoundError: transformers is not installed.
    """
    how, known = setting(size, multiplicity, phrases, seed)
    sets = list(tunings(how, known, reach))
    stored = pretrained(how, known, positions, seed)
    told = {"excess": stored.excess, "told": stored.told}
    return [
        {**about, **told, **row}
        for about, chosen in sets
        for row in outcomes(known, chosen, *fine_tuned(stored.model, how, known, chosen))
    ]


def setting(size: str, multiplicity: int, phrases: int, seed: int) -> tuple[Size, Facts]:
    """A size by its name, and the facts of a run.

    Raises:
        ValueError: an unknown size, or K > R.
    """
    how = sized(size, SIZES)
    return how, task.facts(how.subjects, phrases, multiplicity, FREQUENT, seed)


def tunings(how: Size, known: Facts, reach: int) -> Iterator[tuple[dict[str, int], Tensor]]:
    """What is said of each fine-tuning of :func:`transformer`, and which facts it is on.

    Raises:
        ValueError: more facts to be fine-tuned than are frequent, or none within reach.
    """
    phrases = known.rank.shape[1]
    sets = [(phrases, drawn(known, count)) for count in how.tuned]
    sets += [(reach, task.within(known, reach))] if reach else []
    for limit, chosen in sets:
        if not chosen.any():
            most = int(known.multiplicity.max())
            raise ValueError(f"reach = {limit}: no frequent fact has its {most} phrases among these")
        covered = int((task.covered(known, chosen) > 0).sum())
        yield {"reach": limit, "tuned": int(chosen.sum()), "covered": covered}, chosen


def drawn(known: Facts, count: int) -> Tensor:
    """(N,) 1 for the ``count`` frequent facts that come first in the draw order.

    Raises:
        ValueError: ``count`` is below 1 or above the number of frequent facts.
    """
    frequent = int(known.frequent.sum())
    if not 1 <= count <= frequent:
        raise ValueError(f"tuned = {count}: must be at least 1 and at most the {frequent} frequent facts")
    return task.fine_tuned(known, count / frequent)


MULTIPLICITIES, UNIVERSES, PHRASES = (1, 2, 4, 8), (4, 8, 16, 32), 8
REACHES = {1: 4, 2: 5, 4: 6}
"""At R = 8, q for each K: about a fifth to a half of the frequent facts lie within."""
SEEDS = 5
SETTINGS = {
    "frequent": FREQUENT,
    "weight decay": DECAY,
    **{name: one._asdict() for name, one in SIZES.items()},
}


def cells(quick: bool, large: bool) -> list[dict[str, Any]]:
    """The configurations: every K with every R that is not below it, with positions and without."""
    size = "tiny" if quick else "paper" if large else "small"
    grid = [(k, r) for k in MULTIPLICITIES for r in UNIVERSES if k <= r]
    return [
        {
            "size": size,
            "multiplicity": k,
            "phrases": r,
            "positions": positions,
            "seed": seed,
            "reach": REACHES.get(k, 0) if r == PHRASES else 0,
        }
        for seed in range(1 if quick else SEEDS)
        for positions in ((False,) if quick else (False, True))
        for k, r in ([(1, PHRASES), (4, PHRASES)] if quick else grid)
    ]


def again(quick: bool, large: bool) -> list[dict[str, Any]]:
    """Other starts for what was read off those of :func:`cells`: without positions, with 8 phrases and with 32."""
    return [
        {**cell, "seed": SEEDS + cell["seed"], "reach": 0}
        for cell in cells(quick, large)
        if not cell["positions"] and cell["phrases"] in (PHRASES, 32)
    ]
