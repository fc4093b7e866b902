"""MkDocs hooks: pages that are not in docs/, and links to what is no page.

Links are written for readers of the repository. In the site, a link to a page that is
included from elsewhere leads to that page, and one to another file is plain text.
"""

import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

# Where a file of the repository is in the site.
INCLUDED = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "RESULTS.md": "results.md",
    "experiments/loop/RESULTS.md": "decisions.md",
}
_DOCS = "docs"
_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add pages that are not in docs/."""
    root = Path(config.docs_dir).parent
    for source, target in INCLUDED.items():
        if (root / source).exists():
            text = (root / source).read_text(encoding="utf8")
            files.append(File.generated(config, target, content=text))
    return files


def on_page_markdown(
    markdown: str, page: Page, config: MkDocsConfig, files: Files
) -> str:
    """Have all links lead to where things are in the site."""
    target = page.file.src_uri
    sources = {target: source for source, target in INCLUDED.items()}
    source = sources.get(target, f"{_DOCS}/{target}")

    def rewrite(match: re.Match[str]) -> str:
        mark, text, link = match.groups()
        path, hash_, anchor = link.partition("#")
        if not path or ":" in path:
            return match[0]
        there = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
        in_site = INCLUDED.get(there, there.removeprefix(f"{_DOCS}/"))
        if files.get_file_from_path(in_site) is None and not there.startswith(_DOCS):
            return text
        shown = posixpath.relpath(in_site, posixpath.dirname(target) or ".")
        return f"{mark}[{text}]({shown}{hash_}{anchor})"

    # Code within the text of a link is part of the link, so blocks alone are skipped.
    parts = re.split(r"(^```.*?^```$)", markdown, flags=re.DOTALL | re.MULTILINE)
    return "".join(
        part if part.startswith("```") else _LINK.sub(rewrite, part) for part in parts
    )
