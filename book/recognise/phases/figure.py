"""Theorems 3.1 and 3.2, live: a whole gradient flow in two phases, on a logarithmic clock."""

from __future__ import annotations

from book.recognise.charts import CAPTION, LOSSES, MOMENTS, OUTPUTS, SINCE, four_scores, over_log_time
from book.recognise.phases.statements import theorem_3_1, theorem_3_2
from book.recognise.scene import PLANE, PULLS, SCENE, SENTENCES, with_scene
from book.recognise.two_phases import two_phases
from lib.domain import INFINITE
from widgets import Live, live, live_figure
from widgets.figure.panels import Row, StoryCard
from widgets.figure.scenes import Step

SCORES = over_log_time(
    title="How much attention scores have grown, in a small unit", traces=four_scores(), levels=MOMENTS
)
FOLDED = ("layer", "random", "neurons", "end")
ROWS = (
    Row("T₀.₅ in τ", "", "half"),
    Row("all samples correct from τ", "", "correct"),
    Row("T₁ = C/N₀ in the paper's time t", "", "unit"),
    Row("loss at the end", "", "loss"),
    Row("−G(μ₃) over the larger of G(μ₁), G(μ₂) at the end", "limit", "ratio"),
)
BOTH = (SENTENCES.title, PLANE.title)
"""The wedge stays open beside the stacks."""
STORY = (
    StoryCard(
        "Train a little.",
        {},
        "Bob and banana rise, for most of their sentences want a yes. Now either of them alone gets a yes, and that is "
        "wrong: two stacks lean. Which word can put them right?",
        "Bob alone says yes",
        BOTH,
    ),
    StoryCard(
        "Go on to the end of Phase 1.",
        {},
        "“The” has fallen far enough to outvote one of them, but not both: all stacks stand upright.",
        "Phase 1 ends",
        BOTH,
    ),
    StoryCard(
        "Go on to the end of Phase 2.",
        {},
        "The point is the whole network in two numbers. Inside the wedge all sentences are right, and training follows "
        "the dashed line, far out: the network has become sure.",
        "end",
        (PLANE.title,),
    ),
    StoryCard(
        "End Phase 1 too early.",
        {"constant": 10.0},
        "When this short Phase 1 ends, Bob alone still gets a yes: his stack leans. Theorem 3.1 says that some end "
        "will do; this one comes too early.",
        "Phase 1 ends",
        BOTH,
    ),
    StoryCard(
        "Make the network infinitely wide, and Phase 1 as short as it can be.",
        {"width": INFINITE, "random": 0, "constant": 9.0},
        "All stacks stand, but only just: “the” is still weaker than Bob, and other words, in grey, tip the balance. "
        "For Theorem 3.2 “the” has to do it alone.",
        "Phase 1 ends",
        BOTH,
    ),
    StoryCard(
        "Take few sentences, and long ones.",
        {"samples": 30, "length": 10, "width": 512.0},
        "“The” stays too weak to outvote banana, to the end. Other words, in grey, do its work. (The network is wider, "
        "so that only the number of sentences is to blame.)",
        "end",
        BOTH,
    ),
)
SHORT_PULLS = PULLS._replace(
    left=tuple(kind._replace(word=kind.word.replace("only ", "")) for kind in PULLS.left)
)
WHY = (
    Step("clock", OUTPUTS, "Phase 1 ends"),
    Step("start", SHORT_PULLS, "start"),
    Step("common", OUTPUTS),
    Step("all", LOSSES),
    Step("scores", SCORES),
    Step("end", PLANE),
)
"""Beside the steps of *Why it is true*."""


@live_figure
def figure() -> Live:
    """Both theorems on one run."""
    return live(
        with_scene(two_phases()),
        theorem_3_1,
        theorem_3_2,
        scene=SCENE,
        panels=(LOSSES, OUTPUTS, SCORES, SINCE),
        caption=CAPTION,
        rows=ROWS,
        story=STORY,
        why=WHY,
        name="two_phases",
        more=FOLDED,
        only=("constant", "samples", "length", "width", "sigma_0", "sigma_1", "seed", "learned", *FOLDED),
    )


FIRST_STORY = (
    StoryCard(
        "Learn to say yes.",
        {},
        "Half of all sentences hold both words and want a yes. They pull hardest, so Bob and banana rise. But now Bob "
        "alone gets a yes, too: his stack leans. How can a sum of words ever learn “both”?",
        "Bob alone says yes",
        (SENTENCES.title, PULLS.title),
    ),
    StoryCard(
        "Learn to say no.",
        {},
        "“The” stands in every sentence and says no, louder than one of the two words and not as loud as both. So only "
        "both together get a yes: this is how the network has learned “and”.",
        "Phase 1 ends",
        (SENTENCES.title,),
    ),
    StoryCard(
        "Become sure.",
        {},
        "All four answers grow. Whoever is right lets go: the ribbons have become threads. So “and” is two votes for "
        "yes against one for no that is louder than either.",
        "end",
        (SENTENCES.title, PULLS.title),
    ),
)


@live_figure(page="book/recognise/index")
def first_page() -> Live:
    """The figure of the chapter's first page: three sliders, the stacks and who pulls at them."""
    return live(
        with_scene(two_phases()),
        theorem_3_1,
        theorem_3_2,
        scene=SCENE._replace(beside=(PULLS,)),
        panels=(OUTPUTS,),
        caption=CAPTION,
        story=FIRST_STORY,
        name="two_phases",
        only=("constant", "samples", "length"),
    )
