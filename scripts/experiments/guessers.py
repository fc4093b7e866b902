"""Train our default with guessers of different worth, and write a table of it.

    python -m scripts.experiments.guessers --datasets youku --encoder FOLDER
    python -m scripts.experiments.guessers --table

The guessers are a gazetteer with 30 % of the forms of the complete training data, a
model that was trained on 200 complete texts of them, and one that draws spans at
random. Their guesses are span groups of the training and dev data. Each cell appends
its result when it is finished; finished cells are not done again, and one that was
stopped is taken up where it was.
"""

import argparse
import random
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import srsly
from spacy.tokens import Doc
from spacy.vocab import Vocab
from wasabi import msg

from spacy_adak.atomic import remove
from spacy_adak.cli.notices import without_notices
from spacy_adak.data.docbin import read_docbin, write_docbin
from spacy_adak.data.guesses import Guess, set_guesses
from spacy_adak.q.candidates import Dictionary, Words
from spacy_adak.q.guess_trust import Trust
from spacy_adak.q.guessers import PipelineGuesser, ask
from spacy_adak.report.evaluation import evaluate
from spacy_adak.run.train import is_begun, train
from spacy_adak.tasks.train_model import BEST_MODEL

from .cells import Cell as CorruptedCell
from .corpora import prepare_corpus, training_data

_LANGUAGES = {"youku": "zh", "taobao": "zh", "conll2003": "en"}
DATASETS = tuple(_LANGUAGES)
_SHARE_OF_FORMS = 0.3
_COMPLETE_TEXTS = 200
# As many steps as there are in a training on so many texts.
_TEXTS_OF_MODEL = 10_000
_RESULTS = Path("experiments") / "guessers" / "results.jsonl"


class Cell(NamedTuple):
    """A training run.

    dataset (str): The dataset.
    ratio (float): The share of entities that is kept, entity-based.
    guesser (str): Whose guesses there are, with "+" between several.
    seed (int): Of everything.
    documents (int | None): How many documents of each split, or all.
    """

    dataset: str
    ratio: float
    guesser: str
    seed: int
    documents: int | None

    @property
    def name(self) -> str:
        """RETURNS (str): A name for files."""
        size = "all" if self.documents is None else str(self.documents)
        what = self.dataset, "entity", f"{self.ratio:g}", self.guesser, size
        return "_".join((*what, str(self.seed)))


class Setup(NamedTuple):
    """Where the data of a dataset is, and how to train on it.

    root (Path): The folder of the project.
    corpus (Path): The folder with the splits, annotated completely.
    settings (dict[str, Any]): Overrides of the config.
    """

    root: Path
    corpus: Path
    settings: dict[str, Any]

    def config(self, cell: Cell) -> Path:
        """RETURNS (Path): The config of a cell."""
        return self.root / "configs" / f"{_LANGUAGES[cell.dataset]}_frozen.cfg"

    def train(self, cell: Cell, output: Path, **overrides: Any) -> None:
        """Train a pipeline, or go on where a training was stopped."""
        train(
            self.config(cell),
            output,
            overrides={**self.settings, **overrides},
            resume=is_begun(output),
        )


def gazetteer(setup: Setup, cell: Cell, docs: Sequence[Doc]) -> Iterator[list[Guess]]:
    """YIELDS (list[Guess]): Where forms are that it knows, the longest first."""
    types: defaultdict[Words, Counter[str]] = defaultdict(Counter)
    for doc in read_docbin(setup.corpus / "train.spacy", Vocab()):
        for ent in doc.ents:
            types[tuple(token.text for token in ent)][ent.label_] += 1
    forms = sorted(types)
    known = random.Random(cell.seed).sample(forms, round(_SHARE_OF_FORMS * len(forms)))
    dictionary = Dictionary({form: types[form].most_common(1)[0][0] for form in known})
    for doc in docs:
        words = [token.text for token in doc]
        spans = dictionary.match(words, [True] * len(words))
        yield [Guess(span.start, span.end, span.type) for span in spans]


def noisy_model(setup: Setup, cell: Cell, docs: Sequence[Doc]) -> Iterator[list[Guess]]:
    """YIELDS (list[Guess]): What a model finds that has learnt from a few texts."""
    folder = setup.root / "training" / "guessers"
    output = folder / f"noisy-{cell.dataset}-{cell.documents}-{cell.seed}"
    texts = list(read_docbin(setup.corpus / "train.spacy", Vocab()))
    few = folder / f"{output.name}.spacy"
    folder.mkdir(parents=True, exist_ok=True)
    write_docbin(few, random.Random(cell.seed).sample(texts, _COMPLETE_TEXTS))
    if not (output / BEST_MODEL).exists():
        overrides = {
            "paths.train": str(few),
            "paths.dev": str(few),
            "system.seed": cell.seed,
            "training.max_epochs": _TEXTS_OF_MODEL // _COMPLETE_TEXTS,
            "components.adak_ner.loss": {"@losses": "spacy-adak.CRFLoss.v1"},
        }
        setup.train(cell, output, **overrides)
    # Where it has its probabilities.
    guesser = PipelineGuesser(str(output / BEST_MODEL), "adak_ner", {})
    return ask("noisy", guesser, docs)


def random_spans(
    setup: Setup, cell: Cell, docs: Sequence[Doc]
) -> Iterator[list[Guess]]:
    """YIELDS (list[Guess]): As many spans as there are entities, of the same lengths
    and types, but anywhere."""
    rng = random.Random(cell.seed)
    complete = list(read_docbin(setup.corpus / "train.spacy", Vocab()))
    entities = [(len(ent), ent.label_) for doc in complete for ent in doc.ents]
    per_token = len(entities) / sum(map(len, complete))
    for doc in docs:
        guesses = []
        for start in range(len(doc)):
            length, label = rng.choice(entities)
            if rng.random() < per_token and start + length <= len(doc):
                guesses.append(Guess(start, start + length, label))
        yield guesses


GUESSERS: dict[str, Callable[[Setup, Cell, Sequence[Doc]], Iterator[list[Guess]]]] = {
    "gazetteer": gazetteer,
    "noisy": noisy_model,
    "random": random_spans,
}
NOBODY = "none"
CHOICES = (NOBODY, *GUESSERS)


def make_data(setup: Setup, cell: Cell) -> dict[str, Any]:
    """RETURNS (dict[str, Any]): Overrides with the data of a cell, guesses included."""
    corrupted = CorruptedCell(
        cell.dataset, "frozen", "entity", cell.ratio, "adak-default", cell.seed
    )
    sources = {
        "train": training_data(setup.corpus, corrupted),
        "dev": setup.corpus / "dev.spacy",
    }
    names = [name for name in cell.guesser.split("+") if name != NOBODY]
    paths = {}
    for split, source in sources.items():
        docs = list(read_docbin(source, Vocab()))
        for name in names:
            answers = GUESSERS[name](setup, cell, docs)
            for doc, guesses in zip(docs, answers, strict=True):
                set_guesses(doc, name, guesses)
        path = setup.root / "corpus" / f"{cell.name}-{split}.spacy"
        write_docbin(path, docs)
        paths[f"paths.{split}"] = str(path)
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
    rows = root / "training" / f"rows-{cell.dataset}"
    setup = Setup(root, corpus, {"paths.encoder": encoder, "paths.rows": str(rows)})
    output = root / "training" / "guessers" / cell.name
    data = make_data(setup, cell)
    started = time.monotonic()
    setup.train(cell, output, **{**data, "system.seed": cell.seed})
    test = evaluate(output / BEST_MODEL, corpus / "test.spacy").to_dict()
    dev = srsly.read_json(output / BEST_MODEL / "meta.json")["performance"]
    trust_path = output / "guesses" / "trust.json"
    trust = Trust.from_disk(trust_path).guessers if trust_path.exists() else []
    row = {
        **cell._asdict(),
        "encoder": Path(encoder).name,
        "test": {key: test[f"ents_{key}"] for key in "prf"},
        "dev": {key: dev[f"ents_{key}"] for key in "prf"},
        "trust": [list(each) for each in trust],
        "seconds": round(time.monotonic() - started, 1),
    }
    path = root / _RESULTS
    path.parent.mkdir(parents=True, exist_ok=True)
    srsly.write_jsonl(path, [row], append=True, append_new_line=False)
    remove(output)
    msg.good(f"{cell.name}: F1 {100 * row['test']['f']:.2f}")


def read_results(root: Path) -> dict[Cell, dict[str, Any]]:
    """RETURNS (dict[Cell, dict]): The results there are."""
    path = root / _RESULTS
    if not path.exists():
        return {}
    rows = list(srsly.read_jsonl(path))
    return {Cell(*(row[key] for key in Cell._fields)): row for row in rows}


def make_table(results: dict[Cell, dict[str, Any]]) -> str:
    """RETURNS (str): F1 on test by guesser, as Markdown; means over seeds."""
    guessers = list(dict.fromkeys([*CHOICES, *(cell.guesser for cell in results)]))
    lines = [
        f"| Dataset | Texts | ρ | {' | '.join(guessers)} |",
        "| --- | ---: | ---: |" + " ---: |" * len(guessers),
    ]
    keys = {(cell.dataset, cell.documents or "all", cell.ratio) for cell in results}
    for key in sorted(keys, key=str):
        values = []
        for guesser in guessers:
            scores = [
                100 * row["test"]["f"]
                for cell, row in results.items()
                if (cell.dataset, cell.documents or "all", cell.ratio) == key
                and cell.guesser == guesser
            ]
            mean = f"{sum(scores) / len(scores):.2f}" if scores else "–"
            values.append(mean + (f" ({len(scores)} seeds)" if len(scores) > 1 else ""))
        dataset, documents, ratio = key
        row = f"{dataset} | {documents} | {ratio:g} | {' | '.join(values)}"
        lines.append(f"| {row} |")
    return "\n".join(lines)


@without_notices()
def main() -> None:
    """Train the cells that have no result yet, or print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--datasets", nargs="+", default=DATASETS, choices=DATASETS)
    parser.add_argument("--guessers", nargs="+", default=CHOICES)
    parser.add_argument("--seeds", nargs="+", type=int, default=[0])
    parser.add_argument("--documents", type=int, help="of each split")
    parser.add_argument("--ratio", type=float, default=0.2)
    parser.add_argument("--encoder", default="hfl/chinese-bert-wwm")
    parser.add_argument("--local-data", type=Path)
    parser.add_argument("--table", action="store_true")
    args = parser.parse_args()
    root = Path.cwd()
    if not args.table:
        for dataset in args.datasets:
            for seed in args.seeds:
                for guesser in args.guessers:
                    cell = Cell(dataset, args.ratio, guesser, seed, args.documents)
                    if cell not in read_results(root):
                        run_cell(root, cell, args.encoder, args.local_data)
    print(make_table(read_results(root)))


if __name__ == "__main__":
    main()
