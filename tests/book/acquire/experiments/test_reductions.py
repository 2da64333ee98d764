"""The mean field and the model with one neuron, always active: exact where facts and phrases are exchangeable."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from book.acquire.experiments import mean_field, reductions
from book.acquire.experiments.mean_field import State
from lib.acquire import course, tokens
from lib.acquire import task as data
from lib.acquire.task import Facts
from lib.acquire.tokens import Sizes

KAPPA = 0.004


PACE = ((2, 20.0), (30, 100.0))


def scalar(value: float) -> Tensor:
    return torch.tensor(value, dtype=torch.float64)


def alike() -> Facts:
    """Frequent facts with all phrases."""
    return data.facts(6, 4, 4, 1.0)


def latin() -> Facts:
    """Four frequent facts with all four phrases, four rare ones with one phrase each, all different."""
    rank = torch.cat([torch.arange(4.0).expand(4, 4), 9 - 9 * torch.eye(4)]).to(torch.float64)
    frequent = torch.tensor([1.0] * 4 + [0.0] * 4, dtype=torch.float64)
    return Facts(rank, 1 + 3 * frequent, frequent, torch.linspace(0.1, 0.9, 8, dtype=torch.float64))


def alone() -> Facts:
    """One phrase, which all facts have, frequent ones and rare ones."""
    return data.facts(6, 1, 1, 0.5)


def close(ours: Tensor, right: Tensor, tolerance: float = 1e-10) -> None:
    assert float((ours - right).abs().max()) < tolerance * max(1.0, float(right.abs().max()))


@pytest.mark.parametrize("make", [alike, latin, alone])
def test_pre_training_is_exact_where_facts_and_phrases_are_exchangeable(make) -> None:
    known = make()
    n, r = known.rank.shape
    sizes, (state, excess) = Sizes(n, r, 1), reductions.linear(known, KAPPA, PACE)
    task = mean_field.of_facts(known, KAPPA)
    field = mean_field.pretrained(task, PACE)
    a, (ours, z) = state.features[:, :, 0] - reductions.SHIFT, field
    last = sizes.answers + n - 1  # a rare fact's answer, if there are rare ones
    c = int(1 - known.frequent[-1])
    assert mean_field.excess(field, task) == pytest.approx(excess, abs=1e-10)
    assert float(ours.context[0]) > 1  # something was learned
    close(ours.context[[0, 1, 2 + c, 4]], a[0, [sizes.follower, 1 + n, last, 0]])
    own = 1 + n + int(known.rank[-1].argmin())
    close(ours.subject[c, [0, 1, 3, 4 + c, 6]], a[n, [sizes.follower, own, last, last - 1, 0]])
    close(ours.phrase[[0, 1, 7]], a[own, [sizes.follower, own, 0]])
    close(ours.phrase[3 + 2 * c], a[own, last])
    close(z.context_subject[c], state.scores.context_subject[-1])
    close(z.subject_phrase[c], state.scores.subject_phrase[-1, own - 1 - n])
    close(z.context_phrase, state.scores.context_phrase[own - 1 - n])
    close(z.phrase_phrase, state.scores.phrase_phrase[own - 1 - n])


def test_a_rare_fact_is_told_from_those_with_other_phrases() -> None:
    known = latin()
    state, _ = reductions.linear(known, KAPPA, PACE)
    a = state.features[:, :, 0] - reductions.SHIFT
    ours = mean_field.pretrained(mean_field.of_facts(known, KAPPA), PACE).features
    sizes = Sizes(8, 4, 1)
    # phrase 0 of the rare fact 4; fact 5 has another one
    close(ours.phrase[[2, 3, 5, 6]], a[9, [10, sizes.answers, sizes.answers + 4, sizes.answers + 5]])
    close(
        ours.subject[1, [1, 2, 3, 4, 5]], a[5, [9, 10, *(sizes.answers + torch.tensor([4, 0, 5])).tolist()]]
    )
    assert abs(float(ours.phrase[5] - ours.phrase[6])) > 1


def in_tokens(field: State, known: Facts) -> tokens.State:
    """The pre-trained mean field written out for every token."""
    n, r = known.rank.shape
    sizes = Sizes(n, r, 1)
    a = tokens.unflatten(torch.zeros(sizes.parameters, dtype=torch.float64), sizes, 1.0)
    for j in range(n):
        row = field.features.subject[int(1 - known.frequent[j])]
        a.features[1 + j] = row[6]
        a.features[1 + j, 1 + n : 1 + n + r, 0] = torch.where(known.uses[j] > 0, row[1], row[2])
        a.features[1 + j, sizes.answers : sizes.answers + n, 0] = torch.where(
            known.frequent > 0, row[4], row[5]
        )
        a.features[1 + j, sizes.answers + j], a.features[1 + j, sizes.follower] = row[3], row[0]
    return a


@pytest.mark.parametrize(
    ("subjects", "phrases", "multiplicity", "tolerance"), [(12, 4, 4, 1e-10), (32, 8, 2, 1e-3)]
)
def test_fine_tuning_counts_coverage_exactly(subjects, phrases, multiplicity, tolerance) -> None:
    known = data.facts(subjects, phrases, multiplicity, 0.5, seed=1)
    chosen = data.fine_tuned(known, scalar(0.5))
    task = mean_field.of_facts(known, KAPPA)
    sizes = Sizes(subjects, phrases, 1)
    field = mean_field.pretrained(task, course.pace(sizes, float(sizes.dimension), KAPPA, 1.0, 75))
    state, asked = in_tokens(field, known), mean_field.Questions(known, chosen)
    right = reductions.tuning(state, known, chosen, KAPPA, steps=40)
    assert torch.equal(torch.nan_to_num(mean_field.tuning(field, task, asked, 4.0, 40)), right)
    assert len(right[:, 0].unique()) > 2
    tuned = mean_field.tune_start(field, asked)
    for _ in range(40):
        tuned = mean_field.tune_step(tuned, asked, task, 4.0)
        state = reductions.halved(state, tokens.extract(state, chosen, sizes).down, 4.0, KAPPA)
    exact = state.features[sizes.format, :, 0]
    close(tuned.phrases, exact[1 + subjects : sizes.format], tolerance)
    close(tuned.answers, exact[sizes.answers : sizes.follower], tolerance)
    assert float(tuned.phrases.std()) > 1e-3 or multiplicity == phrases


def test_rows_say_how_far_the_ways_are_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reductions, "STEPS", 40)
    monkeypatch.setattr(reductions, "SHARES", (0.5,))
    rows = reductions.reduction_rows(4, 0.004, 2.2, 0, subjects=16, phrases=4)
    assert [row["way"] for row in rows] == ["second start", "A, always active", "A, rectified", "B"]
    found = torch.rand(7, 4, dtype=torch.float64)
    assert reductions.compared(found, found)["apart"] == 0
    assert reductions.compared(found, found)["correlation"] == pytest.approx(1)
    assert all(row["excess"] >= 0 for row in rows)
