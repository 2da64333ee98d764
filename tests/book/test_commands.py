"""The command line: each verb, bad input as one sentence, and exit status 2."""

import re
import sys

import pandas as pd
import pytest

from book import experiments, sweep
from book.__main__ import VERBS, main
from book.publish import build

LEMMA = "recall.lemma-6"


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_help_says_what_a_verb_does_and_gives_an_example(verb, capsys):
    with pytest.raises(SystemExit, match="0"):
        main([verb.name, "--help"])
    text = capsys.readouterr().out
    assert f"python -m book {verb.name}" in text.split("examples:")[1]


def test_without_a_verb_it_prints_help(capsys):
    assert main([]) == 0
    text = capsys.readouterr().out
    assert all(verb.name in text for verb in VERBS)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["hunt", "-3"], "argument N: -3 must be a whole number of at least 1"),
        (["hunt", "0"], "argument N: 0 must be a whole number of at least 1"),
        (["hunt", "some"], "argument N: some must be a whole number of at least 1"),
        (["hunt", "3", "--workers", "0"], "argument --workers: 0 must be a whole number of at least 1"),
        (["hunt", "3", "--seconds", "-1"], "-1 must be a number of seconds greater than 0"),
        (["hunt", "3", "--seconds", "nan"], "nan must be a number of seconds greater than 0"),
        (["frobnicate"], "invalid choice: 'frobnicate'"),
        (["at"], "the following arguments are required: ID"),
        (["new", "recall"], "the following arguments are required: PAGE"),
        (["check"], "the following arguments are required: ADDRESS"),
        (["experiments", "recal"], "invalid choice: 'recal'"),
        (["experiments", "recall", "figure-2", "--quick", "--large"], "not allowed with argument"),
    ],
)
def test_bad_words_are_one_sentence(arguments, sentence, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(arguments)
    complaint = capsys.readouterr().err
    assert sentence in complaint
    assert complaint.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ["statements", "recall.theorem-99"],
            "id = 'recall.theorem-99': no statement has it; did you mean recall.theorem-",
        ),
        (["hunt", "1", "zzz"], "id = 'zzz': no statement has it. `python -m book statements --list`"),
        (["at", LEMMA, "temperature"], "'temperature': must be name=value"),
        (["at", LEMMA, "temperature=-1"], "temperature = -1: must be a finite number greater than 0"),
        (["at", LEMMA, "temperature=cold"], "temperature = 'cold': must be a number"),
        (
            ["at", LEMMA, "temperatur=1"],
            f"temperatur = 1: {LEMMA} has no such setting; did you mean temperature? It has temperature,",
        ),
        (["at", "recall.equations-11-17", "temperature=0"], "cannot be run at temperature=0: float division"),
        (
            ["at", "acquire.lemma-25", "share=0.001"],
            "acquire.lemma-25 cannot be run at share=0.001: share = 0.001: no fact is fine-tuned",
        ),
        (
            ["at", "acquire.lemma-25", "shar=0.5"],
            "shar = 0.5: acquire.lemma-25 has no such setting; did you mean share? It has piece, share,",
        ),
        (["check", "http://[x/"], "Invalid IPv6 URL"),
        (["check", "https://example.org/recall/saddle.html"], "must hold a challenge, goal=…"),
        (["experiments", "recall", "figure-9"], "recall has no such experiment; did you mean figure-"),
        (["experiments", "recognise", "figure-1", "--large"], "recognise figure-1 has no larger grid"),
        (["experiments", "recall", "figure-2", "--workers", "0"], "--workers 0: must be a whole number"),
        (
            ["experiments", "recall", "figure-2", "--workers", "-2.5"],
            "--workers -2.5: must be a whole number",
        ),
        (["sweep", "recall-figure"], "TABLE = 'recall-figure': no experiment makes it; did you mean recall-"),
        (
            ["new", "remember", "my_page"],
            "PAPER = 'remember': must be one of acquire, recall, recognise, together",
        ),
    ],
)
def test_bad_input_is_one_sentence(arguments, sentence, capsys):
    assert main(arguments) == 2
    complaint = capsys.readouterr().err
    assert sentence in complaint
    assert complaint.strip().count("\n") == 0


def test_an_experiment_without_its_extra_says_what_to_install(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(sweep, "DATA", tmp_path)
    monkeypatch.setitem(sys.modules, "transformers", None)
    monkeypatch.delitem(sys.modules, "book.acquire.experiments.transformer", raising=False)
    assert main(["experiments", "acquire", "transformer", "--quick"]) == 2
    complaint = capsys.readouterr().err.splitlines()[-1]
    assert re.search(r"needs transformers; install it with .*'\.\[scale\]'$", complaint)


def test_a_setting_without_a_default_stays_as_where_the_statement_holds(capsys):
    assert main(["at", "recall.equations-11-17", "temperature=0.1"]) == 0
    assert "The statement applies here" in capsys.readouterr().out


def test_the_list_of_ids_has_all_of_them(capsys):
    assert main(["statements", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "recall.lemma-6                   Lemma 6" in lines


def test_the_names_of_experiments_are_listed(capsys):
    assert main(["experiments"]) == 0
    assert "python -m book experiments recall NAME; NAME is one of figure-2, " in capsys.readouterr().out


def test_an_experiment_says_which_files_it_wrote_and_where_its_plots_are(monkeypatch, tmp_path, capsys):
    names = []

    def stored(_function, _cells, name, **_settings):
        names.append(name)
        return sweep.Table(pd.DataFrame([{"x": 1.5, "y": "word"}] * 9), {})

    monkeypatch.setattr(sweep, "sweep", stored)
    monkeypatch.setattr(sweep, "ROOT", tmp_path)
    monkeypatch.setattr(sweep, "DATA", tmp_path / "book" / "data")
    monkeypatch.setattr(experiments, "pages_that_draw", lambda table: [f"book/recall/{table}.ipynb"])
    assert main(["experiments", "recall", "figure-2", "--quick"]) == 0
    text = capsys.readouterr().out
    assert names == ["recall-figure-2-quick"]
    assert text.count("word") == experiments.FIRST_ROWS
    assert "The table is book/data/recall-figure-2-quick.csv, its provenance " in text
    assert "The plots of recall-figure-2 are in book/recall/recall-figure-2.ipynb." in text


def test_pages_that_draw_a_table_are_those_whose_code_reads_it():
    assert "book/recall/experiments.ipynb" in experiments.pages_that_draw("recall-figure-2")


def test_build_is_the_build_of_the_book(monkeypatch):
    monkeypatch.setattr(build, "main", lambda: 1)
    assert main(["build"]) == 1
