"""How trainings go: how long they are, in which batches, and at which rate."""

from jinja2 import Template

from .encoders import Kind

_LENGTH = Template(
    """\
{% if is_paper -%}
# Appendix C names no dropout.
{% endif -%}
dropout = {{ 0.2 if kind == "frozen" else 0.1 }}
{%- if kind == "trained" %}
# The number of parts a batch is computed in, if a GPU has little memory.
{%- endif %}
accumulate_gradient = 1
# The length of each training. Its best model on dev is used.
{%- if is_paper %}
{%- if kind == "frozen" %}
# The paper has 10, for a fine-tuned BERT (Appendix C).
{%- else %}
# 10 in Appendix C.
{%- endif %}
{%- endif %}
max_epochs = {{ epochs }}
max_steps = 0
patience = 0"""
)

_STEPS = Template(
    """\
{%- if by_padded_size %}
# Texts of similar length, as many as fit into this many word pieces with padding.
[training.batcher]
@batchers = "spacy.batch_by_padded.v1"
size = 1000
buffer = 512
discard_oversize = false

[training.batcher.get_length]
@misc = "spacy-adak.WordPieces.v1"
name = ${paths.encoder}
{%- else %}
[training.batcher]
@batchers = "spacy.batch_by_sequence.v1"
{%- if is_paper %}
# 32 in Appendix C.
{%- endif %}
size = 32
get_length = null
{%- endif %}

[training.optimizer]
{%- if is_paper %}
# Adam by Appendix C, which names none of its settings but the rate.
{%- endif %}
@optimizers = "Adam.v1"
beta1 = 0.9
beta2 = 0.999
L2_is_weight_decay = true
L2 = 0.01
eps = 1e-8
{%- if rate_is_constant %}
{%- if kind == "trained" %}
# 1e-4 for Chinese and 2e-4 for English in Appendix C, for both BERT and the CRF.
{%- else %}
# The paper's rates (Appendix C) are for a fine-tuned BERT.
{%- endif %}
learn_rate = {{ learn_rate }}
{%- endif %}
# Applied to each weight array separately: the CRF's gradient does not shrink others.
{%- if is_paper %}
# Appendix C names no clipping.
{%- endif %}
grad_clip = 1.0
{%- if kind == "trained" %}
# Averages are not kept for a transformer.
{%- endif %}
use_averages = {{ "true" if kind == "frozen" else "false" }}
{%- if not rate_is_constant %}

[training.optimizer.learn_rate]
@schedules = "spacy-adak.LinearDecay.v1"
{%- if is_paper %}
# The paper's rates (Appendix C) are for a fine-tuned BERT.
{%- endif %}
initial_rate = {{ learn_rate }}
# `adak train` sets it to the steps of each training. Elsewhere, null means that the
# rate does not fall.
total_steps = null
# The share of the steps in which the rate rises at first.
warmup = {{ warmup }}
{%- endif %}"""
)


def length_text(kind: Kind, epochs: int, *, is_paper: bool) -> str:
    """RETURNS (str): How long trainings are.

    kind (str): What reads the texts.
    epochs (int): How many epochs.
    is_paper (bool): Whether it is to be said what the paper has.
    """
    return _LENGTH.render(kind=kind, epochs=epochs, is_paper=is_paper)


def steps_text(kind: Kind, learn_rate: float, *, is_paper: bool) -> str:
    """RETURNS (str): The batches and the optimizer.

    kind (str): What reads the texts.
    learn_rate (float): The rate, or the highest.
    is_paper (bool): Whether they are the paper's where its encoder is trained.
    """
    return _STEPS.render(
        kind=kind,
        learn_rate=learn_rate,
        is_paper=is_paper,
        rate_is_constant=is_paper and kind != "frozen",
        # Only a transformer that is trained pads its texts in each step.
        by_padded_size=kind == "trained" and not is_paper,
        warmup=0.0 if kind == "frozen" else 0.1,
    ).strip()
