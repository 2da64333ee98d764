"""Figures for tests that need no chapter: one with every kind of panel, one with two statements about its run.

Each number is easy to work out by hand.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch
from torch import Tensor

from lib.domain import Domain
from lib.program import Program, Stage, record
from widgets import Live, controls, live
from widgets.figure.panels import (
    Area,
    Bar,
    BarChart,
    CaptionCase,
    Corner,
    Curve,
    CurveChart,
    HeatMap,
    Level,
    Line,
    Mark,
    Pick,
    Points,
    Row,
    Simplex,
    StoryCard,
    Tiles,
    TimeChart,
    simplex_grid,
)
from widgets.figure.verdict import OUTCOMES

SIDE = 12
WORDS = ("Paris", "Rome", "Madrid", "Berlin")
MANY = 40


class Report(NamedTuple):
    """What the figure shows."""

    sizes: Tensor
    border: Tensor
    floor: Tensor
    ceiling: Tensor
    broken: Tensor
    now_n: Tensor
    now_heat: Tensor
    spread_low: Tensor
    spread_high: Tensor
    masses: Tensor
    half: Tensor
    grid: Tensor
    longest: Tensor
    other: Tensor
    many: Tensor
    table: Tensor
    framed: Tensor
    glow: Tensor
    below: Tensor


def outcome(n: Tensor, heat: Tensor, total: Tensor, share: Tensor, words: Tensor) -> Report:
    """A border T = 1/n between two regions, a point in a triangle, bars of as many words as are chosen."""
    sizes = torch.logspace(0.5, 6, 23, dtype=torch.float64)
    border = 1 / sizes
    there = torch.arange(len(WORDS)) < words
    bars = torch.arange(1, len(WORDS) + 1, dtype=torch.float64) * heat
    masses = torch.stack([total * share, total * (1 - share), 1 - total])
    many = torch.arange(MANY, dtype=torch.float64)
    table = heat * torch.arange(12, dtype=torch.float64).reshape(3, 4)
    return Report(
        sizes=sizes,
        border=border,
        floor=torch.full_like(sizes, 1e-7),
        ceiling=torch.full_like(sizes, 10.0),
        broken=torch.where((sizes > 100) & (sizes < 2000), torch.nan, 3 * border),
        now_n=n,
        now_heat=heat,
        spread_low=heat / 2,
        spread_high=heat * 2,
        masses=masses,
        half=torch.tensor([0.5, 0.5, 0.0], dtype=torch.float64),
        grid=(simplex_grid(SIDE) - masses).square().sum(1),
        longest=torch.where(there, bars, torch.nan),
        other=torch.where(there, bars / 2, torch.nan),
        many=torch.exp(-heat * many) + torch.where(many > 30, torch.nan, 0.0),
        table=torch.where(table == 0, torch.nan, table),
        framed=(torch.arange(12) == words).to(torch.float64),
        glow=torch.stack([total, share, torch.full_like(total, torch.nan), masses[2]]),
        below=(heat < 1 / n).to(torch.float64),
    )


PANELS = (
    CurveChart(
        "Two regions",
        x="number of words n",
        y="temperature T",
        x_scale="log",
        y_scale="log",
        x_domain=(3, 1e6),
        domain=(1e-6, 2),
        areas=(
            Area("sizes", "floor", "border", "cold", "first"),
            Area("sizes", "border", "ceiling", "hot", "second"),
        ),
        series=(
            Curve("sizes", "border", "1/n", "predicted"),
            Curve("sizes", "broken", "", "confusing", "5 3"),
        ),
        points=(
            Points("now_n", "now_heat", "here", "run", "ring", "spread_low", "spread_high"),
            Points("sizes", "broken", "measured", "confusing", "cross"),
        ),
        levels=(Level(1.0, "T = 1"),),
        pick=Pick("n", "heat"),
    ),
    Simplex(
        "Where attention goes",
        "total",
        "share",
        (Corner("first pair", "first"), Corner("second pair", "second"), Corner("rest", "eos")),
        marks=(Mark("half", "saddle"),),
        field="grid",
    ),
    BarChart(
        "Scores",
        WORDS,
        (Bar("longest", "now", "relation"), Bar("other", "before", "eos")),
        x="score",
        levels=(Level("now_heat", "T"),),
    ),
    BarChart(
        "Many", tuple(f"w{i}" for i in range(MANY)), (Bar("many", "", "query"),), domain=(0, 1), x="word"
    ),
    HeatMap(
        "Table of scores",
        "table",
        ("Paris", "Rome", "Madrid"),
        ("France", "Italy", "Spain", "Germany"),
        x="answer",
        y="subject",
        numbers=True,
        emphasis="framed",
    ),
    Tiles(
        "Terms",
        ("true", "confusing"),
        ("first", "second"),
        (("v₁v₂", "v₃v₄"), ("v₁v₄", "½(v₁² + v₂²)")),
        "glow",
        "relation",
    ),
)


def figure(prefix: str = "") -> Live:
    """Every kind of panel, with a slider for each parameter."""
    return live(
        outcome,
        panels=PANELS,
        caption=(
            CaptionCase(lambda r, p: r.below > 0.5, "T = {now_heat} is cold, " + "so cold " * 30 + "."),
            CaptionCase(None, "T = {now_heat} is hot."),
        ),
        rows=(Row("region", "below", "below", words=("hot", "cold")), Row("masses", "", "masses")),
        name="showcase",
        prefix=prefix,
        n=controls.logarithmic(30, 3, 1e6, "number of words $n$"),
        heat=controls.temperature(0.5, 1e-6, 2),
        total=controls.linear(0.8, 0, 1, 0.005, "attention on the examples"),
        share=controls.linear(0.5, 0, 1, 0.005, "of it on the first"),
        words=controls.whole(4, 1, 4, "words"),
    )


SMALL = 1e-3


class Place(NamedTuple):
    """Where descent on x²/2 stands, and after how many steps."""

    x: Tensor
    taken: Tensor


class Descent(NamedTuple):
    """What came of it; ``measured`` and ``good`` are names that pages have for numbers of their own."""

    end: Tensor
    taken: Tensor
    measured: Tensor
    good: Tensor
    slow: Tensor
    apart: Tensor
    settled: Tensor
    share: Tensor


DOMAINS = (
    Domain("rate", 0, 10, default=0.5, symbol="η", words="learning rate", scale="log", track=(0.01, 3)),
    Domain(
        "start", -1, 1, default=1.0, symbol="x₀", words="start", scale="choice", track=(-1.0, 0.0, 0.5, 1.0)
    ),
    Domain("steps", 0, 400, integer=True, default=60, words="steps, at most", scale="whole", track=(0, 100)),
    Domain("flip", 0, 1, integer=True, default=0, words="turn the start round", scale="switch"),
    Domain("unit", 0, 100, default=1.0),
)


def descent() -> Program:
    """x ← x − ηx, until |x| < 10⁻³ or it has doubled."""
    parameters = record("Parameters", [domain.name for domain in DOMAINS])

    def start(p: Any) -> Place:
        return Place(torch.where(p.flip > 0, -p.start, p.start) * p.unit, torch.zeros_like(p.start))

    def step(s: Place, p: Any) -> tuple[Place, Tensor]:
        x = s.x * (1 - p.rate)
        return Place(x, s.taken + 1), (x.abs() < SMALL) | (x.abs() > 2)

    def report(ends: tuple[Place], p: Any) -> Descent:
        ((x, taken),) = ends
        one, zero = torch.ones_like(x), torch.zeros_like(x)
        return Descent(
            end=x.abs(),
            taken=torch.where(x.abs() < SMALL, taken, torch.nan),
            measured=1 - p.rate,
            good=x,
            slow=torch.where(p.rate < 2, one, zero),
            apart=torch.where(p.start == 0, one / 2, one),
            settled=torch.where((x.abs() < SMALL) | (x.abs() > 2), one, zero),
            share=taken / p.steps.clamp(min=1),
        )

    stages = (Stage("down", lambda s, p: s, step, "steps"),)
    return Program(parameters, DOMAINS, start, stages, lambda s, p: Place(s.x[None], s.taken[None]), report)


def _first(truths: Tensor) -> Tensor:
    """The place of the first number that is not above ¼, −1 if there is none."""
    true = truths > 0.25
    return torch.where(true.all(), -1.0, torch.cumprod(true.to(torch.float64), 0).sum())


class Toy(NamedTuple):
    """A statement with two hypotheses and three bounds, or one that asks too much."""

    id: str
    most: float = SMALL
    exists: bool = False
    outcome: bool = True

    def judge(self, report: Any, parameters: Any) -> dict[str, Tensor]:
        """At the end |x| is below ``most``; 1 − η is from −2 to 1; the steps taken are only told."""
        lights = torch.stack([report.slow, report.apart])
        low = torch.tensor([-math.inf, -2.0, -math.inf], dtype=torch.float64)
        high = torch.tensor([self.most, 1.0, math.inf], dtype=torch.float64)
        measured = torch.stack([report.end, report.measured, report.taken.nan_to_num(-1.0)])
        holds = ((measured > low) & (measured < high)).to(torch.float64)
        quick = torch.where(report.taken < 20, 1.0, 0.0) if self.outcome else report.end * torch.nan
        early = report.settled < 0.5
        assumed, concluded = (lights > 0.25).all(), (holds > 0.5).all()
        waiting = torch.where(early, 0.0, -1.0).to(torch.float64)
        outcome = torch.where(assumed, torch.where(concluded, 0, 1), torch.where(concluded, 3, 2))
        return {
            "lights": lights,
            "settled": report.settled[None],
            "low": low,
            "measured": measured,
            "high": high,
            "holds": holds,
            "interval": torch.tensor([3.0, 7.0, 0.0], dtype=torch.float64),
            "assumed": assumed,
            "concluded": concluded,
            "undecided": early,
            "outcome": torch.where(early, 4.0, outcome.to(torch.float64)),
            "decisive": torch.stack([_first(lights), torch.where(early, -1.0, _first(holds)), waiting]),
            "good": torch.where(early, torch.nan, quick),
            "good_measured": report.share,
        }

    def sheet(self, report: Any, parameters: Any) -> dict[str, Any]:
        """Its words."""
        name = self.id.replace("toy.", "").replace("-", " ").capitalize()
        return {
            "id": self.id,
            "name": name,
            "ground": "as printed",
            "page": "page",
            "href": f"#{self.id.replace('.', '-')}",
            "exists": self.exists,
            "choices": [],
            "mapped": dict.fromkeys(
                ("cells", "every", "some", "early"),
                f"{name} holds at {{holds}} of the {{inside}} cells that satisfy its hypotheses, and at {{beyond}} of "
                "the {outside} that do not.",
            ),
            "assumes": ["the rate η is below 2", "the start is not the minimum"],
            "settled": ["|x| is below 10⁻³, or has doubled"],
            "bounds": [
                {"name": "|x| at the end", "strict": True},
                {"name": "1 − η", "strict": True},
                {"name": "steps", "strict": False},
            ],
            "intervals": [
                "",
                "= {low}",
                "≤ {high}",
                "< {high}",
                "≥ {low}",
                "> {low}",
                "{middle} ± {half}",
                "{low} … {high}",
            ],
            "outcomes": list(OUTCOMES),
            "good": "share of the steps" if self.outcome else None,
            "ranges": {"rate": {"low": 0.1, "high": 1.9, "whole": False}, "steps": {"of": [100, 200]}},
            "failures": {
                "hypothesis": ["the rate η is 2 or above", "the start is the minimum"],
                "bound": ["|x| at the end", "1 − η", "steps"],
                "condition": ["|x| below 10⁻³, or doubled,"],
            },
            "sentences": {
                "holds": f"{name} holds here.",
                "contradicted": f"{name} is contradicted: {{bound}}.",
                "outside": f"Outside {name}: {{hypothesis}}, and {{bound}} fails.",
                "beyond": f"Beyond {name}: {{hypothesis}}, and yet it holds.",
                "undecided": f"Too early to judge {name}: {{condition}} is still to come.",
            },
            "waits": "The verdict comes at the end of the run.",
            "unpromised": f"Too early to judge {name}: {{hypothesis}}, {{condition}} to come.",
            "module": "tests.widgets.showcase",
            "holds_at": {"steps": 100},
            "name_in_code": self.id.split(".")[1].replace("-", "_"),
        }


LEMMA = Toy("toy.lemma-1")
CLAIM = Toy("toy.claim-2", most=1e-4, outcome=False)
STORY = (
    CaptionCase(lambda r, p: r.undecided, "After {share:%} of the steps |x| is still {end}."),
    CaptionCase(
        lambda r, p: r.concluded & (r.judged_good <= 0.5),
        "|x| falls below 10⁻³, but only after {taken:n} steps.",
    ),
    CaptionCase(
        lambda r, p: r.concluded, "|x| falls below 10⁻³ after {taken:n} steps, {share:%} of those allowed."
    ),
    CaptionCase(None, "|x| has grown to {end}."),
)
CARDS = (
    StoryCard("Raise the rate to 2.5.", {"rate": 2.5}, "Every step doubles the error."),
    StoryCard("Allow two steps.", {"steps": 2}, "Nothing can be said yet."),
)


def descends(prefix: str = "", **settings: Any) -> Live:
    """Descent with a statement that is true and one that is not, made from their code and the domains alone."""
    return live(
        descent(),
        LEMMA,
        CLAIM,
        panels=(TimeChart("The way down", (Line("x", 0, "x", "run"),)),),
        caption=STORY,
        rows=(Row("steps", "", "taken"),),
        story=CARDS,
        name="descent",
        prefix=prefix,
        **settings,
    )
