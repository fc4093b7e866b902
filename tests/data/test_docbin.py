from collections.abc import Callable
from pathlib import Path

import pytest
import spacy
from spacy.tokens import Doc

from spacy_adak.data.docbin import read_docbin, write_docbin


def read(path: Path, unlabelled: str | None = None) -> Doc:
    (doc,) = read_docbin(path, spacy.blank("en").vocab, unlabelled)
    return doc


def test_round_trip_keeps_what_is_known(
    mixed_doc: Doc, tmp_path: Path, known: Callable[[Doc], list[str]]
) -> None:
    write_docbin(tmp_path / "a.spacy", [mixed_doc])
    doc = read(tmp_path / "a.spacy")
    assert known(doc) == known(mixed_doc)
    assert [span.text for span in doc.spans["incorrect_spans"]] == ["Bob"]


@pytest.mark.parametrize(("unlabelled", "state"), [("missing", ""), ("outside", "O")])
def test_unlabelled_overrides_what_the_file_says(
    unlabelled: str, state: str, mixed_doc: Doc, tmp_path: Path
) -> None:
    write_docbin(tmp_path / "a.spacy", [mixed_doc])
    doc = read(tmp_path / "a.spacy", unlabelled)
    assert {t.ent_iob_ for t in doc} == {"B", "I", state}
    assert [ent.text for ent in doc.ents] == [ent.text for ent in mixed_doc.ents]


def test_user_data_is_kept(mixed_doc: Doc, tmp_path: Path) -> None:
    mixed_doc.user_data["source"] = "wire"
    write_docbin(tmp_path / "a.spacy", [mixed_doc])
    assert read(tmp_path / "a.spacy").user_data == {"source": "wire"}


def test_other_files_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.spacy").write_text("no")
    with pytest.raises(ValueError, match=r"A308.*a\.spacy"):
        read(tmp_path / "a.spacy")
