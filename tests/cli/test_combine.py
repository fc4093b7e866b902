from collections.abc import Callable
from pathlib import Path

from click.testing import Result

Run = Callable[..., Result]


def convert(adak: Run, folder: Path, name: str, record: str, types: str) -> Path:
    source, target = folder / f"{name}.jsonl", folder / f"{name}.spacy"
    source.write_text(record + "\n", "utf8")
    result = adak("convert", source, target, "--complete-types", types)
    assert result.exit_code == 0, result.stdout
    assert f"Texts complete for {types.split(',')[0]}" in result.stdout
    return target


def test_files_that_are_complete_for_types_are_combined(
    adak: Run, tmp_path: Path
) -> None:
    a = convert(
        adak, tmp_path, "a", '{"text": "Ann ran", "spans": [[0, 3, "PER"]]}', "PER"
    )
    b = convert(
        adak, tmp_path, "b", '{"text": "Acme ran", "spans": [[0, 4, "FIRM"]]}', "FIRM"
    )
    output = tmp_path / "c.spacy"
    result = adak("combine", a, b, "--output", output, "--map", "b.spacy:FIRM=ORG")
    assert result.exit_code == 0, result.stdout
    rows = [line.split() for line in result.stdout.splitlines()]
    assert ["File", "Texts", "ORG", "PER"] in rows
    assert ["a.spacy", "1", "0", "(0%)", "1", "(100%)"] in rows
    assert ["All", "2", "1", "(50%)", "1", "(50%)"] in rows
    assert output.exists()


def test_contradictions_are_listed_up_to_ten(adak: Run, tmp_path: Path) -> None:
    words = " ".join(["Ann"] * 12)
    spans = ", ".join(f'[{4 * i}, {4 * i + 3}, "PER"]' for i in range(12))
    record = f'{{"text": "{words}", "spans": [{spans}]}}'
    a = convert(adak, tmp_path, "a", record, "PER")
    b = convert(adak, tmp_path, "b", record.replace("PER", "ORG"), "ORG")
    args = ["combine", a, b, "--output", tmp_path / "c.spacy"]
    result = adak(*args)
    assert result.stdout.count("is annotated as PER, but") == 10
    assert "2 more" in result.stdout
    assert adak(*args, "--verbose").stdout.count("is annotated as PER, but") == 12


def test_wrong_maps_are_told_without_a_traceback(adak: Run, tmp_path: Path) -> None:
    a = convert(
        adak, tmp_path, "a", '{"text": "Ann ran", "spans": [[0, 3, "PER"]]}', "PER"
    )
    result = adak("combine", a, "--output", tmp_path / "c.spacy", "--map", "PER")
    assert result.exit_code == 1
    assert "[A327]" in result.stdout
