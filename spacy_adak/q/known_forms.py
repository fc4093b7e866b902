"""How likely annotators were to mark an entity, when they may not know its form.

Annotators forget an entity here and there, or they do not know a form at all, such as
the name of a film. In the second case, every unmarked occurrence would count as
separate evidence against it, although all are unmarked for the same reason. Assume that
annotators know a share k of the forms, and mark an entity of a known form with
probability c. Then they mark r = k · c of all entities. If k is small, a string that is
never marked is hardly stronger evidence if it is frequent than if it occurs once.
"""

from collections import Counter
from typing import NamedTuple

from ..recall.consistency import recall_from_forms
from .candidates import Words

# How much less each occurrence of a frequent string counts if no form is known. With 1,
# all occurrences together would count as much as one.
_DISCOUNT = 0.5
# Above this share annotators are taken to know all forms, because the estimate is
# rough.
_ALL_FORMS = 0.9
# Bounds, so that unmarked tokens always count a little, and never too much.
_LOWEST_RECALL, _HIGHEST_RECALL = 0.01, 0.95


class Annotators(NamedTuple):
    """What annotators do.

    recall (float): r, the share of all entities that they mark.
    form_recall (float): c, the same among the entities of forms that they know.
    """

    recall: float
    form_recall: float

    @classmethod
    def from_forms(
        cls, recall: float, marked: Counter[Words], unmarked: Counter[Words]
    ) -> "Annotators":
        """See whether annotators are more consistent with forms that they know than if
        they knew all.

        recall (float): r.
        marked (Counter[Words]): How often each form is marked.
        unmarked (Counter[Words]): How often each form occurs otherwise.
        RETURNS (Annotators): What annotators do.
        """
        form_recall = max(recall, _LOWEST_RECALL)
        consistency = recall_from_forms(marked, unmarked)
        # With few forms they may seem consistent by chance.
        if consistency is not None and recall < _ALL_FORMS * consistency.recall.low:
            form_recall = max(
                form_recall, min(consistency.recall.value, _HIGHEST_RECALL)
            )
        return cls(recall, form_recall)

    @property
    def known_forms(self) -> float:
        """RETURNS (float): k, the share of forms that they know."""
        return self.recall / self.form_recall

    def with_recall(self, recall: float) -> "Annotators":
        """Keep the share of forms that they know, as far as that is possible.

        recall (float): Another recall, for instance of a type.
        RETURNS (Annotators): What annotators with this recall do.
        """
        form_recall = min(recall / self.known_forms, _HIGHEST_RECALL)
        return Annotators(recall, max(recall, form_recall, _LOWEST_RECALL))

    def know_all_forms(self) -> bool:
        """RETURNS (bool): Whether what is missing was forgotten here and there."""
        return self.known_forms > _ALL_FORMS

    def recall_of_string(self, occurrences: int) -> float:
        """How likely an entity would have been marked that begins like this, as far as
        is known without a model.

        occurrences (int): How often the string comes up.
        RETURNS (float): The probability.
        """
        exponent = _DISCOUNT * (1 - self.known_forms)
        return 1 - (1 - self.recall) ** (occurrences**-exponent)
