"""brat's standoff: a text in a .txt file, its annotations in an .ann file next to it.

T1	ORG 0 4	Acme
T2	PER 11 14	Ann
R1	works_for Arg1:T2 Arg2:T1

Only text-bound annotations (T) say something about entities.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from ..errors import Errors, Warnings
from .annotated_text import AnnotatedText, CharSpan
from .files import read_lines
from .summary import Place, Summary

ANNOTATIONS, TEXT = ".ann", ".txt"
_FRAGMENT = re.compile(r"([0-9]{1,9}) ([0-9]{1,9})")


def read_brat(path: Path, text_key: str, summary: Summary) -> Iterator[AnnotatedText]:
    """Read a text and its annotations.

    path (Path): The .ann file; a .txt file of the same name has the text.
    text_key (str): Not used: there are no keys.
    summary (Summary): Where problems are noted.
    YIELDS (AnnotatedText): The text.
    """
    path = path.with_suffix(ANNOTATIONS)
    text_path = path.with_suffix(TEXT)
    if not text_path.is_file():
        raise ValueError(Errors.A323.format(path=path, text_path=text_path))
    text = _read_text(text_path)
    place = Place(path, 1)
    if not text.strip():
        summary.add_problem(place, "skipped", Warnings.W337.format())
        return
    record = AnnotatedText(place, text)
    for number, line in enumerate(read_lines(path), start=1):
        if line.startswith("T"):
            _add_entity(record, line, number, summary)
    yield record


def _read_text(path: Path) -> str:
    """The text as it is: offsets count each character of a line end."""
    for _ in read_lines(path):  # tells the line of what is no UTF-8
        pass
    return path.read_bytes().decode("utf8")


def _add_entity(
    record: AnnotatedText, line: str, number: int, summary: Summary
) -> None:
    columns = line.split("\t")
    label, _, offsets = (columns[1] if len(columns) > 1 else "").partition(" ")
    fragments = [_FRAGMENT.fullmatch(part) for part in offsets.split(";")]
    bounds = [(int(m[1]), int(m[2])) for m in fragments if m is not None]
    if not label or len(bounds) < len(fragments):
        record.entities.append(CharSpan(line, None, None, line=number))
    elif len(bounds) == 1:
        (start, end) = bounds[0]
        stated = columns[2] if len(columns) > 2 else None
        # A text in the last column is on one line.
        covered = re.sub(r"\r\n|[\r\n]", " ", record.text[start:end])
        same = stated is None or stated in (covered, covered.replace("  ", " "))
        text = None if same else stated
        record.entities.append(CharSpan(start, end, label, text, number))
    else:
        sound = [b for b in bounds if 0 <= b[0] < b[1] <= len(record.text)]
        if len(sound) < len(bounds):
            record.entities.append(CharSpan(line, None, None, line=number))
            return
        message = Warnings.W339.format(span=columns[0], count=len(bounds))
        summary.add_problem(record.place, "repaired", message, number)
        record.missing += [CharSpan(start, end, label) for start, end in bounds]
