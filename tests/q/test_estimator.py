"""q for texts that a model has not seen."""

from collections.abc import Sequence
from typing import Any

import numpy
import pytest
import spacy
from spacy.language import Language
from spacy.pipeline import EntityRuler
from spacy.tokens import Span
from spacy.training import Example

from spacy_adak.annotation.known import allowed_tags
from spacy_adak.annotation.q_of_text import (
    ESTIMATE_KEY,
    ChainEstimate,
    PathEstimate,
    get_estimate,
)
from spacy_adak.annotation.training_sample import Sample
from spacy_adak.crf.tags import LabelledSpan
from spacy_adak.data.complete_types import state_complete
from spacy_adak.q.adak_block import read_settings
from spacy_adak.q.candidates import Dictionary
from spacy_adak.q.estimator import Estimated, Estimator
from spacy_adak.q.guess_evidence import NO_EVIDENCE, Evidence, GuessedSpan
from spacy_adak.shards.with_q import ShardEstimates
from tests.losses import loss_block
from tests.made_corpus import make_config, make_docs
from tests.made_texts import get_ner
from tests.other_device import head_on_other_device


def train_pipeline(seed: int) -> Language:
    nlp = spacy.blank("xx")
    encoder = {
        "@architectures": "spacy.HashEmbedCNN.v2",
        "pretrained_vectors": None,
        "width": 32,
        "depth": 1,
        "embed_size": 500,
        "window_size": 1,
        "maxout_pieces": 2,
        "subword_features": True,
    }
    model = {"@architectures": "spacy-adak.CRFTagger.v1", "tok2vec": encoder}
    nlp.add_pipe("adak_ner", config={"model": model, "loss": loss_block("fuzzy")})
    examples = [
        Example(nlp.make_doc(doc.text), doc)
        for doc in make_docs(60, seed=7, vocab=nlp.vocab)
    ]
    spacy.util.fix_random_seed(seed)
    optimizer = nlp.initialize(lambda: examples)
    optimizer.learn_rate = 0.01
    for _ in range(8):
        nlp.update(examples, sgd=optimizer)
    return nlp


@pytest.fixture(scope="module")
def nlp() -> Language:
    """A pipeline that has learnt a little: it is right often, and not always."""
    return train_pipeline(seed=0)


def make_examples(nlp: Language, keep: float = 0.3, count: int = 30) -> list[Example]:
    return [
        Example(nlp.make_doc(doc.text), doc)
        for doc in make_docs(count, keep, seed=3, vocab=nlp.vocab)
    ]


def estimate(
    nlp: Language,
    examples: list[Example],
    dictionary: dict[tuple[str, ...], str] | None = None,
    temperature: float = 1.0,
    log_likelihoods: Sequence[numpy.ndarray] = (),
    evidence: Sequence[Evidence] = (),
    other_nlps: Sequence[Language] = (),
    **settings: Any,
) -> list[Estimated]:
    config = make_config(**{f"adak.{name}": value for name, value in settings.items()})
    adak_settings = read_settings(config.interpolate())
    estimator = Estimator(
        [nlp, *other_nlps],
        nlp if adak_settings.mask and adak_settings.mask.kbest else None,
        "adak_ner",
        Dictionary(dictionary or {}),
        temperature,
        adak_settings,
    )
    results = list(estimator(examples, log_likelihoods, evidence))
    assert len(results) == len(examples)
    estimates = ShardEstimates(
        [result.path for result in results],
        [result.chain for result in results if result.chain is not None],
        [],
    )
    for i, example in enumerate(examples):
        estimates.attach(example.reference, i)
    return results


def paths(examples: list[Example]) -> list[set[LabelledSpan]]:
    return [
        {
            LabelledSpan(s.start, s.end, s.label_)
            for s in example.reference.spans[ESTIMATE_KEY]
        }
        for example in examples
    ]


def annotated(example: Example) -> set[LabelledSpan]:
    return {LabelledSpan(e.start, e.end, e.label_) for e in example.reference.ents}


def test_q_holds_what_is_annotated_and_something_new(nlp: Language) -> None:
    examples = make_examples(nlp)
    results = estimate(nlp, examples)
    for example, path, result in zip(examples, paths(examples), results, strict=True):
        assert annotated(example) <= path
        assert result.new_entities.total() == len(path - annotated(example))
    assert sum(result.new_entities.total() for result in results) > 10


def test_complete_annotation_leaves_nothing_to_estimate(nlp: Language) -> None:
    examples = [
        Example(nlp.make_doc(doc.text), doc)
        for doc in make_docs(10, seed=3, vocab=nlp.vocab)
    ]
    results = estimate(nlp, examples)
    assert len(results) == 10
    for result in results:
        assert result.unknown_tokens == result.new_entities.total() == 0


def test_q_is_what_the_model_and_the_annotation_say_of_a_text(nlp: Language) -> None:
    settings: dict[str, Any] = {
        "q.mode": "interpolated",
        "temperature": 2.0,
        "mask": None,
    }
    before = estimate(nlp, make_examples(nlp), **settings)
    rng = numpy.random.default_rng(0)
    weights = [
        numpy.log(rng.uniform(0.1, 1.0, size=result.chain.nodes.shape))
        for result in before
        if result.chain is not None
    ]
    after = estimate(nlp, make_examples(nlp), log_likelihoods=weights, **settings)
    for alone, both, weight in zip(before, after, weights, strict=True):
        assert alone.chain is not None
        assert both.chain is not None
        allowed = numpy.isfinite(alone.chain.nodes)
        change = both.chain.nodes[allowed] - (alone.chain.nodes + weight)[allowed]
        # But for what all tags of a token have lost alike.
        token = numpy.nonzero(allowed)[0]
        offset = numpy.zeros(len(weight))
        offset[token] = change
        numpy.testing.assert_allclose(change, offset[token], atol=1e-3)
        assert (numpy.isfinite(both.chain.nodes) == allowed).all()


def test_guesses_multiply_the_odds_that_the_models_give(nlp: Language) -> None:
    settings: dict[str, Any] = {"q.mode": "interpolated", "mask": None}
    tagset = nlp.get_pipe("adak_ner").tagset
    first = LabelledSpan(0, 1, "PLACE")
    said = Evidence([GuessedSpan(first, 3.0, 0.2)], {"FIRM": -0.5})
    before, after = (
        estimate(
            nlp,
            make_examples(nlp, keep=0.0),
            temperature=2.0,
            evidence=[each] * 30,
            **settings,
        )
        for each in (NO_EVIDENCE, said)
    )
    tag = tagset.span_tags("PLACE", 1)[0]
    other = tagset.span_tags("FIRM", 1)[0]
    for alone, both in zip(before, after, strict=True):
        assert alone.chain is not None
        assert both.chain is not None
        change = both.chain.nodes - alone.chain.nodes
        change -= change[:, :1]
        # Whatever the temperature of the models is.
        assert change[0, tag] == pytest.approx(3.0, abs=1e-2)
        assert change[1, other] == pytest.approx(-0.5, abs=1e-2)


def test_q_of_several_models_is_their_mean(nlp: Language) -> None:
    settings: dict[str, Any] = {"q.mode": "interpolated", "mask": None}
    other = train_pipeline(seed=1)
    together = estimate(nlp, make_examples(nlp), other_nlps=[other], **settings)
    alone = [estimate(one, make_examples(one), **settings) for one in (nlp, other)]
    differ = False
    for both, *each in zip(together, *alone, strict=True):
        assert both.chain is not None
        chains = [result.chain for result in each if result.chain is not None]
        # But for what all tags of a token, or all moves, have alike.
        for got, one, two in zip(both.chain, *chains, strict=True):
            allowed = numpy.isfinite(got)
            mean = numpy.where(allowed, (one + two) / 2, -numpy.inf)
            mean -= mean.max(
                axis=-1 if got is both.chain.nodes else None, keepdims=True
            )
            numpy.testing.assert_allclose(got, mean, atol=1e-2)
            differ |= bool(numpy.abs(one[allowed] - two[allowed]).max() > 0.1)
    assert differ


def test_other_models_leave_the_texts_as_they_are(nlp: Language) -> None:
    other = train_pipeline(seed=1)
    ruler = other.add_pipe("entity_ruler", before="adak_ner")
    assert isinstance(ruler, EntityRuler)
    ruler.add_patterns([{"label": "PER", "pattern": [{"IS_ALPHA": True}]}])
    examples = make_examples(nlp)
    estimate(nlp, examples, other_nlps=[other])
    assert not any(example.predicted.ents for example in examples)


def test_annotators_who_mark_everything_leave_nothing_to_find(nlp: Language) -> None:
    examples = make_examples(nlp)
    assert any(result.new_entities for result in estimate(nlp, examples, mask=None))
    tagset = nlp.get_pipe("adak_ner").tagset
    weights = []
    for example in make_examples(nlp):
        nodes = numpy.zeros((len(example.predicted), len(tagset)))
        is_open = example.reference.to_array("ENT_IOB") == 0
        nodes[numpy.ix_(is_open, range(1, len(tagset)))] = -numpy.inf
        weights.append(nodes)
    results = estimate(nlp, make_examples(nlp), log_likelihoods=weights, mask=None)
    assert not any(result.new_entities for result in results)


def test_q_without_mask_is_what_the_model_finds(nlp: Language) -> None:
    examples = make_examples(nlp, keep=0.0)
    estimate(nlp, examples, mask=None)
    for example, path in zip(examples, paths(examples), strict=True):
        found = {
            LabelledSpan(e.start, e.end, e.label_)
            for e in nlp(example.reference.text).ents
        }
        assert path == found


def test_mask_without_candidates_allows_nothing_new(nlp: Language) -> None:
    examples = make_examples(nlp)
    results = estimate(nlp, examples, **{"mask.kbest": 0})
    assert all(not result.new_entities for result in results)


def test_mask_with_the_dictionary_alone_allows_what_is_in_it(nlp: Language) -> None:
    dictionary = {("Nordorf",): "PLACE", ("Ann", "Lee"): "PERSON"}
    examples = make_examples(nlp, keep=0.0, count=100)
    estimate(nlp, examples, dictionary, **{"mask.kbest": 0})
    found = {
        (tuple(t.text for t in example.reference[span.start : span.end]), span.type)
        for example, path in zip(examples, paths(examples), strict=True)
        for span in path
    }
    assert found
    assert found <= set(dictionary.items())


def test_candidates_on_best_paths_do_not_change_what_the_same_model_finds(
    nlp: Language,
) -> None:
    with_mask, without = make_examples(nlp), make_examples(nlp)
    estimate(nlp, with_mask)
    estimate(nlp, without, mask=None)
    assert paths(with_mask) == paths(without)


def test_score_and_finds_look_at_the_model_alone(nlp: Language) -> None:
    nothing_known, some_known = make_examples(nlp, 0.0), make_examples(nlp, 0.5)
    before, after = estimate(nlp, nothing_known), estimate(nlp, some_known)
    assert any(result.found for result in before)
    for a, b in zip(before, after, strict=True):
        assert a.score == pytest.approx(b.score)
        assert a.found == b.found


@pytest.mark.parametrize(
    ("selection", "is_per_token"),
    [(None, True), ({"per_token": True}, True), ({"per_token": False}, False)],
)
def test_score_is_the_probability_of_a_token_or_of_the_text(
    nlp: Language, selection: dict[str, bool] | None, is_per_token: bool
) -> None:
    examples = make_examples(nlp, count=5)
    results = estimate(nlp, examples, selection=selection)
    adak_ner = nlp.get_pipe("adak_ner")
    for example, result in zip(examples, results, strict=True):
        (best,) = adak_ner.kbest(nlp.make_doc(example.text), 1)
        log_probability = best.attrs["log_probability"]
        if is_per_token:
            log_probability /= len(example.predicted)
        assert result.score == pytest.approx(numpy.exp(log_probability), abs=1e-4)


def test_second_estimate_by_the_same_model_changes_nothing(nlp: Language) -> None:
    examples = make_examples(nlp)
    assert sum(result.changed_tokens for result in estimate(nlp, examples)) > 10
    assert sum(result.changed_tokens for result in estimate(nlp, examples)) == 0


def test_hard_q_is_a_path(nlp: Language) -> None:
    examples = make_examples(nlp)
    estimate(nlp, examples)
    assert all(isinstance(get_estimate(eg), PathEstimate) for eg in examples)


@pytest.mark.parametrize("q", ["soft", "interpolated"])
def test_other_q_is_a_chain_that_respects_the_annotation(nlp: Language, q: str) -> None:
    examples = make_examples(nlp)
    estimate(nlp, examples, **{"q.mode": q})
    component = nlp.get_pipe("adak_ner")
    for example in examples:
        chain = get_estimate(example)
        assert isinstance(chain, ChainEstimate)
        known = component.read_sample(example).known
        allowed = numpy.isfinite(chain.nodes)
        assert not (allowed & ~allowed_tags(known, component.tagset)).any()
        assert allowed.any(1).all()


def test_soft_q_has_no_moves_and_sums_to_one_per_token(nlp: Language) -> None:
    examples = make_examples(nlp)
    estimate(nlp, examples, **{"q.mode": "soft"})
    for example in examples:
        chain = get_estimate(example)
        assert isinstance(chain, ChainEstimate)
        assert not chain.transitions.any()
        shares = numpy.exp(chain.nodes)
        assert (shares.max(1) == 1).all()


def test_temperature_scales_interpolated_q(nlp: Language) -> None:
    examples = [make_examples(nlp), make_examples(nlp)]
    for each, temperature in zip(examples, (1.0, 0.5), strict=True):
        estimate(nlp, each, temperature=temperature, **{"q.mode": "interpolated"})
    for warm, cold in zip(*examples, strict=True):
        a, b = get_estimate(warm), get_estimate(cold)
        assert isinstance(a, ChainEstimate)
        assert isinstance(b, ChainEstimate)
        finite = numpy.isfinite(a.nodes)
        assert (finite == numpy.isfinite(b.nodes)).all()
        numpy.testing.assert_allclose(b.nodes[finite], 2 * a.nodes[finite], atol=0.05)


def test_tokens_of_another_tokenizer_are_aligned(nlp: Language) -> None:
    doc = spacy.tokens.Doc(
        nlp.vocab,
        words=["Ann", "Lee", "flew", "to", "Nor", "dorf", "."],
        spaces=[True, True, True, True, False, True, False],
    )
    doc.set_ents([spacy.tokens.Span(doc, 0, 2, "PERSON")], default="missing")
    example = Example(nlp.make_doc(doc.text), doc)
    estimate(nlp, [example], {("Nordorf",): "PLACE"}, **{"mask.kbest": 0})
    spans = [(s.text, s.label_) for s in doc.spans[ESTIMATE_KEY]]
    assert ("Ann Lee", "PERSON") in spans
    assert set(spans) <= {("Ann Lee", "PERSON"), ("Nordorf", "PLACE")}


@pytest.mark.parametrize("q", ["hard", "soft", "interpolated"])
@pytest.mark.parametrize("mask", [{"kbest": 5}, None], ids=["mask", "no mask"])
def test_spans_that_are_ruled_out_are_not_in_q(
    nlp: Language, q: str, mask: dict[str, int] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    component = nlp.get_pipe("adak_ner")
    monkeypatch.setattr(component, "incorrect_spans_key", "rejected")
    before = make_examples(nlp, keep=0.0)
    estimate(nlp, before, **{"q.mode": q}, mask=mask)
    examples = make_examples(nlp, keep=0.0)
    for example, path in zip(examples, paths(before), strict=True):
        example.reference.spans["rejected"] = [
            Span(example.reference, *span) for span in path
        ]
    estimate(nlp, examples, **{"q.mode": q}, mask=mask)
    assert sum(map(len, paths(before))) > 10
    for example, old, new in zip(examples, paths(before), paths(examples), strict=True):
        assert not old & new
        found = get_estimate(example)
        if isinstance(found, ChainEstimate):
            for start, end, type_ in old:
                first = component.tagset.span_tags(type_, end - start)[0]
                assert found.nodes[start, first] == -numpy.inf


def test_texts_are_cut_into_sentences_of_other_components(
    nlp: Language, monkeypatch: pytest.MonkeyPatch
) -> None:
    nlp.add_pipe("sentencizer", first=True)
    try:
        doc = nlp.make_doc("Ann Lee flew . Bob came .")
        example = Example(nlp.make_doc(doc.text), doc)
        component = nlp.get_pipe("adak_ner")
        ends = []
        read = component.read_sample

        def note_ends(example: Example) -> Sample:
            sample = read(example)
            ends.append(sample.ends)
            return sample

        monkeypatch.setattr(component, "read_sample", note_ends)
        estimate(nlp, [example])
    finally:
        nlp.remove_pipe("sentencizer")
    assert ends == [[4, 7]]


@pytest.mark.parametrize("mode", ["hard", "soft", "interpolated"])
def test_nothing_is_estimated_of_a_type_that_is_complete(
    nlp: Language, mode: str
) -> None:
    examples = make_examples(nlp, keep=0.0)
    for example in examples:
        state_complete(example.reference, ["PERSON"])
    dictionary = {("Ann", "Lee"): "PERSON", ("Ben", "Ng"): "PERSON"}
    results = estimate(nlp, examples, dictionary, **{"q.mode": mode})
    of_persons = nlp.get_pipe("adak_ner").tagset.tags_of("PERSON")
    types = {span.type for path in paths(examples) for span in path}
    assert types
    for result in results:
        assert "PERSON" not in result.new_entities
        assert all(label != "PERSON" for _, label in result.found)
        assert all(span.label != "PERSON" for span in result.candidates)
        if result.chain is not None:
            assert not numpy.isfinite(result.chain.nodes[:, of_persons]).any()
    assert "PERSON" not in types


@pytest.mark.parametrize("mode", ["hard", "interpolated", "soft"])
def test_estimates_on_another_device_are_those_on_the_cpu(
    nlp: Language, mode: str
) -> None:
    examples = make_examples(nlp)
    settings = {"q.mode": mode, "mask": {"kbest": 5, "dictionary": True}}
    here = estimate(nlp, examples, {("Ann",): "PERSON"}, **settings)
    with head_on_other_device(get_ner(nlp)):
        there = estimate(nlp, examples, {("Ann",): "PERSON"}, **settings)
    for ours, theirs in zip(there, here, strict=True):
        spans = [(span.start, span.end, span.label) for span in theirs.path]
        assert [(span.start, span.end, span.label) for span in ours.path] == spans
        assert ours.new_entities == theirs.new_entities
        assert (ours.chain is None) == (theirs.chain is None) == (mode == "hard")
        if ours.chain is not None and theirs.chain is not None:
            for got, expected in zip(ours.chain, theirs.chain, strict=True):
                numpy.testing.assert_allclose(got, expected, atol=1e-3)
