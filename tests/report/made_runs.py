"""Runs that never were, to report on."""

from collections import Counter
from pathlib import Path
from typing import Any

from spacy_adak.report.run_record import Corpus, RunRecord
from spacy_adak.run.folder import Round


def make_round(number: int = 1, **changes: Any) -> Round:
    round_ = Round(
        round=number,
        score=0.8,
        precision=0.8,
        recall=0.8,
        f1=0.8,
        changed=0.05,
        estimated_entities=900,
        dictionary_size=10,
        dropped=0,
        seconds=60.0,
        is_best=True,
        dev_per_type={"ORG": {"p": 0.8, "r": 0.8, "f": 0.8}},
        estimated_per_type={"ORG": 900},
        seconds_per_part={"final": 60.0},
    )
    return round_._replace(**changes)


def make_run(*rounds: Round, **changes: Any) -> RunRecord:
    rounds = rounds or (make_round(),)
    best = [r for r in rounds if r.is_best][-1]
    run = RunRecord(
        folder=Path("output"),
        rounds=list(rounds),
        best=best,
        planned_rounds=len(rounds),
        convergence=0.01,
        loss="AdaKLoss",
        start="outside",
        has_q=True,
        is_finished=True,
        has_model=True,
        trainings=[],
        train=Corpus(1000, 9000, 8000, Counter(ORG=500)),
        dev=Corpus(300, 3000, 0, Counter(ORG=400)),
        annotators=None,
        dictionaries=[Counter(ORG=10)] * len(rounds),
        guessers=[],
    )
    return run._replace(**changes)
