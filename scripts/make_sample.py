"""Make the embedded sample: financial news in English, with every entity annotated.

    python -m scripts.make_sample            # writes assets/{train,dev,test}.jsonl
    python -m scripts.make_sample -o /tmp    # writes them elsewhere

The sentences come from the patterns and word lists in `sample_grammar.py`. The same
seed gives the same bytes. Some names, and some patterns, are kept for dev and for test,
so that a model cannot learn the sample by heart. Some names are a person in one
sentence and a company, a place or an ordinary word in another.
"""

import argparse
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

from . import sample_grammar as grammar

SEED = 0
SIZES = {"train": 1400, "dev": 300, "test": 300}
PLAIN_SHARE = 0.14  # sentences without entities
HELD_OUT_SHARE = 0.1  # names, and patterns, that only dev has, and only test
UNSEEN_NAME = 0.5  # the chance that a name in dev or test is one of those
UNSEEN_PATTERN = 0.18  # the chance that a pattern in dev or test is one of those
LABELS = {"c": "COMPANY", "p": "PERSON", "l": "PLACE", "m": "MONEY", "u": "MONEY"}
SIGNS = ["$", "$", "$", "€", "£"]
COINS = ["dollars", "euros", "pounds", "francs", "crowns"]
SLOT = re.compile(r"\{(?:([cplmu])(\d)(s?)|(\w+))\}")


@dataclass(frozen=True)
class Pool:
    """The words that a split draws from: those of train, and some of its own."""

    seen: list[str]
    unseen: list[str]

    def draw(self, unseen_chance: float, rng: Random) -> str:
        use_unseen = self.unseen and rng.random() < unseen_chance
        return rng.choice(self.unseen if use_unseen else self.seen)


def make_pools(words: list[str], rng: Random) -> dict[str, Pool]:
    """Share words out: most to all splits, some to dev alone, some to test alone."""
    words = list(dict.fromkeys(words))
    rng.shuffle(words)
    held_out = round(HELD_OUT_SHARE * len(words))
    seen = words[2 * held_out :]
    return {
        "train": Pool(seen, []),
        "dev": Pool(seen, words[:held_out]),
        "test": Pool(seen, words[held_out : 2 * held_out]),
    }


def combine(stems: list[str], endings: list[str], count: int, rng: Random) -> list[str]:
    """Some of the names that can be made of a stem and an ending."""
    names = ["".join(parts) for parts in product(stems, endings)]
    return rng.sample([n for n in names if n not in grammar.REAL_NAMES], count)


class Names:
    """Makes the names of one split.

    pools (dict[str, Pool]): The words to draw from.
    rng (Random): The source of chance.
    """

    def __init__(self, pools: dict[str, Pool], rng: Random) -> None:
        self.pools = pools
        self.rng = rng

    def _draw(self, pool: str) -> str:
        return self.pools[pool].draw(UNSEEN_NAME, self.rng)

    def company(self) -> tuple[str, str]:
        """RETURNS (tuple[str, str]): The name in full, and the short one."""
        ending = self.rng.choice(grammar.COMPANY_ENDINGS)
        kind = self.rng.choices(
            ["coined", "family", "pair", "place", "word", "letters"],
            weights=[26, 20, 8, 18, 16, 12],
        )[0]
        if kind == "pair":
            left, right = self._draw("family"), self._draw("family")
            joint = self.rng.choice([" & ", " and ", "-"])
            return f"{left}{joint}{right}", left
        if kind == "place":
            place = self._draw("place")
            return f"{place} {self.rng.choice(grammar.INDUSTRIES)}", place
        if kind == "letters":
            letters = self._draw("letters")
            return letters, letters
        head = self._draw(kind)
        return f"{head} {ending}", head

    def person(self) -> tuple[str, str]:
        """RETURNS (tuple[str, str]): The name in full, and the family name."""
        given, family = self._draw("given"), self._draw("family")
        if self.rng.random() < 0.08:  # some people are called like a place
            family = self._draw("place")
        form = self.rng.random()
        if form < 0.12:
            given = f"{given[0]}."
        elif form < 0.2:
            given = f"{given} {self.rng.choice('ABCDEFGHJKLMNPRSTW')}."
        return f"{given} {family}", family

    def place(self) -> tuple[str, str]:
        """RETURNS (tuple[str, str]): The name, twice, for it has no short form."""
        word = self._draw("place")
        if self.rng.random() < 0.04:  # some places are called like a person
            word = self._draw("family")
        name = self.rng.choice(grammar.PLACE_FRAMES).format(word)
        return name, name

    def sum(self) -> tuple[str, str]:
        """RETURNS (tuple[str, str]): A sum, twice, for it has no short form."""
        rng = self.rng
        tenths = f"{rng.randint(1, 9)}.{rng.randint(1, 9)}"
        whole = str(rng.choice([rng.randint(2, 99), rng.randint(11, 95) * 10]))
        number, unit = rng.choice(
            [(tenths, "million"), (tenths, "billion"), (whole, "million")]
        )
        sign, coin = rng.choice(SIGNS), rng.choice(COINS)
        sum_ = rng.choice(
            [
                f"{sign}{number} {unit}",
                f"{sign}{number} {unit}",
                f"{sign}{number}{unit[0]}n",
                f"{number} {unit} {coin}",
                f"half a {unit} {coin}",
                f"{whole},000 {coin}",
            ]
        )
        return sum_, sum_

    def price(self) -> tuple[str, str]:
        """RETURNS (tuple[str, str]): A price, twice, for it has no short form."""
        whole, part = self.rng.randint(2, 640), self.rng.randint(10, 95)
        price = self.rng.choice(
            [
                f"{self.rng.choice(SIGNS)}{whole}",
                f"{self.rng.choice(SIGNS)}{whole}.{part}",
                f"{whole} {self.rng.choice(COINS)}",
                f"{part} cents",
            ]
        )
        return price, price

    def make(self, kind: str) -> tuple[str, str]:
        makers = {
            "c": self.company,
            "p": self.person,
            "l": self.place,
            "m": self.sum,
            "u": self.price,
        }
        return makers[kind]()


def make_record(template: str, names: Names) -> dict[str, Any]:
    """Fill the slots of a pattern.

    template (str): The pattern.
    names (Names): Where names come from.
    RETURNS (dict[str, Any]): The text and its entities by character offset.
    """
    made: dict[str, tuple[str, str]] = {}
    text = ""
    spans = []
    rest = template
    while match := SLOT.search(rest):
        kind, number, is_short, filler = match.groups()
        text += rest[: match.start()]
        rest = rest[match.end() :]
        if filler:
            words = grammar.FILLERS[filler].split("|")
            rest = names.rng.choice(words) + rest  # a filler may hold slots itself
            continue
        while kind + number not in made:
            new = names.make(kind)
            if all(new[1] != other[1] for other in made.values()):
                made[kind + number] = new
        full, short = made[kind + number]
        # A company is called by its short name even where it is first mentioned.
        use_short = is_short or (kind == "c" and names.rng.random() < 0.35)
        name = short if use_short else full
        end = len(text) + len(name)
        spans.append({"start": len(text), "end": end, "label": LABELS[kind]})
        text += name
    text += rest
    if text.endswith(".."):  # of "Inc." at the end
        text = text[:-1]
    return {"text": text, "spans": spans}


def decorate(template: str, rng: Random) -> str:
    """Add an opener or a source to some of the patterns that have neither."""
    if template.startswith("{") and template[2].isdigit() and rng.random() < 0.15:
        template = f"{rng.choice(grammar.OPENERS)} {template}"
    names_source = re.search(r'said|\{say\}|"|^[A-Z]+ |:|according', template)
    if not names_source and rng.random() < 0.2:
        template = template[:-1] + rng.choice(grammar.TAILS) + "."
    return template


def make_sample(seed: int) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Make the splits.

    seed (int): Decides on everything.
    YIELDS (tuple[str, list[dict]]): The name of a split and its records.
    """
    rng = Random(seed)
    family = combine(grammar.FAMILY_STEMS, grammar.FAMILY_ENDINGS, 240, rng)
    place = combine(grammar.PLACE_STEMS, grammar.PLACE_ENDINGS, 200, rng)
    coined = combine(grammar.COINED_STEMS, grammar.COINED_ENDINGS, 140, rng)
    letters = ["".join(rng.sample("BCDFGHKLMNPRSTVWXZ", 4)) for _ in range(50)]
    words = {
        "given": grammar.GIVEN_NAMES,
        "family": family,
        "place": [name for name in place if name not in family],
        "coined": coined,
        "word": grammar.COMMON_WORDS,
        "letters": letters,
    }
    pools = {kind: make_pools(names, rng) for kind, names in words.items()}
    templates = make_pools(grammar.TEMPLATES, rng)
    plain = make_pools(grammar.PLAIN_TEMPLATES, rng)
    texts: set[str] = set()
    for split, size in SIZES.items():
        names = Names({kind: pool[split] for kind, pool in pools.items()}, rng)
        records: list[dict[str, Any]] = []
        while len(records) < size:
            if rng.random() < PLAIN_SHARE:
                template = plain[split].draw(UNSEEN_PATTERN, rng)
            else:
                template = decorate(templates[split].draw(UNSEEN_PATTERN, rng), rng)
            record = make_record(template, names)
            if record["text"] not in texts:
                texts.add(record["text"])
                records.append(record)
        yield split, records


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    assets = Path(__file__).parents[1] / "assets"
    parser.add_argument("-o", "--output", type=Path, default=assets)
    args = parser.parse_args()
    args.output.mkdir(parents=True, exist_ok=True)
    for split, records in make_sample(SEED):
        lines = [json.dumps(record, ensure_ascii=False) + "\n" for record in records]
        path = args.output / f"{split}.jsonl"
        path.write_bytes("".join(lines).encode("utf8"))


if __name__ == "__main__":
    main()
