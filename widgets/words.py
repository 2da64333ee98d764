"""The words of figures, which stand in the text of the pages that show them, as blocks that the page does not print.

::

    ```{card} Train until it tips.
    :set: perturbation_radius=1e-9, seed=2
    :stop: tips over
    :lights: Distance from the saddle; The pass
    The push grows by the same factor at each step.
    ```
    ```{card} Make training fail.
    :goal: verdict=outside,temperature<=0.1
    :met: temperature=0.0895
    One slider suffices.
    ```
    ```{caption} below log 2
    After {fallen:n} steps the loss is below log 2.
    ```
    ```{exact}
    Everywhere with orthonormal embeddings.
    ```
    ```{fails} recall.lemma-6, recall.theorem-2
    perturbed: no push tells the two examples apart
    ```
    ```{says} recall.theorem-2
    claim: Below temperature {threshold} one pair ends ahead, {stronger:%} : {predicted_a:%}.
    at: temperature {temperature}
    here: {end_stronger:%} : {measured_a:%}
    ```
    ```{verdict} recall.who-wins
    holds: The right relation wins, as all three conditions say it must.
    ```
    ```{mistaken} perturbation_radius=0
    Who draws this thinks that training rests at the saddle, and forgets the push.
    ```

A card says what its title asks of the reader: it sets controls, goes to a stop, lights parts of the scene. The last
ones may have a ``goal``, conditions on settings, on the report's numbers and on the first statement's verdict, which
the reader is to reach; ``met`` are settings that do, for the tests. A caption says what came out in the case of its
name. ``exact`` says under which assumptions the figure's numbers are exact. ``fails`` has, by the names of a
statement's hypotheses, bounds and conditions on the run, a clause that says that it fails. ``says`` is what a statement
says, its ``claim``, and ``here``, what came out where that holds, with the numbers of the run. Its other lines are
``name``, where the ledger's name is long or "Finding of ours"; ``at``, which settings "here" means; and what else to
say than that a bound fails, where the run is ``contradicted`` or ``outside``, or than that its conclusion holds anyway,
where it is ``beyond``. ``verdict`` has a whole sentence for an outcome in place of the composed one. ``mistaken`` is a
wrong answer to the question that a reader answers by a curve, and what who draws it thinks: the run at other settings,
another watched quantity of it such as ``believed[1]``, a line from its start to its end, ``steadily``, or its start for
ever, ``unchanged``. Of these the first two that differ from the run, and from each other, stand beside it in a class.
Where a page has several figures, ``:figure:`` names the one that a block belongs to.

A number in braces is a field of the figure's report or a setting: ``{gap}``, as a percentage ``{gap:%}``, as a whole
number ``{steps:n}``, one of several ``{strength[0]}``.

Words are joined to a figure once it is translated, so that other words translate nothing and run no cell. The same
function does so in Jupyter and when the book is built.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from widgets.goals import parse_goal
from widgets.project import ROOT

KINDS: dict[str, tuple[str, ...]] = {
    "card": ("set", "stop", "lights", "figure", "goal", "met"),
    "caption": ("figure",),
    "exact": ("figure",),
    "fails": (),
    "says": (),
    "verdict": (),
    "mistaken": ("figure",),
}
"""The kinds of blocks, and the options of each."""
SAYS = ("name", "claim", "at", "here", "contradicted", "outside", "beyond")
"""The lines of a block ``says``."""
SIGNS = {"holds": " ✓", "contradicted": " ✕"}
SHAPES = ("steadily", "unchanged")
"""What a mistaken answer can be that no run has: its ends joined by a line, and its start for ever."""
EMPHASIS = re.compile(r"\*([A-Z][^*]*)\*")
"""In a sentence on a run: where it comes to this run, "*Here:*"."""
ASSUMPTIONS = ("Assumption", "Condition")
"""What is assumed predicts nothing: it holds here, or does not."""
JUDGED = re.compile(r"\{(low|measured|high)(?=\[)")
"""In a sentence on a run: the limits and the number of its statement's bound at a place."""
FENCE = re.compile(r"\{(\w+)\}\s*(.*)")
OPTION = re.compile(r":(\w+):\s*(.*)")
QUOTES = {
    "hypothesis": "“{}” fails",
    "bound": "“{}” is not as predicted",
    "condition": "“{}” has not been reached",
}
"""What is said of an item that no block has words for, by its technical name."""
PLACES = re.compile(r"{(.*?)}")
"""Where a sentence holds a number."""
NUMBER = re.compile(r"(\w+)(?:\[(\d+)\])?(?::[%n])?")
"""What stands there: a field, the place of one of its numbers, and how the number is written."""


class Block(NamedTuple):
    """A block of a page: its kind, what stands behind it, its options and its text."""

    kind: str
    head: str
    options: dict[str, str]
    text: str

    @property
    def said(self) -> str:
        """Its text as one line."""
        return " ".join(self.text.split("\n"))


def blocks_of(page: str, root: Path = ROOT) -> tuple[Block, ...]:
    """The blocks of a page, "book/recall/escape", in their order; none if there is no such notebook.

    Raises:
        ValueError: an option of a block is unknown, or two blocks of a kind have one name.
    """
    path = root / f"{page}.ipynb"
    return _blocks(path, path.stat().st_mtime_ns) if path.exists() else ()


@lru_cache(512)
def _blocks(path: Path, _changed: int) -> tuple[Block, ...]:
    from markdown_it import MarkdownIt  # which only figures of a page with words need

    cells = json.loads(path.read_text())["cells"]
    texts = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]
    blocks: list[Block] = []
    for token in (token for text in texts if "{" in text for token in MarkdownIt("commonmark").parse(text)):
        match = FENCE.fullmatch(token.info.strip()) if token.type == "fence" else None
        if match and match[1] in KINDS:
            blocks.append(_block(path, match[1], match[2], token.content))
    seen = set[tuple[str, ...]]()
    for kind, head, options, _ in blocks:
        name = (kind, head, options.get("figure", ""))
        if name in seen and kind != "fails":
            raise ValueError(f"{path.name}: two blocks {{{kind}}} {head}: must be one")
        seen.add(name)
    return tuple(blocks)


def _block(path: Path, kind: str, head: str, content: str) -> Block:
    options, lines = {}, content.splitlines()
    while lines and (match := OPTION.fullmatch(lines[0])):
        options[match[1]] = match[2]
        del lines[0]
    if unknown := options.keys() - set(KINDS[kind]):
        allowed = ", ".join(KINDS[kind]) or "none"
        raise ValueError(
            f"{path.name}, {{{kind}}} {head}: options {sorted(unknown)}: must be among {allowed}"
        )
    if late := next((line for line in lines if OPTION.fullmatch(line)), None):
        raise ValueError(
            f"{path.name}, {{{kind}}} {head}: {late!r}: options must stand first, without a blank line"
        )
    return Block(kind, head, options, "\n".join(lines).strip())


def outline(page: str) -> list[Any]:
    """What a page has blocks for, without what they say: a figure's cell is run again if that has changed."""
    return [
        (block.kind, block.head, block.options.get("figure"), sorted(_by_name(page, block)))
        if block.kind in ("fails", "verdict", "says")
        else (block.kind, block.head, block.options.get("figure"))
        for block in blocks_of(page)
    ]


def _by_name(page: str, block: Block) -> dict[str, str]:
    """The lines of a block as words by name; of a block ``says`` without YAML's rules for colons and braces."""
    import yaml  # as above

    where = f"{page}.ipynb, {{{block.kind}}} {block.head}"
    if block.kind == "says":
        lines = [line.partition(": ") for line in re.sub(r"\n +", " ", block.text).split("\n")]
        if unknown := [name for name, *_ in lines if name not in SAYS]:
            raise ValueError(f"{where}: {unknown[0]!r}: a line must begin with one of {', '.join(SAYS)}")
        return {name: said.strip() for name, _, said in lines}
    words = yaml.safe_load(block.text)
    if not isinstance(words, dict):
        raise ValueError(f"{where}: must be lines of a name, a colon and words")
    if bad := [name for name, said in words.items() if not (isinstance(name, str) and isinstance(said, str))]:
        raise ValueError(f"{where}: {bad[0]!r}: must be a name and words, in quotes if they have a colon")
    return words


def clauses(id: str, page: str, kind: str = "fails") -> dict[str, str]:
    """What a page says of a statement's items where they fail, by their names; or by outcomes, of its verdict."""
    words: dict[str, str] = {}
    for block in blocks_of(page):
        if block.kind == kind and id in [part.strip() for part in block.head.split(",")]:
            words |= _by_name(page, block)
    return words


def name_of(id: str, page: str) -> str:
    """The name that a page has for a statement in place of the ledger's, or ""."""
    return clauses(id, page, "says").get("name", "")


def sentences(id: str, page: str, *, name: str, choice: bool, chance: bool) -> dict[str, str]:
    """The sentences that a page has on a statement, by outcome; "unpromised" if it is early and a hypothesis fails.

    And "waits", before the run's end. Where the page has no block ``says`` there are but those of ``verdict``.

    Args:
        name: the ledger's.
        choice: whether the statement says that there is a choice.
        chance: whether it says that something happens with a probability.
    """
    own, says = clauses(id, page, "verdict"), clauses(id, page, "says")
    if not says:
        return own
    if missing := [line for line in ("claim", "here") if not says.get(line)]:
        raise ValueError(f"{page}.ipynb, {{says}} {id}: must have a line {missing[0]!r}")
    at = f", {says['at']}" if "at" in says else ""
    claim, here, fails = says["claim"], f"*Here{at}:*", "{bound}"
    if choice or chance:
        fails = f"not {'with this choice' if choice else 'in this run, as may happen by chance'}: {fails}"
    no_promise, early = f"{claim} *Does not apply here:* {{hypothesis}};", "too early to tell: {condition}."
    composed = {
        "holds": f"{claim} {here} {says['here']}",
        "contradicted": f"{claim} {here} {says.get('contradicted', fails)}",
        "outside": f"{no_promise} {says.get('outside', '{bound}')}.",
        "beyond": f"{no_promise} {says.get('beyond', 'its conclusion holds anyway')}.",
        "undecided": f"{claim} {here} {early}",
        "unpromised": f"{no_promise} {early}",
        "waits": f"{claim} *Here:* judged at the end of the run.",
    }
    if name.startswith(ASSUMPTIONS):
        not_ = f"{claim} *Does not hold here{at}:*"
        composed["holds"] = f"{claim} *Holds here{at}:* {says['here']}"
        composed["beyond"] = f"{claim} *Holds here{at}*, although {{hypothesis}}: {says['here']}"
        composed |= {key: f"{not_} {says.get(key, '{bound}')}" for key in ("contradicted", "outside")}
    return {key: said + SIGNS.get(key, "") for key, said in composed.items()} | own


def without_emphasis(sentence: str) -> str:
    """A sentence on a run as plain text."""
    return EMPHASIS.sub(r"\1", sentence)


def failures(id: str, page: str, item: str, named: Iterable[tuple[str, str]]) -> list[str]:
    """For each name of an item, with its technical words, a clause that says that it fails."""
    words = clauses(id, page)
    return [words.get(name, QUOTES[item].format(technical)) for name, technical in named]


def joined(spec: dict[str, Any], kernels: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """A figure's spec with the words that its pages have for it now.

    Args:
        spec: with ``words``: the ``pages`` that have them, of which an earlier one goes first, and the names of the
            caption's ``cases``.
        kernels: of the figure; the shapes of the last are those of the report's fields.

    Raises:
        ValueError: a block is missing or unused, or names what the figure does not have.
    """
    wanted = spec["words"]
    pages, name = wanted["pages"], spec["name"]
    of = {page: [b for b in blocks_of(page) if b.options.get("figure", name) == name] for page in pages}
    shapes = next(kernel["outputs"] for kernel in kernels if kernel["name"] == "report")
    sizes = {entry["name"]: 1 for entry in spec["parameters"]} | {
        field: math.prod(shape) for field, shape in zip(spec["report"], shapes, strict=True)
    }
    cards, caption = _cards(spec, pages, of), _caption(wanted["cases"], pages, of)
    for where, text in [*((f"card {card['title']!r}", card["text"]) for card in cards), *caption.items()]:
        _check_quoted(f"{pages[0]}.ipynb, {where}", text, sizes)
    exact = next((block.said for page in pages for block in of[page] if block.kind == "exact"), "")
    if exact and not exact.endswith("."):
        raise ValueError(f"{pages[0]}.ipynb, {{exact}} {exact!r}: must be a sentence, with a full stop")
    sheets = [
        _sheet(sheet, fields, sizes)
        for sheet, fields in zip(spec["statements"], spec["verdicts"], strict=True)
    ]
    result = {**spec, "story": cards, "caption": list(caption.values()), "statements": sheets}
    if mistaken := _mistaken(spec, kernels, pages, of):
        result["mistaken"] = mistaken
    return {**result, "exact": exact} if exact else result


def _mistaken(
    spec: Mapping[str, Any],
    kernels: Sequence[Mapping[str, Any]],
    pages: Sequence[str],
    of: Mapping[str, Sequence[Block]],
) -> list[dict[str, Any]]:
    """The mistaken answers to the figure's question: those of the first page that has some."""
    mistaken = {page: [block for block in of[page] if block.kind == "mistaken"] for page in pages}
    if not spec["scene"]["predict"]:
        if own := mistaken[pages[0]]:
            raise ValueError(f"{pages[0]}.ipynb, {{mistaken}} {own[0].head}: its figure asks no question")
        return []
    shapes = next(kernel["outputs"] for kernel in kernels if kernel["name"] == "watch")
    sizes = {field: math.prod(shape) for field, shape in zip(spec["watch"], shapes, strict=True)}
    page = next((page for page in pages if mistaken[page]), pages[0])
    return [
        _wrong(f"{page}.ipynb, {{mistaken}} {block.head}", spec, sizes, block) for block in mistaken[page]
    ]


def _wrong(where: str, spec: Mapping[str, Any], sizes: Mapping[str, int], block: Block) -> dict[str, Any]:
    """A mistaken answer: settings, a watched quantity, or a shape; and what who draws it thinks."""
    answer = {"says": block.said, "values": {}, "field": "", "component": 0, "shape": ""}
    if not block.said.endswith("."):
        raise ValueError(f"{where}: must say in a sentence, with a full stop, what who draws it thinks")
    if block.head in SHAPES:
        return answer | {"shape": block.head}
    if "=" in block.head:
        values = settings_in(where, block.head)
        check_card(where, values, "", [], spec)
        return answer | {"values": values}
    match = NUMBER.fullmatch(block.head)
    if not match or int(match[2] or 0) >= sizes.get(match[1], 0):
        raise ValueError(
            f"{where}: must be NAME=NUMBER, {' or '.join(SHAPES)}, or a quantity that is watched, of {sorted(sizes)}"
        )
    return answer | {"field": match[1], "component": int(match[2] or 0)}


def _caption(cases: Sequence[str], pages: Sequence[str], of: Mapping[str, Sequence[Block]]) -> dict[str, str]:
    """The text of each case, by the block of its name; of several pages the first that has one."""
    texts: dict[str, str] = {}
    for page in reversed(pages):
        texts |= {block.head: block.said for block in of[page] if block.kind == "caption"}
    if missing := [case for case in cases if not texts.get(case)]:
        raise ValueError(f"{pages[0]}.ipynb has no block {{caption}} {missing[0]}: its figure has that case")
    here = [block.head for block in of[pages[0]] if block.kind == "caption"]
    if unused := [head for head in here if head not in cases]:
        raise ValueError(
            f"{pages[0]}.ipynb, {{caption}} {unused[0]}: unused: the cases are {'; '.join(cases) or 'none'}"
        )
    return {case: texts[case] for case in cases}


def _cards(
    spec: Mapping[str, Any], pages: Sequence[str], of: Mapping[str, Sequence[Block]]
) -> list[dict[str, Any]]:
    """The story: the cards of the first page; one without a text is as another page has it."""
    cards = []
    for block in of[pages[0]]:
        if block.kind != "card":
            continue
        same = [b for page in pages for b in of[page] if (b.kind, b.head) == ("card", block.head) and b.text]
        if not same:
            raise ValueError(f"{pages[0]}.ipynb, {{card}} {block.head}: must have a text")
        cards.append(_card(f"{pages[0]}.ipynb, {{card}} {block.head}", spec, same[0]))
    goals = [bool(card["goal"]) for card in cards]
    if goals != sorted(goals):
        raise ValueError(f"{pages[0]}.ipynb: its cards with a goal must be the last")
    return cards


def _card(where: str, spec: Mapping[str, Any], block: Block) -> dict[str, Any]:
    values, met = (settings_in(where, block.options.get(option, "")) for option in ("set", "met"))
    lights = [part.strip() for part in block.options.get("lights", "").split(";") if part.strip()]
    stop, goal = block.options.get("stop", ""), block.options.get("goal", "")
    check_card(where, values, stop, lights, spec)
    check_card(where, met, "", [], spec)
    if goal or met:
        _check_goal(where, goal, met, spec)
    return {
        "title": block.head,
        "values": values,
        "text": block.said,
        "stop": stop,
        "lights": lights,
        "goal": goal,
    }


def settings_in(where: str, text: str) -> dict[str, float]:
    """The values in "name=1, other=2.5"."""
    values: dict[str, float] = {}
    for setting in filter(None, (part.strip() for part in text.split(","))):
        name, _, number = setting.partition("=")
        try:
            values[name.strip()] = int(number) if re.fullmatch(r"-?\d+", number.strip()) else float(number)
        except ValueError:
            raise ValueError(f"{where} sets {setting!r}: must be NAME=NUMBER") from None
    return values


def _check_goal(where: str, goal: str, met: Mapping[str, float], spec: Mapping[str, Any]) -> None:
    """A goal's conditions are those that the page can judge, and a card says where they are met."""
    known = [*(["verdict"] if spec["statements"] else []), *spec["goals"]]
    try:
        conditions = parse_goal(goal)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    for name, *_ in conditions:
        if name not in known:
            raise ValueError(f"{where} has a goal for {name!r}: must be among {known}")
    if not met:
        raise ValueError(f"{where}: must say with :met: which settings meet its goal")


def check_card(
    where: str, values: Mapping[str, float], stop: str, lights: Sequence[str], spec: Mapping[str, Any]
) -> None:
    """Refuse a card that sets no control, goes to no moment or lights no part of the figure.

    Raises:
        ValueError: with what is there.
    """
    scene = spec["scene"]
    controls = {entry["name"]: entry for entry in spec["parameters"] if not entry.get("fixed")}
    moments = ["", "start", *(one["name"] for one in scene["stops"])]
    main = [] if scene["main"] is None else [scene["main"]]
    titles = [part["title"] for part in (*main, *scene["beside"])]
    if unknown := set(values) - set(controls):
        raise ValueError(f"{where} sets {sorted(unknown)}: the controls are {sorted(controls)}")
    if stop not in moments:
        raise ValueError(f"{where} goes to {stop!r}: must be one of {moments}")
    if dark := set(lights) - set(titles):
        raise ValueError(f"{where} lights {sorted(dark)}: the parts are {titles}")
    for name, value in values.items():
        _check_offered(where, name, value, controls[name])


def _check_offered(where: str, name: str, value: float, parameter: Mapping[str, Any]) -> None:
    """A card sets a control to where it can stand."""
    track = parameter.get("track", {})
    choices = parameter.get("choices") or ([0, 1] if parameter.get("boolean") else [])
    low, high = (track.get(end, math.nan) for end in ("min", "max"))
    if "base" in track:  # powers differ in the last digit
        low, high = track["base"] ** low * (1 - 1e-12), track["base"] ** high * (1 + 1e-12)
    there = any(value == one for one in choices) if choices else not (value < low or value > high)
    if not there or (parameter["integer"] and value != int(value)):
        numbers = f"{'whole ' * parameter['integer']}numbers from {low:g} to {high:g}"
        offered = ", ".join(f"{one:g}" for one in choices) or numbers
        raise ValueError(f"{where} sets {name} = {value:g}: its control offers {offered}")


def _check_quoted(where: str, text: str, sizes: Mapping[str, int]) -> None:
    for field, place in quoted(where, text):
        if not (field in sizes and place < sizes[field] and (sizes[field] == 1 or f"{{{field}[" in text)):
            single = sorted(name for name, size in sizes.items() if size == 1)
            raise ValueError(
                f"{where} quotes {field!r}: must be a parameter or a number of the report, one of {', '.join(single)}"
            )


def _sheet(sheet: dict[str, Any], fields: Mapping[str, str], sizes: Mapping[str, int]) -> dict[str, Any]:
    """A statement's words with those of its page.

    Args:
        fields: of the report, by the keys of a verdict.
        sizes: how many numbers there are by the names that a sentence may quote.
    """
    id, page = sheet["id"], sheet["page"]
    keys = sheet.get("keys") or {"hypothesis": sheet["assumes"], "condition": sheet["settled"]}
    named = {
        "hypothesis": list(zip(keys["hypothesis"], sheet["assumes"], strict=True)),
        "bound": [(bound["name"], bound["name"]) for bound in sheet["bounds"]],
        "condition": list(zip(keys["condition"], sheet["settled"], strict=True)),
    }
    known = {name for pairs in named.values() for name, _ in pairs}
    if unused := [name for name in clauses(id, page) if name not in known]:
        raise ValueError(
            f"{page}.ipynb, {{fails}} {id}: {unused[0]!r} is unused: must be among {sorted(known)}"
        )
    own = clauses(id, page, "verdict")
    if unused := own.keys() - sheet["sentences"].keys():
        raise ValueError(
            f"{page}.ipynb, {{verdict}} {id}: {sorted(unused)}: must be among {list(sheet['sentences'])}"
        )
    said = sentences(
        id,
        page,
        name=sheet["name"],
        choice=bool(sheet["choices"]),
        chance=bool(sheet["exists"] and not sheet["choices"]),
    )
    result = {
        **sheet,
        "name": name_of(id, page) or sheet["name"],
        "failures": {item: failures(id, page, item, pairs) for item, pairs in named.items()},
        "sentences": {**sheet["sentences"], **{key: said[key] for key in sheet["sentences"] if key in said}},
        "unpromised": said.get("unpromised", sheet["unpromised"]),
        "waits": said.get("waits", sheet["waits"]),
    }
    kinds = "|".join(named)
    for text in (*said.values(), *(clause for each in result["failures"].values() for clause in each)):
        numbers = JUDGED.sub(lambda match: "{" + fields[match[1]], re.sub(rf"{{({kinds})}}", "", text))
        _check_quoted(f"{page}.ipynb, {{says}} {id}", numbers, sizes)
    spoken = {key: result[key] for key in ("sentences", "failures", "unpromised", "waits")}
    return {**result, **_in_fields(spoken, fields)}


def _in_fields(said: Any, fields: Mapping[str, str]) -> Any:
    """Words in which the report's fields stand for the numbers of bounds."""
    if isinstance(said, dict):
        return {key: _in_fields(each, fields) for key, each in said.items()}
    if isinstance(said, list):
        return [_in_fields(each, fields) for each in said]
    return JUDGED.sub(lambda match: "{" + fields[match[1]], said)


def quoted(where: str, sentence: str) -> list[tuple[str, int]]:
    """The fields that a sentence quotes, each with the place of the number in it.

    Raises:
        ValueError: a brace has no other, or holds no number; ``where`` says whose sentence it is.
    """
    if re.search("[{}]", PLACES.sub("", sentence)):
        raise ValueError(f"{where} says {sentence!r}: a brace must have its other")
    numbers = []
    for text in PLACES.findall(sentence):
        match = NUMBER.fullmatch(text)
        if not match:
            raise ValueError(f"{where} reads {text!r}: must be a field or a place in it, also with :% or :n")
        numbers.append((match[1], int(match[2] or 0)))
    return numbers
