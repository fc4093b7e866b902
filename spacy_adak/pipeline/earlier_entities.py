"""Notice that other components set entities before ours, which then finds none there.

Entities that are set before our component runs are facts to it. That is right for
entities from rules or people. But a trained `ner` before it then decides about all that
both of them would find, and the user does not notice.
"""

import warnings
from collections.abc import Iterable
from typing import Any
from weakref import ref

from spacy.language import Language
from spacy.tokens import Doc, Span

from ..annotation.known import shorten
from ..errors import Warnings

# These are in a pipeline in order to be respected. Several of our components share the
# work, each with labels of its own.
_MEANT_AS_FACTS = ("adak_ner", "entity_ruler", "future_entity_ruler")


def earlier_setters(nlp: Language, component: object) -> list[str]:
    """Find the components that set entities before ours does.

    nlp (Language): The pipeline.
    component (object): Our component.
    RETURNS (list[str]): Their names, without those whose entities are meant as facts.
        None if our component is not part of the pipeline, or disabled there.
    """
    earlier: list[str] = []
    for name, pipe in nlp.pipeline:
        if pipe is component:
            return earlier
        meta = nlp.get_pipe_meta(name)
        if "doc.ents" in meta.assigns and meta.factory not in _MEANT_AS_FACTS:
            earlier.append(name)
    return []


class EarlierEntities:
    """Warns once for a component.

    nlp (Language | None): The pipeline it was made for.
    """

    def __init__(self, nlp: Language | None = None) -> None:
        # A component that is moved elsewhere must not keep its old pipeline in memory.
        self._nlp = ref(nlp) if nlp is not None else None
        self._has_warned = False

    def warn_of_pipeline(self, nlp: Language, component: Any) -> None:
        """Warn if other components in the pipeline set entities before.

        nlp (Language): The pipeline.
        component (AdaKRecognizer): Our component.
        """
        names = earlier_setters(nlp, component)
        if names and not self._has_warned:
            self._has_warned = True
            listed = ", ".join(f"'{name}'" for name in names)
            message = Warnings.W102.format(name=component.name, earlier=listed)
            warnings.warn(message, stacklevel=3)

    def warn_of_entities(
        self, doc: Doc, entities: Iterable[Span], component: Any
    ) -> None:
        """Warn if entities come from other components in the pipeline. If ours was
        trained in another pipeline, it does not know where they come from, and those
        with labels of its own are suspected.

        doc (Doc): A document that is about to be predicted.
        entities (Iterable[Span]): What is set on it.
        component (AdaKRecognizer): Our component.
        """
        entities = list(entities)
        if self._has_warned or not entities:
            return
        if doc.vocab is component.vocab:
            nlp = self._nlp() if self._nlp is not None else None
            if nlp is not None:
                self.warn_of_pipeline(nlp, component)
            return
        own = [entity for entity in entities if entity.label_ in component.labels]
        if own:
            self._has_warned = True
            message = Warnings.W103.format(
                name=component.name, entity=shorten(own[0]), label=own[0].label_
            )
            warnings.warn(message, stacklevel=3)

    def __reduce__(self) -> tuple[Any, ...]:
        # A copy does not know which pipeline it becomes part of.
        return EarlierEntities, ()
