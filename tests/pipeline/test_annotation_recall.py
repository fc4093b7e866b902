"""How the loss "missing" gets to know how many of the entities are annotated."""

from pathlib import Path

import pytest
import spacy
from spacy.language import Language
from spacy.training import Example

from spacy_adak.pipeline.losses import MissingLoss
from tests.made_texts import get_ner, make_doc, make_nlp

# 2 entities in 10 tokens, and 2 in 16.
COMPLETE = [
    ("Ann Lee flew to New York .", [(0, 2, "PERSON"), (4, 6, "LOC")]),
    ("It rained .", []),
]
INCOMPLETE = [
    ("I like London and Berlin .", [(2, 3, "LOC")]),
    ("Who is Shaka Khan and why ?", []),
    ("New Orleans Parish", [(0, 3, "LOC")]),
]
RECALL = (2 / 16) / (2 / 10)


def make_examples(nlp: Language, texts: list, default: str) -> list[Example]:
    return [
        Example(nlp.make_doc(text), make_doc(nlp.vocab, text, entities, default))
        for text, entities in texts
    ]


def initialized_nlp(**settings: float) -> tuple[Language, list[Example]]:
    """A pipeline that has seen complete and incomplete texts, and incomplete ones."""
    nlp = make_nlp(loss="missing", **settings)
    incomplete = make_examples(nlp, INCOMPLETE, "missing")
    complete = make_examples(nlp, COMPLETE, "outside")
    nlp.initialize(lambda: [*complete, *incomplete])
    return nlp, incomplete


def recall_of(nlp: Language) -> float | None:
    loss = get_ner(nlp).loss
    assert isinstance(loss, MissingLoss)
    return loss.recall(get_ner(nlp).progress)


def test_recall_is_found_by_comparison_with_complete_texts() -> None:
    nlp, _ = initialized_nlp()
    assert recall_of(nlp) == pytest.approx(RECALL)


@pytest.mark.parametrize("recall", [0.0, 0.4, 1.0])
def test_recall_of_the_settings_comes_first(recall: float) -> None:
    nlp, _ = initialized_nlp(annotation_recall=recall)
    assert recall_of(nlp) == recall


def test_without_a_recall_training_stops_with_what_to_do() -> None:
    nlp = make_nlp(loss="missing")
    examples = make_examples(nlp, INCOMPLETE, "missing")
    optimizer = nlp.initialize(lambda: examples)
    with pytest.raises(
        ValueError, match=r"\[A114\].*'adak_ner'.*Set annotation_recall"
    ):
        nlp.update(examples, sgd=optimizer)


def test_recall_is_estimated_anew_when_initialized_anew() -> None:
    nlp, incomplete = initialized_nlp()
    nlp.initialize(lambda: incomplete)
    with pytest.raises(ValueError, match="A114"):
        recall_of(nlp)


def test_estimated_recall_survives_the_disk(tmp_path: Path) -> None:
    nlp, incomplete = initialized_nlp()
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    assert recall_of(loaded) == recall_of(nlp)
    loaded.update(incomplete, sgd=loaded.resume_training())


def test_other_losses_need_no_recall() -> None:
    nlp = make_nlp(loss="fuzzy")
    examples = make_examples(nlp, INCOMPLETE, "missing")
    losses = nlp.update(examples, sgd=nlp.initialize(lambda: examples))
    assert losses["adak_ner"] > 0
    assert get_ner(nlp).cfg == {}
