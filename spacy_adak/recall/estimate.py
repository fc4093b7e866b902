"""An estimate of the recall of annotators, and what it is based on."""

from typing import Literal, NamedTuple

from .intervals import Interval

# In the order in which they are believed.
Method = Literal["given", "complete texts", "two annotators", "held-out texts", "forms"]


class RecallEstimate(NamedTuple):
    """The share of all entities that annotators have marked, by one estimator.

    method (Method): Which one.
    recall (Interval): The share.
    per_type (dict[str, Interval]): The same for each entity type that says enough.
    how (str): What was compared with what, for a message.
    is_identifiable (bool): Whether the data can tell the share. Where annotators do not
        know some forms at all, what they never mark leaves no trace.
    of_what (str): What it is the share of, for a message.
    """

    method: Method
    recall: Interval
    per_type: dict[str, Interval]
    how: str
    is_identifiable: bool = True
    of_what: str = "the entities"
