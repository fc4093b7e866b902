from pathlib import Path

import pytest
from spacy.tokens import Doc

from spacy_adak.data.combine import combine
from spacy_adak.data.complete_types import types_complete_in
from spacy_adak.data.docbin import read_docbin, write_docbin

from .entity_docs import VOCAB, complete, entities, make_doc


def write(folder: Path, **files: list[Doc]) -> list[Path]:
    paths = []
    for name, docs in files.items():
        paths.append(folder / f"{name}.spacy")
        write_docbin(paths[-1], docs)
    return paths


def test_texts_keep_what_their_file_is_complete_for(tmp_path: Path) -> None:
    inputs = write(
        tmp_path,
        a=[complete(make_doc("Ann ran", (0, 1, "PER")), "PER")],
        b=[complete(make_doc("Acme grew", (0, 1, "ORG")), "ORG", "LOC")],
    )
    found = combine(inputs, tmp_path / "c.spacy")
    docs = list(read_docbin(tmp_path / "c.spacy", VOCAB))
    assert [types_complete_in(doc) for doc in docs] == [{"PER"}, {"ORG", "LOC"}]
    assert [part.complete for part in found.parts] == [
        {"PER": 1},
        {"ORG": 1, "LOC": 1},
    ]
    assert found.total.entities == {"PER": 1, "ORG": 1}
    assert (found.merged, found.contradictions) == (0, [])


def test_a_text_in_two_files_has_what_both_know(tmp_path: Path) -> None:
    text = "Ann joined Acme today"
    inputs = write(
        tmp_path,
        a=[make_doc("It rained"), complete(make_doc(text, (0, 1, "PER")), "PER")],
        b=[complete(make_doc(text, (2, 3, "ORG")), "ORG")],
    )
    found = combine(inputs, tmp_path / "c.spacy")
    docs = list(read_docbin(tmp_path / "c.spacy", VOCAB))
    assert [doc.text for doc in docs] == ["It rained ", text + " "]
    assert entities(docs[1]) == [(0, 1, "PER"), (2, 3, "ORG")]
    assert types_complete_in(docs[1]) == {"PER", "ORG"}
    assert found.merged == 1


def test_a_text_that_is_twice_in_one_file_stays_so(tmp_path: Path) -> None:
    inputs = write(tmp_path, a=[make_doc("Ann ran")] * 2, b=[make_doc("Ben ran")])
    found = combine(inputs, tmp_path / "c.spacy")
    assert (found.total.documents, found.merged) == (3, 0)


def test_other_tokens_of_one_text_are_an_error_that_names_both(tmp_path: Path) -> None:
    split = Doc(VOCAB, words=["Ann", "-", "Lee"], spaces=[False, False, False])
    whole = Doc(VOCAB, words=["Ann-Lee"], spaces=[False])
    inputs = write(tmp_path, a=[make_doc("x"), split], b=[whole])
    with pytest.raises(ValueError, match=r"A329.*a.spacy, document 2.*b.spacy, doc"):
        combine(inputs, tmp_path / "c.spacy")
    assert not (tmp_path / "c.spacy").exists()


def test_labels_are_renamed_in_all_files_or_in_one(tmp_path: Path) -> None:
    docs = [complete(make_doc("Acme grew", (0, 1, "COMPANY")), "COMPANY")]
    inputs = write(tmp_path, a=docs, b=[make_doc("Ann ran", (0, 1, "COMPANY"))])
    for maps, expected in (
        (["COMPANY=ORG"], {"ORG": 2}),
        (["a.spacy:COMPANY=ORG"], {"ORG": 1, "COMPANY": 1}),
        ([f"{inputs[0]}:COMPANY=ORG", "COMPANY=X"], {"ORG": 1, "X": 1}),
    ):
        found = combine(inputs, tmp_path / "c.spacy", maps=maps)
        assert found.total.entities == expected
        assert found.parts[0].complete == {"ORG": 1}


@pytest.mark.parametrize("value", ["ORG", "=ORG", "ORG=", "x.spacy:A=B"])
def test_a_map_that_says_nothing_is_an_error(value: str, tmp_path: Path) -> None:
    inputs = write(tmp_path, a=[make_doc("Ann ran", (0, 1, "A"))])
    with pytest.raises(ValueError, match="A327"):
        combine(inputs, tmp_path / "c.spacy", maps=[value])


def test_a_map_of_a_label_that_is_not_there_names_those_that_are(
    tmp_path: Path,
) -> None:
    inputs = write(tmp_path, a=[make_doc("Ann ran", (0, 1, "PER"))])
    with pytest.raises(ValueError, match=r"A328.*PERSON.*it has PER"):
        combine(inputs, tmp_path / "c.spacy", maps=["a.spacy:PERSON=X"])


def test_inputs_are_not_overwritten_or_read_twice(tmp_path: Path) -> None:
    (path,) = write(tmp_path, a=[make_doc("Ann ran")])
    for inputs, output in (([path], path), ([path, path], tmp_path / "c.spacy")):
        with pytest.raises(ValueError, match="A315"):
            combine(inputs, output)


def test_a_file_that_denies_the_types_of_others_is_warned_of(tmp_path: Path) -> None:
    inputs = write(
        tmp_path,
        a=[make_doc("Ann ran", (0, 1, "PER"), default="outside")],
        b=[make_doc("Acme grew", (0, 1, "ORG"))],
    )
    with pytest.warns(UserWarning, match="W344.*a.spacy.*ORG"):
        found = combine(inputs, tmp_path / "c.spacy")
    assert found.parts[0].describe("ORG") == "0 (100%)"
    assert found.parts[1].describe("ORG") == "1 (0%)"
