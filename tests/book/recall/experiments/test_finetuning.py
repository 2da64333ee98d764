"""Adam on the exact shortcuts against Adam on the transformer as printed."""

from functools import partial

import pytest
import torch
from torch import Generator, Tensor

from book.recall.experiments import finetuning
from lib.recall import model, task

RATE, STEPS = 1e-2, 6
ADAM = partial(torch.optim.Adam, lr=RATE)


def generator(seed: int = 0) -> Generator:
    return Generator().manual_seed(seed)


class Case:
    """Two runs on random bijections, with different knowledge, embeddings and numbers of prompts."""

    def __init__(self, examples: int, temperature: float = 0.1) -> None:
        self.temperature = temperature
        self.known = [task.random_bijections(5, 12, generator(seed)) for seed in (0, 1)]
        self.shown = [
            task.sample_prompts(known, size, generator(7), examples)
            for known, size in zip(self.known, (6, 4), strict=True)
        ]
        self.data = finetuning.stack(
            [finetuning.data(known, shown) for known, shown in zip(self.known, self.shown, strict=True)]
        )
        self.built = [
            model.build(known, examples, generator(3 + run)) for run, known in enumerate(self.known)
        ]
        self.basis = finetuning.tokens_of(torch.stack([built.embedding for built in self.built]), examples)

    def losses(self, run: int, W_KQ: Tensor) -> Tensor:
        """L₁ and L₂ of the transformer as printed."""
        arguments = (self.built[run]._replace(W_KQ=W_KQ), self.known[run], self.shown[run], self.temperature)
        return torch.stack([model.relation_loss_full(*arguments), model.answer_loss_full(*arguments)])


@pytest.fixture(params=[2, 3], ids=["two examples", "three examples"])
def case(request: pytest.FixtureRequest) -> Case:
    return Case(request.param)


def test_adam_on_all_of_w_kq_is_adam_on_the_printed_transformer(case):
    side = case.basis.shape[2]
    start = 0.1 * torch.randn(2, side, side, generator=generator(5), dtype=torch.float64)
    fast = finetuning.fine_tune_all(start, case.basis, case.data, case.temperature, ADAM, (STEPS,))[0]
    for run in (0, 1):
        slow = start[run].clone().requires_grad_()
        optimizer = torch.optim.Adam([slow], lr=RATE)
        for _ in range(STEPS):
            optimizer.zero_grad()
            case.losses(run, slow).sum().backward()
            optimizer.step()
        assert torch.allclose(fast.parameters[0][run], slow, rtol=0, atol=1e-9)
        assert torch.allclose(fast.loss[run], case.losses(run, slow), rtol=1e-9)


def test_adam_on_positions_is_adam_on_the_printed_transformer(case):
    k = case.shown[0].examples
    start = 0.1 * torch.randn(2, 4 * k + 5, generator=generator(5), dtype=torch.float64)
    theta, omega = start.split([2 * k + 2, 2 * k + 3], 1)
    fast = finetuning.fine_tune_positions((theta, omega), case.data, case.temperature, ADAM, (STEPS,))[0]
    for run in (0, 1):
        slow = [theta[run].clone().requires_grad_(), omega[run].clone().requires_grad_()]
        optimizer = torch.optim.Adam(slow, lr=RATE)
        width = case.built[run].embedding.shape[1]
        for _ in range(STEPS):
            optimizer.zero_grad()
            case.losses(run, model.position_block(slow[0], slow[1], width)).sum().backward()
            optimizer.step()
        assert torch.allclose(fast.parameters[0][run], slow[0], rtol=0, atol=1e-9)
        assert torch.allclose(fast.parameters[1][run], slow[1], rtol=0, atol=1e-9)


def test_the_outcome_is_what_the_printed_transformer_names(case):
    side = case.basis.shape[2]
    W_KQ = torch.randn(2, side, side, generator=generator(5), dtype=torch.float64)
    result = finetuning.outcome(*finetuning.scores(W_KQ, case.basis, case.data.tokens), case.data, 0.1)
    for run, (known, shown) in enumerate(zip(case.known, case.shown, strict=True)):
        built, n = case.built[run]._replace(W_KQ=W_KQ[run]), known.subjects
        named = model.logits(built, model.sequence(known, shown))[:, 2 * n : -1]
        best = (named.amax(1, keepdim=True) - named < 1e-10).double()
        shares = best / best.sum(1, keepdim=True)
        hit = shares.gather(1, shown.relation[:, None]).mean()
        assert float(result.accuracy[run]) == pytest.approx(float(hit), abs=1e-12)
        chance = torch.softmax(named / 0.1, 1).gather(1, shown.relation[:, None]).mean()
        assert float(result.probability[run]) == pytest.approx(float(chance), rel=1e-9)
        answers = model.logits(built, model.sequence(known, shown, decoded=True))[:, n : 2 * n]
        right = known.answers[shown.relation, shown.subjects[:, -1]]
        assert float(result.answer_accuracy[run]) == pytest.approx(
            float((answers.argmax(1) == right).double().mean())
        )
        attended = model.attention(built, model.sequence(known, shown))
        assert torch.allclose(result.from_eos[run, : shown.size], attended, atol=1e-12)


def test_held_out_prompts_were_not_seen():
    known = task.random_bijections(5, 12, generator())
    seen = task.sample_prompts(known, 200, generator(1))
    new = finetuning.held_out(known, seen, 50, generator(2))
    rows = [tuple(row) for row in torch.cat([seen.subjects, seen.relation[:, None]], 1).tolist()]
    fresh = [tuple(row) for row in torch.cat([new.subjects, new.relation[:, None]], 1).tolist()]
    assert len(fresh) == 50
    assert not set(rows) & set(fresh)


def test_held_out_refuses_when_everything_was_seen():
    known = task.random_bijections(3, 2, generator())
    with pytest.raises(ValueError, match="seen = 12 prompts: must leave more prompts to test on"):
        finetuning.held_out(known, task.all_prompts(known), 5, generator())


def test_the_pairwise_pattern_is_told_from_others():
    attention = torch.tensor(
        [[0.3, 0.3, 0.2, 0.2, 0, 0], [0.25, 0.25, 0.25, 0.25, 0, 0], [0.3, 0.2, 0.3, 0.2, 0, 0], [1 / 6] * 6],
        dtype=torch.float64,
    )
    result = finetuning.pairing(attention)
    assert result.emerged.tolist() == [True, False, False, False]
    assert result.mass.tolist() == pytest.approx([1, 1, 1, 2 / 3])
    assert result.within.tolist() == pytest.approx([0, 0, 0.1, 0])
    assert result.between.tolist() == pytest.approx([0.1, 0, 0, 0])


def test_permuting_classes_are_the_confusing_one_for_two_examples():
    from lib.recall.reduction import match_classes

    assert finetuning.permuting(match_classes(2)).nonzero().flatten().tolist() == [1]
    assert int(finetuning.permuting(match_classes(3)).sum()) == 5
