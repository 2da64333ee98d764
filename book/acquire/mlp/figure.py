"""What is the MLP for? Four models on the same facts, live."""

from __future__ import annotations

from book.acquire.mlp.program import NAMES, all_learned, attention_fails, four_models
from book.acquire.mlp.scene import COLOURS, CORRECT, DEMANDS, LOSSES, SCENE, shown
from book.acquire.mlp.statements import table_3
from widgets import Live, controls, live, live_figure
from widgets.figure.panels import Bar, BarChart, CaptionCase, Line, Row, StoryCard, TimeChart
from widgets.figure.scenes import Step

ACCURACY = TimeChart(
    title="Unseen facts answered correctly",
    series=tuple(Line("accuracy", k, name, COLOURS[k]) for k, name in enumerate(NAMES)),
    domain=(0.0, 1.0),
)
NOISE = BarChart(
    title="Attention on the context after pre-training",
    labels=NAMES,
    bars=(Bar("on_noise", "", "context"),),
    domain=(0.0, 1.0),
    x="fraction of the attention",
)
BEST = BarChart(
    title="Unseen facts after fine-tuning",
    labels=NAMES,
    bars=(Bar("best", "best step", "good"), Bar("accuracy", "last step", "run")),
    domain=(0.0, 1.0),
    x="fraction answered correctly",
)
CAPTION = (
    CaptionCase(
        lambda r, p: p.steps <= 0,
        "Nothing was pre-trained: these are random models, fine-tuned on half of the facts.",
    ),
    CaptionCase(
        lambda r, p: r.undecided,
        "Some losses are still falling, so it is too early to tell who learns the facts.",
    ),
    CaptionCase(
        attention_fails,
        "Standard and uniform attention, which have an MLP, have learned the facts. Attention alone has not: its loss "
        "stays {attention_loss} above the unavoidable, as in the paper’s Table 3. The paper’s own model ends "
        "{paper_loss} above.",
    ),
    CaptionCase(
        all_learned,
        "All four have learned the facts: here neither the MLP nor learned attention is needed.",
    ),
    CaptionCase(
        None,
        "Loss above the unavoidable: standard {standard_loss}, uniform attention {uniform_loss}, attention alone "
        "{attention_loss}. What stays well above zero has not learned the facts.",
    ),
)
STORY = (
    StoryCard(
        "Find where a dot must lie.",
        {},
        "A dot is a fact in one wording. After “Alice” a phrase must lead, after “Alice was born in” California. "
        "In which corner does a dot meet both demands?",
        "start",
        (DEMANDS.title,),
    ),
    StoryCard(
        "Train, and watch two clouds.",
        {},
        "With an MLP all 30 dots come into the corner. Attention alone, without one, leaves 17 of them outside.",
        "pre-trained",
        (DEMANDS.title,),
    ),
    StoryCard(
        "Compare all four models.",
        {},
        "Two with an MLP complete all 30. The paper’s own, whose neurons can only add to a word and never take away, "
        "completes 2: not every MLP is enough.",
        "pre-trained",
        (CORRECT.title,),
    ),
    StoryCard(
        "Give every word a dimension of its own.",
        {"width": 15},
        "This breaks a hypothesis: words are crowded no more. Attention alone completes all 30, too, and no MLP is "
        "needed.",
        "pre-trained",
    ),
    StoryCard(
        "Crowd the words, and begin with a context.",
        {"noise": 40.0},
        "All sentences now begin with one long vector. Attention alone can use it: it completes 23 instead of 13.",
        "pre-trained",
    ),
    StoryCard(
        "So what is the MLP for?",
        {},
        "For a constant: “now comes a phrase”, after each name alike. Crowded words leave attention no room for it. "
        "An MLP supplies it, and so can a context or a bias.",
        "pre-trained",
    ),
)
SHORT = ("standard", "uniform", "attention", "paper")
WHY = (
    Step("demands", DEMANDS._replace(x_label="phrases lead", y_label="California leads")),
    Step("losses", LOSSES),
    Step("context", NOISE._replace(labels=SHORT, x="fraction")),
    Step("unseen", BEST._replace(labels=SHORT, x="fraction correct")),
)
"""Beside the steps of *What to make of it*."""


@live_figure
def figure() -> Live:
    """The four models of Table 3 on ten facts."""
    return live(
        shown(),
        table_3,
        scene=SCENE,
        panels=(CORRECT, LOSSES, ACCURACY, NOISE, BEST),
        caption=CAPTION,
        rows=(
            Row("unavoidable loss: the entropy of the data", "", "entropy"),
            Row("the paper’s model: loss above it", "", "paper_loss"),
        ),
        story=STORY,
        why=WHY,
        name="four",
        more=("multiplicity", "rate", "tuning", "seed"),
        only=("noise", "width", "steps", "multiplicity", "rate", "tuning", "seed"),
        **controls.opens(four_models(), noise=0.0, width=3),
    )
