"""The whole of `spacy project run train`, on very little data."""

import shutil
from pathlib import Path

import pytest
import srsly
from weasel.cli.run import project_run

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]
SIZES = {"train": 60, "dev": 20, "test": 20}
QUICK = {
    "max_epochs = 8": "max_epochs = 1",
    "eval_frequency = 50": "eval_frequency = 2",
    "width = 96": "width = 16",
    "embed_size = 2000": "embed_size = 100",
}


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project after the workflow, in a folder of its own."""
    folder = tmp_path_factory.mktemp("project")
    for name in ("scripts", "configs"):
        shutil.copytree(ROOT / name, folder / name)
    shutil.copy(ROOT / "project.yml", folder)
    (folder / "assets").mkdir()
    for split, size in SIZES.items():
        lines = (ROOT / "assets" / f"{split}.jsonl").read_text(encoding="utf8")
        part = "".join(lines.splitlines(keepends=True)[:size])
        (folder / "assets" / f"{split}.jsonl").write_text(part, encoding="utf8")
    config = (folder / "configs" / "sample_cpu.cfg").read_text(encoding="utf8")
    for setting, quick in QUICK.items():
        assert setting in config
        config = config.replace(setting, quick)
    (folder / "configs" / "sample_cpu.cfg").write_text(config, encoding="utf8")
    project_run(folder, "train", overrides={"vars.keep_ratio": 0.5})
    return folder


def test_results_put_both_models_side_by_side(clone: Path) -> None:
    results = (clone / "metrics" / "sample" / "results.md").read_text(encoding="utf8")
    assert "| CRF" in results
    assert "| adak_ner, unknown = estimated" in results


def test_pages_are_made(clone: Path) -> None:
    for path in ("adak/report.html", "review.html"):
        page = clone / "training" / "sample" / path
        assert page.read_text(encoding="utf8").startswith("<!DOCTYPE html>")


def test_loaded_package_gives_probabilities(clone: Path) -> None:
    records = list(srsly.read_jsonl(clone / "metrics" / "sample" / "entities.jsonl"))
    assert len(records) == 8
    for record in records:
        for entity in record["entities"]:
            assert entity["text"] in record["text"]
            assert 0 < entity["probability"] <= 1


def test_package_states_the_scores_on_test(clone: Path) -> None:
    (folder,) = (clone / "packages" / "sample").glob("adak_sample-*")
    meta = srsly.read_json(folder / "adak_sample" / "meta.json")
    scores = srsly.read_json(clone / "metrics" / "sample" / "adak.json")
    assert meta["performance"]["ents_f"] == pytest.approx(scores["ents_f"])
    assert meta["training"]["adak.rounds"] == 1


def test_package_that_is_gone_is_made_again(clone: Path) -> None:
    shutil.rmtree(clone / "packages")
    project_run(clone, "package", overrides={"vars.keep_ratio": 0.5})
    assert list((clone / "packages" / "sample").glob("adak_sample-*/dist/*.whl"))


def test_nothing_is_trained_again_if_nothing_changed(
    clone: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project_run(clone, "train-adak", overrides={"vars.keep_ratio": 0.5})
    assert "Skipping 'train-adak'" in capsys.readouterr().out
