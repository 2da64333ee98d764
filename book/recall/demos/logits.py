"""Table 2, live: six relations, their logits and probabilities, as attention moves over a triangle."""

from __future__ import annotations

from torch import Tensor

from lib.recall.dynamics.logits import DEFAULTS, Attention, Standing, stand
from widgets import Live, controls, live
from widgets.panels import (
    Bar,
    BarChart,
    Caption,
    Corner,
    Light,
    LiveVerdict,
    Mark,
    Row,
    Simplex,
    Tiles,
    Try,
    View,
    simplex_grid,
)

RELATIONS = ("r* = r₁", "r₂ confusing", "r₃", "r₄", "r₅", "r₆")
TOKENS = ("v₁  s₁", "v₂  a₁", "v₃  s₂", "v₄  a₂", "v₅  s₃", "v₆  EoS")
TRIANGLE = simplex_grid(24)

WHERE = Simplex(
    title="Where attention goes; shaded: the loss",
    total="total",
    share="share",
    corners=(Corner("first pair", "first"), Corner("second pair", "second"), Corner("query and EoS", "eos")),
    marks=(
        Mark("saddle", "saddle", "warn"),
        Mark("optimum", "optimum", "good"),
        Mark("mirrored", "", "good"),
    ),
    field="grid_loss",
)
CHANCES = BarChart(
    title="Probability of each relation",
    labels=RELATIONS,
    bars=(Bar("probabilities", "", "relation"),),
    domain=(0.0, 1.0),
    x="probability",
)
LOGITS = BarChart(
    title="Logit of each relation",
    labels=RELATIONS,
    bars=(Bar("logits", "", "accent"),),
    domain=(0.0, 1.0),
    x="logit",
)
TABLE = Tiles(
    title="Table 2: each logit is a sum of three squares. The larger, the brighter",
    rows=RELATIONS,
    columns=("a pair it matches", "another pair", "left over"),
    texts=(
        ("(v₁ + v₂)²", "(v₃ + v₄)²", "v₅²"),
        ("(v₁ + v₄)²", "(v₃ + v₂)²", "v₅²"),
        ("(v₁ + v₂)²", "(v₅ + v₄)²", "v₃²"),
        ("(v₁ + v₄)²", "(v₅ + v₂)²", "v₃²"),
        ("(v₃ + v₂)²", "(v₅ + v₄)²", "v₁²"),
        ("(v₃ + v₄)²", "(v₅ + v₂)²", "v₁²"),
    ),
    field="squares",
    colour="relation",
)
SPLIT = BarChart(
    title="Attention from EoS",
    labels=TOKENS,
    bars=(Bar("attention", "", "first"),),
    domain=(0.0, 1.0),
    x="attention",
)
PUSHES = BarChart(
    title="Where descent pushes each weight, −T ∂L₁/∂vᵢ",
    labels=TOKENS,
    bars=(
        Bar("pushes", "equations 4 to 9", "ink"),
        Bar("pushes_measured", "automatic differentiation", "accent"),
    ),
    x="push",
)
LIGHTS = (
    Light("agree", "the same example is ahead in its subject and in its answer"),
    Light("subjects", "both subjects are ahead of the query, v₁, v₃ > v₅"),
    Light("answers", "both answers get attention, v₂, v₄ > 0"),
)
VERDICT = LiveVerdict(
    field="verdict",
    texts=(
        "Confirmed here: the three conditions hold, and r* alone has the largest logit.",
        "Contradicted: the conditions and the logits disagree.",
        "Confirmed here: a condition is broken, and r* is not alone at the top.",
    ),
    tones=("good", "bad", "warn"),
)
CAPTION = Caption(
    field="winner",
    texts=(
        "r* leads by {ahead}. Its loss is {loss}: a lead counts only once it is large beside the temperature.",
        "r* is at the top, but not alone: the lead is {ahead}, and the loss {loss}. No temperature breaks a tie.",
        "The confusing relation is at the top, r* is behind by {ahead}: its loss is {loss}, and colder is worse.",
        "Mismatched relations are at the top, r* is behind by {ahead}: its loss is {loss}, and colder is worse.",
    ),
)
CODE = (
    "import torch\nfrom lib.recall.dynamics.logits import Attention, stand\n\n"
    "values = dict({arguments})\n"
    "split = Attention(**{name: torch.tensor(value, dtype=torch.float64) for name, value in values.items()})\n"
    "print(stand(split, torch.eye(3, dtype=torch.float64)))"
)
TRIES = (
    Try(
        "Attend to both examples alike.",
        {"share": 0.5},
        "The confusing relation ties with r*, and their two bars are equal at any temperature.",
    ),
    Try(
        "Lean the first pair to its subject, the second to its answer.",
        {"lean_1": 0.7, "lean_2": 0.2},
        "One example is ahead in its subject, the other in its answer. The confusing relation wins.",
    ),
    Try(
        "Forget the second example.",
        {"share": 1.0},
        "Everything rests on one pair. Two relations contain it: r₃ ties with r*.",
    ),
    Try(
        "Look at the query as much as at the examples.",
        {"total": 0.5, "query_share": 1.0},
        "A mismatched relation, which gives the query an answer already shown, now has the largest logit.",
    ),
    Try(
        "Attend where training ends.",
        {"total": 1.0, "share": 0.735},
        "The point stands on the optimum for T = 0.05, and the pushes inside each pair are equal.",
    ),
)


def shaded(
    total: Tensor, share: Tensor, lean_1: Tensor, lean_2: Tensor, query_share: Tensor, temperature: Tensor
) -> Standing:
    """All that the page shows, with the loss over the triangle."""
    return stand(Attention(total, share, lean_1, lean_2, query_share, temperature), TRIANGLE)


def demo() -> Live:
    """The demo of Table 2: drag attention, see six relations compete."""
    view = View(
        panels=(WHERE, CHANCES, TABLE, LOGITS, SPLIT, PUSHES),
        caption=CAPTION,
        lights=LIGHTS,
        rows=(
            Row("l(r*) − l(r₂): predicted 2(v₁ − v₃)(v₂ − v₄)", "over_confusing_predicted", "over_confusing"),
            Row("lead of r* over all others", "", "ahead"),
            Row("loss of r*", "", "loss"),
        ),
        verdict=VERDICT,
        tries=TRIES,
        code=CODE,
    )
    return live(
        shaded,
        view,
        name="logits",
        more=("lean_1", "lean_2", "query_share"),
        total=controls.share(DEFAULTS["total"], "attention on the examples"),
        share=controls.share(DEFAULTS["share"], "of that, on the first"),
        temperature=controls.temperature(DEFAULTS["temperature"], 1e-3, 10.0),
        lean_1=controls.share(DEFAULTS["lean_1"], "first pair: part on its subject"),
        lean_2=controls.share(DEFAULTS["lean_2"], "second pair: part on its subject"),
        query_share=controls.share(DEFAULTS["query_share"], "rest: part on the query"),
    )
