"""The notebook in examples/ runs from its first cell to its last."""

import os
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from .code_blocks import ROOT
from .short_trainings import prepare

NOTEBOOK = ROOT / "examples" / "suggestions.ipynb"


@pytest.mark.slow
def test_notebook_leads_to_suggestions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(tmp_path)
    (tmp_path / "examples").mkdir()
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    NotebookClient(
        notebook,
        timeout=600,
        kernel_name="python3",
        resources={"metadata": {"path": str(tmp_path / "examples")}},
    ).execute()
    outputs = [
        output
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
    ]
    shown = " ".join(str(output) for output in outputs)
    assert "Generated the page: review.html" in " ".join(shown.split())
    assert '<mark class="entity"' in shown  # suggestions
    assert "adak-report" in shown  # the core of the report


def test_notebook_is_stored_without_outputs() -> None:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    for cell in notebook.cells:
        assert cell.cell_type != "code" or not cell.outputs
