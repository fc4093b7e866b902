"""Scores on dev data that is annotated incompletely."""

import math

import pytest
import torch
from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.training import Example

from spacy_adak.annotation.segments import batch_segments
from spacy_adak.data.complete_types import COMPLETE_KEY, state_complete
from spacy_adak.pipeline.annotation_likelihood import (
    SCORE_NAME,
    annotation_likelihood,
    corrected_scores,
    judged_spans,
    scores_where_complete,
)
from spacy_adak.pipeline.model import get_head
from tests.crf.brute_force import legal_paths
from tests.made_texts import get_ner, make_doc, make_examples, make_nlp, train

TEXTS = [
    ("Ann Lee flew", [(0, 2, "PERSON")]),
    ("I like London", []),
    ("It rained", []),
]


@pytest.fixture(scope="module")
def nlp() -> Language:
    nlp = make_nlp(loss="missing", annotation_recall=0.4)
    train(nlp, make_examples(nlp), steps=5)
    return nlp


def predict(nlp: Language, default: str) -> list[Example]:
    return [
        Example(nlp(text), make_doc(nlp.vocab, text, entities, default))
        for text, entities in TEXTS
    ]


@pytest.mark.parametrize("recall", [0.1, 0.4, 0.9])
def test_likelihood_is_the_sum_over_all_paths(nlp: Language, recall: float) -> None:
    examples = predict(nlp, "missing")
    ner = get_ner(nlp)
    samples = [ner.read_sample(example) for example in examples]
    scores = ner.tag_scores([example.predicted for example in examples])
    tokens = sum(len(example.predicted) for example in examples)
    # Of each text separately: what is known fixes some of its entities.
    total = 0.0
    (batch, *_), starts = _single_batch(samples), [0, 3, 6]
    chain = scores.chain(batch)
    for row, first in enumerate(batch.tokens[:, 0].tolist()):
        known = set(samples[starts.index(first)].known.entities)
        above = below = 0.0
        for path in legal_paths(chain, row):
            weight = math.exp(path.score)
            entities = set(ner.tagset.decode(list(path.tags)))
            below += weight
            if known <= entities:
                unmarked = len(entities - known)
                above += weight * recall ** len(known) * (1 - recall) ** unmarked
        total += math.log(above / below)
    found = annotation_likelihood(scores, samples, ner.tagset, recall)
    assert found == pytest.approx(math.exp(total / tokens), rel=1e-4)


def _single_batch(samples: list) -> list:
    batches = batch_segments([s.ends for s in samples], torch.device("cpu"), 9)
    assert len(batches) == 1
    return batches


def test_incomplete_gold_is_scored_by_likelihood_and_corrected(nlp: Language) -> None:
    scores = get_ner(nlp).score(predict(nlp, "missing"))
    assert 0 < scores[SCORE_NAME] < 1
    expected = corrected_scores(predict(nlp, "missing"), 0.4)
    assert scores["ents_f"] == expected["ents_f"]


def test_complete_gold_is_scored_as_spacy_does(nlp: Language) -> None:
    assert SCORE_NAME not in get_ner(nlp).score(predict(nlp, "outside"))


def test_without_a_recall_nothing_is_corrected() -> None:
    nlp = make_nlp()
    train(nlp, make_examples(nlp), steps=1)
    assert SCORE_NAME not in get_ner(nlp).score(predict(nlp, "missing"))


def test_model_that_finds_entities_everywhere_does_not_win() -> None:
    """F1 on what is annotated can't tell such a model from a good one."""
    likelihoods = []
    for finds_too_much in (False, True):
        nlp = make_nlp(loss="missing", annotation_recall=0.5)
        train(nlp, make_examples(nlp), steps=30)
        ner = get_ner(nlp)
        if finds_too_much:
            with torch.no_grad():
                get_head(ner.model).bias[1:] += 5.0
        likelihoods.append(ner.score(predict(nlp, "missing"))[SCORE_NAME])
    assert likelihoods[0] > likelihoods[1]


def test_precision_is_divided_by_the_recall_of_annotators() -> None:
    vocab = make_nlp().vocab
    text = "Ann met Bob"
    both = make_doc(vocab, text, [(0, 1, "PER"), (2, 3, "PER")])
    one = make_doc(vocab, text, [(0, 1, "PER")], "missing")
    none: Doc = make_doc(vocab, text, [], "missing")
    examples = [Example(both, one), Example(both, none)]
    found = corrected_scores(examples, 0.5)
    assert found["ents_p"] == 0.5
    assert found["ents_r"] == 1.0
    assert found["ents_f"] == pytest.approx(2 / 3)
    # In a complete text there is nothing to correct.
    complete = make_doc(vocab, text, [(0, 1, "PER")])
    assert corrected_scores([Example(both, complete)], 0.5)["ents_p"] == 0.5


def complete_for(doc: Doc, *stretches: tuple[int, int, str]) -> Doc:
    spans = [Span(doc, start, end, label=label) for start, end, label in stretches]
    doc.spans[COMPLETE_KEY] = spans
    return doc


def test_a_type_is_scored_where_gold_is_complete_for_it() -> None:
    vocab = make_nlp().vocab
    text = "Ann met Bob at Acme"
    predicted = make_doc(vocab, text, [(0, 1, "PER"), (2, 4, "PER"), (4, 5, "ORG")])
    gold = make_doc(vocab, text, [(0, 1, "PER"), (4, 5, "ORG")], "missing")
    examples = [Example(predicted, complete_for(gold, (3, 5, "PER")))]
    # "Bob at" has a token of which is known that it is in no PER. "Ann" has none.
    assert judged_spans(examples[0]) == (set(), {(2, 4, "PER")})
    complete_for(gold, (0, 1, "PER"), (3, 5, "PER"), (0, 4, "ORG"))
    found = scores_where_complete(examples)
    assert found["ents_per_type"] == {
        "PER": {"p": 0.5, "r": 1.0, "f": pytest.approx(2 / 3)}
    }


def test_complete_gold_and_all_types_complete_are_scored_alike(nlp: Language) -> None:
    examples = predict(nlp, "outside")
    stated = predict(nlp, "missing")
    for example in stated:
        state_complete(example.reference, get_ner(nlp).labels)
    expected = scores_where_complete(examples)
    assert scores_where_complete(stated) == expected
    ner = get_ner(nlp)
    scores = ner.score(stated)
    assert {key: scores[key] for key in expected} == expected
    assert ner.score(examples)["ents_f"] == pytest.approx(expected["ents_f"])


def test_annotation_of_a_complete_type_is_no_luck(nlp: Language) -> None:
    """All types complete: the likelihood is that of the one path there is."""
    ner = get_ner(nlp)
    complete, stated = predict(nlp, "outside"), predict(nlp, "missing")
    for example in stated:
        state_complete(example.reference, ner.labels)
    scores = ner.tag_scores([example.predicted for example in complete])
    found = [
        annotation_likelihood(
            scores, [ner.read_sample(eg) for eg in examples], ner.tagset, recall
        )
        for examples, recall in ((stated, 0.3), (complete, 1.0))
    ]
    assert found[0] == pytest.approx(found[1])
