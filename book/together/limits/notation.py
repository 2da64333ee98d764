"""One table of notation for the three papers: each symbol, what it means in each, and its name in the code."""

from __future__ import annotations

import importlib
import re
from typing import NamedTuple

from IPython.display import Markdown

from book.ledger.markdown import table
from book.recognise import two_phases
from book.together.experiments.outside import RUNS
from lib.acquire import course
from lib.domain import Domain
from lib.recall import algorithm, general, more_examples
from lib.recognise import gradient_flow, setting


class Use(NamedTuple):
    """What a symbol means in one paper."""

    code: str
    """A module's name and what it defines there, or the name of a parameter in :data:`PARAMETERS`."""
    words: str = ""
    """The words of a parameter's slider."""


PARAMETERS: dict[str, dict[str, Domain]] = {
    "recognise": {
        domain.name: domain for domain in (*setting.DOMAINS, *gradient_flow.DOMAINS, *two_phases.DOMAINS)
    },
    "acquire": {domain.name: domain for domain in (*course.DOMAINS, course.SHARE, *course.TUNING_DOMAINS)},
    "recall": {
        domain.name: domain for domain in (*algorithm.DOMAINS, general.SUBJECTS, more_examples.EXAMPLES)
    },
}
"""The parameters of each paper's programs, which say their own meaning."""

NOTATION: dict[str, dict[str, Use]] = {
    "a": {
        "recognise": Use("lib.recognise.model.outputs", "output layer, fixed at ±1"),
        "acquire": Use("lib.acquire.tokens.Sizes.answers", "answer aⱼ of a fact"),
        "recall": Use("lib.recall.algorithm.End.lesser", "answer of a fact; attention on the lesser pair"),
    },
    "α": {
        "recognise": Use("lib.recognise.orbit.Orbit", "scalar of differences between samples"),
        "acquire": Use("lib.acquire.tokens.Passed.attention", "attention weight"),
    },
    "β": {"acquire": Use("lib.acquire.task.Facts.frequent", "share of facts that are frequent")},
    "C": {
        "recognise": Use("constant"),
        "recall": Use("lib.recall.general.COLD", "constant of T ≤ C/log n"),
    },
    "d": {
        "recognise": Use("lib.recognise.task.Dataset.vocabulary", "number of words"),
        "acquire": Use("dimension"),
        "recall": Use("lib.recall.model.Transformer.embedding", "dimension of embeddings"),
    },
    "δ": {
        "acquire": Use("book.acquire.conditions.FAILURE", "probability with which a theorem may fail"),
        "recall": Use("book.recall.samples.program.MISSED", "probability with which a theorem may fail"),
    },
    "η": {
        "recognise": Use("lib.recognise.gram.step", "learning rate"),
        "acquire": Use("rate"),
        "recall": Use("rate_1"),
    },
    "F": {"recognise": Use("lib.recognise.model.outputs", "output for a sample; yF is its margin")},
    "G": {
        "recognise": Use("lib.recognise.gram.Grams.output", "G(μ), output of a word"),
        "acquire": Use("book.acquire.low_rank.first_gradient.Gradient.matrix", "gradient of fine-tuning"),
    },
    "K": {
        "recognise": Use("lib.recognise.gram.Grams.key", "products of keys"),
        "acquire": Use("multiplicity"),
        "recall": Use("examples"),
    },
    "κ": {
        "recognise": Use("lib.recognise.setting.value_gram", "squared length of a word's value at the start"),
        "acquire": Use("kappa"),
        "recall": Use("lib.recall.general.growth_rate", "growth of the imbalance in a step"),
    },
    "L": {
        "recognise": Use("length"),
        "recall": Use("lib.recall.reduction.relation_loss", "L₁, loss of the first decoding step"),
    },
    "λ": {
        "recognise": Use(
            "lib.recognise.separator.Separator.multipliers", "weight of a sample in the separator"
        ),
        "acquire": Use("lib.acquire.model.Weights.gain", "factor on the outputs"),
        "recall": Use("lib.recall.landscape.saddle_curvature", "curvature at the saddle"),
    },
    "m": {
        "recognise": Use("width"),
        "acquire": Use("lib.acquire.tokens.Sizes.neurons", "neurons of each output"),
        "recall": Use("lib.recall.general.mismatched_part", "share of mismatched relations"),
    },
    "m₁": {"recognise": Use("neurons")},
    "μ": {
        "recognise": Use("lib.recognise.task.SIGNALS", "word; μ₁, μ₂ are the targets, μ₃ is the common one")
    },
    "N": {
        "recognise": Use("lib.recognise.gram.Grams.size", "squared length of Wᵀa; N₀ at the start"),
        "acquire": Use("lib.acquire.tokens.Sizes.subjects", "number of facts"),
    },
    "n": {
        "recognise": Use("samples"),
        "acquire": Use("lib.acquire.task.fine_tuned", "number of fine-tuned facts"),
        "recall": Use("subjects"),
    },
    "o": {"acquire": Use("lib.acquire.model.Vocabulary.context", "context token")},
    "ω": {
        "acquire": Use("lib.acquire.task.fact_weight", "a fact's share of the loss"),
        "recall": Use("lib.recall.algorithm.Descent.omega", "attention scores from the decoded relation"),
    },
    "p": {
        "recognise": Use("lib.recognise.model.outputs", "attention weights of a query"),
        "acquire": Use("lib.acquire.tokens.Sizes.format", "format token"),
        "recall": Use("lib.recall.reduction.relation_shares", "probability of a relation or an answer"),
    },
    "φ": {
        "acquire": Use("book.acquire.conditions.condition_numbers", "share of d's neurons that are active"),
        "recall": Use("lib.recall.model.Transformer.embedding", "embedding of a token"),
    },
    "R, |R|": {
        "acquire": Use("phrases"),
        "recall": Use("lib.recall.task.Knowledge.relations", "number of relations"),
    },
    "r": {
        "acquire": Use("lib.acquire.task.Sentences.phrase", "phrase rᵢ"),
        "recall": Use("perturbation_radius"),
    },
    "S": {"recognise": Use("lib.recognise.gram.Grams.score", "products of keys and queries")},
    "s": {
        "acquire": Use("lib.acquire.task.Sentences.subject", "subject sⱼ of a fact"),
        "recall": Use("lib.recall.task.Prompts.subjects", "subject of a fact; in Table 2, sᵢ of the prompt"),
    },
    "σ₀": {
        "recognise": Use("sigma_0", "scale of W_V, W_K and W_Q at the start"),
        "acquire": Use("lib.acquire.course.SCALE", "scale of all weights at the start"),
    },
    "σ₁": {"recognise": Use("sigma_1", "scale of W at the start")},
    "T": {
        "recognise": Use("book.recognise.two_phases.TwoPhases.unit", "T₁, end of Phase 1"),
        "acquire": Use("book.acquire.pretraining.Run.ends", "T₁, T₂, T_p, ends of the stages"),
        "recall": Use("temperature"),
    },
    "τ": {"recognise": Use("lib.recognise.gradient_flow.Reading.time", "rescaled time N₀t")},
    "θ": {"recall": Use("lib.recall.algorithm.Descent.theta", "attention scores from EoS")},
    "V": {
        "recognise": Use("lib.recognise.model.Weights.value", "W_V, matrix of values"),
        "acquire": Use("lib.acquire.tokens.Sizes.outputs", "number of outputs"),
        "recall": Use(
            "lib.recall.model.Transformer.V", "second layer of the MLP; |V| is the number of tokens"
        ),
    },
    "v": {
        "recognise": Use("lib.recognise.gram.Grams.value", "v(μ), value of a word, in the products of two"),
        "recall": Use("lib.recall.algorithm.Watch.attention", "attention from EoS"),
    },
    "W": {
        "recognise": Use("lib.recognise.model.Weights.neurons", "neurons"),
        "acquire": Use("lib.acquire.model.Weights.first_layer", "w, neurons of each output"),
        "recall": Use("lib.recall.model.Transformer.W", "first layer of the MLP"),
    },
    "ξ, Ξ": {
        "acquire": Use("lib.acquire.tokens.forward", "Ξ, input of the MLP"),
        "recall": Use("lib.recall.algorithm.perturbation", "ξ, perturbation"),
    },
    "Z": {
        "acquire": Use("lib.acquire.model.Weights.scores", "attention matrix"),
        "recall": Use("lib.recall.model.sequence", "tokens of a prompt, embedded"),
    },
}
"""By symbol, then by paper. A paper that does not use the symbol is left out."""


def meaning(paper: str, use: Use) -> str:
    """What a symbol means in a paper: the words given here, or those of the parameter without its symbol."""
    domain = PARAMETERS[paper].get(use.code)
    return use.words or (re.sub(r" \(.*\)$", "", domain.words).strip(" ,") if domain else "")


def name_in_code(use: Use) -> str:
    """A parameter's name, or a module's last name and what it defines."""
    return use.code if "." not in use.code else ".".join(use.code.split(".")[2:])


def find(code: str) -> object:
    """What stands in a module under a dotted name, "lib.recall.model.Transformer.W".

    Raises:
        ValueError: nothing does.
    """
    parts = code.split(".")
    for end in range(len(parts) - 1, 0, -1):
        try:
            found: object = importlib.import_module(".".join(parts[:end]))
        except ModuleNotFoundError:
            continue
        for part in parts[end:]:
            if not hasattr(found, part):
                raise ValueError(f"code = {code!r}: must name something, but {part!r} is not in {found!r}")
            found = getattr(found, part)
        return found
    raise ValueError(f"code = {code!r}: must begin with a module of the book or of lib")


def notation() -> Markdown:
    """The table of notation."""
    rows = []
    for symbol, uses in NOTATION.items():
        shown = [
            f"{meaning(paper, uses[paper])}: `{name_in_code(uses[paper])}`" if paper in uses else "–"
            for paper in RUNS
        ]
        rows.append((f"**{symbol}**", *shown))
    return Markdown(table(("", "Recognise", "Acquire", "Recall"), rows))
