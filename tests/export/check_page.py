#!/usr/bin/python3
"""Pages of netbound: check_page.py PAGE.html...

Each must parse without error, be self-contained, and be usable without seeing
it and on a dark screen. Prints each fault."""
import collections
import multiprocessing
import re
import sys

import html5lib

SVG = "{http://www.w3.org/2000/svg}"
HTML = "{http://www.w3.org/1999/xhtml}"
XMLNS = "http://www.w3.org/2000/svg"
READABLE = 4.5  # WCAG 2, 1.4.3
VISIBLE = 3.0  # WCAG 2, 1.4.11: lines and marks


def short(tag):
    return tag.split("}")[-1] if isinstance(tag, str) else ""


def check_elements(root):
    """Nothing runs or is fetched; ids are unique; targets of links exist."""
    ids, targets, heading, said = collections.Counter(), [], 0, []
    for node in root.iter():
        name = short(node.tag)
        if name in ("script", "link", "iframe", "img", "image", "object",
                    "embed", "base", "form", "foreignObject"):
            said.append(f"it has a <{name}>")
        for key, value in node.attrib.items():
            key = short(key)
            if key == "id":
                ids[value] += 1
            elif key in ("aria-labelledby", "aria-describedby"):
                targets += value.split()
            elif key.startswith("on") or key in ("src", "srcset", "style"):
                said.append(f"<{name}> has {key}")
            elif key == "href":
                if not value.startswith("#"):
                    said.append(f"a link leads to {value}")
                targets.append(value[1:])
            elif key.startswith("marker-"):
                targets.append(re.fullmatch(r"url\(#(.*)\)", value).group(1))
        if re.fullmatch("h[1-6]", name):
            if int(name[1]) > heading + 1:
                said.append(f"{name} follows h{heading}")
            heading = int(name[1])
    said += [f"id {key} {count} times" for key, count in ids.items()
             if count > 1]
    said += [f"nothing has the id {key}" for key in targets if key not in ids]
    return said


def check_parts(root):
    """Titles, captions and labels."""
    said = []
    if root.get("lang") != "en":
        said.append("the page has no language")
    if len(root.findall(f".//{HTML}h1")) != 1:
        said.append("the page has not one h1")
    for table in root.iter(HTML + "table"):
        if table.find(HTML + "caption") is None:
            said.append("a table has no caption")
        if any(head.get("scope") not in ("col", "row")
               for head in table.iter(HTML + "th")):
            said.append("a th has no scope")
        widths = {len(row) for row in table.iter(HTML + "tr")}
        if len(widths) != 1:
            said.append(f"rows of a table have {widths} cells")
    for node in root.iter(HTML + "div"):
        if "scroll" in (node.get("class") or "").split() and (
                node.get("tabindex") != "0" or node.get("role") != "region"
                or not node.get("aria-labelledby")):
            said.append("a region that scrolls is not for the keyboard")
    if any(not "".join(term.itertext()).strip()
           for term in root.iter(HTML + "dt")):
        said.append("a term has no name")
    for chart in root.iter(SVG + "svg"):
        if chart.get("role") != "img" or not chart.get("aria-labelledby"):
            said.append("a chart has no role or name")
        for mark in chart.iter():
            if (short(mark.tag) in ("path", "rect", "circle")
                    and mark.get("class", "").split()[0:1]
                    in (["point"], ["bar"], ["cell"])
                    and mark.find(SVG + "title") is None
                    and not in_legend(chart, mark)):
                said.append("a mark tells no values")
    return said


def in_legend(chart, mark):
    return any(mark in sample.iter() for sample in chart.iter(SVG + "g")
               if "sample" in sample.get("class", "").split())


def luminance(colour):
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055)**2.4
              for p in parts]
    return sum(w * p for w, p in zip((0.2126, 0.7152, 0.0722), linear))


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def check_colours(css):
    """Every colour is a property with enough contrast to the background."""
    said = []
    for name, value in re.findall(
            r"[{;]\s*((?:background-)?(?:color|background|fill|stroke))"
            r"\s*:\s*([^;}]*)", css):
        if not re.fullmatch(r"var\(--[a-z0-9-]+\)|currentColor|none|inherit",
                            value.strip()):
            said.append(f"{name}: {value} is no property")
    light, _, dark = css.partition("prefers-color-scheme: dark")
    schemes = []
    for text in (light, dark):
        root = text[text.index(":root"):]
        found = re.findall(r"--([a-z0-9-]+):\s*(#[0-9a-f]{6});",
                           root[:root.index("}")])
        schemes.append(dict(found))
    if schemes[0].keys() != schemes[1].keys():
        said.append("light and dark do not have the same colours")
    for scheme in schemes:
        backs = {k: v for k, v in scheme.items() if k.startswith("back")}
        if len(backs) == 0 or len(scheme) < 20:
            said.append("colours are missing")
        for name, colour in scheme.items():
            least = (READABLE if name.startswith("text")
                     else VISIBLE if name.startswith("series") else 0)
            said += [f"--{name} on --{back}: {contrast(colour, under):.2f}"
                     for back, under in backs.items()
                     if contrast(colour, under) < least]
        levels = [luminance(scheme[f"level-{i}"]) for i in range(9)]
        if levels not in (sorted(levels), sorted(levels, reverse=True)):
            said.append("the levels' lightness goes to and fro")
    return said


def check(path):
    text = open(path, encoding="utf-8").read()
    try:
        root = html5lib.HTMLParser(strict=True).parse(text)
    except html5lib.html5parser.ParseError as error:
        return [f"{path}: {error}"]
    css = root.find(f".//{HTML}style").text
    said = check_elements(root) + check_parts(root) + check_colours(css)
    urls = set(re.findall(r"(?:https?:)?//[\w.:]+[^\s\"'<>)]*", css))
    urls |= set(re.findall(r"xmlns[:\w]*=\"([^\"]*)\"", text)) - {XMLNS}
    if re.search(r"@import|url\(", css) or urls:
        said.append(f"it names {urls or 'a file'}")
    return [f"{path}: {line}" for line in said]


if __name__ == "__main__":
    with multiprocessing.Pool() as pool:
        wrong = sum(pool.map(check, sys.argv[1:], chunksize=1), [])
    print("\n".join(wrong[:40]), end="\n" if wrong else "")
    sys.exit(len(wrong) > 0 or len(sys.argv) < 2)
