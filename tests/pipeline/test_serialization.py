"""To disk and bytes and back; damaged and foreign files are refused."""

import pickle
from collections.abc import Callable
from pathlib import Path

import numpy
import pytest
import spacy
from spacy.language import Language

from spacy_adak.pipeline.losses import Loss
from tests.losses import LOSSES, make_loss
from tests.made_texts import (
    TEXTS,
    entities,
    get_ner,
    make_examples,
    make_nlp,
    scores,
    train,
)

from .test_head import Attack

TEXT = "Ann Lee flew to New York ."


def assert_same_results(first: Language, second: Language) -> None:
    for text, _ in TEXTS:
        assert entities(first(text)) == entities(second(text))
        numpy.testing.assert_array_equal(scores(first(text)), scores(second(text)))


def test_pipeline_survives_the_disk(nlp: Language, tmp_path: Path) -> None:
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    assert get_ner(loaded).labels == get_ner(nlp).labels
    assert_same_results(nlp, loaded)


def test_pipeline_survives_bytes(nlp: Language) -> None:
    assert_same_results(nlp, make_nlp().from_bytes(nlp.to_bytes()))


def test_pipeline_survives_pickle(nlp: Language) -> None:
    assert_same_results(nlp, pickle.loads(pickle.dumps(nlp)))


def test_component_survives_pickle(nlp: Language) -> None:
    ner = pickle.loads(pickle.dumps(get_ner(nlp)))
    assert entities(ner(nlp.make_doc(TEXT))) == entities(nlp(TEXT))


@pytest.mark.parametrize("scheme", ["BIO", "BILUO"])
def test_component_survives_the_disk_alone(scheme: str, tmp_path: Path) -> None:
    nlp, other = make_nlp(scheme=scheme), make_nlp(scheme=scheme)
    train(nlp, make_examples(nlp), steps=10)
    get_ner(nlp).to_disk(tmp_path / "component")
    get_ner(other).from_disk(tmp_path / "component")
    assert_same_results(nlp, other)


@pytest.mark.parametrize(
    "loss",
    [
        make_loss("adak", k=3, gamma=1.5, annealing_steps=7),
        make_loss("weighted"),
        make_loss("missing", annotation_recall=0.4),
        make_loss("ratio", target=0.3, margin=0.01, weight=2.5),
        make_loss("fuzzy"),
        make_loss("crf"),
    ],
    ids=lambda loss: type(loss).__name__,
)
def test_settings_survive(loss: Loss, tmp_path: Path) -> None:
    settings = {
        "scheme": "BIO",
        "max_segment_length": 9,
        "spans_key": "found",
        "threshold": 0.25,
        "incorrect_spans_key": "wrong",
    }
    (name,) = (name for name, made in LOSSES.items() if type(loss) is made)
    nlp = make_nlp(loss=name, **vars(loss), **settings)
    nlp.initialize(lambda: make_examples(nlp))
    nlp.to_disk(tmp_path)
    ner = get_ner(spacy.load(tmp_path))
    assert {key: getattr(ner, key) for key in settings} == settings
    assert ner.loss == loss


def test_loaded_component_can_be_trained_on(nlp: Language) -> None:
    loaded = make_nlp().from_bytes(nlp.to_bytes())
    get_ner(loaded).add_label("DATE")
    losses: dict[str, float] = {}
    loaded.update(make_examples(loaded), sgd=loaded.resume_training(), losses=losses)
    assert losses["adak_ner"] < 0.1


def test_labels_of_a_loaded_component_are_in_the_string_store(nlp: Language) -> None:
    loaded = make_nlp()
    data = get_ner(nlp).to_bytes(exclude=["vocab"])
    get_ner(loaded).from_bytes(data, exclude=["vocab"])
    assert "PERSON" in loaded.vocab.strings


def test_what_was_learnt_before_loading_is_forgotten(nlp: Language) -> None:
    other = make_nlp()
    train(other, make_examples(other, [("It rained .", [(0, 1, "THING")])]), steps=5)
    other.from_bytes(nlp.to_bytes())
    assert get_ner(other).labels == ("LOC", "PERSON")
    assert_same_results(nlp, other)


FIELDS = {"cfg", "model", "vocab"}


@pytest.mark.parametrize(
    "exclude", [[], ["vocab"], ["cfg"], ["model"], ["cfg", "vocab"]]
)
def test_excluded_fields_are_not_written(
    nlp: Language, tmp_path: Path, exclude: list[str]
) -> None:
    get_ner(nlp).to_disk(tmp_path, exclude=exclude)
    assert {path.name for path in tmp_path.iterdir()} == FIELDS - set(exclude)


@pytest.mark.parametrize("exclude", [["vocab"], ["cfg"], ["cfg", "vocab"]])
def test_component_is_read_without_excluded_fields(
    nlp: Language, tmp_path: Path, exclude: list[str]
) -> None:
    get_ner(nlp).to_disk(tmp_path, exclude=exclude)
    from_disk, from_bytes = make_nlp(), make_nlp()
    get_ner(from_disk).from_disk(tmp_path, exclude=exclude)
    assert_same_results(nlp, from_disk)
    get_ner(from_bytes).from_bytes(get_ner(nlp).to_bytes(), exclude=exclude)
    assert_same_results(nlp, from_bytes)


def test_excluded_model_is_not_read(nlp: Language, tmp_path: Path) -> None:
    get_ner(nlp).to_disk(tmp_path)
    other = make_nlp()
    get_ner(other).from_disk(tmp_path, exclude=["model"])
    assert get_ner(other).labels == ()


def test_excluded_component_is_not_loaded(nlp: Language, tmp_path: Path) -> None:
    nlp.to_disk(tmp_path)
    assert spacy.load(tmp_path, exclude=["adak_ner"]).pipe_names == []


def test_bytes_are_the_same_every_time(nlp: Language) -> None:
    assert get_ner(nlp).to_bytes() == get_ner(nlp).to_bytes()


def test_model_of_another_scheme_is_refused(nlp: Language) -> None:
    with pytest.raises(ValueError, match=r"A110.*BILUO.*BIO"):
        get_ner(make_nlp(scheme="BIO")).from_bytes(get_ner(nlp).to_bytes())


# Damage


@pytest.fixture
def saved(nlp: Language, tmp_path: Path) -> Path:
    nlp.to_disk(tmp_path / "pipeline")
    return tmp_path / "pipeline"


def model_file(saved: Path) -> Path:
    return saved / "adak_ner" / "model"


def assert_refused(nlp: Language, saved: Path) -> None:
    with pytest.raises(ValueError, match=r"A109.*'adak_ner' is damaged"):
        get_ner(nlp).from_disk(saved / "adak_ner", exclude=["vocab"])


def test_every_flipped_bit_is_noticed(nlp: Language, saved: Path) -> None:
    data = model_file(saved).read_bytes()
    step = len(data) // 200
    for position in [*range(64), *range(64, len(data), step), len(data) - 1]:
        damaged = bytearray(data)
        damaged[position] ^= 1 << (position % 8)
        model_file(saved).write_bytes(damaged)
        assert_refused(nlp, saved)


def test_every_truncation_is_noticed(nlp: Language, saved: Path) -> None:
    data = model_file(saved).read_bytes()
    for length in [0, 1, 31, 32, 33, len(data) // 2, len(data) - 1]:
        model_file(saved).write_bytes(data[:length])
        assert_refused(nlp, saved)


def test_refused_model_changes_nothing(nlp: Language, saved: Path) -> None:
    before = get_ner(nlp).to_bytes()
    model_file(saved).write_bytes(model_file(saved).read_bytes()[:-1])
    assert_refused(nlp, saved)
    assert get_ner(nlp).to_bytes() == before


def spacy_ner_model(tmp_path: Path) -> bytes:
    nlp = spacy.blank("en")
    nlp.add_pipe("ner")
    nlp.initialize(lambda: make_examples(nlp))
    nlp.to_disk(tmp_path / "other")
    return (tmp_path / "other" / "ner" / "model").read_bytes()


@pytest.mark.parametrize(
    "make_file",
    [
        spacy_ner_model,
        lambda _: numpy.random.default_rng(0).bytes(10_000),
        lambda _: b"version https://git-lfs.github.com/spec/v1",
    ],
    ids=["another component", "random bytes", "pointer file"],
)
def test_foreign_file_is_refused(
    nlp: Language, saved: Path, tmp_path: Path, make_file: Callable[[Path], bytes]
) -> None:
    model_file(saved).write_bytes(make_file(tmp_path))
    assert_refused(nlp, saved)


def test_pickle_is_refused_and_not_executed(
    nlp: Language, saved: Path, tmp_path: Path
) -> None:
    victim = tmp_path / "executed"
    model_file(saved).write_bytes(pickle.dumps(Attack(victim)))
    assert_refused(nlp, saved)
    assert not victim.exists()


@pytest.mark.parametrize(
    "content",
    [
        *("[]", "null", "3", '{"ratio_target": ', '{"ratio_target": "x"}', "\xff"),
        '{"annotation_recall_per_type": [1]}',
        '{"calibration": [1]}',
        '{"calibration": {"bogus": 1}}',
        '{"calibration": {"slope_above": "steep"}}',
        '{"calibration": {"slope_below": 0}}',
        '{"calibration": {"bias": 1e999}}',
    ],
)
def test_damaged_cfg_is_refused(saved: Path, content: str) -> None:
    (saved / "adak_ner" / "cfg").write_text(content, encoding="latin1")
    with pytest.raises(ValueError, match=r"A117.*'adak_ner'"):
        spacy.load(saved)


def test_damaged_pipeline_is_refused_when_loaded(saved: Path) -> None:
    data = bytearray(model_file(saved).read_bytes())
    data[-1] ^= 1
    model_file(saved).write_bytes(data)
    with pytest.raises(ValueError, match="A109"):
        spacy.load(saved)


def test_model_over_another_encoder_is_refused(nlp: Language) -> None:
    other = spacy.blank("en")
    other.add_pipe("adak_ner")
    with pytest.raises(ValueError, match="mismatched structure"):
        get_ner(other).from_bytes(get_ner(nlp).to_bytes())


def test_missing_model_is_named(nlp: Language, saved: Path) -> None:
    model_file(saved).unlink()
    with pytest.raises(FileNotFoundError, match="model"):
        spacy.load(saved)
