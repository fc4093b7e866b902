"""See how often the intervals of the recall of annotators hold the truth.

    python -m scripts.experiments.simulated_recall

Annotators of the embedded sample are drawn again and again, each of whom forgets
entities at random, and every estimator is asked for their recall: "complete texts" with
50 of these, "two annotators" with a third of the texts in common, "forms", "held-out
texts" with a model that was trained once, on other texts that were annotated as
incompletely, and the last two together, as in a run without any complete text. A result
replaces an earlier one of its estimator and ratio.
"""

import argparse
import random
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import srsly
from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.training import Example
from spacy.vocab import Vocab
from wasabi import msg

from spacy_adak.crf.tags import LabelledSpan
from spacy_adak.data.convert import convert
from spacy_adak.data.corruption import drop_entities
from spacy_adak.data.docbin import read_docbin, write_docbin
from spacy_adak.data.origins import set_annotators
from spacy_adak.pipeline.adak_ner import AdaKRecognizer
from spacy_adak.q.held_out_spans import held_out_spans
from spacy_adak.q.marked_forms import count_forms, count_texts, marked_words
from spacy_adak.recall.complete_texts import recall_from_complete_texts
from spacy_adak.recall.consistency import recall_from_forms
from spacy_adak.recall.estimate import RecallEstimate
from spacy_adak.recall.held_out import HeldOutSpan, recall_from_held_out_texts
from spacy_adak.recall.pooled import AnnotatorRecall, pool_estimates
from spacy_adak.recall.two_annotators import recall_from_two_annotators
from spacy_adak.run.train import train

from .no_dev_report import COVERAGE, FOLDER

ASSETS = Path(__file__).parents[2] / "assets"
COMPLETE = 50
# What a run goes by that has nothing but incomplete texts.
TOGETHER = "held-out texts and forms"
Estimator = Callable[[int], RecallEstimate | AnnotatorRecall | None]


def estimators(
    docs: Sequence[Doc], ratio: float, nlp: Language | None
) -> dict[str, Estimator]:
    """Make what estimates the recall of annotators who were drawn by a seed.

    docs (Sequence[Doc]): Texts that are annotated completely.
    ratio (float): The recall of their annotators.
    nlp (Language | None): A pipeline that predicts what these annotate, if any.
    RETURNS (dict[str, Estimator]): The estimators by name.
    """

    def annotate(seed: int) -> list[Doc]:
        rng = random.Random(seed)
        return [_mark(doc, rng, ratio, both=False) for doc in docs]

    def from_complete_texts(seed: int) -> RecallEstimate | None:
        rng = random.Random(f"complete {seed}")
        complete = set(rng.sample(range(len(docs)), COMPLETE))
        return recall_from_complete_texts(
            (doc for i, doc in enumerate(annotate(seed)) if i not in complete),
            (docs[i] for i in complete),
        )

    def from_two_annotators(seed: int) -> RecallEstimate | None:
        rng = random.Random(seed)
        return recall_from_two_annotators(
            _mark(doc, rng, ratio, both=i % 3 == 0) for i, doc in enumerate(docs)
        )

    @cache
    def from_forms(seed: int) -> RecallEstimate | None:
        words = [marked_words(doc) for doc in annotate(seed)]
        return recall_from_forms(*count_forms(words))

    found: dict[str, Estimator] = {
        "complete texts": from_complete_texts,
        "two annotators": from_two_annotators,
        "forms": from_forms,
    }
    if nlp is None:
        return found
    readings = list(_read(nlp, docs))

    @cache
    def from_models(seed: int) -> RecallEstimate | None:
        return recall_from_held_out_texts(_held_out_spans(readings, annotate(seed)))

    def from_both(seed: int) -> AnnotatorRecall | None:
        asked = (from_models(seed), from_forms(seed))
        return pool_estimates([estimate for estimate in asked if estimate is not None])

    return {**found, "held-out texts": from_models, TOGETHER: from_both}


def _mark(doc: Doc, rng: random.Random, ratio: float, *, both: bool) -> Doc:
    """A text as one annotator marks it, or two by themselves."""
    copy = doc.copy()
    names = ("x", "y") if both else ("x",)
    marked = {
        name: [
            Span(copy, ent.start, ent.end, ent.label)
            for ent in doc.ents
            if rng.random() < ratio
        ]
        for name in names
    }
    # What counts is what the first one has marked.
    copy.set_ents(marked["x"], default="missing")
    if both:
        set_annotators(copy, marked)
    return copy


class _Reading(NamedTuple):
    """What a model says of a span of a text, before anybody has annotated that."""

    span: LabelledSpan
    probability: float
    is_found: bool
    occurs_elsewhere: bool


def _read(nlp: Language, docs: Sequence[Doc]) -> Iterator[list[_Reading]]:
    """What a model says of the spans that it finds in each text, and of the entities
    there."""
    component = nlp.get_pipe("adak_ner")
    assert isinstance(component, AdaKRecognizer)
    blank = [
        Doc(nlp.vocab, [t.text for t in d], [bool(t.whitespace_) for t in d])
        for d in docs
    ]
    bare = [doc.copy() for doc in blank]
    for doc in bare:
        doc.set_ents([], default="missing")
    found, known = (
        list(
            held_out_spans(
                nlp,
                component,
                [
                    Example(doc.copy(), gold)
                    for doc, gold in zip(blank, golds, strict=True)
                ],
            )
        )
        for golds in (bare, docs)
    )
    words = [[token.text for token in doc] for doc in docs]
    forms = {
        tuple(w[s.span.start : s.span.end])
        for w, spans in zip(words, known, strict=True)
        for s in spans
    }
    texts = count_texts(words, forms)
    for text, in_text, on_paths in zip(words, known, found, strict=True):
        is_found = {span.span for span in on_paths}
        yield [
            _Reading(
                span.span,
                span.probability,
                span.span in is_found,
                texts[tuple(text[span.span.start : span.span.end])] > 1,
            )
            for span in in_text
        ]


def _held_out_spans(
    readings: Sequence[Sequence[_Reading]], annotated: Sequence[Doc]
) -> list[HeldOutSpan]:
    """What is annotated of what a model has found."""
    spans = []
    for text, (in_text, doc) in enumerate(zip(readings, annotated, strict=True)):
        marked = {LabelledSpan(e.start, e.end, e.label_) for e in doc.ents}
        tokens = {token.i for ent in doc.ents for token in ent}
        spans += [
            HeldOutSpan(
                text,
                reading.span.type,
                reading.probability,
                reading.span in marked,
                not tokens.isdisjoint(range(reading.span.start, reading.span.end)),
                reading.occurs_elsewhere,
            )
            for reading in in_text
            if reading.is_found or reading.span in marked
        ]
    return spans


def simulate(estimator: Estimator, ratio: float, draws: int) -> dict[str, Any]:
    """Ask an estimator again and again.

    estimator (Estimator): The estimator.
    ratio (float): The truth.
    draws (int): How often.
    RETURNS (dict[str, Any]): The mean estimate, the mean width of intervals, and the
        share of these that hold the truth.
    """
    asked = [estimator(seed) for seed in range(draws)]
    told = [estimate.recall for estimate in asked if estimate is not None]
    count = max(len(told), 1)
    return {
        "mean": round(sum(recall.value for recall in told) / count, 4),
        "width": round(sum(recall.width for recall in told) / count, 4),
        "covered": round(sum(r.low <= ratio <= r.high for r in told) / count, 4),
        "draws": len(told),
    }


def train_on_others(docs: Sequence[Doc], ratio: float, folder: Path) -> Language:
    """RETURNS (Language): A plain CRF, to which unknown is O, trained on texts of which
    a share of the entities is annotated."""
    write_docbin(folder / "train.spacy", drop_entities(docs, ratio))
    nlp, _ = train(
        ASSETS.parent / "configs" / "sample_cpu.cfg",
        folder / "output",
        overrides={
            "paths.train": str(folder / "train.spacy"),
            "components.adak_ner.loss": {"@losses": "spacy-adak.CRFLoss.v1"},
            # It is not asked for, and estimating it would take a model for each fold.
            "adak.start.annotation_recall": ratio,
            "adak.executor": "serial",
        },
    )
    return nlp


def main() -> None:
    """Simulate, and write the results."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--texts", type=int, default=500, help="that are annotated")
    parser.add_argument("--ratios", nargs="+", type=float, default=(0.2, 0.4, 0.7, 1.0))
    parser.add_argument("--no-models", action="store_true", help="train none")
    args = parser.parse_args()
    path = FOLDER / COVERAGE
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        convert(
            ASSETS / "train.jsonl",
            folder / "all.spacy",
            unlabelled="outside",
            lang="en",
        )
        every = list(read_docbin(folder / "all.spacy", Vocab()))
        docs, others = every[: args.texts], every[args.texts :]
        for ratio in args.ratios:
            nlp = None if args.no_models else train_on_others(others, ratio, folder)
            for method, estimator in estimators(docs, ratio, nlp).items():
                row = {"method": method, "ratio": ratio, "texts": args.texts}
                row |= simulate(estimator, ratio, args.draws)
                rows = list(srsly.read_jsonl(path)) if path.exists() else []
                same = {"method": method, "ratio": ratio}.items()
                rows = [r for r in rows if not same <= r.items()]
                path.parent.mkdir(parents=True, exist_ok=True)
                srsly.write_jsonl(path, [*rows, row])
                msg.good(f"{method}, {ratio:g}: {row}")


if __name__ == "__main__":
    main()
