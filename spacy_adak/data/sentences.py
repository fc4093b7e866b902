"""Sentences of tokens with a tag each, from any kind of file.

The scheme of the tags is detected from the whole file, so the file is read twice.
"""

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple

from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from ..crf.tags import OUTSIDE, LabelledSpan, may_follow, split_tag, tags_to_spans
from ..errors import Warnings
from .annotated_text import Unlabelled
from .summary import Place, Summary
from .token_stretches import stretches

TagScheme = Literal["IOB1", "BIO", "BILUO", "BIOES"]
PREFIXES = {"IOB1": "BI", "BIO": "BI", "BILUO": "BILU", "BIOES": "BIES"}
UNKNOWN = ("-", "?", "_")
LANGUAGES_WITHOUT_SPACES = ("bo", "ja", "th", "zh")
_BIOES_TO_BILUO = str.maketrans("ES", "LU")
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


class _Layout(NamedTuple):
    """What a file shows only as a whole."""

    scheme: TagScheme
    has_documents: bool


def docs_of_sentences(
    read: Callable[[Summary], Iterator[Sentence]],
    vocab: Vocab,
    *,
    unlabelled: Unlabelled,
    summary: Summary,
    tag_scheme: TagScheme | None = None,
    n_sents: int = 1,
) -> Iterator[Doc]:
    """Make documents of sentences.

    read (Callable[[Summary], Iterator[Sentence]]): Reads the sentences, and notes
        problems in the summary it is given.
    vocab (Vocab): The vocabulary of the documents; its language decides whether
        there are spaces between tokens.
    unlabelled (str): What an O says: "outside" (not an entity) or "missing" (nobody
        looked). The tags -, ? and _ are always missing.
    summary (Summary): Where problems are noted.
    tag_scheme (str | None): "IOB1", "BIO", "BILUO" or "BIOES"; None finds out.
    n_sents (int): How many sentences make a document, 0 for all of the file. Documents
        that the file marks are kept.
    YIELDS (Doc): The documents, with the file's own tokens.
    """
    layout = _find_layout(read(Summary()))
    if layout.has_documents and n_sents > 1:
        warnings.warn(Warnings.W303.format(n_sents=n_sents), stacklevel=2)
    scheme = tag_scheme or layout.scheme
    for group in _group(read(summary), layout.has_documents, n_sents):
        yield _make_doc(group, vocab, scheme, unlabelled, summary)


@lru_cache(maxsize=4096)
def is_tag(tag: str, prefixes: str) -> bool:
    """RETURNS (bool): Whether a tag is O, unknown, or an entity type after a prefix."""
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
        tags = [row.tag for row in sentence.rows if is_tag(row.tag, "BILUES")]
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
        if is_tag(row.tag, PREFIXES[scheme]):
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
