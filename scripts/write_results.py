"""Put a pipeline beside the plain CRF in a table, and show what it finds.

    python scripts/write_results.py metrics/sample training/sample/adak/model-best \\
        training/sample/review.html

Reads `adak.json`, `crf.json` and `entities.jsonl` in the folder, prints the results and
writes them to `results.md`. Ends with where the report on the training and
the page to review suggestions are.
"""

import argparse
from pathlib import Path
from typing import Any

import srsly
from spacy.util import load_config
from wasabi import MarkdownRenderer, msg

from spacy_adak.atomic import write_bytes
from spacy_adak.run.folder import REPORT_FILE


def title_pipeline(path: Path) -> str:
    """RETURNS (str): What a pipeline was trained with."""
    loss = load_config(path / "config.cfg")["components"]["adak_ner"]["loss"]
    name = loss["@losses"]
    return "AdaK-NER" if name == "spacy-adak.AdaKLoss.v1" else f"`adak_ner`, `{name}`"


def describe_scores(scores: dict[str, dict[str, Any]]) -> str:
    """RETURNS (str): A Markdown table with a row for each model, by its title."""
    rows = [
        (title, *(f"{100 * values[key]:.2f}" for key in _SCORES))
        for title, values in scores.items()
    ]
    header = ["Model", *_SCORES.values()]
    return MarkdownRenderer().table(rows, header, aligns=["l", "r", "r", "r"])


_SCORES = {"ents_p": "P", "ents_r": "R", "ents_f": "F1"}


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


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("pipeline", type=Path)
    parser.add_argument("review", type=Path)
    arguments = parser.parse_args()
    folder = arguments.folder
    scores = {
        "CRF, unknown = not an entity": srsly.read_json(folder / "crf.json"),
        title_pipeline(arguments.pipeline): srsly.read_json(folder / "adak.json"),
    }
    md = MarkdownRenderer()
    md.add(md.title(2, f"Results on {folder.name}"))
    md.add(describe_scores(scores))
    md.add(md.title(2, "What the packaged pipeline finds, with probabilities"))
    md.add(describe_entities(list(srsly.read_jsonl(folder / "entities.jsonl"))))
    write_bytes(folder / "results.md", f"{md.text}\n".encode())
    print(md.text)
    msg.divider("Open in a browser")
    msg.text(f"How the training went: {arguments.pipeline.with_name(REPORT_FILE)}")
    msg.text(f"What annotators have missed: {arguments.review}")


if __name__ == "__main__":
    main()
