"""What all configs have in common, with places for what they differ in."""

from jinja2 import Template

SKELETON = Template(
    """\
# Train with:  python -m spacy adak train config.cfg --output output \\
#                  --paths.train train.spacy --paths.dev dev.spacy
# `python -m spacy train` works as well: one training, without estimating q
{%- if loss_needs_q %}. For
# that, choose a loss that does not use q:
#     --components.adak_ner.loss.@losses spacy-adak.MissingLoss.v1 \\
#     --components.adak_ner.loss.annotation_recall 0.3
{%- else %}.
{%- endif %}
# Settings of spacy-adak that are not here have their defaults. docs/configuration.md
# explains all of them.

[paths]
{%- if kind != "own" %}
# A transformer on the hub, or the path of a folder.
{%- if is_paper %}
# The paper has BERT, cased for English, with masks of whole words for Chinese, by
# Appendix C.
{%- endif %}
encoder = {{ encoder | tojson }}
{%- endif %}
{%- if kind == "frozen" or "frozen_encoder" in adak %}
# A folder in which several runs share its vectors. If null, each run has its own.
rows = null
{%- endif %}
# The training data. Unannotated tokens must be missing, not outside:
# `python -m spacy adak convert --unlabelled missing` writes such data.
train = null
# The development data, annotated completely. If you have none, leave it null: a part of
# the training texts is then held out. Some 50 complete texts choose models more
# reliably and show how many entities are annotated (`python -m spacy adak sample` draws
# them). A full dev set gives reliable scores.
dev = null
vectors = null
init_tok2vec = null

[system]
seed = 0
gpu_allocator = {{ '"pytorch"' if kind == "trained" else 'null' }}

[nlp]
lang = "{{ lang }}"
pipeline = [{{ '"transformer", ' if kind == "trained" else '' }}"adak_ner"]
batch_size = 256
disabled = []
before_creation = null
after_creation = null
after_pipeline_creation = null

[nlp.vectors]
@vectors = "spacy.Vectors.v1"

{{ tokenizer }}

[components]
{% if transformer %}
{{ transformer }}
{% endif %}
[components.adak_ner]
factory = "adak_ner"
{%- if is_paper %}
# Section 1 names BIO and BIOES, which is BILUO here, and not which of them is used.
scheme = "BILUO"
{%- endif %}

{{ loss }}
{{ model }}

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
{{ length }}
# Dev is scored after this many steps, and at least ten times in each training.
eval_frequency = 200
frozen_components = []
annotating_components = []
before_to_disk = null
before_update = null

{{ steps }}

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
