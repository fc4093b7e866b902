"""Data for the benchmarks of the component."""

from pathlib import Path

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab


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


def make_examples(nlp: Language, docs: list[Doc]) -> list[Example]:
    """RETURNS (list[Example]): Examples with the tokens of the documents."""
    return [
        Example(Doc(nlp.vocab, words=[token.text for token in doc]), doc)
        for doc in docs
    ]
