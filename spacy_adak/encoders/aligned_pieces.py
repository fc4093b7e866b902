"""The pieces that a transformer reads of texts, and which tokens they are part of."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy
from spacy.attrs import IDX
from spacy.tokens import Doc, Span
from spacy_transformers.align import get_alignment


class Window(NamedTuple):
    """What a transformer reads at a time.

    ids (list[int]): The pieces, special ones included.
    types (list[int]): The type of each, if the transformer has types.
    """

    ids: list[int]
    types: list[int]


class Pieces(NamedTuple):
    """The pieces of texts.

    windows (list[Window]): One after the other, text by text.
    pieces (ndarray): Pieces of tokens, token by token, by their places in all windows.
    lengths (ndarray): How many there are of each token.
    truncated (set[int]): The texts that have windows with more pieces than the
        transformer reads.
    """

    windows: list[Window]
    pieces: numpy.ndarray
    lengths: numpy.ndarray
    truncated: set[int]


def cut(
    docs: Sequence[Doc], spans_per_doc: Sequence[Sequence[Span]], tokenizer: Any
) -> Pieces:
    """Cut texts into pieces.

    docs (Sequence[Doc]): The texts.
    spans_per_doc (Sequence[Sequence[Span]]): Their windows.
    tokenizer (PreTrainedTokenizerBase): The tokenizer of the transformer.
    RETURNS (Pieces): The pieces.
    """
    places = [(d, span) for d, spans in enumerate(spans_per_doc) for span in spans]
    encoded = tokenizer(
        [span.text for _, span in places],
        return_attention_mask=False,
        return_offsets_mapping=tokenizer.is_fast,
        # Windows that are too long are cut below.
        verbose=False,
    )
    limit = tokenizer.model_max_length
    types = encoded.get("token_type_ids") or [[]] * len(places)
    windows = [
        Window(ids[:limit], kinds[:limit])
        for ids, kinds in zip(encoded["input_ids"], types, strict=True)
    ]
    n_tokens = sum(map(len, docs))
    if tokenizer.is_fast:
        offsets = [each[:limit] for each in encoded["offset_mapping"]]
        tokens, pieces = _pairs_by_characters(docs, places, offsets)
    else:
        tokens, pieces = _pairs_by_strings(docs, places, windows, tokenizer)
    order = numpy.lexsort((pieces, tokens))
    return Pieces(
        windows,
        pieces[order],
        numpy.bincount(tokens, minlength=n_tokens).astype("i"),
        {
            doc
            for (doc, _), ids in zip(places, encoded["input_ids"], strict=True)
            if len(ids) >= limit
        },
    )


def _pairs_by_characters(
    docs: Sequence[Doc],
    places: Sequence[tuple[int, Span]],
    offsets: Sequence[list[tuple[int, int]]],
) -> tuple[numpy.ndarray, numpy.ndarray]:
    """Tokens and pieces that have characters in common. The space after a token counts
    as part of it.

    docs (Sequence[Doc]): The texts.
    places (Sequence[tuple[int, Span]]): The windows, with the texts they are from.
    offsets (Sequence[list[tuple[int, int]]]): Where pieces start and end in them.
    RETURNS (tuple[ndarray, ndarray]): Tokens and pieces by number, in pairs.
    """
    # As if the texts were one.
    text_starts = numpy.cumsum([0, *(len(doc.text) + 1 for doc in docs)])
    token_starts = numpy.concatenate(
        [
            start + doc.to_array([IDX]).reshape(-1).astype("int64")
            for start, doc in zip(text_starts[:-1], docs, strict=True)
        ]
    )
    window_starts = [text_starts[doc] + span.start_char for doc, span in places]
    bounds = numpy.array([pair for each in offsets for pair in each]).reshape(-1, 2)
    shifts = numpy.repeat(window_starts, [len(each) for each in offsets])
    # Special pieces have no characters.
    (pieces,) = numpy.nonzero(bounds[:, 0] < bounds[:, 1])
    bounds = bounds[pieces] + shifts[pieces, None]
    first = numpy.searchsorted(token_starts, bounds[:, 0], side="right") - 1
    last = numpy.searchsorted(token_starts, bounds[:, 1] - 1, side="right") - 1
    counts = last - first + 1
    within = numpy.arange(counts.sum()) - numpy.repeat(counts.cumsum() - counts, counts)
    return numpy.repeat(first, counts) + within, numpy.repeat(pieces, counts)


def _pairs_by_strings(
    docs: Sequence[Doc],
    places: Sequence[tuple[int, Span]],
    windows: Sequence[Window],
    tokenizer: Any,
) -> tuple[numpy.ndarray, numpy.ndarray]:
    """The same for a tokenizer that does not tell where pieces start."""
    token_starts = numpy.cumsum([0, *map(len, docs)])
    tokens: list[numpy.ndarray] = []
    pieces: list[numpy.ndarray] = []
    n_pieces = 0
    for (doc, span), window in zip(places, windows, strict=True):
        strings = tokenizer.convert_ids_to_tokens(window.ids)
        align: Any = get_alignment([span], [strings], tokenizer.all_special_tokens)
        # It has all tokens of the text, also those outside of the window.
        numbers = numpy.arange(len(docs[doc])) + token_starts[doc]
        tokens.append(numpy.repeat(numbers, align.lengths))
        pieces.append(n_pieces + align.dataXd.reshape(-1))
        n_pieces += len(window.ids)
    return numpy.concatenate(tokens), numpy.concatenate(pieces)
