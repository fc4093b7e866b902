"""Estimate the recall of annotators from incomplete data alone, where it is known.

    python -m scripts.experiments.estimated_recall --datasets youku --encoder FOLDER

Entities of the training data are removed, and `adak train` is asked, without any dev
data, how many are left. Nothing else of the run is done. Each cell appends its result;
cells that have one are not done again.
"""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import srsly
from spacy.vocab import Vocab
from wasabi import msg

from spacy_adak.atomic import remove
from spacy_adak.data.docbin import read_docbin
from spacy_adak.run.train import train
from spacy_adak.shards.recall_file import KnownRecall

from .corpora import kept_entities, prepare_corpus
from .no_dev import DATASETS, LANGUAGES, SCHEMES
from .no_dev_report import FOLDER, RECALL
from .results import read_results

RATIOS = (0.2, 0.4, 0.7, 1.0)
RESULTS = FOLDER / RECALL


class RecallCell(NamedTuple):
    """Annotators whose recall is asked for.

    dataset (str): The dataset.
    scheme (str): How entities are removed from the training data.
    ratio (float): The share of them that is kept.
    texts (int | None): How many texts to take, or all.
    seed (int): Of everything.
    """

    dataset: str
    scheme: str
    ratio: float
    texts: int | None
    seed: int

    @property
    def name(self) -> str:
        """RETURNS (str): A name for files."""
        size = self.texts or "all"
        return f"{self.dataset}_{self.scheme}_{self.ratio:g}_{size}_{self.seed}"


class _FoundError(Exception):
    """The recall is there: the run need not go on."""

    def __init__(self, recall: KnownRecall) -> None:
        self.recall = recall


def estimate_recall(
    config: Path, output: Path, overrides: dict[str, Any]
) -> KnownRecall:
    """Begin a run, and stop it as soon as it knows the recall of its annotators.

    config (Path): The config of the run.
    output (Path): Its folder, which is removed.
    overrides (dict[str, Any]): Settings.
    RETURNS (KnownRecall): What the run found out.
    """

    def stop(recall: KnownRecall) -> None:
        raise _FoundError(recall)

    remove(output)
    try:
        train(config, output, overrides=overrides, on_recall=stop)
    except _FoundError as found:
        return found.recall
    finally:
        remove(output)
    raise AssertionError("The run did not ask for the recall of its annotators")


def run_cell(
    root: Path, cell: RecallCell, encoder: str, local_data: Path | None
) -> None:
    """Estimate the recall of a cell, and append what was found.

    root (Path): The folder of the project.
    cell (RecallCell): The cell.
    encoder (str): The frozen encoder: a name or a folder.
    local_data (Path | None): A folder to copy the files of datasets from.
    """
    corpus = prepare_corpus(cell.dataset, cell.texts, root=root, local_data=local_data)
    folder = root / "corpus" / f"{cell.dataset}-recall-{cell.texts or 'all'}"
    kept = kept_entities(
        corpus / "train.spacy", folder, cell.scheme, cell.ratio, cell.seed
    )
    work = root / "training" / "no_dev"
    found = estimate_recall(
        root / "configs" / f"{LANGUAGES[cell.dataset]}_frozen.cfg",
        work / f"recall-{cell.name}",
        {
            "paths.train": str(kept),
            "paths.dev": None,
            "paths.encoder": encoder,
            "paths.rows": str(work / f"rows-{cell.dataset}"),
            "system.seed": cell.seed,
            "adak.executor": "serial",
        },
    )
    left, there_are = (_count_entities(p) for p in (kept, corpus / "train.spacy"))
    row = {
        **cell._asdict(),
        "encoder": Path(encoder).name,
        "truth": round(left / there_are, 4),
        "recall": round(found.annotation_recall, 4),
        "interval": [round(found.low, 4), round(found.high, 4)],
        "is_identifiable": found.is_identifiable,
        "description": found.description,
    }
    path = root / RESULTS
    path.parent.mkdir(parents=True, exist_ok=True)
    srsly.write_jsonl(path, [row], append=True, append_new_line=False)
    msg.good(f"{cell.name}: {found.description}")


def _count_entities(path: Path) -> int:
    return sum(len(doc.ents) for doc in read_docbin(path, Vocab()))


def read_recalls(root: Path) -> dict[RecallCell, dict[str, Any]]:
    """RETURNS (dict[RecallCell, dict]): The results there are."""
    rows = read_results(root / RESULTS)
    return {RecallCell(*(row[key] for key in RecallCell._fields)): row for row in rows}


def recall_cells(
    datasets: Sequence[str],
    ratios: Sequence[float],
    texts: int | None,
    seeds: Sequence[int],
) -> Iterator[RecallCell]:
    """YIELDS (RecallCell): The cells. With all entities kept the schemes are one."""
    for dataset in datasets:
        for seed in seeds:
            for ratio in ratios:
                for scheme in SCHEMES if ratio < 1 else SCHEMES[:1]:
                    yield RecallCell(dataset, scheme, ratio, texts, seed)


def main() -> None:
    """Estimate the recall of the cells that have no result yet."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--datasets", nargs="+", default=DATASETS, choices=DATASETS)
    parser.add_argument("--ratios", nargs="+", type=float, default=RATIOS)
    parser.add_argument("--texts", type=int, help="how many of a dataset; all")
    parser.add_argument("--seeds", nargs="+", type=int, default=[0])
    parser.add_argument("--encoder", default="hfl/chinese-bert-wwm")
    parser.add_argument("--local-data", type=Path)
    args = parser.parse_args()
    root = Path.cwd()
    for cell in recall_cells(args.datasets, args.ratios, args.texts, args.seeds):
        if cell not in read_recalls(root):
            run_cell(root, cell, args.encoder, args.local_data)


if __name__ == "__main__":
    main()
