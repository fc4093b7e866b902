"""From one format of annotations to another, by way of spaCy documents."""

import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, get_args

import spacy
from spacy.language import Language
from spacy.tokens import Doc
from tqdm import tqdm

from ..atomic import write_bytes
from ..errors import Errors, Warnings
from .alignment import AlignmentMode, to_doc
from .annotated_text import AnnotatedText, Unlabelled
from .annotators import RULES
from .conll import LANGUAGES_WITHOUT_SPACES, TagScheme, read_conll, to_conll
from .docbin import make_docbin, read_docbin
from .doccano import read_doccano, to_doccano
from .formats import SUFFIXES, Format, detect_format, format_of_suffix
from .label_studio import read_label_studio, to_label_studio
from .origins import (
    INCORRECT_SPANS_KEY,
    estimates_of,
    origins_of,
    without_estimates,
)
from .prodigy import read_prodigy, to_prodigy
from .spans_jsonl import read_spans_jsonl, to_spans_jsonl
from .summary import Summary

_RECORD_READERS = {
    "spans": read_spans_jsonl,
    "doccano": read_doccano,
    "label-studio": read_label_studio,
}
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")


@dataclass(frozen=True)
class _Options:
    """How files are read and written; see `convert`."""

    unlabelled: Unlabelled | None
    n_sents: int
    token_column: int
    tag_column: int
    tag_scheme: TagScheme | None
    text_key: str
    alignment_mode: AlignmentMode
    incorrect_spans_key: str
    annotators: str


class _Step(NamedTuple):
    """A file to read and the file to write it to."""

    source: Path
    source_format: Format
    target: Path
    target_format: Format


def convert(
    input_path: Path,
    output_path: Path,
    *,
    converter: str | None = None,
    to: str | None = None,
    unlabelled: str | None = None,
    lang: str = "en",
    n_sents: int = 1,
    token_column: int = 0,
    tag_column: int = -1,
    tag_scheme: str | None = None,
    text_key: str = "text",
    alignment_mode: str = "strict",
    incorrect_spans_key: str = INCORRECT_SPANS_KEY,
    annotators: str = "union",
    strict: bool = False,
    silent: bool = True,
) -> Summary:
    """Convert annotations between formats.

    input_path (Path): A file, or a directory of files.
    output_path (Path): A file, or a directory, where each file keeps its name. A name
        with a suffix is a file, unless it is a directory already.
    converter (str | None): The format of the input; None finds out.
    to (str | None): The format of the output; None goes by its suffix, and takes
        .spacy for a directory.
    unlabelled (str | None): What an unlabelled token is: "missing" or "outside".
        Needed for every input but .spacy, which says it itself.
    lang (str): The language, for the tokenizer and for the spaces between tokens.
    n_sents (int): Sentences per document of a column file, 0 for all.
    token_column (int): The column of the token in a column file.
    tag_column (int): The column of the tag in a column file.
    tag_scheme (str | None): The scheme of the tags in a column file, read or
        written: "IOB1", "BIO", "BILUO" or "BIOES". None finds out, and writes BIO.
    text_key (str): The key of the text in JSON and JSONL files.
    alignment_mode (str): What to do with spans that do not fall on token bounds:
        "strict" leaves them out, "contract" and "expand" move them.
    incorrect_spans_key (str): The key of `Doc.spans` for ruled-out spans.
    annotators (str): What is taken where several people have annotated a text:
        "union", "intersection", "majority", or the name of one of them.
    strict (bool): Stop at the first problem, before anything is written.
    silent (bool): Show no progress.
    RETURNS (Summary): What was read, repaired and skipped.
    """
    options = _Options(
        unlabelled=_choose("--unlabelled", unlabelled, Unlabelled),
        n_sents=n_sents,
        token_column=token_column,
        tag_column=tag_column,
        tag_scheme=_choose("--tag-scheme", tag_scheme, TagScheme),
        text_key=text_key,
        alignment_mode=_choose("--alignment-mode", alignment_mode, AlignmentMode),
        incorrect_spans_key=incorrect_spans_key,
        annotators=annotators,
    )
    nlp = _make_tokenizer(lang)
    summary = Summary(strict=strict)
    contents: dict[Path, bytes] = {}
    for step in _plan(
        Path(input_path),
        Path(output_path),
        _choose("--converter", converter, Format),
        _choose("--to", to, Format),
    ):
        docs = []
        for doc in tqdm(
            _read(step.source, step.source_format, nlp, options, summary),
            desc=step.source.name,
            unit=" docs",
            disable=silent or None,
        ):
            summary.add_doc(without_estimates(doc), incorrect_spans_key)
            docs.append(doc)
        _check_docs(docs, step, lang, incorrect_spans_key, annotators, summary)
        _warn_of_losses(docs, step.target_format, incorrect_spans_key)
        contents[step.target] = _to_bytes(docs, step.target_format, options)
    # Only now, for the last of the files may be the one that cannot be converted.
    for path, content in contents.items():
        write_bytes(path, content)
        summary.outputs.append(path)
    return summary


def asks_what_unlabelled_means(input_path: Path, converter: str | None = None) -> bool:
    """Tell whether a conversion needs to know what an unlabelled token is.

    input_path (Path): A file, or a directory of files.
    converter (str | None): The format of the input; None finds out.
    RETURNS (bool): Whether any of the files does not say it itself.
    """
    files = _input_files(Path(input_path), _choose("--converter", converter, Format))
    return any((converter or detect_format(path)) != "spacy" for path in files)


def _choose(option: str, value: str | None, choices: Any) -> Any:
    names = get_args(choices)
    if value is not None and value not in names:
        raise ValueError(
            Errors.A310.format(name=option, value=value, choices=", ".join(names))
        )
    return value


def _make_tokenizer(lang: str) -> Language:
    try:
        return spacy.blank(lang)
    except ImportError as error:  # of the language, or of what it needs
        raise ValueError(Errors.A312.format(lang=lang, error=error)) from error


def _input_files(path: Path, converter: Format | None) -> list[Path]:
    """The file, or those files of a directory whose suffix is one of the format."""
    if path.is_dir():
        formats = [converter] if converter else list(SUFFIXES)
        suffixes = {suffix for name in formats for suffix in SUFFIXES[name]}
        paths = sorted(path.rglob("*"))
        files = [p for p in paths if p.suffix in suffixes and p.is_file()]
    else:
        files = [path] if path.exists() else []
    if not files:
        raise ValueError(Errors.A303.format(path=path))
    return files


def _plan(
    input_path: Path,
    output_path: Path,
    converter: Format | None,
    to: Format | None,
) -> list[_Step]:
    """What is read and written, checked before anything is."""
    root = input_path if input_path.is_dir() else input_path.parent
    into_directory = output_path.is_dir() or not output_path.suffix
    if input_path.is_dir() and not into_directory:
        raise ValueError(Errors.A316.format(path=input_path, output=output_path))
    sources = _input_files(input_path, converter)
    taken = {source.resolve() for source in sources}
    steps = []
    for source in sources:
        if into_directory:
            target_format = to or "spacy"
            name = source.relative_to(root).with_suffix(SUFFIXES[target_format][0])
            target = output_path / name
        else:
            target_format = to or format_of_suffix(output_path, "--to")
            target = output_path
        if target.resolve() in taken:
            raise ValueError(Errors.A315.format(path=target))
        taken.add(target.resolve())
        source_format = converter or detect_format(source)
        steps.append(_Step(source, source_format, target, target_format))
    return steps


def _read(
    path: Path,
    source_format: Format,
    nlp: Language,
    options: _Options,
    summary: Summary,
) -> Iterator[Doc]:
    if source_format == "spacy":
        yield from read_docbin(path, nlp.vocab, options.unlabelled)
    elif options.unlabelled is None:
        raise ValueError(Errors.A302.format(path=path))
    elif source_format == "conll":
        yield from read_conll(
            path,
            nlp.vocab,
            unlabelled=options.unlabelled,
            summary=summary,
            token_column=options.token_column,
            tag_column=options.tag_column,
            tag_scheme=options.tag_scheme,
            n_sents=options.n_sents,
        )
    else:
        for record in _read_records(path, source_format, options, summary):
            doc = to_doc(
                record,
                nlp,
                unlabelled=options.unlabelled,
                alignment_mode=options.alignment_mode,
                incorrect_spans_key=options.incorrect_spans_key,
                summary=summary,
                annotators=options.annotators,
            )
            if doc is not None:
                yield doc


def _read_records(
    path: Path, source_format: Format, options: _Options, summary: Summary
) -> Iterator[AnnotatedText]:
    if source_format == "prodigy":
        return read_prodigy(path, options.text_key, summary, options.annotators)
    return _RECORD_READERS[source_format](path, options.text_key, summary)


def _to_bytes(docs: list[Doc], target_format: Format, options: _Options) -> bytes:
    text_key, incorrect_spans_key = options.text_key, options.incorrect_spans_key
    if target_format == "spacy":
        return make_docbin(docs).to_bytes()
    if target_format == "conll":
        text = to_conll(docs, options.tag_scheme or "BIO")
    elif target_format == "spans":
        text = to_spans_jsonl(docs, text_key, incorrect_spans_key)
    elif target_format == "prodigy":
        text = to_prodigy(docs, text_key, incorrect_spans_key)
    elif target_format == "doccano":
        text = to_doccano(docs, text_key)
    else:
        text = to_label_studio(docs, text_key)
    return text.encode("utf8")


def _check_docs(
    docs: list[Doc],
    step: _Step,
    lang: str,
    incorrect_spans_key: str,
    annotators: str,
    summary: Summary,
) -> None:
    """Stop where there is nothing to write, and warn where it cannot be right."""
    if not docs and annotators not in RULES:
        names = ", ".join(sorted(summary.annotators)) or "none"
        raise ValueError(Errors.A317.format(name=annotators, names=names))
    if not docs:
        problems = summary.problems
        raise ValueError(
            Errors.A311.format(
                path=step.source,
                format=step.source_format,
                skipped=summary.count_records("skipped"),
                set_aside=summary.set_aside,
                problem=f" The first problem: {problems[0]}" if problems else "",
            )
        )
    if not any(doc.ents or origins_of(doc, incorrect_spans_key) for doc in docs):
        warnings.warn(Warnings.W329.format(path=step.source), stacklevel=3)
    sample = "".join(doc.text for doc in docs[:100])
    cjk = len(_CJK.findall(sample))
    if lang not in LANGUAGES_WITHOUT_SPACES and 2 * cjk > len(sample.replace(" ", "")):
        warnings.warn(Warnings.W328.format(lang=lang), stacklevel=3)


def _warn_of_losses(
    docs: list[Doc], target_format: Format, incorrect_spans_key: str
) -> None:
    """Say what the target format has no place for."""
    docs = [without_estimates(doc) for doc in docs]
    if target_format in ("prodigy", "doccano", "label-studio"):
        states = [{token.ent_iob for token in doc} for doc in docs]
        for doc, state in zip(docs, states, strict=True):
            if estimates_of(doc):
                state.add(0)
        if target_format != "prodigy":  # one answer has to hold for the whole file
            outside = {2} & set().union(*states)
            states = [state | outside for state in states]
        mixed = sum({0, 2} <= state for state in states)
        if mixed:
            message = Warnings.W326.format(count=mixed, format=target_format)
            warnings.warn(message, stacklevel=3)
    if target_format in ("conll", "doccano"):
        estimates = sum(len(estimates_of(doc)) for doc in docs)
        if estimates:
            message = Warnings.W334.format(count=estimates, format=target_format)
            warnings.warn(message, stacklevel=3)
    if target_format in ("conll", "doccano", "label-studio"):
        groups = [doc.spans.get(incorrect_spans_key, ()) for doc in docs]
        ruled_out = sum(len(group) for group in groups)
        if ruled_out:
            message = Warnings.W327.format(count=ruled_out, format=target_format)
            warnings.warn(message, stacklevel=3)
