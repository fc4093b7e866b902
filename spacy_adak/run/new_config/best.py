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

# What recovers most with a pretrained encoder: q is estimated once, by models that have
# seen two thirds of the texts each.
_PRETRAINED_ADAK = Template(
    """\
[adak]
# How many times q is estimated.
rounds = 1
# The number of models per round. Each is trained without one fold of the data.
folds = 3
# q is the mean of what all fold models predict.
fold_models = "all"
# Where folds are trained: "serial" in this process, "joblib" in n_jobs processes on
# this machine, "ray" on a cluster. Null chooses by the cores and memory of the machine.
executor = null
n_jobs = null

# What the first fold models learn from, because there is no q yet. "forms" takes into
# account that annotators may not know some names at all.
[adak.start]
learn_from = "forms"
ratio_weight = 2.0
{%- if kind == "trained" %}
# In these fold models the transformer is frozen and a small network is trained on top
# of it, which takes a fraction of the time.
frozen_encoder = true
{%- endif %}

# q is the distribution of the fold models, not only their best reading. With a
# temperature above 1 the final training can overrule it.
[adak.q]
mode = "interpolated"
temperature = 2.0
""",
    keep_trailing_newline=True,
)

_OWN_ADAK = Template(
    """\
[adak]
# How many times q is estimated, at most. The paper has 10. Training stops earlier if q
# has converged.
rounds = {{ 1 if quick else 10 }}
{%- if not quick %}
# It also stops if the dev score has not risen for this many rounds. 0 switches that
# off, as in the paper.
patience = 2
{%- endif %}
# The number of models per round. Each is trained without one fold of the data.
folds = 2
# Where folds are trained: "serial" in this process, "joblib" in n_jobs processes on
# this machine, "ray" on a cluster. Null chooses by the cores and memory of the machine.
executor = null
n_jobs = null

# The candidate mask: which tags q may use for an unknown token. Without this block it
# may use all.
[adak.mask]
# Candidates from this many best readings of the best model so far. 0 for none.
kbest = 5
# Candidates from a dictionary of the entities that fold models found often.
dictionary = true

# Sample selection: leave out texts that the fold models were unsure about. Without this
# block all texts stay.
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
