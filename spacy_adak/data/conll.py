"""Column files: a token and its tag on each line, a blank line after each sentence.

Read too: spaCy's `.iob` layout, a sentence a line, `token|tag` separated by spaces.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, islice
from pathlib import Path
from tempfile import TemporaryFile
from typing import NamedTuple, TextIO

from spacy.tokens import Doc
from spacy.vocab import Vocab

from ..crf.tags import OUTSIDE
from ..errors import Errors, Warnings
from .annotated_text import Unlabelled
from .files import read_lines
from .origins import without_estimates
from .sentences import (
    UNKNOWN,
    Row,
    Sentence,
    TagScheme,
    docs_of_sentences,
    is_tag,
)
from .summary import Place, Summary

DOCUMENT_START = "-DOCSTART-"
_BILUO_TO_BIOES = str.maketrans("LU", "ES")
# Not \s: tokens such as U+3000, the ideographic space, are the file's own.
_BLANKS = " \t"
# Of how many sentences the tokens are looked at.
_LOOKED_AT = 10
# Stands for the mark of a document. Every other line that is not blank has a tab.
_MARK = "start\n"


class _Columns(NamedTuple):
    """Where token, tag and, if there is one, the name of the document stand."""

    token: int
    tag: int
    document: int | None


def read_conll(
    path: Path,
    vocab: Vocab,
    *,
    unlabelled: Unlabelled,
    summary: Summary,
    token_column: int = 0,
    tag_column: int = -1,
    document_column: int | None = None,
    tag_scheme: TagScheme | None = None,
    n_sents: int = 1,
) -> Iterator[Doc]:
    """Read a column file, twice: first to see how it is made.

    path (Path): The file.
    vocab (Vocab): The vocabulary of the documents; its language decides whether
        there are spaces between tokens.
    unlabelled (str): What an O says: "outside" (not an entity) or "missing" (nobody
        looked). The tags -, ? and _ are always missing.
    summary (Summary): Where problems are noted.
    token_column (int): The column of the token, from 0; negative from the end.
    tag_column (int): The column of the tag, from 0; negative from the end.
    document_column (int | None): The column of the document's name, from 0; negative
        from the end. A document starts where the name changes.
    tag_scheme (str | None): "IOB1", "BIO", "BILUO" or "BIOES"; None finds out.
    n_sents (int): How many sentences make a document, 0 for all of the file. A file
        that marks its documents by -DOCSTART- lines or names keeps them.
    RETURNS (Iterator[Doc]): The documents, with the file's own tokens.
    """
    if len({token_column, tag_column, document_column}) < 3:
        column = token_column if token_column == tag_column else document_column
        raise ValueError(Errors.A304.format(column=column))
    columns = _Columns(token_column, tag_column, document_column)
    if _has_counts_for_tokens(path, columns):
        raise ValueError(Errors.A330.format(column=token_column, path=path))
    return docs_of_sentences(
        partial(_read_sentences, path, columns),
        vocab,
        unlabelled=unlabelled,
        summary=summary,
        tag_scheme=tag_scheme,
        n_sents=n_sents,
    )


def _has_counts_for_tokens(path: Path, columns: _Columns) -> bool:
    """Whether the column of tokens counts them, by the sentence as the first one of
    CoNLL-U does, or through the file."""
    counted, following = 0, 1
    for sentence in islice(_read_sentences(path, columns, Summary()), _LOOKED_AT):
        # The names of columns are no tags.
        tokens = [row.token for row in sentence.rows if is_tag(row.tag, "BILUES")]
        if not tokens:
            continue
        if tokens[0] not in ("0", "1", str(following)):
            return False
        first, following = int(tokens[0]), int(tokens[0]) + len(tokens)
        if tokens != [str(number) for number in range(first, following)]:
            return False
        counted += len(tokens) > 1
    return counted > 0


def _read_sentences(path: Path, at: _Columns, summary: Summary) -> Iterator[Sentence]:
    """The sentences of a file. One with a line that has no token or no tag is left
    out as a whole, for a text with a hole in it is another text."""
    rows: list[Row] = []
    first_line: int | None = None
    starts_document = broken = False
    document: str | None = None
    for line, columns in chain(_read_columns(read_lines(path)), [(0, None)]):
        name = _document(columns, at) if columns is not None else document
        ends = columns is None or columns[0] == DOCUMENT_START
        if ends or (name != document and rows):
            if rows and not broken:
                yield Sentence(Place(path, first_line or 0), rows, starts_document)
                starts_document = False
            rows, first_line, broken = [], None, False
        starts_document |= name != document
        document = name
        if columns is None or ends:
            starts_document |= columns is not None
            continue
        first_line = first_line or line
        place = Place(path, first_line)
        try:
            token, tag = columns[at.token], columns[at.tag]
        except IndexError:
            token, tag = "", ""
        if not tag or (at.token - at.tag) % len(columns) == 0:
            broken = True
            message = Warnings.W302.format(
                count=len(columns), token_column=at.token, tag_column=at.tag
            )
            summary.add_problem(place, "skipped", message, line)
        elif columns[0] == "#" and not is_tag(tag, "BILUES"):
            continue  # a comment, as in CoNLL-U
        elif not token.strip(_BLANKS):
            summary.add_problem(place, "repaired", Warnings.W304.format(), line)
        else:
            rows.append(Row(token, tag, line))


def _document(columns: Sequence[str], at: _Columns) -> str | None:
    """The name of the document that a line is of, if it has one."""
    try:
        return None if at.document is None else columns[at.document]
    except IndexError:  # a line that is too short for token or tag as well, or a mark
        return None


def _read_columns(lines: Iterable[str]) -> Iterator[tuple[int, list[str] | None]]:
    """The columns of each token with their line, and None after each sentence."""
    sentence_per_line: bool | None = None
    for number, line in enumerate(lines, start=1):
        line = line.rstrip(_BLANKS)
        if not line:
            yield number, None
            continue
        if sentence_per_line is None:
            parts = line.split()
            sentence_per_line = bool(parts) and all("|" in p.strip("|") for p in parts)
        if sentence_per_line:
            for token in line.split():
                yield number, token.split("|")
            yield number, None
        elif "\t" in line:
            yield number, line.split("\t")
        else:
            yield number, re.split(" +", line) if "  " in line else line.split(" ")


def write_conll(
    docs: Iterable[Doc], file: TextIO, tag_scheme: TagScheme = "BIO"
) -> None:
    """Write documents as a column file: token, tab, tag. -DOCSTART- lines part the
    documents if one of them has more than one sentence.

    docs (Iterable[Doc]): The documents. Whitespace tokens are left out, and so are
        estimated and guessed entities, whose tokens are missing.
    file (TextIO): The file.
    tag_scheme (str): "IOB1", "BIO", "BILUO" or "BIOES"; missing is written "-".
    """
    # Whether documents are marked is known when all are.
    with TemporaryFile("w+", encoding="utf8", newline="\n") as unmarked:
        is_marked = False
        for doc in docs:
            sentences = _to_sentences(doc, tag_scheme)
            is_marked |= len(sentences) > 1
            unmarked.write(_MARK)
            unmarked.writelines(sentence + "\n" for sentence in sentences)
        unmarked.seek(0)
        start = f"{DOCUMENT_START}\t{OUTSIDE}\n\n" if is_marked else ""
        file.writelines(start if line == _MARK else line for line in unmarked)


def _to_sentences(doc: Doc, tag_scheme: TagScheme) -> list[str]:
    """The lines of each sentence. None ends within an entity."""
    doc = without_estimates(doc)
    tokens = [token for token in doc if token.text.strip(_BLANKS + "\r\n")]
    tags = {t.i: OUTSIDE if t.ent_iob == 2 else UNKNOWN[0] for t in tokens}
    for ent in doc.ents:
        _check_writable("label", ent.label_, doc)
        inside = [token for token in ent if token.i in tags]
        before = doc[ent.start - 1].ent_type if ent.start else 0
        prefixes = _prefixes(len(inside), tag_scheme, before == ent.label)
        for token, prefix in zip(inside, prefixes, strict=False):
            tags[token.i] = f"{prefix}-{ent.label_}"
    sentences: list[str] = []
    has_sentences = doc.has_annotation("SENT_START")
    for token in tokens:
        _check_writable("token", token.text, doc)
        starts = has_sentences and token.is_sent_start and token.ent_iob_ != "I"
        if starts or not sentences:
            sentences.append("")
        sentences[-1] += f"{token.text}\t{tags[token.i]}\n"
    return sentences


def _check_writable(kind: str, value: str, doc: Doc) -> None:
    if re.search(r"[\t\r\n]", value):
        text = doc.text[:50]
        raise ValueError(Errors.A305.format(kind=kind, value=value, text=text))


def _prefixes(length: int, tag_scheme: TagScheme, after_same_type: bool) -> str:
    """The prefixes of an entity's tags."""
    if tag_scheme == "IOB1":
        return ("B" if after_same_type else "I") + "I" * (length - 1)
    if tag_scheme == "BIO":
        return "B" + "I" * (length - 1)
    biluo = "U" if length == 1 else "B" + "I" * (length - 2) + "L"
    return biluo if tag_scheme == "BILUO" else biluo.translate(_BILUO_TO_BIOES)
