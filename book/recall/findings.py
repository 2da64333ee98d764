"""What the experiments' page says, written from the tables: every number in its sentences is computed here."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from torch import Generator

from book.figures import listed
from book.recall import plots
from book.recall.plots import ALL, DESCENT, POSITIONS, UNIT
from book.tables import table
from lib.recall import experiments, pretraining
from lib.recall.claims.experiments import named_at_random
from lib.recall.interference import interference
from lib.sweep import Table

NOISE = experiments.NOISE
CELL = ["subjects", "relations"]


def in_short(two: pd.DataFrame, three: pd.DataFrame, four: pd.DataFrame) -> str:
    """The three findings, a sentence or two each."""
    ends, rows, tuned = _ends(two), _grid(three), plots.tuned(four)
    enough = ends[ends.samples >= 64]
    positions = rows[(rows.way == POSITIONS) & (rows.samples == 8)]
    full = rows[(rows.way == ALL) & (rows.samples == 8)].groupby(CELL)[["accuracy", "untrained"]].mean()
    pairs = tuned[tuned.examples == 2]
    return _bullets(
        f"**The pairwise pattern (Figure 2) reproduces**: in {_of(enough.emerged)} runs on 64 prompts or more, for two "
        "examples and for three, whatever is trained and by what.",
        "**Eight prompts are enough (Figure 3) where only positions are trained.** Accuracy is then within "
        f"{(positions.ceiling - positions.accuracy).max():.3f} of the best that any rule can do, in all "
        f"{len(positions)} runs. Where Adam trains all of $W^{{KQ}}$ they are not: in "
        f"{_of(full.accuracy < full.untrained)} cells the model ends below its own untrained accuracy.",
        f"**A pretrained memory (Figure 4) gives the pattern** in {_of(pairs.emerged)} fine-tunings with two examples. "
        f"But it names the relation at most {pairs.share.max():.0%} as often as the best rule.",
    )


def settings() -> str:
    """What the paper fixes and leaves open, and what we took."""
    steps = experiments.STEPS
    two, three = experiments.FIGURE_2
    looks = listed(str(step) for step in steps["all"])
    rows = (
        ("relations", "random bijections", "the same"),
        ("embeddings", "random orthonormal", "the same, and unit vectors"),
        ("training", "Adam, rate 10⁻³", f"the same, and gradient descent at rate {experiments.DESCENT:g} T²"),
        ("trained in Figures 2 and 3", "left open", "positions alone, and all of $W^{KQ}$"),
        ("trained in Figure 4", "all of $W^{KQ}$", "the same"),
        ("Figures 2 and 4", f"{_setting(two)}; {_setting(three)}", "the same"),
        ("Figure 3", "left open in the text", "|S| 8 to 128, |R| 16 to 1024, T 0.01 to 0.2"),
        ("start", "left open", f"normal, spread {NOISE:g}; in places 0 and 0.1"),
        ("steps", "left open", f"{steps['positions'][0]} for positions; {looks} for all of $W^{{KQ}}$"),
        ("|D| in Figures 2 and 4", "left open", "8 to 256; 64 and 1024"),
        ("activation", "x² in Section 2.1; for Figure 4 left open", ", ".join(plots.ACTIVATIONS.values())),
        ("pretraining", "left open", f"T 0.05 to 1, width 64 to 1024, {pretraining.PRETRAINING_STEPS} steps"),
    )
    return table(("", "the paper", "here"), rows)


def ceilings(two: pd.DataFrame, three: pd.DataFrame) -> str:
    """How far Assumption 1 is from true in the paper's own settings, and what that costs."""
    lines = []
    for setting in experiments.FIGURE_2:
        rows = two[two.examples == setting["examples"]].drop_duplicates("seed")
        law = named_at_random(8, setting["relations"], setting["examples"])
        measured = f"{rows.ceiling.mean():.3f} ± {rows.ceiling.std():.3f}"
        ends = (f"{law:.3f}", measured, f"{rows.untrained.mean():.3f}")
        lines.append((_setting(setting), f"{rows.violations.mean():.0f}", *ends))
    rows = _grid(three)
    cells = rows[rows.way == POSITIONS].groupby(CELL).untrained.mean()
    head = ("setting", "shared pairs of facts", "ceiling, law", "ceiling, measured", "untrained")
    return (
        "In the settings of Figures 2 and 4, Assumption 1 is broken many times over. (It speaks of two examples; "
        f"the ceilings are those of the examples shown.)\n\n{table(head, lines)}\n\n"
        f"In our grid for Figure 3, the untrained accuracy is above 0.9 in {_of(cells > 0.9)} cells."
    )


def samples(three: pd.DataFrame) -> str:
    """The answer to the question of Figure 3."""
    rows = _grid(three)
    few = rows[(rows.way == POSITIONS) & (rows.samples == 2)]
    eight = _eight(three)
    means = (
        eight.groupby(["way", "steps", "subjects"]).accuracy.mean().unstack()
    )  # one row for each way and look
    edges = eight.groupby("subjects")[["untrained", "saddle", "ceiling"]].mean().T
    looks = [(POSITIONS, 6000), (DESCENT, 100), (DESCENT, 1000), (ALL, 10), (ALL, 1000), (UNIT, 1000)]
    lines = [(name, *(f"{value:.3f}" for value in edges.loc[name])) for name in ("untrained", "saddle")]
    lines += [
        (f"{way}, {steps} steps", *(f"{value:.3f}" for value in means.loc[way, steps]))
        for way, steps in looks
    ]
    lines.append(("ceiling", *(f"{value:.3f}" for value in edges.loc["ceiling"])))
    return (
        f"Where only positions are trained, **two** prompts do: {_of(few.ceiling - few.accuracy < 1e-9)} runs reach "
        "the ceiling of their test prompts exactly. Where all of $W^{KQ}$ is trained, it depends on the optimizer, and "
        "on when it stops. Mean accuracy after training on eight prompts, 64 relations:\n\n"
        f"{table(('', *(f'|S| = {n}' for n in means.columns)), lines)}\n\n{_more(three)}"
    )


def overfit(three: pd.DataFrame, subjects: int = 64) -> str:
    """How accuracy on eight prompts falls with longer training."""
    rows = _eight(three)
    rows = rows[rows.subjects == subjects]
    means = rows.groupby(["way", "steps"]).accuracy.mean()
    return (
        f"Training all of $W^{{KQ}}$ on few prompts *overfits*. With {subjects} subjects and eight prompts, gradient "
        f"descent has {means[DESCENT, 100]:.3f} after 100 steps and {means[DESCENT, 1000]:.3f} after 1000; the ceiling "
        f"is {rows.ceiling.mean():.3f}. Adam has {means[ALL, 10]:.3f} after 10 steps, about what the saddle gives, "
        f"{rows.saddle.mean():.3f}. After 1000 it has {means[ALL, 1000]:.3f}, and an untrained model "
        f"{rows.untrained.mean():.3f}."
    )


def second_step(three: pd.DataFrame) -> str:
    """Whether the answer is right once r* is decoded."""
    rows = plots.in_words(_longest(three))
    rows = rows[rows.temperature == 0.05]
    least = rows.groupby("way").answer_accuracy.min()
    many = rows[(rows.way == ALL) & (rows.subjects == 8)].groupby("samples").answer_accuracy.mean()
    return (
        "The paper finds the second step perfect in all settings and seeds. With positions trained it is: the worst of "
        f"{(rows.way == POSITIONS).sum()} runs has {least[POSITIONS]:.3f}. With gradient descent on all of $W^{{KQ}}$ "
        f"the worst has {least[DESCENT]:.3f}. With Adam on all of it the worst has {least[ALL]:.3f}, and on unit "
        f"vectors {least[UNIT]:.3f}. With eight subjects even {many.index[-1]} prompts bring Adam's mean to "
        f"{many.iloc[-1]:.3f} only."
    )


def figure_2(two: pd.DataFrame, examples: int) -> pd.DataFrame:
    """The runs that the page draws: positions trained on 64 prompts."""
    rows = _ends(two)
    return rows[
        (rows.examples == examples) & (rows.way == POSITIONS) & (rows.samples == 64) & (rows.noise == NOISE)
    ]


def pattern(two: pd.DataFrame) -> str:
    """In how many seeds the pattern emerges, for every way of training and number of prompts."""
    rows = _ends(two)
    main, sizes = rows[rows.noise == NOISE], sorted(set(rows.samples))
    lines = []
    for (examples, way), part in main.groupby(["examples", "way"]):
        by_size = dict(list(part.groupby("samples")))
        seeds = (_of(by_size[size].emerged) if size in by_size else "" for size in sizes)
        means = by_size[64][["within", "between", "answer_accuracy"]].mean()
        lines.append((str(examples), way, *seeds, *(f"{mean:.3f}" for mean in means)))
    head = (
        "examples",
        "trained",
        *(f"|D| = {size}" for size in sizes),
        "within pairs",
        "between",
        "second step",
    )
    starts = rows[(rows.samples == 64) & (rows.examples == 2) & (rows.noise != NOISE)]
    best = main.groupby("examples").ceiling.mean()
    return (
        "Pairwise in so many seeds; the last three columns are means for |D| = 64:\n\n"
        f"{table(head, lines)}\n\nFrom 64 prompts on, the first step is at its ceiling, {best[2]:.3f} and "
        f"{best[3]:.3f}. The start matters little: from 0 and from a spread of 0.1 the pattern emerges in "
        f"{_of(starts.emerged)} runs. Training stays at the saddle only if nothing tells the examples apart: the "
        "start is 0, and $D$ shows each prompt in both orders."
    )


def figure_4(four: pd.DataFrame) -> pd.DataFrame:
    """The runs that the page draws: x², width 256, pretraining at T = 1, Adam on 1024 prompts."""
    rows = _adam(four, 2)
    return rows[(rows.activation == "x²") & (rows.width == 256) & (rows.pretraining_temperature == 1)]


def pretrained(four: pd.DataFrame) -> str:
    """The pattern on a pretrained memory, by what the paper leaves open."""
    rows = _adam(four, 2)
    temperatures = sorted(set(rows.pretraining_temperature))
    lines = []
    for (activation, width), part in rows.groupby(["activation", "width"]):
        cells = dict(list(part.groupby("pretraining_temperature")))
        pairs = (
            f"{_of(cells[t].emerged)}; {cells[t].lesser.mean():.2f}" if t in cells else ""
            for t in temperatures
        )
        eos = (f"{cells[t].q6.mean():.2f}" if t in cells else "" for t in temperatures)
        lines.append((activation, str(width), *pairs, *eos))
    head = ("activation", "width", *(f"pairwise, T = {t:g}" for t in temperatures))
    forgot = rows[rows.memory < 0.95].groupby(["activation", "width", "pretraining_temperature"])
    worst = listed(f"{kind} at width {width} and T = {t:g}" for kind, width, t in forgot.groups)
    return (
        "Two examples, Adam on 1024 prompts: in how many seeds attention is pairwise, and what the lesser pair "
        "receives; then what r* gives to EoS; by the temperature T of pretraining:\n\n"
        f"{table((*head, *(f'r* → EoS, T = {t:g}' for t in temperatures)), lines)}\n\n"
        f"Even attention would be {1 / 7:.2f}. Pretraining stores every fact, but for {worst}."
    )


def three_examples(four: pd.DataFrame) -> str:
    """The right half of Figure 4."""
    said = []
    for t, part in _adam(four, 3).groupby("pretraining_temperature"):
        attention, _ = plots.by_rank(part, 3, "v")
        masses = listed(f"{attention[:, 2 * k : 2 * k + 2].sum(1).mean():.2f}" for k in range(3))
        said.append(
            f"Pretrained at T = {t:g}, the pairs receive {masses}, and EoS {part.v8.mean():.2f}. The tokens of a pair "
            f"differ by {part.within.mean():.3f}, the pairs by {part.between.mean():.3f}; r* gives EoS "
            f"{part.q8.mean():.2f}."
        )
    return "With **three examples**, x² and width 256: " + " ".join(said)


def pretrained_accuracy(four: pd.DataFrame) -> str:
    """How accuracy grows with width, and what one pair alone would give."""
    rows = _adam(four, 2)
    warm = rows[(rows.activation == "x²") & (rows.pretraining_temperature == 1)]
    wide = listed(f"{part.accuracy.mean():.2f} at width {width}" for width, part in warm.groupby("width"))
    cold = rows[rows.pretraining_temperature == 0.05]
    both = rows.emerged & (rows.lesser > 0.1)
    return (
        f"With x² and pretraining at T = 1, accuracy is {wide}; the ceiling is {rows.ceiling.mean():.2f}. Pretrained "
        "at T = 0.05, as cold as the fine-tuning, the model attends to one pair alone: the other receives "
        f"{cold.lesser.mean():.3f}. It then names the relation in {cold.accuracy.mean():.3f} of the prompts; one pair "
        f"alone allows {named_at_random(8, 64, 1):.3f}. That, too, counts as pairwise above. Of all these runs, "
        f"{_of(both)} are pairwise and give each pair a tenth or more."
    )


def noise(widths: Sequence[int] = (64, 256)) -> str:
    """How large the scores of two subjects are beside those of a pair, in memories pretrained here and now."""
    known = experiments.trial(8, 64, 2, seed=0).knowledge
    adam, lines = experiments.rule_of("adam", 1.0), []
    for width in widths:
        generator = Generator().manual_seed(0)
        start = pretraining.network(2 * 8 + 64 + 1, 7, "square", width, generator)
        stored, _ = pretraining.pretrain(start, known, 1.0, adam, 1500, generator)
        found = interference(stored, known)
        shares = (f"{float(part / found.signal):.2f}" for part in found[1:])
        lines.append((str(width), f"{float(found.signal):.1f}", *shares))
    head = ("width", "score of a pair", "wrong pairs, relative", "two subjects", "two answers")
    return table(head, lines)


def account(two: pd.DataFrame, three: pd.DataFrame, four: pd.DataFrame) -> str:
    """What is said, whether it reproduces, and where."""
    ends, rows, tuned = _ends(two), _grid(three), plots.tuned(four)
    eight = rows[rows.samples == 8]
    behind = (eight.ceiling - eight.accuracy).groupby(eight.way).max()
    least = eight.groupby("way").answer_accuracy.min()
    full = ends[ends.way == ALL]
    pairs, triples = tuned[tuned.examples == 2], tuned[tuned.examples == 3]
    adam, even = _adam(four, 2), 1 / 7
    warm, cold = adam[adam.pretraining_temperature == 1], adam[adam.pretraining_temperature == 0.05]
    by_way = "{} with positions trained; with all of W, {} by gradient descent and {} by Adam"
    lines = [
        (
            "attention is pairwise, memory constructed",
            "yes",
            f"{_of(ends[ends.samples >= 64].emerged)} runs, |D| ≥ 64",
        ),
        (
            "eight prompts give high accuracy",
            "where positions are trained",
            "below the ceiling by at most "
            + by_way.format(*(f"{behind[way]:.3f}" for way in (POSITIONS, DESCENT, ALL))),
        ),
        (
            "the second step is perfect",
            "where positions are trained, or by gradient descent",
            "on eight prompts at least "
            + by_way.format(*(f"{least[way]:.3f}" for way in (POSITIONS, DESCENT, ALL))),
        ),
        (
            "all of W finds the same solution",
            "on enough prompts",
            f"Adam, |S| = 8: {_of(full[full.samples >= 64].emerged)} runs on 64 prompts or more, "
            f"{_of(full[full.samples < 64].emerged)} on eight",
        ),
        (
            "attention is pairwise, memory pretrained",
            "mostly with two examples",
            f"{_of(pairs.emerged)} with two examples, {_of(triples.emerged)} with three",
        ),
        (
            "r* then attends to EoS",
            "where pretraining is warm",
            f"more than evenly in {_of(warm.q6 > even)} runs pretrained at T = 1, {_of(cold.q6 > even)} at T = 0.05",
        ),
    ]
    return table(("the paper's finding", "does it reproduce?", "numbers"), lines)


def one_pair(four: pd.DataFrame) -> str:
    """Exercise: the law of one pair against the runs that attend to one."""
    rows = plots.tuned(four)
    alone = rows[(rows.examples == 2) & (rows.lesser < 0.01)]
    return (
        f"For n = 8 and |R| = 64 that is {named_at_random(8, 64, 1):.4f}. In {len(alone)} runs the lesser pair "
        f"receives less than 0.01. They name the relation in {alone.accuracy.mean():.3f} of the prompts, with a spread "
        f"of {alone.accuracy.std():.3f} over runs."
    )


def temperatures(three: pd.DataFrame) -> str:
    """Exercise: accuracy and probability against T, and the prompts it takes."""
    rows = plots.trained(three)
    rows = rows[(rows.way == POSITIONS) & (rows.relations == 64) & (rows.subjects == 64)]
    lines = []
    for t, part in rows.groupby("temperature"):
        cells = [part[part.samples == size][["accuracy", "probability"]].mean() for size in (8, 64)]
        lines.append((f"{t:g}", *(f"{value:.3f}" for cell in cells for value in cell)))
    head = ("T", "accuracy, 8 prompts", "p(r*)", "accuracy, 64 prompts", "p(r*)")
    return f"With 64 subjects and 64 relations:\n\n{table(head, lines)}"


def origins(*tables: Table) -> str:
    """Where the tables come from."""
    lines = []
    for one in tables:
        story = one.provenance
        commit = f"{story['commit'][:7]}{' with changes' if story['dirty'] else ''}"
        size, minutes = str(story["rows"]), f"{story['seconds'] / 60:.0f}"
        lines.append((f"`{story['command']}`", story["date"][:10], commit, size, minutes, story["torch"]))
    return table(("command", "date", "commit", "rows", "minutes", "torch"), lines)


def _longest(table: pd.DataFrame) -> pd.DataFrame:
    """The rows after the most steps of each way of training."""
    return table[table.steps == table.groupby("trained").steps.transform("max")]


def _ends(two: pd.DataFrame) -> pd.DataFrame:
    """Figure 2's runs at their end, with ``emerged``."""
    return plots.in_words(_longest(two)).assign(emerged=plots.emerged)


def _grid(three: pd.DataFrame) -> pd.DataFrame:
    """Figure 3's runs at their end, at T = 0.05, on at most 64 prompts."""
    rows = plots.trained(three)
    return rows[rows.temperature == 0.05]


def _eight(three: pd.DataFrame) -> pd.DataFrame:
    """Figure 3's runs on eight prompts, 64 relations, T = 0.05, at every look."""
    rows = plots.in_words(three)
    rows = rows[(rows.relations == 64) & (rows.samples == 8) & (rows.temperature == 0.05)]
    return rows[rows.subjects <= 64]


def _adam(four: pd.DataFrame, examples: int) -> pd.DataFrame:
    """Figure 4's runs with so many examples, fine-tuned by Adam on 1024 prompts."""
    rows = plots.tuned(four)
    return rows[(rows.examples == examples) & (rows.samples == 1024) & (rows.optimizer == "adam")]


def _more(three: pd.DataFrame) -> str:
    """Full fine-tuning by Adam with many more prompts."""
    rows = plots.in_words(_longest(three))
    rows = rows[(rows.way == ALL) & (rows.samples > plots.SIZES[-1])]
    said = listed(
        f"{part.accuracy.mean():.3f} of {part.ceiling.mean():.3f} with {n} subjects and {size} prompts"
        for (n, size), part in rows.groupby(["subjects", "samples"])
    )
    return f"Adam on all of $W^{{KQ}}$ comes to the ceiling with more prompts: {said}."


def _of(true: pd.Series) -> str:
    """ "7 of 10", of a column of truths; its spaces do not break."""
    return f"{int(true.sum())}\N{NO-BREAK SPACE}of\N{NO-BREAK SPACE}{len(true)}"


def _setting(setting: dict[str, float]) -> str:
    n, r, k, t = (setting[name] for name in ("subjects", "relations", "examples", "temperature"))
    return f"|S| = {n}, |R| = {r}, {k} examples, T = {t:g}"


def _bullets(*items: str) -> str:
    return "\n".join(f"- {item}" for item in items)
