"""A statement beside its program: its own torch code judges the run, in the page too."""

import pytest
import torch

from book.ledger.bounds import INTERVALS, Bound
from lib.program import record, run, run_many
from tests.widgets import showcase
from tests.widgets.program import called, in_the_page
from tests.widgets.showcase import CLAIM, LEMMA, Toy
from widgets import controls, live
from widgets.figure.agreement import CLOSE, distance
from widgets.figure.compiled import flatten
from widgets.figure.verdict import OUTCOMES, judged, names

DEFAULTS = {"rate": 0.5, "start": 1.0, "steps": 60.0, "flip": 0.0, "unit": 1.0}
COMES_TO: dict[str, dict[str, float]] = {
    "holds": {},
    "outside": {"rate": 2.5},
    "beyond": {"rate": 2.5, "start": 0.0},
    "undecided": {"steps": 2},
}


@pytest.fixture(scope="module")
def figure():
    return showcase.descends().figure


def key(report, suffix=""):
    """Which sentence a report comes to."""
    verdict = {"outcome": [float(getattr(report, f"judged_outcome{suffix}"))]}
    (outcome,) = called("run/verdict", "outcome", (verdict, list(OUTCOMES)))
    return outcome


@pytest.mark.parametrize("expected", COMES_TO)
def test_a_run_comes_to_what_the_statement_says_of_it(expected):
    report = run(judged(showcase.descent(), [LEMMA]), **COMES_TO[expected]).report
    assert key(report) == expected


def test_a_second_statement_has_fields_of_its_own():
    report = run(judged(showcase.descent(), [LEMMA, CLAIM])).report
    assert (key(report), key(report, "_2")) == ("holds", "contradicted")
    assert float(report.judged_good) == 1
    assert torch.isnan(report.judged_good_2)
    assert set(names(1).values()) <= set(report._fields)


def test_the_programs_own_fields_stay():
    alone, report = run(showcase.descent()).report, run(judged(showcase.descent(), [LEMMA])).report
    assert all(torch.equal(getattr(alone, name), getattr(report, name)) for name in alone._fields)
    assert report.judged_lights.dtype == torch.float64


def test_many_runs_are_judged_side_by_side():
    report = run_many(judged(showcase.descent(), [LEMMA]), list(COMES_TO.values()))
    assert report.assumed.tolist() == [1, 0, 0, 1]
    assert report.judged_holds.shape == (4, 3)


def test_the_page_judges_as_torch_does(figure):
    places = [{**DEFAULTS, **values} for values in COMES_TO.values()]
    for values, (_, numbers) in zip(places, in_the_page(figure, places), strict=True):
        assert distance(numbers, flatten(figure.check(list(values.values())))) < CLOSE


def test_a_field_that_statements_write_is_refused():
    def report(ends, p):
        return record("Report", [*showcase.Descent._fields, "assumed"])(*program.report(ends, p), p.rate)

    program = showcase.descent()
    with pytest.raises(ValueError, match="the program's report has a field 'assumed': statements write it"):
        live(program._replace(report=report), LEMMA)


class Mute(Toy):
    """A statement that lacks a word for its first bound, hypothesis or condition, or all failures or sentences."""

    def sheet(self, report, parameters):
        words = super().sheet(report, parameters)
        part = self.id.removeprefix("toy.")
        mute: dict[str, list[str]] = {item: [] for item in words[part]} if part == "failures" else {}
        return {**words, part: words[part][1:] if isinstance(words[part], list) else mute}


@pytest.mark.parametrize(
    ("part", "complaint"),
    [
        ("bounds", "toy.bounds: 2 bounds named: must be 3, as 'low' has"),
        ("assumes", "toy.assumes: 1 assumes named: must be 2, as 'lights' has"),
        ("settled", "toy.settled: 0 settled named: must be 1, as 'settled' has"),
        ("failures", "toy.failures: 0 failures of a hypothesis: must be 2, as it has assumes"),
        ("sentences", r"sentences = \[\]: must be beyond, contradicted, holds, outside, undecided"),
    ],
)
def test_numbers_without_words_are_refused(part, complaint):
    with pytest.raises(ValueError, match=complaint):
        live(showcase.descent(), Mute(f"toy.{part}"))


def test_a_statement_without_hypotheses_or_conditions_has_none_in_the_page():
    class Bare(Toy):
        def judge(self, report, parameters):
            return {**super().judge(report, parameters), "lights": torch.zeros(0), "settled": torch.zeros(0)}

        def sheet(self, report, parameters):
            words = super().sheet(report, parameters)
            failures = {**words["failures"], "hypothesis": [], "condition": []}
            return {**words, "assumes": [], "settled": [], "failures": failures}

    demo = live(showcase.descent(), Bare("toy.bare"), name="bare")
    ((_, numbers),) = in_the_page(demo.figure, [DEFAULTS])
    assert distance(numbers, flatten(demo.figure.check(list(DEFAULTS.values())))) < CLOSE


def test_a_statement_needs_no_panels_and_alone_gives_code_to_copy():
    bare, said = live(showcase.descent()).figure.spec, live(showcase.descent(), LEMMA).figure.spec
    assert (bare["panels"], said["panels"]) == ([], [])
    assert [statement["id"] for statement in said["statements"]] == [LEMMA.id]
    assert (bare["code"], "lemma_1({arguments})" in said["code"]) == ("", True)


def test_without_panels_every_curve_of_the_program_itself_is_drawn():
    def curves(height):
        x = torch.linspace(0, 1, 5, dtype=torch.float64)
        return {"x": x, "y": height * x, **dict.fromkeys(showcase.Descent._fields, height)}

    class Records(Toy):
        def judge(self, report, parameters):
            descent = showcase.Descent(*(report[name] for name in showcase.Descent._fields))
            return super().judge(descent, parameters)

    demo = live(curves, Records("toy.curves"), height=controls.whole(1, 0, 2, "height"))
    chart = demo.figure.spec["scene"]["main"]
    assert [line["y"] for line in chart["series"]] == ["y"]


# What the numbers come to in words ---------------------------------------------------------------------------------


def bound(low, measured, high, *, holds, strict=False):
    numbers = {"low": low, "measured": measured, "high": high, "holds": holds}
    wording = INTERVALS[int(Bound("x", measured, low, high, strict).interval)]
    (texts,) = called("run/verdict", "bound", (numbers, wording))
    return texts["must"].replace("\u00a0", " "), texts["is"]


INF = float("inf")


@pytest.mark.parametrize(
    ("numbers", "strict", "holds", "texts"),
    [
        ((-INF, 0.5, 0.693147), False, True, ("≤ 0.6931", "0.5")),
        ((-INF, 0.5, 1), True, True, ("< 1", "0.5")),
        ((2, 2.5, INF), False, True, ("≥ 2", "2.5")),
        ((2, 2.5, INF), True, True, ("> 2", "2.5")),
        ((0.31, 0.32, 0.35), False, True, ("0.31 … 0.35", "0.32")),
        ((3, 3, 3), False, True, ("= 3", "3")),
        ((1 - 1e-9, 1, 1 + 1e-9), False, True, ("1 ± 1e−9", "1")),
        ((-INF, 7, INF), False, True, ("", "7")),
        ((-INF, 0.69314719, 0.69314718), False, False, ("≤ 0.69314718", "0.69314719")),
        ((-INF, 1, 1), True, False, ("< 1", "1")),
        ((1 - 1e-9, 1 + 2e-9, 1 + 1e-9), False, False, ("1 ± 1e−9", "1.000000002")),
    ],
)
def test_a_bound_is_written_as_a_reader_reads_it(numbers, strict, holds, texts):
    assert bound(*numbers, strict=strict, holds=holds) == texts


def test_red_is_kept_for_a_contradiction():
    calls = [
        (outcome, exists) for exists in (False, True) for outcome in ("holds", "contradicted", "outside")
    ]
    assert called("run/verdict", "tone", *calls) == ["good", "bad", "warn", "good", "warn", "warn"]
