"""How well a pipeline finds entities: precision, recall and F1 per type.

What the gold annotation states is scored. A predicted entity that touches a token whose
annotation is missing is neither right nor wrong. Such scores look better than they are;
where gold is incomplete, those of `incomplete_gold` take their place.

Where gold states for which types it is complete, each type is scored there, and types
that are complete nowhere are not.
"""

import json
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from spacy.cli._util import setup_gpu
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from thinc.api import fix_random_seed
from wasabi import table

from ..annotation.completeness import is_complete
from ..atomic import write_bytes
from ..data.complete_types import (
    complete_tokens,
    corpus_types,
    with_outside_stated,
)
from ..data.outputs import refuse_to_overwrite_inputs
from ..data.sample_marks import sample_weight
from ..errors import Errors, Warnings
from ..pipeline.annotation_likelihood import is_scored_by_type
from ..pipeline.load import load_pipeline
from ..recall.pooled import AnnotatorRecall
from .entity_scores import AVERAGES, Score, score_tags, to_tags
from .gold_recall import estimate_gold_recall
from .incomplete_gold import CorrectedScores, CountedText, correct_scores
from .predictions import predict, predictions_in, spans_key
from .reviewed_precision import ReviewedPrecision, estimate_precision


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
    corrected (CorrectedScores | None): The scores to use if gold is incomplete, or if
        its texts were drawn and have weights.
    note (str | None): What the corrected scores assume.
    complete_texts (dict[str, int] | None): The number of texts each type was scored in,
        if gold states for which types it is complete.
    not_scored (tuple[str, ...]): Types that occur in gold or in the predictions, but
        for which gold is complete nowhere.
    """

    micro: Score
    macro: Score
    per_type: dict[str, Score]
    documents: int
    tokens: int
    missing_tokens: int
    ignored_predictions: int
    corrected: CorrectedScores | None = None
    note: str | None = None
    complete_texts: dict[str, int] | None = None
    not_scored: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """RETURNS (dict[str, Any]): The scores under the names spaCy gives them. On
        incomplete gold they are the corrected ones, with intervals and a note."""
        counts = {
            "documents": self.documents,
            "tokens": self.tokens,
            "missing_tokens": self.missing_tokens,
            "ignored_predictions": self.ignored_predictions,
        }
        if self.complete_texts is not None:
            by_type = {
                "complete_texts": self.complete_texts,
                "not_scored": list(self.not_scored),
            }
            return {**self._scored_as_complete(), **counts, **by_type}
        if self.corrected is None:
            return {**self._scored_as_complete(), **counts}
        overall = self.corrected.overall.to_dict()
        support = overall.pop("support")
        return {
            **{f"ents_{key}": value for key, value in overall.items()},
            "ents_per_type": {
                label: score.to_dict()
                for label, score in self.corrected.per_type.items()
            },
            "support": support,
            **counts,
            "note": self.note,
            "annotation_recall": self.corrected.recall_to_dict(),
            **self._for_comparison(),
        }

    def _for_comparison(self) -> dict[str, Any]:
        """The uncorrected scores, to compare with."""
        scores = self._scored_as_complete()
        if not self.missing_tokens:
            return {"without_weights": scores}
        return {"scored_as_complete": {"warning": Warnings.W410, **scores}}

    def _scored_as_complete(self) -> dict[str, Any]:
        return {
            "ents_p": self.micro.p,
            "ents_r": self.micro.r,
            "ents_f": self.micro.f,
            "ents_macro_f": self.macro.f,
            "ents_per_type": {
                label: score._asdict() for label, score in self.per_type.items()
            },
            "support": self.micro.support,
        }

    def to_table(self) -> str:
        """RETURNS (str): The scores as a table for people."""
        if self.corrected is not None:
            return self.corrected.to_table()
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
    annotation_recall: float | None = None,
    sample: Path | None = None,
    decisions: Path | None = None,
    silent: bool = True,
) -> Evaluation:
    """Score the entities that a pipeline finds.

    model (str | Path): The name or path of a pipeline.
    data_path (Path): A `.spacy` file, or a directory of them.
    output (Path | None): A JSON file to write the scores to.
    use_gpu (int): The GPU, or -1 for the CPU.
    gold_preproc (bool): Use the gold sentences and tokens.
    annotation_recall (float | None): The share of all entities that is annotated, for
        incomplete gold. Estimated if not given.
    sample (Path | None): Predictions that were drawn by `adak sample --predictions`.
    decisions (Path | None): The decisions about them, as saved by the page of `adak
        review`. Precision is estimated from them.
    silent (bool): Do not say which device is used.
    RETURNS (Evaluation): The scores.
    """
    data_path = Path(data_path)
    if (sample is None) != (decisions is None):
        raise ValueError(Errors.A418)
    if output is not None:
        refuse_to_overwrite_inputs(output, data_path, sample, decisions)
    fix_random_seed()
    try:
        setup_gpu(use_gpu, silent=silent)
    except ValueError as error:
        raise ValueError(Errors.A215.format(gpu=use_gpu, error=error)) from error
    nlp = load_pipeline(model)
    predicted = predict(nlp, data_path, gold_preproc=gold_preproc)
    if all(token.ent_iob == 0 for eg in predicted for token in eg.reference):
        raise ValueError(Errors.A401.format(path=data_path))
    types = _types_of(predicted)
    predicted = [
        Example(eg.predicted, with_outside_stated(eg.reference, types))
        for eg in predicted
    ]
    _warn_of_unknown_labels(nlp, predicted, data_path)
    evaluation = score_entities(predicted)
    is_weighted = all(sample_weight(eg.reference) is not None for eg in predicted)
    if evaluation.complete_texts is not None:
        if evaluation.not_scored:
            labels = ", ".join(evaluation.not_scored)
            message = Warnings.W403.format(labels=labels, path=data_path)
            warnings.warn(message, stacklevel=2)
    elif not (evaluation.missing_tokens or is_weighted):
        given = {
            "--annotation-recall": annotation_recall is not None,
            "--sample": sample is not None,
        }
        options = " and ".join(option for option in given if given[option])
        if options:
            message = Warnings.W405.format(path=data_path, options=options)
            warnings.warn(message, stacklevel=2)
    else:
        key = spans_key(nlp)
        annotators = estimate_gold_recall(predicted, key, annotation_recall)
        reviewed = None
        if sample is not None and decisions is not None:
            found = predictions_in(predicted, key)
            reviewed = estimate_precision(found, Path(sample), Path(decisions))
        texts = [CountedText.of(eg, is_weighted=is_weighted) for eg in predicted]
        evaluation = replace(
            evaluation,
            corrected=correct_scores(texts, annotators, reviewed),
            note=_describe(annotators, reviewed, is_weighted=is_weighted),
        )
    if evaluation.missing_tokens and evaluation.complete_texts is None:
        warnings.warn(
            Warnings.W401.format(
                missing=evaluation.missing_tokens,
                tokens=evaluation.tokens,
                path=data_path,
                note=evaluation.note,
            ),
            stacklevel=2,
        )
    if output is not None:
        text = json.dumps(evaluation.to_dict(), indent=2, ensure_ascii=False)
        write_bytes(Path(output), f"{text}\n".encode())
    return evaluation


def _warn_of_unknown_labels(
    nlp: Language, predicted: Sequence[Example], path: Path
) -> None:
    """Entities of a type that no component has look as if they were hard to find."""
    known = {label for labels in nlp.pipe_labels.values() for label in labels}
    known.update(ent.label_ for eg in predicted for ent in eg.predicted.ents)
    gold = {ent.label_ for eg in predicted for ent in eg.reference.ents}
    if gold - known:
        labels = ", ".join(sorted(gold - known))
        message = Warnings.W404.format(labels=labels, path=path)
        warnings.warn(message, stacklevel=3)


def _describe(
    annotators: AnnotatorRecall | None,
    reviewed: ReviewedPrecision | None,
    *,
    is_weighted: bool,
) -> str:
    """What scores on incomplete or drawn texts rest on."""
    parts = []
    if is_weighted:
        parts.append("Texts count by the weights that `adak sample` gave them.")
    if reviewed is not None:
        parts.append(
            "Recall is that on annotated entities, and supposes that annotators forget "
            f"at random. {reviewed.describe()}"
        )
    elif annotators is None:
        parts.append(
            "Recall is that on annotated entities. Precision and F1 are not known, as "
            "nothing tells how many entities are annotated: give --annotation-recall, "
            "annotate some texts completely (`python -m spacy adak sample`), or judge "
            "some predictions (`python -m spacy adak sample --predictions`)."
        )
    elif annotators.recall.low < 1:
        parts.append(
            "Recall is that on annotated entities, precision and F1 are corrected for "
            "those that are not; all suppose that annotators forget at random. "
            f"{annotators.describe()}."
        )
    return " ".join(parts)


def score_entities(examples: Iterable[Example]) -> Evaluation:
    """Score predicted documents against gold ones. If gold states for which types it is
    complete, each type is scored there.

    examples (Iterable[Example]): The predicted and the gold documents.
    RETURNS (Evaluation): The scores.
    """
    examples = list(examples)
    by_type = is_scored_by_type(examples)
    gold_tags: list[list[str]] = []
    predicted_tags: list[list[str]] = []
    documents = tokens = missing = ignored = 0
    for example in examples:
        documents += 1
        tokens += len(example.reference)
        missing += sum(token.ent_iob == 0 for token in example.reference)
        pairs, count = to_tags(example, by_type)
        ignored += count
        gold_tags += [gold for gold, _ in pairs]
        predicted_tags += [predicted for _, predicted in pairs]
    scores = score_tags(gold_tags, predicted_tags)
    types = _types_of(examples)
    complete_texts = {
        label: count
        for label in types
        if (count := sum(_can_score(label, eg.reference) for eg in examples))
    }
    return Evaluation(
        micro=scores["micro avg"],
        macro=scores["macro avg"],
        per_type={k: v for k, v in scores.items() if k not in AVERAGES},
        documents=documents,
        tokens=tokens,
        missing_tokens=missing,
        ignored_predictions=ignored,
        complete_texts=complete_texts if by_type else None,
        not_scored=tuple(t for t in types if by_type and t not in complete_texts),
    )


def _types_of(examples: Sequence[Example]) -> list[str]:
    """All types that gold has or is complete for, or that were found."""
    found = {ent.label_ for eg in examples for ent in eg.predicted.ents}
    return sorted(found | corpus_types(eg.reference for eg in examples))


def _can_score(label: str, gold: Doc) -> bool:
    return is_complete(gold) or label in complete_tokens(gold)
