"""GPT-2 beside one layer: the tables are of the same facts, the figure shows what they hold, the page what is so."""

import json
import re
from itertools import product
from typing import Any

import pandas as pd
import pytest

from book.acquire.tables import errors, spread, stored
from book.acquire.transformer import program, tables
from lib.program import run
from tests import ROOT


def test_both_models_learn_and_are_asked_about_the_same_facts():
    gpt, one_layer = stored("acquire-transformer"), stored("acquire-predicted")
    key = [*tables.CELL, "seed", "reach", "when"]
    for positions in (False, True):
        rows = gpt[gpt.positions == positions].set_index(key)
        both = rows[["covered", "once"]].join(
            one_layer.set_index(key)[["covered", "once"]], suffixes=("", "_one")
        )
        assert len(both) == len(one_layer)
        assert (both.covered == both.covered_one).all()
        assert (both.once - both.once_one).abs().max() == 0
    assert (gpt.told == 1).all()


def test_the_figure_shows_the_means_of_the_table():
    for k, r, n, positions, moment in product((1, 8), (8, 32), (3, 40), (0, 1), (0, 2)):
        how = {"multiplicity": k, "phrases": r, "tuned": n, "positions": positions, "moment": moment}
        result = run(program.gpt2_comparison(), **{name: float(value) for name, value in how.items()}).report
        rows = tables.both(bool(positions), tables.MOMENTS[moment])
        here = rows[(rows.multiplicity == k) & (rows.phrases == r) & (rows.tuned == n)]
        assert float(result.here_gpt) == pytest.approx(here.gpt.mean())
        assert float(result.here_spread) == pytest.approx(here.gpt.std())
        assert float(result.here_one) == pytest.approx(here.one.mean())
        assert float(result.here_tuned) == n


def test_a_number_between_those_of_the_grid_goes_to_the_nearest():
    result = run(program.gpt2_comparison(), tuned=20.0).report
    assert float(result.here_tuned) == 24


def rising_table(one_layer):
    """A table in which GPT-2's accuracy rises with K, R and n_ft alike in all seeds."""
    cells = product((1, 2, 4), (8, 16, 32), (3, 6, 12), range(4))
    rows = [{"multiplicity": k, "phrases": r, "tuned": n, "seed": s} for k, r, n, s in cells]
    frame = pd.DataFrame(rows).assign(gpt=lambda x: 100 * x.multiplicity + x.phrases + x.tuned / 100)
    return frame.assign(one=one_layer(frame.gpt), once=-frame.gpt)


def test_rank_correlations_are_of_order_alone(monkeypatch):
    monkeypatch.setattr(tables, "both", lambda positions, when: rising_table(lambda gpt: gpt**3))
    result = tables.ranks(False, "chosen")
    assert result == {
        "ceiling": pytest.approx(1),
        "one": pytest.approx(1),
        "once": pytest.approx(-1),
    }
    assert tables.along(False, "chosen", "phrases") == {"one": pytest.approx(1), "once": pytest.approx(-1)}


def test_a_rate_is_chosen_by_facts_that_are_not_counted(monkeypatch):
    rows = [
        {"way": "full", "rate": rate, "seed": seed, "others": others, "right": right}
        for rate, others, right in ((0.1, 0.5, 0.9), (0.2, 0.7, 0.3))
        for seed in (0, 1)
    ]
    table = pd.DataFrame(rows).assign(when="last", positions=False, multiplicity=1)
    monkeypatch.setattr(tables, "stored", lambda name: table)
    result = tables.low_rank(False, 1).loc["full"]
    assert (result.rate, result.right) == (0.2, pytest.approx(0.3))


def test_a_change_is_measured_in_standard_errors_over_seeds():
    changes = pd.DataFrame([[1.0, 2.0, 3.0], [0.0, 1.0, -1.0]])
    assert errors(changes).tolist() == pytest.approx([2 * 3**0.5, 0])


def test_a_spread_is_shown_where_there_is_one():
    assert [spread(pd.Series(x)) for x in ([0.2, 0.4], [0.5], [float("nan")])] == [
        "0.30\u00a0±\u00a00.14",
        "0.50",
        "–",
    ]


def test_answers_that_are_of_no_wrong_kind_are_right():
    rows = stored("acquire-transformer").query("reach < phrases and multiplicity == 1 and when == 'chosen'")
    shut = rows.groupby("positions")[["shut_rare", "shut_frequent"]].mean()
    result = tables.instead().query("multiplicity == 1 and step == 'after' and model != 'one layer'")
    for right, shares in zip(result.right_answer, shut.to_numpy(), strict=True):
        assert min(shares) < right < max(shares)


def test_what_the_page_says_in_words_is_so():
    grid = {positions: tables.means(positions, "chosen") for positions in (False, True)}
    many = grid[False].query("phrases == 32")
    assert many.query("multiplicity <= 4").one.max() < 0.1  # hardly any
    assert many.query("multiplicity >= 2").gpt.min() > 0.5  # most
    assert many.query("multiplicity <= 4 and tuned == 3").one.max() == 0  # never names an unseen fact
    assert (grid[True].gpt > grid[False].gpt).mean() > 0.8  # better nearly everywhere
    at_8 = grid[False].query("phrases == 8 and tuned == 24").droplevel(["phrases", "tuned"])
    assert (at_8.loc[1] < at_8.loc[4] - 0.1)[["gpt", "one"]].all()  # both fall
    for positions, when in product((False, True), tables.MOMENTS):
        result = tables.ranks(positions, when)
        assert result["one"] < result["once"] < result["ceiling"]
    for positions in (False, True):
        accuracy = tables.by_seed(positions, "phrases", "multiplicity").mean(axis=1)
        assert accuracy[8, 8] < accuracy[8, 4]  # at K = R it does not rise further
    accuracy = tables.by_seed(False, "phrases", "multiplicity").mean(axis=1)
    assert all(accuracy[8, k] < accuracy[16, k] for k in (2, 4, 8))
    rows = tables.by_seed(False, "phrases", "multiplicity").unstack("multiplicity").loc[8:]
    assert [tables.fall(rows, k) > 2 for k in (1, 2, 4, 8)] == [True, False, False, False]


def test_what_the_page_says_of_covering_is_so():
    for k, positions in product((1, 2, 4), (False, True)):
        result = tables.limited(k, positions)[["open_rare", "shut_rare", "shut_frequent"]].mean()
        assert (result.shut_rare > 0.5 * result.open_rare) == (k > 1)
        assert k == 4 or (result.shut_frequent > 0.5) == (k > 1)
    result = tables.instead().set_index(["model", "multiplicity", "step"]).sort_index()
    one_layer, gpt = result.loc["one layer"], result.drop("one layer")
    assert (one_layer.own > 0.8).all()
    assert (one_layer.below == 1).all()
    assert (gpt.own < 0.3).all()
    last = gpt.xs("after", level="step")
    assert (last.own < 0.05).all()
    kinds = last[["own", "other", "tuned_fact", "another", "neither"]]
    assert (kinds.xs(1, level="multiplicity").idxmax(axis=1) == "tuned_fact").all()
    assert last.xs(1, level="multiplicity").below.between(0.3, 0.37).all()  # one in three
    assert (last.drop(1, level="multiplicity")[["right_answer", "below"]] > 0.6).all(axis=None)
    first = stored("acquire-predicted").query("reach < phrases and when == 'start' and multiplicity == 1")
    assert (first.shut_rare > 0.5).sum() == 1  # one start of five
    means = stored("acquire-swapped").query("prompt == 'o d s r' and multiplicity == 1")["mean"]
    assert means.mean() == pytest.approx(0.5, abs=0.1)  # about half


def test_what_the_page_says_of_one_direction_is_so():
    for positions, k in product((False, True), (1, 4)):
        result = tables.low_rank(positions, k).right
        assert result["random"] < result["full"] - 0.05
        assert min(result["rank 1"], result["format token"]) > result["full"] - 0.05
        assert result["rank 16"] > result["full"] + (0.15 if k == 1 else 0)  # at K = 1 by far
        assert k == 1 or result["phrase"] > result["full"] - 0.05
    first = stored("acquire-first-step")
    assert first.rank_1.mean() == pytest.approx(5 / 6, abs=0.03)
    by = first.groupby(["positions", "multiplicity"])[["format", "subject", "phrase"]].mean()
    assert (by.format > by.subject).all()
    assert (by.subject > by.phrase + 0.2).all()


def test_the_training_that_the_page_offers_runs():
    pytest.importorskip("transformers")
    page = json.loads((ROOT / "book" / "acquire" / "transformer.ipynb").read_text())
    text = "\n".join("".join(cell["source"]) for cell in page["cells"] if cell["cell_type"] == "markdown")
    (block,) = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    *before, shown = block.strip().splitlines()
    names: dict[str, Any] = {}
    exec("\n".join(before), names)
    table = eval(shown, names)
    assert list(table.columns) == ["tuned", "right", "frequent", "rare"]
    assert table.right.iloc[-1] > table.right.iloc[1]  # 16 facts are fine-tuned; four phrasings against one
