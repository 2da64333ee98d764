"""Detector and memory learn from answers: stage 1 at the tie, stage 2 from a perturbation, with or without hints."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch
from torch import Tensor

from lib.domain import Domain
from lib.noise import ball
from lib.program import Program, Stage, record
from lib.recall import algorithm
from lib.recognise import orbit
from lib.recognise.setting import scaled, setting
from lib.recognise.task import HOLDS, SIGNS
from lib.together import reading
from lib.together.memory import NEURONS, SUBJECTS, WORDINGS
from lib.together.reading import RIGHT, Reader, Teaching

SENTENCES = setting()
"""120 sentences of six words, as on the pages of *Recognise*; both words are in half of them."""
SIZES, KAPPA = scaled(SENTENCES, torch.ones((), dtype=torch.float64))
SHARES = SIZES.counts / SIZES.counts.sum()
APART = 0.5
"""The tie is left when the mean outputs of the two kinds of sentences differ by so much."""
TOLD = 0.75
"""From this mean probability of the right name on, or up to 1 less it, sentences are told apart; so are names."""
RELATIONS = 2
OF_RECALL = {domain.name: domain for domain in algorithm.DOMAINS}
HINTS = (0.0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)


def _rate(name: str, default: float, words: str, track: tuple[float, ...]) -> Domain:
    return Domain(name, 0, 1, low_open=True, default=default, words=words, scale="choice", track=track)


def _steps(name: str, default: int, words: str) -> Domain:
    return Domain(
        name, 0, 3000, integer=True, default=default, words=words, scale="whole", track=(0, 1000, 20)
    )


DOMAINS = (
    Domain("labels", 0, 1, default=0.0, words="weight of labels", scale="choice", track=HINTS),
    Domain("statements", 0, 1, default=0.0, words="weight of statements", scale="choice", track=HINTS),
    OF_RECALL["perturbation_radius"]._replace(default=1e-2),
    OF_RECALL["temperature"]._replace(low=0.4, low_open=False, default=1.0, track=(0.5, 5.0)),
    Domain(
        "multiplicity",
        1,
        WORDINGS,
        integer=True,
        default=1,
        words="phrases of a relation (K)",
        scale="whole",
        track=(1, WORDINGS),
    ),
    OF_RECALL["seed"]._replace(high=999),
    _rate("rate_detector", 0.5, "the detector’s learning rate", (0.05, 0.1, 0.25, 0.5)),
    _rate("rate_memory", 0.25, "the memory’s learning rate", (0.025, 0.05, 0.125, 0.25)),
    _steps("tie_steps", 150, "steps before the perturbation"),
    _steps("steps", 420, "steps after it"),
)
"""The parameters; the detector's rate is in τ = N₀t."""
Settings = record("Settings", [domain.name for domain in DOMAINS])


class State(NamedTuple):
    """Both models, and when what happened in this stage; a step is −1 while it has not come."""

    reader: Reader
    step: Tensor  # 0-d
    left: Tensor  # 0-d, the tie is left
    detects: Tensor  # 0-d, sentences are told apart
    recalls: Tensor  # 0-d, names are told apart


class Seen(NamedTuple):
    """What both say at a moment."""

    outputs: Tensor  # (4,) F of each type of sentence
    memory: Tensor  # (3, 2, 3) m(a | s, r)
    named: Tensor  # 0-d, mean probability of the right name
    own: Tensor  # 0-d, mean of m*/(m* + m')
    answered: Tensor  # 0-d, mean probability of the right answer
    loss: Tensor  # 0-d, of the answers


class Watch(NamedTuple):
    """What is drawn."""

    words: Tensor  # (3,) G of the two target words and of the common word
    margins: Tensor  # (4,) yF of each type of sentence
    paris: Tensor  # (4,) m(a | s₁, r) of a = r₁(s₁) and r₀(s₁), by the first name, then by the second
    right: Tensor  # (3,) named, own, answered
    loss: Tensor  # (1,)
    detected: Tensor  # (1,) above 0 once sentences are told apart
    recalled: Tensor  # (1,) above 0 once names are


class Read(NamedTuple):
    """What it comes to; each 0-d, steps are ∞ for what never came."""

    tie_loss: Tensor  # of the answers, after stage 1
    separation: Tensor  # of the two kinds of sentences by the perturbation: F of the one less F of the other
    growth: Tensor  # logarithm of the factor by which a step multiplies it near the tie
    predicted_escape: Tensor
    measured_escape: Tensor
    detects: Tensor
    recalls: Tensor
    lag: Tensor  # recalls − detects; 0 where either never comes
    first: Tensor  # the earlier of the two
    waited: Tensor  # the earlier over the later
    named: Tensor
    exchanged: Tensor  # 1 where names and sentences are told apart the wrong way round
    own: Tensor
    answered: Tensor
    agree: Tensor  # 4 (named − ½)(own − ½): above 0 where the names' meanings are those the detector has for them
    loss: Tensor


def reading_together() -> Program:
    """Stage 1 from answers alone and both names alike; then ξ is added to the detector's word outputs."""

    def start(p: Any) -> State:
        one, zero = torch.ones((), dtype=torch.float64), torch.zeros((), dtype=torch.float64)
        return State(Reader(orbit.start(KAPPA, one), reading.start(p.seed)), zero, *([zero - 1] * 3))

    def perturb(s: State, p: Any) -> State:
        blocks = s.reader.detector.blocks
        pushed = blocks._replace(output=blocks.output + _push(p))
        zero = torch.zeros_like(s.step)
        reader = s.reader._replace(detector=s.reader.detector._replace(blocks=pushed))
        return State(reader, zero, *([zero - 1] * 3))

    stages = (
        Stage("stage 1", lambda s, p: s, lambda s, p: _advance(s, p, hints=0.0), "tie_steps"),
        Stage("stage 2", perturb, lambda s, p: _advance(s, p, hints=1.0), "steps"),
    )
    return Program(Settings, DOMAINS, start, stages, _watch, _report)


def teaching(p: Any, hints: float = 1.0) -> Teaching:
    """The losses' weights; without hints only answers count."""
    return Teaching(p.temperature, p.multiplicity, hints * p.labels, hints * p.statements)


def seen(reader: Reader, told: Teaching) -> Seen:
    """What both say."""
    outputs = orbit.outputs(reader.detector, SIZES)
    memory = reading.over_wordings(torch.exp(reading.recalled(reader.features, told)), told)
    by_name = memory[torch.arange(SUBJECTS)[:, None], :, RIGHT]  # (3, 2 asked, 2 named)
    own = by_name.diagonal(dim1=1, dim2=2)
    right = reading.answered(outputs, memory)
    return Seen(
        outputs=outputs,
        memory=memory,
        named=(SHARES * torch.sigmoid(SIGNS * outputs)).sum(),
        own=(own / by_name.sum(2)).mean(),
        answered=(SHARES * right.mean(1)).sum(),
        loss=-(SHARES * torch.log(right).mean(1)).sum(),
    )


def separation(outputs: Tensor) -> Tensor:
    """Mean F of the sentences with both words less that of the others, 0-d; each kind is half of all."""
    return 2 * (SHARES * SIGNS * outputs).sum()


def growth(features: Tensor, p: Any) -> Tensor:
    """ρ at the tie, 0-d: sentences' and names' separation grow by 1 + ρ in a step, together.

    There −L = const + ΔF ε/4 to second order. ΔF is the separation of the sentences, ε = mean over subjects and
    wordings of (δf_{r₁(s)} − δf_{r₀(s)})/2T that of the names, whose features differ from their mean by ±d, so that
    δf_y = (2/m) Σ_k h_{y,k} d_{y,k}. Descent gives ΔF′ = η_F |∇ΔF|² ε/4 and ε′ = η m |∇_d ε|² ΔF/8.
    """
    h = features[:SUBJECTS, None] + features[None, SUBJECTS : SUBJECTS + WORDINGS]  # (3, 4, 3, m)
    first, second = (
        h[torch.arange(SUBJECTS), :, right] for right in RIGHT.unbind(1)
    )  # (3, 4, m), by subject
    by_answer = (
        first - second[torch.argsort(RIGHT[:, 1])]
    )  # h of the subject with this answer in r₁, less that in r₀
    exists = torch.arange(WORDINGS, dtype=torch.float64) < p.multiplicity
    size = torch.where(exists[:, None], by_answer**2, 0.0).sum()
    of_names = size / (NEURONS * SUBJECTS * p.temperature * p.multiplicity) ** 2
    return torch.sqrt(p.rate_detector * OF_WORDS / 4 * p.rate_memory * NEURONS * of_names / 8)


def _of_words() -> Tensor:
    """|∇ΔF|² over the detector's weights at the start: N + ‖a‖²κ times the squared difference of mean word counts."""
    half = SIZES.counts.sum() / 2
    held = (SIGNS * SIZES.counts) @ HOLDS / half
    irrelevant = (SIZES.counts * (SIZES.length - HOLDS.sum(1))).sum() / half**2
    return (1 + SIZES.layer * KAPPA) * (held.square().sum() + irrelevant)


OF_WORDS = _of_words()


def _push(p: Any) -> Tensor:
    """ξ on the outputs of μ₁, μ₂ and μ₃, (7,)."""
    return torch.nn.functional.pad(ball(p.seed, 3, p.perturbation_radius), (0, 4))


def _advance(s: State, p: Any, hints: float) -> tuple[State, Tensor]:
    rates = torch.stack([p.rate_detector, p.rate_memory])
    told = teaching(p, hints)
    reader, step = reading.descend(s.reader, SIZES, told, rates), s.step + 1
    now = seen(reader, told)
    after = State(
        reader,
        step,
        left=_since(s.left, step, separation(now.outputs).abs() >= APART),
        detects=_since(s.detects, step, _apart(now.named) > 0),
        recalls=_since(s.recalls, step, _apart(now.own) > 0),
    )
    return after, now.loss < 0


def _apart(share: Tensor) -> Tensor:
    """How far a share is beyond TOLD, or below 1 − TOLD."""
    return (share - 0.5).abs() - (TOLD - 0.5)


def _since(before: Tensor, step: Tensor, happens: Tensor) -> Tensor:
    """The step at which something first happens: ``before`` if that is not −1, else ``step`` if it happens now."""
    return torch.where((before < 0) & happens, step, before)


def _watch(s: State, p: Any) -> Watch:
    now = seen(s.reader, teaching(p))
    return Watch(
        words=s.reader.detector.blocks.output[:3],
        margins=SIGNS * now.outputs,
        paris=now.memory[0][:, RIGHT[0]].reshape(-1),
        right=torch.stack([now.named, now.own, now.answered]),
        loss=now.loss.reshape(1),
        detected=_apart(now.named).reshape(1),
        recalled=_apart(now.own).reshape(1),
    )


def _report(ends: tuple[State, ...], p: Any) -> Read:
    tie, end = ends
    told = teaching(p)
    before, now = seen(tie.reader, told), seen(end.reader, told)
    by_push = separation(HOLDS @ _push(p)[:3])
    rate = torch.log1p(growth(tie.reader.features, p))
    far = torch.clamp(APART / torch.clamp(by_push.abs(), min=1e-300), min=1.0)
    detects, recalls, left = (torch.where(x < 0, math.inf, x) for x in (end.detects, end.recalls, end.left))
    both = (end.detects >= 0) & (end.recalls >= 0)
    return Read(
        tie_loss=before.loss,
        separation=by_push.abs(),
        growth=rate,
        predicted_escape=torch.where(by_push == 0, math.inf, torch.acosh(far) / rate),
        measured_escape=left,
        detects=detects,
        recalls=recalls,
        lag=torch.where(both, end.recalls - end.detects, 0.0),
        first=torch.minimum(detects, recalls),
        waited=torch.where(
            both, torch.minimum(end.detects, end.recalls) / torch.maximum(end.detects, end.recalls), 0.0
        ),
        named=now.named,
        exchanged=((now.named < 0.5) & (now.own < 0.5)).to(torch.float64),
        own=now.own,
        answered=now.answered,
        agree=4 * (now.named - 0.5) * (now.own - 0.5),
        loss=now.loss,
    )
