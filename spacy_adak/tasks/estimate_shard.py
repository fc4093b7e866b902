"""Estimate q for a shard of the data, as one task of the outer loop."""

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy
from spacy.util import minibatch

from ..q.adak_block import AdakSettings
from ..q.candidates import Dictionary
from ..q.estimator import Estimated, Estimator
from ..q.guess_evidence import Evidence, read_evidence
from ..q.selection import select
from ..shards.checkpoint import write_json
from ..shards.with_q import ShardEstimates, estimates_path, read_shard
from .worker import load_models, prepare_worker

# How many documents are worked on at a time.
_DOCS_AT_A_TIME = 256


class ShardStatistics(NamedTuple):
    """Statistics of a shard whose q was estimated.

    documents (int): How many.
    dropped (int): How many of them are left out of the next folds' training data.
    unknown_tokens (int): Tokens that the annotation leaves open.
    changed_tokens (int): Those whose tag on the path of q has changed.
    estimated_entities (dict[str, int]): Entities on the path of q that nobody
        annotated, by their labels.
    found (list): [words, label, count] of what the fold models find on their own.
    """

    documents: int
    dropped: int
    unknown_tokens: int
    changed_tokens: int
    estimated_entities: dict[str, int]
    found: list[list[Any]]


class EstimationTask(NamedTuple):
    """What a worker needs to know to estimate q for a shard. Data goes by path.

    name (str): For messages.
    shard (Path): A `.spacy` file with the annotation.
    likelihood (Path | None): The folder with the likelihood of the annotation, if it is
        looked at.
    last_estimates (Path | None): The folder with the estimates of the last round.
    estimates (Path): The folder for the new ones.
    fold_models (tuple[Path, ...]): The models whose opinion counts.
    candidate_model (Path | None): The model whose K best paths give candidates.
    dictionary (Path | None): A dictionary to take candidates from.
    component (str): The name of the component.
    temperature (float): For interpolated q.
    settings (AdakSettings): The settings of the outer loop.
    use_gpu (int): The id of a GPU, or -1.
    code_path (Path | None): Python code to import first.
    """

    name: str
    shard: Path
    likelihood: Path | None
    last_estimates: Path | None
    estimates: Path
    fold_models: tuple[Path, ...]
    candidate_model: Path | None
    dictionary: Path | None
    component: str
    temperature: float
    settings: AdakSettings
    use_gpu: int
    code_path: Path | None

    @property
    def output(self) -> Path:
        """RETURNS (Path): The file for the estimates."""
        return estimates_path(self.estimates, self.shard)

    @property
    def log_path(self) -> Path:
        """RETURNS (Path): Where an error is written down."""
        return self.output.with_suffix(".log")

    @property
    def statistics_path(self) -> Path:
        """RETURNS (Path): Written last, so everything is complete if it exists."""
        return self.output.with_suffix(".json")

    def is_done(self) -> bool:
        """RETURNS (bool): Whether the shard has been estimated."""
        return self.statistics_path.exists()

    def run(self) -> None:
        """Estimate the shard, unless that is done already."""
        if self.is_done():
            return
        prepare_worker(self.use_gpu, self.code_path)
        estimated = list(self._estimate())
        selected = list(range(len(estimated)))
        if (selection := self.settings.selection) is not None:
            scores = [text.score for text in estimated]
            selected = select(scores, selection.min_score)
        found: Counter[tuple[tuple[str, ...], str]] = Counter()
        new_entities: Counter[str] = Counter()
        for text in estimated:
            found.update(text.found)
            new_entities.update(text.new_entities)
        ShardEstimates(
            paths=[text.path for text in estimated],
            chains=[text.chain for text in estimated if text.chain is not None],
            selected=selected,
            candidates=[text.candidates for text in estimated],
        ).to_disk(self.output)
        statistics = ShardStatistics(
            documents=len(estimated),
            dropped=len(estimated) - len(selected),
            unknown_tokens=sum(text.unknown_tokens for text in estimated),
            changed_tokens=sum(text.changed_tokens for text in estimated),
            estimated_entities=dict(sorted(new_entities.items())),
            found=[
                [list(words), label, n] for (words, label), n in sorted(found.items())
            ],
        )
        write_json(self.statistics_path, statistics._asdict())

    def _estimate(self) -> Iterator[Estimated]:
        paths = [*self.fold_models]
        if self.candidate_model is not None:
            paths.append(self.candidate_model)
        models = load_models(paths)
        fold_nlps = models[: len(self.fold_models)]
        dictionary = Dictionary.from_disk(self.dictionary) if self.dictionary else None
        estimator = Estimator(
            fold_nlps,
            models[-1] if self.candidate_model is not None else None,
            self.component,
            dictionary or Dictionary({}),
            self.temperature,
            self.settings,
        )
        examples = read_shard(fold_nlps[0], self.shard, self.last_estimates)
        likelihoods = iter(self._log_likelihoods())
        evidence = iter(self._evidence())
        for batch in minibatch(examples, size=_DOCS_AT_A_TIME):
            yield from estimator(
                batch,
                list(islice(likelihoods, len(batch))),
                list(islice(evidence, len(batch))),
            )

    def _evidence(self) -> list[Evidence]:
        """The evidence of guesses for each text; nothing if there are none."""
        if self.likelihood is None:
            return []
        return read_evidence(self.likelihood, self.shard)

    def _log_likelihoods(self) -> list[numpy.ndarray]:
        """(L, N) for each text; nothing if the annotation is not looked at."""
        if self.likelihood is None:
            return []
        path = estimates_path(self.likelihood, self.shard)
        return [chain.nodes for chain in ShardEstimates.from_disk(path).chains]
