"""GPT-2 stores facts and looks them up: its relations and prompts, a tiny run, and the stored table."""

import pytest
import torch

from book.together.experiments import gpt2
from book.together.stored import gpt2 as gpt2_page

SMALLEST = gpt2.SIZES["tiny"]._replace(
    layers=1, heads=2, width=16, steps=3, tuned_steps=4, every=2, tuned=(50,)
)


@pytest.mark.parametrize("p", [5, 7])
def test_two_examples_name_one_relation_and_exchanging_their_answers_the_rival(p):
    some = gpt2.prompts(p)
    first, one, second, other, _ = some.tokens.unbind(1)
    assert len(first) == 2 * p * p * (p - 1)
    every = torch.arange(2 * p)[:, None]
    fits = (gpt2.answer(p, every, first) == one - p) & (gpt2.answer(p, every, second) == other - p)
    assert torch.equal(fits.sum(0), torch.ones_like(first))
    assert torch.equal(fits.int().argmax(0), some.relation)
    exchanged = (gpt2.answer(p, every, first) == other - p) & (gpt2.answer(p, every, second) == one - p)
    assert torch.equal(exchanged.sum(0), torch.ones_like(first))
    assert torch.equal(exchanged.int().argmax(0), some.rival)
    assert ((gpt2.answer(p, every, first) == one - p).sum(0) == 2).all(), "a pair alone leaves two"


@pytest.mark.parametrize("multiplicity", [1, 3, 4])
def test_each_fact_is_stated_in_k_wordings_of_its_relation_in_three_orders(multiplicity):
    p = 5
    rows = gpt2.statements(p, multiplicity, 0)
    assert len(rows) == 6 * p * p * multiplicity
    assert len(rows.unique(dim=0)) == len(rows)
    plain = rows[: len(rows) // 3]
    relation = (plain[:, 1] - 2 * p) // gpt2.WORDINGS
    assert torch.equal(plain[:, 2], p + gpt2.answer(p, relation, plain[:, 0]))
    facts = torch.stack([relation, plain[:, 0]], 1).unique(dim=0, return_counts=True)[1]
    assert facts.tolist() == [multiplicity] * 2 * p * p


def test_a_small_run_has_a_row_for_each_look_and_moves_what_it_says(monkeypatch):
    pytest.importorskip("transformers")
    monkeypatch.setitem(gpt2.SIZES, "tiny", SMALLEST)
    rows = gpt2.looked_up("tiny", 1, 0)
    assert [(row["way"], row["step"]) for row in rows] == [
        (way, step) for way in gpt2.WAYS for step in (0, 2, 4)
    ]
    starts = [row for row in rows if row["step"] == 0]
    assert starts[0] == starts[1] | {"way": "all"}, "both ways begin with the same memory"
    model, told = gpt2.pretrained(SMALLEST, 0, 0)
    assert told == 0
    before = {name: part.clone() for name, part in model.named_parameters()}
    seen = gpt2.take(gpt2.prompts(5), torch.arange(50))
    list(gpt2.fine_tune(model, SMALLEST, "attention", seen, seen, 0))
    moved = {name for name, part in model.named_parameters() if not torch.equal(part, before[name])}
    assert moved == {name for name in before if ".attn." in name}


def test_a_model_that_names_the_right_relation_has_loss_0():
    p = 5
    some = gpt2.prompts(p)

    class Right:
        device = "cpu"

        def __call__(self, tokens):
            logits = torch.full((len(tokens), 5, gpt2.vocabulary(p)), -40.0)
            logits[torch.arange(len(tokens)), -1, gpt2.wording(p, some.relation, 2)] = 0.0
            return type("Output", (), {"logits": logits})

    assert float(gpt2.naming_loss(Right(), some, p)) == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("huge", 1, 0), "size = 'huge': must be one of tiny, small, paper"),
        (("tiny", 5, 0), "multiplicity = 5: must be from 0 to the 4 wordings of a relation"),
    ],
)
def test_bad_input_is_one_clear_sentence(given, words):
    with pytest.raises(ValueError, match=words):
        gpt2.looked_up(*given)


def test_the_tenth_sentence_takes_its_numbers_from_the_table():
    rows, said = gpt2_page.runs(), gpt2_page.sentence().data
    runs = rows.groupby(["multiplicity", "way", "seed"])
    best, end = runs.named.max(), runs.named.last()
    assert f"best {best[1].mean():.2f} of" in said
    assert f"names {end[0].mean():.2f} right" in said
    assert f"stays at {runs.loss.min()[1].mean():.2f} or above" in said
    assert "<summary>10. <b>" in said
