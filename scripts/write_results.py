"""Summarise a run of the project: what was hidden, what was found, the scores next to
those of the plain CRF, and where the report and the review page are.

    python scripts/write_results.py metrics/sample training/sample/adak/model-best \\
        training/sample/review.html corpus/sample/train.spacy \\
        corpus/sample/train_random_0.2.spacy

Reads `adak.json`, `crf.json` and `entities.jsonl` in the first folder, and writes
`results.md` there.
"""

import argparse
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal

import srsly
from spacy.tokens import Doc, Span
from spacy.util import load_config
from spacy.vocab import Vocab
from wasabi import MarkdownRenderer, msg

from spacy_adak.atomic import write_bytes
from spacy_adak.data.docbin import read_docbin
from spacy_adak.data.origins import ESTIMATED_KEY
from spacy_adak.run.folder import COMPLETED_FILE, REPORT_FILE

# Texts that are printed with what the pipeline finds in them.
SHOWN = 3
# The losses of the recipes "best" and "paper".
_TITLES = {
    "spacy-adak.WeightedLoss.v1": "adak_ner, unknown = estimated",
    "spacy-adak.AdaKLoss.v1": "AdaK-NER",
}


def describe_hidden(
    complete: Iterable[Doc], incomplete: Iterable[Doc], completed: Iterable[Doc]
) -> str:
    """Say what was hidden from a training, and what of it was found.

    complete (Iterable[Doc]): The training data with all entities.
    incomplete (Iterable[Doc]): What was trained on.
    completed (Iterable[Doc]): The same texts, with what was found.
    RETURNS (str): Two sentences.
    """
    complete = list(complete)
    entities = _count(span for doc in complete for span in doc.ents)
    hidden = entities - _count(span for doc in incomplete for span in doc.ents)
    found = _count(
        span for doc in completed for span in doc.spans.get(ESTIMATED_KEY, [])
    )
    share = hidden.total() / max(entities.total(), 1)
    return (
        f"{hidden.total():,} of the {entities.total():,} entities in {len(complete):,} "
        f"training texts were hidden ({100 * share:.0f} %). The training found "
        f"{(found & hidden).total():,} of them, and {(found - entities).total():,} "
        "spans that are not entities."
    )


def _count(spans: Iterable[Span]) -> Counter[tuple[str, int, int, str]]:
    return Counter(
        (span.doc.text, span.start_char, span.end_char, span.label_) for span in spans
    )


def title_pipeline(path: Path) -> str:
    """RETURNS (str): What a pipeline was trained with."""
    loss = load_config(path / "config.cfg")["components"]["adak_ner"]["loss"]
    return _TITLES.get(loss["@losses"], f"adak_ner, {loss['@losses']}")


def describe_scores(scores: dict[str, dict[str, Any]]) -> str:
    """RETURNS (str): A Markdown table with a row for each model, by its title."""
    return MarkdownRenderer().table(_rows(scores), _HEADER, aligns=_ALIGNS)


def print_scores(scores: dict[str, dict[str, Any]]) -> None:
    """Print a row for each model, by its title."""
    msg.table(_rows(scores), header=_HEADER, aligns=_ALIGNS, divider=True)


def _rows(scores: dict[str, dict[str, Any]]) -> list[tuple[str, ...]]:
    return [
        (title, *(f"{100 * values[key]:.1f}" for key in _SCORES))
        for title, values in scores.items()
    ]


_SCORES = {"ents_p": "P", "ents_r": "R", "ents_f": "F1"}
_HEADER = ["Model", *_SCORES.values()]
_ALIGNS: Sequence[Literal["l", "c", "r"]] = ["l", "r", "r", "r"]


def describe_entities(records: list[dict[str, Any]]) -> str:
    """RETURNS (str): Each text, and below it its entities with probabilities."""
    md = MarkdownRenderer()
    for record in records:
        entities = [
            f"{md.bold(entity['text'])} {entity['label']} {entity['probability']:.3f}"
            for entity in record["entities"]
        ]
        md.add(record["text"])
        md.add(md.list(entities or ["no entity"]))
    return md.text


def print_entities(records: list[dict[str, Any]]) -> None:
    """Print each text, and below it its entities with probabilities."""
    for record in records:
        msg.text(record["text"])
        for entity in record["entities"]:
            label, probability = entity["label"], entity["probability"]
            print(f"  {entity['text']}  {label} {probability:.2f}")


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("pipeline", type=Path)
    parser.add_argument("review", type=Path)
    parser.add_argument("complete", type=Path)
    parser.add_argument("incomplete", type=Path)
    arguments = parser.parse_args()
    folder, vocab = arguments.folder, Vocab()
    scores = {
        "CRF, unknown = not an entity": srsly.read_json(folder / "crf.json"),
        title_pipeline(arguments.pipeline): srsly.read_json(folder / "adak.json"),
    }
    hidden = describe_hidden(
        read_docbin(arguments.complete, vocab),
        read_docbin(arguments.incomplete, vocab),
        read_docbin(arguments.pipeline.with_name(COMPLETED_FILE), vocab),
    )
    entities = list(srsly.read_jsonl(folder / "entities.jsonl"))
    md = MarkdownRenderer()
    md.add(md.title(2, f"Results on {folder.name}"))
    md.add(hidden)
    md.add(describe_scores(scores))
    md.add(md.title(2, "What the packaged pipeline finds, with probabilities"))
    md.add(describe_entities(entities))
    write_bytes(folder / "results.md", f"{md.text}\n".encode())
    msg.divider("What was hidden, and what was found")
    msg.text(hidden)
    msg.divider("Scores on the complete test data, in per cent")
    print_scores(scores)
    msg.divider("What the packaged pipeline finds, with probabilities")
    print_entities(entities[:SHOWN])
    msg.divider("Open in a browser")
    msg.text(f"How the training went: {arguments.pipeline.with_name(REPORT_FILE)}")
    msg.text(f"What the annotators missed: {arguments.review}")


if __name__ == "__main__":
    main()
