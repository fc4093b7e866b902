"""How well a pipeline finds entities: precision, recall and F1 per type, by seqeval.

Only what the gold annotation states is scored. A predicted entity that touches a token
whose annotation is missing is neither right nor wrong.
"""

import json
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import spacy
from seqeval.metrics import classification_report
from spacy.cli._util import setup_gpu
from spacy.training import Corpus, Example
from thinc.api import fix_random_seed
from wasabi import table

from ..atomic import write_bytes
from ..data.docbin import unreadable_file_named
from ..errors import Errors, Warnings

_AVERAGES = ("micro avg", "macro avg", "weighted avg")


class Score(NamedTuple):
    """Precision, recall and F1, and the number of gold entities they rest on."""

    p: float
    r: float
    f: float
    support: int


@dataclass(frozen=True)
class Evaluation:
    """The scores of a pipeline on a corpus.

    micro (Score): Over all entities, as spaCy's scorer has it.
    macro (Score): The mean over the entity types.
    per_type (dict[str, Score]): Of each entity type.
    documents (int): How many documents were scored.
    tokens (int): How many gold tokens they have.
    missing_tokens (int): How many of these have no annotation.
    ignored_predictions (int): Predicted entities that touch such a token.
    """

    micro: Score
    macro: Score
    per_type: dict[str, Score]
    documents: int
    tokens: int
    missing_tokens: int
    ignored_predictions: int

    def to_dict(self) -> dict[str, Any]:
        """RETURNS (dict[str, Any]): The scores under the names spaCy gives them."""
        return {
            "ents_p": self.micro.p,
            "ents_r": self.micro.r,
            "ents_f": self.micro.f,
            "ents_macro_f": self.macro.f,
            "ents_per_type": {
                label: score._asdict() for label, score in self.per_type.items()
            },
            "support": self.micro.support,
            "documents": self.documents,
            "tokens": self.tokens,
            "missing_tokens": self.missing_tokens,
            "ignored_predictions": self.ignored_predictions,
        }

    def to_table(self) -> str:
        """RETURNS (str): The scores as a table for people."""
        rows = {**self.per_type, "micro avg": self.micro, "macro avg": self.macro}
        return table(
            [
                (label, *(f"{100 * x:.2f}" for x in score[:3]), f"{score.support:,}")
                for label, score in rows.items()
            ],
            header=("", "P", "R", "F", "Support"),
            aligns=("l", "r", "r", "r", "r"),
            divider=True,
        )


def evaluate(
    model: str | Path,
    data_path: Path,
    *,
    output: Path | None = None,
    use_gpu: int = -1,
    gold_preproc: bool = False,
    silent: bool = True,
) -> Evaluation:
    """Score the entities that a pipeline finds.

    model (str | Path): The name or path of a pipeline.
    data_path (Path): A `.spacy` file, or a directory of them.
    output (Path | None): A JSON file to write the scores to.
    use_gpu (int): The GPU, or -1 for the CPU.
    gold_preproc (bool): Use the gold sentences and tokens.
    silent (bool): Do not say which device is used.
    RETURNS (Evaluation): The scores.
    """
    data_path = Path(data_path)
    fix_random_seed()
    try:
        setup_gpu(use_gpu, silent=silent)
    except ValueError as error:
        raise ValueError(Errors.A215.format(gpu=use_gpu, error=error)) from error
    files = [data_path] if data_path.is_file() else data_path.rglob("*.spacy")
    if not any(path.suffix == ".spacy" for path in files):
        raise ValueError(Errors.A400.format(path=data_path))
    try:
        nlp = spacy.load(model)
    except OSError as error:
        raise ValueError(Errors.A402.format(model=model, error=error)) from error
    with unreadable_file_named(data_path):
        examples = list(Corpus(data_path, gold_preproc=gold_preproc)(nlp))
    if all(token.ent_iob == 0 for eg in examples for token in eg.reference):
        raise ValueError(Errors.A401.format(path=data_path))
    docs = nlp.pipe(example.predicted for example in examples)
    predicted = [
        Example(doc, example.reference)
        for doc, example in zip(docs, examples, strict=True)
    ]
    evaluation = score_entities(predicted)
    if evaluation.missing_tokens:
        warnings.warn(
            Warnings.W401.format(
                missing=evaluation.missing_tokens,
                tokens=evaluation.tokens,
                path=data_path,
                ignored=evaluation.ignored_predictions,
            ),
            stacklevel=2,
        )
    if output is not None:
        text = json.dumps(evaluation.to_dict(), indent=2, ensure_ascii=False)
        write_bytes(Path(output), f"{text}\n".encode())
    return evaluation


def score_entities(examples: Iterable[Example]) -> Evaluation:
    """Score predicted documents against gold ones.

    examples (Iterable[Example]): The predicted and the gold documents.
    RETURNS (Evaluation): The scores.
    """
    gold_tags: list[list[str]] = []
    predicted_tags: list[list[str]] = []
    documents = tokens = missing = ignored = 0
    for example in examples:
        documents += 1
        tokens += len(example.reference)
        missing += sum(token.ent_iob == 0 for token in example.reference)
        pairs, count = _to_tags(example)
        ignored += count
        gold_tags += [gold for gold, _ in pairs]
        predicted_tags += [predicted for _, predicted in pairs]
    scores = _report(gold_tags, predicted_tags)
    return Evaluation(
        micro=scores["micro avg"],
        macro=scores["macro avg"],
        per_type={k: v for k, v in scores.items() if k not in _AVERAGES},
        documents=documents,
        tokens=tokens,
        missing_tokens=missing,
        ignored_predictions=ignored,
    )


def _to_tags(example: Example) -> tuple[list[tuple[list[str], list[str]]], int]:
    """The gold and the predicted tags on the gold tokens, and the number of predictions
    that cannot be judged.

    Where the tokens differ, two predicted entities may fall on one gold token, and tags
    have place for one only: the other, which cannot be right too, goes into a sequence
    of its own.
    """
    gold, predicted = example.reference, example.predicted
    spans = {(ent.start, ent.end, ent.label_) for ent in gold.ents}
    gold_tags = _tag(spans, len(gold))
    found = []
    ignored = 0
    for ent in predicted.ents:
        indices = example.alignment.x2y[ent.start : ent.end]
        if not len(indices):
            continue
        start, end = int(indices[0]), int(indices[-1]) + 1
        if any(token.ent_iob == 0 for token in gold[start:end]):
            ignored += 1
        else:
            found.append((start, end, ent.label_))
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


def _report(
    gold_tags: Sequence[list[str]], predicted_tags: Sequence[list[str]]
) -> dict[str, Score]:
    if not any(tag != "O" for tags in [*gold_tags, *predicted_tags] for tag in tags):
        return dict.fromkeys(_AVERAGES, Score(0.0, 0.0, 0.0, 0))
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
