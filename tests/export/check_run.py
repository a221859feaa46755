#!/usr/bin/python3
"""Checks notebooks that were run: tests/export/check_run.py FILE...

Every code cell must have been run without an error, and every call of plot()
must have drawn a picture. Prints a line per file, and exits with 1 on a
fault."""
import sys

import nbformat


def pictures(path):
    book = nbformat.read(path, as_version=4)
    count = 0
    for cell in book.cells:
        if cell.cell_type != "code":
            continue
        if cell.execution_count is None:
            raise ValueError(f"cell {cell.id} was not run")
        if any(output.output_type == "error" for output in cell.outputs):
            raise ValueError(f"cell {cell.id} failed")
        drawn = sum("image/png" in output.get("data", {}) for output in cell.outputs)
        if drawn != cell.source.startswith("plot("):
            raise ValueError(f"cell {cell.id} drew {drawn} pictures")
        count += drawn
    return count


failed = False
for name in sys.argv[1:]:
    try:
        print(f"{name.split('/')[-1]}: {pictures(name)} pictures")
    except ValueError as error:
        print(f"{name}: {error}")
        failed = True
sys.exit(failed)
