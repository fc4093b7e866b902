"""Decisions of one or several people on single spans of a text."""

from dataclasses import dataclass
from typing import NamedTuple

from ..errors import Warnings
from .agreement import RULES, find_annotator
from .annotated_text import AnnotatedText, CharSpan
from .summary import Place, Summary


class Vote(NamedTuple):
    """What somebody has decided on a span."""

    span: CharSpan
    is_accepted: bool


@dataclass
class Votes:
    """What each annotator has decided on one span; the last word of each holds."""

    by_annotator: dict[str | None, Vote]

    def is_accepted(self, rule: str) -> bool | None:
        """RETURNS (bool | None): Whether the span is an entity; None if that is
        disputed."""
        votes = [vote.is_accepted for vote in self.by_annotator.values()]
        if all(votes) or not any(votes):
            return votes[0]
        accepted = 2 * sum(votes)
        if rule != "majority" or accepted == len(votes):
            return None
        return accepted > len(votes)


def add_vote(
    votes: list[Votes],
    annotator: str | None,
    vote: Vote,
    place: Place,
    summary: Summary,
) -> None:
    """Add a decision to those on the same span. The label may be of any make, so that
    there is nothing to look it up by.

    votes (list[Votes]): The decisions on each span, which are added to.
    annotator (str | None): Who has decided.
    vote (Vote): The decision.
    place (Place): Where it stands.
    summary (Summary): Where it is noted if somebody has changed their mind.
    """
    for same in votes:
        earlier = next(iter(same.by_annotator.values()))
        if earlier.span[:3] == vote.span[:3]:
            earlier = same.by_annotator.get(annotator, vote)
            if earlier.is_accepted != vote.is_accepted:
                line = earlier.span.line
                message = Warnings.W322.format(span=vote.span[:3], line=line)
                summary.add_problem(place, "repaired", message)
            same.by_annotator[annotator] = vote
            return
    votes.append(Votes({annotator: vote}))


def count_votes(
    decided: AnnotatedText | None,
    votes: list[Votes],
    annotators: str,
    summary: Summary,
) -> None:
    """Write down what was decided on single spans, by one annotator or by a rule.

    decided (AnnotatedText | None): Where it is written, if there is anything.
    votes (list[Votes]): The decisions on each span.
    annotators (str): The name of the annotator, or the rule.
    summary (Summary): Where annotators and disputes are counted.
    """
    if decided is None:
        return
    names = {name for same in votes for name in same.by_annotator if name is not None}
    summary.add_annotators(names)
    if annotators not in RULES:
        decided.settled_by = find_annotator(sorted(names), annotators)
    for same in votes:
        if annotators not in RULES:
            vote = same.by_annotator.get(decided.settled_by or "")
            same = Votes({decided.settled_by: vote} if vote is not None else {})
        for vote in list(same.by_annotator.values())[:1]:
            is_accepted = same.is_accepted(annotators)
            if is_accepted is None:
                summary.disputed += 1
            elif is_accepted:
                decided.entities.append(vote.span)
            else:
                decided.ruled_out.append(vote.span)
