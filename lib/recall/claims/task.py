"""The task of section 2: Definition 1, the kinds of relation (Table 1), the losses (eqs 1–3), and Lemma 4."""

from __future__ import annotations

import math
from itertools import permutations

import torch
from torch import Generator, Tensor

from lib.claims import Check, Claim, Evidence, Verdict, register
from lib.recall.claims.common import PAPER
from lib.recall.model import (
    Transformer,
    answer_loss_full,
    attention,
    build,
    cot_loss,
    logits,
    position_block,
    relation_loss_full,
    sequence,
)
from lib.recall.task import (
    Knowledge,
    Prompts,
    affine_family,
    all_prompts,
    knowledge,
    matches,
    random_bijections,
    sample_prompts,
)

PAGE = "book/recall/task"


def seeded(seed: int) -> Generator:
    return Generator().manual_seed(seed)


def bijections(subjects: int) -> Knowledge:
    """All n! relations."""
    return knowledge([list(p) for p in permutations(range(subjects))])


def definition_1(subjects: int, draws: int, replacement: int) -> Evidence:
    """How evenly the sampler covers r* and ordered triples of subjects, by a χ² of all cells."""
    known = affine_family(subjects)
    if replacement:
        rows = torch.randint(subjects, (draws, 3), generator=seeded(0))
        relation = torch.randint(known.relations, (draws,), generator=seeded(1))
    else:
        drawn = sample_prompts(known, draws, seeded(0))
        rows, relation = drawn.subjects, drawn.relation
    code = ((relation * subjects + rows[:, 0]) * subjects + rows[:, 1]) * subjects + rows[:, 2]
    every = all_prompts(known)
    cells = ((every.relation * subjects + every.subjects[:, 0]) * subjects + every.subjects[:, 1]) * subjects
    counts = torch.bincount(code, minlength=known.relations * subjects**3)[cells + every.subjects[:, 2]]
    mean = draws / every.size
    chi = float(((counts - mean) ** 2).sum()) / mean / (every.size - 1)
    inside = float(counts.sum()) / draws
    return Evidence(
        hypotheses={"subjects are drawn without replacement": not replacement},
        predicted={"prompts with three distinct subjects": 1.0, "χ² per degree of freedom": 1.0},
        measured={"prompts with three distinct subjects": inside, "χ² per degree of freedom": chi},
        conclusion=inside == 1 and abs(chi - 1) < 4 * math.sqrt(2 / (every.size - 1)),
    )


def tokens_follow_the_definition() -> bool:
    """Every sequence is s₁, r*(s₁), s₂, r*(s₂), s₃, EoS, and r*(s₃) is not among the answers shown."""
    known = random_bijections(5, 9, seeded(2))
    drawn = sample_prompts(known, 500, seeded(3))
    for tokens, s, r in zip(
        sequence(known, drawn).tolist(), drawn.subjects.tolist(), drawn.relation, strict=True
    ):
        a = [5 + int(known.answers[r, x]) for x in s]
        if tokens != [s[0], a[0], s[1], a[1], s[2], 2 * 5 + 9] or a[2] in a[:2]:
            return False
    return True


register(
    Claim(
        id="recall.definition-1",
        paper=PAPER,
        kind="definition",
        number="1",
        title="A prompt is a uniform relation with uniform distinct subjects",
        page=PAGE,
        statement=(
            "A prompt shows two subjects with their answers and asks for a third: the relation $r^*$ is uniform, and "
            "so are three distinct subjects. The targets are $r^*$ and $r^*(s_3)$."
        ),
        examine=definition_1,
        holds_at={"subjects": 5, "draws": 120_000, "replacement": 0},
        fails_at={"subjects": 5, "draws": 120_000, "replacement": 1},
        recorded=Verdict.CONFIRMED,
        finding="The sampler draws all prompts equally often; with repeated subjects half are no prompts.",
        checked=(
            Check(
                "Definition 1, the sequence",
                r"\widetilde Z=(s_1,a_1,s_2,a_2,s_3,u_{\mathrm{EoS}})",
                "count",
                tokens_follow_the_definition,
            ),
        ),
    )
)


ROWS = ((0, 1, 2), (1, 0, 2), (0, 2, 1), (1, 2, 0), (2, 0, 1), (2, 1, 0))
"""Table 1: to which of a₁, a₂, a₃ the six relations map s₁, s₂, s₃."""


def kinds(known: Knowledge, every: Prompts) -> Tensor:
    """The kind of each relation in each prompt: 0 correct, 1 confusing, 2 mismatched, 3 none of them; (B, |R|)."""
    hit = torch.cat(list(matches(known, every)))  # (B, |R|, 3, 2): r(sᵢ) = aⱼ
    two = hit.any(3).sum(2) == 2
    kind = torch.full(two.shape, 3)
    kind[two & hit[:, :, 2].any(2)] = 2
    kind[hit[:, :, 0, 1] & hit[:, :, 1, 0]] = 1
    kind[hit[:, :, 0, 0] & hit[:, :, 1, 1]] = 0
    return kind


def table_1(subjects: int) -> Evidence:
    """The kinds of all bijections in all prompts, and whether they are the table's six, row for row."""
    known = bijections(subjects)
    every = all_prompts(known)
    found = kinds(known, every)
    shown = known.answers[every.relation[:, None], every.subjects]  # (B, 3): a₁, a₂, a₃
    rows = torch.tensor(ROWS)
    images = known.answers.T[every.subjects].transpose(1, 2)  # (B, |R|, 3)
    is_row = (images[:, :, None] == shown[:, None, rows]).all(3)  # (B, |R|, 6)
    wanted = torch.tensor([0, 1, 2, 2, 2, 2])
    typed = (is_row * wanted).sum(2)
    listed = is_row.any(2)
    names = ("correct", "confusing", "mismatched", "none of them")
    counts = {name: float((found == kind).sum(1).double().mean()) for kind, name in enumerate(names)}
    return Evidence(
        hypotheses={"three subjects": subjects == 3},
        predicted={"correct": 1.0, "confusing": 1.0, "mismatched": 4.0, "none of them": 0.0},
        measured=counts,
        conclusion=bool(listed.all()) and torch.equal(typed, found) and bool((is_row.sum(1) == 1).all()),
    )


register(
    Claim(
        id="recall.table-1",
        paper=PAPER,
        kind="table",
        number="1",
        title="Six bijections of three subjects: one correct, one confusing, four mismatched",
        page=PAGE,
        statement=(
            "With three subjects and all six relations, every prompt has one correct relation, one confusing and four "
            "mismatched; the table lists where each sends $s_1, s_2, s_3$."
        ),
        examine=table_1,
        holds_at={"subjects": 3},
        fails_at={"subjects": 4},
        recorded=Verdict.CONFIRMED,
        finding="All six rows and their kinds are right in each of the 36 prompts.",
    )
)


def equations_1_3(everything: int, temperature: float) -> Evidence:
    """The gradients of L₁ and L₂ in W^KQ by automatic differentiation, and both losses when it is very hot."""
    known = random_bijections(5, 12, seeded(0))
    data = sample_prompts(known, 40, seeded(1))
    model = build(known, generator=seeded(2))
    size = model.embedding.shape[1]
    theta = torch.randn(6, dtype=torch.float64, generator=seeded(3))
    omega = torch.randn(7, dtype=torch.float64, generator=seeded(4))
    weights = position_block(theta, omega, size).requires_grad_()
    used = model._replace(W_KQ=weights)
    first, second = (
        torch.autograd.grad(loss(used, known, data, temperature), weights)[0]
        for loss in (relation_loss_full, answer_loss_full)
    )
    trained = (
        torch.ones_like(weights)
        if everything
        else torch.nn.functional.pad(torch.ones(7, 7), (0, size, 0, size))
    )
    own = torch.zeros(2, *weights.shape, dtype=torch.float64)
    own[0, :6, 5] = 1  # θ
    own[1, :7, 6] = 1  # ω
    stray = torch.stack([first, second]) * trained * (1 - own)
    hot = [
        float(loss(used, known, data, 1e12).detach())
        for loss in (relation_loss_full, answer_loss_full, cot_loss)
    ]
    return Evidence(
        hypotheses={"only the positions' block of W^KQ is trained": not everything},
        predicted={
            "gradient of L₁ outside θ": 0.0,
            "gradient of L₂ outside ω": 0.0,
            "L₁ when hot": math.log(12),
            "L₂ when hot": math.log(5),
            "L when hot": math.log(60),
            "least (answer's probability)/e^−ℓ": 1.0,
        },
        measured={
            "gradient of L₁ outside θ": float(stray[0].abs().max()),
            "gradient of L₂ outside ω": float(stray[1].abs().max()),
            "L₁ when hot": hot[0],
            "L₂ when hot": hot[1],
            "L when hot": hot[2],
            "least (answer's probability)/e^−ℓ": least_answer_ratio(used, known, data, temperature),
        },
        conclusion=float(stray.abs().max()) == 0,
    )


def least_answer_ratio(model: Transformer, known: Knowledge, data: Prompts, temperature: float) -> float:
    """The least of P(a₃), both steps decoded at random, over e^{−ℓ₁ − ℓ₂}: a wrong relation may also give a₃."""
    n = known.subjects
    p1 = torch.softmax(logits(model, sequence(known, data))[:, 2 * n : -1] / temperature, 1)  # (B, |R|)
    answer = known.answers[data.relation, data.subjects[:, -1]]
    tokens = sequence(known, data, decoded=True)
    total = torch.zeros(data.size, dtype=torch.float64)
    for relation in range(known.relations):
        tokens[:, -1] = 2 * n + relation
        p2 = torch.softmax(logits(model, tokens)[:, n : 2 * n] / temperature, 1)
        chance = p1[:, relation] * p2.gather(1, answer[:, None])[:, 0]
        total = total + chance
        if relation == 0:
            exact = torch.zeros_like(total)
        exact = torch.where(data.relation == relation, chance, exact)
    return float((total / exact).detach().min())


def losses_are_cross_entropies() -> bool:
    """L₁ and L₂ as means of −log of the masked softmax, written out token by token; L is their sum."""
    known = random_bijections(4, 7, seeded(5))
    data = sample_prompts(known, 30, seeded(6))
    model = build(known, generator=seeded(7))
    model = model._replace(W_KQ=torch.randn(model.W_KQ.shape, dtype=torch.float64, generator=seeded(8)) / 3)
    sums = [0.0, 0.0]
    for i in range(data.size):
        one = Prompts(data.subjects[i : i + 1], data.relation[i : i + 1])
        r = int(one.relation)
        a = int(known.answers[r, one.subjects[0, 2]])
        first = logits(model, sequence(known, one))[0, 8:15] / 0.3
        second = logits(model, sequence(known, one, decoded=True))[0, 4:8] / 0.3
        sums[0] -= float(first[r] - torch.log(torch.exp(first).sum())) / data.size
        sums[1] -= float(second[a] - torch.log(torch.exp(second).sum())) / data.size
    found = [
        float(loss(model, known, data, 0.3)) for loss in (relation_loss_full, answer_loss_full, cot_loss)
    ]
    return all(abs(x - y) < 1e-9 for x, y in zip(found, (*sums, sum(sums)), strict=True))


def attention_is_softmax_of_scores() -> bool:
    """softmax(θ) and softmax(ω) are the attention from EoS and from the decoded relation."""
    known = affine_family(5)
    data = sample_prompts(known, 20, seeded(9))
    model = build(known, generator=seeded(10))
    theta = torch.randn(6, dtype=torch.float64, generator=seeded(11))
    omega = torch.randn(7, dtype=torch.float64, generator=seeded(12))
    model = model._replace(W_KQ=position_block(theta, omega, model.embedding.shape[1]))
    pairs = (
        (attention(model, sequence(known, data)), torch.softmax(theta, 0)),
        (attention(model, sequence(known, data, decoded=True)), torch.softmax(omega, 0)),
    )
    return all(float((seen - wanted).abs().max()) < 1e-12 for seen, wanted in pairs)


register(
    Claim(
        id="recall.equations-1-3",
        paper=PAPER,
        kind="equations",
        number="1–3",
        title="Two losses, and each sees scores of its own",
        page=PAGE,
        statement=(
            "The loss is $L = L_1 + L_2$: cross-entropy of naming $r^*$, then of naming the answer with $r^*$ decoded, "
            "each over tokens of its kind alone. If only scores between positions are trained, $L_1$ "
            "depends on $\\theta$ alone and $L_2$ on $\\omega$ alone."
        ),
        examine=equations_1_3,
        holds_at={"everything": 0, "temperature": 0.2},
        fails_at={"everything": 1, "temperature": 0.2},
        recorded=Verdict.CONFIRMED,
        finding="They part exactly. And e^−L never flatters: a wrong relation, too, may lead to the right answer.",
        checked=(
            Check(
                "Equations 1, 2 and 3",
                r"L_1,\ L_2,\ L=L_1+L_2",
                "full model, written out prompt by prompt",
                losses_are_cross_entropies,
            ),
            Check(
                "Section 2.3, partial fine-tuning",
                r"\mathrm{softmax}(\theta),\ \mathrm{softmax}(\omega)\text{ are the attention}",
                "full model",
                attention_is_softmax_of_scores,
            ),
        ),
    )
)


def random_weights(model: Transformer, seed: int, scale: float) -> Transformer:
    """The model with a full Gaussian W^KQ: tokens and positions attend to each other."""
    noise = torch.randn(model.W_KQ.shape, dtype=torch.float64, generator=seeded(seed))
    return model._replace(W_KQ=scale * noise)


def looking_at_the_query(model: Transformer) -> Transformer:
    """All attention on the query: what Lemma 2 trains the second step to do."""
    omega = torch.zeros(7, dtype=torch.float64)
    omega[4] = 30.0
    return model._replace(
        W_KQ=position_block(torch.zeros(6, dtype=torch.float64), omega, model.embedding.shape[1])
    )


def answers_told(model: Transformer, known: Knowledge, decoded: bool) -> tuple[float, float]:
    """The largest spread of the answers' logits in a prompt, and the accuracy, a tie of m counting 1/m."""
    every = all_prompts(known)
    n = known.subjects
    scores = logits(model, sequence(known, every, decoded))[:, n : 2 * n]
    own = scores.gather(1, known.answers[every.relation, every.subjects[:, -1]][:, None])
    best = scores.amax(1, keepdim=True)
    tied = (scores > best - 1e-9).sum(1, keepdim=True)
    right = (own > best - 1e-9).double() / tied
    return float((best - scores.amin(1, keepdim=True)).max()), float(right.mean())


def lemma_4(decoded: int, seeds: int) -> Evidence:
    """Answers read off at once, for random W^KQ, three subjects; and for five and eight subjects as well."""
    sets = (affine_family(3), affine_family(5), random_bijections(8, 20, seeded(0)))
    spread, accuracy = 0.0, []
    for known in sets:
        model = build(known, generator=seeded(1))
        models = [random_weights(model, seed, 0.3 * 3**seed) for seed in range(seeds)]
        found = [answers_told(one, known, bool(decoded)) for one in (*models, looking_at_the_query(model))]
        spread = max(spread, *(gap for gap, _ in found))
        accuracy.append(max(share for _, share in found))
    names = [f"best accuracy, {known.subjects} subjects" for known in sets]
    return Evidence(
        hypotheses={"the relation is not decoded first": not decoded},
        predicted={
            "spread of the answers' logits": 0.0,
            **dict(zip(names, (1 / 3, 1 / 5, 1 / 8), strict=True)),
        },
        measured={
            "spread of the answers' logits": spread if spread > 1e-9 else 0.0,
            **dict(zip(names, accuracy, strict=True)),
        },
        conclusion=spread < 1e-9 and accuracy[0] <= 1 / 3 + 1e-9,
    )


def answers_logit_is_right() -> bool:
    """l(a) = v₁² + v₃² + v₅² for every answer a, in the full model with a random W^KQ, n = 3 and 5."""
    for q in (3, 5):
        known = affine_family(q)
        every = all_prompts(known)
        model = random_weights(build(known, generator=seeded(2)), 3, 1.0)
        tokens = sequence(known, every)
        v = attention(model, tokens)
        printed = v[:, 0] ** 2 + v[:, 2] ** 2 + v[:, 4] ** 2
        if float((logits(model, tokens)[:, q : 2 * q] - printed[:, None]).abs().max()) > 1e-9:
            return False
    return True


register(
    Claim(
        id="recall.lemma-4",
        paper=PAPER,
        kind="lemma",
        number="4",
        title="Without naming the relation first, all answers tie",
        page=PAGE,
        statement=(
            "With three subjects and all six relations, whatever $W^{KQ}$ is: the first decoding step gives all "
            "three answers the same logit, so read as an answer it is right one time in three."
        ),
        examine=lemma_4,
        holds_at={"decoded": 0, "seeds": 4},
        fails_at={"decoded": 1, "seeds": 4},
        recorded=Verdict.CONFIRMED,
        finding=(
            "More is true: they tie for any n, any facts and any number of examples, full fine-tuning or not. One in n "
            "counts a tie fairly; at n = 3 ruling out the answers already shown would be right every time."
        ),
        checked=(
            Check(
                "Proof of Lemma 4",
                r"l(a_1)=l(a_2)=l(a_3)=v_1^2+v_3^2+v_5^2",
                "full model",
                answers_logit_is_right,
            ),
        ),
    )
)
