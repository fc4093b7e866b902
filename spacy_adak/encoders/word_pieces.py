"""How long texts are to a transformer, so that batches can be made of similar ones."""

from collections.abc import Callable
from functools import cache

from spacy.training import Example
from spacy.util import registry


@registry.misc("spacy-adak.WordPieces.v1")
def create_word_pieces(name: str) -> Callable[[Example], int]:
    """The `get_length` of a batcher: how many word pieces a text has. Texts with the
    same number of words can differ several times in word pieces, which are what is
    padded.

    name (str): The transformer, on the hub or in a folder.
    RETURNS (Callable[[Example], int]): Counts the pieces of the text of an example.
    """
    # Not before it is needed: it takes seconds.
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(name)

    # The same texts come again in each epoch.
    @cache
    def count_pieces(text: str) -> int:
        return len(tokenizer(text, verbose=False)["input_ids"])

    def get_length(example: Example) -> int:
        return count_pieces(example.predicted.text)

    return get_length
