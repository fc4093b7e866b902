"""Train our default with less and less dev data, to see what that costs.

    python -m scripts.experiments.no_dev --datasets youku --encoder FOLDER
    python -m scripts.experiments.recovery full     # writes the table to RESULTS.md

The dev variants are the complete dev set, 100, 50 and 20 completely annotated texts of
it, all of it with the same share of entities kept as in the training data, and none.
Next to these stands what the few complete texts are worth as training data: a plain CRF
on them alone, our default that chooses models by them and is then fine-tuned on them,
and our default without dev data that has them among its training texts. Each cell
appends its result when it is finished; finished cells are not done again, and one that
was stopped is taken up where it was.
"""

import argparse
import random
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import srsly
from spacy.tokens import Doc
from spacy.vocab import Vocab
from wasabi import msg

from spacy_adak.atomic import remove
from spacy_adak.cli.notices import without_notices
from spacy_adak.data.docbin import read_docbin, write_docbin
from spacy_adak.report.evaluation import evaluate
from spacy_adak.run.train import is_begun, train
from spacy_adak.shards.recall_file import read_recall
from spacy_adak.tasks.train_model import BEST_MODEL, LAST_MODEL

from .corpora import is_outdated, kept_entities, prepare_corpus
from .fine_tuning import fine_tune

LANGUAGES = {"youku": "zh", "taobao": "zh", "conll2003": "en"}
DATASETS = tuple(LANGUAGES)
SCHEMES = ("random", "entity")
# How many complete dev texts there are; None for all.
_COMPLETE = {"complete": None, "100": 100, "50": 50, "20": 20}
VARIANTS = (*_COMPLETE, "incomplete", "none")
# Plain CRFs on the complete texts alone, by how many there are.
BASELINES = ("crf-on-100", "crf-on-50", "crf-on-20")
# Our default with these dev texts, then a plain CRF for some more steps on them.
TUNED = ("tuned-on-100", "tuned-on-50", "tuned-on-20")
# Our default with these texts in the training data, and no dev data.
LEARNT = ("learnt-100", "learnt-50", "learnt-20")
_TEXTS_OF_A_BASELINE = 20_000
_RESULTS = Path("experiments") / "no_dev" / "results.jsonl"


class Cell(NamedTuple):
    """A training run.

    dataset (str): The dataset.
    scheme (str): How entities are removed from the training data.
    ratio (float): The share of them that is kept.
    variant (str): Which dev data there is, or which baseline it is.
    seed (int): Of everything.
    """

    dataset: str
    scheme: str
    ratio: float
    variant: str
    seed: int

    @property
    def name(self) -> str:
        """RETURNS (str): A name for files."""
        return f"{self.dataset}_{self.scheme}_{self.ratio:g}_{self.variant}_{self.seed}"


def make_data(root: Path, corpus: Path, cell: Cell) -> dict[str, Any]:
    """Make the training and dev data of a cell.

    root (Path): Where to put what is made.
    corpus (Path): The folder with the splits, annotated completely.
    cell (Cell): The cell.
    RETURNS (dict[str, Any]): The overrides of the config that name them.
    """
    folder = root / "corpus" / f"{cell.dataset}-no-dev"
    if cell.variant in BASELINES:
        few = _complete_texts(cell)
        assert few is not None
        path = _some_of(corpus / "dev.spacy", folder, few, cell.seed)
        return {
            # As many steps as there are in a training on many texts.
            "training.max_epochs": _TEXTS_OF_A_BASELINE // few,
            "paths.train": str(path),
            "paths.dev": str(path),
            "components.adak_ner.loss": {"@losses": "spacy-adak.CRFLoss.v1"},
        }
    kept = (cell.scheme, cell.ratio, cell.seed)
    train_path = kept_entities(corpus / "train.spacy", folder, *kept)
    dev: Path | None = corpus / "dev.spacy"
    if cell.variant == "none":
        dev = None
    elif cell.variant in LEARNT:
        train_path = _with_complete(train_path, corpus / "dev.spacy", folder, cell)
        dev = None
    elif cell.variant == "incomplete":
        dev = kept_entities(corpus / "dev.spacy", folder, *kept)
    elif (count := _complete_texts(cell)) is not None:
        dev = _some_of(corpus / "dev.spacy", folder, count, cell.seed)
    return {
        "paths.train": str(train_path),
        "paths.dev": None if dev is None else str(dev),
    }


def _complete_texts(cell: Cell) -> int | None:
    """How many complete texts a cell has; None for the whole dev set."""
    return _COMPLETE[cell.variant.rpartition("-")[2]]


def _with_complete(train: Path, source: Path, folder: Path, cell: Cell) -> Path:
    """The training data with a few complete texts of another file."""
    few = _complete_texts(cell)
    assert few is not None
    some = _some_of(source, folder, few, cell.seed)
    path = folder / f"{train.stem}_and_{few}.spacy"
    if is_outdated(path, train) or is_outdated(path, some):
        docs = [doc for each in (train, some) for doc in read_docbin(each, Vocab())]
        write_docbin(path, docs)
    return path


def _some_of(source: Path, folder: Path, count: int, seed: int) -> Path:
    path = folder / f"{source.stem}_{count}_{seed}.spacy"
    if is_outdated(path, source):
        folder.mkdir(parents=True, exist_ok=True)
        docs: list[Doc] = list(read_docbin(source, Vocab()))
        write_docbin(path, random.Random(seed).sample(docs, count))
    return path


def run_cell(root: Path, cell: Cell, encoder: str, local_data: Path | None) -> None:
    """Train and score a cell, and append its result.

    root (Path): The folder of the project.
    cell (Cell): The cell.
    encoder (str): The frozen encoder: a name or a folder.
    local_data (Path | None): A folder to copy the files of datasets from.
    """
    corpus = prepare_corpus(cell.dataset, None, root=root, local_data=local_data)
    output = root / "training" / "no_dev" / cell.name
    rows = root / "training" / "no_dev" / f"rows-{cell.dataset}"
    started = time.monotonic()
    data = make_data(root, corpus, cell)
    _, history = train(
        root / "configs" / f"{LANGUAGES[cell.dataset]}_frozen.cfg",
        output,
        overrides={
            **data,
            "paths.encoder": encoder,
            "paths.rows": str(rows),
            "system.seed": cell.seed,
        },
        resume=is_begun(output),
    )
    recall = read_recall(output)
    model = output / BEST_MODEL
    if cell.variant in TUNED:
        model = output.with_name(f"{output.name}-tuned")
        fine_tune(output / BEST_MODEL, Path(data["paths.dev"]), model, cell.seed)
    test, last = (
        evaluate(each, corpus / "test.spacy").to_dict()
        for each in (model, output / LAST_MODEL)
    )
    row = {
        **cell._asdict(),
        "encoder": Path(encoder).name,
        "test": {key: test[f"ents_{key}"] for key in "prf"},
        # With the last averaged weights, whatever dev data says.
        "last": {key: last[f"ents_{key}"] for key in "prf"},
        "dev": [history[-1].precision, history[-1].recall, history[-1].f1],
        "score": history[-1].score,
        "annotation_recall": None if recall is None else recall._asdict(),
        "seconds": round(time.monotonic() - started, 1),
    }
    path = root / _RESULTS
    path.parent.mkdir(parents=True, exist_ok=True)
    srsly.write_jsonl(path, [row], append=True, append_new_line=False)
    for folder in {output, output.with_name(f"{output.name}-tuned")}:
        remove(folder)
    value = "" if recall is None else f", recall of annotators {recall.description}"
    msg.good(f"{cell.name}: F1 {100 * row['test']['f']:.2f}{value}")


def read_results(root: Path) -> dict[Cell, dict[str, Any]]:
    """RETURNS (dict[Cell, dict]): The results there are."""
    path = root / _RESULTS
    if not path.exists():
        return {}
    rows = list(srsly.read_jsonl(path))
    return {Cell(*(row[key] for key in Cell._fields)): row for row in rows}


def cells(
    datasets: Sequence[str], variants: Sequence[str], seeds: Sequence[int], ratio: float
) -> Iterator[Cell]:
    """YIELDS (Cell): The cells, dataset by dataset and seed by seed."""
    for dataset in datasets:
        for seed in seeds:
            for variant in variants:
                # A baseline sees nothing of the training data.
                schemes = SCHEMES[:1] if variant in BASELINES else SCHEMES
                for scheme in schemes:
                    yield Cell(dataset, scheme, ratio, variant, seed)


@without_notices()
def main() -> None:
    """Train the cells that have no result yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    columns = (*VARIANTS, *BASELINES, *TUNED, *LEARNT)
    parser.add_argument("--datasets", nargs="+", default=DATASETS, choices=DATASETS)
    parser.add_argument("--variants", nargs="+", default=columns, choices=columns)
    parser.add_argument("--seeds", nargs="+", type=int, default=[0])
    parser.add_argument("--ratio", type=float, default=0.2)
    parser.add_argument("--encoder", default="hfl/chinese-bert-wwm")
    parser.add_argument("--local-data", type=Path)
    args = parser.parse_args()
    root = Path.cwd()
    for cell in cells(args.datasets, args.variants, args.seeds, args.ratio):
        if cell not in read_results(root):
            run_cell(root, cell, args.encoder, args.local_data)


if __name__ == "__main__":
    main()
