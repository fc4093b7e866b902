"""Find out in a run how many of the entities its annotators have marked.

Estimates from facts come first: from texts that are annotated completely, and from
texts that two annotators have in common. Models are asked only if there are too few of
these: plain CRFs, each trained without one fold, that read unknown tokens as O.
"""

from collections.abc import Mapping

import srsly
from spacy.tokens import Doc, Span
from spacy.util import registry
from spacy.vocab import Vocab

from ..annotation.completeness import (
    entity_share,
    entity_share_by_type,
    is_meant_to_be_complete,
)
from ..atomic import remove
from ..data.complete_types import is_complete_for, stated_types
from ..data.docbin import read_docbin
from ..errors import Errors
from ..pipeline.losses import CRFLoss, Loss, MissingLoss, RatioLoss
from ..q.marked_forms import count_forms, count_texts, marked_words
from ..recall.complete_texts import annotated_unasked, recall_from_complete_texts
from ..recall.consistency import recall_from_forms
from ..recall.estimate import RecallEstimate
from ..recall.held_out import HeldOutSpan, recall_from_held_out_texts
from ..recall.intervals import Interval
from ..recall.pooled import pool_estimates, recalls_of_types
from ..recall.two_annotators import recall_from_two_annotators
from ..shards.checkpoint import damage_named
from ..shards.layout import list_shards
from ..shards.recall_file import KnownRecall, read_recall, write_recall
from ..tasks.executors import Executor
from ..tasks.find_held_out import HeldOutTask
from ..tasks.train_model import BEST_MODEL, TrainingTask
from .dev_data import chooses_by_likelihood
from .folder import ANNOTATORS_FOLDER, Run

# Facts are enough if the interval is not wider than this share of the recall. Fold
# models would say little more.
_WIDE = 0.4


def needs_recall(run: Run) -> bool:
    """RETURNS (bool): Whether a loss of the run, or the choice of its models, asks how
    many of the entities are annotated."""
    return bool(
        chooses_by_likelihood(run.config["training"])
        or isinstance(_loss_of(run), MissingLoss | RatioLoss)
        or (run.needs_q() and run.settings.start.learn_from != "outside")
    )


def _loss_of(run: Run) -> Loss:
    block = run.config["components"][run.component]["loss"]
    loss: Loss = registry.resolve({"loss": block})["loss"]
    return loss


def find_recall(run: Run, execute: Executor) -> KnownRecall:
    """Estimate the recall of annotators, or read what was found before the run was
    stopped.

    run (Run): The run.
    execute (Executor): Runs tasks.
    RETURNS (KnownRecall): What was found, which is also on disk.
    """
    known = read_recall(run.folder)
    if known is not None:
        return known
    vocab = Vocab()
    shards = list_shards(run.corpus)
    train = [doc for shard in shards for doc in read_docbin(shard.path, vocab)]
    complete = [
        doc
        for doc in [*train, *read_docbin(run.dev_path, vocab)]
        if is_meant_to_be_complete(doc)
    ]
    incomplete = [doc for doc in train if not is_meant_to_be_complete(doc)]
    given = run.settings.start.annotation_recall
    if given is None:
        given = getattr(_loss_of(run), "annotation_recall", None)
    if given is not None:
        known = _to_know([_given(given)], incomplete, complete)
        return write_recall(run.folder, known)
    facts = [
        recall_from_complete_texts(incomplete, complete),
        recall_from_two_annotators(incomplete),
    ]
    estimates = [estimate for estimate in facts if estimate is not None]
    widths = [e.recall.width / max(e.recall.value, 0.01) for e in estimates]
    if incomplete and min(widths, default=1.0) > _WIDE:
        forms = recall_from_forms(*count_forms([marked_words(d) for d in incomplete]))
        models = [forms, _ask_models(run, execute, train)]
        estimates += [estimate for estimate in models if estimate is not None]
    known = write_recall(run.folder, _to_know(estimates, incomplete, complete))
    remove(run.folder / ANNOTATORS_FOLDER)
    return known


def _given(recall: float) -> RecallEstimate:
    how = "as stated in the config"
    return RecallEstimate("given", Interval(recall, recall, recall), {}, how)


def _to_know(
    estimates: list[RecallEstimate], incomplete: list[Doc], complete: list[Doc]
) -> KnownRecall:
    recall = pool_estimates(estimates)
    if recall is None:
        raise ValueError(Errors.A230)
    value, low, high = recall.recall
    per_type = recalls_of_types(
        recall, stated_types(incomplete) | _silent_types(incomplete, complete)
    )
    # Many complete texts tell the share of entity tokens themselves.
    share = None
    if [estimate.method for estimate in recall.used] == ["complete texts"]:
        share = entity_share(complete)
    if share is None:
        share = entity_share_by_type([*incomplete, *complete])
    if share is None:
        marked = sum(
            len(ent) / _recall_of(ent, per_type, value)
            for doc in incomplete
            for ent in annotated_unasked(doc)
        )
        share = min(marked / sum(map(len, incomplete)), 1.0)
    return KnownRecall(
        value, low, high, share, recall.is_identifiable, recall.describe(), per_type
    )


def _silent_types(incomplete: list[Doc], complete: list[Doc]) -> set[str]:
    """The types that nobody was asked to annotate in the incomplete texts."""
    annotated = {ent.label_ for doc in incomplete for ent in doc.ents}
    return {ent.label_ for doc in complete for ent in doc.ents} - annotated


def _recall_of(ent: Span, per_type: Mapping[str, float], recall: float) -> float:
    return 1.0 if is_complete_for(ent) else per_type.get(ent.label_, recall)


def _ask_models(run: Run, execute: Executor, train: list[Doc]) -> RecallEstimate | None:
    folder = run.folder / ANNOTATORS_FOLDER
    folder.mkdir(exist_ok=True)
    folds = range(run.settings.folds)
    execute(
        [
            TrainingTask(
                name=f"recall of annotators, fold {fold + 1} of {len(folds)}",
                blueprint=run.blueprint(0, without_fold=fold),
                loss=CRFLoss(),
                has_word_features=True,
                output=folder / f"fold-{fold}",
            )
            for fold in folds
        ]
    )
    shards = list_shards(run.corpus)
    tasks = [
        HeldOutTask(
            name=f"recall of annotators, {shard.path.stem}",
            shard=shard.path,
            model=folder / f"fold-{shard.fold}" / BEST_MODEL,
            component=run.component,
            output=folder / f"{shard.path.stem}.json",
            use_gpu=run.use_gpu,
            code_path=run.code_path,
        )
        for shard in shards
    ]
    execute(tasks)
    texts = []
    for task in tasks:
        with damage_named(task.output):
            texts += srsly.read_json(task.output)["texts"]
    forms = {tuple(words) for text in texts for words, *_ in text}
    texts_with = count_texts(([token.text for token in doc] for doc in train), forms)
    return recall_from_held_out_texts(
        HeldOutSpan(
            text=number,
            label=label,
            probability=probability,
            is_annotated=is_annotated,
            touches_annotation=touches_annotation,
            occurs_elsewhere=texts_with[tuple(words)] > 1,
        )
        for number, text in enumerate(texts)
        for words, label, probability, is_annotated, touches_annotation in text
    )
