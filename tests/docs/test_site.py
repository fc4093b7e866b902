"""The site builds, its links lead somewhere, and it fetches nothing."""

import os
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

ROOT = Path(__file__).parents[2]
FETCHED = {"script": "src", "img": "src", "iframe": "src", "link": "href"}


class Links(HTMLParser):
    """What a page links to, what it fetches, and its anchors."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.anchors.update(str(values[key]) for key in ("id", "name") if key in values)
        if tag == "a" and values.get("href"):
            self.links.append(str(values["href"]))
        if tag in FETCHED and values.get(FETCHED[tag]):
            self.fetched.append(str(values[FETCHED[tag]]))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site that `make docs` builds."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-d", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    result = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Links]:
    """All pages but the one for what is not found, whose links begin at the root."""
    paths = [path for path in site.rglob("*.html") if path.name != "404.html"]
    return {path: Links(path.read_text(encoding="utf8")) for path in paths}


def test_every_page_is_built(site: Path) -> None:
    for path in (ROOT / "docs").rglob("*.md"):
        page = path.relative_to(ROOT / "docs").with_suffix(".html")
        assert (site / page).exists()
    assert (site / "results.html").exists()


def test_links_lead_somewhere(pages: dict[Path, Links]) -> None:
    for page, content in pages.items():
        for link in content.links + content.fetched:
            parts = urlsplit(link)
            if parts.scheme:
                continue
            target = page
            if parts.path:
                target = (page.parent / unquote(parts.path)).resolve()
            if target.is_dir():
                target /= "index.html"
            assert target.exists(), f"{page.name}: {link}"
            if parts.fragment and target in pages:
                anchors = pages[target].anchors
                assert unquote(parts.fragment) in anchors, f"{page.name}: {link}"


def test_nothing_is_fetched_from_elsewhere(pages: dict[Path, Links]) -> None:
    for page, content in pages.items():
        for link in content.fetched:
            assert not urlsplit(link).netloc, f"{page.name}: {link}"
