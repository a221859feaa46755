"""Times scipy.optimize.linear_sum_assignment on a matrix in a file.

usage: scipy_matching.py FILE int64|float64 N REPETITIONS
prints: the best time in milliseconds and the total weight
"""

import sys
import time

import numpy
from scipy.optimize import linear_sum_assignment


def main():
    path, kind, n, repetitions = sys.argv[1:]
    matrix = numpy.fromfile(path, dtype=kind).reshape(int(n), int(n))
    best = float("inf")
    for _ in range(int(repetitions)):
        start = time.perf_counter()
        rows, columns = linear_sum_assignment(matrix, maximize=True)
        best = min(best, time.perf_counter() - start)
    total = matrix[rows, columns].sum()
    print(f"{1e3 * best:.6f} {float(total):.17g}")


main()
