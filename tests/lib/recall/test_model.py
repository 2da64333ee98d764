"""The transformer as printed: its memory (Lemma 1), its attention, its losses (eqs 1–3) and its training."""

import itertools
import re
from collections.abc import Callable

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.recall import model, task

quick = settings(max_examples=15, deadline=None)
seeds = st.integers(0, 10_000)


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def expected_scores(known: task.Knowledge, kind: str, first: int, second: int) -> torch.Tensor:
    """What the memory says for bijections, worked out by hand from the three neurons of each pair."""
    n, count = known.subjects, known.relations
    scores = torch.ones(2 * n + count + 1, dtype=torch.float64)
    scores[-1] = 0
    if kind == "subject and relation":
        scores[n : 2 * n] = 2
        scores[n + known.answers[second, first]] = 4
    elif kind == "answer and relation":
        scores[:n] = 2
        scores[:n][known.answers[second] == first] = 4
    else:
        scores[2 * n : -1] = 2
        scores[2 * n : -1][known.answers[:, first] == second] = 4
    return scores


@quick
@given(st.integers(3, 5), st.integers(1, 6), st.booleans(), seeds)
def test_lemma_1_every_score_of_every_pair(subjects: int, relations: int, rotated: bool, seed: int) -> None:
    known = task.random_bijections(subjects, relations, generator(seed))
    built = model.build(known, generator=generator(seed) if rotated else None)
    n = subjects
    kinds = {
        "subject and relation": (range(n), range(relations), 0, 2 * n),
        "answer and relation": (range(n), range(relations), n, 2 * n),
        "subject and answer": (range(n), range(n), 0, n),
    }
    for kind, (firsts, seconds, shift, other) in kinds.items():
        for first, second in itertools.product(firsts, seconds):
            answered = model.memory_scores(built, shift + first, other + second)
            torch.testing.assert_close(
                answered, expected_scores(known, kind, first, second), rtol=0, atol=1e-12
            )


def test_lemma_1_argmax_recovers_the_third_element_of_every_fact() -> None:
    known = task.random_bijections(6, 20, generator())
    built = model.build(known)
    relation = torch.arange(20).repeat_interleave(6)
    subject = torch.arange(6).repeat(20)
    answer = 6 + known.answers.flatten()
    assert torch.equal(model.memory_scores(built, subject, 12 + relation).argmax(1), answer)
    assert torch.equal(model.memory_scores(built, answer, 12 + relation).argmax(1), subject)
    decoded = model.memory_scores(built, subject, answer).argmax(1) - 12
    assert torch.equal(known.answers[decoded, subject], answer - 6)  # several relations may tie


def test_the_memory_has_three_neurons_for_each_pair_of_subject_and_answer() -> None:
    known = task.knowledge([[0, 1, 2], [0, 2, 1]])
    built = model.build(known, 2)
    assert built.W.shape == built.V.shape == (27, 9)
    assert built.W[:3].tolist() == [
        [1, 0, 0, 0, 0, 0, 1, 1, 0],
        [1, 0, 0, 1, 0, 0, 0, 0, 0],
        [0, 0, 0, 1, 0, 0, 1, 1, 0],
    ]
    assert built.V[:3].tolist() == [
        [0, 0, 0, 1, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 1, 1, 0],
        [1, 0, 0, 0, 0, 0, 0, 0, 0],
    ]
    assert (built.positions, built.examples) == (7, 2)


def test_embeddings_are_orthonormal() -> None:
    built = model.build(task.affine_family(3), generator=generator())
    eye = torch.eye(13, dtype=torch.float64)
    torch.testing.assert_close(built.embedding @ built.embedding.T, eye, rtol=0, atol=1e-14)


def test_a_prompt_is_pairs_then_query_then_eos_then_the_decoded_relation() -> None:
    known = task.knowledge([[0, 1, 2], [2, 0, 1]])
    shown = task.prompts(known, [[0, 2, 1]], [1])
    assert model.sequence(known, shown).tolist() == [[0, 3 + 2, 2, 3 + 1, 1, 8]]
    assert model.sequence(known, shown, decoded=True).tolist() == [[0, 3 + 2, 2, 3 + 1, 1, 8, 6 + 1]]


@quick
@given(st.integers(2, 3), seeds)
def test_position_block_attends_from_eos_by_theta_and_from_the_relation_by_omega(
    examples: int, seed: int
) -> None:
    known = task.random_bijections(4, 5, generator(seed))
    shown = task.sample_prompts(known, 3, generator(seed), examples)
    theta = torch.randn(2 * examples + 2, generator=generator(seed), dtype=torch.float64)
    omega = torch.randn(2 * examples + 3, generator=generator(seed + 1), dtype=torch.float64)
    built = model.build(known, examples)
    built = built._replace(W_KQ=model.position_block(theta, omega, built.embedding.shape[1]))
    from_eos = model.attention(built, model.sequence(known, shown))
    from_relation = model.attention(built, model.sequence(known, shown, decoded=True))
    torch.testing.assert_close(from_eos, theta.softmax(0).expand_as(from_eos))
    torch.testing.assert_close(from_relation, omega.softmax(0).expand_as(from_relation))
    assert int((built.W_KQ != 0).sum()) == 4 * examples + 5


def test_the_logits_of_table_2() -> None:
    known = task.random_bijections(3, 6, generator())
    v = torch.tensor([0.3, 0.05, 0.2, 0.15, 0.1, 0.2], dtype=torch.float64)
    built = model.build(known)
    block = model.position_block(v.log(), torch.zeros(7, dtype=torch.float64), built.embedding.shape[1])
    scores = model.logits(built._replace(W_KQ=block), torch.tensor([[0, 3, 1, 4, 2, 12]]))[0]
    v1, v2, v3, v4, v5, _ = v.tolist()
    printed = {
        (0, 1, 2): (v1 + v2) ** 2 + (v3 + v4) ** 2 + v5**2,
        (1, 0, 2): (v1 + v4) ** 2 + (v2 + v3) ** 2 + v5**2,
        (0, 2, 1): (v5 + v4) ** 2 + (v1 + v2) ** 2 + v3**2,
        (1, 2, 0): (v5 + v2) ** 2 + (v1 + v4) ** 2 + v3**2,
        (2, 0, 1): (v5 + v4) ** 2 + (v3 + v2) ** 2 + v1**2,
        (2, 1, 0): (v5 + v2) ** 2 + (v3 + v4) ** 2 + v1**2,
    }
    relations = [printed[tuple(images)] for images in known.answers.tolist()]
    expected = [v2**2 + v4**2] * 3 + [v1**2 + v3**2 + v5**2] * 3 + relations
    torch.testing.assert_close(scores[:-1], torch.tensor(expected, dtype=torch.float64), rtol=1e-14, atol=0)


def brute_force_losses(
    built: model.Transformer, known: task.Knowledge, shown: task.Prompts, temperature: float
) -> tuple[float, float]:
    """Eqs 1 and 2, one sequence at a time and with the paper's columns."""
    n, phi = known.subjects, built.embedding
    places = torch.eye(built.positions, dtype=torch.float64)
    total = [0.0, 0.0]
    for subjects, r in zip(shown.subjects.tolist(), shown.relation.tolist(), strict=True):
        tokens = [t for s in subjects[:-1] for t in (s, n + int(known.answers[r, s]))]
        tokens += [subjects[-1], 2 * n + known.relations]
        for step, extra in enumerate([[], [2 * n + r]]):
            ids = tokens + extra
            Z = torch.stack([torch.cat([places[i], phi[u]]) for i, u in enumerate(ids)], 1)  # (d_P + d, L)
            z = Z[:, -1]
            h = (z + Z @ torch.softmax(Z.T @ built.W_KQ @ z, 0))[built.positions :]
            f = built.V.T @ (built.W @ h) ** 2
            rows = phi[2 * n : -1] if step == 0 else phi[n : 2 * n]
            target = r if step == 0 else int(known.answers[r, subjects[-1]])
            total[step] -= float(torch.log_softmax(rows @ f / temperature, 0)[target])
    return total[0] / shown.size, total[1] / shown.size


@quick
@given(st.integers(3, 5), st.integers(2, 3), st.floats(0.05, 2), seeds)
def test_losses_are_equations_1_to_3(subjects: int, examples: int, temperature: float, seed: int) -> None:
    known = task.random_bijections(subjects, 5, generator(seed))
    shown = task.sample_prompts(known, 4, generator(seed), min(examples, subjects - 1))
    built = model.build(known, shown.examples, generator(seed))
    noise = torch.randn(built.W_KQ.shape, generator=generator(seed), dtype=torch.float64)
    built = built._replace(W_KQ=noise)  # every token attends by its content too
    relation, answer = brute_force_losses(built, known, shown, temperature)
    arguments = (built, known, shown, temperature)
    assert float(model.relation_loss_full(*arguments)) == pytest.approx(relation, rel=1e-11, abs=1e-13)
    assert float(model.answer_loss_full(*arguments)) == pytest.approx(answer, rel=1e-11, abs=1e-13)
    assert float(model.cot_loss(*arguments)) == pytest.approx(relation + answer, rel=1e-11, abs=1e-13)


def test_training_does_not_depend_on_the_choice_of_orthonormal_basis() -> None:
    known = task.affine_family(3)
    shown = task.sample_prompts(known, 5, generator())
    partial, full = [], []
    for built in (model.build(known), model.build(known, generator=generator())):
        partial.append(model.fine_tune(built, known, shown, 0.3, 0.05, 5).losses)
        for _ in range(5):  # of descent in the whole of W^KQ
            W_KQ = built.W_KQ.clone().requires_grad_()
            loss = model.cot_loss(built._replace(W_KQ=W_KQ), known, shown, 0.3)
            (slope,) = torch.autograd.grad(loss, W_KQ)
            built = built._replace(W_KQ=built.W_KQ - 0.05 * slope)
        full.append(model.cot_loss(built, known, shown, 0.3))
    torch.testing.assert_close(*partial, rtol=1e-12, atol=0)
    torch.testing.assert_close(*full, rtol=1e-12, atol=0)


def test_one_step_of_fine_tuning_is_a_gradient_step_on_the_sum_of_the_losses() -> None:
    known = task.random_bijections(4, 6, generator())
    shown = task.sample_prompts(known, 5, generator())
    built = model.build(known)
    after = model.fine_tune(built, known, shown, 0.2, 0.1, 1)
    start = tuple(torch.zeros(size, dtype=torch.float64, requires_grad=True) for size in (6, 7))
    slopes = torch.autograd.grad(model.cot_loss(model.with_scores(built, *start), known, shown, 0.2), start)
    for moved, slope in zip(after.parameters, slopes, strict=True):
        torch.testing.assert_close(moved, -0.1 * slope, rtol=1e-13, atol=1e-16)
    torch.testing.assert_close(
        after.losses[-1].sum(), model.cot_loss(after.transformer, known, shown, 0.2), rtol=1e-14, atol=0
    )


def test_fine_tuning_lowers_the_loss() -> None:
    known = task.affine_family(3)
    shown = task.sample_prompts(known, 8, generator())
    built = model.build(known)
    losses = model.fine_tune(built, known, shown, 0.2, 0.02, 20).losses
    assert losses.shape == (21, 2)
    assert (losses.sum(1).diff() < 0).all()


def test_fine_tuning_continues_from_a_given_start() -> None:
    known = task.affine_family(3)
    shown = task.sample_prompts(known, 8, generator())
    built = model.build(known)
    half = model.fine_tune(built, known, shown, 0.2, 0.02, 3)
    rest = model.fine_tune(built, known, shown, 0.2, 0.02, 3, start=half.parameters)
    whole = model.fine_tune(built, known, shown, 0.2, 0.02, 6)
    assert torch.equal(torch.cat([half.losses, rest.losses[1:]]), whole.losses)


KNOWN = task.affine_family(3)
PROMPTS = task.all_prompts(KNOWN)
BUILT = model.build(KNOWN)
WIDE = task.random_bijections(4, 3, generator())
ARGUMENTS = (BUILT, KNOWN, PROMPTS)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: model.build(KNOWN, 1), "examples = 1: must be a whole number from 2 to 2"),
        (lambda: model.build(KNOWN, 3), "examples = 3: must be a whole number from 2 to 2"),
        (
            lambda: model.relation_loss_full(*ARGUMENTS, 0),
            "temperature = 0: must be a finite number greater than 0",
        ),
        (
            lambda: model.answer_loss_full(*ARGUMENTS, -1),
            "temperature = -1: must be a finite number greater than 0",
        ),
        (
            lambda: model.cot_loss(*ARGUMENTS, float("nan")),
            "temperature = nan: must be a finite number greater",
        ),
        (
            lambda: model.cot_loss(BUILT, WIDE, task.all_prompts(WIDE, 3), 1.0),
            "prompts have 3 examples: must be 2, as in the transformer",
        ),
        (
            lambda: model.fine_tune(*ARGUMENTS, 1.0, 0.0, 1),
            "learning_rate = 0.0: must be a finite number greater than 0",
        ),
        (lambda: model.fine_tune(*ARGUMENTS, 1.0, 0.1, -1), "steps = -1: must be a whole number at least 0"),
        (
            lambda: model.fine_tune(*ARGUMENTS, 1.0, 0.1, 1, start=(torch.zeros(6), torch.zeros(6))),
            "theta and omega have shapes (6,) and (6,)",
        ),
        (
            lambda: model.position_block(torch.zeros(6), torch.zeros(6), 3),
            "theta and omega have shapes (6,) and (6,)",
        ),
        (lambda: model.position_block(torch.zeros(4), torch.zeros(5), 3), "with K at least 2"),
    ],
)
def test_bad_input_is_refused_with_its_name_and_the_range(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        call()


def test_a_model_beyond_two_gibibytes_is_refused_with_the_sizes_and_the_way_out() -> None:
    known = task.affine_family(83)
    with pytest.raises(
        ValueError, match=r"83 subjects, 6806 relations: the full model needs .* GiB .*reduction\.reduce"
    ):
        model.build(known)


def test_too_many_prompts_at_once_are_refused_with_the_sizes_and_the_way_out() -> None:
    known = task.random_bijections(12, 8, generator())
    shown = task.sample_prompts(known, 200_000, generator())
    with pytest.raises(ValueError, match=r"12 subjects, 8 relations and 200000 prompts: .*reduction\.reduce"):
        model.relation_loss_full(model.build(known), known, shown, 1.0)
