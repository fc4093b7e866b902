from pathlib import Path

import pytest
import spacy
from spacy.tokens import Doc, DocBin
from thinc.api import Config

from spacy_adak.shards.layout import in_given_order, list_shards, write_shards
from spacy_adak.shards.references import read_references, replace_reader
from tests.made_corpus import make_config, make_docs, write_data


@pytest.fixture
def config(tmp_path: Path) -> Config:
    return make_config(**write_data(tmp_path)).interpolate()


def test_references_are_read_with_what_is_missing(config: Config) -> None:
    docs = list(read_references(config, "train"))
    assert len(docs) == 40
    assert any(token.ent_iob == 0 for doc in docs for token in doc)


def test_augmenter_is_left_to_the_training(config: Config) -> None:
    config["corpora"]["train"]["augmenter"] = {
        "@augmenters": "spacy.lower_case.v1",
        "level": 1.0,
    }
    docs = list(read_references(config, "train"))
    assert any(not doc.text.islower() for doc in docs)


def test_texts_without_tokens_are_left_out(config: Config, tmp_path: Path) -> None:
    vocab = spacy.blank("xx").vocab
    docs = [Doc(vocab), *make_docs(3, keep=0.5, vocab=vocab)]
    DocBin(docs=docs).to_disk(tmp_path / "train.spacy")
    assert len(list(read_references(config, "train"))) == 3


def test_corpora_may_have_any_names(config: Config) -> None:
    config["training"]["train_corpus"] = "corpora.mine"
    config["corpora"]["mine"] = {**config["corpora"]["train"], "gold_preproc": False}
    assert len(list(read_references(config, "train"))) == 40


def test_replaced_reader_keeps_the_augmenter(config: Config) -> None:
    augmenter = {"@augmenters": "spacy.lower_case.v1", "level": 1.0}
    config["corpora"]["train"]["augmenter"] = augmenter
    replace_reader(config, "train", {"path": "elsewhere"})
    assert config["corpora"]["train"] == {"path": "elsewhere", "augmenter": augmenter}


def test_one_function_for_all_corpora_is_replaced_by_two_readers(
    config: Config,
) -> None:
    config["corpora"] = {"@readers": "made_up.v1", "path": "data"}
    replace_reader(config, "train", {"path": "train"})
    replace_reader(config, "dev", {"path": "dev"})
    assert {name: b["path"] for name, b in config["corpora"].items()} == {
        "train": "train",
        "dev": "dev",
    }


def test_shards_hold_each_document_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spacy_adak.shards.layout._DOCS_PER_SHARD", 7)
    docs = make_docs(40, keep=0.5)
    write_shards(docs, tmp_path / "corpus", 3, seed=0)
    shards = list_shards(tmp_path / "corpus")
    texts = [
        doc.text
        for shard in shards
        for doc in DocBin().from_disk(shard.path).get_docs(docs[0].vocab)
    ]
    assert sorted(texts) == sorted(doc.text for doc in docs)
    assert [shard.fold for shard in shards] == [0, 0, 1, 1, 2, 2]


def test_documents_come_back_in_their_order_whatever_the_number_of_folds(
    tmp_path: Path,
) -> None:
    docs = make_docs(40, keep=0.5)
    write_shards(docs, tmp_path / "corpus", 11, seed=0)
    read = [
        doc
        for shard in list_shards(tmp_path / "corpus")
        for doc in DocBin().from_disk(shard.path).get_docs(docs[0].vocab)
    ]
    ordered = in_given_order(read, tmp_path / "corpus")
    assert [doc.text for doc in ordered] == [doc.text for doc in docs]


def test_user_data_is_kept(tmp_path: Path) -> None:
    docs = make_docs(4, keep=0.5)
    docs[2].user_data["note"] = "mine"
    write_shards(docs, tmp_path / "corpus", 2, seed=0)
    found = [
        doc.user_data
        for shard in list_shards(tmp_path / "corpus")
        for doc in DocBin().from_disk(shard.path).get_docs(docs[0].vocab)
    ]
    assert {"note": "mine"} in found
