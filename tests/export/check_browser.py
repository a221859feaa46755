#!/usr/bin/python3
"""Pages of netbound in Chromium: check_browser.py [--narrow] PAGE.html...

Each must render without a console message. On a phone and on a large screen, in
light and in dark, with everything unfolded, nothing may extend beyond the page's
sides; charts shrink, wide tables scroll below the names of their rows, and text
has enough contrast. The pages have no script, so copies are measured in frames
of a page that has one. Prints each fault. With --narrow only at 400 pixels and
in light, for a large number of pages."""
import json
import os
import re
import subprocess
import sys
import tempfile
from html.parser import HTMLParser

WIDTHS = (360, 400, 1280)
CHROMIUM = ["chromium", "--headless", "--no-sandbox", "--disable-gpu",
            "--disable-dev-shm-usage", "--no-first-run", "--disable-sync",
            "--disable-background-networking", "--disable-component-update",
            "--hide-scrollbars", "--enable-logging=stderr", "--v=0"]
MEASURE = """
<!DOCTYPE html><meta charset="utf-8"><title>measure</title><pre></pre>
<script>
const pages = PAGES, widths = WIDTHS, said = [];
function light(colour) {
    const parts = colour.match(/[\\d.]+/g).map(Number);
    const linear = parts.slice(0, 3).map(p => p / 255)
        .map(p => p <= 0.04045 ? p / 12.92 : ((p + 0.055) / 1.055) ** 2.4);
    return { alpha: parts.length > 3 ? parts[3] : 1,
        value: 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2] };
}
function under(view, node) { // the background that shows through to a node
    for (; node; node = node.parentElement) {
        const back = light(view.getComputedStyle(node).backgroundColor);
        if (back.alpha === 1) return back;
    }
    return light("rgb(255, 255, 255)");
}
function contrast(a, b) {
    const low = Math.min(a.value, b.value), high = Math.max(a.value, b.value);
    return (high + 0.05) / (low + 0.05);
}
function measure(name, frame) {
    const page = frame.contentDocument, view = frame.contentWindow;
    const root = page.documentElement, pairs = new Set();
    page.querySelectorAll("details").forEach(d => d.open = true);
    if (root.scrollWidth > root.clientWidth)
        said.push(`${name}: ${root.scrollWidth} wide on ${root.clientWidth}`);
    for (const picture of page.querySelectorAll("svg.chart"))
        if (picture.getBoundingClientRect().right > root.clientWidth)
            said.push(`${name}: a chart reaches beyond ${root.clientWidth}`);
    for (const box of page.querySelectorAll(".scroll")) {
        const first = box.querySelector("tbody th");
        if (!first || box.scrollWidth <= box.clientWidth) continue;
        box.scrollLeft = 200;
        if (first.getBoundingClientRect().left <
                box.getBoundingClientRect().left - 1)
            said.push(`${name}: the names of a table's rows scroll away`);
        box.scrollLeft = 0;
    }
    for (const box of page.querySelectorAll("h1, .scroll"))
        if (box.getBoundingClientRect().width < 100)
            said.push(`${name}: a box is not shown`);
    const walker = page.createTreeWalker(page.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const node = walker.currentNode.parentElement;
        if (!walker.currentNode.data.trim() ||
            node.closest("svg title, svg desc")) continue;
        const style = view.getComputedStyle(node);
        const ink = node.namespaceURI.endsWith("svg") ? style.fill : style.color;
        const back = under(view, node);
        const key = ink + back.value;
        if (pairs.has(key)) continue;
        pairs.add(key);
        if (contrast(light(ink), back) < 4.5)
            said.push(`${name}: ${ink} on ${back.value} in ` +
                `"${walker.currentNode.data.trim().slice(0, 40)}"`);
    }
    if (pairs.size < 2) said.push(`${name}: nothing to read`);
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    if (dark !== (under(view, page.body).value < 0.5))
        said.push(`${name}: not in the colours asked for`);
}
async function run() {
    for (const [name, text] of Object.entries(pages))
        for (const width of widths) {
            const frame = document.createElement("iframe");
            frame.style.cssText = `width:${width}px;height:800px;border:0`;
            const loaded = new Promise(done => frame.onload = done);
            frame.srcdoc = text;
            document.body.append(frame);
            await loaded;
            measure(name, frame);
            frame.remove();
        }
    said.push("measured " + Object.keys(pages).length +
        (matchMedia("(prefers-color-scheme: dark)").matches ? " dark" : " light"));
    document.querySelector("pre").textContent = said.join("\\n");
}
run();
</script>
"""


class Lines(HTMLParser):
    """The content of <pre> in the measuring page."""
    inside, text = False, ""

    def handle_starttag(self, tag, attrs):
        self.inside = self.inside or tag == "pre"

    def handle_endtag(self, tag):
        self.inside = self.inside and tag != "pre"

    def handle_data(self, data):
        self.text += data if self.inside else ""


def run(path, profile, *flags):
    """The page as Chromium renders it, and its messages."""
    done = subprocess.run(
        CHROMIUM + [f"--user-data-dir={profile}", "--dump-dom", *flags,
                    "file://" + os.path.realpath(path)],
        capture_output=True, text=True, timeout=300)
    return done.stdout, re.findall(r".*CONSOLE.*", done.stderr)


def check_console(path, profile):
    dom, messages = run(path, profile)
    if "</html>" not in dom or "<h1" not in dom:
        messages.append("it is not rendered")
    return [f"{path}: {message}" for message in messages]


def check_measures(paths, folder, profile, widths=WIDTHS, schemes=2):
    pages = {path: open(path, encoding="utf-8").read() for path in paths}
    text = json.dumps(pages).replace("<", "\\u003c")
    measuring = os.path.join(folder, "measure.html")
    with open(measuring, "w", encoding="utf-8") as file:
        file.write(MEASURE.strip().replace("WIDTHS", json.dumps(widths))
                   .replace("PAGES", text))
    said = []
    for scheme, flag in (("light", 1), ("dark", 0))[:schemes]:
        dom, messages = run(measuring, profile, "--virtual-time-budget=20000",
                            f"--blink-settings=preferredColorScheme={flag}")
        lines = Lines()
        lines.feed(dom)
        got = lines.text.splitlines()
        if not got or got[-1] != f"measured {len(paths)} {scheme}":
            said.append(f"{scheme}: not measured to the end: {got[-1:]}")
        said += messages + [f"{scheme}: {line}" for line in got[:-1]]
    return said


def check_narrow(paths, folder, profile):
    wrong = []
    for first in range(0, len(paths), 10):
        wrong += check_measures(paths[first:first + 10], folder, profile,
                                (400,), 1)
    return wrong


def check(paths, folder, profile):
    wrong = check_measures(paths, folder, profile)
    for path in paths:
        wrong += check_console(path, profile)
    return wrong


if __name__ == "__main__":
    is_narrow = sys.argv[1:2] == ["--narrow"]
    given = sys.argv[1 + is_narrow:]
    with tempfile.TemporaryDirectory() as folder:
        found = (check_narrow if is_narrow else check)(
            given, folder, os.path.join(folder, "profile"))
    print("\n".join(found[:40]), end="\n" if found else "")
    sys.exit(len(found) > 0 or not given)
