"""Settings, labels, steps and results of the component itself."""

import math
from inspect import signature
from typing import Any

import numpy
import pytest
import spacy
import torch
from confection import ConfigValidationError
from spacy.language import Language
from spacy.tokens import Doc, DocBin, Span
from spacy.util import registry
from thinc.api import Adam, Config

from spacy_adak.annotation import segments
from spacy_adak.pipeline.adak_ner import AdaKRecognizer
from spacy_adak.pipeline.losses import AdaKLoss
from spacy_adak.pipeline.model import get_head
from spacy_adak.pipeline.settings import DEFAULTS
from tests.losses import LOSSES
from tests.made_texts import (
    SMALL_MODEL,
    TEXTS,
    entities,
    get_ner,
    make_examples,
    make_nlp,
    scores,
    train,
)

TEXT = "Ann Lee flew to New York ."


def test_default_config_learns_to_find_entities() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("adak_ner")
    spacy.util.fix_random_seed(0)
    examples = make_examples(nlp)
    optimizer = nlp.initialize(lambda: examples)
    for _ in range(40):
        nlp.update(examples, sgd=optimizer)
    for text, expected in TEXTS:
        assert entities(nlp(text)) == expected


@pytest.mark.parametrize(
    "loss", ["adak", "weighted", "missing", "ratio", "fuzzy", "crf"]
)
@pytest.mark.parametrize("scheme", ["BIO", "BILUO"])
def test_every_loss_and_scheme_learns(loss: str, scheme: str) -> None:
    nlp = make_nlp(loss=loss, scheme=scheme)
    train(nlp, make_examples(nlp))
    for text, expected in TEXTS:
        assert entities(nlp(text)) == expected


# Settings


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("k", 0),
        ("k", "3"),
        ("gamma", -0.5),
        ("gamma", "3"),
        ("annealing_steps", 0),
        ("annealing_steps", "10"),
        ("annotation_recall", -0.1),
        ("annotation_recall", 1.5),
        ("annotation_recall", "0.1"),
        ("target", 1.5),
        ("target", "0.1"),
        ("margin", -0.1),
        ("margin", "0.1"),
        ("weight", -1.0),
        ("weight", "10"),
        ("scheme", "IOBES"),
        ("max_segment_length", 0),
        ("threshold", 1.5),
        ("threshold", -0.1),
        ("threshold", "0.5"),
    ],
)
def test_invalid_setting_is_named_with_what_is_valid(setting: str, value: Any) -> None:
    losses = [name for name, loss in LOSSES.items() if hasattr(loss, setting)]
    with pytest.raises(ValueError, match=rf"A104.*{value!r}.*'{setting}'.*expected"):
        make_nlp(loss=next(iter(losses), None), **{setting: value})


@pytest.mark.parametrize(("setting", "value"), [("scheme", 3), ("k", 2.5)])
def test_setting_of_another_type_is_refused(setting: str, value: Any) -> None:
    with pytest.raises(ConfigValidationError, match=setting):
        make_nlp(**{setting: value})


def test_settings_are_checked_without_a_config_too() -> None:
    model = spacy.blank("en").add_pipe("adak_ner", config={"model": SMALL_MODEL}).model
    with pytest.raises(ValueError, match=r"A104.*'IOBES'.*BIO or BILUO|BILUO or BIO"):
        AdaKRecognizer(spacy.blank("en").vocab, model, scheme="IOBES")
    with pytest.raises(ValueError, match=r"A104.*-1.*'k'.*AdaKLoss"):
        LOSSES["adak"](k=-1)


@pytest.mark.parametrize(
    "config",
    [
        {"gama": 1.0},
        {"model": {**SMALL_MODEL, "gama": 1.0}},
        {"model": {**SMALL_MODEL, "tok2vec": {**SMALL_MODEL["tok2vec"], "gama": 1}}},
    ],
    ids=["component", "model", "encoder"],
)
def test_unknown_setting_is_refused_by_name(config: dict[str, Any]) -> None:
    with pytest.raises(ConfigValidationError, match="unexpected argument: 'gama'"):
        spacy.blank("en").add_pipe("adak_ner", config=config)


def test_unknown_setting_in_a_config_file_is_refused_by_name() -> None:
    config = Config().from_str(make_nlp().config.to_str())
    config["components"]["adak_ner"]["gama"] = 1.0
    with pytest.raises(ConfigValidationError, match="unexpected argument: 'gama'"):
        spacy.util.load_model_from_config(config)


def loss_after(steps: int, **settings: Any) -> float:
    """The loss of incomplete annotation after some steps that change nothing."""
    nlp = make_nlp(**settings)
    spacy.util.fix_random_seed(0)
    examples = make_examples(nlp)
    for example in examples:
        example.reference.set_ents(list(example.reference.ents)[:1], default="missing")
    nlp.initialize(lambda: examples)
    for parameter in get_head(get_ner(nlp).model).parameters():
        torch.nn.init.normal_(parameter, generator=torch.Generator().manual_seed(0))
    still = Adam(0.0, L2=0.0, use_averages=False)
    for _ in range(steps):
        nlp.update(examples, sgd=still)
    losses: dict[str, float] = {}
    nlp.update(examples, sgd=still, losses=losses)
    return losses["adak_ner"]


@pytest.mark.parametrize(
    "settings",
    [
        {"loss": "weighted"},
        {"loss": "missing", "annotation_recall": 0.5},
        {"loss": "ratio", "target": 0.1},
        {"loss": "fuzzy"},
        {"loss": "crf"},
        {"k": 1},
        {"gamma": 0.0},
        {"gamma": None},
        {"annealing_steps": 2},
        {"scheme": "BIO"},
        {"max_segment_length": 3},
    ],
    ids=lambda settings: next(iter(settings)),
)
def test_setting_changes_the_loss(settings: dict[str, Any]) -> None:
    assert loss_after(1, **settings) != pytest.approx(loss_after(1))


@pytest.mark.parametrize(
    ("setting", "value"),
    [("target", 0.2), ("margin", 0.1), ("weight", 1.0)],
)
def test_setting_changes_the_loss_ratio(setting: str, value: float) -> None:
    settings = {"loss": "ratio", "target": 0.1, "margin": 0.0}
    changed = {**settings, setting: value}
    assert loss_after(0, **changed) != pytest.approx(loss_after(0, **settings))


def test_recall_of_annotators_changes_the_loss_missing() -> None:
    losses = [
        loss_after(0, loss="missing", annotation_recall=recall)
        for recall in (0.0, 0.5, 0.9, 1.0)
    ]
    assert losses == sorted(losses)
    assert len(set(losses)) == 4


def best_paths_weight(nlp: Language) -> float:
    loss = get_ner(nlp).loss
    assert isinstance(loss, AdaKLoss)
    return loss.best_paths_weight(get_ner(nlp).progress)


def weights_of_best_paths(nlp: Language, steps: int) -> list[float]:
    examples = make_examples(nlp)
    optimizer = nlp.initialize(lambda: examples)
    weights = []
    for _ in range(steps):
        weights.append(best_paths_weight(nlp))
        nlp.update(examples, sgd=optimizer)
    return weights


def test_weight_of_best_paths_rises_with_the_steps() -> None:
    nlp = make_nlp(gamma=2.0, annealing_steps=4)
    expected = [math.exp(2.0 * (step / 4 - 1)) for step in range(5)] + [1.0]
    assert weights_of_best_paths(nlp, 6) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("training", "planned"),
    [
        ({"patience": 300, "max_steps": 2000}, 300),
        ({"patience": 300, "max_steps": 20}, 20),
        ({"patience": 0, "max_steps": 2000}, 2000),
        ({"patience": 0, "max_steps": 0}, 1000),
    ],
)
def test_planned_steps_are_those_a_run_is_sure_to_have(
    training: dict[str, int], planned: int
) -> None:
    nlp = make_nlp(gamma=1.0)
    nlp.config["training"] = {**nlp.config["training"], **training}
    first, second = weights_of_best_paths(nlp, 2)
    assert math.log(second) - math.log(first) == pytest.approx(1 / planned)


def test_initializing_again_starts_the_annealing_again() -> None:
    nlp = make_nlp(annealing_steps=4)
    assert weights_of_best_paths(nlp, 3) == weights_of_best_paths(nlp, 3)


def test_steps_count_updates_not_batches_of_an_update() -> None:
    nlp = make_nlp(annealing_steps=4)
    examples = make_examples(nlp)
    optimizer = nlp.initialize(lambda: examples)
    for example in examples:
        nlp.update([example], sgd=False)
    before = best_paths_weight(nlp)
    get_ner(nlp).finish_update(optimizer)
    assert before == pytest.approx(math.exp(-3))
    assert best_paths_weight(nlp) > before


# Results


def test_entities_are_stored_with_their_probabilities(nlp: Language) -> None:
    doc = nlp(TEXT)
    assert list(doc.spans["adak_ner"]) == list(doc.ents)
    assert scores(doc).shape == (2,)
    assert ((scores(doc) > 0.5) & (scores(doc) <= 1)).all()


def test_text_without_entities_has_an_empty_group(nlp: Language) -> None:
    doc = nlp("It rained all day long .")
    assert len(doc.spans["adak_ner"]) == 0
    assert scores(doc).shape == (0,)


def test_spans_key_names_the_group(nlp: Language) -> None:
    get_ner(nlp).spans_key = "found"
    assert list(nlp(TEXT).spans) == ["found"]


def test_without_spans_key_nothing_is_stored(nlp: Language) -> None:
    get_ner(nlp).spans_key = None
    doc = nlp(TEXT)
    assert len(doc.ents) == 2
    assert not doc.spans


@pytest.mark.parametrize("spans_key", ["adak_ner", None])
def test_threshold_drops_entities_that_are_less_probable(
    nlp: Language, spans_key: str | None
) -> None:
    lower, higher = sorted(zip(scores(nlp(TEXT)), nlp(TEXT).ents, strict=True))
    assert lower[0] < higher[0]
    get_ner(nlp).spans_key = spans_key
    get_ner(nlp).threshold = (lower[0] + higher[0]) / 2
    assert [ent.text for ent in nlp(TEXT).ents] == [higher[1].text]


def test_threshold_of_zero_keeps_everything(nlp: Language) -> None:
    get_ner(nlp).threshold = 0.0
    get_ner(nlp).spans_key = None
    assert len(nlp(TEXT).ents) == 2


def soften(nlp: Language) -> None:
    """Make the model less sure, so that several readings count."""
    with torch.no_grad():
        for parameter in get_head(get_ner(nlp).model).parameters():
            parameter *= 0.2


def test_probabilities_are_sums_over_all_readings(nlp: Language) -> None:
    soften(nlp)
    doc = nlp("flew to York")
    readings = get_ner(nlp).kbest(doc, 100_000)
    total = sum(reading.attrs["probability"] for reading in readings)
    assert total == pytest.approx(1.0)
    for span, score in zip(doc.spans["adak_ner"], scores(doc), strict=True):
        expected = sum(
            reading.attrs["probability"]
            for reading in readings
            if span in list(reading)
        )
        assert score == pytest.approx(expected, abs=1e-6)


def test_readings_of_two_sentences_multiply(nlp: Language) -> None:
    soften(nlp)
    ner = get_ner(nlp)

    def read(words: list[str], starts: list[bool]) -> dict[tuple, float]:
        doc = nlp(Doc(nlp.vocab, words=words, sent_starts=starts))
        return {
            tuple((s.start, s.end, s.label_) for s in reading): reading.attrs[
                "probability"
            ]
            for reading in ner.kbest(doc, 100_000)
        }

    words = ["Ann", "left", "York", "slept"]
    whole = read(words, [True, False, True, False])
    # The encoder sees over the bound, so the sentences are read within the text.
    doc = nlp(Doc(nlp.vocab, words=words, sent_starts=[True, False, True, False]))
    assert sum(whole.values()) == pytest.approx(1.0)
    for span, score in zip(doc.spans["adak_ner"], scores(doc), strict=True):
        key = (span.start, span.end, span.label_)
        expected = sum(p for reading, p in whole.items() if key in reading)
        assert score == pytest.approx(expected, abs=1e-6)
    crossing = [span for reading in whole for span in reading if span[0] < 2 < span[1]]
    assert not crossing


def test_readings_are_at_most_k_and_the_best_is_the_prediction(nlp: Language) -> None:
    soften(nlp)
    doc = nlp(TEXT)
    readings = get_ner(nlp).kbest(doc, 3)
    probabilities = [reading.attrs["probability"] for reading in readings]
    assert len(readings) == 3
    assert probabilities == sorted(probabilities, reverse=True)
    assert list(readings[0]) == list(doc.ents)


def test_readings_of_many_segments_are_the_best_of_all(nlp: Language) -> None:
    soften(nlp)
    doc = nlp.make_doc("flew to York Ann Lee left it")
    doc[3].is_sent_start = True
    doc[6].is_sent_start = True
    doc = nlp(doc)
    everything = get_ner(nlp).kbest(doc, 100_000)
    best = get_ner(nlp).kbest(doc, 20)
    assert [list(reading) for reading in best] == [list(r) for r in everything[:20]]
    assert [reading.attrs["log_probability"] for reading in best] == pytest.approx(
        numpy.log([reading.attrs["probability"] for reading in everything[:20]])
    )


def test_readings_leave_the_document_as_it_is(nlp: Language) -> None:
    doc = nlp(TEXT)
    before = doc.to_bytes()
    get_ner(nlp).kbest(doc, 3)
    assert doc.to_bytes() == before


def test_one_reading_of_an_empty_text_is_certain_and_empty(nlp: Language) -> None:
    (reading,) = get_ner(nlp).kbest(nlp(""), 3)
    assert len(reading) == 0
    assert reading.attrs["probability"] == 1.0


def test_number_of_readings_must_be_positive(nlp: Language) -> None:
    with pytest.raises(ValueError, match=r"A104.* 0 "):
        get_ner(nlp).kbest(nlp(TEXT), 0)


def test_probabilities_and_readings_survive_docbin(nlp: Language) -> None:
    doc = nlp(TEXT)
    for reading in get_ner(nlp).kbest(doc, 2):
        doc.spans[reading.name] = reading
    data = DocBin(docs=[doc]).to_bytes()
    (loaded,) = DocBin().from_bytes(data).get_docs(nlp.vocab)
    numpy.testing.assert_array_equal(scores(loaded), scores(doc))
    for name in ("adak_ner_1", "adak_ner_2"):
        assert [span.text for span in loaded.spans[name]] == [
            span.text for span in doc.spans[name]
        ]
        assert loaded.spans[name].attrs == doc.spans[name].attrs


def test_long_document_is_read_as_a_whole(nlp: Language) -> None:
    text = " ".join([TEXT] * 20)
    expected = nlp(text)
    assert [ent.text for ent in expected.ents] == ["Ann Lee", "New York"] * 20
    get_ner(nlp).max_segment_length = 1
    doc = nlp(text)
    assert entities(doc) == entities(expected)
    numpy.testing.assert_array_equal(scores(doc), scores(expected))


def test_entity_longer_than_max_segment_length_is_found_whole() -> None:
    nlp = make_nlp()
    text = "see The Very Long Way Home Again now"
    train(nlp, make_examples(nlp, [(text, [(1, 7, "WORK")])]))
    get_ner(nlp).max_segment_length = 4
    assert entities(nlp(text)) == [(1, 7, "WORK")]


def test_text_is_cut_where_it_would_take_too_much_memory(
    nlp: Language, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = " ".join([TEXT] * 4)
    n_tags = len(get_ner(nlp).tagset)
    monkeypatch.setattr(segments, "_TAGS_PER_BATCH", 9 * n_tags)
    get_ner(nlp).max_segment_length = 1
    assert [ent.text for ent in nlp(text).ents] == ["Ann Lee", "New York"] * 4
    monkeypatch.setattr(segments, "_TAGS_PER_BATCH", 1)
    assert all(len(ent) == 1 for ent in nlp(text).ents)


def test_results_do_not_depend_on_batches_or_order(nlp: Language) -> None:
    soften(nlp)
    texts = [text for text, _ in TEXTS] * 3 + ["", "York", "Ann " * 50]
    alone = [nlp(text) for text in texts]
    for batch_size, order in [(2, 1), (100, 1), (5, -1)]:
        together = list(nlp.pipe(texts[::order], batch_size=batch_size))[::order]
        for one, other in zip(alone, together, strict=True):
            assert entities(one) == entities(other)
            numpy.testing.assert_allclose(scores(one), scores(other), atol=1e-6)


# Labels


def test_labels_of_examples_are_sorted() -> None:
    nlp = make_nlp()
    nlp.initialize(lambda: make_examples(nlp))
    assert get_ner(nlp).labels == ("LOC", "PERSON")
    assert get_ner(nlp).label_data == ("LOC", "PERSON")


def test_label_added_before_training_comes_first() -> None:
    nlp = make_nlp()
    assert get_ner(nlp).add_label("GPE") == 1
    assert get_ner(nlp).add_label("GPE") == 0
    nlp.initialize(lambda: make_examples(nlp))
    assert get_ner(nlp).labels == ("GPE", "LOC", "PERSON")


def test_given_labels_are_used_instead_of_those_of_the_examples() -> None:
    nlp = make_nlp()
    get_ner(nlp).initialize(lambda: make_examples(nlp), nlp=nlp, labels=["B", "A"])
    assert get_ner(nlp).labels == ("B", "A")


def test_label_added_after_training_changes_no_prediction(nlp: Language) -> None:
    texts = [text for text, _ in TEXTS]
    before = list(nlp.pipe(texts))
    get_ner(nlp).add_label("NEW")
    for old, new in zip(before, nlp.pipe(texts), strict=True):
        assert entities(new) == entities(old)
        numpy.testing.assert_allclose(scores(new), scores(old), atol=1e-3)


def test_label_added_after_training_can_be_learnt(nlp: Language) -> None:
    get_ner(nlp).add_label("DATE")
    examples = make_examples(
        nlp, [*TEXTS, ("We met on Monday morning .", [(3, 5, "DATE")])]
    )
    optimizer = nlp.resume_training()
    optimizer.learn_rate = 0.01
    for _ in range(40):
        nlp.update(examples, sgd=optimizer)
    assert entities(nlp("We met on Monday morning .")) == [(3, 5, "DATE")]
    assert entities(nlp(TEXT)) == [(0, 2, "PERSON"), (4, 6, "LOC")]


def test_label_can_be_added_while_an_optimizer_is_in_use() -> None:
    nlp = make_nlp()
    examples = make_examples(nlp)
    optimizer = nlp.initialize(lambda: examples)
    nlp.update(examples, sgd=optimizer)
    get_ner(nlp).add_label("NEW")
    nlp.update(examples, sgd=optimizer)
    assert get_head(get_ner(nlp).model).weight.shape[0] == 13


def test_hyphens_in_labels_are_fine() -> None:
    nlp = make_nlp()
    train(nlp, make_examples(nlp, [("See Hamlet now", [(1, 2, "WORK-OF-ART")])]))
    assert entities(nlp("See Hamlet now")) == [(1, 2, "WORK-OF-ART")]


# Loss


def test_loss_can_be_computed_from_a_prediction(nlp: Language) -> None:
    examples = make_examples(nlp)
    ner = get_ner(nlp)
    docs = [example.predicted for example in examples]
    loss, gradient = ner.get_loss(examples, ner.model.predict(docs))
    trained, _ = ner.get_loss(examples, ner.model.begin_update(docs)[0])
    assert loss == pytest.approx(trained)
    assert gradient.emissions.shape == (sum(map(len, docs)), 9)


def test_loss_is_added_to_those_of_the_run(nlp: Language) -> None:
    losses = {"adak_ner": 1.0}
    nlp.update(make_examples(nlp), sgd=False, losses=losses)
    assert 1.0 < losses["adak_ner"] < 2.0


def test_contradiction_with_the_model_is_named(
    nlp: Language, monkeypatch: pytest.MonkeyPatch
) -> None:
    head = get_head(get_ner(nlp).model)
    monkeypatch.setattr(head, "illegal_start", torch.ones_like(head.illegal_start))
    with pytest.raises(ValueError, match=r"A111.*Who is Shaka"):
        nlp.update(make_examples(nlp), sgd=False)


def test_entity_that_got_an_id_later_does_not_bind_readings(nlp: Language) -> None:
    soften(nlp)
    doc = nlp(TEXT)
    free = [list(reading) for reading in get_ner(nlp).kbest(doc, 5)]
    doc.ents = [
        Span(doc, ent.start, ent.end, label=ent.label, kb_id="Q1") for ent in doc.ents
    ]
    bound = [list(reading) for reading in get_ner(nlp).kbest(doc, 5)]
    assert bound == free


def test_score_is_that_of_the_entities(nlp: Language) -> None:
    examples = make_examples(nlp)
    for example in examples:
        example.predicted = nlp(example.predicted)
    result = get_ner(nlp).score(examples)
    assert result["ents_f"] == 1.0
    assert set(result["ents_per_type"]) == {"LOC", "PERSON"}


def test_training_set_is_left_as_it_is() -> None:
    nlp = make_nlp()
    examples = make_examples(nlp)
    before = [example.reference.to_bytes() for example in examples]
    train(nlp, examples, steps=2)
    assert [example.reference.to_bytes() for example in examples] == before


def test_defaults_of_the_class_are_those_of_the_config() -> None:
    config = dict(DEFAULTS)
    defaults = {
        name: parameter.default
        for name, parameter in signature(AdaKRecognizer).parameters.items()
        if name not in ("vocab", "model", "name", "scorer")
    }
    config["loss"] = registry.resolve({"loss": config["loss"]})["loss"]
    assert defaults == {name: config[name] for name in defaults}
    assert set(config) - set(defaults) == {"model", "scorer"}
