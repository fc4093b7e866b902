import os
import shutil
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .browser import Browser

# Set where Chromium is installed for the tests: they then may not be skipped.
REQUIRED = "ADAK_TESTS_NEED_BROWSER"
ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator["Browser"]:
    """A Chromium without a window, with a new profile."""
    binary, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if binary is None or driver is None:
        message = "Chromium is not installed: apt-get install chromium chromium-driver"
        if os.environ.get(REQUIRED):
            pytest.fail(f"{message} ({REQUIRED} is set)")
        pytest.skip(message)
    from selenium.webdriver import Chrome, ChromeOptions, ChromeService

    from .browser import Browser

    options = ChromeOptions()
    options.binary_location = binary
    for argument in ARGUMENTS:
        options.add_argument(argument)
    profile = tmp_path_factory.mktemp("chromium")
    options.add_argument(f"--user-data-dir={profile}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    downloads = tmp_path_factory.mktemp("downloads")
    empty = tmp_path_factory.mktemp("empty") / "empty.html"
    empty.touch()
    chrome = Chrome(options=options, service=ChromeService(driver))
    try:
        yield Browser(chrome, downloads, empty)
    finally:
        # It closes a connection only when it is collected.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)
            chrome.quit()


@pytest.fixture
def browser(chromium: "Browser", tmp_path: Path) -> Iterator["Browser"]:
    """The browser as if new; what a page writes to the console is an error."""
    yield chromium
    errors = chromium.console()
    chromium.reset()
    assert not errors
