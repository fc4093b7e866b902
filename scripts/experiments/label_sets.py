"""Train one model on texts of which each is annotated for some types only.

    python -m scripts.experiments.label_sets --datasets youku --encoder FOLDER
    python -m scripts.experiments.label_sets --table

The training texts are dealt out to as many parts as there are types, and of each part
the entities of one type are left. "one-model" learns from all parts, each stated to be
complete for its type. "rest-as-O" takes what is not annotated to be no entity.
"side-by-side" has a model for each part, trained in as many steps as one on all parts,
and joins what they find. "crf" is the plain CRF on all annotations. With a ratio below
1 this share of the entities of each part is kept at random; nothing is complete then,
and what "one-model" and "side-by-side" are trained with is our default.

For "new-type" all types are complete but MISC, of which the share is kept. "old-types"
is the plain CRF on the others. For "taught" a plain CRF is trained on the others in one
half of the texts; in the other half the share of MISC is annotated and nothing else,
and the CRF is a guesser of the others. Dev and test are complete.

Each cell appends its result when it is finished; finished cells are not done again, and
one that was stopped is taken up where it was.
"""

import argparse
import random
import time
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import srsly
from spacy.tokens import Doc, Span
from spacy.training import Corpus, Example
from spacy.util import load_config, load_model
from spacy.vocab import Vocab
from wasabi import msg

from spacy_adak.atomic import remove
from spacy_adak.cli.notices import without_notices
from spacy_adak.data.complete_types import state_complete
from spacy_adak.data.corruption import drop_entities
from spacy_adak.data.docbin import read_docbin, write_docbin
from spacy_adak.report.evaluation import Evaluation, score_entities
from spacy_adak.run.train import is_begun, train
from spacy_adak.tasks.train_model import BEST_MODEL

from .corpora import prepare_corpus

_LANGUAGES = {"youku": "zh", "taobao": "zh", "conll2003": "en"}
DATASETS = tuple(_LANGUAGES)
NEW_TYPE = "MISC"
# Of each, whether it is trained with the plain CRF.
VARIANTS = {
    "crf": True,
    "one-model": False,
    "rest-as-O": True,
    "side-by-side": True,
    "new-type": False,
    "old-types": True,
    "taught": False,
}
# What they learn from has all annotations of its types, whatever the ratio.
REFERENCES = ("crf", "old-types")
_RESULTS = Path("experiments") / "label_sets" / "results.jsonl"
_CRF = {"components.adak_ner.loss": {"@losses": "spacy-adak.CRFLoss.v1"}}


class Cell(NamedTuple):
    """A model, or several side by side.

    dataset (str): The dataset.
    variant (str): What is learnt from.
    ratio (float): The share of entities that is kept, of those that would be complete.
    seed (int): Of everything.
    documents (int | None): How many documents of each split, or all.
    epochs (int | None): The length of each training, if not that of the config.
    """

    dataset: str
    variant: str
    ratio: float
    seed: int
    documents: int | None
    epochs: int | None = None

    @property
    def name(self) -> str:
        """RETURNS (str): A name for files."""
        size = "all" if self.documents is None else str(self.documents)
        what = self.dataset, self.variant, f"{self.ratio:g}", size, str(self.seed)
        return "_".join(what if self.epochs is None else (*what, str(self.epochs)))


def keep_types(doc: Doc, types: Collection[str], default: str) -> Doc:
    """RETURNS (Doc): A copy with the entities of some types."""
    copy = doc.copy()
    copy.set_ents([e for e in copy.ents if e.label_ in types], default=default)
    return copy


def deal_out(docs: Sequence[Doc], count: int, seed: int) -> list[list[Doc]]:
    """RETURNS (list[list[Doc]]): The texts in parts; equal texts share one."""
    texts = sorted({doc.text for doc in docs})
    random.Random(seed).shuffle(texts)
    part_of = {text: i % count for i, text in enumerate(texts)}
    parts: list[list[Doc]] = [[] for _ in range(count)]
    for doc in docs:
        parts[part_of[doc.text]].append(doc)
    return parts


def make_parts(
    docs: Sequence[Doc], types: Sequence[str], cell: Cell, default: str
) -> list[list[Doc]]:
    """Make the parts, each annotated for one type.

    docs (Sequence[Doc]): Texts that are annotated completely.
    types (Sequence[str]): Their types.
    cell (Cell): The share that is kept, and the seed.
    default (str): What a token is that is in no entity left: "missing" or "outside".
    RETURNS (list[list[Doc]]): A part for each type.
    """
    parts = []
    for label, part in zip(types, deal_out(docs, len(types), cell.seed), strict=True):
        kept = [keep_types(doc, [label], default) for doc in part]
        if cell.ratio < 1:
            kept = drop_entities(kept, cell.ratio, "random", cell.seed)
            kept = [keep_types(doc, [label], default) for doc in kept]
        elif default == "missing":
            for doc in kept:
                state_complete(doc, [label])
        parts.append(kept)
    return parts


def make_new_type(docs: Sequence[Doc], types: Sequence[str], cell: Cell) -> list[Doc]:
    """RETURNS (list[Doc]): Texts that are complete for all types but one, of which a
    share of the entities is kept."""
    of_new = [keep_types(doc, [NEW_TYPE], "missing") for doc in docs]
    made = []
    kept_docs = drop_entities(of_new, cell.ratio, "random", cell.seed)
    for doc, kept in zip(docs, kept_docs, strict=True):
        old = keep_types(doc, set(types) - {NEW_TYPE}, "missing")
        new = [Span(old, e.start, e.end, label=e.label) for e in kept.ents]
        old.set_ents([*old.ents, *new], default="missing")
        state_complete(old, [label for label in types if label != NEW_TYPE])
        made.append(old)
    return made


def make_data(
    cell: Cell, folder: Path, train_docs: Sequence[Doc], dev_docs: Sequence[Doc]
) -> list[tuple[Path, Path]]:
    """Make the data of a cell.

    cell (Cell): The cell.
    folder (Path): Where to put it.
    train_docs (Sequence[Doc]): The training texts, complete.
    dev_docs (Sequence[Doc]): The dev texts, complete.
    RETURNS (list[tuple[Path, Path]]): Training and dev data of each model.
    """
    types = _types(train_docs)
    of_models: list[tuple[Iterable[Doc], Collection[str]]]
    if cell.variant == "crf":
        of_models = [(train_docs, types)]
    elif cell.variant == "old-types":
        old = [label for label in types if label != NEW_TYPE]
        of_models = [([keep_types(d, old, "outside") for d in train_docs], old)]
    elif cell.variant == "new-type":
        of_models = [(make_new_type(train_docs, types, cell), types)]
    elif cell.variant == "taught":
        old = [label for label in types if label != NEW_TYPE]
        first, second = deal_out(train_docs, 2, cell.seed)
        of_new = [keep_types(doc, [NEW_TYPE], "missing") for doc in second]
        of_models = [
            ([keep_types(doc, old, "outside") for doc in first], old),
            (drop_entities(of_new, cell.ratio, "random", cell.seed), types),
        ]
    elif cell.variant == "side-by-side":
        default = "outside" if cell.ratio == 1 else "missing"
        parts = make_parts(train_docs, types, cell, default)
        of_models = [(part, [t]) for part, t in zip(parts, types, strict=True)]
    else:
        default = "missing" if cell.variant == "one-model" else "outside"
        parts = make_parts(train_docs, types, cell, default)
        of_models = [([doc for part in parts for doc in part], types)]
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for number, (docs, model_types) in enumerate(of_models):
        pair = (folder / f"train-{number}.spacy", folder / f"dev-{number}.spacy")
        write_docbin(pair[0], list(docs))
        dev = [keep_types(doc, model_types, "outside") for doc in dev_docs]
        write_docbin(pair[1], dev)
        paths.append(pair)
    return paths


def run_cell(root: Path, cell: Cell, encoder: str, local_data: Path | None) -> None:
    """Train and score a cell, and append its result.

    root (Path): The folder of the project.
    cell (Cell): The cell.
    encoder (str): The frozen encoder: a name or a folder.
    local_data (Path | None): A folder to copy the files of datasets from.
    """
    corpus = prepare_corpus(
        cell.dataset, cell.documents, root=root, local_data=local_data
    )
    folder = root / "training" / "label_sets" / cell.name
    splits = [
        list(read_docbin(corpus / f"{split}.spacy", Vocab()))
        for split in ("train", "dev")
    ]
    started, cpu = time.monotonic(), time.process_time()
    plain = VARIANTS[cell.variant] and not (
        cell.variant == "side-by-side" and cell.ratio < 1
    )
    found: list[list[Doc]] = []
    config_path = root / "configs" / f"{_LANGUAGES[cell.dataset]}_frozen.cfg"
    data = make_data(cell, folder, *splits)
    for number, (train_path, dev_path) in enumerate(data):
        output = folder / f"output-{number}"
        is_taught = cell.variant == "taught" and number > 0
        settings: dict[str, Any] = {}
        if plain or (cell.variant == "taught" and number == 0):
            settings = dict(_CRF)
        if is_taught:
            settings = {
                "adak.guessers.old.@misc": "spacy-adak.PipelineGuesser.v1",
                "adak.guessers.old.pipeline": str(folder / "output-0" / BEST_MODEL),
            }
        epochs = cell.epochs or load_config(config_path)["training"]["max_epochs"]
        if cell.variant == "side-by-side":
            epochs *= len(data)
        settings["training.max_epochs"] = epochs
        train(
            config_path,
            output,
            overrides={
                **settings,
                "paths.train": str(train_path),
                "paths.dev": str(dev_path),
                "paths.encoder": encoder,
                "paths.rows": str(root / "training" / f"rows-{cell.dataset}"),
                "system.seed": cell.seed,
            },
            resume=is_begun(output),
        )
        found.append(find_entities(output / BEST_MODEL, corpus / "test.spacy"))
    gold = list(read_docbin(corpus / "test.spacy", Vocab()))
    before = None
    if cell.variant == "taught":
        *_, taught = found
        before = score(found[0], gold, {*_types(gold)} - {NEW_TYPE}).micro._asdict()
        found = [taught]
    joined = [join(docs) for docs in zip(*found, strict=True)]
    types = _types(gold)
    test = score(joined, gold, types)
    row = {
        **cell._asdict(),
        "encoder": Path(encoder).name,
        "test": test.micro._asdict(),
        "per_type": {label: s._asdict() for label, s in test.per_type.items()},
        "old_types": score(joined, gold, set(types) - {NEW_TYPE}).micro._asdict(),
        "old_types_before": before,
        "models": len(found),
        "seconds": round(time.monotonic() - started, 1),
        "cpu_seconds": round(time.process_time() - cpu, 1),
    }
    path = root / _RESULTS
    path.parent.mkdir(parents=True, exist_ok=True)
    srsly.write_jsonl(path, [row], append=True, append_new_line=False)
    remove(folder)
    msg.good(f"{cell.name}: F1 {100 * row['test']['f']:.2f}")


def _types(docs: Sequence[Doc]) -> list[str]:
    return sorted({ent.label_ for doc in docs for ent in doc.ents})


def find_entities(model: Path, path: Path) -> list[Doc]:
    """RETURNS (list[Doc]): The texts of a file with what a pipeline finds."""
    nlp = load_model(model)
    return list(nlp.pipe(example.predicted for example in Corpus(path)(nlp)))


def join(docs: Sequence[Doc]) -> Doc:
    """RETURNS (Doc): A text with what several models have found: where their entities
    overlap, the most probable one."""
    copy = docs[0].copy()
    spans = [
        (score, span)
        for doc in docs
        for span, score in zip(
            doc.spans["adak_ner"], doc.spans["adak_ner"].attrs["scores"], strict=True
        )
    ]
    taken: list[Span] = []
    for _, span in sorted(spans, key=lambda pair: (-pair[0], pair[1].start)):
        if all(span.end <= t.start or t.end <= span.start for t in taken):
            taken.append(Span(copy, span.start, span.end, label=span.label_))
    copy.set_ents(taken, default="outside")
    return copy


def score(
    found: Sequence[Doc], gold: Sequence[Doc], types: Collection[str]
) -> Evaluation:
    """RETURNS (Evaluation): The scores of entities of some types."""
    return score_entities(
        Example(keep_types(doc, types, "outside"), keep_types(other, types, "outside"))
        for doc, other in zip(found, gold, strict=True)
    )


def read_results(root: Path) -> dict[Cell, dict[str, Any]]:
    """RETURNS (dict[Cell, dict]): The results there are."""
    path = root / _RESULTS
    if not path.exists():
        return {}
    rows = list(srsly.read_jsonl(path))
    # The first results do not say how long trainings were.
    return {Cell(*(row.get(key) for key in Cell._fields)): row for row in rows}


def make_table(results: dict[Cell, dict[str, Any]]) -> str:
    """RETURNS (str): Scores on test as Markdown."""
    lines = [
        "| Dataset | Texts | Epochs | ρ | Seed | | P | R | F1 | F1 without MISC | % of "
        "the CRF on all |",
        f"| --- |{' ---: |' * 4} --- |{' ---: |' * 5}",
    ]
    for cell, row in sorted(results.items(), key=str):
        values = [row["test"]["p"], row["test"]["r"], row["test"]["f"]]
        values.append(row["old_types"]["f"])
        full = results.get(cell._replace(variant="crf", ratio=1.0))
        share = f"{100 * values[2] / full['test']['f']:.1f}" if full else "–"
        scores = " | ".join(f"{100 * value:.2f}" for value in values)
        size = cell.documents or "all", cell.epochs or "–"
        what = cell.dataset, *size, f"{cell.ratio:g}", cell.seed, cell.variant
        named = " | ".join(map(str, what))
        lines.append(f"| {named} | {scores} | {share} |")
    return "\n".join(lines)


@without_notices()
def main() -> None:
    """Train the cells that have no result yet, or print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--datasets", nargs="+", default=DATASETS, choices=DATASETS)
    parser.add_argument("--variants", nargs="+", default=VARIANTS, choices=VARIANTS)
    parser.add_argument("--ratio", type=float, default=1.0)
    parser.add_argument("--seeds", nargs="+", type=int, default=[0])
    parser.add_argument("--documents", type=int, help="of each split")
    parser.add_argument("--epochs", type=int, help="of each training")
    parser.add_argument("--encoder", default="hfl/chinese-bert-wwm")
    parser.add_argument("--local-data", type=Path)
    parser.add_argument("--table", action="store_true")
    args = parser.parse_args()
    root = Path.cwd()
    if not args.table:
        for dataset in args.datasets:
            for seed in args.seeds:
                for variant in args.variants:
                    ratio = 1.0 if variant in REFERENCES else args.ratio
                    cell = Cell(
                        dataset, variant, ratio, seed, args.documents, args.epochs
                    )
                    if cell not in read_results(root):
                        run_cell(root, cell, args.encoder, args.local_data)
    print(make_table(read_results(root)))


if __name__ == "__main__":
    main()
