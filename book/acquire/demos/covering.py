"""Relation covering, live: phrases as lamps that fine-tuned facts light."""

from __future__ import annotations

from book.acquire.demos.multiplicity import ACCURACY, settings
from lib.knowledge.dynamics.course import FREQUENT, MOST_PHRASES
from lib.knowledge.dynamics.covering import DEFAULTS, covering
from widgets import Live, controls, live
from widgets.panels import (
    Caption,
    Curve,
    CurveChart,
    Light,
    LiveVerdict,
    Pick,
    Points,
    Row,
    Tiles,
    Try,
    View,
)

WIDE = 4
LAMPS_WIDE = 5
"""Tiles in a row, so that a phone has room for them."""


def _rows(count: int, wide: int) -> tuple[str, ...]:
    """What the rows of tiles hold: "1–4", "5–8" …"""
    return tuple(f"{first + 1}–{first + wide}" for first in range(0, count, wide))


def _texts(letter: str, count: int, wide: int) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(f"{letter}{first + i + 1}" for i in range(wide)) for first in range(0, count, wide))


LAMPS = Tiles(
    title="The phrases: lit by the fine-tuned facts that use them",
    rows=_rows(MOST_PHRASES, LAMPS_WIDE),
    columns=tuple(str(i + 1) for i in range(LAMPS_WIDE)),
    texts=_texts("r", MOST_PHRASES, LAMPS_WIDE),
    field="lit",
    colour="relation",
)
FACTS = Tiles(
    title="The frequent facts: click one to fine-tune it, or not",
    rows=_rows(FREQUENT, WIDE),
    columns=tuple(str(i + 1) for i in range(WIDE)),
    texts=_texts("s", FREQUENT, WIDE),
    field="chosen",
    colour="first",
    toggles="turned",
)
REACHES = CurveChart(
    title="Unseen facts answered right, at the best step",
    x="phrases that fine-tuned facts may use, q",
    x_domain=(0, MOST_PHRASES),
    domain=(0.0, 1.0),
    series=(Curve("reaches", "predicted_at", "all phrases covered", "ink", "5 3"),),
    points=(Points("now_reach", "now_accuracy", "measured", "accent"),),
    pick=Pick(x="reach"),
)
LIGHTS = (
    Light("some", "some fact is fine-tuned"),
    Light("acquired", "pre-training came within 0.1 of the entropy"),
    Light("plain", "facts are chosen by q alone"),
)
VERDICT = LiveVerdict(
    field="verdict",
    texts=(
        "As predicted: the facts that come out are those all of whose phrases are covered.",
        "Fewer than predicted: some phrases are covered, but not deeply enough.",
        "More than predicted: facts come out although a phrase of theirs is dark.",
        "No fact is fine-tuned: with fewer phrases than K, or K − 1 by luck, no fact fits.",
    ),
    tones=("good", "warn", "warn", "warn"),
)
CAPTION = Caption(
    field="story",
    texts=(
        "{tuned} facts light {covered} phrases. {predicted} of the unseen facts have only lit phrases, and {accuracy} "
        "are answered right.",
        "{tuned} facts light {covered} phrases. {predicted} of the unseen facts have only lit phrases, but {accuracy} "
        "are answered right.",
        "{tuned} facts light {covered} phrases. Only {predicted} of the unseen facts have only lit phrases, yet "
        "{accuracy} are answered right.",
        "No fact is fine-tuned, and no phrase is lit. Raise q, or click a fact.",
    ),
)
CODE = (
    "from lib.knowledge.dynamics.covering import covering\nfrom lib.solve import run\n\n"
    "print(run(covering(), {arguments}).report)"
)
TRIES = (
    Try("Cover six of eight phrases.", {"reach": 6}, "The facts behind the two dark ones stay inaccessible."),
    Try("Cover all of them.", {"reach": 8}, "Everything comes out, rare facts too."),
    Try(
        "State each fact three times.",
        {"multiplicity": 3, "reach": 6},
        "A frequent fact now needs three lit phrases; a rare one still needs one.",
    ),
    Try(
        "State each fact once.",
        {"multiplicity": 1, "reach": 6},
        "Each phrase is lit by fewer facts, and lit is not enough: covered once is necessary, not sufficient.",
    ),
)


def demo() -> Live:
    """The demo of the relation-covering characterisation."""
    view = View(
        panels=(LAMPS, FACTS, REACHES, ACCURACY),
        caption=CAPTION,
        lights=LIGHTS,
        rows=(
            Row("unseen facts answered right", "predicted", "accuracy"),
            Row("… the frequent ones", "predicted_frequent", "frequent"),
            Row("… the rare ones", "predicted_rare", "rare"),
            Row("best step", "", "best_step"),
        ),
        verdict=VERDICT,
        tries=TRIES,
        code=CODE,
    )
    return live(
        covering(),
        view,
        name="covering",
        more=("turned", "rate", "steps"),
        reach=controls.whole(int(DEFAULTS["reach"]), 0, MOST_PHRASES, "covered phrases q"),
        turned=controls.whole(0, 0, 2**FREQUENT - 1, "clicked facts, as bits of a number"),
        **settings(DEFAULTS),
    )
