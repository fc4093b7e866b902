"""Look at the errors of a pipeline: which entities are lost, and what is found instead.

    python -m scripts.experiments.errors output/model-best train.spacy dev.spacy

Lost are entities of forms that annotators have marked, of forms that occur in the
training texts but are never marked, or of new ones. What is found and is none has the
wrong bounds, the wrong type, or nothing to do with an entity.
"""

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from spacy.tokens import Doc, Span
from spacy.training import Corpus
from spacy.util import load_model
from wasabi import MarkdownRenderer

from spacy_adak.cli.notices import without_notices
from spacy_adak.q.candidates import Dictionary

MARKED, UNMARKED, NEW = "marked", "never marked", "not in the training texts"
BOUNDS, TYPE, NOTHING = "wrong bounds", "wrong type", "no entity at all"


class Errors(NamedTuple):
    """What there was to find, and what was found.

    gold (Counter[str]): Entities by what is known of their form.
    found (Counter[str]): Those of them that were found.
    spurious (Counter[str]): What was found in addition, by what is wrong with it.
    """

    gold: Counter[str]
    found: Counter[str]
    spurious: Counter[str]


def count_errors(
    train: Sequence[Doc], gold_docs: Sequence[Doc], predicted_docs: Sequence[Doc]
) -> Errors:
    """Compare predictions with complete annotations.

    train (Sequence[Doc]): The training texts, as they are annotated.
    gold_docs (Sequence[Doc]): Texts that are annotated completely.
    predicted_docs (Sequence[Doc]): The same texts with predictions.
    RETURNS (Errors): What was found.
    """
    marked = {_form(ent) for doc in train for ent in doc.ents}
    forms = {_form(ent) for doc in gold_docs for ent in doc.ents}
    occurring = _occurring(forms - marked, train)
    errors = Errors(Counter(), Counter(), Counter())
    for gold, predicted in zip(gold_docs, predicted_docs, strict=True):
        expected = {_place(ent): ent for ent in gold.ents}
        found = {_place(ent) for ent in predicted.ents}
        for place, ent in expected.items():
            form = _form(ent)
            kind = MARKED if form in marked else UNMARKED if form in occurring else NEW
            errors.gold[kind] += 1
            errors.found[kind] += place in found
        for start, end, _ in found - set(expected):
            touched = [e for e in gold.ents if e.start < end and start < e.end]
            same = any((e.start, e.end) == (start, end) for e in touched)
            errors.spurious[TYPE if same else BOUNDS if touched else NOTHING] += 1
    return errors


def _form(ent: Span) -> tuple[str, ...]:
    return tuple(token.text for token in ent)


def _place(ent: Span) -> tuple[int, int, str]:
    return ent.start, ent.end, ent.label_


def _occurring(
    forms: set[tuple[str, ...]], docs: Sequence[Doc]
) -> set[tuple[str, ...]]:
    """Those of some forms that come up in texts, the longest where several do."""
    dictionary = Dictionary(dict.fromkeys(forms, "-"))
    found = set()
    for doc in docs:
        words = [token.text for token in doc]
        for span in dictionary.match(words, [True] * len(words)):
            found.add(tuple(words[span.start : span.end]))
    return found


def describe_errors(errors: Errors) -> str:
    """RETURNS (str): Two tables in Markdown."""
    md = MarkdownRenderer()
    rows = [
        (
            kind,
            str(errors.gold[kind]),
            f"{100 * errors.found[kind] / errors.gold[kind]:.1f}",
        )
        for kind in (MARKED, UNMARKED, NEW)
        if errors.gold[kind]
    ]
    md.add(md.table(rows, ["Form in the training texts", "Entities", "Found (%)"]))
    total = sum(errors.found.values()) + errors.spurious.total()
    spurious = [
        (kind, str(errors.spurious[kind]), f"{100 * errors.spurious[kind] / total:.1f}")
        for kind in (BOUNDS, TYPE, NOTHING)
    ]
    md.add(md.table(spurious, ["Spurious", "Spans", "Of all found (%)"]))
    return md.text


@without_notices()
def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name in ("model", "train", "dev"):
        parser.add_argument(name, type=Path)
    arguments = parser.parse_args()
    nlp = load_model(arguments.model)
    train = [example.reference for example in Corpus(arguments.train)(nlp)]
    examples = list(Corpus(arguments.dev)(nlp))
    predicted = list(nlp.pipe(example.predicted for example in examples))
    errors = count_errors(train, [e.reference for e in examples], predicted)
    print(describe_errors(errors))


if __name__ == "__main__":
    main()
