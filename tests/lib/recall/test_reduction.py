"""The exact reduction against the transformer as printed: loss, gradient, whole trajectory."""

import itertools
import math
import re
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.fx.experimental.proxy_tensor import make_fx

from lib.recall import model, reduction, task

quick = settings(max_examples=20, deadline=None)
temperatures = st.floats(0.05, 10)
seeds = st.integers(0, 10_000)
Loss = Callable[[Tensor, reduction.Reduced, float | Tensor], Tensor]


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def normal(size: int, seed: int, scale: float = 1.0) -> Tensor:
    return scale * torch.randn(size, generator=generator(seed), dtype=torch.float64)


class Problem(NamedTuple):
    """Knowledge and a fine-tuning set."""

    known: task.Knowledge
    shown: task.Prompts


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    """Small problems of all three families, with two or three examples."""
    family, seed = draw(st.sampled_from(["bijections", "affine", "subset"])), draw(seeds)
    if family == "bijections":
        subjects = draw(st.integers(3, 7))
        relations = draw(st.integers(1, min(30, math.factorial(subjects))))
        known = task.random_bijections(subjects, relations, generator(seed))
    elif family == "affine":
        known = task.affine_family(draw(st.sampled_from([3, 5, 7])))
    else:
        known = task.affine_subset(draw(st.sampled_from([5, 7])), draw(st.integers(1, 20)), generator(seed))
    examples = min(draw(st.integers(2, 3)), known.subjects - 1)
    return Problem(known, task.sample_prompts(known, draw(st.integers(1, 12)), generator(seed), examples))


def full_losses(problem: Problem, theta: Tensor, omega: Tensor, temperature: float) -> tuple[Tensor, Tensor]:
    """L₁(θ) and L₂(ω) of the transformer as printed."""
    built = model.build(problem.known, problem.shown.examples)
    built = built._replace(W_KQ=model.position_block(theta, omega, built.embedding.shape[1]))
    arguments = (built, *problem, temperature)
    return model.relation_loss_full(*arguments), model.answer_loss_full(*arguments)


def assert_same(result: Tensor, expected: Tensor, atol: float = 1e-13) -> None:
    """Equal to 1e-12 of the largest entry; the floor is the round-off of a loss near 0."""
    torch.testing.assert_close(result, expected, rtol=0, atol=atol + 1e-12 * float(expected.abs().max()))


@quick
@given(problems(), temperatures, seeds)
def test_losses_and_gradients_equal_the_full_model(problem: Problem, temperature: float, seed: int) -> None:
    k = problem.shown.examples
    theta, omega = (normal(2 * k + size, seed + size).requires_grad_() for size in (2, 3))
    reduced = reduction.reduce(*problem)
    full = full_losses(problem, theta, omega, temperature)
    short = (
        reduction.relation_loss(theta, reduced, temperature),
        reduction.answer_loss(omega, reduced, temperature),
    )
    for parameter, result, expected in zip((theta, omega), short, full, strict=True):
        assert_same(result.detach(), expected.detach())
        (slope,) = torch.autograd.grad(result, parameter)
        (slope_expected,) = torch.autograd.grad(expected, parameter)
        assert_same(slope, slope_expected, atol=1e-14 / temperature)


@settings(max_examples=10, deadline=None)
@given(problems(), st.floats(0.1, 2), seeds)
def test_whole_trajectories_equal_the_full_model(problem: Problem, temperature: float, seed: int) -> None:
    k, steps, rate = problem.shown.examples, 30, 2 * temperature**2
    theta, omega = normal(2 * k + 2, seed, 0.5), normal(2 * k + 3, seed + 1, 0.5)
    built = model.build(problem.known, k)
    full = model.fine_tune(built, *problem, temperature, rate, steps, start=(theta, omega))
    reduced = reduction.reduce(*problem)
    losses = []
    for _ in range(steps + 1):
        down_theta, relation = torch.func.grad_and_value(reduction.relation_loss)(theta, reduced, temperature)
        down_omega, answer = torch.func.grad_and_value(reduction.answer_loss)(omega, reduced, temperature)
        losses.append(torch.stack([relation, answer]))
        ends = theta, omega
        theta, omega = theta - rate * down_theta, omega - rate * down_omega
    assert_same(torch.stack(losses), full.losses)
    for result, expected in zip(ends, full.parameters, strict=True):
        assert_same(result, expected)


@quick
@given(problems(), temperatures, seeds)
def test_shares_and_answer_probability_equal_the_full_model(
    problem: Problem, temperature: float, seed: int
) -> None:
    known, shown = problem.known, task.Prompts(problem.shown.subjects[:1], problem.shown.relation[:1])
    k, n = shown.examples, known.subjects
    theta, omega = normal(2 * k + 2, seed), normal(2 * k + 3, seed + 1)
    built = model.build(known, k)
    built = built._replace(W_KQ=model.position_block(theta, omega, built.embedding.shape[1]))
    scores = model.logits(built, model.sequence(known, shown))[0, 2 * n : -1]
    chances = torch.softmax(scores / temperature, 0)
    hit = next(task.matches(known, shown))[0].to(torch.float64)  # (R, K+1, K)
    classes = reduction.match_classes(k)
    same = (hit[:, None] == classes).all(3).all(2).to(torch.float64)  # (R, C)
    reduced = reduction.reduce(known, shown)
    assert_same(reduction.relation_shares(theta, reduced, temperature), (chances @ same)[None])
    scores = model.logits(built, model.sequence(known, shown, decoded=True))[0, n : 2 * n]
    right = torch.softmax(scores / temperature, 0)[known.answers[shown.relation[0], shown.subjects[0, -1]]]
    assert_same(reduction.answer_probability(omega, reduced, temperature), right)


@pytest.mark.parametrize(("examples", "classes"), [(2, 13), (3, 73), (4, 501)])
def test_match_classes_are_all_partial_injective_maps(examples: int, classes: int) -> None:
    maps = reduction.match_classes(examples)
    assert maps.shape == (classes, examples + 1, examples)
    assert maps.dtype == torch.float64
    assert len({tuple(m.flatten().tolist()) for m in maps}) == classes
    assert int(maps.sum(1).max()) == int(maps.sum(2).max()) == 1
    sizes = [
        math.comb(examples + 1, k) * math.comb(examples, k) * math.factorial(k) for k in range(examples + 1)
    ]
    assert torch.bincount(maps.sum((1, 2)).long()).tolist() == sizes


def test_classes_come_in_the_order_of_table_1() -> None:
    images = [(0, 1, 2), (1, 0, 2), (0, 2, 1), (1, 2, 0), (2, 0, 1), (2, 1, 0)]  # r₁ … r₆
    expected = [[[float(a == j) for j in range(2)] for a in row] for row in images]
    maps = reduction.match_classes(2)
    assert maps[:6].tolist() == expected
    assert maps[6:12].sum((1, 2)).tolist() == [1] * 6
    assert maps[12].sum() == 0


@pytest.mark.parametrize("examples", [2, 3, 4, 5])
def test_the_true_relation_is_class_zero(examples: int) -> None:
    true = reduction.match_classes(examples)[0]
    assert torch.equal(true[:-1], torch.eye(examples, dtype=torch.float64))
    assert true[-1].sum() == 0


@quick
@given(problems())
def test_each_histogram_counts_every_relation_and_the_weights_add_up_to_one(problem: Problem) -> None:
    reduced = reduction.reduce(*problem)
    counts = reduced.log_counts.exp()
    torch.testing.assert_close(counts.sum(1), torch.full_like(counts[:, 0], problem.known.relations))
    assert (counts[:, 0] > 0.5).all()  # the true relation itself
    assert float(reduced.weights.sum()) == pytest.approx(1, rel=1e-14)
    assert float(reduced.subjects) == problem.known.subjects
    if problem.shown.examples == 2:
        result = task.assumption_2(*problem)
        confusing = reduced.weights[counts[:, 1] > 0.5].sum()
        mismatched = reduced.weights[(counts[:, 2:6] > 0.5).any(1)].sum()
        assert float(confusing) == pytest.approx(result.confusing_fraction, rel=1e-14)
        assert float(mismatched) == pytest.approx(result.mismatched_fraction, rel=1e-14)


def test_the_reduction_does_not_depend_on_how_prompts_are_split(monkeypatch: pytest.MonkeyPatch) -> None:
    known = task.random_bijections(5, 12, generator())
    whole = reduction.reduce(known, task.all_prompts(known))
    for part in (task, reduction):
        monkeypatch.setattr(part, "CHUNK", 300)
    for result, expected in zip(reduction.reduce(known, task.all_prompts(known)), whole, strict=True):
        assert torch.equal(result, expected)


@pytest.mark.parametrize("q", [3, 5, 7])
def test_the_closed_form_equals_the_enumerated_affine_family(q: int) -> None:
    family = task.affine_family(q)
    enumerated = reduction.reduce(family, task.all_prompts(family))
    for result, expected in zip(reduction.affine_reduced(q), enumerated, strict=True):
        torch.testing.assert_close(result, expected, rtol=1e-15, atol=0)


def test_the_closed_form_needs_no_list_of_relations() -> None:
    q = 1_000_003
    counts = reduction.affine_reduced(q).log_counts.exp()
    assert float(counts.sum()) == pytest.approx(q * (q - 1), rel=1e-12)


def traced(function: Callable[..., Any], parameter: Tensor, reduced: reduction.Reduced) -> Callable[..., Any]:
    temperature = torch.ones((), dtype=torch.float64)
    return make_fx(torch.func.functionalize(function), tracing_mode="fake")(parameter, reduced, temperature)


@pytest.mark.parametrize("examples", [2, 3])
def test_every_formula_of_the_dynamics_can_be_traced(examples: int) -> None:
    known = task.random_bijections(4, 6, generator())
    reduced = reduction.reduce(known, task.sample_prompts(known, 9, generator(), examples))
    other = reduction.reduce(known, task.sample_prompts(known, 9, generator(), examples))
    functions: list[tuple[Loss, int]] = [
        (reduction.relation_loss, 2),
        (reduction.relation_shares, 2),
        (reduction.answer_loss, 3),
        (reduction.answer_probability, 3),
    ]
    for function, extra in functions:
        start, later = (normal(2 * examples + extra, seed) for seed in (1, 2))
        cold = torch.tensor(0.05, dtype=torch.float64)
        graph = traced(function, start, reduced)
        assert torch.equal(graph(later, other, cold), function(later, other, cold))
        if function is reduction.relation_shares:
            continue
        both = torch.func.grad_and_value(function)
        slope, value = traced(both, start, reduced)(later, other, cold)
        slope_expected, value_expected = both(later, other, cold)
        assert torch.equal(slope, slope_expected)
        assert torch.equal(value, value_expected)


def test_the_affine_histogram_can_be_traced_in_the_number_of_subjects() -> None:
    graph = make_fx(reduction.affine_log_counts, tracing_mode="fake")(torch.tensor(7.0, dtype=torch.float64))
    for q in (3, 5, 11):
        closed = reduction.affine_reduced(q)
        assert torch.equal(graph(closed.subjects), closed.log_counts[0])


COLD_AND_HOT = (1e-4, 0.01, 1.0, 10.0)


@pytest.mark.parametrize("temperature", COLD_AND_HOT)
@pytest.mark.parametrize("q", [3, 7, 1_000_003])
def test_values_and_derivatives_stay_finite(q: int, temperature: float) -> None:
    reduced = reduction.affine_reduced(q)  # at q = 3 no relation matches once or never, and n − K − 1 = 0
    for seed, (function, size) in itertools.product(
        range(3),
        [(reduction.relation_loss, 6), (reduction.answer_loss, 7), (reduction.answer_probability, 7)],
    ):
        point = normal(size, seed, scale=3.0)
        assert torch.isfinite(function(point, reduced, temperature))
        assert torch.isfinite(torch.func.grad(function)(point, reduced, temperature)).all()
        assert torch.isfinite(torch.func.hessian(function)(point, reduced, temperature)).all()
    shares = reduction.relation_shares(normal(6, 0), reduced, temperature)
    assert_same(shares.sum(1), torch.ones(1, dtype=torch.float64))


@pytest.mark.parametrize("temperature", COLD_AND_HOT)
@pytest.mark.parametrize("off", [(4,), (4, 5), (2, 3, 4, 5), (0, 2, 4)])
def test_a_position_at_minus_infinity_gets_no_attention_and_no_gradient(
    off: tuple[int, ...], temperature: float
) -> None:
    for q, (function, size) in itertools.product(
        (3, 7), [(reduction.relation_loss, 6), (reduction.answer_loss, 7), (reduction.answer_probability, 7)]
    ):
        reduced = reduction.affine_reduced(q)
        point, nearly = normal(size, 3), normal(size, 3)
        point[list(off)], nearly[list(off)] = -math.inf, -1000.0
        slope, value = torch.func.grad_and_value(function)(point, reduced, temperature)
        slope_nearly, value_nearly = torch.func.grad_and_value(function)(nearly, reduced, temperature)
        assert (slope[list(off)] == 0).all()
        assert torch.equal(slope, slope_nearly)
        assert torch.equal(value, value_nearly)
        graph = traced(torch.func.grad_and_value(function), nearly, reduced)
        assert torch.equal(graph(point, reduced, torch.tensor(temperature, dtype=torch.float64))[0], slope)


def test_the_gradient_keeps_its_accuracy_where_the_loss_is_round_off() -> None:
    reduced, temperature = reduction.affine_reduced(3), 0.001
    theta = torch.tensor([0.5, 0.5, 0.0, 0.0, -4.0, -4.0], dtype=torch.float64)
    wrong = reduction.relation_shares(theta, reduced, temperature)[0, 1:]
    slopes = torch.func.jacrev(lambda t: reduction.relation_logits(t.softmax(0), reduced.matches))(
        theta
    )  # (13, 6)
    expected = wrong @ (slopes[1:] - slopes[0]) / temperature
    assert 0 < float(wrong.sum()) < 1e-12
    result = torch.func.grad(reduction.relation_loss)(theta, reduced, temperature)
    torch.testing.assert_close(result, expected, rtol=1e-12, atol=0)


def test_the_logits_are_those_of_table_2_less_the_common_term() -> None:
    v = torch.tensor([0.3, 0.05, 0.2, 0.15, 0.1, 0.2], dtype=torch.float64)
    v1, v2, v3, v4, v5, _ = v.tolist()
    printed = [
        (v1 + v2) ** 2 + (v3 + v4) ** 2 + v5**2,
        (v1 + v4) ** 2 + (v2 + v3) ** 2 + v5**2,
        (v5 + v4) ** 2 + (v1 + v2) ** 2 + v3**2,
        (v5 + v2) ** 2 + (v1 + v4) ** 2 + v3**2,
        (v5 + v4) ** 2 + (v3 + v2) ** 2 + v1**2,
        (v5 + v2) ** 2 + (v3 + v4) ** 2 + v1**2,
    ]
    common = v1**2 + v2**2 + v3**2 + v4**2 + v5**2
    result = reduction.relation_logits(v, reduction.match_classes(2))[:6]
    torch.testing.assert_close(
        result + common, torch.tensor(printed, dtype=torch.float64), rtol=1e-14, atol=0
    )


AFFINE = reduction.affine_reduced(5)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: reduction.match_classes(1), "examples = 1: must be a whole number from 2 to 6"),
        (lambda: reduction.match_classes(7), "examples = 7: must be a whole number from 2 to 6"),
        (lambda: reduction.affine_reduced(15), "q = 15: must be a prime number, and 3 divides it"),
        (lambda: reduction.affine_reduced(2), "q = 2: must be a whole number at least 3"),
        (
            lambda: reduction.affine_reduced(1_000_001),
            "q = 1000001: must be a prime number, and 101 divides it",
        ),
        (lambda: reduction.relation_loss(torch.zeros(7), AFFINE, 1.0), "theta has shape (7,): must be (6,)"),
        (
            lambda: reduction.relation_shares(torch.zeros(8), AFFINE, 1.0),
            "theta has shape (8,): must be (6,)",
        ),
        (lambda: reduction.answer_loss(torch.zeros(6), AFFINE, 1.0), "omega has shape (6,): must be (7,)"),
        (
            lambda: reduction.answer_probability(torch.zeros(1, 7), AFFINE, 1.0),
            "omega has shape (1, 7): must be",
        ),
        (
            lambda: reduction.reduce(
                *(lambda known: (known, task.all_prompts(known, 7)))(task.knowledge([[*range(8)]]))
            ),
            "examples = 7: must be a whole number from 2 to 6",
        ),
    ],
)
def test_bad_input_is_refused_with_its_name_and_the_range(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        call()
