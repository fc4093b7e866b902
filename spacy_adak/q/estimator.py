"""Estimate q: the inner part of Algorithm 1, for a batch of texts.

For each text: candidates from the best model and the dictionary, q from fold models,
and the entities that these find without the annotation.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple, cast

import numpy
import torch
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab
from torch import Tensor

from ..annotation.known import Known, allowed_tags, tagged_spans
from ..annotation.q_of_text import ESTIMATE_KEY, ChainEstimate
from ..annotation.segments import SegmentBatch
from ..annotation.training_sample import Sample
from ..crf.chain import Chain, relative_transitions
from ..crf.spans import probable_spans, span_log_probabilities
from ..crf.tags import LabelledSpan
from ..pipeline.adak_ner import AdaKRecognizer
from ..pipeline.head import TagScores
from ..shards.with_q import ScoredSpan, in_reference
from .adak_block import AdakSettings
from .candidates import Dictionary, candidate_mask, tags_on_best_paths
from .guess_evidence import Evidence
from .modes import best_paths, chain_of_q, fit_float16, mean_scores
from .segmented_texts import SegmentedTexts
from .selection import best_path_log_probabilities, sample_score

# What fold models think less probable than this is not worth a question to a person.
_LEAST_PROBABILITY = 0.05


class Estimated(NamedTuple):
    """What was estimated for a text.

    path (list[ScoredSpan]): All entities on the path of q, annotated ones included.
    candidates (list[ScoredSpan]): All entities that are not improbable, whether on the
        path or not, without the annotated ones.
    chain (ChainEstimate | None): q as a chain, unless it is the path.
    score (float): s_i, how sure the fold models are of their own reading.
    found (list): Words and label of each entity of that reading.
    unknown_tokens (int): Tokens that the annotation leaves open.
    changed_tokens (int): Those whose tag on the path of q has changed.
    new_entities (Counter[str]): Entities on the path of q that nobody annotated, by
        their labels.
    """

    path: list[ScoredSpan]
    candidates: list[ScoredSpan]
    chain: ChainEstimate | None
    score: float
    found: list[tuple[tuple[str, ...], str]]
    unknown_tokens: int
    changed_tokens: int
    new_entities: Counter[str]


class Estimator:
    """Estimates q with fold models M(w_j), as they think on average.

    nlps (Sequence[Language]): The pipelines with these models, for whose first the
        texts were read.
    candidate_nlp (Language | None): The pipeline whose K best paths give candidates,
        M(ŵ), if any do.
    component (str): The name of the component in all of them.
    dictionary (Dictionary): What to take candidates from.
    temperature (float): For interpolated q.
    settings (AdakSettings): The settings of the outer loop.
    """

    def __init__(
        self,
        nlps: Sequence[Language],
        candidate_nlp: Language | None,
        component: str,
        dictionary: Dictionary,
        temperature: float,
        settings: AdakSettings,
    ) -> None:
        self.nlp, *self.other_nlps = nlps
        self.candidate_nlp = candidate_nlp
        self.component = cast(AdaKRecognizer, self.nlp.get_pipe(component))
        self.tagset = self.component.tagset
        self.dictionary = dictionary
        self.temperature = temperature
        self.settings = settings

    def __call__(
        self,
        examples: Sequence[Example],
        log_likelihoods: Sequence[numpy.ndarray] = (),
        evidence: Sequence[Evidence] = (),
    ) -> Iterator[Estimated]:
        """Estimate q for some texts.

        examples (Sequence[Example]): The texts with their annotation and the last q.
        log_likelihoods (Sequence[ndarray]): (L, N) for each text, how likely the
            annotation would be; or nothing, if all paths it allows count alike.
        evidence (Sequence[Evidence]): What guesses say of each text; or nothing, if
            nobody has guessed.
        YIELDS (Estimated): What was estimated for each.
        """
        selection = self.settings.selection
        docs = [example.predicted for example in examples]
        scores = mean_scores(
            [
                self._tag_scores(self.nlp, docs),
                *(self._tag_scores_elsewhere(nlp, docs) for nlp in self.other_nlps),
            ]
        )
        # Only now do the texts have the sentences that other components find.
        samples = [self.component.read_sample(example) for example in examples]
        texts = SegmentedTexts(samples, scores.emissions.device, len(self.tagset))
        by_annotation = texts.concatenate(
            [allowed_tags(sample.known, self.tagset) for sample in samples]
        )
        allowed = by_annotation
        if self.settings.mask is not None:
            allowed = self._candidate_mask(
                texts, samples, by_annotation, docs, self.settings.mask.kbest, evidence
            )
        # By Bayes: the prediction of the models times the likelihoods of the annotation
        # and of the guesses.
        weights = texts.new_per_token(torch.float64, len(self.tagset))
        if log_likelihoods:
            weights = texts.concatenate(log_likelihoods).to(weights.dtype)
        said = texts.new_per_token(torch.float64, len(self.tagset))
        if evidence:
            by_text = zip(evidence, texts.lengths, strict=True)
            said = texts.concatenate(
                [each.weights(length, self.tagset) for each, length in by_text]
            )
        own_paths, log_probabilities = self._own_readings(texts, scores)
        paths = texts.new_per_token(torch.long)
        nodes = texts.new_per_token(torch.float64, len(self.tagset))
        moves: tuple[Tensor, ...] = ()
        probabilities = {}
        candidates: list[list[tuple[LabelledSpan, float]]] = [[] for _ in samples]
        for batch in texts.batches:
            by_models = scores.chain(batch)
            chain = by_models.with_node_weights(said[batch.tokens])
            posterior = chain.with_node_weights(weights[batch.tokens])
            mask = self._without_ruled_out(
                texts, batch, posterior, allowed[batch.tokens]
            )
            batch_paths = best_paths(posterior.allowing(mask))
            texts.scatter(paths, batch, batch_paths)
            q = chain_of_q(
                by_models,
                mask,
                weights[batch.tokens] + said[batch.tokens],
                self.settings.q.mode,
                self.temperature,
            )
            if q is not None:
                texts.scatter(nodes, batch, q.emissions.to(nodes.dtype))
                # The same for all segments.
                moves = q.transitions, q.start, q.end
            spans = self.tagset.spans_of_legal_paths(batch_paths)
            annotated = chain.allowing(by_annotation[batch.tokens])
            tagged = tagged_spans(spans, self.tagset)
            values = span_log_probabilities(annotated, tagged).exp().tolist()
            for (segment, span), value in zip(spans, values, strict=True):
                probabilities[texts.place(batch, segment, span)] = value
            for segment, span, value in probable_spans(
                annotated, self.tagset, _LEAST_PROBABILITY
            ):
                text, placed = texts.place(batch, segment, span)
                if placed not in samples[text].known.entities:
                    candidates[text].append((placed, value))

        for i, (example, sample) in enumerate(zip(examples, samples, strict=True)):
            tokens = texts.tokens_of(i)
            path = paths[tokens].cpu().numpy()
            unknown = by_annotation[tokens].sum(1).cpu().numpy() > 1
            before = self.tagset.encode(_entities_before(example, sample), len(path))
            entities = self.tagset.decode(path.tolist())
            q_chain = _chain_estimate(nodes[tokens], *moves) if moves else None
            scored = [(span, probabilities[i, span]) for span in entities]
            words = [token.text for token in example.predicted]
            yield Estimated(
                path=in_reference(example, scored),
                candidates=in_reference(example, sorted(candidates[i])),
                chain=q_chain,
                score=sample_score(
                    float(log_probabilities[i]),
                    len(path),
                    selection is None or selection.per_token,
                ),
                found=[
                    (tuple(words[span.start : span.end]), span.type)
                    for span in self.tagset.decode(own_paths[tokens].tolist())
                    if not _is_known_to_be_none(span, sample.known)
                ],
                unknown_tokens=int(unknown.sum()),
                changed_tokens=int((unknown & (path != numpy.array(before))).sum()),
                new_entities=Counter(
                    span.type for span in {*entities} - {*sample.known.entities}
                ),
            )

    def _without_ruled_out(
        self, texts: SegmentedTexts, batch: SegmentBatch, chain: Chain, mask: Tensor
    ) -> Tensor:
        """Allow no best path with a span that is known to be no entity. This is said by
        single tags: other entities of the type that begin there may go with it."""
        while any(texts.ruled_out):
            held = [
                (segment, span)
                for segment, span in self.tagset.spans_of_legal_paths(
                    best_paths(chain.allowing(mask))
                )
                if texts.is_ruled_out(batch, segment, span)
            ]
            if not held:
                break
            for segment, span in held:
                first = self.tagset.span_tags(span.type, span.end - span.start)[0]
                mask[segment, span.start, first] = False
        return mask

    def _candidate_mask(
        self,
        texts: SegmentedTexts,
        samples: Sequence[Sample],
        by_annotation: Tensor,
        docs: Sequence[Doc],
        k: int,
        evidence: Sequence[Evidence],
    ) -> Tensor:
        """(tokens, N) bool: the tags that annotation and candidates allow."""
        on_best_paths = None
        if self.candidate_nlp is not None:
            scores = self._tag_scores_elsewhere(self.candidate_nlp, docs)
            on_best_paths = torch.zeros_like(by_annotation)
            for batch in texts.batches:
                chain = scores.chain(batch).allowing(by_annotation[batch.tokens])
                tags = tags_on_best_paths(chain, k)
                texts.scatter(on_best_paths, batch, tags)
        masks = []
        for i, (doc, sample) in enumerate(zip(docs, samples, strict=True)):
            tokens = texts.tokens_of(i)
            allowed = by_annotation[tokens].cpu().numpy()
            on_best = None
            if on_best_paths is not None:
                on_best = on_best_paths[tokens].cpu().numpy()
            unknown = (allowed.sum(1) > 1).tolist()
            words = [token.text for token in doc]
            found = self.dictionary.match(words, unknown, sample.known.complete)
            if evidence:
                found += evidence[i].likely_spans()
            masks.append(candidate_mask(allowed, on_best, found, self.tagset))
        return texts.concatenate(masks)

    def _tag_scores(self, nlp: Language, docs: Sequence[Doc]) -> TagScores:
        """Scores of documents, which go through everything before the component."""
        names = nlp.pipe_names
        component = cast(AdaKRecognizer, nlp.get_pipe(self.component.name))
        later = names[names.index(component.name) :]
        return component.tag_scores(list(nlp.pipe(docs, disable=later)))

    def _tag_scores_elsewhere(self, nlp: Language, docs: Sequence[Doc]) -> TagScores:
        """Scores of the same texts by another pipeline. The documents stay as they
        are."""
        return self._tag_scores(nlp, [_for_vocab(doc, nlp.vocab) for doc in docs])

    def _own_readings(
        self, texts: SegmentedTexts, scores: TagScores
    ) -> tuple[Tensor, Tensor]:
        """The best unconstrained paths, and per text their log-probability."""
        paths = texts.new_per_token(torch.long)
        totals = torch.zeros(len(texts.lengths), dtype=torch.float64)
        for batch in texts.batches:
            batch_paths, log_probabilities = best_path_log_probabilities(
                scores.chain(batch)
            )
            texts.scatter(paths, batch, batch_paths)
            text = texts.text_of_token[batch.tokens[:, 0]].cpu()
            totals.index_add_(0, text, log_probabilities.cpu())
        return paths, totals


def _is_known_to_be_none(span: LabelledSpan, known: Known) -> bool:
    """Whether a text is annotated completely for the type of a span, and does not have
    it. The dictionary must not have what is known to be no entity."""
    return known.is_complete_for(span) and span not in known.entities


def _chain_estimate(
    nodes: Tensor, transitions: Tensor, start: Tensor, end: Tensor
) -> ChainEstimate:
    # What all paths gain alike changes nothing, and might not fit into float16.
    relative = (
        nodes - nodes.amax(1, keepdim=True),
        relative_transitions(transitions),
        start - start.max(),
        end - end.max(),
    )
    return ChainEstimate(*map(fit_float16, relative))


def _for_vocab(doc: Doc, vocab: Vocab) -> Doc:
    """The same tokens, for another pipeline."""
    return Doc(
        vocab,
        words=[token.text for token in doc],
        spaces=[bool(token.whitespace_) for token in doc],
    )


def _entities_before(example: Example, sample: Sample) -> list[LabelledSpan]:
    """The path of q before this round: what was estimated last, or all unknown O."""
    reference = example.reference
    if ESTIMATE_KEY not in reference.spans:
        return sample.known.entities
    spans = example.get_aligned_spans_y2x(reference.spans[ESTIMATE_KEY])
    return [LabelledSpan(span.start, span.end, span.label_) for span in spans]
