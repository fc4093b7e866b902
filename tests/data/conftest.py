from collections.abc import Callable
from pathlib import Path

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc

from spacy_adak.data.alignment import AnnotatedText, to_doc
from spacy_adak.data.summary import Summary


@pytest.fixture(scope="session")
def nlp() -> Language:
    return spacy.blank("en")


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str], Path]:
    """Write a text file and return where."""

    def write_file(name: str, text: str) -> Path:
        path = tmp_path / name
        path.write_bytes(text.encode("utf8"))
        return path

    return write_file


@pytest.fixture
def read_strictly(nlp: Language) -> Callable[[AnnotatedText, Summary], Doc | None]:
    """Make a document of a record; what has no label is O unless the record says
    otherwise."""

    def make_doc(record: AnnotatedText, summary: Summary) -> Doc | None:
        return to_doc(
            record,
            nlp,
            unlabelled="outside",
            alignment_mode="strict",
            incorrect_spans_key="incorrect_spans",
            summary=summary,
        )

    return make_doc


@pytest.fixture
def known() -> Callable[[Doc], list[str]]:
    """What is known of each token: its IOB tag, "O", or "" for missing."""

    def known_tags(doc: Doc) -> list[str]:
        return [t.ent_iob_ + (f"-{t.ent_type_}" if t.ent_type_ else "") for t in doc]

    return known_tags


@pytest.fixture
def mixed_doc(nlp: Language) -> Doc:
    """A document with entities, stated O, missing tokens and a ruled-out span."""
    doc = nlp("Acme hired Ann Lee in New York City, not Bob.")
    doc.set_ents(
        [doc.char_span(0, 4, label="ORG"), doc.char_span(22, 35, label="LOC")],
        missing=[doc[2:5]],
        default="outside",
    )
    doc.spans["incorrect_spans"] = [doc.char_span(41, 44, label="ORG")]
    return doc
