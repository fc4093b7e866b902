"""Score a pipeline on a test set that is annotated incompletely, where the truth is
known.

    python -m scripts.experiments.corrected_scores youku training/model-best

The pipeline reads the test set once. Then entities of that are removed again and again,
with other seeds each time, and the scores that `adak evaluate` corrects are compared
with those on the complete test set: once from the incomplete texts alone, and once with
50 texts left complete. The results of a dataset replace its earlier ones.
"""

import argparse
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import srsly
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from thinc.api import Config
from wasabi import msg

from spacy_adak.data.corruption import drop_entities
from spacy_adak.pipeline.load import load_pipeline
from spacy_adak.report.evaluation import score_entities
from spacy_adak.report.gold_recall import estimate_gold_recall
from spacy_adak.report.incomplete_gold import CountedText, correct_scores
from spacy_adak.report.predictions import predict, spans_key

from .corpora import prepare_corpus
from .encoder import describe_encoder
from .no_dev import DATASETS, SCHEMES
from .no_dev_report import FOLDER, SCORES
from .results import Row, read_results

RATIOS = (0.4,)
COMPLETE = (0, 50)
SEEDS = 20


class ScoreCell(NamedTuple):
    """Annotators of a test set.

    scheme (str): How entities are removed.
    ratio (float): The share of them that is kept.
    complete (int): How many texts lose none.
    seed (int): Chooses both.
    """

    scheme: str
    ratio: float
    complete: int
    seed: int


def annotate(docs: Sequence[Doc], cell: ScoreCell) -> list[Doc]:
    """Annotate a test set incompletely.

    docs (Sequence[Doc]): The test set, annotated completely.
    cell (ScoreCell): How.
    RETURNS (list[Doc]): The same texts, in their order.
    """
    rng = random.Random(f"complete texts, {cell.seed}")
    complete = set(rng.sample(range(len(docs)), cell.complete))
    others = [doc for i, doc in enumerate(docs) if i not in complete]
    left = iter(drop_entities(others, cell.ratio, cell.scheme, cell.seed))
    return [doc if i in complete else next(left) for i, doc in enumerate(docs)]


def compare(
    nlp: Language, predicted: Sequence[Example], cells: Sequence[ScoreCell]
) -> Iterator[Row]:
    """Correct scores on incomplete gold.

    nlp (Language): The pipeline.
    predicted (Sequence[Example]): What it finds, with the complete annotation.
    cells (Sequence[ScoreCell]): How incomplete gold is to be.
    YIELDS (dict): The true scores of a cell and the corrected ones, with intervals.
    """
    truth = score_entities(predicted).micro
    for cell in cells:
        golds = annotate([example.reference for example in predicted], cell)
        examples = [
            Example(example.predicted, gold)
            for example, gold in zip(predicted, golds, strict=True)
        ]
        annotators = estimate_gold_recall(examples, spans_key(nlp))
        texts = [CountedText.of(example) for example in examples]
        corrected = correct_scores(texts, annotators).overall
        yield {
            **cell._asdict(),
            "truth": _rounded({"p": truth.p, "r": truth.r, "f": truth.f}),
            "corrected": {
                key: None if score is None else [round(x, 4) for x in score]
                for key, score in zip("prf", corrected[:3], strict=True)
            },
            "as_if_complete": round(score_entities(examples).micro.f, 4),
            "annotation_recall": (
                None if annotators is None else [round(x, 4) for x in annotators.recall]
            ),
        }


def _rounded(scores: dict[str, float]) -> dict[str, float]:
    return {key: round(score, 4) for key, score in scores.items()}


def describe_pipeline(nlp: Language) -> dict[str, Any]:
    """RETURNS (dict[str, Any]): What of a pipeline others may want to know."""
    config = Config(nlp.config)
    return {
        "encoder": describe_encoder(config).name,
        "loss": config["components"]["adak_ner"]["loss"]["@losses"],
    }


def main() -> None:
    """Compare, and write the results."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("dataset", choices=DATASETS)
    parser.add_argument("pipeline", type=Path)
    parser.add_argument("--ratios", nargs="+", type=float, default=RATIOS)
    parser.add_argument("--seeds", type=int, default=SEEDS, help="how many")
    parser.add_argument("--local-data", type=Path)
    args = parser.parse_args()
    root = Path.cwd()
    corpus = prepare_corpus(args.dataset, None, root=root, local_data=args.local_data)
    nlp = load_pipeline(args.pipeline)
    predicted = predict(nlp, corpus / "test.spacy")
    cells = [
        ScoreCell(scheme, ratio, complete, seed)
        for scheme in SCHEMES
        for ratio in args.ratios
        for complete in COMPLETE
        for seed in range(args.seeds)
    ]
    about = {"dataset": args.dataset, **describe_pipeline(nlp)}
    rows = [{**about, **row} for row in compare(nlp, predicted, cells)]
    path = root / FOLDER / SCORES
    kept = [row for row in read_results(path) if row["dataset"] != args.dataset]
    path.parent.mkdir(parents=True, exist_ok=True)
    srsly.write_jsonl(path, [*kept, *rows])
    msg.good(f"{args.dataset}: {len(rows)} test sets")


if __name__ == "__main__":
    main()
