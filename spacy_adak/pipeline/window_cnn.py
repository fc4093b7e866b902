"""A window CNN for `spacy.Tok2Vec.v2`, over rows of any width."""

from spacy.ml.models.tok2vec import MaxoutWindowEncoder
from spacy.util import registry
from thinc.api import Dropout, Maxout, Model, chain, with_array
from thinc.types import Floats2d


@registry.architectures("spacy-adak.WindowCNNEncoder.v1")
def build_window_cnn_encoder(
    width: int, depth: int, window_size: int, maxout_pieces: int
) -> Model[list[Floats2d], list[Floats2d]]:
    """Bring rows to a width, and encode context with spaCy's own CNN over windows.

    width (int): The width of the output.
    depth (int): The number of convolutions.
    window_size (int): How many tokens on each side a convolution sees.
    maxout_pieces (int): The number of maxout pieces.
    RETURNS (Model[List[Floats2d], List[Floats2d]]): The model.
    """
    narrow: Model[Floats2d, Floats2d] = chain(
        Dropout(), Maxout(nO=width, nP=maxout_pieces, normalize=True)
    )
    cnn = MaxoutWindowEncoder(
        width=width, window_size=window_size, maxout_pieces=maxout_pieces, depth=depth
    )
    model: Model[list[Floats2d], list[Floats2d]] = chain(with_array(narrow), cnn)
    model.set_dim("nO", width)
    return model
