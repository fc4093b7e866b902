from collections import Counter
from typing import Any

import pytest

from spacy_adak.recall.intervals import Interval
from spacy_adak.report.dev_predictions import DevPredictions
from spacy_adak.report.entity_examples import Estimates
from spacy_adak.report.reliability import Pair, measure_reliability
from spacy_adak.report.run_record import Corpus, RunRecord
from spacy_adak.report.verdict import Verdict, judge
from spacy_adak.shards.recall_file import KnownRecall

from .made_runs import make_round, make_run


def verdict(run: RunRecord, doubtful: int = 0, **settings: Any) -> Verdict:
    estimates = Estimates(700, doubtful, [], [])
    dev = DevPredictions(300, 300, Interval(0.8, 0.77, 0.83), [])
    return judge(run, settings.get("dev", dev), settings.get("reliability"), estimates)


def test_numbers_are_said_in_words() -> None:
    found = verdict(make_run())
    assert "finds 80 % of the 400 entities of the 300 dev texts" in found.learnt
    assert "500 entities were annotated, and 900 more were found" in found.learnt
    assert "700 of these have a probability of 0.9" in found.learnt
    assert "between 77.0 and 83.0 in 95 of 100 cases" in found.sure
    assert "assumes that the dev data is annotated completely" in found.sure


def test_incomplete_dev_data_is_not_taken_for_complete() -> None:
    known = KnownRecall(0.4, 0.35, 0.45, 0.2, True, "Annotators have marked 40 %")
    round_ = make_round(
        precision=1.0,
        recall=0.7,
        dev_per_type={"ORG": {"p": 0.3, "r": 0.3, "f": 0.3}},
    )
    found = verdict(make_run(round_, annotators=known))
    assert "70 % of the 400 entities that are annotated in the 300" in found.learnt
    assert "Corrected for those that nobody has marked, about 100 %" in found.learnt
    assert "annotators forget at random. Annotators have marked 40 %." in found.sure
    assert "annotated completely" not in found.sure
    assert "other texts may be a little harder" in found.sure
    (advice,) = found.advice
    assert "`python -m spacy adak sample` draws them" in advice


def test_run_without_anything_to_do_is_to_be_tested() -> None:
    (advice,) = verdict(make_run()).advice
    assert advice.startswith("Nothing stands out")


@pytest.mark.parametrize(
    ("run", "advice"),
    [
        (
            make_run(make_round(1), make_round(2, changed=0.049)),
            "4.9 % of the unknown tokens still changed in it: go on with more rounds "
            "(`--resume --adak.rounds 4`)",
        ),
        (
            make_run(make_round(1), make_round(2), make_round(3, is_best=False)),
            "Round 2 of 3 was the best",
        ),
        (make_run(is_finished=False), "`--resume`"),
        (make_run(make_round(precision=0.9, recall=0.6)), "misses more than it"),
        (make_run(make_round(precision=0.6, recall=0.9)), "invents more than it"),
        (
            make_run(make_round(dev_per_type={"ORG": {"p": 0.3, "r": 0.3, "f": 0.3}})),
            "ORG is the weakest type (F1 30)",
        ),
        (
            make_run(train=Corpus(9, 9, 9, Counter(ORG=400, PER=5, LOC=7))),
            "LOC and PER are annotated less than 20 times",
        ),
        (make_run(dev=Corpus(9, 90, 0, Counter(ORG=30))), "dev texts have 30 entities"),
    ],
)
def test_advice_fits_the_run(run: RunRecord, advice: str) -> None:
    assert any(advice in sentence for sentence in verdict(run).advice)


def test_start_that_is_in_use_is_not_advised() -> None:
    round_ = make_round(precision=0.9, recall=0.6)
    (advice,) = verdict(make_run(round_)).advice
    assert "--adak.start.learn_from forms" in advice
    (advice,) = verdict(make_run(round_, start="forms")).advice
    assert advice.endswith("mark some of them in the training texts.")


def test_converged_run_is_not_told_to_go_on() -> None:
    run = make_run(make_round(1), make_round(2, changed=0.001))
    assert not any("more rounds" in sentence for sentence in verdict(run).advice)


def test_doubtful_entities_are_to_be_decided() -> None:
    (advice,) = verdict(make_run(), doubtful=1234).advice
    assert "1,234 of the entities found are doubtful" in advice


def test_bad_probabilities_are_a_ranking() -> None:
    reliability = measure_reliability(
        [Pair(0.99, i % 2 == 0, "ORG") for i in range(80)]
    )
    found = verdict(make_run(), reliability=reliability)
    assert "said to be 99 % sure are right 50 times in 100" in found.sure
    assert any("ranking" in sentence for sentence in found.advice)


def test_run_without_q_found_nothing_in_the_training_texts() -> None:
    assert "training texts" not in verdict(make_run(has_q=False)).learnt


def test_unfinished_run_says_so_first() -> None:
    run = make_run(is_finished=False, planned_rounds=5)
    assert verdict(run).learnt.startswith("This run is not finished: 1 of at most 5")
