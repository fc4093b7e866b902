from pathlib import Path

import spacy
from spacy.training import Example
from spacy.util import registry
from transformers import AutoTokenizer


def test_length_is_that_of_what_the_transformer_reads(tiny_bert: Path) -> None:
    create = registry.misc.get("spacy-adak.WordPieces.v1")
    get_length = create(name=str(tiny_bert))
    tokenizer = AutoTokenizer.from_pretrained(tiny_bert)
    doc = spacy.blank("en")("Aachen 19961105 is a name")
    example = Example(doc, doc.copy())
    assert get_length(example) == len(tokenizer(doc.text)["input_ids"])
    assert get_length(example) > len(doc)
