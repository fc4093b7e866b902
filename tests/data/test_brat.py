from collections.abc import Callable
from pathlib import Path

import pytest

from spacy_adak.data.alignment import AnnotatedText
from spacy_adak.data.brat import read_brat
from spacy_adak.data.convert import convert
from spacy_adak.data.summary import Summary

Write = Callable[[str, str], Path]
TEXT = "Acme hired\nAnn Lee."


def read(write: Write, ann: str, text: str = TEXT) -> tuple[AnnotatedText, Summary]:
    write("a.txt", text)
    summary = Summary()
    (record,) = read_brat(write("a.ann", ann), "text", summary)
    return record, summary


def test_text_bound_annotations_are_entities(write: Write) -> None:
    ann = "T1\tORG 0 4\tAcme\nT2\tPER 11 18\tAnn Lee\nR1\tworks Arg1:T2 Arg2:T1\n"
    record, summary = read(write, ann)
    assert record.text == TEXT
    assert [span[:3] for span in record.entities] == [(0, 4, "ORG"), (11, 18, "PER")]
    assert [span.line for span in record.entities] == [1, 2]
    assert not summary.problems


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_offsets_count_line_ends_as_they_are(end: str, write: Write) -> None:
    text = f"Acme hired{end}Ann"
    start = text.index("Ann")
    record, _ = read(write, f"T1\tX 5 {start + 3}\thired Ann", text)
    assert record.text[slice(*record.entities[0][:2])] == f"hired{end}Ann"
    assert record.entities[0].text is None


@pytest.mark.parametrize(
    "line", ["T1", "T1\tORG", "T1\tORG 0", "T1\tORG a b\tx", "T1\tORG 0 4;99 100\tx"]
)
def test_annotation_of_the_wrong_make_makes_the_text_unknown(
    line: str, write: Write, read_strictly: Callable
) -> None:
    record, summary = read(write, line)
    doc = read_strictly(record, summary)
    assert {token.ent_iob for token in doc} == {0}
    assert [p.message[1:5] for p in summary.problems] == ["W308"]


def test_entity_in_pieces_is_unknown_and_noted(
    write: Write, read_strictly: Callable
) -> None:
    record, summary = read(write, "T1\tPER 0 4;15 18\tAcme Lee")
    doc = read_strictly(record, summary)
    assert [token.ent_iob for token in doc] == [0, 2, 2, 2, 0, 2]
    assert [(p.line, p.message[1:5]) for p in summary.problems] == [(1, "W339")]


def test_annotations_without_their_text_are_an_error(write: Write) -> None:
    with pytest.raises(ValueError, match=r"A323.*a\.txt"):
        list(read_brat(write("a.ann", ""), "text", Summary()))


@pytest.mark.parametrize("name", ["a.ann", "a.txt"])
def test_either_file_stands_for_both(name: str, write: Write) -> None:
    write("a.txt", TEXT)
    write("a.ann", "T1\tORG 0 4\tAcme")
    path = write("out", "").with_name(name)
    summary = convert(path, path.with_name("a.spacy"), unlabelled="missing")
    assert summary.entities == {"ORG": 1}


def test_directory_has_a_document_for_each_text(write: Write, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for name in ("a", "b"):
        write(f"in/{name}.txt", TEXT)
        write(f"in/{name}.ann", "T1\tORG 0 4\tAcme")
    summary = convert(tmp_path / "in", tmp_path / "out", unlabelled="missing")
    assert summary.documents == 2
    assert [path.name for path in sorted((tmp_path / "out").iterdir())] == [
        "a.spacy",
        "b.spacy",
    ]
