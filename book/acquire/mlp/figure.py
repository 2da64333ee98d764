"""What is the MLP for? Four models on the same facts, live."""

from __future__ import annotations

from book.acquire.mlp.program import NAMES, all_learned, attention_fails
from book.acquire.mlp.scene import COLOURS, LOSSES, SCENE, shown
from book.acquire.mlp.statements import table_3
from widgets import Live, live, live_figure
from widgets.figure.panels import Bar, BarChart, CaptionCase, Line, Row, StoryCard, TimeChart

ACCURACY = TimeChart(
    title="Accuracy on unseen facts",
    series=tuple(Line("accuracy", k, name, COLOURS[k]) for k, name in enumerate(NAMES)),
    domain=(0.0, 1.0),
)
NOISE = BarChart(
    title="Attention on the context after pre-training",
    labels=NAMES,
    bars=(Bar("on_noise", "", "context"),),
    domain=(0.0, 1.0),
    x="attention",
)
BEST = BarChart(
    title="Unseen facts after fine-tuning",
    labels=NAMES,
    bars=(Bar("best", "best step", "good"), Bar("accuracy", "last step", "run")),
    domain=(0.0, 1.0),
    x="share answered correctly",
)
LOSS = (
    "Above the entropy {entropy} end: standard {standard_loss}, uniform attention {uniform_loss}, attention only "
    "{attention_loss}, the paper's {paper_loss}. "
)
CAPTION = (
    CaptionCase(
        lambda r, p: p.steps <= 0,
        "Nothing was pre-trained: these are random models, fine-tuned on half of the facts.",
    ),
    CaptionCase(lambda r, p: r.undecided, LOSS + "Some are still falling: allow more steps."),
    CaptionCase(
        attention_fails,
        LOSS + "Standard and uniform attention with MLP are near, attention only is not, as in Table 3.",
    ),
    CaptionCase(
        all_learned,
        LOSS + "All are near 0: here neither the MLP nor learned attention is needed.",
    ),
    CaptionCase(None, LOSS + "What is far from 0 has not learned these facts."),
)
STORY = (
    StoryCard(
        "Leave the context out, and embed in three dimensions.",
        {"noise": 0.0, "width": 3},
        "As in the paper's Table 3: the first two come near the entropy, attention only does not.",
    ),
    StoryCard(
        "Leave only the context out.",
        {"noise": 0.0},
        "Three-token sentences, but a dimension for each token: attention alone learns them, too.",
    ),
    StoryCard(
        "Make the context as loud as ‖o‖² = 400.",
        {"noise": 400.0},
        "Uniform attention cannot look away, and learns all the same.",
    ),
    StoryCard(
        "Embed in three dimensions, with the context.",
        {"width": 3},
        "Now there are more tokens than dimensions. Does the context, which is a constant, help attention alone?",
    ),
    StoryCard("Train for 40 steps only.", {"steps": 40}, "Who is fast?"),
)


@live_figure
def figure() -> Live:
    """The four models of Table 3 on ten facts."""
    return live(
        shown(),
        table_3,
        scene=SCENE,
        panels=(LOSSES, ACCURACY, NOISE, BEST),
        caption=CAPTION,
        rows=(
            Row("entropy of the data", "", "entropy"),
            Row("the paper's model, loss over entropy", "", "paper_loss"),
        ),
        story=STORY,
        name="four",
        more=("multiplicity", "rate", "tuning", "seed"),
        only=("noise", "width", "steps", "multiplicity", "rate", "tuning", "seed"),
    )
