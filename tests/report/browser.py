"""What tests do in a browser."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from selenium.webdriver import Chrome
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

_STORED = "return JSON.stringify(Object.entries(localStorage).sort())"

# Colors are painted one over the other, with the opacity of all that they are in.
_FAINT_TEXTS = """
    const canvas = document.createElement("canvas").getContext(
        "2d", { willReadFrequently: true });
    const styles = (element) => element === null ? [] : [
        ...styles(element.parentElement), getComputedStyle(element)];
    const luminance = (layers) => {
        canvas.globalAlpha = 1;
        canvas.fillStyle = "#fff";
        canvas.fillRect(0, 0, 1, 1);
        for (const [color, alpha] of layers) {
            canvas.globalAlpha = alpha;
            canvas.fillStyle = color;
            canvas.fillRect(0, 0, 1, 1);
        }
        const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map(
            (v) => v <= 10 ? v / 3294 : ((v / 255 + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const contrast = (element) => {
        let alpha = 1;
        const around = styles(element);
        const behind = around.map((style) => [
            style.backgroundColor, alpha *= style.opacity]);
        const { color, fill } = around[around.length - 1];
        const ink = element instanceof SVGElement ? fill : color;
        const values = [luminance(behind), luminance([...behind, [ink, alpha]])];
        return (Math.max(...values) + 0.05) / (Math.min(...values) + 0.05);
    };
    const hasText = (node) => node.nodeType === Node.TEXT_NODE && node.data.trim();
    return [...document.body.querySelectorAll("*:not(script)")]
        .filter((element) => [...element.childNodes].some(hasText))
        .filter((element) => element.checkVisibility() && !element.closest(":disabled"))
        .map((element) => [element.textContent, element.className, contrast(element)])
        .filter(([, , value]) => value < 4.5);
"""


class Browser:
    """A browser with one page, and an empty one that sees what is stored.

    chrome (Chrome): The browser.
    downloads (Path): Where it puts files that a page saves.
    empty (Path): An empty page.
    """

    def __init__(self, chrome: Chrome, downloads: Path, empty: Path) -> None:
        self.chrome = chrome
        self.downloads = downloads
        page = chrome.current_window_handle
        chrome.switch_to.new_window("tab")
        self._other = chrome.current_window_handle
        self.open(empty)
        chrome.switch_to.window(page)
        chrome.execute_cdp_cmd(
            "Browser.setDownloadBehavior",
            {"behavior": "allow", "downloadPath": str(downloads)},
        )

    def open(self, path: Path) -> None:
        """Open a page."""
        self.chrome.get(path.as_uri())

    def reload(self) -> None:
        """Load the page again, once what it has stored has come to other processes: the
        one it is then loaded in may be another."""
        page = self.chrome.current_window_handle
        stored = self.run(_STORED)
        self.chrome.switch_to.window(self._other)
        wait_for(lambda: self.run(_STORED) == stored)
        self.chrome.switch_to.window(page)
        self.chrome.refresh()

    def reset(self) -> None:
        """Forget all pages, and what they have stored."""
        self.run("localStorage.clear()")
        self.chrome.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        self.chrome.get("about:blank")

    def resize(self, width: int, height: int) -> None:
        """Give the page a size."""
        self.chrome.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False},
        )

    def press(self, *keys: str, shift: bool = False) -> None:
        """Press keys, one after the other."""
        actions = ActionChains(self.chrome, duration=0)
        if shift:
            actions.key_down(Keys.SHIFT)
        for key in keys:
            actions.send_keys(key)
        if shift:
            actions.key_up(Keys.SHIFT)
        actions.perform()

    def run(self, script: str, *arguments: Any) -> Any:
        """Run a script in the page and return its value."""
        return self.chrome.execute_script(script, *arguments)

    def text(self, selector: str) -> str:
        """The text of an element, seen or not."""
        script = "return document.querySelector(arguments[0]).textContent"
        return self.run(script, selector)

    def shows(self, selector: str) -> bool:
        """Whether an element is in sight."""
        return self.chrome.find_element(By.CSS_SELECTOR, selector).is_displayed()

    def click(self, selector: str) -> None:
        """Click on an element."""
        self.chrome.find_element(By.CSS_SELECTOR, selector).click()

    def type(self, selector: str, text: str) -> None:
        """Write into a field what is not in it yet."""
        element = self.chrome.find_element(By.CSS_SELECTOR, selector)
        element.clear()
        element.send_keys(text)

    def choose(self, selector: str, path: Path) -> None:
        """Choose a file."""
        script = "document.querySelector(arguments[0]).hidden = false"
        self.run(script, selector)
        self.chrome.find_element(By.CSS_SELECTOR, selector).send_keys(str(path))

    def downloaded(self, save: Callable[[], None]) -> str:
        """The content of the file that is saved."""
        for path in self.downloads.iterdir():
            path.unlink()
        # The file is there before its content is.
        self.run("""
            const make = URL.createObjectURL;
            URL.createObjectURL = (blob) => {
                window.savedSize = blob.size;
                URL.createObjectURL = make;
                return make(blob);
            };
        """)
        save()
        size = self.run("return window.savedSize")
        path = self.downloads / "decisions.jsonl"
        wait_for(lambda: path.exists() and path.stat().st_size == size)
        return path.read_text(encoding="utf8")

    def decisions(self) -> list[dict[str, Any]]:
        """The decisions that the page saves, without the time they took."""
        lines = self.downloaded(lambda: self.press("s")).splitlines()
        records = [json.loads(line) for line in lines]
        return [{k: v for k, v in r.items() if k != "seconds"} for r in records]

    def faint_texts(self) -> list[Any]:
        """Text in sight whose contrast is less than the 4.5 that WCAG asks for."""
        return self.run(_FAINT_TEXTS)

    def console(self) -> list[str]:
        """What was written to the console since it was last asked for."""
        return [entry["message"] for entry in self.chrome.get_log("browser")]


def wait_for(condition: Callable[[], Any], seconds: float = 60) -> None:
    """Wait until something is so."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)
