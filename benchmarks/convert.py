"""Time and memory of `adak convert`, compared with spaCy's tokenizer alone.

    python -m benchmarks.convert --train train.txt

The texts are those of a column file, over and over, each with a number in it, so that
none is like another. Every conversion runs in a process of its own; memory is its peak
beyond that of a process that has the same imports and does nothing.
"""

import json
import multiprocessing
import resource
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from itertools import cycle, islice
from pathlib import Path
from tempfile import TemporaryDirectory

import spacy

from spacy_adak.data.convert import convert
from spacy_adak.data.files import read_lines

from .result_files import result_path

Sentence = list[tuple[str, str]]


def read_sentences(path: Path) -> list[Sentence]:
    """RETURNS (list[Sentence]): Tokens and BIO tags of a column file."""
    sentences: list[Sentence] = [[]]
    for line in read_lines(path):
        columns = line.split()
        if columns and columns[0] != "-DOCSTART-":
            sentences[-1].append((columns[0], columns[-1]))
        elif sentences[-1]:
            sentences.append([])
    return [sentence for sentence in sentences if sentence]


def make_record(sentence: Sentence) -> dict[str, object]:
    """RETURNS (dict): The text of a sentence with its entities by character offset."""
    text, spans = "", []
    for token, tag in sentence:
        start = len(text)
        text += f"{token} "
        prefix, _, label = tag.partition("-")
        if prefix == "B":
            spans.append({"start": start, "end": start + len(token), "label": label})
        elif prefix == "I" and spans:
            spans[-1]["end"] = start + len(token)
    return {"text": text.strip(), "spans": spans}


def write_inputs(sentences: list[Sentence], size: int, folder: Path) -> dict[str, Path]:
    """Write the same number of records, or of lines, in several formats.

    sentences (list[Sentence]): What is in them.
    size (int): How many.
    folder (Path): Where to.
    RETURNS (dict[str, Path]): The files, by what they are.
    """
    paths = {
        "span JSONL": folder / "records.jsonl",
        "Label Studio": folder / "records.json",
        "Prodigy": folder / "prodigy.jsonl",
        "CoNLL": folder / "lines.conll",
    }

    def numbered() -> Iterator[Sentence]:
        for number, sentence in enumerate(islice(cycle(sentences), size)):
            yield [*sentence, (str(number), "O")]

    with paths["span JSONL"].open("w") as file, paths["Prodigy"].open("w") as prodigy:
        for sentence in numbered():
            record = make_record(sentence)
            file.write(json.dumps(record) + "\n")
            prodigy.write(json.dumps({**record, "answer": "accept"}) + "\n")
    with paths["Label Studio"].open("w") as file:
        for number, sentence in enumerate(numbered()):
            record = make_record(sentence)
            regions = [
                {"type": "labels", "value": {**span, "labels": [span["label"]]}}
                for span in record["spans"]  # type: ignore[attr-defined]
            ]
            task = {"data": record, "annotations": [{"result": regions}]}
            file.write(("," if number else "[") + json.dumps(task))
        file.write("]")
    with paths["CoNLL"].open("w") as file:
        lines = 0
        for sentence in numbered():
            file.writelines(f"{token}\t{tag}\n" for token, tag in sentence)
            file.write("\n")
            lines += len(sentence) + 1
            if lines >= size:
                break
    return paths


def measure(task: Callable[..., object], *args: object) -> dict[str, float]:
    """RETURNS (dict[str, float]): Seconds of a task, and megabytes at its peak, in a
    process of its own."""
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    process = context.Process(target=_measure, args=(queue, task, *args))
    process.start()
    seconds, cpu_seconds, megabytes = queue.get()
    process.join()
    return {"seconds": seconds, "cpu_seconds": cpu_seconds, "megabytes": megabytes}


def _measure(queue, task, *args) -> None:  # type: ignore[no-untyped-def]
    spacy.blank("en")("Imports what is imported once.")
    start, cpu_start = time.perf_counter(), time.process_time()
    task(*args)
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu_start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    queue.put((round(seconds, 2), round(cpu, 2), round(peak)))


def nothing() -> None:
    pass


def tokenize(path: Path) -> None:
    """What no conversion of texts can do without."""
    nlp = spacy.blank("en")
    for line in read_lines(path):
        nlp.make_doc(json.loads(line)["text"])


def convert_file(path: Path, target: Path, unlabelled: str | None) -> None:
    convert(path, target, unlabelled=unlabelled)


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--train", type=Path, required=True, help="a column file")
    parser.add_argument("--size", type=int, default=200_000, help="records, or lines")
    args = parser.parse_args()
    sentences = read_sentences(args.train)
    rows = []
    with TemporaryDirectory() as name:
        folder = Path(name)
        paths = write_inputs(sentences, args.size, folder)
        base = measure(nothing)["megabytes"]
        tasks: list[tuple[str, Callable[..., None], tuple[object, ...]]] = [
            ("tokenizer alone", tokenize, (paths["span JSONL"],))
        ]
        for what, path in paths.items():
            target = folder / f"{path.stem}.spacy"
            tasks.append((f"{what} to .spacy", convert_file, (path, target, "missing")))
        source = folder / "records.spacy"
        tasks.append(
            (".spacy to span JSONL", convert_file, (source, folder / "o.jsonl", None))
        )
        for what, task, arguments in tasks:
            row = {"task": what, "size": args.size, **measure(task, *arguments)}
            row["megabytes_beyond_imports"] = row["megabytes"] - base
            rows.append(row)
            print(json.dumps(row), flush=True)
    path = result_path("convert", parser, args, "size")
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf8")


if __name__ == "__main__":
    main()
