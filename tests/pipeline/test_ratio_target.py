"""Where the loss "ratio" gets the share of entity tokens from that it aims at."""

from pathlib import Path

import pytest
import spacy
from spacy.language import Language
from spacy.training import Example

from tests.made_texts import get_ner, make_doc, make_nlp

COMPLETE = [("Ann Lee flew to New York .", [(0, 2, "PERSON")]), ("It rained .", [])]
INCOMPLETE = [("I like London and Berlin .", [(2, 3, "LOC")])]
ALL_ENTITY = [("New York", [(0, 2, "LOC")])]


def make_examples(nlp: Language, texts: list, default: str) -> list[Example]:
    return [
        Example(nlp.make_doc(text), make_doc(nlp.vocab, text, entities, default))
        for text, entities in texts
    ]


def initialized_nlp(**settings: float) -> tuple[Language, list[Example]]:
    """A pipeline that has seen complete and incomplete texts, and incomplete ones."""
    nlp = make_nlp(loss="ratio", **settings)
    incomplete = make_examples(nlp, [*INCOMPLETE, *ALL_ENTITY], "missing")
    complete = make_examples(nlp, COMPLETE, "outside")
    nlp.initialize(lambda: [*complete, *incomplete])
    return nlp, incomplete


def aimed_at(nlp: Language) -> float:
    ratio = get_ner(nlp).loss.entity_ratio(get_ner(nlp).progress)
    assert ratio is not None
    return ratio.target


def test_target_is_the_share_in_complete_texts() -> None:
    nlp, _ = initialized_nlp()
    assert aimed_at(nlp) == 0.2


def test_target_of_the_settings_comes_first() -> None:
    nlp, _ = initialized_nlp(target=0.4)
    assert aimed_at(nlp) == 0.4


def test_target_of_zero_is_a_target() -> None:
    nlp, _ = initialized_nlp(target=0.0)
    assert aimed_at(nlp) == 0.0


@pytest.mark.parametrize("texts", [INCOMPLETE, ALL_ENTITY])
def test_without_a_target_training_stops_with_what_to_do(texts: list) -> None:
    nlp = make_nlp(loss="ratio")
    examples = make_examples(nlp, texts, "missing")
    optimizer = nlp.initialize(lambda: examples)
    with pytest.raises(ValueError, match=r"\[A113\].*'adak_ner'.*Set target"):
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


def test_other_losses_need_no_target() -> None:
    nlp = make_nlp(loss="fuzzy")
    examples = make_examples(nlp, INCOMPLETE, "missing")
    losses = nlp.update(examples, sgd=nlp.initialize(lambda: examples))
    assert losses["adak_ner"] > 0
    assert get_ner(nlp).cfg == {}
