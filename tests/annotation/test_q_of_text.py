import numpy
import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.training import Example

from spacy_adak.annotation.q_of_text import (
    ChainEstimate,
    Estimate,
    PathEstimate,
    get_estimate,
    set_estimate,
)
from spacy_adak.crf.tags import LabelledSpan
from tests.made_texts import entities, get_ner, make_doc, make_nlp, train

VOCAB = spacy.blank("en").vocab
TEXT = "Ann Lee flew to New York ."
PATH = PathEstimate([LabelledSpan(0, 2, "PERSON"), LabelledSpan(4, 6, "LOC")])


def chain_estimate(length: int, n_tags: int = 5) -> ChainEstimate:
    generator = numpy.random.default_rng(0)

    def scores(*shape: int) -> numpy.ndarray:
        return generator.normal(size=shape).astype("float32")

    nodes = scores(length, n_tags)
    nodes[0, 1:] = -numpy.inf
    return ChainEstimate(nodes, scores(n_tags, n_tags), scores(n_tags), scores(n_tags))


def through_docbin(doc: Doc) -> Doc:
    data = DocBin(docs=[doc], store_user_data=True).to_bytes()
    (loaded,) = DocBin(store_user_data=True).from_bytes(data).get_docs(VOCAB)
    return loaded


def test_document_without_an_estimate_has_none() -> None:
    assert get_estimate(Example(make_doc(VOCAB, TEXT), make_doc(VOCAB, TEXT))) is None


@pytest.mark.parametrize("stored", [False, True])
@pytest.mark.parametrize("path", [PATH, PathEstimate([])])
def test_path_survives(path: PathEstimate, stored: bool) -> None:
    reference = make_doc(VOCAB, TEXT)
    set_estimate(reference, path)
    reference = through_docbin(reference) if stored else reference
    assert get_estimate(Example(make_doc(VOCAB, TEXT), reference)) == path


@pytest.mark.parametrize("stored", [False, True])
def test_chain_survives_to_a_thousandth_of_its_size(stored: bool) -> None:
    reference, chain = make_doc(VOCAB, TEXT), chain_estimate(7)
    set_estimate(reference, chain)
    reference = through_docbin(reference) if stored else reference
    loaded = get_estimate(Example(make_doc(VOCAB, TEXT), reference))
    assert isinstance(loaded, ChainEstimate)
    for before, after in zip(chain, loaded, strict=True):
        numpy.testing.assert_allclose(after, before, rtol=1e-3)


def test_path_is_aligned_with_other_tokens() -> None:
    reference = Doc(VOCAB, words=["in", "New York"])
    set_estimate(reference, PathEstimate([LabelledSpan(1, 2, "LOC")]))
    predicted = Doc(VOCAB, words=["in", "New", "York"])
    estimate = get_estimate(Example(predicted, reference))
    assert estimate == PathEstimate([LabelledSpan(1, 3, "LOC")])


def test_chain_for_another_number_of_tokens_is_refused() -> None:
    reference = Doc(VOCAB, words=["in", "New York"])
    set_estimate(reference, chain_estimate(2))
    predicted = Doc(VOCAB, words=["in", "New", "York"])
    with pytest.raises(ValueError, match=r"A112.*'in New York"):
        get_estimate(Example(predicted, reference))


def example_with(nlp: Language, estimate: Estimate) -> Example:
    reference = make_doc(nlp.vocab, TEXT, [(0, 2, "PERSON")], default="missing")
    set_estimate(reference, estimate)
    return Example(nlp.make_doc(TEXT), reference)


def test_chain_for_another_number_of_tags_is_refused() -> None:
    nlp = make_nlp(loss="weighted")
    get_ner(nlp).add_label("PERSON")
    example = example_with(nlp, chain_estimate(7, n_tags=9))
    with pytest.raises(ValueError, match=r"A115.*'Ann Lee.*9 tags.*has 5"):
        get_ner(nlp).read_sample(example)


@pytest.mark.parametrize("loss", ["weighted", "adak"])
def test_estimated_entities_are_learnt(loss: str) -> None:
    nlp = make_nlp(loss=loss)
    get_ner(nlp).add_label("LOC")
    train(nlp, [example_with(nlp, PATH)])
    assert entities(nlp(TEXT)) == [tuple(span) for span in PATH.entities]


def test_estimated_entity_is_not_cut() -> None:
    nlp = make_nlp(max_segment_length=5)
    get_ner(nlp).add_label("LOC")
    sample = get_ner(nlp).read_sample
    nlp.initialize(lambda: [example_with(nlp, PATH)])
    ends = sample(example_with(nlp, PATH)).ends
    assert 5 not in ends
    assert 1 not in ends


def test_estimate_with_an_unseen_label_is_named() -> None:
    nlp = make_nlp()
    estimate = PathEstimate([LabelledSpan(4, 6, "ALIEN")])
    examples = [example_with(nlp, estimate)]
    optimizer = nlp.initialize(lambda: examples)
    with pytest.raises(ValueError, match=r"A105.*'ALIEN'"):
        nlp.update(examples, sgd=optimizer)
