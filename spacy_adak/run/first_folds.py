"""What the first fold models learn from, as there is no q yet."""

from pathlib import Path
from typing import NamedTuple

from ..pipeline.losses import Loss, WeightedLoss
from ..q.known_forms import Annotators
from ..tasks.estimate_likelihood import LikelihoodTask
from ..tasks.executors import Executor
from .folder import Run


class Lesson(NamedTuple):
    """What fold models learn from, in addition to the annotation.

    estimates (Path | None): The folder with q, or with what stands for it.
    loss (Loss | None): The loss, if it is not that of the config.
    has_word_features (bool): Whether they may learn something of single words.
    """

    estimates: Path | None
    loss: Loss | None = None
    has_word_features: bool = True


def first_lesson(run: Run, execute: Executor) -> Lesson:
    """Choose what the fold models of the first round learn from, by [adak.start].

    run (Run): The run.
    execute (Executor): Runs tasks.
    RETURNS (Lesson): What they learn from.
    """
    start = run.settings.start
    if start.learn_from == "outside":
        return Lesson(None)
    if start.learn_from == "ratio":
        return Lesson(None, start.ratio_loss())
    annotators = estimate_likelihood(run, execute)
    has_guesses = run.trust_path.exists()
    if start.learn_from == "guesses":
        return Lesson(run.first_q)
    if not annotators.know_all_forms():
        estimates = run.first_q if has_guesses else run.likelihood
        # A form that they do not know could be learnt by heart as O.
        return Lesson(estimates, start.ratio_loss(), has_word_features=False)
    if has_guesses:
        # The same likelihood as below, with hints of guessers.
        return Lesson(run.first_q, WeightedLoss())
    return Lesson(None, start.missing_loss())


def estimate_likelihood(run: Run, execute: Executor) -> Annotators:
    """Estimate how likely the annotation is, given any path.

    run (Run): The run.
    execute (Executor): Runs tasks.
    RETURNS (Annotators): What annotators do.
    """
    task = LikelihoodTask(
        blueprint=run.blueprint(1),
        component=run.component,
        loss=run.settings.start.missing_loss(),
        looks_at_forms=run.settings.start.learn_from == "forms",
        estimates=run.likelihood,
        guesses=run.guesses if run.trust_path.exists() else None,
        trust=run.trust_path,
        first_q=run.first_q,
        by_guesses_alone=run.settings.start.learn_from == "guesses",
    )
    execute([task])
    return task.annotators()
