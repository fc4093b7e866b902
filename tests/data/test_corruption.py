from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.training import Corpus, Example
from spacy.util import registry
from spacy.vocab import Vocab

from spacy_adak.data.corruption import (
    _rank,
    corrupt,
    create_drop_entities_augmenter,
    drop_entities,
)
from spacy_adak.data.docbin import read_docbin, write_docbin

NAMES = ["Ann", "Bob", "Cy", "Di", "Eve", "Flo", "Gus", "Hal", "Ida", "Jo"]
RATIOS = [0.0, 0.1, 0.2, 0.4, 0.55, 0.8, 1.0]


@pytest.fixture(scope="module")
def docs() -> list[Doc]:
    """200 texts with two people each; some people, and some texts, come often."""
    nlp = spacy.blank("en")
    docs = []
    for i in range(200):
        left, right = NAMES[(i * i) % 10], NAMES[i % 7]
        doc = nlp(f"{left} met {right} at {i % 150} .")
        ents = [doc[0:1], doc[2:3]]
        doc.set_ents(
            [doc.char_span(e.start_char, e.end_char, label="PER") for e in ents],
            default="outside",
        )
        docs.append(doc)
    return docs


def kept(docs: list[Doc]) -> set[tuple[int, int]]:
    return {(i, ent.start) for i, doc in enumerate(docs) for ent in doc.ents}


def augment(docs: list[Doc], **settings: object) -> list[Doc]:
    augmenter = create_drop_entities_augmenter(**settings)
    nlp = spacy.blank("en")
    examples = [Example(nlp.make_doc(doc.text), doc) for doc in docs]
    return [new.reference for eg in examples for new in augmenter(nlp, eg)]


def test_rank_is_the_same_in_every_process() -> None:
    assert _rank(0, "Bahrain") == pytest.approx(0.47003856830210455, abs=1e-12)


@pytest.mark.parametrize("ratio", RATIOS)
def test_random_scheme_keeps_the_exact_share(ratio: float, docs: list[Doc]) -> None:
    assert len(kept(drop_entities(docs, ratio))) == round(400 * ratio)


@pytest.mark.parametrize("ratio", RATIOS)
def test_entity_scheme_keeps_the_nearest_share(ratio: float, docs: list[Doc]) -> None:
    largest = max(Counter(ent.text for doc in docs for ent in doc.ents).values())
    count = len(kept(drop_entities(docs, ratio, "entity")))
    assert abs(count - 400 * ratio) <= largest / 2


def test_entity_scheme_keeps_or_removes_a_form_as_a_whole(docs: list[Doc]) -> None:
    forms = {ent.text for doc in drop_entities(docs, 0.5, "entity") for ent in doc.ents}
    assert 0 < len(forms) < len(NAMES)
    assert kept(drop_entities(docs, 0.5, "entity")) == {
        (i, ent.start)
        for i, doc in enumerate(docs)
        for ent in doc.ents
        if ent.text in forms
    }


@pytest.mark.parametrize("scheme", ["random", "entity"])
def test_what_is_kept_at_a_ratio_is_kept_at_higher_ones(
    scheme: str, docs: list[Doc]
) -> None:
    sets = [kept(drop_entities(docs, ratio, scheme)) for ratio in RATIOS]
    assert len(sets[0]) < len(sets[-1])
    for lower, higher in pairwise(sets):
        assert lower <= higher


def test_everything_else_is_missing(docs: list[Doc]) -> None:
    dropped = list(drop_entities(docs, 0.4))
    assert len(dropped) == len(docs)
    for doc in dropped:
        inside = {token.i for ent in doc.ents for token in ent}
        assert all(t.ent_iob == 0 for t in doc if t.i not in inside)


@pytest.fixture
def spotted() -> Iterator[Doc]:
    """Two people, the second one with everything that may tell of an entity."""
    Span.set_extension("seen", default=None)
    doc = spacy.blank("en")("Ann met Bob Lee in Rome")
    doc.set_ents(
        [
            Span(doc, 0, 1, label="PER", kb_id="Q1", span_id="ann"),
            Span(doc, 2, 4, label="PER", kb_id="Q2", span_id="bob"),
        ],
        default="outside",
    )
    for ent in doc.ents:
        ent._.seen = True
    doc.spans["people"] = list(doc.ents)
    doc.spans["incorrect_spans"] = [Span(doc, 5, 6, label="PER")]
    doc.user_data["source"] = "news"
    yield doc
    Span.remove_extension("seen")


def test_nothing_tells_of_what_was_dropped(spotted: Doc, tmp_path: Path) -> None:
    write_docbin(tmp_path / "a.spacy", [spotted])
    corrupt(tmp_path / "a.spacy", tmp_path / "b.spacy", keep_ratio=0.5, seed=4)
    (written,) = read_docbin(tmp_path / "b.spacy", Vocab())
    (augmented,) = augment([spotted], keep_ratio=0.5, seed=4)
    for doc in (written, augmented):
        assert [(e.text, e.kb_id_, e.id_) for e in doc.ents] == [("Ann", "Q1", "ann")]
        assert {(t.ent_id_, t.ent_kb_id_) for t in doc[1:]} == {("", "")}
        assert not doc.spans
        assert doc.user_data == {("._.", "seen", 0, 3): True, "source": "news"}


def test_given_documents_are_not_changed(docs: list[Doc]) -> None:
    before = [doc.to_bytes() for doc in docs]
    drop_entities(docs, 0.2)
    assert [doc.to_bytes() for doc in docs] == before


def test_seed_decides_what_is_removed(docs: list[Doc]) -> None:
    assert kept(drop_entities(docs, 0.4, seed=1)) == kept(
        drop_entities(docs, 0.4, seed=1)
    )
    assert kept(drop_entities(docs, 0.4, seed=1)) != kept(
        drop_entities(docs, 0.4, seed=2)
    )


def test_equal_texts_lose_entities_independently(nlp: Language) -> None:
    doc = nlp("Ann met Bob")
    doc.set_ents([doc.char_span(0, 3, label="PER")], default="outside")
    assert len(kept(drop_entities([doc] * 40, 0.5))) == 20


@pytest.mark.parametrize("ratio", [-0.1, 1.1, float("nan")])
def test_impossible_ratio_is_an_error(ratio: float, docs: list[Doc]) -> None:
    with pytest.raises(ValueError, match="A313"):
        drop_entities(docs, ratio)


def test_unknown_scheme_is_an_error_that_names_the_schemes(docs: list[Doc]) -> None:
    with pytest.raises(ValueError, match=r"A310.*'word'.*random, entity"):
        create_drop_entities_augmenter(0.2, "word")


@pytest.mark.parametrize("scheme", ["random", "entity"])
def test_augmenter_drops_the_same_in_every_epoch(
    scheme: str, docs: list[Doc], tmp_path: Path
) -> None:
    write_docbin(tmp_path / "a.spacy", docs)
    create = registry.augmenters.get("spacy-adak.drop_entities.v1")
    corpus = Corpus(
        tmp_path / "a.spacy", augmenter=create(keep_ratio=0.4, scheme=scheme)
    )
    nlp = spacy.blank("en")
    epochs = [kept([eg.reference for eg in corpus(nlp)]) for _ in range(2)]
    assert epochs[0] == epochs[1]
    assert 0 < len(epochs[0]) < 400


@pytest.mark.parametrize("scheme", ["random", "entity"])
def test_augmenter_is_nested(scheme: str, docs: list[Doc]) -> None:
    sets = [kept(augment(docs, keep_ratio=r, scheme=scheme)) for r in RATIOS]
    assert (len(sets[0]), len(sets[-1])) == (0, 400)
    for lower, higher in pairwise(sets):
        assert lower <= higher


def test_augmenter_keeps_about_the_share(docs: list[Doc]) -> None:
    assert 120 <= len(kept(augment(docs, keep_ratio=0.4))) <= 200


def test_augmenter_leaves_everything_else_missing(docs: list[Doc]) -> None:
    (doc,) = augment(docs[:1], keep_ratio=0.0)
    assert {token.ent_iob for token in doc} == {0}


def test_corrupt_writes_and_counts(docs: list[Doc], tmp_path: Path) -> None:
    write_docbin(tmp_path / "a.spacy", docs)
    result = corrupt(tmp_path / "a.spacy", tmp_path / "b.spacy", keep_ratio=0.2)
    written = list(read_docbin(tmp_path / "b.spacy", Vocab()))
    assert (result.documents, len(written)) == (200, 200)
    assert (result.entities, result.kept) == ({"PER": 400}, {"PER": 80})
    assert kept(written) == kept(drop_entities(docs, 0.2))


def test_corrupt_of_documents_without_entities_is_an_error(
    nlp: Language, tmp_path: Path
) -> None:
    write_docbin(tmp_path / "a.spacy", [nlp("Nobody here")])
    with pytest.raises(ValueError, match=r"A314.*a\.spacy"):
        corrupt(tmp_path / "a.spacy", tmp_path / "b.spacy", keep_ratio=0.2)


def test_corrupt_does_not_overwrite_its_input(docs: list[Doc], tmp_path: Path) -> None:
    write_docbin(tmp_path / "a.spacy", docs)
    with pytest.raises(ValueError, match="A315"):
        corrupt(tmp_path / "a.spacy", tmp_path / "a.spacy", keep_ratio=0.2)
