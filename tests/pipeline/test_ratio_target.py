"""Where the loss "ratio" gets the share of entity tokens from that it aims at."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.language import Language
from spacy.training import Example

from .samples import get_ner, make_doc, make_nlp

COMPLETE = [("Ann Lee flew to New York .", [(0, 2, "PERSON")]), ("It rained .", [])]
INCOMPLETE = [("I like London and Berlin .", [(2, 3, "LOC")])]
ALL_ENTITY = [("New York", [(0, 2, "LOC")])]


def make_examples(nlp: Language, texts: list, default: str) -> list[Example]:
    return [
        Example(nlp.make_doc(text), make_doc(nlp.vocab, text, entities, default))
        for text, entities in texts
    ]


def initialized_nlp(**settings: Any) -> tuple[Language, list[Example]]:
    """A pipeline that has seen complete and incomplete texts, and incomplete ones."""
    nlp = make_nlp(loss="ratio", **settings)
    incomplete = make_examples(nlp, [*INCOMPLETE, *ALL_ENTITY], "missing")
    complete = make_examples(nlp, COMPLETE, "outside")
    nlp.initialize(lambda: [*complete, *incomplete])
    return nlp, incomplete


def aimed_at(nlp: Language) -> float:
    ratio = get_ner(nlp)._entity_ratio()
    assert ratio is not None
    return ratio.target


def test_target_is_the_share_in_complete_texts() -> None:
    nlp, _ = initialized_nlp()
    assert aimed_at(nlp) == 0.2


def test_target_of_the_settings_comes_first() -> None:
    nlp, _ = initialized_nlp(ratio_target=0.4)
    assert aimed_at(nlp) == 0.4


def test_target_of_zero_is_a_target() -> None:
    nlp, _ = initialized_nlp(ratio_target=0.0)
    assert aimed_at(nlp) == 0.0


@pytest.mark.parametrize("texts", [INCOMPLETE, ALL_ENTITY])
def test_without_a_target_training_stops_with_what_to_do(texts: list) -> None:
    nlp = make_nlp(loss="ratio")
    examples = make_examples(nlp, texts, "missing")
    optimizer = nlp.initialize(lambda: examples)
    with pytest.raises(ValueError, match=r"\[A113\].*'adak_ner'.*Set ratio_target"):
        nlp.update(examples, sgd=optimizer)


def test_target_is_estimated_anew_when_initialized_anew() -> None:
    nlp, incomplete = initialized_nlp()
    nlp.initialize(lambda: incomplete)
    with pytest.raises(ValueError, match="A113"):
        aimed_at(nlp)


def test_estimated_target_survives_the_disk(tmp_path: Path) -> None:
    nlp, incomplete = initialized_nlp()
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    assert aimed_at(loaded) == 0.2
    loaded.update(incomplete, sgd=loaded.resume_training())


def types_aimed_at(nlp: Language) -> Mapping[str, float]:
    ratio = get_ner(nlp)._entity_ratio()
    assert ratio is not None
    return ratio.types


def test_types_have_no_target_unless_asked_for() -> None:
    nlp, _ = initialized_nlp()
    assert not types_aimed_at(nlp)


@pytest.mark.parametrize("target", [None, 0.4])
def test_targets_of_types_are_their_shares_in_complete_texts(
    target: float | None,
) -> None:
    nlp, _ = initialized_nlp(ratio_by_type=True, ratio_target=target)
    assert types_aimed_at(nlp) == {"PERSON": 0.2}
    assert aimed_at(nlp) == (target or 0.2)


def test_type_that_can_not_be_found_has_no_target() -> None:
    nlp, _ = initialized_nlp(ratio_by_type=True)
    ner = get_ner(nlp)
    vocab = nlp.vocab
    ner.estimate_ratio_target([make_doc(vocab, "In May", [(1, 2, "DATE")], "outside")])
    assert not types_aimed_at(nlp)


def test_targets_of_types_survive_the_disk(tmp_path: Path) -> None:
    nlp, _ = initialized_nlp(ratio_by_type=True)
    nlp.to_disk(tmp_path)
    assert types_aimed_at(spacy.load(tmp_path)) == {"PERSON": 0.2}


def test_without_targets_of_types_training_stops_with_what_to_do() -> None:
    nlp = make_nlp(loss="ratio", ratio_target=0.2, ratio_by_type=True)
    examples = make_examples(nlp, INCOMPLETE, "missing")
    optimizer = nlp.initialize(lambda: examples)
    with pytest.raises(ValueError, match=r"\[A116\].*'adak_ner'.*Set ratio_by_type"):
        nlp.update(examples, sgd=optimizer)


def test_other_losses_need_no_target() -> None:
    nlp = make_nlp(loss="fuzzy")
    examples = make_examples(nlp, INCOMPLETE, "missing")
    nlp.update(examples, sgd=nlp.initialize(lambda: examples))
