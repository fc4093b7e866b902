"""How completely documents are annotated, by comparison with complete ones."""

from collections.abc import Iterable

from spacy.attrs import ENT_IOB
from spacy.tokens import Doc

from ..data.origins import DECIDED_KEY

_OUTSIDE = 2
# A recall of 0 or 1 would be too sure for an estimate: it says that an entity which
# nobody annotated costs nothing, or that there is none.
_LOWEST_RECALL, _HIGHEST_RECALL = 0.01, 0.99


def is_complete(doc: Doc) -> bool:
    """RETURNS (bool): Whether the annotation says something about every token."""
    return all(token.ent_iob != 0 for token in doc if not token.is_space)


def is_meant_to_be_complete(doc: Doc) -> bool:
    """RETURNS (bool): Whether a text is complete and some of it stated to be O. One
    that is all entity may have been completed by chance."""
    return is_complete(doc) and bool((doc.to_array(ENT_IOB) == _OUTSIDE).any())


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


def recall_of_annotators(
    annotated: Iterable[Doc], complete: Iterable[Doc]
) -> float | None:
    """How many of the entities in some texts are annotated, if there are as many per
    token as in others. What was decided upon when a model suggested it was not found
    by annotators: they have left it, as the other entities that they have left.

    annotated (Iterable[Doc]): The texts. Those meant to be complete are passed over.
    complete (Iterable[Doc]): Texts of the same kind that are annotated completely.
    RETURNS (float | None): The recall, never quite 0 or 1; None if no complete text
        has an entity to tell by.
    """
    found = _entities_per_token(
        doc for doc in annotated if not is_meant_to_be_complete(doc)
    )
    if found is None:
        return _HIGHEST_RECALL
    expected = _entities_per_token(complete)
    if not expected:
        return None
    return min(max(found / expected, _LOWEST_RECALL), _HIGHEST_RECALL)


def _entities_per_token(docs: Iterable[Doc]) -> float | None:
    entities = tokens = 0
    for doc in docs:
        entities += len(doc.ents) - len(doc.spans.get(DECIDED_KEY, ()))
        tokens += len(doc)
    return entities / tokens if tokens else None
