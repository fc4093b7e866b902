from pathlib import Path

import numpy
import pytest
import spacy
from spacy.training import Example
from spacy.util import registry

from spacy_adak.annotation.q_of_text import (
    ESTIMATE_KEY,
    ChainEstimate,
    PathEstimate,
    get_estimate,
)
from spacy_adak.shards.layout import list_shards, write_shards
from spacy_adak.shards.with_q import (
    ScoredSpan,
    ShardEstimates,
    create_estimated_corpus,
    estimates_path,
    read_shard,
)
from tests.made_corpus import make_docs


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    write_shards(make_docs(20, keep=0.5), tmp_path / "corpus", n_folds=2, seed=0)
    return tmp_path / "corpus"


@pytest.fixture
def estimates(corpus: Path, tmp_path: Path) -> Path:
    """The first token of every text is an entity; of a fold half is selected."""
    (tmp_path / "estimates").mkdir()
    path = [[ScoredSpan(0, 1, "PLACE", 0.5)]] * 10
    for shard in list_shards(corpus):
        estimates = ShardEstimates(path, [], list(range(0, 10, 2)))
        estimates.to_disk(estimates_path(tmp_path / "estimates", shard.path))
    return tmp_path / "estimates"


def read(*args: object, **kwargs: object) -> list[Example]:
    return list(create_estimated_corpus(*args, **kwargs)(spacy.blank("xx")))  # type: ignore[arg-type]


def read_one(shard: Path) -> list[Example]:
    return list(read_shard(spacy.blank("xx"), shard, None))


def test_reader_is_registered() -> None:
    name = "spacy-adak.EstimatedCorpus.v1"
    assert registry.readers.get(name) is create_estimated_corpus


def test_data_without_estimates_has_none(corpus: Path) -> None:
    examples = read(corpus)
    assert len(examples) == 20
    assert all(get_estimate(example) is None for example in examples)


def test_estimates_are_put_on_the_references(corpus: Path, estimates: Path) -> None:
    examples = read(corpus, estimates)
    assert len(examples) == 20
    for example in examples:
        path = get_estimate(example)
        assert isinstance(path, PathEstimate)
        assert [entity.type for entity in path.entities] == ["PLACE"]
        assert example.reference.spans[ESTIMATE_KEY].attrs["scores"] == [0.5]


def test_fold_is_left_out_and_the_others_are_selected_from(
    corpus: Path, estimates: Path
) -> None:
    everything = [example.text for example in read(corpus, estimates)]
    others = [example.text for example in read(corpus, estimates, without_fold=0)]
    assert others == everything[10::2]


def test_augmenter_sees_every_example(corpus: Path, estimates: Path) -> None:
    augmenter = registry.augmenters.get("spacy.lower_case.v1")(level=1.0)
    texts = [example.text for example in read(corpus, estimates, None, augmenter)]
    assert texts
    assert all(text.islower() for text in texts)


def test_chains_stay_on_what_augmenters_make(corpus: Path, tmp_path: Path) -> None:
    for shard in list_shards(corpus):
        lengths = [len(example.reference) for example in read_one(shard.path)]
        chains = [
            ChainEstimate(
                numpy.full((length, 3), length, dtype="float32"),
                *(numpy.zeros(size, dtype="float32") for size in ((3, 3), 3, 3)),
            )
            for length in lengths
        ]
        estimates = ShardEstimates([[]] * len(lengths), chains, [])
        estimates.to_disk(estimates_path(tmp_path, shard.path))
    augmenter = registry.augmenters.get("spacy.lower_case.v1")(level=1.0)
    examples = read(corpus, tmp_path, None, augmenter)
    assert len(examples) == 20
    for example in examples:
        estimate = get_estimate(example)
        assert isinstance(estimate, ChainEstimate)
        assert (estimate.nodes == len(example.reference)).all()


def test_chains_are_read_as_they_were_written(tmp_path: Path) -> None:
    rng = numpy.random.default_rng(0)

    def random(*shape: int) -> numpy.ndarray:
        return rng.standard_normal(shape).astype("float16")

    moves = random(3, 3), random(3), random(3)
    chains = [ChainEstimate(random(length, 3), *moves) for length in (4, 2)]
    ShardEstimates([[], []], chains, [1]).to_disk(tmp_path / "a.q")
    found = ShardEstimates.from_disk(tmp_path / "a.q")
    assert found.selected == [1]
    for before, after in zip(chains, found.chains, strict=True):
        for a, b in zip(before, after, strict=True):
            numpy.testing.assert_array_equal(a, b)


def test_texts_share_the_moves_between_tags(tmp_path: Path) -> None:
    zeros = numpy.zeros(3)
    moves = numpy.zeros((3, 3)), zeros, zeros
    chains = [ChainEstimate(numpy.zeros((2, 3)), *moves)] * 2
    ShardEstimates([[], []], chains, []).to_disk(tmp_path / "a.q")
    estimates = ShardEstimates.from_disk(tmp_path / "a.q")
    docs = make_docs(2)
    for i, doc in enumerate(docs):
        estimates.attach(doc, i)
    a, b = (doc.user_data[ESTIMATE_KEY]["transitions"] for doc in docs)
    assert a is b
