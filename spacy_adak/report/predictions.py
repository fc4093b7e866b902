"""What a pipeline finds in texts, and what their annotation says about it."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy
from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.training import Corpus, Example

from ..data.complete_types import is_complete_for
from ..data.docbin import unreadable_file_named
from ..data.origins import INCORRECT_SPANS_KEY, SCORES
from ..encoders.frozen import share_all_rows
from ..errors import Errors
from ..pipeline.adak_ner import AdaKRecognizer

# The text, the first character, the one after the last, and the label.
Where = tuple[str, int, int, str]
# Predictions are divided at these probabilities.
_BOUNDS = (0.5, 0.8, 0.95)


class Prediction(NamedTuple):
    """An entity that a pipeline finds.

    text (int): Index of the text.
    where (Where): The text, characters and label.
    score (float | None): Its probability, if the pipeline tells it.
    is_right (bool | None): What the annotation says; None if nothing.
    """

    text: int
    where: Where
    score: float | None
    is_right: bool | None

    @property
    def stratum(self) -> str:
        """RETURNS (str): Its type and about how probable it is."""
        if self.score is None:
            return self.where[3]
        bounds = (0.0, *_BOUNDS, 1.0)
        i = sum(self.score >= bound for bound in _BOUNDS)
        return f"{self.where[3]}, {bounds[i]:g} to {bounds[i + 1]:g}"


def predict(
    nlp: Language, data_path: Path, *, gold_preproc: bool = False
) -> list[Example]:
    """Find entities with a pipeline. Texts that another pipeline has read over the same
    frozen encoder, with the same `--paths.rows`, are not encoded again.

    nlp (Language): The pipeline.
    data_path (Path): A `.spacy` file, or a directory of them.
    gold_preproc (bool): Use the gold sentences and tokens.
    RETURNS (list[Example]): The predicted and the annotated documents.
    """
    files = [data_path] if data_path.is_file() else data_path.rglob("*.spacy")
    if not any(path.suffix == ".spacy" for path in files):
        raise ValueError(Errors.A400.format(path=data_path))
    with unreadable_file_named(data_path):
        examples = list(Corpus(data_path, gold_preproc=gold_preproc)(nlp))
    share_all_rows(nlp)
    docs = nlp.pipe(example.predicted for example in examples)
    return [
        Example(doc, example.reference)
        for doc, example in zip(docs, examples, strict=True)
    ]


def spans_key(nlp: Language) -> str | None:
    """RETURNS (str | None): The span group in which a pipeline tells probabilities."""
    keys = [p.spans_key for _, p in nlp.pipeline if isinstance(p, AdaKRecognizer)]
    return next(iter(keys), None)


def in_gold(example: Example) -> Iterator[tuple[int, int, str]]:
    """YIELDS (tuple[int, int, str]): Predicted entities by their gold tokens."""
    for ent in example.predicted.ents:
        indices = example.alignment.x2y[ent.start : ent.end]
        if len(indices):
            yield int(indices[0]), int(indices[-1]) + 1, ent.label_


def predictions_in(examples: Sequence[Example], key: str | None) -> list[Prediction]:
    """List what was found.

    examples (Sequence[Example]): The predicted and the annotated documents.
    key (str | None): The span group with the probabilities.
    RETURNS (list[Prediction]): All entities that were found, in their order.
    """
    return [
        prediction
        for text, example in enumerate(examples)
        for prediction in _predictions_in_text(text, example, key)
    ]


def _predictions_in_text(
    text: int, example: Example, key: str | None
) -> Iterator[Prediction]:
    doc, gold = example.predicted, example.reference
    group = doc.spans.get(key) if key else None
    scores = {
        (span.start, span.end, span.label_): float(score)
        for span, score in (
            zip(group, group.attrs[SCORES], strict=True) if group is not None else ()
        )
    }
    annotated = {(e.start_char, e.end_char, e.label_) for e in gold.ents if e.label_}
    ruled_out = {
        (span.start_char, span.end_char, span.label_)
        for span in gold.spans.get(INCORRECT_SPANS_KEY, ())
    }
    for ent in doc.ents:
        characters = (ent.start_char, ent.end_char, ent.label_)
        touched = numpy.asarray(example.alignment.x2y[ent.start : ent.end])
        is_right: bool | None = None
        if characters in annotated:
            is_right = True
        elif characters in ruled_out or _is_decided(gold, touched.tolist(), ent.label_):
            is_right = False
        score = scores.get((ent.start, ent.end, ent.label_))
        yield Prediction(text, (doc.text, *characters), score, is_right)


def _is_decided(gold: Doc, tokens: Sequence[int], label: str) -> bool:
    """Whether something is known of tokens, or of a type there."""
    if not tokens:
        return False
    if any(gold[i].ent_iob for i in tokens):
        return True
    return is_complete_for(Span(gold, tokens[0], tokens[-1] + 1, label=label))
