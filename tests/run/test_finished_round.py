from pathlib import Path

import pytest
from thinc.api import Config

from spacy_adak.q.adak_block import AdakSettings
from spacy_adak.run.algorithm import keep_if_best
from spacy_adak.run.finished_round import sum_up
from spacy_adak.run.folder import Round, Run, find_best
from spacy_adak.tasks.estimate_shard import ShardStatistics

CONFIG = Config({"training": {"score_weights": {"ents_f": 0.75, "ents_p": 0.25}}})
DEV = {"ents_p": 0.8, "ents_r": 0.4, "ents_f": 0.6, "ents_per_type": None}
SHARDS = [
    ShardStatistics(10, 1, 40, 4, {"ORG": 2, "LOC": 1}, []),
    ShardStatistics(10, 2, 60, 1, {"ORG": 3}, []),
]


def make_round(number: int = 1, **dev: float | None) -> Round:
    return sum_up(CONFIG, number, {**DEV, **dev}, SHARDS, 7, 9.0, {"q": 1.0})


def test_statistics_of_shards_are_added_up() -> None:
    result = make_round()
    assert result.changed == pytest.approx(5 / 100)
    assert result.dropped == 3
    assert result.estimated_entities == 6
    assert result.estimated_per_type == {"LOC": 1, "ORG": 5}
    assert result.dictionary_size == 7
    assert result.dev_per_type == {}


def test_round_without_q_has_changed_nothing() -> None:
    assert sum_up(CONFIG, 1, DEV, [], 0, 9.0, {}).changed == 0.0


def test_score_is_weighted_as_in_training() -> None:
    assert make_round().score == pytest.approx(0.75 * 0.6 + 0.25 * 0.8)
    # Nothing was found on dev.
    assert make_round(ents_p=None).score == pytest.approx(0.75 * 0.6)


def test_round_is_the_best_only_if_its_score_is_higher(tmp_path: Path) -> None:
    path = tmp_path / "config.cfg"
    run = Run(tmp_path, path, CONFIG, AdakSettings(), "adak_ner", -1, None)
    for number, score in enumerate((0.0, 0.5, 0.5, 0.4, 0.6, 0.6), start=1):
        keep_if_best(run, make_round(number)._replace(score=score))
    history = run.history()
    assert [r.is_best for r in history] == [True, True, False, False, True, False]
    best = find_best(history)
    assert best is not None
    assert best.round == 5
