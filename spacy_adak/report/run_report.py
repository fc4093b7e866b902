"""A page about a run of `adak train`: what was learnt, how sure that is, and how it
went. It reads what the run has left on disk, and asks the best model about dev."""

from pathlib import Path
from typing import Any, NamedTuple

from spacy.cli._util import import_code, setup_gpu
from spacy.vocab import Vocab

from ..data.docbin import read_docbin
from ..pipeline.load import load_pipeline
from ..run.folder import COMPLETED_FILE, DEV_FILE, REPORT_FILE
from ..tasks.progress import describe_seconds
from ..tasks.train_model import BEST_MODEL
from .charts.reliability import reliability_chart
from .colors import label_colors
from .dev_predictions import DevPredictions, predict_dev
from .entity_examples import SURE, Estimates, choose_examples
from .page import render_fragment, write_page
from .reliability import Reliability, measure_reliability
from .run_charts import (
    Figure,
    change_figure,
    dictionary_figure,
    estimate_figure,
    learning_figures,
    loss_figure,
    score_figure,
    time_figure,
    type_figure,
    weight_figure,
)
from .run_record import RunRecord, read_run
from .verdict import Verdict, judge


class RunReport(NamedTuple):
    """The report of a run. A notebook shows its main part.

    run (RunRecord): The files of the run.
    verdict (Verdict): The same in plain words.
    dev (DevPredictions | None): What the best model finds in the dev texts.
    reliability (Reliability | None): How reliable its probabilities are.
    estimates (Estimates | None): What was estimated in the training texts.
    """

    run: RunRecord
    verdict: Verdict
    dev: DevPredictions | None
    reliability: Reliability | None
    estimates: Estimates | None

    def _repr_html_(self) -> str:
        return render_fragment(
            "report/core.html",
            styles=("report/core.css",),
            **_core(self),
        )


def write_report(
    folder: str | Path,
    output: str | Path | None = None,
    *,
    use_gpu: int = -1,
    code_path: str | Path | None = None,
) -> Path:
    """Write a page about a run, finished or not.

    folder (str | Path): The output folder of the run.
    output (str | Path | None): The HTML file; `report.html` in the folder if not given.
    use_gpu (int): The id of a GPU, or -1.
    code_path (str | Path | None): Python code with registered functions to import.
    RETURNS (Path): The file.
    """
    output = Path(folder) / REPORT_FILE if output is None else Path(output)
    report = make_report(folder, use_gpu=use_gpu, code_path=code_path)
    run = report.run
    examples = report.estimates
    labels = {*run.labels}
    for example in _all_examples(examples):
        labels.update(piece.label for piece in example.pieces if piece.label)
    colors = label_colors(labels)
    write_page(
        output,
        "report/page.html",
        styles=("theme.css", "report/core.css", "report/page.css"),
        scripts=("theme.js", "report/page.js"),
        more_style=_color_style(list(colors.values())),
        color_classes={label: f"color-{i}" for i, label in enumerate(colors)},
        name=run.folder.absolute().name,
        **_core(report),
        probability_figure=_reliability_figure(report.reliability),
        found_figures=_found_figures(run),
        training_figures=_present(
            loss_figure(run), weight_figure(run), time_figure(run)
        ),
    )
    return output


def make_report(
    folder: str | Path,
    *,
    use_gpu: int = -1,
    code_path: str | Path | None = None,
) -> RunReport:
    """Make the report of a run, finished or not.

    folder (str | Path): The output folder of the run.
    use_gpu (int): The id of a GPU, or -1.
    code_path (str | Path | None): Python code with registered functions to import.
    RETURNS (RunReport): The report.
    """
    import_code(code_path)
    run = read_run(Path(folder))
    dev = None
    if run.has_model:
        setup_gpu(use_gpu, silent=True)
        nlp = load_pipeline(run.folder / BEST_MODEL)
        dev = predict_dev(nlp, run.folder / DEV_FILE, run.annotators)
    reliability = None if dev is None else measure_reliability(dev.pairs)
    estimates = None
    completed = run.folder / COMPLETED_FILE
    if run.has_q and run.is_finished and completed.exists():
        estimates = choose_examples(read_docbin(completed, Vocab()))
    verdict = judge(run, dev, reliability, estimates)
    return RunReport(run, verdict, dev, reliability, estimates)


def _core(report: RunReport) -> dict[str, Any]:
    run = report.run
    return {
        "report": report,
        "run": run,
        "best": run.best,
        "verdict": report.verdict,
        "examples": report.estimates,
        "sure": SURE,
        "seconds": describe_seconds,
        "score_figures": _present(score_figure(run), type_figure(run)),
        "learning": learning_figures(run),
    }


def _found_figures(run: RunRecord) -> list[Figure]:
    if not run.has_q:
        return []
    return _present(estimate_figure(run), dictionary_figure(run), change_figure(run))


def _reliability_figure(reliability: Reliability | None) -> Figure | None:
    if reliability is None:
        return None
    title = "Are entities right as often as they were said to be?"
    note = (
        "On the dashed line they are; below it the model is too sure. Lines are 95 % "
        "intervals, and larger points stand for more entities."
    )
    return Figure(title, note, reliability_chart(title, reliability.bins))


def _present(*figures: Figure | None) -> list[Figure]:
    return [figure for figure in figures if figure is not None]


def _all_examples(estimates: Estimates | None) -> list[Any]:
    if estimates is None:
        return []
    return [*estimates.found_examples, *estimates.doubtful_examples]


def _color_style(colors: list[str]) -> str:
    # Attributes with style are against the page's policy.
    return "".join(
        f".color-{i} {{ --label-color: {color}; }}\n" for i, color in enumerate(colors)
    )
