"""Incomplete annotations made from complete ones, by the two schemes of the paper.

Every entity (random-based scheme) or every surface form (entity-based scheme) gets a
rank in [0, 1), a fixed function of the seed and of the entity or form. Those with a
rank below the ratio are kept. So what is kept at one ratio is kept at every higher one,
and a corpus loses the same entities each time it is read.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.training import Example
from spacy.util import registry
from spacy.vocab import Vocab

from ..errors import Errors
from .complete_types import COMPLETE_KEY, complete_spans
from .docbin import read_docbin, write_docbin
from .origins import without_estimates
from .outputs import refuse_to_overwrite_inputs

DROP_ENTITIES = "spacy-adak.drop_entities.v1"
Scheme = Literal["random", "entity"]


class Corruption(NamedTuple):
    """How many entities of each type there were, and how many were kept."""

    documents: int
    entities: Counter[str]
    kept: Counter[str]


def corrupt(
    input_path: Path,
    output_path: Path,
    *,
    keep_ratio: float,
    scheme: str = "random",
    seed: int = 0,
) -> Corruption:
    """Remove annotations from a `.spacy` file; see `drop_entities`. Estimated spans are
    removed as well.

    input_path (Path): The file with annotated documents.
    output_path (Path): The file to write.
    keep_ratio (float): The share of entities to keep (the paper's ρ).
    scheme (str): "random" or "entity".
    seed (int): Random seed that decides what is removed.
    RETURNS (Corruption): What was kept.
    """
    refuse_to_overwrite_inputs(output_path, input_path)
    docs = [without_estimates(d) for d in read_docbin(Path(input_path), Vocab())]
    if not any(doc.ents for doc in docs):
        raise ValueError(Errors.A314.format(path=input_path))
    kept = drop_entities(docs, keep_ratio, scheme, seed)
    write_docbin(Path(output_path), kept)
    return Corruption(len(docs), _count_types(docs), _count_types(kept))


def drop_entities(
    docs: Sequence[Doc], keep_ratio: float, scheme: str = "random", seed: int = 0
) -> list[Doc]:
    """Keep a share of the entities of a corpus; every other token becomes missing. Span
    groups are removed, for they may repeat entities or rule spans out. For which types
    texts are complete is still true if all entities are kept.

    docs (Sequence[Doc]): The annotated documents, which are not changed.
    keep_ratio (float): The share of entities to keep (the paper's ρ).
    scheme (str): "random" removes single entities. "entity" removes all occurrences of
        a surface form. The share that is kept is then only close to the given one.
    seed (int): Random seed that decides what is removed.
    RETURNS (list[Doc]): Copies of the documents.
    """
    _check(keep_ratio, scheme)
    ents = [(i, ent) for i, doc in enumerate(docs) for ent in doc.ents]
    if scheme == "random":
        copies = _number_copies(docs)
        ranks = [_rank_entity(seed, ent, copies[i]) for i, ent in ents]
        order = sorted(range(len(ents)), key=ranks.__getitem__)
        chosen = order[: round(keep_ratio * len(ents))]
    else:
        forms = _kept_forms(Counter(ent.text for _, ent in ents), keep_ratio, seed)
        chosen = [n for n, (_, ent) in enumerate(ents) if ent.text in forms]
    kept: list[list[Span]] = [[] for _ in docs]
    for n in sorted(chosen):
        i, ent = ents[n]
        kept[i].append(ent)
    return [
        _keep(doc, spans, keep_ratio) for doc, spans in zip(docs, kept, strict=True)
    ]


@registry.augmenters(DROP_ENTITIES)
def create_drop_entities_augmenter(
    keep_ratio: float, scheme: str = "random", seed: int = 0
) -> Callable[[Language, Example], Iterator[Example]]:
    """Create an augmenter that removes annotations while a corpus is read. It sees one
    text at a time, so the share of entities ("random") or of surface forms ("entity")
    is kept only on average. An entity that is dropped once is dropped every time.

    keep_ratio (float): The share to keep (the paper's ρ).
    scheme (str): "random" or "entity"; see `drop_entities`.
    seed (int): Random seed that decides what is removed.
    RETURNS (Callable[[Language, Example], Iterator[Example]]): The augmenter.
    """
    _check(keep_ratio, scheme)
    return partial(
        drop_entities_augmenter, keep_ratio=keep_ratio, scheme=scheme, seed=seed
    )


def drop_entities_augmenter(
    nlp: Language, example: Example, *, keep_ratio: float, scheme: str, seed: int
) -> Iterator[Example]:
    """Drop some of the entities of an example; see the function that creates it."""
    reference = example.reference
    if scheme == "random":
        ranks = [_rank_entity(seed, ent) for ent in reference.ents]
    else:
        ranks = [_rank(seed, ent.text) for ent in reference.ents]
    kept = [
        ent
        for ent, rank in zip(reference.ents, ranks, strict=True)
        if rank < keep_ratio
    ]
    yield Example(example.predicted, _keep(reference, kept, keep_ratio))


def _check(keep_ratio: float, scheme: str) -> None:
    if not 0 <= keep_ratio <= 1:
        raise ValueError(Errors.A313.format(ratio=keep_ratio))
    if scheme not in get_args(Scheme):
        choices = ", ".join(get_args(Scheme))
        raise ValueError(
            Errors.A310.format(name="scheme", value=scheme, choices=choices)
        )


def _rank(seed: int, *key: str | int) -> float:
    """A number in [0, 1) that is the same in every process, unlike `hash`."""
    data = json.dumps([seed, *key]).encode("utf8")
    digest = hashlib.blake2b(data, digest_size=8).digest()
    return int.from_bytes(digest, "big") / 2**64


def _rank_entity(seed: int, ent: Span, copy: int = 0) -> float:
    return _rank(seed, ent.doc.text, copy, ent.start_char, ent.end_char, ent.label_)


def _number_copies(docs: Iterable[Doc]) -> list[int]:
    """How often the text of each document came before it, so that the annotations of
    equal texts are removed independently."""
    seen: Counter[str] = Counter()
    copies = []
    for doc in docs:
        copies.append(seen[doc.text])
        seen[doc.text] += 1
    return copies


def _kept_forms(forms: Counter[str], keep_ratio: float, seed: int) -> set[str]:
    """The surface forms of lowest rank that together have the share of occurrences
    nearest to the one asked for."""
    order = sorted(forms, key=lambda form: _rank(seed, form))
    target = keep_ratio * forms.total()
    sums = list(accumulate((forms[form] for form in order), initial=0))
    count = min(range(len(sums)), key=lambda n: abs(sums[n] - target))
    return set(order[:count])


def _keep(doc: Doc, ents: Sequence[Span], keep_ratio: float) -> Doc:
    """A copy of a document in which nothing but these entities is known."""
    copy = doc.copy()
    complete = complete_spans(copy)
    copy.spans.clear()
    if keep_ratio == 1 and complete:
        # Otherwise no text is complete, not even one that happens to lose nothing.
        copy.spans[COMPLETE_KEY] = complete
    # spaCy leaves the identifiers of an entity on its tokens, and keeps the custom
    # attributes of a span under its offsets.
    for ent in copy.ents:
        for token in ent:
            token.ent_id_ = token.ent_kb_id_ = ""
    kept = {(ent.start_char, ent.end_char) for ent in ents}
    for key in list(copy.user_data):
        if _is_of_a_span(key) and key[2:] not in kept:
            del copy.user_data[key]
    copy.set_ents(list(ents), default="missing")
    return copy


def _is_of_a_span(key: Any) -> bool:
    """Whether a key of `user_data` is that of a custom attribute of a span."""
    return isinstance(key, tuple) and key[:1] == ("._.",) and key[3] is not None


def _count_types(docs: Iterable[Doc]) -> Counter[str]:
    return Counter(ent.label_ for doc in docs for ent in doc.ents)
