"""Pages for people: one HTML file each, which needs no server and no network.

Style and scripts are written into the page, and its security policy allows these and
nothing else: text that looks like a script is never run, and nothing can be loaded or
sent.
"""

import base64
import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from ..atomic import write_bytes

_ASSETS = Path(__file__).parent / "assets"
_ENVIRONMENT = Environment(
    loader=FileSystemLoader(_ASSETS),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def _with_code(text: str) -> Markup:
    """Text with what is in backquotes as code."""
    parts = text.split("`")
    for i in range(1, len(parts), 2):
        parts[i] = Markup("<code>{}</code>").format(parts[i])
    return Markup("").join(parts)


_ENVIRONMENT.filters["with_code"] = _with_code
# What would end a script element or a line of JavaScript, and half a surrogate pair,
# which can't be written as UTF-8.
_UNSAFE = re.compile("[<>&\u2028\u2029\ud800-\udfff]")


def write_page(
    output: Path,
    template: str,
    *,
    styles: Sequence[str],
    scripts: Sequence[str] = (),
    more_style: str = "",
    data: Any = None,
    **values: Any,
) -> None:
    """Write a page as a whole or not at all.

    output (Path): The HTML file.
    template (str): The name of its template.
    styles (Sequence[str]): Names of its style sheets.
    scripts (Sequence[str]): Names of its scripts, which share one scope.
    more_style (str): Style that was made for this page.
    data (Any): What scripts read, as JSON.
    values (Any): What the template asks for.
    """
    style = _read(styles) + more_style
    script = f'(() => {{\n"use strict";\n{_read(scripts)}}})();\n' if scripts else ""
    html = _ENVIRONMENT.get_template(template).render(
        policy=_policy(style, script),
        style=Markup(style),
        script=Markup(script),
        data=Markup(to_embedded_json(data)),
        **values,
    )
    # A name may hold half a surrogate pair, which no file may.
    write_bytes(output, html.encode("utf8", "replace"))


def render_fragment(template: str, *, styles: Sequence[str], **values: Any) -> str:
    """A part of a page, for notebooks.

    template (str): The name of its template.
    styles (Sequence[str]): Names of its style sheets.
    values (Any): What the template asks for.
    RETURNS (str): HTML.
    """
    found = _ENVIRONMENT.get_template(template)
    return found.render(style=Markup(_read(styles)), **values)


def to_embedded_json(data: Any) -> str:
    """RETURNS (str): JSON that is safe inside a script element."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _read(names: Iterable[str]) -> str:
    return "".join((_ASSETS / name).read_text(encoding="utf8") for name in names)


def _policy(style: str, script: str) -> str:
    parts = ["default-src 'none'", f"style-src '{_hash(style)}'"]
    if script:
        parts.append(f"script-src '{_hash(script)}'")
    return "; ".join([*parts, "base-uri 'none'", "form-action 'none'"])


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf8")).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"
