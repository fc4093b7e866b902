import json
import os
import sys
import weakref
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.tokens import Doc, Span

from spacy_adak.data.convert import asks_what_unlabelled_means, convert
from spacy_adak.data.docbin import read_docbin, write_docbin
from spacy_adak.data.writers import write_docs

Write = Callable[[str, str], Path]
FORMATS = ["spacy", "conll", "spans", "prodigy", "doccano", "label-studio"]
ANN = {"start": 0, "end": 3, "label": "PER", "labels": ["PER"]}
SPANS = '{"text": "Ann met Bob", "spans": [[0, 3, "PER"]]}\n'


def read(path: Path, lang: str = "en") -> list[Doc]:
    return list(read_docbin(path, spacy.blank(lang).vocab))


@pytest.mark.parametrize("to", FORMATS)
@pytest.mark.parametrize("unlabelled", ["missing", "outside"])
def test_round_trip_through_every_format(
    to: str,
    unlabelled: str,
    tmp_path: Path,
    known: Callable[[Doc], list[str]],
) -> None:
    nlp = spacy.blank("en")
    docs = [nlp("Acme Corp. hired Ann Lee, again."), nlp("It didn't grow.")]
    docs[0].set_ents(
        [docs[0].char_span(0, 10, label="ORG"), docs[0].char_span(17, 24, label="PER")],
        default=unlabelled,
    )
    docs[1].set_ents([], default=unlabelled)
    write_docbin(tmp_path / "a.spacy", docs)
    convert(tmp_path / "a.spacy", tmp_path / "other", to=to)
    (written,) = (tmp_path / "other").iterdir()
    convert(written, tmp_path / "b.spacy", converter=to, unlabelled=unlabelled)
    again = read(tmp_path / "b.spacy")
    assert [[t.text for t in doc] for doc in again] == [
        [t.text for t in doc] for doc in docs
    ]
    assert [known(doc) for doc in again] == [known(doc) for doc in docs]


def test_tokens_of_chinese_files_have_no_spaces_between_them(
    tmp_path: Path, write: Write
) -> None:
    path = write("a.conll", "北 B-LOC\n京 I-LOC\n好 O\n\n")
    convert(path, tmp_path / "a.spacy", unlabelled="outside", lang="zh")
    (doc,) = read(tmp_path / "a.spacy", "zh")
    assert doc.text == "北京好"


def test_chinese_round_trip_is_by_character(tmp_path: Path, write: Write) -> None:
    path = write("a.jsonl", '{"text": "我在北京08", "spans": [[2, 4, "LOC"]]}')
    convert(path, tmp_path / "a.conll", unlabelled="outside", lang="zh")
    assert (tmp_path / "a.conll").read_text(encoding="utf8") == (
        "我\tO\n在\tO\n北\tB-LOC\n京\tI-LOC\n0\tO\n8\tO\n\n"
    )


def test_summary_counts_what_was_read(tmp_path: Path, write: Write) -> None:
    bad = (
        '{"text": "Ann met Bob", "spans": [[0, 3, "PER"], [0, 5, "PER"], [9, 99, "X"]]}'
    )
    path = write("a.jsonl", f"{SPANS}{bad}\n{{}}\nno json\n")
    summary = convert(path, tmp_path / "a.spacy", unlabelled="missing")
    assert summary.documents == 2
    assert summary.entities == {"PER": 2}
    assert (summary.tokens, summary.unknown_tokens) == (6, 4)
    assert len(summary.problems) == 4
    assert summary.count_records("repaired") == 1
    assert summary.count_records("skipped") == 2
    assert summary.outputs == [tmp_path / "a.spacy"]


@pytest.mark.parametrize("converter", ["spans", "prodigy", "doccano", "label-studio"])
@pytest.mark.parametrize(
    ("text", "code"), [("Ann \ud83d", "W330"), ("Ann " * 250_001, "W331")]
)
def test_text_that_spacy_cannot_hold_is_skipped_and_named_by_line(
    text: str, code: str, converter: str, tmp_path: Path, write: Write
) -> None:
    if converter == "label-studio":
        texts = [{"text": t, "label": [ANN]} for t in ["Ann met Bob", text]]
        path = write("a.json", json.dumps(texts).replace("}, {", "},\n{"))
    else:
        key = "label" if converter == "doccano" else "spans"
        texts = [{"text": t, key: [ANN]} for t in ["Ann met Bob", text]]
        path = write("a.jsonl", "\n".join(map(json.dumps, texts)))
    output = tmp_path / "a.spacy"
    summary = convert(path, output, unlabelled="missing", converter=converter)
    assert [doc.text for doc in read(output)] == ["Ann met Bob"]
    assert [(p.line, p.outcome, p.message[1:5]) for p in summary.problems] == [
        (2, "skipped", code)
    ]


def test_strict_stops_at_the_first_problem_and_writes_nothing(
    tmp_path: Path, write: Write
) -> None:
    path = write("a.jsonl", f"{SPANS}no json\n")
    with pytest.raises(ValueError, match=r"A300.*a\.jsonl, line 2: \[W305\]"):
        convert(path, tmp_path / "out.spacy", unlabelled="missing", strict=True)
    assert not (tmp_path / "out.spacy").exists()


@pytest.mark.parametrize(("strict", "code"), [(True, "A300"), (False, "A311")])
def test_nothing_is_written_if_one_file_of_a_directory_cannot_be_converted(
    strict: bool, code: str, tmp_path: Path, write: Write
) -> None:
    (tmp_path / "in").mkdir()
    write("in/a.jsonl", SPANS)
    write("in/b.jsonl", "no json\n")
    with pytest.raises(ValueError, match=rf"{code}.*b\.jsonl"):
        convert(tmp_path / "in", tmp_path / "out", unlabelled="missing", strict=strict)
    assert not (tmp_path / "out").exists()


def test_not_saying_what_unlabelled_means_is_an_error(
    tmp_path: Path, write: Write
) -> None:
    with pytest.raises(ValueError, match=r"A302.*a\.jsonl.*--unlabelled"):
        convert(write("a.jsonl", SPANS), tmp_path / "out.spacy")


def test_only_spacy_files_say_what_unlabelled_means(
    tmp_path: Path, write: Write
) -> None:
    assert asks_what_unlabelled_means(write("a.jsonl", SPANS))
    assert not asks_what_unlabelled_means(write("a.spacy", ""))


def test_directory_is_converted_file_by_file(tmp_path: Path, write: Write) -> None:
    (tmp_path / "in" / "sub").mkdir(parents=True)
    write("in/a.jsonl", SPANS)
    write("in/sub/b.conll", "a O\n")
    write("in/README.md", "x")
    with pytest.warns(UserWarning, match=r"W329.*b\.conll"):
        convert(tmp_path / "in", tmp_path / "out", unlabelled="missing")
    written = [p for p in sorted((tmp_path / "out").rglob("*")) if p.is_file()]
    assert [str(p.relative_to(tmp_path / "out")) for p in written] == [
        "a.spacy",
        "sub/b.spacy",
    ]


def test_directory_with_the_suffix_of_a_file_is_no_file(
    tmp_path: Path, write: Write
) -> None:
    (tmp_path / "in" / "sub.txt").mkdir(parents=True)
    write("in/sub.txt/a.jsonl", SPANS)
    convert(tmp_path / "in", tmp_path / "out", unlabelled="missing")
    assert (tmp_path / "out" / "sub.txt" / "a.spacy").is_file()


def test_converter_picks_the_files_of_a_directory(tmp_path: Path, write: Write) -> None:
    (tmp_path / "in").mkdir()
    write("in/a.jsonl", SPANS)
    write("in/b.conll", "a O\n")
    convert(tmp_path / "in", tmp_path / "out", unlabelled="missing", converter="spans")
    assert [p.name for p in (tmp_path / "out").iterdir()] == ["a.spacy"]


def test_directory_is_not_converted_to_a_file(tmp_path: Path, write: Write) -> None:
    (tmp_path / "in").mkdir()
    write("in/a.jsonl", SPANS)
    with pytest.raises(ValueError, match=r"A316.*merged\.spacy.*Give a directory"):
        convert(tmp_path / "in", tmp_path / "merged.spacy", unlabelled="missing")
    assert not (tmp_path / "merged.spacy").exists()


def test_directory_goes_into_an_existing_one_with_a_dot_in_its_name(
    tmp_path: Path, write: Write
) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "v1.0").mkdir()
    write("in/a.jsonl", SPANS)
    convert(tmp_path / "in", tmp_path / "v1.0", unlabelled="missing")
    assert (tmp_path / "v1.0" / "a.spacy").exists()


def test_file_goes_into_an_existing_directory(tmp_path: Path, write: Write) -> None:
    (tmp_path / "v1.0").mkdir()
    convert(write("a.jsonl", SPANS), tmp_path / "v1.0", unlabelled="missing")
    assert (tmp_path / "v1.0" / "a.spacy").exists()


@pytest.mark.parametrize("names", [["a.jsonl"], ["a.jsonl", "a.conll"]])
def test_overwriting_an_input_or_an_output_is_an_error(
    names: list[str], tmp_path: Path, write: Write
) -> None:
    for name in names:
        write(name, SPANS)
    to = "spans" if len(names) == 1 else "spacy"
    with pytest.raises(ValueError, match="A315"):
        convert(tmp_path, tmp_path, unlabelled="missing", to=to)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"unlabelled": "maybe"}, "A310.*--unlabelled 'maybe'.*missing, outside"),
        ({"converter": "csv"}, "A310.*--converter 'csv'"),
        ({"to": "csv"}, "A310.*--to 'csv'"),
        ({"tag_scheme": "IOB"}, "A310.*--tag-scheme 'IOB'"),
        ({"alignment_mode": "loose"}, "A310.*--alignment-mode 'loose'"),
        ({"lang": "qqq"}, "A312.*'qqq'"),
    ],
)
def test_unknown_choice_is_an_error_that_names_the_choices(
    options: dict[str, str], message: str, tmp_path: Path, write: Write
) -> None:
    options = {"unlabelled": "missing", **options}
    with pytest.raises(ValueError, match=message):
        convert(write("a.jsonl", SPANS), tmp_path / "out.spacy", **options)


def test_language_that_lacks_a_package_is_an_error_that_names_it(
    tmp_path: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "sudachipy", None)
    with pytest.raises(ValueError, match=r"A312.*'ja'.*sudachipy"):
        convert(
            write("a.jsonl", SPANS),
            tmp_path / "a.spacy",
            unlabelled="outside",
            lang="ja",
        )


def test_missing_input_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"A303.*none\.jsonl"):
        convert(tmp_path / "none.jsonl", tmp_path / "out.spacy", unlabelled="missing")


def test_output_of_unknown_suffix_is_an_error(tmp_path: Path, write: Write) -> None:
    with pytest.raises(ValueError, match=r"A309.*out\.csv.*--to"):
        convert(write("a.jsonl", SPANS), tmp_path / "out.csv", unlabelled="missing")


def test_input_without_documents_is_an_error_with_the_first_problem(
    tmp_path: Path, write: Write
) -> None:
    path = write("a.jsonl", "no json\n{}\n")
    with pytest.raises(ValueError, match=r"A311.*2 records skipped.*line 1: \[W305\]"):
        convert(path, tmp_path / "out.spacy", unlabelled="missing")
    assert not (tmp_path / "out.spacy").exists()


def test_chinese_text_under_another_language_is_warned_of(
    tmp_path: Path, write: Write
) -> None:
    path = write("a.conll", "北 B-LOC\n京 I-LOC\n")
    with pytest.warns(UserWarning, match="W328.*--lang is 'en'"):
        convert(path, tmp_path / "a.spacy", unlabelled="missing")


@pytest.mark.parametrize("to", ["prodigy", "doccano", "label-studio"])
def test_states_that_a_format_cannot_hold_are_warned_of(
    to: str, mixed_doc: Doc, tmp_path: Path
) -> None:
    mixed_doc.spans.clear()
    write_docbin(tmp_path / "a.spacy", [mixed_doc])
    with pytest.warns(UserWarning, match="W326.*1 documents"):
        convert(tmp_path / "a.spacy", tmp_path / "out", to=to)


@pytest.mark.parametrize("to", ["conll", "doccano", "label-studio"])
def test_ruled_out_spans_that_a_format_cannot_hold_are_warned_of(
    to: str, mixed_doc: Doc, tmp_path: Path
) -> None:
    mixed_doc.set_ents(list(mixed_doc.ents), default="outside")
    write_docbin(tmp_path / "a.spacy", [mixed_doc])
    with pytest.warns(UserWarning, match="W327.*1 ruled-out"):
        convert(tmp_path / "a.spacy", tmp_path / "out", to=to)


def test_incorrect_spans_key_is_an_option(tmp_path: Path, write: Write) -> None:
    path = write(
        "a.jsonl", '{"text": "Ann", "spans": [[0, 3, "PER"]], "answer": "reject"}'
    )
    convert(path, tmp_path / "a.spacy", unlabelled="missing", incorrect_spans_key="no")
    (doc,) = read(tmp_path / "a.spacy")
    assert [span.text for span in doc.spans["no"]] == ["Ann"]


def test_array_of_a_line_format_is_read(tmp_path: Path, write: Write) -> None:
    path = write("a.json", '[{"text": "Ann met Bob", "label": [[0, 3, "PER"]]}]')
    summary = convert(path, tmp_path / "a.spacy", unlabelled="missing")
    assert summary.entities == {"PER": 1}


def test_array_of_prodigy_is_an_error_with_the_remedy(
    tmp_path: Path, write: Write
) -> None:
    path = write("a.json", '[{"text": "Ann", "spans": [], "answer": "reject"}]')
    with pytest.raises(ValueError, match=r"A324.*db-out"):
        convert(path, tmp_path / "a.spacy", unlabelled="missing")


def test_reading_stops_where_writing_fails(
    tmp_path: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr("spacy_adak.data.convert.write_docs", fail)
    (tmp_path / "out.spacy").write_text("old")
    with pytest.raises(OSError, match="No space"):
        convert(write("a.jsonl", SPANS), tmp_path / "out.spacy", unlabelled="missing")
    assert (tmp_path / "out.spacy").read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 2


def test_pipe_is_refused_because_files_are_read_twice(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.jsonl")
    with pytest.raises(ValueError, match=r"A509.*a\.jsonl"):
        convert(tmp_path / "a.jsonl", tmp_path / "a.spacy", unlabelled="missing")


def test_file_of_a_folder_whose_suffix_is_in_capitals_is_read(
    tmp_path: Path, write: Write
) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "A.JSONL").write_text(SPANS)
    convert(tmp_path / "in", tmp_path / "out", unlabelled="missing")
    assert [doc.text for doc in read(tmp_path / "out" / "A.spacy")] == ["Ann met Bob"]


@pytest.mark.parametrize("name", ["a.jsonl", "a.json", "a.conll", "a.spacy"])
@pytest.mark.parametrize("to", ["spacy", "spans", "conll", "label-studio"])
def test_few_documents_of_a_large_file_are_in_memory(
    name: str, to: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = 1000
    path = tmp_path / name
    if path.suffix == ".spacy":
        nlp = spacy.blank("en")
        docs = [nlp(f"Ann {i}") for i in range(count)]
        for doc in docs:
            doc.set_ents([Span(doc, 0, 1, label="PER")], default="missing")
        write_docbin(path, docs)
        del docs, doc
    elif path.suffix == ".conll":
        path.write_text("".join(f"Ann B-PER\n{i} O\n\n" for i in range(count)))
    else:
        spans = [{"start": 0, "end": 3, "label": "PER"}]
        records = [{"text": f"Ann {i}", "spans": spans} for i in range(count)]
        lines = [json.dumps(record) for record in records]
        is_jsonl = path.suffix == ".jsonl"
        path.write_text("\n".join(lines) if is_jsonl else f"[{','.join(lines)}]")
    written: list[weakref.ref[Doc]] = []
    most = 0

    def watched(docs: Iterable[Doc]) -> Iterator[Doc]:
        nonlocal most
        for doc in docs:
            written.append(weakref.ref(doc))
            yield doc
            most = max(most, sum(reference() is not None for reference in written))

    def write_watched(docs: Iterable[Doc], *args: Any) -> None:
        write_docs(watched(docs), *args)

    monkeypatch.setattr("spacy_adak.data.convert.write_docs", write_watched)
    unlabelled = None if path.suffix == ".spacy" else "missing"
    convert(path, tmp_path / "out", to=to, unlabelled=unlabelled)
    assert len(written) == count
    assert most < count / 2
