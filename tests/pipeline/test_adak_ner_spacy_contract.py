"""What spaCy asks of every trainable component, and of `ner` in particular."""

import gc
import logging
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy
import pytest
import spacy
from spacy import displacy
from spacy.language import Language
from spacy.lookups import Lookups
from spacy.tokens import Doc, DocBin, Span
from spacy.training import Example

from spacy_adak.pipeline.model import get_head
from tests.made_texts import (
    TEXTS,
    entities,
    get_ner,
    make_doc,
    make_examples,
    make_nlp,
    scores,
    train,
)

TEXT = "Ann Lee flew to New York ."
FOUND = [(0, 2, "PERSON"), (4, 6, "LOC")]


# Training and prediction


def test_untrained_component_finds_nothing() -> None:
    nlp = make_nlp()
    nlp.initialize(lambda: make_examples(nlp))
    doc = nlp(TEXT)
    assert doc.ents == ()
    assert doc.has_annotation("ENT_IOB")


def test_component_that_was_not_initialized_says_so() -> None:
    nlp = make_nlp()
    message = r"E109.*'adak_ner'.*initialize"
    with pytest.raises(ValueError, match=message):
        nlp(TEXT)
    with pytest.raises(ValueError, match=message):
        list(nlp.pipe([TEXT]))
    with pytest.raises(ValueError, match=message):
        nlp.update(make_examples(nlp))
    with pytest.raises(ValueError, match=message):
        get_ner(nlp).kbest(nlp.make_doc(TEXT), 2)


def test_missing_lookups_of_norms_are_reported(
    caplog: pytest.LogCaptureFixture,
) -> None:
    nlp = make_nlp()
    nlp.vocab.lookups = Lookups()
    with caplog.at_level(logging.DEBUG):
        nlp.initialize(lambda: make_examples(nlp))
    assert "W033" in caplog.text
    caplog.clear()
    nlp.vocab.lookups.add_table("lexeme_norm", {"a": "A"})
    with caplog.at_level(logging.DEBUG):
        nlp.initialize(lambda: make_examples(nlp))
    assert "W033" not in caplog.text


def test_trained_component_finds_what_it_learnt(nlp: Language) -> None:
    for text, expected in TEXTS:
        assert entities(nlp(text)) == expected


def test_predict_leaves_documents_as_they_are(nlp: Language) -> None:
    doc = nlp.make_doc(TEXT)
    predictions = get_ner(nlp).predict([doc])
    assert not doc.has_annotation("ENT_IOB")
    get_ner(nlp).set_annotations([doc], predictions)
    assert entities(doc) == FOUND


def test_component_can_be_called_and_streamed_on_its_own(nlp: Language) -> None:
    ner = get_ner(nlp)
    assert entities(ner(nlp.make_doc(TEXT))) == FOUND
    (doc,) = ner.pipe([nlp.make_doc(TEXT)])
    assert entities(doc) == FOUND


def test_every_token_is_annotated_after_prediction(nlp: Language) -> None:
    iob = [token.ent_iob_ for token in nlp(TEXT)]
    assert iob == ["B", "I", "O", "O", "B", "I", "O"]


def test_running_twice_changes_nothing(nlp: Language) -> None:
    doc = nlp(TEXT)
    before = doc.to_json()
    probabilities = scores(doc)
    again = nlp(doc)
    assert entities(again) == FOUND
    assert again.to_json() == before
    numpy.testing.assert_array_equal(scores(again), probabilities)


def test_what_was_found_before_gives_way_to_what_is_found_now(nlp: Language) -> None:
    doc = nlp(TEXT)
    get_ner(nlp).threshold = 1.0
    assert entities(get_ner(nlp)(doc)) == []
    assert len(doc.spans["adak_ner"]) == 0
    assert [token.ent_iob_ for token in doc] == ["O"] * len(doc)


def test_component_after_another_one_keeps_what_that_has_found(nlp: Language) -> None:
    other = make_nlp()
    train(other, make_examples(other))
    nlp.add_pipe("adak_ner", source=other, name="second")
    with pytest.warns(UserWarning, match="W103"):
        doc = nlp(TEXT)
    assert entities(doc) == FOUND
    # The first one's are there, and the second has found nothing beside them.
    group = doc.spans["adak_ner"]
    assert [(span.start, span.end, span.label_) for span in group] == FOUND


def test_adjacent_entities_of_one_type_are_learnt_apart() -> None:
    nlp = make_nlp()
    expected = [(1, 2, "LOC"), (2, 3, "LOC")]
    train(nlp, make_examples(nlp, [("From Paris Berlin it came .", expected)]))
    assert entities(nlp("From Paris Berlin it came .")) == expected


def test_update_without_examples_has_no_effect(nlp: Language) -> None:
    losses: dict[str, float] = {}
    nlp.update([], losses=losses)
    assert losses.get("adak_ner", 0.0) == 0.0


def test_update_with_empty_texts_alone_has_no_effect(nlp: Language) -> None:
    losses: dict[str, float] = {}
    examples = [Example(nlp.make_doc(""), nlp.make_doc(""))]
    nlp.update(examples, losses=losses)
    assert losses["adak_ner"] == 0.0


def test_training_on_texts_without_entities_warns_and_finds_nothing() -> None:
    nlp = make_nlp()
    examples = make_examples(nlp, [("It rained .", []), ("We slept .", [])])
    with pytest.warns(UserWarning, match=r"W101.*'adak_ner'"):
        train(nlp, examples, steps=2)
    assert nlp("It rained .").ents == ()


def test_texts_without_entities_are_learnt_from_if_labels_are_given() -> None:
    nlp = make_nlp()
    get_ner(nlp).add_label("LOC")
    train(nlp, make_examples(nlp, [("It rained .", [])]), steps=2)
    assert nlp("It rained .").ents == ()


def test_training_without_any_annotation_runs() -> None:
    nlp = make_nlp()
    get_ner(nlp).add_label("LOC")
    examples = [Example(nlp.make_doc(text), nlp.make_doc(text)) for text, _ in TEXTS]
    losses = train(nlp, examples, steps=2)
    assert losses["adak_ner"] >= 0.0


def test_explicit_and_implicit_labels_learn_the_same() -> None:
    implicit, explicit = make_nlp(), make_nlp()
    for label in ("LOC", "PERSON"):
        get_ner(explicit).add_label(label)
    losses = [train(nlp, make_examples(nlp), 5) for nlp in (implicit, explicit)]
    assert losses[0] == pytest.approx(losses[1])


def test_training_is_repeatable() -> None:
    first, second = make_nlp(), make_nlp()
    assert train(first, make_examples(first), 5) == train(
        second, make_examples(second), 5
    )


def test_initialization_needs_examples_with_text() -> None:
    nlp = make_nlp()
    get_ner(nlp).add_label("LOC")
    with pytest.raises(ValueError, match="E923"):
        get_ner(nlp).initialize(
            lambda: [Example(nlp.make_doc(""), nlp.make_doc(""))], nlp=nlp
        )


@pytest.mark.parametrize("get_examples", [None, [], lambda: None, list])
def test_initialization_needs_a_function_that_gives_examples(get_examples: Any) -> None:
    nlp = make_nlp()
    with pytest.raises((ValueError, TypeError)):
        get_ner(nlp).initialize(get_examples, nlp=nlp)


def test_update_refuses_what_are_no_examples(nlp: Language) -> None:
    with pytest.raises(TypeError, match="E978"):
        get_ner(nlp).update([nlp.make_doc("a")])


def test_rehearsing_is_refused_with_a_remedy(nlp: Language) -> None:
    with pytest.raises(NotImplementedError, match=r"A107.*exclude=\['adak_ner'\]"):
        nlp.rehearse(make_examples(nlp))


def test_rehearsing_others_is_possible_as_the_message_says(nlp: Language) -> None:
    assert nlp.rehearse(make_examples(nlp), exclude=["adak_ner"]) == {}


def test_resumed_training_goes_on_from_where_it_was(nlp: Language) -> None:
    losses: dict[str, float] = {}
    nlp.update(make_examples(nlp), sgd=nlp.resume_training(), losses=losses)
    assert losses["adak_ner"] < 0.01


# Pipelines


def test_factory_says_what_it_assigns() -> None:
    meta = Language.get_factory_meta("adak_ner")
    assert "doc.ents" in meta.assigns
    assert meta.default_score_weights["ents_f"] == 1.0


def test_training_scores_are_those_of_entities(nlp: Language) -> None:
    assert nlp.config["training"]["score_weights"]["ents_f"] == 1.0


def test_evaluation_scores_entities(nlp: Language) -> None:
    result = nlp.evaluate(make_examples(nlp))
    assert result["ents_p"] == result["ents_r"] == result["ents_f"] == 1.0


def test_pipe_streams_in_order_with_context(nlp: Language) -> None:
    stream = [(text, i) for i, (text, _) in enumerate(TEXTS * 3)]
    for doc, i in nlp.pipe(stream, as_tuples=True, batch_size=5):
        assert entities(doc) == TEXTS[i % len(TEXTS)][1]


def test_pipe_works_in_two_processes(nlp: Language) -> None:
    texts = [text for text, _ in TEXTS] * 2
    docs = list(nlp.pipe(texts, n_process=2, batch_size=3))
    assert [entities(doc) for doc in docs] == [found for _, found in TEXTS] * 2
    assert len(scores(docs[0])) == 1


@pytest.mark.slow
def test_two_processes_do_not_wait_for_threads_of_the_first(
    nlp: Language, tmp_path: Path
) -> None:
    nlp.to_disk(tmp_path)
    code = f"""
import spacy, torch
torch.set_num_threads(2)
nlp = spacy.load({str(tmp_path)!r})
texts = [{TEXT!r} * 20] * 50
list(nlp.pipe(texts))
print(sum(len(doc.ents) > 0 for doc in nlp.pipe(texts, n_process=2, batch_size=10)))
"""
    environment = {**os.environ, "OMP_NUM_THREADS": "2"}
    process = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=600,
        env=environment,
    )
    assert process.stdout == "50\n", process.stderr


def test_error_of_a_document_is_handed_to_the_handler(
    nlp: Language, monkeypatch: pytest.MonkeyPatch
) -> None:
    ner = get_ner(nlp)
    predict = ner.predict

    def predict_or_fail(docs: Iterable[Doc]) -> list:
        if any("rained" in doc.text for doc in docs):
            raise ValueError("rain")
        return predict(docs)

    monkeypatch.setattr(ner, "predict", predict_or_fail)
    failed = []

    def handler(name: str, proc: Any, docs: list[Doc], error: Exception) -> None:
        failed.append((name, [doc.text for doc in docs], str(error)))

    nlp.set_error_handler(handler)
    texts = [text for text, _ in TEXTS]
    docs = list(nlp.pipe(texts, batch_size=1))
    assert failed == [("adak_ner", ["It rained all day long ."], "rain")]
    assert [entities(doc) for doc in docs] == [found for _, found in TEXTS[:3]]


def test_failing_document_is_logged_and_dropped(
    nlp: Language,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(get_ner(nlp), "predict", lambda docs: 1 / 0)
    nlp.set_error_handler(spacy.util.ignore_error)
    assert list(nlp.pipe(["Ann"])) == []

    def log(name: str, proc: Any, docs: list[Doc], error: Exception) -> None:
        logging.getLogger("spacy").error("%s: %s", name, error)

    nlp.set_error_handler(log)
    monkeypatch.setattr(logging.getLogger("spacy"), "propagate", True)
    assert list(nlp.pipe(["Ann"])) == []
    assert "adak_ner: division by zero" in caplog.text


def test_error_without_a_handler_is_raised(
    nlp: Language, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(get_ner(nlp), "predict", lambda docs: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        list(nlp.pipe(["Ann"]))


def test_component_can_be_switched_off(nlp: Language) -> None:
    with nlp.select_pipes(disable=["adak_ner"]):
        assert not nlp(TEXT).has_annotation("ENT_IOB")
    assert entities(nlp(TEXT)) == FOUND


def test_excluded_component_is_not_updated(nlp: Language) -> None:
    before = get_ner(nlp).to_bytes()
    losses: dict[str, float] = {}
    nlp.update(make_examples(nlp), losses=losses, exclude=["adak_ner"])
    assert losses == {}
    assert get_ner(nlp).to_bytes() == before


def test_annotating_component_sets_entities_while_training(nlp: Language) -> None:
    seen = []

    @Language.component("look_at_entities")
    def look(doc: Doc) -> Doc:
        seen.append(entities(doc))
        return doc

    nlp.add_pipe("look_at_entities")
    examples = make_examples(nlp)
    nlp.update(examples, annotates=["adak_ner", "look_at_entities"])
    assert seen == [found for _, found in TEXTS]


def test_component_can_be_sourced_from_another_pipeline(nlp: Language) -> None:
    other = spacy.blank("en")
    other.add_pipe("adak_ner", source=nlp, name="sourced")
    assert entities(other("Ann Lee flew to New York .")) == FOUND
    assert other.config["components"]["sourced"]["factory"] == "adak_ner"
    loaded = spacy.blank("en")
    loaded.add_pipe("adak_ner", source=nlp)
    again = spacy.util.load_model_from_config(loaded.config)
    assert entities(again.from_bytes(loaded.to_bytes())(TEXT)) == FOUND


def test_two_components_live_side_by_side(nlp: Language) -> None:
    other = make_nlp(spans_key="second")
    train(other, make_examples(other, [("It rained all day .", [(2, 4, "TIME")])]))
    nlp.add_pipe("adak_ner", source=other, name="second")
    doc = nlp("It rained all day .")
    assert entities(doc) == [(2, 4, "TIME")]
    assert [len(doc.spans[key]) for key in ("adak_ner", "second")] == [0, 1]


def test_entities_may_be_merged_where_no_spans_are_stored(nlp: Language) -> None:
    get_ner(nlp).spans_key = None
    nlp.add_pipe("merge_entities")
    doc = nlp(TEXT)
    assert [token.text for token in doc if token.ent_type_] == ["Ann Lee", "New York"]
    assert [ent["label"] for ent in doc.to_json()["ents"]] == ["PERSON", "LOC"]


def test_component_can_be_renamed(nlp: Language) -> None:
    nlp.rename_pipe("adak_ner", "names")
    assert entities(nlp(TEXT)) == FOUND


def test_pipeline_analysis_has_no_problems(nlp: Language) -> None:
    analysis = nlp.analyze_pipes()
    assert analysis["problems"]["adak_ner"] == []


def test_displacy_shows_entities_and_spans(nlp: Language) -> None:
    doc = nlp(TEXT)
    assert "New York" in displacy.render(doc, style="ent", jupyter=False)
    options = {"spans_key": "adak_ner"}
    html = displacy.render(doc, style="span", options=options, jupyter=False)
    assert "PERSON" in html


def test_spans_of_a_deleted_document_are_gone(nlp: Language) -> None:
    doc = nlp(TEXT)
    group = get_ner(nlp).kbest(doc, 1)[0]
    del doc
    gc.collect()
    with pytest.raises(RuntimeError, match="E865"):
        list(group)


def test_documents_survive_docbin(nlp: Language) -> None:
    data = DocBin(docs=[nlp(TEXT)]).to_bytes()
    (doc,) = DocBin().from_bytes(data).get_docs(spacy.blank("en").vocab)
    assert entities(doc) == FOUND
    assert len(doc.spans["adak_ner"]) == 2


def test_labels_are_in_the_string_store(nlp: Language) -> None:
    assert "PERSON" in nlp.vocab.strings
    get_ner(nlp).add_label("NEW_LABEL")
    assert "NEW_LABEL" in nlp.vocab.strings


def test_meta_lists_the_labels(nlp: Language) -> None:
    assert list(nlp.meta["labels"]["adak_ner"]) == ["LOC", "PERSON"]
    assert nlp.pipe_labels["adak_ner"] == ["LOC", "PERSON"]


def test_gold_tokens_split_otherwise_are_aligned() -> None:
    nlp = make_nlp()
    reference = Doc(nlp.vocab, words=["I", "like", "New York", "."])
    reference.set_ents([Span(reference, 2, 3, label="LOC")])
    examples = [Example(nlp.make_doc("I like New York ."), reference)]
    train(nlp, examples)
    assert entities(nlp("I like New York .")) == [(2, 4, "LOC")]


def test_misaligned_entity_is_left_out() -> None:
    nlp = make_nlp()
    reference = Doc(nlp.vocab, words=["I", "like", "Yor", "k", "."])
    reference.set_ents([Span(reference, 2, 3, label="LOC")])
    predicted = Doc(nlp.vocab, words=["I", "like", "York", "."])
    example = Example(predicted, reference)
    train(nlp, [example], steps=3)
    known = get_ner(nlp).read_sample(example).known
    assert known.entities == []
    assert known.unknown().tolist() == [False, False, True, False]


def test_parameters_move_with_an_update() -> None:
    nlp = make_nlp()
    examples = make_examples(nlp)
    optimizer = nlp.initialize(lambda: examples)
    ner = get_ner(nlp)
    for _ in range(2):
        nlp.update(examples, sgd=optimizer)
    assert all(parameter.any() for parameter in get_head(ner.model).parameters())


def test_use_params_keeps_working(nlp: Language) -> None:
    with nlp.use_params({}):
        assert entities(nlp(TEXT)) == FOUND


def test_document_of_another_vocabulary_is_read(nlp: Language) -> None:
    doc = make_doc(spacy.blank("en").vocab, TEXT)
    assert entities(get_ner(nlp)(doc)) == FOUND
