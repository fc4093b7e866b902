"""For which types a text is complete, as files of annotation tools carry it.

A record has the stretches under the key "adak_complete", or in what tools keep for
their users, "data" or "meta":

    {"text": "Acme hired Ann.", "spans": [[11, 14, "PER"]],
     "adak_complete": [{"start": 0, "end": 15, "label": "PER"}]}
"""

from pathlib import Path
from typing import Any

from spacy.tokens import Doc, Span

from ..errors import Warnings
from .annotated_text import CharSpan, to_char_span
from .complete_types import COMPLETE_KEY, complete_spans, state_complete
from .records import read_records
from .sample_marks import SAMPLE_KEY
from .summary import Place, Summary
from .token_stretches import stretches

_WHERE = ("data", "meta")
_MISSING = 0


def marks_of(doc: Doc) -> dict[str, Any]:
    """RETURNS (dict[str, Any]): What a record has in it to carry for which types its
    text is complete; nothing if it says nothing."""
    spans = [
        {"start": span.start_char, "end": span.end_char, "label": span.label_}
        for span in complete_spans(doc)
    ]
    return {COMPLETE_KEY: spans} if spans else {}


def stated_texts(path: Path, text_key: str) -> dict[str, list[CharSpan]]:
    """Find the texts of a JSON or JSONL file that say for which types they are
    complete.

    path (Path): The file.
    text_key (str): The key of the text.
    RETURNS (dict[str, list[CharSpan]]): The stretches of each such text. Of a text that
        comes more than once the ones that all of its records have.
    """
    with path.open("rb") as file:
        if not any(COMPLETE_KEY.encode() in line for line in file):
            return {}
    found: dict[str, list[CharSpan]] = {}
    # Problems are noted by the reader of the format.
    for _, record in read_records(path, Summary()):
        if not isinstance(record, dict):
            continue
        blocks = [record, *(record.get(key) for key in _WHERE)]
        kept = [block for block in blocks if isinstance(block, dict)]
        text = next((b[text_key] for b in kept if text_key in b), None)
        if isinstance(text, str):
            marks: Any = next((b[COMPLETE_KEY] for b in kept if COMPLETE_KEY in b), [])
            values = marks if isinstance(marks, list) else [marks]
            spans = [to_char_span(value) for value in values]
            found[text] = [s for s in spans if s in found.get(text, spans)]
    return {text: spans for text, spans in found.items() if spans}


def set_marks(doc: Doc, spans: list[CharSpan], place: Place, summary: Summary) -> None:
    """State for which types a text is complete, as its record says. What can't be read
    is left out. So is all of it, if an entity of the record could not be read: it may
    be one of these types.

    doc (Doc): The document, which is changed.
    spans (list[CharSpan]): The stretches.
    place (Place): Where the record is.
    summary (Summary): Where problems are noted.
    """
    if summary.has_problem(place):
        summary.add_problem(place, "repaired", Warnings.W341)
        return
    stated = []
    for char_span in spans:
        span = None
        sound = type(char_span.start) is int and type(char_span.end) is int
        if sound and isinstance(char_span.label, str) and char_span.label.strip():
            span = doc.char_span(
                char_span.start,
                char_span.end,
                label=char_span.label,
                alignment_mode="contract",
            )
        if span is None:
            shown = (char_span.start, char_span.end, char_span.label)
            message = Warnings.W340.format(span=shown, length=len(doc.text))
            summary.add_problem(place, "repaired", message)
        else:
            stated.append(span)
    if stated:
        doc.spans[COMPLETE_KEY] = stated


def state_types_of_file(doc: Doc, types: list[str], is_docbin: bool) -> None:
    """State that a text is complete for the types of its file.

    doc (Doc): The document, which is changed. If it is not from a `.spacy` file, what
        is unlabelled has been read as outside of all entities: it is not, but what the
        file itself has left unknown is not complete for any type.
    types (list[str]): The types.
    is_docbin (bool): Whether it is from a `.spacy` file, which says by itself what is
        outside.
    """
    if is_docbin:
        state_complete(doc, types)
        return
    if SAMPLE_KEY in doc.user_data:  # annotated completely for all types
        return
    iob = doc.to_array("ENT_IOB").reshape(len(doc))
    known = [i for i, state in enumerate(iob.tolist()) if state != _MISSING]
    stated = [
        Span(doc, start, end, label=label)
        for label in types
        for start, end in stretches(known)
    ]
    doc.set_ents(list(doc.ents), default="missing")
    if stated:
        doc.spans[COMPLETE_KEY] = [*complete_spans(doc), *stated]
