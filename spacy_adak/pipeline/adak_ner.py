"""The spaCy component `adak_ner`: named entities from incomplete annotations."""

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from inspect import Signature, signature
from itertools import islice
from math import exp, log
from typing import Any

from spacy.errors import Errors as SpacyErrors
from spacy.language import Language
from spacy.tokens import Doc, Span, SpanGroup
from spacy.training import Example, validate_examples, validate_get_examples
from spacy.util import check_lexeme_norms, minibatch
from spacy.vocab import Vocab
from thinc.api import Model, Optimizer

from ..annotation.completeness import is_meant_to_be_complete
from ..annotation.known import PresetDoc, preset_from_doc, shorten
from ..annotation.training_sample import Sample, read_sample
from ..crf.calibration import Calibration
from ..crf.tags import TagSet
from ..data.complete_types import with_outside_stated
from ..encoders.averaged_shim import keeps_averages
from ..encoders.recomputed_layers import recompute_layers_if_asked
from ..errors import Errors, Warnings
from .annotation_likelihood import (
    SCORE_NAME,
    annotation_likelihood,
    corrected_scores,
    is_annotated_completely,
    is_scored_by_type,
    scores_where_complete,
)
from .checked_pipe import CheckedPipe
from .checks import check_estimated, check_finite, check_moves
from .earlier_entities import EarlierEntities
from .head import TagScores
from .losses import RECALL_PER_TYPE, AdaKLoss, Loss, Progress
from .model import get_head, is_initialized, predict_scores, set_tags
from .objective import compute_loss
from .old_settings import LossBlock
from .recognition import Prediction, Reading, find_entities, find_readings
from .rules import check_values
from .set_entities import own_entities, remove_entities, set_entities, set_spans
from .settings import DEFAULTS, RULES

# The number of steps that is planned for where nothing tells it.
_DEFAULT_STEPS = 1000
# How many documents are scored at a time.
_DOCS_PER_SCORE = 256
_DEFAULT_LOSS = AdaKLoss()
_CALIBRATION = "calibration"


def _complete_references(
    examples: Iterable[Example], labels: Sequence[str]
) -> Iterator[Doc]:
    references = (with_outside_stated(eg.reference, labels) for eg in examples)
    return (doc for doc in references if is_meant_to_be_complete(doc))


class AdaKRecognizer(CheckedPipe):
    """Find named entities, and learn from incomplete annotations.

    vocab (Vocab): The shared vocabulary.
    model (Model): A `spacy-adak.CRFTagger.v1`.
    name (str): The name of the component.
    loss (Loss): The loss it learns from.
    scheme (str): How entities are written as tags: "BILUO" or "BIO".
    max_segment_length (int): Documents are cut into sentences. In training longer ones,
        and documents without sentence bounds, are cut into pieces of at most this many
        tokens.
    spans_key (Optional[str]): The span group with all entities found and, in
        attrs["scores"], their probabilities. With null they are neither stored nor
        computed. Set it to null if a later component merges or splits tokens, because
        spaCy does not move the spans of span groups.
    annotate_ents (bool): Whether to write entities to `doc.ents`. Entities that earlier
        components have set there are then facts. If false, entities are written to
        `spans_key` only, and `doc.ents` does not constrain them.
    threshold (float): Entities less probable than this are dropped.
    incorrect_spans_key (Optional[str]): The span group of the training data with spans
        that are known not to be entities, as written by `adak convert` and `adak
        merge`. With null it is ignored.
    scorer (Optional[Callable]): The scoring method.
    """

    def __init__(
        self,
        vocab: Vocab,
        model: Model[list[Doc], TagScores],
        name: str = "adak_ner",
        *,
        loss: Loss = _DEFAULT_LOSS,
        scheme: str = DEFAULTS["scheme"],
        max_segment_length: int = DEFAULTS["max_segment_length"],
        spans_key: str | None = DEFAULTS["spans_key"],
        annotate_ents: bool = DEFAULTS["annotate_ents"],
        threshold: float = DEFAULTS["threshold"],
        incorrect_spans_key: str | None = DEFAULTS["incorrect_spans_key"],
        scorer: Callable | None = None,
    ) -> None:
        self.vocab = vocab
        self.model = model
        self.name = name
        self.loss = loss
        self.scheme = scheme
        self.max_segment_length = max_segment_length
        self.spans_key = spans_key
        self.annotate_ents = annotate_ents
        self.threshold = threshold
        self.incorrect_spans_key = incorrect_spans_key
        self.scorer = scorer
        # Settings of the loss that were estimated from the data.
        self.cfg: dict[str, Any] = {}
        self._planned_steps = _DEFAULT_STEPS
        self._step = 0
        self._earlier_entities = EarlierEntities()
        check_values(f"the component '{name}'", vars(self), RULES)
        if spans_key is None and not annotate_ents:
            raise ValueError(Errors.A120.format(name=name))
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

    @property
    def calibration(self) -> Calibration:
        """RETURNS (Calibration): What makes probabilities of spans agree with how often
        these are right. It is fitted by `fit_calibration` and saved with the pipeline.
        What is found does not depend on it.
        """
        return Calibration(**self.cfg.get(_CALIBRATION, {}))

    @calibration.setter
    def calibration(self, calibration: Calibration) -> None:
        self.cfg[_CALIBRATION] = calibration._asdict()

    def add_label(self, label: str) -> int:
        """Add an entity type. A trained model predicts as before until it has learnt
        the new one.

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
        if nlp is not None:
            self.is_made_for(nlp)
            if self.annotate_ents:
                self._earlier_entities.warn_of_pipeline(nlp, self)
        if not self.labels:
            warnings.warn(Warnings.W101.format(name=self.name), stacklevel=2)
        docs = (eg.predicted for eg in get_examples() if len(eg.predicted))
        sample = list(islice(docs, 10))
        if not sample:
            raise ValueError(SpacyErrors.E923.format(name=self.name))
        self.model.initialize(X=sample)
        # A transformer that it listens to is there already.
        for _, component in nlp.pipeline if nlp is not None else ():
            recompute_layers_if_asked(getattr(component, "model", None))
        references = (eg.reference for eg in get_examples())
        self.estimate_settings(
            references, _complete_references(get_examples(), self.labels)
        )
        training = nlp.config.get("training", {}) if nlp is not None else {}
        self.plan_annealing(
            min(
                (
                    steps
                    for steps in (training.get("patience"), training.get("max_steps"))
                    if isinstance(steps, int) and steps > 0
                ),
                default=_DEFAULT_STEPS,
            )
        )
        self._step = 0
        # New weights are not calibrated.
        self.cfg.pop(_CALIBRATION, None)

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
        presets = [self._preset(doc, self._overruled_entities(doc)) for doc in docs]
        with_probabilities = self.spans_key is not None or self.threshold > 0
        predictions = find_entities(
            scores, presets, self.tagset, with_probabilities, self.calibration
        )
        return [
            [p for p in found if (p.probability or 0.0) >= self.threshold]
            for found in predictions
        ]

    def _overruled_entities(self, doc: Doc) -> set[Span]:
        """What is set on a document and is no constraint: what this component itself
        has set, or all if it does not write to `doc.ents`."""
        if not self.annotate_ents:
            return set(doc.ents)
        own = own_entities(doc, self.spans_key, self.name)
        self._earlier_entities.warn_of_entities(doc, set(doc.ents) - own, self)
        return own

    def _preset(self, doc: Doc, overruled: set[Span]) -> PresetDoc:
        """What is set on a document and is a constraint."""
        if overruled:
            doc = doc.copy()
            remove_entities(doc, overruled)
        return preset_from_doc(doc, self.tagset, self.max_segment_length)

    def tag_scores(self, docs: Sequence[Doc]) -> TagScores:
        """The scores of the model for documents that have been through all earlier
        components.

        docs (Sequence[Doc]): The documents, at least one of them with a token.
        RETURNS (TagScores): Scores of tags and transitions.
        """
        self._check_initialized()
        scores = predict_scores(self.model, docs)
        check_finite(self.name, get_head(self.model), scores, docs)
        return scores

    def _check_initialized(self) -> None:
        if not is_initialized(self.model):
            raise ValueError(SpacyErrors.E109.format(name=self.name))

    def set_annotations(
        self, docs: Iterable[Doc], predictions: Sequence[Sequence[Prediction]]
    ) -> None:
        """Write entities to `doc.ents` and to `doc.spans[spans_key]`.

        docs (Iterable[Doc]): The documents.
        predictions (Sequence[Sequence[Prediction]]): What `predict` returned for them.
        """
        for doc, found in zip(docs, predictions, strict=True):
            if self.annotate_ents:
                set_entities(doc, found, own_entities(doc, self.spans_key, self.name))
            if self.spans_key is not None:
                set_spans(doc, found, self.spans_key, self.name)

    def kbest(self, doc: Doc, k: int) -> list[SpanGroup]:
        """The most probable readings of a document that has been through the pipeline.

        doc (Doc): The document. Entities set by other components are constraints, those
            of this component are not. With spans_key = null the two can't be
            distinguished, and only blocked tokens are constraints.
        k (int): How many readings.
        RETURNS (list[SpanGroup]): At most k groups of entities, the most probable
            first, each with its probability in attrs["probability"]. The probability is
            not calibrated. For a long text it may be too small for a float; use
            attrs["log_probability"] then.
        """
        if k < 1:
            message = Errors.A104.format(
                value=k,
                setting="k",
                where=f"the component '{self.name}'",
                expected="a number above 0",
            )
            raise ValueError(message)
        # The one reading of a text without tokens has no entities.
        readings = [Reading(0.0, [])]
        if len(doc):
            if self.spans_key is None:
                overruled = set(doc.ents)
            else:
                overruled = self._overruled_entities(doc)
            preset = self._preset(doc, overruled)
            scores = self.tag_scores([doc])
            readings = find_readings(scores, preset, self.tagset, k)
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
        docs = [eg.predicted for eg in examples]
        check_finite(self.name, get_head(self.model), scores, docs)
        samples = [self.read_sample(eg) for eg in examples]
        for eg, sample in zip(examples, samples, strict=True):
            check_moves(self.name, sample, scores, eg.reference)
        # The loss is differentiated with respect to these, and no further.
        scores = TagScores(*(score.detach().requires_grad_() for score in scores))
        result = compute_loss(self.loss, self.progress, scores, samples, self.tagset)
        for i in result.impossible:
            message = Errors.A111.format(
                name=self.name, text=shorten(examples[i].reference)
            )
            raise ValueError(message)
        return result.loss, result.gradient

    def score(self, examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
        """Score a batch of examples. If some are annotated incompletely and the recall
        of the annotators is known, precision and F1 are corrected by it, and the scores
        include the likelihood of the annotation, by which models can be chosen. If gold
        states for which types it is complete, each type is scored only there.

        examples (Iterable[Example]): Predicted and gold documents.
        RETURNS (dict[str, Any]): The scores.
        """
        examples = [eg for eg in examples if len(eg.predicted)]
        if not self.annotate_ents:
            examples = [self._with_own_entities(eg) for eg in examples]
        scores = super().score(examples, **kwargs)
        recall = getattr(self.loss, "annotation_recall", None)
        recall = recall or self.cfg.get("annotation_recall")
        if self.scorer is None or is_annotated_completely(examples):
            return scores
        by_type = is_scored_by_type(examples)
        if by_type:
            scores.update(scores_where_complete(examples))
        if not recall:
            return scores
        per_type = self.cfg.get(RECALL_PER_TYPE) or {}
        if not by_type:
            scores.update(corrected_scores(examples, recall))
        total, tokens = 0.0, 0
        for batch in minibatch(examples, size=_DOCS_PER_SCORE):
            docs = [example.predicted for example in batch]
            samples = [self.read_sample(example) for example in batch]
            likelihood = annotation_likelihood(
                self.tag_scores(docs), samples, self.tagset, recall, per_type
            )
            length = sum(map(len, docs))
            total, tokens = total + log(likelihood) * length, tokens + length
        return {**scores, SCORE_NAME: exp(total / tokens)}

    def _with_own_entities(self, example: Example) -> Example:
        """What there is to score if the entities are not in `doc.ents`."""
        doc = example.predicted.copy()
        own = own_entities(doc, self.spans_key, self.name)
        doc.set_ents(sorted(own), default="outside")
        return Example(doc, example.reference)

    def read_sample(self, example: Example) -> Sample:
        """Read what is learnt from an example.

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

    def is_made_for(self, nlp: Language) -> None:
        """Record which pipeline the component is part of.

        nlp (Language): The pipeline.
        """
        self._earlier_entities = EarlierEntities(nlp)

    @property
    def progress(self) -> Progress:
        """RETURNS (Progress): How far the training is, as losses are told."""
        return Progress(self.name, self._step, self._planned_steps, self.cfg)

    def plan_annealing(self, steps: int) -> None:
        """Set how many steps the training will have.

        steps (int): B, the planned number of steps.
        """
        self._planned_steps = steps

    def estimate_settings(
        self, annotated: Iterable[Doc], complete: Iterable[Doc]
    ) -> None:
        """Estimate what the loss has to know of the data and its settings don't say.

        annotated (Iterable[Doc]): The documents to be learnt from.
        complete (Iterable[Doc]): Documents that are annotated completely.
        """
        self.cfg.update(self.loss.estimate(annotated, complete))

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
        check_estimated(cfg)
        calibration = cfg.get(_CALIBRATION, {})
        if not _is_calibration(calibration):
            raise ValueError(f"{_CALIBRATION} is {calibration!r}, which is none")

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


def _settings_of_component(factory: Callable) -> Callable:
    """Give a factory the settings of the component as parameters, so that they are
    written once. Their defaults are `DEFAULTS`, for all ways to make one."""
    settings = [
        parameter.replace(default=parameter.empty)
        for parameter in signature(AdaKRecognizer.__init__).parameters.values()
        if parameter.kind is parameter.KEYWORD_ONLY and parameter.name != "loss"
    ]
    own = signature(factory).parameters.values()
    named = [parameter for parameter in own if parameter.kind != parameter.VAR_KEYWORD]
    factory.__signature__ = Signature([*named, *settings])  # type: ignore[attr-defined]
    return factory


@Language.factory(
    "adak_ner",
    assigns=["doc.ents", "doc.spans", "token.ent_iob", "token.ent_type"],
    default_config=dict(DEFAULTS),
    default_score_weights={
        "ents_f": 1.0,
        "ents_p": 0.0,
        "ents_r": 0.0,
        "ents_per_type": None,
    },
)
@_settings_of_component
def make_adak_ner(
    nlp: Language,
    name: str,
    model: Model[list[Doc], TagScores],
    loss: LossBlock,
    **settings: Any,
) -> AdaKRecognizer:
    """Create the component. The settings are those of `AdaKRecognizer`."""
    component = AdaKRecognizer(nlp.vocab, model, name, loss=loss, **settings)
    component.is_made_for(nlp)
    return component


def _is_calibration(value: Any) -> bool:
    """Whether a value from a file can be the settings of a calibration."""
    if not isinstance(value, dict) or not set(value) <= set(Calibration._fields):
        return False
    settings = {**Calibration()._asdict(), **value}
    is_number = all(
        # No number of any size is a float, and a comparison with NaN is false.
        isinstance(number, int | float) and abs(number) < 1e300
        for number in settings.values()
    )
    return is_number and min(settings["slope_below"], settings["slope_above"]) > 0
