import zlib
from pathlib import Path

import pytest
import srsly
from spacy.tokens import DocBin
from spacy.vocab import Vocab

from spacy_adak.data import stored_docs
from spacy_adak.data.docbin import read_docbin
from spacy_adak.data.packed_docs import write_packed
from spacy_adak.data.stored_docs import read_stored
from tests.made_docs import docs_of_every_kind


@pytest.mark.parametrize("batch", [1, 2, 200])
@pytest.mark.parametrize("user_data", [True, False])
def test_file_is_read_as_spacy_reads_it(
    user_data: bool, batch: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored_docs, "_BATCH", batch)
    DocBin(docs=docs_of_every_kind(user_data), store_user_data=user_data).to_disk(
        tmp_path / "a.spacy"
    )
    found = list(read_stored(tmp_path / "a.spacy", Vocab()))
    vocab = Vocab()
    expected = list(DocBin().from_disk(tmp_path / "a.spacy").get_docs(vocab))
    assert [doc.to_bytes() for doc in found] == [doc.to_bytes() for doc in expected]
    assert [doc.user_data for doc in found] == [doc.user_data for doc in expected]
    assert [doc.cats for doc in found] == [doc.cats for doc in expected]
    flags = [doc.has_unknown_spaces for doc in found]
    assert flags == [doc.has_unknown_spaces for doc in expected]
    assert [doc[0].lemma_ for doc in found if len(doc)] == ["Ann", ""]


@pytest.mark.parametrize("batch", [1, 200])
def test_documents_can_be_written_while_they_are_read(
    batch: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored_docs, "_BATCH", batch)
    write_packed(docs_of_every_kind(True), tmp_path / "a.spacy")
    vocab = Vocab()
    write_packed(read_stored(tmp_path / "a.spacy", vocab), tmp_path / "b.spacy")
    first, second = ((tmp_path / name).read_bytes() for name in ("a.spacy", "b.spacy"))
    assert first == second


def test_file_of_an_older_version_is_read(tmp_path: Path) -> None:
    msg = srsly.msgpack_loads(
        zlib.decompress(DocBin(docs=docs_of_every_kind(False)).to_bytes())
    )
    for key in ("span_groups", "flags"):
        del msg[key]
    (tmp_path / "a.spacy").write_bytes(zlib.compress(srsly.msgpack_dumps(msg)))
    docs = list(read_stored(tmp_path / "a.spacy", Vocab()))
    assert [ent.text for doc in docs for ent in doc.ents] == ["Ann"]


def test_damaged_file_is_an_error_that_names_it(tmp_path: Path) -> None:
    whole = DocBin(docs=docs_of_every_kind(True)).to_bytes()
    raw = zlib.decompress(whole)
    damaged = [whole[:n] for n in range(0, len(whole), 61)]
    damaged += [zlib.compress(raw[:n]) for n in range(0, len(raw), 61)]
    for data in damaged:
        (tmp_path / "a.spacy").write_bytes(data)
        with pytest.raises(ValueError, match=r"A308.*a\.spacy"):
            list(read_docbin(tmp_path / "a.spacy", Vocab()))
