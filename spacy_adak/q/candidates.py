"""The candidate mask: which tags an unknown token may have when q is estimated.

O, the tags of the self-built dictionary H(x), the tags on the K best paths of the best
model so far, K_b(x), and those of what guessers find.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy
import srsly
import torch

from ..crf.chain import Chain
from ..crf.decode import kbest
from ..crf.tags import LabelledSpan, TagSet
from ..shards.checkpoint import damage_named

Words = tuple[str, ...]


class Dictionary:
    """Entities that the fold models found, with their types.

    types (dict[Words, str]): The type of each entity.
    """

    def __init__(self, types: dict[Words, str]) -> None:
        self.types = types
        self._longest = max(map(len, types), default=0)

    def __len__(self) -> int:
        return len(self.types)

    @classmethod
    def from_counts(
        cls, counts: Counter[tuple[Words, str]], more_than: int
    ) -> "Dictionary":
        """Keep what was found often enough; of several types the most frequent.

        counts (Counter): How often each entity was found as each type.
        more_than (int): c: an entity has to be found more often than this.
        RETURNS (Dictionary): The dictionary.
        """
        by_words: dict[Words, Counter[str]] = defaultdict(Counter)
        for (words, entity_type), count in sorted(counts.items()):
            by_words[words][entity_type] += count
        return cls(
            {
                words: types.most_common(1)[0][0]
                for words, types in by_words.items()
                if types.total() > more_than
            }
        )

    def match(
        self,
        words: Sequence[str],
        free: Sequence[bool],
        complete: Iterable[LabelledSpan] = (),
    ) -> list[LabelledSpan]:
        """Find entities of the dictionary, from left to right the longest first.

        words (Sequence[str]): The tokens of a text.
        free (Sequence[bool]): Tokens about which nothing is known.
        complete (Iterable[LabelledSpan]): Stretches in which nothing of a type is left
            to find.
        RETURNS (list[LabelledSpan]): Matches among the free tokens.
        """
        closed = {(i, span.type) for span in complete for i in range(*span[:2])}
        spans = []
        start = 0
        while start < len(words):
            end = start + 1
            for length in range(min(self._longest, len(words) - start), 0, -1):
                entity_type = self.types.get(tuple(words[start : start + length]))
                if (
                    entity_type
                    and all(free[start : start + length])
                    and not any(
                        (i, entity_type) in closed for i in range(start, start + length)
                    )
                ):
                    end = start + length
                    spans.append(LabelledSpan(start, end, entity_type))
                    break
            start = end
        return spans

    def to_rows(self) -> list[dict[str, object]]:
        """RETURNS (list[dict]): One row per entity, sorted."""
        return [
            {"words": list(words), "label": entity_type}
            for words, entity_type in sorted(self.types.items())
        ]

    @classmethod
    def from_disk(cls, path: Path) -> "Dictionary":
        """RETURNS (Dictionary): As it was written row by row to a JSONL file."""
        with damage_named(path):
            rows = srsly.read_jsonl(path)
            return cls({tuple(row["words"]): row["label"] for row in rows})


def tags_on_best_paths(chain: Chain, k: int) -> torch.Tensor:
    """The tags that the K best paths give each token.

    chain (Chain): The scores of the best model, restricted to the annotation.
    k (int): K.
    RETURNS (Tensor): (B, T, N) bool.
    """
    best = kbest(chain, k)
    # A path that does not exist must not vote for O, which is tag 0.
    paths = torch.where(best.valid.unsqueeze(2), best.paths, best.paths[:, :1])
    tags = torch.zeros_like(chain.emissions, dtype=torch.bool)
    return tags.scatter_(2, paths.transpose(1, 2), True)


def candidate_mask(
    by_annotation: numpy.ndarray,
    on_best_paths: numpy.ndarray | None,
    found: Iterable[LabelledSpan],
    tagset: TagSet,
) -> numpy.ndarray:
    """Which tags each token of a text may have.

    by_annotation (ndarray): (L, N) bool, what the annotation allows.
    on_best_paths (ndarray | None): (L, N) bool, K_b(x), if it is used.
    found (Iterable[LabelledSpan]): H(x), and what guessers find.
    tagset (TagSet): The tags.
    RETURNS (ndarray): (L, N) bool.
    """
    candidates = numpy.zeros_like(by_annotation)
    candidates[:, 0] = True
    if on_best_paths is not None:
        candidates |= on_best_paths
    for span in found:
        tags = tagset.span_tags(span.type, span.end - span.start)
        candidates[numpy.arange(span.start, span.end), tags] = True
    # What is annotated stays; the mask is about unknown tokens only.
    unknown = by_annotation[:, :1]
    return by_annotation & (candidates | ~unknown)
