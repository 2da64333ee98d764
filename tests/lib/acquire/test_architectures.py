"""Table 3's data and models: what leaks, what is linear, what uniform attention can represent."""

import math

import pytest
import torch

from lib.acquire import architectures


def five(**over):
    values = {"embedding": "orthogonal", "context": True, "dtype": torch.float64, "seed": 1, **over}
    return architectures.task(12, 5, 3, 40, **values)


def test_every_fact_is_stated_with_k_phrases_and_each_prompt_knows_what_follows():
    known = five()
    opening, middle, last = known.prompts
    assert opening.tokens.tolist() == [[30]]
    assert opening.targets.tolist() == [[31]]
    assert all(len(set(row)) == 3 and 12 <= min(row) <= max(row) < 17 for row in middle.targets.tolist())
    stated = {(j, i) for j, row in enumerate(middle.targets.tolist()) for i in row}
    assert {(j, i) for _, j, i in last.tokens.tolist()} == stated
    assert (last.targets[:, 0] == last.tokens[:, 1] + 17).all()
    assert known.entropy == pytest.approx(math.log(3) / 3)


def test_three_tokens_have_the_papers_entropy():
    assert architectures.task(10, 5, 5, 4).entropy == pytest.approx(0.8047, abs=5e-5)


def test_embeddings_are_what_they_are_called():
    gram = five().embeddings @ five().embeddings.T
    expected = torch.eye(32, dtype=torch.float64)
    expected[30, 30] = 40
    assert torch.allclose(gram, expected)
    drawn = architectures.task(300, 5, 5, 20, embedding="unit gaussian").embeddings.square().sum(1)
    assert float(drawn[:600].mean()) == pytest.approx(1, abs=0.05)


def test_the_split_by_tuples_leaks_as_much_as_computed_and_that_by_facts_nothing():
    counted = [architectures.task(200, 5, 5, 2, split="tuples", seed=seed).leaked for seed in range(20)]
    assert sum(counted) / 20 == pytest.approx(architectures.leaked_share(200, 5), abs=0.01)
    assert architectures.leaked_share(10**6, 5) == pytest.approx(1 - 2**-4, abs=1e-5)
    known = architectures.task(200, 5, 5, 2, split="facts")
    assert known.leaked == 0
    assert float(known.trained.sum()) == float(known.tested.sum()) == 500


def test_splits_share_the_embeddings_and_the_phrases():
    first, second = (architectures.task(20, 5, 3, 4, split=split, seed=3) for split in architectures.SPLITS)
    assert torch.equal(first.embeddings, second.embeddings)
    assert torch.equal(first.prompts[1].tokens, second.prompts[1].tokens)


@pytest.mark.parametrize(("kind", "odd"), [("attention", True), ("standard", False), ("uniform", False)])
def test_after_one_token_attention_alone_is_odd(kind, odd):
    known = architectures.task(12, 5, 3, 8, dtype=torch.float64)
    network = architectures.model(kind, known)
    token = known.prompts[0].tokens
    logits = network(token)
    network.embeddings = -network.embeddings
    assert torch.allclose(network(token), -logits) == odd


def test_the_simplified_model_is_its_formula():
    known = five()
    network = architectures.model("simplified", known, width=3, gain=2.0, scale=0.3)
    prompt = known.prompts[2].tokens[4]
    x = known.embeddings[prompt].T  # (d, T)
    with torch.no_grad():
        alpha = torch.softmax(x.T @ network.scores @ x[:, -1], 0)
        mixed = x @ alpha + x[:, -1]
        wanted = 2 / 3 * torch.relu(torch.as_tensor(network.features) @ mixed).sum(-1)
        assert torch.allclose(network(prompt[None])[0], wanted)
        assert torch.allclose(network.attention(prompt[None])[0], alpha)


@pytest.mark.parametrize("kind", ["uniform", "simplified, uniform"])
def test_uniform_attention_is_uniform_and_stays_so(kind):
    known = five()
    network = architectures.model(kind, known, width=4)
    assert torch.allclose(network.attention(known.prompts[2].tokens), torch.tensor(1 / 3).double())
    if kind != "uniform":
        assert not network.scores.requires_grad


def test_accuracies_count_each_prompt_as_often_as_it_occurs():
    known = architectures.task(4, 3, 2, 3, split="tuples", dtype=torch.float64)
    known = known._replace(tuples=torch.tensor([[1, 1], [1, 0], [0, 0], [1, 0]]).double())
    answers = known.questions.targets[:, 0]

    class Knows(torch.nn.Module):
        def forward(self, tokens):
            right = torch.nn.functional.one_hot(answers, 14).double()
            return right * torch.tensor([1, 1, 1, -1]).double()[:, None]

    result = architectures.accuracies(Knows(), known)
    assert result == (pytest.approx(3 / 4), pytest.approx(3 / 4), 1.0)
    assert known.leaked == 0.5


def test_bad_input_gets_one_clear_sentence():
    with pytest.raises(ValueError, match="multiplicity = 6: must be at most phrases = 5"):
        architectures.task(10, 5, 6, 4)
    with pytest.raises(ValueError, match="split = 'half': must be one of tuples, facts"):
        architectures.task(10, 5, 5, 4, split="half")
    with pytest.raises(ValueError, match="dimension = 4: must be at least 28"):
        architectures.task(10, 5, 5, 4, embedding="orthogonal")
    with pytest.raises(ValueError, match="kind = 'lstm': must be one of standard"):
        architectures.model("lstm", five())
