"""Checks of annotated data: each finds plain sentences with numbers, and what to do."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import islice

from spacy.language import Language
from spacy.tokens import Doc

from ..annotation.completeness import is_complete, is_meant_to_be_complete
from ..data.complete_types import (
    complete_tokens,
    has_statement,
    types_complete_in,
)
from ..data.origins import DECIDED_KEY
from ..data.sample_marks import SAMPLE_KEY
from ..q.marked_forms import count_forms, marked_words
from ..recall.complete_texts import recall_from_complete_texts
from ..recall.consistency import recall_from_forms
from ..recall.pooled import pool_estimates
from ..recall.two_annotators import recall_from_two_annotators
from .finding import EXAMPLES, Finding
from .form_checks import Forms

# With fewer entities than this a type is hardly learnt.
RARE = 20
_UNKNOWN, _OUTSIDE = 0, 2
_WHAT_TELLS_RECALL = (
    "`adak train` also asks models that predict what is annotated. Some 50 texts with "
    "all of their entities annotated tell more: `python -m spacy adak sample` draws "
    "them."
)


def check_contents(
    name: str, docs: Sequence[Doc], incorrect_spans_key: str
) -> Iterable[Finding]:
    """What the data has: texts, entities, and what is known about tokens.

    name (str): "training" or "dev".
    docs (Sequence[Doc]): The data.
    incorrect_spans_key (str): The key of `Doc.spans` for ruled-out spans.
    YIELDS (Finding): What was found.
    """
    types = Counter(ent.label_ for doc in docs for ent in doc.ents)
    states: Counter[str] = Counter()
    touched_texts = 0
    for doc in docs:
        before = states.total() - states["unknown"]
        for token in doc:
            states[_state(token.ent_iob, token.ent_type_)] += 1
        touched_texts += states.total() - states["unknown"] > before
    tokens = states.total()
    ruled_out = sum(len(doc.spans.get(incorrect_spans_key, ())) for doc in docs)
    listed = ", ".join(f"{label} {n:,}" for label, n in types.most_common()) or "none"
    yield Finding(
        f"{name}_contents",
        "info" if types else "error",
        f"The {name} data has {len(docs):,} texts with {tokens:,} tokens and "
        f"{types.total():,} entities ({listed}). {states['unknown']:,} tokens are "
        f"unknown, {states['outside']:,} outside of entities and {states['blocked']:,} "
        f"blocked; {ruled_out:,} spans are ruled out. Annotation touches "
        f"{_percent(touched_texts, len(docs))} of the texts and "
        f"{_percent(tokens - states['unknown'], tokens)} of the tokens."
        + ("" if types else " Annotate some entities: there is nothing to learn."),
        {
            "texts": len(docs),
            "tokens": tokens,
            "entities": dict(types),
            "unknown_tokens": states["unknown"],
            "outside_tokens": states["outside"],
            "blocked_tokens": states["blocked"],
            "ruled_out_spans": ruled_out,
            "touched_texts": touched_texts,
        },
    )
    if name == "training" and types and not states["unknown"]:
        yield Finding(
            "nothing_unknown",
            "warning",
            "No token of the training data is unknown, so everything that is not "
            "annotated counts as no entity. If annotators may have skipped entities, "
            "say so: `python -m spacy adak convert --unlabelled missing`.",
            {},
        )


def _state(iob: int, label: str) -> str:
    if iob == _UNKNOWN:
        return "unknown"
    if iob == _OUTSIDE:
        return "outside"
    return "entity" if label else "blocked"


def check_complete_types(train: Sequence[Doc]) -> Iterable[Finding]:
    """Report for which types texts are stated to be complete.

    train (Sequence[Doc]): The training data.
    YIELDS (Finding): What was found.
    """
    stated = Counter(label for doc in train for label in complete_tokens(doc))
    if stated:
        whole = Counter(label for doc in train for label in types_complete_in(doc))
        listed = _listed(
            f"{label} {n:,} ({whole[label]:,} as a whole)"
            for label, n in stated.most_common()
        )
        yield Finding(
            "complete_types",
            "info",
            f"Texts that are stated to be complete for a type: {listed}. There, a "
            "token outside of all entities can only be part of another type.",
            {"texts": dict(stated), "whole_texts": dict(whole)},
        )


def check_recall(
    train: Sequence[Doc], dev: Sequence[Doc], forms: Forms
) -> Iterable[Finding]:
    """How many of the entities are annotated, and which forms only here and there.

    train (Sequence[Doc]): The training data.
    dev (Sequence[Doc]): The dev data.
    forms (Forms): Those of the training data.
    YIELDS (Finding): What was found.
    """
    incomplete = [doc for doc in train if not is_meant_to_be_complete(doc)]
    complete = [doc for doc in [*train, *dev] if is_meant_to_be_complete(doc)]
    estimates = [
        recall_from_complete_texts(train, complete),
        recall_from_two_annotators(incomplete),
        recall_from_forms(*count_forms([marked_words(doc) for doc in incomplete])),
    ]
    found = pool_estimates([estimate for estimate in estimates if estimate is not None])
    if found is None:
        yield Finding(
            "recall",
            "warning",
            "The recall of the annotators can't be estimated here, because no text "
            f"with an entity is annotated completely. {_WHAT_TELLS_RECALL}",
            {"recall": None},
        )
    else:
        advice = "" if found.is_identifiable else f" {_WHAT_TELLS_RECALL}"
        yield Finding(
            "recall",
            "warning" if advice else "info",
            f"{found.describe()}.{advice}",
            {
                "recall": found.recall.value,
                "interval": [found.recall.low, found.recall.high],
                "methods": [estimate.method for estimate in found.used],
                "is_identifiable": found.is_identifiable,
                "complete_texts": len(complete),
            },
        )
    decided = sum(len(doc.spans.get(DECIDED_KEY, ())) for doc in train)
    if decided:
        yield Finding(
            "decided",
            "info",
            f"{decided:,} entities were accepted as suggestions of a model. They are "
            "facts, but do not count as found by the annotators.",
            {"decided": decided},
        )
    partly = Counter(
        {
            form: forms.unknown[form]
            for form in forms.marked
            if forms.unknown[form] and len(form) > 1
        }
    )
    if partly:
        listed = _listed(
            f"'{form}' ({forms.marked[form].total():,} marked, {n:,} not)"
            for form, n in partly.most_common(EXAMPLES)
        )
        yield Finding(
            "marked_here_and_not_there",
            "info",
            f"{len(partly):,} of {len(forms.marked):,} forms are marked in some places "
            f"and left unknown in {partly.total():,} others, such as {listed}. "
            "Training takes these as unknown; `adak suggest` asks about them.",
            {"forms": len(partly), "places": partly.total()},
        )


def check_dev(train: Sequence[Doc], dev: Sequence[Doc]) -> Iterable[Finding]:
    """Whether models can be scored on the dev data.

    train (Sequence[Doc]): The training data.
    dev (Sequence[Doc]): The dev data.
    YIELDS (Finding): What was found.
    """
    if not dev:
        return
    # Others are scored for the types that they are complete for.
    incomplete = sum(not (is_complete(doc) or has_statement(doc)) for doc in dev)
    if incomplete:
        yield Finding(
            "incomplete_dev",
            "warning",
            f"{incomplete:,} of {len(dev):,} dev texts have tokens about which nothing "
            "is known. `adak train` chooses models by the others or, if these are few, "
            "by the likelihood of the annotation, and scores are rough. Some 50 texts "
            "with all of their entities annotated tell more: `python -m spacy adak "
            "sample` draws them. Never state unknown tokens to be outside.",
            {"texts": incomplete},
        )
    texts = {doc.text for doc in train}
    # Training leaves out what `adak sample` has drawn from it.
    others = (doc for doc in dev if SAMPLE_KEY not in doc.user_data)
    equal = [doc for doc in others if doc.text in texts]
    if equal:
        listed = _listed(f"'{_shorten(doc.text)}'" for doc in equal[:EXAMPLES])
        yield Finding(
            "equal_texts",
            "warning",
            f"{len(equal):,} dev texts are training texts as well, such as {listed}: "
            "scores on dev are better than they should be. Remove them from one of the "
            "two.",
            {"texts": len(equal)},
        )


def check_labels(train: Sequence[Doc], dev: Sequence[Doc]) -> Iterable[Finding]:
    """Whether entity types are distinct, and are in both parts of the data.

    train (Sequence[Doc]): The training data.
    dev (Sequence[Doc]): The dev data.
    YIELDS (Finding): What was found.
    """
    types = Counter(ent.label_ for doc in train for ent in doc.ents)
    alike = defaultdict(set)
    for label in {*types, *(ent.label_ for doc in dev for ent in doc.ents)}:
        alike["".join(label.split()).casefold()].add(label)
    for labels in alike.values():
        if len(labels) > 1:
            names = _listed(f"'{label}'" for label in sorted(labels))
            yield Finding(
                "similar_labels",
                "error",
                f"The labels {names} differ in case or white space only, and are "
                "learnt as different types. Rename all but one.",
                {"labels": sorted(labels)},
            )
    rare = {label: n for label, n in types.items() if n < RARE}
    if rare:
        listed = _listed(f"{label} ({n})" for label, n in sorted(rare.items()))
        yield Finding(
            "rare_types",
            "warning",
            f"Types with fewer than {RARE} entities are difficult to learn: {listed}. "
            "Annotate more of them, or leave them out.",
            {"entities": rare},
        )
    unseen = sorted({ent.label_ for doc in dev for ent in doc.ents} - types.keys())
    if unseen and types:
        yield Finding(
            "unseen_types",
            "error",
            "The dev data has entities of types that the training data does not have: "
            f"{', '.join(unseen)}. Annotate some, or remove them from dev.",
            {"labels": unseen},
        )


def check_alignment(name: str, docs: Sequence[Doc], nlp: Language) -> Iterable[Finding]:
    """Whether entities fall on the tokens of a pipeline.

    name (str): "training" or "dev".
    docs (Sequence[Doc]): The data.
    nlp (Language): The pipeline.
    YIELDS (Finding): What was found.
    """
    misaligned = []
    for doc in docs:
        tokens = nlp.make_doc(doc.text) if doc.ents else doc
        misaligned += [
            ent
            for ent in doc.ents
            if tokens.char_span(ent.start_char, ent.end_char) is None
        ]
    if misaligned:
        listed = _listed(f"'{ent.text}'" for ent in islice(misaligned, EXAMPLES))
        effect = (
            "nothing is learnt from them" if name == "training" else "none is found"
        )
        yield Finding(
            f"{name}_misaligned",
            "warning",
            f"{len(misaligned):,} entities of the {name} data do not fall on the "
            f"tokens of the pipeline, such as {listed}: {effect}. Change the "
            "tokenizer, or their bounds.",
            {"entities": len(misaligned)},
        )


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / max(1, whole):.1f}%"


def _listed(parts: Iterable[str]) -> str:
    return ", ".join(parts)


def _shorten(text: str) -> str:
    return text if len(text) <= 40 else text[:37] + "..."
