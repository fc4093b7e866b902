"""From one format of annotations to another, by way of spaCy documents."""

import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast, get_args

import spacy
from spacy.language import Language
from spacy.tokens import Doc
from tqdm import tqdm

from ..atomic import follow_links
from ..errors import Errors, Warnings
from .agreement import RULES
from .alignment import AlignmentMode
from .annotated_text import Unlabelled
from .brat import ANNOTATIONS, TEXT
from .complete_types import has_statement
from .formats import SUFFIXES, Format, Target, detect_format, format_of_suffix
from .guesses import named_guesses
from .huggingface import INFO_FILES
from .origins import INCORRECT_SPANS_KEY, estimates_of, without_estimates
from .readers import Reading, read_docs
from .sentences import LANGUAGES_WITHOUT_SPACES, TagScheme
from .staging import Staging
from .summary import Summary
from .writers import Writing, write_docs

_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
# Of how many documents the text is looked at.
_SAMPLE = 100


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
            content = _Content(step.target_format, incorrect_spans_key, complete_types)
            write_docs(
                content.watch(shown, summary),
                staging.place(step.target),
                step.target_format,
                writing,
            )
            content.check(step, lang, annotators, summary)
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
    """Tell whether a conversion needs to know what an unlabelled token is.

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


class _Content:
    """What has to be known of all documents of a file, of which none is kept.

    target_format (str): The format they are written in.
    incorrect_spans_key (str): The key of `Doc.spans` for ruled-out spans.
    complete_types (Sequence[str]): The types that the file is said to be complete for.
    """

    def __init__(
        self,
        target_format: Target,
        incorrect_spans_key: str,
        complete_types: Sequence[str],
    ) -> None:
        self._format = target_format
        self._key = incorrect_spans_key
        self._complete_types = complete_types
        self._types: set[str] = set()
        self._stated = 0
        self._guessers: set[str] = set()
        self._documents = self._ruled_out = self._estimates = 0
        self._has_entities = self._has_outside = False
        # Documents with tokens or spans that nobody has decided on, and those of them
        # that have tokens stated to be outside.
        self._open = self._mixed = 0
        self._sample = ""

    def watch(self, docs: Iterable[Doc], summary: Summary) -> Iterator[Doc]:
        """Count documents as they pass."""
        for doc in docs:
            facts = without_estimates(doc)
            self._count(facts, summary.add_doc(facts, self._key))
            yield doc

    def _count(self, facts: Doc, iob: list[int]) -> None:
        self._documents += 1
        if self._documents <= _SAMPLE:
            self._sample += facts.text
        self._types.update(ent.label_ for ent in facts.ents)
        self._stated += has_statement(facts)
        guesses = named_guesses(facts) if len(facts.spans) else {}
        self._guessers.update(guesses)
        estimates = len(estimates_of(facts)) if len(facts.spans) else 0
        ruled_out = len(facts.spans.get(self._key, ())) if len(facts.spans) else 0
        self._estimates += estimates
        self._ruled_out += ruled_out
        self._has_entities |= bool(
            estimates or ruled_out or 3 in iob or any(guesses.values())
        )
        has_outside = 2 in iob
        is_open = bool(estimates or 0 in iob)
        self._has_outside |= has_outside
        self._open += is_open
        self._mixed += is_open and has_outside

    def check(self, step: _Step, lang: str, annotators: str, summary: Summary) -> None:
        """Stop where there is nothing to write, and warn where it cannot be right."""
        if not self._documents and annotators not in RULES:
            names = ", ".join(sorted(summary.annotators)) or "none"
            raise ValueError(Errors.A317.format(name=annotators, names=names))
        if not self._documents:
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
        if not self._has_entities:
            warnings.warn(Warnings.W329.format(path=step.source), stacklevel=3)
        unseen = [label for label in self._complete_types if label not in self._types]
        if unseen:
            types = ", ".join(sorted(self._types)) or "none"
            message = Warnings.W342.format(
                labels=", ".join(unseen), path=step.source, types=types
            )
            warnings.warn(message, stacklevel=3)
        cjk = len(_CJK.findall(self._sample))
        is_cjk = 2 * cjk > len(self._sample.replace(" ", ""))
        if is_cjk and lang not in LANGUAGES_WITHOUT_SPACES:
            warnings.warn(Warnings.W328.format(lang=lang), stacklevel=3)
        self._warn_of_losses()

    def _warn_of_losses(self) -> None:
        """Say what the target format has no place for."""
        losses = []
        if self._format == "prodigy":
            losses.append((Warnings.W326, self._mixed))
        elif self._format in ("doccano", "label-studio"):
            # One answer has to hold for the whole file.
            losses.append((Warnings.W326, self._open if self._has_outside else 0))
        if self._format in ("conll", "doccano"):
            losses.append((Warnings.W334, self._estimates))
        if self._format in ("conll", "doccano", "label-studio"):
            losses.append((Warnings.W327, self._ruled_out))
        if self._format == "conll":
            losses.append((Warnings.W343, self._stated))
        if self._guessers and self._format not in ("spacy", "spans"):
            names = ", ".join(sorted(self._guessers))
            message = Warnings.W348.format(names=names, format=self._format)
            warnings.warn(message, stacklevel=4)
        for message, count in losses:
            if count:
                text = message.format(count=count, format=self._format)
                warnings.warn(text, stacklevel=4)
