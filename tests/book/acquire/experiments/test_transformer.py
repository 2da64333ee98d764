"""GPT-2 on the chapter's facts: what it reads, what a row says, and that K helps and R hurts."""

import math
import subprocess
import sys
import time
from statistics import fmean
from typing import Any

import pytest
import torch

from book.acquire import sentences
from book.acquire.experiments import swapped
from book.acquire.experiments import transformer as module
from book.acquire.experiments.outcomes import Looks, outcomes
from book.sweep import sweep
from lib.acquire import task
from lib.acquire.tokens import Sizes
from tests import ROOT

TINY: dict[str, Any] = {"size": "tiny", "multiplicity": 4, "phrases": 8, "positions": False, "seed": 0}
SMALLEST = module.SIZES["tiny"]._replace(
    layers=1, heads=2, width=8, subjects=12, steps=3, rate=1e-3, tuned_steps=4, tuned_rate=1e-3, tuned=(2, 4)
)


def known(multiplicity=4):
    return task.facts(12, 8, multiplicity, 0.5, seed=3)


@pytest.fixture
def gpt2():
    pytest.importorskip("transformers")


@pytest.fixture
def smallest(gpt2, monkeypatch):
    monkeypatch.setitem(module.SIZES, "tiny", SMALLEST)


def test_the_forest_holds_the_sentences_of_the_chapter():
    facts = known()
    said, trees, sizes = task.sentences(facts), sentences.forest(facts), Sizes(12, 8, 1)
    assert trees.tokens.shape == trees.places.shape == (1, 2 + 12 + len(said.subject))
    for place, (subject, phrase) in enumerate(zip(said.subject, said.phrase, strict=True)):
        seen = trees.mask[0, 0, 14 + place] == 0
        sentence = [12 + 8, sizes.follower, int(subject), 12 + int(phrase)]
        assert trees.tokens[0, seen].tolist() == sentence
        assert trees.places[0, seen].tolist() == [0, 1, 2, 3]
        assert facts.uses[subject, phrase] == 1


def test_a_question_names_the_subject_and_its_answer_is_no_other_token():
    prompts, answers = sentences.questions(known())
    assert prompts.tolist() == [[subject, 21] for subject in range(12)]
    assert answers.tolist() == list(range(22, 34))
    assert not set(answers.tolist()) & set(sentences.forest(known()).tokens[0].tolist())


@pytest.mark.parametrize("positions", [False, True])
def test_the_forest_has_the_loss_of_separate_sentences(gpt2, positions):
    facts, sizes = known(), Sizes(12, 8, 1)
    model = module.network(SMALLEST, 8, positions, seed=0)
    said = task.sentences(facts)
    first = torch.tensor([[20, sizes.follower]]).expand(len(said.subject), 2)
    whole = torch.cat([first, said.subject[:, None], 12 + said.phrase[:, None]], 1)
    log = torch.log_softmax(model(whole).logits, -1)
    row = torch.arange(len(whole))
    follower = log[:, 0, sizes.follower]
    both = log[row, 2, 12 + said.phrase] + log[row, 3, sizes.answers + said.subject]
    expected = -(said.weight.float() @ (follower + both)) / 3
    loss = module.sentence_loss(model, facts, sentences.forest(facts))
    assert loss.item() == pytest.approx(expected.item(), rel=1e-5)
    gradient, right = (torch.autograd.grad(value, model.lm_head.weight)[0] for value in (loss, expected))
    assert torch.allclose(gradient, right, atol=1e-6)


@pytest.mark.parametrize("positions", [False, True])
def test_the_order_of_words_is_seen_only_with_positions(gpt2, positions):
    facts = known()
    stored = module.pretrained(SMALLEST, facts, positions, seed=0)
    moved = stored.model.transformer.wpe.weight
    assert bool(moved.any()) == positions
    with torch.no_grad():
        there, back = (stored.model(torch.tensor([[*two, 13]])).logits[0, -1] for two in ((1, 2), (2, 1)))
    assert torch.allclose(there, back, atol=1e-6) != positions


def test_the_start_hangs_on_the_seed_alone(gpt2):
    before = torch.random.get_rng_state()
    first, same, other = (module.network(SMALLEST, 8, True, seed).lm_head.weight for seed in (1, 1, 2))
    assert torch.equal(first, same)
    assert not torch.equal(first, other)
    assert torch.equal(before, torch.random.get_rng_state())


def test_outcomes_count_by_hand():
    facts = known(multiplicity=2)
    chosen = sentences.first_frequent(facts, 2)
    covered = task.covered(facts, chosen) > 0
    test = torch.nonzero(1 - chosen)[::2, 0].tolist()
    other = torch.nonzero(1 - chosen)[1::2, 0].tolist()
    right = sentences.questions(facts)[1]
    answers = torch.full((3, 12), 0)  # a subject: neither phrase nor answer
    answers[1, test[:3]] = right[test[:3]]
    answers[2, other] = right[other]
    answers[2, test[:2]] = right[test[:2]]
    for fact in range(12):
        if fact not in test[:3]:
            answers[1, fact] = 12 + int(facts.uses[fact].argmax())
    looks = Looks([0, 2, 3], answers, right.expand(3, 12))
    start, best, picked, last = outcomes(facts, chosen, looks)
    assert [row["when"] for row in (start, best, picked, last)] == ["start", "best", "chosen", "last"]
    assert [row["step"] for row in (start, best, picked, last)] == [0, 2, 3, 3]
    assert [row["right"] for row in (start, best, last)] == [0, 3 / 5, 2 / 5]
    assert start["neither"] == start["below"] == 1
    blocked = [fact for fact in test if (facts.uses[fact].bool() & ~covered).any()]
    answered_with_own = [fact for fact in blocked if fact not in test[:3]]
    assert best["own_covered"] + best["own_uncovered"] == pytest.approx(len(answered_with_own) / len(blocked))
    first = sum(bool(covered[int(facts.uses[fact].argmax())]) for fact in answered_with_own)
    assert best["own_covered"] == pytest.approx(first / len(blocked))


@pytest.fixture(scope="module")
def accuracy():
    """Accuracy at the best step by K and R, the mean of two seeds; 16 of 48 facts fine-tuned, no positions."""
    pytest.importorskip("transformers")
    accuracies = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(module.SIZES, "tiny", module.SIZES["tiny"]._replace(tuned=(16,)))
        for k, r in ((1, 8), (4, 8), (4, 32)):
            runs = [module.transformer("tiny", k, r, False, seed) for seed in (0, 1)]
            assert all(rows[0]["told"] == 1 for rows in runs)
            accuracies[k, r] = fmean(rows[1]["right"] for rows in runs)
    return accuracies


def test_multiplicity_opens_facts(accuracy):
    """Seeds 0 to 9: 0.43 more, standard deviation 0.15, the least 0.12."""
    assert accuracy[4, 8] - accuracy[1, 8] > 0.2


def test_more_phrases_in_the_language_close_them(accuracy):
    """Seeds 0 to 9: 0.33 less, standard deviation 0.13, the least 0.12."""
    assert accuracy[4, 8] - accuracy[4, 32] > 0.15


LARGEST = """
import resource
from book.acquire.experiments import director, transformer
for module in (transformer, director):
    module.SIZES["small"] = module.SIZES["small"]._replace(steps=2, tuned_steps=2)
transformer.transformer("small", 8, 32, True, 0)
director.director("small", 8, 0)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20)
"""


def test_a_small_table_takes_at_most_four_gigabytes_on_two_cores(gpt2):
    """A process on each core."""
    process = subprocess.run(
        [sys.executable, "-c", LARGEST], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert 0.1 < float(process.stdout) < 4 / 2


def test_rows_of_a_configuration(smallest):
    rows = module.transformer(**{**TINY, "multiplicity": 1}, reach=5)
    assert [row["when"] for row in rows] == ["start", "best", "chosen", "last"] * 3
    assert [row["tuned"] for row in rows[::4]][:2] == [2, 4]
    assert [row["reach"] for row in rows[::4]] == [8, 8, 5]
    for start, best, chosen, last in (rows[place : place + 4] for place in (0, 4, 8)):
        assert best["right"] >= max(row["right"] for row in (start, chosen, last))
        assert math.isnan(best["partly"])  # with one phrase a fact is open or shut
    again = module.transformer(**{**TINY, "multiplicity": 1}, reach=5)
    assert str(again) == str(rows)


GRID = [{**TINY, "seed": seed} for seed in range(12)]
RUN = """
import sys
import time
from pathlib import Path
from tests.book.acquire.experiments import test_transformer as here
here.torch.set_num_threads(int(sys.argv[2]))
here.module.SIZES["tiny"] = here.SMALLEST
here.sweep(here.module.transformer, here.GRID, "t", folder=Path(sys.argv[1]))
"""


def test_a_sweep_that_is_killed_goes_on_and_makes_the_same_table(smallest, tmp_path):
    partial = tmp_path / "t.partial.jsonl"
    words = [sys.executable, "-c", RUN, str(tmp_path), str(torch.get_num_threads())]
    with subprocess.Popen(words, cwd=ROOT, stderr=subprocess.DEVNULL) as process:
        while process.poll() is None and (not partial.exists() or partial.read_text().count("\n") < 4):
            time.sleep(0.01)
        process.kill()
    done = partial.read_text().count("\n") - 1
    assert 3 <= done < len(GRID)
    table = sweep(module.transformer, GRID, "t", folder=tmp_path).rows
    whole = sweep(module.transformer, GRID, "whole", folder=tmp_path).rows
    assert table.drop(columns="seconds").equals(whole.drop(columns="seconds"))


def test_one_fact_told_in_more_ways_makes_phrases_interchangeable(gpt2):
    """At K = 1 a fact is found at its own phrase; at K = 4 at every phrase, the rare facts too, told with one."""
    rows = {k: swapped.swapped("tiny", k, 8, False, 0) for k in (1, 4)}
    for once, often in zip(rows[1], rows[4], strict=True):
        assert once["prompt"] == often["prompt"]
        if once["prompt"] == "o d s r":
            assert once["own"] == often["own"] == 1
            assert once["other"] < 0.4
            assert often["other"] > 0.8


def test_every_phrase_is_asked(smallest):
    facts, sizes = known(), Sizes(12, 8, 1)
    model = module.pretrained(SMALLEST, facts, True, 0).model
    with torch.no_grad():
        right, mean = swapped.answered(model, facts, [20, sizes.follower])
        assert (right.shape, mean.shape) == ((12, 8), (12,))
        for subject, phrase in ((0, 0), (5, 7), (11, 3)):
            said = model(torch.tensor([[20, sizes.follower, subject, 12 + phrase]])).logits[0, -1].argmax()
            assert float(right[subject, phrase]) == float(said == sizes.answers + subject)


def test_bad_input_is_one_clear_sentence(monkeypatch):
    with pytest.raises(ValueError, match=r"^size = 'huge': must be one of tiny, small, paper$"):
        module.transformer(**{**TINY, "size": "huge"})
    with pytest.raises(ValueError, match=r"^size = 'huge': must be one of tiny, small, paper$"):
        swapped.swapped(**{**TINY, "size": "huge"})
    with pytest.raises(ValueError, match=r"^multiplicity = 9: must be at most phrases = 8"):
        module.transformer(**{**TINY, "multiplicity": 9})
    with pytest.raises(ValueError, match=r"^reach = 1: no frequent fact has its 4 phrases among these$"):
        module.transformer(**TINY, reach=1)
    with pytest.raises(ValueError, match=r"^tuned = 7: must be at least 1 and at most the 6 frequent facts$"):
        sentences.first_frequent(known(), 7)
    nothing = torch.zeros(1, 12, dtype=torch.int64)
    with pytest.raises(ValueError, match=r"^tuned = 11: .* leave two of subjects = 12 facts held out$"):
        outcomes(known(), (torch.arange(12) > 0).double(), Looks([0], nothing, nothing))


def test_without_transformers_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(ModuleNotFoundError, match=r"^GPT-2 needs transformers; .* --editable '\.\[scale\]'$"):
        module.transformer(**TINY)
