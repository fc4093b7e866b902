"""How far guessers are trusted, by comparison with the annotation."""

import math
import random
from pathlib import Path

import pytest

from spacy_adak.data.guesses import Guess
from spacy_adak.q.guess_precision import log_odds
from spacy_adak.q.guess_trust import Trust, estimate_trust
from spacy_adak.q.guessed_texts import GuessedText
from spacy_adak.q.known_forms import Annotators

WORDS = 12
ALL = [Guess(start, start + 2, "PER") for start in range(0, WORDS, 3)]
Place = tuple[int, int, str]


def trust_in(
    texts: list[GuessedText], recall: float, per_type: dict[str, float] | None = None
) -> Trust:
    """Trust if annotators know all forms."""
    return estimate_trust(texts, Annotators(recall, recall), per_type)


def make_texts(
    count: int,
    recall: float,
    guess: dict[str, float],
    right: dict[str, float],
    seed: int = 0,
) -> list[GuessedText]:
    """Texts with an entity in some of four places, of which annotators mark a share.

    guess: How much of the entities each guesser finds.
    right: How many of its guesses are entities.
    """
    rng = random.Random(seed)
    texts = []
    for i in range(count):
        entities = [place for place in ALL if rng.random() < 0.5]
        others = [Guess(g.start + 1, g.end + 1, "PER") for g in ALL]
        guesses = {}
        for name in guess:
            found = [e for e in entities if rng.random() < guess[name]]
            share = guess[name] * 0.5 * (1 / right[name] - 1)
            found += [o for o in others if rng.random() < share]
            guesses[name] = found
        marked = [e[:3] for e in entities if rng.random() < recall]
        is_complete = recall == 1.0
        # No form comes up twice.
        words = [f"{i}-{j}" for j in range(WORDS)]
        texts.append(
            GuessedText(words, is_complete, frozenset(marked), frozenset(), guesses)
        )
    return texts


def test_precision_by_chance_is_the_share_of_spans_that_are_entities() -> None:
    place = Guess(0, 2, "PER")
    texts = [
        GuessedText("ab", True, frozenset(entities), frozenset(), {"a": [place]})
        for entities in ([place[:3]], []) * 500
    ]
    (found,) = trust_in(texts, 1.0).guessers
    assert found.by_chance == pytest.approx(0.5, abs=0.01)


def test_what_is_guessed_by_chance_says_nothing_of_the_rest() -> None:
    rng = random.Random(0)
    texts = []
    words = [str(i) for i in range(WORDS)]
    for _ in range(3_000):
        spans = [Guess(start, start + 2, "PER") for start in range(WORDS - 1)]
        guesses = {"a": [span for span in spans if rng.random() < 0.5]}
        entity = frozenset({rng.choice(spans)[:3]})
        texts.append(GuessedText(words, True, entity, frozenset(), guesses))
    missed = trust_in(texts, 1.0).missed[frozenset({"a"}), "PER"]
    assert missed == pytest.approx(0, abs=0.05)


@pytest.mark.parametrize("recall", [0.2, 0.5, 1.0])
@pytest.mark.parametrize("precision", [0.4, 0.9])
def test_precision_and_recall_are_those_of_the_truth(
    recall: float, precision: float
) -> None:
    texts = make_texts(3_000, recall, {"a": 0.6}, {"a": precision})
    (found,) = trust_in(texts, recall).guessers
    assert found.precision.value == pytest.approx(precision, abs=0.05)
    assert found.precision.low <= found.precision.value <= found.precision.high
    assert found.recall is not None
    assert found.recall.value == pytest.approx(0.6, abs=0.05)


def test_evidence_is_what_turns_the_odds_of_chance_into_those_of_precision() -> None:
    texts = make_texts(2_000, 0.3, {"a": 0.6}, {"a": 0.8})
    trust = trust_in(texts, 0.3)
    ((weight, probability),) = trust.precision.values()
    (found,) = trust.guessers
    assert probability == found.precision.value
    assert weight == log_odds(probability) - log_odds(found.by_chance)
    (missed,) = trust.missed.values()
    # Four in ten entities are missed; of eleven spans in a text 1.5 are guessed.
    assert missed == pytest.approx(math.log(0.4) - math.log(1 - 1.5 / 11), abs=0.1)


@pytest.mark.parametrize("seed", range(3))
def test_useless_guesser_counts_for_nothing(seed: int) -> None:
    rng = random.Random(seed)
    texts = [
        text._replace(
            guesses={
                "random": [
                    Guess(start, start + 2, "PER")
                    for start in range(WORDS - 1)
                    if rng.random() < 0.2
                ]
            }
        )
        for text in make_texts(500, 0.2, {}, {}, seed)
    ]
    trust = trust_in(texts, 0.2)
    ((weight, _),) = trust.precision.values()
    assert abs(weight) < 0.1
    assert all(abs(missed) < 0.1 for missed in trust.missed.values())


def test_guesser_of_whom_nothing_is_known_counts_for_nothing() -> None:
    texts = make_texts(50, 0.3, {}, {})
    texts[0] = texts[0]._replace(guesses={"a": [Guess(0, 4, "NEW")]})
    ((weight, _),) = trust_in(texts, 0.3).precision.values()
    assert abs(weight) < 0.5


def test_guessers_that_always_agree_count_as_one() -> None:
    texts = make_texts(1_000, 0.3, {"a": 0.6}, {"a": 0.7})
    alone = trust_in(texts, 0.3)
    twins = [t._replace(guesses={**t.guesses, "b": t.guesses["a"]}) for t in texts]
    together = trust_in(twins, 0.3)
    assert [*together.precision.values()] == [*alone.precision.values()]
    assert [*together.missed.values()] == [*alone.missed.values()]


def test_guessers_that_agree_by_their_own_count_for_more() -> None:
    texts = make_texts(3_000, 0.3, {"a": 0.6, "b": 0.6}, {"a": 0.5, "b": 0.5})
    trust = trust_in(texts, 0.3)
    weights = {
        "".join(sorted(name for name, _ in voices)): weight
        for (voices, _, _), (weight, _) in trust.precision.items()
    }
    assert weights["ab"] > max(weights["a"], weights["b"])


def test_complete_texts_have_the_last_word() -> None:
    # What was made from the annotation finds all of it, and is wrong elsewhere.
    incomplete = [
        text._replace(guesses={"a": [Guess(*place) for place in text.entities]})
        for text in make_texts(300, 0.3, {}, {})
    ]
    complete = make_texts(300, 1.0, {"a": 0.5}, {"a": 0.5}, seed=1)
    (believed,) = trust_in(incomplete, 0.3).guessers
    (found,) = trust_in([*incomplete, *complete], 0.3).guessers
    assert believed.precision.value > 0.9
    assert found.precision.value == pytest.approx(0.5, abs=0.06)


def test_types_that_are_complete_somewhere_are_counted_there() -> None:
    texts = make_texts(500, 1.0, {"a": 0.6}, {"a": 0.7})
    of_type = [
        t._replace(is_complete=False, complete_types=frozenset(["PER"])) for t in texts
    ]
    # Elsewhere annotators mark little of it.
    assert trust_in(of_type, 0.2) == trust_in(texts, 0.2)


def test_recall_may_differ_by_type() -> None:
    texts = make_texts(500, 0.3, {"a": 0.6}, {"a": 0.7})
    assert trust_in(texts, 0.9, {"PER": 0.3}) == trust_in(texts, 0.3)


def test_scores_that_mean_something_are_told_apart() -> None:
    texts = make_texts(1_000, 0.5, {"a": 0.6}, {"a": 0.5})
    scored = [
        text._replace(
            guesses={
                "a": [
                    g._replace(score=0.9 if g.start % 3 == 0 else 0.1)
                    for g in text.guesses["a"]
                ]
            }
        )
        for text in texts
    ]
    trust = trust_in(scored, 0.5)
    by_band = {
        band: probability
        for (voices, _, _), (_, probability) in trust.precision.items()
        for _, band in voices
    }
    assert by_band[0] < 0.1
    assert by_band[max(by_band)] > 0.9


def test_each_length_has_a_precision_of_its_own() -> None:
    texts = []
    for text in make_texts(500, 1.0, {"a": 0.6}, {"a": 0.9}):
        wrong = [Guess(start, start + 1, "PER") for start in range(WORDS)]
        texts.append(text._replace(guesses={"a": [*text.guesses["a"], *wrong]}))
    trust = trust_in(texts, 1.0)
    (whole,) = trust.guessers
    by_length = {
        length: probability
        for (_, _, length), (_, probability) in trust.precision.items()
    }
    assert by_length[2] == pytest.approx(0.9, abs=0.05)
    assert by_length[1] < 0.01 < whole.precision.value < 0.5
    assert trust.forms == {}


def texts_of_forms(marked: dict[str, tuple[int, int]]) -> list[GuessedText]:
    """Incomplete texts with one guess each, and how many of a form are marked."""
    place = Guess(1, 2, "PER")
    return [
        GuessedText(
            ["the", form, "is"],
            False,
            frozenset([place[:3]] if i < right else []),
            frozenset(),
            {"a": [place]},
        )
        for form, (right, count) in marked.items()
        for i in range(count)
    ]


def test_form_that_is_marked_somewhere_has_a_precision_of_its_own() -> None:
    annotators = Annotators(0.2, 0.9)
    texts = texts_of_forms({"Ann": (40, 45), "2": (4, 300), "Ben": (0, 100)})
    trust = estimate_trust(texts, annotators)
    (voices,) = {voices for voices, *_ in trust.precision}

    def precision(form: str) -> float:
        found = trust.of_place(voices, (1, 2, "PER"), ["the", form, "is"])
        assert found is not None
        return found[1]

    # A form that is guessed once counts as others of its length.
    others = precision("Eva")
    assert others == trust.precision[voices, "PER", 1][1]
    assert precision("Ann") > 0.9 > others > precision("2")
    assert precision("2") == pytest.approx(4 / 300 / 0.9, abs=0.01)
    # Annotators may not know who Ben is.
    assert precision("Ben") == pytest.approx(others, abs=0.1)
    all_known = estimate_trust(texts, Annotators(0.2, 0.2))
    assert all_known.forms[voices, "PER", "Ben"][1] < 0.1
    assert trust.of_place(voices, (0, 2, "PER"), ["the", "Eva"]) is None


def test_guesser_that_is_worth_nothing_is_so_at_each_length_and_form() -> None:
    rng = random.Random(0)
    texts = [
        text._replace(
            # Four forms in all, each of them an entity or not by chance.
            words=[str(i % 4) for i in range(WORDS)],
            guesses={
                "a": [
                    Guess(start, start + length, "PER")
                    for start in range(WORDS - 2)
                    for length in (1, 2)
                    if rng.random() < 0.1
                ]
            },
        )
        for text in make_texts(300, 0.3, {}, {})
    ]
    trust = trust_in(texts, 0.3)
    assert {length for *_, length in trust.precision} == {1, 2}
    assert len(trust.forms) == 8
    weights = [
        weight for weight, _ in [*trust.precision.values(), *trust.forms.values()]
    ]
    # No entity has one word, so a guess of one is hardly ever right, as any other.
    assert max(map(abs, weights)) < 0.3


def test_form_weighs_what_is_beyond_chance() -> None:
    trust = trust_in(texts_of_forms({"Ann": (80, 80), "2": (4, 200)}), 0.5)
    ((_, by_length),) = trust.precision.values()
    (weight,) = {weight for weight, _ in trust.precision.values()}
    chance = log_odds(by_length) - weight
    for weight, probability in trust.forms.values():
        assert weight == pytest.approx(log_odds(probability) - chance)


def test_form_is_the_same_whatever_its_tokens_are() -> None:
    texts = texts_of_forms({"AnnLee": (80, 80), "2": (4, 200)})
    trust = trust_in(texts, 0.5)
    (voices,) = {voices for voices, *_ in trust.precision}
    found = trust.of_place(voices, (0, 2, "PER"), ["Ann", "Lee"])
    assert found == trust.forms[voices, "PER", "AnnLee"]


def test_what_was_decided_is_not_compared() -> None:
    texts = make_texts(200, 0.5, {"a": 0.6}, {"a": 0.7})
    place = (9, 11, "PER")
    decided = [t._replace(decided=frozenset([place])) for t in texts]
    without = [
        t._replace(guesses={"a": [g for g in t.guesses["a"] if g[:3] != place]})
        for t in texts
    ]
    counts = [
        trust_in(each, 0.5).guessers[0].guesses for each in (decided, without, texts)
    ]
    assert counts[0] == counts[1] < counts[2]


def test_trust_is_read_as_it_was_written(tmp_path: Path) -> None:
    texts = make_texts(200, 0.3, {"a": 0.6, "b": 0.3}, {"a": 0.7, "b": 0.5})
    texts += texts_of_forms({"Ann": (4, 9)})
    trust_in(texts, 0.3).to_disk(tmp_path / "trust.json")
    trust = Trust.from_disk(tmp_path / "trust.json")
    assert len(trust.precision) == 4
    assert len(trust.forms) == 1
    # A run that is resumed goes on with the same numbers.
    trust.to_disk(tmp_path / "again.json")
    assert Trust.from_disk(tmp_path / "again.json") == trust
