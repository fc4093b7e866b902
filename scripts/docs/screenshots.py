"""Photograph the review page and the report of the demo, for the documentation.

python -m scripts.docs.screenshots   # after `make demo`; needs Chromium and its driver
"""

import base64
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from selenium.webdriver import Chrome, ChromeOptions, ChromeService

from spacy_adak.atomic import write_bytes

TRAINING = Path("training/sample")
IMAGES = Path("docs/images")
# The pages in the folder of the training, and how much of them is shown.
PAGES = {
    "review": ("review.html", (1100, 680)),
    "report": ("adak/report.html", (1100, 690)),
}
_ARGUMENTS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage")


@contextmanager
def open_browser() -> Iterator[Chrome]:
    """YIELDS (Chrome): A Chromium without a window."""
    options = ChromeOptions()
    options.binary_location = _find("chromium")
    with TemporaryDirectory() as profile:
        for argument in (*_ARGUMENTS, f"--user-data-dir={profile}"):
            options.add_argument(argument)
        browser = Chrome(options=options, service=ChromeService(_find("chromedriver")))
        try:
            yield browser
        finally:
            browser.quit()


def _find(program: str) -> str:
    path = shutil.which(program)
    if path is None:
        raise SystemExit(
            f"{program} is missing: apt-get install chromium chromium-driver"
        )
    return path


def photograph(browser: Chrome, page: Path, size: tuple[int, int]) -> bytes:
    """RETURNS (bytes): The top of a page as WebP.

    browser (Chrome): The browser.
    page (Path): The page.
    size (tuple[int, int]): Width and height in pixels.
    """
    width, height = size
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1}
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride", {**metrics, "mobile": False}
    )
    browser.execute_cdp_cmd("Emulation.setScrollbarsHidden", {"hidden": True})
    browser.get(page.resolve().as_uri())
    shown = browser.execute_cdp_cmd(
        "Page.captureScreenshot", {"format": "webp", "quality": 82}
    )
    return base64.b64decode(shown["data"])


def take_screenshots(training: Path, images: Path) -> None:
    """Photograph all pages.

    training (Path): The folder with the pages.
    images (Path): The folder to write the pictures to.
    """
    with open_browser() as browser:
        for name, (page, size) in PAGES.items():
            picture = photograph(browser, training / page, size)
            write_bytes(images / f"{name}.webp", picture)


if __name__ == "__main__":
    take_screenshots(TRAINING, IMAGES)
