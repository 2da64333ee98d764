"""The way out of Huang et al.'s saddle, live, with a switch for the rule of descent."""

from __future__ import annotations

from book.recall.charts import FROM_THE_SADDLE, LOSS
from book.recall.common import is_perturbed
from book.recall.scene import GAP, PASS, saddle, shown
from book.together.outside.program import PLAIN, WITH_ADAM, WITH_DECAY, WITH_MOMENTUM, ruled
from book.together.outside.statements import has_fallen, has_left, is_linear, other_rules, outgrows
from lib.recall.landscape import ESCAPED
from widgets import Live, live, live_figure
from widgets.figure.panels import CaptionCase, Line, Row, StoryCard, TimeChart

DISTANCE = TimeChart(
    title="log₁₀ of the distance from the saddle along ε̃",
    series=(
        Line("distance", 1, "predicted", "predicted", "5 3"),
        Line("distance", 0, "measured", "measured"),
    ),
    domain=(-10.0, 0.5),
)
CAPTION = (
    CaptionCase(
        lambda r, p: ~is_perturbed(r, p),
        "Without a push along the way out nothing grows: the run stays at the saddle.",
    ),
    CaptionCase(
        lambda r, p: ~is_linear(r, p) & has_left(r, p),
        "Adam leaves the saddle after {measured_escape:n} steps. It divides the gradient by its size, so that a small "
        "slope moves it as far as a large one; plain descent needs {predicted_escape:n} steps from here.",
    ),
    CaptionCase(
        lambda r, p: ~outgrows(r, p),
        "Each step loses more to weight decay than the curvature adds: the run stays at the saddle, at loss "
        "{end_loss}.",
    ),
    CaptionCase(
        lambda r, p: ~has_left(r, p),
        "The run is still at the saddle. The curvature predicts an escape after {predicted_escape:n} steps.",
    ),
    CaptionCase(
        has_fallen,
        "The run leaves the saddle after {measured_escape:n} steps; {predicted_escape:n} were predicted. "
        "It ends at loss {end_loss}, below log 2, as Lemma 6 says.",
    ),
    CaptionCase(
        None,
        "The run leaves the saddle after {measured_escape:n} steps ({predicted_escape:n} predicted), but ends at loss "
        "{end_loss}, above log 2: Lemma 6 fails.",
    ),
)
ROWS = (
    Row(f"steps until the pairs differ by {ESCAPED:g} in attention", "predicted_escape", "measured_escape"),
    Row("steps until the loss is below log 2", "", "fallen"),
    Row("logarithm of the growth in a step", "growth", ""),
    Row("growth that this weight decay would cancel", "cancelled", ""),
    Row("part of the perturbation along the way out, ⟨ξ, ε̃⟩", "", "overlap"),
    Row("loss L₁ at the end", "lowest", "end_loss"),
)
STORY = (
    StoryCard(
        "Train as in the paper.",
        {"rule": PLAIN},
        "A push too small to see grows by the same factor at each step, until the balance tips.",
        "tips over",
        (GAP.title, PASS.title),
    ),
    StoryCard(
        "Now with momentum.",
        {"rule": WITH_MOMENTUM},
        "The run keeps its direction, and ends where it did. It leaves the saddle later, after twice as many steps.",
        "tips over",
    ),
    StoryCard(
        "Adam, starting a million times closer.",
        {"rule": WITH_ADAM, "perturbation_radius": 1e-9},
        "Adam looks at the direction of the slope, not at its size. For it the saddle is hardly there.",
        "tips over",
    ),
    StoryCard(
        "Plain descent from the same start.",
        {"rule": PLAIN, "perturbation_radius": 1e-9},
        "It waits several times as long: each tenfold smaller push costs the same number of steps.",
        "tips over",
    ),
    StoryCard(
        "Let the weights decay by a tenth in each step.",
        {"rule": WITH_DECAY, "decay": 0.1},
        "The run leaves later, and comes to rest nearer to the saddle, at a higher loss.",
    ),
    StoryCard(
        "Let them decay by almost a third, at a lower temperature.",
        {"rule": WITH_DECAY, "decay": 0.3, "temperature": 0.02},
        "Each step loses more than the curvature adds. The run never leaves the saddle, and Lemma 6 fails.",
    ),
)


@live_figure
def figure() -> Live:
    """Stage 2 from the saddle by four rules of descent."""
    return live(
        shown(ruled()),
        other_rules,
        scene=saddle(0),
        panels=(FROM_THE_SADDLE, LOSS, DISTANCE),
        caption=CAPTION,
        rows=ROWS,
        story=STORY,
        name="outside",
        more=("steps",),
    )
