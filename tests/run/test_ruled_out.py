"""Spans that are ruled out count, and those that say nothing are told of."""

from pathlib import Path

import pytest
from spacy.tokens import Doc, DocBin, Span

from spacy_adak.run.preflight import check_run
from spacy_adak.run.ruled_out import count_ruled_out
from tests.made_corpus import TINY, make_config, make_docs, write_data

LABELS = ["FIRM", "PERSON", "PLACE"]


def rule_out(docs: list[Doc], *labels: str) -> list[Doc]:
    for doc, label in zip(docs, labels, strict=False):
        doc.spans["incorrect_spans"] = [Span(doc, 0, 1, label=label)]
    return docs


def test_ruled_out_spans_are_counted() -> None:
    docs = rule_out(make_docs(3), "PERSON", "PLACE")
    assert count_ruled_out("incorrect_spans", docs, LABELS, "adak_ner") == 2


def test_ruled_out_spans_that_nothing_looks_at_are_warned_of() -> None:
    docs = rule_out(make_docs(3), "PERSON", "PLACE")
    with pytest.warns(UserWarning, match=r"W204.*2 spans.*incorrect_spans_key"):
        assert count_ruled_out(None, docs, LABELS, "adak_ner") == 0


def test_spans_ruled_out_for_an_unknown_type_are_warned_of() -> None:
    docs = rule_out(make_docs(3), "PERSON", "Place", "Firm")
    with pytest.warns(UserWarning, match=r"W221.* 2 spans .*Firm, Place; .*PLACE\)"):
        assert count_ruled_out("incorrect_spans", docs, LABELS, "adak_ner") == 1


def test_entity_that_is_ruled_out_is_found_before_the_run(tmp_path: Path) -> None:
    config = make_config(**TINY, **write_data(tmp_path))
    docs = make_docs(40, keep=0.5)
    (marked, *_) = [doc for doc in docs if doc.ents]
    marked.spans["incorrect_spans"] = [*marked.ents]
    DocBin(docs=docs).to_disk(tmp_path / "train.spacy")
    with pytest.raises(ValueError, match=r"A207(?s:.*)A103.*annotated as .* ruled out"):
        check_run(config, -1, strict=False)
