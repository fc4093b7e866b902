"""Trained word embeddings to use together with a frozen encoder."""

from collections.abc import Callable
from typing import Any

from spacy.ml.featureextractor import FeatureExtractor
from spacy.tokens import Doc
from spacy.util import registry
from thinc.api import HashEmbed, Model, add, chain, list2ragged, ragged2list, with_array
from thinc.types import Floats2d

from ..errors import Errors

_NAME = "word_features"
_SCALE = "scale"
# How many rows of its table `HashEmbed` adds up for a word.
_ROWS_PER_WORD = 4


@registry.architectures("spacy-adak.WordFeatures.v1")
def build_word_features(
    width: int, attrs: list[int | str], rows: list[int]
) -> Model[list[Doc], list[Floats2d]]:
    """The mean of all embeddings of a word's attributes.

    It starts near zero and changes slowly. The output of `spacy.MultiHashEmbed.v2` is
    as large as that of the encoder from the first step on and, as a sum of many rows,
    changes fast. A network on top of it memorises words and generalises less to others.

    width (int): The width of the embeddings.
    attrs (List[Union[int, str]]): The attributes, for instance ["NORM", "SHAPE"].
    rows (List[int]): How many rows the table of each attribute has. If there are fewer
        rows than words, words share rows.
    RETURNS (Model[List[Doc], List[Floats2d]]): The model.
    """
    if not attrs or len(attrs) != len(rows):
        raise ValueError(Errors.A132.format(attrs=attrs, rows=rows))
    tables: list[Model[Any, Any]] = [
        HashEmbed(width, n_rows, column=column, seed=column)
        for column, n_rows in enumerate(rows)
    ]
    added = add(*tables) if len(tables) > 1 else tables[0]
    embed: Model[list[Doc], list[Floats2d]] = chain(
        FeatureExtractor(attrs), list2ragged(), with_array(added), ragged2list()
    )
    return Model(
        _NAME,
        _forward,
        init=_init,
        layers=[embed],
        dims={"nO": width},
        attrs={_SCALE: 1 / (_ROWS_PER_WORD * len(tables))},
    )


def silence_word_features(model: Model) -> None:
    """Switch off the trained word features of a model: it then knows only what the
    encoder says about a word, and can't memorise single words.

    model (Model): The model, with or without such features.
    """
    for node in model.walk():
        if node.name == _NAME:
            node.attrs[_SCALE] = 0.0


def _init(model: Model, X: list[Doc] | None = None, Y: Any = None) -> None:
    model.layers[0].initialize(X=X)


def _forward(
    model: Model[list[Doc], list[Floats2d]], docs: list[Doc], is_train: bool
) -> tuple[list[Floats2d], Callable[[list[Floats2d]], list[Doc]]]:
    scale, width = model.attrs[_SCALE], model.get_dim("nO")
    if not scale:
        return [model.ops.alloc2f(len(doc), width) for doc in docs], lambda d_rows: docs
    rows, backprop_rows = model.layers[0](docs, is_train)

    def backprop(d_rows: list[Floats2d]) -> list[Doc]:
        return backprop_rows([scale * d_row for d_row in d_rows])

    return [scale * row for row in rows], backprop
