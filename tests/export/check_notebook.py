#!/usr/bin/python3
"""Checks notebooks: tests/export/check_notebook.py FILE...

Each must be valid for nbformat, have distinct cell ids, code that Python
compiles, and no output yet. Prints a line per fault, and exits with 1 then."""
import sys

import nbformat


def check(path):
    book = nbformat.read(path, as_version=nbformat.NO_CONVERT)
    nbformat.validate(book)
    ids = [cell.id for cell in book.cells]
    if len(ids) != len(set(ids)):
        raise ValueError("two cells have one id")
    if len(book.cells) < 3:
        raise ValueError("there is nothing in it")
    for cell in book.cells:
        if cell.cell_type != "code":
            continue
        compile(cell.source, cell.id, "exec")
        if cell.outputs or cell.execution_count is not None:
            raise ValueError(f"cell {cell.id} has been run")


failed = False
for name in sys.argv[1:]:
    try:
        check(name)
    except Exception as error:  # any error of nbformat and compile
        print(f"{name}: {str(error).splitlines()[0]}")
        failed = True
sys.exit(failed)
