"""Every figure: its states, lights, table, sentence and caption say the same thing.

Each is looked at where it starts, at every control's ends, where every card leads, and at random. Numbers and words
are the page's own, from its JavaScript; ``tests/browser/test_statements.py`` puts them beside the command line's.
"""

from __future__ import annotations

import functools
import importlib
import math
import random
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest
import torch

from book.ledger.statement import Statement
from lib.program import attributes
from tests.book.ledger.test_statements import NAMED, NUMBER
from tests.book.ledger.test_statements import _among as among
from tests.figures import (
    cards,
    defaults,
    differing,
    drawn,
    ends,
    few,
    figure_named,
    limits_of,
    makers,
    shortened,
)
from tests.widgets.program import called, in_the_page
from widgets import Live
from widgets.figure.validate_program import entries, validate_program
from widgets.figure.verdict import names
from widgets.words import PLACES, QUOTES, clauses, without_emphasis

RANDOM = 12
UNTRAINED = re.compile(
    r"\b(0|no|not a single) (steps?|epochs?)\b|\bno(t|thing) (\w+ ){0,2}(yet|trained)\b|untrained|before training"
)
"""What a caption says of a run in which nothing was done."""
ONE_OF_MANY = re.compile(
    r"(?<![\d.,])1 (\w+ )?"
    r"(steps|epochs|prompts|phrases|facts|samples|examples|relations|subjects|words|tokens)\b"
)
STATES = (0.0, 0.5, 1.0)
QUOTED = re.compile("|".join(form.replace("{}", ".*") for form in QUOTES.values()))
"""A hypothesis or bound that has no plain words."""
RECIPES = {"loops", "loops.descent"}
"""The only figures that are of no statement."""


class Claimed(NamedTuple):
    """What the page says of a statement."""

    sheet: dict[str, Any]
    numbers: dict[str, list[float]]
    """By the keys of ``Judge.judge``."""
    key: str
    states: dict[str, str]
    tone: str
    sentence: str


class Place(NamedTuple):
    """What the page says at some settings."""

    values: dict[str, float]
    report: dict[str, list[float]]
    claims: list[Claimed]
    said: int
    """Which of the caption's texts."""
    text: str
    defects: list[str]


def places(name: str) -> Iterator[dict[str, float]]:
    """The settings to look at; those at random, and the other controls' at an end, take but a few steps."""
    demo, chance = figure_named(name), random.Random(name)
    yield defaults(demo)
    yield from cards(demo)
    yield from ends(demo)
    yield from (shortened(demo, drawn(demo, chance), few(demo)) for _ in range(RANDOM))


@functools.cache
def seen(name: str) -> list[Place]:
    """What the page says at each of the settings."""
    demo = figure_named(name)
    configurations = list(places(name))
    settings = [values for i, values in enumerate(configurations) if values not in configurations[:i]]
    reports = [
        {name: [value] for name, value in values.items()} | report_of(demo, numbers)
        for values, (_, numbers) in zip(settings, in_the_page(demo.figure, settings), strict=True)
    ]
    caption = demo.figure.spec["caption"]
    spoken = called("view/captions", "captionOf", *((caption, report) for report in reports))
    return [
        Place(
            values,
            report,
            claims,
            spoken[i]["place"],
            spoken[i]["text"],
            spoken[i]["defects"],
        )
        for i, (values, report, claims) in enumerate(
            zip(settings, reports, _claimed(demo, reports), strict=True)
        )
    ]


def report_of(demo: Live, numbers: torch.Tensor) -> dict[str, list[float]]:
    """The fields of the report, which are the last of a run's numbers."""
    (kernel,) = (kernel for kernel in demo.figure.kernels if kernel["name"] == "report")
    sizes = [math.prod(shape) for shape in kernel["outputs"]]
    pieces = numbers[len(numbers) - sum(sizes) :].split(sizes)
    return {field: piece.tolist() for field, piece in zip(demo.figure.spec["report"], pieces, strict=True)}


def _claimed(demo: Live, reports: list[dict[str, list[float]]]) -> list[list[Claimed]]:
    """What the page says of each statement, run by run: the numbers go through its own functions."""
    sheets = demo.figure.spec["statements"]
    verdicts = [
        (sheet, {key: report[field] for key, field in names(place).items()})
        for report in reports
        for place, sheet in enumerate(sheets)
    ]
    keys = called("run/verdict", "outcome", *((numbers, sheet["outcomes"]) for sheet, numbers in verdicts))
    states = called(
        "run/verdict",
        "statesOf",
        *((numbers, key) for (_, numbers), key in zip(verdicts, keys, strict=True)),
    )
    tones = called(
        "run/verdict",
        "tone",
        *(
            (key, sheet["exists"], any(light not in (0, 1) for light in numbers["lights"]))
            for (sheet, numbers), key in zip(verdicts, keys, strict=True)
        ),
    )
    deciders = called("run/verdict", "deciders", *((numbers,) for _, numbers in verdicts))
    sentences = called(
        "run/verdict",
        "worded",
        *(
            (said_of(sheet, key, decided), {"from": words_of(sheet, decided)})
            for (sheet, _), key, decided in zip(verdicts, keys, deciders, strict=True)
        ),
    )
    records = [report for report in reports for _ in sheets]
    said = called("view/captions", "quoteOnRun", *zip(sentences, records, strict=True))
    claims = [
        Claimed(*verdict, key, state, tone, without_emphasis(one))
        for verdict, key, state, tone, one in zip(verdicts, keys, states, tones, said, strict=True)
    ]
    return [claims[i * len(sheets) : (i + 1) * len(sheets)] for i in range(len(reports))]


def said_of(sheet: dict[str, Any], key: str, decided: dict[str, int]) -> str:
    """What widgets/src/view/statement.js says of a run: where a hypothesis fails, nobody is told to wait."""
    waits = key == "undecided" and decided["hypothesis"] >= 0
    sentence: str = sheet["unpromised"] if waits else sheet["sentences"][key]
    return sentence


def words_of(sheet: dict[str, Any], decided: dict[str, int]) -> dict[str, str]:
    """The words of what decided, as widgets/src/view/statement.js puts them into the sentence."""
    return {item: words[decided[item]] for item, words in sheet["failures"].items() if decided[item] >= 0}


def problems(name: str, look: Callable[[Place, Claimed], Iterator[str]]) -> list[str]:
    """What is wrong with a figure's statements, place by place."""
    return [
        f"{claim.sheet['id']} at {told(name, place)}: {complaint}"
        for place in seen(name)
        for claim in place.claims
        for complaint in look(place, claim)
    ]


def told(name: str, place: Place) -> str:
    """The settings as the page's address has them."""
    moved = differing(figure_named(name), place.values)
    return ",".join(f"{key}={value:g}" for key, value in moved.items()) or "defaults"


def holds(low: float, measured: float, high: float, strict: bool) -> bool:
    """Whether a number lies where it must; NaN lies nowhere, but may stand where nothing is asked for."""
    if low == -math.inf and high == math.inf:
        return True
    return low < measured < high if strict else low <= measured <= high


@pytest.mark.parametrize("name", makers())
def test_a_figure_has_statements_with_words_for_all_that_they_judge(name):
    spec = figure_named(name).figure.spec
    assert spec["statements"] or name in RECIPES
    for sheet in spec["statements"]:
        assert sheet["good"], f"{sheet['id']} has no outcome"
        assert sheet["ground"] == statement_of(sheet).ground
        assert sheet["bounds"]
        assert all(sheet["sentences"].values())
        for items in (sheet["assumes"], sheet["settled"], [bound["name"] for bound in sheet["bounds"]]):
            assert all(items)
            assert len(set(items)) == len(items), f"{sheet['id']}: {items}"


@pytest.mark.parametrize("name", makers())
def test_what_can_decide_a_verdict_has_plain_words(name):
    for claim in seen(name)[0].claims:
        failures, intervals = claim.sheet["failures"], claim.sheet["intervals"]
        bounds = zip(failures["bound"], claim.numbers["interval"], strict=True)
        deciding = [clause for clause, wording in bounds if intervals[round(wording)] != ""]
        said = [*failures["hypothesis"], *deciding, *failures["condition"]]
        assert [clause for clause in said if QUOTED.fullmatch(clause)] == [], claim.sheet["id"]


@pytest.mark.parametrize("name", makers())
def test_states_say_what_lights_and_bounds_say(name):
    assert problems(name, disagreements) == []


def disagreements(place: Place, claim: Claimed) -> Iterator[str]:
    """Between lights, bounds and conditions on one side and states and verdict on the other."""
    numbers = claim.numbers
    violated, waiting = 0.0 in numbers["lights"], any(value <= 0.5 for value in numbers["settled"])
    rows = zip(numbers["low"], numbers["measured"], numbers["high"], claim.sheet["bounds"], strict=True)
    bounds = [holds(low, measured, high, bound["strict"]) for low, measured, high, bound in rows]
    concluded = "undecided" if waiting else "holds" if all(bounds) else "fails"
    known = {
        ("holds", "holds"): "holds",
        ("holds", "fails"): "contradicted",
        ("broken", "fails"): "outside",
        ("broken", "holds"): "beyond",
    }
    assumed = "broken" if violated else "holds"
    expected = known.get((assumed, concluded), "undecided")
    outcome = "none" if waiting else "good" if numbers["good"][0] == 1 else "poor"
    if not {*numbers["lights"], *numbers["settled"], *numbers["holds"]} <= set(STATES):
        yield f"lights {numbers['lights']}, conditions {numbers['settled']}: must be 0, 1 or one half"
    if [value > 0.5 for value in numbers["holds"]] != bounds:
        yield f"bounds {numbers['holds']}: must be {bounds}"
    if claim.states != {"assumed": assumed, "concluded": concluded, "good": outcome}:
        yield f"states {claim.states}: must be {assumed}, {concluded}, {outcome}"
    if (claim.tone == "good") != (expected == "holds" and set(numbers["lights"]) <= {1.0}):
        yield f"tone {claim.tone!r}: must be green where what is tested holds, and nowhere else"
    if claim.key != expected:
        yield f"{claim.key}: must be {expected}"


@pytest.mark.parametrize("name", makers())
def test_the_sentence_names_what_decided(name):
    assert problems(name, unnamed) == []


DECIDES = {
    "contradicted": ("bound",),
    "outside": ("hypothesis", "bound"),
    "beyond": ("hypothesis",),
    "undecided": ("condition",),
}


def unnamed(place: Place, claim: Claimed) -> Iterator[str]:
    """The first hypothesis broken, bound that fails and condition not reached, if the sentence leaves them out.

    A sentence written by hand may have words of its own where there is but one such item, or where it names one of
    two that decided. A bound that is only recorded can't fail.
    """
    numbers, sheet = claim.numbers, claim.sheet
    decided = {"hypothesis": numbers["lights"], "bound": numbers["holds"], "condition": numbers["settled"]}
    items = {
        item: [words for words, value in zip(sheet["failures"][item], values, strict=True) if not value]
        for item, values in decided.items()
    }
    if re.search(r"[{}]|undefined", claim.sentence) or not claim.sentence.strip():
        yield f"{claim.sentence!r} has holes"
    if clauses(sheet["id"], sheet["page"], "says") and "—" in claim.sentence:
        yield f"{claim.sentence!r} quotes a number that is none"
    template = sheet["sentences"][claim.key]
    for item in DECIDES.get(claim.key, ()):
        if f"{{{item}}}" in template and PLACES.split(items[item][0])[0] not in claim.sentence:
            yield f"{claim.sentence!r} does not name {items[item][0]!r}"
    if claim.key in DECIDES and not any(f"{{{item}}}" in template for item in DECIDES[claim.key]):
        recorded = sum(
            low == -math.inf and high == math.inf
            for low, high in zip(numbers["low"], numbers["high"], strict=True)
        )
        count = {item: len(of) for item, of in sheet["failures"].items()}
        count["bound"] -= recorded
        several = [item for item in DECIDES[claim.key] if count[item] > 1]
        if several:
            yield f"{template!r} names no {' and no '.join(several)}"


@pytest.mark.parametrize("name", makers())
def test_no_number_of_a_statement_is_missing(name):
    assert problems(name, missing) == []


ABSENT = {
    "acquire.remark-4": ("accuracy on the fine-tuned facts",),
    "recall.assumption-1": ("pairs of examples that several relations share", "best accuracy of naming r*"),
    "recall.assumption-2": ("mismatched prompts, counted where that can be",),
    "recall.lemma-1": ("lead",),
    "recall.sharp-thresholds": ("a, attention on the lesser pair",),
    "recall.theorem-2": ("a, attention on the lesser pair",),
    "together.answers-alone": ("steps until the sentences are apart",),
    "together.other-rules": ("steps until the saddle is left",),
    "together.relaxed-limit": (
        "Theorem 3.3, item 1: power of the steps in the training loss",
        "Theorem 3.3, item 1: power in the loss on unseen words",
        "Theorem 3.3, item 1: growth of recombined sentences’ worst margin",
    ),
    "recognise.attention-share": ("share of attention in the margin, in size",),
    "recognise.condition-1": ("Theorem 3.2, item 4, the three sums have their signs from τ",),
    "recognise.figure-1-a": ("descent and flow: difference of G, over its size",),
    "recognise.figure-1-b": ("descent and flow: difference of G, over its size",),
    "recognise.theorem-3-2": ("item 4, the three sums have their signs from τ",),
    "recognise.theorem-3-3-attention": (
        "least of C₁₂, C₂₁, −C₃₁, −C₃₂ over κ log² τ/(√m L N₀)",
        "largest of them",
        "n times the largest with an irrelevant word, over C₁₂",
    ),
}
"""The numbers in bounds that some settings have not: no minimum, no such event, nothing to divide by."""


def missing(place: Place, claim: Claimed) -> Iterator[str]:
    """Numbers that are none: a reader would see a dash that decides.

    Some :data:`ABSENT` numbers may be, where it is too early to say, where nothing is asked of them, and where a
    hypothesis is broken without which there is no such number; the outcome's, where it is too early to say.
    """
    numbers = claim.numbers
    for key in ("lights", "settled", "holds", "good", "good_measured"):
        if any(map(math.isnan, numbers[key])) and not (key.startswith("good") and claim.key == "undecided"):
            yield f"{key} {numbers[key]}: one is none"
    for i, bound in enumerate(claim.sheet["bounds"]):
        low, measured, high = (numbers[key][i] for key in ("low", "measured", "high"))
        must_be_a_number = not (low == -math.inf and high == math.inf) and claim.key not in (
            "undecided",
            "outside",
        )
        known = bound["name"] in ABSENT.get(claim.sheet["id"], ())
        if any(map(math.isnan, (low, measured, high))) and (must_be_a_number or not known):
            yield f"{bound['name']!r}: {measured} must lie in {low} … {high}, {claim.key}"


@pytest.mark.parametrize("name", makers())
def test_a_caption_takes_its_decimals_from_the_run_or_from_a_bound(name):
    usual = seen(name)[0]
    ends = [end for claim in usual.claims for key in ("low", "high") for end in claim.numbers[key]]
    limits = [end for end in ends if math.isfinite(end)]
    for said in figure_named(name).figure.spec["caption"]:
        for number in NUMBER.findall(NAMED.sub("", said)):
            assert among(number, limits), said


@pytest.mark.parametrize("name", makers())
def test_the_caption_speaks_of_this_run(name):
    assert [
        f"{told(name, place)}: {complaint}" for place in seen(name) for complaint in untrue(name, place)
    ] == []


NEVER = {"signs"}
"""The moments that some runs do not reach: a text that asks whether they came in time has its answer."""


def untrue(name: str, place: Place) -> Iterator[str]:
    """What is wrong with a caption: a number that is none, or a text that the verdict denies."""
    if place.defects:
        yield f"no number for {', '.join(place.defects)} in {place.text!r}"
    if re.search(r"[{}]|undefined|NaN", place.text) or not place.text.strip():
        yield f"{place.text!r} has holes"
    if ONE_OF_MANY.search(place.text):
        yield f"{place.text!r} speaks of one thing as of many"
    demo = figure_named(name)
    values = [place.values[parameter["name"]] for parameter in demo.figure.spec["parameters"]]
    report = attributes({field: torch.tensor(numbers).squeeze() for field, numbers in place.report.items()})
    for case in range(place.said + 1):
        for field in read_by(demo, case, report, values):
            if field in place.report and math.isnan(place.report[field][0]) and field not in NEVER:
                yield f"{field!r}, which a text asks for, is none"
    fields_read = read_by(demo, place.said, report, values)
    for i, claim in enumerate(place.claims):
        if names(i)["concluded"] in fields_read and claim.states["concluded"] == "undecided":
            yield f"{place.text!r}, though it is too early to say"


def read_by(demo: Live, case: int, report: Any, values: list[float]) -> set[str]:
    """The fields of the report that a case of the caption reads."""
    condition = demo.view.caption[case].condition
    if condition is None:
        return set()
    parameters = demo.figure.program.parameters(*map(torch.tensor, values))
    types, fields_read = _types(demo), set()

    class Reader:
        def __getattr__(self, field: str) -> Any:
            fields_read.add(field)
            return getattr(report, field).to(types[field])

    condition(Reader(), parameters)
    return fields_read


@functools.cache
def _types(demo: Live) -> dict[str, torch.dtype]:
    """The type of each field of the report."""
    _, report = validate_program(demo.figure.program, defaults(demo))
    return {field: leaf.dtype for field, leaf in entries(report)}


@pytest.mark.parametrize("name", makers())
def test_a_caption_without_numbers_is_not_said_of_a_success_and_of_a_failure(name):
    states: dict[int, list[set[str]]] = {}
    for place in seen(name):
        by_claim = states.setdefault(place.said, [set() for _ in place.claims])
        for i, claim in enumerate(place.claims):
            by_claim[i].add(claim.states["concluded"])
    texts = figure_named(name).figure.spec["caption"]
    fitting_both = [
        texts[i]
        for i, by_claim in states.items()
        if by_claim and all({"holds", "fails"} <= seen_states for seen_states in by_claim)
    ]
    assert [text for text in fitting_both if "{" not in text] == []


@pytest.mark.parametrize("name", makers())
def test_the_caption_of_a_run_without_steps_is_not_that_of_one_with_steps(name):
    demo = figure_named(name)
    usual, *others = seen(name)
    texts = demo.figure.spec["caption"]
    without = [
        place
        for place in others
        for limit in limits_of(demo) & set(demo.controls)
        if differing(demo, place.values) == {limit: 0}
    ]
    assert [
        f"{told(name, place)}: {place.text}"
        for place in without
        if place.said == usual.said
        and not UNTRAINED.search(place.text)
        and not (place.text == usual.text and "{" in texts[place.said])  # it speaks of another stage
    ] == []


def statement_of(sheet: dict[str, Any]) -> Statement:
    """Where "copy as Python" says that it is."""
    statement: Statement = getattr(importlib.import_module(sheet["module"]), sheet["name_in_code"])
    assert statement.id == sheet["id"]
    return statement
