"""Let an oracle decide about suggestions, and see what the next training gains by it.

    python -m scripts.experiments.loop --dataset youku --scheme entity
    python -m scripts.experiments.loop --dataset youku --units form,random
    python -m scripts.experiments.loop_report

A dataset is made incomplete and trained on. Suggestions are decided by the complete
annotation: by form as ranked, or by place. The decisions are merged, and a pipeline is
trained again. As the control, as many entities as decisions were made are annotated at
random. A result is added as soon as there is one; what has a result is not done again.

A person who is asked about a form says yes if nearly all of its places are entities of
one type, no if nearly none is one of the type that was suggested, and else passes on:
that counts as a decision, too.
"""

import argparse
import random
import shutil
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import srsly
from spacy.cli._util import parse_config_overrides
from spacy.tokens import Doc, Span
from spacy.vocab import Vocab
from wasabi import msg

from spacy_adak.atomic import write_bytes
from spacy_adak.cli.notices import without_notices
from spacy_adak.data.docbin import read_docbin, write_docbin
from spacy_adak.data.files import to_jsonl
from spacy_adak.data.form_finder import FormFinder
from spacy_adak.data.suggestions import Suggestion, read_suggestions
from spacy_adak.data.summary import Summary
from spacy_adak.report.evaluation import evaluate
from spacy_adak.review.merge import merge
from spacy_adak.review.suggest import suggest
from spacy_adak.run.folder import COMPLETED_FILE, find_best, model_of_round
from spacy_adak.run.train import is_begun, train

from .cells import Cell
from .corpora import training_data
from .encoder import describe_encoder
from .failure import told_without_traceback
from .folder_lock import held
from .paper_values import TITLES
from .profiles import Run
from .results import read_results
from .run import prepare

UNITS = ("form", "place", "random")
DECISIONS = (10, 30, 100, 300)
# Which share of the places of a form has to be an entity for a yes, or may be for a no.
ACCEPTED_FROM, REJECTED_TO = 0.75, 0.1
_LOWEST = 0.05
_UNKNOWN = {0}


class Experiment(NamedTuple):
    """A dataset that was made incomplete, before anything is decided.

    run (Run): Where data and settings come from.
    cell (Cell): The data and the training.
    """

    run: Run
    cell: Cell

    @property
    def folder(self) -> Path:
        """RETURNS (Path): Where it is trained."""
        return self.run.root / "training" / "loop" / self.cell.name

    @property
    def results_path(self) -> Path:
        """RETURNS (Path): The file with the results."""
        return self.run.root / "experiments" / "loop" / "results.jsonl"

    @property
    def corpus(self) -> Path:
        """RETURNS (Path): The folder with the complete splits."""
        return prepare(self.run, self.cell.dataset)


def train_and_score(
    experiment: Experiment, train_path: Path, output: Path
) -> dict[str, Any]:
    """Train on data and score on test.

    experiment (Experiment): Whose settings to use.
    train_path (Path): The training data.
    output (Path): Where to train.
    RETURNS (dict[str, Any]): Scores, encoder and time.
    """
    started = time.process_time()
    run, cell = experiment.run, experiment.cell
    overrides = {
        **run.overrides_of(cell),
        "paths.train": str(train_path),
        "paths.dev": str(experiment.corpus / "dev.spacy"),
        "components.adak_ner.incorrect_spans_key": "incorrect_spans",
    }
    nlp, history = train(
        run.config_path(cell),
        output,
        overrides=overrides,
        use_gpu=run.gpu_id,
        resume=is_begun(output),
    )
    best = find_best(history)
    assert best is not None
    test_path = experiment.corpus / "test.spacy"
    # The same as `model-best`, but over an encoder that knows the texts.
    model = model_of_round(output, best.round)
    test = evaluate(model, test_path, use_gpu=run.gpu_id).to_dict()
    return {
        "encoder": describe_encoder(nlp.config).name,
        "dev": {"p": best.precision, "r": best.recall, "f": best.f1},
        "test": {key: test[f"ents_{key}"] for key in "prf"},
        "cpu_seconds": round(time.process_time() - started, 1),
    }


def run_loop(
    experiment: Experiment, units: Sequence[str], counts: Sequence[int]
) -> None:
    """Train on the incomplete data, and again after decisions.

    experiment (Experiment): The data.
    units (Sequence[str]): What is decided at a time: "form", "place", "random".
    counts (Sequence[int]): How many decisions.
    """
    folder = experiment.folder
    base = folder / "base"
    path = experiment.results_path
    incomplete = training_data(experiment.corpus, experiment.cell)
    suggestions = folder / "suggestions.jsonl"
    if not has_result(experiment, "none", 0) or not suggestions.exists():
        scores = train_and_score(experiment, incomplete, base)
        (round_folder,) = base.glob("round-*")
        number = int(round_folder.name.removeprefix("round-"))
        suggest(
            model_of_round(base, number),
            base / COMPLETED_FILE,
            suggestions,
            threshold=_LOWEST,
            doubt=0.0,
        )
        extra = {"decisions": 0, **measure_precision(experiment, suggestions)}
        add_row(path, experiment, "none", 0, scores, extra)
    for count in counts:
        for unit in units:
            if has_result(experiment, unit, count):
                continue
            decided = folder / f"{unit}-{count}"
            decided.mkdir(parents=True, exist_ok=True)
            data = decided / "train.spacy"
            if unit == "random":
                extra = annotate_at_random(experiment, incomplete, data, count)
            else:
                extra = decide(experiment, incomplete, suggestions, unit, count, data)
            scores = train_and_score(experiment, data, decided / "output")
            add_row(path, experiment, unit, count, scores, extra)
            shutil.rmtree(decided)


def decide(
    experiment: Experiment,
    incomplete: Path,
    suggestions: Path,
    unit: str,
    count: int,
    output: Path,
) -> dict[str, Any]:
    """Let the oracle decide, and merge.

    experiment (Experiment): Has the complete annotation.
    incomplete (Path): The data to merge into.
    suggestions (Path): What is suggested.
    unit (str): "form" or "place".
    count (int): How many decisions.
    output (Path): The data to write.
    RETURNS (dict[str, Any]): What was decided.
    """
    oracle = Oracle(experiment.corpus / "train.spacy", incomplete)
    rows = list(read_suggestions(suggestions, Summary()))
    made = []
    if unit == "form":
        for form, label in rank_forms(rows)[:count]:
            made.append(oracle.decide_form(form, label))
    else:
        for row in rank_places(rows)[:count]:
            made.append(oracle.decide_place(row))
    path = output.with_name("decisions.jsonl")
    srsly.write_jsonl(path, made)
    answers = Counter(decision["answer"] for decision in made)
    merged = None
    if answers["accept"] or answers["reject"]:
        merged = merge(incomplete, path, output)
    else:
        shutil.copyfile(incomplete, output)
    return {
        "decisions": len(made),
        "answers": dict(sorted(answers.items())),
        "entities": merged.entities.total() if merged else 0,
        "ruled_out": merged.ruled_out.total() if merged else 0,
        "conflicts": len(merged.conflicts) if merged else 0,
    }


def rank_forms(rows: Sequence[Suggestion]) -> list[tuple[str, str]]:
    """RETURNS (list[tuple[str, str]]): Forms with labels, worth most first."""
    values = {(row.form, row.label): row.value for row in rows if row.kind == "missed"}
    return sorted(values, key=lambda key: (-values[key], key))


def rank_places(rows: Sequence[Suggestion]) -> list[Suggestion]:
    """RETURNS (list[Suggestion]): Places, those that the model is least sure of first,
    among them those whose form is worth most."""
    missed = [row for row in rows if row.kind == "missed"]
    return sorted(
        missed, key=lambda row: (-round(row.score * (1 - row.score), 2), -row.value)
    )


class Oracle:
    """Decides by the complete annotation.

    complete (Path): It.
    incomplete (Path): The annotation that suggestions were made for.
    """

    def __init__(self, complete: Path, incomplete: Path) -> None:
        vocab = Vocab()
        self.docs = list(read_docbin(complete, vocab))
        self.incomplete = list(read_docbin(incomplete, vocab))

    def decide_form(self, form: str, label: str) -> dict[str, Any]:
        """RETURNS (dict[str, Any]): A decision about all places of a form."""
        places = 0
        found: Counter[str] = Counter()
        find = FormFinder([form])
        for doc, known in zip(self.docs, self.incomplete, strict=True):
            if form not in doc.text:
                continue
            entities = {(ent.start, ent.end): ent.label_ for ent in doc.ents}
            for span in find(doc):
                if {known[i].ent_iob for i in range(span.start, span.end)} != _UNKNOWN:
                    continue
                places += 1
                if (span.start, span.end) in entities:
                    found[entities[span.start, span.end]] += 1
        answer, decided = "ignore", label
        best, most = next(iter(found.most_common(1)), (label, 0))
        if places and most >= ACCEPTED_FROM * places:
            answer, decided = "accept", best
        elif found[label] <= REJECTED_TO * places:
            answer = "reject"
        decision: dict[str, Any] = {
            "scope": "form",
            "answer": answer,
            "form": form,
            "label": decided,
            "kind": "missed",
        }
        if decided != label:
            decision["suggested"] = {"label": label}
        return decision

    def decide_place(self, row: Suggestion) -> dict[str, Any]:
        """RETURNS (dict[str, Any]): A decision about one place. Where there is another
        entity, type and bounds are corrected."""
        doc = self.docs[row.line]
        there = [
            ent
            for ent in doc.ents
            if ent.start_char < row.end and row.start < ent.end_char
        ]
        decision: dict[str, Any] = {
            "scope": "place",
            "answer": "accept" if there else "reject",
            "text": row.text,
            "start": row.start,
            "end": row.end,
            "label": row.label,
            "form": row.form,
            "kind": "missed",
        }
        if there:
            true = there[0]
            place = (true.start_char, true.end_char, true.label_)
            if place != (row.start, row.end, row.label):
                decision["suggested"] = {
                    "start": row.start,
                    "end": row.end,
                    "label": row.label,
                }
                decision.update(zip(("start", "end", "label"), place, strict=True))
                decision["form"] = true.text
        return decision


def annotate_at_random(
    experiment: Experiment, incomplete: Path, output: Path, count: int
) -> dict[str, Any]:
    """Annotate some more entities, as if annotators had happened to notice them.

    experiment (Experiment): Has the complete annotation.
    incomplete (Path): The data.
    output (Path): The data to write.
    count (int): How many entities.
    RETURNS (dict[str, Any]): What was done.
    """
    vocab = Vocab()
    docs = list(read_docbin(incomplete, vocab))
    complete = read_docbin(experiment.corpus / "train.spacy", vocab)
    left = [
        (i, ent.start, ent.end, ent.label_)
        for i, (doc, full) in enumerate(zip(docs, complete, strict=True))
        for ent in full.ents
        if {doc[k].ent_iob for k in range(ent.start, ent.end)} == _UNKNOWN
    ]
    random.Random(experiment.cell.seed).shuffle(left)
    for i, start, end, label in left[:count]:
        doc: Doc = docs[i]
        span = Span(doc, start, end, label=label)
        doc.set_ents([*doc.ents, span], default="unmodified")
    write_docbin(output, docs)
    return {"decisions": count, "entities": min(count, len(left))}


def measure_precision(experiment: Experiment, suggestions: Path) -> dict[str, float]:
    """RETURNS (dict[str, float]): How many of the most probable suggestions are
    right."""
    docs = list(read_docbin(experiment.corpus / "train.spacy", Vocab()))
    rows = list(read_suggestions(suggestions, Summary()))
    rows = sorted((r for r in rows if r.kind == "missed"), key=lambda r: -r.score)
    right = [
        (row.start, row.end, row.label)
        in {(e.start_char, e.end_char, e.label_) for e in docs[row.line].ents}
        for row in rows[:500]
    ]
    return {
        "precision_of_100": sum(right[:100]) / max(1, len(right[:100])),
        "precision_of_500": sum(right) / max(1, len(right)),
    }


def has_result(experiment: Experiment, unit: str, count: int) -> bool:
    """RETURNS (bool): Whether something has been done."""
    key = (experiment.cell.name, unit, count)
    rows = read_results(experiment.results_path)
    return any((row["cell"], row["unit"], row["count"]) == key for row in rows)


def add_row(
    path: Path,
    experiment: Experiment,
    unit: str,
    count: int,
    scores: dict[str, Any],
    extra: dict[str, Any],
) -> None:
    """Add a result, whatever other processes add at the same time."""
    row = {
        "cell": experiment.cell.name,
        **experiment.cell._asdict(),
        "unit": unit,
        "count": count,
        **extra,
        **scores,
    }
    if has_result(experiment, unit, count):
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with held(path.parent, wait=True):
        rows = read_results(path)
        write_bytes(path, to_jsonl([*rows, row]).encode())
    f1 = 100 * scores["test"]["f"]
    msg.good(f"{experiment.cell.name} {unit} {count}: F {f1:.2f} {extra}")


@without_notices()
def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--dataset", default="youku", help=", ".join(TITLES))
    parser.add_argument("--scheme", default="entity", choices=["entity", "random"])
    parser.add_argument("--keep-ratio", type=float, default=0.2)
    parser.add_argument("--config", default="frozen")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--units", default=",".join(UNITS))
    parser.add_argument("--decisions", default=",".join(map(str, DECISIONS)))
    parser.add_argument("--gpu-id", type=int, default=-1)
    parser.add_argument("--root", type=Path, default=Path())
    parser.add_argument("--local-data", default="", metavar="FOLDER")
    arguments, rest = parser.parse_known_args()
    local_data = Path(arguments.local_data) if arguments.local_data else None
    overrides = parse_config_overrides(rest)
    with told_without_traceback():
        run = Run(arguments.root, "full", overrides, arguments.gpu_id, local_data)
        cell = Cell(
            arguments.dataset,
            arguments.config,
            arguments.scheme,
            arguments.keep_ratio,
            "adak-default",
            arguments.seed,
        )
        counts = [int(count) for count in arguments.decisions.split(",")]
        run_loop(Experiment(run, cell), arguments.units.split(","), counts)


if __name__ == "__main__":
    main()
