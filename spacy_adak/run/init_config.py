"""Write a training config with the settings of ours that one may want to change."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jinja2 import Template
from spacy.language import Language
from spacy.util import get_lang_class
from thinc.api import Config

from ..errors import Errors
from ..pipeline.settings import DEFAULT_CONFIG
from .overrides import read_config

# The encoders, learning rates and windows of the paper.
_TRANSFORMERS = {
    "en": ("bert-base-cased", 0.0002, 256),
    "zh": ("hfl/chinese-bert-wwm", 0.0001, 180),
}
# Words of other languages may have many pieces, and a transformer reads some 512.
_OTHER_TRANSFORMER = ("bert-base-cased", 0.0002, 128)

# How long the trainings of a first look are.
QUICK_EPOCHS = 5

_TEMPLATE = Template(
    """\
# Train with:  python -m spacy adak train config.cfg --output output \\
#                  --paths.train train.spacy --paths.dev dev.spacy
# `python -m spacy train` works as well: one training, without estimating q
{%- if frozen %}. Choose
# a loss that needs none for it, and say what it has to know:
#     --components.adak_ner.loss.@losses spacy-adak.MissingLoss.v1 \\
#     --components.adak_ner.loss.annotation_recall 0.3
{%- else %}.
{%- endif %}
# Settings of ours that are not here are at their defaults: docs/configuration.md lists
# all of them, with what they mean.

[paths]
{%- if frozen %}
# A transformer on the hub, or the path of a folder.
encoder = {{ encoder | tojson }}
# A folder where several runs find what it says of texts; a run has its own if null.
rows = null
{%- endif %}
# The training data. What is not annotated has to be missing, not outside:
# `python -m spacy adak convert --unlabelled missing` writes it so.
train = null
# The development data, annotated completely. If there is none, leave it null: a part
# of the training texts is set apart. Some 50 complete texts choose models more surely,
# and tell how many entities are annotated (`python -m spacy adak sample` draws them). A
# full dev set gives scores to rely on.
dev = null
vectors = null
init_tok2vec = null

[system]
seed = 0
gpu_allocator = {{ '"pytorch"' if gpu else 'null' }}

[nlp]
lang = "{{ lang }}"
pipeline = [{{ '"transformer", ' if gpu else '' }}"adak_ner"]
batch_size = 256
disabled = []
before_creation = null
after_creation = null
after_pipeline_creation = null

[nlp.vectors]
@vectors = "spacy.Vectors.v1"

{{ tokenizer }}

[components]
{% if gpu %}
[components.transformer]
factory = "transformer"
max_batch_items = 4096

[components.transformer.set_extra_annotations]
@annotation_setters = "spacy-transformers.null_annotation_setter.v1"

[components.transformer.model]
@architectures = "spacy-transformers.TransformerModel.v3"
# A model on the hub, or the path of a folder.
name = {{ encoder | tojson }}
mixed_precision = false

[components.transformer.model.tokenizer_config]
use_fast = true

[components.transformer.model.transformer_config]

[components.transformer.model.grad_scaler_config]

[components.transformer.model.get_spans]
@span_getters = "spacy-transformers.strided_spans.v1"
window = {{ window }}
stride = {{ window * 3 // 4 }}
{% endif %}
{{ component }}

[corpora]

[corpora.train]
@readers = "spacy.Corpus.v1"
path = ${paths.train}
max_length = 0
gold_preproc = false
limit = 0
augmenter = null

[corpora.dev]
@readers = "spacy.Corpus.v1"
path = ${paths.dev}
max_length = 0
gold_preproc = false
limit = 0
augmenter = null

[training]
train_corpus = "corpora.train"
dev_corpus = "corpora.dev"
seed = ${system.seed}
gpu_allocator = ${system.gpu_allocator}
dropout = {{ dropout }}
accumulate_gradient = 1
# Each training runs this long, and its best model on dev is taken.
max_epochs = {{ max_epochs }}
max_steps = 0
patience = 0
# Dev is scored after this many steps, and ten times in a shorter training.
eval_frequency = 200
frozen_components = []
annotating_components = []
before_to_disk = null
before_update = null

[training.batcher]
@batchers = "spacy.batch_by_sequence.v1"
size = 32
get_length = null

[training.optimizer]
@optimizers = "Adam.v1"
beta1 = 0.9
beta2 = 0.999
L2_is_weight_decay = true
L2 = 0.01
eps = 1e-8
{%- if not frozen %}
learn_rate = {{ learn_rate }}
{%- endif %}
grad_clip = 1.0
{%- if gpu %}
# Averages are not kept for a transformer.
{%- endif %}
use_averages = {{ "true" if frozen else "false" }}
{%- if frozen %}

[training.optimizer.learn_rate]
@schedules = "spacy-adak.LinearDecay.v1"
initial_rate = {{ learn_rate }}
# `adak train` sets it to the steps of each training; elsewhere the rate does not fall
# if it is null.
total_steps = null
{%- endif %}

[training.logger]
@loggers = "spacy.ConsoleLogger.v1"
progress_bar = false

[training.score_weights]
ents_f = 1.0
ents_p = 0.0
ents_r = 0.0
ents_per_type = null

[initialize]
vectors = ${paths.vectors}
init_tok2vec = ${paths.init_tok2vec}
vocab_data = null
lookups = null
before_init = null
after_init = null

{{ tokenizer_data }}

[initialize.components]

[pretraining]

{{ adak }}"""
)

_COMPONENT = Template(
    """\
[components.adak_ner]
factory = "adak_ner"

{%- if frozen %}

# Learn from the annotation, and from q for the tokens that it leaves open. It counts
# half as much as what the fold models say, by the temperature in [adak.q].
[components.adak_ner.loss]
@losses = "spacy-adak.WeightedLoss.v1"
{%- else %}

# Learn from the annotation, from q for the tokens that it leaves open, and, more and
# more, from the model's own k best readings.
[components.adak_ner.loss]
@losses = "spacy-adak.AdaKLoss.v1"
k = 5
gamma = 3.0
{%- endif %}
"""
)

_ADAK = Template(
    """\
[adak]
# How many times q is estimated. The paper has 10; training stops before that once q
# has converged.
rounds = {{ 1 if quick else 10 }}
{%- if not (gpu or quick) %}
# It also stops when the dev score has not risen for so many rounds; 0 to go on, as in
# the paper.
patience = 2
{%- endif %}
# As many models are trained per round, each without one fold of the data.
folds = 2
# Where folds are trained: "serial" in this process, "joblib" in n_jobs processes on
# this machine, "ray" on a cluster.
executor = "serial"
n_jobs = 2

# The candidate mask: what q may be for an unknown token. Without this block it may be
# anything.
[adak.mask]
# Candidates on so many best readings of the best model so far; 0 for none.
kbest = 5
# Candidates from a dictionary of what fold models have found.
dictionary = true

# Sample selection: leave out texts that fold models were less sure of than this.
# Without this block all texts stay.
[adak.selection]
min_score = 0.9
""",
    keep_trailing_newline=True,
)

# What recovers most where trainings are cheap: q is estimated once, by models that have
# seen two thirds of the texts each.
_FROZEN_ADAK = """\
[adak]
# How many times q is estimated.
rounds = 1
# As many models are trained per round, each without one fold of the data.
folds = 3
# q is the mean of what all of them say.
fold_models = "all"
# Where folds are trained: "serial" in this process, "joblib" in n_jobs processes on
# this machine, "ray" on a cluster.
executor = "serial"
n_jobs = 2

# What the first fold models learn from, as there is no q yet. "forms" takes into
# account that annotators may not know some names at all.
[adak.start]
learn_from = "forms"
ratio_weight = 2.0

# q is what fold models say, not only their best reading. Above 1 the final training may
# overrule it.
[adak.q]
mode = "interpolated"
temperature = 2.0
"""

# Its sizes are here, for one may want others.
_MODEL = DEFAULT_CONFIG[DEFAULT_CONFIG.index("[adak_ner.model]") :].replace(
    "[adak_ner", "[components.adak_ner"
)

_LISTENER = """\
[components.adak_ner.model]
@architectures = "spacy-adak.CRFTagger.v1"

[components.adak_ner.model.tok2vec]
@architectures = "spacy-transformers.TransformerListener.v1"
grad_factor = 1.0
upstream = "*"

[components.adak_ner.model.tok2vec.pooling]
@layers = "reduce_mean.v1"
"""

_FROZEN = Template(
    """\
[components.adak_ner.model]
@architectures = "spacy-adak.CRFTagger.v1"

[components.adak_ner.model.tok2vec]
@architectures = "spacy.Tok2Vec.v2"

# Rows of a transformer that is not trained, beside features of the words that are.
[components.adak_ner.model.tok2vec.embed]
@layers = "concatenate.v1"

[components.adak_ner.model.tok2vec.embed.*.frozen]
@architectures = "spacy-adak.FrozenEncoder.v1"
# The mean of these layers, for instance [-3, -2, -1]. "middle" are those from a third
# to two thirds of its depth, which tell entities better than the last ones.
layers = "middle"
# Rows are kept in memory up to this limit, then on disk.
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
# They learn slowly, so that names nobody has marked are not learnt by heart as none.
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


def init_config(
    lang: str = "en",
    gpu: bool = False,
    encoder: str | None = None,
    quick: bool = False,
) -> str:
    """Make a config for `train`.

    lang (str): The code of a language. Chinese is read character by character.
    gpu (bool): Whether to fine-tune a transformer, with the paper's settings.
    encoder (Optional[str]): A transformer on the hub or the path of a folder. With a
        GPU that of the paper is taken if there is none. Without a GPU it is frozen, and
        a small network is trained on it; if there is none, one that needs no download.
    quick (bool): One round of short trainings, for a first look.
    RETURNS (str): The text of the config, comments included.
    """
    try:
        language = get_lang_class(lang)
    except ImportError as error:
        raise ValueError(Errors.A221.format(lang=lang, error=error)) from None
    frozen = encoder is not None and not gpu
    transformer, learn_rate, window = _TRANSFORMERS.get(lang, _OTHER_TRANSFORMER)
    model = _FROZEN.render(window=window) if frozen else _LISTENER if gpu else _MODEL
    return _TEMPLATE.render(
        lang=lang,
        gpu=gpu,
        frozen=frozen,
        encoder=encoder or transformer,
        window=window,
        dropout=0.2 if frozen else 0.1,
        learn_rate=learn_rate if gpu else 0.002 if frozen else 0.001,
        component=f"{_COMPONENT.render(frozen=frozen)}\n\n{model.strip()}",
        tokenizer=_section(
            language, "nlp.tokenizer", {"@tokenizers": "spacy.Tokenizer.v1"}
        ),
        tokenizer_data=_section(language, "initialize.tokenizer", {}),
        max_epochs=QUICK_EPOCHS if frozen or quick else 10,
        adak=_FROZEN_ADAK if frozen else _ADAK.render(gpu=gpu, quick=quick),
    )


def quick_settings(config: Config | str | Path) -> dict[str, Any]:
    """Settings for a first look: one round of short trainings.

    config (Config | str | Path): A config, or its path.
    RETURNS (dict[str, Any]): Overrides for it.
    """
    training = read_config(config, {}).get("training", {})
    epochs = training.get("max_epochs")
    if not isinstance(epochs, int) or not 0 < epochs < QUICK_EPOCHS:
        epochs = QUICK_EPOCHS
    return {"adak.rounds": 1, "training.max_epochs": epochs}


def _section(language: type[Language], name: str, default: dict[str, Any]) -> str:
    """A section of the config, as it has to be for a language."""
    section = language.Defaults.config
    for part in name.split("."):
        section = section.get(part, {})
    block: Config = Config()
    inner: dict[str, Any] = block
    for part in name.split("."):
        inner = inner.setdefault(part, {})
    inner.update(section or default)
    text = block.to_str()
    return text[text.index(f"[{name}]") :].strip()


def with_settings(text: str, settings: Mapping[str, str]) -> str:
    """Change settings in the text of a config, and leave its comments.

    text (str): The config.
    settings (Mapping[str, str]): New lines by those they stand for.
    RETURNS (str): The text with the new lines.
    """
    for default, setting in settings.items():
        before, found, after = text.partition(f"\n{default}\n")
        if not found:
            raise ValueError(f"The default config has no line '{default}'")
        text = f"{before}\n{setting}\n{after}"
    return text
