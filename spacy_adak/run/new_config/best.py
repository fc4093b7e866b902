"""The recipe "best": what has recovered most in our own experiments."""

from jinja2 import Template

from .encoders import Kind
from .method import Method
from .trainings import length_text, steps_text

_LOSS = """\
# Learn from the annotation, and from q for the tokens that it leaves open. It counts
# half as much as what the fold models say, by the temperature in [adak.q].
[components.adak_ner.loss]
@losses = "spacy-adak.WeightedLoss.v1"
"""

# q is estimated once, by models that have seen two thirds of the texts each.
_ADAK = Template(
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


def best_method(kind: Kind, learn_rate: float, epochs: int) -> Method:
    """Put the recipe together.

    kind (str): What reads the texts.
    learn_rate (float): The highest rate.
    epochs (int): How long each training is.
    RETURNS (Method): What the recipe says.
    """
    return Method(
        loss=_LOSS,
        length=length_text(kind, epochs, is_paper=False),
        steps=steps_text(kind, learn_rate, is_paper=False),
        adak=_ADAK.render(kind=kind),
    )
