"""The training data of spaCy v2, in its two forms.

["Acme hired Ann.", {"entities": [[0, 4, "ORG"]]}]
{"paragraphs": [{"sentences": [{"tokens": [{"orth": "Acme", "ner": "U-ORG"}]}]}]}

Read too: {"annotations": [...]} with elements of the first form, as some tools write.
"""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from spacy.tokens import Doc
from spacy.vocab import Vocab

from ..errors import Warnings
from .annotated_text import AnnotatedText, Unlabelled, to_char_span
from .records import note_wrong_type, read_records
from .sentences import UNKNOWN, Row, Sentence, docs_of_sentences
from .spans_jsonl import as_list
from .summary import Place, Summary
from .unread import note_silence


def read_spacy_v2(
    path: Path,
    vocab: Vocab,
    *,
    unlabelled: Unlabelled,
    summary: Summary,
    to_doc: Callable[[AnnotatedText], Doc | None],
) -> Iterator[Doc]:
    """Read training data of spaCy v2.

    path (Path): The file.
    vocab (Vocab): The vocabulary of documents that have tokens.
    unlabelled (str): What the rest is: "outside" (not an entity) or "missing".
    summary (Summary): Where problems are noted.
    to_doc (Callable): Makes a document of a text with character offsets.
    YIELDS (Doc): The documents. A paragraph is one.
    """
    has_tokens = any(
        isinstance(record, dict) and "paragraphs" in record
        for _, record in _first_records(path)
    )
    if has_tokens:
        yield from docs_of_sentences(
            partial(_read_paragraphs, path),
            vocab,
            unlabelled=unlabelled,
            summary=summary,
            tag_scheme="BILUO",
        )
        return
    for record in _read_texts(path, summary):
        doc = to_doc(record)
        if doc is not None:
            yield doc


def is_text_with_entities(record: Any) -> bool:
    """RETURNS (bool): Whether a JSON value is a text with what is annotated in it."""
    return (
        isinstance(record, list)
        and len(record) == 2
        and isinstance(record[0], str)
        and isinstance(record[1], dict)
    )


def _first_records(path: Path) -> Iterator[tuple[Place, Any]]:
    record = next(read_records(path, Summary()), None)
    return iter([record] if record is not None else [])


def _read_texts(path: Path, summary: Summary) -> Iterator[AnnotatedText]:
    for place, record in read_records(path, summary):
        elements = [record]
        if isinstance(record, dict):
            elements = as_list(record.get("annotations"))
        for number, element in enumerate(elements, start=1):
            at = place._replace(name=f"record {number}") if elements[1:] else place
            if element is None:
                summary.set_aside += 1  # a text that nobody annotated
            elif not is_text_with_entities(element):
                note_wrong_type(element, at, summary)
            elif not element[0].strip():
                summary.add_problem(at, "skipped", Warnings.W337.format())
            else:
                text, annotations = element
                spans = as_list(annotations.get("entities"))
                entities = [to_char_span(span, at.line) for span in spans]
                found = AnnotatedText(at, text, entities=entities)
                if annotations.get("entities") is None:
                    note_silence(found, "entities", summary)
                yield found


def _read_paragraphs(path: Path, summary: Summary) -> Iterator[Sentence]:
    for place, record in read_records(path, summary):
        if not isinstance(record, dict):
            note_wrong_type(record, place, summary)
            continue
        for paragraph in as_list(record.get("paragraphs")):
            if not isinstance(paragraph, dict):
                note_wrong_type(paragraph, place, summary)
                continue
            starts_document = True
            for sentence in as_list(paragraph.get("sentences")):
                rows = _read_tokens(sentence, place)
                if rows is None:
                    summary.add_problem(place, "skipped", Warnings.W338.format())
                elif rows:
                    yield Sentence(place, rows, starts_document)
                    starts_document = False


def _read_tokens(sentence: Any, place: Place) -> list[Row] | None:
    """The tokens of a sentence with their tags; None if they can't be told."""
    if not isinstance(sentence, dict):
        return None
    rows = []
    for token in as_list(sentence.get("tokens")):
        orth = token.get("orth") if isinstance(token, dict) else None
        if not isinstance(orth, str) or not orth.strip():
            return None
        tag = token.get("ner")
        name = tag if isinstance(tag, str) and tag else UNKNOWN[0]
        rows.append(Row(orth, name, place.line))
    return rows
