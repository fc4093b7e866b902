from pathlib import Path

import pytest
import spacy
from spacy.tokens import DocBin

from spacy_adak.data import packed_docs
from spacy_adak.data.packed_docs import write_packed
from tests.made_docs import docs_of_every_kind


@pytest.mark.parametrize("user_data", [True, False])
def test_file_is_the_one_that_spacy_writes(user_data: bool, tmp_path: Path) -> None:
    docs = docs_of_every_kind(user_data)
    write_packed(iter(docs), tmp_path / "a.spacy")
    nlp = spacy.blank("xx")
    found = list(DocBin().from_disk(tmp_path / "a.spacy").get_docs(nlp.vocab))
    data = DocBin(docs=docs, store_user_data=user_data).to_bytes()
    expected = list(DocBin().from_bytes(data).get_docs(spacy.blank("xx").vocab))
    assert len(found) == len(expected) == 3
    for doc, same in zip(found, expected, strict=True):
        assert doc.to_bytes() == same.to_bytes()
        assert doc.has_unknown_spaces == same.has_unknown_spaces
        for left, right in zip(doc, same, strict=True):
            assert (left.norm_, left.lemma_, left.tag_, left.dep_) == (
                right.norm_,
                right.lemma_,
                right.tag_,
                right.dep_,
            )
            assert (str(left.morph), left.ent_kb_id_) == (
                str(right.morph),
                right.ent_kb_id_,
            )
    (span,) = found[0].spans["estimated"]
    assert (span.label_, span.kb_id_) == ("X", "Q2")
    assert found[0].spans["estimated"].attrs == {"scores": [0.5]}


def test_nothing_but_the_file_is_left(tmp_path: Path) -> None:
    write_packed(docs_of_every_kind(False), tmp_path / "a.spacy")
    assert [path.name for path in tmp_path.iterdir()] == ["a.spacy"]


def test_more_than_a_file_can_hold_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packed_docs, "_LONGEST", 100)
    with pytest.raises(ValueError, match=r"A325.*6 tokens"):
        write_packed(docs_of_every_kind(False), tmp_path / "a.spacy")
