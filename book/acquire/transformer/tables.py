"""The stored runs of GPT-2 and of the one-layer model on the same facts, and how well one predicts the other."""

from __future__ import annotations

import math
from functools import cache
from itertools import combinations
from statistics import fmean
from typing import NamedTuple

import pandas as pd
from scipy.stats import spearmanr

from book.acquire.tables import errors, spread, stored

CELL = ["multiplicity", "phrases", "tuned"]
"""K, R and n_ft."""
MOMENTS = ("chosen", "last", "best")
WAYS = ("rank 1", "rank 2", "rank 4", "rank 16", "full", "format token", "phrase", "random")
TUNED = 24
"""n_ft where one must be named."""


@cache
def both(positions: bool, when: str) -> pd.DataFrame:
    """Shares of unseen facts that are right, a row for each K, R, n_ft and seed.

    Returns:
        ``gpt``; ``one``, of the one-layer model on the same facts; ``once``, the share with a covered phrase.
    """
    gpt, one_layer = (
        rows[(rows.reach == rows.phrases) & (rows.when == when)].set_index([*CELL, "seed"])
        for rows in (
            stored("acquire-transformer").query("positions == @positions"),
            stored("acquire-predicted"),
        )
    )
    return pd.DataFrame({"gpt": gpt.right, "one": one_layer.right, "once": gpt.once}).reset_index()


def means(positions: bool, when: str) -> pd.DataFrame:
    """:func:`both`, the means over seeds by K, R and n_ft."""
    return both(positions, when).groupby(CELL)[["gpt", "one", "once"]].mean()


def ranks(positions: bool, when: str) -> dict[str, float]:
    """Spearman's rank correlations with GPT-2's accuracy over K, R and n_ft.

    Returns:
        ``ceiling``: what two groups of seeds show of each other, of two and of three, the mean over all ways to split;
        ``one``, of the one-layer model, and ``once``, of the count, against GPT-2 on the facts of the three.
    """
    return ranks_at(positions, when, 0)[0]


def ranks_at(positions: bool, when: str, *phrases: int) -> list[dict[str, float]]:
    """:func:`ranks` at each of these R, where only K and n_ft move; over all R for 0."""
    rows = both(positions, when)
    seeds = sorted(rows.seed.unique())
    found: list[list[list[float]]] = [[] for _ in phrases]
    for few in combinations(seeds, len(seeds) // 2):
        chosen = rows.seed.isin(few)
        less, more = (
            part.groupby(CELL)[["gpt", "one", "once"]].mean() for part in (rows[chosen], rows[~chosen])
        )
        rivals = (less.gpt, more.one, more.once)
        for at, correlations in zip(phrases, found, strict=True):
            here = less.index.get_level_values("phrases") == at if at else slice(None)
            correlations.append([spearmanr(more.gpt[here], rival[here]).statistic for rival in rivals])
    names = ("ceiling", "one", "once")
    return [dict(zip(names, map(fmean, zip(*of, strict=True)), strict=True)) for of in found]


def along(positions: bool, when: str, axis: str) -> dict[str, float]:
    """Rank correlations where only ``axis`` moves, for each rival the mean over the lines on which it moves, too."""
    others = [name for name in CELL if name != axis]
    lines = [line for _, line in means(positions, when).groupby(others) if len(line) > 2]
    return {
        name: fmean(spearmanr(line.gpt, line[name]).statistic for line in lines if line[name].nunique() > 1)
        for name in ("one", "once")
    }


def by_seed(positions: bool, *axes: str) -> pd.DataFrame:
    """GPT-2's accuracy with early stopping: a row for each value of ``axes``, a column for each seed."""
    return both(positions, "chosen").groupby([*axes, "seed"]).gpt.mean().unstack("seed")


def later(*axes: str) -> pd.DataFrame:
    """Means at five other starts, without positions, at R = 8 and 32; these ran after all else was measured."""
    return (
        stored("acquire-again")
        .query("when == 'chosen'")
        .groupby([*axes, "seed"])
        .right.mean()
        .unstack("seed")
    )


class Figure3A(NamedTuple):
    """Accuracy on unseen facts against K, at one R and over all n_ft; changes over five starts."""

    change: float  # from one K to the next, least, in standard errors
    clear: float  # from K = 1 to the greatest, in standard errors
    gain: float  # the same as a difference
    last: float  # change at the last K in other starts; NaN if these were not run at this R
    accuracy: dict[int, float]  # by K


def figure_3_a(phrases: int, most: int, positions: bool) -> Figure3A:
    """At one R: accuracy against K up to ``most``, over all n_ft."""
    rows = by_seed(positions, "phrases", "multiplicity").loc[phrases].loc[:most]
    others = later("phrases", "multiplicity")
    has_others = phrases in others.index
    return Figure3A(
        change=errors(rows.diff().dropna()).min(),
        clear=errors(rows.iloc[[-1]] - rows.iloc[0]).iloc[0],
        gain=(rows.iloc[-1] - rows.iloc[0]).mean(),
        last=others.loc[phrases].loc[:most].diff().iloc[-1].mean() if has_others else math.nan,
        accuracy=rows.mean(axis=1).to_dict(),
    )


class Figure3Tuned(NamedTuple):
    """What the most fine-tuned facts bring over the fewest, the least of all K below R."""

    gain: float  # in standard errors
    least: float  # in accuracy
    again: float  # in standard errors, in other starts; NaN if these were not run at this R


def figure_3_tuned(phrases: int, positions: bool) -> Figure3Tuned:
    """At one R and each K below it: what the most fine-tuned facts bring over the fewest."""
    axes = ("phrases", "tuned", "multiplicity")
    by_k, others = gains(by_seed(positions, *axes), phrases), later(*axes)
    return Figure3Tuned(
        gain=errors(by_k).min(),
        least=by_k.mean(axis=1).min(),
        again=errors(gains(others, phrases)).min() if phrases in others.index else math.nan,
    )


def gains(rows: pd.DataFrame, phrases: int) -> pd.DataFrame:
    """The gain from the fewest fine-tuned facts to the most: a row for each K below R, a column for each seed."""
    table = rows.loc[phrases].unstack("multiplicity")
    return (table.iloc[-1] - table.iloc[0]).unstack("seed").loc[: phrases - 1]


class Figure3B(NamedTuple):
    """Accuracy on unseen facts against R, over all n_ft; falls are in standard errors."""

    change: float  # from one R to the next, any K, greatest
    fall: float  # from the least R to the greatest, all K
    again: float  # the same in other starts
    once: float  # at K = 1
    once_again: float  # at K = 1 in other starts
    placed: float  # all K, with positions
    ends: dict[str, dict[str, float]]  # accuracy at the least R and the greatest, by model and K


def figure_3_b(least: int, positions: bool) -> Figure3B:
    """Accuracy against R from ``least`` on, over all n_ft, for every K and over all of them."""
    rows, placed, others = (
        table.unstack("multiplicity").loc[least:]
        for table in (*(by_seed(way, *CELL[1::-1]) for way in (positions, True)), later(*CELL[1::-1]))
    )
    by_k = rows.T.groupby("multiplicity").mean()
    one_layer = (
        means(positions, "chosen").one.groupby(["phrases", "multiplicity"]).mean().unstack().loc[least:, 4]
    )
    lines = {"K = 1": by_k.loc[1], "K = 4": by_k.loc[4], "one layer": one_layer}
    changes = rows.diff().iloc[1:].stack(["multiplicity", "seed"]).unstack("seed").dropna()
    return Figure3B(
        change=errors(changes).max(),
        fall=fall(rows),
        again=fall(others),
        once=fall(rows, 1),
        once_again=fall(others, 1),
        placed=fall(placed),
        ends={who: {"the least R": x.iloc[0], "R = 32": x.iloc[-1]} for who, x in lines.items()},
    )


def fall(rows: pd.DataFrame, *only: int) -> float:
    """How far accuracy falls from the first R to the last, over all K or these only, in standard errors; NaN of one R.

    A row for each R, a column for each seed and K; a K that is above the first R is left out.
    """
    if len(rows) < 2:
        return math.nan
    by_k = (rows.iloc[0] - rows.iloc[-1]).unstack("multiplicity")
    return float(errors(by_k[[*(only or by_k.columns)]].mean(axis=1).to_frame().T).iloc[0])


def limited(multiplicity: int, positions: bool) -> pd.DataFrame:
    """Fine-tuning within the first q phrases, with early stopping, a row for each seed."""
    return stored("acquire-transformer").query(
        "reach < phrases and when == 'chosen' and multiplicity == @multiplicity and positions == @positions"
    )


class Covering(NamedTuple):
    """Shares of unseen facts that are right after fine-tuning within the first q phrases, means over seeds."""

    clear: float  # rare facts: covered less uncovered, in standard errors
    open: float  # rare facts whose phrase is covered
    shut: float  # rare facts whose phrase is not
    frequent: float  # frequent facts without a covered phrase
    one_open: float  # rare covered facts in one layer, median start
    one_shut: float  # rare uncovered facts in one layer, median start
    own_phrase: float  # questions answered with the fact's own phrase
    tuned_answer: float  # questions answered with the answer of a fine-tuned fact


def covering(multiplicity: int, positions: bool) -> Covering:
    """Rare facts whose phrase is covered and rare facts whose phrase is not: how many are right."""
    rows = limited(multiplicity, positions)
    one_layer = stored("acquire-predicted").query(
        "reach < phrases and when == 'chosen' and multiplicity == @multiplicity"
    )
    return Covering(
        clear=errors((rows.open_rare - rows.shut_rare).to_frame().T).iloc[0],
        open=rows.open_rare.mean(),
        shut=rows.shut_rare.mean(),
        frequent=rows.shut_frequent.mean(),
        one_open=one_layer.open_rare.median(),
        one_shut=one_layer.shut_rare.median(),
        own_phrase=rows.own_uncovered.mean() + rows.own_covered.mean(),
        tuned_answer=rows.tuned_answer.mean(),
    )


def instead() -> pd.DataFrame:
    """What facts that are not open are answered with before and after fine-tuning within the first q phrases.

    Returns:
        for each model and K, shares, means over seeds: ``right``, ``own`` phrase, ``other`` phrase, the answer of a
        ``tuned`` fact, that of ``another``, and ``neither``; ``below`` of
        :func:`~book.acquire.experiments.transformer.outcomes`.
    """
    gpt, one_layer = (
        stored(name).query("reach < phrases and when in ('start', 'chosen')")
        for name in ("acquire-transformer", "acquire-predicted")
    )
    placed = gpt.positions.map({False: "GPT-2", True: "GPT-2, positions"})
    rows = pd.concat([one_layer.assign(model="one layer"), gpt.assign(model=placed)])
    rows["step"] = rows.when.map({"start": "before", "chosen": "after"})
    rows["own"] = rows.own_covered + rows.own_uncovered
    rows = rows.rename(
        columns={"other_phrase": "other", "tuned_answer": "tuned_fact", "other_answer": "another"}
    )
    kinds = ["own", "other", "tuned_fact", "another", "neither"]
    rows.insert(0, "right_answer", 1 - rows[kinds].sum(axis=1))
    by = rows.groupby(["model", "multiplicity", "step"], sort=False)
    return by[["right_answer", *kinds, "below"]].mean().reset_index()


def low_rank(positions: bool, multiplicity: int) -> pd.DataFrame:
    """Accuracy at the last step of each way, at the rate that is best on average for unseen facts of the other half.

    Returns:
        by way, ``rate``; ``right``, the mean over seeds; ``shown``, that with its standard deviation.
    """
    rows = stored("acquire-adapted").query(
        "when == 'last' and positions == @positions and multiplicity == @multiplicity"
    )
    by_rate = rows.groupby(["way", "rate"])[["others", "right"]].mean().reset_index()
    best = by_rate.loc[by_rate.groupby("way").others.idxmax(), ["way", "rate"]]
    return (
        rows.merge(best)
        .groupby("way")
        .agg(rate=("rate", "first"), right=("right", "mean"), shown=("right", spread))
    )


class OneDirection(NamedTuple):
    """One way of fine-tuning beside full fine-tuning, and the first step's direction; means over seeds."""

    right: float  # unseen facts, this way
    full: float  # with all weights
    random: float  # along a random direction
    fixed: float  # along the format token's mean input
    share: float  # of the first gradient's square in one direction
    format: float  # that direction's cosine with the mean input at the format token
    subject: float  # at the subject before it
    phrase: float  # at the phrase of a sentence


def one_direction(way: str, positions: bool, multiplicity: int) -> OneDirection:
    """One of ``WAYS`` of fine-tuning beside full fine-tuning, and the first step's direction."""
    right = low_rank(positions, multiplicity).right
    first = stored("acquire-first-step").query("positions == @positions and multiplicity == @multiplicity")
    return OneDirection(
        right=right[way],
        full=right["full"],
        random=right["random"],
        fixed=right["format token"],
        share=first.rank_1.mean(),
        **first[["format", "subject", "phrase"]].mean().to_dict(),
    )
