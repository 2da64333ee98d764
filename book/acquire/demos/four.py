"""What is the MLP for? Four models on the same facts, live."""

from __future__ import annotations

from lib.knowledge.dynamics.four import DEFAULTS, NAMES, PHRASES, TOKENS, contest
from widgets import Live, controls, live
from widgets.panels import Bar, BarChart, Caption, Light, Line, LiveVerdict, Row, TimeChart, Try, View

COLOURS = ("first", "second", "confusing", "query")
LOSSES = TimeChart(
    title="Pre-training loss above the entropy",
    series=tuple(Line("losses", k, name, COLOURS[k]) for k, name in enumerate(NAMES)),
    domain=(0.0, 2.0),
)
ACCURACY = TimeChart(
    title="Accuracy on unseen facts",
    series=tuple(Line("accuracy", k, name, COLOURS[k]) for k, name in enumerate(NAMES)),
    domain=(0.0, 1.0),
)
NOISE = BarChart(
    title="Attention on the context after pre-training",
    labels=NAMES,
    bars=(Bar("on_noise", "", "eos"),),
    domain=(0.0, 1.0),
    x="attention",
)
BEST = BarChart(
    title="Unseen facts after fine-tuning",
    labels=NAMES,
    bars=(Bar("best", "best step", "query"), Bar("accuracy", "last step", "eos")),
    domain=(0.0, 1.0),
    x="share answered right",
)
LIGHTS = (
    Light("noisy", "sentences begin with a context"),
    Light("orthogonal", "embeddings are orthogonal"),
    Light("finite", "no model is worse than guessing"),
)
VERDICT = LiveVerdict(
    field="verdict",
    texts=(
        "As the paper's Table 3 has it: only the model without MLP stays above the entropy.",
        "Models without MLP or with uniform attention stay above the entropy, as the paper says.",
        "All four come near the entropy: here neither the MLP nor learned attention is needed.",
        "Not as in Table 3: see which models stay above the entropy.",
    ),
    tones=("good", "good", "warn", "warn"),
)
CAPTION = Caption(
    field="story",
    texts=tuple(
        "Above the entropy {entropy} end: standard {standard_loss}, uniform attention {uniform_loss}, attention only "
        "{attention_loss}, the paper's {paper_loss}." + more
        for more in (
            "",
            "",
            " All are near 0.",
            " What is far from 0 has not learned, or not yet.",
        )
    ),
)
CODE = (
    "from lib.knowledge.dynamics.four import contest\nfrom lib.solve import run\n\n"
    "print(run(contest(), {arguments}).report)"
)
TRIES = (
    Try("Leave the context out.", {"noise": 0.0}, "Three-token sentences, as in the paper's Table 3."),
    Try(
        "Make the context as loud as ‖o‖² = 400.",
        {"noise": 400.0},
        "Uniform attention cannot look away, and learns all the same.",
    ),
    Try(
        "Embed in three dimensions.",
        {"width": 3},
        "Now there are more tokens than dimensions. Who can still tell facts apart?",
    ),
    Try("Train for 40 steps only.", {"steps": 40}, "Who is fast?"),
)


def demo() -> Live:
    """The demo of the four architectures."""
    view = View(
        panels=(LOSSES, ACCURACY, NOISE, BEST),
        caption=CAPTION,
        lights=LIGHTS,
        rows=(
            Row("entropy of the data", "", "entropy"),
            Row("loss above it: standard", "", "standard_loss"),
            Row("… uniform attention + MLP", "", "uniform_loss"),
            Row("… attention only", "", "attention_loss"),
            Row("… the paper's", "", "paper_loss"),
        ),
        verdict=VERDICT,
        tries=TRIES,
        code=CODE,
    )
    return live(
        contest(),
        view,
        name="four",
        more=("multiplicity", "rate", "tuning", "seed"),
        noise=controls.choice(
            DEFAULTS["noise"], (0.0, 1.0, 10.0, 40.0, 100.0, 400.0), "context's length ‖o‖²"
        ),
        width=controls.whole(int(DEFAULTS["width"]), 2, TOKENS, "embedding dimension"),
        steps=controls.whole(int(DEFAULTS["steps"]), 0, 300, "pre-training steps", step=10),
        multiplicity=controls.whole(int(DEFAULTS["multiplicity"]), 1, PHRASES, "multiplicity K"),
        rate=controls.choice(DEFAULTS["rate"], (0.002, 0.005, 0.01, 0.02, 0.03), "Adam's rate"),
        tuning=controls.whole(int(DEFAULTS["tuning"]), 0, 100, "fine-tuning steps", step=5),
        seed=controls.seed(int(DEFAULTS["seed"])),
    )
