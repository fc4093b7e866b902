"""One pipeline in many threads, and in many processes, finds what it finds alone."""

import multiprocessing
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc, SpanGroup

from tests.finished_run import FinishedRun
from tests.made_corpus import make_docs

pytestmark = pytest.mark.filterwarnings("ignore:This process.*fork:DeprecationWarning")
TEXTS = [doc.text for doc in make_docs(60, seed=5)]
Found = list[list[tuple[int, int, str, float]]]


@pytest.fixture(scope="module")
def nlp(finished: FinishedRun) -> Language:
    """A trained pipeline that has predicted already: torch may have started threads."""
    nlp = spacy.load(finished.folder / "model-best")
    list(nlp.pipe(TEXTS))
    return nlp


def found(docs: Iterable[Doc]) -> Found:
    return [describe(doc.spans["adak_ner"]) for doc in docs]


def describe(group: SpanGroup) -> list[tuple[int, int, str, float]]:
    scores = group.attrs["scores"]
    return [
        (span.start, span.end, span.label_, score)
        for span, score in zip(group, scores, strict=True)
    ]


def test_four_threads_find_what_one_does(nlp: Language) -> None:
    alone = found(nlp.pipe(TEXTS, batch_size=8))
    assert any(alone)
    with ThreadPoolExecutor(4) as threads:
        results = list(
            threads.map(lambda _: found(nlp.pipe(TEXTS, batch_size=8)), range(12))
        )
    assert all(result == alone for result in results)


def test_threads_that_call_it_on_single_texts_do_not_mix_them_up(
    nlp: Language,
) -> None:
    alone = found(map(nlp, TEXTS))
    with ThreadPoolExecutor(4) as threads:
        assert found(threads.map(nlp, TEXTS)) == alone


def test_kbest_in_threads_is_that_of_one(nlp: Language) -> None:
    component = nlp.get_pipe("adak_ner")

    def readings(text: str) -> list[tuple[float, list[str]]]:
        doc = nlp.make_doc(text)
        groups = component.kbest(doc, 3)
        return [
            (group.attrs["probability"], [span.text for span in group])
            for group in groups
        ]

    alone = list(map(readings, TEXTS))
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(readings, TEXTS)) == alone


def found_in_processes(
    nlp: Language, method: str, n_process: int, monkeypatch: pytest.MonkeyPatch
) -> Found:
    """What processes find that are started in some way, in batches of one size."""
    context = multiprocessing.get_context(method)
    for name in ("Process", "Queue", "Pipe"):
        # spaCy takes them from the module.
        monkeypatch.setattr(multiprocessing, name, getattr(context, name))
    return found(nlp.pipe(TEXTS, n_process=n_process, batch_size=8))


@pytest.mark.parametrize("n_process", [2, 4])
def test_forked_processes_find_what_a_warm_parent_does(
    nlp: Language, n_process: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = found(nlp.pipe(TEXTS, batch_size=8))
    assert found_in_processes(nlp, "fork", n_process, monkeypatch) == alone


@pytest.mark.slow
@pytest.mark.parametrize("n_process", [2, 4])
def test_spawned_processes_find_what_a_warm_parent_does(
    nlp: Language, n_process: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on macOS, where processes import everything and get the pipeline pickled."""
    alone = found(nlp.pipe(TEXTS, batch_size=8))
    assert found_in_processes(nlp, "spawn", n_process, monkeypatch) == alone
