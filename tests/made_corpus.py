"""A made corpus that is easy to learn, and a config small enough for quick runs."""

import random
from pathlib import Path
from typing import Any

import spacy
from spacy.tokens import Doc, DocBin, Span
from spacy.vocab import Vocab
from thinc.api import Config

from spacy_adak.run.init_config import init_config
from spacy_adak.run.overrides import read_config

_PARTS = {
    "PERSON": (["Ann", "Ben", "Cleo", "Dan", "Eva", "Finn"], ["Lee", "Moss", "Ng"]),
    "PLACE": (["Nor", "Sud", "Ost", "Wes", "Kel", "Bran"], ["dorf", "ville", "mouth"]),
    "FIRM": (["Alpha", "Beta", "Gamma", "Delta", "Zeta"], ["Steel", "Foods", "Bank"]),
}
_PATTERNS = [
    "PERSON flew to PLACE on Monday .",
    "Shares of FIRM fell in PLACE , said PERSON .",
    "The chairman of FIRM , PERSON , resigned .",
    "PERSON has lived near PLACE for years .",
    "FIRM opened an office in PLACE .",
    "It rained all day , and nobody came .",
    "Prices rose again , to the surprise of many .",
    "PERSON met PERSON at the gates of FIRM .",
]
Entities = list[tuple[int, int, str]]


def make_sentence(rng: random.Random) -> tuple[list[str], Entities]:
    """The words of a sentence, and its entities."""
    words: list[str] = []
    entities: Entities = []
    for word in rng.choice(_PATTERNS).split():
        start = len(words)
        if word in _PARTS:
            first, last = (rng.choice(parts) for parts in _PARTS[word])
            words += [first + last] if word == "PLACE" else [first, last]
            entities.append((start, len(words), word))
        else:
            words.append(word)
    # A number makes texts differ, so that they are dealt out to folds one by one.
    return [*words, str(rng.randrange(100_000))], entities


def make_docs(
    count: int,
    keep: float | None = None,
    seed: int = 0,
    vocab: Vocab | None = None,
) -> list[Doc]:
    """Documents with all entities, or with some and everything else missing."""
    rng, keep_rng = random.Random(seed), random.Random(seed + 1)
    vocab = vocab or spacy.blank("xx").vocab
    docs = []
    for _ in range(count):
        words, entities = make_sentence(rng)
        doc = Doc(vocab, words=words)
        spans = [Span(doc, start, end, label=label) for start, end, label in entities]
        if keep is None:
            doc.set_ents(spans, default="outside")
        else:
            kept = [span for span in spans if keep_rng.random() < keep]
            doc.set_ents(kept, default="missing")
        docs.append(doc)
    return docs


def write_data(
    folder: Path, train: int = 40, dev: int = 12, keep: float = 0.5
) -> dict[str, Any]:
    """Write data to a folder, and give the overrides that point there."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = {"train": folder / "train.spacy", "dev": folder / "dev.spacy"}
    DocBin(docs=make_docs(train, keep)).to_disk(paths["train"])
    DocBin(docs=make_docs(dev, seed=99)).to_disk(paths["dev"])
    return {f"paths.{name}": str(path) for name, path in paths.items()}


TINY = {
    "components.adak_ner.model.tok2vec.width": 16,
    "components.adak_ner.model.tok2vec.depth": 1,
    "components.adak_ner.model.tok2vec.embed_size": 200,
    "training.max_epochs": 1,
    "training.batcher.size": 8,
    "training.optimizer.learn_rate": 0.01,
    "adak.rounds": 2,
    "adak.convergence": 0.0,
}


def make_config(**overrides: Any) -> Config:
    """The config of the paper, with every step of Algorithm 1 and other values."""
    config = Config().from_str(init_config("xx", recipe="paper"), interpolate=False)
    return read_config(config, overrides)


def forms_config(folder: Path, **settings: Any) -> Config:
    """A config for one tiny round that starts from forms, on the data in a folder."""
    own = {
        "paths.train": str(folder / "train.spacy"),
        "paths.dev": str(folder / "dev.spacy"),
        "adak.start.learn_from": "forms",
        "adak.rounds": 1,
    }
    return make_config(**{**TINY, **own, **settings})


def model_bytes(folder: Path) -> dict[str, bytes]:
    """All files of a saved pipeline but its config, which names the run's folder."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in ("config.cfg", "meta.json")
    }
