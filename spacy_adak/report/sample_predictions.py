"""Draw predictions to be judged, to estimate the precision of all of them.

They are drawn at random from each type and range of probability, more where more of
them may be wrong, and each keeps how many it stands for. What the annotation decides is
not asked about.
"""

import random
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from spacy.tokens import Doc

from ..atomic import write_bytes
from ..data.files import to_jsonl
from ..data.outputs import refuse_to_overwrite_inputs
from ..errors import Errors
from ..pipeline.load import load_pipeline
from .predictions import Prediction, predict, predictions_in, spans_key

# As many are drawn from each stratum, if there are not too many: fewer say nothing.
_FEWEST_PER_STRATUM = 5
# The share of wrong predictions that is expected where a pipeline is sure, or says
# nothing.
_LEAST_DOUBT = 0.1


class DrawnPredictions(NamedTuple):
    """The result of drawing predictions.

    drawn (int): How many were drawn.
    predictions (int): How many entities the pipeline finds.
    known (int): Of how many of them the annotation says whether they are right.
    strata (int): From how many strata the others were drawn.
    """

    drawn: int
    predictions: int
    known: int
    strata: int


def sample_predictions(
    model: str | Path, data_path: Path, output: Path, n: int, *, seed: int = 0
) -> DrawnPredictions:
    """Write predictions of a pipeline for `adak review`, drawn at random.

    model (str | Path): The name or path of the pipeline.
    data_path (Path): A `.spacy` file, or a directory of them.
    output (Path): The file to write.
    n (int): How many to draw. There are more if there are many strata.
    seed (int): Of the draw.
    RETURNS (DrawnPredictions): How many there are.
    """
    refuse_to_overwrite_inputs(output, data_path)
    nlp = load_pipeline(model)
    examples = predict(nlp, Path(data_path))
    predictions = predictions_in(examples, spans_key(nlp))
    unknown = [p for p in predictions if p.is_right is None]
    if not unknown:
        raise ValueError(Errors.A412.format(path=data_path))
    strata = by_stratum(unknown)
    golds = [example.reference for example in examples]
    drawn = draw_predictions(strata, n, seed)
    records = [_to_record(golds, prediction, mark) for prediction, mark in drawn]
    write_bytes(Path(output), to_jsonl(records).encode())
    known = len(predictions) - len(unknown)
    return DrawnPredictions(len(drawn), len(predictions), known, len(strata))


def by_stratum(predictions: Sequence[Prediction]) -> dict[str, list[Prediction]]:
    """RETURNS (dict[str, list[Prediction]]): Predictions by type and probability."""
    strata: dict[str, list[Prediction]] = defaultdict(list)
    for prediction in predictions:
        strata[prediction.stratum].append(prediction)
    return dict(sorted(strata.items()))


def draw_predictions(
    strata: dict[str, list[Prediction]], n: int, seed: int
) -> list[tuple[Prediction, dict[str, Any]]]:
    """Draw predictions at random.

    strata (dict[str, list[Prediction]]): What to draw from.
    n (int): How many to draw.
    seed (int): Of the draw.
    RETURNS (list[tuple[Prediction, dict]]): What was drawn, in an order by chance, with
        its stratum, how many that has, and the weight. No place is there twice.
    """
    rng = random.Random(seed)
    fewest = max(1, min(_FEWEST_PER_STRATUM, n // len(strata)))
    drawn = []
    for name, members in strata.items():
        places = list({prediction.where: prediction for prediction in members}.values())
        count = min(len(places), max(fewest, _share(strata, name, n)))
        for prediction in rng.sample(places, count):
            weight = round(len(members) / count, 4)
            mark = {"stratum": name, "size": len(members), "weight": weight}
            drawn.append((prediction, mark))
    rng.shuffle(drawn)
    return drawn


def _share(strata: dict[str, list[Prediction]], name: str, n: int) -> int:
    """How many of n predictions are drawn from a stratum: in proportion to its size
    times the deviation that is expected of whether they are right (Neyman)."""
    spread = {key: _spread(members) for key, members in strata.items()}
    return round(n * spread[name] / sum(spread.values()))


def _spread(members: Sequence[Prediction]) -> float:
    expected = sum(1.0 if m.score is None else m.score for m in members) / len(members)
    wrong = min(max(1 - expected, _LEAST_DOUBT), 1 - _LEAST_DOUBT)
    return len(members) * (wrong * (1 - wrong)) ** 0.5


def _to_record(
    golds: Sequence[Doc], prediction: Prediction, mark: dict[str, Any]
) -> dict[str, Any]:
    text, start, end, label = prediction.where
    annotated = [
        {"start": ent.start_char, "end": ent.end_char, "label": ent.label_}
        for ent in golds[prediction.text].ents
        if ent.label_
    ]
    return {
        "text": text,
        "line": prediction.text,
        "start": start,
        "end": end,
        "label": label,
        "form": text[start:end],
        "kind": "missed",
        "score": 1.0 if prediction.score is None else round(prediction.score, 4),
        "annotated": annotated,
        "draw": mark,
    }
