"""Documents from files of every format."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from spacy.language import Language
from spacy.tokens import Doc

from ..errors import Errors
from .alignment import AlignmentMode, to_doc
from .annotated_text import AnnotatedText, Unlabelled
from .brat import read_brat
from .complete_marks import set_marks, state_types_of_file, stated_texts
from .conll import read_conll
from .docbin import read_docbin
from .doccano import read_doccano
from .formats import Format
from .huggingface import read_huggingface
from .label_studio import read_label_studio
from .prodigy import read_prodigy
from .sample_marks import SAMPLE_KEY, sampled_texts
from .sentences import TagScheme
from .spacy_v2 import read_spacy_v2
from .spans_jsonl import read_spans_jsonl
from .summary import Summary

_TEXT_READERS = {
    "spans": read_spans_jsonl,
    "doccano": read_doccano,
    "label-studio": read_label_studio,
    "brat": read_brat,
}


@dataclass(frozen=True)
class Reading:
    """How files are read; see `convert`."""

    unlabelled: Unlabelled | None
    n_sents: int
    token_column: int
    tag_column: int
    document_column: int | None
    tag_scheme: TagScheme | None
    labels: str | None
    text_key: str
    alignment_mode: AlignmentMode
    incorrect_spans_key: str
    annotators: str
    complete_types: tuple[str, ...] = ()


def read_docs(
    path: Path,
    source_format: Format,
    nlp: Language,
    reading: Reading,
    summary: Summary,
) -> Iterator[Doc]:
    """Read the documents of a file.

    path (Path): The file.
    source_format (str): Its format.
    nlp (Language): Has the vocabulary, and the tokenizer for texts without tokens.
    reading (Reading): How to read it.
    summary (Summary): Where problems are noted.
    YIELDS (Doc): The documents.
    """
    types = list(reading.complete_types)
    is_docbin = source_format == "spacy"
    if types and not is_docbin:
        # What is unlabelled is not of these types.
        reading = replace(reading, unlabelled="outside")
    for doc in _read_docs(path, source_format, nlp, reading, summary):
        if types:
            state_types_of_file(doc, types, is_docbin)
        yield doc


def _read_docs(
    path: Path,
    source_format: Format,
    nlp: Language,
    reading: Reading,
    summary: Summary,
) -> Iterator[Doc]:
    if source_format == "spacy":
        yield from read_docbin(path, nlp.vocab, reading.unlabelled)
        return
    if reading.unlabelled is None:
        raise ValueError(Errors.A302.format(path=path))
    make_doc = partial(
        to_doc,
        nlp=nlp,
        unlabelled=reading.unlabelled,
        alignment_mode=reading.alignment_mode,
        incorrect_spans_key=reading.incorrect_spans_key,
        summary=summary,
        annotators=reading.annotators,
    )
    if source_format == "conll":
        yield from read_conll(
            path,
            nlp.vocab,
            unlabelled=reading.unlabelled,
            summary=summary,
            token_column=reading.token_column,
            tag_column=reading.tag_column,
            document_column=reading.document_column,
            tag_scheme=reading.tag_scheme,
            n_sents=reading.n_sents,
        )
    elif source_format == "huggingface":
        yield from read_huggingface(
            path,
            nlp.vocab,
            unlabelled=reading.unlabelled,
            summary=summary,
            labels=reading.labels,
            tag_scheme=reading.tag_scheme,
            n_sents=reading.n_sents,
        )
    elif source_format == "spacy-v2":
        yield from read_spacy_v2(
            path,
            nlp.vocab,
            unlabelled=reading.unlabelled,
            summary=summary,
            to_doc=make_doc,
        )
    else:
        drawn = sampled_texts(path, reading.text_key)
        stated = stated_texts(path, reading.text_key)
        for record in _read_texts(path, source_format, reading, summary):
            # A record that is no annotation of the whole text is not what was asked.
            mark = drawn.get(record.text) if record.unlabelled is None else None
            if mark is not None:
                record.unlabelled = "outside"
            doc = make_doc(record)
            if doc is not None:
                if mark is not None:
                    doc.user_data[SAMPLE_KEY] = mark
                if record.text in stated:
                    set_marks(doc, stated[record.text], record.place, summary)
                yield doc


def _read_texts(
    path: Path, source_format: Format, reading: Reading, summary: Summary
) -> Iterator[AnnotatedText]:
    if source_format == "prodigy":
        return read_prodigy(path, reading.text_key, summary, reading.annotators)
    return _TEXT_READERS[source_format](path, reading.text_key, summary)
