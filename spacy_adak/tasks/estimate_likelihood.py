"""Estimate the likelihood of the annotation, given a path, as one task of the outer
loop: how likely annotators were to leave out what they have not marked.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy
import srsly
from spacy.training import Example

from ..annotation.q_of_text import ChainEstimate
from ..crf.tags import TagSet
from ..pipeline.adak_ner import AdaKRecognizer
from ..pipeline.losses import MissingLoss
from ..q.first_q import (
    Text,
    first_q,
    q_of_guesses,
    recall_at_random,
    recall_by_strings,
    recall_of_tags,
)
from ..q.guess_evidence import (
    NO_EVIDENCE,
    Evidence,
    evidence_of,
    write_evidence,
)
from ..q.guess_trust import Trust
from ..q.known_forms import Annotators
from ..recall.per_tag import recall_per_tag
from ..shards.checkpoint import damage_named, write_json
from ..shards.guess_files import in_predicted_tokens, read_guesses
from ..shards.layout import list_shards
from ..shards.with_q import ShardEstimates, estimates_path, read_shard
from .blueprint import Blueprint
from .logs import logging_to


class LikelihoodTask(NamedTuple):
    """What a worker needs to know to estimate the likelihood of the annotation.

    blueprint (Blueprint): Of a pipeline that has the labels.
    component (str): The name of the component.
    loss (MissingLoss): Has the recall, or estimates it.
    looks_at_forms (bool): Whether annotators may not know some forms.
    estimates (Path): The folder for the likelihood, and for what annotators do.
    guesses (Path | None): The folder with what guessers say, if there are any.
    trust (Path): The file that says how far they are trusted.
    first_q (Path): The folder for what the first fold models learn from, if there are
        guesses.
    by_guesses_alone (bool): Whether that is q by guesses alone.
    """

    blueprint: Blueprint
    component: str
    loss: MissingLoss
    looks_at_forms: bool
    estimates: Path
    guesses: Path | None
    trust: Path
    first_q: Path
    by_guesses_alone: bool

    @property
    def name(self) -> str:
        """RETURNS (str): For messages."""
        return "likelihood of the annotation"

    @property
    def output(self) -> Path:
        """RETURNS (Path): Written last, so everything is complete if it exists."""
        return self.estimates / "annotators.json"

    @property
    def log_path(self) -> Path:
        """RETURNS (Path): Where an error is written down."""
        return self.output.with_suffix(".log")

    def is_done(self) -> bool:
        """RETURNS (bool): Whether it is known what annotators do."""
        return self.output.exists()

    def annotators(self) -> Annotators:
        """RETURNS (Annotators): What was found out about them."""
        with damage_named(self.output):
            return Annotators(**srsly.read_json(self.output))

    def run(self) -> None:
        """Estimate the likelihood for all texts, unless that is done already."""
        if self.is_done():
            return
        self.estimates.mkdir(exist_ok=True)
        with self.log_path.open("w", encoding="utf8") as log, logging_to(log):
            nlp = self.blueprint.make_pipeline()
        component = nlp.get_pipe(self.component)
        assert isinstance(component, AdaKRecognizer)
        shards = {}
        evidence = {}
        for shard in list_shards(self.blueprint.corpus):
            examples = list(read_shard(nlp, shard.path, None))
            shards[shard.path] = [Text.read(eg, component) for eg in examples]
            evidence[shard.path] = self._evidence(
                shard.path, examples, shards[shard.path], component.tagset
            )
        texts = [text for shard in shards.values() for text in shard]
        component.loss = self.loss
        self.blueprint.estimate_settings(component)
        recall = self.loss.recall(component.progress)
        if self.looks_at_forms:
            annotators, by_token = recall_by_strings(texts, recall)
        else:
            annotators = Annotators(recall, recall)
            by_token = recall_at_random(texts, recall)
        per_type = self.loss.recall_per_type(component.progress)
        if per_type:
            per_tag = recall_per_tag(recall, per_type, component.tagset)
            by_token = (recall_of_tags(each, recall, per_tag) for each in by_token)
        for path, shard_texts in shards.items():
            recalls = [next(by_token) for _ in shard_texts]
            pairs = list(zip(shard_texts, recalls, strict=True))
            estimates = ShardEstimates(
                paths=[text.marked for text in shard_texts],
                chains=[
                    first_q(text.known, recall, component.tagset)
                    for text, recall in pairs
                ],
                selected=list(range(len(shard_texts))),
            )
            estimates.to_disk(estimates_path(self.estimates, path))
            if self.guesses is not None:
                said = evidence[path]
                write_evidence(self.estimates, path, said)
                self.first_q.mkdir(exist_ok=True)
                chains = [
                    self._lesson(text, recall, each, component.tagset)
                    for (text, recall), each in zip(pairs, said, strict=True)
                ]
                with_guesses = estimates._replace(chains=chains)
                with_guesses.to_disk(estimates_path(self.first_q, path))
        write_json(self.output, annotators._asdict())

    def _lesson(
        self, text: Text, recall: numpy.ndarray, said: Evidence, tagset: TagSet
    ) -> ChainEstimate:
        """What the first fold models learn from where there are guesses."""
        if self.by_guesses_alone:
            return q_of_guesses(text.known, said, tagset)
        hints = said.hints(len(text.known.outside), tagset)
        return first_q(text.known, recall, tagset, hints)

    def _evidence(
        self,
        shard: Path,
        examples: Sequence[Example],
        texts: Sequence[Text],
        tagset: TagSet,
    ) -> list[Evidence]:
        """The evidence of guesses for each text of a shard."""
        if self.guesses is None:
            return [NO_EVIDENCE] * len(examples)
        trust = Trust.from_disk(self.trust)
        references = [example.reference for example in examples]
        guesses = read_guesses(self.guesses, shard, references)
        return [
            evidence_of(
                trust,
                in_predicted_tokens(example, guessed),
                text.words,
                text.known,
                tagset,
            )
            for example, guessed, text in zip(examples, guesses, texts, strict=True)
        ]
