"""Pieces of texts, beside what spacy-transformers makes of them."""

from pathlib import Path
from typing import Any

import numpy
import pytest
import spacy
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from spacy.tokens import Doc
from spacy.util import registry
from spacy_transformers.align import get_alignment, get_alignment_via_offset_mapping

from spacy_adak.encoders.aligned_pieces import cut

VOCAB = spacy.blank("en").vocab
WORDS = st.sampled_from(
    ["khan", "zoe", "Shaka", "\n\n", " ", "\u200b", "don't", "[SEP]", "é", "北京", "."]
)
DOCS = st.lists(
    st.lists(st.tuples(WORDS, st.booleans()), min_size=1, max_size=30), min_size=1
).map(
    lambda texts: [
        Doc(VOCAB, words=[w for w, _ in text], spaces=[s for _, s in text])
        for text in texts
    ]
)


def get_spans(docs: list[Doc]) -> Any:
    make = registry.get("span_getters", "spacy-transformers.strided_spans.v1")
    return make(window=12, stride=8)(docs)


@pytest.fixture(scope="module", params=["fast", "slow"])
def tokenizer(request: pytest.FixtureRequest, tiny_bert: Path) -> Any:
    from transformers import AutoTokenizer, BertTokenizer

    if request.param == "fast":
        return AutoTokenizer.from_pretrained(tiny_bert)
    return BertTokenizer(str(tiny_bert / "vocab.txt"), model_max_length=64)


@given(DOCS)
@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_pieces_of_tokens_are_those_of_spacy_transformers(
    tokenizer: Any, docs: list[Doc]
) -> None:
    spans_per_doc = get_spans(docs)
    spans = [span for spans in spans_per_doc for span in spans]
    found = cut(docs, spans_per_doc, tokenizer)
    ids = [tokenizer(span.text)["input_ids"] for span in spans]
    assert [window.ids for window in found.windows] == ids
    if tokenizer.is_fast:
        offsets = [
            numpy.array(
                tokenizer(s.text, return_offsets_mapping=True)["offset_mapping"]
            )
            for s in spans
        ]
        expected: Any = get_alignment_via_offset_mapping(spans, offsets)
    else:
        strings = [tokenizer.convert_ids_to_tokens(each) for each in ids]
        expected = get_alignment(spans, strings, tokenizer.all_special_tokens)
    assert found.lengths.tolist() == expected.lengths.tolist()
    assert found.pieces.tolist() == expected.dataXd.reshape(-1).tolist()


def test_long_windows_are_cut_and_named(tokenizer: Any) -> None:
    docs = [Doc(VOCAB, words=["khan"] * n) for n in (3, 80)]
    found = cut(docs, [[doc[:]] for doc in docs], tokenizer)
    assert [len(window.ids) for window in found.windows] == [5, 64]
    assert found.truncated == {1}
    assert found.lengths.tolist() == [1] * 3 + [1] * 63 + [0] * 17
