"""Pages are photographed for the documentation."""

import os
import shutil
from pathlib import Path

import pytest
from PIL import Image

from scripts.docs.screenshots import PAGES, take_screenshots

from .code_blocks import ROOT

IMAGES = ROOT / "docs" / "images"
MOST_BYTES = 150_000


@pytest.mark.skipif(
    shutil.which("chromium") is None and "ADAK_TESTS_NEED_BROWSER" not in os.environ,
    reason="Chromium is not installed: apt-get install chromium chromium-driver",
)
def test_pages_are_photographed(tmp_path: Path) -> None:
    for page, _ in PAGES.values():
        path = tmp_path / page
        path.parent.mkdir(exist_ok=True)
        path.write_text("<body style='background: #ff0000'>", encoding="utf8")
    take_screenshots(tmp_path, tmp_path)
    for name, (_, size) in PAGES.items():
        with Image.open(tmp_path / f"{name}.webp") as image:
            assert (image.format, image.size) == ("WEBP", size)
            red, green, blue = image.convert("RGB").getpixel((5, 5))
            assert red > 240
            assert max(green, blue) < 15


def test_stored_screenshots_are_of_modest_size() -> None:
    for name in PAGES:
        assert 1_000 < (IMAGES / f"{name}.webp").stat().st_size < MOST_BYTES
