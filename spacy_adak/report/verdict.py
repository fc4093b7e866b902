"""The verdict on a run in plain words: what was learnt, how sure that is, and what to
do next. Commands are in backquotes."""

from typing import NamedTuple

from ..run.folder import COMPLETED_FILE
from ..tasks.train_model import BEST_MODEL
from .dev_predictions import DevPredictions
from .entity_examples import SURE, Estimates
from .reliability import Reliability
from .run_record import RunRecord

# Below these, a number is worth a sentence of advice.
_FEW_DEV_ENTITIES = 200
_RARE_TYPE = 20
_WEAK_TYPE = 0.15
_UNBALANCED = 0.12
_BADLY_CALIBRATED = 0.05


class Verdict(NamedTuple):
    """Sentences about a run.

    learnt (str): What the model does and what was found.
    sure (str): How far that can be believed.
    advice (list[str]): What to do next, the most useful first.
    """

    learnt: str
    sure: str
    advice: list[str]


def judge(
    run: RunRecord,
    dev: DevPredictions | None,
    reliability: Reliability | None,
    estimates: Estimates | None,
) -> Verdict:
    """Judge a run in plain words.

    run (RunRecord): The run.
    dev (DevPredictions | None): What the best model finds in the dev texts.
    reliability (Reliability | None): How reliable its probabilities are.
    estimates (Estimates | None): What was estimated in the training texts.
    RETURNS (Verdict): The sentences.
    """
    return Verdict(
        _learnt(run, estimates),
        _sure(run, dev, reliability),
        [*_advice(run, reliability, estimates)] or [_NOTHING_TO_DO],
    )


_NOTHING_TO_DO = (
    "Nothing stands out. Score the model on texts that neither training nor dev has: "
    "`python -m spacy adak evaluate`."
)


def _learnt(run: RunRecord, estimates: Estimates | None) -> str:
    best = run.best
    count, texts = run.dev.entities.total(), f"the {run.dev.texts:,} dev texts"
    sentences = []
    if best.precision is not None and best.recall is not None and best.f1 is not None:
        recall, right = _of_100(best.recall), _of_100(best.precision)
        f1 = f"{100 * best.f1:.1f}"
        sentences.append(
            f"The best model finds {recall} of the {count:,} entities of {texts}, and "
            f"{right} of the entities it finds are right (F1 {f1})."
            if run.annotators is None
            else f"The best model finds {recall} of the {count:,} entities that are "
            f"annotated in {texts}. Corrected for those that nobody has marked, about "
            f"{right} of the entities it finds are right (F1 about {f1})."
        )
    else:
        sentences.append(f"The best model has a score of {best.score:.3f}.")
    if run.has_q:
        annotated = run.train.entities.total()
        found = best.estimated_entities
        sentences.append(
            f"In the {run.train.texts:,} training texts, {annotated:,} entities were "
            f"annotated, and {found:,} more were found."
        )
        if estimates is not None and found:
            sentences.append(
                f"{estimates.sure:,} of these have a probability of {SURE} or more."
            )
    if not run.is_finished:
        sentences.insert(
            0,
            f"This run is not finished: {len(run.rounds)} of at most "
            f"{run.planned_rounds} rounds are done.",
        )
    return " ".join(sentences)


def _sure(
    run: RunRecord, dev: DevPredictions | None, reliability: Reliability | None
) -> str:
    sentences = []
    if dev is not None:
        low, high = 100 * dev.f1.low, 100 * dev.f1.high
        of = "" if dev.texts == dev.of_texts else f" (from {dev.texts:,} of them)"
        sentences.append(
            f"With other dev texts of the same kind, F1 would lie between {low:.1f} "
            f"and {high:.1f} in 95 of 100 cases{of}."
        )
    if run.annotators is not None:
        sentences.append(
            "The dev data is annotated incompletely, so this assumes that annotators "
            f"forget at random. {run.annotators.description}."
        )
    elif run.dev.texts:
        sentences.append("This assumes that the dev data is annotated completely.")
    if run.dev.texts:
        sentences.append(
            "The best model was chosen by the dev data, and probabilities are "
            "calibrated on it, so other texts may be a little harder."
        )
    if reliability is not None:
        error = reliability.expected_calibration_error
        sentences.append(
            f"Probabilities are off by {100 * error:.0f} percentage points on average "
            f"({reliability.size:,} entities)."
        )
        high_bin = reliability.bins[-1]
        if high_bin.mean_probability > SURE:
            sentences.append(
                f"Entities said to be {100 * high_bin.mean_probability:.0f} % sure are "
                f"right {100 * high_bin.right.value:.0f} times in 100."
            )
    return " ".join(sentences)


def _advice(
    run: RunRecord, reliability: Reliability | None, estimates: Estimates | None
) -> list[str]:
    return [
        sentence
        for sentence in (
            _about_rounds(run),
            _about_review(run, estimates),
            _about_balance(run),
            _about_types(run),
            _about_reliability(reliability),
            _about_dev(run),
        )
        if sentence
    ]


def _about_rounds(run: RunRecord) -> str:
    if not run.has_q:
        return ""
    last, best = run.rounds[-1], run.best
    if not run.is_finished:
        return "Go on with the run: give the same command with `--resume`."
    if best is not last and len(run.rounds) > 2:
        return (
            f"Round {best.round} of {last.round} was the best: more rounds are not "
            "likely to help."
        )
    converged = last.round > 1 and last.changed < run.convergence
    if best is last and not converged and last.round > 1:
        return (
            f"The last round was the best, and {100 * last.changed:.1f} % of the "
            f"unknown tokens still changed in it: go on with more rounds (`--resume "
            f"--adak.rounds {2 * last.round}`)."
        )
    return ""


def _about_review(run: RunRecord, estimates: Estimates | None) -> str:
    if estimates is None or not estimates.doubtful:
        return ""
    return (
        f"{estimates.doubtful:,} of the entities found are doubtful. To decide the "
        "most frequent ones takes minutes, and helps where names are never marked: "
        f"`python -m spacy adak suggest {run.folder / BEST_MODEL} "
        f"{run.folder / COMPLETED_FILE} suggestions.jsonl`, then `adak review`, then "
        "`adak merge`, and train again."
    )


def _about_balance(run: RunRecord) -> str:
    precision, recall = run.best.precision, run.best.recall
    # A precision that is corrected is too rough for that.
    if precision is None or recall is None or run.annotators is not None:
        return ""
    if precision - recall > _UNBALANCED:
        other = "."
        if run.start == "outside":
            other = ", or try `--adak.start.learn_from forms`."
        return (
            "The model misses more than it invents. Names that annotators always skip "
            "are easily learnt as no entity: mark some of them in the training texts"
            f"{other}"
        )
    if recall - precision > _UNBALANCED:
        return (
            "The model invents more than it misses. State more of what is no entity: "
            "reject suggestions, or annotate some training texts completely."
        )
    return ""


def _about_types(run: RunRecord) -> str:
    weak = [
        (scores["f"], label)
        for label, scores in run.best.dev_per_type.items()
        if run.annotators is None
        and run.dev.entities[label] >= _RARE_TYPE
        and scores["f"] < (run.best.f1 or 0.0) - _WEAK_TYPE
    ]
    rare = [
        label
        for label in run.labels
        if 0 < run.train.entities[label] < _RARE_TYPE
        and run.train.entities.total() > 10 * _RARE_TYPE
    ]
    sentences = []
    if weak:
        f1, label = min(weak)
        sentences.append(
            f"{label} is the weakest type (F1 {100 * f1:.0f}): look at its examples, "
            "and annotate more of it."
        )
    if rare:
        verb = "is" if len(rare) == 1 else "are"
        sentences.append(
            f"{_listed(rare)} {verb} annotated less than {_RARE_TYPE} times in the "
            "training texts, too rarely to learn much."
        )
    return " ".join(sentences)


def _about_reliability(reliability: Reliability | None) -> str:
    if reliability is None:
        return ""
    if reliability.expected_calibration_error < _BADLY_CALIBRATED:
        return ""
    return (
        "Take probabilities as a ranking, not at their word: choose a threshold by the "
        "reliability diagram of the report."
    )


def _about_dev(run: RunRecord) -> str:
    if run.annotators is not None:
        return (
            "Scores on dev are rough. Some 50 texts with all of their entities "
            "annotated choose models more reliably and tell how good they are: "
            "`python -m spacy adak sample` draws them."
        )
    if not run.dev.texts or run.dev.entities.total() >= _FEW_DEV_ENTITIES:
        return ""
    return (
        f"The dev texts have {run.dev.entities.total():,} entities, too few to tell "
        "models apart that differ by a few points: annotate more of them."
    )


def _of_100(share: float) -> str:
    return f"{100 * share:.0f} %"


def _listed(names: list[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
