"""Spans of the training data that are known not to be entities."""

import warnings
from collections.abc import Iterator, Sequence

from spacy.tokens import Doc

from ..annotation.known import shorten
from ..data.origins import INCORRECT_SPANS_KEY
from ..errors import Errors, Warnings


def problems_of_ruled_out(key: str | None, docs: Sequence[Doc]) -> Iterator[str]:
    """Find an entity that is annotated and ruled out at once, which no model could
    learn from.

    key (str | None): The span group of ruled-out spans.
    docs (Sequence[Doc]): The training data.
    YIELDS (str): A message about the first one.
    """
    for doc in docs if key is not None else ():
        entities = {(ent.start, ent.end, ent.label) for ent in doc.ents}
        for span in doc.spans.get(key, ()):
            if (span.start, span.end, span.label) in entities:
                yield Errors.A103.format(
                    span=shorten(span), label=span.label_, key=key, text=shorten(doc)
                )
                return


def count_ruled_out(
    key: str | None, docs: Sequence[Doc], labels: Sequence[str], component: str
) -> int:
    """Count the spans that are ruled out, and warn of those that say nothing.

    key (str | None): The span group that the component looks at.
    docs (Sequence[Doc]): The training data.
    labels (Sequence[str]): The types that the component learns.
    component (str): Its name.
    RETURNS (int): How many spans are learnt from.
    """
    looked_at = key or INCORRECT_SPANS_KEY
    found = [span.label_ for doc in docs for span in doc.spans.get(looked_at, ())]
    if found and key is None:
        message = Warnings.W204.format(
            count=len(found), key=looked_at, component=component
        )
        warnings.warn(message, stacklevel=2)
        return 0
    others = [label for label in found if label not in labels]
    if others:
        message = Warnings.W221.format(
            count=len(others),
            key=looked_at,
            types=", ".join(sorted(set(others))),
            labels=", ".join(labels),
        )
        warnings.warn(message, stacklevel=2)
    return len(found) - len(others)
