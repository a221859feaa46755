"""Worst-case-optimal oblivious routing, and its hops.

Source: TowlesDallyBoyd2003. Over unit flows f of each pair (i, j) and
potentials u, v >= 0 of each channel c

    minimise W:  u_c,i + v_c,j >= f_ij,c           for all c, i, j
                 alpha sum_i u_c,i + sum_j v_c,j <= W bandwidth_c

with alpha = 1: rows and columns of the traffic sum to 1, and 1 / W is the
throughput. The least mean hops at a fraction F of it: minimise the sum of all
f over n^2 with W / F on the right. Unbalanced: rows sum to alpha, columns to
at most 1; find the alpha at which the least W is 1.

The program has all pairs and all channels and uses no symmetry, except in
BY_TRANSLATION: pairs there have source 0, and channels leave router 0. (Without
it torus:4x4 takes minutes and agrees to 10 digits; unbalanced, torus:3x3 has the
same W to 10 digits at alpha = 1, 3/2, 2 and 2.1.)

Each value is checked from both sides: by the channels' heaviest matchings of
the flows found (with another solver), and by the dual. For weights z of the
channels with sum z bandwidth = 1, and traffic Z_c with rows of at most alpha z_c
and columns of at most z_c, each pair takes its shortest path at best:

    W >= sum over i, j of the least sum of Z_c(i, j) over the channels of a path
"""
import csv
import sys
import time
from fractions import Fraction as F

import numpy as np
from optimum_networks import (Rows, build, find_arcs, find_ratio,
                              find_shortest, minimise)
from scipy.optimize import linear_sum_assignment, linprog

OUT = "data/reference/optimum_oblivious.csv"
RANDOM = "file:data/topologies/oracle-random.txt,directed=yes"
ASKED = [*(f"ring:{n}" for n in range(3, 9)), "torus:3x3", "torus:4x3",
         "mesh:2x3", "mesh:3x3", "complete:4", "complete:5", "complete:6",
         "hypercube:3", "dragonfly:h=1", "file:data/topologies/abilene.txt",
         RANDOM, "ccc:3", "torus:4x4", "torus:5x5", "torus:6x6", "torus:7x7",
         "torus:8x8"]
UNBALANCED = ["ring:4", "ring:5", "mesh:2x3", "torus:3x3"]
BY_TRANSLATION = {"balanced": {"ccc:3", "torus:4x4", "torus:5x5", "torus:6x6",
                               "torus:7x7", "torus:8x8"},
                  "unbalanced": {"torus:3x3"}}
FRACTIONS = ["1", "0.9", "0.75"]


class Problem:
    """Numbers of variables: flows by pair, then arc; then for each kept channel the
    potentials of rows and of columns; last W."""

    def __init__(self, net, paths, is_reduced):
        self.net, self.is_reduced = net, is_reduced
        n = self.n = net.routers
        assert net.terminals == 1
        self.sources = [0] if is_reduced else list(range(n))
        self.kept = [c for c, (a, _, _, _) in enumerate(net.channels)
                     if not is_reduced or a == 0]
        self.bandwidth = np.array([float(net.channels[c][2])
                                   for c in self.kept])
        self.arcs, self.place, count = {}, {}, 0
        for i in self.sources:
            for j in range(n):
                if i != j:
                    arcs = self.arcs[i, j] = find_arcs(net, j, paths, [i])
                    place = self.place[i, j] = np.full(len(net.channels), -1)
                    place[arcs.channel] = count + np.arange(len(arcs.channel))
                    count += len(arcs.channel)
        self.flows, self.columns = count, count + 2 * n * len(self.kept) + 1
        self.column = self.find_columns()

    def find_columns(self):
        """[kept channel][i, j] its flow of the pair; -1: none."""
        net, n = self.net, self.n
        column = np.full((len(self.kept), n, n), -1)
        number = {(a, b): c for c, (a, b, _, _) in enumerate(net.channels)}
        for i in range(n):
            move = net.moves[i] if self.is_reduced else range(n)
            image = [number[move[net.channels[c][0]], move[net.channels[c][1]]]
                     for c in self.kept]
            for j in range(n):
                if i != j:
                    column[:, i, j] = self.place[move[i], move[j]][image]
        return column

    def find_balance(self):
        rows, side = Rows(), []
        for (i, j), arcs in self.arcs.items():
            columns = self.place[i, j][arcs.channel]
            is_on = arcs.head > 0
            rows.add(rows.count + arcs.tail - 1, columns, 1)
            rows.add((rows.count + arcs.head - 1)[is_on], columns[is_on], -1)
            rows.count += arcs.nodes - 1
            begin = np.zeros(arcs.nodes)
            begin[arcs.start[i]] = 1
            side.append(begin[1:])
        return rows, np.concatenate(side)

    def find_worst(self, alpha):
        """Rows f - u - v <= 0 for each channel, i, j; then one per channel."""
        n, kept = self.n, len(self.kept)
        rows = Rows()
        cell = np.arange(kept * n * n).reshape(kept, n, n)
        u = self.flows + 2 * n * np.arange(kept)[:, None] + np.arange(n)
        rows.add(cell, u[:, :, None], -1)
        rows.add(cell, u[:, None, :] + n, -1)
        has = self.column >= 0
        rows.add(cell[has], self.column[has], 1)
        last = kept * n * n + np.arange(kept)
        rows.add(last[:, None], u, alpha)
        rows.add(last[:, None], u + n, 1)
        rows.add(last, self.columns - 1, -self.bandwidth)
        rows.count = kept * n * n + kept
        return rows

    def solve(self, alpha=1.0, most=None):
        """The least W, or the least mean hops with W = most: both bounds."""
        cost, bounds = np.zeros(self.columns), [(0, np.inf)] * self.columns
        if most is None:
            cost[-1] = 1
        else:
            cost[:self.flows] = 1 / (self.n * len(self.sources))
            bounds[-1] = most, most
        worst, balance = self.find_worst(alpha), self.find_balance()
        x, dual = minimise(cost, worst, np.zeros(worst.count), *balance,
                           bounds)
        heaviest = self.find_heaviest(x, alpha)
        dual = dual[:-len(self.kept)].reshape(len(self.kept), self.n, self.n)
        z = np.maximum(dual.sum(axis=2) / alpha, dual.sum(axis=1)).max(axis=1)
        if most is None:
            dual /= self.bandwidth @ z
            return self.find_ways(dual, 0), heaviest
        assert heaviest < most * (1 + 1e-9)
        return (self.find_ways(dual, cost[0]) - most * (self.bandwidth @ z),
                x[:self.flows].sum() * cost[0])

    def find_heaviest(self, x, alpha):
        flow = np.where(self.column >= 0, x[self.column], 0)
        return max(find_weight(matrix, alpha) / b
                   for matrix, b in zip(flow, self.bandwidth))

    def find_ways(self, dual, length):
        """Sum over pairs of the shortest path, of length more per channel."""
        total = np.full(self.flows, float(length))
        has = self.column >= 0
        np.add.at(total, self.column[has], dual[has])
        return sum(find_shortest(arcs, total[self.place[i, j][arcs.channel]])
                   [arcs.start[i]] for (i, j), arcs in self.arcs.items())


def find_weight(matrix, alpha):
    """The largest load from traffic with rows <= alpha and columns <= 1."""
    if alpha == 1:
        return matrix[linear_sum_assignment(matrix, True)].sum()
    n = len(matrix)
    sums = np.concatenate([np.kron(np.eye(n), np.ones(n)),
                           np.kron(np.ones(n), np.eye(n))])
    return -linprog(-matrix.ravel(), A_ub=sums,
                    b_ub=[alpha] * n + [1] * n, method="highs-ds").fun


def say(*what):
    print(*what, f"{time.process_time():.1f} s", file=sys.stderr, flush=True)


def agree(lower, upper):
    assert abs(upper - lower) < 1e-10 * upper, (lower, upper)
    return (lower + upper) / 2


def find_all(topology, paths, out):
    problem = Problem(build(topology), paths,
                      topology in BY_TRANSLATION["balanced"])
    load = agree(*problem.solve())
    ratio = find_ratio(load)
    load = float(F(ratio)) if ratio else load
    write(out, topology, paths, "throughput_absolute", "", 1 / load)
    for at in FRACTIONS if paths == "any" else []:
        hops = agree(*problem.solve(most=load / float(at)))
        write(out, topology, paths, "least_mean_hops", at, hops,
              problem.n ** 2 * F(at).numerator)


def find_unbalanced(topology, out):
    """The largest alpha. W may be 1 over a range of alpha; above that range it
    first rises along a line. Bisection finds the neighbourhood, the line the
    exact end: next to a bend the solver is only as exact as its tolerance."""
    problem = Problem(build(topology), "any",
                      topology in BY_TRANSLATION["unbalanced"])
    low, high = 0.0, float(problem.n)
    assert problem.solve(high)[0] > 1
    while high - low > 1e-4:
        alpha = (low + high) / 2
        low, high = (low, alpha) if problem.solve(alpha)[0] > 1 + 1e-9 else \
            (alpha, high)
    load = [agree(*problem.solve(high + step / 1000)) for step in (1, 2, 3)]
    assert abs(load[0] - 2 * load[1] + load[2]) < 1e-12
    alpha = high + (1 - (load[0] - 1) / (load[1] - load[0])) / 1000
    assert abs(alpha - high) < 2e-4 and problem.solve(alpha)[1] < 1 + 1e-9
    write(out, topology, "any", "unbalanced_throughput_absolute", "", alpha)


def write(out, topology, paths, quantity, at, value, unit=1):
    ratio = find_ratio(value, unit)
    say(topology, paths, quantity, at, value, ratio)
    out.writerow([topology, paths, quantity, at, f"{value:.12g}", ratio])


def main():
    with open(OUT, "w", encoding="ascii", newline="") as file:
        file.write(
            "# Made by tests/oracles/optimum_oblivious.py: the best of all "
            "oblivious routings.\n# at: fraction of throughput_absolute that "
            "is kept; hops are means over all pairs,\n# self included. "
            "unbalanced: rows of the traffic sum to the value, columns to at\n"
            "# most 1. ratio: of small denominator, within 2e-12 of the value; "
            "not proven.\n")
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["topology", "paths", "quantity", "at", "value", "ratio"])
        for topology in ASKED:
            for paths in ("any", "minimal"):
                find_all(topology, paths, out)
        for topology in UNBALANCED:
            find_unbalanced(topology, out)


if __name__ == "__main__":
    main()
