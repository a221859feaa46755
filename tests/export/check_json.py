#!/usr/bin/python3
"""Reports as JSON must be valid against the schema and equal the XML tree, with
the numbers of ratios.

check_json.py SCHEMA NETBOUND REPORT.xml...: exports each report to JSON."""
import json
import subprocess
import sys
import xml.etree.ElementTree as tree
from fractions import Fraction

import jsonschema

NAMESPACE = "{urn:netbound:1}"


def number(text):
    if text == "nan":
        return None
    return text if text in ("inf", "-inf") else float(text)


def is_split(column, node):
    """Whether JSON has a column of numbers, too."""
    names = [c.get("name") for c in node.findall(NAMESPACE + "column")]
    return column.get("type") == "ratio" and not (
        column.get("name") == "exact" and "lower" in names)


def cells(kind, splits, text):
    if kind == "whole":
        return [int(text)]
    if kind == "number":
        return [number(text)]
    if kind == "text":
        return [text]
    exact = None if text == "?" else text
    if not splits:
        return [exact]
    return [float(Fraction(text)) if text not in ("?", "inf") else exact, exact]


def columns(node):
    found = []
    for column in node.findall(NAMESPACE + "column"):
        own = dict(column.attrib)
        if not is_split(column, node):
            found += [own]
        else:
            found += [dict(own, type="number"),
                      dict(own, name=own["name"] + "_exact")]
    return found


def table(node):
    kinds = [(c.get("type"), is_split(c, node))
             for c in node.findall(NAMESPACE + "column")]
    rows = [r.text.split(" ") for r in node.findall(NAMESPACE + "row")]
    rows += [[c.text or "" for c in r]
             for r in node.findall(NAMESPACE + "record")]
    return {"name": node.get("name"), "columns": columns(node),
            "certificate": node.get("certificate") == "yes",
            "rows": [[cell for kind, text in zip(kinds, row)
                      for cell in cells(*kind, text)] for row in rows]}


def quantity(node):
    found = dict(node.attrib, exact=node.get("exact"))
    return dict(found, **{n: number(found[n])
                          for n in ("value", "lower", "upper")})


def point(node):
    def all_of(name):
        return node.findall(NAMESPACE + name)
    return {"settings": {s.get("name"): s.text for s in all_of("setting")},
            "quantities": [quantity(q) for q in all_of("quantity")],
            "notes": [{"name": n.get("name"), "text": n.text or ""}
                      for n in all_of("note")],
            "tables": [table(t) for t in all_of("table")]}


def main(schema, netbound, *reports):
    with open(schema, encoding="utf-8") as file:
        validator = jsonschema.Draft202012Validator(json.load(file))
    for report in reports:
        made = subprocess.run([netbound, "export", report, "--to", "json"],
                              check=True, stdout=subprocess.PIPE).stdout
        found = json.loads(made, parse_constant=lambda name: 1 / 0)
        for error in validator.iter_errors(found):
            print(f"{report}: {error.json_path}: {error.message:.200}")
        root = tree.parse(report).getroot()
        if found["program"] != root.get("program"):
            print(f"{report}: program")
        points = [point(p) for p in root.findall(NAMESPACE + "point")]
        if found["points"] != points:
            print(f"{report}: its points are not those of the XML")


main(*sys.argv[1:])
