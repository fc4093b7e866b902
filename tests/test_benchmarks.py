"""The benchmark's own arithmetic, and that it times the right thing. Without peers."""

import importlib
import sys
from argparse import ArgumentParser
from pathlib import Path

import pytest
import spacy
import torch
from spacy.tokens import Doc

from benchmarks.convert import convert_file, write_inputs
from benchmarks.corpora import Corpus, make_examples
from benchmarks.estimation import SHARD_SIZE, write_corpus
from benchmarks.fine_tuning import (
    contenders,
    fine_tuning_config,
    make_batches,
    make_task,
)
from benchmarks.many_labels import largest_array, make_tasks
from benchmarks.padding import measure_padding, padded_share
from benchmarks.problem import Size, SpacyAdak, make_problem
from benchmarks.reduced import compare
from benchmarks.result_files import result_path
from benchmarks.scaling import LENGTHS, excess
from benchmarks.timing import LEAST_ROUNDS, MOST_ROUNDS, median_ratio, time_in_turns
from spacy_adak.data.docbin import read_docbin

from .crf.brute_force import legal_paths, log_partitions
from .made_texts import TEXTS, make_doc


class Clock:
    """A clock that only tasks move."""

    def __init__(self) -> None:
        self.now = 0.0
        self.calls: list[str] = []

    def __call__(self) -> float:
        return self.now

    def task(self, name: str, seconds: float) -> None:
        self.calls.append(name)
        self.now += seconds


def test_ratio_is_the_median_of_ratios_and_not_the_ratio_of_medians() -> None:
    assert median_ratio([2.0, 30.0, 8.0], [1.0, 10.0, 2.0]) == 3.0


def test_ratio_leaves_out_rounds_in_which_only_one_was_timed() -> None:
    assert median_ratio([4.0], [2.0, 100.0, 100.0]) == 2.0


def test_tasks_take_turns_in_rotating_order() -> None:
    clock = Clock()
    tasks = {name: lambda n=name: clock.task(n, 0.001) for name in "abc"}
    time_in_turns(tasks, 1.0, clock)
    assert "".join(clock.calls[:12]) == "abc" + "abc" + "bca" + "cab"


def test_slow_task_takes_part_in_the_first_rounds_only() -> None:
    clock = Clock()
    tasks = {
        "slow": lambda: clock.task("slow", 0.2),
        "fast": lambda: clock.task("fast", 0.001),
    }
    times = time_in_turns(tasks, 1.9, clock)
    assert times["slow"] == pytest.approx([0.2] * LEAST_ROUNDS)
    assert LEAST_ROUNDS < len(times["fast"]) <= MOST_ROUNDS


def test_timing_stops_when_the_time_is_up() -> None:
    clock = Clock()
    times = time_in_turns({"a": lambda: clock.task("a", 0.05)}, 1.0, clock)
    assert sum(times["a"]) == pytest.approx(1.0, abs=0.11)


def test_excess_is_one_for_linear_and_eight_for_quadratic_growth() -> None:
    assert excess([3.0 * length for length in LENGTHS]) == pytest.approx(1.0)
    assert excess([3.0 * length**2 for length in LENGTHS]) == pytest.approx(8.0)


def test_our_losses_and_paths_are_those_of_enumeration() -> None:
    problem = make_problem(Size(batch=3, length=4, tags=3))
    tasks = SpacyAdak(problem).tasks()
    numbers = {name: task.numbers(task.run()) for name, task in tasks.items()}
    log_z = log_partitions(problem.chain).sum()
    constrained = log_partitions(problem.chain.allowing(problem.allowed)).sum()
    paths = [legal_paths(problem.chain, b) for b in range(3)]
    gold = sum(
        path.score
        for b, sentence in enumerate(paths)
        for path in sentence
        if list(path.tags) == problem.gold[b, : len(path.tags)].tolist()
    )
    best = torch.tensor([[path.score for path in p[:5]] for p in paths])
    torch.testing.assert_close(numbers["loss"][0], log_z - gold)
    torch.testing.assert_close(numbers["constrained loss"][0], log_z - constrained)
    torch.testing.assert_close(numbers["adak loss, K=5"], numbers["loss"])
    torch.testing.assert_close(numbers["viterbi"].float(), best[:, :1])
    torch.testing.assert_close(numbers["kbest, K=5"].float(), best)


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ([], "frozen"),
        (["--rounds", "10"], "frozen"),
        (["--rounds", "1"], "quick.frozen"),
    ],
)
def test_results_of_other_sizes_are_kept_apart(arguments: list[str], name: str) -> None:
    parser = ArgumentParser()
    parser.add_argument("--rounds", type=int, default=10)
    args = parser.parse_args(arguments)
    assert result_path("frozen", parser, args, "rounds").name == f"{name}.jsonl"


@pytest.mark.parametrize(("size", "shards"), [(50, 1), (SHARD_SIZE + 1, 2)])
def test_all_sentences_are_in_a_shard(tmp_path: Path, size: int, shards: int) -> None:
    write_corpus(size, tmp_path)
    paths = sorted(tmp_path.iterdir())
    vocab = spacy.blank("xx").vocab
    assert len(paths) == shards
    assert sum(1 for path in paths for _ in read_docbin(path, vocab)) == size


def test_many_labels_are_predicted_and_learnt() -> None:
    tasks = make_tasks(101)
    assert set(tasks) == {"predict", "update"}
    assert tasks["update"]()["adak_ner"] > 0
    # A byte for each pair of 405 tags and each of 128 tokens would be 21 MB.
    assert 0 < largest_array(tasks["predict"]) < 10_000_000


def test_missing_peers_are_told_of_with_the_remedy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(sys.modules, "benchmarks.peers", raising=False)
    monkeypatch.setitem(sys.modules, "pytorch_partial_crf", None)
    with pytest.raises(ModuleNotFoundError, match="make bench"):
        importlib.import_module("benchmarks.peers")


def test_inputs_of_conversions_hold_the_same_entities(tmp_path: Path) -> None:
    sentences = [[("Ann", "B-PER"), ("Lee", "I-PER"), ("met", "O"), ("Bob", "B-PER")]]
    paths = write_inputs(sentences, 6, tmp_path)
    for what, path in paths.items():
        target = tmp_path / f"{path.stem}.spacy"
        convert_file(path, target, "missing")
        docs = list(read_docbin(target, spacy.blank("en").vocab))
        assert len(docs) == (1 if what == "CoNLL" else 6)
        assert [ent.text for ent in docs[0].ents] == ["Ann Lee", "Bob"]
        assert docs[-1][-1].text == str(len(docs) - 1)


def test_contenders_learn_with_the_same_transformer_in_the_same_batches(
    tiny_bert: Path,
) -> None:
    config = fine_tuning_config("en", tiny_bert)
    spans = config["components"]["transformer"]["model"]["get_spans"]
    spans.update(window=24, stride=18)
    config["training"]["batcher"]["size"] = 20
    nlp = spacy.blank("en")
    docs = [make_doc(nlp.vocab, *text) for text in TEXTS]
    assert len(make_batches(config, make_examples(nlp, docs))) > 1
    for name, component in contenders(config).items():
        train = make_task(config, component, docs)
        losses = train()
        assert losses["transformer"] >= 0, name
        assert train()[component["factory"]] < losses[component["factory"]], name


def test_reduced_encoder_is_compared_with_the_same_pipeline(tiny_bert: Path) -> None:
    vocab = spacy.blank("en").vocab
    docs = [make_doc(vocab, *text) for text in TEXTS]
    corpus = Corpus("en", "texts", docs, tiny_bert, "tiny")
    plain, reduced = compare(corpus, texts=3, steps=2, seconds=0.01, on_gpu=False)
    assert (plain["encoder"], reduced["encoder"]) == ("32 bits", "8 bits")
    assert (plain["times as fast"], plain["entities that differ"]) == (1.0, 0)
    assert reduced["words per second"] > 0


def test_padding_is_what_fills_a_batch_up_to_its_longest_text() -> None:
    assert padded_share([[4, 2], [3, 3]]) == pytest.approx(2 / 14)


def test_batches_of_similar_length_have_little_padding(tiny_bert: Path) -> None:
    nlp = spacy.blank("en")
    docs = [Doc(nlp.vocab, words=["rained"] * (1 + i % 20)) for i in range(400)]
    best, paper = measure_padding(make_examples(nlp, docs), tiny_bert)
    assert best["recipe"] == "best"
    assert best["padding"] <= 0.15
    assert paper["padding"] > 0.3
    assert paper["batches"] == 13
