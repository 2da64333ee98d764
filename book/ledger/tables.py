"""The pages that are made from the ledger: the atlas, the errata and the tables that close the chapters.

They print ``book/data/statements.json``, which ``make statements`` renews; a test examines the statements again and
compares.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape
from typing import Any

from docutils.nodes import make_id
from IPython.display import Markdown

from book.ledger import registry, store
from book.ledger.clauses import Kind, tally_of
from book.ledger.examine import Verdict
from book.ledger.hunt import HuntResult
from book.ledger.markdown import table
from book.ledger.proofs import Erratum, Rank, Survival
from book.paper import PAPERS

SIGNS = {
    "confirmed": "●",
    "confirmed in part": "◐",
    "in use": "◇",
    "true by algebra": "=",
    "confirmed as reconstructed": "■",
    "confirmed after correction": "◆",
    "holds only where its hypotheses are sharpened": "▲",
    "vacuous at finite size": "○",
    "tested only in another model": "≈",
    "not reproduced": "✕",
    "not testable here": "–",
}
"""A sign before each verdict: one shape each, so that neither colour nor size is needed to tell them apart."""
TONES = {
    "confirmed": "good",
    "true by algebra": "good",
    "confirmed as reconstructed": "good",
    "not reproduced": "bad",
    "in use": "none",
    "not testable here": "none",
}
"""The tones of these verdicts; the others say that something is missing or had to be mended."""


ROUNDING = 1e-5
"""A limit as small as this is one on errors of rounding."""


def tone(verdict: str) -> str:
    """The class with the colour of this verdict: ``good``, ``warn``, ``bad`` or ``none``."""
    return TONES.get(verdict, "warn")


def entries(room: str = "") -> list[dict[str, Any]]:
    """The entries of the examined statements, all or those whose id starts with ``room``."""
    return [entry for id, entry in store.read().items() if id.startswith(room)]


def name(entry: dict[str, Any]) -> str:
    """What the paper calls it: "Lemma 6"."""
    return f"{entry['kind'].capitalize()} {entry['number']}".strip()


def called(entry: dict[str, Any]) -> str:
    """Its name among others: that of one without a number is what it says."""
    return name(entry) if is_numbered(entry) else capital(entry["title"])


def is_numbered(entry: Mapping[str, Any]) -> bool:
    """Whether its name tells it from others: a finding of ours has no number."""
    return entry["kind"] != "finding"


def verdict_words(entry: dict[str, Any]) -> str:
    """The verdict for readers: with how many of the claims are tested if not all are, or where, if only elsewhere."""
    verdict, clauses = entry["verdict"], entry["clauses"]
    if verdict == Verdict.ELSEWHERE:
        models = dict.fromkeys(clause["note"] for clause in clauses if clause["kind"] == Kind.ELSEWHERE)
        return f"tested only {' and '.join(models)}"
    if verdict == Verdict.NOT_REPRODUCED:
        return str(entry["in words"])
    tested, claims = tally_of([clause["kind"] for clause in clauses])
    return str(verdict) if entry["in words"] == verdict else f"{verdict} ({tested} of {claims} claims tested)"


def papers() -> Markdown:
    """A table of the papers, their chapters, and how many statements and findings of ours were examined."""
    rows = []
    for paper in PAPERS:
        known = entries(f"{paper.room}.")
        ours = sum(entry["source"] == "book" for entry in known)
        counts = f"{len(known) - ours} statements, {ours} findings of ours"
        rows.append(
            (
                f"**{paper.chapter}**",
                f"{paper.authors}, *{paper.title}*, [{paper.where}]({paper.link})",
                f"[{counts}]({paper.room}/index)",
            )
        )
    return Markdown(table(("", "the paper", "examined"), rows))


def closing(room: str) -> Markdown:
    """The table that closes a chapter: statement, verdict, at how many configurations it holds, finding."""
    hunts = store.read_hunts()
    rows = [
        (
            _row_head(entry),
            _record(f"s/{entry['id']}.html", f"{SIGNS[entry['verdict']]} {verdict_words(entry)}", room),
            hunts[entry["id"]].ratio if entry["id"] in hunts else "–",
            entry["finding"],
        )
        for entry in entries(room)
    ]
    return Markdown(table(("statement", "verdict", "holds at", "what was found"), rows))


def _row_head(entry: dict[str, Any]) -> str:
    """What a statement is called and says, with a link to its page."""
    if is_numbered(entry):
        return f"[{name(entry)}](/{entry['page']}): {entry['title']}"
    return f"[{entry['title']}](/{entry['page']})"


def counts(room: str = "") -> Markdown:
    """How many statements have each verdict, the paper's and ours apart, and at how many configurations they hold."""
    known, hunts = entries(room), store.read_hunts()
    errata, checked = (sum(len(entry[kind]) for entry in known) for kind in ("errata", "checked"))
    sentences = [
        f"{len(some)} {whose}: {_tally(some)}."
        for whose, source in (("statements of the papers", "paper"), ("findings of ours", "book"))
        if (some := [entry for entry in known if entry["source"] == source])
    ]
    results = [hunts[entry["id"]] for entry in known if entry["id"] in hunts]
    admitted = sum(result.admitted for result in results)
    holding = sum(result.drawn.count("h") for result in results)
    return Markdown(
        f"{' '.join(sentences)} Their conclusions hold at {holding:,} of {admitted:,} settings that satisfy their "
        f"hypotheses, drawn at random where there are many. {_formulas(errata, checked)} All of this is counted from "
        f"{_record('s/ledger.csv', 'the ledger', room)}.\n\n"
        f"{_clauses(known)}The signs: {'; '.join(f'{sign} {verdict}' for verdict, sign in SIGNS.items())}."
    )


def _formulas(wrong: int, right: int) -> str:
    """How many of the papers' formulas are wrong and right; nothing where none was printed by others."""
    if not wrong + right:
        return ""
    return (
        f"{wrong} formulas are not correct as printed, and {right} were checked and found correct: see the "
        "[errata](/book/errata)."
    )


def _record(path: str, words: str, room: str) -> str:
    """A link to a record of the ledger, from a chapter's first page; without a room, from a page beside them all."""
    return f'<a class="record" href="{"../../" if room else "../"}{path}">{words}</a>'


def _clauses(known: list[dict[str, Any]]) -> str:
    """How many clauses the papers' statements have, and how many of these are tested; nothing if all are ours."""
    kinds = [clause["kind"] for entry in known if entry["source"] == "paper" for clause in entry["clauses"]]
    hypotheses, tested, amended, elsewhere, untested = (
        sum(kind in some for kind in kinds)
        for some in (
            (Kind.ASSUMED,),
            (Kind.TESTED, Kind.PROVED),
            (Kind.AMENDED,),
            (Kind.ELSEWHERE,),
            (Kind.UNTESTED,),
        )
    )
    if not kinds:
        return ""
    are = "is" if untested == 1 else "are"
    return (
        f"The papers' statements have {len(kinds)} clauses: {hypotheses} are hypotheses, {tested} are tested or proved "
        f"in the paper's own model, {amended} use a statement that holds only when amended, {elsewhere} are tested in "
        f"another model only, and {untested} {are} not tested, with the reason. "
    )


def _tally(some: list[dict[str, Any]]) -> str:
    verdicts = [entry["verdict"] for entry in some]
    return "; ".join(f"{verdict} ({verdicts.count(verdict)})" for verdict in SIGNS if verdict in verdicts)


END = '<span id="end-of-statements"></span>'
"""After the last section: :mod:`book.ledger.pages` looks for it."""


def atlas() -> Markdown:
    """Every statement: text, ground, verdict, finding, bounds, hunt, and what its proof rests on."""
    hunts, history = store.read_hunts(), store.read_history()
    known = {entry["id"]: entry for entry in entries()}
    sections = [_section(entry, known, hunts.get(id), history.get(id, [])) for id, entry in known.items()]
    return Markdown("\n\n".join([*sections, END]))


def _section(
    entry: dict[str, Any],
    known: dict[str, dict[str, Any]],
    hunted: HuntResult | None,
    verdicts: list[tuple[str, str]],
) -> str:
    """A statement's section of the atlas."""
    clauses = [
        (
            _in_cell(clause["text"]),
            f"{clause['sign']} {clause['kind']}",
            "; ".join([*clause["by"], clause["note"]]).strip("; "),
        )
        for clause in entry["clauses"]
    ]
    bounds = [
        (
            bound["name"],
            bound["must be"],
            _number(bound["measured"]),
            _headroom(bound),
            "✓" if bound["holds"] else "✕",
        )
        for bound in entry["holds at"]["bounds"]
        if bound["must be"]
    ]
    about = [*_about(entry, known), *_history(verdicts)]
    if entry["verdict"] != "not testable here":
        about += _tests(entry, hunted)
    return (
        f'<span id="{entry["id"]}"></span>\n\n'
        f"## {name(entry)}: {entry['title']}\n\n{_apart(entry['statement'])}\n\n"
        f"{SIGNS[entry['verdict']]} **{capital(verdict_words(entry))}.** {entry['finding']} "
        f"[Read and try it](/{entry['page']}).\n\n"
        f"{table(('clause', 'it is', 'accounted for by'), clauses)}\n\n"
        f"{table(('what it says', 'bound', 'measured', 'headroom', ''), bounds)}\n\n{table(('', ''), about)}"
    )


def capital(words: str) -> str:
    """The words with a capital at their beginning, and the others as they are."""
    return words[:1].upper() + words[1:]


def _apart(text: str) -> str:
    """A text in which no sign stands behind a displayed formula, where Markdown would not see the formula's end."""
    return re.sub(r"\$\$(?=\{sup\})", "$$\n\n", text)


def _in_cell(text: str) -> str:
    """A text on one line, with its displayed formulas set in the line."""
    return " ".join(
        re.sub(r"\$\$(.*?)\$\$", lambda match: f"${match[1].strip()}$", text, flags=re.DOTALL).split()
    )


def _about(entry: dict[str, Any], known: dict[str, dict[str, Any]]) -> list[tuple[str, str]]:
    source = "this book" if entry["source"] == "book" else entry["paper"]
    uses = ", ".join(f'<a href="#{id}">{called(known[id])}</a>' for id in entry["uses"])
    return [("source", f"{source}, {entry['ground']}"), ("uses", uses or "–")]


def _history(verdicts: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """All verdicts of a statement with their days, if there was more than one."""
    days = "; ".join(f"{words} from {since}" for since, words in verdicts)
    return [("verdicts so far", days)] if len(verdicts) > 1 else []


def _tests(entry: dict[str, Any], hunted: HuntResult | None) -> list[tuple[str, str]]:
    """How a statement was examined and hunted in, and the command that repeats it."""
    rows = [("examined", _runs(entry["holds at"])), ("hunted", hunted.words if hunted else "not yet")]
    if hunted and hunted.unneeded:
        rows.append(("held without it", "; ".join(hunted.unneeded)))
    if hunted and hunted.unreached:
        rows.append(("borders not reached", "; ".join(hunted.unreached)))
    rows.append(_failing(entry))
    statement = registry.statements()[entry["id"]].says
    rows.append(("command", f"`python -m book statements {entry['id']}`"))
    rows.append(
        ("in Python", f"`from {statement.__module__} import {statement.__name__}; {statement.__name__}()`")
    )
    return rows


def linked(entry: dict[str, Any]) -> str:
    """A statement's name, as a link to its page."""
    return f"[{name(entry)}](/{entry['page']})"


def _runs(at: dict[str, Any]) -> str:
    """The configuration, and at how many seeds the statement held."""
    settings = (
        ", ".join(f"{key} = {value}" for key, value in at["configuration"].items()) or "at the defaults"
    )
    return f"{settings}; holds at {at['holding']} of {at['seeds']} seeds" if at["seeds"] > 1 else settings


def errata() -> Markdown:
    """Every formula that is not right, by paper and rank: with the right one and whether the statement survives.

    Each is one line, which says whether the statement survives, and opens to both formulas and the evidence.
    """
    blocks = []
    for paper in PAPERS:
        listed = [(entry, *pair) for entry in entries(f"{paper.room}.") for pair in with_declared(entry)]
        blocks.append(f"## {paper.chapter}: {paper.authors}")
        blocks += [] if listed else ["No formula of this paper was found wrong."]
        for rank, heading in RANKS.items():
            of_rank = [each for each in listed if each[1]["rank"] == rank]
            if not of_rank:
                continue
            blocks += [f'<span id="{rank_anchor(paper.room, rank)}"></span>', f"### {heading}"]
            shown = [_erratum(*each) for each in of_rank]
            if rank != Rank.STATEMENT and len(shown) > 1:  # they would drown those that matter
                many = "misprints" if rank == Rank.MISPRINT else "steps of proofs"
                shown = [f"<details><summary>{len(shown)} {many}</summary>", *shown, "</details>"]
            blocks += shown
    return Markdown("\n\n".join(blocks))


def rank_anchor(room: str, rank: str) -> str:
    """The place of a paper's errata of one rank."""
    return f"{room}-{Rank(rank).name.lower()}"


def with_declared(entry: dict[str, Any]) -> list[tuple[dict[str, Any], Erratum]]:
    """The errata of a stored entry, each beside its declaration, which has the script and says what survives."""
    return list(zip(entry["errata"], registry.statements()[entry["id"]].errata, strict=True))


RANKS = {
    Rank.STATEMENT: "Wrong as a statement is printed",
    Rank.PROOF: "Wrong in a step of a proof",
    Rank.MISPRINT: "Misprints",
}
"""The headings of the errata."""
SURVIVAL = {
    Survival.AS_PRINTED: ("●", "good"),
    Survival.ONCE_CORRECTED: ("◆", "warn"),
    Survival.NOT_AT_ALL: ("✕", "bad"),
}
"""A sign for what becomes of the statement that an erratum belongs to, and the role of its colour."""


def _erratum(entry: dict[str, Any], erratum: dict[str, Any], declared: Erratum) -> str:
    """An erratum as one line, which opens to its evidence; on a phone to its formulas, too, if only a proof has it."""
    assert erratum["proved"] is not False
    where = f"{name(entry)}: {erratum['where']}"
    says_itself = erratum["rank"] == Rank.MISPRINT or name(entry).partition(",")[0] in erratum["where"]
    shown = erratum["where"] if says_itself else where
    sign, role = SURVIVAL[declared.survival]
    of_a_statement = erratum["rank"] == Rank.STATEMENT
    fate = declared.survival.removeprefix("the statement ")
    return (
        f'<details class="erratum" id="{make_id(where)}"{" data-told" * of_a_statement}><summary>'
        f'<span class="{role}" aria-hidden="true">{sign}</span> {escape(shown)} '
        f'<span class="survival">{fate}</span><span class="formulas">'
        f"<span><b>printed:</b> {inline(erratum['paper'])}</span> "
        f"<span><b>right:</b> {inline(erratum['right'])}</span></span>"
        "</summary>\n\n"
        f"**Evidence.** {evidence(erratum)}\n\n"
        f"**{str(declared.survival).capitalize()}.** {erratum['survives']} "
        f'<a href="../s/{entry["id"]}.html#errata">The statement, with the script</a>.\n\n</details>'
    )


def inline(formula: str) -> str:
    """A formula in a line of HTML, for :mod:`widgets.site.typeset`; its words are text, which breaks into lines."""
    parts = TEXT.split(" ".join(formula.split()))
    if any(part.count("{") != part.count("}") or part.count("(") != part.count(")") for part in parts):
        parts = [formula]
    return "".join(
        escape(part) if place % 2 else _mathematics(part) for place, part in enumerate(parts) if part.strip()
    )


TEXT = re.compile(r"\\text\{([^{}$]*)\}")
"""Words in a formula."""


def _mathematics(formula: str) -> str:
    return f'<span class="math notranslate nohighlight">\\({escape(" ".join(formula.split()))}\\)</span>'


def evidence(erratum: dict[str, Any]) -> str:
    """What shows an erratum, in a sentence or two."""
    if not erratum["proved"]:
        return "Two places of the paper's own text disagree."
    numbers = f" In numbers: {_numbers(erratum['numbers'])}." if erratum["numbers"] else ""
    return f"sympy derives the right formula and refutes the printed one.{numbers}"


def checked() -> Markdown:
    """Every formula that was checked and found right, folded by paper."""
    return Markdown("\n\n".join(_checked(paper.chapter, entries(f"{paper.room}.")) for paper in PAPERS))


def _checked(chapter: str, some: list[dict[str, Any]]) -> str:
    """The checked formulas of a paper."""
    rows = []
    for check in (check for entry in some for check in entry["checked"]):
        assert check["passes"] is True
        formula = check["formula"]
        bare = "$" not in formula and ("\\" in formula or "=" in formula)
        rows.append((check["where"], f"${formula}$" if bare else formula, check["how"]))
    formulas = table(("where", "formula", "checked by"), rows)
    return f"<details><summary>{chapter}: {len(rows)} formulas</summary>\n\n{formulas}\n\n</details>"


def _numbers(values: dict[str, float | str]) -> str:
    return ", ".join(f"{key} {_number(value)}" for key, value in values.items())


def _headroom(bound: dict[str, Any]) -> str:
    """The factor by which a number could still grow, or fall, before its bound fails."""
    if is_rounding(bound):
        return "only rounding"
    return "" if isinstance(bound["headroom"], str) else f"{bound['headroom']:.3g}×"


def is_rounding(bound: dict[str, Any]) -> bool:
    """Whether a bound of a stored entry is on errors of rounding, whose size differs from processor to processor."""
    return 0 < min(float(bound["high"]), abs(float(bound["low"]))) <= ROUNDING


def _number(value: float | str) -> str:
    return value if isinstance(value, str) else format(value, ".4g")


def _failing(entry: dict[str, Any]) -> tuple[str, str]:
    """Where it fails when it is examined: the hypotheses that are broken there, or the error that is planted."""
    at = entry["fails at"]
    if not entry["planted"]:
        return "fails where", "; ".join(f"not: {key}" for key, holds in at["hypotheses"].items() if not holds)
    missed = next(bound for bound in at["bounds"] if not bound["holds"])
    return (
        "finds a planted error",
        f"{entry['planted']}: {missed['name']} is then {_number(missed['measured'])}, and must be {missed['must be']}",
    )
