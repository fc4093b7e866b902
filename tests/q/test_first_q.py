"""The first q, from what annotators do."""

from itertools import islice
from string import ascii_letters

import numpy
import pytest
import spacy
import torch
from spacy.tokens import Doc, Span
from spacy.training import Example

from spacy_adak.annotation.known import Known, allowed_tags, entity_starting_tags
from spacy_adak.crf.losses import missing_q
from spacy_adak.crf.tags import LabelledSpan, TagSet
from spacy_adak.pipeline.adak_ner import AdaKRecognizer
from spacy_adak.q.first_q import Text, first_q, recall_by_strings, recall_of_tags
from spacy_adak.recall.per_tag import recall_per_tag
from spacy_adak.shards.with_q import ScoredSpan

TAGS = TagSet(["PER", "ORG"], "BILUO")


def make_text(words: str, entities: list[tuple[int, int]] | None = None) -> Text:
    split = words.split()
    known = Known(
        [LabelledSpan(*span, "PER") for span in entities or []],
        numpy.zeros(len(split), dtype=bool),
        [],
    )
    return Text(split, known, [])


def test_with_one_recall_it_is_the_q_of_the_loss_missing() -> None:
    outside = numpy.array([True, False, False, False, False])
    known = Known([LabelledSpan(2, 4, "ORG")], outside, [])
    weights = torch.zeros(len(TAGS))
    weights[entity_starting_tags(TAGS)] = numpy.log(0.7)
    allowed = torch.from_numpy(allowed_tags(known, TAGS)).unsqueeze(0)
    expected = missing_q(allowed, weights).log_weights[0]
    q = first_q(known, numpy.full(5, 0.3), TAGS)
    assert torch.allclose(torch.from_numpy(q.nodes), expected.float())
    assert not any(array.any() for array in q[1:])


def test_each_token_has_a_recall_of_its_own() -> None:
    known = Known([], numpy.zeros(2, dtype=bool), [])
    q = first_q(known, numpy.array([0.5, 0.0]), TAGS)
    starts = entity_starting_tags(TAGS)
    assert q.nodes[0, starts].tolist() == pytest.approx([numpy.log(0.5)] * len(starts))
    assert not q.nodes[1].any()


def known_forms(words: int) -> list[Text]:
    """Texts with enough forms of some length that are marked wherever they occur."""
    forms = [" ".join(f"{letter}{n}" for n in range(words)) for letter in ascii_letters]
    return 2 * [make_text(form, [(0, words)]) for form in forms]


def test_consistent_annotators_do_not_know_what_they_never_mark() -> None:
    texts = [make_text("Ann and Ben", [(0, 1)]) for _ in range(20)] + known_forms(1)
    annotators, recalls = recall_by_strings(texts, 0.4)
    assert annotators.form_recall > 0.9
    # Strings that come up so often may be entities all the same.
    assert all((recall < 0.3).all() for recall in islice(recalls, 20))


def test_strings_that_are_marked_now_and_then_are_known() -> None:
    marked = [make_text("Ann and Ben", [(0, 1)]) for _ in range(6)]
    unmarked = [make_text("Ann and Ben") for _ in range(14)]
    annotators, recalls = recall_by_strings([*marked, *unmarked], 0.3)
    assert annotators.know_all_forms()
    assert all(recall == pytest.approx(0.3) for recall in recalls)


def test_strings_are_as_long_as_half_an_entity() -> None:
    # "x y" comes up twice, and "x" alone in all texts.
    texts = [
        *known_forms(4),
        *(make_text(f"x {word}") for word in "yyz"),
    ]
    _, recalls = recall_by_strings(texts, 0.3)
    *_, first, second, last = (recall[0] for recall in recalls)
    assert first == second < last == pytest.approx(0.3)


def test_annotators_who_mark_everything_leave_no_other_entity() -> None:
    known = Known([LabelledSpan(1, 2, "PER")], numpy.zeros(3, dtype=bool), [])
    q = first_q(known, numpy.ones(3), TAGS)
    starts = entity_starting_tags(TAGS)
    assert (q.nodes[[0, 2]][:, starts] == -numpy.inf).all()
    assert q.nodes[1, TAGS.index["U-PER"]] == 0.0


def test_marked_entities_are_in_tokens_of_the_reference() -> None:
    nlp = spacy.blank("en")
    component = nlp.add_pipe("adak_ner")
    assert isinstance(component, AdaKRecognizer)
    component.add_label("PER")
    words = ['(("Hm', "said", "Ann", "Lee"]
    reference = Doc(nlp.vocab, words=words)
    reference.set_ents([Span(reference, 2, 4, "PER")], default="missing")
    example = Example(nlp.make_doc(reference.text), reference)
    assert len(example.predicted) > len(reference)
    text = Text.read(example, component)
    assert text.marked == [ScoredSpan(2, 4, "PER", 1.0)]


@pytest.mark.parametrize(("words", "length"), [(1, 1), (2, 1), (3, 2)])
def test_half_of_an_entity_is_rounded_up(words: int, length: int) -> None:
    texts = [
        *known_forms(words),
        *(make_text(f"x {word}") for word in "yz"),
    ]
    _, recalls = recall_by_strings(texts, 0.3)
    *_, first, second = (recall[0] for recall in recalls)
    # "x" comes up twice, "x y" once.
    assert (first < 0.29) == (second < 0.29) == (length == 1)


def test_token_of_two_tags_is_open() -> None:
    # After an entity of the only type there is O, or another entity.
    tagset = TagSet(["PER"], "BIO")
    known = Known([LabelledSpan(0, 1, "PER")], numpy.zeros(2, dtype=bool), [])
    q = first_q(known, numpy.full(2, 0.5), tagset)
    assert q.nodes[1].tolist() == pytest.approx([0.0, numpy.log(0.5), -numpy.inf])
    N = len(tagset)
    assert [array.shape for array in q[1:]] == [(1, 1), (N,), (N,)]


def test_types_may_have_recalls_of_their_own() -> None:
    recalls = recall_per_tag(0.5, {"ORG": 0.0}, TAGS)
    by_tag = recall_of_tags(numpy.array([0.5, 0.75]), 0.5, recalls)
    known = Known([], numpy.zeros(2, dtype=bool), [])
    q = first_q(known, by_tag, TAGS)
    person, company = TAGS.index["U-PER"], TAGS.index["U-ORG"]
    assert q.nodes[:, person].tolist() == pytest.approx(numpy.log([0.5, 0.25]).tolist())
    assert not q.nodes[:, company].any()


def test_a_type_that_is_complete_is_not_on_the_first_q() -> None:
    known = Known([], numpy.zeros(2, dtype=bool), [], [LabelledSpan(0, 1, "ORG")])
    q = first_q(known, numpy.full(2, 0.5), TAGS)
    possible = numpy.isfinite(q.nodes)
    assert not possible[0, TAGS.tags_of("ORG")].any()
    assert possible[0, TAGS.tags_of("PER")].all()
    assert possible[1].all()
