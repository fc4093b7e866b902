import random

import spacy
from spacy.tokens import Doc, Span, SpanGroup
from spacy.training import Example

from spacy_adak.report.gold_recall import estimate_gold_recall
from tests.recall.texts import keep, make_text


def find(doc: Doc, rng: random.Random) -> Doc:
    """What a fair pipeline finds: most entities with a high probability, and other
    words with a lower one."""
    found = Doc(doc.vocab, words=[token.text for token in doc])
    spans, scores = [], []
    entities = {ent.start: ent.label_ for ent in doc.ents}
    for i in range(len(doc)):
        if i in entities and rng.random() < 0.9:
            spans.append(Span(found, i, i + 1, label=entities[i]))
            scores.append(rng.betavariate(9, 1))
        elif rng.random() < 0.03:
            spans.append(Span(found, i, i + 1, label="A"))
            scores.append(rng.betavariate(3, 3))
    found.set_ents(spans)
    group = SpanGroup(found, name="adak_ner", spans=spans, attrs={"scores": scores})
    found.spans["adak_ner"] = group
    return found


def make_examples(count: int, recall: float, complete: int = 0) -> list[Example]:
    rng = random.Random(0)
    examples = []
    for i in range(count + complete):
        doc = make_text(rng)
        gold = doc if i >= count else keep(doc, rng, recall)
        examples.append(Example(find(doc, rng), gold))
    return examples


def test_given_recall_is_taken() -> None:
    found = estimate_gold_recall(make_examples(5, 0.5), "adak_ner", given=0.3)
    assert found is not None
    assert tuple(found.recall) == (0.3, 0.3, 0.3)
    assert "--annotation-recall" in found.describe()


def test_what_a_pipeline_is_sure_of_tells_the_recall() -> None:
    found = estimate_gold_recall(make_examples(1500, 0.4), "adak_ner")
    assert found is not None
    assert abs(found.recall.value - 0.4) < 0.05
    assert found.used[0].method == "held-out texts"


def test_complete_texts_among_the_others_are_believed_first() -> None:
    found = estimate_gold_recall(make_examples(800, 0.4, complete=200), "adak_ner")
    assert found is not None
    assert found.used[0].method == "complete texts"
    assert found.recall.low <= 0.4 <= found.recall.high


def test_pipeline_without_probabilities_on_few_texts_tells_nothing() -> None:
    examples = make_examples(5, 0.5)
    assert estimate_gold_recall(examples, None) is None
    rng = random.Random(0)
    nlp = spacy.blank("xx")
    bare = [Example(nlp(eg.text), keep(eg.reference, rng, 1.0)) for eg in examples]
    assert estimate_gold_recall(bare, "adak_ner") is None
