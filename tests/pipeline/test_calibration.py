"""Probabilities of spans that are right as often as they say."""

import numpy
import pytest
import torch
from spacy.language import Language
from spacy.training import Example

from spacy_adak.crf.calibration import IDENTITY, Calibration
from spacy_adak.data.origins import DECIDED_KEY
from spacy_adak.pipeline.calibration import fit_calibration
from tests.made_texts import TEXTS, get_ner, make_doc, make_examples, scores


def many_examples(nlp: Language, wrong: int, default: str = "outside") -> list[Example]:
    """The same texts again and again, some of which have no entity after all."""
    examples = []
    for i in range(40):
        for text, entities in TEXTS:
            kept = [] if i < wrong else entities
            reference = make_doc(nlp.vocab, text, kept, default)
            examples.append(Example(nlp.make_doc(text), reference))
    return examples


def test_overconfident_model_becomes_less_sure(nlp: Language) -> None:
    before = numpy.concatenate([scores(nlp(text)) for text, _ in TEXTS])
    calibration = fit_calibration(nlp, "adak_ner", many_examples(nlp, wrong=12))
    get_ner(nlp).calibration = calibration
    after = numpy.concatenate([scores(nlp(text)) for text, _ in TEXTS])
    assert before.mean() > 0.9
    assert after.mean() == pytest.approx(28 / 40, abs=0.1)


def test_entities_stay_what_they_were(nlp: Language) -> None:
    before = [[(e.start, e.label_) for e in nlp(text).ents] for text, _ in TEXTS]
    get_ner(nlp).calibration = Calibration(0.2, 0.2, -2.0)
    assert before == [[(e.start, e.label_) for e in nlp(t).ents] for t, _ in TEXTS]


def test_incomplete_texts_count_by_the_likelihood_of_their_annotation(
    nlp: Language,
) -> None:
    # Of 40 entities each 28 are annotated: that is the recall of annotators, so the
    # model may well be right about the other ones.
    examples = many_examples(nlp, wrong=12, default="missing")
    incomplete = fit_calibration(nlp, "adak_ner", examples, annotation_recall=0.7)
    complete = fit_calibration(nlp, "adak_ner", many_examples(nlp, wrong=12))
    calibrated = []
    for calibration in (complete, incomplete):
        get_ner(nlp).calibration = calibration
        calibrated.append(scores(nlp(TEXTS[1][0])).mean())
    assert calibrated[1] > calibrated[0] + 0.1


def test_incomplete_texts_say_nothing_without_the_recall(nlp: Language) -> None:
    examples = many_examples(nlp, wrong=12, default="missing")
    assert fit_calibration(nlp, "adak_ner", examples) == IDENTITY


def test_accepted_suggestions_were_left_out_by_annotators(nlp: Language) -> None:
    left_out = many_examples(nlp, wrong=12, default="missing")
    decided = many_examples(nlp, wrong=0, default="missing")
    for example in decided[: 12 * len(TEXTS)]:
        example.reference.spans[DECIDED_KEY] = list(example.reference.ents)
    fits = [fit_calibration(nlp, "adak_ner", e, 0.7) for e in (left_out, decided)]
    assert fits[0] == fits[1]


def test_annotators_may_mark_some_types_less_often(nlp: Language) -> None:
    examples = many_examples(nlp, wrong=12, default="missing")
    labels = get_ner(nlp).labels
    by_type = fit_calibration(
        nlp, "adak_ner", examples, 1.0, dict.fromkeys(labels, 0.7)
    )
    assert by_type == fit_calibration(nlp, "adak_ner", examples, 0.7)


def test_too_few_entities_change_nothing(nlp: Language) -> None:
    assert fit_calibration(nlp, "adak_ner", make_examples(nlp)) == IDENTITY
    assert fit_calibration(nlp, "adak_ner", []) == IDENTITY


def test_calibration_is_saved(nlp: Language, trained_bytes: bytes) -> None:
    get_ner(nlp).calibration = Calibration(0.75, 0.5, -0.5)
    data = nlp.to_bytes()
    get_ner(nlp).calibration = IDENTITY
    nlp.from_bytes(data)
    assert get_ner(nlp).calibration == Calibration(0.75, 0.5, -0.5)


def test_new_weights_are_not_calibrated(nlp: Language) -> None:
    get_ner(nlp).calibration = Calibration(0.75, 0.5, -0.5)
    torch.manual_seed(0)
    nlp.initialize(lambda: make_examples(nlp))
    assert get_ner(nlp).calibration == IDENTITY
