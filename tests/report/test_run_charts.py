import xml.etree.ElementTree as ElementTree
from collections import Counter

from spacy_adak.report import run_charts
from spacy_adak.report.run_record import Corpus, Training
from spacy_adak.tasks.score_file import Scores

from .made_runs import make_round, make_run

MANY = Counter({f"TYPE{i:02d}": 100 - i for i in range(12)})


def texts(figure: run_charts.Figure | None) -> list[str]:
    assert figure is not None
    root = ElementTree.fromstring(figure.chart)
    return [
        element.text or "" for element in root.iter("{http://www.w3.org/2000/svg}text")
    ]


def make_scores(step: int, weight: float | None = 0.5) -> Scores:
    return Scores(step, 1, 1.0, 0.5, 0.5, 0.5, 0.5, {}, 2.0, weight)


def test_rare_types_are_counted_together() -> None:
    rounds = [make_round(i, estimated_per_type=dict(MANY)) for i in (1, 2)]
    corpus = Corpus(9, 90, 0, MANY)
    run = make_run(*rounds, train=corpus, dev=corpus, dictionaries=[MANY] * 2)
    for figure in (run_charts.estimate_figure(run), run_charts.dictionary_figure(run)):
        assert figure is not None
        legend = [text for text in texts(figure) if "TYPE" in text or "other" in text]
        assert legend == [*(f"TYPE{i:02d}" for i in range(7)), "other types"]
        tops = figure.chart.count("<title>round 1, ")
        assert tops == 8
        rest = sum(100 - i for i in range(7, 12))
        assert f"other types: {rest}" in figure.chart


def test_single_round_has_no_charts_by_round() -> None:
    run = make_run(make_round())
    assert run_charts.score_figure(run) is None
    assert run_charts.type_figure(run) is None
    assert run_charts.dictionary_figure(run) is None
    assert run_charts.change_figure(run) is None


def test_many_rounds_have_few_numbers_below() -> None:
    rounds = [make_round(i, is_best=i == 30) for i in range(1, 41)]
    run = make_run(*rounds)
    for figure in (run_charts.score_figure(run), run_charts.change_figure(run)):
        assert figure is not None
        numbers = [text for text in texts(figure) if text.isdigit()]
        assert 3 < len(numbers) <= 12


def test_learning_curves_are_a_chart_per_round() -> None:
    trainings = [
        Training(round_, fold, [make_scores(0), make_scores(9)])
        for round_ in (1, 2)
        for fold in (None, 0, 1)
    ]
    run = make_run(make_round(1), make_round(2), trainings=trainings)
    figures = run_charts.learning_figures(run)
    assert [figure.title for figure in figures] == [
        "F1 on dev in round 1",
        "F1 on dev in round 2",
    ]
    assert figures[0].chart.count("<polyline") == 3


def test_curves_of_trainings_without_any_line_are_left_out() -> None:
    run = make_run(trainings=[Training(1, None, [])])
    assert run_charts.learning_figures(run) == []
    assert run_charts.loss_figure(run) is None
    assert run_charts.weight_figure(run) is None


def test_loss_without_best_paths_has_no_weight() -> None:
    run = make_run(trainings=[Training(1, None, [make_scores(0, weight=None)])])
    assert run_charts.loss_figure(run) is not None
    assert run_charts.weight_figure(run) is None


def test_times_have_the_unit_that_fits() -> None:
    for seconds, unit in ((100, "seconds"), (1000, "minutes"), (50_000, "hours")):
        run = make_run(make_round(seconds_per_part={"folds": seconds, "final": 1}))
        assert unit in texts(run_charts.time_figure(run))


def test_round_without_times_has_no_chart_of_them() -> None:
    assert run_charts.time_figure(make_run(make_round(seconds_per_part={}))) is None
