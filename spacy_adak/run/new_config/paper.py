"""The recipe "paper": AdaK-NER with the paper's settings, each with its source."""

from jinja2 import Template

from .encoders import Kind
from .method import Method
from .trainings import length_text, steps_text

# Eq. 4 to 7 are in Section 2; Section 2.3 is on annealing, 2.4 on selection.
_LOSS = """\
# AdaK-NER: equations, sections and Algorithm 1 are those of Ruan, Zheng and Hu (2022).
[components.adak_ner.loss]
# Eq. 7: q within the candidate mask, and the K best paths.
@losses = "spacy-adak.AdaKLoss.v1"
# K of the K-best loss, Eq. 5: 5 in Appendix C.
k = 5
# How late the K-best loss takes over: the annealing of Section 2.3, 3 in Appendix C.
gamma = 3.0
"""

_ADAK = Template(
    """\
# Algorithm 1.
[adak]
{%- if quick %}
# N, how many times q is estimated: 10 in Section 3.2, once for a first look.
{%- else %}
# N, how many times q is estimated: 10 in Section 3.2.
{%- endif %}
rounds = {{ 1 if quick else 10 }}
# Section 2.2 iterates until q converges, but does not define that. Here q has converged
# if fewer than this share of the unknown tokens changed their tag.
convergence = 0.002
# Algorithm 1 does not stop if the dev score no longer rises.
patience = 0
# k, the folds of Section 2.2: 2 in Section 3.2.
folds = 2
# Eq. 6: q comes from the model w_i that has not seen the text.
fold_models = "unseen"
# Where folds are trained: "serial" in this process, "joblib" in n_jobs processes on
# this machine, "ray" on a cluster. Null chooses by the cores and memory of the machine.
executor = null
n_jobs = null

[adak.start]
# q starts with O for all unknown tokens (Section 3.2).
learn_from = "outside"

[adak.q]
# The limit T = 0 of Eq. 6 (Appendix C).
mode = "hard"

# The candidate mask of Section 2.2, S in Eq. 7.
[adak.mask]
# K of the K-best candidates, Section 2.2: the same as in the loss.
kbest = 5
# The self-built candidates, Section 2.2: H in Algorithm 1.
dictionary = true
# c of Algorithm 1. The paper gives no value.
dictionary_count = 2

# The iterative sample selection of Section 2.4.
[adak.selection]
# s of Algorithm 1. The paper gives no value.
min_score = 0.9
# The score of Section 2.4 is the probability of a whole text, which falls with its
# length. Because s is not given, the mean per token is the safer choice.
per_token = true
""",
    keep_trailing_newline=True,
)


def paper_method(kind: Kind, learn_rate: float, epochs: int, *, quick: bool) -> Method:
    """Put the recipe together.

    kind (str): What reads the texts.
    learn_rate (float): The rate; over a frozen encoder, the highest.
    epochs (int): How long each training is.
    quick (bool): Whether there is only one round.
    RETURNS (Method): What the recipe says.
    """
    return Method(
        loss=_LOSS,
        length=length_text(kind, epochs, is_paper=True),
        steps=steps_text(kind, learn_rate, is_paper=True),
        adak=_ADAK.render(quick=quick),
    )
