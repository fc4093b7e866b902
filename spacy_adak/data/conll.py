"""Column files: a token and its tag on each line, a blank line after each sentence.

Read too: spaCy's `.iob` layout, a sentence a line, `token|tag` separated by spaces.
"""

import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, pairwise
from pathlib import Path
from typing import Literal, NamedTuple

from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from ..crf.tags import OUTSIDE, LabelledSpan, may_follow, split_tag, tags_to_spans
from ..errors import Errors, Warnings
from .annotated_text import Unlabelled, stretches
from .files import read_lines
from .origins import without_estimates
from .summary import Place, Summary

TagScheme = Literal["IOB1", "BIO", "BILUO", "BIOES"]
PREFIXES = {"IOB1": "BI", "BIO": "BI", "BILUO": "BILU", "BIOES": "BIES"}
UNKNOWN = ("-", "?", "_")
DOCUMENT_START = "-DOCSTART-"
LANGUAGES_WITHOUT_SPACES = ("bo", "ja", "th", "zh")
_BIOES_TO_BILUO = str.maketrans("ES", "LU")
_BILUO_TO_BIOES = str.maketrans("LU", "ES")
# Not \s: tokens such as U+3000, the ideographic space, are the file's own.
_BLANKS = " \t"
# A file has few tags, but many of each.
_may_follow = lru_cache(maxsize=4096)(may_follow)


class Row(NamedTuple):
    """A token with its tag, and the line both are on."""

    token: str
    tag: str
    line: int


@dataclass
class Sentence:
    """The rows of a sentence, and whether a document starts with it."""

    place: Place
    rows: list[Row]
    starts_document: bool


class _Columns(NamedTuple):
    """Where token, tag and, if there is one, the name of the document stand."""

    token: int
    tag: int
    document: int | None


class _Layout(NamedTuple):
    """What a file shows only as a whole."""

    scheme: TagScheme
    has_documents: bool


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
    YIELDS (Doc): The documents, with the file's own tokens.
    """
    if len({token_column, tag_column, document_column}) < 3:
        column = token_column if token_column == tag_column else document_column
        raise ValueError(Errors.A304.format(column=column))
    columns = _Columns(token_column, tag_column, document_column)
    layout = _find_layout(_read_sentences(path, columns, Summary()))
    if layout.has_documents and n_sents > 1:
        warnings.warn(Warnings.W303.format(n_sents=n_sents), stacklevel=2)
    scheme = tag_scheme or layout.scheme
    sentences = _read_sentences(path, columns, summary)
    for group in _group(sentences, layout.has_documents, n_sents):
        yield _make_doc(group, vocab, scheme, unlabelled, summary)


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
        elif columns[0] == "#" and not _is_tag(tag, "BILUES"):
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


@lru_cache(maxsize=4096)
def _is_tag(tag: str, prefixes: str) -> bool:
    prefix, entity_type = split_tag(tag)
    if tag == OUTSIDE or tag in UNKNOWN:
        return True
    return len(prefix) == 1 and prefix in prefixes and bool(entity_type)


def _find_layout(sentences: Iterable[Sentence]) -> _Layout:
    """The scheme of a file, and whether it marks its documents."""
    has_documents = False
    pairs: set[tuple[str, str]] = set()
    for sentence in sentences:
        has_documents |= sentence.starts_document
        tags = [row.tag for row in sentence.rows if _is_tag(row.tag, "BILUES")]
        pairs.update(pairwise([OUTSIDE, *tags]))
    return _Layout(_find_scheme(pairs), has_documents)


def _find_scheme(pairs: Iterable[tuple[str, str]]) -> TagScheme:
    """The scheme of the pairs of tags that follow each other. IOB1 is where every B-
    parts two entities of a type."""
    prefixes = set()
    b_starts_an_entity = i_starts_an_entity = False
    for left, right in pairs:
        prefix, entity_type = split_tag(right)
        prefixes.add(prefix)
        starts = bool(entity_type) and split_tag(left)[1] != entity_type
        b_starts_an_entity |= starts and prefix == "B"
        i_starts_an_entity |= starts and prefix == "I"
    if prefixes & {"L", "U"}:
        return "BILUO"
    if prefixes & {"E", "S"}:
        return "BIOES"
    return "IOB1" if i_starts_an_entity and not b_starts_an_entity else "BIO"


def _group(
    sentences: Iterable[Sentence], has_documents: bool, n_sents: int
) -> Iterator[list[Sentence]]:
    """The sentences of each document."""
    group: list[Sentence] = []
    for sentence in sentences:
        is_full = 0 < n_sents <= len(group)
        if group and (sentence.starts_document if has_documents else is_full):
            yield group
            group = []
        group.append(sentence)
    if group:
        yield group


def _make_doc(
    sentences: list[Sentence],
    vocab: Vocab,
    scheme: TagScheme,
    unlabelled: Unlabelled,
    summary: Summary,
) -> Doc:
    words: list[str] = []
    sent_starts: list[bool | int | None] = []
    entities: list[LabelledSpan] = []
    unknown: list[int] = []
    for sentence in sentences:
        offset = len(words)
        words += [row.token for row in sentence.rows]
        sent_starts += [True] + [False] * (len(sentence.rows) - 1)
        tags = _readable_tags(sentence, scheme, summary)
        unknown += [offset + i for i, tag in enumerate(tags) if tag in UNKNOWN]
        entities += [
            LabelledSpan(offset + start, offset + end, label)
            for start, end, label in _read_entities(sentence, tags, scheme, summary)
        ]
    # None says that the spaces are unknown: spaCy then keeps the tokens in training.
    spaces = [False] * len(words) if vocab.lang in LANGUAGES_WITHOUT_SPACES else None
    doc = Doc(vocab, words=words, spaces=spaces, sent_starts=sent_starts)
    doc.set_ents(
        [Span(doc, start, end, label=label) for start, end, label in entities],
        missing=[doc[start:end] for start, end in stretches(unknown)],
        default=unlabelled,
    )
    return doc


def _readable_tags(
    sentence: Sentence, scheme: TagScheme, summary: Summary
) -> list[str]:
    """The tags of a sentence, with unknown for those that are none of the scheme."""
    tags = []
    for row in sentence.rows:
        if _is_tag(row.tag, PREFIXES[scheme]):
            tags.append(row.tag)
        else:
            message = Warnings.W301.format(tag=row.tag, token=row.token, scheme=scheme)
            summary.add_problem(sentence.place, "repaired", message, row.line)
            tags.append(UNKNOWN[0])
    return tags


def _read_entities(
    sentence: Sentence, tags: Sequence[str], scheme: TagScheme, summary: Summary
) -> list[LabelledSpan]:
    """The entities of a sentence, illegal tags read as conlleval reads them."""
    tags = [OUTSIDE if tag in UNKNOWN else tag for tag in tags]
    if scheme == "BIOES":
        tags = [tag[0].translate(_BIOES_TO_BILUO) + tag[1:] for tag in tags]
    crf_scheme = "BILUO" if "L" in PREFIXES[scheme] or scheme == "BIOES" else "BIO"
    if scheme != "IOB1":  # where every order of tags is legal
        ends = [None, *tags, None]
        for i, (left, right) in enumerate(pairwise(ends)):
            if not _may_follow(left, right, crf_scheme):
                row = sentence.rows[min(i, len(tags) - 1)]
                message = Warnings.W307.format(
                    left=left or "the start",
                    right=right or "the end",
                    scheme=crf_scheme,
                    token=row.token,
                )
                summary.add_problem(sentence.place, "repaired", message, row.line)
    return tags_to_spans(tags, crf_scheme, illegal="repair")


def to_conll(docs: Sequence[Doc], tag_scheme: TagScheme = "BIO") -> str:
    """Write documents as a column file: token, tab, tag.

    docs (Sequence[Doc]): The documents. Whitespace tokens are left out, and so are
        estimated and guessed entities, whose tokens are missing.
    tag_scheme (str): "IOB1", "BIO", "BILUO" or "BIOES"; missing is written "-".
    RETURNS (str): The content of the file. -DOCSTART- lines part the documents if one
        of them has more than one sentence.
    """
    written = [_to_sentences(doc, tag_scheme) for doc in docs]
    marked = any(len(sentences) > 1 for sentences in written)
    start = f"{DOCUMENT_START}\t{OUTSIDE}\n\n" if marked else ""
    return "".join(
        start + "".join(sentence + "\n" for sentence in sentences)
        for sentences in written
    )


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
