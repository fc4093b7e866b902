"""The spaCy component `adak_ner`: named entities from incomplete annotations."""

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from math import exp
from typing import Any

from spacy.errors import Errors as SpacyErrors
from spacy.language import Language
from spacy.tokens import Doc, Span, SpanGroup
from spacy.training import Example, validate_examples, validate_get_examples
from spacy.util import check_lexeme_norms
from spacy.vocab import Vocab
from thinc.api import Config, Model, Optimizer

from ..annotation.completeness import (
    entity_share,
    is_meant_to_be_complete,
    recall_of_annotators,
)
from ..annotation.known import PresetDoc, preset_from_doc, shorten
from ..annotation.samples import Sample, read_sample
from ..crf.losses import annealed_weight
from ..crf.ratio import EntityRatio
from ..crf.tags import TagSet
from ..encoders.averaged_shim import keeps_averages
from ..errors import Errors, Warnings
from .checked_pipe import CheckedPipe
from .head import TagScores
from .model import get_head, is_initialized, predict_scores, set_tags
from .objective import LossName, Objective
from .recognition import Prediction, Reading, find_entities, find_readings
from .set_entities import own_entities, remove_entities, set_entities
from .settings import DEFAULT_CONFIG, check_settings, is_share_or_none

_DEFAULT_ANNEALING_STEPS = 1000


@Language.factory(
    "adak_ner",
    assigns=["doc.ents", "doc.spans", "token.ent_iob", "token.ent_type"],
    default_config=Config().from_str(DEFAULT_CONFIG)["adak_ner"],
    default_score_weights={
        "ents_f": 1.0,
        "ents_p": 0.0,
        "ents_r": 0.0,
        "ents_per_type": None,
    },
)
def make_adak_ner(
    nlp: Language,
    name: str,
    model: Model[list[Doc], TagScores],
    loss: LossName,
    k: int,
    gamma: float | None,
    annealing_steps: int | None,
    annotation_recall: float | None,
    ratio_target: float | None,
    ratio_margin: float,
    ratio_weight: float,
    scheme: str,
    max_segment_length: int,
    spans_key: str | None,
    threshold: float,
    incorrect_spans_key: str | None,
    scorer: Callable | None,
) -> "AdaKRecognizer":
    """Create the component. The settings are explained in `DEFAULT_CONFIG`."""
    return AdaKRecognizer(
        nlp.vocab,
        model,
        name,
        loss=loss,
        k=k,
        gamma=gamma,
        annealing_steps=annealing_steps,
        annotation_recall=annotation_recall,
        ratio_target=ratio_target,
        ratio_margin=ratio_margin,
        ratio_weight=ratio_weight,
        scheme=scheme,
        max_segment_length=max_segment_length,
        spans_key=spans_key,
        threshold=threshold,
        incorrect_spans_key=incorrect_spans_key,
        scorer=scorer,
    )


def _complete_references(examples: Iterable[Example]) -> Iterator[Doc]:
    references = (eg.reference for eg in examples)
    return (doc for doc in references if is_meant_to_be_complete(doc))


class AdaKRecognizer(CheckedPipe):
    """Find named entities, and learn to from incomplete annotations.

    vocab (Vocab): The shared vocabulary.
    model (Model): A `spacy-adak.CRFTagger.v1`.
    name (str): The name of the component.

    The other settings are explained in `DEFAULT_CONFIG`.
    """

    def __init__(
        self,
        vocab: Vocab,
        model: Model[list[Doc], TagScores],
        name: str = "adak_ner",
        *,
        loss: LossName = "adak",
        k: int = 5,
        gamma: float | None = 3.0,
        annealing_steps: int | None = None,
        annotation_recall: float | None = None,
        ratio_target: float | None = None,
        ratio_margin: float = 0.02,
        ratio_weight: float = 10.0,
        scheme: str = "BILUO",
        max_segment_length: int = 128,
        spans_key: str | None = "adak_ner",
        threshold: float = 0.0,
        incorrect_spans_key: str | None = None,
        scorer: Callable | None = None,
    ) -> None:
        self.vocab = vocab
        self.model = model
        self.name = name
        self.scorer = scorer
        self.cfg: dict[str, Any] = {}
        self.loss = loss
        self.k = k
        self.gamma = gamma
        self.annealing_steps = annealing_steps
        self.annotation_recall = annotation_recall
        self.ratio_target = ratio_target
        self.ratio_margin = ratio_margin
        self.ratio_weight = ratio_weight
        self.scheme = scheme
        self.max_segment_length = max_segment_length
        self.spans_key = spans_key
        self.threshold = threshold
        self.incorrect_spans_key = incorrect_spans_key
        self._planned_steps = annealing_steps or _DEFAULT_ANNEALING_STEPS
        self._step = 0
        check_settings(name, vars(self))
        set_tags(self.model, TagSet(self.labels, scheme))

    @property
    def tagset(self) -> TagSet:
        """RETURNS (TagSet): The tags of the model."""
        return get_head(self.model).tagset

    @property
    def labels(self) -> tuple[str, ...]:
        """RETURNS (Tuple[str]): The entity types that can be found."""
        return self.tagset.types

    @property
    def label_data(self) -> tuple[str, ...]:
        """RETURNS (Tuple[str]): What `initialize` takes as `labels`."""
        return self.labels

    def add_label(self, label: str) -> int:
        """Add an entity type. A trained model goes on to predict as before until it
        has learnt the new one.

        label (str): The label to add.
        RETURNS (int): 0 if the label is already present, otherwise 1.
        """
        if label in self.labels:
            return 0
        self._set_labels([*self.labels, label])
        return 1

    def _set_labels(self, labels: Iterable[str]) -> None:
        for label in labels:
            if not isinstance(label, str):
                raise ValueError(SpacyErrors.E187)
            self.vocab.strings.add(label)
        set_tags(self.model, TagSet(labels, self.scheme))

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Language | None = None,
        labels: Iterable[str] | None = None,
    ) -> None:
        """Initialize the component for training.

        get_examples (Callable[[], Iterable[Example]]): Gives examples of the training
            data; their entity types become labels unless `labels` are given.
        nlp (Language): The pipeline the component is part of.
        labels (Iterable[str]): The labels, as made by the `init labels` command.
        """
        validate_get_examples(get_examples, "AdaKRecognizer.initialize")
        if labels is None:
            labels = sorted(
                {ent.label_ for eg in get_examples() for ent in eg.reference.ents}
            )
        self._set_labels(dict.fromkeys([*self.labels, *labels]))
        check_lexeme_norms(self.vocab, self.name)
        if not self.labels:
            warnings.warn(Warnings.W101.format(name=self.name), stacklevel=2)
        docs = (eg.predicted for eg in get_examples() if len(eg.predicted))
        sample = list(islice(docs, 10))
        if not sample:
            raise ValueError(SpacyErrors.E923.format(name=self.name))
        self.model.initialize(X=sample)
        if self.loss == "missing":
            references = (eg.reference for eg in get_examples())
            complete = _complete_references(get_examples())
            self.estimate_annotation_recall(references, complete)
        elif self.loss == "ratio":
            self.estimate_ratio_target(_complete_references(get_examples()))
        training = nlp.config.get("training", {}) if nlp is not None else {}
        self.plan_annealing(
            min(
                (
                    steps
                    for steps in (training.get("patience"), training.get("max_steps"))
                    if isinstance(steps, int) and steps > 0
                ),
                default=_DEFAULT_ANNEALING_STEPS,
            )
        )
        self._step = 0

    def predict(self, docs: Iterable[Doc]) -> list[list[Prediction]]:
        """Find the entities of a batch of documents without modifying them.

        docs (Iterable[Doc]): The documents.
        RETURNS (list[list[Prediction]]): The entities of each document, without those
            that earlier components have set.
        """
        docs = list(docs)
        if not any(len(doc) for doc in docs):
            return [[] for _ in docs]
        scores = self.tag_scores(docs)
        presets = [self._preset(doc, self._own_entities(doc)) for doc in docs]
        with_probabilities = self.spans_key is not None or self.threshold > 0
        predictions = find_entities(scores, presets, self.tagset, with_probabilities)
        return [
            [p for p in found if (p.probability or 0.0) >= self.threshold]
            for found in predictions
        ]

    def _own_entities(self, doc: Doc) -> set[Span]:
        return own_entities(doc, self.spans_key, self.name)

    def _preset(self, doc: Doc, own: set[Span]) -> PresetDoc:
        """What is set on a document, other than by this component itself."""
        if own:
            doc = doc.copy()
            remove_entities(doc, own)
        return preset_from_doc(doc, self.tagset, self.max_segment_length)

    def tag_scores(self, docs: Sequence[Doc]) -> TagScores:
        """What the model says about documents that all components before have seen.

        docs (Sequence[Doc]): The documents, at least one of them with a token.
        RETURNS (TagScores): Scores of tags and moves.
        """
        self._check_initialized()
        scores = predict_scores(self.model, docs)
        self._check_finite(scores, docs)
        return scores

    def _check_initialized(self) -> None:
        if not is_initialized(self.model):
            raise ValueError(SpacyErrors.E109.format(name=self.name))

    def _check_finite(self, scores: TagScores, docs: Sequence[Doc]) -> None:
        if not get_head(self.model).has_finite_moves(scores):
            raise ValueError(Errors.A116.format(name=self.name))
        if not scores.emissions.sum().isfinite():
            finite = scores.emissions.isfinite().all(1)
            for doc, doc_finite in zip(
                docs, finite.split([len(doc) for doc in docs]), strict=True
            ):
                if not doc_finite.all():
                    message = Errors.A106.format(name=self.name, text=shorten(doc))
                    raise ValueError(message)

    def set_annotations(
        self, docs: Iterable[Doc], predictions: Sequence[Sequence[Prediction]]
    ) -> None:
        """Write entities to `doc.ents` and to `doc.spans[spans_key]`.

        docs (Iterable[Doc]): The documents.
        predictions (Sequence[Sequence[Prediction]]): What `predict` returned for them.
        """
        for doc, found in zip(docs, predictions, strict=True):
            set_entities(doc, found, self.spans_key, self.name)

    def kbest(self, doc: Doc, k: int) -> list[SpanGroup]:
        """The most probable readings of a document that has been through the pipeline.

        doc (Doc): The document. What this component itself has set on it is no
            constraint, what others have set is; with spans_key = null entities can't
            be told apart, and only blocked tokens are a constraint.
        k (int): How many readings.
        RETURNS (list[SpanGroup]): At most k groups of entities, the most probable
            first, each with its probability in attrs["probability"]. That of a long
            text may be too small for a number: attrs["log_probability"] never is.
        """
        if k < 1:
            message = Errors.A104.format(
                value=k, setting="k", name=self.name, expected="a number above 0"
            )
            raise ValueError(message)
        # The one reading of a text without tokens has no entities.
        readings = [Reading(0.0, [])]
        if len(doc):
            own = set(doc.ents) if self.spans_key is None else self._own_entities(doc)
            preset = self._preset(doc, own)
            readings = find_readings(self.tag_scores([doc]), preset, self.tagset, k)
        return [
            SpanGroup(
                doc,
                name=f"{self.name}_{rank}",
                spans=[
                    Span(doc, s.start, s.end, label=s.type) for s in reading.entities
                ],
                attrs={
                    "probability": exp(reading.log_probability),
                    "log_probability": reading.log_probability,
                },
            )
            for rank, reading in enumerate(readings, start=1)
        ]

    def get_loss(
        self, examples: Iterable[Example], scores: TagScores
    ) -> tuple[float, TagScores]:
        """Find the loss and its gradient for a batch.

        examples (Iterable[Example]): The batch.
        scores (TagScores): What the model says about it.
        RETURNS (Tuple[float, TagScores]): The loss and its gradient.
        """
        examples = list(examples)
        validate_examples(examples, "AdaKRecognizer.get_loss")
        self._check_finite(scores, [eg.predicted for eg in examples])
        samples = [self.read_sample(eg) for eg in examples]
        # The loss is differentiated with respect to these, and no further.
        scores = TagScores(*(score.detach().requires_grad_() for score in scores))
        objective = Objective(
            self.loss,
            self.k,
            self.best_paths_weight(),
            self._entity_ratio(),
            self._annotation_recall(),
        )
        result = objective(scores, samples, self.tagset)
        for i in result.impossible:
            message = Errors.A111.format(
                name=self.name, text=shorten(examples[i].reference)
            )
            raise ValueError(message)
        return result.loss, result.gradient

    def read_sample(self, example: Example) -> Sample:
        """Read what there is to learn from an example.

        example (Example): The example.
        RETURNS (Sample): What is known and estimated, and where to cut the text.
        """
        return read_sample(
            example,
            self.tagset,
            component=self.name,
            incorrect_spans_key=self.incorrect_spans_key,
            max_segment_length=self.max_segment_length,
        )

    def best_paths_weight(self) -> float:
        """RETURNS (float): λ in the next step."""
        if self.gamma is None:
            return 0.5
        return annealed_weight(self._step, self._planned_steps, self.gamma)

    def plan_annealing(self, steps: int) -> None:
        """Tell how many steps the training will have, unless the settings do.

        steps (int): B, the planned number of steps.
        """
        self._planned_steps = self.annealing_steps or steps

    def _entity_ratio(self) -> EntityRatio | None:
        if self.loss != "ratio":
            return None
        target = self.given_or_estimated("ratio_target", Errors.A113)
        return EntityRatio(target, self.ratio_margin, self.ratio_weight)

    def _annotation_recall(self) -> float | None:
        if self.loss != "missing":
            return None
        return self.given_or_estimated("annotation_recall", Errors.A114)

    def given_or_estimated(self, setting: str, error: str) -> float:
        """The value of a setting that is estimated if it is not given.

        setting (str): Its name.
        error (str): What to say if there is no value; may have a place for the name of
            the component.
        RETURNS (float): The value.
        """
        given: float | None = getattr(self, setting)
        value = self.cfg.get(setting) if given is None else given
        if value is None:
            raise ValueError(error.format(name=self.name))
        return value

    def estimate_ratio_target(self, complete: Iterable[Doc]) -> None:
        """Let the loss "ratio" aim at the share of entity tokens in some documents,
        unless the settings have a target.

        complete (Iterable[Doc]): Documents that are annotated completely.
        """
        if self.ratio_target is None:
            self.cfg["ratio_target"] = entity_share(complete)

    def estimate_annotation_recall(
        self, annotated: Iterable[Doc], complete: Iterable[Doc]
    ) -> None:
        """Tell the loss "missing" how many of the entities in some documents are
        annotated, unless the settings do.

        annotated (Iterable[Doc]): The documents to be learnt from.
        complete (Iterable[Doc]): Documents that are annotated completely.
        """
        if self.annotation_recall is None:
            recall = recall_of_annotators(annotated, complete)
            self.cfg["annotation_recall"] = recall

    def update(
        self,
        examples: Iterable[Example],
        *,
        drop: float = 0.0,
        sgd: Optimizer | None = None,
        losses: dict[str, float] | None = None,
    ) -> dict[str, float]:
        """Learn from a batch of examples.

        examples (Iterable[Example]): The batch.
        drop (float): The dropout rate.
        sgd (Optimizer): The optimizer.
        losses (Dict[str, float]): Updated with the loss, by the component's name.
        RETURNS (Dict[str, float]): The losses.
        """
        self._check_initialized()
        return super().update(examples, drop=drop, sgd=sgd, losses=losses)

    def finish_update(self, sgd: Optimizer) -> None:
        """Update the weights with the gradients of the last batches."""
        if sgd.averages is not None and not keeps_averages(self.model):
            raise ValueError(Errors.A108.format(name=self.name))
        super().finish_update(sgd)
        self._step += 1

    def check_cfg(self, cfg: dict[str, Any]) -> None:
        """Check what was estimated when the component was trained."""
        for setting in ("annotation_recall", "ratio_target"):
            value = cfg.get(setting)
            if not is_share_or_none(value):
                raise ValueError(f"{setting} is {value!r}, which is no share")

    def check_model(self) -> None:
        """Check that the tags of a loaded model are those of the settings."""
        for label in self.labels:
            self.vocab.strings.add(label)
        if self.tagset.scheme != self.scheme:
            raise ValueError(
                Errors.A110.format(
                    name=self.name, found=self.tagset.scheme, expected=self.scheme
                )
            )

    def rehearse(
        self,
        examples: Iterable[Example],
        *,
        sgd: Optimizer | None = None,
        losses: dict[str, float] | None = None,
        **config: Any,
    ) -> dict[str, float]:
        """Not supported: raises an error that says what to do instead."""
        raise NotImplementedError(Errors.A107.format(name=self.name))
