"""Tag vocabularies: what a tag sequence may look like, and which spans it says."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

import torch
from torch import Tensor

from ..errors import Errors

OUTSIDE = "O"
# The prefixes of each scheme, in the order in which a type's tags are numbered.
SCHEMES = {"BIO": "BI", "BILUO": "BILU"}
_OPEN = ("B", "I")  # an entity may go on after these
_CONTINUING = ("I", "L")  # these go on with an entity

IllegalTags = Literal["error", "repair"]


class LabelledSpan(NamedTuple):
    """An entity over the tokens `start` to `end`, `end` not included."""

    start: int
    end: int
    type: str


def split_tag(tag: str) -> tuple[str, str]:
    """Split a tag into its prefix and its entity type; "O" has an empty type."""
    prefix, _, entity_type = tag.partition("-")
    return prefix, entity_type


def may_follow(left: str | None, right: str | None, scheme: str) -> bool:
    """Whether `right` may directly follow `left`.

    left (str | None): A tag, or None for the start of the sentence.
    right (str | None): A tag, or None for the end of the sentence.
    scheme (str): "BIO" or "BILUO".
    RETURNS (bool): Whether the scheme allows it.
    """
    left_prefix, left_type = split_tag(left or OUTSIDE)
    right_prefix, right_type = split_tag(right or OUTSIDE)
    if left_prefix in _OPEN and right_prefix in _CONTINUING:
        return left_type == right_type
    # BILUO says where an entity ends, so an open one must continue.
    unfinished = scheme == "BILUO" and left_prefix in _OPEN
    return right_prefix not in _CONTINUING and not unfinished


def tags_to_spans(
    tags: Sequence[str], scheme: str, illegal: IllegalTags = "error"
) -> list[LabelledSpan]:
    """Read the entities off a tag sequence.

    tags (Sequence[str]): The tags of a sentence.
    scheme (str): "BIO" or "BILUO".
    illegal (str): What to do where the scheme does not allow one tag after another:
        "error" raises and names the tokens; "repair" reads the sequence as conlleval
        does: an entity ends where it is not continued, and a tag that continues
        nothing starts an entity of its own.
    RETURNS (list[LabelledSpan]): The entities in order.
    """
    spans = []
    start = 0
    before: str | None = None
    for i, tag in enumerate([*tags, None]):
        if not may_follow(before, tag, scheme) and illegal == "error":
            raise ValueError(
                Errors.A003.format(
                    left=before or "the start",
                    right=tag or "the end",
                    position=i,
                    scheme=scheme,
                )
            )
        prefix, entity_type = split_tag(tag or OUTSIDE)
        open_prefix, open_type = split_tag(before or OUTSIDE)
        goes_on = (
            prefix in _CONTINUING and open_prefix in _OPEN and entity_type == open_type
        )
        if not goes_on:
            if open_type:
                spans.append(LabelledSpan(start, i, open_type))
            start = i
        before = tag
    return spans


class TagSet:
    """The tags of a scheme over some entity types, numbered from O = 0.

    types (Iterable[str]): The entity types, in the order of their tags.
    scheme (str): "BIO" or "BILUO".
    """

    def __init__(self, types: Iterable[str], scheme: str = "BILUO") -> None:
        if scheme not in SCHEMES:
            raise ValueError(
                Errors.A001.format(scheme=scheme, schemes=", ".join(SCHEMES))
            )
        self.types = tuple(types)
        for entity_type, count in Counter(self.types).items():
            if not entity_type or count > 1:
                raise ValueError(Errors.A002.format(type=entity_type))
        self.scheme = scheme
        self.tags = (
            OUTSIDE,
            *(f"{prefix}-{t}" for t in self.types for prefix in SCHEMES[scheme]),
        )
        self.index = {tag: i for i, tag in enumerate(self.tags)}

    def __len__(self) -> int:
        return len(self.tags)

    def starting_tags(self) -> Tensor:
        """RETURNS (Tensor): (N,) bool, the tags that an entity can start with."""
        return torch.tensor([split_tag(tag)[0] in ("B", "U") for tag in self.tags])

    def legal_starts(self) -> Tensor:
        """RETURNS (Tensor): (N,) bool, the tags a sentence may start with."""
        return torch.tensor([may_follow(None, tag, self.scheme) for tag in self.tags])

    def legal_transitions(self) -> Tensor:
        """RETURNS (Tensor): (N, N) bool, row = a tag, column = the tag after it."""
        within, across = self._legal_for_one_and_other_type()
        number = torch.arange(len(self))
        per_type = len(SCHEMES[self.scheme])
        entity_type = (number - 1).div(per_type, rounding_mode="floor")
        prefix = torch.where(number > 0, (number - 1) % per_type + 1, 0)
        same_type = entity_type.unsqueeze(1) == entity_type
        return torch.where(
            same_type, within[prefix][:, prefix], across[prefix][:, prefix]
        )

    def legal_transitions_by_type(self) -> Tensor:
        """The same as `MovesByType.with_border` takes transitions.

        RETURNS (Tensor): (N, P + 4) bool. All is false that is not looked at.
        """
        within, across = self._legal_for_one_and_other_type()
        leave, enter = across[1:, 1:].any(1), across[1:, 1:].any(0)
        extra = torch.stack((within[1:, 0], within[0, 1:], leave, enter), 1)
        of_one_type = torch.cat((within[1:, 1:], extra), 1)
        outside = torch.zeros_like(of_one_type[:1])
        outside[0, of_one_type.size(0)] = within[0, 0]
        return torch.cat((outside, of_one_type.repeat(len(self.types), 1)))

    def _legal_for_one_and_other_type(self) -> tuple[Tensor, Tensor]:
        """(P + 1, P + 1) bool: what may follow depends on the prefixes, and on whether
        the types are one. Row and column 0 are O."""
        one, other = TagSet(["X"], self.scheme), TagSet(["Y"], self.scheme)
        within, across = (
            torch.tensor(
                [
                    [may_follow(left, right, self.scheme) for right in tagset.tags]
                    for left in one.tags
                ]
            )
            for tagset in (one, other)
        )
        return within, across

    def legal_ends(self) -> Tensor:
        """RETURNS (Tensor): (N,) bool, the tags a sentence may end with."""
        return torch.tensor([may_follow(tag, None, self.scheme) for tag in self.tags])

    def tags_of(self, entity_type: str) -> slice:
        """RETURNS (slice): The numbers of all tags of a type."""
        prefixes = SCHEMES[self.scheme]
        first = self.index[f"{prefixes[0]}-{entity_type}"]
        return slice(first, first + len(prefixes))

    def span_tags(self, entity_type: str, length: int) -> list[int]:
        """The tags of one entity.

        entity_type (str): Its type.
        length (int): How many tokens it has.
        RETURNS (list[int]): One tag number per token.
        """
        if self.scheme == "BIO":
            prefixes = "B" + "I" * (length - 1)
        else:
            prefixes = "U" if length == 1 else "B" + "I" * (length - 2) + "L"
        return [self.index[f"{prefix}-{entity_type}"] for prefix in prefixes]

    def tag_after_span_that_extends_it(self, entity_type: str) -> int | None:
        """The tag that would make a finished entity longer.

        entity_type (str): The type of the entity.
        RETURNS (int | None): I- of its type under BIO. None under BILUO, whose last
            tag of an entity already says that it ends.
        """
        return self.index[f"I-{entity_type}"] if self.scheme == "BIO" else None

    def spans_of_legal_paths(self, paths: Tensor) -> list[tuple[int, LabelledSpan]]:
        """Read the entities off a whole batch of legal paths, as `decode` would.

        paths (Tensor): (B, T) int64; O on padding.
        RETURNS (list[tuple[int, LabelledSpan]]): Sentences and entities, in order.
        """
        prefixes = [split_tag(tag)[0] for tag in self.tags]
        starts = torch.tensor([prefix in ("B", "U") for prefix in prefixes])
        goes_on = torch.tensor([prefix in _CONTINUING for prefix in prefixes])
        paths = paths.cpu()
        continued = torch.zeros_like(paths, dtype=torch.bool)
        continued[:, :-1] = goes_on[paths[:, 1:]]
        first, last = starts[paths], (paths > 0) & ~continued
        tags = paths[first].tolist()
        # In order, each first token of an entity belongs to the next last one.
        return [
            (sentence, LabelledSpan(start, end + 1, split_tag(self.tags[tag])[1]))
            for (sentence, start), (_, end), tag in zip(
                first.nonzero().tolist(), last.nonzero().tolist(), tags, strict=True
            )
        ]

    def encode(self, spans: Iterable[LabelledSpan], length: int) -> list[int]:
        """Tag a sentence with its entities and O elsewhere.

        spans (Iterable[LabelledSpan]): Entities that do not overlap.
        length (int): The number of tokens.
        RETURNS (list[int]): One tag number per token.
        """
        tags = [0] * length
        for span in spans:
            if not 0 <= span.start < span.end <= length:
                raise ValueError(Errors.A004.format(span=tuple(span), length=length))
            if any(tags[span.start : span.end]):
                raise ValueError(Errors.A005.format(span=tuple(span)))
            tags[span.start : span.end] = self.span_tags(
                span.type, span.end - span.start
            )
        return tags

    def decode(
        self, tags: Iterable[int], illegal: IllegalTags = "error"
    ) -> list[LabelledSpan]:
        """Read the entities off a sequence of tag numbers, as `tags_to_spans` does."""
        return tags_to_spans([self.tags[i] for i in tags], self.scheme, illegal)
