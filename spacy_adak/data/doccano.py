"""doccano's JSONL, or an array of the same, for sequence labelling, in the shapes its
versions have exported:

{"text": "Acme hired Ann.", "label": [[0, 4, "ORG"]]}
{"data": "Acme hired Ann.", "labels": [[0, 4, "ORG"]]}
{"text": "Acme hired Ann.", "entities": [{"label": "ORG", "start_offset": 0,
                                          "end_offset": 4}], "relations": []}
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from spacy.tokens import Doc

from .annotated_text import AnnotatedText
from .complete_marks import marks_of
from .files import to_jsonl
from .origins import annotated_entities
from .records import read_objects
from .spans_jsonl import get_spans, get_text
from .summary import Summary
from .unread import check_other_keys

SPAN_KEYS = ("label", "labels", "entities")


def read_doccano(
    path: Path, text_key: str, summary: Summary
) -> Iterator[AnnotatedText]:
    """Read an export of doccano.

    path (Path): The file.
    text_key (str): The key of the text; "data", as some versions have it, is found
        by itself.
    summary (Summary): Where problems are noted.
    YIELDS (AnnotatedText): The records.
    """
    for place, record in read_objects(path, summary):
        key = "data" if text_key not in record and "data" in record else text_key
        text = get_text(record, key, place, summary)
        if text is not None:
            spans = [
                span
                for span_key in SPAN_KEYS
                for span in get_spans(record, span_key, place)
            ]
            found = AnnotatedText(place, text, entities=spans)
            check_other_keys(found, record, SPAN_KEYS, summary)
            yield found


def to_doccano(docs: Iterable[Doc], text_key: str) -> str:
    """Write documents for import into doccano. It knows entities only: whether the
    rest is missing or outside, and which spans are ruled out, estimated or guessed, is
    not written.

    docs (Iterable[Doc]): The documents.
    text_key (str): The key of the text.
    RETURNS (str): The content of the file.
    """
    return to_jsonl(
        {
            text_key: doc.text,
            "label": [
                [ent.start_char, ent.end_char, ent.label_]
                for ent in annotated_entities(doc)
            ],
            **marks_of(doc),
        }
        for doc in docs
    )
