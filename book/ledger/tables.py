"""The pages that are made from the ledger of statements: the atlas, the errata, the chapters' closing tables.

They print ``book/data/statements.json``, which ``make statements`` renews; a test examines them
again and compares.
"""

from __future__ import annotations

from typing import Any

from IPython.display import Markdown

from book import acquire, recall, recognise
from book.ledger import hunt
from book.ledger.markdown import table
from book.ledger.store import STORED, read

PAPERS = (recognise.PAPER, acquire.PAPER, recall.PAPER)
CHAPTERS = STORED.parents[1]

SIGNS = {
    "confirmed": "●",
    "true by algebra": "◉",
    "confirmed as reconstructed": "◍",
    "confirmed after correction": "◐",
    "holds only where its hypotheses are sharpened": "◑",
    "vacuous at finite size": "○",
    "not reproduced": "✕",
    "not testable here": "–",
}
"""A sign before each verdict, so that colour is not needed to tell them apart."""


def entries(room: str = "") -> list[dict[str, Any]]:
    """The examined statements, all or those whose id starts with ``room``."""
    return [entry for id, entry in read().items() if id.startswith(room)]


def name(entry: dict[str, Any]) -> str:
    """What the paper calls it: "Lemma 6"."""
    return f"{entry['kind'].capitalize()} {entry['number']}".strip()


def papers() -> Markdown:
    """The papers, their chapters, and how many of their statements and of our findings were examined."""
    rows = []
    for paper in PAPERS:
        found = entries(f"{paper.room}.")
        ours = sum(entry["source"] == "book" for entry in found)
        chapter = (CHAPTERS / paper.room / "index.ipynb").relative_to(CHAPTERS).with_suffix("")
        rows.append(
            (
                f"**{paper.chapter}**",
                f"{paper.authors}, *{paper.title}*, [{paper.where}]({paper.link})",
                f"[{len(found) - ours} statements, {ours} findings of ours]({chapter})",
            )
        )
    return Markdown(table(("", "the paper", "examined"), rows))


def closing(room: str) -> Markdown:
    """Statement, verdict, at how many configurations, one-line finding: the table that closes a chapter."""
    hunts = hunt.read()
    rows = [
        (
            f"[{name(entry)}](/{entry['page']}): {entry['title']}",
            f"{SIGNS[entry['verdict']]} {entry['verdict']}",
            hunts[entry["id"]].ratio if entry["id"] in hunts else "–",
            entry["finding"],
        )
        for entry in entries(room)
    ]
    return Markdown(table(("statement", "verdict", "holds at", "what was found"), rows))


def counts(room: str = "") -> Markdown:
    """How many statements ended with each verdict, the paper's and ours apart, and what the hunts tried."""
    known, hunts = entries(room), hunt.read()
    errata, checked = (sum(len(entry[kind]) for entry in known) for kind in ("errata", "checked"))
    said = [
        f"{len(some)} {whose}: {_tally(some)}."
        for whose, source in (("statements of the papers", "paper"), ("findings of ours", "book"))
        if (some := [entry for entry in known if entry["source"] == source])
    ]
    found = [hunts[entry["id"]] for entry in known if entry["id"] in hunts]
    admitted, held = sum(one.admitted for one in found), sum(one.drawn.count("h") for one in found)
    return Markdown(
        f"{' '.join(said)} Their conclusions hold at {held} of {admitted} configurations that satisfy their "
        f"hypotheses, drawn at random where there are many. {errata} formulas are not right as printed, and "
        f"{checked} were checked and found right: see the [errata](/book/errata)."
    )


def _tally(some: list[dict[str, Any]]) -> str:
    found = [entry["verdict"] for entry in some]
    return "; ".join(f"{verdict} ({found.count(verdict)})" for verdict in SIGNS if verdict in found)


FORMER = {
    "recognise.theorem-3-2": "theorem-3-2-phase-2-attention-and-mlp-move-the-right-way",
    "recognise.appendix-c": "appendix-c-the-dynamical-system-equations-6-and-7-lemmas-c-1-to-c-4",
    "recognise.appendix-d": "appendix-d-the-start-lemmas-d-1-to-d-8-and-their-corollaries",
    "acquire.lemma-11": "lemma-11-stage-i-two-steps-filter-the-context-out",
    "acquire.lemma-13": "lemma-13-stage-ii-features-grow-attention-stands",
    "acquire.lemma-14": "lemma-14-stage-iii-attention-stays-on-subject-and-phrase",
    "acquire.theorem-2": "theorem-1-2-items-1-and-2-"
    "facts-are-stored-and-fine-tuning-on-some-of-them-extracts-the-others",
    "acquire.covering": "characterisation-v4-abstract-which-facts-are-extracted-those-whose-phrases-are-covered",
    "recall.theorem-4-proof": "theorem-4-end-of-its-proof-"
    "one-critical-point-of-the-slice-lies-below-log-2-and-its-limit-as-t-falls-is-known",
    "recall.sharp-thresholds": "finding-of-ours-with-three-subjects-small-enough-is-t-0-08839",
    "recall.how-cold": "finding-of-ours-"
    "for-many-subjects-t-1-8-log-n-is-the-sharp-bound-three-need-it-colder-than-1-40-log-n",
    "recall.theorem-1": "theorem-1-both-decoding-steps-together-the-final-answer-is-right",
}
"""Anchors of titles that were worded otherwise once: addresses stay."""


def atlas() -> Markdown:
    """Every statement: text, ground, verdict, finding, bounds, what a hunt found, and what its proof rests on."""
    hunts = hunt.read()
    known = {entry["id"]: entry for entry in entries()}
    blocks = []
    for entry in known.values():
        at = entry["holds at"]
        said = [
            (bound["name"], bound["must be"], _number(bound["measured"]), "✓" if bound["holds"] else "✕")
            for bound in at["bounds"]
            if bound["must be"]
        ]
        tested = entry["verdict"] != "not testable here"
        found = hunts.get(entry["id"])
        about = (
            (
                "who says it",
                f"{'this book' if entry['source'] == 'book' else entry['paper']}, {entry['ground']}",
            ),
            ("rests on", ", ".join(linked(known[other]) for other in entry["uses"]) or "–"),
            *(
                (
                    ("examined", _runs(at)),
                    ("hunted", found.words if found else "not yet"),
                    *((("broken in vain", "; ".join(found.unneeded)),) if found and found.unneeded else ()),
                    ("fails where", f"not: {_broken(entry['fails at']['hypotheses'])}"),
                    ("command", f"`python -m book.statements {entry['id']}`"),
                )
                if tested
                else ()
            ),
        )
        anchors = "".join(f'<span id="{it}"></span>' for it in (entry["id"], FORMER.get(entry["id"])) if it)
        blocks.append(
            f"{anchors}\n\n## {name(entry)}: {entry['title']}\n\n{entry['statement']}\n\n"
            f"{SIGNS[entry['verdict']]} **{entry['verdict'].capitalize()}.** {entry['finding']} "
            f"[Read and try it](/{entry['page']}).\n\n"
            f"{table(('what it says', 'must be', 'measured', ''), said)}\n\n{table(('', ''), about)}"
        )
    return Markdown("\n\n".join(blocks))


def linked(entry: dict[str, Any]) -> str:
    """A statement's name, as a link to its page."""
    return f"[{name(entry)}](/{entry['page']})"


def _runs(at: dict[str, Any]) -> str:
    """The configuration, and at how many seeds it held."""
    settings = (
        ", ".join(f"{key} = {value}" for key, value in at["configuration"].items()) or "at the defaults"
    )
    return f"{settings}; holds at {at['holding']} of {at['seeds']} seeds" if at["seeds"] > 1 else settings


def errata() -> Markdown:
    """Every formula that is not right, with the right one, the evidence, and whether the statement survives."""
    blocks = []
    for entry in entries():
        for erratum in entry["errata"]:
            assert erratum["proved"] is True
            blocks.append(
                f"## {name(entry)}: {erratum['where']}\n\n"
                f"Printed:\n\n$${erratum['paper']}$$\n\nRight:\n\n$${erratum['right']}$$\n\n"
                f"**Evidence.** sympy derives the right formula and refutes the printed one. "
                f"In numbers: {_numbers(erratum['numbers'])}.\n\n"
                f"**Does the statement survive?** {erratum['survives']} [Its page](/{entry['page']})."
            )
    return Markdown("\n\n".join(blocks))


def checked() -> Markdown:
    """Every formula that was checked and found right."""
    rows = []
    for entry in entries():
        for item in entry["checked"]:
            assert item["passes"] is True
            formula = item["formula"]
            bare = "$" not in formula and ("\\" in formula or "=" in formula)
            shown = f"${formula}$" if bare else formula
            rows.append((item["where"], shown, item["how"]))
    return Markdown(table(("where", "formula", "checked by"), rows))


def _numbers(values: dict[str, float | str]) -> str:
    return ", ".join(f"{key} {_number(value)}" for key, value in values.items())


def _number(value: float | str) -> str:
    return value if isinstance(value, str) else format(value, ".4g")


def _broken(hypotheses: dict[str, bool]) -> str:
    return "; not: ".join(key for key, holds in hypotheses.items() if not holds)
