from spacy.tokens import Doc, Span

from spacy_adak.data.complete_types import state_complete
from spacy_adak.data.sample_marks import SAMPLE_KEY
from spacy_adak.pipeline.annotation_likelihood import SCORE_NAME
from spacy_adak.run.dev_data import choose_by_likelihood, choose_dev_data, set_apart
from tests.made_corpus import make_docs


def test_complete_dev_texts_are_used_alone() -> None:
    complete, incomplete = make_docs(20), make_docs(27, keep=0.5)
    train = make_docs(30, keep=0.5)
    data = choose_dev_data(train, [*complete, *incomplete], seed=0)
    assert data.dev == complete
    assert data.is_complete
    assert data.left_out == 27
    assert data.train == train


def test_few_complete_dev_texts_are_no_more_than_the_others() -> None:
    dev = [*make_docs(19), *make_docs(100, keep=0.5)]
    data = choose_dev_data(make_docs(30, keep=0.5), dev, seed=0)
    assert (data.dev, data.is_complete, data.left_out) == (dev, False, 0)
    # If there are no others they have to do.
    assert choose_dev_data(make_docs(30, keep=0.5), dev[:5], seed=0).is_complete


def test_complete_training_texts_are_learnt_from_and_not_set_apart() -> None:
    complete, incomplete = make_docs(50, seed=1), make_docs(400, keep=0.5)
    data = choose_dev_data([*complete, *incomplete], None, seed=0)
    assert data.train[:50] == complete
    assert len(data.dev) == 40
    assert not data.is_complete


def test_complete_training_texts_are_set_apart_if_there_are_no_others() -> None:
    data = choose_dev_data(make_docs(400), None, seed=0)
    assert (len(data.dev), data.is_complete) == (40, True)


def test_texts_drawn_for_dev_are_not_learnt_from() -> None:
    train = make_docs(50, keep=0.5)
    drawn, others = make_docs(50)[:30], make_docs(5, seed=1)
    for doc in drawn:
        doc.user_data[SAMPLE_KEY] = {"weight": 1.0}
    data = choose_dev_data(train, [*drawn, *others], seed=0)
    assert (data.train, data.drawn) == (train[30:], 30)
    assert data.dev == [*drawn, *others]


def test_incomplete_dev_texts_are_used_if_none_is_complete() -> None:
    dev = make_docs(7, keep=0.5)
    data = choose_dev_data(make_docs(30, keep=0.5), dev, seed=0)
    assert data.dev == dev
    assert not data.is_complete


def test_texts_that_are_all_entity_do_not_count_as_complete() -> None:
    dev = make_docs(20, keep=0.5)
    short = Doc(dev[0].vocab, words=["Ann", "Lee"])
    short.set_ents([Span(short, 0, 2, label="PERSON")], default="missing")
    data = choose_dev_data(make_docs(30, keep=0.5), [*dev, short], seed=0)
    assert len(data.dev) == 21
    assert not data.is_complete


def test_without_dev_texts_some_of_train_are_set_apart() -> None:
    train = make_docs(400, keep=0.5)
    data = choose_dev_data(train, None, seed=0)
    assert len(data.dev) == 40
    assert len(data.train) == 360
    assert not data.is_complete


def test_equal_texts_stay_together_and_the_order_is_kept() -> None:
    docs = make_docs(100, keep=0.5) * 2
    train, dev = set_apart(docs, seed=0)
    assert len(dev) == 40
    assert not {doc.text for doc in train} & {doc.text for doc in dev}
    assert train == [doc for doc in docs if doc not in dev]


def test_seed_chooses_the_texts() -> None:
    docs = make_docs(100, keep=0.5)
    texts = [[doc.text for doc in set_apart(docs, seed)[1]] for seed in (0, 0, 1)]
    assert texts[0] == texts[1] != texts[2]


def test_half_of_few_texts_stays() -> None:
    assert len(set_apart(make_docs(10, keep=0.5), seed=0)[0]) == 5


def test_weights_of_scores_that_look_good_go_to_the_likelihood() -> None:
    weights = {"ents_f": 0.7, "ents_p": 0.3, "ents_per_type": None, "tag_acc": 0.5}
    training = {"score_weights": weights}
    choose_by_likelihood(training)
    assert weights == {
        "ents_f": 0.0,
        "ents_p": 0.0,
        "ents_per_type": None,
        "tag_acc": 0.5,
        SCORE_NAME: 1.0,
    }


def test_dev_texts_that_are_complete_for_each_type_in_part_are_scored() -> None:
    dev = make_docs(20, keep=0.5)
    labels = sorted({ent.label_ for doc in dev for ent in doc.ents})
    for i, doc in enumerate(dev):
        state_complete(doc, [labels[i % len(labels)]])
    train = make_docs(30, keep=0.5)
    assert choose_dev_data(train, dev, 0, labels).is_complete
    assert not choose_dev_data(train, dev, 0, [*labels, "NEW"]).is_complete
