"""What a run leaves behind: its models, the completed data, and the dictionary."""

import shutil
from pathlib import Path

import srsly
from spacy.tokens import Doc, DocBin, Span
from spacy.training import Corpus
from spacy.util import load_config, load_model

from ..annotation.q_of_text import ESTIMATE_KEY
from ..atomic import copy_folder, remove, write_file
from ..crf.calibration import IDENTITY
from ..data.docbin import make_docbin
from ..data.origins import CANDIDATES_KEY, complete, set_scored_spans
from ..encoders.sharing import FOLDER as FROZEN
from ..encoders.sharing import forget_shared_folders, has_frozen_encoder, remove_rows
from ..pipeline.calibration import fit_calibration
from ..shards.checkpoint import new_folder, write_json
from ..shards.layout import in_given_order, list_shards
from ..shards.recall_file import read_recall
from ..shards.references import tokenizing_pipeline
from ..shards.with_q import ShardEstimates, estimates_path, read_shard
from ..tasks.encode_texts import ENCODED_FILES
from ..tasks.train_model import BEST_MODEL, LAST_MODEL
from .dev_data import chooses_by_likelihood
from .folder import (
    COMPLETED_FILE,
    DICTIONARY_FILE,
    PUBLISHED_FILE,
    Published,
    Run,
    read_published,
)


def is_published(folder: Path) -> bool:
    """RETURNS (bool): Whether a folder holds all that a run leaves behind."""
    return read_published(folder).is_finished and (folder / BEST_MODEL).exists()


def publish_best(run: Run) -> None:
    """Put the best model so far where spaCy's own training would put it, unless it is
    there already."""
    best = run.best_round()
    is_there = (run.folder / BEST_MODEL).exists()
    if best is None or (is_there and read_published(run.folder).best_round == best):
        return
    _publish_model(run, BEST_MODEL, best)
    _note_published(run.folder, Published(best_round=best))


def publish(run: Run) -> None:
    """Put all that the user came for where spaCy's own training would put it."""
    publish_best(run)
    best, last = run.best_round(), len(run.history())
    assert best is not None
    if run.needs_q():
        write_file(
            run.folder / DICTIONARY_FILE,
            lambda path: shutil.copy(run.round_folder(best) / DICTIONARY_FILE, path),
        )
        write_file(run.folder / COMPLETED_FILE, _completed_data(run, best).to_disk)
    _publish_model(run, LAST_MODEL, last)
    for encoded in (run.folder / FROZEN).glob(ENCODED_FILES):
        remove(encoded)
    remove_rows(run.folder / FROZEN)
    _note_published(run.folder, Published(best_round=best, is_finished=True))


def reopen(folder: Path) -> None:
    """Mark a finished run as unfinished."""
    published = read_published(folder)
    if published.is_finished:
        _note_published(folder, published._replace(is_finished=False))


def _note_published(folder: Path, published: Published) -> None:
    write_json(folder / PUBLISHED_FILE, published._asdict())


def _publish_model(run: Run, name: str, number: int) -> None:
    with new_folder(run.folder / name) as beside:
        _copy_model(run.final_model(number) / name, beside)
        _calibrate(run, run.final_model(number) / name, beside)
        _restore_settings(beside / "config.cfg", run.config_path)
        _note_what_scores_rest_on(beside / "meta.json", run)


def _copy_model(source: Path, target: Path) -> None:
    """Copy a model, and give it the encoders that it shares with others in the run."""
    if has_frozen_encoder(load_config(source / "config.cfg")):
        load_model(source).to_disk(target)
    else:
        copy_folder(source, target)


def _calibrate(run: Run, source: Path, target: Path) -> None:
    """Make probabilities of a copied model agree with the dev data. The model it was
    copied from may have an encoder that remembers these texts."""
    nlp = load_model(source)
    examples = Corpus(run.dev_path)(nlp) if run.dev_path.exists() else ()
    recall = None
    if chooses_by_likelihood(run.config["training"]):
        # Dev data is incomplete: what is found there may be right without annotation.
        recall = read_recall(run.folder)
    if recall is None or not recall.is_identifiable:
        calibration = fit_calibration(nlp, run.component, examples)
    else:
        calibration = fit_calibration(
            nlp, run.component, examples, recall.annotation_recall, recall.per_type
        )
    if calibration != IDENTITY:
        path = target / run.component / "cfg"
        settings = srsly.read_json(path)
        write_json(path, {**settings, "calibration": calibration._asdict()})


def _note_what_scores_rest_on(meta_path: Path, run: Run) -> None:
    """Scores on incomplete dev data must not be confused with others."""
    recall = read_recall(run.folder)
    if recall is None or not chooses_by_likelihood(run.config["training"]):
        return
    meta = srsly.read_json(meta_path)
    meta["performance"]["note"] = (
        "Scored on texts that are annotated incompletely: recall is that on annotated "
        "entities; precision and F1 are corrected for those that are not. "
        f"{recall.description}."
    )
    srsly.write_json(meta_path, meta)


def _restore_settings(model_config: Path, run_config: Path) -> None:
    """Undo what was changed in a model's config for one training of the run."""
    config = load_config(model_config, interpolate=False)
    original = load_config(run_config, interpolate=False)
    for section in ("paths", "system", "corpora", "training", "initialize"):
        if section in original:
            config[section] = original[section]
    forget_shared_folders(config)
    config.to_disk(model_config)


def _completed_data(run: Run, number: int) -> DocBin:
    """The training data with all entities on the path of q as `doc.ents`. Span groups
    tell where they are from, see `spacy_adak.data.origins`."""
    nlp = tokenizing_pipeline(run.config)
    estimates = run.estimates(number)
    assert estimates is not None
    completed = []
    for shard in list_shards(run.corpus):
        path = estimates_path(estimates, shard.path)
        candidates = ShardEstimates.from_disk(path).candidates
        examples = read_shard(nlp, shard.path, estimates)
        for example, found in zip(examples, candidates, strict=True):
            doc = add_estimates(example.reference)
            spans = [Span(doc, s.start, s.end, label=s.label) for s in found]
            scores = [s.probability for s in found]
            set_scored_spans(doc, CANDIDATES_KEY, spans, scores)
            completed.append(doc)
    return make_docbin(in_given_order(completed, run.corpus))


def add_estimates(doc: Doc) -> Doc:
    """Add the entities on the path of q to those that are annotated.

    doc (Doc): A document with q, which is changed.
    RETURNS (Doc): The document.
    """
    path = doc.spans.pop(ESTIMATE_KEY)
    doc.user_data.pop(ESTIMATE_KEY, None)
    # The path has these as well. But where an entity does not align with the tokens of
    # the pipeline it has not, and may have another one in its place.
    taken = {token.i for ent in doc.ents for token in ent}
    estimated: list[Span] = []
    scores: list[float] = []
    for span, score in zip(path, path.attrs["scores"], strict=True):
        if taken.isdisjoint(range(span.start, span.end)):
            estimated.append(span)
            scores.append(float(score))
    complete(doc, estimated, scores)
    return doc
