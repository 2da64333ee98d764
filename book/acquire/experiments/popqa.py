"""Facts with names: PopQA's relations *director* and *capital*, how they are told, asked and scored.

PopQA (Mallen et al., 2023) is read by the library ``datasets``. Where it cannot be, there are made-up films in any
number, and real capitals whose popularity is made up: the order of the list below.

Answers are scored as the paper does, by exact match and F1, which are those of SQuAD. PopQA's own score is kinder: it
counts what is said as right if a right answer occurs in it.
"""

from __future__ import annotations

import json
import re
import string
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Any, NamedTuple

from book.optional import require_optional

HUB = "akariasai/PopQA"


class NamedFact(NamedTuple):
    """A fact with names."""

    subject: str
    answers: tuple[str, ...]  # all spellings; the first is taught
    popularity: float  # of the subject


class Relation(NamedTuple):
    """How a relation is put in words about {subject} and {answer}."""

    phrasings: tuple[str, ...]  # sentences that tell a fact
    question: str


RELATIONS = {
    "director": Relation(
        (
            "{subject} was directed by {answer}",
            "{subject} is a film by {answer}",
            "{subject} was made under {answer}",
            "{subject} owes its scenes to {answer}",
            "{subject} came from the camera of {answer}",
            "{subject} had as its director {answer}",
            "{subject} is the work of {answer}",
            "{subject} was brought to the screen by {answer}",
        ),
        "Question: Who was the director of {subject}? Answer:",
    ),
    "capital": Relation(
        (
            "{subject} is governed from {answer}",
            "{subject} has its capital in {answer}",
            "{subject} has for its seat of government {answer}",
            "{subject} is ruled from {answer}",
            "{subject} keeps its parliament in {answer}",
            "{subject} receives its ambassadors in {answer}",
            "{subject} has as its first city {answer}",
            "{subject} looks for its laws to {answer}",
        ),
        "Question: Where is the capital of {subject}? Answer:",
    ),
}


def relation(name: str) -> Relation:
    """A relation by PopQA's name of it.

    Raises:
        ValueError: another name.
    """
    if name not in RELATIONS:
        raise ValueError(f"relation = {name!r}: must be one of {', '.join(RELATIONS)}")
    return RELATIONS[name]


COLUMNS = ("subj", "prop", "obj", "s_pop", "possible_answers")


def named(rows: Iterable[Mapping[str, Any]], name: str) -> list[NamedFact]:
    """The facts of one relation in a table with PopQA's columns, the most popular first; a subject's first row counts.

    Raises:
        ValueError: another relation, a column is missing, ``possible_answers`` is no JSON list, or nothing is found.
    """
    relation(name)
    facts: dict[str, NamedFact] = {}
    for row in rows:
        if missing := [column for column in COLUMNS if column not in row]:
            raise ValueError(f"rows: the table has no column {', '.join(missing)}, as PopQA's has")
        if row["prop"] != name:
            continue
        try:
            spellings = json.loads(row["possible_answers"])
        except (TypeError, json.JSONDecodeError):  # no text at all, or no JSON
            spellings = None
        if not isinstance(spellings, list) or not all(isinstance(spelling, str) for spelling in spellings):
            raise ValueError(
                f"possible_answers = {row['possible_answers']!r}: must be a list of texts in JSON"
            )
        answers = tuple(dict.fromkeys([row["obj"], *spellings]))
        facts.setdefault(row["subj"], NamedFact(row["subj"], answers, float(row["s_pop"])))
    if not facts:
        raise ValueError(f"relation = {name!r}: the table has no such fact")
    return sorted(facts.values(), key=lambda fact: -fact.popularity)


def from_hub(name: str) -> list[NamedFact]:
    """PopQA's own facts of a relation.

    Raises:
        ValueError: another relation. MissingExtra: datasets is not installed.
        ConnectionError: neither the hub nor a copy that was loaded before can be read.
    """
    relation(name)
    datasets = require_optional("datasets", "scale", "PopQA")
    try:
        rows = datasets.load_dataset(HUB, split="test")
    except Exception as error:
        raise ConnectionError(
            f"{HUB} cannot be loaded from the Hugging Face hub; without it, run with made-up films or capitals"
        ) from error
    return named(rows, name)


def films(count: int, seed: int) -> list[NamedFact]:
    """Made-up films, a title of two words and a director of two names each; no two share title or director.

    Raises:
        ValueError: fewer than one, or more than there are pairs of words.
    """
    pairs = {
        kind: [f"{word} {other}" for word in first.split() for other in second.split()]
        for kind, (first, second) in WORDS.items()
    }
    most = min(map(len, pairs.values()))
    if not 1 <= count <= most:
        raise ValueError(f"count = {count}: must be from 1 to {most}")
    chance = Random(seed)
    titles, names = (chance.sample(pairs[kind], count) for kind in ("title", "name"))
    return [
        NamedFact(title, (name,), float(count - place))
        for place, (title, name) in enumerate(zip(titles, names, strict=True))
    ]


def capitals() -> list[NamedFact]:
    """Countries and their capitals; popularity is made up."""
    pairs = [line.split(": ") for line in CAPITALS.strip().splitlines()]
    return [
        NamedFact(country, (capital,), float(len(pairs) - place))
        for place, (country, capital) in enumerate(pairs)
    ]


def exact(answer: str, right: Sequence[str]) -> float:
    """1 if the answer is one of the right ones, but for case, punctuation, articles and spaces; else 0."""
    return float(_plain(answer) in map(_plain, right))


def f1(answer: str, right: Sequence[str]) -> float:
    """The harmonic mean of precision and recall of words, of the right answer for which it is greatest."""
    return max(_overlap(_plain(answer).split(), _plain(spelling).split()) for spelling in right)


def _overlap(words: list[str], right: list[str]) -> float:
    """The harmonic mean of precision and recall of words."""
    common = (Counter(words) & Counter(right)).total()
    return 2 * common / (len(words) + len(right)) if common else 0.0


def _plain(text: str) -> str:
    """A text without case, punctuation, articles and further spaces."""
    bare = "".join(sign for sign in text.lower() if sign not in string.punctuation)
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", bare).split())


WORDS = {
    "title": (
        """
        Silent Golden Crimson Hidden Broken Distant Frozen Burning Hollow Restless Velvet Iron
        Paper Midnight Northern Sunken Gentle Second Secret Wandering Pale Last Winter Glass
        """,
        """
        River Garden Harbour Letter Mirror Orchard Bridge Station Promise Lantern Island Horizon
        Season Valley Tower Voyage Window Shadow Market Summer Meadow Signal Harvest Compass
        """,
    ),
    "name": (
        """
        Ada Bruno Clara Dario Elena Felix Greta Hugo Irene Jonas Katya Leon
        Mira Nils Oriana Pavel Quentin Rosa Stefan Tilda Ugo Vera Walter Yara
        """,
        """
        Abara Brandt Castell Dorsey Eklund Farkas Galli Hartog Ivanov Jansen Kovar Lindqvist
        Moreau Novak Okafor Petrov Quiroga Rossetti Sandoval Tamura Ullman Varga Weiss Zeman
        """,
    ),
}
"""Common words and names; nobody is meant."""
CAPITALS = """
China: Beijing
India: New Delhi
Indonesia: Jakarta
Pakistan: Islamabad
Nigeria: Abuja
Brazil: Brasília
Bangladesh: Dhaka
Russia: Moscow
Ethiopia: Addis Ababa
Mexico: Mexico City
Japan: Tokyo
Egypt: Cairo
Philippines: Manila
Vietnam: Hanoi
Iran: Tehran
Turkey: Ankara
Germany: Berlin
Thailand: Bangkok
Tanzania: Dodoma
France: Paris
Italy: Rome
Kenya: Nairobi
Myanmar: Naypyidaw
Colombia: Bogotá
Sudan: Khartoum
Uganda: Kampala
Spain: Madrid
Algeria: Algiers
Iraq: Baghdad
Argentina: Buenos Aires
Afghanistan: Kabul
Poland: Warsaw
Canada: Ottawa
Morocco: Rabat
Angola: Luanda
Ukraine: Kyiv
Uzbekistan: Tashkent
Malaysia: Kuala Lumpur
Mozambique: Maputo
Ghana: Accra
Peru: Lima
Nepal: Kathmandu
Madagascar: Antananarivo
Venezuela: Caracas
Cameroon: Yaoundé
Australia: Canberra
Syria: Damascus
Mali: Bamako
Romania: Bucharest
Malawi: Lilongwe
Chile: Santiago
Kazakhstan: Astana
Zambia: Lusaka
Ecuador: Quito
Guatemala: Guatemala City
Senegal: Dakar
Netherlands: Amsterdam
Cambodia: Phnom Penh
Zimbabwe: Harare
Rwanda: Kigali
Tunisia: Tunis
Belgium: Brussels
Haiti: Port-au-Prince
Jordan: Amman
Cuba: Havana
Greece: Athens
Portugal: Lisbon
Sweden: Stockholm
Azerbaijan: Baku
Hungary: Budapest
Austria: Vienna
Belarus: Minsk
Laos: Vientiane
Libya: Tripoli
Paraguay: Asunción
Bulgaria: Sofia
Serbia: Belgrade
Lebanon: Beirut
Denmark: Copenhagen
Finland: Helsinki
Norway: Oslo
Slovakia: Bratislava
Oman: Muscat
Ireland: Dublin
Liberia: Monrovia
Croatia: Zagreb
Georgia: Tbilisi
Mongolia: Ulaanbaatar
Uruguay: Montevideo
Armenia: Yerevan
Albania: Tirana
Lithuania: Vilnius
Latvia: Riga
Estonia: Tallinn
Iceland: Reykjavík
Malta: Valletta
"""
