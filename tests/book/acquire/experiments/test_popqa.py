"""Facts with names: PopQA's table is read as it is, made-up films differ, answers are scored as SQuAD scores them."""

import json
import sys

import pytest

from book.acquire.experiments import popqa


def row(subject, answer, popularity, *spellings, prop="capital"):
    return {
        "id": 1,
        "subj": subject,
        "prop": prop,
        "obj": answer,
        "s_pop": popularity,
        "o_pop": 7,
        "question": f"What is the capital of {subject}?",
        "possible_answers": json.dumps([answer, *spellings]),
    }


TABLE = [
    row("Nepal", "Kathmandu", 900, "Kantipur"),
    row("Mali", "Bamako", 400),
    row("The Cell", "Tarsem Singh", 5, prop="director"),
    row("Peru", "Lima", 2000),
    row("Nepal", "Patan", 900),
]


def test_a_table_in_popqas_schema_becomes_facts_the_most_popular_first():
    facts = popqa.named(TABLE, "capital")
    assert [fact.subject for fact in facts] == ["Peru", "Nepal", "Mali"]
    assert facts[1] == popqa.NamedFact("Nepal", ("Kathmandu", "Kantipur"), 900.0)


def test_another_schema_or_relation_is_one_clear_sentence():
    with pytest.raises(ValueError, match=r"^relation = 'genre': must be one of director, capital$"):
        popqa.named(TABLE, "genre")
    with pytest.raises(ValueError, match=r"^rows: the table has no column prop, s_pop, as PopQA's has$"):
        popqa.named([{"subj": "Peru", "obj": "Lima", "possible_answers": "[]"}], "capital")
    with pytest.raises(ValueError, match=r"^possible_answers = 'Lima': must be a list of texts in JSON$"):
        popqa.named([{**row("Peru", "Lima", 1), "possible_answers": "Lima"}], "capital")
    with pytest.raises(ValueError, match=r"^possible_answers = \['Lima'\]: must be a list of texts in JSON$"):
        popqa.named([{**row("Peru", "Lima", 1), "possible_answers": ["Lima"]}], "capital")
    with pytest.raises(ValueError, match=r"^relation = 'director': the table has no such fact$"):
        popqa.named([row("Peru", "Lima", 1)], "director")


def test_films_are_as_many_as_wanted_and_no_two_share_title_or_director():
    films = popqa.films(500, seed=1)
    assert len({fact.subject for fact in films}) == len({fact.answers for fact in films}) == 500
    assert films == popqa.films(500, seed=1)
    assert films != popqa.films(500, seed=2)
    with pytest.raises(ValueError, match=r"^count = 577: must be from 1 to 576$"):
        popqa.films(577, seed=1)


def test_every_capital_is_told_and_asked_in_words_of_its_own():
    facts = popqa.capitals()
    assert len({fact.subject for fact in facts}) == len({fact.answers for fact in facts}) == 96
    for relation in popqa.RELATIONS.values():
        assert len({*relation.phrasings}) == 8
        for form in relation.phrasings:
            assert form.endswith("{answer}")
            assert form.format(subject="Peru", answer="Lima").startswith("Peru ")
        assert relation.question.format(subject="Peru").endswith("Peru? Answer:")


@pytest.mark.parametrize(
    ("said", "exact", "f1"),
    [
        ("Lima", 1, 1),
        ("the  LIMA.", 1, 1),
        ("Ciudad de los Reyes", 1, 1),
        ("Lima Lima", 0, 2 / 3),
        ("de la Lima", 0, 1 / 2),
        ("Quito", 0, 0),
        ("", 0, 0),
    ],
)
def test_answers_are_scored_by_their_words(said, exact, f1):
    right = ("Lima", "Ciudad de los Reyes")
    assert popqa.exact(said, right) == exact
    assert popqa.f1(said, right) == pytest.approx(f1)


def test_without_hub_or_library_the_error_says_what_to_do(monkeypatch):
    with pytest.raises(ValueError, match="relation = 'genre'"):
        popqa.from_hub("genre")
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(ModuleNotFoundError, match=r"^PopQA needs datasets; .* --editable '\.\[scale\]'$"):
        popqa.from_hub("capital")


def test_a_hub_out_of_reach_is_one_clear_sentence(monkeypatch):
    datasets = pytest.importorskip("datasets")

    def unreachable(*_asked, **_how):
        raise OSError("Name or service not known")

    monkeypatch.setattr(datasets, "load_dataset", unreachable)
    with pytest.raises(
        ConnectionError, match=r"^akariasai/PopQA cannot be loaded .* made-up films or capitals$"
    ):
        popqa.from_hub("capital")
    monkeypatch.setattr(datasets, "load_dataset", lambda *_asked, **_how: TABLE)
    assert len(popqa.from_hub("capital")) == 3
