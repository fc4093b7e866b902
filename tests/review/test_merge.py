import random
from pathlib import Path
from typing import Any

import pytest
import spacy
import srsly
from spacy.tokens import Doc, Span

from spacy_adak.data.complete_types import state_complete, types_complete_in
from spacy_adak.data.docbin import read_docbin, write_docbin
from spacy_adak.data.origins import (
    DECIDED_KEY,
    ESTIMATED_KEY,
    complete,
    set_scored_spans,
)
from spacy_adak.review.decided_document import Merged
from spacy_adak.review.merge import merge

NLP = spacy.blank("en")
TEXTS = ["Acme hired Ann .", "Acme sued Acme Tools .", "Ann met Bob ."]


def make_doc(text: str, *entities: tuple[int, int, str]) -> Doc:
    doc = NLP(text)
    spans = [Span(doc, start, end, label) for start, end, label in entities]
    doc.set_ents(spans, default="missing")
    return doc


def form(answer: str, form: str, label: str, **more: Any) -> dict[str, Any]:
    return {
        "scope": "form",
        "answer": answer,
        "form": form,
        "label": label,
        "kind": "missed",
        **more,
    }


def place(
    answer: str, text: str, start: int, end: int, label: str, **more: Any
) -> dict[str, Any]:
    return {
        "scope": "place",
        "answer": answer,
        "text": text,
        "start": start,
        "end": end,
        "label": label,
        "form": text[start:end],
        "kind": "missed",
        **more,
    }


class Workbench:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.docs = [make_doc(text) for text in TEXTS]

    def merge(self, *decisions: dict[str, Any], **options: Any) -> Merged:
        write_docbin(self.folder / "data.spacy", self.docs)
        srsly.write_jsonl(self.folder / "decisions.jsonl", decisions)
        output = self.folder / options.pop("name", "merged.spacy")
        result = merge(
            self.folder / "data.spacy",
            self.folder / "decisions.jsonl",
            output,
            **options,
        )
        if output.suffix == ".spacy":
            self.merged = list(read_docbin(output, NLP.vocab))
        return result

    def entities(self) -> list[list[tuple[int, int, str]]]:
        return [[(e.start, e.end, e.label_) for e in doc.ents] for doc in self.merged]

    def ruled_out(self) -> list[list[tuple[int, int, str]]]:
        return [
            [(s.start, s.end, s.label_) for s in doc.spans.get("incorrect_spans", ())]
            for doc in self.merged
        ]


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    return Workbench(tmp_path)


def test_accepted_form_is_an_entity_at_all_of_its_places(bench: Workbench) -> None:
    result = bench.merge(form("accept", "Acme", "ORG"))
    assert bench.entities() == [[(0, 1, "ORG")], [(0, 1, "ORG"), (2, 3, "ORG")], []]
    assert result.entities == {"ORG": 3}
    assert (result.documents, result.changed, result.decisions) == (3, 2, 1)


def test_everything_else_stays_unknown(bench: Workbench) -> None:
    bench.merge(form("accept", "Acme", "ORG"), form("reject", "Bob", "ORG"))
    tokens = [token for doc in bench.merged for token in doc]
    assert {token.text for token in tokens if token.ent_iob == 3} == {"Acme"}
    assert all(token.ent_iob == 0 for token in tokens if token.text != "Acme")


def test_rejected_form_is_ruled_out(bench: Workbench) -> None:
    result = bench.merge(form("reject", "Ann", "ORG"))
    assert bench.ruled_out() == [[(2, 3, "ORG")], [], [(0, 1, "ORG")]]
    assert result.ruled_out == {"ORG": 2}


def test_rejected_can_be_stated_outside(bench: Workbench) -> None:
    result = bench.merge(form("reject", "Ann", "ORG"), rejected="outside")
    assert [t.ent_iob for t in bench.merged[0]] == [0, 0, 2, 0]
    assert result.outside == 2
    assert bench.ruled_out() == [[], [], []]


def test_longer_form_wins_over_one_within_it(bench: Workbench) -> None:
    result = bench.merge(
        form("accept", "Acme", "ORG"), form("accept", "Acme Tools", "PRODUCT")
    )
    assert bench.entities()[1] == [(0, 1, "ORG"), (2, 4, "PRODUCT")]
    assert not result.conflicts


def test_place_wins_over_form(bench: Workbench) -> None:
    bench.merge(
        place("reject", TEXTS[1], 0, 4, "ORG"),
        form("accept", "Acme", "ORG"),
        place("ignore", TEXTS[0], 0, 4, "ORG"),
    )
    assert bench.entities() == [[], [(2, 3, "ORG")], []]
    assert bench.ruled_out() == [[], [(0, 1, "ORG")], []]


def test_form_accepted_with_two_labels_is_listed(bench: Workbench) -> None:
    result = bench.merge(form("accept", "Acme", "ORG"), form("accept", "Acme", "PER"))
    assert result.entities == {"ORG": 3}
    assert [(c.line, c.span, c.label, c.why) for c in result.conflicts] == [
        (line, "Acme", "PER", "it was accepted as ORG as well") for line in (0, 1, 1)
    ]


def test_place_may_have_another_label_than_its_form(bench: Workbench) -> None:
    result = bench.merge(
        form("accept", "Acme", "ORG"), place("accept", TEXTS[0], 0, 4, "PER")
    )
    assert result.entities == {"ORG": 2, "PER": 1}
    assert not result.conflicts


def test_later_decision_replaces_an_earlier_one(bench: Workbench) -> None:
    result = bench.merge(
        form("accept", "Bob", "ORG"),
        form("accept", "Bob", "PER", suggested={"label": "ORG"}),
        form("accept", "Ann", "PER"),
        form("ignore", "Ann", "PER"),
    )
    assert bench.entities() == [[], [], [(2, 3, "PER")]]
    assert (result.decisions, result.ignored) == (1, 1)


def test_bounds_can_be_changed(bench: Workbench) -> None:
    bench.merge(
        place(
            "accept",
            TEXTS[1],
            10,
            20,
            "ORG",
            suggested={"start": 10, "end": 14, "label": "ORG"},
        )
    )
    assert bench.entities()[1] == [(2, 4, "ORG")]


def test_annotation_stays_and_what_contradicts_it_is_listed(bench: Workbench) -> None:
    bench.docs[1] = make_doc(TEXTS[1], (2, 4, "PRODUCT"))
    bench.docs[2] = make_doc(TEXTS[2], (0, 1, "PER"))
    bench.docs[0].set_ents([], outside=[bench.docs[0][0:1]], default="missing")
    result = bench.merge(form("accept", "Acme", "ORG"), form("reject", "Ann", "PER"))
    assert bench.entities() == [[], [(0, 1, "ORG"), (2, 4, "PRODUCT")], [(0, 1, "PER")]]
    conflicts = {(c.line, c.span, c.answer): c.why for c in result.conflicts}
    assert conflicts.keys() == {
        (0, "Acme", "accept"),
        (1, "Acme", "accept"),
        (2, "Ann", "reject"),
    }
    assert "'Acme Tools' is annotated as PRODUCT" in conflicts[1, "Acme", "accept"]


def test_what_was_ruled_out_is_not_accepted_silently(bench: Workbench) -> None:
    bench.docs[0].spans["incorrect_spans"] = [Span(bench.docs[0], 0, 1, "ORG")]
    result = bench.merge(form("accept", "Acme", "ORG"))
    assert bench.entities()[0] == []
    assert [c.why for c in result.conflicts] == ["it was ruled out before"]


def test_what_is_known_already_is_counted(bench: Workbench) -> None:
    bench.docs[0] = make_doc(TEXTS[0], (0, 1, "ORG"))
    bench.docs[2].spans["incorrect_spans"] = [Span(bench.docs[2], 0, 1, "ORG")]
    result = bench.merge(form("accept", "Acme", "ORG"), form("reject", "Ann", "ORG"))
    assert result.unchanged == 2
    assert not result.conflicts


def test_decisions_that_are_not_in_the_data_are_reported(bench: Workbench) -> None:
    result = bench.merge(
        form("accept", "Ann", "PER"),
        form("accept", "Zed", "PER"),
        form("accept", "cm", "PER"),
        place("accept", "another text", 0, 7, "ORG"),
        place("accept", TEXTS[2], 1, 3, "PER"),
    )
    assert [decision.form for decision in result.unused] == [
        "another",
        "nn",
        "Zed",
        "cm",
    ]


def test_order_of_texts_does_not_matter(bench: Workbench) -> None:
    decisions = [
        form("accept", "Acme", "ORG"),
        form("reject", "Bob", "ORG"),
        place("accept", TEXTS[0], 11, 14, "PER"),
    ]
    bench.merge(*decisions)
    expected = {
        doc.text: (entities, ruled_out)
        for doc, entities, ruled_out in zip(
            bench.merged, bench.entities(), bench.ruled_out(), strict=True
        )
    }
    bench.docs = [make_doc(text) for text in TEXTS]
    random.Random(1).shuffle(bench.docs)
    bench.merge(*reversed(decisions))
    for doc, entities, ruled_out in zip(
        bench.merged, bench.entities(), bench.ruled_out(), strict=True
    ):
        assert expected[doc.text] == (entities, ruled_out)


def test_doubtful_annotation_is_withdrawn_only_if_it_is_rejected(
    bench: Workbench,
) -> None:
    bench.docs[0] = make_doc(TEXTS[0], (0, 1, "PER"), (2, 3, "PER"))
    bench.docs[2] = make_doc(TEXTS[2], (0, 1, "PER"))
    result = bench.merge(
        place("reject", TEXTS[0], 0, 4, "PER", kind="doubtful"),
        form("accept", "Ann", "PER", kind="doubtful"),
    )
    assert bench.entities() == [[(2, 3, "PER")], [], [(0, 1, "PER")]]
    assert bench.ruled_out()[0] == [(0, 1, "PER")]
    assert [t.ent_iob for t in bench.merged[0]] == [0, 0, 3, 0]
    assert result.withdrawn == {"PER": 1}


def test_type_of_a_doubtful_annotation_can_be_changed(bench: Workbench) -> None:
    bench.docs[0] = make_doc(TEXTS[0], (0, 1, "PER"))
    bench.merge(
        form("accept", "Acme", "ORG", kind="doubtful", suggested={"label": "PER"})
    )
    assert bench.entities() == [[(0, 1, "ORG")], [], []]


def test_it_is_written_down_what_was_decided(bench: Workbench) -> None:
    bench.docs[0] = make_doc(TEXTS[0], (2, 3, "PER"))
    bench.merge(form("accept", "Acme", "ORG"))
    bench.docs = bench.merged
    bench.merge(form("accept", "Bob", "PER"))
    decided = [[s.text for s in doc.spans.get(DECIDED_KEY, ())] for doc in bench.merged]
    assert decided == [["Acme"], ["Acme", "Acme"], ["Bob"]]


def test_estimates_do_not_become_facts(bench: Workbench) -> None:
    for doc, entities in zip(bench.docs, [[(2, 3)], [], [(2, 3)]], strict=True):
        spans = [Span(doc, start, end, "PER") for start, end in entities]
        complete(doc, spans, [0.9] * len(spans))
        set_scored_spans(doc, "candidates", [Span(doc, 0, 1, "ORG")], [0.4])
    bench.merge(form("accept", "Acme", "ORG"))
    assert bench.entities()[0] == [(0, 1, "ORG")]
    assert [t.ent_iob for t in bench.merged[0]] == [3, 0, 0, 0]
    assert [s.text for s in bench.merged[0].spans[ESTIMATED_KEY]] == ["Ann"]
    # What is known by now is no estimate any more.
    assert not bench.merged[0].spans["candidates"]
    assert bench.merged[2].spans["candidates"]


@pytest.mark.parametrize("name", ["out.jsonl", "out.conll", "out.json"])
def test_other_formats_can_be_written(bench: Workbench, name: str) -> None:
    result = bench.merge(form("accept", "Acme", "ORG"), name=name)
    assert "ORG" in (bench.folder / name).read_text()
    assert result.entities == {"ORG": 3}


def test_other_formats_can_be_read(tmp_path: Path) -> None:
    (tmp_path / "data.jsonl").write_text('{"text": "Acme hired Ann.", "spans": []}\n')
    srsly.write_jsonl(tmp_path / "decisions.jsonl", [form("accept", "Acme", "ORG")])
    paths = (tmp_path / "data.jsonl", tmp_path / "decisions.jsonl")
    with pytest.raises(ValueError, match="A302"):
        merge(*paths, tmp_path / "out.spacy")
    merge(*paths, tmp_path / "out.spacy", unlabelled="missing")
    (doc,) = read_docbin(tmp_path / "out.spacy", NLP.vocab)
    assert [ent.text for ent in doc.ents] == ["Acme"]


FORMATS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "conll": (
        "data.conll",
        "d1 Acme x O\nd1 hired x O\nd1 Ann x S-PER\nd1 . x O\n",
        {"token_column": 1, "document_column": 0, "tag_scheme": "BIOES"},
    ),
    "huggingface": (
        "data.jsonl",
        '{"tokens": ["Acme", "hired", "Ann", "."], "ner_tags": [0, 0, 1, 0]}\n',
        {"labels": "O,B-PER"},
    ),
    "spans": (
        "data.jsonl",
        '{"body": "Acme hired Ann .", "spans": '
        '[{"start": 11, "end": 13, "label": "PER"}]}\n',
        {"text_key": "body", "alignment_mode": "expand"},
    ),
    "prodigy": (
        "data.jsonl",
        '{"text": "Acme hired Ann .", "answer": "accept", "_annotator_id": "eva", '
        '"spans": [{"start": 11, "end": 14, "label": "PER"}]}\n'
        '{"text": "Acme hired Ann .", "answer": "accept", "_annotator_id": "bob", '
        '"spans": []}\n',
        {"annotators": "eva"},
    ),
    "doccano": (
        "data.jsonl",
        '{"id": 1, "text": "Acme hired Ann .", "label": [[11, 14, "PER"]]}\n',
        {},
    ),
    "label-studio": (
        "data.json",
        '[{"data": {"text": "Acme hired Ann ."}, "annotations": [{"result": [{'
        '"type": "labels", "from_name": "label", "to_name": "text", "value": '
        '{"start": 11, "end": 14, "labels": ["PER"]}}]}]}]',
        {},
    ),
    "spacy-v2": (
        "data.json",
        '[["Acme hired Ann .", {"entities": [[11, 14, "PER"]]}]]',
        {},
    ),
    "brat": ("data.ann", "T1\tPER 11 14\tAnn\n", {}),
}


@pytest.mark.parametrize("name", FORMATS)
def test_all_formats_of_convert_can_be_merged(tmp_path: Path, name: str) -> None:
    file, text, options = FORMATS[name]
    (tmp_path / file).write_text(text)
    if name == "brat":
        (tmp_path / "data.txt").write_text("Acme hired Ann .")
    srsly.write_jsonl(tmp_path / "decisions.jsonl", [form("accept", "Acme", "ORG")])
    merge(
        tmp_path / file,
        tmp_path / "decisions.jsonl",
        tmp_path / "out.spacy",
        unlabelled="missing",
        **options,
    )
    (doc,) = read_docbin(tmp_path / "out.spacy", NLP.vocab)
    found = [(ent.text, ent.label_) for ent in doc.ents]
    assert found == [("Acme", "ORG"), ("Ann", "PER")]


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"rejected": "maybe"}, "A310"),
        ({"to": "pdf"}, "A310"),
        ({"name": "data.spacy"}, "A315"),
    ],
)
def test_wrong_options_are_refused(
    bench: Workbench, options: dict[str, Any], code: str
) -> None:
    with pytest.raises(ValueError, match=code):
        bench.merge(form("accept", "Acme", "ORG"), **options)


def test_no_decision_is_an_error(bench: Workbench) -> None:
    with pytest.raises(ValueError, match="A453"):
        bench.merge(form("ignore", "Acme", "ORG"))
    assert not (bench.folder / "merged.spacy").exists()


def test_no_texts_are_an_error_and_leave_no_file(bench: Workbench) -> None:
    bench.docs = []
    with pytest.raises(ValueError, match="A451"):
        bench.merge(form("accept", "Acme", "ORG"))
    assert not (bench.folder / "merged.spacy").exists()


def test_a_text_that_is_complete_for_a_type_contradicts_more_of_it(
    bench: Workbench,
) -> None:
    state_complete(bench.docs[0], ["ORG"])
    result = bench.merge(
        form("accept", "Acme", "ORG"),
        form("accept", "Ann", "PER"),
        form("reject", "Bob", "ORG"),
    )
    assert bench.entities()[0] == [(2, 3, "PER")]
    assert bench.entities()[1] == [(0, 1, "ORG"), (2, 3, "ORG")]
    (conflict,) = result.conflicts
    assert "complete for ORG" in conflict.why
    assert bench.ruled_out()[0] == []
    # The statement is still there.
    assert types_complete_in(bench.merged[0]) == {"ORG"}


def test_estimates_of_somebody_else_need_no_scores(bench: Workbench) -> None:
    for doc in bench.docs:
        doc.spans[ESTIMATED_KEY] = [doc[0:1], doc[2:3]]
    bench.merge(form("accept", "Acme", "ORG"))
    assert [s.text for s in bench.merged[0].spans[ESTIMATED_KEY]] == ["Ann"]
