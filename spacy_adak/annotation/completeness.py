"""How completely documents are annotated."""

from collections import Counter
from collections.abc import Iterable

from spacy.attrs import ENT_IOB
from spacy.tokens import Doc

from ..data.complete_types import complete_tokens

_OUTSIDE = 2


def is_complete(doc: Doc) -> bool:
    """RETURNS (bool): Whether the annotation says something about every token."""
    return all(token.ent_iob != 0 for token in doc if not token.is_space)


def is_meant_to_be_complete(doc: Doc) -> bool:
    """RETURNS (bool): Whether a text is complete and some of it stated to be O. One
    that is all entity may have been completed by chance."""
    return is_complete(doc) and bool((doc.to_array(ENT_IOB) == _OUTSIDE).any())


def entity_share_by_type(docs: Iterable[Doc]) -> float | None:
    """The share of tokens that are part of an entity, from documents that are annotated
    completely for some types: for each type where it is complete.

    docs (Iterable[Doc]): Documents.
    RETURNS (float | None): The share; None if a type is complete nowhere.
    """
    entity_tokens: Counter[str] = Counter()
    tokens: Counter[str] = Counter()
    labels: set[str] = set()
    for doc in docs:
        complete = complete_tokens(doc)
        tokens.update(
            {label: int(covered.sum()) for label, covered in complete.items()}
        )
        for ent in doc.ents:
            labels.add(ent.label_)
            if ent.label_ in complete:
                covered = complete[ent.label_][ent.start : ent.end]
                entity_tokens[ent.label_] += int(covered.sum())
    if not labels or not all(tokens[label] for label in labels):
        return None
    return sum(entity_tokens[label] / tokens[label] for label in labels)


def entity_share(docs: Iterable[Doc]) -> float | None:
    """The share of tokens that are part of an entity.

    docs (Iterable[Doc]): Documents that are annotated completely.
    RETURNS (float | None): The share; None if there is no entity to tell by.
    """
    entity_tokens = tokens = 0
    for doc in docs:
        entity_tokens += sum(len(ent) for ent in doc.ents)
        tokens += len(doc)
    return entity_tokens / tokens if entity_tokens else None
