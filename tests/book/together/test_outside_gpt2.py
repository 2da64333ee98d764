"""GPT-2 with one thing changed: what each change does, a tiny run, and the stored table."""

from __future__ import annotations

import math
import re

import pytest
import torch
from torch import Generator, nn

from book.together.cells import SIGNS, in_words
from book.together.experiments import relaxed_gpt2 as module
from book.together.experiments.relaxations import RELAXATIONS
from book.together.experiments.relaxed_gpt2 import CHANGES
from book.together.outside import gpt2 as page
from book.together.outside import table


@pytest.fixture
def tiny(monkeypatch):
    pytest.importorskip("transformers")
    small = module.GPT2._replace(layers=2, width=16, steps=2, tuned_steps=2)
    monkeypatch.setattr(module, "GPT2", small)
    monkeypatch.setattr(module, "STEPS", 3)


def test_a_tiny_run_has_a_row_for_each_conclusion(tiny):
    rows = [row for paper in module.RUNS for row in module.relaxed_gpt2(paper, "none", 0)]
    assert [row["conclusion"] for row in rows] == list(page.CLAIMS)
    assert all(math.isfinite(row["measured"]) for row in rows)
    assert all(row["holds"] in (0, 1) for row in rows)


@pytest.mark.parametrize("change", [name for name in CHANGES if name != "none"])
def test_each_change_changes_what_is_learned(tiny, change):
    ours, plain = (module.recall(name, 3).losses for name in (change, "none"))
    assert all(map(math.isfinite, ours))
    assert ours != plain


def test_the_changes_are_what_they_are_called(tiny):
    nets = {change: module.network(change, 20, 0) for change in CHANGES}
    assert nets["heads"].config.n_head == 1
    assert len(nets["layers"].transformer.h) == 1
    assert not nets["scale"].config.scale_attn_weights
    assert nets["relu"].config.activation_function == "relu"
    assert not any(isinstance(part, nn.LayerNorm) for part in nets["norm"].modules())
    for change, kept in (("biases", "bias"), ("positions", "wpe.weight")):
        still = [part for name, part in nets[change].named_parameters() if name.endswith(kept)]
        assert still
        assert not any(part.requires_grad or part.any() for part in still)
    assert isinstance(module.descend("adam", nets["adam"], 1e-3), torch.optim.SGD)
    assert isinstance(module.descend("none", nets["none"], 1e-3), torch.optim.AdamW)


def test_a_tenth_of_the_labels_becomes_other_ones_under_noise():
    labels = 7 + torch.arange(40) % 5
    moved = module.confused(labels, 7, 5, "noise", Generator().manual_seed(0))
    assert int((moved != labels).sum()) == 4
    assert ((moved >= 7) & (moved < 12)).all()
    assert torch.equal(module.confused(labels, 7, 5, "none", Generator()), labels)


def test_the_wait_is_the_longest_stretch_near_log_2():
    near = math.log(2) + 0.09
    assert module.waiting([2.0, near, near, 0.5, near, near, near, 0.1]) == 3 / 8
    assert module.waiting([2.0, 0.1]) == 0


def test_bad_names_are_refused_by_name():
    with pytest.raises(ValueError, match="paper = 'recognise': must be one of acquire, recall"):
        module.relaxed_gpt2("recognise", "none", 0)
    with pytest.raises(ValueError, match="change = 'cold': must be one of none, layers"):
        module.relaxed_gpt2("recall", "cold", 0)


def test_changes_have_the_names_of_the_papers_relaxations():
    assert set(CHANGES) - set(RELAXATIONS) == {"positions"}


def test_the_table_has_the_same_seeds_in_every_cell_and_a_prediction_for_each():
    assert {cell.seeds for cell in page.cells().values()} == {module.SEEDS}
    expected = {(claim, change) for claim in page.CLAIMS for change in CHANGES}
    assert page.changes() == list(CHANGES)
    assert set(page.cells()) == set(table.predictions(page.PREDICTED)) == expected


def test_a_square_says_sign_verdict_and_seeds_and_leads_to_its_runs():
    shown, runs = page.picture().data, page.all_runs().data
    assert shown.count('scope="col"') == len(page.CLAIMS)
    for (claim, change), cell in page.cells().items():
        words = f"{page.CLAIMS[claim].words}, {in_words(CHANGES[change])}: {cell.verdict}, {cell.held} of {cell.seeds}"
        (sign,) = re.findall(rf'aria-label="{re.escape(words)} [^>]*>(.)</a>', shown)
        assert sign == SIGNS[cell.verdict]
        assert f'href="#{page.anchor(change)}"' in shown
        assert f'id="{page.anchor(change)}"' in runs


def test_what_the_page_says_is_in_the_table():
    said = page.summary().data
    verdicts = [cell.verdict for (_, change), cell in page.cells().items() if change == "none"]
    assert f"keeps {verdicts.count('holds') or 'none'}" in said
    wrong = len(page.against_predictions())
    assert f"predicted {len(page.cells()) - wrong} of the {len(page.cells())} verdicts" in said
