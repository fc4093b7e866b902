"""From one format of annotations to another, by way of spaCy documents."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast, get_args

import spacy
from spacy.language import Language
from spacy.tokens import Doc
from tqdm import tqdm

from ..atomic import follow_links
from ..errors import Errors
from .alignment import AlignmentMode
from .annotated_text import Unlabelled
from .brat import ANNOTATIONS, TEXT
from .file_content import FileContent
from .formats import SUFFIXES, Format, Target, detect_format, format_of_suffix
from .huggingface import INFO_FILES
from .origins import INCORRECT_SPANS_KEY
from .readers import Reading, read_docs
from .sentences import TagScheme
from .staging import Staging
from .summary import Summary
from .writers import Writing, write_docs


class _Step(NamedTuple):
    """A file to read and the file to write it to."""

    source: Path
    source_format: Format
    target: Path
    target_format: Target


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
    document_column: int | None = None,
    tag_scheme: str | None = None,
    labels: str | None = None,
    text_key: str = "text",
    alignment_mode: str = "strict",
    incorrect_spans_key: str = INCORRECT_SPANS_KEY,
    annotators: str = "union",
    complete_types: Sequence[str] = (),
    strict: bool = False,
    silent: bool = True,
) -> Summary:
    """Convert annotations between formats.

    input_path (Path): A file, or a directory of files.
    output_path (Path): A file, or a directory, where each file keeps its name. A name
        with a suffix is a file, unless it is a directory already.
    converter (str | None): The format of the input. None detects it.
    to (str | None): The format of the output. None detects it from the suffix, and is
        .spacy for a directory.
    unlabelled (str | None): What an unlabelled token is: "missing" or "outside".
        Required for every format except .spacy, which states it for each token.
    lang (str): The language, for the tokenizer and for the spaces between tokens.
    n_sents (int): Sentences per document of a column file, 0 for all.
    token_column (int): The column of the token in a column file.
    tag_column (int): The column of the tag in a column file.
    document_column (int | None): The column of the document's name in a column file.
    tag_scheme (str | None): The scheme of the tags in a column file, read or written:
        "IOB1", "BIO", "BILUO" or "BIOES". None detects it when reading, and writes BIO.
    labels (str | None): The names of tags that are numbers in Hugging Face rows,
        separated by commas, or a file with them.
    text_key (str): The key of the text in JSON and JSONL files.
    alignment_mode (str): What to do with spans that do not match token boundaries:
        "strict" leaves them out, "contract" and "expand" move them.
    incorrect_spans_key (str): The key of `Doc.spans` for ruled-out spans.
    annotators (str): Which spans to take if several people annotated a text: "union",
        "intersection", "majority", or the name of one of them.
    complete_types (Sequence[str]): The types that all input files are completely
        annotated for.
    strict (bool): Stop at the first problem, before anything is written.
    silent (bool): Show no progress.
    RETURNS (Summary): What was read, repaired and skipped.
    """
    if complete_types and unlabelled == "outside":
        types = ",".join(complete_types)
        raise ValueError(Errors.A326.format(types=types))
    scheme = _choose("--tag-scheme", tag_scheme, TagScheme)
    reading = Reading(
        unlabelled=_choose("--unlabelled", unlabelled, Unlabelled),
        n_sents=n_sents,
        token_column=token_column,
        tag_column=tag_column,
        document_column=document_column,
        tag_scheme=scheme,
        labels=labels,
        text_key=text_key,
        alignment_mode=_choose("--alignment-mode", alignment_mode, AlignmentMode),
        incorrect_spans_key=incorrect_spans_key,
        annotators=annotators,
        complete_types=tuple(complete_types),
    )
    writing = Writing(scheme or "BIO", text_key, incorrect_spans_key)
    nlp = make_tokenizer(lang)
    summary = Summary(strict=strict)
    steps = _plan(
        Path(input_path),
        Path(output_path),
        _choose("--converter", converter, Format),
        _choose("--to", to, Target),
    )
    # The last of the files may be the one that cannot be converted.
    with Staging() as staging:
        for step in steps:
            docs = read_docs(step.source, step.source_format, nlp, reading, summary)
            shown = tqdm(
                docs, desc=step.source.name, unit=" docs", disable=silent or None
            )
            content = FileContent(
                step.target_format, incorrect_spans_key, complete_types
            )
            write_docs(
                content.watch(shown, summary),
                staging.place(step.target),
                step.target_format,
                writing,
            )
            content.check(step.source, step.source_format, lang, annotators, summary)
    summary.outputs += [step.target for step in steps]
    return summary


def read_annotations(
    path: Path,
    nlp: Language,
    summary: Summary,
    *,
    converter: str | None = None,
    unlabelled: str | None = None,
    n_sents: int = 1,
    token_column: int = 0,
    tag_column: int = -1,
    document_column: int | None = None,
    tag_scheme: str | None = None,
    labels: str | None = None,
    text_key: str = "text",
    alignment_mode: str = "strict",
    incorrect_spans_key: str = INCORRECT_SPANS_KEY,
    annotators: str = "union",
) -> Iterator[Doc]:
    """Read annotations of any format, one file after the other.

    path (Path): A file, or a directory of files.
    nlp (Language): Has the vocabulary, and the tokenizer for texts without tokens.
    summary (Summary): Where problems are noted.

    The other settings are those of `convert`.

    YIELDS (Doc): The documents.
    """
    reading = Reading(
        unlabelled=_choose("--unlabelled", unlabelled, Unlabelled),
        n_sents=n_sents,
        token_column=token_column,
        tag_column=tag_column,
        document_column=document_column,
        tag_scheme=_choose("--tag-scheme", tag_scheme, TagScheme),
        labels=labels,
        text_key=text_key,
        alignment_mode=_choose("--alignment-mode", alignment_mode, AlignmentMode),
        incorrect_spans_key=incorrect_spans_key,
        annotators=annotators,
    )
    given = _choose("--converter", converter, Format)
    for source in _input_files(Path(path), given):
        format_ = given or detect_format(source)
        yield from read_docs(source, format_, nlp, reading, summary)


def asks_what_unlabelled_means(input_path: Path, converter: str | None = None) -> bool:
    """Whether a conversion needs to know what an unlabelled token is.

    input_path (Path): A file, or a directory of files.
    converter (str | None): The format of the input. None detects it.
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


def make_tokenizer(lang: str) -> Language:
    """RETURNS (Language): A blank pipeline of a language."""
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
        files = [
            p
            for p in paths
            if p.suffix.lower() in suffixes
            and p.is_file()
            and not _belongs_to_another(p)
        ]
    else:
        files = [path] if path.exists() else []
        if files and not path.is_file():
            raise ValueError(Errors.A509.format(path=path))
    if not files:
        raise ValueError(Errors.A303.format(path=path))
    return files


def _belongs_to_another(path: Path) -> bool:
    """Whether a file of a directory describes others, or is the text of another."""
    is_text = path.suffix.lower() == TEXT and path.with_suffix(ANNOTATIONS).is_file()
    return is_text or path.name in INFO_FILES


def _plan(
    input_path: Path,
    output_path: Path,
    converter: Format | None,
    to: Target | None,
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
            by_suffix = to or format_of_suffix(output_path, "--to", Target)
            target_format = cast(Target, by_suffix)
            target = output_path
        place = follow_links(target).resolve()
        if place in taken:
            raise ValueError(Errors.A315.format(path=target))
        taken.add(place)
        source_format = converter or detect_format(source)
        steps.append(_Step(source, source_format, target, target_format))
    return steps
