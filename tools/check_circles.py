#!/usr/bin/env python3
"""Checks that no files of src call each other in a circle: tools/check_circles.py

A file is NAME.c with NAME.h; it depends on the files whose functions it names.
Two files in a circle can be read, tested and changed only together. Circles of
before this check are listed below; the list may only become shorter. Python,
because separating code from comments takes more than sed.
"""
import collections
import glob
import os
import re
import sys

# The files of each remaining circle, below the folder.
REMAINING = """
export: charts/chart_bars charts/chart_compare charts/chart_curves charts/chart_laws \
  charts/chart_ledger charts/chart_lines charts/chart_marks charts/chart_matrix charts/chart_names charts/chart_plot \
  charts/chart_quantities charts/chart_tables charts/charts charts/drawing charts/fabric \
  charts/matrix charts/plan charts/trunks principal typeset view
questions/latency: latency latency_percentiles
questions/simulate: simulate_plan simulate_steps
queueing: arrivals onoff phases
report: report table
routing: routing two_phase
sim: extremes stability summary summary_virtual
sim: routers/credit routers/credit_build routers/credit_flow routers/credit_heads \
  routers/credit_sample routers/credit_switch watchdog
sim/routers: levelled levelled_merge levelled_rounds levelled_turns
"""


def read(path):
    """The code of a file, with what it includes, without comments and texts."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    code = re.sub(r'"(\\.|[^"\\\n])*"', '""', re.sub(r"/\*.*?\*/", " ", text, flags=re.S))
    included = re.findall(r'^#include "(.*\.inc)"', text, flags=re.M)
    return code + "".join(read(f"src/{name}") for name in included)


def find_calls():
    """By file: the files that it depends on, with a function of each."""
    names = glob.glob("src/**/*.c", recursive=True)
    code = {name[4:-2]: read(name) for name in sorted(names)}
    home = {function: name for name, text in code.items()
            for function in re.findall(r"\b(nb_\w+)\([^;{}]*\)\n\{", text)}
    return {name: {home[word]: word for word in re.findall(r"\bnb_\w+", text)
                   if home.get(word, name) != name}
            for name, text in code.items()}


def find_paths(calls, start):
    """By file that start leads to: the file before it on a shortest path."""
    before = {}
    queue = collections.deque([start])
    while queue:
        name = queue.popleft()
        for other in calls[name]:
            if other not in before:
                before[other] = name
                queue.append(other)
    return before


def print_circle(calls, paths, name):
    """Prints the shortest circle through a file."""
    path = [name]
    while len(path) == 1 or path[-1] != name:
        path.append(paths[name][path[-1]])
    print("circle:")
    for user, used in zip(path[:0:-1], path[-2::-1]):
        print(f"  {user} calls {calls[user][used]} of {used}")


def main():
    calls = find_calls()
    paths = {name: find_paths(calls, name) for name in calls}
    permitted = {}
    for line in REMAINING.split("\n"):
        folder, _, files = line.partition(":")
        permitted.update({f"{folder}/{file}": line for file in files.split()})
    bad = False
    shown = set()
    for name in calls:
        circle = {other for other in paths[name] if name in paths[other]}
        if circle and len({permitted.get(file, file) for file in circle}) > 1:
            new = [file for file in circle if file not in permitted] or circle
            if not shown & circle:
                print_circle(calls, paths, min(new))
            shown |= circle
            bad = True
        if not circle and name in permitted:
            print(f"{name} is in no circle any more: remove it from {sys.argv[0]}")
            bad = True
    gone = [name for name in permitted if name not in calls]
    if gone:
        print(f"remove from {sys.argv[0]}:", *gone)
    if permitted:
        print(f"{len(permitted)} files in {len(set(permitted.values()))} circles remain")
    return bad or bool(gone)


if __name__ == "__main__":
    sys.exit(main())
