"""Precision, recall and F1 of predicted entities, by seqeval."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from seqeval.metrics import classification_report
from spacy.training import Example

from ..pipeline.annotation_likelihood import judged_spans
from .predictions import in_gold

AVERAGES = ("micro avg", "macro avg", "weighted avg")


class Score(NamedTuple):
    """Precision, recall and F1, and the number of gold entities they rest on."""

    p: float
    r: float
    f: float
    support: int


def to_tags(
    example: Example, by_type: bool
) -> tuple[list[tuple[list[str], list[str]]], int]:
    """Write what was predicted as tags on the gold tokens.

    Where the tokens differ, two predicted entities may fall on one gold token, and tags
    have place for one only: the other, which cannot be right too, goes into a sequence
    of its own.

    example (Example): The predicted and the gold document.
    by_type (bool): Whether gold states for which types it is complete.
    RETURNS (tuple[list[tuple[list[str], list[str]]], int]): Pairs of gold and predicted
        tags, and the number of predictions that cannot be judged.
    """
    gold = example.reference
    spans = {(ent.start, ent.end, ent.label_) for ent in gold.ents}
    predicted = list(in_gold(example))
    if by_type:
        spans, judged = judged_spans(example)
        found = [span for span in predicted if span in judged]
    else:
        found = [
            span
            for span in predicted
            if all(token.ent_iob != 0 for token in gold[span[0] : span[1]])
        ]
    gold_tags = _tag(spans, len(gold))
    ignored = len(predicted) - len(found)
    placed: list[tuple[int, int, str]] = []
    pairs = []
    for span in sorted(found, key=lambda span: span not in spans):
        if all(span[1] <= other[0] or other[1] <= span[0] for other in placed):
            placed.append(span)
        else:
            pairs.append((["O"], [f"B-{span[2]}"]))
    return [(gold_tags, _tag(placed, len(gold))), *pairs], ignored


def _tag(spans: Iterable[tuple[int, int, str]], length: int) -> list[str]:
    tags = ["O"] * length
    for start, end, label in spans:
        tags[start:end] = [f"B-{label}"] + [f"I-{label}"] * (end - start - 1)
    return tags


def score_tags(
    gold_tags: Sequence[list[str]], predicted_tags: Sequence[list[str]]
) -> dict[str, Score]:
    """Count by seqeval.

    gold_tags (Sequence[list[str]]): The gold tags of each sequence.
    predicted_tags (Sequence[list[str]]): The predicted ones.
    RETURNS (dict[str, Score]): The scores of each type and the `AVERAGES`.
    """
    if not any(tag != "O" for tags in [*gold_tags, *predicted_tags] for tag in tags):
        return dict.fromkeys(AVERAGES, Score(0.0, 0.0, 0.0, 0))
    report = classification_report(
        gold_tags, predicted_tags, output_dict=True, zero_division=0
    )
    return {
        label: Score(
            float(row["precision"]),
            float(row["recall"]),
            float(row["f1-score"]),
            int(row["support"]),
        )
        for label, row in report.items()
    }
