"""The recipe "best": what has recovered most in our own experiments."""

from jinja2 import Template

from .encoders import Kind
from .method import Method
from .trainings import length_text, steps_text

_WEIGHTED_LOSS = """\
# Learn from the annotation, and from q for the tokens that it leaves open. It counts
# half as much as what the fold models say, by the temperature in [adak.q].
[components.adak_ner.loss]
@losses = "spacy-adak.WeightedLoss.v1"
"""

_ADAK_LOSS = """\
# Learn from the annotation, from q for the tokens that it leaves open, and, more and
# more, from the model's own k best readings.
[components.adak_ner.loss]
@losses = "spacy-adak.AdaKLoss.v1"
k = 5
gamma = 3.0
"""

# What recovers most where the encoder knows a language already: q is estimated once, by
# models that have seen two thirds of the texts each.
_PRETRAINED_ADAK = Template(
    """\
[adak]
# How many times q is estimated.
rounds = 1
# As many models are trained per round, each without one fold of the data.
folds = 3
# q is the mean of what all of them say.
fold_models = "all"
# Where folds are trained: "serial" in this process, "joblib" in n_jobs processes on
# this machine, "ray" on a cluster. Null is what this machine has cores and memory for.
executor = null
n_jobs = null

# What the first fold models learn from, as there is no q yet. "forms" takes into
# account that annotators may not know some names at all.
[adak.start]
learn_from = "forms"
ratio_weight = 2.0
{%- if kind == "trained" %}
# These fold models have the transformer frozen, under a small network, which takes a
# fraction of the time.
frozen_encoder = true
{%- endif %}

# q is what fold models say, not only their best reading. Above 1 the final training may
# overrule it.
[adak.q]
mode = "interpolated"
temperature = 2.0
""",
    keep_trailing_newline=True,
)

_OWN_ADAK = Template(
    """\
[adak]
# How many times q is estimated. The paper has 10; training stops before that once q
# has converged.
rounds = {{ 1 if quick else 10 }}
{%- if not quick %}
# It also stops when the dev score has not risen for so many rounds; 0 to go on, as in
# the paper.
patience = 2
{%- endif %}
# As many models are trained per round, each without one fold of the data.
folds = 2
# Where folds are trained: "serial" in this process, "joblib" in n_jobs processes on
# this machine, "ray" on a cluster. Null is what this machine has cores and memory for.
executor = null
n_jobs = null

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


def best_method(kind: Kind, learn_rate: float, epochs: int, *, quick: bool) -> Method:
    """Put the recipe together.

    kind (str): What reads the texts.
    learn_rate (float): The highest rate.
    epochs (int): How long each training is.
    quick (bool): Whether there is only one round.
    RETURNS (Method): What the recipe says.
    """
    is_own = kind == "own"
    return Method(
        loss=_ADAK_LOSS if is_own else _WEIGHTED_LOSS,
        length=length_text(kind, epochs, is_paper=False),
        steps=steps_text(kind, learn_rate, is_paper=False),
        adak=_OWN_ADAK.render(quick=quick)
        if is_own
        else _PRETRAINED_ADAK.render(kind=kind),
    )
