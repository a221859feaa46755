#!/usr/bin/python3
"""Drawings of netbound: check_drawing.py DRAWING.svg...

Each must be well-formed SVG and nothing else; every chart has a title, a
description and marks inside it. Prints each fault."""
import collections
import subprocess
import sys
import xml.etree.ElementTree

SVG = "{http://www.w3.org/2000/svg}"
PERMITTED = {"svg", "title", "desc", "style", "g", "path", "rect", "circle",
             "polyline", "polygon", "text", "defs", "marker"}


def check_numbers(node):
    """Coordinates are numbers, and none is NaN."""
    said = []
    for key, value in node.attrib.items():
        if key in ("x", "y", "cx", "cy", "r", "width", "height"):
            try:
                if not -1e6 < float(value.rstrip("%")) < 1e6:
                    said.append(f"{key} is {value}")
            except ValueError:
                said.append(f"{key} is {value}")
        elif key in ("d", "points", "transform", "viewBox") and (
                "NaN" in value or "Infinity" in value):
            said.append(f"{key} is {value[:60]}")
    return said


def check(path):
    if subprocess.run(["xmllint", "--noout", "--nonet", path]).returncode:
        return [f"{path}: not well-formed"]
    root = xml.etree.ElementTree.parse(path).getroot()
    said, ids = [], collections.Counter()
    charts = root.findall(SVG + "svg")
    for node in root.iter():
        if (not node.tag.startswith(SVG)
                or node.tag[len(SVG):] not in PERMITTED):
            said.append(f"it has a {node.tag}")
        said += [f"it has {key}" for key in node.attrib
                 if key.startswith(("{", "on", "href"))]
        said += check_numbers(node)
        if node.get("id"):
            ids[node.get("id")] += 1
    said += [f"id {key} {count} times" for key, count in ids.items()
             if count > 1]
    if not charts:
        said.append("it has no chart")
    bottom = 0.0
    for chart in charts:
        names = chart.get("aria-labelledby", "").split()
        if len(names) != 2 or any(ids[name] != 1 for name in names):
            said.append("a chart has no title or description")
        if not (chart.findtext(SVG + "title") or "").strip():
            said.append("a chart's title is empty")
        if float(chart.get("y")) < bottom:
            said.append("two charts overlap")
        bottom = float(chart.get("y")) + float(chart.get("height"))
    if bottom > float(root.get("height")):
        said.append("a chart lies beyond the drawing's end")
    return [f"{path}: {line}" for line in said]


if __name__ == "__main__":
    wrong = sum(map(check, sys.argv[1:]), [])
    print("\n".join(wrong[:40]), end="\n" if wrong else "")
    sys.exit(len(wrong) > 0 or len(sys.argv) < 2)
