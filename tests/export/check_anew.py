#!/usr/bin/python3
"""Checks notebooks that were run twice: check_anew.py OWN.ipynb ANEW.ipynb...

The first run had no package netbound and used its own numbers; the second asked
again. Both must show the same tables. Prints each fault, and exits with 1 then."""
import sys

import nbformat


def printed(path):
    """The output of each code cell."""
    book = nbformat.read(path, as_version=4)
    return {cell.id: "".join(output.get("text", "") for output in cell.outputs)
            for cell in book.cells if cell.cell_type == "code"}


failed = False
for own, anew in zip(sys.argv[1::2], sys.argv[2::2]):
    before, after = printed(own), printed(anew)
    for key, text in before.items():
        if key.endswith("-new"):
            wrong = not text.startswith("the report's own numbers") or \
                not after[key].startswith("asked anew: netbound ")
        else:
            wrong = text != after[key]
        if wrong:
            print(f"{own}: cell {key}:\n{text}{anew}:\n{after[key]}")
            failed = True
sys.exit(failed or len(sys.argv) < 3)
