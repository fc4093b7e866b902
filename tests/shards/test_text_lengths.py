from pathlib import Path

import pytest
import spacy
from spacy.language import Language

from spacy_adak.shards.layout import list_shards, write_shards
from spacy_adak.shards.text_lengths import read_text_lengths, write_text_lengths
from spacy_adak.shards.with_q import (
    ShardEstimates,
    create_estimated_corpus,
    estimates_path,
)
from tests.made_corpus import make_docs


@pytest.fixture
def nlp() -> Language:
    return spacy.blank("xx")


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("spacy_adak.shards.layout._DOCS_PER_SHARD", 7)
    write_shards(make_docs(28, keep=0.5), tmp_path / "corpus", n_folds=2, seed=0)
    return tmp_path / "corpus"


@pytest.mark.parametrize("without_fold", [None, 0, 1])
@pytest.mark.parametrize("selects", [False, True])
def test_lengths_are_those_of_the_texts_that_a_training_reads(
    without_fold: int | None, selects: bool, corpus: Path, nlp: Language, tmp_path: Path
) -> None:
    estimates = None
    if selects:
        estimates = tmp_path / "estimates"
        estimates.mkdir()
        for shard in list_shards(corpus):
            paths: list[list] = [[] for _ in range(7)]
            found = ShardEstimates(paths, [], selected=[0, 2])
            found.to_disk(estimates_path(estimates, shard.path))
    write_text_lengths(nlp, corpus)
    read = create_estimated_corpus(corpus, estimates, without_fold)
    expected = [len(example.predicted) for example in read(nlp)]
    assert expected
    found_lengths = read_text_lengths(corpus, estimates, without_fold)
    assert [len(text) for text in found_lengths] == expected


def test_lengths_are_written_once(
    corpus: Path, nlp: Language, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lengths() -> list[int]:
        return [len(text) for text in read_text_lengths(corpus, None, None)]

    write_text_lengths(nlp, corpus)
    before = lengths()
    assert before
    monkeypatch.setattr("spacy_adak.shards.text_lengths.read_shard", None)
    write_text_lengths(nlp, corpus)
    assert lengths() == before
