from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc, Span

from spacy_adak.data.conll import TagScheme, read_conll, write_conll
from spacy_adak.data.summary import Summary

Write = Callable[[str, str], Path]


def to_conll(docs: list[Doc], tag_scheme: TagScheme = "BIO") -> str:
    file = StringIO()
    write_conll(docs, file, tag_scheme)
    return file.getvalue()


def entities(docs: list[Doc]) -> list[tuple[str, str]]:
    return [(ent.text, ent.label_) for doc in docs for ent in doc.ents]


def read(path: Path, nlp: Language, **options: object) -> tuple[list[Doc], Summary]:
    summary = Summary()
    options = {"unlabelled": "outside", **options}
    return list(read_conll(path, nlp.vocab, summary=summary, **options)), summary


def test_blank_lines_part_sentences(nlp: Language, write: Write) -> None:
    docs, _ = read(write("a.conll", "A O\nB O\n\nC O\n"), nlp)
    assert [[t.text for t in doc] for doc in docs] == [["A", "B"], ["C"]]


def test_several_blank_lines_make_no_empty_sentence(
    nlp: Language, write: Write
) -> None:
    docs, _ = read(write("a.conll", "\n\nA O\n\n\n\nB O\n\n\n"), nlp)
    assert [len(doc) for doc in docs] == [1, 1]


@pytest.mark.parametrize("mark", ["-", "?", "_"])
def test_unknown_tags_are_missing(mark: str, nlp: Language, write: Write) -> None:
    docs, summary = read(write("a.conll", f"A O\nB {mark}\nC B-X\n"), nlp)
    assert [t.ent_iob_ for t in docs[0]] == ["O", "", "B"]
    assert not summary.problems


def test_a_dash_token_is_a_token(nlp: Language, write: Write) -> None:
    docs, _ = read(write("a.conll", "- O\n- -\n"), nlp)
    assert [(t.text, t.ent_iob_) for t in docs[0]] == [("-", "O"), ("-", "")]


def test_o_is_missing_where_unlabelled_is(nlp: Language, write: Write) -> None:
    path = write("a.conll", "A O\nB B-X\n")
    docs, _ = read(path, nlp, unlabelled="missing")
    assert [t.ent_iob_ for t in docs[0]] == ["", "B"]


def test_crlf_and_bom_are_no_part_of_tokens_or_tags(
    nlp: Language, write: Write
) -> None:
    docs, _ = read(write("a.conll", "\ufeffA B-X\r\nB O\r\n\r\nC B-X\r\n"), nlp)
    assert entities(docs) == [("A", "X"), ("C", "X")]


def test_ideographic_space_is_a_token(write: Write) -> None:
    docs, summary = read(write("a.conll", "书 O\n\u3000 O\n店 O\n"), spacy.blank("zh"))
    assert [t.text for t in docs[0]] == ["书", "\u3000", "店"]
    assert not summary.problems


def test_chinese_tokens_have_no_spaces_between_them(write: Write) -> None:
    docs, _ = read(write("a.conll", "书 O\n店 O\n"), spacy.blank("zh"))
    assert docs[0].text == "书店"


def test_english_tokens_have_unknown_spaces(nlp: Language, write: Write) -> None:
    docs, _ = read(write("a.conll", "ca O\nn't O\n"), nlp)
    assert docs[0].has_unknown_spaces


def test_token_and_tag_come_from_the_columns_asked_for(
    nlp: Language, write: Write
) -> None:
    path = write("a.conll", "1 B-X Acme NNP\n2 O grew VBD\n")
    docs, _ = read(path, nlp, token_column=2, tag_column=1)
    assert entities(docs) == [("Acme", "X")]
    assert docs[0][1].text == "grew"


def test_tabs_part_columns_so_that_tokens_may_hold_spaces(
    nlp: Language, write: Write
) -> None:
    docs, _ = read(write("a.tsv", "New York\tB-LOC\nis\tO\n"), nlp)
    assert docs[0][0].text == "New York"


@pytest.mark.parametrize(
    "text",
    [
        "id\ttoken\ttag\n1\tAcme\tB-ORG\n2\tgrew\tO\n",  # a header
        "0\tOh\tO\n\n1\tIt\tO\n2\trained\tO\n",  # through the file
        "1\tIt\tO\n2\trained\tO\n\n3\tOh\tO\n4\tno\tO\n",
    ],
)
def test_counts_are_found_below_a_header_and_through_the_file(
    nlp: Language, write: Write, text: str
) -> None:
    with pytest.raises(ValueError, match=r"A330.*--token-column"):
        read(write("a.tsv", text), nlp)
    docs, _ = read(write("a.tsv", text), nlp, token_column=1)
    assert docs[-1][-1].text in ("grew", "rained", "no")


@pytest.mark.parametrize("first", [0, 1])
def test_column_that_counts_tokens_is_not_taken_for_them(
    nlp: Language, write: Write, first: int
) -> None:
    lines = [f"{first + i}\t{word}\tO" for i, word in enumerate(["It", "rained"])]
    path = write("a.conll", "\n".join([f"{first}\tOh\tO", "", *lines, ""]))
    with pytest.raises(ValueError, match=r"A330.*--token-column"):
        read(path, nlp)
    docs, _ = read(path, nlp, token_column=1)
    assert [doc.text.split() for doc in docs] == [["Oh"], ["It", "rained"]]


def test_numbers_are_tokens(nlp: Language, write: Write) -> None:
    docs, _ = read(write("a.conll", "1 O\n\n1 O\n9 O\n"), nlp)
    assert [len(doc) for doc in docs] == [1, 2]


def test_same_column_for_token_and_tag_is_an_error(nlp: Language, write: Write) -> None:
    with pytest.raises(ValueError, match=r"A304.*column 0"):
        read(write("a.conll", "A O\n"), nlp, token_column=0, tag_column=0)


@pytest.mark.parametrize(
    ("scheme", "tags"),
    [
        ("IOB1", ["I-X", "B-X", "I-X", "O", "I-Y", "I-X"]),
        ("BIO", ["B-X", "B-X", "I-X", "O", "B-Y", "B-X"]),
        ("BILUO", ["U-X", "B-X", "L-X", "O", "U-Y", "U-X"]),
        ("BIOES", ["S-X", "B-X", "E-X", "O", "S-Y", "S-X"]),
    ],
)
def test_scheme_is_found_and_read(
    scheme: str, tags: list[str], nlp: Language, write: Write
) -> None:
    lines = [f"{word} {tag}" for word, tag in zip("abcdef", tags, strict=True)]
    docs, summary = read(write("a.conll", "\n".join(lines)), nlp)
    expected = [("a", "X"), ("b c", "X"), ("e", "Y"), ("f", "X")]
    assert entities(docs) == expected
    assert not summary.problems
    assert to_conll(docs, scheme) == "\n".join(lines).replace(" ", "\t") + "\n\n"


def test_illegal_tag_order_is_repaired_and_named_by_line(
    nlp: Language, write: Write
) -> None:
    path = write("a.conll", "a B-X\nb O\n\nc O\nd I-X\n")
    docs, summary = read(path, nlp)
    assert entities(docs) == [("a", "X"), ("d", "X")]
    assert [(p.line, p.outcome) for p in summary.problems] == [(5, "repaired")]
    assert str(summary.problems[0]).startswith(f"{path}, line 5: [W307] 'I-X' after")


def test_illegal_end_of_a_biluo_sentence_is_repaired(
    nlp: Language, write: Write
) -> None:
    docs, summary = read(write("a.conll", "a U-X\nb B-X\n"), nlp)
    assert entities(docs) == [("a", "X"), ("b", "X")]
    assert [p.line for p in summary.problems] == [2]


def test_unreadable_tag_is_unknown(nlp: Language, write: Write) -> None:
    docs, summary = read(write("a.conll", "a B-X\nb PER\nc O\n"), nlp)
    assert [t.ent_iob_ for t in docs[0]] == ["B", "", "O"]
    assert [(p.line, p.outcome) for p in summary.problems] == [(2, "repaired")]


@pytest.mark.parametrize("bad", ["b", "b\t"])
def test_sentence_with_a_line_without_tag_is_skipped(
    bad: str, nlp: Language, write: Write
) -> None:
    docs, summary = read(write("a.conll", f"a O\n{bad}\n\nc O\n"), nlp)
    assert [doc.text.strip() for doc in docs] == ["c"]
    assert [(p.record.line, p.line, p.outcome) for p in summary.problems] == [
        (1, 2, "skipped")
    ]


def test_line_with_a_blank_token_is_left_out(nlp: Language, write: Write) -> None:
    docs, summary = read(write("a.conll", "a B-X\n  I-X\nb I-X\n"), nlp)
    assert entities(docs) == [("a b", "X")]
    assert [(p.line, p.outcome) for p in summary.problems] == [(2, "repaired")]


def test_comment_lines_are_no_tokens(nlp: Language, write: Write) -> None:
    docs, summary = read(write("a.conll", "# id 7 domain=en\na O\n# O\n"), nlp)
    assert [t.text for t in docs[0]] == ["a", "#"]
    assert not summary.problems


def test_n_sents_groups_sentences_and_keeps_their_bounds(
    nlp: Language, write: Write
) -> None:
    path = write("a.conll", "a O\nb O\n\nc O\n\nd O\n")
    docs, _ = read(path, nlp, n_sents=2)
    assert [[len(sent) for sent in doc.sents] for doc in docs] == [[2, 1], [1]]


def test_n_sents_0_makes_one_document(nlp: Language, write: Write) -> None:
    docs, _ = read(write("a.conll", "a O\n\nb O\n\nc O\n"), nlp, n_sents=0)
    assert [len(list(doc.sents)) for doc in docs] == [3]


def test_docstart_lines_part_documents(nlp: Language, write: Write) -> None:
    start = "-DOCSTART- -X- O O\n\n"
    path = write("a.conll", f"{start}a x x O\n\nb x x O\n\n{start}c x x O\n")
    docs, _ = read(path, nlp)
    assert [[t.text for t in doc] for doc in docs] == [["a", "b"], ["c"]]


def test_docstart_lines_win_over_n_sents_with_a_warning(
    nlp: Language, write: Write
) -> None:
    path = write("a.conll", "-DOCSTART- O\n\na O\n\nb O\n")
    with pytest.warns(UserWarning, match="W303"):
        docs, _ = read(path, nlp, n_sents=10)
    assert len(docs) == 1


def test_sentence_per_line_layout_of_spacy(nlp: Language, write: Write) -> None:
    path = write(
        "a.iob", "I|PRP|O like|VBP|- New|NNP|B-LOC York|NNP|I-LOC\n\nOk|UH|O\n"
    )
    docs, summary = read(path, nlp)
    assert entities(docs) == [("New York", "LOC")]
    assert [t.ent_iob_ for t in docs[0]][:2] == ["O", ""]
    assert len(docs) == 2
    assert not summary.problems


@pytest.mark.parametrize("scheme", ["IOB1", "BIO", "BILUO", "BIOES"])
def test_round_trip_keeps_what_is_known(
    scheme: str,
    mixed_doc: Doc,
    nlp: Language,
    write: Write,
    known: Callable[[Doc], list[str]],
) -> None:
    path = write("a.conll", to_conll([mixed_doc], scheme))
    docs, summary = read(path, nlp, tag_scheme=scheme)
    assert [t.text for t in docs[0]] == [t.text for t in mixed_doc]
    assert known(docs[0]) == known(mixed_doc)
    assert not summary.problems


def test_round_trip_keeps_documents_and_sentences(nlp: Language, write: Write) -> None:
    path = write("a.conll", "a O\nb B-X\n\nc O\n\nd O\n\ne B-X\n")
    docs, _ = read(path, nlp, n_sents=2)
    again, _ = read(write("b.conll", to_conll(docs)), nlp)
    assert [[s.text for s in doc.sents] for doc in again] == [
        [s.text for s in doc.sents] for doc in docs
    ]


def test_writing_leaves_whitespace_tokens_out(nlp: Language) -> None:
    doc = nlp("a \n b")
    doc.set_ents([], default="outside")
    assert to_conll([doc]) == "a\tO\nb\tO\n\n"


def test_writing_does_not_part_an_entity(nlp: Language) -> None:
    doc = Doc(nlp.vocab, words=["a", "b", "c"], sent_starts=[True, True, True])
    doc.set_ents([Span(doc, 0, 2, label="X")], default="outside")
    assert "a\tB-X\nb\tI-X\n\nc\tO" in to_conll([doc])


def test_writing_a_token_with_a_tab_is_an_error(nlp: Language) -> None:
    doc = Doc(nlp.vocab, words=["a\tb"])
    with pytest.raises(ValueError, match="A305"):
        to_conll([doc])


def test_writing_a_label_with_a_line_end_is_an_error(nlp: Language) -> None:
    doc = Doc(nlp.vocab, words=["a"])
    doc.set_ents([Span(doc, 0, 1, label="X\nY")], default="outside")
    with pytest.raises(ValueError, match=r"A305.*label 'X\\nY'"):
        to_conll([doc])


@pytest.mark.parametrize("column", [0, -3])
def test_document_starts_where_its_name_changes(
    column: int, nlp: Language, write: Write
) -> None:
    text = "d1 A B-X\nd1 B O\n\nd1 C O\nd2 D B-X\n\nd2 E O\n"
    path = write("a.conll", text)
    docs, summary = read(path, nlp, token_column=1, document_column=column)
    assert [[t.text for t in doc] for doc in docs] == [["A", "B", "C"], ["D", "E"]]
    assert [sum(t.is_sent_start for t in doc) for doc in docs] == [2, 2]
    assert not summary.problems


def test_document_column_cannot_be_that_of_the_token(
    nlp: Language, write: Write
) -> None:
    with pytest.raises(ValueError, match=r"A304.*column 0"):
        read(write("a.conll", "A O\n"), nlp, document_column=0)


def test_documents_are_marked_in_a_file_if_one_has_several_sentences(
    nlp: Language,
) -> None:
    docs = [Doc(nlp.vocab, words=["start"]), Doc(nlp.vocab, words=["b", "c"])]
    docs[1][1].is_sent_start = True
    mark = "-DOCSTART-\tO\n\n"
    assert to_conll(docs) == f"{mark}start\t-\n\n{mark}b\t-\n\nc\t-\n\n"
