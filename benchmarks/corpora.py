"""Texts and encoders for the benchmarks: files that are named, or what stands in."""

import json
import random
from argparse import ArgumentParser, Namespace
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import NamedTuple

import spacy
import torch
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

SAMPLE = Path(__file__).parents[1] / "assets" / "train.jsonl"
RANDOM_BERT = "random BERT, 4 x 256"


class Corpus(NamedTuple):
    """Texts of a language, and a transformer for it.

    lang (str): The code of the language.
    name (str): Of the texts.
    docs (list[Doc]): With all of their entities.
    encoder (Path): The folder of the transformer.
    encoder_name (str): What it is called in results.
    """

    lang: str
    name: str
    docs: list[Doc]
    encoder: Path
    encoder_name: str


def add_corpora(parser: ArgumentParser) -> None:
    """Add the options that name files and encoders.

    parser (ArgumentParser): The parser.
    """
    for lang, name in (("en", "English"), ("zh", "Chinese")):
        parser.add_argument(
            f"--{lang}", type=Path, help=f"{name} column file in the BIO scheme"
        )
        parser.add_argument(
            f"--{lang}-encoder", type=Path, help=f"folder of a transformer for {name}"
        )


def read_corpora(args: Namespace, limit: int, folder: Path) -> Iterator[Corpus]:
    """Read what the options name. Without an English file it is the embedded sample,
    and without an encoder a BERT with random weights; Chinese texts are left out.

    args (Namespace): The options.
    limit (int): How many texts of each language at most.
    folder (Path): Where to put an encoder that is made.
    YIELDS (Corpus): One for each language.
    """
    for lang in ("en", "zh"):
        path, encoder = getattr(args, lang), getattr(args, f"{lang}_encoder")
        nlp = spacy.blank(lang)
        if path is not None:
            docs = read_columns(path, nlp.vocab, limit)
        elif lang == "en":
            docs = read_sample(nlp, limit)
        else:
            print("No Chinese texts: name a file by --zh.", flush=True)
            continue
        name = "embedded sample" if path is None else f"{path.parent.name}/{path.name}"
        encoder_name = RANDOM_BERT if encoder is None else encoder.name
        if encoder is None:
            print(
                f"No encoder for '{lang}': one with random weights takes its place. "
                f"Name one by --{lang}-encoder.",
                flush=True,
            )
            words = {token.text for doc in docs for token in doc}
            encoder = make_bert(folder / f"bert-{lang}", words)
        yield Corpus(lang, name, docs, encoder.absolute(), encoder_name)


def read_columns(path: Path, vocab: Vocab, limit: int) -> list[Doc]:
    """Read sentences of "token tag" lines in the BIO scheme.

    path (Path): The file.
    vocab (Vocab): The vocabulary of the documents.
    limit (int): How many sentences at most.
    RETURNS (list[Doc]): One document per sentence.
    """
    docs: list[Doc] = []
    for block in path.read_text(encoding="utf8").replace("\r", "").split("\n\n"):
        rows = [line.split(" ") for line in block.split("\n") if line.strip()]
        if rows and len(docs) < limit:
            words, tags = [row[0] for row in rows], [row[-1] for row in rows]
            docs.append(Doc(vocab, words=words, ents=tags))
    return docs


def read_sample(nlp: Language, limit: int) -> list[Doc]:
    """Read sentences of the embedded sample.

    nlp (Language): Has the tokenizer.
    limit (int): How many sentences at most.
    RETURNS (list[Doc]): One document per sentence.
    """
    docs = []
    for line in SAMPLE.read_text(encoding="utf8").splitlines()[:limit]:
        record = json.loads(line)
        doc = nlp.make_doc(record["text"])
        spans = [
            (span["start"], span["end"], span["label"]) for span in record["spans"]
        ]
        ents = [doc.char_span(*span) for span in spans]
        doc.set_ents([ent for ent in ents if ent is not None])
        docs.append(doc)
    return docs


def renamed_copies(docs: Sequence[Doc], seed: int = 0) -> Iterator[Doc]:
    """Texts without end: the documents, then copies of them in which the tokens of each
    entity are drawn from all entities of its type.

    docs (Sequence[Doc]): The documents.
    seed (int): Of what is drawn.
    YIELDS (Doc): Documents with their entities.
    """
    rng = random.Random(seed)
    tokens: dict[str, list[str]] = defaultdict(list)
    for doc in docs:
        for ent in doc.ents:
            tokens[ent.label_].extend(token.text for token in ent)
    yield from docs
    for _ in count():
        for doc in docs:
            words = [token.text for token in doc]
            tags = ["O"] * len(doc)
            for ent in doc.ents:
                words[ent.start : ent.end] = rng.choices(tokens[ent.label_], k=len(ent))
                tags[ent.start : ent.end] = [f"I-{ent.label_}"] * len(ent)
                tags[ent.start] = f"B-{ent.label_}"
            yield Doc(doc.vocab, words=words, ents=tags)


def make_examples(nlp: Language, docs: list[Doc]) -> list[Example]:
    """RETURNS (list[Example]): Examples with the tokens of the documents."""
    return [
        Example(Doc(nlp.vocab, words=[token.text for token in doc]), doc)
        for doc in docs
    ]


def as_text(doc: Doc) -> str:
    """RETURNS (str): The tokens with spaces between them."""
    return " ".join(token.text for token in doc)


def make_bert(folder: Path, words: set[str]) -> Path:
    """Write a BERT of 4 layers of 256 with random weights to a folder. Its rows mean
    nothing, but take as long as those of any BERT of its size.

    folder (Path): The folder.
    words (set[str]): What gets a word piece of its own.
    RETURNS (Path): The folder.
    """
    from transformers import BertConfig, BertModel, BertTokenizerFast

    letters = {letter for word in words for letter in word}
    pieces = sorted({*words, *letters, *(f"##{letter}" for letter in letters)})
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *pieces]
    folder.mkdir()
    vocab_file = folder / "vocab.txt"
    vocab_file.write_text("\n".join(vocabulary), encoding="utf8")
    BertTokenizerFast(
        vocab_file=str(vocab_file), model_max_length=512, do_lower_case=False
    ).save_pretrained(folder)
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=256,
        num_hidden_layers=4,
        num_attention_heads=4,
        intermediate_size=1024,
    )
    BertModel(config).save_pretrained(folder)
    return folder
