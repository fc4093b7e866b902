"""Say which entities annotators have missed, and which annotations a model doubts.

The data is read twice: once for what the model says, which goes to a temporary file,
and once for how often each form that was suggested comes up at all. So no more than one
file of data and the counts are in memory, however many texts there are.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import torch
from spacy.cli._util import setup_gpu
from spacy.language import Language
from spacy.tokens import Doc, Span
from tqdm import tqdm

from ..atomic import write_file
from ..crf.tags import LabelledSpan
from ..data.convert import read_annotations
from ..data.origins import (
    ESTIMATED_KEY,
    INCORRECT_SPANS_KEY,
    has_candidates,
    set_scored_spans,
    without_estimates,
)
from ..data.outputs import refuse_to_overwrite_inputs
from ..data.spans_jsonl import to_dict
from ..data.suggestions import Kind
from ..data.summary import Summary
from ..data.writers import Writing
from ..errors import Errors
from ..pipeline.load import load_pipeline
from .export import choose_target, export
from .form_counts import (
    FormCounts,
    Group,
    RankedForm,
    count_occurrences,
    count_suggested,
    group_of,
)
from .suggester import SUGGESTER, suggestions_on


@dataclass
class Suggestions:
    """What was suggested.

    problems (Summary): What in the data could not be read as it stands.
    documents (int): How many texts were read.
    by_fold_models (int): In how many of them fold models were asked, see `suggest`.
    found (Counter[Kind]): How many suggestions there are of each kind.
    forms (list[RankedForm]): All forms, what is worth most first.
    """

    problems: Summary
    documents: int = 0
    by_fold_models: int = 0
    found: Counter[Kind] = field(default_factory=Counter)
    forms: list[RankedForm] = field(default_factory=list)


def suggest(
    model: str | Path | Language,
    data_path: Path,
    output_path: Path,
    *,
    to: str | None = None,
    threshold: float = 0.1,
    doubt: float = 0.05,
    k: int = 5,
    n_process: int = 1,
    batch_size: int | None = None,
    use_gpu: int = -1,
    converter: str | None = None,
    unlabelled: str | None = None,
    text_key: str = "text",
    incorrect_spans_key: str = INCORRECT_SPANS_KEY,
    silent: bool = True,
) -> Suggestions:
    """Write suggestions: entities that nobody annotated, and doubtful annotations.

    A pipeline is overconfident on texts it was trained on, because it has learnt the
    estimates for them. The train-completed.spacy of `adak train` has the probabilities
    of the fold models, which are used instead.

    model (str | Path | Language): A pipeline with an `adak_ner` component.
    data_path (Path): The texts with their annotation, in any format of `convert`.
    output_path (Path): The file to write.
    to (str | None): Its format: "suggestions", "spans", "prodigy", "doccano",
        "label-studio" or "spacy". None detects it from the suffix, and is "suggestions"
        for `.jsonl`.
    threshold (float): The lowest probability of an entity that is suggested.
    doubt (float): The highest probability of an annotated entity that is doubtful.
    k (int): How many of the best readings of a sentence to search for alternatives.
    n_process (int): How many processes.
    batch_size (int | None): Texts per batch. None is the batch size of the pipeline.
    use_gpu (int): The id of a GPU, or -1.
    converter (str | None): The format of the data. None detects it.
    unlabelled (str | None): What an unlabelled token is, for data that does not state
        it.
    text_key (str): The key of the text in JSON and JSONL records.
    incorrect_spans_key (str): The key of `Doc.spans` for ruled-out spans.
    silent (bool): Show no progress.
    RETURNS (Suggestions): What was suggested.
    """
    output_path = Path(output_path)
    target = choose_target(to, output_path)
    for setting, value in (("threshold", threshold), ("doubt", doubt)):
        if not 0 <= value <= 1 or (setting == "threshold" and not value):
            raise ValueError(Errors.A450.format(setting=setting, value=value))
    refuse_to_overwrite_inputs(output_path, data_path)
    if isinstance(model, Language):
        nlp = model
    else:
        setup_gpu(use_gpu, silent=True)
        nlp = load_pipeline(model)
    problems = Summary()

    def read(summary: Summary) -> Iterator[Doc]:
        docs = read_annotations(
            Path(data_path),
            nlp,
            summary,
            converter=converter,
            unlabelled=unlabelled,
            text_key=text_key,
            incorrect_spans_key=incorrect_spans_key,
        )
        return map(without_estimates, docs)

    settings = {
        "threshold": threshold,
        "doubt": doubt,
        "k": k,
        "incorrect_spans_key": incorrect_spans_key,
    }
    forms: dict[Group, FormCounts] = defaultdict(FormCounts)
    result = Suggestions(problems=problems)
    with TemporaryFile("w+", encoding="utf8") as spool:
        with tqdm(desc="texts", unit=" texts", disable=silent or None) as progress:
            for doc in _suggest(nlp, read(problems), settings, n_process, batch_size):
                result.by_fold_models += has_candidates(doc)
                records = _to_records(doc, result.documents)
                count_suggested(records, forms)
                spool.write(json.dumps(records) + "\n")
                result.documents += 1
                progress.update()
        if not result.documents:
            raise ValueError(Errors.A451.format(path=data_path))
        count_occurrences(read(Summary()), forms, incorrect_spans_key)
        for (form, label, kind), counts in forms.items():
            result.found[kind] += counts.found
            result.forms.append(RankedForm(form, label, kind, counts))
        result.forms.sort(key=lambda ranked: (-ranked.value, ranked[:3]))
        spool.seek(0)
        records_of_texts = (json.loads(line) for line in spool)
        output_path.parent.mkdir(parents=True, exist_ok=True)
        if target == "suggestions":
            lines = _complete(records_of_texts, forms)
            write_file(output_path, lambda beside: _write_lines(beside, lines))
        else:
            docs = _with_estimates(read(Summary()), records_of_texts)
            writing = Writing("BIO", text_key, incorrect_spans_key)
            format_ = target
            write_file(
                output_path, lambda beside: export(docs, beside, format_, writing)
            )
    return result


def find_recognizer(nlp: Language) -> str:
    """RETURNS (str): The name of the `adak_ner` component of a pipeline."""
    names = [
        name for name in nlp.pipe_names if nlp.get_pipe_meta(name).factory == "adak_ner"
    ]
    if len(names) != 1:
        raise ValueError(
            Errors.A452.format(count=len(names), names=", ".join(nlp.pipe_names))
        )
    return names[0]


def _suggest(
    nlp: Language,
    docs: Iterable[Doc],
    settings: dict[str, Any],
    n_process: int,
    batch_size: int | None,
) -> Iterator[Doc]:
    """Send documents through everything before the component, and then through the
    model of the component."""
    component = find_recognizer(nlp)
    nlp.add_pipe(
        SUGGESTER, before=component, config={"component": component, **settings}
    )
    names = nlp.pipe_names
    later = names[names.index(component) :]
    threads = torch.get_num_threads()
    if n_process != 1:
        # With more than one thread the processes would wait for each other for ever.
        torch.set_num_threads(1)
    try:
        yield from nlp.pipe(
            docs, disable=later, n_process=n_process, batch_size=batch_size
        )
    finally:
        nlp.remove_pipe(SUGGESTER)
        torch.set_num_threads(threads)


def _to_records(doc: Doc, line: int) -> list[dict[str, Any]]:
    """Suggestions as lines of the file, without what is counted over all data."""

    def to_span(span: LabelledSpan) -> dict[str, Any]:
        return to_dict(Span(doc, span.start, span.end, label=span.type))

    annotated = [to_dict(ent) for ent in doc.ents if ent.label_]
    return [
        {
            "text": doc.text,
            "line": line,
            **to_span(candidate.span),
            "form": doc[candidate.span.start : candidate.span.end].text,
            "kind": kind,
            "score": _round(candidate.probability),
            "alternatives": [
                {
                    "probability": _round(alternative.probability),
                    "spans": [to_span(span) for span in alternative.spans],
                }
                for alternative in candidate.alternatives
            ],
            "annotated": annotated,
        }
        for kind, candidate in suggestions_on(doc)
    ]


def _round(probability: float) -> float:
    # A sum of rounded numbers may be a little above 1.
    return min(round(probability, 4), 1.0)


def _write_lines(path: Path, lines: Iterable[str]) -> None:
    with path.open("w", encoding="utf8", newline="\n") as file:
        file.writelines(lines)


def _complete(
    records_of_texts: Iterable[list[dict[str, Any]]], forms: dict[Group, FormCounts]
) -> Iterator[str]:
    """Lines with what was counted over all data."""
    for records in records_of_texts:
        for record in records:
            counts = forms[group_of(record)]
            record.update(
                found=counts.found,
                marked=counts.marked,
                outside=counts.outside,
                value=round(counts.value(record["kind"]), 3),
            )
            yield json.dumps(record, ensure_ascii=False) + "\n"


def _with_estimates(
    docs: Iterable[Doc], records_of_texts: Iterable[list[dict[str, Any]]]
) -> Iterator[Doc]:
    """Documents with what was suggested for them as estimated spans."""
    for doc, records in zip(docs, records_of_texts, strict=True):
        missed = [record for record in records if record["kind"] == "missed"]
        spans = []
        for record in missed:
            span = doc.char_span(record["start"], record["end"], label=record["label"])
            assert span is not None
            spans.append(span)
        set_scored_spans(doc, ESTIMATED_KEY, spans, [r["score"] for r in missed])
        yield doc
