"""The encoder of a new config: a small network, a frozen transformer, or a trained one.

Each is a model for the component. A transformer that is trained is a separate component
before it.
"""

from typing import Literal, NamedTuple

from jinja2 import Template

from ...pipeline.settings import DEFAULT_CONFIG

Kind = Literal["own", "frozen", "trained"]


class Transformer(NamedTuple):
    """A transformer of the paper.

    name (str): On the hub.
    learn_rate (float): The rate it is trained with.
    window (int): How many tokens it reads at once.
    """

    name: str
    learn_rate: float
    window: int


_TRANSFORMERS = {
    "en": Transformer("bert-base-cased", 0.0002, 256),
    "zh": Transformer("hfl/chinese-bert-wwm", 0.0001, 180),
}
# Words of other languages may have many pieces, and a transformer reads about 512.
_OTHER_TRANSFORMER = Transformer("bert-base-cased", 0.0002, 128)

# Its sizes are written out, because users may want to change them.
_OWN = DEFAULT_CONFIG[DEFAULT_CONFIG.index("[adak_ner.model]") :].replace(
    "[adak_ner", "[components.adak_ner"
)

_TRANSFORMER = Template(
    """\
[components.transformer]
factory = "transformer"
max_batch_items = 4096

[components.transformer.set_extra_annotations]
@annotation_setters = "spacy-transformers.null_annotation_setter.v1"

[components.transformer.model]
@architectures = "spacy-transformers.TransformerModel.v3"
name = ${paths.encoder}
# If true, a GPU computes in float16 where that is safe: faster, with less memory.
mixed_precision = false

[components.transformer.model.tokenizer_config]
use_fast = true

[components.transformer.model.transformer_config]
# If true, layers are recomputed in the backward pass: slower, with far less memory.
gradient_checkpointing = false

[components.transformer.model.grad_scaler_config]

[components.transformer.model.get_spans]
@span_getters = "spacy-transformers.strided_spans.v1"
{%- if is_paper %}
# The longest sequence (Appendix C). Longer texts are read in parts.
{%- endif %}
window = {{ window }}
stride = {{ window * 3 // 4 }}"""
)

_LISTENER = Template(
    """\
[components.adak_ner.model]
@architectures = "spacy-adak.CRFTagger.v1"
{%- if is_paper %}
# All parameters have the same rate (Appendix C).
learn_rate_factor = 1.0
{%- else %}
# The CRF starts at zero and has to learn faster than the transformer: with this
# multiple of its rate.
learn_rate_factor = 20.0
{%- endif %}

[components.adak_ner.model.tok2vec]
@architectures = "spacy-transformers.TransformerListener.v1"
grad_factor = 1.0
upstream = "*"

[components.adak_ner.model.tok2vec.pooling]
@layers = "reduce_mean.v1"
"""
)

_FROZEN = Template(
    """\
[components.adak_ner.model]
@architectures = "spacy-adak.CRFTagger.v1"

[components.adak_ner.model.tok2vec]
@architectures = "spacy.Tok2Vec.v2"

# Vectors of a frozen transformer, together with trained features of the words.
[components.adak_ner.model.tok2vec.embed]
@layers = "concatenate.v1"

[components.adak_ner.model.tok2vec.embed.*.frozen]
@architectures = "spacy-adak.FrozenEncoder.v1"
# The mean of these layers, for instance [-3, -2, -1]. "middle" are those from a third
# to two thirds of the depth, which recognise entities better than the last ones.
layers = "middle"
# Vectors are kept in memory up to this limit, then on disk.
memory_limit_mb = 1024
shared = ${paths.rows}

[components.adak_ner.model.tok2vec.embed.*.frozen.encoder]
@architectures = "spacy-transformers.TransformerModel.v3"
name = ${paths.encoder}
mixed_precision = false

[components.adak_ner.model.tok2vec.embed.*.frozen.encoder.tokenizer_config]
use_fast = true

[components.adak_ner.model.tok2vec.embed.*.frozen.encoder.transformer_config]

[components.adak_ner.model.tok2vec.embed.*.frozen.encoder.grad_scaler_config]

[components.adak_ner.model.tok2vec.embed.*.frozen.encoder.get_spans]
@span_getters = "spacy-transformers.strided_spans.v1"
window = {{ window }}
stride = {{ window * 3 // 4 }}

[components.adak_ner.model.tok2vec.embed.*.trained]
@architectures = "spacy-adak.WordFeatures.v1"
# They learn slowly, so that the model does not memorise unmarked names as O.
width = 64
attrs = ["NORM", "PREFIX", "SUFFIX", "SHAPE"]
rows = [5000, 1000, 2500, 2500]

[components.adak_ner.model.tok2vec.encode]
@architectures = "spacy-adak.WindowCNNEncoder.v1"
width = 128
depth = 2
window_size = 1
"""
)


def transformer_of(lang: str) -> Transformer:
    """RETURNS (Transformer): That of the paper for a language.

    lang (str): The code of the language.
    """
    return _TRANSFORMERS.get(lang, _OTHER_TRANSFORMER)


def transformer_text(window: int, *, is_paper: bool) -> str:
    """RETURNS (str): The component with a transformer that is trained.

    window (int): How many tokens it reads at once.
    is_paper (bool): Whether it is trained as in the paper.
    """
    return _TRANSFORMER.render(window=window, is_paper=is_paper)


def model_text(kind: Kind, window: int, *, is_paper: bool) -> str:
    """RETURNS (str): The model of the component.

    kind (str): What reads the texts.
    window (int): How many tokens a frozen transformer reads at once.
    is_paper (bool): Whether it is trained as in the paper.
    """
    if kind == "own":
        return _OWN.strip()
    if kind == "frozen":
        return _FROZEN.render(window=window).strip()
    return _LISTENER.render(is_paper=is_paper).strip()
